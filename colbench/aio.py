"""One background event loop per process, so that synchronous environments can use asynchronous parts.

``gymnasium`` is synchronous, collaborators and graders are not. A loop in a thread of its own works in scripts, in
notebooks and inside a caller's running loop, and is never shared with a forked child.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["background_loop", "in_thread", "run_sync"]

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


async def in_thread(function: Callable[..., _T], *args: Any) -> _T:
    """Call a blocking function in a thread of its own and wait for the result.

    Unlike the loop's own pool there is no bound of a few threads, so hundreds of blocking clients can wait at once, and
    a call that never returns neither fills the pool nor holds the process at its end. Giving up on it leaves the thread
    to itself: a thread cannot be stopped.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_T] = loop.create_future()

    def settle(setter: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            setter(value)

    def work() -> None:
        try:
            outcome: tuple[Callable[[Any], None], Any] = (future.set_result, function(*args))
        except BaseException as problem:
            # A StopIteration cannot be set on a future.
            wrapped = RuntimeError(f"{problem!r}") if isinstance(problem, StopIteration) else problem
            outcome = (future.set_exception, wrapped)
        try:
            loop.call_soon_threadsafe(settle, *outcome)
        except RuntimeError:
            # The loop has been closed: nobody waits any more.
            return

    threading.Thread(target=contextvars.copy_context().run, args=(work,), name="colbench-call", daemon=True).start()
    return await future
