"""The shapes in which different servers and chat templates want the same conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["Message", "flatten", "fold_roles", "merge_neighbours", "nudge"]

Message = dict[str, Any]
"""``role`` and ``content``: a string, or a list of parts where there are images."""


def flatten(messages: Sequence[Message]) -> list[Message]:
    """Text-only turns as plain strings; turns with images keep their parts."""
    out = []
    for message in messages:
        content = message["content"]
        if isinstance(content, list) and all(part.get("type") == "text" for part in content):
            content = "\n".join(str(part["text"]) for part in content)
        if isinstance(content, str):
            content = _encodable(content)
        out.append({"role": message["role"], "content": content})
    return out


def merge_neighbours(messages: Sequence[Message]) -> list[Message]:
    """Neighbours of one role as one turn, so that roles alternate."""
    out: list[Message] = []
    for message in messages:
        if out and out[-1]["role"] == message["role"]:
            out[-1] = {"role": message["role"], "content": _joined(out[-1]["content"], message["content"])}
        else:
            out.append(dict(message))
    return out


def fold_roles(messages: Sequence[Message]) -> list[Message]:
    """For templates that refuse the system role: it opens the first user turn, and roles alternate from user on."""
    system = [m["content"] for m in messages if m["role"] == "system"]
    rest = [m for m in messages if m["role"] != "system"]
    if system:
        opening = {"role": "user", "content": "\n\n".join(str(text) for text in system)}
        rest = [opening, *rest]
    elif rest and rest[0]["role"] != "user":
        rest = [{"role": "user", "content": "(The conversation begins.)"}, *rest]
    return merge_neighbours(rest)


def nudge(messages: Sequence[Message], note: str) -> list[Message]:
    """The same conversation with a note at its end, inside the last user turn where there is one."""
    return merge_neighbours([*messages, {"role": "user", "content": note}])


def _encodable(text: str) -> str:
    # Half of a surrogate pair, as a reply cut inside an emoji leaves it, cannot be sent as UTF-8.
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _joined(first: Any, second: Any) -> Any:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_parts(first), *_parts(second)]


def _parts(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
