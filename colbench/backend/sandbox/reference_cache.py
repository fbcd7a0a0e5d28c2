"""What references returned, kept so that a reference runs once and not once per answer.

The key covers everything the values depend on: source, calls, mode, seeds, the Python and every distribution the code
could import. The files hold encoded values (see ``colbench.backend.values``), which are decoded and never executed,
and they are readable by their owner only: they are the hidden half of a task.
"""

from __future__ import annotations

import collections
import hashlib
import json
import os
import struct
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from colbench.backend.values import Evaluation, Value

__all__ = ["ReferenceCache", "cache_key"]

_LIMIT_BYTES = 64 << 20
_MAGIC = b"colbench-reference-1\n"
_LENGTHS = struct.Struct(">III")
# A time-out or a crash can be the machine's doing, so another process had better try again.
_LASTING = frozenset({"value", "exception", "opaque"})


def cache_key(
    source: str, calls: tuple[str, ...], mode: str, limit: float, seeds: tuple[int, int], versions: Mapping[str, str]
) -> str:
    """A digest of everything that a reference's results depend on."""
    blob = json.dumps([source, calls, mode, limit, seeds, sorted(versions.items())])
    return hashlib.sha256(blob.encode()).hexdigest()


class ReferenceCache:
    """Least recently used results in memory, and optionally a folder of files.

    Args:
        folder: where to keep results between processes; memory only when None.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._held: collections.OrderedDict[str, tuple[Evaluation, ...]] = collections.OrderedDict()
        self._bytes = 0
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def get(self, key: str) -> tuple[Evaluation, ...] | None:
        """The results under a key, or None."""
        with self._lock:
            found = self._held.get(key)
            if found is not None:
                self._held.move_to_end(key)
                return found
        found = self._read(key)
        if found is not None:
            self._hold(key, found)
        return found

    def put(self, key: str, outcomes: tuple[Evaluation, ...]) -> None:
        """Keeps results; those that another try could change are not written to disk.

        Raises:
            OSError: the file cannot be written; the results are kept in memory all the same.
        """
        self._hold(key, outcomes)
        if self.folder is not None and all(outcome.status in _LASTING for outcome in outcomes):
            self._write(key, outcomes)

    def clear(self) -> None:
        """Forgets what is in memory; files stay."""
        with self._lock:
            self._held.clear()
            self._bytes = 0

    def _hold(self, key: str, outcomes: tuple[Evaluation, ...]) -> None:
        with self._lock:
            if key in self._held:
                return
            self._held[key] = outcomes
            self._bytes += _size(outcomes)
            while self._bytes > _LIMIT_BYTES and len(self._held) > 1:
                _, dropped = self._held.popitem(last=False)
                self._bytes -= _size(dropped)

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / key[:2] / f"{key}.ref"

    def _read(self, key: str) -> tuple[Evaluation, ...] | None:
        if self.folder is None:
            return None
        try:
            data = self._path(key).read_bytes()
        except OSError:
            return None
        if not data.startswith(_MAGIC):
            return None
        at, outcomes = len(_MAGIC), []
        try:
            while at < len(data):
                status, detail, raw = _LENGTHS.unpack_from(data, at)
                at += _LENGTHS.size
                parts = []
                for length in (status, detail, raw):
                    parts.append(data[at : at + length])
                    at += length
                name = parts[0].decode()
                value = Value(parts[2]) if name == "value" else None
                outcomes.append(Evaluation(name, parts[1].decode() or None, value))  # type: ignore[arg-type]
        except (struct.error, UnicodeDecodeError):
            return None
        return tuple(outcomes) if at == len(data) else None

    def _write(self, key: str, outcomes: tuple[Evaluation, ...]) -> None:
        chunks = [_MAGIC]
        for outcome in outcomes:
            raw = outcome.value.raw if outcome.value is not None else b""
            parts = (outcome.status.encode(), (outcome.detail or "").encode("utf-8", "replace"), raw)
            chunks.append(_LENGTHS.pack(*map(len, parts)))
            chunks += parts
        path = self._path(key)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(b"".join(chunks))
            os.replace(name, path)
        except OSError:
            os.unlink(name)
            raise


def _size(outcomes: tuple[Evaluation, ...]) -> int:
    return 200 + sum(200 + 4 * (len(outcome.value.raw) if outcome.value is not None else 0) for outcome in outcomes)
