"""The page comparison in words: what it notices, in which order, and that its words can be acted on."""

from __future__ import annotations

import statistics
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from similarity_pages import element, made_page, random_page

from colbench.errors import CollaboratorError
from colbench.frontend.comparison import LOOKS_RIGHT, Difference, differences, to_words
from colbench.frontend.differences.parts import find_parts
from colbench.frontend.differences.reading import parse_reply, split_sentences
from colbench.frontend.differences.vocabulary import Remark, Target
from colbench.frontend.page import RenderedPage

NAVY, WHITE, GREY, RED, DARK = (30, 58, 138), (255, 255, 255), (229, 231, 235), (220, 38, 38), (31, 41, 55)


def shop(**change):
    """A shop's page: bar, title, text, cards with headings and buttons, footer; every part can be changed."""
    facts = {
        "nav": NAVY,
        "links": ("Home", "About", "Contact"),
        "title": "Welcome to Acme",
        "title_size": 36.0,
        "title_align": "center",
        "title_y": 100,
        "cards": 3,
        "columns": 3,
        "card": WHITE,
        "radius": 8.0,
        "shadow": True,
        "gap": 32,
        "button": RED,
        "footer": DARK,
        "footer_text": "© Acme",
        "text": "We sell the finest anvils, rockets and glue to coyotes everywhere.",
        "bg": GREY,
        "image": None,
        "sidebar": None,
    } | change
    parts = []
    if facts["nav"]:
        parts.append(element("nav", 0, 0, 1280, 64, bg=facts["nav"], columns=2))
        parts.append(element("span", 24, 20, 60, 24, "Acme", fg=WHITE, font_size=20.0, font_weight=700, parent=1))
        for n, link in enumerate(facts["links"]):
            parts.append(element("a", 1000 + 80 * n, 20, 60, 24, link, fg=WHITE, parent=1))
    title = {"font_size": facts["title_size"], "font_weight": 700, "text_align": facts["title_align"]}
    if facts["title"]:
        parts.append(element("h1", 64, facts["title_y"], 1152, 44, facts["title"], **title))
    if facts["text"]:
        parts.append(element("p", 64, 160, 1152, 24, facts["text"], text_align="center"))
    if facts["cards"]:
        parts.append(element("div", 64, 240, 1152, 240))
        grid = len(parts)
        width = (1152 - facts["gap"] * (facts["columns"] - 1)) / facts["columns"]
        for n in range(facts["cards"]):
            x = 64 + (width + facts["gap"]) * (n % facts["columns"])
            y = 240 + 272 * (n // facts["columns"])
            box = {"bg": facts["card"], "border_radius": facts["radius"], "shadow": facts["shadow"]}
            parts.append(element("div", x, y, width, 240, parent=grid, depth=2, **box))
            card = len(parts)
            parts.append(element("h3", x + 16, y + 16, width - 32, 28, f"Anvil {n + 1}", parent=card, font_size=20.0))
            style = {"bg": facts["button"], "fg": WHITE, "border_radius": 4.0}
            parts.append(element("button", x + 16, y + 180, 100, 40, "Buy now", parent=card, **style))
    if facts["image"]:
        parts.append(element("img", *facts["image"]))
    if facts["sidebar"]:
        parts.append(element("aside", 0, 64, 256, 836, bg=facts["sidebar"]))
        parts.append(element("a", 20, 400, 80, 24, "Filters", parent=len(parts)))
    if facts["footer"]:
        parts.append(element("footer", 0, 900, 1280, 100, bg=facts["footer"]))
        words = {"fg": WHITE, "text_align": "center", "parent": len(parts)}
        parts.append(element("p", 0, 930, 1280, 24, facts["footer_text"], **words))
    return made_page(*parts, height=1000, bg=facts["bg"])


def remarks(ours, theirs):
    return {d.remark for d in differences(ours, theirs)}


def test_the_parts_of_a_page_are_found():
    parts = find_parts(shop(image=(500, 700, 300, 180)))
    assert {noun: len(listed) for noun, listed in parts.items()} == {
        "page": 1,
        "navigation bar": 1,
        "logo": 1,
        "footer": 1,
        "card": 1,
        "main heading": 1,
        "heading": 3,
        "paragraph": 1,
        "button": 3,
        "image": 1,
        "content": 1,
    }
    assert parts["card"][0].count == 3 and parts["card"][0].facts["columns"] == 3
    assert parts["card"][0].facts["gap"] == 32
    assert parts["navigation bar"][0].facts["links"] == ("Home", "About", "Contact")
    assert parts["logo"][0].words == "Acme"
    assert find_parts(RenderedPage("", "no_html")) == {}


def test_nothing_to_say_about_the_same_page():
    assert differences(shop(), shop()) == []
    assert to_words([]) == LOOKS_RIGHT
    assert to_words(differences(shop(), shop(title_size=37.0, nav=(30, 58, 140)))) == LOOKS_RIGHT


CASES = {
    "background of the bar": (
        {"nav": WHITE},
        Remark("background", Target("navigation bar"), "very dark blue", "white"),
    ),
    "links": (
        {"links": ("Home", "Shop")},
        Remark("links", Target("navigation bar"), ("Home", "About", "Contact"), ("Home", "Shop")),
    ),
    "title": (
        {"title": "Hello everyone"},
        Remark("text", Target("main heading"), "Welcome to Acme", "Hello everyone"),
    ),
    "title size": ({"title_size": 24.0}, Remark("font_size", Target("main heading"), 36, 24)),
    "title place": ({"title_align": "left"}, Remark("position", Target("main heading"), "center", "left")),
    "columns": ({"columns": 1}, Remark("columns", Target("card", count=3), 3, 1)),
    "number of cards": (
        {"cards": 2},
        Remark("count", Target("card"), 3, 2, texts=("Anvil 1", "Anvil 2", "Anvil 3")),
    ),
    "corners": ({"radius": 0.0}, Remark("rounding", Target("card", count=3), "rounded", "square")),
    "shadow": ({"shadow": False}, Remark("shadow", Target("card", count=3), "yes", "no")),
    "card colour": ({"card": NAVY}, Remark("background", Target("card", count=3), "white", "very dark blue")),
    "gap": ({"gap": 8}, Remark("gap", Target("card", count=3), 32, 8)),
    "buttons together": ({"button": NAVY}, Remark("background", Target("button", count=3), "red", "very dark blue")),
    "space above the title": ({"title_y": 80, "text": None}, Remark("above", Target("main heading"), 36, 16)),
    "page background": ({"bg": WHITE}, Remark("background", Target("page"), "very light grey", "white")),
    "footer colour": ({"footer": WHITE}, Remark("background", Target("footer"), "very dark grey", "white")),
    "footer text": (
        {"footer_text": "No rights at all"},
        Remark("text", Target("footer"), "© Acme", "No rights at all"),
    ),
    "no footer": (
        {"footer": None},
        Remark("exists", Target("footer"), where="bottom", colour="very dark grey", texts=("© Acme",)),
    ),
    "no bar": (
        {"nav": None},
        Remark(
            "exists",
            Target("navigation bar"),
            where="top",
            colour="very dark blue",
            texts=("Home", "About", "Contact"),
        ),
    ),
    "no title": (
        {"title": None, "cards": 0},
        Remark("exists", Target("main heading", "Welcome to Acme"), below=Target("navigation bar")),
    ),
    "no text": (
        {"text": None},
        Remark(
            "exists",
            Target("paragraph", "We sell the finest anvils, rockets and glue to coyotes everywhere."),
            below=Target("main heading"),
        ),
    ),
    "no cards": ({"cards": 0}, Remark("count", Target("card"), 3, texts=("Anvil 1", "Anvil 2", "Anvil 3"))),
    "a sidebar too many": ({"sidebar": RED}, Remark("absent", Target("sidebar"))),
    "an image too many": ({"image": (500, 700, 300, 180)}, Remark("absent", Target("image"))),
}


@pytest.mark.parametrize(("change", "expected"), CASES.values(), ids=CASES.keys())
def test_each_kind_of_difference_is_noticed(change, expected):
    assert expected in remarks(shop(**change), shop())


def test_one_change_is_one_remark():
    for change in ({"nav": WHITE}, {"button": NAVY}, {"radius": 0.0}, {"bg": WHITE}, {"title": "Hello everyone"}):
        found = differences(shop(**change), shop())
        about = {d.remark.property for d in found}
        # A white page makes the white cards disappear as well; nothing else may be said.
        assert len(found) <= (2 if "bg" in change else 1) or about <= {"background", "text", "color"}, found


def test_the_largest_comes_first():
    worse = shop(nav=None, radius=0.0, shadow=False, title="Hello everyone")
    found = differences(worse, shop())
    assert found[0].remark.property == "exists" and found[0].kind == "missing"
    assert found[-1].remark.property in ("rounding", "shadow")
    assert all(0 < d.magnitude <= 1 for d in found)
    assert {d.kind for d in found} >= {"missing", "text", "style"}


def test_at_most_four_and_never_too_long():
    found = differences(made_page(), shop())
    assert len(found) > 4
    words = to_words(found)
    assert len(split_sentences(words)) == 4
    assert len(to_words(found, max_chars=120)) <= 120
    assert to_words(found, max_chars=5) == found[0].text[:5]
    assert len(split_sentences(to_words(found, limit=2))) == 2
    assert "class" not in words and "<" not in words and "#" not in words


def test_words_can_be_read_again_and_depend_on_the_seed_only():
    found = differences(shop(nav=WHITE, columns=1, title_size=24.0, footer=WHITE), shop())
    for seed in range(6):
        words = to_words(found, seed=seed)
        assert parse_reply(words) == [d.remark for d in found[:4]]
        assert words == to_words(found, seed=seed)
    assert len({to_words(found, seed=seed) for seed in range(6)}) > 1


def test_a_difference_says_itself():
    difference = Difference("colour", 0.5, Remark("background", Target("footer"), "white", "black"))
    assert difference.text == "The footer should have a white background, not black."


def test_a_reference_without_measurements_is_an_error():
    with pytest.raises(CollaboratorError, match="not measured"):
        differences(shop(), RenderedPage("<p>", "render_error"))


def test_quotes_and_line_breaks_in_texts():
    theirs = shop(title='The "best" anvils.\nReally!')
    words = to_words(differences(shop(), theirs))
    assert "The 'best' anvils. Really!" in words
    assert any(r.property == "text" and r.to == "The 'best' anvils. Really!" for r in parse_reply(words))


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_any_two_pages(one, other):
    ours, theirs = random_page(one), random_page(other)
    found = differences(ours, theirs)
    assert [d.magnitude for d in found] == pytest.approx([d.magnitude for d in differences(ours, theirs)])
    words = to_words(found, seed=one)
    assert 0 < len(words) <= 1000
    assert differences(ours, ours) == []
    if found:
        said = parse_reply(words)
        assert said == [d.remark for d in found if d.remark in said][: len(said)] and said


def test_it_is_fast():
    many = made_page(
        *(element("h2", 40, 60 * n, 600, 30, f"Heading number {n}") for n in range(100)),
        *(element("p", 40, 60 * n + 32, 900, 20, f"A paragraph about number {n} and more") for n in range(100)),
        height=6000,
    )
    pairs = [(shop(columns=1), shop()), (shop(nav=None), shop()), (many, shop()), (shop(), many)]
    times = []
    for ours, theirs in pairs * 5:
        start = time.thread_time()
        to_words(differences(ours, theirs))
        times.append(time.thread_time() - start)
    assert statistics.median(times) < 0.06
