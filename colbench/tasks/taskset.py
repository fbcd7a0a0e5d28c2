"""A named, ordered collection of tasks that never prints what it hides.

``gym.make`` keeps its arguments in the environment's spec, so whatever is passed as ``tasks=`` must be safe to show:
the ``repr`` of a :class:`TaskSet` names the set and its size, nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, overload

from pydantic import ValidationError

from colbench.errors import TaskDataError
from colbench.plugins import near_match
from colbench.tasks.schema import BackendTask, FrontendTask, Task
from colbench.text import is_plain_line

__all__ = ["Kind", "TaskSet", "task_from_record"]

Kind = Literal["backend", "frontend"]
_CLASSES: dict[str, type[BackendTask] | type[FrontendTask]] = {"backend": BackendTask, "frontend": FrontendTask}
_WANTED = {"string_type": "must be text", "dict_type": "must be an object of names and calls"}
_OPEN = ("task_id", "domain", "problem_description")


def task_from_record(record: Mapping[str, Any], kind: Kind, *, default_id: str, where: str = "record") -> Task:
    """Make a task from a record in the published format.

    Args:
        record: ``problem_description``, ``ground_truth`` and, for the backend, ``test_cases``; optionally ``task_id``,
            ``domain`` and ``procedural``. Other fields are ignored, since published files carry some.
        kind: which environment the task is for.
        default_id: id where the record has none.
        where: file and line for messages.

    Raises:
        TaskDataError: naming the field and what is wrong with it; the hidden values are not printed.
    """
    cls = _CLASSES[kind]
    if not isinstance(record, Mapping):
        raise TaskDataError(f"{where}: expected a record, actually: {type(record).__name__}")
    _check_present(record, kind, where)
    fields = {name: value for name, value in record.items() if name in cls.model_fields and name != "kind"}
    fields.setdefault("task_id", default_id)
    try:
        task = cls.model_validate(fields)
    except ValidationError as problem:
        raise TaskDataError(f"{where}: {_fault(problem, fields)}") from None
    for name in ("problem_description", "ground_truth"):
        if not getattr(task, name).strip():
            raise TaskDataError(f"{where}: {name!r} is empty")
    if not task.task_id.strip() or not is_plain_line(task.task_id):
        raise TaskDataError(
            f"{where}: 'task_id' must be one line of text without control characters, actually: {task.task_id!r}"
        )
    if isinstance(task, BackendTask):
        if not task.test_cases:
            raise TaskDataError(f"{where}: 'test_cases' holds no call; give at least one")
        if task.entry_point is None:
            raise TaskDataError(
                f"{where}: no function name found; end 'problem_description' with "
                "'The signature of the function is: def name(...)'"
            )
    return task


def _check_present(record: Mapping[str, Any], kind: Kind, where: str) -> None:
    needed = ["problem_description", "ground_truth"] + (["test_cases"] if kind == "backend" else [])
    missing = [name for name in needed if name not in record]
    null = [name for name in needed if name in record and record[name] is None]
    if not missing and not null:
        return
    text = f"{where}: a {kind} task needs {', '.join(repr(n) for n in needed if n in missing or n in null)}"
    if null:
        text += f"; {', '.join(repr(n) for n in null)} is null"
    if missing:
        others = [str(name) for name in record]
        near = next(filter(None, (near_match(name, others) for name in missing)), "")
        text += f"; the record has {', '.join(map(repr, others)) or 'no fields'}{'.' * bool(near)}{near}"
    raise TaskDataError(text)


def _fault(problem: ValidationError, fields: Mapping[str, Any]) -> str:
    """What is wrong with a field; the value stands there unless it is hidden from agents."""
    first = problem.errors(include_url=False)[0]
    place = ".".join(str(p) for p in first["loc"])
    wanted = _WANTED.get(first["type"], first["msg"])
    given = first.get("input")
    kind = "null" if given is None else type(given).__name__
    shown = f"{kind} {given!r:.60}" if first["loc"][0] in _OPEN and given is not None else kind
    return f"field '{place}': {wanted}, actually: {shown}"


class TaskSet(Sequence[Task]):
    """An immutable sequence of tasks of one kind with unique ids.

    Args:
        tasks: the tasks; ids must differ.
        name: shown in results and in ``repr``.
        kind: ``"backend"`` or ``"frontend"``.

    Raises:
        TaskDataError: on an empty set, a duplicate id or a task of the other kind.
    """

    def __init__(self, tasks: Iterable[Task], *, name: str, kind: Kind) -> None:
        self._tasks = tuple(tasks)
        self.name = name
        self.kind: Kind = kind
        self._by_id: dict[str, Task] = {}
        for position, task in enumerate(self._tasks):
            if task.kind != kind:
                raise TaskDataError(f"task set {name!r}: task {task.task_id!r} is a {task.kind} task, not {kind}")
            if task.task_id in self._by_id:
                raise TaskDataError(f"task set {name!r}: task id {task.task_id!r} stands twice (again at {position})")
            self._by_id[task.task_id] = task
        if not self._tasks:
            raise TaskDataError(f"task set {name!r} is empty")

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], *, kind: Kind, name: str = "records") -> TaskSet:
        """Make a set from records in the published format."""
        return cls(
            (
                task_from_record(record, kind, default_id=f"{name}-{i:05d}", where=f"{name}[{i}]")
                for i, record in enumerate(records)
            ),
            name=name,
            kind=kind,
        )

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> TaskSet: ...
    def __getitem__(self, index: int | slice) -> Task | TaskSet:
        if isinstance(index, slice):
            return TaskSet(self._tasks[index], name=self.name, kind=self.kind)
        return self._tasks[index]

    def __len__(self) -> int:
        return len(self._tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self._tasks)

    def get(self, task_id: str) -> Task:
        """The task with this id.

        Raises:
            TaskDataError: when there is none; close ids are named.
        """
        try:
            return self._by_id[task_id]
        except KeyError:
            from difflib import get_close_matches

            near = get_close_matches(str(task_id), list(self._by_id)[:20_000], n=3)
            hint = f"; near: {', '.join(near)}" if near else f"; the first is {self._tasks[0].task_id!r}"
            raise TaskDataError(f"task set {self.name!r} has no task {task_id!r}{hint}") from None

    def filter(self, keep: Callable[[Task], bool]) -> TaskSet:
        """The tasks for which ``keep`` is true, in order."""
        return TaskSet((t for t in self._tasks if keep(t)), name=self.name, kind=self.kind)

    @property
    def content_hash(self) -> str:
        """First 16 hex digits of the SHA-256 over all ids and content hashes, in order."""
        digest = hashlib.sha256()
        for task in self._tasks:
            digest.update(f"{task.task_id}\n{task.content_hash}\n".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:16]

    def __copy__(self) -> TaskSet:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> TaskSet:
        # Immutable, and gym.make copies its arguments deeply.
        return self

    def __repr__(self) -> str:
        return f"TaskSet({self.name!r}, kind={self.kind!r}, {len(self)} tasks)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TaskSet) and self._tasks == other._tasks

    def __hash__(self) -> int:
        return int(self.content_hash, 16)
