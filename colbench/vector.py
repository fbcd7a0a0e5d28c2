"""A batched vector environment: all episodes advance together, so collaborator and grading work overlap.

``SyncVectorEnv`` would wait for each collaborator in turn and ``AsyncVectorEnv`` would start a process, and a sandbox,
for every environment; neither is needed for work that is waiting.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from colbench.agents.base import AgentMessage
from colbench.aio import run_sync
from colbench.environment import CollaborationEnv, Table, redacted_spec
from colbench.episode import Episode
from colbench.errors import ColBenchError, ConfigurationError
from colbench.settings import parse_settings

__all__ = ["CollaborationVectorEnv"]


class CollaborationVectorEnv(VectorEnv[dict[str, Any], Sequence[str], Any]):
    """``num_envs`` episodes that advance together.

    Args:
        num_envs: number of episodes.
        autoreset_mode: what happens when an episode ends; see ``gymnasium.vector.AutoresetMode``.
        **options: the options of the single environment. A failure always ends its episode as truncated with reward
            NaN and ``info["failure"]``, so that one broken collaborator cannot stop the others.
    """

    env_class: ClassVar[type[CollaborationEnv]]
    metadata: dict[str, Any]

    def __init__(
        self, num_envs: int = 1, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, **options: Any
    ) -> None:
        cls = self.env_class
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**cls.metadata, "autoreset_mode": self.autoreset_mode}
        self.settings: Any = parse_settings(cls.settings_class, cls.env_id, options)
        self.render_mode = self.settings.render_mode
        self._table = Table(self.settings, cls.env_id, cls.make_judge(self.settings))
        self.single_observation_space = self._table.observation_space
        self.single_action_space = self._table.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._generators: list[np.random.Generator] = [seeding.np_random(None)[0] for _ in range(num_envs)]
        self._episodes: list[Episode] = []
        self._ended = np.zeros(num_envs, dtype=bool)
        self._spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """The specification, with records of tasks replaced by a redacted set."""
        return self._spec

    @spec.setter
    def spec(self, value: EnvSpec | None) -> None:
        self._spec = redacted_spec(value, self._table.tasks)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin all episodes, or those in ``options["reset_mask"]`` (a boolean array of shape ``(num_envs,)``)."""
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        if mask is None:
            mask = np.ones(self.num_envs, dtype=bool)
        elif not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.shape != (self.num_envs,) or not mask.any():
            raise ConfigurationError(
                f"reset_mask must be a boolean numpy array of shape ({self.num_envs},) with at least one True, "
                f"actually: {mask!r}"
            )
        if not self._episodes and not mask.all():
            raise ConfigurationError("the first reset must reset every environment")
        seeds = self._seeds(seed)
        infos: dict[str, Any] = {}
        episodes: dict[int, Episode] = dict(enumerate(self._episodes))
        for i in np.flatnonzero(mask).tolist():
            if seeds[i] is not None:
                self._generators[i] = seeding.np_random(seeds[i])[0]
            episodes[i] = self._table.begin(self._generators[i], seeds[i], options)
            infos = self._add_info(infos, self._table.info(episodes[i]), i)
        self._episodes = [episodes[i] for i in range(self.num_envs)]
        self._ended = self._ended & ~mask
        return self._observations(), infos

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int):
            return [seed + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ConfigurationError(f"expected {self.num_envs} seeds, actually: {len(seed)}")
        return list(seed)

    def step(self, actions: Sequence[str]) -> tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Send one message in every episode; the work of all of them overlaps."""
        if len(actions) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} messages, actually: {len(actions)}")
        waiting = self._ended if self.autoreset_mode is AutoresetMode.NEXT_STEP else np.zeros_like(self._ended)
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise ValueError(
                f"episodes {np.flatnonzero(self._ended).tolist()} have ended; reset them with options['reset_mask']"
            )
        clipped = {i: self._table.clip(actions[i]) for i in np.flatnonzero(~waiting).tolist()}
        run_sync(self._advance(clipped))
        rewards = np.zeros(self.num_envs, dtype=np.float64)
        terminated = np.zeros(self.num_envs, dtype=bool)
        truncated = np.zeros(self.num_envs, dtype=bool)
        infos: dict[str, Any] = {}
        for i in range(self.num_envs):
            if waiting[i]:
                self._episodes[i] = self._table.begin(self._generators[i], None, None)
            else:
                episode = self._episodes[i]
                failed = episode.failure is not None
                rewards[i] = math.nan if failed else episode.reward
                terminated[i] = episode.done and not failed
                truncated[i] = failed
                if episode.done and self.autoreset_mode is AutoresetMode.SAME_STEP:
                    final = {"final_obs": dict(episode.observation), "final_info": self._table.info(episode)}
                    infos = self._add_info(infos, final, i)
                    self._episodes[i] = self._table.begin(self._generators[i], None, None)
            infos = self._add_info(infos, self._table.info(self._episodes[i]), i)
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._ended = terminated | truncated
        return self._observations(), rewards, terminated, truncated, infos

    async def _advance(self, clipped: dict[int, tuple[str, bool]]) -> None:
        async def one(i: int, text: str, cut: bool) -> None:
            try:
                await self._episodes[i].advance(AgentMessage(text, meta={"cut": True} if cut else {}))
            except ColBenchError:
                # Booked in the episode; reported in its info.
                return

        await asyncio.gather(*(one(i, text, cut) for i, (text, cut) in clipped.items()))

    def _observations(self) -> dict[str, Any]:
        seen = [episode.observation for episode in self._episodes]
        return {
            "messages": tuple(o["messages"] for o in seen),
            "turns_left": np.array([o["turns_left"] for o in seen], dtype=np.int64),
        }

    def training_time_info(self) -> list[dict[str, Any]]:
        """As in the single environment, one entry per episode."""
        if not self.settings.training_time_info:
            raise ConfigurationError(
                "training-time information is hidden; make the environment with training_time_info=True to get it"
            )
        return [episode.training_time_info() for episode in self._episodes]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} num_envs={self.num_envs} tasks={self._table.tasks!r}>"
