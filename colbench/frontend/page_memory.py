"""Pages rendered a moment ago, or being rendered right now.

Agents show the same page again when they answer, and a group of episodes asks for one reference at the same moment.
The same source gives the same picture, so nothing is lost by drawing it once. Failures are not remembered: a page that
timed out on a busy machine deserves another look.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import Future

from colbench.frontend.page import RenderedPage

__all__ = ["PageMemory"]


class PageMemory:
    """The last few rendered pages by their source; may be used from several threads and event loops.

    Args:
        size: pages kept, newest use last out.
    """

    def __init__(self, size: int = 64) -> None:
        self.size = size
        self._pages: OrderedDict[str, Future[RenderedPage | None]] = OrderedDict()
        self._lock = threading.Lock()

    async def page(self, html: str, render: Callable[[str], Awaitable[RenderedPage]]) -> RenderedPage:
        """The page with this source: remembered, or waited for, or rendered now.

        Args:
            html: the source.
            render: renders it; what it raises is raised here.
        """
        while True:
            with self._lock:
                known = self._pages.get(html)
                if known is None:
                    mine = self._pages[html] = Future()
                self._pages.move_to_end(html)
                while len(self._pages) > self.size:
                    self._pages.popitem(last=False)
            if known is None:
                return await self._render(html, render, mine)
            # Shielded: a caller that gives up must not cancel the others.
            page = await asyncio.shield(asyncio.wrap_future(known))
            if page is not None:
                return page
            # Whoever rendered it met a failure; this caller tries for itself.

    async def _render(
        self, html: str, render: Callable[[str], Awaitable[RenderedPage]], mine: Future[RenderedPage | None]
    ) -> RenderedPage:
        page: RenderedPage | None = None
        try:
            page = await render(html)
            return page
        finally:
            kept = page if page is not None and page.png is not None else None
            if kept is None:
                with self._lock:
                    if self._pages.get(html) is mine:
                        del self._pages[html]
            mine.set_result(kept)
