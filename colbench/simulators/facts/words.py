"""Names, numbers and texts of a program in the words of somebody who does not write programs."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = [
    "are",
    "capitalise",
    "clip_words",
    "date_format",
    "humanise",
    "is_plural",
    "join_words",
    "needs_noun",
    "number_text",
    "ordinal",
    "quote",
    "singular",
    "the",
]

_ABBREVIATIONS = {
    "num": "number of",
    "nb": "number of",
    "cnt": "count",
    "avg": "average",
    "max": "maximum",
    "min": "minimum",
    "pct": "percent",
    "qty": "quantity",
    "amt": "amount",
    "std": "standard",
    "msg": "message",
    "lst": "list",
    "dict": "dictionary",
    "str": "text",
    "temp": "temperature",
    "calc": "calculated",
    "cfg": "configuration",
    "addr": "address",
    "val": "value",
    "vals": "values",
    "idx": "position",
    "prev": "previous",
    "curr": "current",
    "cat": "category",
    "desc": "description",
    "res": "result",
    "ret": "result",
}
_UNITS = frozenset(
    "kg g mg km m cm mm l ml h min mins s ms kwh kw w v usd eur gbp c f mb gb kb ha sqm sqft lbs oz".split()
)
_NO_NOUNS = frozenset(
    "left whole hard soft wrong lost late early extra long short free open valid spent paid "
    "sent bought sold kept seen risen made got best worst done known below above exact missing used "
    "won small big slow fast usual previous current mine theirs high low older newer inner outer "
    "upper lower new old cut chosen taken shown written broken".split()
)
_NOUNS = frozenset(
    "speed need seed feed bed red shed weed breed hundred kitchen garden oven token chicken linen screen green queen "
    "children women men table cable variable timetable vegetable bundle den pen ten teen".split()
)
_IRREGULAR = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "criteria": "criterion",
    "indices": "index",
    "vertices": "vertex",
    "matrices": "matrix",
    "series": "series",
    "species": "species",
    "data": "data",
    "news": "news",
    "lives": "life",
    "leaves": "leaf",
    "wives": "wife",
    "shelves": "shelf",
    "movies": "movie",
    "cookies": "cookie",
    "calories": "calorie",
}
_NOT_PLURAL = {"is", "was", "has", "this", "plus", "minus", "times", "less", "news", "series", "species", "mathematics"}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DATE_CODES = {
    "%Y": "YYYY", "%m": "MM", "%d": "DD", "%H": "hh", "%M": "mm", "%S": "ss", "%y": "YY", "%B": "month name",
    "%b": "short month name", "%A": "weekday", "%a": "short weekday", "%I": "hh", "%p": "AM/PM", "%f": "fraction",
    "%j": "day of the year",
}  # fmt: skip
# Character classes and groups of regular expressions, which nobody reads out.
_PATTERN = re.compile(r"\\[dwsbDWS]|\(\?[:=!P]|\[\^|\[[a-z0-9]-[a-z0-9]", re.IGNORECASE)


def humanise(name: str) -> str:
    """An identifier as words: ``num_guests`` is "number of guests"."""
    name = name.lower() if name.isupper() else name
    parts = [p for chunk in name.split("_") for p in _CAMEL.split(chunk) if p]
    words = [p if len(p) > 1 and p.isupper() else p.lower() for p in parts]
    if (
        len(words) > 1
        and words[-1] in ("dict", "list", "lst", "arr", "str", "df")
        and len(words[-2]) > 3
        and words[-2][-1] == "s"
    ):
        words.pop()
    words = [_ABBREVIATIONS.get(w, w) for w in words]
    if len(words) > 1 and words[-1] in _UNITS:
        words[-1] = f"in {words[-1]}"
    text = " ".join(words) or name
    return text.replace("of of", "of")


def needs_noun(word: str) -> bool:
    """Whether a single word is a participle or an adjective ("rounded", "usable"), so that "the ..." needs a noun."""
    if word in _NOUNS or " " in word:
        return False
    return word in _NO_NOUNS or (len(word) > 4 and word.endswith(("ed", "able", "ible")))


def the(name: str) -> str:
    """An identifier as a noun phrase. Yes/no names keep their spelling, in quotes."""
    if name.split("_")[0] in ("is", "has", "can", "should", "was", "are", "use", "include", "in", "by") and "_" in name:
        return f"'{name}'"
    if len(name) <= 2:
        return name
    words = humanise(name)
    return words if words.split(" ")[0] in ("each", "every", "the") else f"the {words}"


def is_plural(phrase: str) -> bool:
    """Whether a noun phrase takes "are"."""
    if phrase.endswith(("'", '"')):
        return False
    if phrase.startswith("how often "):
        return False
    head = re.split(
        r" (?:of|in|for|with|that|where|from|per|by|without|to|at|than|minus|divided|times|squared) ", phrase
    )[0]
    last = head.rsplit(" ", 1)[-1]
    if last in ("people", "children", "criteria", "men", "women"):
        return True
    return len(last) > 3 and last.endswith("s") and not last.endswith(("ss", "us", "is")) and last not in _NOT_PLURAL


def are(phrase: str) -> str:
    """Return "is" or "are", whichever goes with the phrase."""
    return "are" if is_plural(phrase) else "is"


def singular(phrase: str) -> str:
    """One of what a plural phrase names; only the last word changes."""
    head, _, last = phrase.rpartition(" ")
    low = last.lower()
    if low in _IRREGULAR:
        last = _IRREGULAR[low]
    elif low.endswith("ies") and len(low) > 4:
        last = last[:-3] + "y"
    elif low.endswith(("sses", "ches", "shes", "xes", "zes")):
        last = last[:-2]
    elif low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 2:
        last = last[:-1]
    return f"{head} {last}".strip()


def number_text(value: complex) -> str:
    """A number as it is said: no trailing ".0", no exponent where digits do."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int):
        # str() of a giant integer may be refused, and nobody would say it digit by digit.
        return str(value) if value.bit_length() < 200 else "a huge number"
    if value != value or value in (float("inf"), float("-inf")):
        return "infinity" if value > 0 else "minus infinity" if value < 0 else "not a number"
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    plain = f"{value:.15f}".rstrip("0") if 1e-7 < abs(value) < 1e15 else ""
    return plain if plain and float(plain) == value else repr(value)


