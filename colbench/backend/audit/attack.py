"""What an attack is: hostile answers to a small task, and what a grader that withstands them does.

Most attacks prove themselves: the hostile function works out the right value only where its trick succeeded, so any
score above 0 means that the grader was beaten. What an attack breaks for others shows in the two answers graded right
after it, one good and one wrong, and in what is left on the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["CALLS", "GOOD", "REFERENCE", "RIGHT", "WRONG", "Attack", "hostile"]

REFERENCE = '''def price(items, rate):
    """reference planted by the audit @TOKEN@"""
    total = 0
    for name in sorted(items):
        total += len(name) * 7 + rate
    return total
'''
"""The reference of every attack; the token in it is what thieves look for."""

CALLS = {"test1": "price(['ab', 'c'], 3)", "test2": "price(['xyz'], 1)", "test3": "price(['k', 'lm', 'nop'], 10)"}

RIGHT = "sum([len(x) * 7 + rate for x in items])"
"""An expression with the right value, for functions that show in this way that their trick worked."""

GOOD = """import math

def price(items, rate):
    import json
    import math
    names = json.loads(json.dumps(sorted(items)))
    return sum([math.floor(len(x) + 0.5) * 7 + rate for x in names])
"""

WRONG = """def price(items, rate):
    return sum([len(x) * 7 + rate for x in items]) + 1
"""


@dataclass(frozen=True)
class Attack:
    """One attack.

    Attributes:
        name: short and unique.
        kind: family of the attack, for the table.
        tries: what it tries, in one sentence.
        answers: hostile answers, graded in this order by one grader. ``@TOKEN@``, ``@FILE@`` (a file on the host that
            holds the reference), ``@PORT@`` (a listening TCP port), ``@AUDITOR@`` (process id of the audit) and
            ``@PACKAGE@`` (folder of this package) are filled in.
        low: lowest score of each hostile answer that counts as held.
        high: highest score of each hostile answer that counts as held.
        reference: source of the reference.
        calls: the calls.
        seconds: all of it, start of the grader included, must be over within this time.
        leaves: how to see on the host that something was left behind; None where there is nothing to look at.
    """

    name: str
    kind: str
    tries: str
    answers: tuple[str, ...]
    low: float = 0.0
    high: float = 0.0
    reference: str = REFERENCE
    calls: dict[str, str] = field(default_factory=lambda: dict(CALLS))
    seconds: float = 40.0
    leaves: Callable[[str], str | None] | None = None


def hostile(body: str, top: str = "") -> str:
    """Source of a hostile ``price``: ``top`` at module level, ``body`` (flush left) inside the function."""
    lines = "\n".join("    " + line if line.strip() else line for line in body.strip("\n").split("\n"))
    head = top.strip("\n") + "\n\n\n" if top.strip() else ""
    return f"{head}def price(items, rate):\n{lines}\n"
