"""ColBench for the verifiers library (its interface ``verifiers.v1``): a taskset, and an environment that plays it.

The model under training speaks first; its messages go to the collaborator, whose replies go back to it, until it
answers; the grader's verdict is the reward. Put both names into a module of your own, since verifiers finds tasksets by
the name of a module::

    # my_colbench.py
    from colbench.exchange.verifiers_v1 import ColBenchEnv, ColBenchTaskset

    __all__ = ["ColBenchEnv", "ColBenchTaskset"]

What goes over the wire and into traces is the id of the task, never its reference.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from colbench.errors import ConfigurationError
from colbench.exchange.game import Game

try:
    vf: Any = importlib.import_module("verifiers.v1")
except ImportError:
    raise ConfigurationError(
        "the adapter for verifiers needs that library, version 0.4 or later: pip install 'verifiers>=0.4'"
    ) from None

__all__ = ["ColBenchConfig", "ColBenchData", "ColBenchEnv", "ColBenchEnvConfig", "ColBenchTask", "ColBenchTaskset"]

_TasksetConfig: Any = vf.TasksetConfig
_TaskData: Any = vf.TaskData
_EnvConfig: Any = vf.EnvConfig


class ColBenchConfig(_TasksetConfig):
    """Options of the taskset.

    Attributes:
        env_id: which environment.
        tasks: a source of tasks.
        split: ``"train"`` or ``"test"``.
        simulator: who answers.
        simulator_options: options of the collaborator.
        max_turns: messages of the agent.
        reward: ``"success"``, ``"pass_rate"`` or ``"similarity"``.
    """

    env_id: str = "ColBench-Backend-v0"
    tasks: str = "bundled"
    split: str = "train"
    simulator: str = "embedded"
    simulator_options: dict[str, Any] = {}
    max_turns: int = 10
    reward: str = "pass_rate"


def _game(config: Any) -> Game:
    names = ("tasks", "split", "simulator", "simulator_options", "max_turns", "reward")
    return Game(config.env_id, **{name: getattr(config, name) for name in names})


class ColBenchData(_TaskData):
    """What a trace says of a task.

    Attributes:
        task_id: its id in the source.
    """

    task_id: str


_Task: Any = vf.Task[ColBenchData, vf.State, vf.TaskConfig]


class ColBenchTask(_Task):
    """One task; it is scored by the environment, which knows the verdict."""


_Taskset: Any = vf.Taskset[ColBenchTask, ColBenchConfig]


class ColBenchTaskset(_Taskset):
    """The tasks of a source, with the built-in instructions."""

    def load(self) -> Iterator[Any]:
        """Yield the tasks."""
        game = _game(self.config)
        for task in game.tasks:
            yield ColBenchTask(
                ColBenchData(
                    id=task.task_id,
                    name=task.task_id,
                    prompt=task.problem_description,
                    system_prompt=game.instructions,
                    task_id=task.task_id,
                ),
                self.config.task,
            )


class ColBenchEnvConfig(_EnvConfig):
    """Options of the environment.

    Attributes:
        taskset: the tasks.
        agent: who is trained or evaluated.
    """

    agent: vf.AgentConfig = vf.AgentConfig()


_Env: Any = vf.Env[ColBenchEnvConfig]


class ColBenchEnv(_Env):
    """The dialogue between the agent and our collaborator."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self._game = _game(self.taskset.config)

    async def run(self, task: Any, agents: Any) -> None:
        """Play one episode."""
        conversation = self._game.begin(task.data.task_id)
        async with agents.agent.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                reply = await conversation.say(segment.last_reply)
                if reply is None:
                    break
                segment = await interaction.turn(reply)
        trace = interaction.trace
        if conversation.failure is not None:
            # An outage is an error of the episode, never a reward of 0.
            raise RuntimeError(f"the episode could not be played: {conversation.failure}")
        episode = conversation.episode
        trace.record_reward("colbench", conversation.reward or 0.0, 1.0)
        trace.info["colbench"] = {
            "task_id": episode.task.task_id,
            "ended_by": episode.dialogue.ended_by,
            "score": None if episode.verdict is None else episode.verdict.score,
            "questions": len(episode.dialogue.heard),
        }
