"""The floors of a similarity measure: what a page scores that deserves nothing.

A CLIP cosine of 0.8 means little until one knows what a blank page gets. So a report of any measure can be read
against pages that no one had to design: none at all, a blank one, a black picture, another page of the same set, and
the reference itself as the ceiling.
"""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from colbench.errors import ConfigurationError
from colbench.frontend.elements import Element
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity import PagePair, Similarity, score_pairs
from colbench.statistics import Interval, bootstrap_interval

__all__ = ["BASELINES", "CalibrationRow", "baseline_pairs", "calibrate", "format_rows", "plain_page"]

BASELINES = ("no page", "blank page", "black image", "random other page", "itself")


@dataclass(frozen=True)
class CalibrationRow:
    """One line of the table.

    Attributes:
        measure: name of the measure.
        measure_hash: see :func:`colbench.frontend.similarity.measure_hash`.
        baseline: one of :data:`BASELINES`.
        interval: mean over the pages with a bootstrap interval.
        lowest: smallest score.
        highest: largest score.
    """

    measure: str
    measure_hash: str
    baseline: str
    interval: Interval
    lowest: float
    highest: float


def plain_page(color: tuple[int, int, int], size: tuple[int, int] = (1280, 720)) -> RenderedPage:
    """A page of one colour with nothing on it."""
    from PIL import Image

    data = io.BytesIO()
    Image.new("RGB", size, color).save(data, "PNG")
    red, green, blue = color
    html = f'<body style="background: rgb({red}, {green}, {blue})"></body>'
    return RenderedPage(html, "blank", data.getvalue(), *size, elements=(_body(color, size),))


def _body(color: tuple[int, int, int], size: tuple[int, int]) -> dict[str, Any]:
    body: Element = {
        "tag": "body",
        "role": "page",
        "text": "",
        "label": "",
        "x": 0.0,
        "y": 0.0,
        "w": float(size[0]),
        "h": float(size[1]),
        "color": [0, 0, 0, 1],
        "background": [*color, 1],
        "background_image": False,
        "background_kind": "",
        "font_size": 16.0,
        "font_weight": 400,
        "font_family": "serif",
        "text_align": "left",
        "border_radius": 0.0,
        "border_width": 0.0,
        "border_sides": "",
        "border_color": [0, 0, 0, 1],
        "shadow": False,
        "display": "block",
        "flex_direction": "",
        "justify": "",
        "columns": 1,
        "opacity": 1.0,
        "position": "static",
        "fixed": False,
        "parent": -1,
        "depth": 0,
        "placeholder": "",
        "input_type": "",
        "alt": "",
        "src": "",
        "natural_width": 0,
        "natural_height": 0,
    }
    return dict(body)


def baseline_pairs(pages: Sequence[RenderedPage], seed: int = 0) -> dict[str, list[PagePair]]:
    """For each baseline one pair per reference.

    Args:
        pages: the references as rendered, at least two.
        seed: chooses the other page of each.

    Raises:
        ConfigurationError: with fewer than two pages that have a picture.
    """
    shown = [page for page in pages if page.png is not None]
    if len(shown) < 2:
        raise ConfigurationError(f"calibration needs at least two rendered pages, got {len(shown)}")
    rng = random.Random(seed)
    white, black = plain_page((255, 255, 255)), plain_page((0, 0, 0))
    others = [shown[(index + rng.randrange(1, len(shown))) % len(shown)] for index in range(len(shown))]
    return {
        "no page": [(None, page) for page in shown],
        "blank page": [(white, page) for page in shown],
        "black image": [(black, page) for page in shown],
        "random other page": list(zip(others, shown, strict=True)),
        "itself": [(page, page) for page in shown],
    }


def calibrate(pages: Sequence[RenderedPage], measures: Sequence[Similarity], seed: int = 0) -> list[CalibrationRow]:
    """Score the baselines under every measure.

    Args:
        pages: the references as rendered, at least two.
        measures: built by :func:`colbench.frontend.similarity.load_similarity`.
        seed: chooses the other page of each and the bootstrap samples.

    Returns:
        one row per measure and baseline, in that order.

    Raises:
        ConfigurationError: with fewer than two pages that have a picture.
        SimilarityError: from a measure.
    """
    rows = []
    pairs = baseline_pairs(pages, seed)
    for measure in measures:
        for baseline in BASELINES:
            scores = score_pairs(measure, pairs[baseline])
            values = [score.value for score in scores]
            rows.append(
                CalibrationRow(
                    measure.name,
                    scores[0].measure_hash,
                    baseline,
                    bootstrap_interval(values, seed=seed),
                    min(values),
                    max(values),
                )
            )
    return rows


def format_rows(rows: Sequence[CalibrationRow]) -> str:
    """The rows as a table for a terminal, one line each."""
    lines = [f"{'measure':<14}{'baseline':<20}{'mean [95% interval]':<24}{'lowest':>8}{'highest':>9}{'pages':>7}"]
    lines += [
        f"{row.measure:<14}{row.baseline:<20}{row.interval!s:<24}{row.lowest:>8.3f}{row.highest:>9.3f}{row.interval.n:>7}"
        for row in rows
    ]
    return "\n".join(lines)
