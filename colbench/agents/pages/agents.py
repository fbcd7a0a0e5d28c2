"""Three agents that design pages without a model: the floor, the first guess, and the patient reviser."""

from __future__ import annotations

from colbench.agents.base import AgentMessage, BaseAgent, EpisodeStart, Observation
from colbench.agents.pages.drafting import draft_page
from colbench.agents.pages.html import page_html
from colbench.agents.pages.model import Block
from colbench.agents.pages.revision import apply_remark
from colbench.dialogue import ANSWER_MARKER
from colbench.errors import ConfigurationError

__all__ = ["Blank", "Draft", "Reviser"]

_BLANK = "<!DOCTYPE html>\n<html><head><title>Page</title></head><body></body></html>"


def _answer(html: str) -> AgentMessage:
    return AgentMessage(f"{ANSWER_MARKER}\n```html\n{html}\n```")


class Blank(BaseAgent):
    """Answers with an empty page at once: what a page is worth that nobody has designed."""

    name = "blank"

    async def act(self, observation: Observation) -> AgentMessage:
        """Answer."""
        return _answer(_BLANK)


class Draft(BaseAgent):
    """Draws one generic page from the request's words, shows it once, and answers with it."""

    name = "draft"

    async def act(self, observation: Observation) -> AgentMessage:
        """Show the draft, or answer with it."""
        html = page_html(draft_page(observation["messages"][0]["content"]))
        if len(observation["messages"]) > 1 or observation["turns_left"] <= 1:
            return _answer(html)
        return AgentMessage(f"Here is a first draft.\n```html\n{html}\n```\nWhat should be different?")


class Reviser(BaseAgent):
    """Draws the same draft, then does what the collaborator says, turn by turn.

    It understands the sentences of the embedded frontend collaborator (:func:`colbench.frontend.comparison.to_words`)
    and passes over any other. It answers when there is nothing left to do, or no turn left to show it.

    Args:
        turns: number of replies that it acts upon at most; None for as many as there are.

    Raises:
        ConfigurationError: if ``turns`` is negative.
    """

    name = "reviser"

    def __init__(self, turns: int | None = None) -> None:
        if turns is not None and (not isinstance(turns, int) or turns < 0):
            raise ConfigurationError(f"turns must be a whole number from 0, actually: {turns!r}")
        self.turns = turns
        self._page: Block | None = None
        self._replies = 0

    def start(self, episode: EpisodeStart) -> Reviser:
        """An agent with a page of its own."""
        return Reviser(self.turns)

    async def act(self, observation: Observation) -> AgentMessage:
        """Show the page as the last reply asks for it, or answer with it."""
        messages = observation["messages"]
        if self._page is None:
            self._page = draft_page(messages[0]["content"])
            changed = True
        else:
            changed = self._revise(messages[-1]["content"])
        html = page_html(self._page)
        done = self.turns is not None and self._replies >= self.turns
        if done or not changed or observation["turns_left"] <= 1:
            return _answer(html)
        ask = "Is this closer?" if self._replies else "What should be different?"
        return AgentMessage(f"Here is the page.\n```html\n{html}\n```\n{ask}")

    def _revise(self, reply: str) -> bool:
        from colbench.frontend.differences.reading import parse_reply

        assert self._page is not None
        self._replies += 1
        # Each remark is done, also after one that changed nothing.
        return any([apply_remark(self._page, remark) for remark in parse_reply(reply)])

    def describe(self) -> dict[str, object]:
        """Name and number of replies acted upon."""
        return {"name": self.name, "turns": self.turns}
