"""One answer of a file, with the task it is for; and whether that task can be passed at all.

A reference that does not run, or a call that is no Python, gives every answer a low score. Read as the answer's fault,
that spoils a comparison without anybody noticing.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from colbench.backend.safe_parse import parse_untrusted
from colbench.errors import TaskDataError
from colbench.jsonl import read_lines
from colbench.tasks.schema import entry_point_of

if TYPE_CHECKING:
    from colbench.backend.grading import Grader

__all__ = ["AnswerLine", "read_answers", "reference_fault"]

# What a line may carry to say whose answer it is; copied to the result.
_IDENTITY = ("task_id", "id", "case", "repeat")


@dataclass(frozen=True)
class AnswerLine:
    """A line of the file.

    Attributes:
        where: file and line.
        identity: what the line says about whose answer it is.
        digest: of reference, calls and answer.
        ground_truth: source of the reference.
        test_cases: name -> call expression.
        answer: what the agent said; empty for null.
        null: whether the answer is null.
        entry_point: the asked function, where the line has a request.
    """

    where: str
    identity: dict[str, Any]
    digest: str
    ground_truth: str
    test_cases: dict[str, str]
    answer: str
    null: bool
    entry_point: str | None


def read_answers(source: Path) -> Iterator[AnswerLine]:
    """The answers of a file, in order.

    Raises:
        TaskDataError: with file and line, when a line is not an answer with its task.
    """
    for number, record in read_lines(source):
        yield _answer(record, f"{source}:{number}")


def _answer(record: dict[str, Any], where: str) -> AnswerLine:
    task = record["task"] if isinstance(record.get("task"), dict) and "ground_truth" not in record else record

    def need(name: str, kind: type, holder: dict[str, Any]) -> Any:
        if name not in holder:
            raise TaskDataError(f"{where}: there is no {name!r}; a line needs ground_truth, test_cases and answer")
        value = holder[name]
        if not isinstance(value, kind):
            raise TaskDataError(f"{where}: {name!r} must be a {kind.__name__}, actually: {type(value).__name__}")
        return value

    ground_truth = need("ground_truth", str, task)
    given = need("test_cases", dict, task)
    answer = "" if record.get("answer", ...) is None else need("answer", str, record)
    calls = {name: call for name, call in given.items() if call is not None}
    for name, call in calls.items():
        if not isinstance(call, str):
            raise TaskDataError(f"{where}: call {name!r} must be text, actually: {type(call).__name__}")
    if not calls:
        raise TaskDataError(f"{where}: 'test_cases' holds no call, so there is nothing to grade by")
    blob = json.dumps([ground_truth, calls, answer], separators=(",", ":")).encode()
    description = task.get("problem_description")
    return AnswerLine(
        where=where,
        null=record.get("answer") is None,
        identity={name: record[name] for name in _IDENTITY if name in record},
        digest=hashlib.sha256(blob).hexdigest()[:16],
        ground_truth=ground_truth,
        test_cases=calls,
        answer=answer,
        entry_point=entry_point_of(description, ground_truth) if isinstance(description, str) else None,
    )


def reference_fault(grader: Grader, answer: AnswerLine) -> str:
    """Why not every call of a task can be passed, whatever the answer; empty if all can."""
    results = grader.reference_results(answer.ground_truth, answer.test_cases)
    failed = [
        (name, call, result)
        for (name, call), result in zip(answer.test_cases.items(), results, strict=True)
        if result.status != "value"
    ]
    for name, call, _ in failed:
        if not isinstance(parse_untrusted(f"({call.strip()}\n)"), ast.Module):
            return f"broken: the call {name!r} is not valid Python"
    if not failed:
        return ""
    why = Counter(f"{result.status} {result.detail or ''}".strip() for _, _, result in failed).most_common(1)[0][0]
    if len(failed) == len(results):
        return f"broken: the reference gives no value for any call ({why})"
    return f"broken: the reference gives no value for {len(failed)} of {len(results)} calls ({why})"
