"""Yes or no: whether the facts bear out what a question supposes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from colbench.simulators.facts.model import Fact, FactSheet
from colbench.simulators.facts.words import number_text
from colbench.simulators.matching import Question, normalise

__all__ = ["verdict"]

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
_KIND_WORDS = {
    "number": ("number", "integer", "int", "float"),
    "text": ("string", "text", "str"),
    "flag": ("boolean", "bool", "true or false"),
    "list": ("list", "array"),
    "dictionary": ("dictionary", "dict", "object", "mapping"),
    "tuple": ("tuple", "pair"),
    "set": ("set",),
}


def verdict(sheet: FactSheet, question: Question, chosen: Sequence[Fact]) -> bool | None:
    """Whether the answer is yes, no, or neither can be told.

    Args:
        sheet: what is known of the reference.
        question: the question; one that is no yes/no question has no verdict.
        chosen: the facts that will be said in answer to it.
    """
    low = question.text.lower()
    if not question.yes_no or _is_choice(low):
        return None
    for judge in (_rounding, _letter_case, _order, _names, _outcome, _number, _kind):
        answer = judge(sheet, question, chosen, low)
        if answer is not None:
            return answer
    return None


def _is_choice(low: str) -> bool:
    cleaned = re.sub(
        r"true or false|or equal|or not|or more|or less|or higher|or lower|one or more|zero or more", " ", low
    )
    return " or " in cleaned


def _rounding(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> bool | None:
    if question.topics.get("rounding", 0.0) < 1.0 or not re.search(
        r"\bround|decimal|\binteger\b|whole number|nearest", low
    ):
        return None
    if "decimals" not in sheet.traits:
        return None
    decimals = sheet.traits["decimals"]
    if decimals is None:
        return False
    if not isinstance(decimals, int):
        return None
    digits = {int(n) for n in question.numbers if n == int(n)}
    if digits:
        return decimals in digits
    if re.search(r"\b(?:integer|whole number|nearest|int)\b", low):
        return decimals == 0
    return True


def _letter_case(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> bool | None:
    if not re.search(
        r"\bcase[- ]?(?:in)?sensitiv|insensitiv|upper ?case|lower ?case|capitali|letter case|\bignore (?:the )?case",
        low,
    ):
        return None
    ignores = sheet.traits.get("ignores_case")
    if not isinstance(ignores, bool):
        return None
    asks_for_ignoring = bool(re.search(r"insensitiv|ignor|regardless|lower ?case|normali", low))
    return ignores == asks_for_ignoring


def _order(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> bool | None:
    if not re.search(r"\bsort|\border|ascending|descending|\brank", low) or "direction" not in sheet.traits:
        return None
    direction = sheet.traits["direction"]
    if direction is None:
        return False if re.search(r"\bsort|ascending|descending", low) else None
    if re.search(r"descending|highest|largest|most|biggest|newest", low):
        return direction == "descending"
    if re.search(r"ascending|lowest|smallest|least|oldest|alphabetical", low):
        return direction == "ascending"
    return True


def _names(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> bool | None:
    """Keys and option words put in quotes."""
    wanted = {q.lower() for q in question.quoted}
    if not wanted or not question.topics.keys() & {"keys", "options", "inputs"}:
        return None
    said = {q.lower() for f in sheet.facts for q in f.quoted} | sheet.keys
    known = {w for w in wanted if w in said}
    if re.search(r"\b(?:return|give|output|result)\b", low):
        return None
    if known == wanted:
        return True
    return False if not known and sheet.keys else None


def _outcome(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> bool | None:
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
    text = " " + normalise(about[0].text) + " "
    if expected in ("none", "null"):
        return " is none " in text
    if expected in ("error", "exception"):
        return "error" in text
    if expected.startswith("empty"):
        return f" {normalise(expected)} " in text or " empty list " in text
    try:
        return float(expected) in about[0].numbers
    except ValueError:
        return f" {normalise(expected)} " in text


def _number(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> bool | None:
    numbers = question.numbers
    if not numbers or not chosen:
        return None
    about = [f for f in chosen if f.numbers]
    if not about:
        return None
    hit = [f for f in about if f.numbers & numbers]
    if not hit:
        # Without a word that ties the fact to the question, the number may be about something else.
        tied = any(set(question.words) & f.words & sheet.vocabulary for f in about)
        general = bool(question.topics.keys() & {"threshold", "factor", "rounding"})
        return False if tied or general else None
    word = _comparison(hit[0].text, sorted(hit[0].numbers & numbers))
    if word is None:
        return True
    inclusive, strict = bool(_INCLUSIVE.search(low)), bool(_STRICT.search(low))
    upward = re.search(r"\b(?:above|more than|greater than|exceeds?|over|at least)\b|>", low)
    downward = re.search(r"\b(?:below|less than|under|at most|fewer than)\b|<", low)
    if bool(upward) != bool(downward) and bool(upward) != (word in ("above", "at least")):
        return None
    if inclusive != strict:
        return (word in ("at least", "at most")) == inclusive
    return True


def _comparison(text: str, numbers: Sequence[float]) -> str | None:
    """How a fact compares with one of the numbers ("above", "at least", ...); None where it does not."""
    for number in numbers:
        found = re.search(rf"\b(above|below|at least|at most) {re.escape(number_text(number))}(?![\w.]*\d)", text)
        if found:
            return found.group(1)
    return None


def _kind(sheet: FactSheet, question: Question, chosen: Sequence[Fact], low: str) -> bool | None:
    """Judge "should it return a list?"."""
    if question.topics.get("result", 0.0) < 1.0 or not re.search(r"\b(?:return|returned|output|result|give)\b", low):
        return None
    kinds = set(str(sheet.traits.get("result", "")).split("/")) - {""}
    asked = {k for k, names in _KIND_WORDS.items() if any(re.search(rf"\ba?n? ?{n}\b", low) for n in names)}
    if not kinds or len(asked) != 1 or question.numbers or question.quoted:
        return None
    return asked <= kinds
