"""Asks the embedded collaborator again: it is exact, so an edited reply shows, whoever edited it and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from colbench.dialogue import Dialogue
from colbench.errors import ColBenchError
from colbench.seeding import derive_seed
from colbench.simulators.base import CollaboratorContext
from colbench.simulators.embedded import EmbeddedCollaborator
from colbench.tasks.schema import Task
from colbench.trajectory import Trajectory

__all__ = ["Replayed", "replay"]


@dataclass(frozen=True)
class Replayed:
    """What asking again gave.

    Attributes:
        differing: turns (from 1) whose reply, or whose settled decisions, are not those recorded.
        settled: decisions that the replies settled, as we found them; None where the collaborator cannot know.
    """

    differing: tuple[int, ...]
    settled: tuple[str, ...] | None


async def replay(
    trajectory: Trajectory, task: Task, reply_chars: int, pages: Sequence[Any] = (), reference: Any = None
) -> Replayed:
    """Ask the embedded collaborator every question of a dialogue again.

    Args:
        trajectory: a dialogue that keeps to the protocol.
        task: its task.
        reply_chars: replies are cut there.
        pages: the rendered page of each turn or None (frontend).
        reference: the rendered reference (frontend).
    """
    collaborator = EmbeddedCollaborator()
    dialogue = Dialogue(trajectory.request, max_turns=trajectory.max_turns, reply_chars=reply_chars)
    settled: list[str] = []
    known = True
    differing = []
    for turn, recorded in enumerate(trajectory.turns):
        dialogue.say(recorded.raw)
        if recorded.reply is None:
            break
        context = CollaboratorContext(
            task=task,
            messages=dialogue.messages,
            seed=derive_seed(trajectory.seed, "collaborator", turn),
            turn=turn,
            max_chars=reply_chars,
            settled=frozenset(settled),
            agent_page=pages[turn] if turn < len(pages) else None,
            reference_page=reference,
        )
        try:
            reply = await collaborator.reply(context)
        except ColBenchError:
            differing.append(turn + 1)
            dialogue.hear(recorded.reply.text)
            continue
        if reply.text[:reply_chars] != recorded.reply.text or reply.settled != recorded.reply.settled:
            differing.append(turn + 1)
        settled += reply.settled or ()
        known = known and reply.settled is not None
        # What was recorded goes on, so that one edited reply is one finding.
        dialogue.hear(recorded.reply.text)
    return Replayed(tuple(differing), tuple(settled) if known else None)
