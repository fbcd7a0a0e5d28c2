"""``colbench grade``: answers in a file, verdicts in another, in the same order."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from colbench.cli.setup import Grading
from colbench.text import counted, printable

__all__ = ["grade"]


def grade(
    file: Annotated[Path, typer.Argument(help="JSONL; each line has ground_truth, test_cases, answer.")],
    out: Annotated[Path, typer.Option(help="JSONL to write, one verdict per line in the same order.")],
    grading: Annotated[Grading, typer.Option(help="Grading mode.")] = Grading.strict,
    workers: Annotated[int | None, typer.Option(help="Sandbox workers; default one per core.")] = None,
    python: Annotated[str | None, typer.Option(help="Interpreter inside the sandbox, for comparable boards.")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace --out if it is there, and grade again.")
    ] = False,
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
        overwrite=overwrite,
        allow_weaker=allow_weaker_isolation,
    )
    console = Console()
    resumed = f" ({done.resumed} of them graded before)" if done.resumed and not done.already else ""
    if done.already:
        _say(console, f"{out} holds the verdicts of this very file already; --overwrite grades it again")
    _say(
        console,
        f"{counted(done.lines, 'answer')}{resumed}: {done.successes} {'passes' if done.successes == 1 else 'pass'} "
        f"every call, mean score {done.mean_score:.3f}; grading {grading.value}, "
        f"isolation {', '.join(done.isolation) or '-'}",
    )
    if done.nulls:
        _say(console, f"{counted(done.nulls, 'answer')} of them {'is' if done.nulls == 1 else 'are'} null and scored 0")
    _say(console, f"verdicts: {out}")
    if done.broken:
        _say(
            Console(stderr=True),
            f"WARNING: {counted(done.broken, 'answer')} met a broken task, so the score is not the answer's fault; the "
            f"field 'reference' of each such verdict says why. The first: {done.first_broken}",
            style="bold red",
        )


def _say(console: Console, text: str, style: str = "") -> None:
    # As text, so that nothing in a path or a record is taken for markup or an emoji.
    console.print(Text(printable(text), style=style), soft_wrap=True)
