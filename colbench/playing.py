"""One episode between an agent, a collaborator and a judge, every slow call of which passes the run's gate."""

from __future__ import annotations

import time
from typing import Any

from colbench.agents.base import Agent, AgentMessage, BaseAgent, EpisodeStart, Observation
from colbench.batching import Batcher
from colbench.episode import Episode
from colbench.errors import AgentError, ColBenchError, CollaboratorError, ConfigurationError
from colbench.judge import Judge, Verdict
from colbench.limits import EpisodeGate
from colbench.seeding import derive_seed
from colbench.simulators.base import Collaborator, CollaboratorContext, Reply

__all__ = ["GatedCollaborator", "GatedJudge", "play_episode"]


class GatedCollaborator:
    """A collaborator whose replies pass a gate.

    Args:
        inner: the collaborator.
        gate: of the episode.
    """

    def __init__(self, inner: Collaborator, gate: EpisodeGate) -> None:
        self._inner = inner
        self._gate = gate
        self.name = inner.name

    async def reply(self, context: CollaboratorContext) -> Reply:
        """The collaborator's reply."""
        return await self._gate.call("collaborator", self._reply, context)

    async def _reply(self, context: CollaboratorContext) -> Reply:
        try:
            return await self._inner.reply(context)
        except ColBenchError:
            raise
        except Exception as problem:  # a user's own collaborator may raise anything, a time-out of its own among it
            raise CollaboratorError(f"collaborator raised {type(problem).__name__}: {problem}") from problem

    def describe(self) -> dict[str, Any]:
        """As the collaborator."""
        return self._inner.describe()


class GatedJudge:
    """A judge whose renderings and verdicts pass a gate.

    Args:
        inner: the judge.
        gate: of the episode.
    """

    def __init__(self, inner: Judge, gate: EpisodeGate) -> None:
        self._inner = inner
        self._gate = gate
        self.kind = inner.kind
        self.reply_chars = inner.reply_chars

    async def look(self, task: Any, visible: str) -> Any:
        """The page a message shows."""
        if self.kind == "backend":
            return await self._inner.look(task, visible)
        return await self._gate.call("rendering", self._inner.look, task, visible)

    async def reference(self, task: Any) -> Any:
        """The reference as rendered."""
        if self.kind == "backend":
            return await self._inner.reference(task)
        return await self._gate.call("rendering", self._inner.reference, task)

    async def verdict(self, task: Any, answer: str, page: Any) -> Verdict:
        """The verdict on an answer."""
        return await self._gate.call("grading", self._inner.verdict, task, answer, page)

    def describe(self) -> dict[str, Any]:
        """As the judge."""
        return self._inner.describe()


async def play_episode(
    episode: Episode,
    agent: BaseAgent,
    env_id: str,
    gate: EpisodeGate | None = None,
    batcher: Batcher | None = None,
) -> None:
    """Let an agent play an episode to its end.

    A failure of any boundary is booked in the episode. Configuration errors are raised: they concern the whole run.

    Args:
        episode: a fresh episode.
        agent: who plays.
        env_id: id of the environment.
        gate: bounds of the run.
        batcher: used in place of ``act`` where the agent returns itself from ``start``, that is, keeps no state.
    """
    try:
        player: Agent = agent.start(
            EpisodeStart(
                env_id=env_id,
                seed=derive_seed(episode.seed, "agent"),
                max_turns=episode.dialogue.max_turns,
                training_time_info=episode.training_time_info() if agent.needs_training_time_info else None,
            )
        )
        speak = batcher.act if batcher is not None and player is agent else player.act

        async def act(seen: Observation) -> AgentMessage:
            try:
                return await speak(seen)
            except SystemExit as problem:  # it would end the whole run, from inside a task
                raise AgentError(f"the agent called sys.exit({problem.code!r})") from None

        while not episode.done:
            if gate is not None:
                gate.next_turn()
            started = time.perf_counter()
            observation = episode.observation
            if gate is None:
                message = await act(observation)
                seconds = time.perf_counter() - started
            else:
                message = await gate.call("agent", act, observation)
                # Without the wait for a place, which says nothing about the agent.
                seconds = gate.seconds
            if not isinstance(message, AgentMessage):
                raise AgentError(f"act() must return an AgentMessage, actually: {type(message).__name__}")
            await episode.advance(message, seconds=seconds)
    except ConfigurationError:
        raise
    except ColBenchError as problem:
        if not episode.done:
            episode.fail(problem)
    except Exception as problem:  # the agent's own code; booked to it, the run goes on
        episode.fail(AgentError(f"{type(problem).__name__}: {problem}"))
