"""``colbench render``, ``similarity``, ``compare`` and ``calibrate``: pages from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colbench.cli.setup import Split, cannot_write, choose_tasks
from colbench.errors import TaskDataError
from colbench.text import printable

__all__ = ["calibrate", "compare", "render", "similarity"]

_Page = Annotated[Path, typer.Argument(help="An HTML file.")]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise TaskDataError(f"{path}: cannot be read ({problem.strerror}); give an HTML file") from None


def render(
    page: _Page,
    out: Annotated[Path, typer.Argument(help="PNG file to write.")],
) -> None:
    """Render a page as the environment does, write its picture and print its status."""
    from colbench.frontend.renderer import Renderer

    if out.is_dir():
        raise cannot_write(out, "it is a folder", "a PNG file")
    with Renderer() as renderer:
        shot = renderer.render(_read(page))
    if shot.png is not None:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_bytes(shot.png)
        except OSError as problem:
            raise cannot_write(out, problem.strerror, "a PNG file") from None
    typer.echo(f"{shot.status} {shot.width}x{shot.height}")
    for address in shot.blocked:
        typer.echo(printable(f"blocked: {address}"), err=True)
    if shot.png is None:
        typer.echo("there is no picture, so nothing was written", err=True)
        raise typer.Exit(1)


def similarity(
    a: _Page,
    b: _Page,
    measure: Annotated[
        list[str] | None, typer.Option(help="clip, clip_square, layout or efficientnet; repeatable.")
    ] = None,
) -> None:
    """Print how alike two pages are, one line per measure; B counts as the reference."""
    from colbench.frontend.renderer import Renderer
    from colbench.frontend.similarity import load_similarity

    measures = [load_similarity(name) for name in (measure or ["clip"])]
    with Renderer() as renderer:
        pair = (renderer.render(_read(a)), renderer.render(_read(b)))
    for each in measures:
        typer.echo(f"{each.name} {each.score([pair])[0]:.6f}")


def compare(
    a: _Page,
    b: _Page,
    seed: Annotated[int, typer.Option(help="Chooses the wording.")] = 0,
) -> None:
    """Print what the embedded collaborator would say about page A when it wants page B."""
    from colbench.frontend.comparison import differences, to_words
    from colbench.frontend.renderer import Renderer

    with Renderer() as renderer:
        first, second = renderer.render(_read(a)), renderer.render(_read(b))
    typer.echo(printable(to_words(differences(first, second), seed=seed)))


def calibrate(
    measure: Annotated[
        list[str] | None, typer.Option(help="clip, clip_square, layout or efficientnet; repeatable.")
    ] = None,
    tasks: Annotated[str, typer.Option(help="bundled, procedural[:n=N,seed=S,...], hub, or a JSONL file.")] = "bundled",
    split: Annotated[Split, typer.Option(help="Which split.")] = Split.test,
    limit: Annotated[int | None, typer.Option(help="Only the first N pages.")] = None,
    seed: Annotated[int, typer.Option(help="Chooses the other page.")] = 0,
) -> None:
    """Print the floors of each measure: a blank page, a black image, a random other page, and the page itself."""
    from colbench.frontend.calibrate import calibrate as measure_floors
    from colbench.frontend.renderer import Renderer
    from colbench.frontend.similarity import load_similarity

    chosen = choose_tasks(tasks, "frontend", split.value, limit)
    measures = [load_similarity(name) for name in (measure or ["layout"])]
    with Renderer() as renderer:
        pages = list(renderer.render_many(task.ground_truth for task in chosen))
    table = Table(header_style="bold", box=SIMPLE_HEAD)
    table.add_column("measure")
    table.add_column("candidate")
    for column in ("mean [95% interval]", "lowest", "highest"):
        table.add_column(column, justify="right")
    for row in measure_floors(pages, measures, seed):
        table.add_row(row.measure, row.baseline, escape(str(row.interval)), f"{row.lowest:.3f}", f"{row.highest:.3f}")
    console = Console()
    console.print(table)
    console.print(f"{len(pages)} pages of {chosen.name}", highlight=False, markup=False)
