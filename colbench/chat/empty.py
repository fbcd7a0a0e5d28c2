"""What to do when a model says nothing: one more request, changed, because the same one would be answered the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from colbench.chat.errors import ChatContextError, ChatEmptyError, ChatRequestError
from colbench.chat.messages import Message, nudge
from colbench.chat.reply import ChatReply

__all__ = ["ask_until_text"]

_MORE_TOKENS = 4
_NOTE = "(Your last reply came through empty. Please reply in words.)"

Once = Callable[[Sequence[Message], int, int], Awaitable[ChatReply]]
"""Takes messages, most tokens and how often it was asked before."""


async def ask_until_text(once: Once, messages: Sequence[Message], max_tokens: int) -> ChatReply:
    """A reply with text in it, asked for at most twice.

    A reply that ran out of tokens before it said anything (while reasoning, say) is asked for with more of them; any
    other empty one with a note.

    Raises:
        ChatEmptyError: the second one was empty too.
    """
    first = await once(messages, max_tokens, 0)
    if first.text:
        return first
    if first.finish_reason == "length":
        try:
            second = await once(messages, _MORE_TOKENS * max_tokens, 1)
        except (ChatContextError, ChatRequestError) as problem:
            # The prompt itself was fine; there is only no room for more.
            raise ChatEmptyError(
                f"the model used up its {max_tokens} tokens without saying anything, and may not have more ({problem})",
                usage=first.usage + problem.usage,
                attempts=first.attempts + problem.attempts,
            ) from None
    else:
        second = await once(nudge(messages, _NOTE), max_tokens, 1)
    usage, attempts = first.usage + second.usage, first.attempts + second.attempts
    if not second.text:
        reasons = f"{first.finish_reason}, then {second.finish_reason}"
        raise ChatEmptyError(
            f"the model said nothing, to a changed request either (finish reasons: {reasons})",
            usage=usage,
            attempts=attempts,
        )
    return replace(second, usage=usage, attempts=attempts, meta={**second.meta, "retried_empty": True})
