"""A collaborator for web pages that needs no model: it compares the two rendered pages and says what it would change.

Deterministic, offline, and limited on purpose: a few remarks per turn, in words, without HTML, class names or exact
colours. Results that used it carry its name and are never mixed with those of a simulated person.
"""

from __future__ import annotations

import random
from typing import Any

from colbench.errors import CollaboratorError
from colbench.frontend.comparison import LOOKS_RIGHT, Difference, differences, to_words
from colbench.frontend.differences.answers import answer_facts, topics_of
from colbench.frontend.differences.reading import parse_reply
from colbench.frontend.differences.remarks import remark_sentence
from colbench.frontend.differences.vocabulary import Target
from colbench.frontend.extraction import extract_html
from colbench.frontend.page import RenderedPage
from colbench.simulators.base import CollaboratorContext, Reply

__all__ = ["EmbeddedFrontend"]

VERSION = 1
_NO_PAGE = ("I cannot see a page yet.", "There is no page to look at yet.")
_NOT_ON_IT = "There is nothing like that on the page I have in mind."
# A difference on the topic that was asked about comes before others up to this many times as large.
_ON_TOPIC = 4.0
_IN_VAIN = 0.4


class EmbeddedFrontend:
    """Answers from the two rendered pages.

    Args:
        limit: most remarks in one reply.
    """

    name = "embedded"

    def __init__(self, limit: int = 4) -> None:
        self.limit = limit

    async def reply(self, context: CollaboratorContext) -> Reply:
        """Say the largest differences, those on the topic asked first; with nothing to see, facts on that topic.

        Raises:
            CollaboratorError: if the reference page was not rendered or not measured.
        """
        reference = context.reference_page
        if reference is None:
            raise CollaboratorError(
                f"task {context.task.task_id}: the embedded collaborator needs the rendered reference page, got none"
            )
        question = _without_html(context.messages[-1]["content"]) if context.messages else ""
        page = context.agent_page
        if page is None or not page.elements or page.status == "blank":
            text, shown = self._without_page(question, reference, context), []
        else:
            shown = self._ordered(question, differences(page, reference), self._said_before(context))
            text = to_words(shown, self.limit, context.max_chars, context.seed)
        meta: dict[str, Any] = {"page": page is not None and bool(page.elements), "differences": len(shown)}
        return Reply(text=text, settled=None, meta=meta)

    def _without_page(self, question: str, reference: RenderedPage, context: CollaboratorContext) -> str:
        rng = random.Random(context.seed)
        sentences = [rng.choice(_NO_PAGE)]
        facts = answer_facts(question, reference, self.limit)
        for sentence in [remark_sentence(fact, rng.randrange(2)) for fact in facts] or [_NOT_ON_IT]:
            if len(" ".join([*sentences, sentence])) <= context.max_chars:
                sentences.append(sentence)
        return " ".join(sentences)[: context.max_chars]

    @staticmethod
    def _said_before(context: CollaboratorContext) -> dict[tuple[str, Target], int]:
        """How often each wish was uttered in the earlier replies of this episode, whatever the value was then."""
        counts: dict[tuple[str, Target], int] = {}
        for message in context.messages[1:]:
            if message["role"] == "user":
                for remark in parse_reply(message["content"]):
                    key = (remark.property, remark.target)
                    counts[key] = counts.get(key, 0) + 1
        return counts

    @staticmethod
    def _ordered(question: str, found: list[Difference], said: dict[tuple[str, Target], int]) -> list[Difference]:
        """What the message asks about moves up; what was asked for in vain moves down, as people do not insist."""
        nouns, properties = topics_of(question) if "?" in question else (set[str](), set[str]())

        def weight(place: int) -> float:
            remark = found[place].remark
            asked = remark.target.noun in nouns or (not nouns and remark.property in properties)
            # The list is ordered by more than the magnitude alone, so the place counts as well.
            base = found[place].magnitude / (1 + 0.02 * place)
            return base * (_ON_TOPIC if asked else 1.0) * _IN_VAIN ** said.get((remark.property, remark.target), 0)

        order = sorted(range(len(found)), key=lambda place: (-weight(place), place))
        return [found[place] for place in order]

    def describe(self) -> dict[str, Any]:
        """JSON facts that identify this collaborator."""
        return {"name": self.name, "kind": "frontend", "version": VERSION, "limit": self.limit, "alike": LOOKS_RIGHT}


def _without_html(message: str) -> str:
    """What is said beside the page: the page's own source names every part there is."""
    html = extract_html(message)
    return message if html is None else message.replace(html, " ")
