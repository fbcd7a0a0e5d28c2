"""Collaborators: who answers the agent.

- ``embedded``: answers from the reference itself, without a model, deterministically.
- ``human``: a person at the keyboard.
- ``module:Class`` or any object with a ``reply`` coroutine; a plain function is wrapped.
"""

from colbench.simulators.base import Collaborator, CollaboratorContext, Reply
from colbench.simulators.loading import SIMULATORS, load_collaborator

__all__ = ["SIMULATORS", "Collaborator", "CollaboratorContext", "Reply", "load_collaborator"]
