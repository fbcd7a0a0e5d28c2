"""The floors of a measure."""

from __future__ import annotations

import pytest
from similarity_pages import element, made_page

from colbench.errors import ConfigurationError
from colbench.frontend.calibrate import BASELINES, baseline_pairs, calibrate, format_rows, plain_page
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity import load_similarity

PAGES = [made_page(element("h1", 100, 100 * n, 600, 50, f"Page {n}", font_size=36.0)) for n in range(5)]


def test_floors_of_layout():
    rows = {row.baseline: row for row in calibrate(PAGES, [load_similarity("layout")])}
    assert tuple(rows) == BASELINES
    assert rows["itself"].lowest == rows["itself"].highest == 1.0
    for nothing in ("no page", "blank page", "black image"):
        assert rows[nothing].highest == 0.0
    assert 0.0 < rows["random other page"].interval.estimate < 1.0
    assert {row.interval.n for row in rows.values()} == {5}


def test_the_other_page_is_never_the_page_itself_and_the_seed_decides():
    for seed in range(20):
        others = baseline_pairs(PAGES, seed)["random other page"]
        assert all(other is not page for other, page in others)
    assert baseline_pairs(PAGES, 1)["random other page"] == baseline_pairs(PAGES, 1)["random other page"]


def test_pages_without_a_picture_are_left_out():
    assert len(baseline_pairs([*PAGES, RenderedPage("", "render_error")])["itself"]) == 5
    with pytest.raises(ConfigurationError, match="at least two"):
        calibrate(PAGES[:1], [load_similarity("layout")])


def test_the_table():
    text = format_rows(calibrate(PAGES, [load_similarity("layout")]))
    assert len(text.splitlines()) == 1 + len(BASELINES)
    assert "random other page" in text


def test_plain_pages_are_plain():
    page = plain_page((0, 0, 0), (10, 20))
    assert (page.width, page.height, page.status) == (10, 20, "blank")
    assert page.elements[0]["role"] == "page"
