"""A dialogue as text, for prompts that hold the whole conversation in one message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["as_text"]

_NAMES = {"assistant": "Agent", "user": "Human"}


def as_text(messages: Sequence[Mapping[str, str]]) -> str:
    """The messages, each after the name of its speaker, with a blank line between them."""
    return "\n\n".join(f"{_NAMES[message['role']]}: {message['content'].strip()}" for message in messages)
