"""Many episodes at once: bounded concurrency, resume, and failures that stay failures.

An episode that a collaborator, a sandbox or a browser broke is recorded as ``failed``, left out of the mean, and run
again when the same run is started once more. It is never a score of 0.
"""

from __future__ import annotations

import asyncio
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from colbench.agents.base import AgentMessage, BaseAgent, EpisodeStart
from colbench.dialogue import MAX_TURNS
from colbench.episode import Episode, RewardMode
from colbench.errors import AgentError, ColBenchError, ConfigurationError
from colbench.judge import Judge
from colbench.run_folder import RunFolder
from colbench.seeding import derive_seed
from colbench.simulators.base import Collaborator
from colbench.tasks.schema import Task
from colbench.tasks.taskset import TaskSet
from colbench.trajectory import Trajectory
from colbench.version import __version__

__all__ = ["Rollout", "play_episode"]


@dataclass
class Rollout:
    """One agent on one set of tasks.

    Attributes:
        env_id: id of the environment, for the record.
        tasks: the tasks.
        agent: who plays.
        collaborator: who answers.
        judge: who grades.
        seed: with task id and repeat it fixes every episode.
        repeats: episodes per task.
        max_turns: number of agent messages.
        reward: what is paid at the end.
        concurrency: episodes in progress at once; does not change any result.
        extra: further facts for the configuration (JSON values).
    """

    env_id: str
    tasks: TaskSet
    agent: BaseAgent
    collaborator: Collaborator
    judge: Judge
    seed: int = 0
    repeats: int = 1
    max_turns: int = MAX_TURNS
    reward: RewardMode = "success"
    concurrency: int = 16
    extra: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("repeats", "max_turns", "concurrency"):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name} must be at least 1, actually: {getattr(self, name)}")

    @property
    def agent_facts(self) -> dict[str, Any]:
        """What identifies the agent, marked where it is shown what agents must not see."""
        marks = {"sees_reference": True} if self.agent.needs_training_time_info else {}
        return {**self.agent.describe(), **marks}

    def configuration(self) -> dict[str, Any]:
        """Everything that could change the result of an episode.

        The number of tasks and of repeats is not in it, so that a run can be extended; each record carries the hash of
        its own task.
        """
        return {
            "env_id": self.env_id,
            "task_set": self.tasks.name,
            "agent": self.agent_facts,
            "collaborator": self.collaborator.describe(),
            "judge": self.judge.describe(),
            "max_turns": self.max_turns,
            "reward": self.reward,
            "seed": self.seed,
            "version": __version__,
            **self.extra,
        }

    async def run(
        self, out: str | Path, on_episode: Callable[[Trajectory], None] | None = None
    ) -> dict[tuple[str, int], Trajectory]:
        """Play what is missing and return the last record of every episode asked for.

        Args:
            out: the run's folder.
            on_episode: called after each record is written, also for those found from an earlier start.

        Raises:
            ConfigurationError: when the folder belongs to another configuration or another text of a task.
        """
        with RunFolder(out, self.configuration()) as folder:
            done = self._finished(folder)
            wanted = [(task, repeat) for repeat in range(self.repeats) for task in self.tasks]
            for task, repeat in wanted:
                if (task.task_id, repeat) in done and on_episode is not None:
                    on_episode(done[(task.task_id, repeat)])
            missing = ((task, repeat) for task, repeat in wanted if (task.task_id, repeat) not in done)

            def keep(trajectory: Trajectory) -> None:
                folder.append(trajectory)
                done[trajectory.key] = trajectory
                if on_episode is not None:
                    on_episode(trajectory)

            await self._play_all(missing, keep, folder.hash)
            return {(task.task_id, repeat): done[(task.task_id, repeat)] for task, repeat in wanted}

    def _finished(self, folder: RunFolder) -> dict[tuple[str, int], Trajectory]:
        found = {key: t for key, t in folder.latest().items() if t.status == "completed"}
        for (task_id, _), trajectory in found.items():
            try:
                task = self.tasks.get(task_id)
            except ColBenchError:
                continue
            if task.content_hash != trajectory.task_hash:
                raise ConfigurationError(
                    f"{folder.path}: task {task_id!r} has changed since it was played "
                    f"(hash {trajectory.task_hash}, now {task.content_hash}); give another --out"
                )
        return found

    async def _play_all(
        self, work: Iterable[tuple[Task, int]], keep: Callable[[Trajectory], None], config_hash: str
    ) -> None:
        queue: Iterator[tuple[Task, int]] = iter(work)

        async def worker() -> None:
            for task, repeat in queue:
                keep(await self.play(task, repeat, config_hash))

        # A configuration error ends the run: every further episode would meet it too.
        workers = [asyncio.create_task(worker()) for _ in range(self.concurrency)]
        try:
            await asyncio.gather(*workers)
        finally:
            for each in workers:
                each.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            await self.agent.aclose()

    async def play(self, task: Task, repeat: int = 0, config_hash: str = "") -> Trajectory:
        """Play one episode and return its record; a broken one is returned as ``failed``."""
        seed = derive_seed(self.seed, task.task_id, repeat)
        episode = Episode(
            task,
            seed=seed,
            collaborator=self.collaborator,
            judge=self.judge,
            reward=self.reward,
            max_turns=self.max_turns,
            repeat=repeat,
        )
        await play_episode(episode, self.agent, self.env_id)
        return episode.record(
            self.env_id,
            agent=self.agent_facts,
            collaborator=self.collaborator.describe(),
            config_hash=config_hash,
            task_set=self.tasks.name,
            versions={"colbench": __version__, "python": platform.python_version()},
        )


async def play_episode(episode: Episode, agent: BaseAgent, env_id: str) -> None:
    """Let an agent play an episode to its end.

    A failure of any boundary is booked in the episode. Configuration errors are raised: they concern the whole run.
    """
    try:
        player = agent.start(
            EpisodeStart(
                env_id=env_id,
                seed=derive_seed(episode.seed, "agent"),
                max_turns=episode.dialogue.max_turns,
                training_time_info=episode.training_time_info() if agent.needs_training_time_info else None,
            )
        )
        while not episode.done:
            started = time.perf_counter()
            message = await player.act(episode.observation)
            if not isinstance(message, AgentMessage):
                raise AgentError(f"act() must return an AgentMessage, actually: {type(message).__name__}")
            await episode.advance(message, seconds=time.perf_counter() - started)
    except ConfigurationError:
        raise
    except ColBenchError as problem:
        if not episode.done:
            episode.fail(problem)
    except Exception as problem:  # the agent's own code; booked to it, the run goes on
        episode.fail(AgentError(f"{type(problem).__name__}: {problem}"))
