"""The record of one episode, version 1: what was said, what came of it, and everything needed to check it again.

A record holds neither reference nor calls: they are joined from the task set by id and hash when somebody grades or
trains. Only the published format, written on request, embeds the task.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["SCHEMA", "Failure", "PageRecord", "ReplyRecord", "Trajectory", "TurnRecord", "UsageRecord"]

SCHEMA: Literal["colbench.trajectory/1"] = "colbench.trajectory/1"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", ser_json_inf_nan="strings")


class UsageRecord(_Model):
    """Tokens and money; see :class:`colbench.usage.Usage`."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None


class ReplyRecord(_Model):
    """One reply of the collaborator.

    Attributes:
        text: as it stands in the dialogue, after cutting.
        cut: whether it was longer.
        leak: whether the collaborator spoke of the reference's code.
        attempts: how often it was asked.
        settled: hidden decisions settled by this reply; None where nobody can know.
        usage: tokens and cost.
        seconds: wall time.
        meta: further facts.
    """

    text: str
    cut: bool = False
    leak: bool = False
    attempts: int = 1
    settled: tuple[str, ...] | None = None
    usage: UsageRecord | None = None
    seconds: float = 0.0
    meta: dict[str, Any] = Field(default_factory=dict)


class PageRecord(_Model):
    """A page proposed in a turn (frontend): hashes of source and picture, and how the rendering went."""

    html_hash: str
    png_hash: str | None = None
    status: str


class TurnRecord(_Model):
    """One turn: the agent's message and, unless it ended the episode, the reply to it.

    Attributes:
        raw: the message up to a second ``OUTPUT:``.
        visible: what was shown.
        token_ids: sampled ids where known.
        logprobs: their log-probabilities in nats.
        finish_reason: as the model server gave it.
        usage: tokens and cost of the agent.
        seconds: wall time of the agent.
        page: the page shown in this turn (frontend).
        reply: the collaborator's answer, or None in the last turn.
        meta: further facts.
    """

    raw: str
    visible: str
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    finish_reason: str | None = None
    usage: UsageRecord | None = None
    seconds: float = 0.0
    page: PageRecord | None = None
    reply: ReplyRecord | None = None
    meta: dict[str, Any] = Field(default_factory=dict)


class Failure(_Model):
    """Why an episode could not be completed: the boundary that broke, the error's class and its message.

    ``usage`` is what the call that failed cost nevertheless, where the server said so.
    """

    boundary: str
    type: str
    message: str
    usage: UsageRecord | None = None


class Trajectory(_Model):
    """One episode.

    Attributes:
        schema_: version of this format; ``schema`` in JSON.
        env_id: id of the environment.
        task_id: id in its set.
        task_hash: content hash of the task.
        task_set: name of the set.
        repeat: number of the repetition of this task.
        seed: the episode's seed.
        request: the collaborator's first message.
        agent: facts that identify the agent.
        collaborator: facts that identify the collaborator.
        config_hash: hash of everything that could change the result.
        versions: of the package, Python and what graded.
        max_turns: limit of agent messages.
        turns: what was said.
        ended_by: ``answer`` or ``turn_limit``; None in a failed episode.
        answer: the final answer's text.
        score: fraction of calls passed, or the similarity; None if failed.
        success: whether all calls passed (backend); None for pages.
        reward: what the environment paid.
        outcomes: outcome of each call, in the order of the task (backend).
        grading: ``strict`` or ``paper`` (backend).
        measure: name of the similarity (frontend).
        isolation: level at which foreign code or pages ran.
        status: ``completed`` or ``failed``.
        failure: set when failed.
        seconds: wall time of the episode.
    """

    schema_: Annotated[Literal["colbench.trajectory/1"], Field(alias="schema")] = SCHEMA
    env_id: str
    task_id: str
    task_hash: str
    task_set: str = ""
    repeat: int = 0
    seed: int = 0
    request: str
    agent: dict[str, Any] = Field(default_factory=dict)
    collaborator: dict[str, Any] = Field(default_factory=dict)
    config_hash: str = ""
    versions: dict[str, str] = Field(default_factory=dict)
    max_turns: int = 10
    turns: list[TurnRecord] = Field(default_factory=list)
    ended_by: Literal["answer", "turn_limit"] | None = None
    answer: str | None = None
    score: float | None = None
    success: bool | None = None
    reward: float | None = None
    outcomes: list[dict[str, Any]] | None = None
    grading: str | None = None
    measure: str | None = None
    isolation: str | None = None
    status: Literal["completed", "failed"] = "completed"
    failure: Failure | None = None
    seconds: float = 0.0

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    @property
    def key(self) -> tuple[str, int]:
        """What makes an episode unique within a run: task id and repeat."""
        return (self.task_id, self.repeat)

    @property
    def questions(self) -> int:
        """Number of turns that the collaborator answered."""
        return sum(turn.reply is not None for turn in self.turns)

    def settled_per_turn(self) -> list[tuple[str, ...]] | None:
        """Decisions settled in each answered turn; None where a collaborator could not tell."""
        replies = [turn.reply for turn in self.turns if turn.reply is not None]
        if any(reply.settled is None for reply in replies):
            return None
        return [reply.settled or () for reply in replies]

    def to_record(self) -> dict[str, Any]:
        """A JSON object with short lines: fields that are None or empty are left out."""
        record = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        for turn in record["turns"]:
            for part in (turn, turn.get("reply", {})):
                if not part.get("meta", True):
                    del part["meta"]
        return record

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Trajectory:
        """Inverse of :meth:`to_record`.

        Raises:
            pydantic.ValidationError: naming the field that does not fit.
        """
        return cls.model_validate(record)
