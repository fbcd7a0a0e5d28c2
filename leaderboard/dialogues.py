"""Reads a submitted file of dialogues without trusting a byte of it.

Torn lines, lines of gigabytes, NaN, numbers in quotation marks, doubled keys: each is a finding with its line, and the
lines after it are still read. Nothing here raises on bad input, and no line is held that is longer than the limit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from colbench.trajectory import Trajectory
from leaderboard.findings import Findings
from leaderboard.submission import DIALOGUES

__all__ = ["MAX_LINE_BYTES", "read_dialogues"]

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A dialogue with its token ids takes far less."""
_BOM = b"\xef\xbb\xbf"
_SKIP = 1 << 20
_DEEPEST = 40


def read_dialogues(
    path: Path, findings: Findings, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[tuple[int, Trajectory]]:
    """Yield ``(line number, trajectory)`` of every line that is one.

    Args:
        path: the file, or the folder of a submission.
        findings: takes what is wrong with the others.
        max_line_bytes: a longer line is skipped without holding it.
    """
    if path.is_dir():
        path = path / DIALOGUES
    if path.is_symlink() or (path.exists() and not path.is_file()):
        findings.add("error", "file", "is a link or no regular file", path.name)
        return
    try:
        handle = path.open("rb", buffering=_SKIP)
    except OSError as problem:
        findings.add("error", "file", f"cannot be opened ({problem.strerror})", path.name)
        return
    found = False
    with handle:
        number = 0
        while raw := handle.readline(max_line_bytes + 1):
            number += 1
            if len(raw) > max_line_bytes:
                while raw and not raw.endswith(b"\n"):
                    raw = handle.readline(_SKIP)
                findings.add("error", "line", f"longer than {max_line_bytes:,} bytes", path.name, number)
                continue
            if number == 1:
                raw = raw.removeprefix(_BOM)
            if not raw.strip():
                continue
            found = True
            trajectory = _parse(raw, findings, path.name, number)
            if trajectory is not None:
                yield number, trajectory
    if not found:
        findings.add("error", "file", "holds no dialogue", path.name)


def _depth(value: Any) -> int:
    """How deeply lists and objects are nested; found level by level, since recursion is what it guards against."""
    depth, level = 0, [value]
    while level and depth <= _DEEPEST:
        depth += 1
        inner: list[Any] = []
        for each in level:
            parts = each.values() if isinstance(each, dict) else each
            inner += [part for part in parts if isinstance(part, dict | list)]
        level = inner
    return depth


class _Refused(ValueError):
    pass


def _constant(text: str) -> float:
    raise _Refused(f"{text} is not a number of JSON")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Refused(f"the number {text[:40]} is too large")
    return value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Refused(f"field {twice[:40]!r} stands twice in one object")
    return found


def _parse(raw: bytes, findings: Findings, file: str, line: int) -> Trajectory | None:
    def refuse(code: str, message: str) -> Trajectory | None:
        findings.add("error", code, message, file, line)
        return None

    try:
        record = json.loads(raw.decode("utf-8"), parse_constant=_constant, parse_float=_float, object_pairs_hook=_pairs)
    except UnicodeDecodeError as problem:
        return refuse("line", f"not UTF-8 at byte {problem.start}")
    except _Refused as problem:
        return refuse("number" if "number" in str(problem) else "line", str(problem))
    except (ValueError, RecursionError, MemoryError) as problem:
        hint = "" if raw.endswith(b"\n") else " (the last line has no end: was the file cut off?)"
        return refuse("line", f"not valid JSON: {problem}{hint}")
    if not isinstance(record, dict):
        return refuse("line", f"expected a JSON object, actually: {type(record).__name__}")
    if _depth(record) > _DEEPEST:
        return refuse("line", f"nested deeper than {_DEEPEST} levels")
    wrong = False
    for name in ("score", "reward"):
        value = record.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            refuse("number", f"{name} must be a number, actually: {json.dumps(value)[:60]}")
            wrong = True
        elif not 0 <= value <= 1:
            refuse("number", f"{name} must lie between 0 and 1, actually: {value}")
            wrong = True
    if wrong:
        return None
    try:
        return Trajectory.model_validate(_with_tuples(record), strict=True)
    except OverflowError:
        return refuse("number", "a number is too large")
    except ValidationError as problem:
        for error in problem.errors(include_url=False, include_input=False, include_context=False)[:5]:
            place = ".".join(str(p) for p in error["loc"])
            refuse("field", f"{place}: {error['msg']}")
        return None


def _with_tuples(record: dict[str, Any]) -> dict[str, Any]:
    """JSON has no tuples; everything else is checked as it stands, so that "0.5" and true are no numbers."""
    turns = record.get("turns")
    for turn in turns if isinstance(turns, list) else ():
        if not isinstance(turn, dict):
            continue
        for name in ("token_ids", "logprobs"):
            if isinstance(turn.get(name), list):
                turn[name] = tuple(turn[name])
        reply = turn.get("reply")
        if isinstance(reply, dict) and isinstance(reply.get("settled"), list):
            reply["settled"] = tuple(reply["settled"])
    return record
