"""Self-contained HTML views; they work from ``file://`` and never run what a dialogue contains."""

from colbench.html.trajectory import trajectory_page

__all__ = ["trajectory_page"]
