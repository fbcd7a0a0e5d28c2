"""Checks a file of tasks before anybody trains or is graded on it.

A reference that fails its own calls, depends on chance, or cannot be told from another makes every score meaningless,
and nobody notices. Each finding names the line.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from colbench.errors import TaskDataError
from colbench.jsonl import read_lines
from colbench.tasks.schema import BackendTask, Task
from colbench.tasks.taskset import Kind, task_from_record
from colbench.text import is_plain_line

if TYPE_CHECKING:
    from colbench.backend.grading import Grader

__all__ = ["Finding", "Severity", "validate_file", "validate_task"]

Severity = Literal["error", "warning"]
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
    severity: Severity
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
    lines = 0
    try:
        for line, record in read_lines(path):
            lines += 1
            try:
                task = task_from_record(record, kind, default_id=f"{path.stem}-{line:05d}", where=f"{path}:{line}")
            except TaskDataError as problem:
                text = str(problem).removeprefix(f"{path}:{line}: ")
                yield Finding(str(path), line, _shown_id(record.get("task_id", "?")), "error", text)
                continue
            messages: list[tuple[Severity, str]] = [("warning", text) for text in _misspelt(record, type(task))]
            if task.task_id in seen:
                messages.append(("error", f"the id stands already in line {seen[task.task_id]}"))
            if task.problem_description in requests:
                messages.append(("warning", f"the request stands already in line {requests[task.problem_description]}"))
            seen.setdefault(task.task_id, line)
            requests.setdefault(task.problem_description, line)
            if _words(task.ground_truth) in _words(task.problem_description):
                messages.append(("warning", "the request contains the whole reference, which is to be found by asking"))
            if isinstance(task, BackendTask):
                if grader is None:
                    from colbench.backend.grading import Grader

                    grader = Grader(**grader_options)
                messages += validate_task(task, grader)
            else:
                messages += _page(task)
            for severity, message in messages:
                yield Finding(str(path), line, task.task_id, severity, message)
        if not lines:
            raise TaskDataError(f"{path}: holds no task; expected one JSON object per line")
    finally:
        if grader is not None:
            grader.close()


def validate_task(task: BackendTask, grader: Grader) -> Iterator[tuple[Severity, str]]:
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
        names = _called(call)
        if names is None:
            yield "error", f"{name!r} is not a Python expression: {call!r}"
        elif entry_point not in names:
            yield "warning", f"{name!r} does not call {entry_point!r}: {call!r}"
    # Two seeds: of the random module and of the hash, so that an order of a set shows.
    try:
        first = grader.evaluate(task.ground_truth, task.calls, entry_point, random_seed=0, hash_seed=0)
    except TaskDataError:
        yield "error", f"the reference does not define {entry_point!r}, which the request asks for"
        return
    second = grader.evaluate(task.ground_truth, task.calls, entry_point, random_seed=1, hash_seed=1)
    distinct: list[Any] = []
    for (name, call), one, two in zip(task.test_cases.items(), first, second, strict=True):
        if one.status != "value":
            detail = f" ({one.detail})" if one.detail else ""
            yield "error", f"the reference fails {name!r}, {call!r}: {one.status}{detail}"
        elif one.is_none:
            yield "error", f"the reference returns None for {name!r}, {call!r}; None never counts in paper grading"
        elif not one.equal(two):
            yield "error", f"the reference gives another result for {name!r}, {call!r}, under another seed"
        elif not any(one.equal(other) for other in distinct):
            distinct.append(one)
    if all(one.status == "value" for one in first) and len(distinct) < min(_FEW_RESULTS, len(first)):
        severity: Severity = "error" if len(distinct) <= 1 else "warning"
        yield severity, f"the calls hardly tell solutions apart: {len(distinct)} distinct results of {len(first)}"


def _shown_id(value: Any) -> str:
    """An id as it can stand in one line of a terminal."""
    return value if isinstance(value, str) and value and is_plain_line(value) else f"{value!r:.60}"


def _misspelt(record: Mapping[str, Any], cls: type[Task]) -> Iterator[str]:
    """Fields that nothing reads and that look like one that is read."""
    known = [name for name in cls.model_fields if name != "kind"]
    for name in record:
        near = get_close_matches(name, known, n=1, cutoff=0.8)
        if near and name not in known:
            yield f"the field {name!r} is not read; is it {near[0]!r}?"


def _words(text: str) -> str:
    return " ".join(text.split())


def _called(expression: str) -> set[str] | None:
    """Names that an expression calls; None if it cannot be parsed."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}


def _page(task: Task) -> Iterator[tuple[Severity, str]]:
    if "<" not in task.ground_truth:
        yield "error", "the reference holds no HTML"
    elif "<body" not in task.ground_truth.lower():
        yield "warning", "the reference has no <body>"
