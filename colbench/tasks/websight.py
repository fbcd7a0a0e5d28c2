"""Frontend tasks as the published benchmark makes them: the first 20,000 rows of WebSight, streamed from the hub.

Nothing of the data set is shipped. Its pages take their pictures from an address that no longer answers, so each such
address is rewritten to one fixed picture of the same size. The whole address goes, query and all: a rewrite that stops
at the first odd character leaves addresses such as ``.../1600/900-estate`` behind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from colbench.errors import ConfigurationError, MissingExtraError, TaskDataError
from colbench.tasks.hub import TEST_TASKS
from colbench.tasks.taskset import TaskSet, task_from_record

__all__ = ["REPOSITORY", "ROWS", "TRAIN_TASKS", "VERSION", "load_websight", "rewrite_images"]

REPOSITORY = "HuggingFaceM4/WebSight"
VERSION = "v0.2"
ROWS = 20_000
TRAIN_TASKS = 10_000
_FIELDS = ("llm_generated_idea", "text")

_DEFAULT_SIZE = (800, 600)
_MAX_SIDE = 4_096

# One picture address. Entities of quotes end it, since it may stand in a style attribute. Inside quotes it may hold
# plain words after spaces ("?real estate"), which belong to it only where they run up to the closing quote.
_PLAIN = r"(?:[^\s\"'()<>&`\\]|&(?!quot;|apos;|#39;|#34;))"
_ADDRESS = re.compile(
    r"(?:https?:)?//(?:(?:[\w-]+\.)*unsplash\.com|picsum\.photos)(?:[/?#]"
    + _PLAIN
    + r"*(?:[ ]+[A-Za-z][\w,+-]*(?=[ \"']))*)?",
    re.IGNORECASE,
)
_WITH_ID = re.compile(r"(?<=/)(?:id|seed)/[^/?#]*", re.IGNORECASE)
_SIDES = (
    # The size stands in the path ("900x600", "900/600"), or in the query ("w=900&h=600").
    re.compile(r"(?<![\w.])(\d{1,6})\s*(?:[xX×*]|%[cC]3%97)\s*(\d{1,6})"),
    re.compile(r"/(\d{1,6})/(\d{1,6})"),
    re.compile(r"[?&;]w(?:idth)?=(\d{1,6})\b.*?[?&;]h(?:eight)?=(\d{1,6})", re.IGNORECASE),
)
_ONE_SIDE = re.compile(r"/(\d{1,6})(?![\w])|[?&;]w(?:idth)?=(\d{1,6})\b", re.IGNORECASE)


def rewrite_images(html: str) -> str:
    """Replace every picture address of a WebSight page by ``https://picsum.photos/id/48/W/H``.

    Sizes are read leniently and clamped to 1..4096; an address without any gets 800 x 600.

    Example:
        >>> rewrite_images('<img src="https://source.unsplash.com/random/1600x900/?real-estate">')
        '<img src="https://picsum.photos/id/48/1600/900">'
    """
    return _ADDRESS.sub(_picture, html)


def _picture(found: re.Match[str]) -> str:
    address = found.group()
    before = found.string[found.start() - 1 : found.start()] if found.start() else ""
    tail = ""
    if before not in ('"', "'") and " " in address:
        # Unquoted, the words after a space are the page's text.
        address, space, rest = address.partition(" ")
        tail = space + rest
    # Punctuation after an address in running text, and the comma between two of a list, are not part of it.
    while address[-1] in ",;":
        tail = address[-1] + tail
        address = address[:-1]
    width, height = _size(address)
    return f"https://picsum.photos/id/48/{width}/{height}{tail}"


def _size(address: str) -> tuple[int, int]:
    path = _WITH_ID.sub("", address.partition("//")[2])
    for pattern in _SIDES:
        sides = pattern.search(path)
        if sides:
            return _clamp(sides[1]), _clamp(sides[2])
    side = _ONE_SIDE.search(path)
    if side:
        one = _clamp(side[1] or side[2])
        return one, one
    return _DEFAULT_SIZE


def _clamp(digits: str) -> int:
    return max(1, min(_MAX_SIDE, int(digits)))


def load_websight(split: str, repository: str | None = None) -> TaskSet:
    """Load the frontend tasks of the published benchmark.

    Args:
        split: ``"train"`` (rows 0 to 9,999) or ``"test"`` (the 500 rows from 10,000 on).
        repository: another hub repository, or a local folder, with the same rows and field names.

    Raises:
        ConfigurationError: for another split.
        MissingExtraError: without the extra ``hub``.
        TaskDataError: when the rows cannot be read or lack a field.
    """
    if split not in ("train", "test"):
        raise ConfigurationError(f"split must be 'train' or 'test', actually: {split!r}")
    source = repository or REPOSITORY
    first, last = (
        (0, TRAIN_TASKS) if split == "train" else (TRAIN_TASKS, min(ROWS, TRAIN_TASKS + TEST_TASKS["frontend"]))
    )
    tasks = []
    for number, row in enumerate(_rows(source, first, last), start=first):
        where = f"{source}[{number}]"
        if not isinstance(row, Mapping) or any(not isinstance(row.get(name), str) for name in _FIELDS):
            raise TaskDataError(f"{where}: expected the text fields {' and '.join(map(repr, _FIELDS))}")
        record = {"problem_description": row["llm_generated_idea"], "ground_truth": rewrite_images(row["text"])}
        tasks.append(task_from_record(record, "frontend", default_id=f"websight-{number:05d}", where=where))
    if not tasks:
        raise TaskDataError(f"{source}: has no row {first}; the {split} split begins there")
    return TaskSet(tasks, name=f"hub-frontend-{split}", kind="frontend")


def _rows(source: str, first: int, last: int) -> list[Any]:
    """Rows ``first`` to ``last - 1``, streamed; the pictures of the data set are never read."""
    try:
        from datasets import load_dataset
    except ImportError:
        raise MissingExtraError("loading tasks from the hub", "hub") from None
    names = () if Path(source).is_dir() else (VERSION,)
    try:
        stream = load_dataset(source, *names, split="train", streaming=True).select_columns(list(_FIELDS))
        return list(islice(iter(stream.skip(first)), last - first))
    except Exception as problem:  # the library raises many classes for a missing field, a gate or no network
        reason = str(problem).strip().splitlines()[0] if str(problem).strip() else type(problem).__name__
        raise TaskDataError(
            f"cannot read rows {first:,} to {last - 1:,} of {source!r} (fields {', '.join(_FIELDS)}): {reason}. "
            "Offline, make a JSONL file with 'problem_description' and 'ground_truth' elsewhere and pass its path as "
            "tasks=, or use tasks='bundled'."
        ) from problem
