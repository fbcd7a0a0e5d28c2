"""What a family of procedural pages is: design decisions, a vague way to ask, and a page for every combination.

The words of a page (names, headings, numbers) come from the seed and never from the decisions, so two pages that
differ in one decision show the same words in another design.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from colbench.tasks.procedural.family import TEST_SHARE, Combination, Split
from colbench.tasks.schema import Decision

__all__ = ["Content", "PageFamily"]

MIN_HIDDEN = 4
"""Fewest design decisions that a request leaves open."""

_KNOWN_LEADS = (
    "What I know already: {facts}",
    "This is settled: {facts}",
    "Please keep to this: {facts}",
)
_CLOSINGS = (
    "Show me what you make of it and I will tell you what is different.",
    "I have a picture of it in my head, so show me drafts.",
    "Make a start and I will say what I miss.",
    "Show me something early, please.",
)


@dataclass(frozen=True)
class Content:
    """The words of one page.

    Attributes:
        subject: what the request says the page is for, name included.
        words: whatever the family's pages need, drawn from the seed.
    """

    subject: str
    words: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class PageFamily:
    """One family of procedural pages.

    Attributes:
        name: short name; part of every task id.
        decisions: every design decision, with ``chosen`` and ``stated`` at their defaults.
        openings: wordings of the wish, with a place for the ``{subject}``.
        content: draws the words of a page.
        page: HTML of the page with these words and, for each decision, the key of its option.
    """

    name: str
    decisions: tuple[Decision, ...] = field(repr=False)
    openings: tuple[str, ...] = field(repr=False)
    content: Callable[[random.Random], Content] = field(repr=False)
    page: Callable[[Content, Mapping[str, str]], str] = field(repr=False)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of options of each decision."""
        return tuple(len(d.options) for d in self.decisions)

    @cached_property
    def count(self) -> int:
        """Number of combinations."""
        return math.prod(self.sizes)

    def combinations(self) -> Iterator[Combination]:
        """Every combination, the last decision varying fastest."""
        return product(*(range(size) for size in self.sizes))

    def keys(self, combination: Combination) -> dict[str, str]:
        """Decision name -> key of the option."""
        return {d.name: d.options[i].key for d, i in zip(self.decisions, combination, strict=True)}

    def split_of(self, combination: Combination) -> Split:
        """The split a combination belongs to; one in five belongs to ``test``, by SHA-256 of its options."""
        keys = ";".join(f"{name}={key}" for name, key in self.keys(combination).items())
        digest = hashlib.sha256(f"page/{self.name};{keys}".encode()).digest()
        return "test" if int.from_bytes(digest[:8], "big") < TEST_SHARE * 2**64 else "train"

    def write_request(self, rng: random.Random, content: Content, decisions: Sequence[Decision]) -> str:
        """Vague request; of the decisions it gives away those that are ``stated``, one sentence each, shuffled."""
        known = [d.options[d.chosen].fact for d in decisions if d.stated]
        rng.shuffle(known)
        parts = [rng.choice(self.openings).format(subject=content.subject)]
        lead, closing = rng.choice(_KNOWN_LEADS), rng.choice(_CLOSINGS)
        if known:
            parts.append(lead.format(facts=" ".join(known)))
        return " ".join([*parts, closing])
