"""Progress of a run: a bar on a terminal, a line now and then in a log file."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from colbench.records import usage_of
from colbench.trajectory import Trajectory
from colbench.usage import Usage

__all__ = ["AgentProgress", "RunProgress"]

_LOG_EVERY_S = 15.0


class RunProgress:
    """Shows how far each agent is, its success so far, its rate, when it will be done, and its failures by kind.

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
    def agent(self, name: str) -> Iterator[AgentProgress]:
        """Context of one agent's run; yields what to tell of each episode."""
        tally = AgentProgress(self._total)
        if self._quiet:
            yield tally
            return
        if not self._console.is_terminal:
            last = time.monotonic()

            def log() -> None:
                nonlocal last
                if time.monotonic() - last > _LOG_EVERY_S:
                    last = time.monotonic()
                    self._console.print(f"{name}: {tally.n}/{self._total} {tally}", markup=False, highlight=False)

            tally.on_change = log
            yield tally
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[tally]}"),
        )
        with Progress(*columns, console=self._console, transient=False) as bar:
            row = bar.add_task(escape(name), total=self._total, tally="")
            tally.on_change = lambda: bar.update(row, completed=tally.n, tally=escape(str(tally)))
            yield tally


class AgentProgress:
    """Counts of one agent's run.

    Args:
        total: episodes asked for.

    Attributes:
        n: episodes that are through, those of earlier starts included.
    """

    def __init__(self, total: int) -> None:
        self.n = 0
        self.on_change: Callable[[], None] = lambda: None
        self._total = total
        self._found = 0
        self._good = 0
        self._score = 0.0
        self._failed: Counter[str] = Counter()
        self._pages = False
        self._usage = Usage()
        self._started = time.monotonic()

    def found(self, trajectory: Trajectory) -> None:
        """An episode of an earlier start; it counts for the mean, not for the rate."""
        self._found += 1
        self.episode(trajectory)
        self._started = time.monotonic()

    def episode(self, trajectory: Trajectory) -> None:
        """An episode that has ended just now."""
        self.n += 1
        self._usage += sum(usage_of(trajectory), Usage())
        if trajectory.failure is not None:
            self._failed[trajectory.failure.boundary] += 1
        else:
            self._good += 1
            self._pages = trajectory.success is None
            self._score += (trajectory.score or 0.0) if self._pages else float(bool(trajectory.success))
        self.on_change()

    def __str__(self) -> str:
        mean = self._score / self._good if self._good else 0.0
        facts = [f"similarity {mean:.3f}" if self._pages else f"success {100 * mean:.1f}%"]
        played = self.n - self._found
        if played:
            rate = played / max(1e-9, time.monotonic() - self._started)
            facts.append(f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min")
            if self.n < self._total:
                facts.append(f"{_duration((self._total - self.n) / rate)} left")
        tokens = self._usage.prompt_tokens + self._usage.completion_tokens
        if tokens:
            facts.append(f"{tokens:,} tokens")
        if self._usage.cost:
            facts.append(f"cost {self._usage.cost:,.3g}")
        facts += [f"{n} {boundary} failed" for boundary, n in self._failed.items()]
        return ", ".join(facts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02}m"
    return f"{minutes}m{rest:02}s" if minutes else f"{rest}s"
