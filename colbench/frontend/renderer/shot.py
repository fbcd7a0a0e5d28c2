"""One page in one fresh browser context: load, come to rest, measure, take the picture."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from colbench.errors import RendererError
from colbench.frontend import elements
from colbench.frontend.page import PageStatus
from colbench.frontend.renderer.answers import PAGE_ADDRESS, PageAnswers
from colbench.frontend.renderer.entry import can_be_written

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Page

__all__ = ["MAX_HEIGHT", "FreshPage", "Shot", "ShotOptions", "open_fresh_page", "take_shot"]

MAX_HEIGHT = 16_384
"""Pictures end here; more is cut and the status says so."""

_REST_ROUNDS = 40
_REST_PAUSE_S = 0.025


@dataclass(frozen=True)
class ShotOptions:
    """What all pages of a renderer have in common."""

    width: int
    height: int
    measure: bool
    cut: bool
    picture: Path | None
    write: bool = True


@dataclass
class FreshPage:
    """A context that no page has touched yet."""

    context: BrowserContext
    page: Page
    session: CDPSession
    scripts: bool
    answers: PageAnswers | None = None

    async def close(self) -> None:
        """Throw the context away; never raises."""
        with contextlib.suppress(Exception):
            await self.context.close()


@dataclass(frozen=True)
class Shot:
    """What came out of one page."""

    status: PageStatus
    png: bytes
    width: int
    height: int
    elements: tuple[elements.Element, ...]


async def open_fresh_page(browser: Browser, options: ShotOptions, scripts: bool) -> FreshPage:
    """Make a new context with its one page; nothing is loaded yet."""
    context = await browser.new_context(
        viewport={"width": options.width, "height": options.height},
        device_scale_factor=1,
        java_script_enabled=scripts,
        reduced_motion="reduce",
        color_scheme="light",
        accept_downloads=False,
        # The browser itself was started in UTC and English; only a script could ask again.
        timezone_id="UTC" if scripts else None,
        locale="en-US" if scripts else None,
        service_workers="block" if scripts else None,
    )
    page = await context.new_page()
    session = await context.new_cdp_session(page)
    fresh = FreshPage(context, page, session, scripts)

    async def handle(route, request):  # type: ignore[no-untyped-def]
        if fresh.answers is None:
            await route.abort()
        else:
            await fresh.answers.handle(route, request)

    await context.route("**/*", handle)
    page.on("dialog", lambda dialog: asyncio.ensure_future(_dismiss(dialog)))
    context.on("page", lambda other: asyncio.ensure_future(_close_other(page, other)))
    return fresh


async def _dismiss(dialog) -> None:  # type: ignore[no-untyped-def]
    with contextlib.suppress(Exception):
        await dialog.dismiss()


async def _close_other(page, other) -> None:  # type: ignore[no-untyped-def]
    if other is not page:
        with contextlib.suppress(Exception):
            await other.close()


async def take_shot(fresh: FreshPage, answers: PageAnswers, options: ShotOptions, cut_source: bool) -> Shot:
    """Render the page of `answers`.

    Args:
        fresh: an untouched context, made with the same `scripts`.
        answers: the page and its requests.
        options: see :class:`ShotOptions`.
        cut_source: whether the source had to be cut, which makes the status ``truncated``.

    Raises:
        RendererError: if this machine lacks something that the page needs.
        playwright.async_api.Error: if the browser or the page's process died.
    """
    fresh.answers = answers
    crashed = asyncio.get_running_loop().create_future()

    def on_crash(_: object) -> None:
        if not crashed.done():
            crashed.set_exception(RendererError("the page's process crashed"))

    fresh.page.on("crash", on_crash)
    work = asyncio.ensure_future(_shoot(fresh, answers, options, cut_source))
    try:
        await asyncio.wait({work, crashed}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            crashed.result()
        return await work
    finally:
        if not work.done():
            work.cancel()
        if crashed.done():
            crashed.exception()  # looked at, so that nobody complains that it never was
        else:
            crashed.cancel()


async def _shoot(fresh: FreshPage, answers: PageAnswers, options: ShotOptions, cut_source: bool) -> Shot:
    if not answers.scripts and options.write and can_be_written(answers.html):
        await fresh.page.set_content(answers.html, wait_until="load", timeout=0)
    else:
        await fresh.page.goto(PAGE_ADDRESS, wait_until="load", timeout=0)
    if answers.error is not None:
        raise answers.error
    if answers.scripts:
        await _wait_for_styles(fresh.page)
    arguments = [options.measure, elements.MAX_ELEMENTS, elements.MAX_NODES, elements.MAX_TEXT]
    for _ in range(_REST_ROUNDS):
        for frame in fresh.page.frames[1:]:
            # Only these hold a document at all; in a refused frame the call would wait for one for ever.
            if frame.url.startswith(("about:srcdoc", "data:")):
                with contextlib.suppress(Exception):
                    await frame.evaluate(elements.SETTLE_AND_MEASURE, [False, 0, 0, 0])
        measured = elements.parse(await fresh.page.evaluate(elements.SETTLE_AND_MEASURE, arguments))
        if not measured["loading"]:
            break
        await asyncio.sleep(_REST_PAUSE_S)
    if answers.error is not None:
        raise answers.error
    height = max(options.height, min(MAX_HEIGHT, measured["height"]))
    clip = {"x": 0, "y": 0, "width": options.width, "height": height, "scale": 1}
    taken = await fresh.session.send(
        "Page.captureScreenshot",
        {"format": "png", "captureBeyondViewport": True, "optimizeForSpeed": True, "clip": clip},
    )
    png = base64.b64decode(taken["data"])
    hidden = measured["height"] > MAX_HEIGHT or measured["width"] >= 2 * options.width
    status: PageStatus = "ok"
    if _is_uniform(png, options.width, height):
        status = "blank"
    elif hidden or measured["capped"] or cut_source:
        status = "truncated"
    elif answers.approximate:
        status = "approximate"
    return Shot(status, png, options.width, height, tuple(measured["elements"]))


# The script build compiles after it has loaded; it is done once its stylesheet stands and no longer changes.
_STYLE_SIZE = """() => {
  let size = 0;
  const sheets = Object.getOwnPropertyDescriptor(Document.prototype, "styleSheets").get.call(document);
  for (const sheet of sheets) {
    try { for (const rule of sheet.cssRules) size += rule.cssText.length; } catch { size += 1; }
  }
  return size;
}"""


async def _wait_for_styles(page: Page) -> None:
    before, same = -1, 0
    for _ in range(_REST_ROUNDS):
        size = await page.evaluate(_STYLE_SIZE)
        same = same + 1 if size == before else 0
        if same >= 2 and size > 0:
            return
        before = size
        await asyncio.sleep(_REST_PAUSE_S)


def _is_uniform(png: bytes, width: int, height: int) -> bool:
    """Whether the picture has one colour only; large files are not even looked at."""
    if len(png) > 4_096 + width * height // 64:
        return False
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        extrema = image.convert("RGB").getextrema()
    return all(low == high for low, high in extrema)  # type: ignore[misc]
