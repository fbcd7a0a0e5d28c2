"""How a user plugs in an object of their own by name: ``module:attribute``, with errors that say what was wrong."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import sys
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from colbench.errors import ConfigurationError

__all__ = ["check_options", "import_object", "instantiate", "near_match", "source_hash"]


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
            f"{what}: unknown option {name!r}.{near_match(name, known)} "
            + (f"Options: {', '.join(known)}." if known else "It takes no options.")
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
    named = {k: p for k, p in parameters.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
    if len(named) == len(parameters):
        check_options(what, {k: v for k, v in options.items() if k not in named}, named)
    missing = [k for k, p in named.items() if p.default is p.empty and k not in options]
    if missing:
        # Named here: a TypeError from deep inside would be printed with all other arguments.
        raise ConfigurationError(f"{what} needs the option {', '.join(map(repr, missing))}")
    return target(**options)


def source_hash(target: Any) -> str | None:
    """First 12 hex digits of the SHA-256 of the file that a user's class or function stands in.

    Returns:
        None for what comes with this package, and for what has no file (a notebook cell, a lambda in a shell).
    """
    kind = target if inspect.isclass(target) or inspect.isfunction(target) else type(target)
    if kind.__module__.partition(".")[0] == "colbench":
        return None
    try:
        file = inspect.getsourcefile(kind)
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12] if file else None
    except (OSError, TypeError):
        return None
