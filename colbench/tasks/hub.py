"""The published data set, read through the ``datasets`` library; nothing of it is shipped with the package.

The repository and its file names are facts of the published benchmark: the test split is the first 1,000 backend
(500 frontend) tasks of its test file.
"""

from __future__ import annotations

from typing import Any

from colbench.errors import MissingExtraError, TaskDataError
from colbench.tasks.taskset import Kind, TaskSet, task_from_record

__all__ = ["BACKEND_REPOSITORY", "FILES", "TEST_TASKS", "load_hub"]

BACKEND_REPOSITORY = "facebook/collaborative_agent_bench"
FILES = {"train": "backend_tasks/train.jsonl", "test": "backend_tasks/test.jsonl"}
TEST_TASKS = {"backend": 1000, "frontend": 500}


def load_hub(kind: Kind, split: str, repository: str | None = None) -> TaskSet:
    """Load the published tasks.

    Args:
        kind: ``"backend"``, or ``"frontend"`` for pages made from WebSight.
        split: ``"train"`` or ``"test"``.
        repository: another hub repository (or a local folder) with the same file names.

    Raises:
        MissingExtraError: without the extra ``hub``.
        TaskDataError: when a file is missing or the hub cannot be reached; it names the files that are expected.
    """
    if kind == "frontend":
        from colbench.tasks.websight import load_websight

        return load_websight(split, repository=repository)
    repository = repository or BACKEND_REPOSITORY
    rows = load_rows(repository, split, FILES[split], expected=", ".join(FILES.values()))
    if split == "test":
        rows = rows.select(range(min(TEST_TASKS["backend"], len(rows))))
    tasks = (
        task_from_record(row, "backend", default_id=f"published-{split}-{i:05d}", where=f"{repository}/{split}[{i}]")
        for i, row in enumerate(rows)
    )
    return TaskSet(tasks, name=f"hub-backend-{split}", kind="backend")


def load_rows(repository: str, split: str, file: str, *, expected: str) -> Any:
    """Rows of one JSONL file of a hub repository as a ``datasets.Dataset``."""
    try:
        from datasets import load_dataset
    except ImportError:
        raise MissingExtraError("loading tasks from the hub", "hub") from None
    try:
        return load_dataset(repository, data_files={split: file}, split=split)
    except Exception as problem:  # the library raises many classes for a missing file, a gate or no network
        reason = str(problem).strip().splitlines()[0] if str(problem).strip() else type(problem).__name__
        raise TaskDataError(
            f"cannot load {file!r} of {repository!r}: {reason}. The repository must hold {expected}. Offline, download "
            f"the file elsewhere and pass its path as tasks=, or use tasks='bundled'."
        ) from problem
