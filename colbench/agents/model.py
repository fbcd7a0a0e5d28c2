"""An agent that is a language model, wherever the model runs; what it is asked, and what its failures mean.

An outage of the model's server is never the agent's fault: it raises a :class:`colbench.errors.ModelServerError`, and
the episode is played again later. What the agent brought about itself is its own outcome and gets a score: where its
own text overflows its context or trips a content filter, it forfeits, that is, it answers with nothing, and the turn
says so.
"""

from __future__ import annotations

from typing import Any, NoReturn

from colbench.agents.base import AgentMessage, BaseAgent, EpisodeStart, Observation
from colbench.chat.engine import ChatEngine
from colbench.chat.errors import ChatContextError, ChatEmptyError, ChatError, ChatFilterError
from colbench.chat.messages import Message
from colbench.dialogue import ANSWER_MARKER, MAX_TURNS, THOUGHT_MARKER, parse_message
from colbench.errors import AgentError
from colbench.prompts import Prompt, load_prompt
from colbench.prompts.conversation import as_text
from colbench.seeding import derive_seed

__all__ = ["AgentContextError", "ModelAgent"]

_LAST = "(This is your last message: it counts as your answer.)"
_KINDS = ("backend", "frontend")


class AgentContextError(AgentError):
    """The request alone, without a word of the agent, does not fit the agent's model: choose another model or limit."""


class ModelAgent(BaseAgent):
    """Asks a model for every message.

    Args:
        engine: the model.
        name: of the agent.
        prompt: path of a prompt file; None for the built-in prompts. A file with ``{dialogue_history}`` is sent as one
            user message; one with ``{problem_description}`` takes the place of the request; any other is the system
            prompt.
        single_turn: answer at once, without asking.
        think: have the model think in private before ``OUTPUT:``.
    """

    def __init__(
        self,
        engine: ChatEngine,
        *,
        name: str,
        prompt: str | None = None,
        single_turn: bool = False,
        think: bool = False,
    ) -> None:
        self.engine = engine
        self.name = name
        self.single_turn = bool(single_turn)
        suffix = "_single" if self.single_turn else ""
        self._prompts = {kind: load_prompt(prompt, f"agent_{kind}{suffix}") for kind in _KINDS}
        self._thinking = load_prompt(None, "agent_think") if think else None
        self._own_prompt = prompt is not None

    def start(self, episode: EpisodeStart) -> BaseAgent:
        """Return what acts in one episode."""
        return _Player(self, episode)

    async def act(self, observation: Observation) -> AgentMessage:
        """Say the next message of an episode that was not started, as in a loop of one's own."""
        said = sum(message["role"] == "assistant" for message in observation["messages"])
        episode = EpisodeStart("ColBench-Backend-v0", seed=0, max_turns=observation["turns_left"] + said)
        return await self.start(episode).act(observation)

    def describe(self) -> dict[str, Any]:
        """Name, model, options and the hashes of the prompts."""
        facts: dict[str, Any] = {"name": self.name, **self.engine.describe()}
        if self._own_prompt:
            facts["prompt"] = self._prompts["backend"].describe()
        else:
            facts["prompts"] = {kind: prompt.describe() for kind, prompt in self._prompts.items()}
        if self._thinking is not None:
            facts["think"] = self._thinking.describe()
        return {**facts, "single_turn": True} if self.single_turn else facts

    async def aclose(self) -> None:
        """Close the engine's connections."""
        await self.engine.aclose()

    def messages(self, kind: str, observation: Observation, max_turns: int = MAX_TURNS) -> list[Message]:
        """What the model is shown for an observation.

        Args:
            kind: ``"backend"`` or ``"frontend"``.
            observation: what the agent sees.
            max_turns: messages of the whole episode.
        """
        prompt: Prompt = self._prompts[kind]
        said = list(observation["messages"])
        values = {
            "problem_description": said[0]["content"],
            "dialogue_history": as_text(said),
            "max_turns": max_turns,
            "turns_left": observation["turns_left"],
        }
        opening = prompt.fill(values)
        if self._thinking is not None:
            opening = f"{opening}\n\n{self._thinking.text}"
        if "dialogue_history" in prompt.names:
            return [{"role": "user", "content": opening}]
        if "problem_description" in prompt.names:
            return [{"role": "user", "content": opening}, *said[1:]]
        if observation["turns_left"] == 1 and not self.single_turn and not self._own_prompt:
            said[-1] = {**said[-1], "content": f"{said[-1]['content']}\n\n{_LAST}"}
        return [{"role": "system", "content": opening}, *said]


class _Player(BaseAgent):
    """One episode of a model agent."""

    def __init__(self, agent: ModelAgent, episode: EpisodeStart) -> None:
        self._agent = agent
        self._episode = episode
        self._kind = "frontend" if "Frontend" in episode.env_id else "backend"
        self.name = agent.name

    async def act(self, observation: Observation) -> AgentMessage:
        seed, turn = self._episode.seed, self._episode.max_turns - observation["turns_left"]
        shown = self._agent.messages(self._kind, observation, self._episode.max_turns)
        try:
            reply = await self._agent.engine.complete(shown, seed=derive_seed(seed, "act", turn), sample=seed)
        except ChatEmptyError as problem:
            # Saying nothing is something a model does, not an outage; the collaborator hears an empty message.
            return AgentMessage("", usage=problem.usage, finish_reason="empty", meta={"empty": True})
        except (ChatContextError, ChatFilterError) as problem:
            return self._forfeit(problem, observation)
        text, meta = reply.text, dict(reply.meta)
        if self._agent.single_turn and parse_message(text).answer is None:
            text, meta["marker_added"] = _answered(text), True
        return AgentMessage(
            text,
            token_ids=reply.token_ids,
            logprobs=reply.logprobs,
            usage=reply.usage,
            finish_reason=reply.finish_reason,
            meta=meta,
        )

    def _forfeit(self, problem: ChatError, observation: Observation) -> AgentMessage:
        """The outcome of an agent that can say nothing more because of what it said."""
        own = any(message["role"] == "assistant" for message in observation["messages"])
        if not own and not getattr(problem, "of_reply", False):
            _blame_request(problem)
        return AgentMessage(
            ANSWER_MARKER, usage=problem.usage, finish_reason=problem.reason, meta={"forfeit": problem.reason}
        )


def _blame_request(problem: ChatError) -> NoReturn:
    if isinstance(problem, ChatContextError):
        raise AgentContextError(str(problem)) from None
    raise problem


def _answered(text: str) -> str:
    """The message as an answer, the marker set at the beginning of its visible part."""
    before, marker, visible = text.partition(THOUGHT_MARKER)
    return f"{before}{marker} {ANSWER_MARKER}{visible}" if marker else f"{ANSWER_MARKER}\n{text}"
