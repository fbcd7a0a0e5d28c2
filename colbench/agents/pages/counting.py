"""Brings a list to the number, and the words, that it should have: three cards, five links, two buttons."""

from __future__ import annotations

from collections.abc import Sequence

from colbench.agents.pages.model import Block, find_all, find_one, likeness, parent_of
from colbench.agents.pages.placing import body_end, new_cards

__all__ = ["set_number"]

# Parts that can be multiplied although nobody has said what is written on them.
_WORDLESS = frozenset({"image", "input field"})
_SAME = 0.9


def set_number(page: Block, noun: str, number: int, texts: Sequence[str]) -> bool:
    """Make the page have this many parts of a kind.

    Args:
        page: changed in place.
        noun: the kind.
        number: how many there should be.
        texts: what is written on them, in order, as far as it was said; of cards their titles.

    Returns:
        whether anything was changed.
    """
    if noun == "card":
        return _cards(page, number, texts)
    have = find_all(page, noun)
    if noun == "link":
        # Those in the bar at the top are spoken of with the bar.
        have = [part for part in have if _holder(page, part) not in ("navigation bar", "footer")]
    complete = len(texts) == number
    kept, wanted = _matched(have, texts)
    spare = [part for part in have if part not in kept]
    changed = False
    for text in wanted:
        if spare:
            part = spare.pop(0)
            part.text, part.told = text, True
        elif len(find_all(page, noun)) < number or complete:
            _add(page, noun, text, number)
        changed = True
    if noun in _WORDLESS and not texts:
        for _ in range(number - len(have)):
            _add(page, noun, "", number)
            changed = True
    surplus = spare if complete else have[number:]
    for part in surplus[: max(0, len(have) - number)] if complete else surplus:
        _drop(page, part)
        changed = True
    return changed


def _matched(have: Sequence[Block], texts: Sequence[str]) -> tuple[list[Block], list[str]]:
    """Parts that say one of the texts already, and the texts that nobody says yet."""
    kept: list[Block] = []
    wanted: list[str] = []
    for text in texts:
        part = next((p for p in have if p not in kept and likeness(text, p.text) >= _SAME), None)
        if part is None:
            wanted.append(text)
        else:
            kept.append(part)
    return kept, wanted


def _holder(page: Block, part: Block) -> str:
    parent = parent_of(page, part)
    return "" if parent is None else parent.noun


def _drop(page: Block, part: Block) -> None:
    parent = parent_of(page, part)
    if parent is not None:
        parent.children = [child for child in parent.children if child is not part]


def _add(page: Block, noun: str, text: str, number: int) -> None:
    part = Block(noun, text, told=bool(text))
    if noun == "input field":
        form = find_one(page, "form")
        if form is None:
            form = Block("form")
            page.children.insert(body_end(page), form)
        fields = [i for i, child in enumerate(form.children) if child.noun == noun]
        form.children.insert(fields[-1] + 1 if fields else 0, part)
        return
    group = find_one(page, "cards")
    if group is not None and len(group.children) == number and noun in ("button", "image", "link"):
        # As many as there are cards: one belongs to each.
        free = [card for card in group.children if all(child.noun != noun for child in card.children)]
        if free:
            free[0].children.insert(0 if noun == "image" else len(free[0].children), part)
            return
    have = find_all(page, noun)
    if noun == "link":
        have = [block for block in have if _holder(page, block) not in ("navigation bar", "footer")]
    last = have[-1] if have else None
    holder = None if last is None else parent_of(page, last)
    if last is not None and holder is not None and holder.noun != "card":
        part.style = dict(last.style)
        place = next(i for i, child in enumerate(holder.children) if child is last)
        holder.children.insert(place + 1, part)
        if noun == "image":
            last.place = None
        return
    side = find_one(page, "sidebar")
    if side is not None and noun in ("link", "list item"):
        side.children.append(part)
        return
    page.children.insert(body_end(page), part)


def _cards(page: Block, number: int, titles: Sequence[str]) -> bool:
    groups = find_all(page, "cards")
    if not groups:
        page.children.insert(body_end(page), new_cards(number, titles))
        return True
    group = groups[0]
    changed = len(group.children) != number
    if group.columns in (0, len(group.children)):
        group.columns = max(1, min(number, 4))
    # Cards that carry one of the titles on top stay, the others are filled up from the front.
    by_title: dict[int, Block] = {}
    rest = list(group.children)
    for i, title in enumerate(titles[:number]):
        card = next((c for c in rest if c.children and likeness(title, c.children[0].text) >= _SAME), None)
        if card is not None:
            by_title[i] = card
            rest = [other for other in rest if other is not card]
    loose = {i: _detached(page, title) for i, title in enumerate(titles[:number]) if i not in by_title}
    cards = []
    for i in range(number):
        card = by_title.get(i) or (rest.pop(0) if rest else Block("card"))
        if i in loose:
            _entitle(card, titles[i], loose[i])
            changed = True
        cards.append(card)
    group.children = cards
    return changed


def _detached(page: Block, title: str) -> Block | None:
    """A text with these words that stands somewhere else on the page, taken from there."""
    for block in page.walk():
        if block.noun in ("heading", "paragraph", "list item") and likeness(title, block.text) >= _SAME:
            holder = parent_of(page, block)
            if holder is not None and holder.noun not in ("footer", "table"):
                _drop(page, block)
                return block
    return None


def _entitle(card: Block, title: str, found: Block | None) -> None:
    head = next((child for child in card.children if child.noun in ("heading", "paragraph")), None)
    if head is not None and not head.told:
        if found is None:
            head.text, head.told = title, True
            return
        card.children = [child for child in card.children if child is not head]
    card.children.insert(0, found or Block("heading", title, {"font-size": "20px"}, told=True))
