"""``colbench regrade``: the answers of a run, graded again without a model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colbench.cli.setup import Grading, make_judge
from colbench.trajectory import Trajectory

__all__ = ["regrade"]

_SHOWN = 20


def regrade(
    run: Annotated[Path, typer.Argument(help="Folder of a run (of one agent).")],
    out: Annotated[Path, typer.Option(help="Folder of the new run.")],
    grading: Annotated[Grading | None, typer.Option(help="Mode (backend); default: the run's.")] = None,
    similarity: Annotated[str | None, typer.Option(help="Measure (frontend); default: the run's.")] = None,
    tasks: Annotated[str | None, typer.Option(help="Where the tasks are, if not where the run says.")] = None,
    concurrency: Annotated[int, typer.Option(help="Answers graded at once.")] = 16,
    workers: Annotated[int | None, typer.Option(help="Sandbox or browser workers; default one per core.")] = None,
    allow_weaker_isolation: Annotated[
        bool, typer.Option(help="Run answers although the sandbox is below full isolation.")
    ] = False,
) -> None:
    """Grade the answers of a run again, in another mode or by a newer grader, and list the changed verdicts.

    The run itself is only read. Tasks are joined by id and hash; a task that has changed is refused.
    """
    from colbench.regrade import CHANGES
    from colbench.regrade import regrade as grade_again
    from colbench.run_folder import read_configuration
    from colbench.run_tasks import kind_of, tasks_of_run

    console = Console()
    configuration = read_configuration(run)
    kind = kind_of(configuration["env_id"])
    used: dict[str, Any] = configuration.get("judge", {})
    judge = make_judge(
        kind,
        grading=grading.value if grading is not None else str(used.get("grading", "strict")),
        allow_weaker=allow_weaker_isolation,
        similarity=similarity or used.get("measure"),
        workers=workers,
    )
    chosen = tasks_of_run(run, tasks)
    with console.status("grading") as status:
        count = 0

        def shown(_: Trajectory) -> None:
            nonlocal count
            count += 1
            status.update(f"graded {count}")

        done = asyncio.run(grade_again(run, out, judge, chosen, concurrency=concurrency, on_episode=shown))
    facts = [f"{done.episodes} episodes graded", f"{len(done.changes)} verdicts changed"]
    if done.copied:
        facts.append(f"{done.copied} failed episodes without an answer taken over")
    if done.failed:
        facts.append(f"{done.failed} could not be graded; the same command tries them again")
    console.print("; ".join(facts), highlight=False)
    if done.changes:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for column in ("task", "repeat", "score before", "after", "success before", "after", "calls changed"):
            table.add_column(column, overflow="fold")
        for change in done.changes[:_SHOWN]:
            cells = [change.task_id, str(change.repeat), *map(_score, change.score), *map(_yes, change.success)]
            table.add_row(*map(escape, cells), ", ".join(map(str, change.calls)) or "-")
        console.print(table)
        if len(done.changes) > _SHOWN:
            console.print(f"... and {len(done.changes) - _SHOWN} more")
    console.print(f"changes: {out / CHANGES}", highlight=False, markup=False, soft_wrap=True)


def _score(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _yes(value: bool | None) -> str:
    return "-" if value is None else ("yes" if value else "no")
