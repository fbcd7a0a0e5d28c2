"""Where tasks come from: one short text names any source, so that ``gym.make`` and the command line take the same.

=====================================  ==================================================================
``bundled``                            the tasks that come with the package
``procedural`` or ``procedural:...``   generated tasks; options such as ``n=500,seed=0,families=pricing``
``hub`` or ``hub:OWNER/NAME``          the published data set through the ``datasets`` library
``path/to/file.jsonl``                 a file in the published format
=====================================  ==================================================================
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module, resources
from pathlib import Path
from typing import Any, Literal, get_args

from colbench.errors import ConfigurationError, TaskDataError
from colbench.jsonl import read_lines
from colbench.plugins import check_options
from colbench.tasks.schema import BackendTask, FrontendTask, Task
from colbench.tasks.taskset import Kind, TaskSet, task_from_record

__all__ = ["SOURCES", "Split", "load_task_file", "load_tasks"]

Split = Literal["train", "test"]
SOURCES = ("bundled", "procedural", "hub")
_PROCEDURAL_DEFAULT = 500
_OPTIONS = ("n", "seed", "families", "stated", "hidden")
_GIVE = "give 'bundled', 'procedural', 'hub', the path of a JSONL file, a TaskSet, or a list of records or tasks"
_GENERATORS = {
    "backend": ("colbench.tasks.procedural", "procedural_tasks"),
    "frontend": ("colbench.tasks.procedural_pages", "procedural_pages"),
}


def load_tasks(
    source: str | os.PathLike[str] | TaskSet | Iterable[Mapping[str, Any]] | Iterable[Task] = "bundled",
    *,
    kind: Kind = "backend",
    split: Split = "test",
) -> TaskSet:
    """Load a set of tasks.

    Args:
        source: see the table in the module's description; a :class:`TaskSet` is passed through; a list (or any
            other iterable) of records or of tasks is wrapped in one.
        kind: ``"backend"`` or ``"frontend"``.
        split: ``"train"`` or ``"test"``; a file holds one split and is taken as it is.

    Raises:
        ConfigurationError: for an unknown source, split or option.
        TaskDataError: when a file or a record cannot be used, with file and line.
    """
    if split not in get_args(Split):
        raise ConfigurationError(f"split must be 'train' or 'test', actually: {split!r}")
    if isinstance(source, TaskSet):
        if source.kind != kind:
            raise ConfigurationError(f"{source!r} was given to a {kind} environment")
        return source
    if isinstance(source, os.PathLike):
        return load_task_file(os.fspath(source), kind=kind)
    if not isinstance(source, str):
        return _wrap(source, kind)
    if not source.strip():
        raise ConfigurationError(f"the task source {source!r} is empty; {_GIVE}")
    name, _, rest = source.partition(":")
    if name == "bundled" and not rest:
        return _bundled(kind, split)
    if name == "procedural":
        return _procedural(kind, split, _options(source, rest))
    if name == "hub":
        from colbench.tasks.hub import load_hub

        return load_hub(kind, split, repository=rest or None)
    path = Path(source)
    if path.suffix or path.exists() or "/" in source:
        return load_task_file(path, kind=kind)
    near = get_close_matches(name, SOURCES, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ConfigurationError(f"unknown task source {source!r}; give one of {', '.join(SOURCES)} or a JSONL file.{hint}")


def _wrap(source: Any, kind: Kind) -> TaskSet:
    """A set of the records or tasks that a caller holds."""
    if isinstance(source, BackendTask | FrontendTask):
        raise ConfigurationError(f"one task ({source.task_id!r}) is no set of tasks; put it in a list: [task]")
    if isinstance(source, Mapping):
        fields = ", ".join(repr(str(name)) for name in source) or "no fields"
        raise ConfigurationError(f"one mapping (with {fields}) is no set of tasks; put it in a list: [record]")
    if isinstance(source, bytes | bytearray) or not isinstance(source, Iterable):
        raise ConfigurationError(f"tasks cannot be loaded from {source!r}; {_GIVE}")
    items = list(source)
    if all(isinstance(item, BackendTask | FrontendTask) for item in items):
        return TaskSet(items, name="tasks", kind=kind)
    return TaskSet.from_records(items, kind=kind)


def load_task_file(path: str | Path, *, kind: Kind = "backend") -> TaskSet:
    """Load a JSONL file in the published format; ids are made from the file's name where records have none."""
    path = Path(path)
    tasks: list[Task] = []
    seen: dict[str, int] = {}
    for number, record in read_lines(path, error=TaskDataError):
        task = task_from_record(record, kind, default_id=f"{path.stem}-{len(tasks):05d}", where=f"{path}:{number}")
        if task.task_id in seen:
            raise TaskDataError(
                f"{path}:{number}: task id {task.task_id!r} stands already in line {seen[task.task_id]}"
            )
        seen[task.task_id] = number
        tasks.append(task)
    if not tasks:
        raise TaskDataError(f"{path}: holds no task; expected one JSON object per line")
    return TaskSet(tasks, name=path.name, kind=kind)


def _bundled(kind: Kind, split: Split) -> TaskSet:
    with resources.as_file(resources.files("colbench.tasks") / "data" / f"{kind}_{split}.jsonl") as path:
        tasks = list(load_task_file(path, kind=kind))
    return TaskSet(tasks, name=f"bundled-{kind}-{split}", kind=kind)


def _options(source: str, text: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not value:
            raise ConfigurationError(f"task source {source!r}: write options as name=value, actually: {part!r}")
        if key in options:
            raise ConfigurationError(f"task source {source!r}: {key!r} is given twice")
        if key == "families":
            options[key] = value.split("+")
        else:
            try:
                options[key] = int(value)
            except ValueError:
                raise ConfigurationError(
                    f"task source {source!r}: {key} must be a whole number, actually: {value!r}"
                ) from None
    return options


def _procedural(kind: Kind, split: Split, options: dict[str, Any]) -> TaskSet:
    check_options("procedural tasks", {k: v for k, v in options.items() if k not in _OPTIONS}, _OPTIONS)
    n = options.pop("n", _PROCEDURAL_DEFAULT)
    seed = options.pop("seed", 0)
    if n < 1:
        raise ConfigurationError(f"procedural tasks: n must be at least 1, actually: {n}")
    module, function = _GENERATORS[kind]
    make = getattr(import_module(module), function)
    dials = "".join(f"-{key}={value}" for key, value in sorted(options.items()))
    return TaskSet(make(split, n, seed, **options), name=f"procedural-{kind}-{split}-n{n}-s{seed}{dials}", kind=kind)
