"""What a reference gives back: the kind of the result, and the keys of a record."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from colbench.simulators.facts.model import Fact, make_fact
from colbench.simulators.facts.phrases import Speaker
from colbench.simulators.facts.scope import FunctionNode, constant_of, mappings_of
from colbench.simulators.facts.words import join_words, quote

__all__ = ["kind_of", "result_facts", "returned"]

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
    "items": "list",
}  # fmt: skip
_NAMES = {
    "number": "a number", "text": "a text", "flag": "True or False", "list": "a list", "set": "a set",
    "dictionary": "a dictionary",
    "tuple": "a tuple", "None": "None", "record": "a dictionary",
}  # fmt: skip


def returned(function: FunctionNode) -> list[ast.expr]:
    """The expressions a function returns, those of functions inside it left out."""
    found: list[ast.expr] = []
    stack: list[ast.AST] = list(function.body)
    while stack and len(found) < 200:
        node = stack.pop(0)
        if isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Return):
            found.append(node.value or ast.Constant(None))
            continue
        stack = list(ast.iter_child_nodes(node)) + stack
    return found


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


def result_facts(speaker: Speaker, start: int = 0) -> tuple[list[Fact], str]:
    """Facts about the kind of the result, and that kind ("number", "text", "flag", "list", ... or "")."""
    said = list(_texts(speaker))
    kinds = list(dict.fromkeys(k for k in (kind_of(speaker, v) for v in returned(speaker.scope.function)) if k))
    facts = [
        make_fact(t, topics, weight, start + i, "return result output") for i, (t, topics, weight) in enumerate(said)
    ]
    return facts, kinds[0] if len(kinds) == 1 else "/".join(kinds)


def _texts(speaker: Speaker) -> Iterator[tuple[str, set[str], float]]:
    values = returned(speaker.scope.function)
    if not values:
        return
    kinds = list(dict.fromkeys(k for k in (kind_of(speaker, v) for v in values) if k))
    names = list(dict.fromkeys(_NAMES[k] for k in kinds))
    if len(kinds) == 1 and kinds[0] == "tuple":
        sizes = {len(v.elts) for v in values if isinstance(v, ast.Tuple)}
        if len(sizes) == 1:
            names = [f"a tuple of {sizes.pop()} values"]
    if names and len(names) <= 3:
        yield f"the result should be {join_words(names, 'or')}", {"result"}, 0.6
    texts = list(dict.fromkeys(v for v in (constant_of(v) for v in values) if isinstance(v, str) and v))
    if 2 < len(texts) <= 10 and len("".join(texts)) < 140:
        yield f"the possible results are {join_words([quote(t) for t in texts])}", {"result", "options"}, 0.66
    for value in values:
        if isinstance(value, ast.ListComp) and mappings_of(value.elt):
            keys = [str(constant_of(k)) for k, _ in mappings_of(value.elt) if isinstance(constant_of(k), str)]
            yield f"each entry of the result has {join_words([quote(k) for k in keys[:10]])}", {"result", "keys"}, 0.75
    for keys in _record_keys(speaker, values):
        yield f"the result is a dictionary with {join_words([quote(k) for k in keys[:10]])}", {"result", "keys"}, 0.75


def _record_keys(speaker: Speaker, values: list[ast.expr]) -> Iterator[list[str]]:
    names = {v.id for v in values if isinstance(v, ast.Name)}
    seen: set[tuple[str, ...]] = set()
    for value in values:
        keys = [str(constant_of(k)) for k, _ in mappings_of(value) if isinstance(constant_of(k), str)]
        if keys and tuple(keys) not in seen:
            seen.add(tuple(keys))
            yield keys
    set_one_by_one: dict[str, None] = {}
    for node in speaker.scope.nodes:
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id in names
        ):
            key = constant_of(node.slice)
            if isinstance(key, str):
                set_one_by_one[key] = None
    if set_one_by_one and tuple(set_one_by_one) not in seen:
        yield list(set_one_by_one)
