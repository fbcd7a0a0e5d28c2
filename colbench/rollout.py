"""Many episodes at once: bounded concurrency, limits, a budget, resume, and failures that stay failures.

An episode that a collaborator, a sandbox or a browser broke is recorded as ``failed``, left out of the mean, and run
again when the same run is started once more. It is never a score of 0. Records are appended as episodes end and read
back when they are asked for, so a run of any length takes the same memory.
"""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from colbench.agents.base import BaseAgent
from colbench.batching import Batcher, batch_function
from colbench.budget import Budget, Spending
from colbench.dialogue import MAX_TURNS
from colbench.episode import REWARDS, Episode, RewardMode
from colbench.errors import ConfigurationError
from colbench.judge import Judge
from colbench.limits import EpisodeGate, Limits, RunGate
from colbench.playing import GatedCollaborator, GatedJudge, play_episode
from colbench.plugins import source_hash
from colbench.records import Key, Records
from colbench.run_folder import RunFolder
from colbench.seeding import derive_seed
from colbench.simulators.base import Collaborator
from colbench.tasks.schema import Task
from colbench.tasks.taskset import TaskSet
from colbench.trajectory import Trajectory
from colbench.usage import Usage
from colbench.version import __version__

__all__ = ["Rollout", "RunResult", "play_episode"]

OnEpisode = Callable[[Trajectory], None]


class RunResult(Mapping[Key, Trajectory]):
    """The last record of every episode asked for, read from the file when it is looked at.

    Args:
        records: of the run.
        missing: episodes without a completed record.
        stopped: why the run ended before every episode was played, as a sentence; None if it did not.
        total: tokens and money of all starts of the run.
    """

    def __init__(self, records: Records, missing: int, stopped: str | None, total: Usage) -> None:
        self.records = records
        self.missing = missing
        self.stopped = stopped
        self.total = total

    def __getitem__(self, key: Key) -> Trajectory:
        return self.records[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)


