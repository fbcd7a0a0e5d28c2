"""The closed vocabulary of remarks about a page: the parts that are spoken of and the values they can take.

Closed, because a remark has to be understood again by the one who changes the page, be it a program or a person.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ALIGNMENTS",
    "CORNERS",
    "FONTS",
    "NOUNS",
    "PLACES",
    "POSITIONS",
    "PROPERTIES",
    "Remark",
    "Target",
    "number_word",
    "plural",
    "rounded",
    "word_number",
]

NOUNS: dict[str, float] = {
    "page": 1.0,
    "navigation bar": 0.8,
    "logo": 0.35,
    "header": 0.8,
    "hero": 0.9,
    "sidebar": 0.9,
    "content": 0.5,
    "main heading": 0.7,
    "heading": 0.45,
    "paragraph": 0.4,
    "list item": 0.3,
    "link": 0.25,
    "button": 0.4,
    "card": 0.7,
    "image": 0.5,
    "form": 0.6,
    "input field": 0.35,
    "table": 0.6,
    "footer": 0.7,
}
"""Every part a remark can be about, and how much it matters to a person who looks at the page."""

PROPERTIES: dict[str, float] = {
    "exists": 1.0,
    "absent": 0.7,
    "count": 0.7,
    "text": 0.6,
    "links": 0.6,
    "columns": 0.6,
    "position": 0.6,
    "background": 0.7,
    "picture": 0.5,
    "color": 0.4,
    "align": 0.4,
    "height": 0.5,
    "width": 0.4,
    "font_size": 0.35,
    "above": 0.25,
    "gap": 0.2,
    "font": 0.2,
    "weight": 0.15,
    "rounding": 0.15,
    "border": 0.15,
    "shadow": 0.12,
}
"""Everything a remark can be about a part, and how much a full difference in it matters."""

ALIGNMENTS = {"left": "on the left", "center": "centred", "right": "on the right", "justify": "justified"}
POSITIONS = {"left": "on the left", "center": "in the middle", "right": "on the right"}
PLACES = {
    "top": "at the top",
    "bottom": "at the bottom",
    "left": "on the left",
    "right": "on the right",
    "middle": "in the middle",
}
CORNERS = ("square", "slightly rounded", "rounded", "fully round")
FONTS = ("sans-serif", "serif", "monospace", "handwritten")

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number_word(number: int) -> str:
    """``"three"`` for 3, ``"no"`` for 0, figures above twelve."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else f"{number}"


def word_number(word: str) -> int:
    """Inverse of :func:`number_word`.

    Raises:
        ValueError: for a word that is no number.
    """
    return _NUMBERS.index(word) if word in _NUMBERS else int(word)


def plural(noun: str) -> str:
    """Plural of one of :data:`NOUNS`."""
    return {"hero": "heroes", "content": "contents"}.get(noun, f"{noun}s")


def rounded(pixels: float) -> int:
    """A length as a person would say it: to 2 below 40 pixels, 5 below 100, 20 below 2,000, 100 above."""
    step = 2 if pixels < 40 else 5 if pixels < 100 else 20 if pixels < 2000 else 100
    return int(round(pixels / step) * step)


@dataclass(frozen=True)
class Target:
    """What a remark is about.

    Attributes:
        noun: one of :data:`NOUNS`.
        label: what is written on it, where that tells it from others of its kind.
        count: how many are meant together (the three cards); 1 for a single one.
    """

    noun: str
    label: str | None = None
    count: int = 1


@dataclass(frozen=True)
class Remark:
    """One thing a person would like to have otherwise.

    Attributes:
        property: one of :data:`PROPERTIES`.
        target: what it is about.
        to: the value it should have. Colours are names of :data:`colbench.frontend.differences.colours.COLOURS`,
            lengths and counts are int (``above`` is the free space over it), ``align`` and ``position`` are left,
            center, right (or justify), ``rounding`` is one of :data:`CORNERS`, ``font`` one of :data:`FONTS`,
            ``weight`` bold or normal, ``shadow`` and ``picture`` yes or no, ``border`` a colour or "no", ``text`` a
            string, ``links`` a tuple of strings; None for exists and absent.
        was: the value it has on the page that was shown, in the same form; None where that is not said.
        where: for exists: ``"top"``, ``"bottom"``, ``"left"``, ``"right"``, ``"middle"`` or None.
        below: for exists: the part that it stands under, or None.
        colour: for exists: name of its background colour, or None.
        texts: for exists: what is written in it; for count: what is written on each of them.
    """

    property: str
    target: Target
    to: str | int | tuple[str, ...] | None = None
    was: str | int | tuple[str, ...] | None = None
    where: str | None = None
    below: Target | None = None
    colour: str | None = None
    texts: tuple[str, ...] = ()
