"""What a person says about parts that are not there, or that should not be: whole bands first, lists as lists."""

from __future__ import annotations

from collections.abc import Iterable

from colbench.frontend.differences.colours import colour_distance, colour_name
from colbench.frontend.differences.outline import Part
from colbench.frontend.differences.pairing import Pairing
from colbench.frontend.differences.parts import Parts
from colbench.frontend.differences.remarks import quotable
from colbench.frontend.differences.vocabulary import Remark, Target

__all__ = ["exists_remark", "extra_remarks", "label_of", "missing_remarks"]

_LISTED = ("link", "list item", "button", "input field", "image")
_HOLDERS = ("navigation bar", "header", "hero", "sidebar", "footer", "form", "table")
_ANCHORS = (
    "navigation bar",
    "header",
    "hero",
    "main heading",
    "heading",
    "paragraph",
    "card",
    "image",
    "table",
    "form",
)
_MAX_TEXTS = 6


def label_of(part: Part, of_its_kind: int) -> Target:
    """How a part of the agent's page is spoken of: by its words where there are several of its kind."""
    if of_its_kind > 1 and part.words and part.noun != "main heading":
        return Target(part.noun, quotable(part.words, 50))
    return Target(part.noun)


def missing_remarks(pairing: Pairing, agent: Parts, reference: Parts) -> list[tuple[Remark, Part]]:
    """One remark per part that is missing; what stands in a missing band is said with the band."""
    ground = reference["page"][0].facts["background"]
    missing = [part for part in pairing.missing if part.noun not in ("page", "content")]
    remarks: list[tuple[Remark, Part]] = []
    covered: set[int] = set()
    # The inner band speaks for what is in it: the fields of a form that stands in a missing hero are the form's.
    for part in sorted((p for p in missing if p.noun in _HOLDERS), key=lambda p: p.box[2] * p.box[3]):
        inside = [p for p in _inside(part, reference) if id(p) not in covered]
        if part.noun in _HOLDERS:
            remark = exists_remark(part, _texts(part, inside), _below(part, pairing, agent), ground)
            said = set(remark.texts)
            covered.update(id(p) for p in inside if quotable(p.words, 60) in said)
            remarks.append((remark, part))
    listed: dict[str, list[Part]] = {}
    for part in missing:
        if id(part) in covered or part.noun in _HOLDERS:
            continue
        if part.noun == "card":
            texts = tuple(quotable(t, 40) for t in part.words.split("\n")[:8] if t)
            remarks.append((Remark("count", Target("card"), part.count, None, texts=texts), part))
        elif part.noun in _LISTED:
            listed.setdefault(part.noun, []).append(part)
        else:
            remarks.append((exists_remark(part, (), _below(part, pairing, agent), ground), part))
    for noun, parts in listed.items():
        remarks.append(_list_remark(noun, parts, pairing, agent, reference))
    return remarks


def _list_remark(noun: str, parts: list[Part], pairing: Pairing, agent: Parts, reference: Parts) -> tuple[Remark, Part]:
    wanted, have = reference[noun], agent.get(noun, [])
    if len(parts) == 1 and (parts[0].words or not have):
        return exists_remark(parts[0], (), _below(parts[0], pairing, agent), None), parts[0]
    return _number_remark(noun, wanted, have), parts[0]


def _number_remark(noun: str, wanted: list[Part], have: list[Part]) -> Remark:
    texts = tuple(quotable(p.words, 40) for p in wanted[:8] if p.words)
    return Remark("count", Target(noun), len(wanted), len(have) or None, texts=texts)


def exists_remark(
    part: Part, texts: tuple[str, ...], below: Target | None, ground: tuple[int, int, int] | None
) -> Remark:
    """A sentence that begins with "There should be", for a part of the reference.

    Args:
        part: of the reference.
        texts: what is written in it.
        below: a part it stands under, or None: then its place on the page is said where that is clear.
        ground: colour of the page; a background like it is not worth saying.
    """
    where = {"navigation bar": "top", "header": "top", "footer": "bottom"}.get(part.noun)
    if part.noun == "sidebar":
        where = part.facts["position"] if part.facts["position"] != "center" else "left"
    if where is not None:
        below = None
    elif below is None and part.noun not in ("logo",):
        where = "top" if part.box[1] < 200 else "middle"
    background = part.facts.get("background")
    colour = None
    if background is not None and ground is not None and colour_distance(background, ground) > 8:
        colour = colour_name(background)
    label = quotable(part.words, 300) if part.words and part.noun not in _HOLDERS else None
    return Remark("exists", Target(part.noun, label), where=where, below=below, colour=colour, texts=texts)


def _inside(part: Part, parts: Parts) -> list[Part]:
    left, top, width, height = part.box
    found = []
    for noun in ("main heading", "heading", "paragraph", "button", "link", "list item", "input field"):
        for inner in parts.get(noun, []):
            x, y = inner.box[0] + inner.box[2] / 2, inner.box[1] + inner.box[3] / 2
            if left <= x <= left + width and top <= y <= top + height:
                found.append(inner)
    return sorted(found, key=lambda p: (p.box[1], p.box[0]))


def _texts(part: Part, inside: Iterable[Part]) -> tuple[str, ...]:
    if part.noun == "navigation bar":
        return tuple(quotable(t, 40) for t in part.facts.get("links", ())[:8])
    if "text" in part.facts:
        return (quotable(part.facts["text"], 100),)
    return tuple(dict.fromkeys(quotable(p.words, 60) for p in inside if p.words))[:_MAX_TEXTS]


def _below(part: Part, pairing: Pairing, agent: Parts) -> Target | None:
    """The nearest part above it that the agent's page has too, named as it is named there."""
    best: tuple[float, Target] | None = None
    left, top, width, _ = part.box
    for ours, theirs in pairing.both:
        if theirs.noun not in _ANCHORS:
            continue
        x, y, w, h = theirs.box
        gap = top - (y + h)
        if gap < -2 or x + w < left or x > left + width:
            continue
        if best is None or gap < best[0]:
            best = (gap, label_of(ours, len(agent.get(ours.noun, []))) if ours.noun != "card" else _cards(ours))
    return best[1] if best is not None else None


def _cards(part: Part) -> Target:
    return Target("card", count=part.count)


def extra_remarks(pairing: Pairing, agent: Parts, reference: Parts) -> list[tuple[Remark, Part]]:
    """One remark per part that should not be there; of a list only the number is said."""
    remarks: list[tuple[Remark, Part]] = []
    extra = [part for part in pairing.extra if part.noun not in ("page", "content")]
    bands = [part for part in extra if part.noun in _HOLDERS]
    within = {id(p) for band in bands for p in _inside(band, agent)}
    several = {noun for noun in _LISTED if sum(p.noun == noun for p in extra) > 1}
    for part in extra:
        if id(part) in within and part not in bands:
            continue
        have, wanted = agent.get(part.noun, []), reference.get(part.noun, [])
        if part.noun == "card":
            remarks.append((Remark("absent", _cards(part)), part))
        elif part.noun not in several:
            remarks.append((Remark("absent", label_of(part, len(have))), part))
        elif wanted:
            remarks.append((_number_remark(part.noun, wanted, have), part))
        else:
            remarks.append((Remark("absent", Target(part.noun, count=len(have))), part))
    return remarks
