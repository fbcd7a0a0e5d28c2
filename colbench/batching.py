"""Calls of many episodes as few calls of a model: what waits while one batch is computed becomes the next batch.

A local model answers sixteen prompts at once almost as fast as one. Episodes know nothing of each other, so agents that
can answer several observations together say so with ``act_batch``, and the batching happens here.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from colbench.agents.base import AgentMessage, Observation
from colbench.aio import in_thread
from colbench.errors import AgentError

__all__ = ["Batcher", "batch_function"]


def batch_function(agent: Any) -> Callable[[Sequence[Observation]], Any] | None:
    """The agent's ``act_batch``, or None where it has none."""
    found = getattr(agent, "act_batch", None)
    return found if callable(found) else None


class Batcher:
    """Collects observations and hands them to ``act_batch``; belongs to the loop it is first used in.

    Args:
        act_batch: takes a list of observations, returns one message each in the same order; a coroutine function, or a
            plain function, which then runs in a thread.
        size: most observations of one batch.
        wait: seconds to wait for more before a batch that is not full is computed.
    """

    def __init__(
        self, act_batch: Callable[[Sequence[Observation]], Any], *, size: int = 64, wait: float = 0.02
    ) -> None:
        self._act_batch = act_batch
        self._size = size
        self._wait = wait
        self._waiting: list[tuple[Observation, asyncio.Future[AgentMessage]]] = []
        self._full = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def act(self, observation: Observation) -> AgentMessage:
        """The message for one observation, computed together with others.

        Raises:
            AgentError: ``act_batch`` returned something else than one message per observation.
        """
        future: asyncio.Future[AgentMessage] = asyncio.get_running_loop().create_future()
        self._waiting.append((observation, future))
        if len(self._waiting) >= self._size:
            self._full.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        while self._waiting:
            if len(self._waiting) < self._size and self._wait:
                self._full.clear()
                try:
                    async with asyncio.timeout(self._wait):
                        await self._full.wait()
                except TimeoutError:
                    pass
            batch, self._waiting = self._waiting[: self._size], self._waiting[self._size :]
            # Whoever gave up (a time limit) has left a finished future behind.
            batch = [(observation, future) for observation, future in batch if not future.done()]
            if batch:
                await self._answer(batch)

    async def _answer(self, batch: list[tuple[Observation, asyncio.Future[AgentMessage]]]) -> None:
        observations = [observation for observation, _ in batch]
        try:
            messages = await self._call(observations)
        except Exception as problem:
            # A batch fails as one; each episode books the failure by itself.
            for _, future in batch:
                if not future.done():
                    future.set_exception(problem)
            return
        for (_, future), message in zip(batch, messages, strict=True):
            if not future.done():
                future.set_result(message)

    async def _call(self, observations: list[Observation]) -> list[AgentMessage]:
        if inspect.iscoroutinefunction(self._act_batch):
            result = await self._act_batch(observations)
        else:
            result = await in_thread(self._act_batch, observations)
            if inspect.isawaitable(result):
                result = await result
        messages = [AgentMessage(each) if isinstance(each, str) else each for each in result]
        if len(messages) != len(observations) or not all(isinstance(each, AgentMessage) for each in messages):
            raise AgentError(
                f"act_batch() must return one AgentMessage per observation, actually: {len(messages)} for "
                f"{len(observations)}, of {', '.join(sorted({type(each).__name__ for each in messages}))}"
            )
        return messages
