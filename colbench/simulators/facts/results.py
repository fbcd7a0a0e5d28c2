"""What a reference gives back: its shape in one breath, and the keys of a record."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from colbench.simulators.facts.kinds import kind_of
from colbench.simulators.facts.model import Fact, make_fact, quoted_in
from colbench.simulators.facts.phrases import Speaker
from colbench.simulators.facts.scope import FunctionNode, constant_of, mappings_of
from colbench.simulators.facts.shapes import shape_of_results
from colbench.simulators.facts.words import join_words, quote

__all__ = ["result_facts", "returned"]


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
    shape = shape_of_results(speaker, values)
    told = set(quoted_in(shape))
    if shape:
        yield f"the result is {shape}", {"result"}, 0.9
    texts = list(dict.fromkeys(v for v in (constant_of(v) for v in values) if isinstance(v, str) and v))
    if 2 < len(texts) <= 10 and len("".join(texts)) < 140 and not set(texts) <= told:
        yield f"the possible results are {join_words([quote(t) for t in texts])}", {"result", "options"}, 0.66
    for value in values:
        if isinstance(value, ast.ListComp) and mappings_of(value.elt):
            keys = [str(constant_of(k)) for k, _ in mappings_of(value.elt) if isinstance(constant_of(k), str)]
            if not set(keys) <= told:
                yield f"each entry of the result has {join_words([quote(k) for k in keys[:10]])}", {"result"}, 0.75
    for keys in _record_keys(speaker, values):
        if not set(keys) <= told:
            yield f"the result is a dictionary with {join_words([quote(k) for k in keys[:10]])}", {"result"}, 0.75


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
