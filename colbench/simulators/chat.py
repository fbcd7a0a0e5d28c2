"""The collaborator ``chat``: a model on an OpenAI-compatible server that knows the reference and answers in words."""

from __future__ import annotations

from typing import Any

from colbench.chat import ChatClient, ChatSettings
from colbench.simulators.guard import GuardedCollaborator
from colbench.simulators.leaks import LONGEST_RUN
from colbench.simulators.model import ModelCollaborator

__all__ = ["ChatCollaborator"]


class ChatCollaborator(GuardedCollaborator):
    """A chat model as the collaborator, its replies checked for leaks.

    Args:
        model: its name on the server.
        prompt: path of a prompt file; see :class:`colbench.simulators.model.ModelCollaborator`.
        vision: show pages as pictures (frontend); false shows their source.
        image_size: pixels of a picture's longer side at most; None for full size.
        attempts: how often a reply that leaks is asked for.
        longest_run: tokens of the reference in a row that make a leak.
        options: further options of :class:`colbench.chat.ChatSettings`.

    Raises:
        ConfigurationError: for an unknown option, a missing model or key, or a prompt that cannot be used.
    """

    def __init__(
        self,
        model: str = "",
        *,
        prompt: str | None = None,
        vision: bool = True,
        image_size: int | None = 1024,
        attempts: int = 3,
        longest_run: int = LONGEST_RUN,
        **options: Any,
    ) -> None:
        settings = ChatSettings.from_options("simulator 'chat'", {"model": model, **options})
        inner = ModelCollaborator(
            ChatClient(settings), name="chat", prompt=prompt, vision=vision, image_size=image_size
        )
        super().__init__(inner, attempts=attempts, longest_run=longest_run)
