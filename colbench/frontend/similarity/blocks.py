"""The visible blocks of a page as arrays: what was written where, and what was painted where.

Layout similarity compares what a person sees, so an element counts only if it leaves a mark: text with ink, or a box
whose colour, border, shadow or picture sets it off from what lies under it. Wrappers without a mark do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colbench.frontend.differences.colours import Rgb, colour_distance, over
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity.sight import Sight

__all__ = ["MAX_BLOCKS", "PageBlocks", "grounds", "ink_box", "page_blocks"]

MAX_BLOCKS = 400
"""Texts, and likewise boxes, beyond the largest so many are not compared."""

# Mean advance of a Latin letter in ems, over the usual sans-serif fonts.
_ADVANCE = 0.5
_LINE = 1.25
_JUST_VISIBLE = 1.0
_IMAGES = frozenset({"image", "frame"})
_FIELDS = frozenset({"input", "checkbox"})


@dataclass(frozen=True)
class PageBlocks:
    """Blocks of one page.

    Attributes:
        texts: what is written, one string per text block.
        text_boxes: (n, 4) left, top, width, height of the ink.
        text_colours: (n, 3) red, green, blue.
        kinds: "image", "field" or "box", one per painted box.
        boxes: (m, 4) left, top, width, height.
        box_colours: (m, 3); of an image the colour does not count.
        ground: colour the page stands on.
        size: width and height of the page.
    """

    texts: tuple[str, ...]
    text_boxes: NDArray[np.float64]
    text_colours: NDArray[np.float64]
    kinds: tuple[str, ...]
    boxes: NDArray[np.float64]
    box_colours: NDArray[np.float64]
    ground: Rgb
    size: tuple[float, float]

    @property
    def blank(self) -> bool:
        """Whether nothing leaves a mark."""
        return not self.texts and not self.kinds


def grounds(elements: Sequence[dict[str, Any]]) -> list[tuple[Rgb, Rgb]]:
    """For each element the colour it shows and the colour that lies under it.

    Args:
        elements: in document order, each with ``background`` and ``parent`` (-1 for the first).
    """
    shown: list[tuple[Rgb, Rgb]] = []
    for element in elements:
        parent = int(element["parent"])
        under: Rgb = shown[parent][0] if 0 <= parent < len(shown) else (255, 255, 255)
        shown.append((over(element["background"], under), under))
    return shown


def ink_box(element: dict[str, Any], text: str) -> tuple[float, float, float, float]:
    """About where the letters stand inside the element's box: a heading's box is as wide as the page, its text is not.

    Returns:
        left, top, width, height in pixels.
    """
    x, y, w, h = (float(element[key]) for key in "xywh")
    size = float(element["font_size"]) or 16.0
    length = max(1.0, len(text) * size * _ADVANCE)
    width = min(w, length)
    height = min(h, float(np.ceil(length / max(w, 1.0))) * size * _LINE)
    align = "center" if element["role"] == "button" else element["text_align"]
    left = x + (w - width) * {"center": 0.5, "right": 1.0}.get(align, 0.0)
    return left, y + (h - height) / 2, width, height


def page_blocks(page: RenderedPage) -> PageBlocks:
    """Blocks of a rendered page, at most :data:`MAX_BLOCKS` texts and as many boxes.

    Args:
        page: with its measured elements; the first of them is the body.
    """
    width, height = float(page.width or 1280), float(page.height or 720)
    shown = grounds(page.elements)
    sight = Sight(page)
    texts: list[tuple[str, tuple[float, float, float, float], Rgb]] = []
    boxes: list[tuple[str, tuple[float, float, float, float], Rgb]] = []
    for element, (colour, under) in zip(page.elements, shown, strict=True):
        left, top = max(0.0, float(element["x"])), max(0.0, float(element["y"]))
        right = min(width, float(element["x"]) + float(element["w"]))
        bottom = min(height, float(element["y"]) + float(element["h"]))
        if right - left < 1 or bottom - top < 1 or float(element["opacity"]) < 0.05:
            continue
        text = str(element["text"] or element["placeholder"])
        ink = over(element["color"], colour)
        place = (left, top, right - left, bottom - top)
        if text and colour_distance(ink, colour) > _JUST_VISIBLE and sight.varies(place):
            texts.append((text.casefold(), ink_box(element, text), ink))
        role = element["role"]
        if role == "page":
            continue
        picture = role in _IMAGES or element["background_kind"] == "picture"
        marked = element["background_image"] or element["border_sides"] or element["shadow"]
        if picture or role in _FIELDS or marked or colour_distance(colour, under) > _JUST_VISIBLE:
            kind = "image" if picture else "field" if role in _FIELDS else "box"
            plain = not picture and not marked
            if sight.has_colour(place, colour) if plain else sight.varies(place):
                boxes.append((kind, place, colour))
    texts, boxes = _largest(texts), _largest(boxes)
    return PageBlocks(
        texts=tuple(text for text, _, _ in texts),
        text_boxes=_table([box for _, box, _ in texts], 4),
        text_colours=_table([colour for _, _, colour in texts], 3),
        kinds=tuple(kind for kind, _, _ in boxes),
        boxes=_table([box for _, box, _ in boxes], 4),
        box_colours=_table([colour for _, _, colour in boxes], 3),
        ground=shown[0][0] if shown else (255, 255, 255),
        size=(width, height),
    )


def _largest(
    blocks: list[tuple[str, tuple[float, float, float, float], Rgb]],
) -> list[tuple[str, tuple[float, float, float, float], Rgb]]:
    if len(blocks) <= MAX_BLOCKS:
        return blocks
    by_area = sorted(range(len(blocks)), key=lambda i: (-blocks[i][1][2] * blocks[i][1][3], i))
    return [blocks[i] for i in sorted(by_area[:MAX_BLOCKS])]


def _table(rows: Sequence[Sequence[float]], columns: int) -> NDArray[np.float64]:
    return np.asarray(rows, dtype=np.float64).reshape(len(rows), columns)
