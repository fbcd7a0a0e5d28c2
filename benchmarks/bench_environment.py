"""What the environment itself costs: importing the package, and a step without grading.

Run as ``python -m benchmarks.bench_environment``. A step is the agent's message, the embedded collaborator's reply and
the new observation; the answer, which is graded, is not in it.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

import gymnasium as gym
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

QUESTIONS = (
    "What keys does the input have?",
    "Which thresholds matter?",
    "What happens when the input is empty?",
    "How is the result rounded?",
    "What exactly is returned?",
)


def import_seconds(statement: str, times: int = 7) -> float:
    """Median wall time of a fresh interpreter that runs a statement, in seconds."""
    seen = []
    for _ in range(times):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        seen.append(time.perf_counter() - started)
    return statistics.median(seen)


def step_milliseconds(source: str, episodes: int = 100) -> list[float]:
    """Wall time of every question's step over some episodes, in milliseconds."""
    env = gym.make("ColBench-Backend-v0", tasks=source, split="test", disable_env_checker=True)
    seen = []
    for seed in range(episodes):
        env.reset(seed=seed)
        for question in QUESTIONS:
            started = time.perf_counter()
            env.step(question)
            seen.append(1000 * (time.perf_counter() - started))
    env.close()
    return seen


def main() -> None:
    """Print the table."""
    import colbench  # noqa: F401

    table = Table(header_style="bold", box=SIMPLE_HEAD)
    table.add_column("what")
    table.add_column("median", justify="right")
    table.add_column("p99", justify="right")
    bare, full = import_seconds("import gymnasium"), import_seconds("import colbench")
    table.add_row("import gymnasium", f"{bare:.2f} s", "")
    table.add_row("import colbench", f"{full:.2f} s", "")
    for source in ("bundled", "procedural:n=200"):
        seen = sorted(step_milliseconds(source))
        table.add_row(f"step, {source}", f"{statistics.median(seen):.2f} ms", f"{seen[int(0.99 * len(seen))]:.2f} ms")
    Console().print(table)


if __name__ == "__main__":
    main()
