"""A collaborator for web pages that needs no model: it compares the two rendered pages and says what it would change.

Deterministic, offline, and limited on purpose: a few remarks per turn, in words, without HTML, class names or exact
colours. Results that used it carry its name and are never mixed with those of a simulated person.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from colbench.errors import CollaboratorError
from colbench.frontend.comparison import LOOKS_RIGHT, Difference, differences, to_words
from colbench.frontend.differences.answers import answer_facts, topics_of
from colbench.frontend.differences.remarks import remark_sentence
from colbench.frontend.extraction import extract_html
from colbench.frontend.page import RenderedPage
from colbench.simulators.base import CollaboratorContext, Reply

__all__ = ["EmbeddedFrontend"]

VERSION = 1
_NO_PAGE = ("I cannot see a page yet.", "There is no page to look at yet.")
_NOT_ON_IT = "There is nothing like that on the page I have in mind."
# A difference on the topic that was asked about comes before others up to this many times as large.
_ON_TOPIC = 4.0


class EmbeddedFrontend:
    """Answers from the two rendered pages.

    Args:
        limit: most remarks in one reply.
    """

    name = "embedded"

    def __init__(self, limit: int = 4) -> None:
        self.limit = limit

    async def reply(self, context: CollaboratorContext) -> Reply:
        """Say the largest differences, those on the topic asked first; without a page, facts on the topic asked.

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
        if page is None or not page.elements:
            text, shown = self._without_page(question, reference, context), []
        else:
            shown = self._on_topic(question, differences(page, reference))
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
    def _on_topic(question: str, found: list[Difference]) -> list[Difference]:
        """Differences that the message asks about move up; the rest keeps its order."""
        if "?" not in question:
            return found
        nouns, properties = topics_of(question)

        def weight(difference: Difference) -> float:
            remark = difference.remark
            asked = remark.target.noun in nouns or (not nouns and remark.property in properties)
            return difference.magnitude * (_ON_TOPIC if asked else 1.0)

        order = sorted(range(len(found)), key=lambda i: (-weight(found[i]), i))
        return [replace(found[i]) for i in order]

    def describe(self) -> dict[str, Any]:
        """JSON facts that identify this collaborator."""
        return {"name": self.name, "kind": "frontend", "version": VERSION, "limit": self.limit, "alike": LOOKS_RIGHT}


def _without_html(message: str) -> str:
    """What is said beside the page: the page's own source names every part there is."""
    html = extract_html(message)
    return message if html is None else message.replace(html, " ")
