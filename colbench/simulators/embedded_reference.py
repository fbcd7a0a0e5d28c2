"""The embedded collaborator on any Python reference: which facts a message asks for, and how they are said."""

from __future__ import annotations

import re
from collections.abc import Sequence

from colbench.simulators.base import CollaboratorContext, Reply
from colbench.simulators.embedded_choice import choose_facts, indices, is_relevant
from colbench.simulators.embedded_sentences import MOST_FACTS, compose
from colbench.simulators.facts import Fact, FactSheet, facts_of
from colbench.simulators.facts.named import results_named, rules_for
from colbench.simulators.facts.review import missing_facts
from colbench.simulators.facts.verdict import verdict
from colbench.simulators.facts.words import clip_words
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

__all__ = ["reply_from_reference"]

_REVIEWING = re.compile(
    r"\b(?:look|looks|correct|right|match|matches|satisf\w+|works?|"
    r"changes?|adjust\w*|feedback|let me know|okay|review|acceptable|happy)\b",
    re.I,
)


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
    named = {q.text: rules for q in questions if (rules := rules_for(sheet, results_named(sheet, q)))}
    askable = [q for q in questions if not q.off_topic or q.text in named]
    relevant = [q for q in askable if q.text in named or is_relevant(sheet, q)]
    if not relevant:
        if any(q.everything for q in askable):
            return _unspecific(sheet, said, seed, limit)
        return pick(DONT_KNOW, seed)
    wanted = relevant[:MOST_FACTS]
    if len(wanted) == 1 and wanted[0].text in named:
        picked = named[wanted[0].text][:2]
    elif len(wanted) == 1:
        picked = choose_facts(sheet, wanted[0], said)
        decided = verdict(sheet, wanted[0], picked)
        if decided is not None:
            # A yes or no needs no more than the fact that bears it out.
            opening = pick(YES if decided.answer else NO, seed)
            picked = [decided.fact]
    else:
        picked = _shared_out(sheet, wanted, said, named)
    if not picked:
        return pick(DONT_KNOW, seed)
    if not opening and len(wanted) == 1 and all(i in said for i in indices(sheet, picked)):
        opening = pick(REPEATED, seed)
    return compose(picked[:MOST_FACTS], limit, opening)


def _shared_out(
    sheet: FactSheet, questions: Sequence[Question], said: frozenset[int], named: dict[str, list[Fact]]
) -> list[Fact]:
    """One fact for each of several questions, then further ones in turn."""
    picked: list[Fact] = []
    for _ in range(MOST_FACTS):
        for question in questions:
            rules = [f for f in named.get(question.text, ()) if not any(f is other for other in picked)]
            if len(picked) < MOST_FACTS and question.text in named:
                picked += rules[:1]
            elif len(picked) < MOST_FACTS:
                picked += choose_facts(sheet, question, said, picked, 1)
    return picked


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
    return any("?" in q.text and not _REVIEWING.search(q.text) and is_relevant(sheet, q) for q in questions)


def _review(sheet: FactSheet, message: str, said: frozenset[int], seed: int, limit: int) -> str:
    """What the shown code does not mention: one or two facts."""
    missing = missing_facts(sheet, message)
    fresh = [f for f, i in zip(missing, indices(sheet, missing), strict=True) if i not in said]
    shown = (fresh or missing)[:2]
    if not shown:
        return pick(LOOKS_RIGHT, seed)
    return compose(shown, limit, pick(MISSING, seed))
