"""Grades backend answers with the sandboxed unit-test runner, one grader per process and configuration."""

from __future__ import annotations

import atexit
import os
import threading
from typing import Any

from colbench.backend.grading import Grader
from colbench.dialogue import REPLY_CHARS
from colbench.judge import Verdict
from colbench.tasks.schema import BackendTask
from colbench.tasks.taskset import Kind

__all__ = ["BackendJudge", "shared_grader"]

_lock = threading.Lock()
_graders: dict[tuple[Any, ...], Grader] = {}


def shared_grader(grading: str = "strict", **options: Any) -> Grader:
    """One grader per process and set of options, so that many environments share its workers."""
    key = (os.getpid(), grading, *sorted(options.items()))
    with _lock:
        grader = _graders.get(key)
        if grader is None:
            grader = _graders[key] = Grader(grading, **options)  # type: ignore[arg-type]
        return grader


@atexit.register
def _close_shared() -> None:
    with _lock:
        for key, grader in _graders.items():
            if key[0] == os.getpid():
                grader.close()
        _graders.clear()


class BackendJudge:
    """Score = fraction of the hidden calls on which answer and reference agree.

    Args:
        grading: ``"strict"`` or ``"paper"``.
        grader_options: passed to :class:`colbench.backend.grading.Grader`.
    """

    kind: Kind = "backend"
    reply_chars = REPLY_CHARS["backend"]

    def __init__(self, grading: str = "strict", **grader_options: Any) -> None:
        self.grading = grading
        self._options = grader_options

    @property
    def grader(self) -> Grader:
        """The shared grader; started on first use, and again in a forked process."""
        return shared_grader(self.grading, **self._options)

    async def look(self, task: BackendTask, visible: str) -> None:
        """Nothing to render."""
        return None

    async def reference(self, task: BackendTask) -> None:
        """Nothing to render."""
        return None

    async def verdict(self, task: BackendTask, answer: str, page: Any) -> Verdict:
        """Run the hidden calls on the answer."""
        result = await self.grader.agrade(
            ground_truth=task.ground_truth, test_cases=task.test_cases, answer=answer, entry_point=task.entry_point
        )
        return Verdict(
            score=result.score,
            success=result.success,
            outcomes=tuple(result.to_json()["outcomes"]),
            grading=result.grading,
            isolation=result.isolation,
            versions=dict(result.versions),
        )

    def describe(self) -> dict[str, Any]:
        """Mode and options of the grader, without those that cannot change a verdict.

        The isolation that an answer ran at stands in its record; that a weaker one was allowed says nothing.
        """
        kept_out = ("workers", "cache_dir", "allow_weaker")
        options = {name: value for name, value in self._options.items() if name not in kept_out}
        return {"grading": self.grading, **options}