_CROWD = 64
_START_SPACING_S = 0.003
_START_WITHIN_S = 1.0


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
        limits: bounds on calls and times; they change no result.
        budget: what the run may cost, over all its starts; not part of the configuration.
        spending: shared by several runs under one budget; None counts this run alone.
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
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)
    spending: Spending | None = None

    def __post_init__(self) -> None:
        for name in ("repeats", "max_turns", "concurrency"):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name} must be at least 1, actually: {getattr(self, name)}")
        if self.reward not in REWARDS[self.judge.kind]:
            raise ConfigurationError(
                f"reward must be one of {', '.join(REWARDS[self.judge.kind])} here, actually: {self.reward!r}"
            )

    @property
    def agent_facts(self) -> dict[str, Any]:
        """What identifies the agent, marked where it is shown what agents must not see."""
        marks: dict[str, Any] = {"sees_reference": True} if self.agent.needs_training_time_info else {}
        # A user's agent is known by its code, too: an edited one must not continue the run of the old one.
        source = source_hash(getattr(self.agent, "wrapped", self.agent))
        if source is not None:
            marks["source"] = source
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

    def _wanted(self) -> Iterator[tuple[Task, int]]:
        return ((task, repeat) for repeat in range(self.repeats) for task in self.tasks)

    async def run(
        self, out: str | Path, on_episode: OnEpisode | None = None, on_found: OnEpisode | None = None
    ) -> RunResult:
        """Play what is missing and return the last record of every episode asked for.

        Args:
            out: the run's folder.
            on_episode: called after each record is written.
            on_found: called for each completed episode of an earlier start; ``on_episode`` by default.

        Raises:
            ConfigurationError: when the folder belongs to another configuration or another text of a task.
        """
        with RunFolder(out, self.configuration()) as folder:
            self._check_tasks(folder)
            found = on_found or on_episode
            if found is not None:
                for trajectory in folder.view(self._keys(folder, completed=True)).stream():
                    found(trajectory)
            spending = self.spending or Spending(self.budget, folder.records.spent, folder.records.lines)
            gate = RunGate(self.limits, spending)

            def keep(trajectory: Trajectory) -> None:
                folder.append(trajectory)
                if on_episode is not None:
                    on_episode(trajectory)

            await self._play_all(folder, keep, gate)
            missing = sum(1 for _ in self._keys(folder, completed=False))
            wanted = folder.view((task.task_id, repeat) for task, repeat in self._wanted())
            return RunResult(wanted, missing, gate.stopped if missing else None, spending.total)

    def _keys(self, folder: RunFolder, *, completed: bool) -> Iterator[Key]:
        for task, repeat in self._wanted():
            place = folder.records.place((task.task_id, repeat))
            if (place is not None and place.completed) is completed:
                yield (task.task_id, repeat)

    def _check_tasks(self, folder: RunFolder) -> None:
        for task, repeat in self._wanted():
            place = folder.records.place((task.task_id, repeat))
            if place is not None and place.completed and place.task_hash != task.content_hash:
                raise ConfigurationError(
                    f"{folder.path}: task {task.task_id!r} has changed since it was played "
                    f"(hash {place.task_hash}, now {task.content_hash}); give another --out"
                )

    async def _play_all(self, folder: RunFolder, keep: OnEpisode, gate: RunGate) -> None:
        # Listed before the first is played: what fails now is not to be played again in this start.
        queue = iter(list(self._keys(folder, completed=False)))
        batch = batch_function(self.agent)
        batcher = Batcher(batch, size=self.limits.batch_size, wait=self.limits.batch_wait) if batch else None
        changed = asyncio.Condition()

        async def worker(place: int) -> None:
            # Hundreds of first requests in one instant would come back in one instant, wave after wave, with the
            # server idle while we work and the other way round.
            if self.concurrency > _CROWD:
                await asyncio.sleep(place * min(_START_SPACING_S, _START_WITHIN_S / self.concurrency))
            while True:
                async with changed:
                    # An open episode that ends early may leave enough of the budget for another one.
                    await changed.wait_for(lambda: not gate.may_change)
                if gate.stopped is not None:
                    return
                key = next(queue, None)
                if key is None:
                    return
                gate.spending.open(key)
                try:
                    task = self.tasks.get(key[0])
                    keep(await self.play(task, key[1], folder.hash, gate=gate, batcher=batcher))
                finally:
                    gate.spending.close(key)
                    async with changed:
                        changed.notify_all()

        # A configuration error ends the run: every further episode would meet it too.
        workers = [asyncio.create_task(worker(place)) for place in range(self.concurrency)]
        try:
            await asyncio.gather(*workers)
        finally:
            for each in workers:
                each.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            for part in (self.agent, self.collaborator):
                close = getattr(part, "aclose", None)
                if close is not None:
                    await close()

    async def play(
        self,
        task: Task,
        repeat: int = 0,
        config_hash: str = "",
        *,
        gate: RunGate | None = None,
        batcher: Batcher | None = None,
    ) -> Trajectory:
        """Play one episode and return its record; a broken one is returned as ``failed``.

        Args:
            task: the task.
            repeat: number of the repetition.
            config_hash: for the record.
            gate: bounds shared with other episodes; the rollout's own limits by default.
            batcher: answers together with other episodes.
        """
        gate = gate or RunGate(self.limits, self.spending or Spending(self.budget))
        calls = EpisodeGate(gate, (task.task_id, repeat))
        episode = Episode(
            task,
            seed=derive_seed(self.seed, task.task_id, repeat),
            collaborator=GatedCollaborator(self.collaborator, calls),
            judge=GatedJudge(self.judge, calls),
            reward=self.reward,
            max_turns=self.max_turns,
            repeat=repeat,
        )
        await play_episode(episode, self.agent, self.env_id, calls, batcher)
        return episode.record(
            self.env_id,
            agent=self.agent_facts,
            collaborator=self.collaborator.describe(),
            config_hash=config_hash,
            task_set=self.tasks.name,
            versions={"colbench": __version__, "python": platform.python_version()},
        )
