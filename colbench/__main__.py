"""``python -m colbench`` is the ``colbench`` command."""

from colbench.cli import main

main()
