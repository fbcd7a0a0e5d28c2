"""The published measure: cosine of CLIP ViT-B/32 image embeddings, and the same for the whole page.

The published preprocessing cuts the middle square out of the picture. On a 1280x720 page that leaves out 22% of the
width on either side; on a tall page nearly everything. ``clip_square`` squeezes the page instead, so both should
be reported. Floors are high (two unrelated pages are far from 0): see ``colbench calibrate``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from colbench.errors import MissingExtraError, SimilarityError
from colbench.frontend.similarity.embedding import EmbeddingSimilarity, choose_device, choose_dtype, import_torch
from colbench.frontend.similarity.images import SIDE, normalised, shortest_side_crop, squeezed
from colbench.frontend.similarity.weights import find_clip_weights, load_visual_state, state_hash

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["ClipSimilarity", "ClipSquareSimilarity", "build_image_encoder"]

ARCHITECTURE = "ViT-B-32-quickgelu"


def build_image_encoder(state: dict[str, Any], device: str, dtype: str) -> Any:
    """open_clip's image encoder of ViT-B/32 with quick GELU, holding the given weights.

    Args:
        state: as :func:`colbench.frontend.similarity.weights.load_visual_state` returns it.
        device: where it is put.
        dtype: name of the dtype it computes in.

    Raises:
        MissingExtraError: if open_clip is not installed.
        SimilarityError: if names or shapes do not fit the architecture.
    """
    torch = import_torch("similarity='clip'")
    try:
        import open_clip
    except ImportError as error:
        raise MissingExtraError("similarity='clip'", "clip") from error
    # Built without initial values: they would be drawn from the global generator and thrown away.
    with torch.device("meta"):
        encoder = open_clip.CLIP(**open_clip.get_model_config(ARCHITECTURE)).visual
    try:
        encoder.load_state_dict(state, strict=True, assign=True)
    except RuntimeError as error:
        raise SimilarityError(f"the weights do not fit {ARCHITECTURE}: {error}") from error
    encoder.requires_grad_(False)
    return encoder.eval().to(device=device, dtype=getattr(torch, dtype))


class ClipSimilarity(EmbeddingSimilarity):
    """Cosine of CLIP ViT-B/32 image embeddings of the middle square; a missing page is a black 224x224 picture.

    Args:
        weights: file or directory; else the places named in :func:`find_clip_weights`.
        device: None chooses.
        dtype: None is float32; half precision is used on an accelerator only.
        **options: ``batch_size``, ``cache_size``.

    Raises:
        MissingExtraError: without torch or open_clip.
        SimilarityError: if the weights are nowhere; the message lists the remedies.
    """

    name: str = "clip"
    version: ClassVar[int] = 1
    architecture: ClassVar[str] = ARCHITECTURE
    preprocessing: ClassVar[str] = "shortest side 224 bicubic, centre crop 224x224, CLIP mean and deviation"
    missing_page: ClassVar[str] = "black 224x224 picture"
    libraries: ClassVar[tuple[str, ...]] = ("torch", "open_clip_torch", "pillow")

    def __init__(
        self,
        weights: str | os.PathLike[str] | None = None,
        *,
        device: str | None = None,
        dtype: str | None = None,
        **options: Any,
    ) -> None:
        torch = import_torch(f"similarity='{self.name}'")
        path, source = find_clip_weights(weights)
        state = load_visual_state(path)
        chosen = choose_device(torch, device)
        kind = choose_dtype(chosen, dtype)
        super().__init__(
            build_image_encoder(state, chosen, kind),
            device=chosen,
            dtype=kind,
            weight_hash=state_hash(state),
            source=source,
            **options,
        )

    def prepare(self, image: Image) -> NDArray[np.float32]:
        """The middle square after scaling, normalised."""
        return normalised(shortest_side_crop(image))

    def placeholder(self) -> Image | None:
        """Black, as the published scorer takes for a page that is not there."""
        from PIL import Image as images

        return images.new("RGB", (SIDE, SIDE), (0, 0, 0))


class ClipSquareSimilarity(ClipSimilarity):
    """Cosine of CLIP embeddings of the whole page squeezed to 224x224; a missing page scores 0."""

    name: str = "clip_square"
    preprocessing: ClassVar[str] = "whole page squeezed to 224x224 bicubic, CLIP mean and deviation"
    missing_page: ClassVar[str] = "score 0"

    def prepare(self, image: Image) -> NDArray[np.float32]:
        """The whole page, normalised."""
        return normalised(squeezed(image))

    def placeholder(self) -> Image | None:
        """Nothing stands for a missing page."""
        return None
