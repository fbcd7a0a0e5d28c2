"""Agents: what plays an episode, and how a user plugs in their own.

- ``oracle``, ``silent``, ``impatient``, ``interviewer``, ``explorer``: agents without a model.
- ``human``: a person at the keyboard.
- ``module:Class`` or ``module:function``: anything that says a message when it is shown an observation.
"""

from colbench.agents.base import Agent, AgentMessage, BaseAgent, EpisodeStart, Observation
from colbench.agents.loading import AGENTS, load_agent, parse_agent

__all__ = [
    "AGENTS",
    "Agent",
    "AgentMessage",
    "BaseAgent",
    "EpisodeStart",
    "Observation",
    "load_agent",
    "parse_agent",
]
