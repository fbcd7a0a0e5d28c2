"""Asks a collaborator again when its reply gives the reference away, and keeps code out of the dialogue in any case."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from colbench.errors import ConfigurationError
from colbench.seeding import derive_seed
from colbench.simulators.base import Collaborator, CollaboratorContext, Reply
from colbench.simulators.leaks import LONGEST_RUN, Leak, find_leak, without_code_lines
from colbench.usage import Usage

__all__ = ["GuardedCollaborator"]

_NOTES = {
    "backend": "(Your last reply contained code. Say the same in plain words, as somebody who does not program.)",
    "frontend": "(Your last reply contained HTML or CSS. Say what it looks like in plain words instead.)",
}
_IN_WORDS = "I can only describe it in words. Please ask me about one detail."


class GuardedCollaborator:
    """Checks every reply of another collaborator for leaks.

    A reply that leaks is thrown away and asked for again. When every attempt leaks, what remains of the last one
    without its code is said; and where nothing remains, a sentence that tells nothing. The record's ``leak`` is true
    whenever an attempt leaked, ``meta["leaks"]`` counts them, ``meta["code_removed"]`` marks the last case.

    Args:
        inner: any collaborator; one with ``ask(context, note, attempt)`` is told what was wrong.
        attempts: how often it is asked at most, at least 1.
        longest_run: tokens of the reference in a row that make a leak.
    """

    def __init__(self, inner: Collaborator, *, attempts: int = 3, longest_run: int = LONGEST_RUN) -> None:
        for name, value, low in (("attempts", attempts, 1), ("longest_run", longest_run, 3)):
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ConfigurationError(f"{name} must be a whole number of at least {low}, actually: {value!r}")
        self.inner = inner
        self.name = inner.name
        self._attempts = attempts
        self._longest_run = longest_run

    async def reply(self, context: CollaboratorContext) -> Reply:
        """Answer the last message of the context, without code."""
        usage: Usage | None = None
        asked, leaks = 0, 0
        for attempt in range(self._attempts):
            reply = await self._ask(context, attempt)
            asked += reply.attempts
            if reply.usage is not None:
                usage = reply.usage if usage is None else usage + reply.usage
            leak = self._leak(context, reply.text)
            if leak is None:
                return self._accepted(reply, usage, asked, leaks)
            leaks += 1
        rest = without_code_lines(reply.text)
        text = rest if len(rest.split()) >= 3 and self._leak(context, rest) is None else _IN_WORDS
        # What a reply settled is not known once part of it is gone.
        kept = replace(reply, text=text, settled=None if reply.settled is None else ())
        return self._accepted(kept, usage, asked, leaks, code_removed=True)

    def _accepted(self, reply: Reply, usage: Usage | None, asked: int, leaks: int, **facts: Any) -> Reply:
        meta = {**reply.meta, **({"leaks": leaks, **facts} if leaks else {})}
        return replace(reply, usage=usage, attempts=asked, leak=leaks > 0, meta=meta)

    def _leak(self, context: CollaboratorContext, text: str) -> Leak | None:
        # Only what will be shown counts: the rest is cut off.
        return find_leak(context.task, text[: context.max_chars], self._longest_run)

    async def _ask(self, context: CollaboratorContext, attempt: int) -> Reply:
        ask = getattr(self.inner, "ask", None)
        if ask is not None:
            return await ask(context, _NOTES[context.task.kind] if attempt else None, attempt)
        if attempt:
            context = replace(context, seed=derive_seed(context.seed, "again", attempt))
        return await self.inner.reply(context)

    def describe(self) -> dict[str, Any]:
        """Facts of the inner collaborator, and how it is guarded."""
        return {**self.inner.describe(), "leak_attempts": self._attempts, "leak_run": self._longest_run}

    async def aclose(self) -> None:
        """Release what the inner collaborator holds."""
        close = getattr(self.inner, "aclose", None)
        if close is not None:
            result = close()
            if inspect.isawaitable(result):
                await result
