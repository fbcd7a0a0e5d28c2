"""How the summaries of a run are shown on a terminal, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from colbench.agents.base import BaseAgent
from colbench.jsonl import plain
from colbench.records import TRAJECTORIES
from colbench.summary import Summary
from colbench.tasks.taskset import TaskSet
from colbench.text import printable

__all__ = ["plot_summaries", "show_summaries", "summary_table"]


def summary_table(summaries: list[Summary]) -> Table:
    """Agents by success, calls passed (or similarity), questions and failures; fits 80 columns."""
    table = Table(header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("agent", overflow="fold")
    with_success = any(s.success is not None for s in summaries)
    if with_success:
        table.add_column("success", justify="right", no_wrap=True)
    table.add_column(summaries[0].measure if summaries else "score", justify="right", no_wrap=True)
    table.add_column("questions", justify="right", no_wrap=True)
    table.add_column("failed", justify="right")
    for s in summaries:
        cells = [s.agent + ("*" if s.sees_reference else "")]
        if with_success:
            cells.append(s.success.percent() if s.success else "-")
            cells.append(f"{100 * s.score.estimate:.1f}%" if s.episodes else "-")
        else:
            cells.append(str(s.score) if s.episodes else "-")
        cells.append(f"{s.questions:.1f}" if s.episodes else "-")
        cells.append(", ".join(f"{n} {boundary}" for boundary, n in s.failed.items()) or "0")
        # Plain text: rich would read markup and emoji names in an agent's name.
        table.add_row(*(Text(cell) for cell in cells))
    return table


def _caption(summaries: list[Summary]) -> str:
    counts = sorted({s.episodes for s in summaries})
    plural = "episode" if counts[-1] == 1 else "episodes"
    episodes = f"{counts[0]} {plural} each" if len(counts) == 1 else f"{counts[0]}-{counts[-1]} {plural}"
    facts = [episodes, "95% intervals in brackets"]
    for name in ("grading", "isolation"):
        values = sorted({getattr(s, name) for s in summaries} - {None})
        if values:
            facts.append(f"{name} {', '.join(values)}")
    if any(s.sees_reference for s in summaries):
        facts.append("* is shown the reference")
    return "; ".join(facts)


def _costs(summaries: list[Summary]) -> str | None:
    """What was spent, where a model was asked."""
    total = summaries[0].usage
    for summary in summaries[1:]:
        total += summary.usage
    if not total.prompt_tokens + total.completion_tokens:
        return None
    cost = "" if total.cost is None else f", cost {total.cost:,.4g}"
    return f"tokens of these episodes: {total.prompt_tokens:,} read, {total.completion_tokens:,} written{cost}"


def _places(folders: Sequence[Path]) -> str:
    """Where the records lie, in a form that a shell understands."""
    if len(folders) == 1:
        return f"{folders[0]}/{TRAJECTORIES}"
    return f"{folders[0].parent}/{{{','.join(folder.name for folder in folders)}}}/{TRAJECTORIES}"


def show_summaries(console: Console, summaries: list[Summary], folders: Sequence[Path], *, as_json: bool) -> None:
    """Print the summaries of one command, and where its records lie."""
    if as_json:
        typer.echo(json.dumps([plain(s.to_json()) for s in summaries], indent=2))
        return
    console.print(summary_table(summaries))
    notes = [_caption(summaries), _costs(summaries) if summaries else None]
    weak = sorted({s.isolation for s in summaries if s.isolation not in (None, "full")})
    if weak:
        notes.append(f"isolation was only {', '.join(weak)}: run 'colbench doctor' to see what is missing")
    if any(s.failed for s in summaries):
        notes += [
            f"first failure of {s.agent} at the {boundary}: {printable(reason)[:300]}"
            for s in summaries
            for boundary, reason in s.reasons.items()
        ]
        notes.append("failed episodes are left out of the means; the same command runs them again")
    notes += [f"{s.agent} stopped early: {s.stopped}" for s in summaries if s.stopped]
    if any(s.stopped for s in summaries):
        notes.append("the same command with a larger budget or time limit continues")
    notes.append(f"trajectories: {_places(folders)}")
    for note in filter(None, notes):
        console.print(Text(note), soft_wrap=True)


def plot_summaries(summaries: list[Summary], agents: Sequence[BaseAgent], tasks: TaskSet, out: Path) -> Path:
    """Draw success against questions asked.

    Raises:
        MissingExtraError: without matplotlib.
    """
    from colbench.plots import QuestionsPoint, plot_questions

    points = [QuestionsPoint(s, _exact(a, tasks)) for s, a in zip(summaries, agents, strict=True)]
    return plot_questions(points, out / "questions.png", title=f"{tasks.name}, {len(tasks)} tasks")


def _exact(agent: BaseAgent, tasks: TaskSet) -> float | None:
    """Mean exact value over the tasks, for an agent whose policy is known on tasks whose decisions are known."""
    policy = getattr(agent, "policy", None)
    if policy is None or not all(t.procedural is not None and t.procedural.passing for t in tasks):
        return None
    from colbench.credit import exact_value

    return fmean(exact_value(task, policy) for task in tasks)
