"""What the parameters of a reference are: their kind, the keys read from them, their defaults."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from colbench.simulators.facts.model import Fact, make_fact
from colbench.simulators.facts.phrases import Speaker
from colbench.simulators.facts.scope import constant_of, is_literal
from colbench.simulators.facts.usage import KINDS, TEXT_NAME, Usage, usages_of
from colbench.simulators.facts.words import are, is_plural, join_words, ordinal, quote, singular

__all__ = ["input_facts"]


def input_facts(speaker: Speaker, start: int = 0) -> list[Fact]:
    """Facts about the parameters: kinds (said together where alike), keys, unused ones and defaults."""
    return [
        make_fact(text, topics, importance, start + position, also)
        for position, (text, topics, importance, also) in enumerate(_input_texts(speaker))
    ]


_PLAIN_KINDS = ("number", "flag", "text", "numbers", "texts", "list", "lists")
_Said = tuple[str, set[str], float, str]


def _input_texts(speaker: Speaker) -> Iterator[_Said]:
    scope = speaker.scope
    usages = usages_of(scope)
    grouped: dict[str, list[str]] = {}
    untold: list[str] = []
    for name, _ in scope.parameters.items():
        usage = usages.get(name, Usage())
        noun = scope.noun(name)
        if not usage.used:
            yield (
                f"{noun} {'make' if is_plural(noun) else 'makes'} no difference to the result",
                {"inputs", "condition"},
                0.45,
                name,
            )
            continue
        kind = usage.kind()
        if kind == "texts" and TEXT_NAME.search(name):
            # A loop over a word goes through its letters.
            kind = "text"
        shape = list(_shape(speaker, name, usage))
        yield from shape
        if not shape and (kind not in _PLAIN_KINDS or usage.keys or usage.positions):
            untold.append(name)
        if kind in _PLAIN_KINDS and not usage.keys and not usage.positions:
            # Whose options were told needs no "is a text".
            if kind != "text" or not any("options" in topics for _, topics, _, _ in shape):
                grouped.setdefault(kind, []).append(name)
    if untold:
        nouns = join_words([scope.noun(n) for n in untold[:5]])
        yield f"{nouns} {'are' if len(untold) > 1 else 'is'} among the inputs", {"inputs"}, 0.4, " ".join(untold)
    for kind, names in grouped.items():
        for at in range(0, len(names), 5):
            some = names[at : at + 5]
            nouns = join_words([scope.noun(n) for n in some])
            many = len(some) > 1 or is_plural(nouns)
            said = KINDS[kind][1 if len(some) > 1 else 0]
            said = "a string" if said == "a text" and nouns.endswith("text") else said
            verb = "are given as" if many and len(some) == 1 and kind in ("number", "text") else "are" if many else "is"
            yield f"{nouns} {verb} {said}", {"inputs"}, 0.5, " ".join(some)
    for name, default in scope.parameters.items():
        if default is None or (isinstance(default, ast.Constant) and default.value is None):
            if default is not None:
                yield f"{scope.noun(name)} may be left out", {"default", "inputs"}, 0.35, name
            continue
        noun = scope.noun(name)
        if constant_of(default) is not ...:
            yield (
                f"if not given, {noun} {are(noun)} {speaker.say(default)}",
                {"default", "factor", "threshold"} if _is_number(default) else {"default"},
                0.6,
                name,
            )
        elif not is_literal(default) or not getattr(default, "elts", getattr(default, "keys", [])):
            yield f"{noun} may be left out", {"default", "inputs"}, 0.35, name


def _is_number(node: ast.expr) -> bool:
    value = constant_of(node)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shape(speaker: Speaker, name: str, usage: Usage) -> Iterator[_Said]:
    """What a parameter that is a collection looks like inside."""
    scope = speaker.scope
    noun = scope.noun(name)
    be = are(noun)
    fallbacks = _fallbacks(speaker)
    one = singular(noun.removeprefix("the "))
    each = f"each {one}" if one != noun.removeprefix("the ") else f"each entry of {noun}"
    if usage.keys:
        yield from _fields(
            f"{noun} {be} a record with", f"{noun} also {'have' if be == 'are' else 'has'}", usage, name, fallbacks
        )
    inner = usage.items
    if inner is not None and inner.keys:
        yield from _fields(f"{noun} {be} a list of records, each with", f"{each} also has", inner, name, fallbacks)
    elif inner is not None and inner.positions:
        where = join_words([ordinal(p) for p in sorted(inner.positions)])
        yield (
            f"{noun} {be} a list; {each} is a list or tuple, of which the {where} entries matter",
            {"inputs", "keys"},
            0.6,
            name,
        )
    elif usage.positions and not usage.keys:
        where = join_words([ordinal(p) for p in sorted(usage.positions)])
        what = "entries matter" if len(usage.positions) > 1 else "entry matters"
        yield f"{noun} {be} a list or tuple whose {where} {what}", {"inputs", "keys"}, 0.55, name
    if usage.parts and inner is None:
        named = join_words([scope.noun(p) for p in usage.parts])
        yield f"{noun} {be} a list; {each} is a list or tuple of {named}", {"inputs", "keys"}, 0.7, name
    values = usage.values
    if values is not None and values.keys:
        yield from _fields(
            f"{noun} {be} a dictionary of records, each with",
            f"each record in {noun} also has",
            values,
            name,
            fallbacks,
        )
    elif usage.kind() == "table" and not isinstance(scope.parameters.get(name), ast.Dict):
        tail = {"number": "numbers", "text": "texts", "list": "lists", "numbers": "lists of numbers"}.get(
            values.kind() if values is not None else "", "values"
        )
        yield f"{noun} {be} a dictionary that gives {tail} by name", {"inputs", "keys"}, 0.55, name
    if usage.dates:
        yield f"{noun} {be} a date written like {quote(usage.dates)}", {"inputs", "date", "text"}, 0.6, name
    options = list(dict.fromkeys(usage.options))
    if 1 < len(options) <= 12 and len("".join(options)) < 120:
        yield (
            f"{noun} can be {join_words([quote(o) for o in options], 'or')}",
            {"options", "inputs", "condition"},
            0.62,
            name,
        )


def _fallbacks(speaker: Speaker) -> dict[str, str]:
    """Key -> what counts where a record lacks it, for fixed values."""
    found: dict[str, str] = {}
    for node in speaker.scope.nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get" and len(node.args) == 2:
            key = constant_of(node.args[0])
            if isinstance(key, str) and is_literal(node.args[1]):
                found.setdefault(key, speaker.say(node.args[1]))
    return found


def _fields(lead: str, more: str, usage: Usage, name: str, fallbacks: dict[str, str]) -> Iterator[_Said]:
    keys = list(usage.keys)
    for at in range(0, len(keys), 8):
        some = keys[at : at + 8]
        opening = lead if at == 0 else more
        yield f"{opening} {join_words([quote(k) for k in some])}", {"inputs", "keys"}, 0.85, name
    optional = [k for k, has_default in usage.keys.items() if has_default]
    known = [k for k in optional if k in fallbacks]
    for at in range(0, len(known), 4):
        said = [f"{quote(k)} counts as {fallbacks[k]}" for k in known[at : at + 4]]
        yield f"if missing, {join_words(said)}", {"edge", "default"}, 0.6, f"{name} missing"
    unknown = [k for k in optional if k not in fallbacks]
    if unknown and len(unknown) < len(keys):
        yield f"{join_words([quote(k) for k in unknown[:6]])} may be missing", {"edge", "default"}, 0.5, name
