"""The SDK's clients behind one chat client: several small pools of connections in place of a large one.

A pool looks at all its connections whenever a request begins or ends, and closes what it holds idle beyond a hundred.
With hundreds of requests under way that costs more than the requests; pools of a few dozen do not notice.
"""

from __future__ import annotations

import asyncio
import functools
import ssl
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["Connections", "shared_certificates"]

_PER_POOL = 16


@functools.cache
def shared_certificates() -> ssl.SSLContext:
    """The system's certificates, read once; for servers without encryption, should one lead on to another with it."""
    return ssl.create_default_context()


@dataclass
class _Pool:
    sdk: Any
    busy: int = 0


class Connections:
    """Pools per event loop, since connections belong to the loop they were opened in.

    Args:
        make: makes a client of the SDK.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._pools: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, list[_Pool]] = weakref.WeakKeyDictionary()

    @contextmanager
    def use(self) -> Iterator[Any]:
        """A client of the SDK with room for one more request; the first pools are filled first."""
        pools = self._pools.setdefault(asyncio.get_running_loop(), [])
        pool = next((each for each in pools if each.busy < _PER_POOL), None)
        if pool is None:
            pool = _Pool(self._make())
            pools.append(pool)
        pool.busy += 1
        try:
            yield pool.sdk
        finally:
            pool.busy -= 1

    async def aclose(self) -> None:
        """Close the connections of the running loop; new ones are opened when they are needed."""
        for pool in self._pools.pop(asyncio.get_running_loop(), []):
            await pool.sdk.close()
