"""Text that would play tricks on a terminal is written out; everything readable stays."""

import pytest

from colbench.text import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2J\x07", "a\\x1b[2J\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("line\n\tnext\r", "line\n\tnext\\r"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("\ud800", "\\ud800"),
        ("naïve 日本 👩\u200d👧 e\u0301", "naïve 日本 👩\u200d👧 e\u0301"),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown
