"""What several commands build from the same options: tasks, collaborator, judge."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Any

from colbench.errors import ConfigurationError
from colbench.judge import Judge
from colbench.tasks.loading import load_tasks
from colbench.tasks.taskset import Kind, TaskSet

__all__ = ["EnvName", "Grading", "Split", "cannot_write", "choose_tasks", "env_id_of", "make_judge", "parse_options"]


class EnvName(StrEnum):
    """The two environments."""

    backend = "backend"
    frontend = "frontend"


class Split(StrEnum):
    """The two splits."""

    train = "train"
    test = "test"


class Grading(StrEnum):
    """The two grading modes of the backend."""

    strict = "strict"
    paper = "paper"


def env_id_of(env: str) -> str:
    """The environment's id."""
    return {"backend": "ColBench-Backend-v0", "frontend": "ColBench-Frontend-v0"}[env]


def cannot_write(path: Path, reason: str | None, wanted: str) -> ConfigurationError:
    """The error for a path given as output that cannot be one; ``wanted`` says what to give instead."""
    return ConfigurationError(f"{path}: cannot be written ({reason}); give {wanted} in a folder of yours")


def choose_tasks(source: str, kind: Kind, split: str, limit: int | None, task_ids: list[str] | None = None) -> TaskSet:
    """Load tasks, then keep the ids asked for, or the first ``limit``."""
    tasks = load_tasks(source, kind=kind, split=split)  # type: ignore[arg-type]
    if task_ids:
        return TaskSet([tasks.get(i) for i in task_ids], name=tasks.name, kind=kind)
    if limit is not None:
        if limit < 1:
            raise ConfigurationError(f"--limit must be at least 1, actually: {limit}")
        return tasks[:limit]
    return tasks


def make_judge(
    kind: Kind,
    *,
    grading: str,
    allow_weaker: bool,
    similarity: str | None,
    workers: int | None,
    pictures: Path | None = None,
) -> Judge:
    """The judge of an environment; the frontend's keeps the pictures it sees in a folder."""
    if kind == "backend":
        from colbench.backend.judge import BackendJudge

        options: dict[str, Any] = {"allow_weaker": allow_weaker}
        if workers is not None:
            options["workers"] = workers
        return BackendJudge(grading, **options)
    from colbench.frontend.judge import FrontendJudge
    from colbench.frontend.picture_store import PictureStore

    store = PictureStore(pictures) if pictures is not None else None
    return FrontendJudge(similarity or "clip", workers, pictures=store)


def parse_options(text: str | None, option: str) -> dict[str, Any]:
    """Options of a plug-in as a JSON object, or the path of a file that holds one.

    Raises:
        ConfigurationError: when it is neither.
    """
    if not text:
        return {}
    blob = text
    if not text.lstrip().startswith("{"):
        try:
            blob = Path(text).read_text()
        except OSError as problem:
            raise ConfigurationError(
                f"{option}: {text!r} is neither a JSON object nor a readable file ({problem.strerror})"
            ) from None
    try:
        value = json.loads(blob)
    except ValueError as problem:
        raise ConfigurationError(f"{option}: not valid JSON: {problem}") from None
    if not isinstance(value, dict):
        raise ConfigurationError(f"{option}: expected a JSON object, actually: {type(value).__name__}")
    return value
