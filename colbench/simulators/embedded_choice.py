"""Which facts answer a question: those on the topic asked, best first, and none beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from colbench.simulators.facts import Fact, FactSheet
from colbench.simulators.matching import Question, content_words

__all__ = ["choose_facts", "indices", "is_relevant"]

_GENERIC = frozenset(
    content_words(
        "result results input inputs output value values number numbers list dictionary data name names item items key "
        "keys string text type return record records entry entries field fields parameter case cases true false "
        "condition rule format"
    )
)
_UNUSUAL = frozenset(content_words("zero negative empty missing none unknown"))
_ANY_EDGE = frozenset(content_words("edge corner special"))
_Scored = tuple[float, int, int, Fact]
_SAID_PENALTY = 4.0
_WORTH_SAYING = 0.6
_HARDLY = 0.2
_TELLING = (": ", "list of ", "dictionary with ", "dictionary that ", "the text ")
_TOPIC_ENOUGH = 1.0


def indices(sheet: FactSheet, facts: Iterable[Fact]) -> list[int]:
    """Positions of facts in their sheet."""
    position = {id(f): i for i, f in enumerate(sheet.facts)}
    return [position[id(f)] for f in facts]


def is_relevant(sheet: FactSheet, question: Question) -> bool:
    """Whether a question is about the task at all."""
    if question.topics and max(question.topics.values()) >= _TOPIC_ENOUGH:
        return True
    if question.quoted & {q for f in sheet.facts for q in f.quoted}:
        return True
    specific = {w for w in _specific(sheet, question) if w not in _UNUSUAL}
    # A single chance word in a long question is no sign of interest in the task.
    return bool(specific) and (len(specific) >= 2 or len(question.words) <= 6 or bool(question.topics))


def _specific(sheet: FactSheet, question: Question) -> dict[str, float]:
    """The task's own words in a question, rare ones weighing more."""
    found: dict[str, float] = {}
    for word in question.words:
        if word in _GENERIC or (word not in sheet.vocabulary and word not in _UNUSUAL):
            continue
        spread = sum(word in fact.words for fact in sheet.facts)
        if spread:
            found[word] = 1.0 / (1.0 + 0.4 * math.log(spread))
    return found


def _leading(sheet: FactSheet, question: Question) -> list[str]:
    """The topics a question is about, in the order in which it names them."""
    strongest = max(question.topics.values(), default=0.0)
    if strongest < _TOPIC_ENOUGH:
        return []
    found = [t for t, w in question.topics.items() if w >= max(_TOPIC_ENOUGH, 0.6 * strongest)]
    if "formula" in found:
        # "How is the result calculated?" asks for the calculation, and for what decides it where nothing is calculated.
        calculated = any("formula" in fact.topics for fact in sheet.facts)
        found = [t for t in found if t != ("result" if calculated else "formula")]
        found += [] if calculated or "result" in found else ["result"]
    return found


