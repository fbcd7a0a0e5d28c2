"""Pairs of a better and a worse episode of one task, for preference training."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from colbench.exchange.chat import to_messages
from colbench.records import Key, Records

__all__ = ["preference_pairs"]


@dataclass(frozen=True, slots=True)
class _Candidate:
    score: float
    questions: int
    run: int
    key: Key


def preference_pairs(
    runs: Sequence[Records], *, min_gap: float = 0.0, system: str | None = None
) -> Iterator[dict[str, Any]]:
    """The best against the worst episode of every task that was played more than once.

    Two episodes that begin with the same turns share them: they are part of the prompt, and what follows is compared.
    Between equal scores the shorter dialogue is the better one and the longer the worse one.

    Args:
        runs: records of one or more runs on the same tasks.
        min_gap: smallest difference of the scores; tasks on which all scores are equal are always left out.
        system: a system prompt to begin with.

    Yields:
        ``prompt``, ``chosen`` and ``rejected``, each a list of chat messages, with the task and both scores.
    """
    tasks: dict[tuple[str, str], list[_Candidate]] = defaultdict(list)
    for number, records in enumerate(runs):
        for trajectory in records.stream():
            if trajectory.status == "completed" and trajectory.score is not None:
                found = _Candidate(trajectory.score, trajectory.questions, number, trajectory.key)
                # Tasks that only share a name are no pair.
                tasks[(trajectory.task_id, trajectory.task_hash)].append(found)
    for (task_id, _), candidates in tasks.items():
        best = min(candidates, key=lambda c: (-c.score, c.questions))
        worst = min(candidates, key=lambda c: (c.score, -c.questions))
        if best.score <= worst.score or best.score - worst.score < min_gap:
            continue
        good, bad = (to_messages(runs[c.run][c.key], system)["messages"] for c in (best, worst))
        shared = _shared(good, bad)
        yield {
            "prompt": good[:shared],
            "chosen": good[shared:],
            "rejected": bad[shared:],
            "task_id": task_id,
            "chosen_score": best.score,
            "rejected_score": worst.score,
        }


def _shared(good: list[dict[str, str]], bad: list[dict[str, str]]) -> int:
    """Number of messages at the beginning that are the same, up to the agent's next word."""
    count = 0
    while count < min(len(good), len(bad)) - 1 and good[count] == bad[count]:
        count += 1
    while good[count - 1]["role"] != "user":
        count -= 1
    return count
