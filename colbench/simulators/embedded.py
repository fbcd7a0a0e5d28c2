"""The collaborator that needs no model: it answers from the reference itself, and the same way every time.

For any Python reference it says facts drawn from the syntax tree; for procedural tasks the facts of the decisions
asked about, exactly; for web pages see :mod:`colbench.simulators.embedded_frontend`.
"""

from __future__ import annotations

from typing import Any

from colbench.errors import CollaboratorError
from colbench.simulators.base import Collaborator, CollaboratorContext, Reply
from colbench.simulators.embedded_decisions import reply_from_decisions
from colbench.simulators.embedded_reference import reply_from_reference

__all__ = ["VERSION", "EmbeddedCollaborator"]

VERSION = 3
"""Raised whenever a reply to some message changes; it enters the configuration hash of every run."""


class EmbeddedCollaborator:
    """Answers from the reference of the task, without a language model.

    A reply has at most two sentences and three facts, all on what was asked, fits the limit of the environment, and
    holds no code. It depends only on the task, the messages and the seed; the seed chooses wordings, never facts.
    """

    name = "embedded"

    def __init__(self) -> None:
        self._frontend: Collaborator | None = None

    async def reply(self, context: CollaboratorContext) -> Reply:
        """Answer the last message of the context.

        Raises:
            CollaboratorError: there is no message to answer.
        """
        if not context.messages:
            raise CollaboratorError("there is no message to answer: the dialogue is empty")
        if context.task.kind == "frontend":
            return await self._frontend_collaborator().reply(context)
        if context.task.procedural is not None and context.task.procedural.decisions:
            return reply_from_decisions(context)
        return reply_from_reference(context)

    def describe(self) -> dict[str, Any]:
        """Name and version."""
        return {"name": self.name, "version": VERSION}

    def _frontend_collaborator(self) -> Collaborator:
        if self._frontend is None:
            from colbench.simulators.embedded_frontend import EmbeddedFrontend

            self._frontend = EmbeddedFrontend()
        return self._frontend
