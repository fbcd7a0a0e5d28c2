"""What a question is about: its parts, its content words and its topics.

The embedded collaborators have no language model, so this is where a question in free words meets what they know:
light stemming, a table of synonyms for the kinds of things people ask about a function, and a list of matters that
no reference ever settles (where it is deployed, who pays), which deserve an honest "I don't know".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from colbench.simulators import lexicon

__all__ = [
    "TOPICS",
    "Question",
    "analyse",
    "content_words",
    "has_code",
    "normalise",
    "split_questions",
    "stem",
    "without_code",
]

TOPICS = tuple(lexicon.TOPIC_WORDS)

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.)]|\(?[a-h][.)])\s+")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|incl)\.", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[?!])\s+|(?<=[^\W\d_]{2}\.)\s+|(?<=\d\.)\s+(?=[A-Z])|(?<=[)'\"’]\.)\s+")
_ALSO_ASKS = re.compile(
    r",? and (?=(?:what|which|how|when|where|who|should|does|do|is|are|shall)"
    r" (?:the|it|a|an|is|are|should|do|does|i|you|\w+s|\w+e) )",
    re.IGNORECASE,
)
_CONFIRMS = re.compile(
    r"^\W*(?:is|does|are|was)?\s*(?:that|this|it|these)?\s*"
    r"(?:right|correct|ok|okay|fine|true|so|make sense|accurate)\W*$",
    re.IGNORECASE,
)
_ASSUMES = re.compile(
    r"\b(?:i(?:'ll| will| would|'d)? assume|assuming|i (?:understand|take it)|"
    r"my understanding|my assumption|so you want)\b",
    re.IGNORECASE,
)
_EXAMPLES = re.compile(r"\((?:e\.?g|i\.?e|such as|like|for example)[^)]*\)", re.IGNORECASE)
_ASKING = re.compile(
    r"^\W*(?:(?:and|also|but|so|ok|okay|then|next|first|second|finally|sorry|hi|hello|thanks|great|please|if so)\W+)*"
    r"(?:what|which|how|when|where|who|whose|why|is|are|was|do|does|did|should|shall|will|would|can|could|may|must|"
    r"has|have|am|any|tell|give|describe|explain|list|specify|clarify|provide|share|name|define|confirm|i need to know|"
    r"i would like to know|i'd like to know|let me know)\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"^\W*(?:(?:and|also|but|so|ok|okay|then|next|first|second|finally|just|to confirm|to be sure|got it|please|great|"
    r"thanks|understood)\W+)*"
    r"(?:is|are|was|do|does|did|should|shall|will|would|can|could|may|must|has|have|am)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"(?:\b(?:right|correct|yes|isn't it|doesn't it|is that so|true)\s*\?|is that (?:right|correct)\s*\?)\W*$", re.I
)
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?%?(?![\w]|\.\d)")
_SUFFIXES = (
    "ations",
    "ation",
    "ments",
    "ment",
    "ings",
    "ing",
    "edly",
    "ed",
    "ly",
    "ors",
    "or",
    "ers",
    "er",
    "ates",
    "ate",
)


@dataclass(frozen=True)
class Question:
    """One question of a message.

    Attributes:
        text: its words as asked.
        words: stemmed content words (generic ones included), in order, without repeats.
        topics: topic -> strength of the hint.
        numbers: numbers it names; a percentage counts as the number and as its fraction.
        quoted: names it puts in quotes or backticks.
        yes_no: whether it can be answered by yes or no.
        off_topic: stems that speak of matters no reference settles.
        everything: whether it asks for all there is, or for nothing in particular.
    """

    text: str
    words: tuple[str, ...]
    topics: dict[str, float]
    numbers: frozenset[float]
    quoted: frozenset[str]
    yes_no: bool
    off_topic: frozenset[str]
    everything: bool


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its commonest endings, in lower case ("rounded" and "rounding" are both "round")."""
    word = word.lower().replace("’", "'")
    for ending in ("'s", "n't", "'re", "'ll", "'ve", "'d", "'m"):
        word = word.removesuffix(ending)
    if not word.isascii() or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in _SUFFIXES:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if len(word) > 3 and word[-1] in "ey":
        word = word[:-1]
    return word


def _word_topics() -> dict[str, tuple[tuple[str, float], ...]]:
    """Stem -> topics it hints at, from the readable lists of the lexicon."""
    table: dict[str, dict[str, float]] = {}
    for topic, listed in lexicon.TOPIC_WORDS.items():
        for entry in listed.split():
            plain, weight = entry.rstrip("*"), 0.5 if entry.endswith("*") else 1.0
            for form in {plain, stem(plain)}:
                hints = table.setdefault(form, {})
                hints[topic] = max(weight, hints.get(topic, 0.0))
    return {word: tuple(hints.items()) for word, hints in table.items()}


_WORD_TOPICS = _word_topics()
_OFF_TOPIC_STEMS = frozenset(stem(word) for word in lexicon.OFF_TOPIC)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(_CAMEL.sub(" ", text.replace("_", " ")))


