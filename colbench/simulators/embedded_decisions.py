"""The embedded collaborator on procedural tasks: a question is matched to the decisions it is about, exactly.

The facts of a decision are said word for word, and the reply tells which hidden decisions it settled: that is what
makes the credit of a turn known.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from colbench.simulators.base import CollaboratorContext, Reply
from colbench.simulators.matching import (
    Question,
    analyse,
    content_words,
    has_code,
    normalise,
    split_questions,
    without_code,
)
from colbench.simulators.wordings import ALL_SAID, CANNOT_READ, DONT_KNOW, pick
from colbench.tasks.schema import Decision

__all__ = ["MOST_DECISIONS", "match_decisions", "reply_from_decisions"]

MOST_DECISIONS = 2
_ENOUGH = 0.45
_CLEAR_LEAD = 0.8
_CACHE_SIZE = 1024
_cache: OrderedDict[tuple[tuple[str, str, tuple[str, ...]], ...], _Index] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True)
class _Index:
    """The words of a set of decisions, with how much each says about which decision is meant."""

    asked: tuple[str, ...]
    words: tuple[dict[str, float], ...]
    known: frozenset[str]


def _index(decisions: Sequence[Decision]) -> _Index:
    key = tuple((d.question, d.topic, tuple(o.fact for o in d.options)) for d in decisions)
    with _lock:
        found = _cache.get(key)
        if found is not None:
            _cache.move_to_end(key)
            return found
    direct = [set(content_words(f"{d.question} {d.topic} {d.name.replace('_', ' ')}")) for d in decisions]
    # Words of the options count too, less, and those of all options: which one was chosen must not show.
    hinted = [set(content_words(" ".join(o.fact for o in d.options))) for d in decisions]
    weights: list[dict[str, float]] = []
    for own, hints in zip(direct, hinted, strict=True):
        table: dict[str, float] = {}
        for word in own | hints:
            spread = sum(word in other for other in direct) or sum(word in other for other in hinted)
            table[word] = (1.0 if word in own else 0.35) / math.sqrt(spread)
        weights.append(table)
    known = frozenset(w for table in weights for w in table)
    index = _Index(tuple(normalise(d.question) for d in decisions), tuple(weights), known)
    with _lock:
        _cache[key] = index
        while len(_cache) > _CACHE_SIZE:
            _cache.popitem(last=False)
    return index


def match_decisions(message: str, decisions: Sequence[Decision]) -> tuple[list[int], bool]:
    """Which decisions a message asks about.

    Args:
        message: what the agent said.
        decisions: all decisions of the task, stated ones included.

    Returns:
        Positions of at most two decisions, best first, and whether the message asks for everything or nothing in
        particular instead.
    """
    index = _index(decisions)
    said = f" {normalise(without_code(message))} "
    exact = [(said.find(f" {asked} "), i) for i, asked in enumerate(index.asked) if asked and f" {asked} " in said]
    if exact:
        # Where one question contains another, the longer one is meant.
        exact = [
            (at, i)
            for at, i in exact
            if not any(
                j != i and index.asked[i] in index.asked[j] and len(index.asked[j]) > len(index.asked[i])
                for _, j in exact
            )
        ]
        return [i for _, i in sorted(exact)][:MOST_DECISIONS], False
    found: list[int] = []
    everything = False
    for part in split_questions(message):
        question = analyse(part, index.known)
        best = _best(question, index)
        everything = everything or (question.everything and best is None)
        if best is not None and best not in found:
            found.append(best)
    return found[:MOST_DECISIONS], everything and not found


def _best(question: Question, index: _Index) -> int | None:
    """The decision that one question is about, or None."""
    if question.off_topic or not question.words:
        return None
    scores = [sum(table.get(word, 0.0) for word in question.words) for table in index.words]
    best = max(range(len(scores)), key=lambda i: (scores[i], -i))
    if scores[best] < _ENOUGH:
        return None
    second = max((s for i, s in enumerate(scores) if i != best), default=0.0)
    if second >= _CLEAR_LEAD * scores[best] and scores[best] < 1.0:
        return None
    # A few chance words in a long question about something else are no match.
    share = sum(1 for w in question.words if w in index.words[best]) / len(question.words)
    return best if share >= 0.2 else None


def reply_from_decisions(context: CollaboratorContext) -> Reply:
    """Answer from the decisions of a procedural task; ``settled`` names the hidden ones newly settled."""
    record = context.task.procedural
    assert record is not None
    message = context.messages[-1]["content"] if context.messages else ""
    decisions = record.decisions
    found, everything = match_decisions(message, decisions)
    if not found and everything:
        found = _next_open(decisions, context.settled)
        if not found:
            return Reply(pick(ALL_SAID, context.seed), settled=())
    if not found:
        only_code = has_code(message) and len(content_words(without_code(message))) < 3
        return Reply(pick(CANNOT_READ if only_code else DONT_KNOW, context.seed), settled=())
    facts: list[str] = []
    settled: list[str] = []
    for position in found:
        decision = decisions[position]
        fact = decision.options[decision.chosen].fact
        if facts and len(" ".join([*facts, fact])) > context.max_chars:
            break
        facts.append(fact)
        # A fact that is cut off by the limit has not been said.
        if not decision.stated and decision.name not in context.settled and len(fact) <= context.max_chars:
            settled.append(decision.name)
    return Reply(" ".join(facts), settled=tuple(settled))


def _next_open(decisions: Sequence[Decision], settled: frozenset[str]) -> list[int]:
    """The first hidden decision not settled yet: "tell me everything" gets one fact, no more than a good question."""
    return [i for i, d in enumerate(decisions) if not d.stated and d.name not in settled][:1]
