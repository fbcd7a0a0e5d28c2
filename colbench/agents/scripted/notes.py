"""What an agent can make of a dialogue: who asked what, and which decisions the replies settle.

Scripted agents keep no state between turns; they read the observation anew, so they can be resumed, replayed and run
in any number at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from colbench.agents.base import Observation
from colbench.tasks.procedural import Family, facts_in
from colbench.tasks.schema import Decision

__all__ = ["Notes", "learn", "nearest_option"]

_WORD = re.compile(r"\d+|[a-z]+")
_NUMBERS = {
    name: str(value)
    for value, name in enumerate(("zero one two three four five six seven eight nine ten eleven twelve").split())
}


@dataclass(frozen=True)
class Notes:
    """A dialogue as the agent remembers it.

    Attributes:
        request: the first message of the collaborator.
        asked: the agent's own messages.
        replies: the answers to them, in order.
        turns_left: turns left, the coming one included.
    """

    request: str
    asked: tuple[str, ...]
    replies: tuple[str, ...]
    turns_left: int

    @classmethod
    def of(cls, observation: Observation) -> Notes:
        """Take an observation apart; system messages are left out."""
        messages = observation["messages"]
        heard = [m["content"] for m in messages if m["role"] == "user"]
        asked = [m["content"] for m in messages if m["role"] == "assistant"]
        return cls(heard[0] if heard else "", tuple(asked), tuple(heard[1:]), int(observation["turns_left"]))


def learn(family: Family, notes: Notes) -> dict[str, int]:
    """Decisions that the request and the replies settle: name -> option index.

    A reply that says facts word for word settles those. Any other reply (a language model's, a person's) is compared
    with the options of the decision that was asked about.
    """
    known = family.read_request(notes.request)
    for asked, reply in zip(notes.asked, notes.replies, strict=False):
        said = facts_in(reply, family.decisions)
        if not said:
            said = _understand(family.decisions, asked, reply)
        known = {**said, **known}  # what was settled first stays
    return known


def _understand(decisions: Sequence[Decision], asked: str, reply: str) -> dict[str, int]:
    """The decision whose question was asked, if the reply is nearer to one of its options than to the others."""
    found: dict[str, int] = {}
    for decision in decisions:
        if decision.question in asked:
            option = nearest_option(decision, reply)
            if option is not None:
                found[decision.name] = option
    return found


def nearest_option(decision: Decision, reply: str) -> int | None:
    """Index of the option whose fact shares most telling words with a reply; None if no single one stands out.

    Words that all options share say nothing and are left out.
    """
    words = [_words(option.fact) for option in decision.options]
    common = frozenset.intersection(*words)
    heard = _words(reply)
    scores = [len((w - common) & heard) / max(1, len(w - common)) for w in words]
    best = max(scores)
    return scores.index(best) if best > 0 and scores.count(best) == 1 else None


def _words(text: str) -> frozenset[str]:
    """Words of a text, numbers as digits, without the commonest endings."""
    found = set()
    for word in _WORD.findall(text.lower()):
        word = _NUMBERS.get(word, word)
        for ending in ("ing", "ed", "es", "s"):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word.removesuffix(ending)
                break
        found.add(word)
    return frozenset(found)
