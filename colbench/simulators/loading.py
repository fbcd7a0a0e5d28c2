"""Turns a name, a class, a function or an object into a collaborator."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from colbench.errors import CollaboratorError, ConfigurationError
from colbench.plugins import import_object, instantiate, near_match
from colbench.simulators.base import Collaborator, CollaboratorContext, Reply

__all__ = ["SIMULATORS", "load_collaborator"]

SIMULATORS: dict[str, str] = {
    "embedded": "colbench.simulators.embedded:EmbeddedCollaborator",
    "human": "colbench.simulators.human:HumanCollaborator",
    "chat": "colbench.simulators.chat:ChatCollaborator",
    "transformers": "colbench.simulators.transformers_sim:TransformersCollaborator",
    "replay": "colbench.simulators.replay:ReplayCollaborator",
}


class _FunctionCollaborator:
    """Gives the contract to a plain function or a synchronous ``reply``."""

    def __init__(self, target: Any, name: str) -> None:
        self._target = target
        self.name = name

    async def reply(self, context: CollaboratorContext) -> Reply:
        """Call the function; a returned string becomes a reply."""
        result = self._target(context)
        if inspect.isawaitable(result):
            result = await result
        if isinstance(result, str):
            return Reply(result)
        if isinstance(result, Reply):
            return result
        raise CollaboratorError(f"{self.name} must return a string or a Reply, actually: {type(result).__name__}")

    def describe(self) -> dict[str, Any]:
        """Name of the function."""
        return {"name": self.name}


def load_collaborator(spec: Any = "embedded", options: Mapping[str, Any] | None = None) -> Collaborator:
    """Find a collaborator by name, ``module:Class``, class, function or object.

    Raises:
        ConfigurationError: for an unknown name or option.
    """
    options = dict(options or {})
    target = spec
    if isinstance(spec, str):
        if spec in SIMULATORS:
            target = import_object(SIMULATORS[spec], "simulator")
        elif ":" in spec:
            target = import_object(spec, "simulator")
        else:
            raise ConfigurationError(
                f"unknown simulator {spec!r}.{near_match(spec, SIMULATORS)} "
                f"Give one of {', '.join(SIMULATORS)} or module:Class."
            )
    label = spec if isinstance(spec, str) else getattr(spec, "__name__", type(spec).__name__)
    found = instantiate(target, options, f"simulator {label!r}")
    reply = getattr(found, "reply", None)
    if reply is None:
        if not callable(found):
            raise ConfigurationError(f"simulator {label!r} has no 'reply' and cannot be called")
        return _FunctionCollaborator(found, label)
    if not inspect.iscoroutinefunction(reply) or not hasattr(found, "describe") or not hasattr(found, "name"):
        return _FunctionCollaborator(reply, getattr(found, "name", label))
    return found
