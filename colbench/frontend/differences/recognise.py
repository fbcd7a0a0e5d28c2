"""Small judgements about measured boxes: what could be a card, a logo, a row of links."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence

from colbench.frontend.differences.outline import Node

__all__ = [
    "are_alike",
    "card_title",
    "has_neighbour",
    "is_cardlike",
    "link_count",
    "logo_of",
    "spoken_nodes",
    "stands_in_a_row",
    "unwrapped",
    "usual_gap",
]


def link_count(node: Node) -> int:
    """How many links, buttons and items are in it."""
    return sum(1 for n in node.walk() if n.role in ("link", "button", "item"))


def stands_in_a_row(node: Node) -> bool:
    """Whether its links stand side by side."""
    places = [n.y + n.h / 2 for n in node.walk() if n.role in ("link", "button", "item")]
    return max(places) - min(places) <= 40


def spoken_nodes(node: Node) -> list[Node]:
    """Everything with words in a band, outermost first: a link with a bold word in it counts once."""
    found: list[Node] = []
    inside: set[int] = set()
    for inner in node.walk():
        if inner.index in inside:
            continue
        whole = inner.role in ("link", "button", "heading") and inner.words
        if whole or (inner.text and inner.role not in ("input", "checkbox")):
            found.append(inner)
        if whole:
            inside.update(n.index for n in inner.walk())
    return found


def logo_of(entries: Sequence[Node]) -> Node | None:
    """The first entry of a navigation bar, if it stands out from the others."""
    if not entries:
        return None
    first = entries[0]
    sizes = [float(n.element["font_size"]) + int(n.element["font_weight"]) / 100 for n in entries]
    stands_out = len(entries) == 1 or sizes[0] > max(sizes[1:]) or first.role in ("heading", "text")
    return first if stands_out and first.role != "button" else None


def is_cardlike(node: Node) -> bool:
    """Whether a box could be a card: not tiny, set off or tall, with something in it."""
    inner = unwrapped(node)
    if node.role not in ("box", "text", "item", "link", "form") or inner.w < 110 or inner.h < 60:
        return False
    return (inner.marked or inner.h >= 110) and bool(
        any(n.words or n.role == "image" for n in inner.walk()) or inner.marked
    )


def unwrapped(node: Node) -> Node:
    """The box that a wrapper without a mark of its own exists for."""
    while not node.marked and len(node.children) == 1 and node.children[0].area >= 0.6 * node.area:
        if node.children[0].role not in ("box", "item", "link"):
            break
        node = node.children[0]
    return node


def has_neighbour(node: Node, others: Sequence[Node]) -> bool:
    """Whether another one stands beside it."""
    return any(o is not node and abs(o.y - node.y) < 8 and abs(o.x - node.x) > 0.5 * node.w for o in others)


def are_alike(one: Node, other: Node) -> bool:
    """Whether two boxes look like members of one group."""
    if one.marked != other.marked or one.element["background_kind"] != other.element["background_kind"]:
        return False
    same_row = abs(one.y - other.y) < 8
    wide = abs(one.w - other.w) <= 0.08 * max(one.w, other.w)
    high = abs(one.h - other.h) <= (0.6 if same_row else 0.4) * max(one.h, other.h)
    # Full-width bands under one another are sections of the page, not cards.
    return (
        wide
        and high
        and (one.w < 800 or (one.marked and one.w < 1216))
        and one.element["depth"] == other.element["depth"]
    )


def usual_gap(cards: Sequence[Node]) -> float | None:
    """Usual distance between neighbours in pixels; None where none are side by side or under one another."""
    gaps = []
    for one, other in itertools.pairwise(cards):
        if abs(one.y - other.y) < 8:
            gaps.append(other.x - one.x - one.w)
        elif abs(one.x - other.x) < 8:
            gaps.append(other.y - one.y - one.h)
    gaps = [g for g in gaps if g >= 0]
    return statistics.median(gaps) if gaps else None


def card_title(card: Node) -> str:
    """The words a card is told by."""
    for node in card.walk():
        if node.role == "heading" and node.words:
            return node.words
    spoken = spoken_nodes(card)
    return spoken[0].words if spoken else ""
