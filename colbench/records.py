"""The records of a run, read from the file when they are asked for: a run of any length fits in memory.

Only the keys and the places of the lines are held. The last record of an episode counts: one that failed and was run
again has two lines.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from colbench.errors import TaskDataError
from colbench.jsonl import parse_line
from colbench.trajectory import Trajectory
from colbench.usage import Usage

__all__ = ["TRAJECTORIES", "Key", "Place", "Records", "spent_in", "trajectory_at", "usage_of"]

TRAJECTORIES = "trajectories.jsonl"

Key = tuple[str, int]
"""Task id and repeat."""


class Place:
    """Where the record of an episode lies, and what a resumed run must know of it."""

    __slots__ = ("completed", "line", "offset", "task_hash")

    def __init__(self, offset: int, line: int, completed: bool, task_hash: str) -> None:
        self.offset = offset
        self.line = line
        self.completed = completed
        self.task_hash = task_hash


def trajectory_at(record: Mapping[str, Any], where: str) -> Trajectory:
    """A trajectory from a JSON object.

    Raises:
        TaskDataError: naming place and field of what does not fit.
    """
    try:
        return Trajectory.from_record(dict(record))
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(p) for p in first["loc"])
        raise TaskDataError(f"{where}: not a trajectory: field '{field}': {first['msg']}") from None


def usage_of(trajectory: Trajectory) -> tuple[Usage, Usage]:
    """Tokens and money of agent and of collaborator; what a failed call cost counts for the boundary that failed."""
    agent, collaborator = Usage(), Usage()
    for turn in trajectory.turns:
        if turn.usage is not None:
            agent += Usage(**turn.usage.model_dump())
        if turn.reply is not None and turn.reply.usage is not None:
            collaborator += Usage(**turn.reply.usage.model_dump())
    failure = trajectory.failure
    if failure is not None and failure.usage is not None:
        lost = Usage(**failure.usage.model_dump())
        if failure.boundary == "collaborator":
            collaborator += lost
        else:
            agent += lost
    return agent, collaborator


class Records(Mapping[Key, Trajectory]):
    """The last record of each episode of a file, in the order in which the episodes first appear.

    Args:
        path: a trajectories file, or the folder of a run. A torn last line, as of a run under way, is left out.

    Raises:
        TaskDataError: naming file, line and field of a record that is not a trajectory; or the file is missing.
    """

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        self.path = path / TRAJECTORIES if path.is_dir() else path
        self.lines = 0
        self.spent = Usage()
        self._places: dict[Key, Place] = {}
        self._keys: list[Key] | None = None
        for offset, number, trajectory in self._scan():
            self.lines = number
            self.spent += sum(usage_of(trajectory), Usage())
            self.note(trajectory, Place(offset, number, trajectory.status == "completed", trajectory.task_hash))

    def _scan(self) -> Iterator[tuple[int, int, Trajectory]]:
        try:
            handle = self.path.open("rb")
        except OSError as problem:
            raise TaskDataError(
                f"{self.path}: cannot be opened ({problem.strerror}); give a trajectories file or the folder of a run"
            ) from None
        with handle:
            offset, number = 0, 0
            for raw in handle:
                number += 1
                if not raw.endswith(b"\n") and not _is_json(raw):
                    return
                if raw.strip():
                    where = f"{self.path}:{number}"
                    yield offset, number, trajectory_at(parse_line(raw, where, TaskDataError), where)
                offset += len(raw)

    def view(self, keys: Iterable[Key]) -> Records:
        """The same records, but only those of these episodes, in this order; later notes are seen in both."""
        clone = copy.copy(self)
        clone._keys = [key for key in keys if key in self._places]
        return clone

    def note(self, trajectory: Trajectory, place: Place) -> None:
        """Keep the place of a record that stands later in the file than those known."""
        self._places[trajectory.key] = place

    def place(self, key: Key) -> Place | None:
        """Where the record of an episode lies."""
        return self._places.get(key)

    def __getitem__(self, key: Key) -> Trajectory:
        place = self._places[key]
        with self.path.open("rb") as handle:
            return self._read(handle, place)

    def _read(self, handle: Any, place: Place) -> Trajectory:
        handle.seek(place.offset)
        where = f"{self.path}:{place.line}"
        return trajectory_at(parse_line(handle.readline(), where, TaskDataError), where)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._places if self._keys is None else self._keys)

    def __len__(self) -> int:
        return len(self._places if self._keys is None else self._keys)

    def stream(self) -> Iterator[Trajectory]:
        """The records one by one, with the file opened once."""
        with self.path.open("rb") as handle:
            for key in self:
                yield self._read(handle, self._places[key])

    def failures(self) -> Counter[str]:
        """How many of the episodes failed, by boundary."""
        broken = [key for key in self if not self._places[key].completed]
        found: Counter[str] = Counter()
        for key in broken:
            failure = self[key].failure
            found[failure.boundary if failure is not None else "unknown"] += 1
        return found


def _is_json(raw: bytes) -> bool:
    try:
        json.loads(raw)
    except ValueError:
        return False
    return True


def spent_in(folders: Iterable[str | Path]) -> tuple[Usage, int]:
    """Tokens and money of all records in these runs' folders, those that were run again included; and their number."""
    total, lines = Usage(), 0
    for folder in folders:
        if (Path(folder) / TRAJECTORIES).exists():
            records = Records(folder)
            total, lines = total + records.spent, lines + records.lines
    return total, lines
