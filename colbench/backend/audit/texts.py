"""Attacks by the answer's text: on whoever looks for the code in it, and on the compiler."""

from __future__ import annotations

from colbench.backend.audit.attack import GOOD, Attack

__all__ = ["ATTACKS"]


def _text(name: str, tries: str, answer: str, low: float = 0.0, high: float = 0.0) -> Attack:
    return Attack(name=name, kind="text", tries=tries, answers=(answer,), low=low, high=high)


ATTACKS: tuple[Attack, ...] = (
    _text("nothing", "says nothing", ""),
    _text("a megabyte of backticks", "is a megabyte of backticks", "`" * 1_000_000 + "\nprice"),
    _text("endless fences", "is made of fences that open and never close", "```a\nprice\n" * 60_000),
    _text("deep nesting", "nests deeper than the parser's stack", "price = " + "-" * 200_000 + "1"),
    _text("deep brackets", "nests brackets deeper than the parser's stack", "price = " + "(" * 5_000 + ")" * 5_000),
    _text("deep attributes", "chains a hundred thousand attributes", "price = a" + ".a" * 100_000),
    _text("deep lambdas", "nests lambdas as deep as is let through", "price = " + "lambda *a: " * 800 + "1"),
    _text("NULs", "holds NULs", "def price(items, rate):\n    return 1\0\n"),
    _text(
        "lone surrogates in the text", "holds what no encoding takes", "def price(items, rate):\n    return '\ud800'\n"
    ),
    _text(
        "compile-time bomb",
        "asks the compiler to fold large constants",
        "price = lambda items, rate: (" + ", ".join(f"'x' * {4000 - n % 97}" for n in range(2_000)) + ")",
    ),
    _text("long literal", "holds a number of a hundred thousand digits", "price = " + "9" * 100_000),
    _text("not Python", "is another language", "function price(items, rate) { return 1; }"),
    _text("binary", "is every character from 0 to 4095", "".join(map(chr, range(4096))) * 20),
    _text(
        "ten thousand lines of prose, then the answer",
        "hides a right answer behind prose; strict grading finds it, published semantics need not",
        "Let me think about the price.\n" * 10_000 + "```python\n" + GOOD + "```\n",
        high=1.0,
    ),
)
