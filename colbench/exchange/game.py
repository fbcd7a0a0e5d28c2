"""The environment for trainers that drive the dialogue themselves: a task begins, the model speaks, a reward comes.

Trainers differ in what they call things; what they share is here, so that an adapter is a few lines.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from colbench.agents.base import AgentMessage
from colbench.environment import CollaborationEnv, Table
from colbench.episode import Episode
from colbench.errors import ColBenchError, ConfigurationError
from colbench.plugins import near_match
from colbench.prompts import load_prompt
from colbench.registration import ENV_IDS
from colbench.run_tasks import kind_of
from colbench.settings import parse_settings
from colbench.tasks.taskset import TaskSet

__all__ = ["Conversation", "Game"]


class Conversation:
    """One episode, driven from outside.

    Args:
        episode: a fresh episode.
    """

    def __init__(self, episode: Episode) -> None:
        self.episode = episode

    @property
    def request(self) -> str:
        """The collaborator's first message."""
        return self.episode.task.problem_description

    @property
    def done(self) -> bool:
        """Whether it is over: graded, or failed."""
        return self.episode.done

    @property
    def turns_left(self) -> int:
        """Messages that may still be sent."""
        return self.episode.dialogue.turns_left

    @property
    def failure(self) -> str | None:
        """Why it failed, where something other than the agent broke."""
        failure = self.episode.failure
        return None if failure is None else f"{failure.boundary}: {failure.message}"

    @property
    def reward(self) -> float | None:
        """The reward; 0 for an episode that was left without an answer, None for one that failed."""
        return None if self.episode.failure is not None else self.episode.reward

    async def say(self, text: str) -> str | None:
        """Send a message; returns the reply, or None when this ended the episode.

        Raises:
            ConfigurationError: everything would fail in the same way.
        """
        if self.done:
            return None
        try:
            await self.episode.advance(AgentMessage(text))
        except ConfigurationError:
            raise
        except ColBenchError:
            # Booked in the episode: no reward, so that an outage never teaches a model anything.
            return None
        return None if self.done else self.episode.dialogue.heard[-1]


class Game:
    """Tasks, collaborator and grader of one environment.

    Args:
        env_id: ``"ColBench-Backend-v0"`` or ``"ColBench-Frontend-v0"``.
        **options: as of ``gym.make``.

    Raises:
        ConfigurationError: for an unknown environment or option.
    """

    def __init__(self, env_id: str = "ColBench-Backend-v0", **options: Any) -> None:
        if env_id not in ENV_IDS:
            raise ConfigurationError(f"unknown environment {env_id!r}.{near_match(env_id, ENV_IDS)}")
        cls = _env_class(env_id)
        self.env_id = env_id
        self.settings: Any = parse_settings(cls.settings_class, env_id, options)
        self._table = Table(self.settings, env_id, cls.make_judge(self.settings))

    @property
    def tasks(self) -> TaskSet:
        """The tasks."""
        return self._table.tasks

    @property
    def instructions(self) -> str:
        """What the agent is told first: the built-in prompt of agents."""
        prompt = load_prompt(None, f"agent_{kind_of(self.env_id)}")
        return prompt.fill({"max_turns": self.settings.max_turns})

    def begin(self, task_id: str, repeat: int = 0) -> Conversation:
        """Begin an episode; the same task and repeat always give the same one.

        Raises:
            TaskDataError: for an unknown task.
        """
        options = {"task_id": task_id, "repeat": repeat}
        return Conversation(self._table.begin(np.random.default_rng(0), 0, options))

    def rows(self, limit: int | None = None) -> list[dict[str, Any]]:
        """Rows of a data set: ``prompt`` (instructions for the tools, and the request) and ``task_id``.

        Args:
            limit: only the first tasks.
        """
        from colbench.exchange.trl import instructions

        system = {"role": "system", "content": instructions(kind_of(self.env_id), self.settings.max_turns)}
        tasks = self.tasks if limit is None else self.tasks[:limit]
        return [
            {"prompt": [system, {"role": "user", "content": task.problem_description}], "task_id": task.task_id}
            for task in tasks
        ]

    def environment(self) -> Any:
        """A fresh environment for TRL: give this method as ``environment_factory``."""
        from colbench.exchange.trl import ColBenchTools

        return ColBenchTools(self)

    def __repr__(self) -> str:
        return f"Game({self.env_id!r}, {self.tasks!r})"


def _env_class(env_id: str) -> type[CollaborationEnv]:
    if kind_of(env_id) == "frontend":
        from colbench.frontend.env import FrontendEnv

        return FrontendEnv
    from colbench.backend.env import BackendEnv

    return BackendEnv
