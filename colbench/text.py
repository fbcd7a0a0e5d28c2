"""Text of strangers on a terminal: agents, task files and answers must not steer the screen that shows them.

A terminal obeys escape sequences in whatever is printed: it hides lines, changes the title, or fakes a verdict. Here
each such character is written out, so that the reader sees what was really said.
"""

from __future__ import annotations

import re

__all__ = ["counted", "is_plain_line", "printable"]

# C0 without tab and newline, DEL, C1, marks that turn the direction of writing, and halves of surrogate pairs,
# which no terminal can encode.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_BREAK = re.compile("[\t\n\u2028\u2029]")


def printable(text: str) -> str:
    r"""The text with every control character but tab and newline written out as in Python, for example ``\x1b``.

    ``\r\n`` becomes a plain newline.
    """
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text.replace("\r\n", "\n"))


def is_plain_line(text: str) -> bool:
    """Whether the text is one line without control characters, as a name or an id has to be."""
    return not (_CONTROL.search(text) or _BREAK.search(text))


def counted(number: int, noun: str) -> str:
    """A number with its noun, for example ``1 answer`` or ``2 answers``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
