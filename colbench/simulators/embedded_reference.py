"""The embedded collaborator on any Python reference: which facts a message asks for, and how they are said."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from colbench.simulators.base import CollaboratorContext, Reply
from colbench.simulators.facts import Fact, FactSheet, facts_of
from colbench.simulators.facts.review import missing_facts
from colbench.simulators.facts.verdict import verdict
from colbench.simulators.facts.words import capitalise, clip_words
from colbench.simulators.matching import (
    Question,
    analyse,
    content_words,
    has_code,
    normalise,
    split_questions,
    without_code,
)
from colbench.simulators.wordings import ALL_SAID, DONT_KNOW, LOOKS_RIGHT, MISSING, NO, REPEATED, YES, pick
from colbench.tasks.schema import BackendTask

__all__ = ["MOST_FACTS", "choose_facts", "compose", "reply_from_reference"]

MOST_FACTS = 3
_GENERIC = frozenset(
    content_words(
        "result results input inputs output value values number numbers list dictionary data name names item items key "
        "keys string text type return record records entry entries field fields parameter case cases true false "
        "condition rule format"
    )
)
_UNUSUAL = frozenset(content_words("zero negative empty missing none unknown"))
_REVIEWING = re.compile(
    r"\b(?:look|looks|correct|right|match|matches|satisf\w+|works?|"
    r"changes?|adjust\w*|feedback|let me know|okay|review|acceptable|happy)\b",
    re.I,
)
_SAID_PENALTY = 4.0
_WORTH_SAYING = 0.6
_TOPIC_ENOUGH = 1.0


def reply_from_reference(context: CollaboratorContext) -> Reply:
    """Answer the last message from what the reference says."""
    task = context.task
    assert isinstance(task, BackendTask)
    sheet = facts_of(task.ground_truth, task.entry_point)
    message = context.messages[-1]["content"]
    earlier = normalise(" ".join(m["content"] for m in context.messages[1:-1] if m["role"] == "user"))
    said = frozenset(i for i, fact in enumerate(sheet.facts) if normalise(fact.text) in earlier)
    text = _answer(sheet, message, said, context, _known_words(sheet, task))
    return Reply(clip_words(text, context.max_chars), settled=None)


def _known_words(sheet: FactSheet, task: BackendTask) -> frozenset[str]:
    """The words that are no change of subject: those of the reference and of the request."""
    return sheet.vocabulary | frozenset(content_words(task.problem_description))


def _answer(
    sheet: FactSheet, message: str, said: frozenset[int], context: CollaboratorContext, known: frozenset[str]
) -> str:
    seed, limit = context.seed, context.max_chars
    questions = [analyse(part, known) for part in split_questions(message)]
    if has_code(message) and not _asks_besides(sheet, questions, message):
        return _review(sheet, message, said, seed, limit)
    picked: list[Fact] = []
    opening = ""
    askable = [q for q in questions if not q.off_topic]
    relevant = [q for q in askable if _relevant(sheet, q)]
    if not relevant:
        if any(q.everything for q in askable):
            return _unspecific(sheet, said, seed, limit)
        return pick(DONT_KNOW, seed)
    wanted = relevant[:MOST_FACTS]
    for position, question in enumerate(wanted):
        room = MOST_FACTS if len(wanted) == 1 else 2 if len(wanted) == 2 and position == 0 else 1
        ranked = choose_facts(sheet, question, said, picked)[:room]
        if position == 0:
            decided = verdict(sheet, question, ranked[:1]) if len(wanted) == 1 else None
            opening = "" if decided is None else pick(YES if decided else NO, seed)
            # A yes or no needs no more than the fact that bears it out.
            ranked = ranked[:1] if opening else ranked
        picked += [sheet.facts[i] for i in _indices(sheet, ranked)]
    if not picked:
        return pick(DONT_KNOW, seed)
    if not opening and len(wanted) == 1 and all(i in said for i in _indices(sheet, picked)):
        opening = pick(REPEATED, seed)
    return compose(picked[:MOST_FACTS], limit, opening)


def _indices(sheet: FactSheet, facts: Iterable[Fact]) -> list[int]:
    position = {id(f): i for i, f in enumerate(sheet.facts)}
    return [position[id(f)] for f in facts]


def _relevant(sheet: FactSheet, question: Question) -> bool:
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


def choose_facts(sheet: FactSheet, question: Question, said: frozenset[int], taken: Sequence[Fact] = ()) -> list[Fact]:
    """The facts that answer a question, best first; what was said before comes after what was not.

    Args:
        sheet: all facts of the reference.
        question: the question.
        said: positions of facts that earlier replies held.
        taken: facts already chosen for this reply.
    """
    specific = _specific(sheet, question)
    strongest = max(question.topics.values(), default=0.0)
    topics = {t: w for t, w in question.topics.items() if w >= 0.5 * strongest}
    leading = {t for t, w in question.topics.items() if w >= max(strongest, _TOPIC_ENOUGH)}
    quoted = {q.lower() for q in question.quoted}
    scored: list[tuple[float, int, int, Fact]] = []
    for position, fact in enumerate(sheet.facts):
        if any(fact is other for other in taken):
            continue
        by_topic = sum(w for t, w in topics.items() if t in fact.topics)
        by_word = sum(w for word, w in specific.items() if word in fact.words)
        by_name = 2.0 * len(quoted & {q.lower() for q in fact.quoted}) + 1.5 * len(question.numbers & fact.numbers)
        if specific and not by_word and not by_name and max(specific.values()) > 0.5 and len(specific) >= 2:
            by_topic *= 0.5
        if by_topic + by_word + by_name < 0.5 or (fact.importance < 0.2 and not fact.topics & leading and not by_name):
            continue
        # A fact with many topics answers none of them as squarely as one with few.
        score = by_topic * (1.0 + 0.3 / (1 + len(fact.topics))) + 2.2 * by_word + by_name + 1.2 * fact.importance
        known = position in said
        scored.append((-(score - (_SAID_PENALTY if known else 0.0)), known, position, fact))
    scored.sort(key=lambda item: item[:3])
    if not scored:
        return []
    fresh = [item for item in scored if not item[1]]
    ranked = fresh or scored
    best = max(-ranked[0][0], -scored[0][0])
    return [fact for negative, _, _, fact in ranked if -negative >= _WORTH_SAYING * best] or [scored[0][3]]


def _unspecific(sheet: FactSheet, said: frozenset[int], seed: int, limit: int) -> str:
    """Answer "what else?": the most important facts not said yet, at most two."""
    left = [(-f.importance, i) for i, f in enumerate(sheet.facts) if i not in said and f.importance >= 0.25]
    left.sort()
    if not left:
        return pick(ALL_SAID if sheet.facts else DONT_KNOW, seed)
    return compose([sheet.facts[i] for _, i in left[:MOST_FACTS]], limit)


def _asks_besides(sheet: FactSheet, questions: Sequence[Question], message: str) -> bool:
    """Whether a message that shows code asks something more than whether it is right."""
    outside = without_code(message)
    if "?" not in outside:
        return False
    return any("?" in q.text and not _REVIEWING.search(q.text) and _relevant(sheet, q) for q in questions)


def _review(sheet: FactSheet, message: str, said: frozenset[int], seed: int, limit: int) -> str:
    """What the shown code does not mention: one or two facts."""
    missing = missing_facts(sheet, message)
    fresh = [f for f, i in zip(missing, _indices(sheet, missing), strict=True) if i not in said]
    shown = (fresh or missing)[:2]
    if not shown:
        return pick(LOOKS_RIGHT, seed)
    return compose(shown, limit, pick(MISSING, seed))


def compose(facts: Sequence[Fact], limit: int, opening: str = "") -> str:
    """Facts as one or two sentences that fit the limit.

    Args:
        facts: at most three, the first is always said (shortened only where it alone is too long).
        limit: most characters.
        opening: words before the first fact, such as "Yes, ".
    """
    sentences = [opening + facts[0].text if opening else facts[0].text]
    total = len(sentences[0]) + 1
    rest = [f.text for f in facts[1:MOST_FACTS]]
    for text in rest:
        if total + len(text) + 7 > limit:
            continue
        if len(sentences) == 1:
            sentences.append(text)
        elif len(sentences[0]) <= len(sentences[1]) and ";" not in sentences[0] and not opening:
            sentences[0] = _joined(sentences[0], text)
        else:
            sentences[1] = _joined(sentences[1], text)
        total += len(text) + 7
    whole = " ".join(_sentence(s) for s in sentences)
    return clip_words(whole, limit)


def _joined(first: str, second: str) -> str:
    short = len(first) + len(second) < 130 and ", " not in first and " if " not in f" {first}"
    return f"{first}, and {second}" if short else f"{first}; {second}"


def _sentence(text: str) -> str:
    text = capitalise(text)
    return text if text.endswith((".", "!", "?", "…")) else text + "."
