"""The ``colbench`` command line; one module per command, heavy imports inside the commands."""

from colbench.cli.app import app, main

__all__ = ["app", "main"]
