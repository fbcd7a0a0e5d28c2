"""Trajectories as chat messages, for supervised fine-tuning.

Private thought (what stands before ``OUTPUT:``) is not seen in later turns. A single conversation per episode cannot
show that; where an agent thinks in private, :func:`to_turns` gives every response with exactly the history it had.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from colbench.trajectory import Trajectory

__all__ = ["to_messages", "to_turns"]

Message = dict[str, str]


def _facts(trajectory: Trajectory) -> dict[str, Any]:
    return {"task_id": trajectory.task_id, "repeat": trajectory.repeat, "score": trajectory.score}


def _opening(trajectory: Trajectory, system: str | None) -> list[Message]:
    request = {"role": "user", "content": trajectory.request}
    return [request] if system is None else [{"role": "system", "content": system}, request]


def to_messages(trajectory: Trajectory, system: str | None = None) -> dict[str, Any]:
    """One conversation: ``{"messages": [...]}`` with each response as the agent wrote it.

    Args:
        trajectory: a completed episode.
        system: a system prompt to begin with.
    """
    messages = _opening(trajectory, system)
    for turn in trajectory.turns:
        messages.append({"role": "assistant", "content": turn.raw})
        if turn.reply is not None:
            messages.append({"role": "user", "content": turn.reply.text})
    return {"messages": messages, **_facts(trajectory)}


def to_turns(trajectory: Trajectory, system: str | None = None) -> Iterator[dict[str, Any]]:
    """One row per turn: ``prompt`` is what the agent saw, ``completion`` what it wrote.

    Args:
        trajectory: a completed episode.
        system: a system prompt to begin with.
    """
    history = _opening(trajectory, system)
    for number, turn in enumerate(trajectory.turns):
        completion = [{"role": "assistant", "content": turn.raw}]
        yield {"prompt": list(history), "completion": completion, "turn": number, **_facts(trajectory)}
        history.append({"role": "assistant", "content": turn.visible})
        if turn.reply is not None:
            history.append({"role": "user", "content": turn.reply.text})
