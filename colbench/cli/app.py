"""The command line's root: collects the commands and turns our errors into one readable message."""

from __future__ import annotations

import sys

import typer
from rich.console import Console
from rich.text import Text

from colbench.cli import assets, audit, doctor, export, grade, pages, play, regrade, report, run, show, tasks
from colbench.errors import ColBenchError
from colbench.version import __version__

__all__ = ["app", "main"]

app = typer.Typer(
    name="colbench",
    help="Multi-turn collaboration tasks for LLM agents: run, grade and inspect.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    # The boxes cut long option names at 80 columns; plain help does not.
    rich_markup_mode=None,
)
app.command("run")(run.run)
app.add_typer(tasks.app, name="tasks")
app.add_typer(assets.app, name="assets")
app.command("play")(play.play)
app.command("show")(show.show)
app.command("grade")(grade.grade)
app.command("regrade")(regrade.regrade)
app.command("report")(report.report)
app.command("export")(export.export)
app.command("import")(export.import_file)
app.command("render")(pages.render)
app.command("similarity")(pages.similarity)
app.command("compare")(pages.compare)
app.command("calibrate")(pages.calibrate)
app.command("audit")(audit.audit)
app.command("doctor")(doctor.doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"colbench {__version__}")
        raise typer.Exit()


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    """Multi-turn collaboration tasks for LLM agents: run, grade and inspect."""


def main() -> None:
    """Entry point; every error of ours becomes one message and exit code 2, an interrupt 130."""
    try:
        app()
    except ColBenchError as problem:
        # As plain text: rich would read markup and emoji names in paths, ":100:" among them.
        Console(stderr=True).print(Text.assemble(("error: ", "bold red"), str(problem)), soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        Console(stderr=True).print("interrupted; the same command continues where it stopped", highlight=False)
        sys.exit(130)
