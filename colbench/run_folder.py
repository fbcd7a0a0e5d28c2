"""The files of one run: what was asked for, one line per episode, and nothing that a crash could spoil.

``run.json`` holds the configuration, ``trajectories.jsonl`` grows by whole lines. A run that was killed continues where
it stopped; a folder that was made under another configuration is refused with the difference.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from colbench.errors import ConfigurationError, TaskDataError
from colbench.jsonl import append_line, atomic_write, read_lines, repair_tail
from colbench.trajectory import Trajectory

__all__ = ["RunFolder", "config_hash", "read_trajectories"]

TRAJECTORIES = "trajectories.jsonl"
CONFIGURATION = "run.json"


def config_hash(configuration: Mapping[str, Any]) -> str:
    """First 16 hex digits of the SHA-256 of a configuration's canonical JSON."""
    blob = json.dumps(configuration, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(blob.encode()).hexdigest()[:16]


def read_trajectories(path: str | Path) -> Iterator[tuple[int, Trajectory]]:
    """Yield ``(line number, trajectory)`` of a file, or of the file in a run's folder.

    Raises:
        TaskDataError: naming file, line and field of a record that is not a trajectory.
    """
    path = Path(path)
    if path.is_dir():
        path = path / TRAJECTORIES
    for number, record in read_lines(path, error=TaskDataError):
        try:
            yield number, Trajectory.from_record(record)
        except ValidationError as problem:
            first = problem.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(p) for p in first["loc"])
            raise TaskDataError(f"{path}:{number}: not a trajectory: field '{place}': {first['msg']}") from None


class RunFolder:
    """An open run; a context manager that holds a lock, so that two runs never write to one file.

    Args:
        path: the folder; made if it does not exist.
        configuration: everything that could change a result, as JSON values.

    Raises:
        ConfigurationError: when the folder belongs to another configuration, or another process holds it.
    """

    def __init__(self, path: str | Path, configuration: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.configuration = json.loads(json.dumps(configuration, default=str))
        self.hash = config_hash(self.configuration)
        self.path.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO | None = None

    @property
    def trajectories(self) -> Path:
        """The file of trajectories."""
        return self.path / TRAJECTORIES

    def __enter__(self) -> RunFolder:
        handle = self.trajectories.open("ab")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            handle.close()
            raise ConfigurationError(f"{self.path} is being written by another process; give another --out") from None
        self._file = handle
        try:
            self._check_configuration()
        except BaseException:
            self.close()
            raise
        repair_tail(self.trajectories)
        return self

    def _check_configuration(self) -> None:
        place = self.path / CONFIGURATION
        if place.exists():
            try:
                before = json.loads(place.read_text())
            except ValueError:
                raise ConfigurationError(f"{place} is not JSON; give another --out or remove it") from None
            if before != self.configuration:
                lines = "\n".join(_difference(before, self.configuration))
                raise ConfigurationError(
                    f"{self.path} was made under another configuration; nothing was changed.\n{lines}\n"
                    "Give another --out, or the same options as before."
                )
        elif self.trajectories.stat().st_size:
            raise ConfigurationError(f"{self.path} holds trajectories but no {CONFIGURATION}; give another --out")
        else:
            atomic_write(place, json.dumps(self.configuration, indent=2, ensure_ascii=False) + "\n")

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and give the lock back."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def append(self, trajectory: Trajectory) -> None:
        """Add one episode."""
        if self._file is None:
            raise ValueError("the run's folder is closed")
        append_line(self._file, trajectory.to_record())

    def latest(self) -> dict[tuple[str, int], Trajectory]:
        """The last record of each episode: an episode that failed and was run again counts once."""
        if not self.trajectories.exists():
            return {}
        return {trajectory.key: trajectory for _, trajectory in read_trajectories(self.trajectories)}


def _difference(before: Any, now: Any, place: str = "") -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted({*before, *now}):
            yield from _difference(before.get(key), now.get(key), f"{place}.{key}" if place else str(key))
    elif before != now:
        yield f"  {place}: was {before!r}, now {now!r}"
