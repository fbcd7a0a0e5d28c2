"""The part of the renderer that runs in its own thread: Playwright, the workers, and what to do when one fails.

Everything here happens on one private event loop, so that the renderer works in a notebook, inside a running event
loop and from many threads alike.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from colbench.errors import MissingExtraError, RendererError
from colbench.frontend.page import RenderedPage
from colbench.frontend.renderer import isolation, tailwind
from colbench.frontend.renderer.answers import PageAnswers
from colbench.frontend.renderer.browser import find_browser
from colbench.frontend.renderer.fonts import fonts_hash
from colbench.frontend.renderer.shot import ShotOptions
from colbench.frontend.renderer.worker import BrowserSettings, LaunchMode, PageFailed, Worker, launch

if TYPE_CHECKING:
    from playwright.async_api import Playwright

__all__ = ["RENDERER_VERSION", "Engine", "EngineSettings"]

RENDERER_VERSION = "1"
"""Goes up whenever the same page may give another picture or other measurements."""

_KNOWN_GOOD = "<!doctype html><title>ok</title><p>This page renders everywhere.</p>"
_PATIENCE_S = 60.0

_modes_that_work: dict[tuple[Path, object], tuple[LaunchMode, str]] = {}

T = TypeVar("T")


@dataclass(frozen=True)
class EngineSettings:
    """Everything that a renderer can be told; see :class:`colbench.frontend.renderer.Renderer`."""

    workers: int
    timeout_s: float
    max_html_bytes: int
    max_memory: int
    isolate: Literal["auto"] | bool
    browser_path: str | None
    shot: ShotOptions


class Engine:
    """Owns the thread, the event loop, Playwright and the workers."""

    def __init__(self, settings: EngineSettings) -> None:
        self.settings = settings
        self.versions: dict[str, str] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="colbench-renderer", daemon=True)
        self._pid = os.getpid()
        self._closed = False
        self._playwright: Playwright | None = None
        self._workers: list[Worker] = []
        self._idle: asyncio.LifoQueue[Worker] = asyncio.LifoQueue()
        self._starting: asyncio.Task[None] | None = None
        self._renewing = asyncio.Lock()
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    @property
    def usable(self) -> bool:
        """Whether it runs here: not closed, and not a copy in a forked process."""
        return not self._closed and self._pid == os.getpid()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the private loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    # ---- pages ------------------------------------------------------------------------------------------------------

    async def page(self, html: str | None) -> RenderedPage:
        """Render one page.

        Raises:
            RendererError: if this machine cannot render at all.
        """
        await self.start()
        if html is None or not html.strip():
            return RenderedPage(html=html or "", status="no_html", versions=dict(self.versions))
        began = time.monotonic()
        worker = await self._idle.get()
        try:
            return await self._page(worker, html, began)
        finally:
            self._idle.put_nowait(worker)

    async def _page(self, worker: Worker, html: str, began: float) -> RenderedPage:
        source, cut_source = _capped(html, self.settings.max_html_bytes)
        options = self.settings.shot
        scripts = tailwind.needs_script(source)
        failed: PageFailed | None = None
        blocked: set[str] = set()
        # A page that fails is tried again in a new browser, then a page that cannot fail: only if that one passes
        # is the failure the page's own.
        for attempt in range(2):
            answers = PageAnswers(source, scripts, options.cut, options.picture)
            try:
                shot = await worker.shot(answers, cut_source)
            except PageFailed as failure:
                failed = failure
                blocked |= answers.blocked
                if "MiB" in failure.reason and attempt == 0:
                    break  # what fills the memory once fills it twice
                continue
            return RenderedPage(
                html=html,
                status=shot.status,
                png=shot.png,
                width=shot.width,
                height=shot.height,
                elements=tuple(dict(element) for element in shot.elements),
                blocked=tuple(sorted(answers.blocked)),
                versions=dict(self.versions),
                seconds=time.monotonic() - began,
            )
        assert failed is not None
        try:
            await worker.shot(PageAnswers(_KNOWN_GOOD, False), False, patience=_PATIENCE_S)
        except PageFailed as failure:
            raise RendererError(f"not even a known-good page renders here: {failure.reason}") from failure
        return RenderedPage(
            html=html,
            status=failed.status,
            blocked=tuple(sorted(blocked)),
            versions={**self.versions, "failure": failed.reason},
            seconds=time.monotonic() - began,
        )

    # ---- start and end ----------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start the first browser, once; everybody who comes meanwhile waits for the same start."""
        if self._starting is None or (self._starting.done() and self._starting.exception() is not None):
            self._starting = asyncio.ensure_future(self._start())
        await asyncio.shield(self._starting)

    async def _start(self) -> None:
        playwright = await self._driver()
        program = find_browser(self.settings.browser_path, _own_browser(playwright))
        loading = asyncio.ensure_future(asyncio.to_thread(_warm))
        mode, why, browser, box = await self._first_launch(playwright, program)
        settings = BrowserSettings(program, mode, self.settings.timeout_s, self.settings.max_memory)
        self._workers = [Worker(self._driver, settings, self.settings.shot) for _ in range(self.settings.workers)]
        await self._workers[0].adopt(browser, box)
        for worker in reversed(self._workers):
            self._idle.put_nowait(worker)
        fonts = await asyncio.to_thread(fonts_hash)
        await loading
        self.versions = {
            "renderer": RENDERER_VERSION,
            "browser": f"chromium{' headless shell' if 'headless' in program.name else ''} {browser.version}",
            "fonts": fonts,
            "isolation": "bubblewrap without network" if mode.isolated else f"requests intercepted only ({why})",
            "browser_sandbox": "on" if mode.sandbox else "off",
        }
        if self.settings.shot.picture is not None:
            self.versions["picture"] = str(self.settings.shot.picture)

    async def _first_launch(self, playwright: Playwright, program: Path) -> tuple[LaunchMode, str, Any, Any]:
        known = _modes_that_work.get((program, self.settings.isolate))
        problem = None if known else await asyncio.to_thread(isolation.bubblewrap_problem, program)
        if self.settings.isolate is True and problem:
            raise RendererError(f"isolate=True, but the browser cannot be isolated here: {problem}")
        why = problem or "switched off"
        modes: list[LaunchMode] = []
        if known:
            modes = [known[0]]
            why = known[1]
        else:
            if self.settings.isolate is not False and not problem:
                modes += [LaunchMode(True, True), LaunchMode(True, False)]
            if self.settings.isolate is not True:
                # Chromium refuses its own sandbox to root.
                modes += [LaunchMode(False, True)] if os.getuid() else []
                modes += [LaunchMode(False, False)]
        errors: list[str] = []
        for mode in modes:
            try:
                browser, box = await launch(playwright, program, mode)
            except Exception as error:
                errors.append(_summary(error))
                if mode.isolated:
                    why = f"the browser does not start in bubblewrap: {errors[-1]}"
                continue
            _modes_that_work[(program, self.settings.isolate)] = (mode, why)
            return mode, why, browser, box
        raise RendererError(f"the browser {program} does not start: " + " | ".join(dict.fromkeys(errors)))

    async def _driver(self) -> Playwright:
        """Playwright, started anew if its driver has died (a Ctrl-C in the terminal reaches it too)."""
        try:
            from playwright.async_api import async_playwright
        except ImportError as error:
            raise MissingExtraError("rendering pages", "frontend") from error
        async with self._renewing:
            if self._playwright is not None and not await _alive(self._playwright):
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(self._playwright.stop(), 5.0)
                self._playwright = None
            if self._playwright is None:
                self._playwright = await async_playwright().start()
            return self._playwright

    async def _stop(self) -> None:
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()
            await asyncio.wait({self._starting}, timeout=10.0)
        for worker in self._workers:
            await worker.close()
        if self._playwright is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._playwright.stop(), 10.0)
        pending = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in pending:
            task.cancel()
        if pending:
            await asyncio.wait(pending, timeout=5.0)

    def shutdown(self) -> None:
        """End browsers, driver and thread; may be called twice, from any thread, and at exit."""
        if not self.usable:
            self._closed = True
            return
        self._closed = True
        stopping = self.submit(self._stop())
        if threading.current_thread() is self._thread:
            stopping.add_done_callback(lambda _: self._loop.call_soon_threadsafe(self._loop.stop))
            return
        with contextlib.suppress(Exception):
            stopping.result(timeout=40.0)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10.0)


def _capped(html: str, limit: int) -> tuple[str, bool]:
    data = html.encode("utf-8", "replace")
    if len(data) <= limit:
        return html, False
    return data[:limit].decode("utf-8", "ignore"), True


def _warm() -> None:
    """Split the stylesheet while the browser starts; without it installed the first page that needs it says so."""
    with contextlib.suppress(RendererError):
        tailwind.cut_stylesheet("")


def _own_browser(playwright: Playwright) -> str | None:
    try:
        return playwright.chromium.executable_path
    except Exception:
        return None


async def _alive(playwright: Playwright) -> bool:
    try:
        probe = await asyncio.wait_for(playwright.request.new_context(), 10.0)
        await probe.dispose()
    except Exception:
        return False
    return True


def _summary(error: Exception) -> str:
    """The browser's own words for why it did not start, which Playwright puts far down."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    for line in lines:
        if "FATAL" in line or "error while loading" in line or "bwrap:" in line or "No usable sandbox" in line:
            return line[:300]
    return lines[0][:300] if lines else type(error).__name__
