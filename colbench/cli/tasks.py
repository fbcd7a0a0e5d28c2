"""``colbench tasks``: list, show and validate sets of tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colbench.cli.setup import EnvName, Split, choose_tasks

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
    chosen = choose_tasks(tasks, env.value, split.value, None)
    table = Table(header_style="bold")
    for column in ("task id", "domain", "request"):
        table.add_column(column, overflow="fold")
    for task in chosen[: max(1, limit)]:
        request = " ".join(task.problem_description.split())
        table.add_row(
            escape(task.task_id),
            escape(task.domain or "-"),
            escape(request[:100] + ("..." if len(request) > 100 else "")),
        )
    console = Console()
    console.print(table)
    console.print(f"{len(chosen)} tasks in {chosen.name} (hash {chosen.content_hash})", highlight=False, markup=False)


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
    typer.echo(json.dumps(record, indent=2, ensure_ascii=False))


@app.command("validate")
def validate(
    file: Annotated[Path, typer.Argument(help="A JSONL file in the published format.")],
    env: _Env = EnvName.backend,
    strict: Annotated[bool, typer.Option(help="Exit with 1 on warnings, too.")] = False,
) -> None:
    """Check a set of tasks; prints each finding with its line and exits with 1 when there are errors."""
    from colbench.tasks.validation import validate_file

    findings = list(validate_file(file, kind=env.value))
    for finding in findings:
        typer.echo(str(finding))
    errors = sum(f.severity == "error" for f in findings)
    warnings = len(findings) - errors
    typer.echo(f"{file}: {errors} errors, {warnings} warnings")
    if errors or (strict and warnings):
        raise typer.Exit(1)
