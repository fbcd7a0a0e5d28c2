"""Grades a JSONL file of answers, line by line, without holding the file in memory and without losing work.

Results go to ``OUT.partial`` as they are known and become ``OUT`` in one step when all are there, so ``OUT`` is never
half a file. Whatever stops the run, the same command goes on where it stopped: each result carries a digest of the
input it is for, and what does not match is graded again.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from colbench.backend.answer_lines import AnswerLine, read_answers, reference_fault
from colbench.errors import ConfigurationError, TaskDataError
from colbench.jsonl import append_line, repair_tail

if TYPE_CHECKING:
    from colbench.backend.grading import GradeJob, Grader
    from colbench.backend.outcomes import GradeResult, GradingMode

__all__ = ["GradedFile", "grade_file"]


@dataclass(frozen=True)
class GradedFile:
    """What grading a file gave.

    Attributes:
        out: where the results are.
        lines: number of answers.
        resumed: how many of them an earlier, interrupted run had graded.
        mean_score: mean fraction of calls passed.
        successes: answers that passed every call.
        isolation: the levels met, for the table.
        nulls: answers that are null.
        broken: answers whose reference gives no value for some call, so that no answer can pass it.
        first_broken: file, line and fault of the first of them; empty if there is none.
        already: whether ``out`` held all these results before, and nothing was run.
    """

    out: Path
    lines: int
    resumed: int
    mean_score: float
    successes: int
    isolation: tuple[str, ...]
    nulls: int = 0
    broken: int = 0
    first_broken: str = ""
    already: bool = False


def grade_file(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    grading: GradingMode = "strict",
    grader: Grader | None = None,
    overwrite: bool = False,
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
            input. Where the reference itself gives no value for some call, ``reference`` says so: the score is then
            the task's fault. A file that holds the results of this input already is left as it is.
        grading: ``"strict"`` or ``"paper"``.
        grader: a running grader to use (and leave open); None starts one with ``grader_options``.
        overwrite: replace ``out`` if it is there, whatever it holds.
        on_result: called with the number of the answer (from 1, blank lines not counted) and its result.
        grader_options: passed to :class:`colbench.backend.grading.Grader`.

    Raises:
        ConfigurationError: ``out`` holds something else, or cannot be written.
        TaskDataError: with file and line, when a line cannot be graded; what was graded before it is kept in
            ``OUT.partial``. Also when the file holds no answers.
        SandboxError: the sandbox cannot be set up or broke; what was graded is kept in the same way.
    """
    source, target = Path(path), Path(out)
    if next(read_answers(source), None) is None:
        raise TaskDataError(f"{source}: holds no answers; expected one JSON object per line")
    _check_target(source, target, overwrite)
    partial = target.with_name(target.name + ".partial")
    tally = _Tally()
    resumed = 0
    own = None
    try:
        if grader is None:
            from colbench.backend.grading import Grader

            grader = own = Grader(grading=grading, **grader_options)
        elif grader.grading != grading:
            raise ConfigurationError(f"grading={grading!r}, but the grader given grades {grader.grading!r}")
        if target.exists() and not overwrite:
            _take_over(source, target, grader, tally)
            return tally.summary(target, resumed=tally.lines, already=True)
        _make_writable(partial)
        _resume(source, partial, grader, tally)
        resumed = tally.lines
        _grade_rest(source, partial, grader, tally, on_result)
        os.replace(partial, target)
    except BaseException as error:
        if partial.is_file() and not partial.stat().st_size:
            partial.unlink()
        elif tally.lines and isinstance(error, Exception) and partial.exists():
            error.add_note(f"{tally.lines} graded lines are kept in {partial}; the same command goes on from there.")
        raise
    finally:
        if own is not None:
            own.close()
    return tally.summary(target, resumed=resumed)


