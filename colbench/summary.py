"""What a run came to, in numbers with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

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

    def to_json(self) -> dict[str, Any]:
        """JSON object."""
        return asdict(self)


def summarise(trajectories: Iterable[Trajectory], agent: str) -> Summary:
    """Summarise the episodes of one run; intervals resample whole tasks when a task was played several times."""
    episodes = list(trajectories)
    good = [t for t in episodes if t.status == "completed"]
    failed = Counter(t.failure.boundary for t in episodes if t.failure is not None)
    clusters = [t.task_id for t in good]
    graded = [t for t in good if t.success is not None]
    usage = Usage()
    for t in episodes:
        for turn in t.turns:
            for used in (turn.usage, turn.reply.usage if turn.reply else None):
                if used is not None:
                    usage += Usage(**used.model_dump())
    replies = [turn.reply for t in good for turn in t.turns if turn.reply is not None]
    pages = [[turn.page for turn in t.turns if turn.page is not None] for t in good]
    return Summary(
        agent=agent,
        episodes=len(good),
        failed=dict(failed),
        success=clustered_interval([float(bool(t.success)) for t in graded], clusters) if graded else None,
        score=clustered_interval([t.score or 0.0 for t in good], clusters),
        questions=float(np.mean([t.questions for t in good])) if good else 0.0,
        measure=next((t.measure for t in good if t.measure), "calls passed"),
        grading=next((t.grading for t in good if t.grading), None),
        isolation=next((t.isolation for t in good if t.isolation), None),
        leaks=sum(reply.leak for reply in replies),
        cut_replies=sum(reply.cut for reply in replies),
        usage=usage,
        sees_reference=bool(good and good[0].agent.get("sees_reference")),
        statuses=dict(Counter(p[-1].status if p else "none" for p in pages)) if any(pages) else {},
    )
