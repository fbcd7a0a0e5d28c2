"""Tidy names for files and pages."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family

_WORDS = (
    "the", "The", "a", "report", "Report", "plan", "don't", "room42", "2024", "Sales", "ok", "tea/milk", "draft!",
    "x-ray", "IT", "(new)", "v2",
)  # fmt: skip


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    words = [rng.choice(_WORDS) for _ in range(rng.randint(2, 7))]
    if rng.random() < 0.4:
        words.insert(rng.randrange(len(words)), words[rng.randrange(len(words))])
    if rng.random() < 0.4:
        spot = rng.randrange(len(words))
        words.insert(spot, words[spot])
    return (rng.choice((" ", "  ")).join(words) + rng.choice(("", "", " ", "?")),)


FAMILY = template_family(
    "cleanup",
    domain="text",
    decisions=(
        decision(
            "letters",
            "lower case, upper case or capitals",
            "Do you want lower case, upper case or capitals?",
            lower="All letters become small.",
            upper="All letters become capitals.",
            title="Each word begins with a capital, its other letters are small.",
        ),
        decision(
            "joiner",
            "character that joins the pieces",
            "With which character do I join the pieces?",
            dash="In the result the words are joined by dashes.",
            dot="In the result the words are joined by dots.",
            blank="In the result the words are joined by single blanks.",
        ),
        decision(
            "digits",
            "numerals",
            "What happens to numerals?",
            keep="Digits stay as they are.",
            drop="Digits are deleted without a trace.",
            mask="Every digit is replaced by the letter n.",
        ),
        decision(
            "marks",
            "punctuation marks",
            "How are punctuation marks treated?",
            drop="Whatever is no letter, digit or blank is deleted without a trace.",
            split="Whatever is no letter, digit or blank is treated like a blank, so it ends a word.",
        ),
        decision(
            "length",
            "maximum length",
            "What maximum length may it have?",
            l12="The result has at most 12 characters.",
            l16="The result has at most 16 characters.",
            l20="The result has at most 20 characters.",
        ),
        decision(
            "cut",
            "shortening a text too long",
            "When shortening a text that is too long, may I break inside?",
            hard="Too long a result is simply cut after the last character that fits.",
            words="Words are dropped at the end until it fits, but one word always stays, however long.",
        ),
        decision(
            "articles",
            "articles such as the and a",
            "Do articles such as the and a stay?",
            keep="The words 'the' and 'a' stay.",
            first="The words 'the' and 'a' are dropped at the very beginning, one word at most.",
            all="The words 'the' and 'a' are dropped everywhere.",
        ),
        decision(
            "repeats",
            "doubled words in succession",
            "Are doubled words in succession allowed?",
            keep="A word that equals the one before it stays.",
            drop="A word that equals the one before it, letter case aside, is dropped.",
        ),
    ),
    openings=(
        "I have lots of messy titles and want neat names made of them.",
        "Write something that turns titles into clean names, please.",
        "Our document titles need tidying up before we save them.",
    ),
    inputs=(
        "It takes the title and returns the neat name as text. Work through it in this order: digits, other "
        "characters, words to drop, letter case, joining, length.",
        "Input and output are text. First digits and other characters are dealt with, then words are dropped, then "
        "come letter case, joining and the length.",
    ),
    template="""
def tidy_title(title):
    text = ""
    for char in title:
        if char.isdigit():
            text += «digits: char | "" | "n"»
        elif char.isalpha() or char == " ":
            text += char
        else:
            text += «marks: "" | " "»
    words = text.split()
%% articles first
    if words and words[0].lower() in ("the", "a"):
        words = words[1:]
%%
%% articles all
    words = [word for word in words if word.lower() not in ("the", "a")]
%%
%% repeats drop
    kept = []
    for word in words:
        if not kept or kept[-1].lower() != word.lower():
            kept.append(word)
    words = kept
%%
    words = [«letters: word.lower() | word.upper() | word.capitalize()» for word in words]
    joiner = «joiner: "-" | "." | " "»
%% cut words
    while len(words) > 1 and len(joiner.join(words)) > «length: 12 | 16 | 20»:
        words.pop()
    return joiner.join(words)
%%
%% cut hard
    return joiner.join(words)[:«length: 12 | 16 | 20»]
%%
""",
    arguments=_arguments,
)
