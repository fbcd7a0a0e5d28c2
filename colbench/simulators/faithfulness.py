"""Whether a reply agrees with the hidden decision it was asked about, on procedural tasks, without a model.

Every option of a decision has a sentence of its own. What tells the options apart are the words and numbers that not
all of these sentences share; a reply speaks for the option whose telling words it uses. A reply in wholly different
words counts as silent, so the share of contradictions is a lower bound.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from colbench.simulators.dont_know import says_dont_know
from colbench.simulators.embedded_decisions import match_decisions
from colbench.simulators.matching import stem
from colbench.tasks.schema import Decision, Task

__all__ = ["Faithfulness", "faithfulness", "judged"]

Faithfulness = Literal["agrees", "contradicts", "silent"]

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
# Unlike elsewhere "no", "not", "up", "before" and the like stay: options often differ in nothing else.
_EMPTY = frozenset(
    "a an the is are was be been it its this that these those of to in on at for by with as and i you we they "
    "will would should can there do does has have".split()
)
_NUMBERS = {
    name: str(value)
    for value, name in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
    )
}
_NUMBERS |= {"once": "1", "twice": "2", "first": "1st", "second": "2nd", "third": "3rd", "half": "0.5", "none": "no"}
_NUMBER_WEIGHT = 2.0
_PAIR_WEIGHT = 0.5
_LEAST_SHARE = 0.2
_CLEAR_LEAD = 1.1


def faithfulness(task: Task, question: str, reply: str) -> Faithfulness:
    """Whether a reply agrees with the hidden decisions that a message asked about.

    Args:
        task: the task; on one that is not procedural everything is silent.
        question: the agent's message.
        reply: the collaborator's reply to it.

    Returns:
        ``"contradicts"`` if it contradicts one of them, else ``"agrees"`` if it agrees with one, else ``"silent"``.
    """
    verdicts = {verdict for _, verdict in judged(task, question, reply)}
    return "contradicts" if "contradicts" in verdicts else "agrees" if "agrees" in verdicts else "silent"


def judged(task: Task, question: str, reply: str) -> Iterator[tuple[str, Faithfulness]]:
    """Name and verdict of every hidden decision that a message asked about."""
    if task.procedural is None:
        return
    decisions = task.procedural.decisions
    positions, _ = match_decisions(question, decisions)
    for position in positions:
        if not decisions[position].stated:
            yield decisions[position].name, _verdict(decisions[position], reply)


def _verdict(decision: Decision, reply: str) -> Faithfulness:
    if says_dont_know(reply):
        return "silent"
    words = set(_words(reply))
    scores = []
    for telling in _telling(tuple(option.fact for option in decision.options)):
        said = sum(weight for word, weight in telling if word in words)
        # A chance word or two of a long sentence is no statement.
        scores.append(said if said >= _LEAST_SHARE * sum(weight for _, weight in telling) else 0.0)
    mine = scores[decision.chosen]
    others = max(score for i, score in enumerate(scores) if i != decision.chosen)
    if max(mine, others) < _CLEAR_LEAD * min(mine, others) or mine == others:
        return "silent"
    return "agrees" if mine > others else "contradicts"


@lru_cache(maxsize=2048)
def _telling(facts: tuple[str, ...]) -> tuple[tuple[tuple[str, float], ...], ...]:
    """For every option the words that not all options share, rare ones weighing more."""
    sets = [set(_words(fact)) for fact in facts]
    out = []
    for own in sets:
        weights = {word: 1.0 / sum(word in other for other in sets) for word in own if not all(word in s for s in sets)}
        # Long sentences must not win by length.
        scale = 1.0 / math.sqrt(max(1, len(weights)))
        out.append(tuple((word, scale * weight * _importance(word)) for word, weight in sorted(weights.items())))
    return tuple(out)


def _importance(word: str) -> float:
    if " " in word:
        return _PAIR_WEIGHT
    return _NUMBER_WEIGHT if word[0].isdigit() else 1.0


def _words(text: str) -> list[str]:
    found = []
    for token in _WORD.findall(text.lower()):
        if token[0].isdigit():
            found.append(token.replace(",", ""))
        elif token not in _EMPTY:
            found.append(_NUMBERS.get(token) or stem(token))
    # Pairs too: "use the sale price, not the regular one" and its opposite hold the same words.
    return found + [f"{a} {b}" for a, b in pairwise(found)]
