"""The same page gives the same picture, whatever way it takes, and nothing leaves the machine."""

from __future__ import annotations

import dataclasses
import io

import numpy as np
import psutil
import pytest
from PIL import Image
from rendering_support import (
    TAILWIND,
    Listener,
    browser_missing,
    listener,
    needs_assets,
    picture,
    renderer,
    tailwind_page,
    texts,
)

from colbench.errors import RendererError
from colbench.frontend.page import RenderedPage
from colbench.frontend.renderer import Renderer, shared_renderer, tailwind
from colbench.frontend.renderer import answers as answers_module
from colbench.frontend.renderer.entry import can_be_written

__all__ = ["listener", "renderer"]

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def _browser() -> None:
    reason = browser_missing()
    if reason:
        pytest.skip(reason)


# ---- the same bytes --------------------------------------------------------------------------------------------------


@needs_assets("tailwind-2")
def test_pictures_are_equal_over_repeats_browsers_and_concurrency(renderer: Renderer) -> None:
    pages = [tailwind_page(seed) for seed in range(5)]
    first, second = list(renderer.render_many(pages)), list(renderer.render_many(reversed(pages)))[::-1]
    with Renderer(workers=3) as many:
        third = list(many.render_many(pages))
    for a, b, c in zip(first, second, third, strict=True):
        assert a.status == "ok"
        assert a.png == b.png == c.png
        assert a.elements == b.elements == c.elements
    assert len({page.png_hash for page in first}) == len(pages)


@needs_assets("tailwind-2")
def test_isolation_does_not_show(renderer: Renderer) -> None:
    pages = [tailwind_page(seed) for seed in range(3)]
    open_air = shared_renderer(workers=1, isolate=False)
    assert "intercepted" in open_air.versions["isolation"]
    for html in pages:
        assert open_air.render(html).png == renderer.render(html).png


@needs_assets("tailwind-2")
@pytest.mark.parametrize("count", [6, pytest.param(40, marks=pytest.mark.slow)])
def test_the_cut_stylesheet_gives_the_same_pixels(renderer: Renderer, count: int) -> None:
    # Classes of every kind, variants included; among them all that position, space and colour.
    known = sorted(tailwind._pinned().known)
    whole = shared_renderer(workers=1, cut_stylesheet=False, timeout_s=60)
    for seed in range(count):
        html = tailwind_page(seed, known if seed % 2 else None)
        assert can_be_written(html)
        cut, full = renderer.render(html), whole.render(html)
        assert cut.png == full.png, seed
        assert cut.elements == full.elements


