"""What a run may cost, and when it has to stop: tokens and money, counted call by call.

A run that stops when the last episode is paid for has overdrawn by everything that was open. So an episode starts only
if what the open ones will probably still need leaves enough for it; and when the budget is spent all the same, no
further model is asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from colbench.errors import BudgetError, ConfigurationError
from colbench.usage import Usage

__all__ = ["Budget", "Spending"]


@dataclass(frozen=True)
class Budget:
    """The cap of a run, over all its starts; None stands for no cap. It is not part of the configuration.

    Attributes:
        tokens: prompt and completion tokens of agent and collaborator together.
        cost: money, in the currency of the price file.
    """

    tokens: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("tokens", "cost"):
            value = getattr(self, name)
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf
            ):
                raise ConfigurationError(f"the budget of {name} must be a positive number, actually: {value!r}")


class Spending:
    """What has been spent, against a budget.

    Args:
        budget: the cap.
        before: what earlier starts of the same run have spent.
        episodes: on how many records; they tell what an episode takes.
    """

    def __init__(self, budget: Budget | None = None, before: Usage | None = None, episodes: int = 0) -> None:
        self.budget = budget or Budget()
        self.total = before or Usage()
        self._open: dict[Any, Usage] = {}
        self._finished = self.total
        self._episodes = episodes

    def add(self, usage: Any, episode: Any = None) -> None:
        """Count one call.

        Args:
            usage: :class:`Usage` or anything with its attributes.
            episode: key of an open episode.

        Raises:
            ConfigurationError: there is a budget of money, and a model has no price.
        """
        used = Usage(usage.calls, usage.prompt_tokens, usage.completion_tokens, usage.reasoning_tokens, usage.cost)
        self.total += used
        if episode in self._open:
            self._open[episode] += used
        if self.budget.cost is not None and used.calls and used.cost is None:
            raise ConfigurationError(
                "a budget of money was given, but a model in this run has no price; add it to the price file, or give "
                "a budget of tokens"
            )

    def open(self, episode: Any) -> None:
        """An episode begins."""
        self._open[episode] = Usage()

    def close(self, episode: Any) -> None:
        """An episode has ended."""
        used = self._open.pop(episode, None)
        if used is not None:
            self._finished += used
            self._episodes += 1

    def check(self) -> None:
        """Refuse a call to a model once the budget is spent.

        Raises:
            BudgetError: naming the budget.
        """
        spent = self._spent()
        if spent is not None:
            raise BudgetError(spent)

    @property
    def exhausted(self) -> str | None:
        """That the budget is spent, as a sentence; None while it is not."""
        return self._spent()

    @property
    def open_episodes(self) -> int:
        """How many episodes are under way."""
        return len(self._open)

    @property
    def stopped(self) -> str | None:
        """Why no further episode may start now, as a sentence; None while one may.

        While episodes are open this can change: one that ends early leaves more than was expected.
        """
        spent = self._spent()
        if spent is not None:
            return spent
        for name, cap, used in self._caps():
            if not self._episodes:
                continue
            mean = _amount(self._finished, name) / self._episodes
            needed = mean + sum(max(0.0, mean - _amount(each, name)) for each in self._open.values())
            if mean and used + needed > cap:
                return (
                    f"the budget of {_shown(cap, name)} does not reach for another episode: {_shown(used, name)} are "
                    f"spent, an episode takes about {_shown(mean, name)}"
                )
        return None

    def _spent(self) -> str | None:
        for name, cap, used in self._caps():
            if used >= cap:
                return f"the budget of {_shown(cap, name)} is spent ({_shown(used, name)})"
        return None

    def _caps(self) -> list[tuple[str, float, float]]:
        caps = [(name, getattr(self.budget, name)) for name in ("tokens", "cost")]
        return [(name, cap, _amount(self.total, name)) for name, cap in caps if cap is not None]


def _amount(usage: Usage, name: str) -> float:
    return float(usage.prompt_tokens + usage.completion_tokens) if name == "tokens" else usage.cost or 0.0


def _shown(amount: float, name: str) -> str:
    return f"{amount:,.0f} tokens" if name == "tokens" else f"{amount:,.4g} in money"
