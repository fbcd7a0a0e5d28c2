"""Does what a remark asks for: finds the part that is meant and changes it, adds it or takes it away.

The remarks are those of :mod:`colbench.frontend.differences.vocabulary`. A remark about something that the page does
not have is passed over; the collaborator will say that it is missing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from colbench.agents.pages.counting import set_number
from colbench.agents.pages.drafting import css_colour
from colbench.agents.pages.model import Block, find_all, find_one, likeness, parent_of
from colbench.agents.pages.placing import add_part, move_to
from colbench.frontend.differences.colours import COLOURS
from colbench.frontend.differences.vocabulary import Remark, Target

__all__ = ["apply_remark"]

_RADIUS = {"square": "0", "slightly rounded": "4px", "rounded": "12px", "fully round": "9999px"}
_FAMILIES = {"sans-serif": "sans-serif", "serif": "serif", "monospace": "monospace", "handwritten": "cursive"}
_PAGE_WIDTH = 1280
_BANDS = frozenset({"page", "navigation bar", "header", "hero", "sidebar", "footer", "card", "cards", "form"})


def apply_remark(page: Block, remark: Remark) -> bool:
    """Change the page as asked.

    Args:
        page: changed in place.
        remark: what the collaborator wants.

    Returns:
        whether anything was changed.
    """
    kind = remark.property
    if kind == "exists":
        return add_part(page, remark)
    if kind == "absent":
        return _remove(page, remark.target)
    if kind == "count":
        if not isinstance(remark.to, int):
            return False
        changed = set_number(page, remark.target.noun, remark.to, remark.texts)
        return changed or (remark.target.noun == "card" and remark.was is None and _outline_cards(page))
    change = _CHANGES.get(kind)
    if change is None or remark.to is None:
        return False
    changed = False
    for part in _meant(page, remark.target):
        changed |= change(page, part, remark.to)
    return changed


def _meant(page: Block, target: Target) -> list[Block]:
    """The parts a remark is about; cards are always meant together."""
    if target.noun == "card":
        groups = find_all(page, "cards")
        if target.label is None or len(groups) < 2:
            return groups[:1]
        return [max(groups, key=lambda group: likeness(target.label or "", group.words()))]
    if target.noun in ("page", "content"):
        return [page]
    if target.count > 1:
        return find_all(page, target.noun)[: target.count]
    part = find_one(page, target.noun, target.label)
    return [] if part is None else [part]


# ---- removing ----------------------------------------------------------------------------------------


# What a text that was asked for may be, when it is said not to be what it is now.
_OTHERWISE = {"heading": "paragraph", "paragraph": "list item", "list item": "link"}


def _remove(page: Block, target: Target) -> bool:
    parts = _meant(page, target)
    for part in parts:
        parent = parent_of(page, part)
        if parent is None:
            return False
        twins = [block for block in page.walk() if block.text == part.text and block is not part]
        if part.told and part.noun in _OTHERWISE and not twins:
            # The collaborator wants these words, only not as a heading.
            part.noun = _OTHERWISE[part.noun]
            part.style.pop("font-size", None)
            continue
        place = next(i for i, child in enumerate(parent.children) if child is part)
        # What stands on a band is not on trial with it.
        kept = part.children if part.noun in ("hero", "header", "form") else []
        parent.children[place : place + 1] = kept
        if parent.noun == "card" and not parent.children:
            _remove_empty(page, parent)
    return bool(parts)


def _remove_empty(page: Block, card: Block) -> None:
    group = parent_of(page, card)
    if group is not None:
        group.children = [child for child in group.children if child is not card]


def _outline_cards(page: Block) -> bool:
    """Cards that are there and are not seen need something that sets them off."""
    group = find_one(page, "cards")
    if group is None or "border-top" in group.style:
        return False
    group.style["border-top"] = f"2px solid {css_colour('light grey')}"
    return True


# ---- changing one property ----------------------------------------------------------------------------------------


def _set(part: Block, **style: str) -> bool:
    wanted = {name.replace("_", "-"): value for name, value in style.items()}
    if all(part.style.get(name) == value for name, value in wanted.items()):
        return False
    part.style |= wanted
    return True


def _text(page: Block, part: Block, to: object) -> bool:
    words = str(to)
    if part.noun == "footer":
        if part.words() == words:
            return False
        first = next((child for child in part.children if child.noun == "paragraph"), Block("paragraph"))
        part.children = [Block("paragraph", words, dict(first.style))]
        return True
    if part.noun == "table":
        part.children[: part.columns] = _heads(words, part.columns or 1)
        return True
    part.told = True
    words = words.rstrip("…")
    if part.text == words:
        return False
    part.text = words
    return True


def _heads(words: str, columns: int) -> list[Block]:
    """Words dealt out evenly to the cells of a table's first row."""
    parts = words.split()
    cuts = [round(i * len(parts) / columns) for i in range(columns + 1)]
    return [Block("paragraph", " ".join(parts[a:b]), told=True) for a, b in itertools.pairwise(cuts)]


