"""What each name in a reference stands for, so that facts can speak of "the review" and not of ``r``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from colbench.simulators.facts.words import humanise, is_plural, needs_noun, ordinal, singular, the

__all__ = [
    "Binding",
    "FunctionNode",
    "Scope",
    "constant_of",
    "is_literal",
    "mappings_of",
    "parameters_of",
    "walk_limited",
]

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_VAGUE = frozenset(
    "i j k n x y z v e s c d a b m t p r g h l q u w f o item items key val value elem element entry row obj result "
    "results res ret out output tmp _ acc kv el it ch char data".split()
)


_TEXT_METHODS = (
    "lower",
    "upper",
    "strip",
    "split",
    "replace",
    "startswith",
    "endswith",
    "title",
    "casefold",
    "isdigit",
)

_FILLS = ("append", "add", "extend", "update", "insert", "pop", "remove", "sort", "setdefault")
_MAKES_LIST = ("sorted", "list", "set", "filter", "map")
_COLLECTIONS = ast.List | ast.ListComp | ast.SetComp | ast.Dict | ast.DictComp


def _decides(node: ast.expr) -> bool:
    """Whether an expression can only be True or False."""
    if isinstance(node, ast.Compare):
        return True
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.BoolOp):
        return all(_decides(v) for v in node.values)
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        return name in ("any", "all", "bool", "isinstance", "startswith", "endswith", "isdigit", "isalpha", "isupper")
    return False


@dataclass(frozen=True)
class Binding:
    """How a loop or a comprehension binds a name.

    Attributes:
        kind: "item" of a sequence, "index" into one, "key" or "value" of a dictionary, "part" of an item.
        source: the expression looped over (for "part", too).
        position: which part of the item, for "part".
    """

    kind: str
    source: ast.expr
    position: int = 0


def walk_limited(node: ast.AST, limit: int = 20_000) -> Iterator[ast.AST]:
    """``ast.walk`` that stops after ``limit`` nodes, so that a huge reference costs bounded time."""
    for count, child in enumerate(ast.walk(node)):
        if count >= limit:
            return
        yield child


def parameters_of(function: FunctionNode) -> list[tuple[str, ast.expr | None]]:
    """Parameters in order with their defaults."""
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    pairs = list(zip((a.arg for a in positional), defaults, strict=True))
    pairs += list(zip((a.arg for a in args.kwonlyargs), args.kw_defaults, strict=True))
    pairs += [(a.arg, None) for a in (args.vararg, args.kwarg) if a is not None]
    return [(name, default) for name, default in pairs if name not in ("self", "cls")]


def constant_of(node: ast.AST | None) -> object:
    """The value of a literal number, text, True, False (negative numbers too); ``...`` for anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return -value
    return ...


def is_literal(node: ast.AST | None, depth: int = 0) -> bool:
    """Whether an expression is made of constants only."""
    if constant_of(node) is not ...:
        return True
    if depth > 6:
        return False
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(is_literal(e, depth + 1) for e in node.elts)
    if isinstance(node, ast.Dict):
        return all(k is not None and is_literal(k, depth + 1) for k in node.keys) and all(
            is_literal(v, depth + 1) for v in node.values
        )
    return False


def mappings_of(node: ast.AST | None) -> list[tuple[ast.expr, ast.expr]]:
    """Key and value pairs of a dictionary display or of ``dict(a=1)``; empty for anything else."""
    if isinstance(node, ast.Dict):
        return [(k, v) for k, v in zip(node.keys, node.values, strict=True) if k is not None]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
        return [(ast.Constant(k.arg), k.value) for k in node.keywords if k.arg]
    return []


