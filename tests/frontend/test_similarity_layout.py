"""Layout agreement: bounds, what it sees, and what it does not reward."""

from __future__ import annotations

import copy
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from similarity_pages import element, made_page, random_page

from colbench.errors import SimilarityError
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity import load_similarity
from colbench.frontend.similarity.blocks import ink_box, page_blocks
from colbench.frontend.similarity.layout import greedy_match, layout_parts, text_agreement

RED, BLUE, GREY = (185, 28, 28), (30, 58, 138), (229, 231, 235)


def shop(sidebar=BLUE, title="Shop", cards=3, order=(0, 1, 2), left=0.0):
    parts = [
        element("aside", left, 0, 256, 720, bg=sidebar),
        element("h1", 330, 60, 600, 50, title, font_size=36.0),
    ]
    for n in range(cards):
        parts.append(element("div", 330 + 300 * n, 200, 270, 300, bg=GREY))
        parts.append(element("p", 340 + 300 * n, 220, 250, 24, f"Product number {'ABC'[order[n]]}", parent=len(parts)))
    return made_page(*parts)


def score(page, reference):
    return load_similarity("layout").score([(page, reference)])[0]


def test_itself_nothing_and_blank():
    reference = shop()
    blank = made_page()
    assert score(reference, reference) == 1.0
    assert score(shop(), reference) == 1.0
    assert score(None, reference) == 0.0
    assert score(RenderedPage("hello", "no_html"), reference) == 0.0
    assert score(blank, reference) == 0.0
    assert score(blank, made_page()) == 1.0


def test_a_reference_that_was_not_measured_is_an_error():
    with pytest.raises(SimilarityError, match="pair 0 was not measured"):
        score(shop(), RenderedPage("<p>x</p>", "render_error"))


def test_recolouring_a_sidebar_is_seen():
    assert score(shop(sidebar=RED), shop()) < 0.98


@pytest.mark.parametrize(
    "worse",
    [shop(title="Garden"), shop(cards=2), shop(left=1024.0), made_page(element("h1", 330, 60, 600, 50, "Shop"))],
    ids=["title", "a card less", "sidebar on the right", "heading only"],
)
def test_every_kind_of_difference_costs(worse):
    assert score(worse, shop()) < 0.97


def test_neither_leaving_out_nor_adding_pays():
    reference = shop()
    body, *rest = reference.elements
    fewer = made_page(*rest[:2])
    more = made_page(
        *rest, *(element("div", 330, 520 + 40 * n, 900, 30, f"More and more {n}", bg=RED) for n in range(4))
    )
    assert score(fewer, reference) < 0.65
    assert score(more, reference) < 0.85
    assert body["role"] == "page"


def test_repeated_texts_are_paired_by_place():
    same = made_page(*(element("a", 100, 100 * n, 120, 20, "Read more") for n in range(6)))
    moved = made_page(*(element("a", 100, 100 * n + 3, 120, 20, "Read more") for n in range(6)))
    assert score(moved, same) > 0.95


def test_alignment_of_a_wide_heading_is_seen():
    left = element("h1", 0, 50, 1280, 40, "Hello there", font_size=32.0)
    centred = left | {"text_align": "center"}
    assert ink_box(left, "Hello there")[0] == 0
    assert ink_box(centred, "Hello there")[0] > 500
    assert score(made_page(centred), made_page(left)) < 0.9


def test_wrappers_without_a_mark_and_invisible_text_do_not_count():
    blocks = page_blocks(
        made_page(
            element("div", 0, 0, 1280, 600),
            element("div", 0, 0, 1280, 300, bg=(255, 255, 255)),
            element("p", 0, 0, 300, 20, "white on white", fg=(255, 255, 255)),
            element("p", 0, 0, 300, 20, "faded", opacity=0.01),
        )
    )
    assert blocks.blank


def test_text_agreement():
    table = text_agreement(["home", "about us", "x"], ["home", "about you", "zzz"])
    assert table.shape == (3, 3) and table[0, 0] == 1.0 and table[0, 2] == 0.0
    assert 0.5 < table[1, 1] < 1.0
    assert text_agreement([], ["a"]).shape == (0, 1)


def test_greedy_match_takes_the_best_first_and_each_once():
    scores = np.array([[0.9, 0.8], [0.95, 0.1]])
    assert sorted(greedy_match(scores, 0.0)) == [(0, 1), (1, 0)]
    assert sorted(greedy_match(scores, 0.85)) == [(1, 0)]
    assert sorted(greedy_match(np.ones((3, 3)), 0.5)) == [(0, 0), (1, 1), (2, 2)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_bounds_and_symmetry(one, other):
    first, second = random_page(one), random_page(other)
    there, back = score(first, second), score(second, first)
    assert 0.0 <= there <= 1.0
    assert there == pytest.approx(back, abs=1e-9)
    assert score(copy.deepcopy(first), first) == 1.0
    assert layout_parts(page_blocks(first), page_blocks(first))["score"] == pytest.approx(1.0, abs=1e-9)


def test_many_blocks_stay_affordable():
    many = made_page(*(element("p", 10, 20 * n, 300, 18, f"Line {n}") for n in range(2500)), height=16384)
    assert len(page_blocks(many).texts) == 400
    assert score(many, made_page(*many.elements[1:-1], height=16384)) > 0.9


def test_it_needs_neither_torch_nor_scipy():
    code = (
        "import sys\n"
        "from colbench.frontend.similarity import load_similarity\n"
        "load_similarity('layout').describe()\n"
        "assert not {'torch', 'scipy', 'open_clip'} & set(sys.modules), sorted(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
