"""What a model call cost; the same record for agents and collaborators."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Usage"]


@dataclass(frozen=True)
class Usage:
    """Tokens and money of one or more model calls.

    Attributes:
        calls: number of requests that were answered.
        prompt_tokens: tokens read.
        completion_tokens: tokens written, reasoning included.
        reasoning_tokens: the part of ``completion_tokens`` spent on hidden reasoning.
        cost: money in the currency of the price file; None where no price is known.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost is None and other.cost is None else (self.cost or 0.0) + (other.cost or 0.0)
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            cost,
        )
