"""Graded tasks per second: the sandbox beside a scorer that runs answers in its own process, in one run.

All take turns on slices of the same 200 tasks, so that other work on the machine falls on all of them alike:

- unsafe, one process: the published scorer's semantics (reference and answer compiled and run again for every call, in
  the process that judges), ours in every line, for measuring only;
- unsafe, one process per core: the same, as a pool, which is the fair comparison for a grader that uses all cores;
- sandbox, cold: full isolation, no reference result known;
- sandbox, cached: the same tasks again, as in training, where many answers meet the same task;
- floor: fork, a byte through a pipe, wait, once per task in as many processes as there are cores.

A second batch holds 5 % answers that never return. Run it with
``python -m benchmarks.bench_grading [--tasks 200] [--rounds 3] [--grading strict] [--no-hanging] [--json FILE]``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from colbench.backend.audit.unsafe import unsafe_score
from colbench.backend.grading import GradeJob, Grader
from colbench.tasks import load_tasks
from colbench.tasks.schema import BackendTask

_SLICE = 50
_FLOOR = """
import os, sys, time
n = int(sys.argv[1])
start = time.perf_counter()
for _ in range(n):
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(w, b"x")
        os._exit(0)
    os.read(r, 1)
    os.waitpid(pid, 0)
    os.close(r)
    os.close(w)
print(time.perf_counter() - start)
"""


def sample_tasks(count: int) -> list[BackendTask]:
    """The bundled tasks, filled up with procedural ones."""
    tasks = [task for split in ("train", "test") for task in load_tasks("bundled", split=split)]
    if len(tasks) < count:
        tasks += load_tasks(f"procedural:n={count - len(tasks)},seed=11", split="train")
    return [task for task in tasks if isinstance(task, BackendTask)][:count]


def sample_answer(task: BackendTask, rng: random.Random) -> str:
    """What agents say: mostly right code in a fence, some nearly right, some broken, some only prose."""
    kind = rng.random()
    code = task.ground_truth.rstrip()
    if kind < 0.25:
        numbers = list(re.finditer(r"(?<![\w.])\d+(?![\w.])", code))
        if numbers:
            found = rng.choice(numbers)
            code = code[: found.start()] + str(int(found[0]) + 1) + code[found.end() :]
    elif kind < 0.32:
        code = code[: int(len(code) * rng.uniform(0.3, 0.9))]
    elif kind < 0.37:
        return "I would compare the values first and then decide; could you tell me more?"
    return f"Here is the function.\n\n```python\n{code}\n```\n\nIt follows what you told me."


def hanging_answer(task: BackendTask, number: int) -> str:
    """An answer that never returns: by turns a loop in Python, one in C, and a sleep."""
    name = task.entry_point or "answer"
    body = (
        "    while True:\n        pass",
        "    return sum(range(10**15))",
        "    import time\n    time.sleep(10**6)",
    )[number % 3]
    return f"```python\ndef {name}(*args, **kwargs):\n{body}\n```"


@dataclass
class Clock:
    """Seconds and tasks of one contestant."""

    tasks: int = 0
    seconds: float = 0.0
    slices: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Tasks per second."""
        return self.tasks / self.seconds if self.seconds else float("nan")

    def times(self, other: Clock) -> float:
        """How many times faster than the other: the median over slices run next to each other."""
        return statistics.median(theirs / mine for mine, theirs in zip(self.slices, other.slices, strict=True))

    def run(self, count: int, work: Callable[[], Sequence[float]]) -> None:
        """Time one slice."""
        start = time.perf_counter()
        self.scores += work()
        self.add(count, time.perf_counter() - start)

    def add(self, count: int, seconds: float) -> None:
        """Take in a slice that was timed elsewhere."""
        self.tasks += count
        self.seconds += seconds
        self.slices.append(seconds)


def _unsafe(job: tuple[str, dict[str, str], str]) -> float:
    # A pool's worker has its standard output to itself, but prints of an answer would still spoil the table.
    with open(os.devnull, "w") as null:
        keep, sys.stdout = sys.stdout, null
        try:
            return unsafe_score(*job)
        finally:
            sys.stdout = keep


def _unsafe_all(jobs: Sequence[tuple[str, dict[str, str], str]]) -> list[float]:
    return [_unsafe(job) for job in jobs]


def _unsafe_pool(pool: ProcessPoolExecutor, jobs: Sequence[tuple[str, dict[str, str], str]]) -> list[float]:
    return list(pool.map(_unsafe, jobs, chunksize=4))


def _sandboxed(grader: Grader, jobs: Sequence[GradeJob]) -> list[float]:
    return [result.score for result in grader.grade_many(jobs)]


