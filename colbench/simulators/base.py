"""What a collaborator is: it knows the reference, sees what the agent shows, and answers in plain words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from colbench.usage import Usage

if TYPE_CHECKING:
    from colbench.frontend.page import RenderedPage
    from colbench.tasks.schema import Task

__all__ = ["Collaborator", "CollaboratorContext", "Reply"]


@dataclass(frozen=True)
class CollaboratorContext:
    """Everything a collaborator may use for one reply.

    Attributes:
        task: the task, with its reference (and its decisions where it is procedural).
        messages: the dialogue as the collaborator may see it, ``{"role": "user" | "assistant", "content": str}``;
            the first is the request, "assistant" is the agent, the last is the message to answer.
        seed: fixes every choice of this reply; it differs from turn to turn.
        turn: index of the agent's turn that is answered, from 0.
        max_chars: the reply is cut to this many characters afterwards (400 backend, 1,000 frontend).
        settled: names of the decisions settled by earlier replies of this episode (procedural tasks).
        agent_page: the agent's page of this turn as rendered, or None if the message carried none (frontend).
        reference_page: the reference as rendered (frontend).
    """

    task: Task = field(repr=False)
    messages: tuple[dict[str, str], ...]
    seed: int
    turn: int
    max_chars: int
    settled: frozenset[str] = frozenset()
    agent_page: RenderedPage | None = None
    reference_page: RenderedPage | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Reply:
    """One reply of a collaborator.

    Attributes:
        text: what it says.
        settled: names of the hidden decisions that this reply settles; None where nobody can know.
        usage: tokens and cost, where a model was asked.
        attempts: how often it was asked until this reply was accepted.
        leak: whether an attempt was thrown away, or this reply kept, although it spoke of the reference's code.
        meta: further facts for the record (finish reason, filtered, ...); JSON values only.
    """

    text: str
    settled: tuple[str, ...] | None = None
    usage: Usage | None = None
    attempts: int = 1
    leak: bool = False
    meta: dict[str, Any] = field(default_factory=dict)


@runtime_checkable
class Collaborator(Protocol):
    """Answers the agent's message; raises :class:`colbench.errors.CollaboratorError` when it cannot."""

    name: str

    async def reply(self, context: CollaboratorContext) -> Reply:
        """Answer the last message of the context."""
        ...

    def describe(self) -> dict[str, Any]:
        """JSON facts that identify this collaborator (name, model, prompt hash); they enter the configuration hash."""
        ...
