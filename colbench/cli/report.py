"""``colbench report``: what a run came to, as Markdown, JSON and one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

__all__ = ["report"]


def report(
    run: Annotated[Path, typer.Argument(help="Folder of a run (of one agent).")],
    reference: Annotated[Path | None, typer.Argument(help="Folder of a run to compare it with.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder to write to; default: the run's folder.")] = None,
    tasks: Annotated[str | None, typer.Option(help="Where the tasks are, if not where the run says.")] = None,
    formats: Annotated[str, typer.Option("--format", help="Some of md,json,html.")] = "md,json,html",
) -> None:
    """Success, calls passed, questions, tokens, pass@k, breakdowns and failures of a run, with intervals.

    With a second run: the paired difference, its p-value, and the tasks that flipped. No model is asked.
    """
    from colbench.report import make_report
    from colbench.run_tasks import tasks_of_run

    console = Console()
    chosen = tasks_of_run(run, tasks) if tasks is not None else None
    found = make_report(run, reference, tasks=chosen)
    for warning in found.warnings():
        console.print(warning, style="yellow", markup=False, highlight=False, soft_wrap=True)
    for table in found.tables()[: 2 if found.comparison is not None else 1]:
        shown = RichTable(title=escape(table.title), title_justify="left", box=None, padding=(0, 2, 0, 0))
        for column in table.columns:
            shown.add_column(escape(column), overflow="fold")
        for row in table.rows:
            shown.add_row(*(escape(cell) for cell in row))
        console.print(shown)
        console.print(table.note, markup=False, highlight=False, style="dim", soft_wrap=True)
    for path in found.write(out or run, [name.strip() for name in formats.split(",") if name.strip()]):
        console.print(f"report: {path}", markup=False, highlight=False, soft_wrap=True)
