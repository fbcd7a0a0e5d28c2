"""Turns a name, a class, a function or an object into an agent that a rollout can run."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from colbench.agents.base import Agent, AgentMessage, BaseAgent, EpisodeStart, Observation
from colbench.aio import in_thread
from colbench.errors import AgentError, ConfigurationError
from colbench.plugins import import_object, instantiate, near_match

__all__ = ["AGENTS", "load_agent", "parse_agent"]

AGENTS: dict[str, str] = {
    "oracle": "colbench.agents.scripted:Oracle",
    "silent": "colbench.agents.scripted:Silent",
    "impatient": "colbench.agents.scripted:Impatient",
    "interviewer": "colbench.agents.scripted:Interviewer",
    "explorer": "colbench.agents.scripted:Explorer",
    "blank": "colbench.agents.pages:Blank",
    "draft": "colbench.agents.pages:Draft",
    "reviser": "colbench.agents.pages:Reviser",
    "human": "colbench.agents.human:HumanAgent",
    "chat": "colbench.agents.chat:ChatAgent",
    "transformers": "colbench.agents.transformers_agent:TransformersAgent",
}


class _Wrapped(BaseAgent):
    """Gives the contract to a function, a synchronous ``act``, or a class without the optional parts."""

    def __init__(self, target: Any, act: Any, name: str) -> None:
        self._target = target
        self._act = act
        self.name = name
        self.needs_training_time_info = bool(getattr(target, "needs_training_time_info", False))
        self.act_batch = getattr(target, "act_batch", None)

    def start(self, episode: EpisodeStart) -> Agent:
        start = getattr(self._target, "start", None)
        if start is None:
            return self
        started = start(episode)
        return _Wrapped(started, getattr(started, "act", started), self.name)

    async def act(self, observation: Observation) -> AgentMessage:
        if inspect.iscoroutinefunction(self._act):
            result = await self._act(observation)
        else:
            # In a thread, so that a blocking client does not hold all other episodes.
            result = await in_thread(self._act, observation)
            if inspect.isawaitable(result):
                result = await result
        if isinstance(result, str):
            return AgentMessage(result)
        if isinstance(result, AgentMessage):
            return result
        raise AgentError(f"agent {self.name!r} must return a str or an AgentMessage, got {type(result).__name__}")

    def describe(self) -> dict[str, Any]:
        describe = getattr(self._target, "describe", None)
        facts = describe() if callable(describe) else {}
        return {"name": self.name, **facts}

    @property
    def wrapped(self) -> Any:
        """What the user gave."""
        return self._target

    async def aclose(self) -> None:
        close = getattr(self._target, "aclose", None)
        if close is not None:
            await close()


def load_agent(spec: Any, options: Mapping[str, Any] | None = None) -> BaseAgent:
    """Find an agent by name, ``module:Class``, class, function or object.

    Args:
        spec: a name of :data:`AGENTS`; ``module:Class`` or ``module:function``; or the thing itself. A function takes
            the observation and returns the message as text.
        options: passed to the class.

    Raises:
        ConfigurationError: for an unknown name or option.
    """
    target = spec
    label = spec if isinstance(spec, str) else getattr(spec, "__name__", type(spec).__name__)
    if isinstance(spec, str):
        if spec in AGENTS:
            target = import_object(AGENTS[spec], "agent")
        elif ":" in spec:
            target = import_object(spec, "agent")
        else:
            raise ConfigurationError(
                f"unknown agent {spec!r}.{near_match(spec, AGENTS)} Give one of {', '.join(AGENTS)} or module:Class."
            )
    found = instantiate(target, options or {}, f"agent {label!r}")
    if isinstance(found, BaseAgent):
        return found
    act = getattr(found, "act", None)
    if act is None:
        if not callable(found):
            raise ConfigurationError(f"agent {label!r} has no 'act' and cannot be called")
        act = found
    return _Wrapped(found, act, str(getattr(found, "name", label)))


def parse_agent(text: str) -> tuple[str, dict[str, Any]]:
    """Read ``name`` or ``name?key=value&key=value`` as the command line gives it.

    Example:
        >>> parse_agent("interviewer?topics=3")
        ('interviewer', {'topics': 3})
    """
    name, _, query = text.partition("?")
    options: dict[str, Any] = {}
    for part in filter(None, query.split("&")):
        key, equals, value = part.partition("=")
        if not equals:
            raise ConfigurationError(f"agent {text!r}: write options as name=value, actually: {part!r}")
        options[key] = _literal(value)
    return name, options


def _literal(value: str) -> Any:
    for read in (int, float):
        try:
            return read(value)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": None}.get(value.lower(), value)
