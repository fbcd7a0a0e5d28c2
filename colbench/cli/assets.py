"""``colbench assets``: fetches the files that pages ask for, once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

__all__ = ["app"]

app = typer.Typer(help="Files that pages ask for (Tailwind), kept in a cache.", no_args_is_help=True)


@app.command("install")
def install(
    tailwind3: Annotated[
        Path | None, typer.Option(help="Your copy of the Tailwind 3 script build, for pages that use its CDN.")
    ] = None,
) -> None:
    """Fill the cache: with npm where it is there, else from the network that the pages name; checked by checksum."""
    from colbench.frontend.assets import install_assets

    console = Console()
    for name, path, how in install_assets(tailwind3):
        console.print(f"{name}: {path} ({how})", highlight=False, markup=False, soft_wrap=True)
