"""Expressions of a program as noun phrases: ``price * 0.9`` is "the price times 0.9".

Nothing here writes an operator, an index or a call: what cannot be said in words is said vaguely ("a computed
value") and left to the smaller facts about its parts.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from colbench.simulators.facts.scope import Binding, Scope, constant_of, is_literal, mappings_of
from colbench.simulators.facts.words import are, humanise, join_words, number_text, ordinal, quote, singular

__all__ = ["ATOM", "CLAUSE", "PRODUCT", "SUM", "UNSAID", "Phrase", "Speaker"]

ATOM, PRODUCT, SUM, CLAUSE = range(4)
UNSAID = "a computed value"
MAX_DEPTH = 10


class Phrase(NamedTuple):
    """A piece of text and how loosely it binds, so that nested calculations can be set apart."""

    text: str
    level: int = ATOM


class Speaker:
    """Puts the expressions of one function into words.

    Args:
        scope: what its names stand for.
        max_depth: nesting from which on an expression is only "a computed value".
    """

    def __init__(self, scope: Scope, max_depth: int = MAX_DEPTH) -> None:
        self.scope = scope
        self.max_depth = max_depth
        self._depth = 0
        self._in_helper: set[str] = set()

    def say(self, node: ast.expr | None) -> str:
        """The words for an expression."""
        return self.phrase(node).text

    def operand(self, node: ast.expr, loosest: int = ATOM) -> str:
        """The words for a part of a calculation, in parentheses where they would be misread otherwise."""
        phrase = self.phrase(node)
        return phrase.text if phrase.level <= loosest else f"({phrase.text})"

    def condition(self, node: ast.expr, negate: bool = False) -> str:
        """The words for a condition ("the wind speed is above 100")."""
        from colbench.simulators.facts.conditions import say_condition

        return say_condition(self, node, negate)

    def phrase(self, node: ast.expr | None) -> Phrase:
        """The words for an expression, with how loosely they bind."""
        if node is None:
            return Phrase("None")
        if self._depth >= self.max_depth:
            return Phrase(UNSAID)
        self._depth += 1
        try:
            return self._phrase(node)
        finally:
            self._depth -= 1

    def _phrase(self, node: ast.expr) -> Phrase:
        value = constant_of(node)
        if value is not ...:
            return Phrase(self.constant(value))
        match node:
            case ast.Name() if self.scope.is_flag(node.id) and node.id not in self.scope.constants:
                return Phrase(f"whether it counts as {self.scope.flag_words(node.id)}")
            case ast.Name():
                return self._name(node)
            case ast.BinOp():
                from colbench.simulators.facts.arithmetic import say_arithmetic

                return say_arithmetic(self, node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Attribute():
                return Phrase(self._attribute(node))
            case ast.Call():
                from colbench.simulators.facts.calls import say_call

                return say_call(self, node)
            case ast.BoolOp() if isinstance(node.op, ast.Or) and not any(
                isinstance(v, ast.Compare) for v in node.values
            ):
                return Phrase(f"{self.say(node.values[0])}, or {self.say(node.values[-1])} if that is empty", CLAUSE)
            case ast.Compare() | ast.BoolOp():
                return Phrase(f"True if {self.condition(node)}, otherwise False", CLAUSE)
            case ast.UnaryOp():
                from colbench.simulators.facts.arithmetic import rounded_up

                if isinstance(node.op, ast.Not):
                    return Phrase(f"True if {self.condition(node)}, otherwise False", CLAUSE)
                return rounded_up(self, node) or Phrase(f"minus {self.operand(node.operand)}", PRODUCT)
            case ast.IfExp():
                test = self.condition(node.test)
                return Phrase(f"{self.say(node.body)} if {test}, otherwise {self.say(node.orelse)}", CLAUSE)
            case ast.JoinedStr():
                return Phrase(f"the text {self._template(node)}")
            case ast.List() | ast.Tuple() | ast.Set():
                return Phrase(self._sequence(node))
            case ast.Dict():
                return Phrase(self._record(node))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return Phrase(self._comprehension(node), CLAUSE)
            case ast.Starred():
                return self.phrase(node.value)
            case ast.NamedExpr() | ast.Await():
                return self.phrase(node.value)
            case ast.Lambda():
                return self.phrase(node.body)
        return Phrase(UNSAID)

    def constant(self, value: object) -> str:
        """A literal as it is said."""
        if isinstance(value, str):
            return quote(value)
        if isinstance(value, bool) or value is None:
            return str(value)
        if isinstance(value, int | float | complex):
            return number_text(value)
        return UNSAID

    def _name(self, node: ast.Name) -> Phrase:
        constant = self.scope.constants.get(node.id)
        if constant is not None:
            value = constant_of(constant)
            if value is not ...:
                return Phrase(self.constant(value))
            if isinstance(constant, ast.List | ast.Tuple | ast.Set) and len(constant.elts) <= 3:
                short = self._sequence(constant)
                if len(short) <= 40:
                    return Phrase(short)
        if node.id in self.scope.helpers:
            return Phrase(f"the {humanise(node.id)}")
        return Phrase(self.scope.noun(node.id))

    def is_text(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression is certainly a text."""
        if isinstance(node, ast.JoinedStr) or isinstance(constant_of(node), str):
            return True
        if depth > 6:
            return False
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.is_text(node.left, depth + 1) or self.is_text(node.right, depth + 1)
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            return name in ("str", "lower", "upper", "strip", "join", "replace", "title", "capitalize", "format")
        if isinstance(node, ast.Name):
            values = self.scope.assigned.get(node.id, [])
            return bool(values) and self.is_text(values[0], depth + 1)
        return False

    @staticmethod
    def is_set(node: ast.expr) -> bool:
        """Whether an expression is certainly a set."""
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset")
        return isinstance(node, ast.Set | ast.SetComp)

    def _subscript(self, node: ast.Subscript) -> Phrase:
        index = node.slice
        owner = self.owner(node.value)
        if isinstance(index, ast.Slice):
            from colbench.simulators.facts.arithmetic import say_slice

            return Phrase(say_slice(self, owner, index))
        key = constant_of(index)
        if isinstance(key, str):
            return Phrase(self.field(node.value, key))
        if isinstance(key, int) and not isinstance(key, bool):
            return Phrase(f"the {ordinal(key)} entry of {owner}" if owner else f"the {ordinal(key)} entry")
        if isinstance(index, ast.Name):
            binding = self.scope.bindings.get(index.id)
            if binding and binding.kind == "index":
                base = owner.removeprefix("the ")
                return Phrase(f"the {singular(base)}" if singular(base) != base else f"each entry of {owner}")
        if isinstance(node.value, ast.Dict):
            table = " and ".join(f"{self.say(v)} for {self.say(k)}" for k, v in mappings_of(node.value)[:6])
            return Phrase(table or UNSAID, CLAUSE)
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Invert):
            return Phrase(f"{owner} outside {self.say(index.operand)}")
        if isinstance(index, ast.Compare):
            return Phrase(f"those of {owner} where {self.condition(index)}", SUM)
        place = self.operand(index, ATOM)
        inner = node.value
        if (
            isinstance(inner, ast.Subscript)
            and constant_of(inner.slice) is ...
            and f" for {self.operand(inner.slice)}" in owner
        ):
            return Phrase(f"{owner} and {place}")
        if isinstance(inner, ast.Name) and owner.startswith("the "):
            owner = singular(owner)
        return Phrase(f"{owner} for {place}" if place else owner)

    def owner(self, node: ast.expr) -> str:
        """The thing whose part is taken; empty where the context makes it plain."""
        if isinstance(node, ast.Name) and self.scope.pronouns.get(node.id) == "":
            return ""
        if isinstance(node, ast.Name):
            return self.scope.noun(node.id)
        return self.operand(node, PRODUCT)

    def field(self, node: ast.expr, key: str) -> str:
        """A field of a record: "the 'price'" where it is plain whose, else with its owner."""
        if isinstance(node, ast.Name):
            name = node.id
            if name in self.scope.pronouns and not self.scope.pronouns[name]:
                return f"the {quote(key)}"
            if name in self.scope.bindings and len(self.scope.key_owners.get(key, ())) <= 1:
                return f"the {quote(key)}"
        if isinstance(node, ast.Subscript) and self._plain_item(node):
            return f"the {quote(key)}"
        return f"the {quote(key)} of {self.owner(node)}"

    def _plain_item(self, node: ast.Subscript) -> bool:
        """Whether a record is picked from a list only by its position, as in ``x[1]["points"]`` of a sort key."""
        inner = node.value
        return (
            isinstance(inner, ast.Name)
            and self.scope.pronouns.get(inner.id) == ""
            and isinstance(constant_of(node.slice), int)
        )

    def _attribute(self, node: ast.Attribute) -> str:
        if isinstance(node.value, ast.Name) and node.value.id in ("math", "np", "numpy", "cmath"):
            return {"pi": "pi", "e": "Euler's number", "inf": "infinity", "nan": "not a number"}.get(
                node.attr, node.attr
            )
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return f"the {humanise(node.attr)}"
        if node.attr == "days" and isinstance(node.value, ast.BinOp):
            return f"the days in {self.operand(node.value)}"
        return f"the {humanise(node.attr)} of {self.owner(node.value)}"

    def _template(self, node: ast.JoinedStr) -> str:
        pieces = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                pieces.append(str(part.value))
            elif isinstance(part, ast.FormattedValue):
                inside = self.say(part.value)
                inside = inside.removeprefix("the ")
                spec = part.format_spec
                if isinstance(spec, ast.JoinedStr) and spec.values and isinstance(spec.values[0], ast.Constant):
                    inside += format_words(str(spec.values[0].value))
                pieces.append(f"({inside})".replace("'", "").replace('"', ""))
        return quote("".join(pieces), 300)

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> str:
        if not node.elts:
            return "an empty list" if not isinstance(node, ast.Tuple) else "nothing"
        items = [self.operand(e, SUM) for e in node.elts[:12]]
        if len(node.elts) > 12:
            items.append("others")
        if isinstance(node, ast.Tuple) and len(items) == 2 and not is_literal(node):
            return f"a pair of {items[0]} and {items[1]}"
        return f"a list with just {items[0]}" if len(items) == 1 else join_words(items)

    def _record(self, node: ast.Dict) -> str:
        if not node.keys:
            return "an empty dictionary"
        spread = [self.say(v) for k, v in zip(node.keys, node.values, strict=True) if k is None]
        fields = []
        for key, value in mappings_of(node)[:8]:
            said = self.say(value)
            fields.append(f"{self.say(key)} {are(self.say(key))} {said}")
        if spread:
            return f"a copy of {spread[0]} in which {join_words(fields)}" if fields else f"a copy of {spread[0]}"
        return f"a record in which {join_words(fields)}"

    def collection(self, node: ast.expr) -> str:
        """What a loop goes through, in words."""
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in ("items", "keys", "values") and isinstance(node.func, ast.Attribute):
                return self.say(node.func.value)
            if name == "enumerate" and node.args:
                return self.collection(node.args[0])
            if name == "zip" and node.args:
                return join_words([self.say(a) for a in node.args]) + " side by side"
            if name == "range":
                if (
                    len(node.args) == 1
                    and isinstance(node.args[0], ast.Call)
                    and getattr(node.args[0].func, "id", "") == "len"
                ):
                    return self.say(node.args[0].args[0]) if node.args[0].args else UNSAID
                low = self.say(node.args[0]) if len(node.args) > 1 else "0"
                high = self.say(node.args[1] if len(node.args) > 1 else node.args[0]) if node.args else "0"
                step = f" in steps of {self.say(node.args[2])}" if len(node.args) > 2 else ""
                return f"the numbers from {low} up to but not including {high}{step}"
        return self.say(node)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> str:
        first = node.generators[0]
        where = self.filters(node)
        tail = f" where {where}" if where else ""
        source = self.collection(first.iter)
        if isinstance(node, ast.DictComp):
            return (
                f"a dictionary from {self.say(node.key)} to {self.operand(node.value, SUM)} for each of {source}{tail}"
            )
        if isinstance(node.elt, ast.Name) and isinstance(first.target, ast.Name) and node.elt.id == first.target.id:
            return f"those of {source}{tail}" if where else source
        if self._whole_item(node.elt, first.target):
            return f"the {'matching ' if where else ''}pairs of {source}{tail}".replace(" side by side", "")
        elt = self.operand(node.elt, SUM)
        if isinstance(node.elt, ast.Subscript) and elt.startswith("the '"):
            return f"{elt} of each of {source}{tail}"
        if isinstance(node.elt, ast.Name) and len(node.generators) == 1:
            return f"a list with {elt} for each of {source}{tail}"
        return f"{elt} for each of {source}{tail}"

    @staticmethod
    def _whole_item(elt: ast.expr, target: ast.expr) -> bool:
        return (
            isinstance(elt, ast.Tuple)
            and isinstance(target, ast.Tuple)
            and ast.dump(elt).replace("Store", "Load") == ast.dump(target).replace("Store", "Load")
        )

    def filters(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> str:
        """The conditions of a comprehension, joined."""
        tests = [self.condition(test) for generator in node.generators for test in generator.ifs]
        return " and ".join(tests)

    def bind(self, name: str, source: ast.expr, kind: str = "item") -> None:
        """Tell what a lambda's argument stands for."""
        self.scope.bindings.setdefault(name, Binding(kind, source))


def format_words(spec: str) -> str:
    """A format specification in words, with a leading space ("", where it says nothing)."""
    out = ""
    if "," in spec:
        out += " with thousands separators"
    decimals = spec.rsplit(".", 1)[-1].rstrip("fFgGe%") if "." in spec else ""
    if decimals.isdigit():
        out += f" with {decimals} decimal{'s' if decimals != '1' else ''}"
    if spec.endswith("%"):
        out += " as a percentage"
    if spec[:1] == "0" and spec.rstrip("d")[1:].isdigit():
        out += f" with at least {spec.rstrip('d')[1:]} digits"
    return out
