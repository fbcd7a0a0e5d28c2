"""Parses source that nobody vouches for, inside the trusted process.

CPython's parser and syntax-tree builder recurse in C: text that nests deeply enough can end the process instead of
raising. So the nesting that a source could have is measured first, by reading its lexemes once, and a source beyond the
bound is refused. Everything else that parsing can raise is turned into a value.
"""

from __future__ import annotations

import ast
import re
import sys
import threading
import warnings

__all__ = ["ends_inside_string", "parse_untrusted", "too_deep"]

# Deeper source than this is nobody's function.
_MAX_DEPTH = 900

_LEXEME = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<join>\\\n)
  | (?P<triple>\"\"\"|''')
  | (?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)
  | (?P<open>[(\[{])
  | (?P<close>[)\]}])
  | (?P<stop>[,;])
  | (?P<newline>\n)
  | (?P<elif>\belif\b)
  | (?P<chain>\b(?:not|lambda|if|else|await|yield|and|or|in|is)\b|[-+~*/%@&|^<>=!.:])
    """,
    re.VERBOSE | re.DOTALL,
)
_OPERATOR = re.compile(r"\b(?:not|lambda|if|await)\b|[-+~*/%@&|^<>=.(\[]")
_ANY_STEP = re.compile(r"[-+~*/%@&|^<>=!.:(\[{]|not|lambda|if|else|await|yield|and|or|in|is")
_FSTRING = re.compile(r"[fF][rR]?[\"']")
_FIELD_EDGE = re.compile(r"[{}]|\n\s*\n")
_NEEDS_FILTER = re.compile(r"\\|\d[A-Za-z_]")
_FILENAME = "<answer>"
_warnings_lock = threading.Lock()


def too_deep(source: str) -> bool:
    """Whether the source could nest deeper than ``_MAX_DEPTH``; reads it once and builds nothing.

    Every operator or opening bracket may put the rest of its expression one level down; a comma, or at the outermost
    level a line end, begins a new one. An ``elif`` is an ``if`` inside the ``else`` of the one before.
    """
    # Ordinary code has fewer operators in all than may nest, and counting them is much cheaper than reading it.
    if len(_ANY_STEP.findall(source)) <= _MAX_DEPTH:
        return False
    # From 3.12 on an f-string may hold quotes of its own kind, so where one is about, any literal may be part of it.
    mixed = sys.version_info >= (3, 12) and _FSTRING.search(source) is not None
    pending = [0]
    total = elifs = position = 0
    while (found := _LEXEME.search(source, position)) is not None:
        position = found.end()
        kind = found.lastgroup
        if kind == "triple":
            end = _end_of_triple(source, position, found["triple"])
            if end is None:
                return False
            hidden = _operators_in_fstring(source, found.start(), end, mixed)
            pending[-1] += hidden
            total += hidden
            position = end
        elif kind == "string":
            hidden = _operators_in_fstring(source, found.start(), position, mixed)
            pending[-1] += hidden
            total += hidden
        elif kind == "chain":
            pending[-1] += 1
            total += 1
        elif kind == "open":
            pending[-1] += 1
            pending.append(0)
            total += 1
        elif kind == "close":
            if len(pending) > 1:
                total -= pending.pop()
        elif kind == "stop" or (kind == "newline" and len(pending) == 1):
            total -= pending[-1]
            pending[-1] = 0
        elif kind == "elif":
            elifs += 1
        if total > _MAX_DEPTH or elifs > _MAX_DEPTH or len(pending) > 150:
            return True
    return False


def _operators_in_fstring(source: str, start: int, end: int, any_literal: bool) -> int:
    """Most operators in one replacement field of the string literal; 0 where it is no f-string."""
    if not any_literal and not any(letter in "fF" for letter in source[max(0, start - 2) : start]):
        return 0
    return max(len(_OPERATOR.findall(field)) for field in _FIELD_EDGE.split(source[start:end]))


def parse_untrusted(source: str) -> ast.Module | int | None:
    """Syntax tree, or the line number of the first error, or None when the source is refused (too deep, a NUL ...).

    Never raises. The caller bounds the length of the source.
    """
    if "\0" in source or too_deep(source):
        return None
    try:
        if not _NEEDS_FILTER.search(source):
            return ast.parse(source, _FILENAME)
        # An odd escape is the answer's own business: it prints nothing here, and under -W error it is no failure.
        with _warnings_lock, warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=re.escape(_FILENAME))
            return ast.parse(source, _FILENAME)
    except SyntaxError as error:
        return error.lineno or 1
    except (ValueError, MemoryError, RecursionError, OverflowError):
        return None


def ends_inside_string(source: str) -> bool:
    """Whether a triple-quoted string is still open at the end of the source."""
    if '"""' not in source and "'''" not in source:
        return False
    position = 0
    while (found := _LEXEME.search(source, position)) is not None:
        position = found.end()
        if found["triple"]:
            end = _end_of_triple(source, position, found["triple"])
            if end is None:
                return True
            position = end
    return False


def _end_of_triple(source: str, position: int, quote: str) -> int | None:
    while True:
        found = source.find(quote, position)
        if found < 0:
            return None
        backslashes = 0
        while found - backslashes > position and source[found - backslashes - 1] == "\\":
            backslashes += 1
        if backslashes % 2 == 0:
            return found + 3
        position = found + 1
