"""One background event loop per process, so that synchronous environments can use asynchronous parts.

``gymnasium`` is synchronous, collaborators and graders are not. A loop in a thread of its own works in scripts, in
notebooks and inside a caller's running loop, and is never shared with a forked child.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["background_loop", "run_sync"]

_T = TypeVar("_T")
_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}


def background_loop() -> asyncio.AbstractEventLoop:
    """The loop of this process, started on first use."""
    with _lock:
        # Keyed by process: a fork copies this table, but not the thread that would run the loop.
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="colbench-loop", daemon=True).start()
            _loops[os.getpid()] = loop
        return loop


def run_sync(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine on the background loop and wait for it; an interrupt cancels it."""
    future = asyncio.run_coroutine_threadsafe(coroutine, background_loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise
