"""UNSAFE: grades by running the answer in this very process, as the published scorer does.

It exists for two purposes only: the audit must break it (a collection of attacks that breaks nothing proves nothing),
and the benchmark compares speeds with it. Nothing else may import it: an answer run here can score 1.0 whatever it
returns, can hang or end the process, and can change the verdict of every answer after it.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from types import FrameType
from typing import Any

from colbench.backend.extraction import paper_extract

__all__ = ["unsafe_score"]

_SECONDS_PER_CALL = 1.0


class _Late(Exception):
    pass


def _ring(signum: int, frame: FrameType | None) -> None:
    raise _Late


def _value(source: str, call: str) -> Any:
    """Value of the call with the source's definitions in a local scope; None for every failure."""
    scope: dict[str, Any] = {}
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS_PER_CALL)
    try:
        exec(source, globals(), scope)
        return eval(call, globals(), scope)
    except Exception:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def unsafe_score(ground_truth: str, test_cases: Mapping[str, str | None], answer: str) -> float:
    """Fraction of calls on which answer and reference agree, with the published semantics and no protection at all.

    Args:
        ground_truth: source of the reference function.
        test_cases: name -> call expression; nulls are left out.
        answer: the agent's text.
    """
    calls = [call for call in test_cases.values() if call is not None]
    code = paper_extract(answer)
    if code is None or not calls:
        return 0.0
    passed = 0
    for call in calls:
        expected = _value(ground_truth, call)
        found = _value(code, call)
        if expected is not None and found is not None and expected == found:
            passed += 1
    return passed / len(calls)