@needs_assets("tailwind-2")
def test_written_pages_look_like_pages_with_an_address(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [
        tailwind_page(1),
        "<p>No doctype: <a href='#x'>link</a> <a href='/relative'>other</a></p><table border><tr><td>cell</table>",
        "<!doctype html><noscript><p>Scripts are off</p></noscript><script>document.write('on')</script><p>End",
        f"{TAILWIND}<div class='P-4 BG-red-500'>Names in capitals, quirks</div>",
        "<title>x</title><h1>Ünï🙂</h1>\r\n<pre>a\r\n b</pre>&amp;&copy;<form><input name=children><select><option>1",
    ]
    assert all(can_be_written(html) for html in pages)
    with Renderer() as other:
        shot = dataclasses.replace(other._settings.shot, write=False)
        other._settings = dataclasses.replace(other._settings, shot=shot)
        for html in pages:
            written, visited = renderer.render(html), other.render(html)
            assert written.png == visited.png, html
            assert written.elements == visited.elements
            assert written.status == visited.status == "ok"


@pytest.mark.parametrize(
    ("html", "written"),
    [
        (f"{TAILWIND}<img src='https://picsum.photos/9'><a href='/about'>a</a>", True),
        ("<style>p{background:url(https://a.b/c)}</style><p>", True),
        ("<div style=\"background-image: url('https://a.b/c')\">", True),
        ("<img src='data:image/png;base64,AA'>", True),
        ("<img src=x.png>", False),
        ("<img src='//a.b/x.png'>", False),
        ("<img srcset='x.png 2x'>", False),
        ("<style>p{background:url(x.png)}</style>", False),
        ("<style>@import 'x.css'</style>", False),
        ("<link rel=stylesheet href=style.css>", False),
        ("<link href='https://a.b/c' rel=stylesheet>", True),
        ("<meta http-equiv=refresh content=0>", False),
        ("<base href='https://a.b/'>", False),
        ("<iframe></iframe>", False),
        ("<video src='https://a.b/v.mp4'>", False),
        ("<img src='file:///etc/passwd'>", False),
        ("<svg><image href='x.png'/></svg>", False),
        ("<svg><use href='#a'/></svg>", True),
        ("<body background=x.png>", False),
    ],
)
def test_which_pages_can_be_written(html: str, written: bool) -> None:
    assert can_be_written(html) is written


# ---- nothing leaves --------------------------------------------------------------------------------------------------


def _hostile(where: str) -> str:
    return f"""
      <link rel="preconnect" href="{where}"><link rel="dns-prefetch" href="//evil.example">
      <link rel="prefetch" href="{where}/prefetch"><link rel="preload" as="image" href="{where}/preload">
      <link rel="icon" href="{where}/icon"><link rel="manifest" href="{where}/manifest">
      <link rel="stylesheet" href="{where}/sheet.css"><link rel="modulepreload" href="{where}/module.js">
      <iframe src="{where}/frame"></iframe><object data="{where}/object"></object><embed src="{where}/embed">
      <iframe srcdoc="<img src='{where}/inner.png'>"></iframe>
      <a href="{where}" ping="{where}/ping">a</a><form action="{where}/form"><button autofocus>x</button></form>
      <style>@import "{where}/import.css"; body {{ background: url({where}/background) }}
        @font-face {{ font-family: F; src: url({where}/font) }} p {{ font-family: F }}</style>
      <video src="{where}/video" poster="{where}/poster"></video><audio src="{where}/audio" autoplay></audio>
      <svg width="10" height="10"><use href="{where}/use.svg#a"/><image href="{where}/image"/></svg>
      <img src="{where}/picture.png" srcset="{where}/double.png 2x"><img loading="lazy" src="{where}/lazy.png">
      <script src="{where}/script.js"></script><script>fetch("{where}/fetch"); new WebSocket("ws://" + "x")</script>
      <meta http-equiv="refresh" content="0;url={where}/refresh"><p>Own words</p>
    """


@pytest.mark.parametrize("isolate", ["auto", False])
@pytest.mark.parametrize("script_build", ["", '<script src="https://unpkg.com/@tailwindcss/browser@4"></script>'])
@needs_assets("tailwind-4")
def test_no_connection_leaves_the_browser(listener: Listener, isolate: object, script_build: str) -> None:
    own = shared_renderer(workers=1, isolate=isolate)
    own.render("<p>Hi</p>")
    page = own.render(script_build + _hostile(listener.address))
    remote = []
    for process in psutil.Process().children(recursive=True):
        try:
            connections = process.net_connections(kind="inet")
        except psutil.Error:
            continue
        remote += [connection for connection in connections if connection.raddr]
    assert page.png is not None
    assert "Own words" in texts(page)
    assert page.status == "approximate"  # its own stylesheet was refused
    assert listener.connections == 0
    assert remote == []
    expected = {"sheet.css", "picture.png", "frame", "poster", "lazy.png", "refresh"}
    assert expected <= {address.rpartition("/")[2] for address in page.blocked}


# ---- status ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("html", [None, "", "  \n\t"])
def test_no_html(renderer: Renderer, html: str | None) -> None:
    page = renderer.render(html)
    assert (page.status, page.png, page.elements) == ("no_html", None, ())
    assert page.versions["renderer"]


@pytest.mark.parametrize("html", ["<html></html>", "<body style='background:navy'></body>", "<p style='opacity:0'>x"])
def test_blank(renderer: Renderer, html: str) -> None:
    page = renderer.render(html)
    assert page.status == "blank"
    assert picture(page).shape == (720, 1280, 3)


def test_a_source_that_is_too_long_is_cut_and_says_so() -> None:
    own = shared_renderer(workers=1, max_html_bytes=1_000)
    page = own.render("<p>Hi</p>" + "ü" * 2_000)
    assert page.status == "truncated"
    assert page.png is not None
    assert own.render("<p>Hi</p>").status == "ok"


@needs_assets("tailwind-2")
@pytest.mark.parametrize(
    ("head", "status"),
    [
        ('<link rel="stylesheet" href="https://unpkg.com/tailwindcss@^2/dist/tailwind.min.css">', "ok"),
        ('<link rel="stylesheet" href="//cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css">', "ok"),
        (
            '<link rel="stylesheet" href="https://cdnjs.cloudflare.com/ajax/libs/tailwindcss/2.2.19/tailwind.min.css">',
            "ok",
        ),
        ('<link rel="stylesheet" href="https://unpkg.com/tailwindcss@1.9.6/dist/tailwind.min.css">', "approximate"),
        (
            '<link rel="stylesheet" href="https://cdn.jsdelivr.net/npm/bootstrap@5/dist/css/bootstrap.css">',
            "approximate",
        ),
        ('<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter">', "ok"),
    ],
)
def test_stylesheets(renderer: Renderer, head: str, status: str) -> None:
    page = renderer.render(f'{head}<div class="bg-red-500 text-white p-4">Hi</div>')
    assert page.status == status
    background = page.elements[1]["background"]
    assert background == ([239, 68, 68, 1] if "tailwind" in head else [0, 0, 0, 0])


@needs_assets("tailwind-4")
def test_script_builds_of_tailwind(renderer: Renderer) -> None:
    body = '<h1 class="bg-[#123456] p-[13px] text-white font-bold border">Hello</h1>'
    four = renderer.render(f'<!doctype html><script src="https://unpkg.com/@tailwindcss/browser@4"></script>{body}')
    assert four.status == "ok"
    heading = four.elements[1]
    assert heading["background"] == [18, 52, 86, 1]
    assert heading["border_sides"] == "trbl"
    three = renderer.render(f'<!doctype html><script src="https://cdn.tailwindcss.com"></script>{body}')
    assert three.status in ("approximate", "ok")  # ok where the user supplied the 3.x build
    assert three.elements[1]["background"] == [18, 52, 86, 1]
    assert three.elements[1]["border_color"] == [229, 231, 235, 1]


def test_a_missing_asset_names_the_command(renderer: Renderer, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path))
    monkeypatch.setattr(tailwind, "_pinned", lambda: answers_module.find_asset("tailwind-2"))
    tailwind._cut.cache_clear()
    with pytest.raises(RendererError, match="colbench assets install"):
        renderer.render(f'{TAILWIND}<p class="p-4">Hi</p>')
    with pytest.raises(RendererError, match="colbench assets install"):
        renderer.render('<script src="https://unpkg.com/@tailwindcss/browser@4"></script><p>Hi</p>')
    assert renderer.render("<p>Pages that need nothing still render</p>").status == "ok"


