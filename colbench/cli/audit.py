"""``colbench audit``: attacks a grader and says which attacks it held."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from colbench.text import printable

__all__ = ["audit"]


def audit(
    grader: Annotated[
        str | None,
        typer.Option(help="module:function(ground_truth, test_cases, answer) -> fraction passed; default: ours."),
    ] = None,
    attack: Annotated[list[str] | None, typer.Option(help="Only these attacks; repeatable.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Run the attack collection on our grader, or on any other; exits with 1 when something gave way."""
    from colbench.backend.audit import OUR_GRADER, AttackResult, attacks_named, run_audit

    console = Console()

    def progress(result: AttackResult) -> None:
        if console.is_terminal and not as_json:
            console.print(Text(printable(f"  {result.name}: {'held' if result.held else 'BROKEN'}")))

    report = run_audit(grader or OUR_GRADER, attacks=attacks_named(attack) if attack else None, on_result=progress)
    if as_json:
        rows = [
            {"attack": r.name, "kind": r.kind, "held": r.held, "why": r.why, "seconds": round(r.seconds, 3)}
            for r in report.results
        ]
        typer.echo(json.dumps({"grader": report.grader, "results": rows}, indent=2))
    else:
        table = Table(header_style="bold", title=Text(printable(f"attacks on {report.grader}")))
        for column in ("attack", "tries", "verdict", "why"):
            table.add_column(column, overflow="fold")
        for r in report.results:
            verdict = Text("held", style="green") if r.held else Text("BROKEN", style="bold red")
            table.add_row(Text(r.name), Text(r.tries), verdict, Text(printable(r.why or "")))
        console.print(table)
        console.print(f"{len(report.results) - len(report.broken)} held, {len(report.broken)} broken")
    if not report.all_held:
        raise typer.Exit(1)
