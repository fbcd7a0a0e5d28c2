"""Two entries of one board, task by task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from colbench.errors import ConfigurationError
from colbench.statistics import Interval, PairedComparison, bootstrap_interval, paired_comparison
from leaderboard.entries import Entry
from leaderboard.rows import EpisodeRow

__all__ = ["EntryComparison", "Line", "compare_entries", "per_task", "win_rate"]


@dataclass(frozen=True)
class Line:
    """One figure of both entries; differences are second minus first."""

    what: str
    first: float
    second: float
    paired: PairedComparison


@dataclass(frozen=True)
class EntryComparison:
    """Two entries of one board.

    Attributes:
        first: name of the first.
        second: name of the second.
        tasks: number of tasks.
        lines: figures.
        win_rate: of the second against the first (pages).
    """

    first: str
    second: str
    tasks: int
    lines: list[Line]
    win_rate: Interval | None

    def to_json(self) -> dict[str, Any]:
        """JSON object."""
        return asdict(self)


def per_task(rows: Sequence[EpisodeRow], value: Callable[[EpisodeRow], float]) -> dict[str, float]:
    """Mean over the episodes of each task."""
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        found[row.task_id].append(value(row))
    return {task: float(np.mean(values)) for task, values in found.items()}


def win_rate(rows: Sequence[EpisodeRow], reference: Sequence[EpisodeRow]) -> Interval:
    """How often pages are closer to the reference page than those of another entry, ties counting half.

    Where tasks were played several times, every pair of episodes of a task counts, and the tasks count equally.
    """
    theirs: dict[str, list[float]] = defaultdict(list)
    for row in reference:
        theirs[row.task_id].append(row.score)
    ours: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        ours[row.task_id].append(row.score)
    shared = sorted(set(ours) & set(theirs))
    return bootstrap_interval(
        [float(np.mean([(a > b) + 0.5 * (a == b) for a in ours[t] for b in theirs[t]])) for t in shared]
    )


def compare_entries(first: Entry, second: Entry) -> EntryComparison:
    """Compare two entries.

    Raises:
        ConfigurationError: they stand on different boards.
    """
    if first.board_key != second.board_key:
        raise ConfigurationError(
            f"entries of different boards cannot be compared: {first.folder} is on {first.record['board']['title']!r}, "
            f"{second.folder} on {second.record['board']['title']!r}"
        )
    figures: list[tuple[str, Callable[[EpisodeRow], float]]] = []
    backend = first.record["board"]["env"] == "backend"
    if backend:
        mode = first.record["board"]["grading"]
        other = "paper" if mode == "strict" else "strict"
        figures += [
            (f"success, {mode}", lambda r: float(bool(r.success))),
            ("calls passed", lambda r: r.score),
            (f"success, {other}", lambda r: float(bool(r.other_success))),
        ]
    else:
        figures.append((str(first.record["board"]["grading"]), lambda r: r.score))
    figures += [("questions", lambda r: float(r.questions)), ("tokens", lambda r: float(r.tokens))]
    lines = []
    tasks = 0
    for what, value in figures:
        a, b = per_task(first.rows, value), per_task(second.rows, value)
        shared = sorted(set(a) & set(b))
        tasks = len(shared)
        ours, theirs = np.array([a[t] for t in shared]), np.array([b[t] for t in shared])
        lines.append(Line(what, float(ours.mean()), float(theirs.mean()), paired_comparison(ours, theirs)))
    closer = None if backend else win_rate(second.rows, first.rows)
    return EntryComparison(first.submission.name, second.submission.name, tasks, lines, closer)
