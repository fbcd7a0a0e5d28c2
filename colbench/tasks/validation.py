"""Checks a file of tasks before anybody trains or is graded on it.

A reference that fails its own calls, depends on chance, or cannot be told from another makes every score meaningless,
and nobody notices. Each finding names the line.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from colbench.errors import TaskDataError
from colbench.jsonl import read_lines
from colbench.tasks.schema import BackendTask, Task
from colbench.tasks.taskset import Kind, task_from_record

if TYPE_CHECKING:
    from colbench.backend.grading import Grader

__all__ = ["Finding", "validate_file", "validate_task"]

_FEW_RESULTS = 3


@dataclass(frozen=True)
class Finding:
    """Something wrong with a task.

    Attributes:
        file: the file.
        line: number of the line, from 1.
        task_id: the task, where it could be read.
        severity: ``error`` (cannot be graded fairly) or ``warning``.
        message: what is wrong.
    """

    file: str
    line: int
    task_id: str
    severity: Literal["error", "warning"]
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.severity}: {self.task_id}: {self.message}"


def validate_file(path: str | Path, *, kind: Kind = "backend", **grader_options: Any) -> Iterator[Finding]:
    """Check every task of a file; goes on after a bad line.

    Args:
        path: JSONL in the published format.
        kind: which environment the tasks are for.
        grader_options: passed to :class:`colbench.backend.grading.Grader`.

    Raises:
        TaskDataError: when the file cannot be read at all, or a line is not JSON.
    """
    path = Path(path)
    seen: dict[str, int] = {}
    requests: dict[str, int] = {}
    grader: Grader | None = None
    try:
        for line, record in read_lines(path):
            try:
                task = task_from_record(record, kind, default_id=f"{path.stem}-{line:05d}", where=f"{path}:{line}")
            except TaskDataError as problem:
                text = str(problem).removeprefix(f"{path}:{line}: ")
                yield Finding(str(path), line, str(record.get("task_id", "?")), "error", text)
                continue
            messages: list[tuple[Literal["error", "warning"], str]] = []
            if task.task_id in seen:
                messages.append(("error", f"the id stands already in line {seen[task.task_id]}"))
            if task.problem_description in requests:
                messages.append(("warning", f"the request stands already in line {requests[task.problem_description]}"))
            seen.setdefault(task.task_id, line)
            requests.setdefault(task.problem_description, line)
            if isinstance(task, BackendTask):
                if grader is None:
                    from colbench.backend.grading import Grader

                    grader = Grader(**grader_options)
                messages += validate_task(task, grader)
            else:
                messages += _page(task)
            for severity, message in messages:
                yield Finding(str(path), line, task.task_id, severity, message)
        if not seen:
            raise TaskDataError(f"{path}: holds no task that can be read")
    finally:
        if grader is not None:
            grader.close()


def validate_task(task: BackendTask, grader: Grader) -> Iterator[tuple[Literal["error", "warning"], str]]:
    """Check one backend task: the reference passes its own calls, twice alike, never None, and the calls tell apart.

    Yields:
        Severity and message of each finding.
    """
    if "def " not in task.problem_description:
        yield "warning", "the request does not end with the signature of the function"
    for name, count in Counter(task.calls).items():
        if count > 1:
            yield "warning", f"the call {name!r} stands {count} times"
    entry_point = task.entry_point
    for name, call in task.test_cases.items():
        if not _calls(call, entry_point):
            yield "warning", f"{name} does not call {entry_point!r}: {call!r}"
    # Two seeds: of the random module and of the hash, so that an order of a set shows.
    first = grader.evaluate(task.ground_truth, task.calls, entry_point, random_seed=0, hash_seed=0)
    second = grader.evaluate(task.ground_truth, task.calls, entry_point, random_seed=1, hash_seed=1)
    distinct: list[Any] = []
    for (name, call), one, two in zip(task.test_cases.items(), first, second, strict=True):
        if one.status != "value":
            detail = f" ({one.detail})" if one.detail else ""
            yield "error", f"the reference fails {name}, {call!r}: {one.status}{detail}"
        elif one.is_none:
            yield "error", f"the reference returns None for {name}, {call!r}; None never counts in paper grading"
        elif not one.equal(two):
            yield "error", f"the reference gives another result for {name}, {call!r}, under another seed"
        elif not any(one.equal(other) for other in distinct):
            distinct.append(one)
    if all(one.status == "value" for one in first) and len(distinct) < min(_FEW_RESULTS, len(first)):
        severity: Literal["error", "warning"] = "error" if len(distinct) <= 1 else "warning"
        yield severity, f"the calls hardly tell solutions apart: {len(distinct)} distinct results of {len(first)}"


def _calls(expression: str, name: str | None) -> bool:
    try:
        tree = ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name for n in ast.walk(tree))


def _page(task: Task) -> Iterator[tuple[Literal["error", "warning"], str]]:
    if "<" not in task.ground_truth:
        yield "error", "the reference holds no HTML"
    elif "<body" not in task.ground_truth.lower():
        yield "warning", "the reference has no <body>"
