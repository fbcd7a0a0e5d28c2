"""How the names of a reference are used: as numbers, texts, lists of records, and with which keys."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from colbench.simulators.facts.scope import Scope, constant_of
from colbench.simulators.facts.words import date_format

__all__ = ["KINDS", "TEXT_NAME", "Usage", "usages_of"]

_NUMERIC_CALLS = ("round", "abs", "int", "float", "sqrt", "ceil", "floor", "pow", "log", "exp", "radians")
_TEXT_METHODS = (
    "lower", "upper", "strip", "split", "replace", "startswith", "endswith", "title", "capitalize", "isdigit",
    "isalpha",
    "encode", "casefold", "lstrip", "rstrip", "splitlines", "format", "isupper", "islower", "isalnum",
)  # fmt: skip
TEXT_NAME = re.compile(
    r"(?:^|_)(?:text|string|sentence|title|name|message|description|word|phrase|paragraph|url|email|comment|password|passphrase|letter|label|postcode|plate|verse|tweet|dna|colour|color|isbn)$"
)
_THROUGH = ("sorted", "enumerate", "list", "set", "reversed", "filter")
KINDS = {
    "number": ("a number", "numbers"),
    "text": ("a text", "texts"),
    "flag": ("true or false", "true or false"),
    "list": ("a list", "lists"),
    "numbers": ("a list of numbers", "lists of numbers"),
    "texts": ("a list of texts", "lists of texts"),
    "lists": ("a list of lists", "lists of lists"),
    "record": ("a record", "records"),
    "records": ("a list of records", "lists of records"),
    "table": ("a dictionary", "dictionaries"),
    "rows": ("a list of entries that are lists themselves", "lists of entries that are lists themselves"),
}


@dataclass
class Usage:
    """How a name is used.

    Attributes:
        hints: kinds it was used as, with how often.
        keys: string keys read from it, with whether a default exists.
        positions: fixed positions read from it.
        options: words it is compared with.
        items: how its items are used, where it is looped over.
        values: how the values are used, where it is looped over as a dictionary.
        methods: names of the methods called on it.
        dates: date pattern it is read with, or None.
        used: whether it occurs at all.
        parts: names that the parts of its items are unpacked to.
    """

    hints: dict[str, int] = field(default_factory=dict)
    keys: dict[str, bool] = field(default_factory=dict)
    positions: set[int] = field(default_factory=set)
    options: list[str] = field(default_factory=list)
    items: Usage | None = None
    values: Usage | None = None
    methods: set[str] = field(default_factory=set)
    dates: str | None = None
    used: bool = False
    parts: list[str] = field(default_factory=list)

    def with_also(self, other: Usage) -> Usage:
        """Both uses taken together."""
        if other is self:
            return self
        both = Usage(dict(self.hints), {**self.keys, **other.keys}, self.positions | other.positions, [*self.options])
        for kind, count in other.hints.items():
            both.hint(kind, count)
        both.items, both.values = self.items or other.items, self.values or other.values
        both.methods, both.parts = self.methods | other.methods, self.parts or other.parts
        return both

    def hint(self, kind: str, weight: int = 1) -> None:
        """Count one use as a kind."""
        self.hints[kind] = self.hints.get(kind, 0) + weight

    def kind(self) -> str:
        """The likeliest kind."""
        if self.values is not None or (self.hints.get("table") and not self.items):
            return "table"
        if self.keys:
            return "record"
        if self.items is not None:
            inner = self.items.kind()
            if inner == "record":
                return "records"
            if inner in ("number", "text"):
                return inner + "s"
            if self.items.positions:
                return "rows"
            if inner in ("list", "numbers", "texts") and not self.items.hints.get("member"):
                return "lists"
            if self.hints.get("summed"):
                return "numbers"
            return "list" if not self.hints.get("text", 0) else "text"
        if self.parts:
            return "rows"
        if self.positions:
            return "list"
        ranked = sorted(((n, k) for k, n in self.hints.items() if k in KINDS), reverse=True)
        if not ranked and self.hints.get("member"):
            return "list"
        return ranked[0][1] if ranked else ""


def usages_of(scope: Scope) -> dict[str, Usage]:
    """How every parameter, local name and loop variable is used."""
    usages: dict[str, Usage] = {}

    def at(name: str) -> Usage:
        return usages.setdefault(name, Usage())

    for node in scope.nodes:
        _note(scope, node, at)
    aliases = _aliases(scope)

    def root(name: str) -> str:
        for _ in range(10):
            if name not in aliases:
                break
            name = aliases[name]
        return name

    for name, source, kind in _links(scope):
        owner = at(root(source))
        if kind == "item":
            owner.items = at(name) if owner.items is None else owner.items.with_also(at(name))
        elif kind == "value":
            owner.values = at(name) if owner.values is None else owner.values.with_also(at(name))
        elif kind == "key":
            owner.hint("table", 3)
        elif kind == "part":
            owner.parts = [*owner.parts, name] if name not in owner.parts else owner.parts
    for name, usage in usages.items():
        # x[i] inside a loop over positions says what the items are.
        if TEXT_NAME.search(name) and not usage.hints.keys() & KINDS.keys():
            usage.hint("text", 1)
        default = scope.parameters.get(name)
        if default is not None:
            _from_default(usage, default)
    return usages


def _source_name(node: ast.expr) -> str:
    """The name of the collection that an expression goes through; "" where it is no plain name."""
    for _ in range(6):
        if isinstance(node, ast.Call) and node.args and getattr(node.func, "id", "") in _THROUGH:
            node = node.args[0]
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("items", "values", "keys")
        ):
            node = node.func.value
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            node = node.value
        else:
            break
    return node.id if isinstance(node, ast.Name) else ""


def _aliases(scope: Scope) -> dict[str, str]:
    """Local lists that hold the same items as another one: filtered, sorted or cut."""
    found: dict[str, str] = {}
    for name, values in scope.assigned.items():
        value = values[0]
        source = _source_name(value) if not isinstance(value, ast.Name) else ""
        if isinstance(value, ast.ListComp) and isinstance(value.elt, ast.Name):
            target = value.generators[0].target
            if isinstance(target, ast.Name) and target.id == value.elt.id:
                source = _source_name(value.generators[0].iter)
        if source and source != name and name not in scope.parameters:
            found[name] = source
    return found


def _links(scope: Scope) -> Iterator[tuple[str, str, str]]:
    """Which names hold parts of which collections: loop variables, sort keys, and the best entry of a list."""
    for name, binding in scope.loops:
        source = _source_name(binding.source)
        if source:
            yield name, source, binding.kind
    for node in scope.nodes:
        if isinstance(node, ast.Call) and node.args and getattr(node.func, "id", "") in ("sorted", "min", "max"):
            paired = isinstance(node.args[0], ast.Call) and getattr(node.args[0].func, "attr", "") == "items"
            source = _source_name(node.args[0])
            for keyword in node.keywords:
                if source and not paired and isinstance(keyword.value, ast.Lambda) and keyword.value.args.args:
                    yield keyword.value.args.args[0].arg, source, "item"
        elif (
            isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name)
        ):
            call = node.value
            if getattr(call.func, "id", "") in ("min", "max") and len(call.args) == 1 and _source_name(call.args[0]):
                yield node.targets[0].id, _source_name(call.args[0]), "item"


def _from_default(usage: Usage, default: ast.expr) -> None:
    value = constant_of(default)
    if isinstance(value, bool):
        usage.hint("flag", 5)
    elif isinstance(value, int | float):
        usage.hint("number", 5)
    elif isinstance(value, str):
        usage.hint("text", 5)
    elif isinstance(default, ast.Dict):
        usage.hint("table", 5)
    elif isinstance(default, ast.List | ast.Tuple | ast.Set):
        usage.hint("list", 5)


def _note(scope: Scope, node: ast.AST, at: Callable[[str], Usage]) -> None:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        at(node.id).used = True
    elif isinstance(node, ast.Subscript):
        _note_subscript(scope, node, at)
    elif isinstance(node, ast.BinOp):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(side, ast.Name):
                text = isinstance(constant_of(other), str) or isinstance(other, ast.JoinedStr)
                joins = isinstance(node.op, ast.Add) and isinstance(other, ast.List)
                at(side.id).hint("text" if text else "list" if joins else "number")
    elif isinstance(node, ast.AugAssign):
        if isinstance(node.value, ast.Name) and isinstance(node.op, ast.Sub | ast.Mult | ast.Div):
            at(node.value.id).hint("number")
        if isinstance(node.target, ast.Name) and isinstance(node.op, ast.Sub | ast.Mult | ast.Div):
            at(node.target.id).hint("number")
    elif isinstance(node, ast.Compare):
        _note_compare(node, at)
    elif isinstance(node, ast.Call):
        _note_call(node, at)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        if isinstance(node.test, ast.Name):
            at(node.test.id).hint("flag")
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            if isinstance(value, ast.Name):
                at(value.id).hint("flag")
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Name):
        at(node.operand.id).hint("flag")


def _note_subscript(scope: Scope, node: ast.Subscript, at: Callable[[str], Usage]) -> None:
    key = constant_of(node.slice)
    if isinstance(node.value, ast.Name):
        usage = at(node.value.id)
        if isinstance(key, str):
            if isinstance(node.ctx, ast.Load):
                usage.keys.setdefault(key, False)
        elif isinstance(key, int) and not isinstance(key, bool):
            usage.positions.add(key)
        elif isinstance(node.slice, ast.Slice):
            usage.hint("list")
        elif isinstance(node.slice, ast.Name):
            binding = scope.bindings.get(node.slice.id)
            if binding is not None and binding.kind in ("index", "counter"):
                usage.hint("list", 2)
            else:
                usage.hint("table", 2)
    elif isinstance(node.value, ast.Subscript) and isinstance(node.value.value, ast.Name) and isinstance(key, str):
        # items[i]["price"], stats[name]["hits"]: the parts of the outer thing are records.
        outer = at(node.value.value.id)
        if isinstance(constant_of(node.value.slice), str):
            outer.keys.setdefault(str(constant_of(node.value.slice)), False)
            return
        inner = outer.items or Usage()
        inner.keys.setdefault(key, False)
        by_position = isinstance(node.value.slice, ast.Name) and (
            (b := scope.bindings.get(node.value.slice.id)) is not None and b.kind in ("index", "counter")
        )
        if by_position:
            outer.items = inner
        else:
            outer.values = inner


def _note_compare(node: ast.Compare, at: Callable[[str], Usage]) -> None:
    left = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        for side, other in ((left, right), (right, left)):
            bare = side
            while (
                isinstance(bare, ast.Call)
                and isinstance(bare.func, ast.Attribute)
                and bare.func.attr in ("lower", "upper", "strip")
            ):
                bare = bare.func.value
            if not isinstance(bare, ast.Name):
                continue
            value = constant_of(other)
            usage = at(bare.id)
            if isinstance(op, ast.In | ast.NotIn):
                if side is right:
                    usage.hint("member")
                    continue
                literals = [constant_of(e) for e in getattr(other, "elts", [])]
                usage.options += [v for v in literals if isinstance(v, str)]
                if literals:
                    usage.hint("text" if isinstance(literals[0], str) else "number")
            elif isinstance(value, bool):
                usage.hint("flag", 2)
            elif isinstance(value, str):
                usage.options.append(value)
                usage.hint("text", 2)
            elif isinstance(value, int | float) or isinstance(op, ast.Gt | ast.Lt | ast.GtE | ast.LtE):
                usage.hint("number", 2 if isinstance(value, int | float) else 1)
        left = right


def _note_call(node: ast.Call, at: Callable[[str], Usage]) -> None:
    function = node.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        usage = at(function.value.id)
        usage.methods.add(function.attr)
        if function.attr in _TEXT_METHODS:
            usage.hint("text", 2)
        elif function.attr in ("items", "keys", "values"):
            usage.hint("table", 3)
        elif function.attr == "get" and node.args:
            key = constant_of(node.args[0])
            if isinstance(key, str):
                usage.keys[key] = len(node.args) > 1
            else:
                usage.hint("table", 2)
    if isinstance(function, ast.Attribute) and function.attr in ("strptime", "fromisoformat") and node.args:
        if isinstance(node.args[0], ast.Name):
            pattern = constant_of(node.args[1]) if len(node.args) > 1 else "%Y-%m-%d"
            shown = date_format(pattern) if isinstance(pattern, str) else None
            at(node.args[0].id).hint("text", 2)
            at(node.args[0].id).dates = shown
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    for argument in node.args[:3]:
        if isinstance(argument, ast.Name):
            usage = at(argument.id)
            if name in _NUMERIC_CALLS or (name in ("min", "max") and len(node.args) > 1):
                usage.hint("number")
            elif name in ("sum", "fsum", "mean", "median", "stdev", "pstdev"):
                usage.hint("numbers", 2)
                usage.hint("summed")
            elif name in ("sorted", "enumerate", "zip", "max", "min", "set", "len"):
                usage.hint("list")
            elif name == "range":
                usage.hint("number", 2)
            elif name == "isinstance" and len(node.args) == 2 and argument is node.args[0]:
                kind = {"str": "text", "int": "number", "float": "number", "list": "list", "dict": "table"}.get(
                    getattr(node.args[1], "id", "")
                )
                if kind:
                    usage.hint(kind, 3)
