"""Installing what pages need: verified, once, and with an error that names the command."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import tarfile
import urllib.error
from pathlib import Path

import pytest

from colbench.errors import ConfigurationError, RendererError
from colbench.frontend import assets

CSS = b".p-4{padding:1rem}"
JS = b"/* tailwindcss v4 */"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and assets whose checksums are those of the small files above."""
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path / "cache"))
    table = {
        "tailwind-2": assets.Asset(
            "tailwind-2",
            "t2.css",
            hashlib.sha256(CSS).hexdigest(),
            "tailwindcss@2.2.19",
            "package/t2.css",
            "https://a.b/2",
        ),
        "tailwind-4": assets.Asset(
            "tailwind-4",
            "t4.js",
            hashlib.sha256(JS).hexdigest(),
            "@tailwindcss/browser@4",
            "package/t4.js",
            "https://a.b/4",
        ),
        "tailwind-3": assets.Asset("tailwind-3", "t3.js", None),
    }
    monkeypatch.setattr(assets, "ASSETS", table)
    monkeypatch.setattr(assets, "_loaded", {})
    return tmp_path / "cache"


def fake_npm(folder: Path, monkeypatch: pytest.MonkeyPatch, css: bytes = CSS) -> None:
    """A program called npm that packs the files above."""
    stored = folder / "stored.tgz"
    with tarfile.open(stored, "w:gz") as tar:
        for name, data in (("package/t2.css", css), ("package/t4.js", JS)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    program = folder / "npm"
    program.write_text(f'#!/bin/sh\n[ "$1" = pack ] || exit 1\ncp {stored} "$PWD/out.tgz"\n')
    program.chmod(0o755)
    monkeypatch.setattr(assets.shutil, "which", lambda name: str(program))


def no_npm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets.shutil, "which", lambda name: None)


def test_with_npm(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_npm(tmp_path, monkeypatch)
    with pytest.raises(RendererError, match=r"t2\.css(.*)colbench assets install"):
        assets.find_asset("tailwind-2")
    assert not assets.has_asset("tailwind-2")
    done = assets.install_assets()
    assert [(name, how) for name, _, how in done] == [
        ("tailwind-2", "npm"),
        ("tailwind-4", "npm"),
        ("tailwind-3", "not installed"),
    ]
    assert assets.find_asset("tailwind-2") == CSS
    assert assets.find_asset("tailwind-4") == JS
    assert assets.has_asset("tailwind-2")
    assert [how for _, _, how in assets.install_assets()] == ["present", "present", "not installed"]
    assert sorted(path.name for path in (cache / "assets").iterdir()) == ["t2.css", "t4.js"]


def test_without_npm_it_is_downloaded(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_npm(monkeypatch)
    asked = []

    def urlopen(request, timeout):  # type: ignore[no-untyped-def]
        asked.append(request.full_url)
        return io.BytesIO(CSS if request.full_url.endswith("2") else JS)

    monkeypatch.setattr(assets.urllib.request, "urlopen", urlopen)
    assert [how for _, _, how in assets.install_assets()] == ["download", "download", "not installed"]
    assert asked == ["https://a.b/2", "https://a.b/4"]


def test_another_file_is_refused(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_npm(tmp_path, monkeypatch, css=b"something else")

    def urlopen(request, timeout):  # type: ignore[no-untyped-def]
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(assets.urllib.request, "urlopen", urlopen)
    with pytest.raises(
        RendererError, match=r"t2\.css: npm gave another file \(wrong checksum\); download failed \(no network\)"
    ):
        assets.install_assets()
    assert not (cache / "assets" / "t2.css").exists()
    assert assets.find_asset("tailwind-4") == JS  # what could be had was kept


def test_a_damaged_file_is_noticed_and_replaced(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_npm(tmp_path, monkeypatch)
    assets.install_assets()
    (cache / "assets" / "t2.css").write_bytes(b"damaged")
    assets._loaded.clear()
    with pytest.raises(RendererError, match="wrong checksum"):
        assets.find_asset("tailwind-2")
    assert assets.install_assets()[0][2] == "npm"
    assert assets.find_asset("tailwind-2") == CSS


def test_failing_npm_is_reported(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "npm"
    program.write_text("#!/bin/sh\necho 'npm ERR! 404 not found' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(assets.shutil, "which", lambda name: str(program))
    monkeypatch.setattr(assets.urllib.request, "urlopen", lambda *a, **k: (_ for _ in ()).throw(OSError("refused")))
    with pytest.raises(RendererError, match="404 not found"):
        assets.install_assets()


def test_the_users_own_copy_of_tailwind_3(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_npm(tmp_path, monkeypatch)
    with pytest.raises(RendererError, match="--tailwind3 FILE"):
        assets.find_asset("tailwind-3")
    own = tmp_path / "own.js"
    own.write_text("window.tailwind = {}")
    assert assets.install_assets(own)[-1][2] == "file"
    assert assets.find_asset("tailwind-3") == own.read_bytes()
    own.write_text("something else")
    with pytest.raises(ConfigurationError, match="not the Tailwind script"):
        assets.install_assets(own)
    with pytest.raises(ConfigurationError, match=r"missing\.js"):
        assets.install_assets(tmp_path / "missing.js")


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLBENCH_CACHE", "~/own")
    assert assets.cache_root() == Path.home() / "own"
    monkeypatch.delenv("COLBENCH_CACHE")
    monkeypatch.setattr(assets.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert assets.cache_root() == tmp_path / "colbench"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert assets.cache_root() == Path.home() / ".cache" / "colbench"


def test_checksums_are_pinned() -> None:
    pinned = {asset.name: asset for asset in assets.ASSETS.values() if asset.sha256}
    assert set(pinned) == {"tailwind-2", "tailwind-4"}
    for asset in pinned.values():
        assert asset.sha256 and len(asset.sha256) == 64
        assert asset.package.rpartition("@")[2] in asset.url  # the same version both ways


@pytest.mark.network
def test_the_real_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if subprocess.run(["npm", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("npm does not work here")
    monkeypatch.setenv("COLBENCH_CACHE", os.fspath(tmp_path))
    monkeypatch.setattr(assets, "_loaded", {})
    assert {name: how for name, _, how in assets.install_assets()} == {
        "tailwind-2": "npm",
        "tailwind-4": "npm",
        "tailwind-3": "not installed",
    }
