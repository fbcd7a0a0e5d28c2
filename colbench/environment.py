"""The Gymnasium environment that both tasks share: an episode, seen through ``reset`` and ``step``.

Nothing hidden leaves through observation, info, spec, render or repr. Training-time information has a door of its own,
:meth:`CollaborationEnv.training_time_info`, which is locked unless the environment was made with
``training_time_info=True``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium as gym
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from colbench.agents.base import AgentMessage
from colbench.aio import run_sync
from colbench.episode import Episode
from colbench.errors import ColBenchError, ConfigurationError
from colbench.judge import Judge
from colbench.plugins import near_match
from colbench.seeding import derive_seed
from colbench.settings import EnvSettings, parse_settings
from colbench.simulators import load_collaborator
from colbench.spaces import Messages, UnicodeText, encode_text
from colbench.tasks.schema import Task
from colbench.tasks.taskset import TaskSet, task_from_record
from colbench.text import printable

__all__ = ["CollaborationEnv", "Table"]

_RESET_OPTIONS = ("task_id", "task", "repeat")


class Table:
    """What single and vector environments share: tasks, collaborator, judge, and how an episode is chosen.

    Args:
        settings: checked options.
        env_id: id of the environment.
        judge: looks and grades.
    """

    def __init__(self, settings: EnvSettings, env_id: str, judge: Judge) -> None:
        self.settings = settings
        self.env_id = env_id
        self.judge = judge
        self.tasks: TaskSet = settings.load()
        self.collaborator = load_collaborator(settings.simulator, settings.simulator_options)
        self.observation_space = spaces.Dict(
            {
                "messages": Messages(
                    2 * settings.max_turns + 1, settings.dialogue_bytes(self.tasks, judge.reply_chars)
                ),
                "turns_left": spaces.Discrete(settings.max_turns + 1),
            }
        )
        self.action_space = UnicodeText(settings.max_message_bytes)

    def begin(self, generator: Any, seed: int | None, options: Mapping[str, Any] | None) -> Episode:
        """Start the episode that a seed and reset options choose.

        Args:
            generator: the environment's own numpy generator.
            seed: the seed given to ``reset``, if any.
            options: ``task_id`` or ``task`` (a record), and ``repeat``.

        Raises:
            ConfigurationError: for an unknown or contradictory option.
            TaskDataError: for an unknown id or a record that cannot be used.
        """
        if options is not None and not isinstance(options, Mapping):
            raise ConfigurationError(f"reset: options must be a mapping, actually: {options!r}")
        options = dict(options or {})
        for name in options:
            if name not in _RESET_OPTIONS:
                raise ConfigurationError(
                    f"reset: unknown option {name!r}.{near_match(name, _RESET_OPTIONS)} "
                    f"Options: {', '.join(_RESET_OPTIONS)}."
                )
        if "task_id" in options and "task" in options:
            raise ConfigurationError("reset: give either 'task_id' or 'task', not both")
        repeat = options.get("repeat", 0)
        if not isinstance(repeat, int) or repeat < 0:
            raise ConfigurationError(f"reset: repeat must be a whole number from 0, actually: {repeat!r}")
        # Drawn in every reset, so that a reset by id does not shift the episodes after it.
        index = int(generator.integers(len(self.tasks)))
        drawn = int(generator.integers(2**62))
        if "task" in options:
            task = self._given(options["task"])
        elif "task_id" in options:
            task = self.tasks.get(options["task_id"])
        else:
            task = self.tasks[index]
        if options:
            # A group resets to one and the same episode, whatever was drawn before it.
            drawn = derive_seed("group", seed, task.content_hash, repeat)
        return Episode(
            task,
            seed=drawn,
            collaborator=self.collaborator,
            judge=self.judge,
            reward=self.settings.reward,  # type: ignore[arg-type]
            max_turns=self.settings.max_turns,
            repeat=repeat,
        )

    def _given(self, record: Any) -> Task:
        if not isinstance(record, Mapping):
            if getattr(record, "kind", None) == self.settings.kind:
                return record
            raise ConfigurationError(f"reset: 'task' must be a record, actually: {type(record).__name__}")
        return task_from_record(record, self.settings.kind, default_id="given", where="options['task']")

    def clip(self, action: Any) -> tuple[str, bool]:
        """The action as text within the limit, and whether it had to be cut.

        Raises:
            TypeError: when the action is not a string.
        """
        if not isinstance(action, str):
            raise TypeError(f"an action is the agent's message, a str; actually: {type(action).__name__}")
        if len(action) * 4 <= self.settings.max_message_bytes:
            return action, False
        blob = encode_text(action)
        if len(blob) <= self.settings.max_message_bytes:
            return action, False
        # A character that the cut goes through is dropped.
        kept = blob[: self.settings.max_message_bytes]
        while kept and (blob[len(kept)] & 0xC0) == 0x80:
            kept = kept[:-1]
        return kept.decode("utf-8", "surrogatepass"), True

    def info(self, episode: Episode) -> dict[str, Any]:
        """What may be known from outside: never the reference, the calls or the decisions."""
        info: dict[str, Any] = {"task_id": episode.task.task_id, "repeat": episode.repeat}
        if episode.turns:
            last = episode.turns[-1]
            info["message_cut"] = bool(last.meta.get("cut", False))
            if last.reply is not None:
                info["reply_cut"] = last.reply.cut
            if last.page is not None:
                info["page_status"] = last.page.status
        if episode.verdict is not None:
            verdict = episode.verdict
            info["ended_by"] = episode.dialogue.ended_by
            info["score"] = float(verdict.score)
            for name in ("success", "grading", "measure", "isolation"):
                value = getattr(verdict, name)
                if value is not None:
                    info[name] = value
            if verdict.outcomes is not None:
                info["outcomes"] = tuple(outcome["status"] for outcome in verdict.outcomes)
        if episode.failure is not None:
            info["failure"] = episode.failure.model_dump(exclude={"usage"})
        return info


class CollaborationEnv(gym.Env[dict[str, Any], str]):
    """Base of ``ColBench-Backend-v0`` and ``ColBench-Frontend-v0``.

    An action is the agent's message. An observation is ``{"messages": (...), "turns_left": n}``; its first message is
    the request, and the agent's own messages appear as they were shown. Every step but the last pays 0; the last pays
    the graded reward and is ``terminated`` (the turn limit is part of the task, see ``info["ended_by"]``).
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}
    env_id: ClassVar[str]
    settings_class: ClassVar[type[EnvSettings]]

    def __init__(self, **options: Any) -> None:
        self.settings: Any = parse_settings(self.settings_class, self.env_id, options)
        self.render_mode = self.settings.render_mode
        if self.render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigurationError(
                f"{self.env_id}: render_mode must be None or one of {self.metadata['render_modes']}, "
                f"actually: {self.render_mode!r}"
            )
        self._table = Table(self.settings, self.env_id, self.make_judge(self.settings))
        self.observation_space = self._table.observation_space
        self.action_space = self._table.action_space
        self._episode: Episode | None = None
        self._spec: EnvSpec | None = None

    @classmethod
    def make_judge(cls, settings: Any) -> Judge:
        """The judge of this environment's options."""
        raise NotImplementedError

    # gym.make keeps its arguments in the spec; records of the user's own would show the references there.
    @property
    def spec(self) -> EnvSpec | None:
        """The specification it was made from, with records of tasks replaced by a redacted set."""
        return self._spec

    @spec.setter
    def spec(self, value: EnvSpec | None) -> None:
        self._spec = redacted_spec(value, self._table.tasks)

    @property
    def tasks(self) -> TaskSet:
        """The tasks of this environment."""
        return self._table.tasks

    @property
    def episode(self) -> Episode:
        """The episode in progress, for wrappers that record it.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self._episode is None:
            raise gym.error.ResetNeeded("call reset() first")
        return self._episode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: chooses the task and everything the collaborator leaves to chance.
            options: ``task_id`` or ``task`` (a record in the published format), and ``repeat``; the same options
                and seed always give the same episode.
        """
        super().reset(seed=seed)
        self._episode = self._table.begin(self.np_random, seed, options)
        return self._observation(), self._table.info(self._episode)

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Send one message; the reply is the last message of the observation."""
        episode = self.episode
        if episode.done:
            raise gym.error.ResetNeeded("the episode has ended; call reset()")
        text, cut = self._table.clip(action)
        try:
            run_sync(episode.advance(AgentMessage(text, meta={"cut": True} if cut else {})))
        except ColBenchError:
            if self.settings.on_failure == "raise":
                raise
            return self._observation(), math.nan, False, True, self._table.info(episode)
        return self._observation(), episode.reward, episode.done, False, self._table.info(episode)

    def training_time_info(self) -> dict[str, Any]:
        """Reference, calls or decisions, what is settled so far, and known credit: for critics, never for the agent.

        Raises:
            ConfigurationError: unless the environment was made with ``training_time_info=True``.
        """
        if not self.settings.training_time_info:
            raise ConfigurationError(
                "training-time information is hidden; make the environment with training_time_info=True to get it"
            )
        return self.episode.training_time_info()

    def _observation(self) -> dict[str, Any]:
        return dict(self.episode.observation)

    def render(self) -> Any:
        """The dialogue so far as readable text."""
        if self.render_mode is None:
            gym.logger.warn(
                f"render() was called without a render mode; make it with gym.make('{self.env_id}', render_mode='ansi')"
            )
            return None
        return self.render_text()

    def render_text(self) -> str:
        """The dialogue, the turn and, at the end, the score."""
        episode = self.episode
        lines = [
            f"{self.env_id} | task {episode.task.task_id} | turn {len(episode.turns)} of {self.settings.max_turns}"
        ]
        for message in episode.dialogue.messages:
            who = "agent" if message["role"] == "assistant" else "collaborator"
            lines.append(f"\n[{who}]\n{printable(message['content'].strip())}")
        if episode.verdict is not None:
            lines.append(f"\n[ended by {episode.dialogue.ended_by}: score {episode.verdict.score:.3f}]")
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} tasks={self._table.tasks!r} simulator={self._table.collaborator.name!r}>"

    def __str__(self) -> str:
        return repr(self) if self._spec is None else f"<{type(self).__name__}<{self._spec.id}>>"


def redacted_spec(spec: EnvSpec | None, tasks: TaskSet) -> EnvSpec | None:
    """A spec whose ``tasks`` argument shows nothing: names, paths and sets stay, records become the set."""
    if spec is None or isinstance(spec.kwargs.get("tasks"), str | TaskSet | type(None)):
        return spec
    if "tasks" not in spec.kwargs:
        return spec
    return dataclasses.replace(spec, kwargs={**spec.kwargs, "tasks": tasks})
