"""``ColBench-Frontend-v0``: find out by showing drafts which page the collaborator has in mind.

Version list:

- v0: first release; ten turns, replies cut to 1,000 characters, the last page is the answer.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from colbench.aio import run_sync
from colbench.environment import CollaborationEnv
from colbench.episode import REWARDS, Episode
from colbench.errors import ConfigurationError
from colbench.frontend.judge import RENDERER_OPTIONS, FrontendJudge
from colbench.plugins import check_options
from colbench.settings import EnvSettings
from colbench.tasks.taskset import Kind
from colbench.vector import CollaborationVectorEnv

__all__ = ["FrontendEnv", "FrontendSettings", "FrontendVectorEnv"]

_EMPTY_SIZE = (720, 1280)
_GAP = 16
_GAP_GREY = 128


@dataclass(frozen=True)
class FrontendSettings(EnvSettings):
    """Options of the frontend environment.

    Attributes:
        reward: ``"similarity"``: the chosen measure of the last page rendered in the episode.
        max_message_bytes: longest agent message in UTF-8 bytes; a longer one is cut there.
        similarity: name of a measure (see :mod:`colbench.frontend.similarity`), or one already built.
        similarity_options: of the measure, such as ``weights``.
        workers: number of browsers for the whole process; None lets the renderer choose.
        renderer_options: further options of the renderer, such as ``timeout_s`` or ``picture``.
    """

    reward: str = "similarity"
    max_message_bytes: int = 262_144
    similarity: Any = "clip"
    similarity_options: Mapping[str, Any] = field(default_factory=dict)
    workers: int | None = None
    renderer_options: Mapping[str, Any] = field(default_factory=dict)

    kind: ClassVar[Kind] = "frontend"
    rewards: ClassVar[tuple[str, ...]] = REWARDS["frontend"]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("similarity_options", "renderer_options"):
            if not isinstance(getattr(self, name), Mapping):
                raise ConfigurationError(f"{name} must be a mapping, actually: {getattr(self, name)!r}")
        unknown = {key: value for key, value in self.renderer_options.items() if key not in RENDERER_OPTIONS}
        check_options("renderer_options", unknown, RENDERER_OPTIONS)


class FrontendEnv(CollaborationEnv):
    """Web design by collaboration (paper section 3); see :class:`CollaborationEnv`.

    A message may carry one HTML snippet. It is rendered and shown to the collaborator beside the reference; the last
    page rendered in the episode is the answer. ``info["page_status"]`` says how the rendering went.

    With ``render_mode="rgb_array"`` a frame is a uint8 array (height, width, 3) of the page last shown, white before
    the first; with ``training_time_info=True`` the reference stands on its right.

    Example:
        >>> import gymnasium as gym, colbench
        >>> env = gym.make("ColBench-Frontend-v0", similarity="layout")
        >>> observation, info = env.reset(seed=0)
        >>> observation["messages"][0]["role"], int(observation["turns_left"])
        ('user', 10)
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 1}
    env_id = "ColBench-Frontend-v0"
    settings_class = FrontendSettings

    @classmethod
    def make_judge(cls, settings: Any) -> FrontendJudge:
        """The renderer and the measure asked for."""
        return FrontendJudge(
            settings.similarity,
            settings.workers,
            similarity_options=settings.similarity_options,
            **settings.renderer_options,
        )

    def render(self) -> Any:
        """The dialogue as text, or the picture of the page last shown, as the render mode says."""
        if self.render_mode == "rgb_array":
            return frame_of(self.episode, self.settings.training_time_info)
        return super().render()


class FrontendVectorEnv(CollaborationVectorEnv):
    """Many frontend episodes at once; they share the browsers, and their scores are computed in batches."""

    env_class = FrontendEnv

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """One frame per episode with ``render_mode="rgb_array"``; the frames may differ in height."""
        if self.render_mode != "rgb_array":
            return None
        return tuple(frame_of(episode, self.settings.training_time_info) for episode in self._episodes)


def frame_of(episode: Episode, with_reference: bool) -> NDArray[np.uint8]:
    """Picture of the page last shown, uint8 (height, width, 3).

    Args:
        episode: in progress or ended.
        with_reference: whether the reference stands beside it; only for those who may see training-time information.
    """
    page = next((page for page in reversed(episode.pages) if page.png is not None), None)
    candidate = np.full((*_EMPTY_SIZE, 3), 255, dtype=np.uint8) if page is None else _pixels(page.png)
    if not with_reference:
        return candidate
    reference = run_sync(episode.judge.reference(episode.task))
    assert reference is not None, "a frontend judge renders its references or raises"
    shown = (candidate, _pixels(reference.png))
    height = max(picture.shape[0] for picture in shown)
    frame = np.full((height, shown[0].shape[1] + _GAP + shown[1].shape[1], 3), 255, dtype=np.uint8)
    frame[:, shown[0].shape[1] : shown[0].shape[1] + _GAP] = _GAP_GREY
    frame[: shown[0].shape[0], : shown[0].shape[1]] = shown[0]
    frame[: shown[1].shape[0], shown[0].shape[1] + _GAP :] = shown[1]
    return frame


def _pixels(png: bytes | None) -> NDArray[np.uint8]:
    from PIL import Image

    assert png is not None
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"), dtype=np.uint8)
