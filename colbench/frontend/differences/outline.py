"""A page as a person sees it: a navigation bar, a hero, three cards, a footer; found in the measured elements.

Pages say little about what their boxes are for, so parts are recognised by tag where there is one, and else by where
they stand, how large they are and what they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from colbench.frontend.differences.colours import Rgb, colour_distance, over
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity.blocks import grounds, ink_box

__all__ = ["MAX_PARTS", "Node", "Part", "Tree", "page_tree"]

MAX_PARTS = 60
"""Parts of one kind beyond so many are not looked at."""

_VISIBLE = 3.0
_SERIF = {
    "times",
    "times new roman",
    "georgia",
    "serif",
    "garamond",
    "cambria",
    "merriweather",
    "playfair display",
    "lora",
}
_MONO = {"monospace", "courier", "courier new", "menlo", "monaco", "consolas", "liberation mono"}
_HAND = {"cursive", "fantasy", "comic sans ms", "brush script mt"}


@dataclass
class Node:
    """One measured element with its place in the tree and what it shows."""

    index: int
    element: dict[str, Any]
    shown: Rgb
    under: Rgb
    parent: Node | None = field(default=None, repr=False)
    children: list[Node] = field(default_factory=list, repr=False)

    @property
    def role(self) -> str:
        """Role as the renderer gave it."""
        return str(self.element["role"])

    @property
    def x(self) -> float:
        """Left edge in pixels."""
        return float(self.element["x"])

    @property
    def y(self) -> float:
        """Top edge in pixels."""
        return float(self.element["y"])

    @property
    def w(self) -> float:
        """Width in pixels."""
        return float(self.element["w"])

    @property
    def h(self) -> float:
        """Height in pixels."""
        return float(self.element["h"])

    @property
    def area(self) -> float:
        """In square pixels."""
        return self.w * self.h

    @property
    def text(self) -> str:
        """Its own text."""
        return str(self.element["text"])

    @property
    def words(self) -> str:
        """Its text with everything in it, where that is known."""
        return str(self.element["label"] or self.element["text"])

    @property
    def painted(self) -> bool:
        """Whether its background sets it off from what lies under it."""
        return bool(self.element["background_image"]) or colour_distance(self.shown, self.under) > _VISIBLE

    @property
    def marked(self) -> bool:
        """Whether background, border or shadow sets it off."""
        return self.painted or bool(self.element["border_sides"]) or bool(self.element["shadow"])

    @property
    def ink(self) -> Rgb:
        """Colour of its text as seen."""
        return over(self.element["color"], self.shown)

    def walk(self) -> Iterator[Node]:
        """Itself and everything in it, in document order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def ancestors(self) -> Iterator[Node]:
        """From its parent upwards."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


@dataclass(frozen=True)
class Part:
    """One part of a page that can be spoken of.

    Attributes:
        noun: see :data:`colbench.frontend.differences.vocabulary.NOUNS`.
        words: what it says, as far as it is told from others by that.
        box: left, top, width, height in pixels.
        facts: measured value per property: colours as (r, g, b), lengths as float, choices as str; names that begin
            with an underscore are no properties (``_edge``: what ``above`` is measured from).
        count: members of a group (cards), else 1.
    """

    noun: str
    words: str
    box: tuple[float, float, float, float]
    facts: dict[str, Any]
    count: int = 1


@dataclass(frozen=True)
class Tree:
    """The elements of a page as a tree."""

    nodes: list[Node]
    width: float
    height: float

    @property
    def root(self) -> Node:
        """The body."""
        return self.nodes[0]

    def of_role(self, *roles: str) -> list[Node]:
        """Nodes of these roles in document order."""
        return [node for node in self.nodes if node.role in roles]


def page_tree(page: RenderedPage) -> Tree:
    """Put the measured elements together; ``page`` must have at least one."""
    shown = grounds(page.elements)
    nodes: list[Node] = []
    for index, (element, (colour, under)) in enumerate(zip(page.elements, shown, strict=True)):
        node = Node(index, element, colour, under)
        parent = int(element["parent"])
        if 0 <= parent < index:
            node.parent = nodes[parent]
            nodes[parent].children.append(node)
        nodes.append(node)
    return Tree(nodes, float(page.width or 1280), float(page.height or 720))


def thirds(left: float, width: float, whole: float) -> str:
    """Where something stands across the page: left, center or right."""
    middle = (left + width / 2) / max(whole, 1.0)
    return "left" if middle < 0.4 else "right" if middle > 0.6 else "center"


def font_kind(family: str) -> str:
    """The kind of a font family by its name: sans-serif, serif, monospace or handwritten."""
    name = family.lower()
    if name in _SERIF or (name.endswith(" serif") and "sans" not in name):
        return "serif"
    return "monospace" if name in _MONO or name.endswith(" mono") else "handwritten" if name in _HAND else "sans-serif"


def corners(radius: float, height: float) -> str:
    """How round corners look: square, slightly rounded, rounded or fully round."""
    if radius < 1.5:
        return "square"
    if radius >= 0.45 * height:
        return "fully round"
    return "slightly rounded" if radius < 7 else "rounded"


def letters(nodes: Iterable[Node]) -> list[tuple[float, Node]]:
    """Nodes that have text of their own, with about how many square pixels of ink box they fill."""
    found = []
    for node in nodes:
        if node.text and node.role not in ("input", "checkbox"):
            _, _, width, height = ink_box(node.element, node.text)
            found.append((width * height, node))
    return found


def text_facts(node: Node) -> dict[str, Any]:
    """Size, weight, colour and kind of font of a text."""
    element = node.element
    return {
        "color": node.ink,
        "font_size": float(element["font_size"]),
        "weight": "bold" if int(element["font_weight"]) >= 600 else "normal",
        "font": font_kind(str(element["font_family"])),
    }


def band_facts(node: Node) -> dict[str, Any]:
    """Background, height, and the colour and alignment of most of the text in a wide part."""
    facts: dict[str, Any] = {
        "background": node.shown,
        "height": node.h,
        "shadow": "yes" if node.element["shadow"] else "no",
    }
    facts["picture"] = "yes" if node.element["background_kind"] == "picture" else "no"
    if facts["picture"] == "yes":
        del facts["background"]
    written = letters(node.walk())
    if written:
        facts["color"] = _most((amount, one.ink) for amount, one in written)
        facts["align"] = _most((amount, alignment(one, node)) for amount, one in written)
    return facts


def alignment(node: Node, inside: Node) -> str:
    """How a text stands in the part that holds it."""
    left, _, width, _ = ink_box(node.element, node.text)
    if width >= 0.6 * inside.w:
        # Text that fills the part has next to no room on either side; only how its lines stand can be told.
        return str(node.element["text_align"])
    before, after = left - inside.x, inside.x + inside.w - left - width
    if abs(before - after) <= 0.12 * inside.w:
        return "center"
    return "left" if before < after else "right"


def box_facts(node: Node) -> dict[str, Any]:
    """Background, corners, border and shadow of a box."""
    element = node.element
    facts: dict[str, Any] = {
        "background": node.shown,
        "rounding": corners(float(element["border_radius"]), node.h),
        "shadow": "yes" if element["shadow"] else "no",
        "border": over(element["border_color"], node.under) if len(element["border_sides"]) == 4 else None,
    }
    if element["background_image"]:
        del facts["background"]
    return facts


def _most(weighted: Iterable[tuple[float, Any]]) -> Any:
    totals: dict[Any, float] = {}
    for amount, value in weighted:
        totals[value] = totals.get(value, 0.0) + amount
    return max(totals, key=lambda value: totals[value])
