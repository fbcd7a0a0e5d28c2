"""What a client has learnt about its server, so that each peculiarity costs one refused request, not one per call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from colbench.chat.classify import Problem
from colbench.chat.messages import Message, flatten, fold_roles

__all__ = ["Learned"]

_TOKEN_NAMES = ("max_tokens", "max_completion_tokens")


class Learned:
    """Parameters that a server refuses, its name for the token limit, and whether it takes a system role."""

    def __init__(self) -> None:
        self._refused: set[str] = set()
        self._folds_roles = False

    @property
    def without(self) -> list[str]:
        """Parameters that replies were made without, for the record; the token limit is only renamed."""
        dropped = self._refused - set(_TOKEN_NAMES)
        return sorted(dropped | (set(_TOKEN_NAMES) & self._refused if self._token_name() is None else set()))

    def shape(self, body: Mapping[str, Any], messages: Sequence[Message]) -> dict[str, Any]:
        """The request as this server wants it."""
        shaped = {name: value for name, value in body.items() if name not in self._refused}
        limit = body.get("max_tokens")
        shaped.pop("max_tokens", None)
        name = self._token_name()
        if limit is not None and name is not None:
            shaped[name] = limit
        if "logprobs" in self._refused:
            shaped.pop("top_logprobs", None)
        flat = flatten(messages)
        shaped["messages"] = fold_roles(flat) if self._folds_roles else flat
        return shaped

    def learn(self, problem: Problem, sent: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
        """Take a refusal into account; whether the same call is worth sending again.

        Args:
            problem: the refusal.
            sent: the request as it was shaped.
            given: the user's own further fields, which are never dropped silently.
        """
        if problem.verdict == "roles":
            # Another call may have learnt it while this one was under way.
            before = self._folds_roles
            self._folds_roles = True
            return not before or sent["messages"] != fold_roles(sent["messages"])
        name = problem.parameter
        if name is None or name in given or name not in sent:
            return False
        self._refused.add(name)
        return True

    def _token_name(self) -> str | None:
        return next((name for name in _TOKEN_NAMES if name not in self._refused), None)
