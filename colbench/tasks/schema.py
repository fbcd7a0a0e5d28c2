"""What a task is: the published record, plus the decisions that only procedural tasks know.

A task holds the reference artifact, so nothing here may print it: every hidden field is kept out of ``repr``.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

__all__ = [
    "BackendTask",
    "Decision",
    "DecisionOption",
    "FrontendTask",
    "ProceduralRecord",
    "Task",
    "entry_point_of",
]

_SIGNATURE = re.compile(r"\bdef\s+([A-Za-z_]\w*)")


def entry_point_of(problem_description: str, ground_truth: str = "") -> str | None:
    """Name of the function a request asks for, from its signature line, else from the reference's first ``def``."""
    for text in (problem_description, ground_truth):
        found = _SIGNATURE.findall(text)
        if found:
            # The published requests end with the signature, so in a request the last one counts.
            return str(found[-1] if text is problem_description else found[0])
    return None


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DecisionOption(_Record):
    """One way a decision can go.

    Attributes:
        key: short stable name, for example ``"half_up"``.
        fact: the sentence a collaborator says when asked, in plain words and without code.
    """

    key: str
    fact: str = Field(repr=False)


class Decision(_Record):
    """One thing that the artifact depends on and the request may leave open.

    Attributes:
        name: stable identifier within the family.
        topic: what a question about it is about, in a few words, for example ``"rounding of the result"``.
        question: one natural question that asks for it.
        options: two to four options.
        chosen: index of the option the reference follows.
        stated: whether the request already says it; the other decisions are the *hidden* ones.
    """

    name: str
    topic: str
    question: str
    options: Annotated[tuple[DecisionOption, ...], Field(min_length=2, max_length=4)]
    chosen: int = Field(repr=False)
    stated: bool = False


class ProceduralRecord(_Record):
    """Where a procedural task came from and which combinations of options succeed.

    Attributes:
        family: name of the task family.
        version: version of the generator.
        seed: seed of the task inside its family and split.
        dials: further generator settings, for example the number of stated decisions.
        decisions: all decisions, hidden and stated.
        passing: every combination (one option index per decision, in order) that agrees with all calls; empty
            for frontend pages, whose reward is not a pass or a fail.
    """

    family: str
    version: int
    seed: int
    dials: dict[str, Any] = Field(default_factory=dict)
    decisions: tuple[Decision, ...] = Field(repr=False)
    passing: tuple[tuple[int, ...], ...] = Field(default=(), repr=False)

    @property
    def hidden(self) -> tuple[Decision, ...]:
        """The decisions that the request does not state."""
        return tuple(d for d in self.decisions if not d.stated)


class _TaskBase(_Record):
    task_id: str
    problem_description: str
    ground_truth: str = Field(repr=False)
    domain: str = ""
    procedural: ProceduralRecord | None = Field(default=None, repr=False)

    def _hashed(self) -> list[Any]:
        return [self.problem_description, self.ground_truth]

    @property
    def content_hash(self) -> str:
        """First 16 hex digits of the SHA-256 of request, reference and calls."""
        blob = json.dumps(self._hashed(), ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(blob.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class BackendTask(_TaskBase):
    """A Python function to be found out by asking; judged by hidden calls (paper section 3).

    Attributes:
        task_id: unique within its set.
        problem_description: the vague request; it ends with the signature.
        ground_truth: source of the reference function. Hidden from the agent.
        test_cases: name -> call expression. Hidden from the agent. Null entries are dropped on loading.
        domain: free label used in breakdowns.
        procedural: decisions and passing combinations where the task was generated.
    """

    kind: Literal["backend"] = "backend"
    test_cases: dict[str, str] = Field(repr=False)

    @field_validator("test_cases", mode="before")
    @classmethod
    def _drop_null_calls(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {str(k): v for k, v in value.items() if v is not None}
        return value

    def _hashed(self) -> list[Any]:
        return [self.problem_description, self.ground_truth, self.test_cases]

    @property
    def calls(self) -> tuple[str, ...]:
        """The call expressions in the order of the record."""
        return tuple(self.test_cases.values())

    @property
    def entry_point(self) -> str | None:
        """Name of the function that is asked for."""
        return entry_point_of(self.problem_description, self.ground_truth)


class FrontendTask(_TaskBase):
    """A web page to be designed by showing pictures; judged by image similarity (paper section 3).

    Attributes:
        task_id: unique within its set.
        problem_description: the short request.
        ground_truth: HTML of the reference page. Hidden from the agent.
        domain: free label used in breakdowns.
        procedural: design decisions where the page was generated.
    """

    kind: Literal["frontend"] = "frontend"


Task = BackendTask | FrontendTask
