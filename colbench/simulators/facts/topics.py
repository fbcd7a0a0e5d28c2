"""Which kinds of questions a piece of a program answers, read off its nodes.

Keys and rounding are left out: facts of their own answer for them, see :mod:`inputs` and :mod:`rounding`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from colbench.simulators.facts.scope import constant_of, walk_limited

__all__ = ["is_edge_test", "topics_of"]

_CALLS = {
    "sorted": {"order"}, "sort": {"order"}, "min": {"order"}, "max": {"order"},
    "reversed": {"order"},
    "most_common": {"order"}, "lower": {"text"}, "upper": {"text"}, "casefold": {"text"}, "strip": {"text"},
    "split": {"text"},
    "join": {"text"}, "replace": {"text"}, "title": {"text"}, "capitalize": {"text"}, "startswith": {"text"},
    "endswith": {"text"}, "strptime": {"date"}, "strftime": {"date", "text"}, "weekday": {"date"},
    "timedelta": {"date"},
    "fromisoformat": {"date"}, "isdigit": {"text"}, "isalpha": {"text"}, "get": {"default"}, "sub": {"text"},
    "match": {"text"},
    "search": {"text"}, "findall": {"text"}, "sum": {"formula"}, "mean": {"formula"}, "isinstance": {"edge", "inputs"},
    "pow": {"formula"}, "sqrt": {"formula"}, "log": {"formula"}, "set": {"filter"},
}  # fmt: skip
_ORDERED = ast.Gt | ast.GtE | ast.Lt | ast.LtE
_ARITHMETIC = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow | ast.Mod | ast.FloorDiv


def is_edge_test(node: ast.expr, flags: Callable[[str], bool] = lambda name: False) -> bool:
    """Whether a condition looks for something unusual: empty, missing, zero, negative, of the wrong kind.

    Args:
        node: the condition.
        flags: tells the names that are yes or no, for which "not" is nothing unusual.
    """
    for child in walk_limited(node, 400):
        if isinstance(child, ast.UnaryOp) and isinstance(child.op, ast.Not):
            inner = child.operand
            if not isinstance(inner, ast.Compare) and not (isinstance(inner, ast.Name) and flags(inner.id)):
                return True
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "isinstance":
            return True
        if isinstance(child, ast.Compare):
            op, right = child.ops[0], constant_of(child.comparators[0])
            if right is None or right == "":
                return True
            if right == 0 and not isinstance(right, bool) and not isinstance(op, ast.Gt):
                # The remainder of a division compared to zero is a rule, not an edge.
                return not (isinstance(child.left, ast.BinOp) and isinstance(child.left.op, ast.Mod))
            if isinstance(op, ast.NotIn):
                return True
            if isinstance(child.comparators[0], ast.List | ast.Dict) and not getattr(child.comparators[0], "elts", []):
                return True
    return False


def topics_of(nodes: Iterable[ast.AST]) -> set[str]:
    """The topics that the given pieces of a program bear on."""
    topics: set[str] = set()
    for node in nodes:
        for child in walk_limited(node, 1500):
            topics |= _single(child)
    return topics


def _single(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Compare):
        found = {"condition"}
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, _ORDERED):
                found.add("threshold")
            if isinstance(constant_of(right), str) or isinstance(constant_of(node.left), str):
                found.add("options")
            if isinstance(op, ast.In | ast.NotIn):
                found |= {"filter", "options"}
        return found
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
        found = {"formula"}
        for side in (node.left, node.right):
            if isinstance(constant_of(side), int | float):
                found.add("factor")
        return found
    if isinstance(node, ast.AugAssign):
        return {"formula", "factor"} if isinstance(constant_of(node.value), int | float) else {"formula"}
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        found = set(_CALLS.get(name, ()))
        # What counts where a key is missing is a fact of its own.
        if name == "get" and len(node.args) > 1 and not isinstance(constant_of(node.args[0]), str):
            found.add("edge")
        if name in ("min", "max"):
            # With several arguments it caps a value, with one it looks for a record.
            found = {"threshold", "formula"} if len(node.args) > 1 else {"order"}
        return found
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return {"filter"}
    if isinstance(node, ast.JoinedStr):
        return {"text"}
    if isinstance(node, ast.BoolOp):
        return {"condition"}
    return set()
