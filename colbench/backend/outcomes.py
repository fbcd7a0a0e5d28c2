"""What grading one answer gave: one outcome per call, and the score they add up to.

Kept apart from the grader so that trajectories, boards and tables can read results without loading a sandbox.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

__all__ = ["CallOutcome", "CallStatus", "GradeResult", "GradingMode", "IsolationLevel"]

CallStatus = Literal["equal", "different", "exception", "timeout", "crashed", "opaque", "not_run"]
GradingMode = Literal["strict", "paper"]
IsolationLevel = Literal["full", "partial", "weak"]

DETAIL_LIMIT = 120
_STATUSES = frozenset(get_args(CallStatus))


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How one call of a candidate ended.

    Attributes:
        status: ``equal`` and ``different`` compare a value with the reference's; ``exception``, ``timeout`` and
            ``crashed`` (the process died) are the candidate's; ``opaque`` is a value that cannot be compared;
            ``not_run`` means that nothing was executed for this call.
        detail: the exception's type, the opaque value's type, or the reason; at most 120 characters. It never
            holds a value, so it can be shown to an agent. An answer chooses its types' names, so what is not plain
            printable text is replaced.
    """

    status: CallStatus
    detail: str | None = None

    def __post_init__(self) -> None:
        if self.status not in _STATUSES:
            raise ValueError(f"call status {self.status!r} is none of {sorted(_STATUSES)}")
        if self.detail is None:
            return
        # Control characters and direction marks would act on the terminal or page that shows them.
        plain = "".join(c if c.isprintable() else "?" for c in self.detail[: 2 * DETAIL_LIMIT])
        if len(plain) > DETAIL_LIMIT:
            plain = plain[: DETAIL_LIMIT - 1] + "…"
        if plain != self.detail:
            object.__setattr__(self, "detail", plain)

    @property
    def passed(self) -> bool:
        """Whether the call counts."""
        return self.status == "equal"

    def to_json(self) -> dict[str, Any]:
        """``{"status": ...}``, with ``detail`` where there is one."""
        record: dict[str, Any] = {"status": self.status}
        if self.detail is not None:
            record["detail"] = self.detail
        return record


@dataclass(frozen=True, slots=True)
class GradeResult:
    """The verdict on one answer.

    Attributes:
        score: fraction of the calls passed, in 0..1.
        passed: number of calls passed.
        total: number of calls.
        success: whether all calls passed.
        outcomes: one per call, in the order of the task.
        grading: the mode, ``strict`` or ``paper``.
        isolation: the level the candidate ran under, as probed.
        versions: ``python`` and ``worker``, and every distribution the candidate could import.
    """

    score: float
    passed: int
    total: int
    success: bool
    outcomes: tuple[CallOutcome, ...]
    grading: GradingMode
    isolation: IsolationLevel
    versions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_outcomes(
        cls,
        outcomes: tuple[CallOutcome, ...],
        *,
        grading: GradingMode,
        isolation: IsolationLevel,
        versions: Mapping[str, str],
    ) -> GradeResult:
        """Adds the outcomes up."""
        passed = sum(outcome.passed for outcome in outcomes)
        total = len(outcomes)
        return cls(
            score=passed / total if total else 0.0,
            passed=passed,
            total=total,
            success=bool(total) and passed == total,
            outcomes=outcomes,
            grading=grading,
            isolation=isolation,
            versions=dict(versions),
        )

    def to_json(self) -> dict[str, Any]:
        """A record of plain JSON types."""
        return {
            "score": self.score,
            "passed": self.passed,
            "total": self.total,
            "success": self.success,
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
            "grading": self.grading,
            "isolation": self.isolation,
            "versions": dict(self.versions),
        }
