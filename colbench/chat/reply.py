"""A server's answer, read leniently: plain or listed content, reasoning beside it or inside it, facts where given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from colbench.chat.prices import Price
from colbench.chat.thoughts import without_thoughts
from colbench.usage import Usage

__all__ = ["ChatReply", "GarbledReply", "error_in", "parse_body", "read_reply"]


class GarbledReply(Exception):
    """A body with status 200 that is no chat completion; treated like a broken connection."""


@dataclass(frozen=True)
class ChatReply:
    """One reply of a model.

    Attributes:
        text: what it said, reasoning removed.
        finish_reason: as the server gave it.
        usage: tokens and cost of every request that was answered for this reply.
        token_ids: sampled ids, reasoning included, where the server gives them.
        logprobs: their log-probabilities in nats.
        attempts: requests sent.
        meta: further facts for a record: ``reasoning`` (some was removed), ``cached``, ``retried_empty``, ``without``
            (parameters the server does not take).
    """

    text: str
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    attempts: int = 1
    meta: dict[str, Any] = field(default_factory=dict)


def parse_body(raw: bytes) -> dict[str, Any]:
    """The JSON object of an answer.

    Raises:
        GarbledReply: the body is something else.
    """
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        start = " ".join(raw[:80].decode("utf-8", "replace").split())
        raise GarbledReply(f"the body is not JSON but begins {start!r}") from None
    if not isinstance(body, dict):
        raise GarbledReply(f"the body is not a JSON object but a {type(body).__name__}")
    return body


def error_in(body: Mapping[str, Any]) -> tuple[int, dict[str, Any]] | None:
    """An error that a gateway wrapped into status 200: the status it tells (500 if none), and the body."""
    error = body.get("error")
    if not error or body.get("choices"):
        return None
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return status, dict(body)


def read_reply(body: Mapping[str, Any], price: Price | None = None) -> ChatReply:
    """Read a chat completion.

    Raises:
        GarbledReply: there is no choice or no message in it.
    """
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise GarbledReply("the answer holds no choices")
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        raise GarbledReply("the answer's first choice holds no message")
    text, removed = without_thoughts(_text(message.get("content")))
    refusal = message.get("refusal")
    if not text.strip() and isinstance(refusal, str):
        text = refusal
    # The side field is looked at only to know that it is there: reasoning is never a reply.
    aside = any(message.get(name) for name in ("reasoning_content", "reasoning", "thinking"))
    finish = choice.get("finish_reason")
    return ChatReply(
        text=text.strip(),
        finish_reason=finish if isinstance(finish, str) else None,
        usage=_usage(body.get("usage"), price),
        token_ids=_token_ids(choice),
        logprobs=_logprobs(choice.get("logprobs")),
        meta={"reasoning": True} if removed or aside else {},
    )


def _text(content: Any) -> str:
    """Text of a content given as a string, a part, a list of either, or null."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        if content.get("type", "text") not in ("text", "output_text"):
            return ""
        inner = content.get("text")
        return _text(inner.get("value") if isinstance(inner, dict) else inner)
    if isinstance(content, list):
        return "".join(_text(part) for part in content)
    return ""


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _usage(given: Any, price: Price | None) -> Usage:
    given = given if isinstance(given, dict) else {}
    prompt, completion = _count(given.get("prompt_tokens")), _count(given.get("completion_tokens"))
    details = given.get("completion_tokens_details")
    reasoning = _count(details.get("reasoning_tokens")) if isinstance(details, dict) else 0
    details = given.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    cost = None if price is None or not given else price.cost(prompt, completion, cached)
    return Usage(1, prompt, completion, reasoning, cost)


def _token_ids(choice: Mapping[str, Any]) -> tuple[int, ...] | None:
    ids = choice.get("token_ids")
    if isinstance(ids, list) and ids and all(isinstance(i, int) for i in ids):
        return tuple(ids)
    entries = _entries(choice.get("logprobs"))
    # vLLM's return_tokens_as_token_ids writes the id in place of the token.
    found = [str(entry.get("token", "")) for entry in entries]
    if found and all(token.startswith("token_id:") and token[9:].isdigit() for token in found):
        return tuple(int(token[9:]) for token in found)
    return None


def _logprobs(given: Any) -> tuple[float, ...] | None:
    values = [entry.get("logprob") for entry in _entries(given)]
    if values and all(isinstance(v, int | float) for v in values):
        return tuple(float(v) for v in values)  # type: ignore[arg-type]
    return None


def _entries(given: Any) -> list[dict[str, Any]]:
    content = given.get("content") if isinstance(given, dict) else None
    return [entry for entry in content if isinstance(entry, dict)] if isinstance(content, list) else []
