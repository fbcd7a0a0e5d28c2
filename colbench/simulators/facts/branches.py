"""The shape of conditional code: branches, what only picks a value, and long expressions taken apart."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from colbench.simulators.facts.scope import constant_of, is_literal
from colbench.simulators.facts.words import quote

__all__ = [
    "Branch",
    "branches_of",
    "chunked",
    "exclusive",
    "expand",
    "goes_on",
    "leaves",
    "parts_of",
    "picks",
    "plain",
    "short_answer",
    "single",
    "unfold",
]


@dataclass(frozen=True)
class Branch:
    """One branch: its test (None for the last one) and what stands in it."""

    test: ast.expr | None
    body: Sequence[ast.stmt]


def single(body: Sequence[ast.stmt], kind: type[ast.stmt]) -> bool:
    """Whether a body is one statement of a kind."""
    return len(body) == 1 and isinstance(body[0], kind)


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing after a body is reached from it."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue)


def branches_of(node: ast.stmt) -> tuple[list[Branch], bool]:
    """The branches of an if-statement, and whether its last one is for all that is left."""
    assert isinstance(node, ast.If)
    branches = [Branch(node.test, node.body)]
    rest = node.orelse
    while len(rest) == 1 and isinstance(rest[0], ast.If) and len(branches) < 60:
        branches.append(Branch(rest[0].test, rest[0].body))
        rest = rest[0].orelse
    if rest:
        branches.append(Branch(None, rest))
    return branches, bool(rest)


def goes_on(branches: Sequence[Branch]) -> bool:
    """Whether every branch ends with one plain result, so that what follows is one more branch."""
    return all(
        single(b.body, ast.Return) and not isinstance(getattr(b.body[0], "value", None), ast.IfExp) for b in branches
    )


def plain(test: ast.expr | None) -> bool:
    """Whether a test is a single comparison."""
    return (
        test is not None
        and not isinstance(test, ast.BoolOp)
        and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))
    )


def short_answer(value: ast.expr | None) -> bool:
    """Whether a final result is only what is left over, and not the calculation that everything is about."""
    return value is None or is_literal(value) or isinstance(value, ast.Name | ast.JoinedStr)


def exclusive(tests: Sequence[ast.expr]) -> bool:
    """Whether at most one of several conditions can hold: each wants another value of one and the same thing."""
    wanted: list[dict[str, str]] = []
    for test in tests:
        pieces = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
        found = {}
        for piece in pieces:
            if isinstance(piece, ast.Compare) and len(piece.ops) == 1 and isinstance(piece.ops[0], ast.Eq):
                value = constant_of(piece.comparators[0])
                if value is not ...:
                    found[ast.dump(piece.left)] = repr(value)
        wanted.append(found)
    shared = set(wanted[0]).intersection(*wanted[1:]) if wanted else set()
    return any(len({found[name] for found in wanted}) == len(wanted) for name in shared)


def picks(node: ast.expr) -> bool:
    """Whether ``a or b`` picks a value instead of deciding something."""
    return isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and any(is_literal(v) for v in node.values)


def unfold(branch: Branch) -> list[Branch]:
    """A branch whose only statement picks one of two values becomes branches of its own where it is the last one."""
    if branch.test is None and len(branch.body) == 1:
        statement = branch.body[0]
        if isinstance(getattr(statement, "value", None), ast.IfExp):
            return expand(statement)
    return [branch]


def expand(node: ast.stmt) -> list[Branch]:
    """``x = a if c else b`` as the if-chain it is."""
    branches: list[Branch] = []
    value = getattr(node, "value", None)
    while isinstance(value, ast.IfExp) and len(branches) < 30:
        branches.append(Branch(value.test, [with_value(node, value.body)]))
        value = value.orelse
    branches.append(Branch(None, [with_value(node, value)]))
    return branches


def with_value(node: ast.stmt, value: ast.expr | None) -> ast.stmt:
    if isinstance(node, ast.Return):
        return ast.Return(value=value)
    if isinstance(node, ast.Assign):
        return ast.Assign(targets=node.targets, value=value or ast.Constant(None))
    if isinstance(node, ast.AugAssign):
        return ast.AugAssign(target=node.target, op=node.op, value=value or ast.Constant(None))
    return ast.Assign(targets=[getattr(node, "target", ast.Name("value"))], value=value or ast.Constant(None))


def parts_of(node: ast.expr | None) -> list[tuple[str, ast.expr]]:
    """The top-level parts of a long expression, each with its role."""
    if (
        isinstance(node, ast.Call)
        and node.args
        and getattr(node.func, "id", "") in ("round", "int", "float", "sum", "str")
    ):
        return parts_of(node.args[0])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        role = "plus" if isinstance(node.op, ast.Add) else "minus"
        return [*(parts_of(node.left) or [("plus", node.left)]), (role, node.right)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        role = "times" if isinstance(node.op, ast.Mult) else "over"
        return [("times", node.left), (role, node.right)]
    if isinstance(node, ast.Dict):
        named = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if k is not None]
        return [(f"field {quote(str(constant_of(k)))}", v) for k, v in named if isinstance(constant_of(k), str)]
    if isinstance(node, ast.Tuple | ast.List) and len(node.elts) > 1:
        return [("entry", e) for e in node.elts]
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        whole = isinstance(node.elt, ast.Name)
        parts = [] if whole else [("entry", node.elt)]
        if isinstance(node.elt, ast.Dict):
            parts = []
        return [*parts, *[("filter", t) for g in node.generators for t in g.ifs]]
    return []


def chunked(items: Sequence[str], limit: int) -> list[list[str]]:
    """Items in groups whose text stays below a length."""
    groups: list[list[str]] = []
    for item in items:
        if groups and len(", ".join([*groups[-1], item])) <= max(limit, 60):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups
