"""Questions that name a result ("when do I say go?"): which results they name, and the rules that give them.

A result may be an everyday word that says nothing about the task by itself, so it counts only where the question
treats it as something that comes out.
"""

from __future__ import annotations

import re

from colbench.simulators.facts.model import Fact, FactSheet
from colbench.simulators.matching import Question, content_words

__all__ = ["results_named", "rules_for"]

_ASKS_FOR_RULE = re.compile(
    r"\b(?:when|whenever|why|how|under (?:what|which)|in (?:what|which) (?:case|situation)s?|"
    r"what (?:makes|leads|gives|causes|decides|triggers|counts|is needed|does it take)|which \w+ (?:gives?|leads?))\b"
)
_COMES_OUT = (
    r"(?:say|says|said|get|gets|give|gives|given|return|returns|returned|is|are|be|becomes?|result|results in|"
    r"answer|answered|verdict|to|as|for|choose|chosen|report|reported|show|shown|output)"
)


def results_named(sheet: FactSheet, question: Question) -> frozenset[str]:
    """The result values that a question for their rule names, with or without quotes."""
    low = question.text.lower()
    if question.yes_no or not _ASKS_FOR_RULE.search(low):
        return frozenset()
    values = {q for f in sheet.facts if "result" in f.topics and " result is " in f" {f.text}" for q in f.quoted}
    found = {v for v in values if _names(v, low)}
    # Of "late" and "very late" the longer one is meant.
    return frozenset(v for v in found if not any(v != w and v.lower() in w.lower() for w in found))


def _names(value: str, low: str) -> bool:
    said = re.escape(value.lower().replace("_", " "))
    if not re.search(rf"(?<!\w){said}(?!\w)", low.replace("_", " ")):
        return False
    if len(content_words(value)) > 1:
        return True
    quoted = re.search(rf"[\"'`“‘]{said}[\"'`”’]", low)
    closes = re.search(rf"\b{_COMES_OUT} (?:(?:a|an|the|it|we|i|this) )?{said}\W*$", low)
    return bool(quoted or closes)


def rules_for(sheet: FactSheet, values: frozenset[str]) -> list[Fact]:
    """The rules that give one of the named results, in the order of the reference."""
    return [f for f in sheet.facts if f.quoted & values and _gives(f, values)]


def _gives(fact: Fact, values: frozenset[str]) -> bool:
    if "result" not in fact.topics or not re.search(
        r"\b(?:if|otherwise|in all other cases|for any other)\b", fact.text
    ):
        return False
    # What only compares with the same word gives nothing: the word stands behind "the result is" or a comma.
    return any(
        re.search(
            rf"(?:result is|[,;]|otherwise|one of|list of|a pair:) (?:[^;]*?[ (])?['\"]{re.escape(v)}['\"]", fact.text
        )
        for v in values
    )
