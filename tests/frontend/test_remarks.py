"""The grammar of remarks: what is written can be read again, word for word."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colbench.frontend.differences.colours import COLOURS, colour_distance, colour_name, colour_of, over
from colbench.frontend.differences.reading import parse_remark, parse_reply, split_sentences
from colbench.frontend.differences.remarks import quotable, remark_sentence
from colbench.frontend.differences.vocabulary import (
    ALIGNMENTS,
    CORNERS,
    FONTS,
    NOUNS,
    PLACES,
    POSITIONS,
    PROPERTIES,
    Remark,
    Target,
    number_word,
    plural,
    rounded,
    word_number,
)

texts = st.text(max_size=140).map(quotable)
some_texts = st.lists(texts, min_size=1, max_size=5).map(tuple)
colours = st.sampled_from(sorted(COLOURS))
numbers = st.integers(0, 20_000)
nouns = st.sampled_from(sorted(NOUNS))
targets = st.one_of(
    st.builds(Target, nouns),
    st.builds(Target, nouns, texts),
    st.builds(lambda noun, count: Target(noun, None, count), nouns, st.integers(2, 40)),
)
VALUES = {
    "text": texts,
    "links": some_texts,
    "background": colours,
    "color": colours,
    "height": numbers,
    "width": numbers,
    "font_size": numbers,
    "above": numbers,
    "gap": numbers,
    "columns": st.integers(1, 30),
    "align": st.sampled_from(sorted(ALIGNMENTS)),
    "position": st.sampled_from(sorted(POSITIONS)),
    "font": st.sampled_from(FONTS),
    "rounding": st.sampled_from(CORNERS),
    "border": st.one_of(colours, st.just("no")),
}
remarks = st.one_of(
    *(
        st.builds(Remark, st.just(kind), targets, values, st.one_of(st.none(), values))
        for kind, values in VALUES.items()
    ),
    st.builds(Remark, st.just("absent"), targets),
    st.builds(Remark, st.just("weight"), targets, st.sampled_from(["bold", "normal"])),
    st.builds(Remark, st.sampled_from(["shadow", "picture"]), targets, st.sampled_from(["yes", "no"])),
    st.builds(
        lambda noun, to, was, words: Remark("count", Target(noun), to, was, texts=words),
        nouns,
        st.integers(0, 30),
        st.one_of(st.none(), st.integers(0, 30)),
        st.one_of(st.just(()), some_texts),
    ),
    st.builds(
        lambda noun, label, place, colour, words: Remark(
            "exists", Target(noun, label), where=place[0], below=place[1], colour=colour, texts=words
        ),
        nouns,
        st.one_of(st.none(), texts),
        st.one_of(
            st.just((None, None)),
            st.sampled_from(sorted(PLACES)).map(lambda place: (place, None)),
            targets.map(lambda target: (None, target)),
        ),
        st.one_of(st.none(), colours),
        st.one_of(st.just(()), some_texts),
    ),
)


@settings(max_examples=400, deadline=None)
@given(remarks, st.integers(0, 1))
def test_every_remark_is_read_as_it_was_meant(remark, variant):
    sentence = remark_sentence(remark, variant)
    assert sentence[0].isupper() and sentence.endswith(".") and "\n" not in sentence
    assert parse_remark(sentence) == remark


@settings(max_examples=100, deadline=None)
@given(st.lists(remarks, max_size=4))
def test_a_whole_reply_is_read(listed):
    reply = " ".join(["Nearly there!", *map(remark_sentence, listed), "Thanks."])
    assert parse_reply(reply) == listed


def test_every_property_is_written():
    assert set(VALUES) | {"exists", "absent", "count", "weight", "shadow", "picture"} == set(PROPERTIES)


@pytest.mark.parametrize(
    ("remark", "sentence"),
    [
        (
            Remark("exists", Target("navigation bar"), where="top", colour="dark blue", texts=("Home", "About")),
            'There should be a navigation bar at the top, in dark blue, with "Home" and "About".',
        ),
        (
            Remark("exists", Target("heading", "Our menu"), below=Target("main heading")),
            'There should be a heading "Our menu" below the main heading.',
        ),
        (Remark("count", Target("card"), 3, 2), "There should be three cards, not two."),
        (Remark("columns", Target("card", count=3), 3, 1), "The three cards should be in three columns, not one."),
        (
            Remark("background", Target("footer"), "orange", "white"),
            "The footer should have an orange background, not white.",
        ),
        (Remark("align", Target("hero"), "center", "left"), "The text of the hero should be centred, not on the left."),
        (
            Remark("border", Target("image"), "light grey", "no"),
            "The image should have a light grey border, not none.",
        ),
        (Remark("absent", Target("button", "Buy now.")), 'The button "Buy now." should not be there.'),
    ],
)
def test_how_it_sounds(remark, sentence):
    assert remark_sentence(remark) == sentence
    assert parse_remark(sentence) == remark


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Make it pop.",
        "The banner should have a white background.",
        "The footer should have a mauve background.",
        "There should be many cards.",
        "The lots cards should be in two columns.",
    ],
)
def test_anything_else_is_not_a_remark(sentence):
    assert parse_remark(sentence) is None


def test_sentences_end_outside_quotes_only():
    reply = 'The header should say "Hi. You! There?". I like it.\nThe card should not be there.'
    assert split_sentences(reply) == [
        'The header should say "Hi. You! There?".',
        "I like it.",
        "The card should not be there.",
    ]
    assert split_sentences("") == []


def test_quotable():
    assert quotable('say "hi"\n  there') == "say 'hi' there"
    long = quotable("word " * 60)
    assert len(long) <= 100 and long.endswith("word…")
    assert len(quotable("x" * 400)) == 100


def test_numbers_and_lengths_as_people_say_them():
    assert [number_word(n) for n in (0, 1, 3, 12, 13)] == ["no", "one", "three", "twelve", "13"]
    assert all(word_number(number_word(n)) == n for n in range(40))
    assert [rounded(v) for v in (15.3, 37, 63, 341, 719.6, 1283, 3234)] == [16, 36, 65, 340, 720, 1280, 3200]
    assert plural("input field") == "input fields" and plural("hero") == "heroes"


def test_colour_names():
    tailwind = {
        (30, 64, 175): "dark blue",
        (59, 130, 246): "blue",
        (255, 255, 255): "white",
        (243, 244, 246): "very light grey",
        (31, 41, 55): "very dark grey",
        (185, 28, 28): "dark red",
        (16, 185, 129): "green",
        (0, 0, 128): "navy",
    }
    assert {rgb: colour_name(rgb) for rgb in tailwind} == tailwind
    assert all(colour_name(colour_of(name)) == name for name in COLOURS)
    assert colour_name([0, 0, 0, 0]) == "white"
    assert over([0, 0, 0, 0.5], (255, 255, 255)) == (128, 128, 128)
    assert colour_distance((0, 0, 0), (255, 255, 255)) == pytest.approx(100, abs=0.01)
    assert colour_distance((1, 2, 3), (1, 2, 3)) == 0
