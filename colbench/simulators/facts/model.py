"""What a fact is: one thing a person who knows the reference could say, with what it is about.

The collaborator chooses among facts; it never makes up text from source while it answers, so everything that can
leak is decided here and in the modules that make facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from colbench.simulators.matching import content_words

__all__ = ["Fact", "FactSheet", "make_fact", "numbers_in", "quoted_in"]

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w]|\.\d)")
_QUOTED = re.compile(r"'((?:[^'\n]|(?<=\w)'(?=\w))*)'|\"([^\"\n]*)\"")


def quoted_in(text: str) -> tuple[str, ...]:
    """The words and names that a text says in quotes, in order."""
    return tuple(a or b for a, b in _QUOTED.findall(text) if a or b)


def numbers_in(text: str) -> frozenset[float]:
    """The numbers that stand as tokens of their own in a text, outside of quotes."""
    return frozenset(float(found) for found in _NUMBER.findall(_QUOTED.sub(" ", text)))


@dataclass(frozen=True)
class Fact:
    """One thing to say.

    Attributes:
        text: a clause in plain words without a full stop; its first letter is raised when it opens a sentence.
        topics: what kind of question it answers, see :data:`colbench.simulators.matching.TOPICS`.
        words: stemmed content words, for questions that name what the task is about.
        numbers: numbers said.
        quoted: key names, option words and texts said in quotes.
        importance: 0 to 1; an unspecific question gets the most important facts.
        order: position in the reference, which settles ties.
    """

    text: str
    topics: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[float]
    quoted: frozenset[str]
    importance: float = 0.5
    order: int = 0


@dataclass(frozen=True)
class FactSheet:
    """Everything that can be said about one reference.

    Attributes:
        facts: in the order of the reference.
        vocabulary: stemmed words of its parameters, names, keys and option words: what a question may be about.
        keys: the keys and option words of the reference, in lower case.
        numbers: the numbers of the reference.
        traits: findings that yes/no questions ask for: ``rounding`` (every :class:`Rounding`), ``ignores_case``,
            ``direction`` of the result ("ascending", "descending" or None), ``sorts`` (whether anything is sorted),
            ``result`` (kind of result).
        parsed: False where the reference could not be read as Python.
    """

    facts: tuple[Fact, ...]
    vocabulary: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    numbers: frozenset[float] = frozenset()
    traits: dict[str, object] = field(default_factory=dict)
    parsed: bool = True


def make_fact(text: str, topics: Iterable[str], importance: float = 0.5, order: int = 0, also: str = "") -> Fact:
    """Build a fact; its words, numbers and quoted names are read off its text.

    Args:
        text: what is said.
        topics: kinds of questions it answers.
        importance: 0 to 1.
        order: position in the reference.
        also: further words it is about although it does not say them (an identifier, for example).
    """
    text = " ".join(text.split())
    return Fact(
        text=text,
        topics=frozenset(topics),
        words=frozenset(content_words(text + " " + also)),
        numbers=numbers_in(text),
        quoted=frozenset(quoted_in(text)),
        importance=importance,
        order=order,
    )
