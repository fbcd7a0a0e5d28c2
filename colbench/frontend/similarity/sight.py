"""Whether what a page claims to show can be seen in its picture.

The browser reports where elements lie, not whether a person sees them: a sheet laid over the page, a clip path or a
filter hides everything and changes no rectangle. So whatever counts must have left its mark in the picture.
"""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from colbench.frontend.differences.colours import Rgb
from colbench.frontend.page import RenderedPage

__all__ = ["Sight"]

# Steps of one colour channel (of 255) that a person can tell in a text or at a border.
_CONTRAST = 6
# How far the colour of a plain box may lie from what was computed for it (rounding, see-through parts).
_TOLERANCE = 12
_SHARE = 0.02


class Sight:
    """The picture of a page, asked about its regions.

    Args:
        page: as rendered; without a picture, everything passes, since there is nothing to look at.
    """

    def __init__(self, page: RenderedPage) -> None:
        self._pixels: NDArray[np.int16] | None = None
        if page.png is not None:
            from PIL import Image

            with Image.open(io.BytesIO(page.png)) as image:
                self._pixels = np.asarray(image.convert("RGB"), dtype=np.int16)

    def _region(self, box: tuple[float, float, float, float]) -> NDArray[np.int16] | None:
        if self._pixels is None:
            return None
        left, top, width, height = box
        # A pixel more on every side, so that a border or a letter's edge on a fraction of a pixel is in it.
        rows = slice(max(0, int(top) - 1), int(top + height) + 2)
        columns = slice(max(0, int(left) - 1), int(left + width) + 2)
        return self._pixels[rows, columns].reshape(-1, 3)

    def varies(self, box: tuple[float, float, float, float]) -> bool:
        """Whether anything stands out inside the box: left, top, width, height in pixels."""
        region = self._region(box)
        return region is None or (region.size > 0 and int(np.ptp(region, axis=0).max()) >= _CONTRAST)

    def has_colour(self, box: tuple[float, float, float, float], colour: Rgb) -> bool:
        """Whether a fair share of the box shows the colour."""
        region = self._region(box)
        if region is None:
            return True
        if region.size == 0:
            return False
        near = (np.abs(region - np.asarray(colour, dtype=np.float64)).max(axis=1) <= _TOLERANCE).mean()
        return bool(near >= _SHARE)
