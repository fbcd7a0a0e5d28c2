"""Two rendered pages compared in words, the largest difference first: what the embedded collaborator sees.

Nothing here looks at pixels or at HTML: parts, colours and sizes come from the elements that the browser measured,
and what is said about them uses the closed grammar of :mod:`colbench.frontend.differences.remarks`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from colbench.errors import CollaboratorError
from colbench.frontend.differences.colours import colour_distance, colour_name
from colbench.frontend.differences.missing import extra_remarks, label_of, missing_remarks
from colbench.frontend.differences.outline import Part
from colbench.frontend.differences.pairing import pair_parts
from colbench.frontend.differences.parts import Parts, find_parts
from colbench.frontend.differences.remarks import quotable, remark_sentence
from colbench.frontend.differences.vocabulary import NOUNS, PROPERTIES, Remark, Target, rounded
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity.layout import text_agreement

__all__ = ["LOOKS_RIGHT", "Difference", "Kind", "differences", "said_value", "to_words"]

Kind = Literal["missing", "extra", "count", "text", "colour", "size", "place", "style"]

LOOKS_RIGHT = "It looks right to me."

_KINDS: dict[str, Kind] = {
    "exists": "missing",
    "absent": "extra",
    "count": "count",
    "text": "text",
    "links": "text",
    "background": "colour",
    "color": "colour",
    "border": "colour",
    "height": "size",
    "width": "size",
    "font_size": "size",
    "gap": "size",
    "above": "size",
    "columns": "place",
    "align": "place",
    "position": "place",
}
_COLOURS = frozenset({"background", "color", "border"})
# Smallest difference in pixels that a person remarks on.
_LENGTHS = {"height": 12.0, "width": 16.0, "font_size": 2.0, "gap": 6.0, "above": 10.0}
_LEAST = 0.02
# Letters of a text that is dictated, and of one that is only pointed at.
_SAID, _NAMED = 300, 60
_VIEW = 1280.0 * 720.0


@dataclass(frozen=True)
class Difference:
    """One difference between the agent's page and the reference.

    Attributes:
        kind: what sort of difference.
        magnitude: how much it matters to a person who looks at the page, 0..1.
        remark: target, property, wanted value and present value.
        variant: which of the grammar's sentences is used.
    """

    kind: Kind
    magnitude: float
    remark: Remark
    variant: int = 0

    @property
    def text(self) -> str:
        """The difference as a sentence."""
        return remark_sentence(self.remark, self.variant)


def differences(agent_page: RenderedPage, reference_page: RenderedPage) -> list[Difference]:
    """What is different on the agent's page, largest first; empty when the pages look alike.

    Args:
        agent_page: as rendered; without measured elements everything is missing.
        reference_page: as rendered.

    Raises:
        CollaboratorError: if the reference was not measured.
    """
    if not reference_page.elements:
        raise CollaboratorError(
            f"the reference page was not measured (status {reference_page.status}): render it again"
        )
    agent, reference = find_parts(agent_page), find_parts(reference_page)
    pairing = pair_parts(agent, reference)
    found: dict[Remark, Difference] = {}

    def note(remark: Remark, extent: float, part: Part) -> None:
        magnitude = _magnitude(remark, extent, part)
        known = found.get(remark)
        if magnitude >= _LEAST and (known is None or known.magnitude < magnitude):
            found[remark] = Difference(_KINDS.get(remark.property, "style"), magnitude, remark)

    for remark, part in missing_remarks(pairing, agent, reference):
        note(remark, 1.0, part)
    for remark, part in extra_remarks(pairing, agent, reference):
        note(remark, 1.0, part)
    changes = [change for ours, theirs in pairing.both for change in _changes(ours, theirs, agent)]
    for remark, extent, part in _grouped(changes, agent):
        note(remark, extent, part)
    ordered = sorted(found.values(), key=lambda d: (-d.magnitude, d.text))
    return _spread(ordered)


def said_value(name: str, value: Any) -> str | int | tuple[str, ...]:
    """A measured value as it is spoken of: a colour's name, a rounded length, a text that can stand in quotes."""
    if name == "border" and value is None:
        return "no"
    if name in _COLOURS:
        return colour_name(value)
    if name in _LENGTHS:
        return rounded(value)
    if name == "links":
        return tuple(quotable(text, 40) for text in value)
    if name == "text":
        return quotable(value, _SAID)
    return int(value) if name == "columns" else str(value)


def _extent(name: str, ours: Any, theirs: Any) -> float:
    """How far apart two measured values are, 0..1; 0 where a person would not notice."""
    if name in _COLOURS:
        if ours is None or theirs is None:
            return 0.0 if ours == theirs else 1.0
        distance = colour_distance(ours, theirs)
        return 0.0 if distance < 3.5 else min(1.0, distance / 50)
    if name in _LENGTHS:
        share = abs(ours - theirs) / max(ours, theirs, 1.0)
        return 0.0 if abs(ours - theirs) < _LENGTHS[name] or share < 0.1 else min(1.0, share)
    if name == "text":
        return 1.0 - float(text_agreement([ours.casefold()], [theirs.casefold()])[0, 0])
    if name == "links":
        same = {t.casefold() for t in ours} & {t.casefold() for t in theirs}
        return 1.0 - len(same) / max(len(ours), len(theirs), 1) if tuple(ours) != tuple(theirs) else 0.0
    return 0.0 if ours == theirs else 1.0


