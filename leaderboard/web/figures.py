"""The figures of a board: means with intervals, ranks, and who cannot be told apart, all from `colbench.statistics`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colbench.statistics import (
    Interval,
    RankRange,
    bootstrap_interval,
    clustered_interval,
    indistinct_groups,
    indistinct_pairs,
    pairwise_p_values,
    rank_ranges,
)
from leaderboard.entries import Entry
from leaderboard.rows import EpisodeRow

__all__ = ["BoardFigures", "EntryFigures", "board_figures", "entry_figures"]


@dataclass
class EntryFigures:
    """Figures of one entry; what is kept is small, so that hundreds of entries fit.

    Attributes:
        entry: the entry, without its rows.
        main: the figure that the table is ordered by: success in the board's mode, or the similarity.
        calls: mean fraction of calls passed (backend).
        other: success in the other mode (backend).
        questions: mean number of answered turns.
        tokens: mean tokens of the agent per episode; None where none were reported.
        cost: mean cost per episode; None where none was reported.
        domains: the main figure by domain.
        per_task: mean of the main figure of each task, in the order of the board.
        scores: score of each task and repeat, for win rates.
        success: whether the main figure is a share of successes.
    """

    entry: Entry
    main: Interval
    calls: Interval | None
    other: Interval | None
    questions: Interval
    tokens: float | None
    cost: float | None
    domains: list[tuple[str, Interval]]
    per_task: NDArray[np.float64]
    scores: NDArray[np.float64]
    success: bool
    win: Interval | None = None
    rank: RankRange = field(default_factory=lambda: RankRange(1, 1, 1))
    alike: list[int] = field(default_factory=list)


@dataclass
class BoardFigures:
    """One table.

    Attributes:
        facts: what its entries have in common, from their records.
        address: name of its page, without an ending.
        entries: best first.
        groups: stretches of the ranking that nothing separates, as places in ``entries``.
        reference: entry that pages are compared with (frontend).
    """

    facts: dict[str, Any]
    address: str
    entries: list[EntryFigures]
    groups: list[list[int]]
    reference: EntryFigures | None = None

    @property
    def backend(self) -> bool:
        """Whether it is about functions."""
        return bool(self.facts["env"] == "backend")


def entry_figures(entry: Entry, rows: list[EpisodeRow]) -> EntryFigures:
    """Figures of one entry."""
    backend = entry.record["board"]["env"] == "backend"
    tasks = list(dict.fromkeys(row.task_id for row in rows))
    place = {task: i for i, task in enumerate(tasks)}
    repeats = 1 + max(row.repeat for row in rows)
    scores = np.zeros((len(tasks), repeats))
    main = np.zeros_like(scores)
    for row in rows:
        scores[place[row.task_id], row.repeat] = row.score
        main[place[row.task_id], row.repeat] = float(bool(row.success)) if backend else row.score
    names = [row.task_id for row in rows]

    def mean(values: list[float], of: list[str] | None = None, proportion: bool = False) -> Interval:
        return clustered_interval(values, of or names, proportion=proportion)

    by_domain: dict[str, list[EpisodeRow]] = defaultdict(list)
    for row in rows:
        by_domain[row.domain or "(none)"].append(row)
    value = (lambda r: float(bool(r.success))) if backend else (lambda r: r.score)
    tokens = [row.tokens for row in rows if row.tokens]
    costs = [row.cost for row in rows if row.cost is not None]
    return EntryFigures(
        entry=entry,
        main=mean([value(row) for row in rows], proportion=backend),
        calls=mean([row.score for row in rows]) if backend else None,
        other=mean([float(bool(row.other_success)) for row in rows], proportion=True) if backend else None,
        questions=mean([float(row.questions) for row in rows]),
        tokens=float(np.mean(tokens)) if tokens else None,
        cost=float(np.mean(costs)) if costs else None,
        domains=[
            (name, mean([value(r) for r in found], [r.task_id for r in found], backend))
            for name, found in sorted(by_domain.items())
        ],
        per_task=main.mean(axis=1),
        scores=scores,
        success=backend,
    )


def board_figures(
    entries: list[EntryFigures], address: str, reference: str | None = None, seed: int = 0
) -> BoardFigures:
    """The table of entries with one key.

    Args:
        entries: in any order.
        address: name of its page.
        reference: folder's name of the entry that pages are compared with; the first in the table by default.
        seed: fixes the resamples.
    """
    ordered = sorted(entries, key=lambda e: (-e.main.estimate, e.entry.slug))
    values = np.stack([e.per_task for e in ordered])
    for figures, rank in zip(ordered, rank_ranges(values, seed=seed), strict=True):
        figures.rank = rank
    alike = indistinct_pairs(pairwise_p_values(values, seed=seed))
    for i, figures in enumerate(ordered):
        figures.alike = [j for j in range(len(ordered)) if j != i and alike[i, j]]
    board = BoardFigures(
        facts=ordered[0].entry.record["board"],
        address=address,
        entries=ordered,
        groups=indistinct_groups(alike, list(range(len(ordered)))),
    )
    if not board.backend:
        board.reference = next((e for e in ordered if e.entry.slug == reference), ordered[0])
        for figures in ordered:
            figures.win = _win(figures, board.reference)
    return board


def _win(ours: EntryFigures, reference: EntryFigures) -> Interval:
    """As :func:`leaderboard.comparing.win_rate`, on the arrays that were kept."""
    a, b = ours.scores[:, :, None], reference.scores[:, None, :]
    return bootstrap_interval(((a > b) + 0.5 * (a == b)).mean(axis=(1, 2)))
