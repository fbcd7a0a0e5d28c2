"""Plots of runs; matplotlib is imported only here, when somebody asks for a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colbench.errors import MissingExtraError
from colbench.summary import Summary

__all__ = ["QuestionsPoint", "plot_questions"]


@dataclass(frozen=True)
class QuestionsPoint:
    """One agent in the plot of success against questions.

    Attributes:
        summary: its measured figures.
        exact: the exact expected success on the same tasks, where its policy is known.
    """

    summary: Summary
    exact: float | None = None


def plot_questions(points: Sequence[QuestionsPoint], path: Path, *, title: str = "") -> Path:
    """Draw success (or similarity) against questions asked, with 95% intervals and the exact values where known.

    Args:
        points: one per agent; those that differ only in options (``interviewer?topics=K``) are joined by a line.
        path: PNG or SVG file to write.
        title: shown above.

    Raises:
        MissingExtraError: without matplotlib.
    """
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError("--plot", "report") from None
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    families: dict[str, list[QuestionsPoint]] = {}
    for point in points:
        families.setdefault(point.summary.agent.partition("?")[0], []).append(point)
    for name, members in families.items():
        members.sort(key=lambda p: p.summary.questions)
        _draw_family(axes, name, members)
    exact = sorted((p.summary.questions, p.exact) for p in points if p.exact is not None)
    if exact:
        axes.plot(*zip(*exact, strict=True), "x", color="black", markersize=8, label="exact value", zorder=5)
    shown = "success" if any(p.summary.success for p in points) else points[0].summary.measure
    axes.set_xlabel("questions asked per episode (mean)")
    axes.set_ylabel(f"{shown} (95% interval)")
    axes.set_ylim(-0.03, 1.03)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize=10)
    axes.legend(frameon=False, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=144)
    plt.close(figure)
    return path


def _draw_family(axes: Any, name: str, members: Sequence[QuestionsPoint]) -> None:
    values = [p.summary.success or p.summary.score for p in members]
    axes.errorbar(
        [p.summary.questions for p in members],
        [v.estimate for v in values],
        # Rounding may put an end of the interval a hair beyond the estimate; matplotlib refuses negative lengths.
        yerr=[[max(0.0, v.estimate - v.low) for v in values], [max(0.0, v.high - v.estimate) for v in values]],
        fmt="o-" if len(members) > 1 else "o",
        capsize=3,
        markersize=5,
        label=name,
    )
