"""Facts as one or two sentences: short facts may share one, long ones stand alone."""

from __future__ import annotations

from collections.abc import Sequence

from colbench.simulators.facts import Fact
from colbench.simulators.facts.words import capitalise, clip_words

__all__ = ["MOST_FACTS", "compose"]

MOST_FACTS = 3
_ALONE = 200
_TOGETHER = 130


def compose(facts: Sequence[Fact], limit: int, opening: str = "") -> str:
    """Facts as one or two sentences that fit the limit.

    Args:
        facts: at most three, the first is always said (shortened only where it alone is too long).
        limit: most characters.
        opening: words before the first fact, such as "Yes, ".
    """
    sentences = [opening + facts[0].text]
    for fact in facts[1:MOST_FACTS]:
        text = fact.text
        # A long fact is enough to take in at once.
        if len(text) > _ALONE or len(sentences[0]) > _ALONE:
            continue
        tried = [*sentences, text] if len(sentences) == 1 else _shared(sentences, text, bool(opening))
        if tried and sum(len(s) for s in tried) + 2 * len(tried) - 1 <= limit:
            sentences = tried
    return clip_words(" ".join(_sentence(s) for s in sentences), limit)


def _shared(sentences: list[str], text: str, opened: bool) -> list[str]:
    """Two sentences with a third fact in the shorter one; empty where that would be too long to read."""
    places = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    for place in places:
        first = sentences[place]
        if ";" in first or ";" in text or (place == 0 and opened):
            continue
        plain = ", " not in first and " if " not in f" {first}" and not text.startswith(("otherwise", "if ", "in all "))
        joined = f"{first}, and {text}" if plain else f"{first}; {text}"
        if len(joined) <= _TOGETHER:
            return [joined if i == place else s for i, s in enumerate(sentences)]
    return []


def _sentence(text: str) -> str:
    text = capitalise(text)
    return text if text.endswith((".", "!", "?", "…")) else text + "."
