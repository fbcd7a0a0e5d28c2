"""How the scripted agents move, in the form from which their exact values are worked out.

Each agent here plays by one of these, and :func:`colbench.credit.exact_value` takes them; a test holds played games
against the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from colbench.credit import ANSWER, WASTE
from colbench.tasks.schema import Decision

__all__ = ["ExplorerPolicy", "ImpatientPolicy", "InterviewerPolicy", "SilentPolicy"]


@dataclass(frozen=True)
class SilentPolicy:
    """Never asks and never answers."""

    def moves(
        self, decisions: Sequence[Decision], settled: frozenset[str], turn: int, turns_left: int
    ) -> Sequence[tuple[float, str]]:
        """Waste every turn."""
        return [(1.0, WASTE)]


@dataclass(frozen=True)
class ImpatientPolicy:
    """Answers at once."""

    def moves(
        self, decisions: Sequence[Decision], settled: frozenset[str], turn: int, turns_left: int
    ) -> Sequence[tuple[float, str]]:
        """Answer."""
        return [(1.0, ANSWER)]


@dataclass(frozen=True)
class InterviewerPolicy:
    """Asks about the unsettled decisions one by one, then answers.

    Attributes:
        topics: greatest number of questions; None for all.
        shuffled: whether the order is drawn anew in every episode (the value is then the mean over orders) or is
            the one in which the family declares its decisions.
    """

    topics: int | None = None
    shuffled: bool = False

    def moves(
        self, decisions: Sequence[Decision], settled: frozenset[str], turn: int, turns_left: int
    ) -> Sequence[tuple[float, str]]:
        """Ask about the next open decision, or answer when there is none, or no question left."""
        names = [d.name for d in decisions if not d.stated and d.name not in settled]
        if not names or turns_left <= 1 or (self.topics is not None and turn >= self.topics):
            return [(1.0, ANSWER)]
        return [(1.0 / len(names), name) for name in names] if self.shuffled else [(1.0, names[0])]


@dataclass(frozen=True)
class ExplorerPolicy:
    """Asks at random, also about what is stated, settled or beside the point.

    Attributes:
        answer: chance of answering at each turn before the last, at which it always answers.
        idle: chance that a question is beside the point.
    """

    answer: float = 0.15
    idle: float = 0.15

    def moves(
        self, decisions: Sequence[Decision], settled: frozenset[str], turn: int, turns_left: int
    ) -> Sequence[tuple[float, str]]:
        """Answer, waste the turn, or ask about any decision, each as likely as the others."""
        if turns_left <= 1:
            return [(1.0, ANSWER)]
        asks = (1.0 - self.answer) * (1.0 - self.idle)
        idle = (1.0 - self.answer) * self.idle
        return [(self.answer, ANSWER), (idle, WASTE), *((asks / len(decisions), d.name) for d in decisions)]