def _floor(count: int, cores: int) -> float:
    """Seconds for ``count`` forks spread over the cores, measured inside."""
    command = [sys.executable, "-S", "-c", _FLOOR, str(max(1, count // cores))]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(cores)]
    return max(float(process.communicate()[0]) for process in processes)


def _jobs(tasks: Sequence[BackendTask], answers: Sequence[str], mark: str = "") -> list[GradeJob]:
    """A mark in a comment makes every reference a new one for the cache, and nothing else."""
    return [
        GradeJob(task.ground_truth + (f"\n# {mark}\n" if mark else ""), task.test_cases, answer, task.entry_point)
        for task, answer in zip(tasks, answers, strict=True)
    ]


def compare(grader: Grader, tasks: Sequence[BackendTask], answers: Sequence[str], rounds: int) -> dict[str, Clock]:
    """Let all contestants take turns on slices of the tasks."""
    cores = grader.workers
    clocks = {name: Clock() for name in ("unsafe", "unsafe pool", "cold", "cached", "floor")}
    with ProcessPoolExecutor(cores, mp_context=multiprocessing.get_context("fork")) as pool:
        raw = [(task.ground_truth, task.test_cases, answer) for task, answer in zip(tasks, answers, strict=True)]
        # Everybody warms up on the first slice, uncounted.
        list(pool.map(_unsafe, raw[:_SLICE]))
        list(grader.grade_many(_jobs(tasks[:_SLICE], answers[:_SLICE], "warm")))
        for number in range(rounds):
            for start in range(0, len(tasks), _SLICE):
                part = slice(start, start + _SLICE)
                marked = _jobs(tasks[part], answers[part], f"round {number}")
                turns = {
                    "unsafe": partial(_unsafe_all, raw[part]),
                    "unsafe pool": partial(_unsafe_pool, pool, raw[part]),
                    "cold": partial(_sandboxed, grader, marked),
                    "cached": partial(_sandboxed, grader, marked),
                }
                for name in ("cold", "cached", "unsafe", "unsafe pool") if number % 2 else turns:
                    clocks[name].run(len(marked), turns[name])
                clocks["floor"].add(len(marked), _floor(len(marked), cores))
    return clocks


def compare_hanging(grader: Grader, tasks: Sequence[BackendTask], answers: Sequence[str]) -> dict[str, Clock]:
    """The batch in which every twentieth answer never returns; the published scorer has a limit of 1 s a call."""
    spoiled = [
        hanging_answer(task, at // 20) if at % 20 == 7 else answer
        for at, (task, answer) in enumerate(zip(tasks, answers, strict=True))
    ]
    # A loop inside C cannot be interrupted by the unsafe scorer at all, so it gets a Python loop instead.
    stoppable = [text.replace("return sum(range(10**15))", "while True: pass") for text in spoiled]
    clocks = {name: Clock() for name in ("unsafe", "unsafe pool", "sandbox")}
    raw = [(task.ground_truth, task.test_cases, answer) for task, answer in zip(tasks, stoppable, strict=True)]
    with ProcessPoolExecutor(grader.workers, mp_context=multiprocessing.get_context("fork")) as pool:
        clocks["unsafe pool"].run(len(raw), partial(_unsafe_pool, pool, raw))
    jobs = _jobs(tasks, spoiled, "hanging")
    clocks["sandbox"].run(len(jobs), partial(_sandboxed, grader, jobs))
    clocks["unsafe"].run(len(raw), partial(_unsafe_all, raw))
    return clocks


def _table(title: str, clocks: dict[str, Clock], names: dict[str, str]) -> Table:
    table = Table(title=title, header_style="bold")
    table.add_column("contestant")
    for column in ("tasks/s", "x unsafe", "x unsafe per core"):
        table.add_column(column, justify="right")
    for key, label in names.items():
        ratios = [f"{clocks[key].times(clocks[other]):.2f}" for other in ("unsafe", "unsafe pool")]
        table.add_row(label, f"{clocks[key].rate:.0f}", *ratios)
    return table


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--grading", choices=("strict", "paper"), default="strict")
    parser.add_argument("--no-hanging", action="store_true", help="leave out the batch with answers that never return")
    parser.add_argument("--json", type=Path, help="write the numbers to this file as well")
    options = parser.parse_args(argv)

    console = Console(width=100 if not sys.stdout.isatty() else None)
    tasks = sample_tasks(options.tasks)
    rng = random.Random(20_240_602)
    answers = [sample_answer(task, rng) for task in tasks]
    record: dict[str, Any] = {"tasks": len(tasks), "calls": sum(len(task.calls) for task in tasks)}
    with Grader(options.grading, workers=options.workers, allow_weaker=True) as grader:
        record |= {
            "isolation": grader.isolation,
            "grading": grader.grading,
            "versions": grader.versions,
            "workers": grader.workers,
            "machine": f"{platform.system()} {platform.release()} {platform.machine()}",
        }
        console.print(
            f"{len(tasks)} tasks, {record['calls']} calls; grading {grader.grading}, isolation {grader.isolation}, "
            f"{grader.workers} workers, Python {grader.versions['python']}, {record['machine']}",
            highlight=False,
        )
        clocks = compare(grader, tasks, answers, options.rounds)
        labels = {
            "unsafe": "unsafe in-process scorer, one process",
            "unsafe pool": f"unsafe in-process scorer, {grader.workers} processes",
            "cold": f"sandbox ({grader.isolation}), cold",
            "cached": f"sandbox ({grader.isolation}), references cached",
            "floor": "floor: fork + pipe + wait",
        }
        console.print(_table("ordinary answers", clocks, labels))
        means = {name: sum(c.scores) / len(c.scores) for name, c in clocks.items() if c.scores}
        console.print("mean score: " + ", ".join(f"{name} {mean:.3f}" for name, mean in means.items()), highlight=False)
        record["tasks_per_second"] = {name: round(clock.rate, 1) for name, clock in clocks.items()}
        record["times_unsafe_per_core"] = {n: round(c.times(clocks["unsafe pool"]), 3) for n, c in clocks.items()}
        record["mean_score"] = means
        if not options.no_hanging:
            hanging = compare_hanging(grader, tasks[: max(20, len(tasks) // 2)], answers[: max(20, len(tasks) // 2)])
            names = {"unsafe": labels["unsafe"], "unsafe pool": labels["unsafe pool"], "sandbox": labels["cold"]}
            console.print(_table("5 % of the answers never return", hanging, names))
            record["hanging_tasks_per_second"] = {name: round(clock.rate, 2) for name, clock in hanging.items()}
    if options.json:
        options.json.write_text(json.dumps(record, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
