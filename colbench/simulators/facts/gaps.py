"""Numbers and keys of a reference that no rule put into words: the last resort, a small fact about each."""

from __future__ import annotations

import ast

from colbench.simulators.facts.model import Fact, make_fact
from colbench.simulators.facts.phrases import UNSAID, Speaker
from colbench.simulators.facts.scope import constant_of, walk_limited
from colbench.simulators.facts.topics import topics_of
from colbench.simulators.facts.words import join_words, number_text, quote

__all__ = ["gap_facts", "literals_of"]

_MOST = 60
_LENGTH = 150


def literals_of(tree: ast.AST) -> tuple[list[str], list[float]]:
    """The key names and option words, and the numbers (0 and 1 aside), of a reference, in order.

    A text counts where it is a key of a dictionary, read by ``[...]`` or ``get``, or compared with something
    (``==``, ``in``, ``startswith``, a case of ``match``); messages and other results do not.
    """
    keys: dict[str, None] = {}
    numbers: dict[float, None] = {}
    lists: dict[str, list[str]] = {}
    for node in walk_limited(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.Tuple | ast.Set):
            words = [e.value for e in node.value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
            lists.update({t.id: words for t in node.targets if isinstance(t, ast.Name)})
    for node in walk_limited(tree):
        for text in _texts(node, lists):
            if text.strip():
                keys.setdefault(text)
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            if node.value not in (0, 1):
                numbers.setdefault(float(node.value) if abs(node.value) < 1e300 else float("inf"))
    return list(keys), list(numbers)


def _texts(node: ast.AST, lists: dict[str, list[str]]) -> list[str]:
    found: list[object] = []
    if isinstance(node, ast.Dict):
        found = [constant_of(k) for k in node.keys if k is not None]
    elif isinstance(node, ast.Subscript):
        found = [constant_of(node.slice)]
    elif isinstance(node, ast.Compare):
        for op, side in zip([None, *node.ops], [node.left, *node.comparators], strict=True):
            found.append(constant_of(side))
            if isinstance(op, ast.In | ast.NotIn):
                found += [constant_of(e) for e in getattr(side, "elts", [])]
                if isinstance(side, ast.Name):
                    found += lists.get(side.id, [])
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("get", "startswith", "endswith", "pop", "setdefault") and node.args:
            first = node.args[0]
            found = [constant_of(e) for e in first.elts] if isinstance(first, ast.Tuple) else [constant_of(first)]
    elif isinstance(node, ast.MatchValue):
        found = [constant_of(node.value)]
    return [t for t in found if isinstance(t, str)]


def gap_facts(speaker: Speaker, facts: list[Fact], start: int) -> list[Fact]:
    """Facts for the literals of a function that the given facts leave out."""
    said_numbers = {n for f in facts for n in f.numbers} | {0.0, 1.0}
    said_words = {q.lower() for f in facts for q in f.quoted}
    function = speaker.scope.function
    keys, numbers = literals_of(function)
    missing_keys = [k for k in keys if _said_form(k) not in said_words and k.strip()]
    missing = {n for n in numbers if n not in said_numbers and -n not in said_numbers}
    if not missing and not missing_keys:
        return []
    out: list[Fact] = []
    shallow = Speaker(speaker.scope, max_depth=4)
    parents = {id(child): node for node in speaker.scope.nodes for child in ast.iter_child_nodes(node)}
    for node in speaker.scope.nodes:
        if len(out) >= _MOST:
            break
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            if missing and abs(node.value) < 1e300 and float(node.value) in missing:
                if _said_in_words(node, parents.get(id(node))):
                    continue
                text = _about(shallow, node, parents)
                if text:
                    missing.remove(float(node.value))
                    around = parents.get(id(node), node)
                    out.append(make_fact(text, topics_of([around]) | {"factor"}, 0.45, start + len(out)))
    for at in range(0, min(len(missing_keys), 48), 6):
        some = missing_keys[at : at + 6]
        text = f"it also looks at {join_words([quote(k) for k in some])}"
        out.append(make_fact(text, {"keys", "options"}, 0.45, start + len(out)))
    return out


def _said_in_words(node: ast.Constant, parent: ast.AST | None) -> bool:
    """Whether a number is said by a word: a position ("third"), a power ("squared"), a remainder ("even")."""
    if isinstance(parent, ast.UnaryOp | ast.Slice):
        return True
    if isinstance(parent, ast.Subscript):
        return parent.slice is node
    if isinstance(parent, ast.BinOp) and parent.right is node:
        return (isinstance(parent.op, ast.Pow) and node.value in (2, 0.5)) or (
            isinstance(parent.op, ast.Mod) and node.value == 2
        )
    return False


def _said_form(key: str) -> str:
    return quote(key)[1:-1].lower()


def _about(shallow: Speaker, node: ast.Constant, parents: dict[int, ast.AST]) -> str:
    """A few words about where a number stands."""
    number = number_text(node.value)  # type: ignore[arg-type]
    current: ast.AST = node
    best = ""
    for _ in range(4):
        parent = parents.get(id(current))
        if parent is None or isinstance(parent, ast.stmt):
            break
        text = ""
        if isinstance(parent, ast.Compare):
            text = f"it matters whether {shallow.condition(parent)}"
        elif isinstance(parent, ast.BinOp | ast.Call | ast.Subscript | ast.IfExp | ast.UnaryOp):
            text = f"part of the calculation is {shallow.say(parent)}"
        if text and number in text and len(text) <= _LENGTH and UNSAID not in text:
            best = text
            if isinstance(parent, ast.Compare):
                break
        current = parent
    return best or f"the number {number} plays a part in the calculation"
