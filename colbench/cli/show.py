"""``colbench show``: one trajectory, readable."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from colbench.errors import ConfigurationError
from colbench.jsonl import atomic_write
from colbench.run_folder import read_trajectories
from colbench.trajectory import Trajectory

__all__ = ["print_trajectory", "show"]


def print_trajectory(console: Console, t: Trajectory) -> None:
    """Print one episode: who said what, what was settled, how each call went."""
    facts = f"{t.env_id} | task {t.task_id} | repeat {t.repeat} | seed {t.seed}"
    who = f"agent {t.agent.get('name', '?')} | collaborator {t.collaborator.get('name', '?')}"
    console.print(Text(facts, style="bold"))
    console.print(Text(who))
    console.print(Panel(Text(t.request.strip()), title="collaborator (request)", title_align="left", style="cyan"))
    for number, turn in enumerate(t.turns, 1):
        hidden = turn.raw[: -len(turn.visible)].strip() if turn.visible and turn.raw.endswith(turn.visible) else ""
        if hidden:
            console.print(Panel(Text(hidden), title=f"{number}. agent, thinking", title_align="left", style="dim"))
        console.print(Panel(Text(turn.visible.strip()), title=f"{number}. agent", title_align="left"))
        if turn.page is not None:
            console.print(Text(f"   page {turn.page.html_hash[:12]}: {turn.page.status}", style="dim"))
        if turn.reply is not None:
            notes = [name for name in ("cut", "leak") if getattr(turn.reply, name)]
            if turn.reply.settled:
                notes.append("settles " + ", ".join(turn.reply.settled))
            title = "collaborator" + (f" ({'; '.join(notes)})" if notes else "")
            console.print(Panel(Text(turn.reply.text.strip()), title=title, title_align="left", style="cyan"))
    if t.failure is not None:
        console.print(Text(f"failed at the {t.failure.boundary}: {t.failure.type}: {t.failure.message}", style="red"))
        return
    score = f"ended by {t.ended_by} | score {t.score:.3f} | reward {t.reward:g}"
    console.print(Text(score, style="bold"))
    if t.outcomes is not None:
        counts = Counter(outcome["status"] for outcome in t.outcomes)
        console.print(Text("calls: " + ", ".join(f"{n} {status}" for status, n in counts.items())))
    graded = [f"grading {t.grading}" if t.grading else "", f"measure {t.measure}" if t.measure else ""]
    console.print(Text(" | ".join(filter(None, [*graded, f"isolation {t.isolation}"])), style="dim"))


def show(
    path: Annotated[Path, typer.Argument(help="A trajectories file or a run's folder of one agent.")],
    task_id: Annotated[str | None, typer.Argument(help="Id of the task; default: the first record.")] = None,
    repeat: Annotated[int, typer.Option(help="Which repetition.")] = 0,
    html: Annotated[
        Path | None, typer.Option(help="Write one self-contained HTML page instead (extra 'report').")
    ] = None,
    tasks: Annotated[
        str | None, typer.Option(help="Where the tasks came from; default: what the run's folder says.")
    ] = None,
) -> None:
    """Print one trajectory, or write it as an HTML page with pictures and the score of each turn.

    Example: colbench show runs/demo/frontend/reviser --html episode.html
    """
    seen: list[str] = []
    found: Trajectory | None = None
    for _, trajectory in read_trajectories(path):
        if task_id is None or (trajectory.task_id == task_id and trajectory.repeat == repeat):
            # The last record of an episode counts, as in a resumed run.
            found = trajectory
            if task_id is None:
                break
        seen.append(trajectory.task_id)
    if found is None:
        from colbench.plugins import near_match

        wanted = f"{task_id!r} (repeat {repeat})" if task_id else "any record"
        raise ConfigurationError(
            f"{path}: no trajectory of {wanted}.{near_match(task_id or '', seen)} It holds {len(seen)} records."
        )
    if html is None:
        print_trajectory(Console(), found)
        return
    from colbench.html.episode_view import episode_page

    atomic_write(html, episode_page(found, path, tasks))
    Console().print(f"page: {html}", highlight=False, markup=False, soft_wrap=True)
