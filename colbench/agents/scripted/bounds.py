"""The two ends of the scale: an agent that knows everything, and one that says nothing."""

from __future__ import annotations

import copy

from colbench.agents.base import AgentMessage, BaseAgent, EpisodeStart, Observation
from colbench.agents.scripted.policies import SilentPolicy
from colbench.dialogue import ANSWER_MARKER
from colbench.errors import AgentError

__all__ = ["Oracle", "Silent"]


class Oracle(BaseAgent):
    """Answers with the reference at once: what a perfect agent can reach, and a check of the grader.

    It needs training-time information, so its results are marked and belong on no leaderboard.
    """

    name = "oracle"
    needs_training_time_info = True

    def __init__(self) -> None:
        self._message: str | None = None

    def start(self, episode: EpisodeStart) -> Oracle:
        """Take the reference of the episode.

        Raises:
            AgentError: no reference is given.
        """
        info = episode.training_time_info
        if not info or "reference" not in info:
            raise AgentError(
                "the oracle needs the reference: make the environment with training_time_info=True and hand its "
                "training_time_info() to start()"
            )
        language = "python" if "calls" in info else "html"
        mine = copy.copy(self)
        mine._message = f"{ANSWER_MARKER}\n```{language}\n{info['reference'].strip()}\n```"
        return mine

    async def act(self, observation: Observation) -> AgentMessage:
        """Answer.

        Raises:
            AgentError: no episode was started.
        """
        if self._message is None:
            raise AgentError("call start() with training-time information before act()")
        return AgentMessage(self._message)


class Silent(BaseAgent):
    """Never asks anything and never answers; its last message is taken as the answer and scores nothing."""

    name = "silent"

    @property
    def policy(self) -> SilentPolicy:
        """How it moves, for exact values."""
        return SilentPolicy()

    async def act(self, observation: Observation) -> AgentMessage:
        """Say nothing of use."""
        return AgentMessage("...")
