"""What a similarity measure is, and the named score that keeps two measures from ever being averaged together.

A bare float does not say whether it is a CLIP cosine (floor about 0.5) or a layout agreement (floor 0), so every
score carries the measure's name and the hash of everything that decides its value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from colbench.errors import ConfigurationError, SimilarityError
from colbench.frontend.page import RenderedPage

__all__ = ["PagePair", "Similarity", "SimilarityScore", "is_missing", "mean_similarity", "measure_hash", "score_pairs"]

PagePair = tuple[RenderedPage | None, RenderedPage]
"""The agent's page (None where it made none) and the reference."""

# Facts of a description that do not decide the value beyond rounding, so that a run may move to another machine.
_NOT_HASHED = frozenset({"device", "libraries", "source"})


@runtime_checkable
class Similarity(Protocol):
    """Scores pages against their references; higher is more alike and a page against itself scores exactly 1."""

    name: str

    def score(self, pages: Sequence[PagePair]) -> list[float]:
        """Score every pair, in order; any number of pairs, none included.

        Raises:
            SimilarityError: if a reference has no picture or the measure cannot be computed.
        """
        ...

    def describe(self) -> dict[str, Any]:
        """JSON facts: name, version, weight hash, preprocessing, device, dtype, range."""
        ...


@dataclass(frozen=True)
class SimilarityScore:
    """One score together with what it is a score of.

    Attributes:
        value: the similarity.
        measure: name of the measure.
        measure_hash: see :func:`measure_hash`.
        missing: whether there was no page to look at; the value is then the measure's floor for that.
    """

    value: float
    measure: str
    measure_hash: str
    missing: bool


def is_missing(page: RenderedPage | None) -> bool:
    """Whether there is no picture to compare."""
    return page is None or page.png is None


def measure_hash(similarity: Similarity) -> str:
    """First 16 hex digits over the description, without device, library versions and where the weights lay."""
    facts = {key: value for key, value in similarity.describe().items() if key not in _NOT_HASHED}
    blob = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(blob.encode()).hexdigest()[:16]


def score_pairs(similarity: Similarity, pages: Sequence[PagePair]) -> list[SimilarityScore]:
    """Score every pair and name the measure in each score.

    Raises:
        SimilarityError: from the measure, or if it returned another number of scores than pairs.
    """
    values = similarity.score(pages)
    if len(values) != len(pages):
        raise SimilarityError(f"measure '{similarity.name}' returned {len(values)} scores for {len(pages)} pairs")
    digest = measure_hash(similarity)
    return [
        SimilarityScore(float(value), similarity.name, digest, is_missing(page))
        for value, (page, _) in zip(values, pages, strict=True)
    ]


def mean_similarity(scores: Sequence[SimilarityScore]) -> float:
    """Mean of scores of one and the same measure.

    Raises:
        ConfigurationError: if there are none, or if measures (or weights, or versions of one measure) are mixed.
    """
    kinds = sorted({f"{s.measure}@{s.measure_hash}" for s in scores})
    if not kinds:
        raise ConfigurationError("there is no score to average")
    if len(kinds) > 1:
        raise ConfigurationError(
            f"scores of different measures cannot be averaged: {', '.join(kinds)}. Score all pages with one measure."
        )
    return sum(s.value for s in scores) / len(scores)
