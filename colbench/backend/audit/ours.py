"""This package's own grader in the form that the audit calls: one function, one number."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from colbench.backend.grading import Grader
    from colbench.backend.outcomes import GradingMode

__all__ = ["close", "paper_score", "strict_score"]

_graders: dict[str, Grader] = {}
_lock = threading.Lock()


def strict_score(ground_truth: str, test_cases: Mapping[str, str | None], answer: str) -> float:
    """Score in ``strict`` mode, by a grader that is kept for the next call."""
    return _score("strict", ground_truth, test_cases, answer)


def paper_score(ground_truth: str, test_cases: Mapping[str, str | None], answer: str) -> float:
    """Score in ``paper`` mode, by a grader that is kept for the next call."""
    return _score("paper", ground_truth, test_cases, answer)


def _score(mode: GradingMode, ground_truth: str, test_cases: Mapping[str, str | None], answer: str) -> float:
    from colbench.backend.grading import Grader

    with _lock:
        grader = _graders.get(mode)
        if grader is None:
            grader = _graders[mode] = Grader(grading=mode, workers=1, allow_weaker=True)
    calls = {name: call for name, call in test_cases.items() if call is not None}
    return grader.grade(ground_truth=ground_truth, test_cases=calls, answer=answer).score


def close() -> None:
    """Close the graders; the audit calls this before it looks for what is left."""
    with _lock:
        for grader in _graders.values():
            grader.close()
        _graders.clear()