@dataclass
class Scope:
    """Names of one function, with everything of the module it can see.

    Attributes:
        function: the function itself.
        parameters: name -> default.
        assigned: local name -> every value assigned to it.
        bindings: loop and comprehension variables.
        constants: literals that a name stands for throughout (module level ones included).
        helpers: other functions and classes of the module.
        iterated: names that are looped over, measured or searched: collections.
        booleans: names used as a truth value by themselves.
        augmented: names changed in place by ``+=`` and the like.
        texts: names used as texts.
        loops: every binding in order; a name that several loops use has several.
        numeric: names calculated with or measured against numbers.
        pronouns: names that the context replaces by other words for a moment.
    """

    function: FunctionNode
    parameters: dict[str, ast.expr | None] = field(default_factory=dict)
    assigned: dict[str, list[ast.expr]] = field(default_factory=dict)
    bindings: dict[str, Binding] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    helpers: dict[str, FunctionNode] = field(default_factory=dict)
    iterated: set[str] = field(default_factory=set)
    booleans: set[str] = field(default_factory=set)
    augmented: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    loops: list[tuple[str, Binding]] = field(default_factory=list)
    numeric: set[str] = field(default_factory=set)
    pronouns: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, function: FunctionNode, module: ast.Module) -> Scope:
        """Collect what the names of a function stand for."""
        scope = cls(function, dict(parameters_of(function)))
        for node in module.body:
            if isinstance(node, FunctionNode) and node is not function:
                scope.helpers[node.name] = node
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                if is_literal(node.value):
                    scope.constants[node.targets[0].id] = node.value
        for child in scope.nodes:
            scope._see(child)
            scope._see_kind(child)
        for name, values in scope.assigned.items():
            if len(values) == 1 and name not in scope.augmented and name not in scope.parameters:
                scope.constants.pop(name, None)
                if is_literal(values[0]) and name not in scope.mutated:
                    scope.constants[name] = values[0]
            else:
                scope.constants.pop(name, None)
        return scope

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the function, within a limit."""
        return tuple(walk_limited(self.function))

    @cached_property
    def mutated(self) -> frozenset[str]:
        """Names of collections that are filled or changed in place."""
        found: set[str] = set()
        for node in self.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in _FILLS:
                    found |= {n.id for n in ast.walk(node.func.value) if isinstance(n, ast.Name)}
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                found |= {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
        return frozenset(found)

    @cached_property
    def key_owners(self) -> dict[str, set[str]]:
        """Key -> names of the records it is read from."""
        owners: dict[str, set[str]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                key = constant_of(node.slice)
                if isinstance(key, str):
                    owners.setdefault(key, set()).add(node.value.id)
        return owners

    def _see(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            self._assign(node.target, node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self.augmented.add(node.target.id)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._bind(node.target, node.iter)
        elif isinstance(node, FunctionNode) and node is not self.function:
            self.helpers.setdefault(node.name, node)
        elif isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name) and function.id in (
                "len",
                "sum",
                "sorted",
                "set",
                "enumerate",
                "list",
                "any",
                "all",
            ):
                self.iterated |= {a.id for a in node.args[:1] if isinstance(a, ast.Name)}
        elif isinstance(node, ast.Compare):
            for op, right in zip(node.ops, node.comparators, strict=True):
                if isinstance(op, ast.In | ast.NotIn) and isinstance(right, ast.Name):
                    self.iterated.add(right.id)
                if (
                    isinstance(right, ast.Constant)
                    and isinstance(right.value, bool)
                    and isinstance(node.left, ast.Name)
                ):
                    self.booleans.add(node.left.id)
        tests: list[ast.expr] = []
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            tests = [node.test]
        elif isinstance(node, ast.BoolOp):
            tests = list(node.values)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            tests = [node.operand]
        elif isinstance(node, ast.comprehension):
            tests = list(node.ifs)
        self.booleans |= {t.id for t in tests if isinstance(t, ast.Name)}

    def _see_kind(self, node: ast.AST) -> None:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            if node.func.attr in _TEXT_METHODS:
                self.texts.add(node.func.value.id)
        elif isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Mod):
            self.numeric |= {s.id for s in (node.left, node.right) if isinstance(s, ast.Name)}
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
            value = constant_of(node.comparators[0])
            if isinstance(value, str):
                self.texts.add(node.left.id)
            elif isinstance(value, int | float) and not isinstance(value, bool):
                self.numeric.add(node.left.id)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if (
                isinstance(node.value, _COLLECTIONS)
                or getattr(getattr(node.value, "func", None), "id", "") in _MAKES_LIST
            ):
                self.iterated.add(node.targets[0].id)
            if isinstance(node.value, ast.JoinedStr) or isinstance(constant_of(node.value), str):
                self.texts.add(node.targets[0].id)
            elif isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
                if node.value.func.attr in ("strip", "lower", "upper", "replace", "join", "title"):
                    self.texts.add(node.targets[0].id)

    def is_flag(self, name: str) -> bool:
        """Whether a local name only ever holds True or False."""
        values = self.assigned.get(name, [])
        return bool(values) and name not in self.parameters and all(_decides(v) for v in values)

    def flag_words(self, name: str) -> str:
        """A yes/no name as what something counts as: ``is_weekend`` is "weekend"."""
        head, _, tail = name.partition("_")
        return humanise(tail if head in ("is", "has", "was", "are") and tail else name)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.assigned.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                for t, v in zip(target.elts, value.elts, strict=True):
                    self._assign(t, v)
            else:
                for position, t in enumerate(target.elts):
                    if isinstance(t, ast.Name):
                        self.bindings.setdefault(t.id, Binding("part", value, position))

    def _loop(self, name: str, binding: Binding) -> None:
        self.bindings[name] = binding
        self.loops.append((name, binding))

    def _bind(self, target: ast.expr, source: ast.expr) -> None:
        call = source if isinstance(source, ast.Call) else None
        called = call.func if call else None
        if isinstance(source, ast.Name):
            self.iterated.add(source.id)
        if isinstance(target, ast.Name):
            kind = "item"
            if isinstance(called, ast.Name) and called.id == "range" and call and call.args:
                inner = call.args[0] if len(call.args) == 1 else call.args[1]
                measured = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "len"
                if measured and isinstance(inner, ast.Call) and inner.args:
                    source = inner.args[0]
                    self.iterated |= {source.id} if isinstance(source, ast.Name) else set()
                kind = "index" if measured else "counter"
            elif isinstance(called, ast.Attribute) and called.attr in ("values", "keys"):
                kind, source = ("value" if called.attr == "values" else "key"), called.value
            self._loop(target.id, Binding(kind, source))
            return
        if not isinstance(target, ast.Tuple | ast.List):
            return
        parts = target.elts
        if isinstance(called, ast.Name) and call and called.id == "enumerate" and len(parts) == 2 and call.args:
            if isinstance(parts[0], ast.Name):
                self._loop(parts[0].id, Binding("index", call.args[0]))
            self._bind(parts[1], call.args[0])
        elif isinstance(called, ast.Name) and call and called.id == "zip" and len(call.args) == len(parts):
            for part, inner in zip(parts, call.args, strict=True):
                self._bind(part, inner)
        elif isinstance(called, ast.Attribute) and called.attr == "items" and len(parts) == 2:
            for part, kind in zip(parts, ("key", "value"), strict=True):
                if isinstance(part, ast.Name):
                    self._loop(part.id, Binding(kind, called.value))
        else:
            if isinstance(source, ast.Name):
                self.iterated.add(source.id)
            for position, part in enumerate(parts):
                if isinstance(part, ast.Name):
                    self._loop(part.id, Binding("part", source, position))

    def noun(self, name: str) -> str:
        """A name as a noun phrase ("the wind speed", "the review")."""
        if name in self.pronouns:
            return self.pronouns[name]
        binding = self.bindings.get(name)
        if binding is not None and (name in _VAGUE or len(name) == 1):
            base = self._base(binding.source)
            if binding.kind == "part" and base:
                return f"the {ordinal(binding.position)} part of the {singular(base)}"
            if binding.kind == "item" and base:
                return f"the {singular(base)}" if singular(base) != base else f"each entry of the {base}"
            if binding.kind == "key":
                return f"the name in the {base}" if base else "the name"
            if binding.kind == "value":
                return f"the value in the {base}" if base else "the value"
            if binding.kind == "index":
                return f"the position in the {base}" if base else "the position"
            return "the count"
        if name in ("result", "results", "res", "ret", "out", "output") and name not in self.parameters:
            return "the result"
        if name in self.parameters and self.boolean(name):
            return f"'{name}'"
        words = the(name)
        if needs_noun(words.removeprefix("the ")):
            kind = "text" if name in self.texts else "ones" if name in self.iterated | self.mutated else "value"
            words = f"{words} {kind}"
        elif name in self.assigned and not is_plural(words) and isinstance(self.assigned[name][0], ast.ListComp):
            words = f"{words} list" if name not in self.parameters and not words.endswith("list") else words
        return words

    def _base(self, node: ast.expr) -> str:
        """The words for a collection, without an article."""
        if isinstance(node, ast.Name):
            return humanise(node.id) if len(node.id) > 1 else ""
        if isinstance(node, ast.Call):
            if (
                isinstance(node.func, ast.Name)
                and node.func.id in ("sorted", "reversed", "list", "set", "enumerate")
                and node.args
            ):
                return self._base(node.args[0])
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("split", "splitlines"):
                return "parts" if node.args else "words"
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "values", "keys", "lower", "strip"):
                return self._base(node.func.value)
            return ""
        if isinstance(node, ast.Subscript):
            key = constant_of(node.slice)
            if isinstance(key, str):
                return humanise(key)
            return self._base(node.value)
        if isinstance(node, ast.Attribute):
            return humanise(node.attr)
        return ""

    def boolean(self, name: str) -> bool:
        """Whether a name is used as a yes/no value."""
        default = self.parameters.get(name)
        if isinstance(default, ast.Constant) and isinstance(default.value, bool):
            return True
        return name in self.booleans and name not in self.iterated | self.texts | self.numeric
