"""The published trajectory format: ``{task, dialogue_history, answer, reward}``, one JSON object a line.

This is the only format that embeds the task, reference and calls included. ``reward`` is the fraction of calls passed.
An agent's entry has ``content`` (what was shown), ``output`` (what it wrote) and ``input`` (what it was shown).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colbench.dialogue import MAX_TURNS, parse_message
from colbench.errors import TaskDataError
from colbench.jsonl import read_lines, write_lines
from colbench.run_folder import RunFolder
from colbench.tasks.schema import BackendTask, Task
from colbench.tasks.taskset import Kind, task_from_record
from colbench.trajectory import Failure, ReplyRecord, Trajectory, TurnRecord

__all__ = ["Imported", "from_published", "import_published", "to_published"]

_AGENT = frozenset({"assistant", "agent"})
_IGNORED = frozenset({"system"})
_PASSED_ON = ("domain", "procedural")


def to_published(trajectory: Trajectory, task: Task) -> dict[str, Any]:
    """A completed episode with its task.

    Args:
        trajectory: the record.
        task: its task.
    """
    fields: dict[str, Any] = {
        "problem_description": task.problem_description,
        "ground_truth": task.ground_truth,
        "task_id": task.task_id,
    }
    if isinstance(task, BackendTask):
        fields["test_cases"] = dict(task.test_cases)
    seen: list[dict[str, str]] = [{"role": "user", "content": trajectory.request}]
    history: list[dict[str, Any]] = list(seen)
    for turn in trajectory.turns:
        history.append({"role": "assistant", "content": turn.visible, "input": list(seen), "output": turn.raw})
        seen.append({"role": "assistant", "content": turn.visible})
        if turn.reply is not None:
            reply = {"role": "user", "content": turn.reply.text}
            history.append(reply)
            seen.append(reply)
    return {"task": fields, "dialogue_history": history, "answer": trajectory.answer, "reward": trajectory.score}


def from_published(
    record: Mapping[str, Any], *, kind: Kind = "backend", task_id: str = "published", repeat: int = 0, where: str = ""
) -> tuple[Trajectory, Task | None]:
    """Read one record.

    An entry without ``output`` was written as it was shown. A record without ``reward`` was never graded: it becomes an
    episode that failed at the boundary ``ungraded`` but has its answer, which ``colbench regrade`` grades.

    Args:
        record: the JSON object.
        kind: which environment.
        task_id: id of the task where the record has none.
        repeat: number of the repetition.
        where: file and line, for messages.

    Returns:
        The trajectory and its task; None where the record holds no reference.

    Raises:
        TaskDataError: naming the field that does not fit.
    """
    where = where or "record"
    fields = record.get("task")
    if not isinstance(fields, Mapping) or not isinstance(fields.get("problem_description"), str):
        raise TaskDataError(f"{where}: 'task' must hold a 'problem_description'")
    history = record.get("dialogue_history")
    if not isinstance(history, list):
        raise TaskDataError(f"{where}: 'dialogue_history' must be a list, actually: {type(history).__name__}")
    request, turns = _turns(history, str(fields["problem_description"]), where)
    task = _task(fields, kind, task_id, where)
    reward = record.get("reward")
    if reward is not None and (isinstance(reward, bool) or not isinstance(reward, int | float)):
        raise TaskDataError(f"{where}: 'reward' must be a number, actually: {reward!r}")
    answer = record.get("answer")
    score = None if reward is None else float(reward)
    done = score is not None
    marked = bool(turns) and parse_message(turns[-1].visible).answer is not None
    ungraded = Failure(boundary="ungraded", type="NotGraded", message="the record has no reward; regrade the run")
    return (
        Trajectory(
            env_id=f"ColBench-{kind.capitalize()}-v0",
            task_id=task.task_id if task is not None else str(fields.get("task_id") or task_id),
            task_hash=task.content_hash if task is not None else _digest(fields),
            repeat=repeat,
            request=request,
            agent={"name": "imported"},
            collaborator={"name": "imported"},
            max_turns=max(MAX_TURNS, len(turns)),
            turns=turns,
            ended_by=("answer" if marked or len(turns) < MAX_TURNS else "turn_limit") if done else None,
            answer=answer if isinstance(answer, str) else ("" if answer is None else str(answer)),
            score=score,
            success=(score == 1.0) if done and kind == "backend" else None,
            reward=score,
            grading="as published" if done and kind == "backend" else None,
            measure="as published" if done and kind == "frontend" else None,
            status="completed" if done else "failed",
            failure=None if done else ungraded,
        ),
        task,
    )


def _turns(history: list[Any], request: str, where: str) -> tuple[str, list[TurnRecord]]:
    turns: list[TurnRecord] = []
    opened = False
    for number, entry in enumerate(history):
        place = f"{where}: dialogue_history[{number}]"
        if not isinstance(entry, Mapping) or not isinstance(entry.get("role"), str):
            raise TaskDataError(f"{place}: expected an object with 'role' and 'content'")
        role, content = entry["role"], entry.get("content")
        if role in _IGNORED:
            continue
        if not isinstance(content, str):
            raise TaskDataError(f"{place}: 'content' must be a string, actually: {type(content).__name__}")
        if role in _AGENT:
            if turns and turns[-1].reply is None:
                raise TaskDataError(f"{place}: two messages of the agent without a reply between them")
            output = entry.get("output")
            turns.append(TurnRecord(raw=output if isinstance(output, str) and output else content, visible=content))
        elif not turns and not opened:
            request, opened = content, True
        elif turns and turns[-1].reply is None:
            turns[-1].reply = ReplyRecord(text=content)
        else:
            raise TaskDataError(f"{place}: two messages of the collaborator without one of the agent between them")
    return request, turns


def _task(fields: Mapping[str, Any], kind: Kind, task_id: str, where: str) -> Task | None:
    needed = ("ground_truth", "test_cases") if kind == "backend" else ("ground_truth",)
    if any(not fields.get(name) for name in needed):
        return None
    kept = {name: fields[name] for name in ("problem_description", "task_id", *needed, *_PASSED_ON) if fields.get(name)}
    return task_from_record(kept, kind, default_id=task_id, where=where)


def _digest(fields: Mapping[str, Any]) -> str:
    parts = [repr(fields.get(name)) for name in ("problem_description", "ground_truth", "test_cases")]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class Imported:
    """What importing a file gave.

    Attributes:
        out: the run's folder.
        episodes: records read.
        tasks: different tasks in them.
        without_task: records that hold no reference and cannot be graded again.
        ungraded: records without a reward.
    """

    out: Path
    episodes: int
    tasks: int
    without_task: int
    ungraded: int


def import_published(path: str | Path, out: str | Path, *, kind: Kind = "backend") -> Imported:
    """Make a run's folder of a file in the published format; what works on a run then works on it.

    The same task on several lines is played several times. Tasks are written to ``tasks.jsonl`` in the folder.

    Args:
        path: JSONL in the published format.
        out: the folder.
        kind: which environment.

    Raises:
        TaskDataError: with file, line and field, before anything is written.
    """
    path, out = Path(path), Path(out)
    # Read through once before: a record in line 9,000 that cannot be read must not leave half a run.
    tasks: dict[str, Task] = {}
    names: dict[str, str] = {}
    unknown = ungraded = episodes = 0
    for number, record in read_lines(path):
        trajectory, task = from_published(record, kind=kind, task_id="?", where=f"{path}:{number}")
        episodes += 1
        ungraded += trajectory.score is None
        unknown += task is None
        if trajectory.task_hash not in names:
            given = str(record["task"].get("task_id") or f"{path.stem}-{len(names):05d}")
            # Two different tasks under one id would be taken for episodes of the same.
            taken = given in names.values()
            names[trajectory.task_hash] = f"{given}-{trajectory.task_hash[:8]}" if taken else given
        name = names[trajectory.task_hash]
        if task is not None:
            tasks.setdefault(name, task.model_copy(update={"task_id": name}))
    if not episodes:
        raise TaskDataError(f"{path}: holds no record")
    if tasks:
        drop = {"kind"}
        write_lines(out / "tasks.jsonl", (t.model_dump(mode="json", exclude=drop) for t in tasks.values()))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    configuration = {
        "env_id": f"ColBench-{kind.capitalize()}-v0",
        "task_set": path.name,
        "agent": {"name": "imported"},
        "collaborator": {"name": "imported"},
        "judge": {"grading" if kind == "backend" else "measure": "as published"},
        "max_turns": MAX_TURNS,
        "reward": "pass_rate" if kind == "backend" else "similarity",
        "seed": 0,
        "imported": {"file": path.name, "hash": digest},
        **({"tasks": str((out / "tasks.jsonl").resolve()), "split": "test"} if tasks else {}),
    }
    with RunFolder(out, configuration) as folder:
        played: dict[str, int] = {}
        for number, record in read_lines(path):
            trajectory, _ = from_published(record, kind=kind, task_id="?", where=f"{path}:{number}")
            name = names[trajectory.task_hash]
            repeat = played.get(name, 0)
            played[name] = repeat + 1
            if folder.records.place((name, repeat)) is None:
                facts = {"task_id": name, "repeat": repeat, "task_set": path.name, "config_hash": folder.hash}
                folder.append(trajectory.model_copy(update=facts))
    return Imported(out, episodes, len(names), unknown, ungraded)
