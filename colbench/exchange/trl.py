"""ColBench as an environment of TRL's ``GRPOTrainer``: asking and answering are tools, the reward is the grader's.

TRL makes one environment per rollout, calls ``reset`` with the row of the data set, shows the other public methods to
the model as tools, and asks ``get_reward`` at the end. Nothing of TRL is imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from colbench.aio import run_sync
from colbench.dialogue import ANSWER_MARKER
from colbench.errors import ConfigurationError

if TYPE_CHECKING:
    from colbench.exchange.game import Conversation, Game
    from colbench.tasks.taskset import Kind

__all__ = ["ColBenchTools", "instructions"]

_OVER = "The conversation is over."
_WHAT = {
    "backend": ("a Python function", "the complete function, imports included, in one ```python block"),
    "frontend": ("a web page", "the complete page as HTML"),
}


def instructions(kind: Kind, max_turns: int) -> str:
    """What the model is told about the two tools."""
    what, how = _WHAT[kind]
    text = (
        f"A colleague asks you for {what} and leaves out details that matter. Find them out with the tool `ask`, one "
        "or two points per message, in plain words: the colleague cannot read code. Hand in the result with the tool "
        f"`answer`: {how}. You have {max_turns} messages in all, the answer included; the last one counts as the "
        "answer in any case."
    )
    if kind == "frontend":
        text += " Put a draft of the page into a question and the colleague sees it beside what they have in mind."
    return text


class ColBenchTools:
    """One rollout. Every public method but ``reset`` and ``get_reward`` is a tool.

    Args:
        game: tasks, collaborator and grader.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._conversation: Conversation | None = None

    def reset(self, **row: Any) -> None:
        """Begin the episode of a row.

        Args:
            row: needs ``task_id``; further columns are ignored.

        Raises:
            ConfigurationError: the data set has no ``task_id``.
        """
        if "task_id" not in row:
            raise ConfigurationError("the data set needs a column 'task_id'; make its rows with Game.rows()")
        # All rollouts of a group play the same episode.
        self._conversation = self._game.begin(row["task_id"])

    def ask(self, message: str) -> str:
        """Ask the colleague something, or show a draft, and read the reply.

        Args:
            message: What you say to the colleague.

        Returns:
            The colleague's reply.
        """
        return self._say(message)

    def answer(self, solution: str) -> str:
        """Hand in the final result. This ends the conversation.

        Args:
            solution: The complete result.

        Returns:
            A confirmation.
        """
        return self._say(f"{ANSWER_MARKER} {solution}")

    def get_reward(self) -> float | None:
        """The reward; 0 without an answer; None, which leaves the rollout out, where something else broke."""
        return None if self._conversation is None else self._conversation.reward

    def _say(self, text: str) -> str:
        conversation = self._conversation
        if conversation is None or conversation.done:
            return _OVER
        reply = run_sync(conversation.say(text))
        return _OVER if reply is None else reply
