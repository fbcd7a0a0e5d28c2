"""The fixed phrases of the embedded collaborators; a seed picks among them, so that replies are not all alike."""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = [
    "ALL_SAID",
    "CANNOT_READ",
    "DONT_KNOW",
    "LOOKS_RIGHT",
    "MISSING",
    "NO",
    "REPEATED",
    "YES",
    "is_dont_know",
    "pick",
]

DONT_KNOW = (
    "I don't know, I have no preference there.",
    "I don't know about that.",
    "I'm not sure, I haven't thought about that.",
    "No idea, sorry. That is not something I have decided.",
    "I can't say, that doesn't matter to me.",
    "I don't have an answer to that.",
)
ALL_SAID = (
    "No, that is all I know.",
    "That is everything, I have nothing to add.",
    "Nothing else comes to my mind.",
)
LOOKS_RIGHT = (
    "I see nothing missing in it.",
    "It looks right to me, I miss nothing.",
    "As far as I can tell that covers it.",
)
CANNOT_READ = (
    "I can't judge code, please ask me what it should do.",
    "I don't read code, but you can ask me how it should behave.",
)
MISSING = ("I miss something there: ", "One thing is not covered yet: ", "Something is still missing: ")
REPEATED = ("As I said, ", "Like I said, ", "As mentioned, ")
YES = ("Yes, ", "Yes, ", "Right, ")
NO = ("No, ", "No, ", "Not quite, ")
_KNOWN_UNKNOWN = frozenset(DONT_KNOW)


def pick(wordings: Sequence[str], seed: int) -> str:
    """One of several ways to say the same, fixed by the seed."""
    return random.Random(f"wording/{seed}").choice(list(wordings))


def is_dont_know(text: str) -> bool:
    """Whether a reply of an embedded collaborator says only that it does not know."""
    return text in _KNOWN_UNKNOWN
