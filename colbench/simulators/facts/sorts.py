"""Whether the result itself comes sorted, and from which end: a sort on the way says nothing about it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from colbench.simulators.facts.scope import Scope, constant_of, walk_limited

__all__ = ["direction_of", "sorts_in", "sorts_of_result"]


def _name(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def sorts_in(nodes: Iterable[ast.AST]) -> list[ast.Call]:
    """Every call that sorts."""
    return [n for n in nodes if isinstance(n, ast.Call) and _name(n) in ("sorted", "sort")]


def direction_of(node: ast.Call) -> str:
    """Which end a sort starts from, by the first part of its key ("ascending" or "descending")."""
    backwards = any(k.arg == "reverse" and constant_of(k.value) is True for k in node.keywords)
    for keyword in node.keywords:
        if keyword.arg == "key" and isinstance(keyword.value, ast.Lambda):
            body = keyword.value.body
            first = body.elts[0] if isinstance(body, ast.Tuple) and body.elts else body
            if isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.USub):
                backwards = not backwards
    return "descending" if backwards else "ascending"


def sorts_of_result(scope: Scope, values: Iterable[ast.expr]) -> list[ast.Call]:
    """The sorts that settle the order of what is returned.

    Args:
        scope: the names of the function.
        values: the returned expressions.
    """
    return list(_sorts(scope, list(values), set(), 0))


def _sorts(scope: Scope, values: list[ast.expr], seen: set[str], depth: int) -> Iterator[ast.Call]:
    if depth > 8:
        return
    for value in values:
        match value:
            case ast.Call() if _name(value) == "sorted":
                yield value
            case ast.Call() if _name(value) in ("list", "tuple", "dict", "enumerate", "items", "join"):
                inner = value.args or [value.func.value] if isinstance(value.func, ast.Attribute) else value.args
                yield from _sorts(scope, list(inner), seen, depth + 1)
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
                yield from _sorts(scope, [value.generators[0].iter], seen, depth + 1)
            case ast.Subscript() if isinstance(value.slice, ast.Slice):
                yield from _sorts(scope, [value.value], seen, depth + 1)
            case ast.List() | ast.Tuple():
                yield from _sorts(scope, value.elts, seen, depth + 1)
            case ast.Dict():
                yield from _sorts(scope, value.values, seen, depth + 1)
            case ast.IfExp():
                yield from _sorts(scope, [value.body, value.orelse], seen, depth + 1)
            case ast.Name() if value.id not in seen:
                yield from _named(scope, value.id, seen, depth)


def _named(scope: Scope, name: str, seen: set[str], depth: int) -> Iterator[ast.Call]:
    """Sorts of a collection: in place, where it is made, or of what the loop that fills it goes through."""
    seen.add(name)
    starts_empty = all(not getattr(v, "elts", None) for v in scope.assigned.get(name, []) if isinstance(v, ast.List))
    starts_empty = starts_empty and not any(
        isinstance(v, ast.ListComp) or _name(v) in ("list", "sorted") for v in scope.assigned.get(name, [])
    )
    for node in scope.nodes:
        if isinstance(node, ast.Call) and _name(node) == "sort" and isinstance(node.func, ast.Attribute):
            if isinstance(node.func.value, ast.Name) and node.func.value.id == name:
                yield node
        elif starts_empty and isinstance(node, ast.For | ast.AsyncFor) and _fills(node, name):
            yield from _sorts(scope, [node.iter], seen, depth + 1)
    yield from _sorts(scope, scope.assigned.get(name, []), seen, depth + 1)


def _fills(loop: ast.For | ast.AsyncFor, name: str) -> bool:
    for node in walk_limited(loop, 2000):
        if isinstance(node, ast.Call) and _name(node) in ("append", "extend") and isinstance(node.func, ast.Attribute):
            if isinstance(node.func.value, ast.Name) and node.func.value.id == name:
                return True
    return False
