"""What can go wrong with a chat call, told apart by what a caller should do about it.

Agents and collaborators treat the same event differently (an overlong prompt is an agent's own doing, for a
collaborator it may be), so the client only says what happened; who is to blame is decided where the dialogue is known.
"""

from __future__ import annotations

from typing import ClassVar

from colbench.errors import ModelServerError
from colbench.usage import Usage

__all__ = [
    "ChatContextError",
    "ChatEmptyError",
    "ChatError",
    "ChatFilterError",
    "ChatRequestError",
    "ChatServerError",
]


class ChatError(ModelServerError):
    """A chat call gave no usable reply.

    Args:
        message: what happened, without any key.
        usage: tokens spent nevertheless.
        attempts: requests sent.
    """

    reason: ClassVar[str] = "error"

    def __init__(self, message: str, *, usage: Usage | None = None, attempts: int = 1) -> None:
        super().__init__(message)
        self.usage = usage or Usage()
        self.attempts = attempts


class ChatServerError(ChatError):
    """Outage: rate limit, 5xx, network, time limit or a garbled body, still there after all retries."""

    reason = "server"


class ChatRequestError(ChatError):
    """The server refused the request (4xx) and would refuse it again."""

    reason = "refused"


class ChatFilterError(ChatError):
    """A content filter stopped the prompt or the reply.

    Args:
        message: what happened.
        of_reply: whether the model's own words were filtered, rather than the prompt.
        usage: tokens spent nevertheless.
        attempts: requests sent.
    """

    reason = "content_filter"

    def __init__(self, message: str, *, of_reply: bool = False, usage: Usage | None = None, attempts: int = 1) -> None:
        super().__init__(message, usage=usage, attempts=attempts)
        self.of_reply = of_reply


class ChatContextError(ChatError):
    """The prompt (with the tokens asked for) does not fit the model's context."""

    reason = "context_overflow"


class ChatEmptyError(ChatError):
    """The model said nothing twice, the second time to a changed request."""

    reason = "empty"
