"""What a person would notice in code that is shown: names and numbers that it does not mention."""

from __future__ import annotations

import ast
import re

from colbench.simulators.facts.model import Fact, FactSheet
from colbench.simulators.facts.scope import constant_of, walk_limited

__all__ = ["code_in", "missing_facts"]

_LONGEST = 60_000


def code_in(message: str) -> str:
    """The fenced code of a message, joined."""
    # Every second piece is inside a fence; its first line names the language.
    pieces = message.split("```")[1::2]
    return "\n".join(piece.partition("\n")[2] or piece for piece in pieces)[:_LONGEST]


def _constants(code: str) -> tuple[set[float], set[str]]:
    """Numbers and texts of a piece of code; by pattern where it does not parse."""
    numbers: set[float] = {0.0, 1.0}
    texts: set[str] = set()
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        numbers |= {float(n) for n in re.findall(r"(?<![\w.])\d{1,15}(?:\.\d{1,15})?", code)}
        texts |= {a or b for a, b in re.findall(r"'([^'\n]*)'|\"([^\"\n]*)\"", code)}
        return numbers, texts
    for node in walk_limited(tree):
        value = constant_of(node)
        if isinstance(value, str):
            texts.add(value)
        elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300:
            numbers.add(float(value))
    return numbers, texts


def missing_facts(sheet: FactSheet, message: str) -> list[Fact]:
    """Facts whose numbers or quoted words the shown code lacks, the most telling first.

    Only names and numbers are compared, so code that is wrong in another way is not found out.
    """
    numbers, texts = _constants(code_in(message))
    known = {t.lower() for t in texts}
    plain = " ".join(known) + " " + code_in(message).lower()
    found: list[tuple[float, int, Fact]] = []
    for fact in sheet.facts:
        lacking = [n for n in fact.numbers if not _has(n, numbers)]
        # Results and keys both count; a word that occurs anywhere in the code was not forgotten.
        unnamed = [q for q in fact.quoted if q.lower() not in known and q.lower() not in plain]
        if "inputs" in fact.topics and not (fact.topics & {"keys", "options", "default"}):
            continue
        if lacking or unnamed:
            weight = fact.importance + 0.2 * min(len(lacking), 2) + 0.1 * min(len(unnamed), 2)
            found.append((-weight, fact.order, fact))
    found.sort(key=lambda item: item[:2])
    return [fact for _, _, fact in found]


def _has(number: float, numbers: set[float]) -> bool:
    """Whether a number occurs in code, as a percentage or with the other sign too."""
    return any(abs(number - f * n) < 1e-9 * max(1.0, abs(number)) for n in numbers for f in (1, -1, 100, 0.01))
