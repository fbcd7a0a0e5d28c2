"""Layout agreement: which blocks of two pages correspond, and how well text, place, size and colour of those agree.

After the parts of Design2Code's automatic score (block match, text, position, colour), computed from the browser's
own rectangles instead of from recognised text. It needs no torch and no weights, sees the whole page, and has a low
floor: about 0.1 for another page of the same kind. It is not CLIP and is never called so.

The score is ``sum over matched pairs of (weight of both) x agreement / sum of all weights``. The agreement of a pair is
what matters most (the words of a text, the place of a box, the colour of the ground) times the mean of the other parts.
A box weighs the square root of its area, a text twice that, the ground a quarter of the page's square root. Whatever
is unmatched, on either page, counts 0, so a page cannot gain by leaving things out nor by adding things that are not
asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from colbench.errors import SimilarityError
from colbench.frontend.differences.colours import colour_distance
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity.base import PagePair, is_missing
from colbench.frontend.similarity.blocks import PageBlocks, page_blocks

__all__ = ["LayoutSimilarity", "greedy_match", "layout_parts", "text_agreement"]

Matrix = NDArray[np.float64]

_MIN_TEXT = 0.5
_MIN_BOX = 0.5
# A block a third of the page away from its place is not in its place at all.
_FAR = 1 / 3
_WORDS = 2.0
_GROUND = 0.25
# Colours further apart than this in CIE L*a*b* count as entirely different.
_COLOUR_SCALE = 100.0


def _bigrams(texts: Sequence[str], index: dict[str, int]) -> list[dict[int, int]]:
    counts = []
    for text in texts:
        padded, row = f" {text} ", dict[int, int]()
        for start in range(len(padded) - 1):
            key = index.setdefault(padded[start : start + 2], len(index))
            row[key] = row.get(key, 0) + 1
        counts.append(row)
    return counts


def text_agreement(first: Sequence[str], second: Sequence[str]) -> Matrix:
    """Dice coefficient over pairs of neighbouring letters, for every text of one list with every text of the other.

    Returns:
        (n, m) in 0..1; exactly 1 for equal texts.
    """
    index: dict[str, int] = {}
    rows, columns = _bigrams(first, index), _bigrams(second, index)
    table = np.zeros((len(columns), len(index)))
    for j, counts in enumerate(columns):
        table[j, list(counts)] = list(counts.values())
    sums = table.sum(axis=1)
    result = np.zeros((len(rows), len(columns)))
    for i, counts in enumerate(rows):
        own = np.fromiter(counts.values(), dtype=np.float64)
        shared = np.minimum(table[:, list(counts)], own).sum(axis=1)
        result[i] = 2 * shared / (own.sum() + sums)
    return result


def _position_agreement(first: Matrix, second: Matrix, width: float, height: float) -> Matrix:
    dx = np.abs((first[:, None, 0] + first[:, None, 2] / 2) - (second[None, :, 0] + second[None, :, 2] / 2)) / width
    dy = np.abs((first[:, None, 1] + first[:, None, 3] / 2) - (second[None, :, 1] + second[None, :, 3] / 2)) / height
    result: Matrix = 1.0 - np.minimum(1.0, np.maximum(dx, dy) / _FAR)
    return result


def _size_agreement(first: Matrix, second: Matrix) -> Matrix:
    ratios = [
        np.minimum(first[:, None, k], second[None, :, k]) / np.maximum(first[:, None, k], second[None, :, k])
        for k in (2, 3)
    ]
    result: Matrix = ratios[0] * ratios[1]
    return result


def _colour_agreement(first: Sequence[float], second: Sequence[float]) -> float:
    return 1.0 - min(1.0, colour_distance(first, second) / _COLOUR_SCALE)


def greedy_match(scores: Matrix, least: float) -> list[tuple[int, int]]:
    """Pair rows with columns, best score first, each once; of equal scores the nearest in order comes first.

    Args:
        scores: (n, m).
        least: pairs below are not made.
    """
    rows, columns = np.nonzero(scores >= least)
    order = np.lexsort((rows, np.abs(rows - columns), -scores[rows, columns]))
    used_rows, used_columns = set[int](), set[int]()
    pairs = []
    for k in order:
        i, j = int(rows[k]), int(columns[k])
        if i not in used_rows and j not in used_columns:
            used_rows.add(i)
            used_columns.add(j)
            pairs.append((i, j))
    return pairs


def layout_parts(first: PageBlocks, second: PageBlocks) -> dict[str, float]:
    """The score and what it is made of.

    Returns:
        ``score``; ``block`` (weighted share of blocks that found a partner); ``text``, ``position``, ``size`` and
        ``colour`` (weighted means over the matched pairs, 1 where there are none to compare); all in 0..1.
    """
    width, height = max(first.size[0], second.size[0]), max(first.size[1], second.size[1])
    tally = {part: [0.0, 0.0] for part in ("text", "position", "size", "colour")}
    gained = matched = 0.0

    def add(weight: float, **parts: float) -> None:
        nonlocal gained, matched
        weight = float(weight)
        for part, value in parts.items():
            tally[part][0] += weight * float(value)
            tally[part][1] += weight
        first_part, *others = (float(value) for value in parts.values())
        gained += weight * first_part * sum(others) / len(others)
        matched += weight

    weights = [
        factor * np.sqrt(box[:, 2] * box[:, 3])
        for factor, box in (
            (_WORDS, first.text_boxes),
            (_WORDS, second.text_boxes),
            (1.0, first.boxes),
            (1.0, second.boxes),
        )
    ]
    canvas = _GROUND * float(np.sqrt(first.size[0] * first.size[1]) + np.sqrt(second.size[0] * second.size[1]))
    heights = (first.size[1], second.size[1])
    add(canvas, colour=_colour_agreement(first.ground, second.ground), size=min(heights) / max(heights))

    if first.texts and second.texts:
        words = text_agreement(first.texts, second.texts)
        place = _position_agreement(first.text_boxes, second.text_boxes, width, height)
        size = _size_agreement(first.text_boxes, second.text_boxes)
        for i, j in greedy_match(np.where(words >= _MIN_TEXT, 0.75 * words + 0.25 * place, -1.0), 0.0):
            colour = _colour_agreement(first.text_colours[i], second.text_colours[j])
            add(weights[0][i] + weights[1][j], text=words[i, j], position=place[i, j], size=size[i, j], colour=colour)
    if first.kinds and second.kinds:
        place = _position_agreement(first.boxes, second.boxes, width, height)
        size = _size_agreement(first.boxes, second.boxes)
        same = np.asarray(first.kinds)[:, None] == np.asarray(second.kinds)[None, :]
        hues = np.asarray([[_colour_agreement(a, b) for b in second.box_colours] for a in first.box_colours])
        # Colour only breaks ties between boxes in the same place, such as a card and the panel that fills it.
        for i, j in greedy_match(np.where(same, (place + size) / 2 - 0.01 * (1 - hues), -1.0), _MIN_BOX):
            if first.kinds[i] == "image":
                add(weights[2][i] + weights[3][j], position=place[i, j], size=size[i, j])
            else:
                add(weights[2][i] + weights[3][j], position=place[i, j], size=size[i, j], colour=hues[i, j])
    total = canvas + float(sum(w.sum() for w in weights))
    means = {part: (value / weight if weight else 1.0) for part, (value, weight) in tally.items()}
    return {"score": min(1.0, gained / total), "block": min(1.0, matched / total), **means}


class LayoutSimilarity:
    """Layout agreement in 0..1 from the measured elements; exactly 1 for a page itself, 0 for none or a blank one."""

    name: str = "layout"
    version: ClassVar[int] = 2

    def score(self, pages: Sequence[PagePair]) -> list[float]:
        """Score every pair; see :class:`colbench.frontend.similarity.base.Similarity`."""
        return [self._one(page, reference, index) for index, (page, reference) in enumerate(pages)]

    def _one(self, page: RenderedPage | None, reference: RenderedPage, index: int) -> float:
        if is_missing(reference) or not reference.elements:
            raise SimilarityError(
                f"the reference of pair {index} was not measured (status {reference.status}): render it again"
            )
        if page is None or is_missing(page) or not page.elements or page.status == "blank" != reference.status:
            return 0.0
        if page.elements == reference.elements and page.png == reference.png:
            return 1.0
        first, second = page_blocks(page), page_blocks(reference)
        if first.blank != second.blank:
            return 0.0
        return layout_parts(first, second)["score"]

    def describe(self) -> dict[str, Any]:
        """JSON facts that identify the measure."""
        return {
            "name": self.name,
            "version": self.version,
            "weight_hash": None,
            "preprocessing": "measured elements of the whole page that left a mark in its picture",
            "missing_page": "score 0",
            "range": [0.0, 1.0],
            "dtype": "float64",
            "device": "cpu",
        }