def _check_target(source: Path, target: Path, overwrite: bool) -> None:
    if target.is_dir():
        raise ConfigurationError(
            f"--out {target} is a folder; give the file to write, for example {target / 'out.jsonl'}"
        )
    if not target.exists():
        return
    if target.samefile(source):
        raise ConfigurationError(f"the results would overwrite the answers in {source}; give another file as --out")
    if not target.is_file():
        raise ConfigurationError(f"--out {target} is no regular file, so it cannot be replaced by the results")
    if not overwrite and not _holds(source, target):
        raise ConfigurationError(
            f"{target} is there already and does not hold the results of {source}; nothing was changed. "
            "Give another --out, or --overwrite to replace it"
        )


def _holds(source: Path, target: Path) -> bool:
    """Whether a file has one result for each answer of the input, in its order."""
    with target.open("rb") as handle:
        for answer in read_answers(source):
            if _record(handle.readline()).get("input") != answer.digest:
                return False
        return not handle.read(1)


def _take_over(source: Path, target: Path, grader: Grader, tally: _Tally) -> None:
    """Count the results that ``target`` holds of this input; refuse those that this grader would not have given."""
    with target.open("rb") as handle:
        for answer in read_answers(source):
            record = _record(handle.readline())
            for name, now in (("grading", grader.grading), ("versions", grader.versions)):
                if record.get(name) != now:
                    raise ConfigurationError(
                        f"{target} holds the results of {source} under {name} {record.get(name)!r}, now {now!r}; "
                        "nothing was changed. Give another --out, or --overwrite to grade again"
                    )
            try:
                tally.add(record, answer)
            except (KeyError, TypeError):
                raise ConfigurationError(
                    f"{target}:{tally.lines + 1}: not a whole result; give --overwrite to grade again"
                ) from None


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _make_writable(partial: Path) -> None:
    """Make the folder and try to open the file, before anything is graded."""
    try:
        partial.parent.mkdir(parents=True, exist_ok=True)
        partial.open("ab").close()
    except OSError as problem:
        raise ConfigurationError(
            f"{partial.with_suffix('')} cannot be written: {problem.filename}: {problem.strerror}; give another --out"
        ) from None


class _Tally:
    def __init__(self) -> None:
        self.lines = 0
        self.score = 0.0
        self.successes = 0
        self.isolation: set[str] = set()
        self.nulls = 0
        self.broken = 0
        self.first_broken = ""

    def add(self, record: dict[str, Any], answer: AnswerLine) -> None:
        score, success = float(record["score"]), record["total"] > 0 and record["passed"] == record["total"]
        self.isolation.add(record["isolation"])
        self.lines += 1
        self.score += score
        self.successes += success
        self.nulls += answer.null
        if "reference" in record:
            self.broken += 1
            self.first_broken = self.first_broken or f"{answer.where}: {record['reference']}"

    def summary(self, out: Path, *, resumed: int, already: bool = False) -> GradedFile:
        return GradedFile(
            out=out,
            lines=self.lines,
            resumed=resumed,
            mean_score=self.score / self.lines if self.lines else 0.0,
            successes=self.successes,
            isolation=tuple(sorted(self.isolation)),
            nulls=self.nulls,
            broken=self.broken,
            first_broken=self.first_broken,
            already=already,
        )


def _resume(source: Path, partial: Path, grader: Grader, tally: _Tally) -> None:
    """Count the results of an earlier run that are still true, and cut off whatever follows them."""
    if not partial.exists():
        return
    repair_tail(partial)
    offset = 0
    with partial.open("rb+") as handle:
        for answer in read_answers(source):
            line = handle.readline()
            try:
                record = json.loads(line)
                if record["input"] != answer.digest or record["grading"] != grader.grading:
                    break
                if record["versions"] != grader.versions:
                    break
                tally.add(record, answer)
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
    waiting: deque[AnswerLine] = deque()
    failure: list[Exception] = []
    skip = tally.lines

    def jobs() -> Iterator[GradeJob]:
        from colbench.backend.grading import GradeJob

        try:
            for number, answer in enumerate(read_answers(source)):
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
            fault = reference_fault(grader, answer)
            if fault:
                record["reference"] = fault
            append_line(handle, record)
            tally.add(record, answer)
            if on_result is not None:
                on_result(tally.lines, result)
        handle.flush()
        os.fsync(handle.fileno())
    if failure:
        raise failure[0]
