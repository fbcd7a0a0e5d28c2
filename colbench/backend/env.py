"""``ColBench-Backend-v0``: find out by asking which Python function the collaborator wants, and write it.

Version list:

- v0: first release; ten turns, replies cut to 400 characters, strict grading by default.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from colbench.backend.judge import BackendJudge
from colbench.environment import CollaborationEnv
from colbench.episode import REWARDS
from colbench.errors import ConfigurationError
from colbench.settings import EnvSettings
from colbench.tasks.taskset import Kind
from colbench.vector import CollaborationVectorEnv

__all__ = ["BackendEnv", "BackendSettings", "BackendVectorEnv"]


@dataclass(frozen=True)
class BackendSettings(EnvSettings):
    """Options of the backend environment.

    Attributes:
        grading: ``"strict"`` (default) or ``"paper"``; see ``docs/grading.md``.
    """

    grading: Literal["strict", "paper"] = "strict"

    kind: ClassVar[Kind] = "backend"
    rewards: ClassVar[tuple[str, ...]] = REWARDS["backend"]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.grading not in ("strict", "paper"):
            raise ConfigurationError(f"grading must be 'strict' or 'paper', actually: {self.grading!r}")


class BackendEnv(CollaborationEnv):
    """Backend coding by collaboration (paper section 3); see :class:`CollaborationEnv`.

    Example:
        >>> import gymnasium as gym, colbench
        >>> env = gym.make("ColBench-Backend-v0", split="test")
        >>> observation, info = env.reset(seed=0)
        >>> observation["messages"][0]["role"], int(observation["turns_left"])
        ('user', 10)
    """

    env_id = "ColBench-Backend-v0"
    settings_class = BackendSettings

    @classmethod
    def make_judge(cls, settings: Any) -> BackendJudge:
        """The sandboxed grader in the mode asked for."""
        return BackendJudge(settings.grading, allow_weaker=settings.allow_weaker_isolation)


class BackendVectorEnv(CollaborationVectorEnv):
    """Many backend episodes at once; collaborator and grading work overlap."""

    env_class = BackendEnv
