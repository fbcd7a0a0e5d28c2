"""What a run came to, in numbers with intervals; records are looked at one by one, so a run may be of any length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from colbench.records import usage_of
from colbench.statistics import Interval, clustered_interval
from colbench.trajectory import Trajectory
from colbench.usage import Usage

__all__ = ["Summary", "summarise"]


@dataclass(frozen=True)
class Summary:
    """Figures of one agent's run; failed episodes are counted and left out of every mean.

    Attributes:
        agent: its name.
        episodes: completed episodes.
        failed: failed episodes, by boundary.
        success: share of episodes with all calls passed; None for pages.
        score: mean fraction of calls passed, or mean similarity.
        questions: mean number of turns the collaborator answered.
        measure: what ``score`` is: ``calls passed`` or the similarity's name.
        grading: mode of grading (backend).
        isolation: level at which answers ran.
        leaks: replies that spoke of the reference's code.
        cut_replies: replies that were longer than allowed.
        usage: tokens and cost of agent and collaborator together.
        sees_reference: whether the agent was given training-time information.
        statuses: how often the last page had which status (frontend).
        stopped: why the run ended before every episode was played.
    """

    agent: str
    episodes: int
    failed: dict[str, int]
    success: Interval | None
    score: Interval
    questions: float
    measure: str
    grading: str | None
    isolation: str | None
    leaks: int
    cut_replies: int
    usage: Usage
    sees_reference: bool = False
    statuses: dict[str, int] = field(default_factory=dict)
    stopped: str | None = None
    reasons: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """JSON object."""
        return asdict(self)


class _Tally:
    """What is kept of the episodes: a few numbers each."""

    def __init__(self) -> None:
        self.failed: Counter[str] = Counter()
        self.reasons: dict[str, str] = {}
        self.clusters: list[str] = []
        self.scores: list[float] = []
        self.graded: list[str] = []
        self.successes: list[float] = []
        self.questions: list[int] = []
        self.facts: dict[str, Any] = {}
        self.leaks = 0
        self.cut = 0
        self.usage = Usage()
        self.pages: Counter[str] = Counter()

    def add(self, t: Trajectory) -> None:
        self.usage += sum(usage_of(t), Usage())
        if t.failure is not None:
            self.failed[t.failure.boundary] += 1
            self.reasons.setdefault(t.failure.boundary, f"{t.failure.type}: {t.failure.message}")
        if t.status != "completed":
            return
        self.clusters.append(t.task_id)
        self.scores.append(t.score or 0.0)
        self.questions.append(t.questions)
        if t.success is not None:
            self.graded.append(t.task_id)
            self.successes.append(float(bool(t.success)))
        for name in ("measure", "grading", "isolation"):
            if name not in self.facts and getattr(t, name):
                self.facts[name] = getattr(t, name)
        self.facts.setdefault("sees_reference", bool(t.agent.get("sees_reference")))
        replies = [turn.reply for turn in t.turns if turn.reply is not None]
        self.leaks += sum(reply.leak for reply in replies)
        self.cut += sum(reply.cut for reply in replies)
        shown = [turn.page.status for turn in t.turns if turn.page is not None]
        self.pages[shown[-1] if shown else "none"] += 1


def summarise(trajectories: Iterable[Trajectory], agent: str, stopped: str | None = None) -> Summary:
    """Summarise the episodes of one run; intervals resample whole tasks when a task was played several times.

    Args:
        trajectories: the last record of each episode; an iterator will do.
        agent: its name.
        stopped: why the run ended early.
    """
    tally = _Tally()
    for trajectory in trajectories:
        tally.add(trajectory)
    return Summary(
        agent=agent,
        episodes=len(tally.scores),
        failed=dict(tally.failed),
        reasons=tally.reasons,
        success=clustered_interval(tally.successes, tally.graded, proportion=True) if tally.graded else None,
        score=clustered_interval(tally.scores, tally.clusters, proportion=False),
        questions=float(np.mean(tally.questions)) if tally.questions else 0.0,
        measure=tally.facts.get("measure", "calls passed"),
        grading=tally.facts.get("grading"),
        isolation=tally.facts.get("isolation"),
        leaks=tally.leaks,
        cut_replies=tally.cut,
        usage=tally.usage,
        sees_reference=tally.facts.get("sees_reference", False),
        statuses=dict(tally.pages) if set(tally.pages) - {"none"} else {},
        stopped=stopped,
    )
