"""Which families exist, and which of them a request comes from."""

from __future__ import annotations

import difflib
import re

from colbench.errors import ConfigurationError
from colbench.tasks.procedural.families import BACKEND_FAMILIES
from colbench.tasks.procedural.family import Family
from colbench.tasks.schema import BackendTask

__all__ = ["backend_families", "family_named", "family_of", "register"]

_registered: dict[str, Family] = {family.name: family for family in BACKEND_FAMILIES}

_DEF = re.compile(r"\bdef\s+([A-Za-z_]\w*)\s*\(")


def backend_families() -> tuple[Family, ...]:
    """The built-in families, in the order in which tasks are drawn from them."""
    return BACKEND_FAMILIES


def register(family: Family) -> Family:
    """Make a family of your own known to ids, requests and agents; ask for its tasks with ``families=[name]``.

    Raises:
        ConfigurationError: another family has that name or that function name.
    """
    for other in _registered.values():
        if other is not family and (other.name == family.name or other.function_name == family.function_name):
            raise ConfigurationError(
                f"family {family.name!r} ({family.function_name}) clashes with {other.name!r} ({other.function_name})"
            )
    _registered[family.name] = family
    return family


def family_named(name: str) -> Family:
    """The family of that name.

    Raises:
        ConfigurationError: there is none; the message names the nearest.
    """
    if name not in _registered:
        near = difflib.get_close_matches(name, _registered, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(_registered))}"
        raise ConfigurationError(f"there is no procedural family {name!r}; {hint}")
    return _registered[name]


def family_of(task: BackendTask | str) -> Family | None:
    """The family of a task, or of a request (by the function that its signature names); None if there is none."""
    if isinstance(task, BackendTask):
        if task.procedural is not None:
            return _registered.get(task.procedural.family)
        task = task.problem_description
    names = _DEF.findall(task)
    by_function = {family.function_name: family for family in _registered.values()}
    return by_function.get(names[-1]) if names else None
