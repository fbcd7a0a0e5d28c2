"""The options of an environment, checked once for the single and the vector environment.

A misspelt option must be an error that names the near match: a benchmark that silently ignores ``max_turn=3`` reports
numbers of another benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from colbench.dialogue import MAX_TURNS
from colbench.errors import ConfigurationError
from colbench.plugins import check_options, near_match
from colbench.spaces import encode_text
from colbench.tasks.loading import load_tasks
from colbench.tasks.taskset import Kind, TaskSet

__all__ = ["MESSAGE_OVERHEAD", "EnvSettings", "parse_settings"]

# Bytes that the encoding of a dialogue needs for one message beside its text.
MESSAGE_OVERHEAD = 9


@dataclass(frozen=True)
class EnvSettings:
    """Options that both environments share.

    Attributes:
        tasks: a source (see :mod:`colbench.tasks.loading`), a :class:`TaskSet`, or records.
        split: ``"train"`` or ``"test"``.
        simulator: name, ``module:Class`` or object of the collaborator.
        simulator_options: passed to the collaborator's class.
        max_turns: number of agent messages, the answer included.
        reward: what ``step`` pays at the end.
        training_time_info: whether :meth:`training_time_info` may be called.
        on_failure: ``"raise"`` raises the error of a broken collaborator or grader; ``"truncate"`` ends the episode
            with reward NaN and ``info["failure"]``, as vector environments need it.
        allow_weaker_isolation: run answers although the sandbox is below ``full`` isolation.
        max_message_bytes: longest agent message in UTF-8 bytes; a longer one is cut there.
        render_mode: ``None`` or one of the environment's modes.
    """

    # Kept out of the repr: records of the user's own hold references.
    tasks: Any = field(default="bundled", repr=False)
    split: Literal["train", "test"] = "train"
    simulator: Any = "embedded"
    simulator_options: Mapping[str, Any] = field(default_factory=dict)
    max_turns: int = MAX_TURNS
    reward: str = "success"
    training_time_info: bool = False
    on_failure: Literal["raise", "truncate"] = "raise"
    allow_weaker_isolation: bool = False
    max_message_bytes: int = 65_536
    render_mode: str | None = None

    kind: ClassVar[Kind]
    rewards: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        if self.reward not in self.rewards:
            raise ConfigurationError(
                f"reward must be one of {', '.join(self.rewards)}, actually: {self.reward!r}."
                f"{near_match(str(self.reward), self.rewards)}"
            )
        if self.on_failure not in ("raise", "truncate"):
            raise ConfigurationError(f"on_failure must be 'raise' or 'truncate', actually: {self.on_failure!r}")
        # A truthy "no" must not unlock what is hidden.
        for name in ("training_time_info", "allow_weaker_isolation"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigurationError(f"{name} must be True or False, actually: {getattr(self, name)!r}")
        if not isinstance(self.simulator_options, Mapping):
            raise ConfigurationError(f"simulator_options must be a mapping, actually: {self.simulator_options!r}")
        for name, low in (("max_turns", 1), ("max_message_bytes", 64)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < low:
                raise ConfigurationError(f"{name} must be a whole number of at least {low}, actually: {value!r}")

    def load(self) -> TaskSet:
        """The tasks of these options."""
        return load_tasks(self.tasks, kind=self.kind, split=self.split)

    def dialogue_bytes(self, requests: TaskSet, reply_chars: int) -> int:
        """An upper bound of the encoded dialogue, so that shared memory always holds it."""
        # A record given to reset(options={"task": ...}) may have a longer request than any in the set.
        longest = max(len(encode_text(task.problem_description)) for task in requests)
        request = max(longest, 65_536)
        turn = self.max_message_bytes + 4 * reply_chars + 2 * MESSAGE_OVERHEAD
        return request + MESSAGE_OVERHEAD + self.max_turns * turn


def parse_settings(cls: type[EnvSettings], env_id: str, options: Mapping[str, Any]) -> Any:
    """Make the settings of an environment from keyword arguments.

    Raises:
        ConfigurationError: for an unknown option, naming the near match, or a bad value.
    """
    known = [f.name for f in fields(cls)]
    check_options(env_id, {k: v for k, v in options.items() if k not in known}, known)
    return cls(**options)
