"""``colbench grade``: answers in a file, verdicts in another, in the same order."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from colbench.cli.setup import Grading

__all__ = ["grade"]


def grade(
    file: Annotated[Path, typer.Argument(help="JSONL; each line has ground_truth, test_cases, answer.")],
    out: Annotated[Path, typer.Option(help="JSONL to write, one verdict per line in the same order.")],
    grading: Annotated[Grading, typer.Option(help="Grading mode.")] = Grading.strict,
    workers: Annotated[int | None, typer.Option(help="Sandbox workers; default one per core.")] = None,
    python: Annotated[str | None, typer.Option(help="Interpreter inside the sandbox, for comparable boards.")] = None,
    allow_weaker_isolation: Annotated[
        bool, typer.Option(help="Run answers although the sandbox is below full isolation.")
    ] = False,
) -> None:
    """Grade a file of answers in the sandbox; an interrupted run goes on where it stopped."""
    from colbench.backend.grade_file import grade_file

    done = grade_file(
        file,
        out,
        grading=grading.value,
        workers=workers,
        python=python,
        allow_weaker=allow_weaker_isolation,
    )
    console = Console()
    resumed = f" ({done.resumed} of them graded before)" if done.resumed else ""
    console.print(
        f"{done.lines} answers{resumed}: {done.successes} pass every call, mean score {done.mean_score:.3f}; "
        f"grading {grading.value}, isolation {', '.join(done.isolation) or '-'}",
        highlight=False,
        soft_wrap=True,
    )
    console.print(f"verdicts: {out}", highlight=False, markup=False, soft_wrap=True)