def choose_facts(
    sheet: FactSheet, question: Question, said: frozenset[int], taken: Sequence[Fact] = (), room: int = 3
) -> list[Fact]:
    """The facts that answer a question, best first; what was said before comes after what was not.

    Args:
        sheet: all facts of the reference.
        question: the question.
        said: positions of facts that earlier replies held.
        taken: facts already chosen for this reply.
        room: most facts wanted.
    """
    specific = _specific(sheet, question)
    leading = _leading(sheet, question)
    strongest = max(question.topics.values(), default=0.0)
    topics = {t: w for t, w in question.topics.items() if w >= 0.5 * strongest}
    topics |= {t: strongest for t in leading if t not in topics}
    quoted = {q.lower() for q in question.quoted}
    named = {word for word in specific if word not in _UNUSUAL}
    # A fact beside the topic counts only for what no fact on the topic speaks of.
    beside = named - {w for f in sheet.facts if f.topics & set(leading) for w in f.words}
    scored: list[_Scored] = []
    for position, fact in enumerate(sheet.facts):
        if any(fact is other for other in taken):
            continue
        by_topic = sum(w for t, w in topics.items() if t in fact.topics)
        by_word = sum(w for word, w in specific.items() if word in fact.words)
        by_name = 2.0 * len(quoted & {q.lower() for q in fact.quoted}) + 1.5 * len(question.numbers & fact.numbers)
        if leading and not fact.topics & set(leading) and not by_name and not (beside & fact.words):
            continue
        if specific and not by_word and not by_name and max(specific.values()) > 0.5 and len(specific) >= 2:
            by_topic *= 0.5
        if by_topic + by_word + by_name < 0.5 or (
            fact.importance < _HARDLY and not fact.topics & set(leading) and not by_name
        ):
            continue
        # A fact with many topics answers none of them as squarely as one with few.
        score = by_topic * (1.0 + 0.3 / (1 + len(fact.topics))) + 2.2 * by_word + by_name + 1.2 * fact.importance
        if leading and not fact.topics & set(leading) and not by_name:
            score *= 0.5
        known = position in said
        scored.append((-(score - (_SAID_PENALTY if known else 0.0)), known, position, fact))
    scored.sort(key=lambda item: item[:3])
    if not scored:
        return []
    scored = _on_what_is_named(question, scored, specific)
    fresh = [item for item in scored if not item[1]]
    if all(item[3].importance < _HARDLY for item in fresh) and any(item[3].importance >= _HARDLY for item in scored):
        # Better to say again what there is than only what there is not.
        scored = [(s - (_SAID_PENALTY if known else 0.0), known, at, f) for s, known, at, f in scored]
        scored.sort(key=lambda item: item[:3])
        fresh = []
    ranked = fresh or scored
    best = max(-ranked[0][0], -scored[0][0])
    good = [fact for negative, _, _, fact in ranked if -negative >= _WORTH_SAYING * best]
    if len(leading) > 1 and not specific and not quoted:
        good = _one_each(leading, [fact for _, _, _, fact in ranked]) or good
    return _without_repeats(good or [scored[0][3]], room)


def _on_what_is_named(question: Question, scored: list[_Scored], specific: dict[str, float]) -> list[_Scored]:
    """Only facts about the unusual cases that a question names ("empty", "negative"), where there are any."""
    named = _UNUSUAL & specific.keys()
    if not named or set(question.words) & _ANY_EDGE:
        return scored
    about = [item for item in scored if item[3].words & named]
    return about or scored


def _one_each(leading: Sequence[str], ranked: Sequence[Fact]) -> list[Fact]:
    """One fact for every topic of a question that names several, then further ones in the same turn."""
    found: list[Fact] = []
    queues = {topic: [f for f in ranked if topic in f.topics] for topic in leading}
    for turn in range(3):
        for topic in leading:
            if turn < len(queues[topic]) and not any(f is queues[topic][turn] for f in found):
                found.append(queues[topic][turn])
    return found


def _says(known: Fact, other: Fact) -> bool:
    """Whether one fact holds all that another one says."""
    lead = "the result is "
    none = "there is no special rule for "
    if known.text.startswith(none) and other.text.startswith(none):
        return True
    core = other.text.removeprefix(lead).removeprefix("the text ")
    if core in known.text:
        return True
    both = known.text.startswith(lead) and other.text.startswith(lead) and " if " not in f" {other.text}"
    if both and any(mark in known.text for mark in _TELLING):
        return True
    return both and bool(other.quoted) and other.quoted <= known.quoted and other.numbers <= known.numbers


def _without_repeats(facts: Sequence[Fact], room: int) -> list[Fact]:
    """Facts up to the room, without those that a better one says already."""
    kept: list[Fact] = []
    for fact in facts:
        if any(_says(other, fact) for other in kept):
            continue
        kept.append(fact)
        if len(kept) == room:
            break
    return kept
