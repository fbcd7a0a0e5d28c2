"""Grades the answers of a finished run again, in another mode or by a newer grader, without asking any model.

What was said stays; only the verdicts change. The result is a run's folder of its own, so that both can be compared and
nothing is overwritten; a task that was edited since it was played is refused, since its verdict would be about another
question.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from colbench.dialogue import Dialogue
from colbench.errors import ColBenchError, ConfigurationError
from colbench.jsonl import write_lines
from colbench.judge import Judge, Verdict
from colbench.records import Key, Records
from colbench.run_folder import RunFolder, config_hash, read_configuration
from colbench.run_tasks import check_tasks, task_of
from colbench.tasks.schema import Task
from colbench.tasks.taskset import TaskSet
from colbench.trajectory import Failure, Trajectory
from colbench.version import __version__

__all__ = ["CHANGES", "Change", "Regraded", "regrade"]

CHANGES = "changes.jsonl"
"""Name of the list of changed verdicts in the new folder."""


@dataclass(frozen=True)
class Change:
    """One verdict that is not what it was.

    Attributes:
        task_id: the task.
        repeat: number of the repetition.
        score: before and after; None where the episode had none.
        success: before and after; None for pages.
        calls: numbers of the calls, from 1, whose outcome changed (backend).
    """

    task_id: str
    repeat: int
    score: tuple[float | None, float | None]
    success: tuple[bool | None, bool | None]
    calls: tuple[int, ...] = ()


@dataclass(frozen=True)
class Regraded:
    """What grading again gave.

    Attributes:
        out: the new folder.
        episodes: episodes with a verdict.
        copied: failed episodes without an answer, taken over as they are.
        failed: episodes that could not be graded this time.
        changes: verdicts that differ.
    """

    out: Path
    episodes: int
    copied: int
    failed: int
    changes: list[Change]


async def regrade(
    run: str | Path,
    out: str | Path,
    judge: Judge,
    tasks: TaskSet,
    *,
    concurrency: int = 16,
    on_episode: Callable[[Trajectory], None] | None = None,
) -> Regraded:
    """Grade every answer of a run again.

    Args:
        run: the run's folder; it is only read.
        out: folder of the new run; the same call continues one that was interrupted.
        judge: grades.
        tasks: the tasks of the run.
        concurrency: answers graded at once.
        on_episode: called with each new record.

    Raises:
        ConfigurationError: a task has changed, or ``out`` belongs to something else.
        TaskDataError: a task is missing, or a record cannot be read.
    """
    if Path(run).resolve() == Path(out).resolve():
        raise ConfigurationError(f"the verdicts would be written into {run} itself; give another --out")
    before = read_configuration(run)
    records = Records(run)
    check_tasks(records, tasks)
    configuration = {**before, "judge": judge.describe(), "regraded_from": config_hash(before)}
    with RunFolder(out, configuration) as folder:
        async for trajectory in _in_order(_todo(records, folder), judge, tasks, folder.hash, before, concurrency):
            folder.append(trajectory)
            if on_episode is not None:
                on_episode(trajectory)
        result = folder.view(list(records))
        changes = list(_changes(records, result))
        write_lines(Path(out) / CHANGES, (asdict(change) for change in changes))
        done = sum(place is not None and place.completed for place in map(result.place, result))
        copied = sum(t.status == "failed" and t.answer is None for t in result.stream())
        return Regraded(Path(out), done, copied, len(result) - done - copied, changes)


def _todo(records: Records, folder: RunFolder) -> Iterator[Trajectory]:
    for trajectory in records.stream():
        place = folder.records.place(trajectory.key)
        if place is None or not (place.completed or trajectory.answer is None):
            yield trajectory


async def _in_order(
    todo: Iterator[Trajectory], judge: Judge, tasks: TaskSet, run_hash: str, before: dict[str, Any], concurrency: int
) -> AsyncIterator[Trajectory]:
    """New records in the order of the old ones, a bounded number of them in work."""
    work: deque[asyncio.Task[Trajectory]] = deque()
    try:
        for trajectory in todo:
            work.append(asyncio.create_task(_again(trajectory, judge, tasks, run_hash, before)))
            if len(work) >= concurrency:
                yield await work.popleft()
        while work:
            yield await work.popleft()
    finally:
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)


async def _again(
    trajectory: Trajectory, judge: Judge, tasks: TaskSet, run_hash: str, before: dict[str, Any]
) -> Trajectory:
    if trajectory.answer is None:
        return trajectory.model_copy(update={"config_hash": run_hash})
    task = task_of(trajectory, tasks)
    cleared = {
        **{name: None for name in ("score", "success", "reward", "outcomes", "grading", "measure", "isolation")},
        "config_hash": run_hash,
        "failure": None,
    }
    try:
        verdict = await judge.verdict(task, trajectory.answer, await _last_page(trajectory, judge, task))
    except ConfigurationError:
        raise
    except ColBenchError as problem:
        failure = Failure(boundary=problem.boundary, type=type(problem).__name__, message=str(problem)[:2000])
        return trajectory.model_copy(update={**cleared, "status": "failed", "failure": failure, "ended_by": None})
    new = {
        "score": verdict.score,
        "success": verdict.success,
        "reward": _reward(verdict, str(before.get("reward", "success"))),
        "outcomes": None if verdict.outcomes is None else list(verdict.outcomes),
        "grading": verdict.grading,
        "measure": verdict.measure,
        "isolation": verdict.isolation,
        "status": "completed",
        "ended_by": trajectory.ended_by or _ended_by(trajectory),
        "versions": {**trajectory.versions, **verdict.versions, "regraded_by": __version__},
    }
    return trajectory.model_copy(update={**cleared, **new})


async def _last_page(trajectory: Trajectory, judge: Judge, task: Task) -> Any:
    """The last page that was rendered in the episode, rendered again from what was said."""
    if judge.kind == "backend":
        return None
    for turn in reversed(trajectory.turns):
        page = await judge.look(task, turn.visible)
        if page is not None:
            return page
    return None


def _ended_by(trajectory: Trajectory) -> str | None:
    """How an episode ended whose verdict failed, by playing its messages through the protocol again."""
    dialogue = Dialogue(trajectory.request, max_turns=trajectory.max_turns)
    for turn in trajectory.turns:
        dialogue.say(turn.raw)
        if dialogue.awaits_reply:
            dialogue.hear(turn.reply.text if turn.reply is not None else "")
    return dialogue.ended_by


def _reward(verdict: Verdict, mode: str) -> float:
    return float(bool(verdict.success)) if mode == "success" else float(verdict.score)


def _changes(before: Records, after: Records) -> Iterator[Change]:
    for key in after:
        change = _change(key, before[key], after[key])
        if change is not None:
            yield change


def _change(key: Key, old: Trajectory, new: Trajectory) -> Change | None:
    was = [outcome.get("status") for outcome in old.outcomes or ()]
    now = [outcome.get("status") for outcome in new.outcomes or ()]
    backend = new.success is not None or old.success is not None
    calls = tuple(i for i, (a, b) in enumerate(zip(was, now, strict=False), 1) if (a == "equal") != (b == "equal"))
    if (old.score, old.success) == (new.score, new.success) and not (backend and calls):
        return None
    return Change(*key, (old.score, new.score), (old.success, new.success), calls if backend else ())
