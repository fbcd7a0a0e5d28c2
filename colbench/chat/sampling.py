"""Sampling in a batch in which every request has a generator of its own.

A shared generator would make a reply depend on which requests happened to share its batch. Here every request draws its
own Gumbel noise: the largest of (log-probability + noise) is a draw from the distribution, so plain arg-max decoding
samples, each row by its own seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["RowSampling", "SeededSampler"]


@dataclass(frozen=True)
class RowSampling:
    """How one row of a batch is sampled.

    Attributes:
        seed: of its generator.
        temperature: 0 takes the likeliest token.
        top_p: the smallest set of tokens with this much probability is kept; 1 keeps all.
        max_tokens: most tokens of its reply.
    """

    seed: int
    temperature: float
    top_p: float
    max_tokens: int


class SeededSampler:
    """A logits processor for arg-max decoding that samples every row by its own generator.

    Args:
        rows: one per row of the batch.
        eos: id of the token that ends a row which has used up its tokens.

    Attributes:
        logprobs: per step, one tensor of the log-probabilities of all tokens' winners, ``[batch]``.
    """

    def __init__(self, rows: Sequence[RowSampling], eos: int) -> None:
        import torch

        self._rows = list(rows)
        self._eos = eos
        self._generators = [torch.Generator().manual_seed(row.seed & 0x7FFFFFFFFFFFFFFF) for row in rows]
        self.logprobs: list[Any] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Scores whose arg-max is the next token of every row.

        Args:
            input_ids: ``[batch, length]``.
            scores: logits ``[batch, vocabulary]``; the result has the same shape.
        """
        import torch

        out = scores.float().clone()
        chosen = []
        step = len(self.logprobs)
        for i, row in enumerate(self._rows):
            logits = out[i]
            logprobs = torch.log_softmax(logits / row.temperature if row.temperature > 0 else logits, dim=-1)
            if row.temperature > 0:
                if row.top_p < 1:
                    logprobs = _nucleus(logprobs, row.top_p)
                uniform = torch.rand(logprobs.shape, generator=self._generators[i]).to(logprobs.device)
                # Kept away from 0 and 1, where the noise would be infinite.
                noise = -torch.log(-torch.log(uniform.clamp(1e-20, 1 - 1e-7)))
                out[i] = logprobs + noise
            if step >= row.max_tokens:
                out[i] = float("-inf")
                out[i, self._eos] = 0.0
            chosen.append(logprobs[out[i].argmax()])
        self.logprobs.append(torch.stack(chosen).cpu())
        return out


def _nucleus(logprobs: Any, top_p: float) -> Any:
    """Log-probabilities with all but the likeliest tokens of total probability ``top_p`` ruled out, renormalised."""
    import torch

    ordered, order = logprobs.sort(descending=True)
    before = ordered.exp().cumsum(-1) - ordered.exp()
    ordered = ordered.masked_fill(before >= top_p, float("-inf"))
    kept = torch.full_like(logprobs, float("-inf")).scatter(0, order, ordered)
    return torch.log_softmax(kept, dim=-1)
