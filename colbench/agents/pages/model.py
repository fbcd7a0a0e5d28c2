"""A page as an agent keeps it between turns: a tree of parts with the nouns that people use for them.

An agent that works from remarks ("the heading should be bigger") needs to find the part that is meant and to change
it alone. HTML is written anew from this tree in every turn, never edited.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["CONTAINERS", "Block", "find_all", "find_one", "likeness", "parent_of", "parents"]

CONTAINERS = frozenset(
    {"page", "navigation bar", "header", "hero", "sidebar", "cards", "card", "form", "table", "footer"}
)
"""Parts that hold other parts."""

# Words that people use for the same thing, or that only differ by how a page was built.
_COUSINS: dict[str, tuple[str, ...]] = {
    "main heading": ("heading",),
    "heading": ("main heading", "paragraph", "list item"),
    "paragraph": ("list item", "link", "heading", "logo", "button"),
    "list item": ("link", "paragraph", "button"),
    "link": ("list item", "button", "paragraph"),
    "button": ("link", "paragraph"),
    "logo": ("link", "paragraph"),
    "hero": ("header",),
    "header": ("hero", "navigation bar"),
    "navigation bar": ("header",),
}
# Of these there is mostly one, so the related noun is meant even without words to go by.
_TWINS = {"main heading": ("heading",), "hero": ("header",), "header": ("hero",)}
_ALIKE = 0.72


@dataclass
class Block:
    """One part of a page.

    Attributes:
        noun: what a person would call it; ``cards`` is a group of cards.
        text: what is written on it, of an input field its hint; empty for containers.
        style: CSS properties.
        children: parts in it, in order.
        columns: of a group of cards or pictures, else 0.
        gap: pixels between the members of a group.
        place: ``left``, ``center`` or ``right`` where its place across the page is known.
        told: whether its words come from the collaborator, who therefore wants them somewhere.
    """

    noun: str
    text: str = ""
    style: dict[str, str] = field(default_factory=dict)
    children: list[Block] = field(default_factory=list)
    columns: int = 0
    gap: int = 24
    place: str | None = None
    told: bool = False

    def walk(self) -> Iterator[Block]:
        """Itself and everything in it, in document order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def words(self) -> str:
        """Everything written on it."""
        return " ".join(block.text for block in self.walk() if block.text)


def likeness(label: str, text: str) -> float:
    """How well a label that may be cut short fits a text: 1 for the same words, 0 for nothing in common."""
    one, other = " ".join(label.casefold().split()), " ".join(text.casefold().replace('"', "'").split())
    if not one or not other:
        return 0.0
    if one.endswith("…"):
        start = one[:-1].rstrip()
        if other.startswith(start):
            return 1.0
        other, one = other[: len(start)], start
    return 1.0 if one == other else difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def find_all(page: Block, noun: str) -> list[Block]:
    """Parts of exactly this noun, in document order."""
    wanted = ("main heading", "heading") if noun == "heading" else (noun,)
    return [block for block in page.walk() if block.noun in wanted]


def find_one(page: Block, noun: str, label: str | None = None) -> Block | None:
    """The part that a person means, or None.

    Without a label the first of the noun counts; with one the part whose words fit best, and a part of a related noun
    where none of this one fits.
    """
    related = (_TWINS if label is None else _COUSINS).get(noun, ())
    for kinds in ((noun,), related):
        found = [block for block in page.walk() if block.noun in kinds]
        if label is None:
            if found:
                return found[0]
            continue
        scored = [(likeness(label, block.text or block.words()), -i) for i, block in enumerate(found)]
        if scored and max(scored)[0] >= _ALIKE:
            return found[-max(scored)[1]]
    return None


def parents(page: Block) -> dict[int, Block]:
    """Parent of every part, by the part's id."""
    return {id(child): block for block in page.walk() for child in block.children}


def parent_of(page: Block, part: Block) -> Block | None:
    """The part that holds another one; None for the page itself."""
    return parents(page).get(id(part))
