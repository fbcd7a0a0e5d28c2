"""Sorting, minima and maxima in words: what is looked at, and which end comes first."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from colbench.simulators.facts.phrases import CLAUSE, PRODUCT, SUM, Phrase
from colbench.simulators.facts.scope import constant_of
from colbench.simulators.facts.words import humanise, join_words

if TYPE_CHECKING:
    from colbench.simulators.facts.phrases import Speaker

__all__ = ["called_name", "extreme", "order_words"]


def called_name(node: ast.Call) -> str:
    """The bare name of what is called."""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def extreme(speaker: Speaker, name: str, node: ast.Call) -> Phrase:
    """The words for ``min`` and ``max``."""
    key = next((k.value for k in node.keywords if k.arg == "key"), None)
    if len(node.args) > 1:
        return _limited(speaker, name, node)
    source = node.args[0]
    default = next((k.value for k in node.keywords if k.arg == "default"), None)
    tail = f" ({speaker.say(default)} if there is none)" if default is not None else ""
    if key is not None:
        near = _nearest(speaker, key) if name == "min" else ""
        if near:
            return Phrase(f"the entry of {speaker.collection(source)} closest to {near}{tail}")
        parts = _key_parts(speaker, key, source)
        if len(parts) > 1 or parts[0][1] or _is_rule(parts[0][0]):
            return Phrase(
                f"the {'first' if name == 'min' else 'last'} entry of {speaker.collection(source)} "
                f"in order of {_directed(parts, False)}{tail}"
            )
        what = parts[0][0]
        if isinstance(key, ast.Attribute) and ast.dump(key.value) == ast.dump(source):
            what = "value"
        extreme = "lowest" if name == "min" else "highest"
        return Phrase(f"the entry of {speaker.collection(source)} with the {extreme} {what}{tail}")
    return Phrase(
        f"the {'smallest' if name == 'min' else 'largest'} of {speaker.say(source)}{tail}",
        CLAUSE if "," in tail else SUM,
    )


def _limited(speaker: Speaker, name: str, node: ast.Call) -> Phrase:
    """``min`` and ``max`` of several values; next to a constant they are limits, and people say them as such."""
    args = node.args
    for value, other in ((0, 1), (1, 0)) if len(args) == 2 else ():
        inner = args[other]
        opposite = "min" if name == "max" else "max"
        if isinstance(inner, ast.Call) and called_name(inner) == opposite and len(inner.args) == 2:
            fixed = 0 if constant_of(inner.args[0]) is not ... else 1
            low, high = inner.args[fixed], args[value]
            if name == "max":
                low, high = high, low
            core = speaker.operand(inner.args[1 - fixed], SUM)
            return Phrase(f"{core}, kept between {speaker.operand(low)} and {speaker.operand(high)}", CLAUSE)
    for value, other in ((0, 1), (1, 0)) if len(args) == 2 else ():
        if constant_of(args[value]) is not ...:
            limit = "at most" if name == "min" else "at least"
            return Phrase(f"{speaker.operand(args[other], SUM)}, but {limit} {speaker.say(args[value])}", CLAUSE)
    word = (
        ("smaller" if name == "min" else "larger") if len(args) == 2 else ("smallest" if name == "min" else "largest")
    )
    said = [speaker.operand(a, PRODUCT) for a in args]
    return Phrase(f"the {word} of {join_words(said)}", SUM)


def _nearest(speaker: Speaker, key: ast.expr) -> str:
    """What a key of the form ``abs(x - target)`` looks for."""
    if not (
        isinstance(key, ast.Lambda)
        and key.args.args
        and isinstance(key.body, ast.Call)
        and called_name(key.body) == "abs"
    ):
        return ""
    inner = key.body.args[0] if key.body.args else None
    if not (isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub)):
        return ""
    name = key.args.args[0].arg
    for side, other in ((inner.left, inner.right), (inner.right, inner.left)):
        if (
            isinstance(side, ast.Name)
            and side.id == name
            and not any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(other))
        ):
            return speaker.operand(other, SUM)
    return ""


def _key_parts(speaker: Speaker, key: ast.expr, source: ast.expr) -> list[tuple[str, bool]]:
    """What a sort key looks at, part by part, each with whether it turns the order around."""
    if isinstance(key, ast.Lambda) and key.args.args:
        name = key.args.args[0].arg
        before = speaker.scope.pronouns.get(name)
        speaker.scope.pronouns[name] = ""
        paired = isinstance(source, ast.Call) and called_name(source) in ("items", "enumerate")
        try:
            bodies = key.body.elts if isinstance(key.body, ast.Tuple) else [key.body]
            said = []
            for body in bodies:
                flipped = isinstance(body, ast.UnaryOp) and isinstance(body.op, ast.USub)
                inner = body.operand if isinstance(body, ast.UnaryOp) and flipped else body
                said.append((_sort_part(speaker, inner, name, paired), flipped))
            return said
        finally:
            if before is None:
                del speaker.scope.pronouns[name]
            else:
                speaker.scope.pronouns[name] = before
    if isinstance(key, ast.Attribute) and key.attr == "get":
        return [(f"value in {speaker.say(key.value)}", False)]
    if isinstance(key, ast.Name):
        return [({"len": "length", "str": "spelling"}.get(key.id, humanise(key.id)), False)]
    if isinstance(key, ast.Call) and called_name(key) == "itemgetter" and key.args:
        return [(speaker.say(key.args[0]), False)]
    return [("value", False)]


def _is_rule(text: str) -> bool:
    return text.startswith("those where ")


def _directed(parts: list[tuple[str, bool]], backwards: bool) -> str:
    """The parts of a sort key with their directions; said once where all go the same way."""
    ends = [flipped != backwards for _, flipped in parts]
    named = {True: "highest first", False: "lowest first"}
    out = []
    for position, ((text, _), down) in enumerate(zip(parts, ends, strict=True)):
        if _is_rule(text):
            # False sorts before True, so what fulfils the test comes last unless the order is turned around.
            out.append(f"{text} {'first' if down else 'last'}")
            continue
        rest = [e for (t, _), e in zip(parts[position:], ends[position:], strict=True) if not _is_rule(t)]
        last = position == len(parts) - 1 or _is_rule(parts[position + 1][0])
        same = len(set(rest)) == 1 and not last
        out.append(text if same else f"{text}, {named[down]}")
    return ", then ".join(out)


def _sort_part(speaker: Speaker, body: ast.expr, name: str, paired: bool) -> str:
    if (isinstance(body, ast.UnaryOp) and isinstance(body.op, ast.Not)) or isinstance(body, ast.Compare):
        return f"those where {speaker.condition(body)}"
    if isinstance(body, ast.Name) and body.id == name:
        return "value"
    if paired and isinstance(body, ast.Subscript) and isinstance(body.value, ast.Name) and body.value.id == name:
        return "value" if constant_of(body.slice) == 1 else "name"
    if any(isinstance(n, ast.Name) and n.id == name for n in ast.iter_child_nodes(body)) and not isinstance(
        body, ast.Subscript
    ):
        # Inside a calculation the entry itself must be named.
        speaker.scope.pronouns[name] = "the entry"
    text = speaker.say(body)
    speaker.scope.pronouns[name] = ""
    if isinstance(body, ast.Call) and called_name(body) == "len":
        return "length"
    text = text.removeprefix("the ")
    return "value" if not text.strip() else text.replace("of )", ")").strip()


def order_words(speaker: Speaker, node: ast.Call) -> str:
    """How a sort orders: "by 'lap_time', lowest first"."""
    key = next((k.value for k in node.keywords if k.arg == "key"), None)
    reverse = next((k.value for k in node.keywords if k.arg == "reverse"), None)
    backwards = constant_of(reverse) is True
    source = node.args[0] if node.args else node.func
    if isinstance(node.func, ast.Attribute) and node.func.attr == "sort":
        source = node.func.value
    parts = [] if key is None else _key_parts(speaker, key, source)
    if reverse is not None and constant_of(reverse) is ...:
        by = f"by {', then '.join(text for text, _ in parts)}, " if parts else ""
        return f"{by}highest first if {speaker.condition(reverse)}"
    if not parts:
        return "highest first" if backwards else "lowest first"
    return f"by {_directed(parts, backwards)}"
