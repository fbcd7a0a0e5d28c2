"""Language models behind an OpenAI-compatible server: one client for agents and collaborators.

    settings = ChatSettings(model="my-model", base_url="http://127.0.0.1:8000/v1")
    reply = await ChatClient(settings).complete([{"role": "user", "content": "Hello"}], seed=0)

Keys come from the environment only. See ``docs/models.md``.
"""

from colbench.chat.client import ChatClient
from colbench.chat.engine import ChatEngine
from colbench.chat.errors import (
    ChatContextError,
    ChatEmptyError,
    ChatError,
    ChatFilterError,
    ChatRequestError,
    ChatServerError,
)
from colbench.chat.prices import Price, PriceList, load_prices
from colbench.chat.reply import ChatReply
from colbench.chat.settings import ChatSettings

__all__ = [
    "ChatClient",
    "ChatContextError",
    "ChatEmptyError",
    "ChatEngine",
    "ChatError",
    "ChatFilterError",
    "ChatReply",
    "ChatRequestError",
    "ChatServerError",
    "ChatSettings",
    "Price",
    "PriceList",
    "load_prices",
]