_Change = tuple[str, str | int | tuple[str, ...], str | int | tuple[str, ...], float, Part]


def _changes(ours: Part, theirs: Part, agent: Parts) -> list[_Change]:
    """Properties that differ between two paired parts: name, wanted, present, extent, the agent's part."""
    changes: list[_Change] = []
    if ours.noun == "card" and ours.count != theirs.count:
        share = abs(ours.count - theirs.count) / max(ours.count, theirs.count)
        changes.append(("count", theirs.count, ours.count, share, theirs))
    for name, wanted in theirs.facts.items():
        if name not in ours.facts or name.startswith("_"):
            continue
        if name == "above" and ours.facts["_edge"] != theirs.facts["_edge"]:
            # The space is measured from something else, which is missing or too much and said as that.
            continue
        extent = _extent(name, ours.facts[name], wanted)
        to, was = said_value(name, wanted), said_value(name, ours.facts[name])
        if name == "text" and to != was:
            was = quotable(ours.facts[name], _NAMED)
        if extent > 0.02 and to != was:
            changes.append((name, to, was, extent, ours))
    reworded = any(name in ("text", "links") and extent > 0.3 for name, _, _, extent, _ in changes)
    # The size of a part that says something else follows from its words, a page's height from all there is on it.
    changes = [c for c in changes if not (reworded and c[0] in ("width", "height"))]
    return [c if (c[0], ours.noun) != ("height", "page") else (*c[:3], 0.3 * c[3], c[4]) for c in changes]


def _grouped(changes: Sequence[_Change], agent: Parts) -> list[tuple[Remark, float, Part]]:
    """Changes as remarks; one that all parts of a kind need alike becomes a single one."""
    groups: dict[tuple[Any, ...], list[_Change]] = {}
    for change in changes:
        groups.setdefault((change[0], change[1], change[2], change[4].noun), []).append(change)
    remarks = []
    for (name, to, was, noun), members in groups.items():
        part = members[0][4]
        extent = max(change[3] for change in members)
        same_kind = agent.get(noun, [])
        if name == "count":
            texts = tuple(quotable(t, 40) for t in part.words.split("\n")[:8] if t)
            remarks.append((Remark(name, Target(noun), to, was, texts=texts), extent, part))
        elif noun == "card":
            remarks.append((Remark(name, Target(noun, count=part.count), to, was), extent, part))
        elif len(members) == len(same_kind) > 1:
            extent = min(1.0, extent * (1 + 0.15 * (len(members) - 1)))
            remarks.append((Remark(name, Target(noun, count=len(members)), to, was), extent, part))
        else:
            for change in members:
                target = label_of(change[4], len(same_kind))
                remarks.append((Remark(name, target, to, was), change[3], change[4]))
    return remarks


def _magnitude(remark: Remark, extent: float, part: Part) -> float:
    share = min(1.0, part.box[2] * part.box[3] / _VIEW)
    return NOUNS[remark.target.noun] * PROPERTIES[remark.property] * extent * (0.4 + 0.6 * math.sqrt(share))


def _spread(ordered: Sequence[Difference]) -> list[Difference]:
    """The same remark about one part after another tires: each further one of its kind counts less."""
    seen: dict[tuple[str, str], int] = {}
    weighed = []
    for index, difference in enumerate(ordered):
        key = (difference.remark.property, difference.remark.target.noun)
        before = seen.get(key, 0)
        seen[key] = before + 1
        weighed.append((difference.magnitude * 0.8**before, -index, difference))
    return [difference for _, _, difference in sorted(weighed, key=lambda w: (-w[0], -w[1]))]


def to_words(found: Sequence[Difference], limit: int = 4, max_chars: int = 1000, seed: int = 0) -> str:
    """The first few differences as a person would say them.

    Args:
        found: as :func:`differences` returns them.
        limit: most remarks.
        max_chars: a remark that would not fit whole is left out; where none fits, the largest is cut.
        seed: chooses between the grammar's sentences.

    Returns:
        sentences separated by blanks; :data:`LOOKS_RIGHT` where there is nothing to say.
    """
    rng = random.Random(seed)
    sentences: list[str] = []
    for difference in found:
        if len(sentences) == limit:
            break
        sentence = remark_sentence(difference.remark, rng.randrange(2))
        if len(" ".join([*sentences, sentence])) <= max_chars:
            sentences.append(sentence)
    if found and not sentences:
        return found[0].text[:max_chars]
    return " ".join(sentences) or LOOKS_RIGHT[:max_chars]
