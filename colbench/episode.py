"""One episode in progress: dialogue, collaborator and judge put together.

Environments, rollouts and the vector environment all advance the same object, so there is one place in which an
episode can go wrong and one that writes its record.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from colbench.agents.base import AgentMessage, Observation
from colbench.dialogue import MAX_TURNS, Dialogue
from colbench.errors import ColBenchError, CollaboratorError
from colbench.judge import Judge, Verdict
from colbench.seeding import derive_seed
from colbench.simulators.base import Collaborator, CollaboratorContext, Reply
from colbench.tasks.schema import BackendTask, Task
from colbench.trajectory import Failure, PageRecord, ReplyRecord, Trajectory, TurnRecord, UsageRecord
from colbench.usage import Usage

if TYPE_CHECKING:
    from colbench.frontend.page import RenderedPage

__all__ = ["REWARDS", "Episode", "RewardMode"]

RewardMode = Literal["success", "pass_rate", "similarity"]
REWARDS: dict[str, tuple[str, ...]] = {"backend": ("success", "pass_rate"), "frontend": ("similarity",)}
"""What each environment can pay; the first is the default."""


@dataclass(frozen=True)
class _Heard:
    reply: Reply
    kept: str
    cut: bool
    seconds: float


class Episode:
    """A single collaboration on one task.

    Args:
        task: the task.
        seed: fixes the collaborator's choices.
        collaborator: answers the agent.
        judge: looks at pages and grades.
        reward: ``"success"`` (1 if all calls pass), ``"pass_rate"`` (fraction), or ``"similarity"``.
        max_turns: number of agent messages.
        repeat: number of the repetition of this task.
    """

    def __init__(
        self,
        task: Task,
        *,
        seed: int,
        collaborator: Collaborator,
        judge: Judge,
        reward: RewardMode = "success",
        max_turns: int = MAX_TURNS,
        repeat: int = 0,
    ) -> None:
        self.task = task
        self.seed = seed
        self.repeat = repeat
        self.collaborator = collaborator
        self.judge = judge
        self.reward_mode = reward
        self.dialogue = Dialogue(task.problem_description, max_turns=max_turns, reply_chars=judge.reply_chars)
        self.turns: list[TurnRecord] = []
        self.settled: list[tuple[str, ...]] = []
        self.settled_known = True
        self.pages: list[RenderedPage] = []
        self.verdict: Verdict | None = None
        self.failure: Failure | None = None
        self._started = time.perf_counter()
        self._seconds = 0.0

    @property
    def done(self) -> bool:
        """Whether the episode is over: graded, or failed."""
        return self.verdict is not None or self.failure is not None

    @property
    def observation(self) -> Observation:
        """What the agent sees now."""
        return {"messages": self.dialogue.messages, "turns_left": self.dialogue.turns_left}

    @property
    def reward(self) -> float:
        """Reward of the last step: 0 until the episode is graded."""
        if self.verdict is None:
            return 0.0
        if self.reward_mode == "success":
            return float(bool(self.verdict.success))
        return float(self.verdict.score)

    async def advance(self, message: AgentMessage, *, seconds: float = 0.0) -> None:
        """Take the agent's message: show it to the collaborator and hear the reply, or grade the answer.

        Args:
            message: what the agent says.
            seconds: wall time the agent took.

        Raises:
            ColBenchError: of the boundary that broke; the episode is then failed, and its record says so.
        """
        if self.done:
            raise ValueError("the episode has ended; start another one")
        parsed = self.dialogue.say(message.text)
        turn = TurnRecord(
            raw=parsed.raw,
            visible=parsed.visible,
            token_ids=message.token_ids,
            logprobs=message.logprobs,
            finish_reason=message.finish_reason,
            usage=_usage(message.usage),
            seconds=round(seconds, 6),
            meta=dict(message.meta),
        )
        self.turns.append(turn)
        try:
            page = await self.judge.look(self.task, parsed.visible)
            if page is not None:
                self.pages.append(page)
                turn.page = PageRecord(html_hash=page.html_hash, png_hash=page.png_hash, status=page.status)
            if self.dialogue.ended_by is None:
                turn.reply = self._reply_record(await self._hear(page))
            else:
                last = self.pages[-1] if self.pages else None
                self.verdict = await self.judge.verdict(self.task, self.dialogue.answer or "", last)
        except ColBenchError as problem:
            self.fail(problem)
            raise
        finally:
            self._seconds = time.perf_counter() - self._started

    async def _hear(self, page: RenderedPage | None) -> _Heard:
        turn = len(self.turns) - 1
        settled = frozenset(name for names in self.settled for name in names)
        context = CollaboratorContext(
            task=self.task,
            messages=self.dialogue.messages,
            seed=derive_seed(self.seed, "collaborator", turn),
            turn=turn,
            max_chars=self.dialogue.reply_chars,
            settled=settled,
            agent_page=page,
            reference_page=await self.judge.reference(self.task),
        )
        started = time.perf_counter()
        try:
            reply = await self.collaborator.reply(context)
        except ColBenchError:
            raise
        except Exception as problem:  # a user's own collaborator may raise anything; it is booked to its boundary
            raise CollaboratorError(f"collaborator raised {type(problem).__name__}: {problem}") from problem
        if not isinstance(reply, Reply):
            raise CollaboratorError(f"a collaborator must return a Reply, actually: {type(reply).__name__}")
        kept, cut = self.dialogue.hear(reply.text)
        return _Heard(reply, kept, cut, time.perf_counter() - started)

    def _reply_record(self, heard: _Heard) -> ReplyRecord:
        reply = heard.reply
        if reply.settled is None:
            self.settled_known = False
        self.settled.append(reply.settled or ())
        return ReplyRecord(
            text=heard.kept,
            cut=heard.cut,
            leak=reply.leak,
            attempts=reply.attempts,
            settled=reply.settled,
            usage=_usage(reply.usage),
            seconds=round(heard.seconds, 6),
            meta=dict(reply.meta),
        )

    def fail(self, problem: BaseException) -> None:
        """Book the episode as failed; it is left out of every mean and can be run again."""
        boundary = problem.boundary if isinstance(problem, ColBenchError) else "agent"
        spent = getattr(problem, "usage", None)
        self.failure = Failure(
            boundary=boundary,
            type=type(problem).__name__,
            message=str(problem)[:2000],
            usage=_usage(spent) if isinstance(spent, Usage) and spent != Usage() else None,
        )

    def training_time_info(self) -> dict[str, Any]:
        """Reference, calls or decisions, what is settled so far, and the known credit (procedural tasks)."""
        task = self.task
        info: dict[str, Any] = {"task_id": task.task_id, "reference": task.ground_truth}
        if isinstance(task, BackendTask):
            info["calls"] = dict(task.test_cases)
        if task.procedural is not None:
            info["decisions"] = [d.model_dump() for d in task.procedural.decisions]
            info["settled"] = [list(names) for names in self.settled] if self.settled_known else None
            if task.procedural.passing and self.settled_known:
                from colbench.credit import known_credit, potential

                info["potential"] = potential(task, [name for names in self.settled for name in names])
                if self.verdict is not None:
                    info["known_credit"] = known_credit(task, self.settled, float(bool(self.verdict.success)))
        return info

    def record(self, env_id: str, **facts: Any) -> Trajectory:
        """The trajectory of what happened so far.

        Args:
            env_id: id of the environment.
            facts: further fields of :class:`Trajectory` (agent, collaborator, config_hash, task_set, versions).
        """
        verdict = self.verdict
        versions: Mapping[str, str] = facts.pop("versions", {})
        return Trajectory(
            env_id=env_id,
            task_id=self.task.task_id,
            task_hash=self.task.content_hash,
            repeat=self.repeat,
            seed=self.seed,
            request=self.task.problem_description,
            max_turns=self.dialogue.max_turns,
            turns=self.turns,
            ended_by=self.dialogue.ended_by if verdict else None,
            answer=self.dialogue.answer,
            score=verdict.score if verdict else None,
            success=verdict.success if verdict else None,
            reward=self.reward if verdict else None,
            outcomes=list(verdict.outcomes) if verdict and verdict.outcomes is not None else None,
            grading=verdict.grading if verdict else None,
            measure=verdict.measure if verdict else None,
            isolation=verdict.isolation if verdict else None,
            status="failed" if verdict is None else "completed",
            failure=self.failure,
            versions={**versions, **(verdict.versions if verdict else {})},
            seconds=round(self._seconds, 6),
            **facts,
        )


def _usage(usage: Usage | None) -> UsageRecord | None:
    return None if usage is None else UsageRecord(**asdict(usage))
