"""Registers the environments; entry points are names, so that importing the package stays cheap."""

from __future__ import annotations

import gymnasium as gym

__all__ = ["ENV_IDS", "register_envs"]

_ENTRY_POINTS = {
    "ColBench-Backend-v0": ("colbench.backend.env:BackendEnv", "colbench.backend.env:BackendVectorEnv"),
    "ColBench-Frontend-v0": ("colbench.frontend.env:FrontendEnv", "colbench.frontend.env:FrontendVectorEnv"),
}
ENV_IDS = tuple(_ENTRY_POINTS)


def register_envs() -> None:
    """Register both environments; calling it twice is harmless.

    The limit of turns is part of the task and observed, so no ``max_episode_steps`` is registered.
    """
    for env_id, (single, vector) in _ENTRY_POINTS.items():
        if env_id not in gym.registry:
            gym.register(id=env_id, entry_point=single, vector_entry_point=vector)
