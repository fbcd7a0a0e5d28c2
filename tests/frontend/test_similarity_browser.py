"""Similarity and comparison on pages that a browser rendered: blindness shown, differences said, nothing guessed."""

from __future__ import annotations

import numpy as np
import pytest

from colbench.frontend.comparison import LOOKS_RIGHT, differences, to_words
from colbench.frontend.differences.parts import find_parts
from colbench.frontend.differences.vocabulary import Remark, Target
from colbench.frontend.renderer import Renderer
from colbench.frontend.similarity import load_similarity
from colbench.frontend.similarity.images import normalised, page_image, shortest_side_crop, squeezed

pytestmark = pytest.mark.browser

PAGE = """<!DOCTYPE html><html><body style="margin:0;font-family:sans-serif;background:#f3f4f6">
<nav style="background:{nav};height:64px;display:flex;justify-content:space-between;align-items:center;padding:0 24px">
<span style="color:#fff;font-size:20px;font-weight:700">Acme</span>
<div><a href="#" style="color:#fff;margin-left:24px">Home</a>
<a href="#" style="color:#fff;margin-left:24px">Shop</a></div>
</nav>
<div style="display:flex">
<aside style="background:{sidebar};width:250px;height:656px;box-sizing:border-box;padding:16px">
<a href="#" style="color:#fff">Filters</a></aside>
<main style="flex:1;padding:40px 120px">
<h1 style="font-size:36px;margin:0 0 24px">{title}</h1>
<div style="display:grid;grid-template-columns:repeat({columns},1fr);gap:24px">
<div style="background:#fff;border-radius:8px;padding:16px;height:150px"><h3>Anvil</h3><p>Heavy.</p></div>
<div style="background:#fff;border-radius:8px;padding:16px;height:150px"><h3>Rocket</h3><p>Fast.</p></div>
</div></main></div></body></html>"""


def source(nav="#1e3a8a", sidebar="#1e3a8a", title="Welcome to Acme", columns=2):
    return PAGE.format(nav=nav, sidebar=sidebar, title=title, columns=columns)


@pytest.fixture(scope="module")
def renderer(tmp_path_factory):
    with Renderer(cache_dir=tmp_path_factory.mktemp("pages")) as made:
        yield made


@pytest.fixture(scope="module")
def reference(renderer):
    page = renderer.render(source())
    assert page.status == "ok"
    return page


def test_the_published_view_is_blind_to_a_sidebar_and_the_others_are_not(renderer, reference):
    recoloured = renderer.render(source(sidebar="#b91c1c"))
    pictures = page_image(recoloured), page_image(reference)
    assert pictures[0].size == (1280, 720)
    published = [normalised(shortest_side_crop(picture)) for picture in pictures]
    whole = [normalised(squeezed(picture)) for picture in pictures]
    assert np.array_equal(*published)
    assert not np.array_equal(*whole)
    assert load_similarity("layout").score([(recoloured, reference)])[0] < 0.97
    assert Remark("background", Target("sidebar"), "very dark blue", "dark red") in {
        d.remark for d in differences(recoloured, reference)
    }


def test_parts_of_a_rendered_page(reference):
    parts = find_parts(reference)
    assert parts["navigation bar"][0].facts["links"] == ("Home", "Shop")
    assert parts["logo"][0].words == "Acme"
    assert parts["sidebar"][0].facts["position"] == "left"
    assert parts["card"][0].count == 2 and parts["card"][0].words == "Anvil\nRocket"
    assert parts["card"][0].facts["columns"] == 2 and parts["card"][0].facts["gap"] == pytest.approx(24, abs=1)
    assert [p.words for p in parts["main heading"]] == ["Welcome to Acme"]


def test_differences_of_rendered_pages(renderer, reference):
    assert to_words(differences(renderer.render(source()), reference)) == LOOKS_RIGHT
    changed = renderer.render(source(nav="#ffffff", title="Hello", columns=1))
    remarks = {d.remark for d in differences(changed, reference)}
    assert Remark("background", Target("navigation bar"), "very dark blue", "white") in remarks
    assert Remark("text", Target("main heading"), "Welcome to Acme", "Hello") in remarks
    assert Remark("columns", Target("card", count=2), 2, 1) in remarks
    layout = load_similarity("layout")
    nearer = renderer.render(source(title="Hello", columns=1))
    scores = layout.score([(page, reference) for page in (None, changed, nearer, reference)])
    assert scores == sorted(scores) and scores[0] == 0.0 and scores[-1] == 1.0


def test_a_page_without_elements_to_speak_of(renderer, reference):
    blank = renderer.render("<body></body>")
    assert load_similarity("layout").score([(blank, reference)]) == [0.0]
    assert len(differences(blank, reference)) >= 4
    none = renderer.render(None)
    assert none.status == "no_html" and load_similarity("layout").score([(none, reference)]) == [0.0]
