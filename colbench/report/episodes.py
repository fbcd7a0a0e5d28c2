"""The few numbers that a report keeps of each episode, so that a run of any length is looked at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from colbench.records import usage_of
from colbench.trajectory import Trajectory
from colbench.usage import Usage

__all__ = ["EpisodeRow", "FailedEpisode", "row_of"]


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """One completed episode.

    Attributes:
        task_id: its task.
        task_hash: content hash of the task.
        repeat: number of the repetition.
        domain: of the task, or ``""``.
        score: fraction of calls passed, or the similarity.
        success: whether all calls passed; None for pages.
        questions: turns the collaborator answered.
        by_limit: whether the turn limit ended it.
        agent: tokens and cost of the agent.
        collaborator: tokens and cost of the collaborator.
        seconds: wall time.
    """

    task_id: str
    task_hash: str
    repeat: int
    domain: str
    score: float
    success: bool | None
    questions: int
    by_limit: bool
    agent: Usage
    collaborator: Usage
    seconds: float

    @property
    def tokens(self) -> int:
        """Tokens read and written by both."""
        return sum(u.prompt_tokens + u.completion_tokens for u in (self.agent, self.collaborator))


@dataclass(frozen=True, slots=True)
class FailedEpisode:
    """One episode that was not completed: which, and why."""

    task_id: str
    repeat: int
    boundary: str
    type: str
    message: str


def row_of(trajectory: Trajectory, domains: Mapping[str, str]) -> EpisodeRow:
    """The row of a completed episode."""
    agent, collaborator = usage_of(trajectory)
    return EpisodeRow(
        task_id=trajectory.task_id,
        task_hash=trajectory.task_hash,
        repeat=trajectory.repeat,
        domain=domains.get(trajectory.task_id, ""),
        score=float(trajectory.score or 0.0),
        success=trajectory.success,
        questions=trajectory.questions,
        by_limit=trajectory.ended_by == "turn_limit",
        agent=agent,
        collaborator=collaborator,
        seconds=trajectory.seconds,
    )
