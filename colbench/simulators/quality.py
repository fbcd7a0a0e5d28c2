"""How good a collaborator was over a run, from the records alone.

That is: leaks, "don't know", cut and empty replies, and, on procedural tasks, whether what it said was true.
Scores of agents depend on who answers them; a run whose collaborator contradicts its own task measures the
collaborator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from colbench.simulators.dont_know import says_dont_know
from colbench.simulators.faithfulness import judged
from colbench.tasks.taskset import TaskSet
from colbench.trajectory import Trajectory

__all__ = ["QualityReport", "quality", "says_dont_know"]


@dataclass(frozen=True)
class QualityReport:
    """Figures of one collaborator over some episodes.

    Attributes:
        episodes: episodes with at least one reply, failed ones included.
        replies: replies in them.
        leaks: replies for which at least one attempt spoke of the reference's code.
        leak_attempts: attempts thrown away for it.
        code_removed: replies of which every attempt leaked, so that the code was taken out.
        dont_know: replies that say they do not know.
        cut: replies longer than allowed.
        empty: replies that were empty, or empty at first and asked for again.
        declined: replies declined because the agent's text tripped a content filter or overflowed the context.
        failed: episodes that the collaborator broke, by the class of the error.
        asked: hidden decisions that messages asked about (procedural tasks); declined replies and those of which code
            was taken out are left aside.
        agrees: how many of them the reply agreed with.
        contradicts: how many it contradicted.
        silent: how many it left open.
        by_family: ``[agrees, contradicts, silent]`` of each task family.
    """

    episodes: int = 0
    replies: int = 0
    leaks: int = 0
    leak_attempts: int = 0
    code_removed: int = 0
    dont_know: int = 0
    cut: int = 0
    empty: int = 0
    declined: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    asked: int = 0
    agrees: int = 0
    contradicts: int = 0
    silent: int = 0
    by_family: dict[str, list[int]] = field(default_factory=dict)

    @property
    def faithfulness(self) -> float | None:
        """Share of the replies about a hidden decision, silent ones left out, that agree with it; None without any."""
        said = self.agrees + self.contradicts
        return self.agrees / said if said else None

    def to_json(self) -> dict[str, Any]:
        """JSON object, the share included."""
        return {**asdict(self), "faithfulness": self.faithfulness}

    def lines(self) -> list[str]:
        """The figures in words, one a line."""
        out = [
            f"replies: {self.replies} in {self.episodes} episodes",
            f"leaks: {self._share(self.leaks)} ({self.leak_attempts} attempts, code removed from {self.code_removed})",
            f"don't know: {self._share(self.dont_know)}",
            f"cut: {self._share(self.cut)}",
            f"empty: {self._share(self.empty)}",
            f"declined: {self._share(self.declined)}",
        ]
        if self.failed:
            out.append("failed: " + ", ".join(f"{n} {name}" for name, n in sorted(self.failed.items())))
        if self.asked:
            share = "-" if self.faithfulness is None else f"{self.faithfulness:.1%}"
            out.append(
                f"faithfulness: {share} (asked about {self.asked} hidden decisions: {self.agrees} agree, "
                f"{self.contradicts} contradict, {self.silent} silent)"
            )
        return out

    def _share(self, count: int) -> str:
        return f"{count} ({count / self.replies:.1%})" if self.replies else "0"


def quality(trajectories: Iterable[Trajectory], tasks: TaskSet | None = None) -> QualityReport:
    """The figures of the collaborator of some episodes.

    Args:
        trajectories: the records.
        tasks: where their tasks are found; without them, and for tasks that are not in it or not procedural, nothing
            is said about faithfulness.
    """
    counts: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    families: dict[str, Counter[str]] = {}
    known = {task.task_id: task for task in tasks} if tasks is not None else {}
    for trajectory in trajectories:
        if trajectory.failure is not None and trajectory.failure.boundary == "collaborator":
            failed[trajectory.failure.type] += 1
        counts["episodes"] += trajectory.questions > 0
        task = known.get(trajectory.task_id)
        if task is not None and task.content_hash != trajectory.task_hash:
            task = None
        for turn in trajectory.turns:
            reply = turn.reply
            if reply is None:
                continue
            counts["replies"] += 1
            counts["leaks"] += reply.leak
            counts["leak_attempts"] += int(reply.meta.get("leaks", reply.leak))
            counts["code_removed"] += bool(reply.meta.get("code_removed"))
            counts["cut"] += reply.cut
            counts["empty"] += not reply.text.strip() or bool(reply.meta.get("retried_empty"))
            counts["declined"] += "declined" in reply.meta
            counts["dont_know"] += says_dont_know(reply.text)
            evasive = "declined" in reply.meta or reply.meta.get("code_removed")
            if task is None or task.procedural is None or evasive:
                continue
            family = families.setdefault(task.procedural.family, Counter())
            for _, verdict in judged(task, turn.visible, reply.text):
                counts["asked"] += 1
                counts[verdict] += 1
                family[verdict] += 1
    return QualityReport(
        **dict(counts),
        failed=dict(failed),
        by_family={
            name: [c["agrees"], c["contradicts"], c["silent"]]
            for name, c in sorted(families.items())
            if sum(c.values())
        },
    )
