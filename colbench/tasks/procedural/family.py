"""What a task family is: decisions, a vague way to ask, code for every combination, and inputs that tell them apart."""

from __future__ import annotations

import hashlib
import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, Literal

from colbench.tasks.procedural.template import Code, Template
from colbench.tasks.schema import Decision, DecisionOption

__all__ = ["Combination", "Family", "Limits", "Split", "decision", "facts_in", "template_family"]

Combination = tuple[int, ...]
Split = Literal["train", "test"]

TEST_SHARE = 0.2

_KNOWN_LEADS = (
    "This much I know already: {facts}",
    "Some things are settled: {facts}",
    "A few points are clear. {facts}",
    "Please keep in mind: {facts}",
)
_CLOSINGS = (
    "Ask me about anything that is not clear.",
    "There is more to it, so please ask before you write it.",
    "I can tell you the details if you ask.",
    "Check with me where you are unsure.",
)


def decision(name: str, topic: str, question: str, /, **facts: str) -> Decision:
    """Declare one decision of a family; the keyword arguments are option keys with the fact of each."""
    options = tuple(DecisionOption(key=key, fact=fact) for key, fact in facts.items())
    return Decision(name=name, topic=topic, question=question, options=options, chosen=0)


def facts_in(text: str, decisions: Sequence[Decision]) -> dict[str, int]:
    """Which decisions a text settles by saying the fact of an option word for word.

    Returns:
        decision name -> option index.
    """
    flat = " ".join(text.split())
    return {d.name: i for d in decisions for i, option in enumerate(d.options) if option.fact in flat}


@dataclass(frozen=True)
class Limits:
    """What every task of a family must keep to.

    Attributes:
        min_hidden: fewest decisions that a request may leave open.
        max_hidden: most decisions that a request may leave open.
        min_consistent: fewest combinations that agree with the request.
        max_chance: greatest share of those that may pass all calls.
        calls: number of calls.
    """

    min_hidden: int = 4
    max_hidden: int = 8
    min_consistent: int = 20
    max_chance: float = 0.05
    calls: int = 10


@dataclass(frozen=True)
class Family:
    """One family of procedural backend tasks.

    Attributes:
        name: short name; part of every task id.
        domain: label used in breakdowns.
        signature: of the function, without ``def``; its name is unique among families.
        decisions: every decision, with ``chosen`` and ``stated`` at their defaults.
        openings: wordings of the vague wish.
        inputs: wordings of what goes in and comes out, as far as no decision settles it.
        code: turns a combination into source and into a callable.
        arguments: draws the arguments of one candidate call; they are never changed by the function.
        limits: what every task of the family keeps to.
    """

    name: str
    domain: str
    signature: str
    decisions: tuple[Decision, ...] = field(repr=False)
    openings: tuple[str, ...] = field(repr=False)
    inputs: tuple[str, ...] = field(repr=False)
    code: Code = field(repr=False)
    arguments: Callable[[random.Random], tuple[Any, ...]] = field(repr=False)
    limits: Limits = Limits()

    @cached_property
    def function_name(self) -> str:
        """Name of the function that is asked for."""
        return self.signature.split("(")[0]

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

    def flips(self, combination: Combination) -> Iterator[tuple[int, Combination]]:
        """Every combination that differs in exactly one decision, with the index of that decision."""
        for i, size in enumerate(self.sizes):
            for option in range(size):
                if option != combination[i]:
                    yield i, (*combination[:i], option, *combination[i + 1 :])

    def split_of(self, combination: Combination) -> Split:
        """Half of the world a combination belongs to; one in five belongs to ``test``, by SHA-256 of its options."""
        keys = ";".join(f"{d.name}={d.options[i].key}" for d, i in zip(self.decisions, combination, strict=True))
        digest = hashlib.sha256(f"{self.name};{keys}".encode()).digest()
        return "test" if int.from_bytes(digest[:8], "big") < TEST_SHARE * 2**64 else "train"

    def source(self, combination: Combination) -> str:
        """Source of the reference that follows a combination."""
        return self.code.source(combination)

    def function(self, combination: Combination) -> Callable[..., Any]:
        """The reference that follows a combination, as a callable."""
        return self.code.function(combination)

    def call(self, arguments: Sequence[Any]) -> str:
        """Call expression for the given arguments."""
        return f"{self.function_name}({', '.join(map(repr, arguments))})"

    def write_request(self, rng: random.Random, decisions: Sequence[Decision]) -> str:
        """Vague request; of the decisions it gives away those that are ``stated``, one sentence each, shuffled."""
        known = [d.options[d.chosen].fact for d in decisions if d.stated]
        rng.shuffle(known)
        parts = [rng.choice(self.openings), rng.choice(self.inputs)]
        lead, closing = rng.choice(_KNOWN_LEADS), rng.choice(_CLOSINGS)
        if known:
            parts.append(lead.format(facts=" ".join(known)))
        parts += [closing, f"The signature of the function is: def {self.signature}"]
        return " ".join(parts)

    def read_request(self, request: str) -> dict[str, int]:
        """The decisions a request states: name -> option index."""
        return facts_in(request, self.decisions)


def template_family(
    name: str,
    *,
    domain: str,
    decisions: Sequence[Decision],
    openings: Sequence[str],
    inputs: Sequence[str],
    template: str,
    arguments: Callable[[random.Random], tuple[Any, ...]],
) -> Family:
    """Build a family whose code is a :class:`~colbench.tasks.procedural.template.Template`.

    Raises:
        TaskDataError: the template does not fit the decisions.
    """
    code = Template(template, {d.name: [option.key for option in d.options] for d in decisions})
    found = re.search(r"^def (.*):$", template, re.MULTILINE)
    assert found is not None, f"the template of {name} has no def line"
    return Family(name, domain, found.group(1), tuple(decisions), tuple(openings), tuple(inputs), code, arguments)
