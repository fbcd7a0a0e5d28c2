"""Adds a part that is missing where the collaborator says that it belongs."""

from __future__ import annotations

from collections.abc import Sequence

from colbench.agents.pages.drafting import css_colour
from colbench.agents.pages.model import Block, find_all, find_one, parent_of
from colbench.frontend.differences.colours import COLOURS
from colbench.frontend.differences.vocabulary import Remark, Target

__all__ = ["add_part", "body_end", "move_to", "new_cards"]

_ENDS = frozenset({"footer"})
_STARTS = frozenset({"navigation bar", "sidebar"})
_SINGLE = frozenset({"navigation bar", "footer", "sidebar", "hero", "header", "form", "table"})
_MAX_COPIES = 8
_TEXTS = frozenset({"main heading", "heading", "paragraph", "list item", "link", "button", "logo"})


def add_part(page: Block, remark: Remark) -> bool:
    """Add what an ``exists`` remark asks for.

    Returns:
        whether anything was added.
    """
    target = remark.target
    if target.noun in _SINGLE:
        have = find_all(page, target.noun)
        if have:
            # It is there and does not look like one.
            return _make_visible(page, have[0], remark)
    part = _made(page, remark)
    if target.noun == "logo":
        bar = find_one(page, "navigation bar")
        if bar is None:
            return False
        bar.children[:] = [part, *(child for child in bar.children if child.noun != "logo")]
        return True
    if target.noun == "main heading":
        old = find_one(page, "main heading")
        if old is not None and old.noun == "main heading" and old.text != target.label:
            old.noun = "heading"
    if target.noun in _TEXTS and _already(page, remark):
        return False
    _insert(page, part, remark)
    return True


def _make_visible(page: Block, part: Block, remark: Remark) -> bool:
    style: dict[str, str] = {}
    if remark.colour is not None:
        style = {"background": css_colour(remark.colour), "color": _ink_on(remark.colour)}
    elif part.noun == "hero" and part.style.get("background") in (None, page.style.get("background")):
        style = {"background": css_colour("very light grey")}
    if part.noun == "hero":
        style.setdefault("min-height", "240px")
        if all(child.noun not in ("main heading", "heading") for child in part.children):
            texts = [child for child in part.children if child.noun in _TEXTS]
            if texts:
                texts[0].noun = "main heading"
    changed = any(part.style.get(name) != value for name, value in style.items())
    part.style |= style
    return changed


def _ink_on(colour: str) -> str:
    red, green, blue = COLOURS[colour]
    light = 0.299 * red + 0.587 * green + 0.114 * blue > 140
    return css_colour("very dark grey" if light else "white")


def _already(page: Block, remark: Remark) -> bool:
    """Whether the page says this already where it is asked for; the same words may stand under every heading."""
    same = [block for block in find_all(page, remark.target.noun) if block.text == remark.target.label]
    if not same or remark.target.noun in ("main heading", "logo"):
        return bool(same)
    anchor = None if remark.below is None else _anchor(page, remark.below)
    holder = None if anchor is None else parent_of(page, anchor)
    if holder is None or len(same) >= _MAX_COPIES:
        return True
    return any(child is block for child in holder.children for block in same)


