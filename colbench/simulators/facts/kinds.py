"""The kind of value an expression gives: number, text, list and so on, as far as it can be told without running it."""

from __future__ import annotations

import ast

from colbench.simulators.facts.phrases import Speaker
from colbench.simulators.facts.scope import constant_of

__all__ = ["kind_of"]

_CALL_KINDS = {
    "len": "number", "sum": "number", "round": "number", "int": "number", "float": "number", "abs": "number",
    "sorted": "list",
    "list": "list", "set": "set", "dict": "dictionary", "str": "text", "bool": "flag", "any": "flag", "all": "flag",
    "tuple": "tuple", "join": "text", "lower": "text", "upper": "text", "strip": "text", "replace": "text",
    "title": "text",
    "format": "text", "strftime": "text", "split": "list", "isoformat": "text", "startswith": "flag",
    "endswith": "flag",
    "count": "number", "sqrt": "number", "ceil": "number", "floor": "number", "mean": "number", "median": "number",
    "tolist": "list", "hexdigest": "text", "capitalize": "text", "isinstance": "flag", "pow": "number",
    "items": "list", "sub": "text", "zfill": "text", "rjust": "text", "ljust": "text",
}  # fmt: skip


def kind_of(speaker: Speaker, node: ast.expr, depth: int = 0) -> str:
    """The kind of value an expression gives; "" where it cannot be told."""
    value = constant_of(node)
    if value is not ...:
        if value is None:
            return "None"
        return "flag" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"
    if depth > 6:
        return ""
    match node:
        case ast.JoinedStr():
            return "text"
        case ast.Compare():
            return "flag"
        case ast.UnaryOp():
            return "flag" if isinstance(node.op, ast.Not) else "number"
        case ast.List() | ast.ListComp():
            return "list"
        case ast.Set() | ast.SetComp():
            return "set"
        case ast.Dict() | ast.DictComp():
            return "dictionary"
        case ast.Tuple():
            return "tuple"
        case ast.Subscript() if isinstance(node.slice, ast.Slice):
            return kind_of(speaker, node.value, depth + 1)
        case ast.IfExp():
            return kind_of(speaker, node.body, depth + 1) or kind_of(speaker, node.orelse, depth + 1)
        case ast.BoolOp():
            parts = {kind_of(speaker, v, depth + 1) for v in node.values}
            if any(
                isinstance(v, ast.Compare) or (isinstance(v, ast.Name) and speaker.scope.boolean(v.id))
                for v in node.values
            ):
                return "flag"
            return parts.pop() if len(parts) == 1 else ""
        case ast.BinOp():
            left, right = kind_of(speaker, node.left, depth + 1), kind_of(speaker, node.right, depth + 1)
            for kind in ("text", "list", "tuple", "set"):
                if kind in (left, right):
                    return kind
            return "number"
        case ast.Call():
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name == "get" and len(node.args) > 1:
                return kind_of(speaker, node.args[1], depth + 1)
            if name in ("max", "min"):
                return "number" if len(node.args) > 1 or not node.keywords else ""
            return _CALL_KINDS.get(name, "")
        case ast.Name():
            values = speaker.scope.assigned.get(node.id, [])
            kinds = [k for k in (kind_of(speaker, v, depth + 1) for v in values[:8]) if k]
            if kinds:
                return kinds[0]
            if node.id in speaker.scope.augmented:
                return "number"
    return ""
