"""How alike two pages look: one measure per file, never mixed, each named in every result.

``clip`` is the published measure; ``clip_square``, ``layout`` and ``efficientnet`` see what it cannot see or need
less than it needs. ``docs/similarity.md`` says what each is blind to.
"""

from __future__ import annotations

from colbench.frontend.similarity.base import (
    PagePair,
    Similarity,
    SimilarityScore,
    mean_similarity,
    measure_hash,
    score_pairs,
)
from colbench.frontend.similarity.registry import MEASURES, load_similarity

__all__ = [
    "MEASURES",
    "PagePair",
    "Similarity",
    "SimilarityScore",
    "load_similarity",
    "mean_similarity",
    "measure_hash",
    "score_pairs",
]
