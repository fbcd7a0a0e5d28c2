"""The renderer as the rest of the suite sees it: a page goes in, a picture with measurements comes out."""

from __future__ import annotations

import asyncio
import math
import os
import threading
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Literal

from colbench.errors import ConfigurationError, RendererError
from colbench.frontend.assets import cache_root, has_asset
from colbench.frontend.page import RenderedPage
from colbench.frontend.renderer.cache import PageCache, page_key
from colbench.frontend.renderer.engine import RENDERER_VERSION, Engine, EngineSettings
from colbench.frontend.renderer.shot import ShotOptions

__all__ = ["RENDERER_VERSION", "Renderer", "close_all", "shared_renderer"]

MAX_WORKERS = 64


class Renderer:
    """Renders pages in Chromium, without a network, always the same way.

    It may be used from any thread, from a notebook, and inside a running event loop (:meth:`arender`). Browsers start
    with the first page and end with :meth:`close`, with the ``with`` block, with the object, or with the process,
    however that ends.

    Args:
        workers: number of browsers, 1 to 64, each with one page at a time.
        viewport: width and height of the window in pixels; a picture is as wide and at least as high.
        cache_dir: where :meth:`reference` keeps pages; default ``pages`` in the cache folder.
        timeout_s: wall clock for one page; a browser that takes longer is killed and replaced.
        max_html_bytes: longer sources are cut here, and the status is ``truncated``.
        max_memory_mb: memory that one browser may hold before it is killed (Linux only).
        isolate: True: in bubblewrap without a network, or an error; False: never; "auto": where it works.
        browser_path: the browser; default ``$COLBENCH_BROWSER``, Playwright's own, ``chromium`` on the PATH.
        measure: whether elements are listed.
        picture: a file to use for every picsum.photos picture instead of a drawn one.
        cut_stylesheet: whether pages get only the Tailwind rules that they can use (same picture, twice as fast).

    Raises:
        ConfigurationError: if an argument makes no sense.
    """

    def __init__(
        self,
        *,
        workers: int = 1,
        viewport: tuple[int, int] = (1280, 720),
        cache_dir: Path | str | None = None,
        timeout_s: float = 20.0,
        max_html_bytes: int = 4 * 2**20,
        max_memory_mb: int = 2_048,
        isolate: Literal["auto"] | bool = "auto",
        browser_path: str | os.PathLike[str] | None = None,
        measure: bool = True,
        picture: Path | str | None = None,
        cut_stylesheet: bool = True,
    ) -> None:
        if not (_is_whole(workers) and 1 <= workers <= MAX_WORKERS):
            raise ConfigurationError(f"workers={workers!r}: give a whole number of browsers, 1 to {MAX_WORKERS}")
        if isolate not in ("auto", True, False):
            raise ConfigurationError(f"isolate={isolate!r}: use 'auto', True or False")
        if not (isinstance(viewport, tuple | list) and len(viewport) == 2 and all(map(_is_whole, viewport))):
            raise ConfigurationError(f"viewport={viewport!r}: give width and height in whole pixels, like (1280, 720)")
        width, height = viewport
        if not (1 <= width <= 4_096 and 1 <= height <= 4_096):
            raise ConfigurationError(f"viewport={viewport}: each side must be 1 to 4096 pixels")
        number = isinstance(timeout_s, int | float) and not isinstance(timeout_s, bool)
        if not (number and math.isfinite(timeout_s) and timeout_s > 0):
            raise ConfigurationError(f"timeout_s={timeout_s!r}: give a positive number of seconds")
        for name, value in (("max_html_bytes", max_html_bytes), ("max_memory_mb", max_memory_mb)):
            if not (_is_whole(value) and value > 0):
                raise ConfigurationError(f"{name}={value!r}: give a positive whole number")
        if picture is not None and not Path(picture).is_file():
            raise ConfigurationError(f"picture={picture}: there is no such file")
        self.workers = workers
        self._settings = EngineSettings(
            workers=workers,
            timeout_s=timeout_s,
            max_html_bytes=max_html_bytes,
            max_memory=max_memory_mb * 2**20,
            isolate=isolate,
            browser_path=None if browser_path is None else os.fspath(browser_path),
            shot=ShotOptions(width, height, measure, cut_stylesheet, None if picture is None else Path(picture)),
        )
        self._cache = PageCache(cache_root() / "pages" if cache_dir is None else Path(cache_dir))
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._finalizer: weakref.finalize[..., Any] | None = None
        self._closed = False

    # ---- rendering --------------------------------------------------------------------------------------------------

    def render(self, html: str | None) -> RenderedPage:
        """Render one page and wait for it.

        Args:
            html: the source; None or blank gives status ``no_html`` and no picture.

        Raises:
            RendererError: if this machine cannot render, or lacks a file that the page needs. A page that is merely
                bad has a status instead.
        """
        return _result(self._submit(html))

    async def arender(self, html: str | None) -> RenderedPage:
        """Like :meth:`render`, without blocking the event loop that it is called from."""
        return await asyncio.wrap_future(self._submit(html))

    def render_many(self, pages: Iterable[str | None]) -> Iterator[RenderedPage]:
        """Render pages as they come, several at a time; results in the order of the pages.

        The iterable is read only a little ahead of the results, so it may be endless.
        """
        ahead = 2 * self.workers
        waiting: deque[Future[RenderedPage]] = deque()
        try:
            for html in pages:
                waiting.append(self._submit(html))
                if len(waiting) >= ahead:
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        finally:
            for future in waiting:
                future.cancel()

    def reference(self, html: str) -> RenderedPage:
        """Like :meth:`render`, but each source is rendered once and then kept, in memory and on disk."""
        key = self._key(html)
        page = self._cache.get(key, html)
        if page is None:
            page = self.render(html)
            self._cache.put(key, page)
        return page

    async def areference(self, html: str) -> RenderedPage:
        """Like :meth:`reference`, without blocking the event loop that it is called from."""
        return await asyncio.to_thread(self.reference, html)

    def _submit(self, html: str | None) -> Future[RenderedPage]:
        if html is not None and not isinstance(html, str):
            raise TypeError(f"a page is a str or None, not {type(html).__name__}")
        engine = self._running()
        return engine.submit(engine.page(html))

    def _key(self, html: str) -> str:
        versions = self.versions
        shot = self._settings.shot
        setting = [
            versions["renderer"],
            versions["browser"],
            versions["fonts"],
            f"{shot.width}x{shot.height}",
            str(shot.measure),
            str(self._settings.max_html_bytes),
            "own tailwind 3" if has_asset("tailwind-3") else "",
        ]
        if shot.picture is not None:
            setting.append(page_key("", shot.picture.read_bytes().hex()))
        return page_key(html, "\n".join(setting))

    # ---- life -------------------------------------------------------------------------------------------------------

    @property
    def versions(self) -> dict[str, str]:
        """What a picture depends on: renderer, browser, fonts; and how the browser is isolated. Starts the browser.

        Raises:
            RendererError: if no browser can be started.
        """
        engine = self._running()
        if not engine.versions:
            _result(engine.submit(engine.start()))
        return dict(engine.versions)

    def _running(self) -> Engine:
        with self._lock:
            if self._closed:
                raise RendererError("this renderer is closed")
            if self._engine is None or not self._engine.usable:  # after a fork the child starts its own
                self._engine = Engine(self._settings)
                self._finalizer = weakref.finalize(self, self._engine.shutdown)
            return self._engine

    def close(self) -> None:
        """End the browsers; the renderer cannot be used afterwards."""
        with self._lock:
            self._closed = True
            finalizer, self._finalizer = self._finalizer, None
        if finalizer is not None:
            finalizer()

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else "idle" if self._engine is None else "running"
        return f"Renderer(workers={self.workers}, {state})"


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _result(future: Future[Any]) -> Any:
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


_shared: dict[tuple[Any, ...], Renderer] = {}
_shared_lock = threading.Lock()


def shared_renderer(*, workers: int | None = None, **options: Any) -> Renderer:
    """The process's renderer for these options; everybody who asks with the same ones gets the same one.

    Sixty-four environments therefore share a few browsers. It ends with the process, or with :func:`close_all`.

    Args:
        workers: number of browsers; default: one per two processors, at least one and at most four.
        options: as for :class:`Renderer`.
    """
    count = workers if workers is not None else max(1, min(4, (os.cpu_count() or 2) // 2))
    key = (os.getpid(), count, *sorted((name, str(value)) for name, value in options.items()))
    with _shared_lock:
        renderer = _shared.get(key)
        if renderer is None or renderer._closed:
            renderer = _shared[key] = Renderer(workers=count, **options)
        return renderer


def close_all() -> None:
    """End every shared renderer."""
    with _shared_lock:
        renderers = list(_shared.values())
        _shared.clear()
    for renderer in renderers:
        renderer.close()
