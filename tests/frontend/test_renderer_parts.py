"""The parts of the renderer that need no browser: addresses, look-up, isolation, memory, the cache."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from rendering_support import needs_assets

from colbench.errors import ConfigurationError, RendererError
from colbench.frontend.page import RenderedPage
from colbench.frontend.renderer import browser, isolation, pictures, tailwind, watch
from colbench.frontend.renderer.cache import PageCache, page_key
from colbench.frontend.renderer.fonts import fonts_hash

# ---- pictures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://picsum.photos/id/48/640/480", ("id/48", 640, 480)),
        ("https://picsum.photos/200", ("", 200, 200)),
        ("https://picsum.photos/200/300?grayscale&blur=2", ("", 200, 300)),
        ("https://picsum.photos/seed/x/20/30.jpg", ("seed/x", 20, 30)),
        ("https://picsum.photos/id/48/900-estate", ("id/48", 900, 900)),
        ("https://picsum.photos/id/48/900/600-board", ("id/48", 900, 600)),
        ("https://picsum.photos/id/48/99999999999999999999/0", ("id/48", 4096, 1)),
        ("https://picsum.photos/id/48/W/H", ("id/48", 300, 300)),
        ("https://picsum.photos", ("", 300, 300)),
        ("http://picsum.photos//id/48//10x20/5", ("id/48", 10, 5)),
    ],
)
def test_picture_sizes_are_read_leniently(url: str, expected: tuple[str, int, int]) -> None:
    assert pictures.is_picture_address(url)
    assert pictures.picture_request(url) == expected


@pytest.mark.parametrize(
    "url",
    ["https://picsum.photos/v2/list", "https://evil.example/picsum.photos/1", "https://picsum.photos.evil.example/9"],
)
def test_other_addresses_are_no_pictures(url: str) -> None:
    assert not pictures.is_picture_address(url)


def test_drawn_pictures_are_the_same_for_the_same_key() -> None:
    assert pictures.drawn_picture("id/48", 30, 20) == pictures.drawn_picture("id/48", 30, 20)
    assert pictures.drawn_picture("id/48", 30, 20) != pictures.drawn_picture("id/49", 30, 20)
    assert b'width="30" height="20"' in pictures.drawn_picture("id/48", 30, 20)


def test_a_file_that_is_no_picture(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    path.write_text("no")
    with pytest.raises(ConfigurationError, match="x\\.png"):
        pictures.file_picture(path, 10, 10)


# ---- Tailwind --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "exact"),
    [
        ("https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css", True),
        ("https://unpkg.com/tailwindcss@%5E2/dist/tailwind.min.css", True),
        ("https://unpkg.com/tailwindcss@^2.0/dist/tailwind.css", True),
        ("https://cdnjs.cloudflare.com/ajax/libs/tailwindcss/2.2.19/tailwind.min.css?x#y", True),
        ("https://cdnjs.cloudflare.com/ajax/libs/tailwindcss/2.2.16/tailwind.min.css", False),
        ("//unpkg.com/tailwindcss@1.9/dist/tailwind.min.css", False),
        ("https://cdn.jsdelivr.net/npm/tailwindcss/dist/tailwind.min.css", False),
        ("https://any.example/tailwind.css", False),
        ("https://any.example/bootstrap.css", None),
        ("https://any.example/?q=tailwind.css", None),
    ],
)
def test_stylesheet_addresses(url: str, exact: bool | None) -> None:
    match = tailwind.match_stylesheet(url)
    assert (None if match is None else match.exact) == exact


@pytest.mark.parametrize(
    ("html", "needed"),
    [
        ('<script src="https://cdn.tailwindcss.com"></script>', True),
        ("<SCRIPT defer SRC=https://cdn.tailwindcss.com/3.4.1?plugins=forms></SCRIPT>", True),
        ("<script src='https://cdn.jsdelivr.net/npm/@tailwindcss/browser@4'></script>", True),
        ("<script src='https://unpkg.com/@tailwindcss/browser@4.1.0/dist/index.global.js'></script>", True),
        ("<p>https://cdn.tailwindcss.com</p><script>1</script>", False),
        ("<script src='https://evil.example/?cdn.tailwindcss.com'></script>", False),
        ("<link href='https://cdn.tailwindcss.com'>", False),
    ],
)
def test_only_tailwinds_script_builds_turn_scripts_on(html: str, needed: bool) -> None:
    assert tailwind.needs_script(html) is needed


@needs_assets("tailwind-2")
def test_the_cut_stylesheet_has_what_is_used_and_nothing_else() -> None:
    css = tailwind.cut_stylesheet("<div class=\"p-4 md:w-1/2 hover:bg-blue-700 space-x-2 w-0.5\" id='group'>")
    for part in (
        ".p-4{",
        r".md\:w-1\/2{",
        r".hover\:bg-blue-700:hover{",
        ".space-x-2",
        r".w-0\.5{",
        "@media (min-width:768px)",
    ):
        assert part in css
    assert ".p-5{" not in css
    assert "box-sizing:border-box" in css  # the base stays
    assert len(css) < 20_000
    assert css.count("{") == css.count("}")


@needs_assets("tailwind-2")
@pytest.mark.parametrize(
    "html",
    [
        "<div class=p-4>",
        "<div class='a&#32;p-4'>",
        "<div class=P-4>",
        "<div\nclass =\t'x\np-4\n'>",
        "<div class='p&#45;4'>",
        "<iframe srcdoc='<div class=&amp;quot;p-4&amp;quot;>'>",
    ],
)
def test_a_class_is_found_however_it_is_written(html: str) -> None:
    assert ".p-4{" in tailwind.cut_stylesheet(html)


# ---- the browser -----------------------------------------------------------------------------------------------------


def _program(folder: Path, name: str, text: str = "#!/bin/sh\n") -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_browser_look_up_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "_BEHIND_SCRIPT", ())
    given, variable, own, on_path = (
        _program(tmp_path, name) for name in ("given", "variable", "own", "chromium-browser")
    )
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv(browser.BROWSER_VARIABLE, str(variable))
    assert browser.find_browser(given, str(own)) == given
    assert browser.find_browser(None, str(own)) == variable
    monkeypatch.delenv(browser.BROWSER_VARIABLE)
    assert browser.find_browser(None, str(own)) == own
    assert browser.find_browser(None, str(tmp_path / "missing")) == on_path


def test_no_browser_names_both_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(browser.BROWSER_VARIABLE, raising=False)
    monkeypatch.setattr(browser.sys, "platform", "linux")
    with pytest.raises(RendererError, match=r"playwright install chromium(.|\n)*apt-get install chromium"):
        browser.find_browser()
    with pytest.raises(RendererError, match="no-such-program"):
        browser.find_browser("no-such-program")
    monkeypatch.setenv(browser.BROWSER_VARIABLE, "/no/such")
    with pytest.raises(RendererError, match="COLBENCH_BROWSER"):
        browser.find_browser()


def test_a_distributions_start_script_is_looked_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = _program(tmp_path, "real", "\x7fELF")
    script = _program(tmp_path, "chromium")
    monkeypatch.setattr(browser, "_BEHIND_SCRIPT", (str(real),))
    assert browser.find_browser(script) == real
    shell = _program(tmp_path, "chromium-headless-shell")
    assert browser.find_browser(shell) == shell  # another browser's script


# ---- isolation -------------------------------------------------------------------------------------------------------


def test_bubblewrap_problems_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation.shutil, "which", lambda name: None)
    assert "apt-get install bubblewrap" in str(isolation.bubblewrap_problem(Path("/usr/bin/true")))
    monkeypatch.setattr(isolation.sys, "platform", "darwin")
    assert "darwin" in str(isolation.bubblewrap_problem(Path("/usr/bin/true")))


def test_inside_the_box_there_is_no_network_and_no_home(tmp_path: Path) -> None:
    problem = isolation.bubblewrap_problem(Path("/usr/bin/env"))
    if problem:
        pytest.skip(problem)
    secret = tmp_path / "secret"
    secret.write_text("x")
    box = isolation.make_box(Path("/usr/bin/env"), isolated=True)
    try:
        code = (
            "cat /proc/net/dev; id -u; ls -A /root /home 2>&1; "
            f"cat {secret} /etc/passwd 2>&1; touch /usr/x 2>&1; ls -A /tmp; echo end"
        )
        done = subprocess.run([box.script, "sh", "-c", code], capture_output=True, text=True, timeout=60)
    finally:
        box.remove()
    assert done.stdout.endswith("end\n")
    interfaces = [
        line.split(":")[0].strip() for line in done.stdout.splitlines() if ":" in line and "bytes" not in line
    ]
    assert [name for name in interfaces if name.startswith(("eth", "en", "wl", "veth"))] == []
    assert "65534" in done.stdout
    assert "root:" not in done.stdout
    assert done.stdout.count("No such file or directory") >= 3
    assert "Read-only file system" in done.stdout
    assert not box.folder.exists()


def test_a_box_kills_its_own_process_only(tmp_path: Path) -> None:
    box = isolation.make_box(Path("/bin/sleep"), isolated=False)
    stranger = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
    process = subprocess.Popen(
        [box.script, "60"], start_new_session=True, env={"COLBENCH_BOX": str(box.folder), "PATH": "/usr/bin:/bin"}
    )
    try:
        while box.pid is None:
            time.sleep(0.01)
        assert box.pid == process.pid
        box.kill()
        assert process.wait(10) == -9
        (box.folder / "pid").write_text(str(stranger.pid))  # the number now belongs to somebody else
        box.kill()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()
        box.remove()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_what_killed_processes_left_is_swept_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation.tempfile, "tempdir", str(tmp_path))
    left = isolation.make_box(Path("/bin/true"), isolated=False)
    (left.folder / "pid").write_text(str(2**22 + 1))
    assert left.folder.exists()
    monkeypatch.setattr(isolation, "_STALE_S", -1.0)
    fresh = isolation.make_box(Path("/bin/true"), isolated=False)
    assert not left.folder.exists()
    assert fresh.folder.exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_of_a_tree_of_processes() -> None:
    inner = "x = bytearray(120 * 2**20); print('ready', flush=True); input()"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    process = subprocess.Popen([sys.executable, "-c", outer], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    process.stdout.readline()
    held = watch.tree_memory(process.pid)
    process.communicate("\n")
    assert held is not None
    assert 120 * 2**20 < held < 400 * 2**20
    assert watch.tree_memory(2**22 + 1) == 0  # nobody


def test_fonts_hash_is_stable() -> None:
    fonts_hash.cache_clear()
    first = fonts_hash()
    fonts_hash.cache_clear()
    assert fonts_hash() == first
    assert len(first) == 16


# ---- the cache -------------------------------------------------------------------------------------------------------


def _page(number: int, status: str = "ok") -> RenderedPage:
    return RenderedPage(html=str(number), status=status, png=b"png%d" % number, elements=({"tag": "p"},))  # type: ignore[arg-type]


def test_cache_keeps_the_most_recent_in_memory_and_all_on_disk(tmp_path: Path) -> None:
    cache = PageCache(tmp_path, in_memory=2)
    for number in range(4):
        cache.put(page_key(str(number), "s"), _page(number))
    assert list(cache._pages) == [page_key("2", "s"), page_key("3", "s")]
    assert cache.get(page_key("0", "s"), "0") == _page(0)
    assert PageCache(tmp_path).get(page_key("1", "s"), "1") == _page(1)
    assert PageCache(None).get(page_key("1", "s"), "1") is None
    assert page_key("1", "s") != page_key("1", "other browser")


def test_cache_does_not_keep_failures_or_believe_damage(tmp_path: Path) -> None:
    cache = PageCache(tmp_path)
    for status in ("timeout", "render_error"):
        cache.put("ab" + status, _page(1, status))
        assert cache.get("ab" + status, "1") is None
    cache.put("cd1", _page(1))
    (tmp_path / "cd" / "cd1.json").write_text('{"status": "ok"')
    assert PageCache(tmp_path).get("cd1", "1") is None


def test_a_cache_that_cannot_be_written_costs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cache = PageCache(tmp_path / "file")
    cache.put("ab1", _page(1))
    assert cache.get("ab1", "1") == _page(1)
