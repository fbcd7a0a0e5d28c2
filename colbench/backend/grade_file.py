"""Grades a JSONL file of answers, line by line, without holding the file in memory and without losing work.

Results go to ``OUT.partial`` as they are known and become ``OUT`` in one step when all are there, so ``OUT`` is never
half a file. Whatever stops the run, the same command goes on where it stopped: each result carries a digest of the
input it is for, and what does not match is graded again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from colbench.errors import ConfigurationError, TaskDataError
from colbench.jsonl import append_line, read_lines, repair_tail
from colbench.tasks.schema import entry_point_of

if TYPE_CHECKING:
    from colbench.backend.grading import GradeJob, Grader
    from colbench.backend.outcomes import GradeResult, GradingMode

__all__ = ["GradedFile", "grade_file"]

# What a line may carry to say whose answer it is; copied to the result.
_IDENTITY = ("task_id", "id", "case", "repeat")


@dataclass(frozen=True)
class GradedFile:
    """What grading a file gave.

    Attributes:
        out: where the results are.
        lines: number of answers.
        resumed: how many of them an earlier, interrupted run had graded.
        mean_score: mean fraction of calls passed; 0 for an empty file.
        successes: answers that passed every call.
        isolation: the levels met, for the table.
    """

    out: Path
    lines: int
    resumed: int
    mean_score: float
    successes: int
    isolation: tuple[str, ...]


@dataclass(frozen=True)
class _Answer:
    identity: dict[str, Any]
    digest: str
    ground_truth: str
    test_cases: dict[str, str]
    answer: str
    entry_point: str | None


def grade_file(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    grading: GradingMode = "strict",
    grader: Grader | None = None,
    on_result: Callable[[int, GradeResult], None] | None = None,
    **grader_options: Any,
) -> GradedFile:
    """Grade every line of a file.

    Args:
        path: JSONL; each line has ``ground_truth`` (source), ``test_cases`` (name -> call, nulls dropped) and
            ``answer`` (text; null for none), either at the top or, all but the answer, inside ``task``. Where there
            is a ``problem_description``, it tells the asked function.
        out: result file; each line has ``score``, ``passed``, ``total``, ``outcomes``, ``grading``, ``isolation``,
            ``versions``, the digest of its input as ``input``, and ``task_id``, ``id``, ``case`` or ``repeat`` of its
            input.
        grading: ``"strict"`` or ``"paper"``.
        grader: a running grader to use (and leave open); None starts one with ``grader_options``.
        on_result: called with the number of the answer (from 1, blank lines not counted) and its result.
        grader_options: passed to :class:`colbench.backend.grading.Grader`.

    Raises:
        TaskDataError: with file and line, when a line cannot be graded; what was graded before it is kept in
            ``OUT.partial``.
        SandboxError: the sandbox cannot be set up or broke; what was graded is kept in the same way.
    """
    source, target = Path(path), Path(out)
    if target.exists() and source.exists() and target.samefile(source):
        raise ConfigurationError(f"the results would overwrite the answers in {source}; give another file as --out")
    partial = target.with_name(target.name + ".partial")
    target.parent.mkdir(parents=True, exist_ok=True)
    tally = _Tally()
    resumed = 0
    own = None
    try:
        if grader is None:
            from colbench.backend.grading import Grader

            grader = own = Grader(grading=grading, **grader_options)
        elif grader.grading != grading:
            raise ConfigurationError(f"grading={grading!r}, but the grader given grades {grader.grading!r}")
        _resume(source, partial, grader, tally)
        resumed = tally.lines
        _grade_rest(source, partial, grader, tally, on_result)
    except BaseException as error:
        if tally.lines and isinstance(error, Exception):
            error.add_note(f"{tally.lines} graded lines are kept in {partial}; the same command goes on from there.")
        raise
    finally:
        if own is not None:
            own.close()
    os.replace(partial, target)
    return GradedFile(
        out=target,
        lines=tally.lines,
        resumed=resumed,
        mean_score=tally.score / tally.lines if tally.lines else 0.0,
        successes=tally.successes,
        isolation=tuple(sorted(tally.isolation)),
    )


class _Tally:
    def __init__(self) -> None:
        self.lines = 0
        self.score = 0.0
        self.successes = 0
        self.isolation: set[str] = set()

    def add(self, record: dict[str, Any]) -> None:
        self.lines += 1
        self.score += record["score"]
        self.successes += record["total"] > 0 and record["passed"] == record["total"]
        self.isolation.add(record["isolation"])


def _answers(source: Path) -> Iterator[_Answer]:
    for number, record in read_lines(source):
        yield _answer(record, f"{source}:{number}")


def _answer(record: dict[str, Any], where: str) -> _Answer:
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
    return _Answer(
        identity={name: record[name] for name in _IDENTITY if name in record},
        digest=hashlib.sha256(blob).hexdigest()[:16],
        ground_truth=ground_truth,
        test_cases=calls,
        answer=answer,
        entry_point=entry_point_of(description, ground_truth) if isinstance(description, str) else None,
    )


def _resume(source: Path, partial: Path, grader: Grader, tally: _Tally) -> None:
    """Count the results of an earlier run that are still true, and cut off whatever follows them."""
    if not partial.exists():
        return
    repair_tail(partial)
    offset = 0
    with partial.open("rb+") as handle:
        for answer in _answers(source):
            line = handle.readline()
            try:
                record = json.loads(line)
                if record["input"] != answer.digest or record["grading"] != grader.grading:
                    break
                if record["versions"] != grader.versions:
                    break
                tally.add(record)
            except (ValueError, KeyError, TypeError):
                break
            offset += len(line)
        handle.truncate(offset)


def _grade_rest(
    source: Path,
    partial: Path,
    grader: Grader,
    tally: _Tally,
    on_result: Callable[[int, GradeResult], None] | None,
) -> None:
    # Answers wait here between being handed to the grader and coming back; the grader bounds how many that are.
    waiting: deque[_Answer] = deque()
    failure: list[Exception] = []
    skip = tally.lines

    def jobs() -> Iterator[GradeJob]:
        from colbench.backend.grading import GradeJob

        try:
            for number, answer in enumerate(_answers(source)):
                if number < skip:
                    continue
                waiting.append(answer)
                yield GradeJob(
                    ground_truth=answer.ground_truth,
                    test_cases=answer.test_cases,
                    answer=answer.answer,
                    entry_point=answer.entry_point,
                )
        except TaskDataError as error:
            # The answers before this line are still under way: their results come first, the error after them.
            failure.append(error)

    with partial.open("ab") as handle:
        for result in grader.grade_many(jobs()):
            answer = waiting.popleft()
            record = {**answer.identity, **result.to_json(), "input": answer.digest}
            append_line(handle, record)
            tally.add(record)
            if on_result is not None:
                on_result(tally.lines, result)
        handle.flush()
        os.fsync(handle.fileno())
    if failure:
        raise failure[0]
