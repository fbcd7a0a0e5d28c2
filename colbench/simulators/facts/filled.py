"""What a local collection is filled with: the returned ``needs`` is a list of what is appended to it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from colbench.simulators.facts.scope import Scope, constant_of

__all__ = ["Filling", "filling_of", "leaves_of"]


_LISTS = ast.List | ast.Tuple | ast.ListComp


@dataclass
class Filling:
    """Everything that is put into one collection.

    Attributes:
        items: what is appended, added or inserted.
        pairs: key and value of what is stored by key; a value that is counted up is stored as None.
        others: whole collections that are joined on.
    """

    items: list[ast.expr] = field(default_factory=list)
    pairs: list[tuple[ast.expr, ast.expr | None]] = field(default_factory=list)
    others: list[ast.expr] = field(default_factory=list)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def filling_of(scope: Scope, name: str) -> Filling:
    """Collect what is put into a collection anywhere in the function."""
    found = Filling()
    for node in scope.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            method = node.func.attr
            if not _is_name(node.func.value, name):
                continue
            if method in ("append", "add"):
                found.items.append(node.args[0])
            elif method == "insert" and len(node.args) > 1:
                found.items.append(node.args[1])
            elif method == "extend":
                found.others.append(node.args[0])
        elif isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Subscript) and _is_name(target.value, name):
                    found.pairs.append((target.slice, None if _counted(node, target) else node.value))
                elif isinstance(node, ast.AugAssign) and _is_name(target, name) and isinstance(node.value, _LISTS):
                    found.others.append(node.value)
    return found


def _counted(node: ast.Assign | ast.AugAssign, target: ast.Subscript) -> bool:
    """Whether an entry only goes up by what is already there: ``d[k] += 1`` and ``d[k] = d.get(k, 0) + 1``."""
    value = node.value
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Add) and constant_of(value) == 1
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and constant_of(value.right) == 1:
        return isinstance(value.left, ast.Call) and getattr(value.left.func, "attr", "") == "get"
    return False


def leaves_of(scope: Scope, nodes: list[ast.expr], limit: int = 40) -> list[ast.expr]:
    """The values that expressions can take: both sides of a choice, and what a name of a fixed value stands for."""
    found: list[ast.expr] = []
    waiting = list(nodes)
    seen: set[str] = set()
    while waiting and len(found) < limit:
        node = waiting.pop(0)
        if isinstance(node, ast.IfExp):
            waiting = [node.body, node.orelse, *waiting]
            continue
        if isinstance(node, ast.Name) and node.id not in scope.parameters and node.id not in scope.augmented:
            values = scope.assigned.get(node.id, [])
            plain = bool(values) and all(isinstance(v, ast.IfExp) or constant_of(v) is not ... for v in values)
            if plain and node.id not in seen and node.id not in scope.mutated:
                seen.add(node.id)
                waiting = [*values, *waiting]
                continue
        found.append(node)
    return found
