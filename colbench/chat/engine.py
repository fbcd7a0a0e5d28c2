"""What agents and collaborators need of a language model, wherever it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from colbench.chat.messages import Message
from colbench.chat.reply import ChatReply

__all__ = ["ChatEngine"]


class ChatEngine(Protocol):
    """A model that continues a conversation: a chat server or a local checkpoint."""

    async def complete(self, messages: Sequence[Message], *, seed: int, sample: int = 0) -> ChatReply:
        """One reply, never an empty one; raises a :class:`colbench.chat.ChatError` where there is none."""
        ...

    def describe(self) -> dict[str, Any]:
        """JSON facts that can change a reply."""
        ...

    async def aclose(self) -> None:
        """Release connections or memory; the engine can be used again."""
        ...