def _links(page: Block, part: Block, to: object) -> bool:
    words = to if isinstance(to, tuple) else (str(to),)
    old = {child.text: child for child in part.children}
    new = [child for child in part.children if child.noun == "logo"]
    sample = next((child for child in part.children if child.noun == "link"), Block("link"))
    new += [old.get(word, Block("link", word, dict(sample.style), told=True)) for word in words]
    changed = [child.text for child in new] != [child.text for child in part.children]
    part.children = new
    return changed


def _background(page: Block, part: Block, to: object) -> bool:
    changed = _set(part, background=css_colour(str(to)))
    # Nobody writes dark on dark; the exact colour of the letters may still be asked for.
    if "--inked" not in part.style:
        red, green, blue = COLOURS[str(to)]
        light = 0.299 * red + 0.587 * green + 0.114 * blue > 140
        part.style["color"] = css_colour("very dark grey" if light else "white")
    return changed


def _color(page: Block, part: Block, to: object) -> bool:
    changed = _set(part, color=css_colour(str(to)), __inked="told")
    if part.noun in _BANDS and part.noun != "page":
        for inner in part.walk():
            if inner is not part and inner.noun != "button" and "color" in inner.style:
                del inner.style["color"]
                changed = True
    return changed


def _height(page: Block, part: Block, to: object) -> bool:
    if part.noun == "page":
        return _set(part, min_height=f"{to}px")
    return _set(part, height=f"{to}px")


def _width(page: Block, part: Block, to: object) -> bool:
    if part.noun == "page":
        return _set(part, __content_width=f"{to}px")
    if part.noun == "cards":
        return _set(part, __card_width=f"{to}px")
    return _set(part, width=f"{to}px")


def _font_size(page: Block, part: Block, to: object) -> bool:
    return _set(part, font_size=f"{to}px")


def _gap(page: Block, part: Block, to: object) -> bool:
    changed = part.gap != to
    part.gap = int(str(to))
    return changed


def _columns(page: Block, part: Block, to: object) -> bool:
    number = int(str(to))
    changed = part.columns != number
    if part.noun == "table":
        words = " ".join(child.text for child in part.children[: part.columns])
        part.children[: part.columns] = _heads(words, number)
    part.columns = number
    if part.noun == "cards":
        if number > len(part.children):
            set_number(page, "card", number, ())
        # As many columns as cards of a told width may not fit; then their number decides.
        width = part.style.get("--card-width")
        if width is not None and number * (float(width.removesuffix("px")) + part.gap) > _PAGE_WIDTH:
            del part.style["--card-width"]
    return changed


def _align(page: Block, part: Block, to: object) -> bool:
    changed = _set(part, text_align=str(to))
    for inner in part.walk():
        if inner is not part and (inner.place or "text-align" in inner.style) and inner.noun != "image":
            inner.place = None
            inner.style.pop("text-align", None)
            changed = True
    return changed


def _position(page: Block, part: Block, to: object) -> bool:
    where = str(to)
    if part.noun == "image" and len(find_all(page, "image")) > 1:
        # Pictures have no names, so of several nobody knows which is meant.
        return False
    if part.noun in _BANDS or part.noun == "image":
        changed = part.place != where
        part.place = where
        return changed
    return move_to(page, part, where)


def _font(page: Block, part: Block, to: object) -> bool:
    return _set(part, font_family=_FAMILIES[str(to)])


def _weight(page: Block, part: Block, to: object) -> bool:
    return _set(part, font_weight="700" if to == "bold" else "400")


def _rounding(page: Block, part: Block, to: object) -> bool:
    return _set(part, border_radius=_RADIUS[str(to)])


def _shadow(page: Block, part: Block, to: object) -> bool:
    return _set(part, box_shadow="0 4px 10px rgba(0,0,0,0.15)" if to == "yes" else "none")


def _border(page: Block, part: Block, to: object) -> bool:
    return _set(part, border="0" if to == "no" else f"1px solid {css_colour(str(to))}")


def _picture(page: Block, part: Block, to: object) -> bool:
    address = "url(https://picsum.photos/id/48/1280/640)" if to == "yes" else "none"
    return _set(part, background_image=address, background_size="cover")


_CHANGES: dict[str, Callable[[Block, Block, object], bool]] = {
    "text": _text,
    "links": _links,
    "background": _background,
    "color": _color,
    "height": _height,
    "width": _width,
    "font_size": _font_size,
    "gap": _gap,
    "columns": _columns,
    "align": _align,
    "position": _position,
    "font": _font,
    "weight": _weight,
    "rounding": _rounding,
    "shadow": _shadow,
    "border": _border,
    "picture": _picture,
}
