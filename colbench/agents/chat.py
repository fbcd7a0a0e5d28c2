"""The agent ``chat``: a model on an OpenAI-compatible server, such as vLLM, OpenAI or Azure."""

from __future__ import annotations

from typing import Any

from colbench.agents.model import ModelAgent
from colbench.chat import ChatClient, ChatSettings

__all__ = ["ChatAgent"]


class ChatAgent(ModelAgent):
    """A chat model as the agent.

    Args:
        model: its name on the server.
        prompt: path of a prompt file; see :class:`colbench.agents.model.ModelAgent`.
        single_turn: answer at once, without asking.
        think: have the model think in private before ``OUTPUT:``.
        max_tokens: most tokens of a message, reasoning included.
        options: further options of :class:`colbench.chat.ChatSettings`.

    Raises:
        ConfigurationError: for an unknown option, a missing model or key, or a prompt that cannot be used.
    """

    def __init__(
        self,
        model: str = "",
        *,
        prompt: str | None = None,
        single_turn: bool = False,
        think: bool = False,
        max_tokens: int = 2048,
        **options: Any,
    ) -> None:
        settings = ChatSettings.from_options("agent 'chat'", {"model": model, "max_tokens": max_tokens, **options})
        super().__init__(ChatClient(settings), name="chat", prompt=prompt, single_turn=single_turn, think=think)