def ordinal(index: int) -> str:
    """Which entry an index takes, counted from 1 as people do; negative ones count from the end."""
    if index == -1:
        return "last"
    if index < 0:
        return f"{ordinal(-index - 1)}-to-last"
    if index < len(_ORDINALS):
        return _ORDINALS[index]
    return f"number {index + 1}"


def quote(text: str, limit: int = 150) -> str:
    """A text in quotes on one line, shortened at a word where it is very long."""
    shown = re.sub(r"\s", " ", text)
    if not text:
        return "an empty text"
    if not text.strip():
        named = {" ": "a space", "\n": "a line break", "\t": "a tab", "  ": "two spaces"}.get(text)
        return named or "blank space"
    if _PATTERN.search(shown):
        return "a text pattern"
    shown = shown.replace("`", "’")
    shown = "".join(c for c in shown if c.isprintable())
    shown = clip_words(shown, limit)
    if "'" not in shown:
        return f"'{shown}'"
    return f'"{shown}"' if '"' not in shown else f"'{shown.replace(chr(39), '’')}'"


def clip_words(text: str, limit: int) -> str:
    """Cut a text to a length at the end of a word, with an ellipsis."""
    if len(text) <= limit:
        return text
    head = text[: max(limit - 1, 1)]
    if " " in head[limit // 2 :]:
        head = head.rsplit(" ", 1)[0]
    return head.rstrip(" ,;:.-") + "…"


def join_words(items: Sequence[str], word: str = "and") -> str:
    """Join as people do: "a", "a and b", "a, b and c"."""
    items = list(items)
    if not items:
        return "nothing"
    if len(items) == 1:
        return items[0]
    return ", ".join(items[:-1]) + f" {word} {items[-1]}"


def capitalise(text: str) -> str:
    """Raise the first letter; a quoted opening stays as it is."""
    return text[:1].upper() + text[1:]


def date_format(pattern: str) -> str | None:
    """A strftime pattern as people write it ("YYYY-MM-DD"), or None if it is none."""
    if not re.search(r"%[A-Za-z]", pattern):
        return None
    return re.sub(r"%[A-Za-z]", lambda m: _DATE_CODES.get(m.group(), "…"), pattern)
