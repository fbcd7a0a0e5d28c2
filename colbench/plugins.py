"""How a user plugs in an object of their own by name: ``module:attribute``, with errors that say what was wrong."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from colbench.errors import ConfigurationError

__all__ = ["check_options", "import_object", "instantiate", "near_match"]


def near_match(name: str, choices: Iterable[str]) -> str:
    """A sentence naming the nearest choice, or an empty string."""
    near = get_close_matches(name, list(choices), n=1, cutoff=0.6)
    return f" Did you mean {near[0]!r}?" if near else ""


def check_options(what: str, unknown: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse unknown options.

    Raises:
        ConfigurationError: naming the first unknown option and the near match.
    """
    if unknown:
        known = sorted(known)
        name = next(iter(unknown))
        raise ConfigurationError(
            f"{what}: unknown option {name!r}.{near_match(name, known)} Options: {', '.join(known)}."
        )


def import_object(path: str, what: str) -> Any:
    """Import ``module:attribute``; the current folder is searched too, as ``python -m`` would.

    Raises:
        ConfigurationError: when the module or the attribute does not exist.
    """
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise ConfigurationError(f"{what} {path!r}: write it as module:Name, for example my_agents:MyAgent")
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as problem:
        if problem.name and not module_name.startswith(problem.name):
            raise ConfigurationError(f"{what} {path!r}: importing it needs the module {problem.name!r}") from problem
        raise ConfigurationError(
            f"{what} {path!r}: there is no module {module_name!r} here or in the installed packages"
        ) from None
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            names = [n for n in vars(module) if not n.startswith("_")]
            raise ConfigurationError(
                f"{what} {path!r}: module {module_name!r} has no {attribute!r}.{near_match(attribute, names)}"
            )
        found = getattr(found, part)
    return found


def instantiate(target: Any, options: Mapping[str, Any], what: str) -> Any:
    """Call a class with options that its constructor knows; an object or function is returned as it is.

    Raises:
        ConfigurationError: for an option that the class does not take, or options given to an object.
    """
    if not inspect.isclass(target):
        if options:
            raise ConfigurationError(f"{what}: options {sorted(options)} were given, but it is not a class")
        return target
    parameters = inspect.signature(target).parameters
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        check_options(what, {k: v for k, v in options.items() if k not in parameters}, parameters)
    return target(**options)
