"""``colbench tasks``: list, show and validate sets of tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from colbench.cli.setup import EnvName, Split, choose_tasks
from colbench.errors import ConfigurationError
from colbench.text import counted, printable

__all__ = ["app"]

app = typer.Typer(help="List, show and validate tasks.", no_args_is_help=True)

_Tasks = Annotated[str, typer.Option(help="bundled, procedural[:n=N,seed=S,...], hub, or a JSONL file.")]
_Env = Annotated[EnvName, typer.Option(help="Which environment.")]
_SplitOption = Annotated[Split, typer.Option(help="Which split.")]


@app.command("list")
def list_tasks(
    tasks: _Tasks = "bundled",
    env: _Env = EnvName.backend,
    split: _SplitOption = Split.test,
    limit: Annotated[int, typer.Option(help="Only the first N.")] = 20,
) -> None:
    """List tasks by id and the beginning of their request."""
    if limit < 1:
        raise ConfigurationError(f"--limit must be at least 1, actually: {limit}")
    chosen = choose_tasks(tasks, env.value, split.value, None)
    table = Table(header_style="bold")
    for column in ("task id", "domain", "request"):
        table.add_column(column, overflow="fold")
    for task in chosen[:limit]:
        request = " ".join(task.problem_description.split())
        cells = (task.task_id, task.domain or "-", request[:100] + ("..." if len(request) > 100 else ""))
        # As text, so that nothing in a request is taken for markup or an emoji.
        table.add_row(*(Text(printable(cell)) for cell in cells))
    console = Console()
    console.print(table)
    end = f"{counted(len(chosen), 'task')} in {chosen.name} (hash {chosen.content_hash})"
    console.print(Text(printable(end)), soft_wrap=True)


@app.command("show")
def show_task(
    task_id: Annotated[str, typer.Argument(help="Id of the task.")],
    tasks: _Tasks = "bundled",
    env: _Env = EnvName.backend,
    split: _SplitOption = Split.test,
    reference: Annotated[bool, typer.Option(help="Print what is hidden from agents, too.")] = False,
) -> None:
    """Print one task as a JSON record; the hidden parts only with --reference."""
    task = choose_tasks(tasks, env.value, split.value, None).get(task_id)
    record = task.model_dump(mode="json", exclude_none=True)
    if not reference:
        for name in ("ground_truth", "test_cases", "procedural"):
            record.pop(name, None)
    shown = json.dumps(record, indent=2, ensure_ascii=False)
    if printable(shown) != shown:
        # What would steer the terminal is escaped as JSON knows it, so that the record can still be read by a program.
        shown = json.dumps(record, indent=2).replace("\x7f", "\\u007f")
    typer.echo(shown)


@app.command("validate")
def validate(
    file: Annotated[Path, typer.Argument(help="A JSONL file in the published format.")],
    env: _Env = EnvName.backend,
    strict: Annotated[bool, typer.Option(help="Exit with 1 on warnings, too.")] = False,
) -> None:
    """Check a set of tasks; prints each finding with its line and exits with 1 when there are errors."""
    from colbench.tasks.validation import validate_file

    errors = warnings = 0
    for finding in validate_file(file, kind=env.value):
        errors += finding.severity == "error"
        warnings += finding.severity == "warning"
        typer.echo(" ".join(printable(str(finding)).splitlines()))
    typer.echo(f"{printable(str(file))}: {counted(errors, 'error')}, {counted(warnings, 'warning')}")
    if errors or (strict and warnings):
        raise typer.Exit(1)
