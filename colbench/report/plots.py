"""The plots of a report as SVG that takes its colours from the page, so that one picture serves light and dark.

matplotlib draws with colours that stand for names; they are then replaced by the page's own. Text stays text, in the
page's font, and every picture is narrow enough to be read on a phone.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from colbench.errors import MissingExtraError
from colbench.report.comparison import Comparison
from colbench.report.figures import RunFigures
from colbench.statistics import Interval

__all__ = ["Picture", "draw_pictures"]

_NAMES = {
    "#000001": "var(--ink)",
    "#000002": "var(--soft)",
    "#000003": "var(--line)",
    "#000004": "var(--accent)",
    "#000005": "var(--good)",
    "#000006": "var(--bad)",
}
_INK, _SOFT, _LINE, _ACCENT, _GOOD, _BAD = _NAMES
_WIDTH = 4.6


@dataclass(frozen=True)
class Picture:
    """One plot.

    Attributes:
        title: heading, also read out in place of the picture.
        svg: the picture, to be put into a page as it is.
    """

    title: str
    svg: str


def draw_pictures(figures: RunFigures, reference: RunFigures | None, found: Comparison | None) -> list[Picture]:
    """Every plot that these runs give reason to draw.

    Raises:
        MissingExtraError: without matplotlib.
    """
    drawn = [_scores(figures, reference)]
    if len(figures.by_questions()) > 1:
        drawn.append(_questions(figures))
    if len(figures.pass_k()) > 1:
        drawn.append(_pass_k(figures))
    if len(figures.domains()) > 1:
        drawn.append(_domains(figures))
    if any(row.tokens for row in figures.rows):
        drawn.append(_tokens(figures))
    if found is not None:
        drawn.append(_changes(found))
    return drawn


def _picture(title: str, draw: Callable[[Any], None], height: float = 2.9) -> Picture:
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("a report with plots", "report") from None
    style: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": title,
        "font.size": 9,
        "text.color": _INK,
        "axes.labelcolor": _SOFT,
        "axes.edgecolor": _LINE,
        "xtick.color": _SOFT,
        "ytick.color": _SOFT,
        "grid.color": _LINE,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        axes = figure.subplots()
        draw(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return Picture(title, _for_page(out.getvalue(), title))


def _for_page(svg: str, title: str) -> str:
    """The bare element: no size of its own, no rules that would reach the rest of the page, the page's colours."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.S)
    opening, rest = svg.split(">", 1)
    view = re.search(r'viewBox="[^"]*"', opening)
    label = re.sub(r'[<>&"]', " ", title)
    rest = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", rest)
    for colour, name in _NAMES.items():
        rest = rest.replace(colour, name)
    box = view[0] if view else ""
    return f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {box} role="img" aria-label="{label}">{rest}'


def _errors(values: Sequence[Interval]) -> list[list[float]]:
    # Rounding may put an end a hair beyond the estimate; matplotlib refuses negative lengths.
    return [[max(0.0, v.estimate - v.low) for v in values], [max(0.0, v.high - v.estimate) for v in values]]


def _scores(figures: RunFigures, reference: RunFigures | None) -> Picture:
    def draw(axes: Any) -> None:
        bins = np.linspace(0, 1, 12 if figures.graded else 21)
        if figures.graded:
            # A fraction of ten calls lies in the middle of its bar.
            bins = (np.arange(12) - 0.5) / 10
        axes.hist([r.score for r in figures.rows], bins=bins, color=_ACCENT, alpha=0.75, label=figures.name)
        if reference is not None:
            scores = [r.score for r in reference.rows]
            axes.hist(scores, bins=bins, histtype="step", color=_INK, linewidth=1.2, label=reference.name)
            axes.legend(frameon=False, fontsize=8)
        axes.set_xlabel(figures.measure)
        axes.set_ylabel("episodes")

    return _picture(f"Episodes by {figures.measure}", draw)


def _questions(figures: RunFigures) -> Picture:
    def draw(axes: Any) -> None:
        found = figures.by_questions()
        value = (lambda r: bool(r.success)) if figures.graded else (lambda r: r.score)
        means = [figures.mean(value, rows) for _, rows in found]
        counts = np.array([len(rows) for _, rows in found], dtype=float)
        x = [n for n, _ in found]
        axes.bar(x, counts / counts.sum(), color=_LINE, width=0.8, label="share of episodes")
        axes.errorbar(
            x,
            [m.estimate for m in means],
            yerr=_errors(means),
            fmt="o",
            color=_ACCENT,
            capsize=2,
            markersize=4,
            label="success" if figures.graded else figures.measure,
        )
        axes.set_xticks(x)
        axes.set_ylim(0, 1.03)
        axes.set_xlabel("questions asked")
        axes.legend(frameon=False, fontsize=8)

    return _picture("Result by questions asked", draw)


def _pass_k(figures: RunFigures) -> Picture:
    def draw(axes: Any) -> None:
        found = figures.pass_k()
        x = [p.k for p in found]
        for name, values, colour in (
            ("pass@k", [p.at for p in found], _ACCENT),
            ("pass^k", [p.hat for p in found], _INK),
        ):
            y = [v.estimate for v in values]
            axes.errorbar(x, y, yerr=_errors(values), fmt="o-", color=colour, capsize=2, markersize=4, label=name)
        axes.set_xticks(x)
        axes.set_ylim(0, 1.03)
        axes.set_xlabel("k, episodes of a task")
        axes.legend(frameon=False, fontsize=8)

    return _picture("pass@k and pass^k", draw)


def _domains(figures: RunFigures) -> Picture:
    found = figures.domains()

    def draw(axes: Any) -> None:
        value = (lambda r: bool(r.success)) if figures.graded else (lambda r: r.score)
        means = [figures.mean(value, rows) for _, rows in found]
        y = np.arange(len(found))[::-1]
        axes.errorbar(
            [m.estimate for m in means], y, xerr=_errors(means), fmt="o", color=_ACCENT, capsize=2, markersize=4
        )
        axes.set_yticks(y, [(name or "(none)")[:24] for name, _ in found])
        axes.set_xlim(-0.02, 1.02)
        axes.grid(axis="x", linewidth=0.6)
        axes.set_xlabel("success" if figures.graded else figures.measure)

    return _picture("Result by domain", draw, height=max(2.0, 0.7 + 0.24 * len(found)))


def _tokens(figures: RunFigures) -> Picture:
    def draw(axes: Any) -> None:
        axes.hist([r.tokens for r in figures.rows], bins=30, color=_ACCENT, alpha=0.75)
        axes.set_xlabel("tokens per episode, agent and collaborator")
        axes.set_ylabel("episodes")
        axes.locator_params(axis="x", nbins=5)

    return _picture("Tokens per episode", draw)


def _changes(found: Comparison) -> Picture:
    def draw(axes: Any) -> None:
        changes = np.array(found.changes)
        x = np.arange(len(changes))
        for chosen, colour, name in (
            (changes < 0, _BAD, f"{found.reference} better"),
            (changes > 0, _GOOD, f"{found.run} better"),
        ):
            axes.fill_between(
                x, 0, np.where(chosen, changes, 0.0), step="mid", color=colour, alpha=0.8, linewidth=0, label=name
            )
        axes.axhline(0, color=_SOFT, linewidth=0.8)
        axes.set_ylim(-1.03, 1.03)
        axes.set_xlabel("tasks, in order of the difference")
        axes.set_ylabel("difference of the score")
        axes.legend(frameon=False, fontsize=8, loc="upper left")

    return _picture(f"Score of {found.run} minus {found.reference}, task by task", draw)
