"""One browser and the pages that go through it, one at a time.

While a page is being rendered the context for the next one is already being made; that hides most of what a fresh
context per page costs. A page that outlives the wall clock, fills the memory or crashes takes its browser with it,
and only itself: the next page gets a new browser.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from colbench.errors import ColBenchError, RendererError
from colbench.frontend.page import PageStatus
from colbench.frontend.renderer import isolation, watch
from colbench.frontend.renderer.answers import PageAnswers
from colbench.frontend.renderer.browser import browser_flags
from colbench.frontend.renderer.shot import FreshPage, Shot, ShotOptions, open_fresh_page, take_shot

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

__all__ = ["BrowserSettings", "LaunchMode", "PageFailed", "Worker", "launch"]

LAUNCH_TIMEOUT_S = 60.0
_CONTEXT_TIMEOUT_S = 20.0
_WATCH_PAUSE_S = 0.25


@dataclass(frozen=True)
class LaunchMode:
    """One way of starting the browser: inside bubblewrap or not, with the browser's own sandbox or not."""

    isolated: bool
    sandbox: bool


@dataclass(frozen=True)
class BrowserSettings:
    """What a worker needs to start and to bound its browser."""

    program: Path
    mode: LaunchMode
    timeout_s: float
    max_memory: int


class PageFailed(Exception):
    """A page could not be rendered; `status` says how it ended, `reason` in words."""

    def __init__(self, status: PageStatus, reason: str) -> None:
        self.status = status
        self.reason = reason
        super().__init__(reason)


async def launch(playwright: Playwright, program: Path, mode: LaunchMode) -> tuple[Browser, isolation.Box]:
    """Start a browser in its box.

    Raises:
        playwright.async_api.Error: if it does not start.
    """
    box = isolation.make_box(program, mode.isolated)
    temporary = tempfile.gettempdir()
    environment: dict[str, str | float | bool] = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        # Another home: fonts and settings of the user would change the pictures.
        "HOME": temporary if mode.isolated else str(box.folder),
        "TMPDIR": temporary,
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "COLBENCH_BOX": str(box.folder),
    }
    try:
        browser = await playwright.chromium.launch(
            executable_path=box.script,
            args=browser_flags(),
            chromium_sandbox=mode.sandbox,
            env=environment,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=LAUNCH_TIMEOUT_S * 1000,
        )
    except BaseException:
        box.kill()
        box.remove()
        raise
    return browser, box


class Worker:
    """Owns one browser; used from the renderer's own event loop only."""

    def __init__(self, playwright: Callable[[], Any], settings: BrowserSettings, options: ShotOptions) -> None:
        self._playwright = playwright
        self.settings = settings
        self._options = options
        self._browser: Browser | None = None
        self._box: isolation.Box | None = None
        self._spare: asyncio.Task[FreshPage] | None = None
        self._spare_scripts = False
        self._closing: set[asyncio.Task[None]] = set()
        self.restarts = 0

    async def adopt(self, browser: Browser, box: isolation.Box) -> None:
        """Take over a browser that is running already."""
        self._browser, self._box = browser, box

    async def shot(self, answers: PageAnswers, cut_source: bool, patience: float = 0.0) -> Shot:
        """Render one page within the time-out of the settings, or `patience` seconds if that is more.

        Raises:
            PageFailed: if the page (or the browser under it) did not survive; the browser is gone then.
            RendererError: if no browser can be started or something is missing on this machine.
        """
        fresh = await self._fresh(answers.scripts)
        work = asyncio.ensure_future(take_shot(fresh, answers, self._options, cut_source))
        self._prepare_spare(answers.scripts)
        try:
            end, reason = await self._guard(work, max(self.settings.timeout_s, patience))
        except BaseException:
            work.cancel()
            await self.kill()
            raise
        if end == "done":
            error = work.exception()
            if error is None:
                self._close_later(fresh)
                return work.result()
            if isinstance(error, ColBenchError) and answers.error is error:
                self._close_later(fresh)
                raise error
            await self.kill()
            raise PageFailed("render_error", _first_line(error)) from error
        work.cancel()
        await self.kill()
        raise PageFailed("timeout" if end == "timeout" else "render_error", reason)

    async def _guard(
        self, work: asyncio.Task[Shot], seconds: float
    ) -> tuple[Literal["done", "timeout", "memory"], str]:
        """Wait for the page under the outer wall clock, with an eye on the memory."""
        limit = time.monotonic() + seconds
        while True:
            left = limit - time.monotonic()
            if left <= 0:
                return "timeout", f"not done after {seconds:g} s"
            await asyncio.wait({work}, timeout=min(left, _WATCH_PAUSE_S))
            if work.done():
                return "done", ""
            pid = self._box.pid if self._box else None
            held = await asyncio.to_thread(watch.tree_memory, pid) if pid else None
            if held is not None and held > self.settings.max_memory and not work.done():
                return "memory", f"the page made the browser hold {held / 2**20:.0f} MiB"

    async def _fresh(self, scripts: bool) -> FreshPage:
        for attempt in range(2):
            spare, self._spare = self._spare, None
            try:
                if spare is not None and self._spare_scripts == scripts and self._connected():
                    return await asyncio.wait_for(spare, _CONTEXT_TIMEOUT_S)
                if spare is not None:
                    self._drop(spare)
                browser = await self._running()
                return await asyncio.wait_for(open_fresh_page(browser, self._options, scripts), _CONTEXT_TIMEOUT_S)
            except RendererError:
                raise
            except Exception as error:
                await self.kill()
                if attempt:
                    raise RendererError(f"the browser gives no new page: {_first_line(error)}") from error
        raise AssertionError("unreachable")

    def _connected(self) -> bool:
        return self._browser is not None and self._browser.is_connected()

    async def _running(self) -> Browser:
        if self._browser is not None and self._browser.is_connected():
            return self._browser
        await self.kill()
        try:
            self._browser, self._box = await launch(await self._playwright(), self.settings.program, self.settings.mode)
        except Exception as error:
            raise RendererError(f"the browser {self.settings.program} does not start: {_first_line(error)}") from error
        self.restarts += 1
        return self._browser

    def _prepare_spare(self, scripts: bool) -> None:
        if self._browser is None or self._spare is not None:
            return
        self._spare_scripts = scripts
        self._spare = asyncio.ensure_future(open_fresh_page(self._browser, self._options, scripts))
        self._spare.add_done_callback(_look_at)

    def _drop(self, spare: asyncio.Task[FreshPage]) -> None:
        async def drop() -> None:
            with contextlib.suppress(Exception):
                await (await spare).close()

        self._later(drop())

    def _close_later(self, fresh: FreshPage) -> None:
        self._later(fresh.close())

    def _later(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def kill(self) -> None:
        """End the browser at once, whatever state it is in; the next page starts another."""
        browser, box, spare = self._browser, self._box, self._spare
        self._browser = self._box = self._spare = None
        if spare is not None:
            spare.cancel()
        if box is not None:
            box.kill()
        if browser is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(browser.close(), 10.0)
        if box is not None:
            box.remove()

    async def close(self) -> None:
        """End the browser in order, and by force where it does not listen."""
        if self._spare is not None:
            self._spare.cancel()
            self._spare = None
        if self._closing:
            await asyncio.wait(set(self._closing), timeout=5.0)
        if self._browser is not None and self._browser.is_connected():
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._browser.close(), 5.0)
        await self.kill()


def _look_at(task: asyncio.Task[Any]) -> None:
    """A spare that failed is found out when it is used; without this asyncio would complain as well."""
    if not task.cancelled():
        task.exception()


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
