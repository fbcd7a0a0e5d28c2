"""Whether a reply only says that its speaker does not know, in whatever words."""

from __future__ import annotations

import re

from colbench.simulators.wordings import is_dont_know

__all__ = ["says_dont_know"]

_DONT_KNOW = re.compile(
    r"\b(?:do(?:n['’]?t| not) (?:really )?know|not (?:really )?sure|no (?:idea|preference|opinion)|unsure|"
    r"can(?:['’]?t|not) (?:say|tell)|have(?:n['’]?t| not) (?:thought|decided)|"
    r"does(?:n['’]?t| not) matter(?: to me)?(?=[.,!]|$)|"
    r"do(?:n['’]?t| not) have (?:an answer|a preference|that information)|"
    r"not something i(?: have|['’]ve)? (?:know|decided|specified))",
    re.IGNORECASE,
)
_LONGEST_DONT_KNOW = 25


def says_dont_know(reply: str) -> bool:
    """Whether a reply says that it does not know, and hardly anything else."""
    return is_dont_know(reply) or (bool(_DONT_KNOW.search(reply)) and len(reply.split()) <= _LONGEST_DONT_KNOW)
