"""How much of everything a run may use at once and for how long, held at one gate that every slow call passes.

An agent's server, a collaborator's server, sandboxes and browsers bear different loads, so each has a bound of its own.
Time limits count the seconds spent inside calls, not those spent waiting for a place at the gate: a bound that is set
low must make a run slower, never make its episodes fail.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

from colbench.budget import Spending
from colbench.errors import ConfigurationError, TimeLimitError

__all__ = ["EpisodeGate", "Limits", "RunGate", "Work"]

Work = Literal["agent", "collaborator", "grading", "rendering"]
_T = TypeVar("_T")
_CALLS = {
    "agent": "the agent's message",
    "collaborator": "the collaborator's reply",
    "grading": "the verdict",
    "rendering": "a page to be rendered",
}


@dataclass(frozen=True)
class Limits:
    """Bounds of a run; None stands for no bound. They change no result, so they are not part of the configuration.

    Attributes:
        agent_concurrency: messages of the agent asked for at once.
        collaborator_concurrency: replies of the collaborator asked for at once.
        grading_concurrency: answers graded at once.
        rendering_concurrency: pages rendered at once.
        call_seconds: longest single call.
        turn_seconds: longest turn: the message, its page, and the reply or the verdict.
        episode_seconds: longest episode.
        run_seconds: longest run; what is open then is recorded as failed and run again on resume.
        batch_size: most observations given to an agent's ``act_batch`` at once.
        batch_wait: seconds to wait for more observations before a batch that is not full is given.
    """

    agent_concurrency: int | None = None
    collaborator_concurrency: int | None = None
    grading_concurrency: int | None = None
    rendering_concurrency: int | None = None
    call_seconds: float | None = None
    turn_seconds: float | None = None
    episode_seconds: float | None = None
    run_seconds: float | None = None
    batch_size: int = 64
    batch_wait: float = 0.02

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value is None and each.name not in ("batch_size", "batch_wait"):
                continue
            whole = each.name.endswith(("concurrency", "size"))
            kind = int if whole else (int, float)
            low = 1 if whole else 0
            bad = isinstance(value, bool) or not isinstance(value, kind) or value < low
            if bad or (value == 0 and each.name != "batch_wait"):
                need = "a whole number of at least 1" if whole else "a positive number of seconds"
                raise ConfigurationError(f"{each.name} must be {need}, actually: {value!r}")


class RunGate:
    """The places and the clock of one run; belongs to the loop it is made in.

    Args:
        limits: the bounds.
        spending: what the run costs.
    """

    def __init__(self, limits: Limits, spending: Spending) -> None:
        self.limits = limits
        self.spending = spending
        self.started = time.monotonic()
        self._places: dict[Work, Any] = {}
        kinds: tuple[Work, ...] = ("agent", "collaborator", "grading", "rendering")
        for kind in kinds:
            bound = getattr(limits, f"{kind}_concurrency")
            self._places[kind] = nullcontext() if bound is None else asyncio.Semaphore(bound)

    @property
    def seconds_left(self) -> float | None:
        """Until the end of the run; None where there is none."""
        if self.limits.run_seconds is None:
            return None
        return self.limits.run_seconds - (time.monotonic() - self.started)

    @property
    def stopped(self) -> str | None:
        """Why no further episode may start, as a sentence; None while one may."""
        left = self.seconds_left
        if left is not None and left <= 0:
            return f"the time limit of {self.limits.run_seconds:g} s is over"
        return self.spending.stopped

    @property
    def may_change(self) -> bool:
        """Whether a stop may yet prove wrong: open episodes may leave more of the budget than expected."""
        if self.stopped is None or self.spending.exhausted is not None or not self.spending.open_episodes:
            return False
        return self.seconds_left is None or self.seconds_left > 0

    def place(self, kind: Work) -> Any:
        """What to hold while a call of this kind is under way."""
        return self._places[kind]


class EpisodeGate:
    """What one episode calls through; counts its seconds and its spending.

    Args:
        run: the gate of the run.
        episode: the key under which its spending is counted.

    Attributes:
        seconds: how long the last call took.
    """

    def __init__(self, run: RunGate, episode: Any) -> None:
        self.run = run
        self.episode = episode
        self.seconds = 0.0
        self._turn = 0.0
        self._whole = 0.0

    def next_turn(self) -> None:
        """A new turn begins."""
        self._turn = 0.0

    async def call(self, kind: Work, function: Callable[..., Awaitable[_T]], *args: Any) -> _T:
        """Make a call within the bounds.

        Raises:
            TimeLimitError: naming the limit and what was waited for.
            BudgetError: when the budget is spent; a verdict costs nothing and is still given.
        """
        async with self.run.place(kind):
            if kind in ("agent", "collaborator"):
                self.run.spending.check()
            limit, name = self._limit()
            if limit is not None and limit <= 0:
                raise self._late(kind, name)
            started = time.monotonic()
            try:
                if limit is None:
                    result = await function(*args)
                else:
                    async with asyncio.timeout(limit) as watch:
                        result = await function(*args)
            except TimeoutError:
                # Only our own clock; a time-out inside the call is the call's affair.
                if limit is not None and watch.expired():
                    raise self._late(kind, name) from None
                raise
            except Exception as problem:
                self._spend(getattr(problem, "usage", None))
                raise
            finally:
                self.seconds = time.monotonic() - started
                self._turn += self.seconds
                self._whole += self.seconds
        self._spend(getattr(result, "usage", None))
        return result

    def _spend(self, usage: Any) -> None:
        if usage is not None:
            self.run.spending.add(usage, self.episode)

    def _limit(self) -> tuple[float | None, str]:
        limits = self.run.limits
        found: list[tuple[float, str]] = []
        if limits.call_seconds is not None:
            found.append((limits.call_seconds, f"limit of {limits.call_seconds:g} s for a call"))
        if limits.turn_seconds is not None:
            found.append((limits.turn_seconds - self._turn, f"limit of {limits.turn_seconds:g} s for a turn"))
        if limits.episode_seconds is not None:
            found.append(
                (limits.episode_seconds - self._whole, f"limit of {limits.episode_seconds:g} s for an episode")
            )
        left = self.run.seconds_left
        if left is not None:
            found.append((left, f"limit of {limits.run_seconds:g} s for the run"))
        return min(found, default=(None, ""))

    @staticmethod
    def _late(kind: Work, name: str) -> TimeLimitError:
        return TimeLimitError(f"the {name} was over while waiting for {_CALLS[kind]}")
