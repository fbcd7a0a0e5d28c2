"""From a screenshot to numbers: every picture mode becomes RGB on white, then one of two 224x224 views.

The views are the whole point: ``shortest_side_crop`` is what the published benchmark sees (and it does not see the
sides of a wide page or the ends of a tall one), ``squeezed`` is the whole page.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from colbench.errors import SimilarityError
from colbench.frontend.page import RenderedPage

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = [
    "CLIP_MEAN",
    "CLIP_STD",
    "SIDE",
    "normalised",
    "on_white",
    "page_image",
    "shortest_side_crop",
    "squeezed",
]

SIDE = 224
CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)
CLIP_STD = (0.26862954, 0.26130258, 0.27577711)


def on_white(image: Image) -> Image:
    """Any picture mode as RGB; whatever is transparent shows white, as a browser's page does."""
    from PIL import Image as images

    if image.mode == "RGB":
        return image
    if image.mode in ("I", "I;16", "F"):
        # PIL clips these at 255 on conversion, so scale 16-bit grey down first.
        grey = np.asarray(image, dtype=np.float64)
        grey = grey / 257.0 if grey.size and grey.max() > 255 else grey
        return images.fromarray(np.clip(np.rint(grey), 0, 255).astype(np.uint8)).convert("RGB")
    layered = image.convert("RGBA")
    ground = images.new("RGBA", layered.size, (255, 255, 255, 255))
    return images.alpha_composite(ground, layered).convert("RGB")


def page_image(page: RenderedPage | None) -> Image | None:
    """The page's picture as RGB, or None where there is none.

    Raises:
        SimilarityError: if the PNG cannot be read.
    """
    from PIL import Image as images

    if page is None or page.png is None:
        return None
    try:
        with images.open(io.BytesIO(page.png)) as opened:
            opened.load()
            return on_white(opened)
    except Exception as error:
        raise SimilarityError(
            f"the picture of page {page.html_hash[:16]} ({len(page.png)} bytes, status {page.status}) "
            f"cannot be read: {error}. Render the page again."
        ) from error


def shortest_side_crop(image: Image, side: int = SIDE) -> Image:
    """Scale the shortest side to ``side`` (bicubic, antialiased) and cut the middle square out.

    The arithmetic of the size and of the cut is that of the CLIP image processor: both round down.

    Args:
        image: RGB, any size from 1x1.
        side: of the square.
    """
    from PIL.Image import Resampling

    width, height = image.size
    short, long = min(width, height), max(width, height)
    scaled = int(side * long / short)
    size = (side, scaled) if width <= height else (scaled, side)
    resized = image.resize(size, resample=Resampling.BICUBIC)
    left, top = (size[0] - side) // 2, (size[1] - side) // 2
    return resized.crop((left, top, left + side, top + side))


def squeezed(image: Image, side: int = SIDE) -> Image:
    """The whole picture squeezed to a square (bicubic, antialiased); nothing is left out."""
    from PIL.Image import Resampling

    return image.resize((side, side), resample=Resampling.BICUBIC)


def normalised(
    image: Image, mean: tuple[float, float, float] = CLIP_MEAN, std: tuple[float, float, float] = CLIP_STD
) -> NDArray[np.float32]:
    """Channels first, scaled to 0..1, less the mean, over the standard deviation.

    Returns:
        float32 of shape (3, height, width).
    """
    # Scaled in double and then cut to single precision: the order of operations of the CLIP image processor.
    scaled = (np.asarray(image, dtype=np.float64) * (1 / 255)).astype(np.float32)
    centred = (scaled - np.asarray(mean, dtype=np.float32)) / np.asarray(std, dtype=np.float32)
    return np.ascontiguousarray(centred.transpose(2, 0, 1))
