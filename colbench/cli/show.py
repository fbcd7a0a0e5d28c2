"""``colbench show``: one trajectory, readable."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from colbench.cli.setup import cannot_write
from colbench.errors import ConfigurationError
from colbench.jsonl import atomic_write
from colbench.plugins import near_match
from colbench.run_folder import TRAJECTORIES, read_trajectories
from colbench.text import counted, printable
from colbench.trajectory import Trajectory

__all__ = ["print_trajectory", "show"]


def print_trajectory(console: Console, t: Trajectory) -> None:
    """Print one episode: who said what, what was settled, how each call went."""

    def say(text: str, style: str = "") -> None:
        console.print(Text(printable(text), style=style))

    def box(text: str, title: str, style: str = "") -> None:
        console.print(Panel(Text(printable(text)), title=Text(printable(title)), title_align="left", style=style))

    facts = f"{t.env_id} | task {t.task_id} | repeat {t.repeat} | seed {t.seed}"
    who = f"agent {t.agent.get('name', '?')} | collaborator {t.collaborator.get('name', '?')}"
    say(facts, "bold")
    say(who)
    box(t.request.strip(), "collaborator (request)", "cyan")
    for number, turn in enumerate(t.turns, 1):
        hidden = turn.raw[: -len(turn.visible)].strip() if turn.visible and turn.raw.endswith(turn.visible) else ""
        if hidden:
            box(hidden, f"{number}. agent, thinking", "dim")
        box(turn.visible.strip(), f"{number}. agent")
        if turn.page is not None:
            say(f"   page {turn.page.html_hash[:12]}: {turn.page.status}", "dim")
        if turn.reply is not None:
            notes = [name for name in ("cut", "leak") if getattr(turn.reply, name)]
            if turn.reply.settled:
                notes.append("settles " + ", ".join(turn.reply.settled))
            title = "collaborator" + (f" ({'; '.join(notes)})" if notes else "")
            box(turn.reply.text.strip(), title, "cyan")
    if t.failure is not None:
        say(f"failed at the {t.failure.boundary}: {t.failure.type}: {t.failure.message}", "red")
        return
    score = f"ended by {t.ended_by} | score {t.score:.3f} | reward {t.reward:g}"
    say(score, "bold")
    if t.success is not None and t.outcomes is not None:  # the outcome of a page is no call
        counts = Counter(outcome["status"] for outcome in t.outcomes)
        say("calls: " + ", ".join(f"{n} {status}" for status, n in counts.items()))
    graded = [f"grading {t.grading}" if t.grading else "", f"measure {t.measure}" if t.measure else ""]
    say(" | ".join(filter(None, [*graded, f"isolation {t.isolation}"])), "dim")


def show(
    path: Annotated[Path, typer.Argument(help="A trajectories file or a run's folder of one agent.")],
    task_id: Annotated[str | None, typer.Argument(help="Id of the task; default: the first record.")] = None,
    repeat: Annotated[
        int | None, typer.Option(help="Which repetition; default: 0, or any where no task is named.")
    ] = None,
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
    _check_folder(path)
    if html is not None and html.is_dir():
        raise cannot_write(html, "it is a folder", "an HTML file")
    wanted_repeat = 0 if repeat is None and task_id is not None else repeat
    seen: list[str] = []
    repeats: set[int] = set()
    found: Trajectory | None = None
    for _, trajectory in read_trajectories(path):
        seen.append(trajectory.task_id)
        repeats.add(trajectory.repeat)
        if wanted_repeat in (None, trajectory.repeat) and task_id in (None, trajectory.task_id):
            # The last record of an episode counts, as in a resumed run.
            found = trajectory
            if task_id is None:
                break
    if found is None:
        wanted = repr(task_id) if task_id is not None else "any task"
        if wanted_repeat is not None:
            wanted += f" with repeat {wanted_repeat}"
        near = near_match(task_id, seen) if task_id is not None and task_id not in seen else ""
        holds = f"It holds {counted(len(seen), 'record')}"
        if repeats:
            holds += f", with the repeats {', '.join(map(str, sorted(repeats)[:20]))}"
        raise ConfigurationError(f"{path}: no trajectory of {wanted}.{near} {holds}.")
    if html is None:
        print_trajectory(Console(), found)
        return
    from colbench.html.episode_view import episode_page

    page = episode_page(found, path, tasks)
    try:
        atomic_write(html, page)
    except OSError as problem:
        raise cannot_write(html, problem.strerror, "an HTML file") from None
    Console().print(Text(printable(f"page: {html}")), soft_wrap=True)


def _check_folder(path: Path) -> None:
    """Refuse a folder that is not one agent's, naming those below it that are."""
    if not path.is_dir() or (path / TRAJECTORIES).exists():
        return
    below = sorted(found.parent for pattern in ("*", "*/*") for found in path.glob(f"{pattern}/{TRAJECTORIES}"))
    if not below:
        raise ConfigurationError(f"{path} is no run's folder: neither it nor a folder in it holds {TRAJECTORIES}")
    more = f" and {len(below) - 20} more" if len(below) > 20 else ""
    raise ConfigurationError(
        f"{path} holds the runs of {counted(len(below), 'agent')}; give one of {', '.join(map(str, below[:20]))}{more}"
    )
