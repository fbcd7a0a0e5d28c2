"""Where a reference rounds, and whether the result itself is rounded: the question that is asked most."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from colbench.simulators.facts.arithmetic import to_multiple
from colbench.simulators.facts.filled import filling_of
from colbench.simulators.facts.model import Fact, make_fact
from colbench.simulators.facts.phrases import UNSAID, Speaker
from colbench.simulators.facts.results import returned
from colbench.simulators.facts.scope import Scope, constant_of
from colbench.simulators.facts.words import are, join_words, quote

__all__ = ["Rounding", "rounding_facts", "roundings"]

_PASSING = ("max", "min", "sorted", "list", "float", "str", "tuple", "dict", "abs")
_UNNAMED = "a value on the way"
_WAYS = {"floor": "rounded down", "ceil": "rounded up", "trunc": "cut to whole numbers"}


@dataclass(frozen=True)
class Rounding:
    """One place where something is rounded.

    Attributes:
        subject: what is rounded, as a noun phrase.
        way: how ("rounded to 2 decimals", "rounded up").
        digits: decimals left, or None where they are not fixed.
        final: whether it is the result, or a part of it, that is rounded.
    """

    subject: str
    way: str
    digits: int | None
    final: bool


def _way(node: ast.AST, scope: Scope) -> tuple[ast.expr, str, int | None] | None:
    """What a node rounds, how, and to how many decimals; None for a node that does not round."""
    if isinstance(node, ast.Call) and node.args:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in ("round", "around"):
            given = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords), None)
            digits = 0 if given is None else constant_of(given)
            if not isinstance(digits, int):
                return node.args[0], "rounded", None
            if digits == 0:
                return node.args[0], "rounded to a whole number", 0
            if digits < 0:
                return node.args[0], f"rounded to the nearest {10 ** min(-digits, 12)}", digits
            return node.args[0], f"rounded to {digits} decimal{'s' if digits != 1 else ''}", digits
        if name in _WAYS:
            return node.args[0], _WAYS[name], 0
        counted = isinstance(node.args[0], ast.Name) and node.args[0].id in scope.numeric
        if name == "int" and (isinstance(node.args[0], ast.BinOp) or counted):
            return node.args[0], "cut to a whole number", 0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = node.operand
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.FloorDiv) and isinstance(inner.left, ast.UnaryOp):
            return ast.BinOp(inner.left.operand, ast.Div(), inner.right), "rounded up", 0
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        multiple = to_multiple(node)
        if multiple is not None:
            return multiple[0], multiple[1], None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        return ast.BinOp(node.left, ast.Div(), node.right), "rounded down", 0
    if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
        spec = "".join(str(constant_of(v)) for v in node.format_spec.values)
        decimals = spec.rsplit(".", 1)[-1].rstrip("fF%") if "." in spec else ""
        if decimals.isdigit():
            return node.value, f"shown with {decimals} decimal{'s' if decimals != '1' else ''}", int(decimals)
    return None


def roundings(speaker: Speaker) -> list[Rounding]:
    """Every rounding of a function, those of the result first."""
    scope = speaker.scope
    final: dict[int, str] = {}
    _trace(scope, returned(scope.function), "the result", final, set())
    inside: dict[int, str] = {}
    for node in scope.nodes:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and isinstance(node, ast.Assign | ast.AnnAssign):
            for child in _through(node.value):
                inside.setdefault(id(child), scope.noun(targets[0].id))
    found: dict[tuple[str, str, bool], Rounding] = {}
    skipped: set[int] = set()
    for node in scope.nodes:
        if id(node) in skipped:
            continue
        way = _way(node, scope)
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.FloorDiv) and isinstance(node.target, ast.Name):
            note = Rounding(scope.noun(node.target.id), "rounded down", 0, False)
            found.setdefault((note.subject, note.way, note.final), note)
        if way is None:
            continue
        # The parts of a rounding that takes several operations are no roundings of their own.
        if isinstance(node, ast.UnaryOp | ast.BinOp):
            skipped |= {id(n) for n in ast.iter_child_nodes(node) if isinstance(n, ast.BinOp | ast.Call)}
        inner, how, digits = way
        subject = final.get(id(node)) or inside.get(id(node)) or ""
        if not subject or subject == "?":
            subject = speaker.operand(inner, 2)
            if len(subject) > 70 or UNSAID in subject:
                subject = _UNNAMED if id(node) not in final else "a part of the result"
        note = Rounding(subject, how, digits, id(node) in final)
        found.setdefault((note.subject, note.way, note.final), note)
    return sorted(found.values(), key=lambda note: not note.final)


def _through(node: ast.expr | None) -> list[ast.expr]:
    """An expression and what only limits wrap in it: ``max(2, ceil(x))`` still rounds x up."""
    if node is None:
        return []
    found = [node]
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("max", "min", "float", "int"):
        found += [inner for argument in node.args for inner in _through(argument)]
    return found


def _trace(
    scope: Scope, nodes: list[ast.expr], subject: str, final: dict[int, str], seen: set[str], depth: int = 0
) -> None:
    """Mark what stands in the result as it is: parts of displays, both sides of a choice, what fills a collection."""
    if depth > 12:
        return
    for node in nodes:
        if _way(node, scope) is not None:
            final.setdefault(id(node), subject)
        match node:
            case ast.Tuple() | ast.List() | ast.Set():
                _trace(scope, node.elts, "?", final, seen, depth + 1)
            case ast.Dict():
                for key, value in zip(node.keys, node.values, strict=True):
                    name = constant_of(key) if key is not None else ...
                    _trace(scope, [value], quote(name) if isinstance(name, str) else "?", final, seen, depth + 1)
            case ast.IfExp():
                _trace(scope, [node.body, node.orelse], subject, final, seen, depth + 1)
            case ast.JoinedStr():
                _trace(scope, list(node.values), "?", final, seen, depth + 1)
            case ast.FormattedValue():
                _trace(scope, [node.value], subject, final, seen, depth + 1)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                _trace(scope, [node.elt], "?", final, seen, depth + 1)
            case ast.DictComp():
                _trace(scope, [node.value], "?", final, seen, depth + 1)
            case ast.Call() if getattr(node.func, "id", "") in _PASSING:
                _trace(scope, node.args, subject, final, seen, depth + 1)
            case ast.Call() if getattr(node.func, "attr", "") == "join":
                _trace(scope, node.args, "?", final, seen, depth + 1)
            case ast.Name() if node.id not in seen and node.id not in scope.parameters:
                seen.add(node.id)
                named = scope.noun(node.id)
                for value in scope.assigned.get(node.id, []):
                    _trace(scope, [value], subject if subject == "the result" else named, final, seen, depth + 1)
                filling = filling_of(scope, node.id)
                _trace(scope, [*filling.items, *filling.others], "?", final, seen, depth + 1)
                for key, value_ in filling.pairs:
                    name = constant_of(key)
                    if value_ is not None:
                        _trace(scope, [value_], quote(name) if isinstance(name, str) else "?", final, seen, depth + 1)


def rounding_facts(notes: list[Rounding], start: int) -> list[Fact]:
    """One fact that answers "should I round?", where there is any rounding at all.

    Args:
        notes: what :func:`roundings` found.
        start: order of the fact.
    """
    final = [n for n in notes if n.final]
    others = [n for n in notes if not n.final]
    if final:
        whole = [n for n in final if n.subject == "the result"]
        grouped: dict[str, list[str]] = {}
        for note in (whole or final)[:4]:
            grouped.setdefault(note.way, []).append(note.subject)
        text = join_words([_clause(list(dict.fromkeys(subjects)), way) for way, subjects in grouped.items()])
    elif others:
        ways: dict[str, list[str]] = {}
        for note in [n for n in others if n.subject != _UNNAMED] or others:
            ways.setdefault(note.subject, []).append(note.way)
        said = [f"{subject} {are(subject)} {' and later '.join(how[:2])}" for subject, how in list(ways.items())[:2]]
        text = f"the result itself is not rounded, but {join_words(said)}"
    else:
        return []
    if len(text) > 200:
        text = text[: text.rindex(" and ")] if " and " in text[:200] else text
    return [make_fact(text, {"rounding"}, 0.55, start, "decimal precision digit")] if len(text) <= 200 else []


def _clause(subjects: list[str], way: str) -> str:
    named = join_words(subjects)
    where = " in the result" if "the result" not in subjects and "a part of the result" not in subjects else ""
    return f"{named}{where} {'are' if len(subjects) > 1 else are(named)} {way}"