# ---- pictures --------------------------------------------------------------------------------------------------------


def test_pictures_of_picsum_have_their_size(renderer: Renderer) -> None:
    page = renderer.render(
        '<img src="https://picsum.photos/id/48/300/200"><img src="https://picsum.photos/id/48/900-estate">'
        '<img src="https://picsum.photos/120"><div style="width:50px;height:50px;'
        "background:url('https://picsum.photos/id/48/50/50')\"></div>"
    )
    assert page.status == "ok"
    assert page.blocked == ()
    sizes = [(e["natural_width"], e["natural_height"]) for e in page.elements if e["role"] == "image"]
    assert sizes == [(300, 200), (900, 900), (120, 120)]
    box = page.elements[-1]
    assert box["background_kind"] == "picture"


def test_a_file_of_the_users_takes_the_place_of_pictures(tmp_path) -> None:
    path = tmp_path / "own.png"
    Image.new("RGB", (64, 48), (10, 200, 30)).save(path)
    own = shared_renderer(workers=1, picture=path)
    page = own.render('<body style="margin:0"><img src="https://picsum.photos/id/48/100/80">')
    assert np.abs(picture(page)[:80, :100].astype(int) - (10, 200, 30)).max() < 12
    assert (picture(page)[90:, 110:] == 255).all()


# ---- references ------------------------------------------------------------------------------------------------------


def test_references_are_rendered_once(tmp_path) -> None:
    html = "<h1>Reference</h1>"
    with Renderer(cache_dir=tmp_path) as own:
        first = own.reference(html)
        assert own.reference(html) is first
    with Renderer(cache_dir=tmp_path) as again:
        again.render = None  # type: ignore[assignment,method-assign]
        kept = again.reference(html)
        assert kept == first
    png = next(tmp_path.rglob("*.png"))
    png.write_bytes(png.read_bytes()[:-100])
    with Renderer(cache_dir=tmp_path) as third:
        assert third.reference(html).png == first.png  # the damaged file is not believed
    with Renderer(cache_dir=tmp_path, viewport=(640, 480)) as other:
        assert other.reference(html).width == 640


def test_the_picture_is_rgb_and_as_large_as_it_says(renderer: Renderer) -> None:
    page: RenderedPage = renderer.render("<div style='height:1000px;width:3000px;background:teal'>x</div>")
    assert page.png is not None
    with Image.open(io.BytesIO(page.png)) as image:
        assert image.mode == "RGB"
        assert image.size == (page.width, page.height) == (1280, 1016)


def test_heights_of_the_window_are_not_those_of_the_picture(renderer: Renderer) -> None:
    page = renderer.render(
        "<!doctype html><body style='margin:0'><div style='height:100vh;background:blue'></div>"
        "<div style='height:100vh;background:red'></div><div style='position:fixed;bottom:0;height:20px;width:100%;"
        "background:black'></div>"
    )
    assert page.height == 1440
    shown = picture(page)
    assert shown[690, 600].tolist() == [0, 0, 255]
    assert shown[1430, 600].tolist() == [255, 0, 0]
    bar = page.elements[-1]
    assert bar["fixed"]
    assert shown[int(bar["y"]) + 10, 600].tolist() == [0, 0, 0]  # measured where it is drawn
