"""Lists and tables of constants in a reference, told a few entries at a time, as a person would read them out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from colbench.simulators.facts.model import Fact, make_fact
from colbench.simulators.facts.phrases import Speaker
from colbench.simulators.facts.scope import constant_of, is_literal, mappings_of, walk_limited
from colbench.simulators.facts.words import are, join_words, quote, singular

__all__ = ["LONG_LITERAL", "table_facts"]

LONG_LITERAL = 100
_CHUNK = 150
_MAX_ENTRIES = 200
_Said = tuple[str, set[str], float]


def table_facts(speaker: Speaker, module: ast.Module, start: int = 0) -> list[Fact]:
    """Facts about every literal list and dictionary that a function uses.

    Args:
        speaker: puts values into words.
        module: the module, whose constants count where the function names them.
        start: order of the first fact.
    """
    said: list[tuple[_Said, str]] = []
    for name, node in _tables(speaker, module):
        said += [(s, name) for s in _table(speaker, name, node)]
    asked = _looked_up_by(speaker)
    return [
        make_fact(text, topics, weight, start + i, f"{name} {asked.get(name, '')}")
        for i, ((text, topics, weight), name) in enumerate(said[:150])
    ]


def _looked_up_by(speaker: Speaker) -> dict[str, str]:
    """Table -> names of what is looked up in it, so that "which countries?" finds the rates by country."""
    found: dict[str, str] = {}
    for node in speaker.scope.nodes:
        table: ast.expr | None = None
        index: ast.AST | None = None
        if isinstance(node, ast.Subscript):
            table, index = node.value, node.slice
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "get"
            and node.args
        ):
            table, index = node.func.value, node.args[0]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            table, index = node.comparators[0], node.left
        if isinstance(table, ast.Name) and index is not None:
            names = " ".join(n.id for n in walk_limited(index, 50) if isinstance(n, ast.Name))
            found[table.id] = f"{found.get(table.id, '')} {names}"
    return found


def _tables(speaker: Speaker, module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    function = speaker.scope.function
    seen: set[int] = set()
    names = {n.id for n in speaker.scope.nodes if isinstance(n, ast.Name)}
    for name, default in speaker.scope.parameters.items():
        if default is not None and is_literal(default):
            seen.add(id(default))
            yield name, default
    for owner in (function, module):
        for node in speaker.scope.nodes if owner is function else module.body:
            target: ast.expr | None = None
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
            elif isinstance(node, ast.AnnAssign):
                target = node.target
            value = getattr(node, "value", None)
            if (
                isinstance(target, ast.Name)
                and isinstance(value, ast.expr)
                and (owner is function or target.id in names)
            ):
                literal = value.value if isinstance(value, ast.Subscript) else value
                if (is_literal(literal) or mappings_of(literal)) and id(literal) not in seen:
                    seen.add(id(literal))
                    yield target.id, literal
    for node in speaker.scope.nodes:
        if isinstance(node, ast.Compare):
            for op, right in zip(node.ops, node.comparators, strict=True):
                if (
                    isinstance(op, ast.In | ast.NotIn)
                    and isinstance(right, ast.List | ast.Tuple | ast.Set)
                    and is_literal(right)
                ):
                    if len(right.elts) > 1 and len(ast.unparse(right)) > LONG_LITERAL:
                        subject = node.left
                        yield f"accepted_{_bare(subject)}", right
        elif isinstance(node, ast.For | ast.comprehension):
            pairs = _literal_loop(node.iter)
            if pairs is not None:
                name = node.target.id if isinstance(node.target, ast.Name) else ""
                yield f"{name}s" if len(name) > 2 else "steps", pairs
        elif (
            isinstance(node, ast.Subscript | ast.Attribute)
            and isinstance(node.value, ast.Dict)
            and id(node.value) not in seen
        ):
            seen.add(id(node.value))
            yield "", node.value


def _literal_loop(node: ast.expr) -> ast.expr | None:
    """The literal that a loop goes through, ``zip`` of two literals included; None for anything else."""
    if isinstance(node, ast.List | ast.Tuple) and is_literal(node) and node.elts:
        return node
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip" and len(node.args) > 1:
        columns: list[list[ast.expr]] = []
        for argument in node.args:
            text = constant_of(argument)
            if isinstance(text, str):
                columns.append([ast.Constant(c) for c in text])
            elif isinstance(argument, ast.List | ast.Tuple) and is_literal(argument):
                columns.append(list(argument.elts))
            else:
                return None
        return ast.List([ast.Tuple(list(row), ast.Load()) for row in zip(*columns, strict=False)], ast.Load())
    return None


def _bare(node: ast.expr) -> str:
    return f"{node.id}s" if isinstance(node, ast.Name) else "values"


def _chunks(items: Sequence[str], limit: int = _CHUNK) -> Iterator[list[str]]:
    current: list[str] = []
    for item in items:
        if current and len(", ".join([*current, item])) > limit:
            yield current
            current = []
        current.append(item)
    if current:
        yield current


def _table(speaker: Speaker, name: str, node: ast.expr) -> Iterator[_Said]:
    noun = speaker.scope.noun(name) if name else ""
    if noun == "the result":
        noun = "the entries of the result"
    if isinstance(node, ast.List | ast.Tuple | ast.Set) and node.elts:
        yield from _sequence(speaker, noun, name, node)
    elif mappings_of(node):
        yield from _mapping(speaker, noun, name, node)


def _sequence(speaker: Speaker, noun: str, name: str, node: ast.List | ast.Tuple | ast.Set) -> Iterator[_Said]:
    elements = node.elts[:_MAX_ENTRIES]
    lead = "by default, " if name in speaker.scope.parameters else ""
    topics = {"options", "table"} | ({"default"} if lead else set())
    if all(constant_of(e) is not ... for e in elements):
        said = [speaker.say(e) for e in elements]
        if all(isinstance(constant_of(e), int | float) for e in elements):
            topics |= {"threshold", "factor"}
        for position, some in enumerate(_chunks(said)):
            verb = f"{are(noun)}" if position == 0 else f"also {'include' if are(noun) == 'are' else 'includes'}"
            yield f"{lead if position == 0 else ''}{noun} {verb} {join_words(some)}", topics, 0.62
        return
    if all(mappings_of(e) for e in elements):
        keys = list(dict.fromkeys(str(constant_of(k)) for e in elements for k, _ in mappings_of(e)))
        bare = noun.removeprefix("the ")
        one = singular(bare)
        each = f"each {one}" if one != bare else f"each entry of {noun}"
        yield f"{each} has {join_words([quote(k) for k in keys[:10]])}", {"table", "options"}, 0.6
        rows = []
        for element in elements:
            pairs = mappings_of(element)
            first, rest = pairs[0], pairs[1:]
            fields = join_words([f"{speaker.say(k)} {speaker.say(v)}" for k, v in rest])
            rows.append(f"{speaker.say(first[1])} with {fields}" if rest else speaker.say(first[1]))
        for position, some in enumerate(_chunks(rows)):
            verb = are(noun) if position == 0 else f"also {'include' if are(noun) == 'are' else 'includes'}"
            yield f"{noun} {verb} {join_words(some)}", {"table", "options"}, 0.55
        return
    if all(isinstance(e, ast.Tuple | ast.List) and len(e.elts) >= 2 for e in elements):
        rows = []
        for element in elements:
            if isinstance(element, ast.Tuple | ast.List):
                others = join_words([speaker.operand(e) for e in element.elts[1:]])
                rows.append(f"{speaker.say(element.elts[0])} goes with {others}")
        for some in _chunks(rows):
            yield f"in {noun}, {join_words(some)}", {"table", "threshold", "factor", "options"}, 0.65


def _mapping(speaker: Speaker, noun: str, name: str, node: ast.expr) -> Iterator[_Said]:
    pairs = mappings_of(node)[:_MAX_ENTRIES]
    values = [constant_of(v) for _, v in pairs]
    default = name in speaker.scope.parameters
    lead = "by default, " if default else ""
    topics = {"options", "table"} | ({"default", "inputs"} if default else set())
    if name and name in speaker.scope.mutated and all(v in (0, 0.0, None, "") for v in values):
        for some in _chunks([speaker.say(k) for k, _ in pairs]):
            yield (
                f"{noun} have an entry for {join_words(some)}, starting at 0".replace(
                    f"{noun} have", f"{noun} {'have' if are(noun) == 'are' else 'has'}"
                ),
                {"options", "table"},
                0.6,
            )
        return
    if values and all(isinstance(v, int | float) for v in values):
        topics |= {"factor", "threshold"}
        entries = [f"{speaker.say(v)} for {_key(speaker, k)}" for k, v in pairs]
        for position, some in enumerate(_chunks(entries)):
            verb = are(noun) if position == 0 else f"{are(noun)} also"
            text = f"{noun} {verb} {join_words(some)}" if noun else f"there is {join_words(some)}"
            yield f"{lead if position == 0 else ''}{text}", topics, 0.75
        return
    simple: list[str] = []
    for key, value in pairs:
        said = _key(speaker, key)
        literal = constant_of(value)
        if isinstance(literal, str) and len(literal) > 120:
            yield f"{said} gives {quote(literal, 260)}", topics, 0.6
        elif literal is not ...:
            simple.append(f"{said} gives {speaker.say(value)}")
        elif isinstance(value, ast.List | ast.Tuple | ast.Set) and value.elts:
            inner = [speaker.operand(e) for e in value.elts[:_MAX_ENTRIES]]
            groups = list(_chunks(inner, 130))
            if len(groups) == 1:
                simple.append(f"{said} goes with {join_words(inner)}")
            else:
                for position, some in enumerate(groups):
                    yield f"{said} {'goes' if position == 0 else 'also goes'} with {join_words(some)}", topics, 0.6
        elif mappings_of(value):
            inner_pairs = mappings_of(value)
            fields = [
                f"{_key(speaker, k)} {'gives' if isinstance(constant_of(v), str) else 'is'} {speaker.say(v)}"
                for k, v in inner_pairs
            ]
            for some in _chunks(fields):
                yield f"for {said}, {join_words(some)}", topics | {"factor", "threshold"}, 0.65
        elif isinstance(value, ast.Lambda):
            simple.append(f"{said} gives {speaker.say(value.body)}")
        else:
            simple.append(f"{said} gives {speaker.say(value)}")
    where = f"in {noun}, " if noun and noun != "the entries of the result" else ""
    for position, some in enumerate(_chunks(simple)):
        yield f"{lead}{where if position == 0 or len(simple) > 8 else ''}{join_words(some)}", topics, 0.68


def _key(speaker: Speaker, node: ast.expr) -> str:
    if isinstance(node, ast.Tuple):
        return (
            " to ".join(speaker.say(e) for e in node.elts)
            if len(node.elts) == 2
            else join_words([speaker.say(e) for e in node.elts])
        )
    return speaker.say(node)
