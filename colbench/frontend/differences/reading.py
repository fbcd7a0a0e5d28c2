"""A sentence of the embedded collaborator as a remark again, so that a program can act on what it was told.

The patterns follow the grammar in :mod:`colbench.frontend.differences.remarks` line by line.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from colbench.frontend.differences.colours import COLOURS
from colbench.frontend.differences.remarks import COMPARED
from colbench.frontend.differences.vocabulary import (
    ALIGNMENTS,
    CORNERS,
    FONTS,
    NOUNS,
    PLACES,
    POSITIONS,
    Remark,
    Target,
    plural,
    word_number,
)

__all__ = ["parse_remark", "parse_reply", "split_sentences"]

_Q = '"([^"]*)"'
_LIST = '("[^"]*"(?:(?:, | and )"[^"]*")*)'
_NOUN = "(?:" + "|".join(sorted(NOUNS, key=len, reverse=True)) + ")"
_NOUNS = "(?:" + "|".join(sorted(map(plural, NOUNS), key=len, reverse=True)) + ")"
_THE = rf'([Tt]he (?:\w+ {_NOUNS}|{_NOUN}(?: "[^"]*")?))'
_PLAIN = "(?:" + "|".join(sorted(COLOURS, key=len, reverse=True)) + ")"
_COLOUR = f"({_PLAIN})"
_ANY = {
    "align": "(" + "|".join(ALIGNMENTS.values()) + ")",
    "position": "(" + "|".join(POSITIONS.values()) + ")",
    "font": "(" + "|".join(FONTS) + ")",
    "rounding": "(" + "|".join(sorted(CORNERS, key=len, reverse=True)) + ")",
}


def _target(words: str) -> Target:
    body = words[4:]
    labelled = re.fullmatch(rf"({_NOUN}) {_Q}", body)
    if labelled:
        return Target(labelled[1], labelled[2])
    if body in NOUNS:
        return Target(body)
    number, nouns = body.split(" ", 1)
    return Target(_singular(nouns), count=word_number(number))


def _singular(nouns: str) -> str:
    return next(noun for noun in NOUNS if nouns in (noun, plural(noun)))


def _strings(listed: str) -> tuple[str, ...]:
    return tuple(re.findall(_Q, listed))


def _border(words: str) -> str:
    return "no" if words in ("no border", "none") else re.sub(r"^an? (.*) (?:border|one)$", r"\1", words)


def _key(table: dict[str, str]) -> Callable[[str], str]:
    return lambda words: next(key for key, value in table.items() if value == words)


_Reader = tuple[re.Pattern[str], str, Callable[[str], str | int | tuple[str, ...]]]


def _readers() -> list[_Reader]:
    """Patterns with three groups: target, wanted value, value on the page (or None)."""
    colour = rf"{_COLOUR}(?:, not {_COLOUR})?"
    number = r"(\w+)"
    table: list[tuple[str, str, Callable[[str], str | int | tuple[str, ...]]]] = [
        (rf"{_THE} should not be (there)()", "absent", str),
        (rf"{_THE} should say {_Q}(?:, not {_Q})?", "text", str),
        (rf"{_THE} should have the links {_LIST}(?:, not {_LIST})?", "links", _strings),
        (rf"{_THE} should have an? {_COLOUR} background(?:, not {_COLOUR})?", "background", str),
        (rf"The background of {_THE} should be {colour}", "background", str),
        (rf"The text of {_THE} should be {colour}", "color", str),
        (rf"{_THE} should have {_COLOUR} text(?:, not {_COLOUR})?", "color", str),
        (rf"There should be about (\d+) pixels of space above {_THE}(?:, not (\d+))?", "above", int),
        (rf"There should be (?:more|less) space above {_THE}: about (\d+) pixels, not (\d+)", "above", int),
        (rf"There should be about (\d+) pixels between {_THE}(?:, not (\d+))?", "gap", int),
        (rf"{_THE} should be in {number} columns?(?:, not {number})?", "columns", word_number),
        (rf"The text of {_THE} should be {_ANY['align']}(?:, not {_ANY['align']})?", "align", _key(ALIGNMENTS)),
        (rf"{_THE} should be {_ANY['position']}(?:, not {_ANY['position']})?", "position", _key(POSITIONS)),
        (rf"The text of {_THE} should be in a {_ANY['font']} font(?:, not {_ANY['font']})?", "font", str),
        (
            rf"The text of {_THE} should (be|not be) bold()",
            "weight",
            lambda words: "bold" if words == "be" else "normal",
        ),
        (rf"The corners of {_THE} should be {_ANY['rounding']}(?:, not {_ANY['rounding']})?", "rounding", str),
        (rf"{_THE} should have (a|no) picture behind it()", "picture", lambda word: "yes" if word == "a" else "no"),
        (rf"{_THE} should have (a|no) shadow()", "shadow", lambda word: "yes" if word == "a" else "no"),
        (rf"{_THE} should have (no border|an? {_PLAIN} border)(?:, not (none|an? {_PLAIN} one))?", "border", _border),
    ]
    for kind, (more, less, plain) in COMPARED.items():
        subject = rf"The text of {_THE}" if kind == "font_size" else _THE
        table.append((rf"{subject} should be about (\d+) pixels {plain}(?:, not (\d+))?", kind, int))
        table.append((rf"{subject} should be (?:{more}|{less}): about (\d+) pixels, not (\d+)", kind, int))
    return [(re.compile(pattern + r"\."), kind, read) for pattern, kind, read in table]


# These never say what is on the page now.
_UNPAIRED = frozenset({"absent", "weight", "shadow", "picture"})
_READERS = _readers()
_COUNT = re.compile(rf"There should be (\w+) ({_NOUNS}|{_NOUN})(?:, not (\w+))?(?:, with {_LIST})?\.")
_EXISTS = re.compile(
    rf"There should be an? ({_NOUN})(?: {_Q})?(?: (?:below {_THE}|({'|'.join(PLACES.values())})))?"
    rf"(?:, in {_COLOUR})?(?:, with {_LIST})?\."
)


def parse_remark(sentence: str) -> Remark | None:
    """Read one sentence; None if it is not one of the grammar's."""
    sentence = sentence.strip()
    found = _EXISTS.fullmatch(sentence)
    if found:
        noun, label, below, where, colour, texts = found.groups()
        return Remark(
            "exists",
            Target(noun, label),
            where=_key(PLACES)(where) if where else None,
            below=_target(below) if below else None,
            colour=colour,
            texts=_strings(texts) if texts else (),
        )
    found = _COUNT.fullmatch(sentence)
    if found:
        try:
            to, was = word_number(found[1]), None if found[3] is None else word_number(found[3])
        except ValueError:
            return None
        return Remark("count", Target(_singular(found[2])), to, was, texts=_strings(found[4] or ""))
    for pattern, kind, read in _READERS:
        found = pattern.fullmatch(sentence)
        if found is None:
            continue
        first, second, third = found.groups()
        # Some sentences name the value before what it is about.
        target, to_words = (second, first) if first.isdigit() else (first, second)
        try:
            made = Remark(
                kind, _target(target), read(to_words), None if third is None or kind in _UNPAIRED else read(third)
            )
        except (ValueError, StopIteration):
            return None
        return Remark("absent", made.target) if kind == "absent" else made
    return None


def split_sentences(reply: str) -> list[str]:
    """The sentences of a reply; full stops inside quotes do not end one."""
    sentences, start, quoted = [], 0, False
    for index, letter in enumerate(reply):
        if letter == '"':
            quoted = not quoted
        ends = letter in ".!?\n" and not quoted and (index + 1 == len(reply) or reply[index + 1].isspace())
        if ends:
            sentences.append(reply[start : index + 1].strip())
            start = index + 1
    sentences.append(reply[start:].strip())
    return [sentence for sentence in sentences if sentence]


def parse_reply(reply: str) -> list[Remark]:
    """Every remark of a whole reply, in order; sentences outside the grammar are passed over."""
    return [remark for remark in map(parse_remark, split_sentences(reply)) if remark is not None]
