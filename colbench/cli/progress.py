"""Progress of a run: a bar on a terminal, a line now and then in a log file."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from colbench.trajectory import Trajectory

__all__ = ["RunProgress"]

_LOG_EVERY_S = 15.0


class RunProgress:
    """Shows how far each agent is, its success so far, its rate and its failures by kind.

    Args:
        console: where to print.
        total: episodes per agent.
        quiet: print nothing.
    """

    def __init__(self, console: Console, total: int, quiet: bool = False) -> None:
        self._console = console
        self._total = total
        self._quiet = quiet

    @contextmanager
    def agent(self, name: str) -> Iterator[Callable[[Trajectory], None]]:
        """Context of one agent's run; yields the function to call after each episode."""
        tally = _Tally()
        if self._quiet:
            yield tally.add
            return
        if not self._console.is_terminal:
            last = time.monotonic()

            def log(trajectory: Trajectory) -> None:
                nonlocal last
                tally.add(trajectory)
                if time.monotonic() - last > _LOG_EVERY_S:
                    last = time.monotonic()
                    self._console.print(f"{name}: {tally.n}/{self._total} {tally}", markup=False, highlight=False)

            yield log
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[tally]}"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self._console, transient=False) as bar:
            row = bar.add_task(escape(name), total=self._total, tally="")

            def show(trajectory: Trajectory) -> None:
                tally.add(trajectory)
                bar.update(row, advance=1, tally=escape(str(tally)))

            yield show


class _Tally:
    def __init__(self) -> None:
        self.n = 0
        self.good = 0
        self.score = 0.0
        self.failed: Counter[str] = Counter()
        self.pages = False
        self.started = time.monotonic()

    def add(self, trajectory: Trajectory) -> None:
        self.n += 1
        if trajectory.failure is not None:
            self.failed[trajectory.failure.boundary] += 1
            return
        self.good += 1
        self.pages = trajectory.success is None
        self.score += (trajectory.score or 0.0) if self.pages else float(bool(trajectory.success))

    def __str__(self) -> str:
        rate = self.n / max(1e-9, time.monotonic() - self.started)
        mean = self.score / self.good if self.good else 0.0
        shown = f"similarity {mean:.3f}" if self.pages else f"success {100 * mean:.1f}%"
        broken = "".join(f", {n} {boundary} failed" for boundary, n in self.failed.items())
        return f"{shown}, {rate:.1f}/s{broken}"
