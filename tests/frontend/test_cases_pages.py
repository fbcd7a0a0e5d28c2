"""Pages that break renderers: every one gets a status, and the run goes on.

The numbers are those of the list of cases that the suite was built against.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PIL import Image
from rendering_support import (
    Listener,
    browser_missing,
    data_image,
    listener,
    needs_assets,
    picture,
    renderer,
    tailwind_page,
    texts,
)

from colbench.frontend.page import RenderedPage
from colbench.frontend.renderer import Renderer, shared_renderer

__all__ = ["listener", "renderer"]

pytestmark = pytest.mark.browser


def same_twice(renderer: Renderer, html: str) -> RenderedPage:
    first, second = renderer.render(html), renderer.render(html)
    assert first.png == second.png
    assert first.elements == second.elements
    return first


# ---- 55, 56: what counts as a page -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "html",
    [
        "<HTML><BODY>Hi</BODY></HTML>",
        "<div class=p-4>Hi</div>",
        "<html><body><p>Hi</p></body>",
        "<!DOCTYPE html><html><body>Hi</body></html>",
    ],
)
def test_55_loose_pages_render(renderer: Renderer, html: str) -> None:
    page = renderer.render(html)
    assert page.status == "ok"
    assert texts(page) == ["Hi"]
    assert (page.width, page.height) == (1280, 720)


def test_56_one_line_with_breaks_loses_nothing(renderer: Renderer) -> None:
    page = renderer.render("<html><body><p>One<br/>Two<br/>Three</p></body></html>")
    assert texts(page) == ["One Two Three"]


# ---- 58, 59, 78: addresses that must not be reached ------------------------------------------------------------------


def test_58_remote_font_is_refused(renderer: Renderer, listener: Listener) -> None:
    html = f"<style>@font-face{{font-family:X;src:url({listener.address}/x.woff2)}}p{{font-family:X}}</style><p>Hi</p>"
    page = same_twice(renderer, html)
    assert page.status == "ok"
    assert page.blocked == (f"{listener.address}/x.woff2",)
    assert page.seconds < 15
    assert listener.connections == 0


def test_59_images_that_never_answer(renderer: Renderer, listener: Listener) -> None:
    html = "".join(f'<img src="{listener.address}/{n}.png" alt="picture {n}">' for n in range(20)) + "<p>Hi</p>"
    page = same_twice(renderer, html)
    assert page.status == "ok"
    assert page.blocked == tuple(sorted(f"{listener.address}/{n}.png" for n in range(20)))
    assert "Hi" in texts(page)
    assert listener.connections == 0


def test_78_local_files_are_never_loaded(renderer: Renderer) -> None:
    html = (
        '<p>Own</p><iframe src="file:///etc/passwd"></iframe><img src="file:///etc/passwd">'
        '<link rel="stylesheet" href="file:///etc/passwd"><a href="file:///etc/passwd">link</a>'
        '<object data="file:///etc/passwd"></object><embed src="file:///etc/passwd">'
    )
    page = same_twice(renderer, html)
    assert page.status in ("ok", "approximate")
    assert "Own" in texts(page)
    assert "file:///etc/passwd" in page.blocked
    assert not any("root:" in element["text"] + element["label"] for element in page.elements)
    frame = next(element for element in page.elements if element["tag"] == "iframe")
    x, y, w, h = (int(frame[side]) for side in "xywh")
    # Nothing is written in the frame: it is one colour inside its border.
    assert len(np.unique(picture(page)[y + 4 : y + h - 4, x + 4 : x + w - 4].reshape(-1, 3), axis=0)) == 1


# ---- 60, 77: pages that would take the machine -----------------------------------------------------------------------


def test_60_a_script_that_fills_memory_does_not_run(renderer: Renderer) -> None:
    page = same_twice(renderer, "<p>Own</p><script>let a=[];while(true)a.push(new Array(1e6).fill(1))</script>")
    assert page.status == "ok"
    assert texts(page) == ["Own"]


def _picture_bomb() -> str:
    """Each level draws the one before ten times: 10^8 rectangles."""
    levels = "".join(
        f'<g id="a{n}">' + "".join(f'<use href="#a{n - 1}" x="{k}"/>' for k in range(10)) + "</g>" for n in range(1, 9)
    )
    first = '<g id="a0"><rect width=9 height=9 /></g>'
    return f'<p>Hi</p><svg width=500 height=500><defs>{first}{levels}</defs><use href="#a8"/></svg>'


def test_60_an_outer_limit_ends_the_browser_and_the_others_are_unharmed() -> None:
    reason = browser_missing()
    if reason:
        pytest.skip(reason)
    good = "<h1>Good page</h1>"
    with Renderer(timeout_s=4) as own:
        before = own.render(good)
        pages = list(own.render_many([good, _picture_bomb(), good]))
        assert [page.status for page in pages] in (["ok", "timeout", "ok"], ["ok", "render_error", "ok"])
        assert pages[1].png is None
        assert pages[1].versions["failure"]
        assert pages[0].png == pages[2].png == before.png


@pytest.mark.parametrize(
    ("html", "statuses"),
    [
        ("<table><tr>" + "<td style='min-width:200px'>x</td>" * 100 + "</table>", {"truncated"}),
        ("<div>" + "<p>x</p>" * 60_000 + "</div>", {"truncated", "timeout"}),
        ("<div>" * 60_000 + "x", {"truncated", "timeout", "render_error"}),
        (
            "<p>Hi</p>"
            + "<div style='position:fixed;inset:0;filter:blur(400px);backdrop-filter:blur(400px)'>x</div>" * 60,
            {"ok", "timeout", "render_error"},
        ),
    ],
    ids=["20,000 px wide", "60,000 nodes", "60,000 nodes deep", "60 layers of blur"],
)
def test_77_heavy_pages_have_a_status_and_the_run_goes_on(html: str, statuses: set[str]) -> None:
    reason = browser_missing()
    if reason:
        pytest.skip(reason)
    own = shared_renderer(workers=1, timeout_s=4)
    page = own.render(html)
    assert page.status in statuses
    if page.png is not None:
        assert page.width == 1280
        assert page.height <= 16_384
    after = own.render("<p>Hi</p>")
    assert after.status == "ok"


# ---- 62, 63: size ----------------------------------------------------------------------------------------------------


def test_62_a_large_data_image_is_there(renderer: Renderer) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (900, 900, 3), dtype=np.uint8)
    page = same_twice(renderer, f'<body style="margin:0"><img src="{data_image(Image.fromarray(noise))}">')
    assert page.status == "ok"
    assert np.array_equal(picture(page)[:900, :900], noise)


def test_63_tall_pages_are_clipped_alike(renderer: Renderer) -> None:
    html = '<body style="margin:0"><div style="height:{}px;background:linear-gradient(red,blue)">Hi</div>'
    tall, taller = renderer.render(html.format(200_000)), renderer.render(html.format(300_000))
    for page in (tall, taller):
        assert page.status == "truncated"
        assert (page.width, page.height) == (1280, 16_384)
        assert picture(page).shape == (16_384, 1280, 3)


# ---- 66: many at once ------------------------------------------------------------------------------------------------


@needs_assets("tailwind-2")
def test_66_sixty_four_at_once_share_a_bounded_number_of_browsers() -> None:
    import psutil

    reason = browser_missing()
    if reason:
        pytest.skip(reason)
    pages: list[RenderedPage | None] = [None] * 64
    browsers: list[int] = []

    def reset(number: int) -> None:
        own = shared_renderer(workers=2, timeout_s=60)
        pages[number] = own.render(tailwind_page(number % 4))

    def roots() -> int:
        """Chromium's main processes below this one that belong to the renderer of this test."""
        count = 0
        for process in psutil.Process().children(recursive=True):
            try:
                words = process.cmdline()
            except psutil.Error:
                continue
            if words and "/chrom" in words[0] and "crashpad" not in words[0] and "--type=" not in " ".join(words):
                count += 1
        return count

    before = roots()
    threads = [threading.Thread(target=reset, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(0.5)
        browsers.append(roots() - before)
    for thread in threads:
        thread.join()
    assert max(browsers) <= 2
    assert all(page is not None and page.status == "ok" for page in pages)
    assert len({page.png_hash for page in pages if page is not None}) == 4


# ---- 75, 76: pages that move -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "extra",
    [
        '<meta http-equiv="refresh" content="0;url=http://example.com/x">',
        '<meta http-equiv="refresh" content="0">',
        '<meta http-equiv="refresh" content="0;url=about:blank">',
        '<meta http-equiv="refresh" content="0;url=data:text/html,other">',
        '<script>location = "http://example.com/"</script>',
        '<script>window.open("http://example.com/"); alert(1); confirm(2); prompt(3)</script>',
        "<body onload=\"location='http://example.com/'\">",
        '<script src="https://unpkg.com/@tailwindcss/browser@4"></script><script>location="/x";alert(1)</script>',
        '<script src="https://unpkg.com/@tailwindcss/browser@4"></script><meta http-equiv="refresh" content=0>',
    ],
)
@needs_assets("tailwind-4")
def test_75_the_pages_own_content_is_captured(renderer: Renderer, extra: str) -> None:
    page = same_twice(renderer, f"{extra}<p>Own</p>")
    assert page.status == "ok"
    assert texts(page) == ["Own"]


def test_76_everything_that_moves_stands_still_and_is_complete(renderer: Renderer) -> None:
    frames = [Image.new("RGB", (40, 40), color) for color in ("red", "lime", "blue")]
    gif = data_image(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=30, loop=0)
    html = f"""
      <style>
        @keyframes move {{ from {{ left: 0 }} to {{ left: 900px }} }}
        @keyframes appear {{ from {{ opacity: 0 }} to {{ opacity: 1 }} }}
        .mover {{ position: relative; width: 40px; height: 40px; background: red; animation: move 1s infinite }}
        .late {{ opacity: 0; animation: appear 3s 2s forwards }}
      </style>
      <div class="mover"></div><div class="late">Faded in</div><marquee>Running text</marquee>
      <svg width="200" height="50"><rect width="10" height="10"><animate attributeName="x" from="0" to="190" dur="1s"
        repeatCount="indefinite"/></rect></svg>
      <img src="{gif}"><input autofocus><progress></progress><video controls src="v.mp4"></video>
      <iframe srcdoc="<style>@keyframes m{{to{{margin-left:99px}}}}p{{animation:m 1s infinite}}</style><p>x"></iframe>
      <div style="height:3000px"></div>
      <img id="below" loading="lazy" width="200" height="100" src="https://picsum.photos/200/100">
    """
    page = same_twice(renderer, html)
    assert page.status == "ok"
    assert {"Faded in", "Running text"} <= set(texts(page))
    below = [element for element in page.elements if element["tag"] == "img"][-1]
    assert (below["natural_width"], below["natural_height"]) == (200, 100)
    shown = picture(page)[
        int(below["y"]) : int(below["y"] + below["h"]), int(below["x"]) : int(below["x"] + below["w"])
    ]
    assert shown.std() > 10  # the picture, not an empty frame


# ---- 64: endurance ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_assets("tailwind-2")
def test_64_three_hundred_renders_one_in_twenty_hostile() -> None:
    import psutil

    reason = browser_missing()
    if reason:
        pytest.skip(reason)
    hostile = [
        _picture_bomb(),
        "<div>" * 60_000 + "x",
        '<iframe src="chrome://crash"></iframe><meta http-equiv="refresh" content="0;url=chrome://crash"><p>x</p>',
        "<div>" + "<p>x</p>" * 60_000 + "</div>",
        "<p>Hi</p><script>while(true);</script>",
    ]
    me = psutil.Process()

    def held() -> int:
        return sum(process.memory_info().rss for process in [me, *me.children(recursive=True)])

    def zombies() -> int:
        return sum(process.status() == psutil.STATUS_ZOMBIE for process in me.children(recursive=True))

    with Renderer(timeout_s=6) as own:
        reference = {n: own.render(tailwind_page(n)).png_hash for n in range(5)}
        memory: list[int] = []
        for number in range(300):
            if number % 20 == 10:
                bad = own.render(hostile[number // 20 % len(hostile)])
                assert bad.status in ("ok", "truncated", "timeout", "render_error")
            else:
                page = own.render(tailwind_page(number % 5))
                assert page.status == "ok", (number, page.status, page.versions)
                assert page.png_hash == reference[number % 5]
            if number % 20 == 19:
                memory.append(held())
        assert zombies() == 0
    early, late = np.median(memory[2:6]), np.median(memory[-4:])
    assert late < 1.25 * early, [round(value / 2**20) for value in memory]


@needs_assets("tailwind-2")
def test_pages_of_the_users_own_file(tmp_path) -> None:
    """All pages of a task file render, twice the same, and the same four at a time: COLBENCH_REAL_PAGES=FILE.jsonl."""
    import json
    import os
    from pathlib import Path

    path = os.environ.get("COLBENCH_REAL_PAGES")
    reason = browser_missing()
    if not path or reason:
        pytest.skip(reason or "COLBENCH_REAL_PAGES names no file")
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    pages = [json.loads(line)["ground_truth"] for line in lines if line.strip()]
    with Renderer(cache_dir=tmp_path, timeout_s=60) as one:
        first, second = list(one.render_many(pages)), list(one.render_many(pages))
    with Renderer(cache_dir=tmp_path, workers=4, timeout_s=60) as four:
        at_once = list(four.render_many(pages))
    assert [page.status for page in first] == ["ok"] * len(pages)
    for a, b, c in zip(first, second, at_once, strict=True):
        assert a.png == b.png == c.png
        assert a.elements == b.elements == c.elements
