"""What an agent is: it sees messages and the turns left, and says something.

A plain function, a synchronous method or a class without any of the optional parts is enough; see
:func:`colbench.agents.load_agent`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, TypedDict, runtime_checkable

from colbench.usage import Usage

__all__ = ["Agent", "AgentMessage", "BaseAgent", "EpisodeStart", "Observation"]


class Observation(TypedDict):
    """What the agent sees: chat messages (role and content) and the turns left, this one included."""

    messages: tuple[dict[str, str], ...]
    turns_left: int


@dataclass(frozen=True)
class AgentMessage:
    """One message of an agent.

    Attributes:
        text: the raw message, thought included.
        token_ids: the sampled ids, so that a trainer never has to tokenise again.
        logprobs: log-probability of each id under the sampling policy, in nats.
        usage: tokens and cost, where a model was asked.
        finish_reason: as the model server gave it.
        meta: further facts for the record; JSON values only.
    """

    text: str
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    usage: Usage | None = None
    finish_reason: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EpisodeStart:
    """What an agent is told when an episode begins.

    Attributes:
        env_id: id of the environment.
        seed: fixes every choice of the agent in this episode.
        max_turns: number of messages it may send.
        training_time_info: reference, calls and decisions; given only to agents that declare
            ``needs_training_time_info`` (such as the oracle), which are marked so in every result.
    """

    env_id: str
    seed: int
    max_turns: int
    training_time_info: dict[str, Any] | None = field(default=None, repr=False)


@runtime_checkable
class Agent(Protocol):
    """The contract: one coroutine."""

    async def act(self, observation: Observation) -> AgentMessage:
        """Say the next message."""
        ...


class BaseAgent:
    """Optional base class with the defaults that :func:`colbench.agents.load_agent` adds to anything else.

    ``start`` is called once per episode and returns the object whose ``act`` is called in it: an agent with
    state returns a fresh one, so that many episodes can run at once.

    An agent that can answer several observations together has a further method, ``act_batch(observations)``: it takes
    a list of observations of different episodes and returns one :class:`AgentMessage` (or text) each, in the same
    order; plain or a coroutine. A rollout calls it in place of ``act`` for what waits at the same time, provided that
    ``start`` returns the agent itself: an agent with a state per episode cannot be asked for several at once.
    """

    name: str = "agent"
    needs_training_time_info: bool = False

    def start(self, episode: EpisodeStart) -> Agent:
        """Return the agent of one episode; a stateless agent returns itself."""
        return self

    async def act(self, observation: Observation) -> AgentMessage:
        """Say the next message."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """JSON facts that identify this agent; they enter the configuration hash."""
        return {"name": self.name}

    async def aclose(self) -> None:
        """Release what the agent holds; called once after a run."""
