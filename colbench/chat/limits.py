"""How fast a client may go: requests at once, requests a minute, and how long to wait before trying again."""

from __future__ import annotations

import asyncio
import random
import weakref

__all__ = ["Pace", "wait_before_retry"]


class Pace:
    """Bounds on requests, kept per event loop, since an environment and a rollout may share one client.

    Args:
        concurrency: requests under way at once.
        per_minute: requests started a minute, evenly spread; None for no bound.
    """

    def __init__(self, concurrency: int, per_minute: float | None) -> None:
        self._concurrency = concurrency
        self._interval = 60.0 / per_minute if per_minute else 0.0
        self._slots: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]
        self._slots = weakref.WeakKeyDictionary()
        self._next: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, float] = weakref.WeakKeyDictionary()

    def slot(self) -> asyncio.Semaphore:
        """What to hold while a request is under way."""
        loop = asyncio.get_running_loop()
        slots = self._slots.get(loop)
        if slots is None:
            slots = self._slots[loop] = asyncio.Semaphore(self._concurrency)
        return slots

    async def turn(self) -> None:
        """Wait until another request may start."""
        if not self._interval:
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        start = max(now, self._next.get(loop, now))
        self._next[loop] = start + self._interval
        if start > now:
            await asyncio.sleep(start - now)


def wait_before_retry(
    attempt: int, asked: float | None, *, backoff: float, longest: float, rng: random.Random
) -> float:
    """Seconds to wait before retry number ``attempt`` (from 0).

    Doubling waits with jitter, so that many calls that failed together do not come back together; where the server
    asks for a time, at least that, within the bound.
    """
    ceiling = min(longest, backoff * 2**attempt)
    wait = ceiling * (0.5 + 0.5 * rng.random())
    if asked is not None:
        wait = max(wait, asked + 0.25 * backoff * rng.random())
    return min(wait, longest)
