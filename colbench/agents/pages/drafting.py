"""A first page from the words of the request alone: what anybody would draw before asking.

It takes a name, a subject and a colour from the request where there are any, and otherwise draws what most pages have:
a bar, a headline on a tinted band, three boxes, a line at the bottom.
"""

from __future__ import annotations

import re

from colbench.agents.pages.model import Block
from colbench.frontend.differences.colours import COLOURS

__all__ = ["css_colour", "draft_page", "name_in"]

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_CALLED = re.compile(r"\b(?:called|named)\s+[\"“']?([A-Z][\w&' -]{1,40}?)[\"”'.,;!]")
_QUOTED = re.compile(r"[\"“]([^\"”]{2,60})[\"”]")
_NAME = re.compile(r"(?<=[a-z,] )((?:[A-Z][\w']+)(?: (?:&|and|of|the|[A-Z][\w']+))*(?: [A-Z][\w']+)?)")
_NOT_NAMES = frozenset({"I", "The", "We", "Tailwind", "HTML", "CSS"})
_LEAD = re.compile(
    r"^(?:please |i (?:need|want|would like) |we (?:need|want|would like) |can you |could you |make |design |create |"
    r"build |lay out |me |us |a |an |the )+",
    re.IGNORECASE,
)
_HUES = (
    "red",
    "orange",
    "yellow",
    "green",
    "teal",
    "blue",
    "indigo",
    "purple",
    "pink",
    "brown",
    "grey",
    "black",
    "white",
)
_DARK_PAGE = re.compile(r"\b(?:dark|black) (?:background|page|ground|theme)\b", re.IGNORECASE)
_DARK_BAR = re.compile(
    r"\b(?:bar|header|menu|navigation)[^.]{0,30}\b(?:dark|black)\b|\bdark (?:bar|header|menu)\b", re.IGNORECASE
)


def css_colour(name: str) -> str:
    """A colour's everyday name as CSS."""
    red, green, blue = COLOURS[name]
    return f"rgb({red},{green},{blue})"


def name_in(request: str) -> str | None:
    """The name that a request gives the thing, if it gives one."""
    for pattern in (_CALLED, _QUOTED, _NAME):
        for found in pattern.finditer(request):
            name = found[1].strip(" .,")
            if name not in _NOT_NAMES:
                return name
    return None


def _hue(request: str) -> str | None:
    words = re.findall(r"[a-z]+", request.lower().replace("gray", "grey"))
    return next((word for word in words if word in _HUES), None)


def _subject(sentence: str) -> str:
    text = _LEAD.sub("", sentence).strip(" .!?")
    return text[:1].upper() + text[1:]


def draft_page(request: str) -> Block:
    """The page that a request suggests."""
    sentences = [part for part in _SENTENCE.split(" ".join(request.split())) if part]
    subject = _subject(sentences[0]) if sentences else "Welcome"
    name = name_in(request)
    title = name or " ".join(subject.split()[:5]).strip(",:;")
    hue = _hue(request)
    dark = bool(_DARK_PAGE.search(request))
    accent = css_colour(hue if hue not in (None, "grey", "white") else "blue")
    ink = css_colour("white") if dark else css_colour("very dark grey")
    bar: dict[str, str] = {"background": css_colour("white"), "color": ink}
    if dark or _DARK_BAR.search(request):
        bar = {"background": css_colour("very dark grey"), "color": css_colour("white")}
    band = css_colour("very dark grey" if dark else "very light grey")
    boxes = [
        Block("card", children=[Block("heading", head, {"font-size": "20px"}), Block("paragraph", words)])
        for head, words in (
            ("What we offer", "Everything you need in one place."),
            ("How it works", "Three simple steps and you are done."),
            ("Get in touch", "Write to us at any time."),
        )
    ]
    box_style = {"background": css_colour("white"), "border-radius": "8px", "color": css_colour("very dark grey")}
    if not dark:
        box_style["border"] = f"1px solid {css_colour('light grey')}"
    return Block(
        "page",
        style={
            "background": css_colour("black" if dark else "white"),
            "color": ink,
            "font-family": "sans-serif",
        },
        children=[
            Block(
                "navigation bar",
                style=bar,
                children=[Block("logo", title), *(Block("link", word) for word in ("Home", "About", "Contact"))],
            ),
            Block(
                "hero",
                style={"background": band, "text-align": "center"},
                children=[
                    Block("main heading", title, {"font-size": "44px"}),
                    Block("paragraph", subject, {"font-size": "18px"}),
                    Block(
                        "button",
                        "Learn more",
                        {"background": accent, "color": css_colour("white"), "border-radius": "6px"},
                    ),
                ],
            ),
            Block("cards", style=box_style, columns=3, gap=32, children=boxes),
            Block("footer", style={"background": band, "font-size": "14px"}, children=[Block("paragraph", title)]),
        ],
    )
