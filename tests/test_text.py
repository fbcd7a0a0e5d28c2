"""Text of strangers cannot steer the terminal; everything readable stays."""

import pytest

from colbench.text import counted, is_plain_line, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2J\x07\x7f", "a\\x1b[2J\\x07\\x7f"),
        ("\x9b31m", "\\x9b31m"),
        ("line\n\tnext\r", "line\n\tnext\\r"),
        ("[bold] :100:\r\nnext", "[bold] :100:\nnext"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("\ud800", "\\ud800"),
        ("naïve 日本 👩\u200d👧 e\u0301", "naïve 日本 👩\u200d👧 e\u0301"),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown


def test_lines_and_counts():
    assert is_plain_line("proc-v1/pricing ü")
    assert not any(is_plain_line(text) for text in ("a\nb", "a\tb", "a\x1bb", "a\u2028b", "\u202ea"))
    assert [counted(n, "task") for n in (0, 1, 2)] == ["0 tasks", "1 task", "2 tasks"]
