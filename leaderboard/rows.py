"""One graded episode in a few numbers: what tables, plots and comparisons read instead of whole dialogues."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from colbench.errors import TaskDataError
from colbench.jsonl import read_lines, write_lines

__all__ = ["EpisodeRow", "read_rows", "write_rows"]


@dataclass(frozen=True)
class EpisodeRow:
    """What we found for one episode.

    Attributes:
        task_id: id in the board's tasks.
        repeat: number of the repetition.
        line: of the entry's file of dialogues; 0 where the episode is missing.
        score: fraction of calls passed in the board's mode, or the similarity.
        domain: of the task.
        success: all calls passed (backend).
        outcomes: state of each call in the board's mode (backend).
        other_score: fraction of calls passed in the other mode (backend).
        other_success: all calls passed in the other mode.
        questions: turns that the collaborator answered.
        turns: messages of the agent.
        tokens: of the agent, as it reported them; 0 where it did not.
        cost: in the currency of the submitter's price list; None where it was not reported.
        claimed: the score that was claimed.
        status: of the last page (frontend).
        pages: hash of the picture of each turn, "" where there was none (frontend).
        reference: hash of the reference's picture (frontend).
        missing: whether it was not submitted and counts as 0.
    """

    task_id: str
    repeat: int
    line: int
    score: float
    domain: str = ""
    success: bool | None = None
    outcomes: list[str] = field(default_factory=list)
    other_score: float | None = None
    other_success: bool | None = None
    questions: int = 0
    turns: int = 0
    tokens: int = 0
    cost: float | None = None
    claimed: float | None = None
    status: str | None = None
    pages: list[str] = field(default_factory=list)
    reference: str | None = None
    missing: bool = False

    def to_json(self) -> dict[str, Any]:
        """JSON object without what says nothing."""
        found = asdict(self).items()
        return {k: v for k, v in found if k == "success" or not (v is None or v is False or v == "" or v == [])}


def write_rows(path: Path, rows: list[EpisodeRow]) -> None:
    """Write the rows of an entry."""
    write_lines(path, (row.to_json() for row in rows))


def read_rows(path: Path) -> list[EpisodeRow]:
    """Read the rows of an entry.

    Raises:
        TaskDataError: naming file and line.
    """
    rows = []
    for number, record in read_lines(path):
        try:
            rows.append(EpisodeRow(**record))
        except TypeError as problem:
            raise TaskDataError(f"{path}:{number}: not a row of an entry ({problem})") from None
    return rows