def content_words(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order and without repeats."""
    seen: dict[str, None] = {}
    for token in _tokens(text):
        low = token.lower()
        if low in lexicon.STOP_WORDS:
            continue
        for part in lexicon.SPELLED_OUT.get(low, (low,)):
            if part not in lexicon.STOP_WORDS:
                seen.setdefault(stem(part))
    return list(seen)


def normalise(text: str) -> str:
    """Lower case, single spaces, no punctuation: for telling whether a text was said before."""
    return " ".join(_TOKEN.findall(text.lower()))


def has_code(message: str) -> bool:
    """Whether a message shows a fenced piece of code."""
    return "```" in message


def without_code(message: str) -> str:
    """The message without its fenced code."""
    return "\n".join(message.split("```")[0::2])


def split_questions(message: str, limit: int = 12) -> list[str]:
    """The questions in a message, one by one; the whole message where none can be told apart.

    Args:
        message: what the agent said; fenced code is left out.
        limit: most questions looked at.
    """
    pieces: list[tuple[str, bool]] = []
    for line in without_code(message)[:6000].splitlines():
        bullet = bool(_BULLET.match(line))
        line = _ABBREVIATED.sub(lambda m: m.group().replace(".", "\u2024"), _BULLET.sub("", line).replace("**", ""))
        line = _ALSO_ASKS.sub("? ", line) if line.rstrip().endswith("?") else line
        parts = [p.replace("\u2024", ".").strip() for p in _SENTENCE_END.split(line)]
        for part in parts:
            if not _tokens(part):
                continue
            # "I'll assume X. Is that right?" asks about X.
            before = pieces[-1][0] if pieces else ""
            if _CONFIRMS.match(part) and before and (part is not parts[0] or _ASSUMES.search(before)):
                pieces[-1] = (f"{before.rstrip('.')}, {part}", pieces[-1][1])
            else:
                pieces.append((part, bullet))
    asked = [p for p, _ in pieces if "?" in p]
    asked += [p for p, bullet in pieces if "?" not in p and (bullet or _ASKING.match(p))]
    order = {p: i for i, (p, _) in enumerate(pieces)}
    # A lead-in such as "To clarify:" is no question when real ones follow.
    asked = [p for p in asked if not p.rstrip().endswith(":")] or asked
    asked.sort(key=lambda p: order[p])
    if not asked:
        whole = " ".join(p for p, _ in pieces)
        return [whole] if whole else []
    return list(dict.fromkeys(asked))[:limit]


def _numbers(text: str) -> frozenset[float]:
    found: set[float] = set()
    for token in _NUMBER.findall(text):
        plain = token.replace(",", "").rstrip("%")
        try:
            value = float(plain)
        except ValueError:
            continue
        found.add(value)
        if token.endswith("%"):
            # "20% more" is a factor of 1.2, "20% off" one of 0.8.
            found |= {round(value / 100, 12), round(1 + value / 100, 12), round(1 - value / 100, 12)}
    found.update(float(lexicon.NUMBER_WORDS[t.lower()]) for t in _tokens(text) if t.lower() in lexicon.NUMBER_WORDS)
    return frozenset(found)


def _quoted(text: str) -> frozenset[str]:
    found = re.findall(r"[\"“”`]([^\"“”`\n]{1,80})[\"“”`]|(?<!\w)['‘]([^'’\n]{1,80})['’](?!\w)", text)
    return frozenset((a or b).strip() for a, b in found if (a or b).strip())


def analyse(text: str, known: Iterable[str] = ()) -> Question:
    """Read one question.

    Args:
        text: the question.
        known: stems of the task's own words; a word among them is never off-topic.
    """
    known = known if isinstance(known, set | frozenset) else frozenset(known)
    bare = _EXAMPLES.sub(" ", text)
    low = " " + " ".join(t.lower() for t in _tokens(bare)) + " "
    words = content_words(bare)
    topics: dict[str, float] = {}
    for word in words:
        for topic, weight in _WORD_TOPICS.get(word, ()):
            topics[topic] = topics.get(topic, 0.0) + weight
    for phrase, topic, weight in lexicon.PHRASE_TOPICS:
        if f" {phrase} " in low:
            topics[topic] = topics.get(topic, 0.0) + weight
    off = {w for w in words if w in _OFF_TOPIC_STEMS and w not in known}
    off |= {p for p in lexicon.OFF_TOPIC_PHRASES if f" {p} " in low and not all(stem(w) in known for w in p.split())}
    everything = any(f" {p} " in low for p in lexicon.EVERYTHING)
    return Question(
        text=text,
        words=tuple(words),
        topics=topics,
        numbers=_numbers(bare),
        quoted=_quoted(text),
        yes_no=bool(_YES_NO.match(bare) or _TAG.search(bare) or _ASSUMES.search(bare)),
        off_topic=frozenset(off),
        everything=everything,
    )
