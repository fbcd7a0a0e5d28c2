"""Agents that design pages without a model."""

from colbench.agents.pages.agents import Blank, Draft, Reviser

__all__ = ["Blank", "Draft", "Reviser"]
