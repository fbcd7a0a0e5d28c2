"""The files of one run: what was asked for, one line per episode, and nothing that a crash could spoil.

``run.json`` holds the configuration, ``trajectories.jsonl`` grows by whole lines. A run that was killed continues where
it stopped; a folder that was made under another configuration is refused with the difference.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from colbench.errors import ConfigurationError, TaskDataError
from colbench.jsonl import append_line, atomic_write, read_lines, repair_tail
from colbench.records import TRAJECTORIES, Key, Place, Records, trajectory_at
from colbench.trajectory import Trajectory

__all__ = ["CONFIGURATION", "TRAJECTORIES", "RunFolder", "config_hash", "read_configuration", "read_trajectories"]

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
        yield number, trajectory_at(record, f"{path}:{number}")


def read_configuration(path: str | Path) -> dict[str, Any]:
    """The configuration that a run was made under.

    Raises:
        ConfigurationError: when the folder holds none, naming the folders below it that do.
    """
    folder = Path(path)
    place = folder / CONFIGURATION
    try:
        found = json.loads(place.read_text())
    except OSError:
        below = sorted(p.parent.name for p in folder.glob(f"*/{CONFIGURATION}"))
        hint = f"; give one of {', '.join(str(folder / name) for name in below[:8])}" if below else ""
        raise ConfigurationError(f"{folder} is not the folder of a run: it holds no {CONFIGURATION}{hint}") from None
    except ValueError:
        raise ConfigurationError(f"{place} is not JSON") from None
    if not isinstance(found, dict):
        raise ConfigurationError(f"{place} does not hold a JSON object")
    return found


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
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise ConfigurationError(
                f"{self.path} cannot be made into a run's folder ({problem.strerror}); give another --out"
            ) from None
        self._file: BinaryIO | None = None
        self._records: Records | None = None

    @property
    def trajectories(self) -> Path:
        """The file of trajectories."""
        return self.path / TRAJECTORIES

    def __enter__(self) -> RunFolder:
        try:
            handle = self.trajectories.open("ab")
        except OSError as problem:
            raise ConfigurationError(f"{self.trajectories} cannot be written ({problem.strerror})") from None
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
        if repair_tail(self.trajectories):
            # The open handle still believes in the length before the cut; offsets are taken from it.
            handle.seek(0, os.SEEK_END)
        self._records = Records(self.trajectories)
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

    @property
    def records(self) -> Records:
        """What the folder holds, kept up to date by :meth:`append`.

        Raises:
            ValueError: before the folder was opened.
        """
        if self._records is None:
            raise ValueError("the run's folder is not open")
        return self._records

    def append(self, trajectory: Trajectory) -> None:
        """Add one episode."""
        if self._file is None:
            raise ValueError("the run's folder is closed")
        offset = self._file.tell()
        append_line(self._file, trajectory.to_record())
        records = self.records
        records.lines += 1
        done = trajectory.status == "completed"
        records.note(trajectory, Place(offset, records.lines, done, trajectory.task_hash))

    def view(self, keys: Iterable[Key]) -> Records:
        """The last records of these episodes, in this order; it stays usable after the folder is closed."""
        return self.records.view(keys)


def _difference(before: Any, now: Any, place: str = "") -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted({*before, *now}):
            yield from _difference(before.get(key), now.get(key), f"{place}.{key}" if place else str(key))
    elif before != now:
        yield f"  {place}: was {before!r}, now {now!r}"
