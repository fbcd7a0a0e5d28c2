"""JSON Lines files that survive the world: byte-order marks, CRLF, blank lines, torn last lines, absurd lengths.

Every reader names file and line in its errors, and every writer either appends whole lines or replaces atomically, so
that a run killed at any moment leaves a file that can be read and continued.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from colbench.errors import TaskDataError

__all__ = [
    "MAX_LINE_BYTES",
    "append_line",
    "atomic_write",
    "dump_line",
    "parse_line",
    "plain",
    "read_lines",
    "repair_tail",
    "write_lines",
]

MAX_LINE_BYTES = 64 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


def dump_line(record: Any) -> bytes:
    """One record as a line of UTF-8; NaN and infinities are refused, since they are not JSON."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A lone surrogate cannot be encoded; the escaped form can, and reads back the same.
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(record, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def read_lines(
    path: str | os.PathLike[str],
    *,
    error: type[Exception] = TaskDataError,
    max_line_bytes: int = MAX_LINE_BYTES,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield ``(line number, object)`` for every line that is not blank.

    Args:
        path: a UTF-8 JSON Lines file; a byte-order mark, CRLF and blank lines are accepted.
        error: class raised on bad input.
        max_line_bytes: a longer line is refused without reading it whole.

    Raises:
        error: with file and line, when a line is not a JSON object, not UTF-8, or too long; or the file is missing.
    """
    path = Path(path)
    try:
        handle = path.open("rb")
    except OSError as problem:
        reason = problem.strerror or problem
        raise error(f"{path}: cannot be opened ({reason}); give the path of a JSONL file") from None
    with handle:
        number = 0
        while True:
            raw = handle.readline(max_line_bytes + 1)
            if not raw:
                return
            number += 1
            where = f"{path}:{number}"
            if len(raw) > max_line_bytes:
                raise error(f"{where}: the line is longer than {max_line_bytes:,} bytes; is this a JSONL file?")
            if number == 1 and raw.startswith(_BOM):
                raw = raw[len(_BOM) :]
            if not raw.strip():
                continue
            yield number, parse_line(raw, where, error)


def parse_line(raw: bytes, where: str, error: type[Exception] = TaskDataError) -> dict[str, Any]:
    """The JSON object of one line.

    Args:
        raw: the line as it stands in the file.
        where: file and line, for messages.
        error: class raised on bad input.

    Raises:
        error: when the line is not a JSON object in UTF-8.
    """
    hint = "" if raw.endswith(b"\n") else " (the last line has no end: was the file cut off?)"
    try:
        value = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as problem:
        raise error(f"{where}: not UTF-8 at byte {problem.start}; save the file as UTF-8") from None
    except (ValueError, RecursionError) as problem:
        if raw.lstrip()[:1] == b"[" and where.endswith(":1"):
            hint = " (this looks like a JSON array; write one object per line instead)"
        raise error(f"{where}: not valid JSON: {problem}{hint}") from None
    if not isinstance(value, dict):
        raise error(f"{where}: expected a JSON object, actually: {type(value).__name__}")
    return value


def append_line(handle: Any, record: Any) -> None:
    """Append one record to a file opened with ``"ab"``, in a single write, and hand it to the system."""
    handle.write(dump_line(record))
    handle.flush()


def repair_tail(path: str | os.PathLike[str]) -> int:
    """Cut a torn last line off (a line without its end); returns the number of bytes removed."""
    path = Path(path)
    if not path.exists():
        return 0
    with path.open("rb+") as handle:
        size = handle.seek(0, os.SEEK_END)
        end = size
        while end > 0:
            step = min(65_536, end)
            handle.seek(end - step)
            at = handle.read(step).rfind(b"\n")
            if at >= 0:
                end = end - step + at + 1
                break
            end -= step
        handle.truncate(end)
    return size - end


def atomic_write(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a whole file or nothing: a temporary file beside it, flushed to disk, then renamed."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    blob = data.encode() if isinstance(data, str) else data
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(blob)
            handle.flush()
            os.fsync(handle.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_lines(path: str | os.PathLike[str], records: Iterable[Any]) -> None:
    """Write a whole JSONL file atomically."""
    atomic_write(path, b"".join(dump_line(record) for record in records))


def plain(value: Any) -> Any:
    """The same value with NaN and infinities, which are not JSON, as null."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
