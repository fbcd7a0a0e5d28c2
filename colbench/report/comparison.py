"""Two runs on the same tasks, compared task by task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from colbench.errors import ConfigurationError
from colbench.report.episodes import EpisodeRow
from colbench.report.figures import RunFigures
from colbench.statistics import Interval, PairedComparison, bootstrap_interval, paired_comparison

__all__ = ["Comparison", "compare"]

# Where it came from, which the other differences explain.
_SAYS_NOTHING = ("regraded_from", "task_set", "tasks")


@dataclass(frozen=True)
class Comparison:
    """A run against a reference run; differences are run minus reference.

    Attributes:
        run: name of the run.
        reference: name of the reference run.
        tasks: tasks that both completed.
        success: of the share of successes per task; None for pages.
        score: of the mean score per task.
        questions: of the mean number of questions per task.
        win_rate: chance that an episode of the run scores higher than one of the reference on the same task, a tie
            counting half (pages only).
        gained: tasks on which the run is better: more successes, or for pages a higher score.
        lost: tasks on which it is worse.
        differences: where the two configurations differ, so that a reader sees what else may explain a difference.
        changes: difference of the score per task, for the plot.
    """

    run: str
    reference: str
    tasks: int
    success: PairedComparison | None
    score: PairedComparison
    questions: PairedComparison
    win_rate: Interval | None
    gained: list[str]
    lost: list[str]
    differences: list[str]
    changes: list[float]

    @property
    def main(self) -> PairedComparison:
        """The comparison that counts: of success, or of the score for pages."""
        return self.success or self.score

    def to_json(self) -> dict[str, Any]:
        """JSON object."""
        return {name: value for name, value in asdict(self).items() if name != "changes"}


def compare(run: RunFigures, reference: RunFigures) -> Comparison:
    """Compare a run with a reference run on the tasks that both completed.

    Raises:
        ConfigurationError: when the runs are of different environments or measures, or share no task.
    """
    for what, first, second in (
        ("environment", run.configuration["env_id"], reference.configuration["env_id"]),
        ("measure", run.measure, reference.measure),
    ):
        if first != second:
            raise ConfigurationError(
                f"the runs cannot be compared: {what} {first!r} of {run.name} and {second!r} of {reference.name}"
            )
    shared = [task for task in run.tasks if task in reference.tasks]
    if not shared:
        raise ConfigurationError(f"{run.name} and {reference.name} have no completed task in common")
    changed = [task for task in shared if run.tasks[task][0].task_hash != reference.tasks[task][0].task_hash]
    if changed:
        raise ConfigurationError(
            f"{len(changed)} tasks, such as {changed[0]!r}, are not the same in {run.name} and {reference.name}: they "
            "changed between the runs (another hash)"
        )
    pairs = [(run.tasks[task], reference.tasks[task]) for task in shared]
    successes = _paired(pairs, lambda r: float(bool(r.success))) if run.graded else None
    scores = _paired(pairs, lambda r: r.score)
    ours, theirs = successes or scores
    deltas = ours - theirs
    return Comparison(
        run=run.name,
        reference=reference.name,
        tasks=len(shared),
        success=paired_comparison(successes[1], successes[0]) if successes else None,
        score=paired_comparison(scores[1], scores[0]),
        questions=paired_comparison(*reversed(_paired(pairs, lambda r: float(r.questions)))),
        win_rate=None if run.graded else bootstrap_interval([_wins(a, b) for a, b in pairs]),
        gained=[task for task, delta in zip(shared, deltas, strict=True) if delta > 0],
        lost=[task for task, delta in zip(shared, deltas, strict=True) if delta < 0],
        differences=[
            d for d in _differences(run.configuration, reference.configuration) if not d.startswith(_SAYS_NOTHING)
        ],
        changes=sorted((scores[0] - scores[1]).tolist()),
    )


def _paired(pairs: Sequence[tuple[list[EpisodeRow], list[EpisodeRow]]], value: Any) -> tuple[np.ndarray, np.ndarray]:
    first = np.array([np.mean([value(r) for r in rows]) for rows, _ in pairs])
    second = np.array([np.mean([value(r) for r in rows]) for _, rows in pairs])
    return first, second


def _wins(ours: Sequence[EpisodeRow], theirs: Sequence[EpisodeRow]) -> float:
    points = [(a.score > b.score) + 0.5 * (a.score == b.score) for a in ours for b in theirs]
    return float(np.mean(points))


def _differences(first: Any, second: Any, place: str = "") -> Iterator[str]:
    if isinstance(first, dict) and isinstance(second, dict):
        for key in sorted({*first, *second}):
            yield from _differences(first.get(key), second.get(key), f"{place}.{key}" if place else str(key))
    elif first != second:
        yield f"{place}: {_short(first)} against {_short(second)}"


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
