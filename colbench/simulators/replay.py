"""The collaborator ``replay``: says again what was said in recorded episodes.

For debugging an agent against fixed replies, for repeating a run whose collaborator cost money, and for teaching: no
model is asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast, get_args

from colbench.errors import CollaboratorError, ConfigurationError
from colbench.run_folder import read_trajectories
from colbench.seeding import derive_seed
from colbench.simulators.base import CollaboratorContext, Reply
from colbench.trajectory import ReplyRecord, Trajectory

__all__ = ["ReplayCollaborator"]

Match = Literal["turn", "message"]


class ReplayCollaborator:
    """Replies from a file of trajectories.

    The episode is found by its seed, which stands for task and repeat; for another run's seed, the first recorded
    episode of the task whose messages agree longest with this one is taken.

    Args:
        path: a run's folder or its trajectories file.
        match: ``"turn"`` gives the reply of the same turn, whatever the agent said; ``"message"`` only where the agent
            said the same in all turns so far.

    Raises:
        ConfigurationError: the file holds no reply, or ``match`` is something else.
        TaskDataError: the file is not one of trajectories.
    """

    name = "replay"

    def __init__(self, path: str | Path = "", *, match: Match = "turn") -> None:
        if not path:
            raise ConfigurationError("simulator 'replay': give path=FOLDER_OR_FILE of recorded trajectories")
        if match not in get_args(Match):
            raise ConfigurationError(f"match must be one of {', '.join(get_args(Match))}, actually: {match!r}")
        self._match = match
        self._episodes: dict[str, list[Trajectory]] = {}
        digests = []
        count = 0
        for _, trajectory in read_trajectories(path):
            if trajectory.questions:
                self._episodes.setdefault(trajectory.task_id, []).append(trajectory)
                count += trajectory.questions
                blob = trajectory.model_dump_json().encode("utf-8", "surrogatepass")
                digests.append(hashlib.sha256(blob).hexdigest())
        if not count:
            raise ConfigurationError(f"{path} holds no replies to say again")
        # Completed episodes before failed ones, then by repeat: what is found does not depend on the order of writing.
        for episodes in self._episodes.values():
            episodes.sort(key=lambda t: (t.status != "completed", t.repeat, t.seed))
        self._hash = hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()[:16]

    async def reply(self, context: CollaboratorContext) -> Reply:
        """The recorded reply.

        Raises:
            CollaboratorError: there is none for this task and turn.
        """
        task_id = context.task.task_id
        episodes = self._episodes.get(task_id)
        if not episodes:
            raise CollaboratorError(f"nothing was recorded for task {task_id!r}")
        said = [message["content"] for message in context.messages if message["role"] == "assistant"]
        same = [t for t in episodes if derive_seed(t.seed, "collaborator", context.turn) == context.seed]
        found = max(same or episodes, key=lambda t: (context.turn < t.questions, _agreement(t, said)))
        agrees = _agreement(found, said) == len(said)
        if self._match == "message" and not agrees:
            raise CollaboratorError(f"task {task_id!r}, turn {context.turn + 1}: nothing was recorded for this message")
        if context.turn >= found.questions:
            raise CollaboratorError(f"task {task_id!r}: only {found.questions} replies were recorded")
        # The cast is safe: there are at least this many turns with a reply, and only the last can be without.
        recorded = cast(ReplyRecord, found.turns[context.turn].reply)
        return Reply(
            recorded.text,
            settled=recorded.settled if agrees else None,
            leak=recorded.leak,
            meta={"repeat": found.repeat, "same_message": agrees},
        )

    def describe(self) -> dict[str, Any]:
        """Name, how replies are matched, and the hash of what was recorded."""
        return {"name": self.name, "match": self._match, "recorded": self._hash}


def _agreement(trajectory: Trajectory, said: Sequence[str]) -> int:
    """How many of the first messages are the same."""
    count = 0
    for turn, text in zip(trajectory.turns, said, strict=False):
        if turn.visible != text:
            break
        count += 1
    return count
