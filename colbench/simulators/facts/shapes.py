"""What a reference gives back, in one breath: "a list of pairs of the 'id' and the litres, rounded to 1 decimal".

A returned name says little ("the needs"), so it is followed to what is put into it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from colbench.simulators.facts.filled import filling_of, leaves_of
from colbench.simulators.facts.kinds import kind_of
from colbench.simulators.facts.phrases import CLAUSE, UNSAID, Speaker
from colbench.simulators.facts.scope import constant_of, mappings_of
from colbench.simulators.facts.words import join_words, quote, singular

__all__ = ["shape_of_results"]

_KIND_NAMES = {
    "number": "a number", "text": "a text", "flag": "True or False", "list": "a list", "set": "a set",
    "dictionary": "a dictionary", "tuple": "a tuple", "None": "None",
}  # fmt: skip
_PLURALS = {"number": "numbers", "text": "texts", "flag": "True or False values", "list": "lists", "tuple": "tuples"}
_LENGTH = 175
_PART = 70
_MOST_OPTIONS = 8
_ONE_OF = "one of "
_COUNTS = ("no", "one", "two", "three", "four", "five", "six")


def shape_of_results(speaker: Speaker, values: Sequence[ast.expr]) -> str:
    """A noun phrase for everything a function can return; "" where nothing can be told.

    Args:
        speaker: puts the expressions into words.
        values: the returned expressions.
    """
    grouped: dict[str, list[ast.expr]] = {}
    for leaf in leaves_of(speaker.scope, list(values)):
        grouped.setdefault(kind_of(speaker, leaf), []).append(leaf)
    unknown = grouped.pop("", [])
    said = [s for s in (_group(speaker, kind, nodes) for kind, nodes in grouped.items()) if s]
    said += list(dict.fromkeys(_untold(speaker, node) for node in unknown))
    if not said or "" in said or len(said) > 4:
        return ""
    # What is most often meant comes before a bare None.
    said.sort(key=lambda text: text == "None")
    whole = join_words(said, "or")
    if len(whole) > _LENGTH and unknown:
        return ""
    if len(whole) > _LENGTH:
        whole = join_words([_KIND_NAMES[k] for k in grouped], "or")
    return whole


def _untold(speaker: Speaker, node: ast.expr) -> str:
    """The words for a result of unknown kind; "" where they say too little."""
    phrase = speaker.say(_followed(speaker, node))
    if len(phrase) <= 100 and UNSAID not in phrase:
        return phrase
    key = constant_of(node.slice) if isinstance(node, ast.Subscript) else ...
    return f"a {quote(key)} value" if isinstance(key, str) else ""


def _followed(speaker: Speaker, node: ast.expr) -> ast.expr:
    """What a name stands for, where it is given a value once and then left alone."""
    scope = speaker.scope
    if isinstance(node, ast.Name) and node.id not in scope.parameters and node.id not in scope.mutated:
        values = scope.assigned.get(node.id, [])
        if len(values) == 1 and node.id not in scope.augmented and node.id not in scope.bindings:
            return values[0]
    return node


def _group(speaker: Speaker, kind: str, nodes: Sequence[ast.expr]) -> str:
    match kind:
        case "text":
            return _texts(speaker, nodes)
        case "number":
            return _number(speaker, nodes)
        case "list" | "tuple" | "set" | "dictionary":
            # The fullest one says what the thing is; an empty one is an edge case told elsewhere.
            shapes = _collections(speaker, kind, [n for n in nodes if not _bare(n)] or list(nodes))
            return shapes or _KIND_NAMES[kind]
    return _KIND_NAMES.get(kind, "")


def _bare(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict) and not (
        getattr(node, "elts", None) or getattr(node, "keys", None)
    )


def _texts(speaker: Speaker, nodes: Sequence[ast.expr]) -> str:
    fixed = list(dict.fromkeys(v for v in (constant_of(n) for n in nodes) if isinstance(v, str)))
    free = [n for n in nodes if not isinstance(constant_of(n), str)]
    options = [quote(t) if t else "an empty text" for t in fixed]
    options += list(dict.fromkeys(speaker.say(n).removeprefix("the text ") for n in free))
    if options and len(options) <= _MOST_OPTIONS and len(", ".join(options)) <= 150 and UNSAID not in str(options):
        return f"the text {join_words(options, 'or')}" if not free else f"a text: {join_words(options, 'or')}"
    return "a text"


def _number(speaker: Speaker, nodes: Sequence[ast.expr]) -> str:
    free = [n for n in nodes if constant_of(n) is ...]
    if len(free) == 1:
        phrase = speaker.say(_followed(speaker, free[0]))
        phrase = phrase if len(phrase) <= 100 else speaker.say(free[0])
        if len(phrase) <= 100 and UNSAID not in phrase:
            return f"a number: {phrase}"
    if not free and len(nodes) <= 6:
        return f"the number {join_words(list(dict.fromkeys(speaker.say(n) for n in nodes)), 'or')}"
    return "a number"


def _collections(speaker: Speaker, kind: str, nodes: Sequence[ast.expr]) -> str:
    displays = [n for n in nodes if isinstance(n, ast.List | ast.Tuple)]
    sizes = {len(n.elts) for n in displays}
    if len(displays) == len(nodes) and len(sizes) == 1 and 1 < min(sizes) <= 6:
        return _fixed(speaker, kind, displays)
    if kind == "dictionary" and len(nodes) > 1:
        if len({_keys(n) for n in nodes}) > 1:
            return ""
        if _keys(nodes[0]):
            return _dictionary(speaker, [pair for n in nodes for pair in mappings_of(n)])
    shapes = list(dict.fromkeys(s for s in (_shape(speaker, n, 0) for n in nodes) if s))
    return shapes[0] if shapes and len(shapes[0]) <= _LENGTH else ""


def _keys(node: ast.expr) -> tuple[str, ...]:
    return tuple(str(constant_of(k)) for k, _ in mappings_of(node))


def _fixed(speaker: Speaker, kind: str, displays: Sequence[ast.List | ast.Tuple]) -> str:
    """Results that always have the same number of entries, told entry by entry."""
    size = len(displays[0].elts)
    entries = [_entry(speaker, [d.elts[at] for d in displays]) for at in range(size)]
    lead = f"a {kind} of {_COUNTS[size]} values"
    said = f"{lead}: {_listed(entries)}"
    return said if len(said) <= _LENGTH and UNSAID not in said else lead


def _entry(speaker: Speaker, nodes: Sequence[ast.expr]) -> str:
    leaves = leaves_of(speaker.scope, list(nodes))
    fixed = list(dict.fromkeys(speaker.say(n) for n in leaves if constant_of(n) is not ...))
    free = list(dict.fromkeys(_part(speaker, n) for n in leaves if constant_of(n) is ...))
    texts = [t for t in fixed if t.startswith(("'", '"'))]
    # A 0 that stands in for a value says nothing about what the entry is.
    options = [*free[:3], *(texts if free else fixed)]
    if len(options) > _MOST_OPTIONS or len(", ".join(options)) > 110:
        kinds = {kind_of(speaker, n) for n in leaves if constant_of(n) is ...} or {"text" if texts else ""}
        return free[0] if len(free) == 1 else _KIND_NAMES.get(kinds.pop(), "a value") if len(kinds) == 1 else "a value"
    if len(options) == 1:
        return options[0]
    return f"{'' if free else _ONE_OF}{join_words(options, 'or')}"


def _listed(entries: Sequence[str]) -> str:
    """Entries joined so that a choice or a comma inside one of them is not misread."""
    if len(entries) > 1 and any(e.startswith(_ONE_OF) for e in entries):
        return ", ".join(entries[:-1]) + f", and {entries[-1]}"
    loose = [f"({e})" if ("," in e or " or " in e) and not e.startswith(("(", "'")) else e for e in entries[:-1]]
    last = entries[-1]
    loose.append(f"({last})" if " or " in last and ":" not in last and not last.startswith(_ONE_OF) else last)
    return join_words(loose)


def _part(speaker: Speaker, node: ast.expr) -> str:
    """One entry of a pair or one value of a dictionary."""
    if isinstance(node, ast.Name) and node.id in speaker.scope.mutated:
        shape = _shape(speaker, node, 2)
        if shape:
            return shape
    phrase = speaker.phrase(node)
    if len(phrase.text) > _PART or UNSAID in phrase.text:
        return _KIND_NAMES.get(kind_of(speaker, node), "a value")
    return phrase.text if phrase.level < CLAUSE or "," in phrase.text[-24:] else f"({phrase.text})"


def _shape(speaker: Speaker, node: ast.expr, depth: int) -> str:
    """A collection with what is in it; "" where that cannot be told."""
    if depth > 4:
        return ""
    match node:
        case ast.Name():
            return _named(speaker, node.id, depth)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            name = "a set" if isinstance(node, ast.SetComp) else "a list"
            if isinstance(node.elt, ast.Tuple | ast.List | ast.Dict):
                return f"{name} of {_items(speaker, [node.elt], depth)}"
            phrase = speaker.say(node)
            return f"{name}: {phrase.removeprefix('a list with ')}" if len(phrase) <= 140 else name
        case ast.DictComp():
            value, key = _part(speaker, node.value), _part(speaker, node.key).removeprefix("the ")
            value = f"({value})" if "," in value and not value.startswith("(") else value
            return f"a dictionary that gives {value} for each {key}"
        case ast.Dict():
            return _dictionary(speaker, mappings_of(node))
        case ast.Call() if getattr(node.func, "id", "") in ("sorted", "list", "tuple", "set", "dict") and node.args:
            inner = _shape(speaker, node.args[0], depth + 1)
            ordered = getattr(node.func, "id", "") == "sorted" and not inner
            phrase = speaker.say(node) if ordered else ""
            return inner or (f"a list: {phrase}" if phrase and len(phrase) <= 140 else "")
        case ast.List() if node.elts and all(mappings_of(e) for e in node.elts):
            return f"a list of {_items(speaker, node.elts[:1], depth)}"
        case ast.List() | ast.Set() if len(node.elts) == 1:
            return f"a list with one entry, {_part(speaker, node.elts[0])}"
        case ast.Subscript() if isinstance(node.slice, ast.Slice):
            inner = _shape(speaker, node.value, depth + 1)
            if inner.startswith("a list of ") and node.slice.lower is None and constant_of(node.slice.upper) is not ...:
                return f"{inner}, only the first {speaker.say(node.slice.upper)}"
            phrase = speaker.say(node)
            return f"a list: {phrase}" if len(phrase) <= 140 else ""
    return ""


def _named(speaker: Speaker, name: str, depth: int) -> str:
    filling = filling_of(speaker.scope, name)
    kind = kind_of(speaker, ast.Name(name, ast.Load()))
    if filling.items:
        found = _items(speaker, filling.items, depth)
        return f"a {'set' if kind == 'set' else 'list'} of {found}" if found else ""
    if filling.pairs and kind in ("dictionary", ""):
        start = [m for v in speaker.scope.assigned.get(name, []) for m in mappings_of(v)]
        fixed = [(k, v) for k, v in filling.pairs if isinstance(constant_of(k), str) and v is not None]
        if start or (fixed and len(fixed) == len(filling.pairs)):
            return _dictionary(speaker, [*start, *fixed])
        key = filling.pairs[-1][0]
        stored = [v for _, v in filling.pairs if v is not None]
        given = _entry(speaker, stored) if stored else "how often it occurs"
        return f"a dictionary that gives {given} for each {_part(speaker, key).removeprefix('the ')}"
    values = [v for v in speaker.scope.assigned.get(name, []) if not _bare(v)]
    shapes = {_shape(speaker, v, depth + 1) for v in values[:8] if not isinstance(v, ast.Name)}
    if len(values) > 1:
        return shapes.pop() if len(shapes) == 1 else ""
    if len(values) == 1 and not isinstance(values[0], ast.Name):
        return _shape(speaker, values[0], depth + 1)
    return ""


def _items(speaker: Speaker, items: Sequence[ast.expr], depth: int) -> str:
    """What the entries of a list are, as a plural."""
    items = list({ast.dump(i): i for i in items}.values())
    first = items[0]
    if isinstance(first, ast.Tuple | ast.List) and all(isinstance(i, type(first)) for i in items):
        same = [i for i in items if isinstance(i, ast.Tuple | ast.List) and len(i.elts) == len(first.elts)]
        entries = [_entry(speaker, [i.elts[at] for i in same]) for at in range(len(first.elts))]
        if isinstance(first, ast.Tuple):
            lead = "pairs of" if len(entries) == 2 else "tuples, each with"
        else:
            lead = "lists, each with"
        return f"{lead} {_listed(entries)}" if entries else "lists"
    if mappings_of(first):
        return f"records, each with {join_words([quote(str(constant_of(k))) for k, _ in mappings_of(first)][:10])}"
    if isinstance(first, ast.Name) and first.id in speaker.scope.bindings and len(items) == 1:
        binding = speaker.scope.bindings[first.id]
        if binding.kind == "item" and not isinstance(binding.source, ast.Call):
            return f"those of {speaker.say(binding.source)} that are kept"
    fixed = [constant_of(i) for i in items]
    if all(isinstance(v, str) for v in fixed) and len(set(fixed)) <= _MOST_OPTIONS:
        return f"texts: {join_words([quote(str(v)) for v in dict.fromkeys(fixed)], 'or')}"
    # Names read from records are of unknown kind; beside texts they are taken for texts.
    kinds = {kind_of(speaker, i) for i in items}
    kinds = kinds if len(kinds) == 1 else kinds - {""}
    if len(items) == 1:
        key = constant_of(first.slice) if isinstance(first, ast.Subscript) else ...
        if isinstance(key, str):
            return f"{quote(key)} values"
        phrase = speaker.say(first)
        if len(phrase) <= 90 and UNSAID not in phrase:
            plural = _PLURALS.get(next(iter(kinds)), "values")
            return f"{plural}, each {phrase}" if phrase != f"the {singular(plural)}" else plural
    return _PLURALS.get(next(iter(kinds)), "values") if len(kinds) == 1 else "values"


def _unwrapped(text: str) -> str:
    return text[1:-1] if text.startswith("(") and text.endswith(")") and text.count("(") == 1 else text


def _dictionary(speaker: Speaker, pairs: Sequence[tuple[ast.expr, ast.expr]]) -> str:
    named: dict[str, list[ast.expr]] = {}
    for key, value in pairs:
        if isinstance(constant_of(key), str):
            named.setdefault(quote(str(constant_of(key))), []).append(value)
    if not named or len(named) > 10:
        return "" if not named else f"a dictionary with {join_words(list(named)[:10])}"
    fields = []
    for name, values in named.items():
        said = _entry(speaker, values)
        fields.append(name if said.removeprefix("the ") == name[1:-1] else f"{name} ({_unwrapped(said)})")
    full = f"a dictionary with {join_words(fields)}"
    return full if len(full) <= _LENGTH else f"a dictionary with {join_words(list(named))}"
