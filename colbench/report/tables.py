"""The tables of a report as plain rows of text, once for Markdown and for HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from colbench.report.comparison import Comparison
from colbench.report.episodes import EpisodeRow
from colbench.report.figures import RunFigures
from colbench.statistics import Interval, PairedComparison
from colbench.usage import Usage

__all__ = ["Table", "comparison_table", "figure_tables", "percent"]

_SHOWN_FAILURES = 200


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        title: heading.
        columns: headings of the columns.
        rows: cells, as many as columns.
        note: sentences below it.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = field(default="")


def percent(interval: Interval | None) -> str:
    """A share in per cent with its interval."""
    if interval is None or math.isnan(interval.estimate):
        return "-"
    return interval.percent()


def number(interval: Interval | None, digits: int = 2) -> str:
    """A mean with its interval."""
    if interval is None or math.isnan(interval.estimate):
        return "-"
    return f"{interval.estimate:,.{digits}f} [{interval.low:,.{digits}f}, {interval.high:,.{digits}f}]"


def share(figures: RunFigures, interval: Interval) -> str:
    """A score: in per cent on the backend, as a similarity for pages."""
    return percent(interval) if figures.graded else number(interval, 3)


def figure_tables(figures: RunFigures) -> list[Table]:
    """Every table of one run."""
    tables = [_main(figures), _pass_k(figures), _usage(figures), _outcomes(figures)]
    tables += [_domains(figures), _by_questions(figures), _collaborator(figures), _failures(figures)]
    return [table for table in tables if table is not None]


def _main(figures: RunFigures) -> Table:
    rows = []
    if figures.success is not None:
        rows.append(["success (all calls passed)", percent(figures.success)])
    rows.append([figures.measure, share(figures, figures.score)])
    rows.append(["questions per episode", number(figures.questions)])
    rows.append(["ended by the turn limit", percent(figures.mean(lambda r: r.by_limit))])
    rows.append(["seconds per episode", number(figures.mean(lambda r: r.seconds))])
    rows.append(["episodes completed", f"{len(figures.rows):,} on {len(figures.tasks):,} tasks"])
    failed = ", ".join(f"{n} {boundary}" for boundary, n in figures.failures().items()) or "0"
    rows.append(["episodes failed", failed])
    note = (
        "95% intervals in brackets: Wilson's for a share over tasks played once, else a bootstrap over whole tasks. "
        "Failed episodes are left out of every mean."
    )
    return Table("Result", ["figure", "value"], rows, note)


def _pass_k(figures: RunFigures) -> Table | None:
    found = figures.pass_k()
    if not found or max(len(rows) for rows in figures.tasks.values()) < 2:
        return None
    rows = [[str(p.k), percent(p.at), percent(p.hat), f"{p.at.n:,}"] for p in found]
    note = (
        "pass@k: chance that at least one of k episodes of a task succeeds, 1 - C(n-c, k) / C(n, k) for c successes in "
        "n episodes; pass^k: chance that all k succeed, C(c, k) / C(n, k). Means over the tasks with at least k "
        "episodes."
    )
    return Table("Several episodes of a task", ["k", "pass@k", "pass^k", "tasks"], rows, note)


def _usage(figures: RunFigures) -> Table | None:
    if not any(row.tokens for row in figures.rows):
        return None
    count = max(1, len(figures.rows))
    rows = []
    for who, used in zip(("agent", "collaborator"), figures.spent(), strict=True):
        mean = (used.prompt_tokens + used.completion_tokens) / count
        cells = [who, f"{used.calls:,}", f"{used.prompt_tokens:,}", f"{used.completion_tokens:,}"]
        rows.append([*cells, f"{mean:,.0f}", _money(used)])
    every = figures.usage
    rows.append(
        [
            "all records",
            *(f"{n:,}" for n in (every.calls, every.prompt_tokens, every.completion_tokens)),
            "",
            _money(every),
        ]
    )
    columns = ["who", "calls", "tokens read", "tokens written", "tokens per episode", "cost"]
    note = "All records: failed episodes and those that were run again included."
    successes = sum(bool(row.success) for row in figures.rows)
    if every.cost is not None and successes:
        note += f" A success cost {every.cost / successes:,.4g}."
    return Table("Tokens and cost", columns, rows, note)


def _money(used: Usage) -> str:
    return "-" if used.cost is None else f"{used.cost:,.4g}"


def _outcomes(figures: RunFigures) -> Table | None:
    if not figures.outcomes:
        return None
    total = sum(figures.outcomes.values())
    what = "Calls" if figures.graded else "Last pages"
    rows = [
        [name.replace("_", " "), f"{count:,}", f"{100 * count / total:.1f}%"]
        for name, count in figures.outcomes.items()
    ]
    return Table(f"{what} by outcome", ["outcome", "number", "share"], rows)


def _group(figures: RunFigures, name: str, rows: Sequence[EpisodeRow]) -> list[str]:
    cells = [name, f"{len(rows):,}"]
    if figures.graded:
        cells.append(percent(figures.mean(lambda r: bool(r.success), rows)))
    cells.append(share(figures, figures.mean(lambda r: r.score, rows)))
    return cells


def _columns(figures: RunFigures, first: str) -> list[str]:
    return [first, "episodes", *(["success"] if figures.graded else []), figures.measure]


def _domains(figures: RunFigures) -> Table | None:
    found = figures.domains()
    if len(found) < 2:
        return None
    rows = [
        [*_group(figures, name or "(none)", rows), number(figures.mean(lambda r: r.questions, rows), 1)]
        for name, rows in found
    ]
    return Table("By domain", [*_columns(figures, "domain"), "questions"], rows)


def _by_questions(figures: RunFigures) -> Table | None:
    found = figures.by_questions()
    if len(found) < 2:
        return None
    rows = [_group(figures, str(n), rows) for n, rows in found]
    note = "Not what another question would bring: agents ask more where a task is harder."
    return Table("By questions asked", _columns(figures, "questions"), rows, note)


def _collaborator(figures: RunFigures) -> Table | None:
    q = figures.collaborator
    if not q.replies:
        return None

    def row(name: str, count: int) -> list[str]:
        return [name, f"{count:,}", f"{100 * count / q.replies:.1f}%"]

    rows = [
        ["replies", f"{q.replies:,}", ""],
        row("leaks of the reference's code", q.leaks),
        row("don't know", q.dont_know),
        row("cut to the limit", q.cut),
        row("empty", q.empty),
    ]
    if q.declined:
        rows.append(row("declined (filter or context)", q.declined))
    note = "Leaks were asked again and taken out; see the guide to collaborators."
    if q.asked:
        said = q.agrees + q.contradicts
        agree = "-" if not said else f"{100 * q.agrees / said:.1f}%"
        rows.append(["agrees with the hidden decision", f"{q.agrees:,} of {said:,}", agree])
        note += (
            f" Messages asked about {q.asked:,} hidden decisions; {q.silent:,} replies left the decision open and are "
            "not in the last line."
        )
    return Table("Collaborator", ["figure", "number", "share of replies"], rows, note)


def _failures(figures: RunFigures) -> Table | None:
    if not figures.failed:
        return None
    rows = [
        [f.task_id, str(f.repeat), f.boundary, f"{f.type}: {f.message}"[:300]] for f in figures.failed[:_SHOWN_FAILURES]
    ]
    more = len(figures.failed) - len(rows)
    note = "They are no part of any figure above; the same command runs them again."
    if more > 0:
        note += f" {more:,} more are in the JSON report."
    return Table("Failed episodes", ["task", "repeat", "boundary", "error"], rows, note)


def comparison_table(found: Comparison) -> Table:
    """The comparison with a reference run."""
    rows = []
    pages = found.success is None
    if found.success is not None:
        rows.append(_compared("success", found.success, scale=100, unit=" points"))
    rows.append(
        _compared(
            "score" if pages else "calls passed",
            found.score,
            scale=1 if pages else 100,
            unit="" if pages else " points",
        )
    )
    rows.append(_compared("questions", found.questions, scale=1, unit=""))
    if found.win_rate is not None:
        rows.append(["win rate", percent(found.win_rate), "", "", ""])
    note = (
        f"{found.run} minus {found.reference} on the {found.tasks:,} tasks that both completed; "
        f"{len(found.gained) + len(found.lost):,} tasks flipped. "
    )
    note += (
        "The win rate is the share of tasks on which the higher score is this run's, a tie counting half. p-values are "
        "of a sign-flip test."
        if pages
        else "p-values: exact McNemar test where every task is 0 or 1 in both runs, else a sign-flip test."
    )
    columns = ["figure", "difference", "better on", "worse on", "p-value"]
    return Table(f"Against {found.reference}", columns, rows, note)


def _compared(name: str, found: PairedComparison, *, scale: float, unit: str) -> list[str]:
    d = found.difference
    digits = 1 if scale == 100 else 3
    value = f"{scale * d.estimate:+.{digits}f}{unit} [{scale * d.low:+.{digits}f}, {scale * d.high:+.{digits}f}]"
    p = "<0.001" if found.p_value < 0.001 else f"{found.p_value:.3f}"
    return [name, value, f"{found.gained:,}", f"{found.lost:,}", p]
