"""Records joined with their tasks: a record names its task by id and hash, and only the pair is proof of sameness.

Everything that happens after a run (grading again, breakdowns, exports that embed the task) goes through here, so a
task that was edited since it was played is never used in its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from colbench.errors import ConfigurationError, TaskDataError
from colbench.records import Records
from colbench.run_folder import CONFIGURATION, read_configuration
from colbench.tasks.loading import load_tasks
from colbench.tasks.schema import Task
from colbench.tasks.taskset import Kind, TaskSet
from colbench.trajectory import Trajectory

__all__ = ["check_tasks", "kind_of", "task_of", "tasks_of_run"]


def kind_of(env_id: str) -> Kind:
    """Which environment an id names."""
    return "frontend" if "Frontend" in env_id else "backend"


def tasks_of_run(run: str | Path, source: str | None = None, split: str | None = None) -> TaskSet:
    """The tasks that a run was played on.

    Args:
        run: the run's folder.
        source: where the tasks are; None takes what the run names.
        split: which split; None takes what the run names.

    Raises:
        ConfigurationError: when the run does not say where its tasks came from, or they are not there any more.
    """
    configuration = read_configuration(run)
    named = configuration.get("tasks")
    if source is None and not isinstance(named, str):
        raise ConfigurationError(
            f"{Path(run) / CONFIGURATION} does not say where the tasks came from; give the source with --tasks"
        )
    chosen = split or configuration.get("split", "test")
    try:
        return load_tasks(source or str(named), kind=kind_of(configuration["env_id"]), split=chosen)  # type: ignore[arg-type]
    except TaskDataError as problem:
        if source is None:
            problem.add_note(f"The run was played on {named!r}; give another source with --tasks.")
        raise


def task_of(trajectory: Trajectory, tasks: TaskSet) -> Task:
    """The task of a record.

    Raises:
        TaskDataError: there is no such task.
        ConfigurationError: it has changed since it was played.
    """
    task = tasks.get(trajectory.task_id)
    if task.content_hash != trajectory.task_hash:
        raise ConfigurationError(
            f"task {task.task_id!r} of {tasks.name!r} has changed since it was played (hash {trajectory.task_hash}, "
            f"now {task.content_hash})"
        )
    return task


def check_tasks(records: Records, tasks: TaskSet) -> None:
    """Refuse tasks that are not those of the records, before any work is done.

    Raises:
        TaskDataError: naming tasks that are missing.
        ConfigurationError: naming tasks that have changed.
    """
    missing, changed = [], []
    known = {task.task_id: task.content_hash for task in tasks}
    for key in records:
        place = records.place(key)
        if key[0] not in known:
            missing.append(key[0])
        elif place is not None and place.task_hash != known[key[0]]:
            changed.append(key[0])
    if missing:
        raise TaskDataError(f"{tasks.name!r} does not hold {_some(missing)} of {records.path}; give another --tasks")
    if changed:
        raise ConfigurationError(
            f"{_some(changed)} of {tasks.name!r} changed since {records.path} was played (another hash); give the "
            "tasks as they were with --tasks"
        )


def _some(names: Iterable[str]) -> str:
    unique = list(dict.fromkeys(names))
    shown = ", ".join(repr(name) for name in unique[:5])
    return f"{len(unique)} tasks ({shown}{', ...' if len(unique) > 5 else ''})"
