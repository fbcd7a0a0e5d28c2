"""Names of the measures, so that a configuration can ask for one by name without importing torch."""

from __future__ import annotations

from typing import Any

from colbench.errors import ConfigurationError
from colbench.frontend.similarity.base import Similarity

__all__ = ["MEASURES", "load_similarity"]

MEASURES: dict[str, str] = {
    "clip": "cosine of CLIP ViT-B/32 image embeddings of the middle square (the published measure; needs weights)",
    "clip_square": "the same embedding of the whole page squeezed to a square, so that sides and ends count",
    "layout": "agreement of blocks, text, position and colour, measured in the browser; needs no torch",
    "efficientnet": "cosine of EfficientNet-Lite0 features of the whole page; weights come with the extra 'clip'",
}


def load_similarity(name: str | Similarity, **options: Any) -> Similarity:
    """Build a measure by name.

    Args:
        name: one of :data:`MEASURES`, or a measure already built, which is returned as it is.
        **options: of the measure: ``weights``, ``device``, ``dtype``, ``batch_size``, ``cache_size`` for the
            embedding measures; none for ``layout``.

    Raises:
        ConfigurationError: for an unknown name or option, or an object that is no measure.
        MissingExtraError: if the measure needs an extra that is not installed.
        SimilarityError: if weights are missing; the message lists the remedies.
    """
    if not isinstance(name, str):
        if isinstance(name, type) or not callable(getattr(name, "score", None)):
            raise ConfigurationError(
                f"similarity={name!r} is no measure: give one of {', '.join(MEASURES)}, "
                "or an object with a method 'score'"
            )
        return name
    try:
        if name == "clip":
            from colbench.frontend.similarity.clip import ClipSimilarity

            return ClipSimilarity(**options)
        if name == "clip_square":
            from colbench.frontend.similarity.clip import ClipSquareSimilarity

            return ClipSquareSimilarity(**options)
        if name == "layout":
            from colbench.frontend.similarity.layout import LayoutSimilarity

            return LayoutSimilarity(**options)
        if name == "efficientnet":
            from colbench.frontend.similarity.efficientnet import EfficientNetSimilarity

            return EfficientNetSimilarity(**options)
    except TypeError as error:
        if "unexpected keyword argument" in str(error) or "takes no arguments" in str(error):
            raise ConfigurationError(
                f"similarity '{name}' does not take one of the options {', '.join(sorted(options))}: {error}"
            ) from error
        raise
    raise ConfigurationError(f"there is no similarity measure '{name}'. Choose one of: {', '.join(MEASURES)}.")