def move_to(page: Block, part: Block, where: str) -> bool:
    """Bring a text to the left, the middle or the right of the page.

    Args:
        page: changed in place.
        part: a text.
        where: ``left``, ``center`` or ``right``.

    Returns:
        whether anything was changed.
    """
    holder = parent_of(page, part)
    if holder is None:
        return False
    if holder.noun == "card":
        group = parent_of(page, holder)
        if group is None or group.columns < 2 or (where == "center" and group.columns == 2):
            return False
        index = {"left": 0, "center": group.columns // 2, "right": group.columns - 1}[where]
        row = next(i for i, card in enumerate(group.children) if card is holder) // group.columns
        index = min(row * group.columns + index, len(group.children) - 1)
        if group.children[index] is holder:
            return False
        holder.children = [child for child in holder.children if child is not part]
        group.children[index].children.append(part)
        return True
    if part.place != where:
        part.place = where
        return True
    if holder is page or holder.noun in ("navigation bar", "footer"):
        return False
    # It stands there already within its part of the page, so that part is the wrong one.
    top = holder
    while (above := parent_of(page, top)) is not None and above is not page:
        top = above
    holder.children = [child for child in holder.children if child is not part]
    place = next(i for i, child in enumerate(page.children) if child is top)
    page.children.insert(place + 1, part)
    return True


def _made(page: Block, remark: Remark) -> Block:
    noun, label = remark.target.noun, (remark.target.label or "").rstrip("…")
    style: dict[str, str] = {}
    if remark.colour is not None:
        style = {"background": css_colour(remark.colour), "color": _ink_on(remark.colour)}
    texts = list(remark.texts)
    match noun:
        case "navigation bar":
            return Block(noun, style=style, children=[Block("link", text, told=True) for text in texts])
        case "hero" | "header":
            return Block(noun, style=style, children=_taken(page, texts))
        case "sidebar":
            parts = _taken(page, texts)
            if len(parts) >= 4 and sum(len(part.text.split()) for part in parts) <= 2 * len(parts):
                for part in parts[1:]:
                    part.noun = "list item"
            return Block(noun, style=style, children=parts, place=_side(remark.where))
        case "footer":
            return Block(noun, style=style, children=[Block("paragraph", text, told=True) for text in texts])
        case "card":
            group = new_cards(max(remark.target.count, len(texts), 2), texts)
            group.style |= style
            return group
        case "form":
            return Block(noun, style=style, children=[Block("input field", text) for text in texts])
        case "table":
            return Block(noun, style=style, columns=len(texts), children=[Block("paragraph", text) for text in texts])
        case _:
            return Block(noun, label, style, place=_side(remark.where), told=bool(label))


def new_cards(number: int, titles: Sequence[str]) -> Block:
    """A group of boxes with these titles."""
    cards = [
        Block(
            "card", children=[Block("heading", title, {"font-size": "20px"}, told=True) for title in titles[i : i + 1]]
        )
        for i in range(number)
    ]
    style = {"background": css_colour("white"), "border-radius": "8px", "box-shadow": "0 2px 6px rgba(0,0,0,0.1)"}
    return Block("cards", style=style, columns=max(1, min(number, 4)), children=cards)


def body_end(page: Block) -> int:
    """Where the next thing on a page goes: before the footer."""
    return next((i for i, child in enumerate(page.children) if child.noun in _ENDS), len(page.children))


def _side(where: str | None) -> str | None:
    return {"left": "left", "right": "right", "middle": "center"}.get(where or "")


def _taken(page: Block, texts: list[str]) -> list[Block]:
    """Parts with these texts: those that the page has already are moved, the others are new."""
    parts = []
    for text in texts:
        found = next((block for block in page.walk() if block.text == text and block.noun in _TEXTS), None)
        parent = None if found is None else parent_of(page, found)
        if found is not None and parent is not None and parent.noun not in ("navigation bar", "footer"):
            parent.children = [child for child in parent.children if child is not found]
            parts.append(found)
        else:
            parts.append(Block("paragraph" if parts else "heading", text.rstrip("…"), told=True))
    return parts


def _insert(page: Block, part: Block, remark: Remark) -> None:
    if part.noun == "navigation bar":
        page.children.insert(0, part)
        return
    if part.noun == "footer":
        page.children.append(part)
        return
    if part.noun == "input field":
        form = find_one(page, "form")
        if form is not None:
            fields = [i for i, child in enumerate(form.children) if child.noun == "input field"]
            form.children.insert(fields[-1] + 1 if fields else 0, part)
            return
    anchor = None if remark.below is None else _anchor(page, remark.below)
    if anchor is not None and _insert_after(page, anchor, part):
        return
    if remark.where in ("left", "right"):
        beside = [side for side in find_all(page, "sidebar") if (side.place or "left") == remark.where]
        if beside and part.noun in _TEXTS:
            beside[0].children.append(part)
            return
        hero = find_one(page, "hero")
        if part.noun == "image" and hero is not None and not any(c.noun == "image" for c in hero.children):
            hero.children.append(part)
            return
    page.children.insert(_index(page, part, remark.where), part)


def _index(page: Block, part: Block, where: str | None) -> int:
    """Where a part goes among the children of the page."""
    first = sum(1 for child in page.children if child.noun in _STARTS)
    end = body_end(page)
    if where == "top" or part.noun in ("hero", "header", "sidebar"):
        return first
    if where == "middle":
        return max(first, (first + end + 1) // 2)
    return end


def _anchor(page: Block, target: Target) -> Block | None:
    if target.noun == "card":
        groups = find_all(page, "cards")
        return groups[-1] if groups else None
    return find_one(page, target.noun, target.label)


def _insert_after(page: Block, anchor: Block, part: Block) -> bool:
    parent = parent_of(page, anchor)
    if parent is None:
        return False
    if parent.noun in ("navigation bar", "footer"):
        anchor, parent = parent, page
    elif part.noun in ("cards", "form", "table", "hero", "header"):
        # These never stand inside of a card or a band.
        while parent is not page:
            above = parent_of(page, parent)
            assert above is not None
            anchor, parent = parent, above
    place = next(i for i, child in enumerate(parent.children) if child is anchor)
    if anchor.noun in ("navigation bar", "sidebar") and parent is page:
        place = _index(page, part, "top") - 1
    if anchor.noun == "footer":
        place -= 1
    parent.children.insert(place + 1, part)
    return True
