"""Which part of the agent's page is meant to be which part of the reference.

Texts are paired by what they say, pictures by where they are, and what is then left over in order of appearance: the
second heading that says something else is more likely the wrong words than one heading too many and one too few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from colbench.frontend.differences.outline import Part
from colbench.frontend.differences.parts import Parts
from colbench.frontend.similarity.layout import greedy_match, text_agreement

__all__ = ["Pairing", "pair_parts"]

_SAME_WORDS = 0.55
_SINGLE = ("page", "navigation bar", "logo", "header", "hero", "sidebar", "content", "card", "form", "table", "footer")
_TITLES = ("main heading", "heading")
_WORDED = ("paragraph", "list item", "link", "button", "input field")


@dataclass
class Pairing:
    """Parts of two pages side by side.

    Attributes:
        both: (agent's part, reference's part).
        missing: parts only the reference has.
        extra: parts only the agent's page has.
    """

    both: list[tuple[Part, Part]] = field(default_factory=list)
    missing: list[Part] = field(default_factory=list)
    extra: list[Part] = field(default_factory=list)


def pair_parts(agent: Parts, reference: Parts) -> Pairing:
    """Pair the parts of two pages."""
    result = Pairing()
    for noun in _SINGLE:
        ours, theirs = agent.get(noun, []), reference.get(noun, [])
        result.both.extend(zip(ours[:1], theirs[:1], strict=False))
        if len(ours) != len(theirs) and not (ours and theirs):
            result.extra.extend(ours[:1])
            result.missing.extend(theirs[:1])
    _pair(
        [p for noun in _TITLES for p in agent.get(noun, [])],
        [p for noun in _TITLES for p in reference.get(noun, [])],
        result,
    )
    for noun in _WORDED:
        _pair(agent.get(noun, []), reference.get(noun, []), result)
    _pair_by_place(agent.get("image", []), reference.get("image", []), result)
    return result


def _pair(ours: Sequence[Part], theirs: Sequence[Part], result: Pairing) -> None:
    words = text_agreement([p.words.casefold() for p in ours], [p.words.casefold() for p in theirs])
    # Among equal texts ("Buy now" under every card) the nearest one is meant.
    near = np.asarray([[_nearness(a, b) for b in theirs] for a in ours]).reshape(words.shape)
    matched = greedy_match(np.where(words >= _SAME_WORDS, 0.8 * words + 0.2 * near, -1.0), 0.0)
    used, taken = {i for i, _ in matched}, {j for _, j in matched}
    left = [i for i in range(len(ours)) if i not in used]
    right = [j for j in range(len(theirs)) if j not in taken]
    for i, j in zip(left[:], right[:], strict=False):
        matched.append((i, j))
    pairs = min(len(left), len(right))
    result.both.extend((ours[i], theirs[j]) for i, j in sorted(matched, key=lambda pair: pair[1]))
    result.extra.extend(ours[i] for i in left[pairs:])
    result.missing.extend(theirs[j] for j in right[pairs:])


def _pair_by_place(ours: Sequence[Part], theirs: Sequence[Part], result: Pairing) -> None:
    near = np.asarray([[_nearness(a, b) for b in theirs] for a in ours]).reshape(len(ours), len(theirs))
    matched = greedy_match(near, 0.0)
    used, taken = {i for i, _ in matched}, {j for _, j in matched}
    result.both.extend((ours[i], theirs[j]) for i, j in sorted(matched, key=lambda pair: pair[1]))
    result.extra.extend(p for i, p in enumerate(ours) if i not in used)
    result.missing.extend(p for j, p in enumerate(theirs) if j not in taken)


def _nearness(one: Part, other: Part) -> float:
    dx = abs(one.box[0] + one.box[2] / 2 - other.box[0] - other.box[2] / 2) / 1280
    dy = abs(one.box[1] + one.box[3] / 2 - other.box[1] - other.box[3] / 2) / 1500
    return 1.0 / (1.0 + 3 * (dx + dy))
