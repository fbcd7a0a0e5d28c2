"""Yes or no: whether the facts bear out what a question supposes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from colbench.simulators.facts.model import Fact, FactSheet
from colbench.simulators.facts.words import number_text
from colbench.simulators.matching import Question, content_words, normalise

__all__ = ["Verdict", "verdict"]

_INCLUSIVE = re.compile(
    r"\b(?:inclusive|included|inclusively|or equal|or more|or less|or higher|or lower|at least|at most)\b|[<>]=|≥|≤",
    re.I,
)
_STRICT = re.compile(
    r"\b(?:exclusive|strictly|excluded|not included|exceeds?|"
    r"above|below|more than|less than|over|under|greater than)\b",
    re.I,
)
_OUTCOME = re.compile(
    r"\b(?:return|returns|give|gives|be|is|yield|result in|output|get|produce|raise|raises|throw)\s+"
    r"(?:back\s+)?(?:an?\s+|the\s+)?"
    r"(none|null|true|false|error|exception|empty (?:list|string|text|dict\w*)|-?\d+(?:\.\d+)?|['\"`][^'\"`]+['\"`])",
    re.I,
)
_UNUSUAL = frozenset(("empt", "miss", "zero", "non", "null", "negativ", "invalid", "unknown", "absent", "blank"))
_EVERYDAY = frozenset(content_words("return result output nothing value number list zero one"))
_HARDLY = 0.2
_LIMITS = re.compile(r"\b(?:above|below|at least|at most|between|more than|fewer than|up to) ")
_KIND_WORDS = {
    "number": ("number", "integer", "int", "float"),
    "text": ("string", "text", "str"),
    "flag": ("boolean", "bool", "true or false"),
    "list": ("list", "array"),
    "dictionary": ("dictionary", "dict", "object", "mapping"),
    "tuple": ("tuple", "pair"),
    "set": ("set",),
}


class Verdict(NamedTuple):
    """A yes or no, and the fact that bears it out."""

    answer: bool
    fact: Fact


def verdict(sheet: FactSheet, question: Question, ranked: Sequence[Fact]) -> Verdict | None:
    """Whether the answer is yes or no, and which fact bears it out; None where neither can be told.

    Args:
        sheet: what is known of the reference.
        question: the question; one that is no yes/no question has no verdict.
        ranked: the facts that would be said in answer to it, best first.
    """
    low = question.text.lower()
    if not question.yes_no or _is_choice(low):
        return None
    for judge in (_rounding, _letter_case, _order, _names, _outcome, _number, _kind):
        found = judge(sheet, question, ranked[:1], low)
        if found is not None:
            return found
    return None


def _fact(sheet: FactSheet, topic: str, pattern: str = "") -> Fact | None:
    """The first fact that answers for a topic, preferring one that says a pattern."""
    about = [f for f in sheet.facts if topic in f.topics]
    if pattern:
        return next((f for f in about if re.search(pattern, f.text)), None)
    return about[0] if about else None


def _settled(answer: bool, fact: Fact | None) -> Verdict | None:
    """A verdict, where there is a fact to say with it."""
    return None if fact is None else Verdict(answer, fact)


def _is_choice(low: str) -> bool:
    cleaned = re.sub(
        r"true or false|or equal|or not|or more|or less|or higher|or lower|one or more|zero or more", " ", low
    )
    return " or " in cleaned


def _rounding(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> Verdict | None:
    if question.topics.get("rounding", 0.0) < 1.0 or not re.search(
        r"\bround|decimal|\binteger\b|whole number|nearest", low
    ):
        return None
    notes = sheet.traits.get("rounding")
    fact = _fact(sheet, "rounding")
    if not isinstance(notes, tuple):
        return None
    # "Should I round up the half tablets?" is about them, and not about the result.
    named = [n for n in notes if not n.final and set(content_words(n.subject)) & set(question.words)]
    if named and not re.search(r"\b(?:result|output|answer|return\w*|final)\b", low):
        about = [f for f in sheet.facts if named[0].way in f.text]
        fact = next((f for f in about if set(content_words(named[0].subject)) <= f.words), fact)
        notes = tuple(named)
    else:
        notes = tuple(n for n in notes if n.final)
    if not notes:
        # Without rounding the result may be whole all the same, and a rounding on the way may be the one meant.
        way = re.search(r"\b(up|down)\b", low)
        meant = way is not None and fact is not None and f"rounded {way.group(1)}" in fact.text
        return None if "whole number" in low or "integer" in low or meant else _settled(False, fact)
    digits = {int(n) for n in question.numbers if n == int(n)}
    if digits and re.search(r"decimal|digit|place|precision", low):
        return _all_alike([n.digits in digits for n in notes], fact)
    for word in ("up", "down"):
        if re.search(rf"\bround\w* (?:\w+ ){{0,3}}{word}\b", low):
            return _all_alike([n.way == f"rounded {word}" for n in notes], fact)
    if re.search(r"\b(?:integer|whole number|nearest|int)\b", low):
        return _all_alike([n.digits == 0 for n in notes], fact)
    return _settled(True, fact)


def _all_alike(answers: Sequence[bool], fact: Fact | None) -> Verdict | None:
    """Yes where all parts agree, no where none does; neither where they differ."""
    return _settled(all(answers), fact) if all(answers) or not any(answers) else None


def _letter_case(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> Verdict | None:
    if not re.search(
        r"\bcase[- ]?(?:in)?sensitiv|insensitiv|upper ?case|lower ?case|capitali|letter case|\bignore (?:the )?case",
        low,
    ):
        return None
    ignores = sheet.traits.get("ignores_case")
    if not isinstance(ignores, bool):
        return None
    asks_for_ignoring = bool(re.search(r"insensitiv|ignor|regardless|lower ?case|normali|not matter", low))
    if re.search(r"(?<!in)sensitiv|(?<!not )\bmatters?\b|difference|distinguish|\bexact", low):
        asks_for_ignoring = bool(re.search(r"insensitiv|ignor|regardless|not matter|no difference", low))
    return _settled(ignores == asks_for_ignoring, _fact(sheet, "text", r"upper and lower case"))


def _order(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> Verdict | None:
    if not re.search(r"\bsort|\border\b|\bordered|ascending|descending|\brank", low):
        return None
    direction = sheet.traits.get("direction")
    if direction is None:
        if not re.search(r"\bsort|ascending|descending", low):
            return None
        if sheet.traits.get("sorts") and not re.search(r"\b(?:result|output|return\w*|answer|final)\b", low):
            return None
        return _settled(False, _fact(sheet, "order", "nothing needs to be sorted|result itself is not sorted"))
    sorted_facts = [f for f in sheet.facts if "order" in f.topics and re.search(r"\bsorted (?!only)", f.text)]
    fact = sorted_facts[-1] if sorted_facts else None
    if re.search(r"descending|highest|largest|most|biggest|newest", low):
        return _settled(direction == "descending", fact)
    if re.search(r"ascending|lowest|smallest|least|oldest|alphabetical", low):
        return _settled(direction == "ascending", fact)
    return _settled(True, fact)


def _names(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> Verdict | None:
    """Keys and option words put in quotes."""
    wanted = {q.lower() for q in question.quoted}
    if not wanted or not question.topics.keys() & {"keys", "options", "inputs"}:
        return None
    said = {q.lower() for f in sheet.facts for q in f.quoted} | sheet.keys
    known = {w for w in wanted if w in said}
    if re.search(r"\b(?:return|give|output|result)\b", low) or not chosen:
        return None
    if known == wanted:
        return _settled(True, chosen[0])
    listed = chosen[0].topics & {"keys", "options"} and chosen[0].quoted
    return Verdict(False, chosen[0]) if not known and sheet.keys and listed else None


def _outcome(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> Verdict | None:
    """Judge "should an empty list give 0?"."""
    unusual = _UNUSUAL & set(question.words)
    found = _OUTCOME.findall(low)
    if not unusual or not found or not chosen:
        return None
    expected = found[-1].strip("'\"`")
    about = [
        f
        for f in chosen
        if "edge" in f.topics and f.words & (unusual | {"empt", "otherwis"} if "miss" in unusual else unusual)
    ]
    if not about:
        return None
    if about[0].importance < _HARDLY and expected not in ("error", "exception"):
        # Without a rule the ordinary steps may well lead to what is expected.
        return None
    text = " " + normalise(about[0].text) + " "
    if "empt" in unusual and (" not empty " in text or " result " not in text):
        # A step that looks for something empty is no rule for an empty input.
        return None
    if "miss" in unusual and not re.search(r" (?:missing|not given|not in|otherwise|other cases) ", text):
        return None
    if expected in ("none", "null"):
        return Verdict(" is none " in text, about[0])
    if expected in ("error", "exception"):
        return Verdict("error" in text, about[0])
    if expected.startswith("empty"):
        return Verdict(f" {normalise(expected)} " in text or " empty list " in text, about[0])
    try:
        return Verdict(float(expected) in about[0].numbers, about[0])
    except ValueError:
        return Verdict(f" {normalise(expected)} " in text, about[0])


def _number(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> Verdict | None:
    numbers = question.numbers
    if not numbers or not chosen:
        return None
    about = [f for f in chosen if f.numbers]
    if not about:
        return None
    hit = [f for f in about if f.numbers & numbers]
    # Without a word that ties the fact to the question, the number may be about something else.
    tied = any((set(question.words) - _EVERYDAY) & f.words & sheet.vocabulary for f in about)
    general = bool(question.topics.keys() & {"threshold", "factor", "rounding"})
    limits = question.topics.get("threshold", 0.0) >= 1.0 and not question.topics.get("factor", 0.0) >= 1.0
    if limits and not any(_LIMITS.search(f.text) for f in about):
        return None
    if numbers <= {0.0, 1.0} and not tied:
        return None
    elsewhere = any(_comparison(f.text, sorted(f.numbers & numbers)) for f in sheet.facts if f.numbers & numbers)
    if not hit and elsewhere:
        return None
    if not hit:
        return Verdict(False, about[0]) if tied or general else None
    word = _comparison(hit[0].text, sorted(hit[0].numbers & numbers))
    if word is None:
        return Verdict(True, hit[0]) if (tied or general) and not limits else None
    inclusive, strict = bool(_INCLUSIVE.search(low)), bool(_STRICT.search(low))
    upward = re.search(r"\b(?:above|more than|greater than|exceeds?|over|at least)\b|>", low)
    downward = re.search(r"\b(?:below|less than|under|at most|fewer than)\b|<", low)
    if bool(upward) != bool(downward) and bool(upward) != (word in ("above", "at least")):
        return None
    if inclusive != strict:
        return Verdict((word in ("at least", "at most")) == inclusive, hit[0])
    return Verdict(True, hit[0])


def _comparison(text: str, numbers: Sequence[float]) -> str | None:
    """How a fact compares with one of the numbers ("above", "at least", ...); None where it does not."""
    for number in numbers:
        found = re.search(rf"\b(above|below|at least|at most) {re.escape(number_text(number))}(?![\w.]*\d)", text)
        if found:
            return found.group(1)
    return None


def _kind(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> Verdict | None:
    """Judge "should it return a list?"."""
    if question.topics.get("result", 0.0) < 1.0 or not re.search(r"\b(?:return|returned|output|result|give)\b", low):
        return None
    kinds = set(str(sheet.traits.get("result", "")).split("/")) - {""}
    asked = {k for k, names in _KIND_WORDS.items() if any(re.search(rf"\ba?n? ?{n}\b", low) for n in names)}
    if not kinds or len(asked) != 1 or question.numbers or question.quoted or _UNUSUAL & set(question.words):
        return None
    if asked == {"number"} & kinds and re.search(r"\bint(?:eger)?\b", low):
        notes = sheet.traits.get("rounding")
        digits = [n.digits for n in notes if n.final] if isinstance(notes, tuple) else []
        return _settled(digits[0] == 0, _fact(sheet, "result")) if digits and digits[0] is not None else None
    return _settled(asked <= kinds, _fact(sheet, "result"))
