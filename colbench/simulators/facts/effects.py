"""What a statement does, as a subject and a predicate: ``score += 2`` is "the score" "goes up by 2"."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from colbench.simulators.facts.ordering import order_words
from colbench.simulators.facts.phrases import Speaker
from colbench.simulators.facts.scope import constant_of, is_literal, mappings_of
from colbench.simulators.facts.words import are, humanise, is_plural, join_words, ordinal, quote, singular

__all__ = ["Effect", "effect_of"]

_CHANGES = {
    ast.Add: ("goes up by", "go up by"),
    ast.Sub: ("goes down by", "go down by"),
    ast.Mult: ("is multiplied by", "are multiplied by"),
    ast.Div: ("is divided by", "are divided by"),
    ast.FloorDiv: ("is divided, rounding down, by", "are divided, rounding down, by"),
    ast.Pow: ("is raised to the power of", "are raised to the power of"),
    ast.Mod: ("becomes the remainder when divided by", "become the remainder when divided by"),
}


_EMPTY = ("set", "list", "dict", "defaultdict", "Counter", "OrderedDict", "deque")


@dataclass(frozen=True)
class Effect:
    """One thing that happens.

    Attributes:
        subject: what it happens to.
        verb: what happens, up to the value ("is", "goes up by").
        value: the value, or "".
        kind: "return", "assign", "change", "collect", "error", "skip", "stop".
        node: the statement.
    """

    subject: str
    verb: str
    value: str
    kind: str
    node: ast.AST

    @property
    def text(self) -> str:
        """The whole clause."""
        return " ".join(part for part in (self.subject, self.verb, self.value) if part)


def effect_of(speaker: Speaker, node: ast.stmt, result: str = "the result", item: str = "that one") -> Effect | None:
    """The effect of a simple statement; None where there is nothing worth saying.

    Args:
        speaker: puts its expressions into words.
        node: the statement.
        result: how to call what is returned.
        item: how to call what the loop around the statement is at.
    """
    if isinstance(node, ast.Return):
        return _returned(speaker, node, result)
    if isinstance(node, ast.Raise):
        return Effect("an error", "is raised", _error_text(node), "error", node)
    if isinstance(node, ast.Continue):
        return Effect(item, f"{are(item)} skipped", "", "skip", node)
    if isinstance(node, ast.Break):
        return Effect("the search", "stops there", "", "stop", node)
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return _assigned(speaker, node.targets[0], node.value, node)
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return _assigned(speaker, node.target, node.value, node)
    if isinstance(node, ast.AugAssign):
        return _changed(speaker, node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        return _collected(speaker, node.value, node.value.func, node)
    return None


def _returned(speaker: Speaker, node: ast.Return, result: str) -> Effect:
    value = node.value
    if isinstance(value, ast.Dict) and value.keys and all(k is not None for k in value.keys):
        fields = [f"{speaker.say(k)} is {speaker.say(v)}" for k, v in mappings_of(value)]
        return Effect(result, "is a dictionary in which", join_words(fields), "return", node)
    if isinstance(value, ast.List) and 1 < len(value.elts) <= 8:
        return Effect(result, "is a list of", join_words([speaker.operand(e, 2) for e in value.elts]), "return", node)
    if isinstance(value, ast.Tuple) and 1 < len(value.elts):
        items = [speaker.operand(e, 2) for e in value.elts]
        lead = "is a pair:" if len(items) == 2 else f"is {len(items)} values in a row:"
        return Effect(result, lead, join_words(items), "return", node)
    return Effect(result, "is", speaker.say(value), "return", node)


def _error_text(node: ast.Raise) -> str:
    call = node.exc
    if isinstance(call, ast.Call) and call.args and isinstance(constant_of(call.args[0]), str):
        return f"saying {quote(str(constant_of(call.args[0])))}"
    name = call.func if isinstance(call, ast.Call) else call
    kind = getattr(name, "id", "")
    return f"(a {humanise(kind.removesuffix('Error'))} error)" if kind.endswith("Error") else ""


def _target(speaker: Speaker, target: ast.expr) -> str:
    if isinstance(target, ast.Name):
        return speaker.scope.noun(target.id)
    if isinstance(target, ast.Subscript):
        key = constant_of(target.slice)
        owner = speaker.owner(target.value)
        if isinstance(key, str):
            return f"{quote(key)} in {owner}"
        if isinstance(key, int) and not isinstance(key, bool):
            return f"the {ordinal(key)} entry of {owner}"
        if isinstance(target.value, ast.Name) and owner.startswith("the "):
            owner = singular(owner)
        return f"{owner} for {speaker.operand(target.slice, 2)}"
    if isinstance(target, ast.Attribute):
        return speaker.say(target)
    if isinstance(target, ast.Tuple | ast.List):
        return join_words([_target(speaker, e) for e in target.elts])
    return "the value"


def _assigned(speaker: Speaker, target: ast.expr, value: ast.expr, node: ast.stmt) -> Effect | None:
    if isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
            said = [f"{_target(speaker, t)} is {speaker.say(v)}" for t, v in zip(target.elts, value.elts, strict=True)]
            return Effect("", "", join_words(said), "assign", node)
        return Effect(_target(speaker, target), "come from", speaker.say(value), "assign", node)
    if (
        is_literal(value)
        and isinstance(value, ast.List | ast.Dict | ast.Set)
        and not mappings_of(value)
        and not getattr(value, "elts", [])
    ):
        return None
    subject = _target(speaker, target)
    if (
        isinstance(value, ast.Call)
        and not value.args
        and not value.keywords
        and getattr(value.func, "id", "") in _EMPTY
    ):
        return None
    if isinstance(target, ast.Name) and speaker.scope.is_flag(target.id):
        words = speaker.scope.flag_words(target.id)
        literal = constant_of(value)
        if isinstance(literal, bool):
            return Effect("it", "counts as" if literal else "does not count as", words, "assign", node)
        return Effect("it", f"counts as {words} if", speaker.condition(value), "assign", node)
    again = _changed_in_place(speaker, target, value, node)
    if again is not None:
        return again
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "split":
        parts = "words" if not value.args else f"parts at {speaker.say(value.args[0])}"
        whole = speaker.operand(value.func.value, 2)
        return Effect(whole, f"{are(whole)} split into", parts, "assign", node)
    if isinstance(target, ast.Name) and target.id in speaker.scope.parameters:
        return Effect(subject, f"{are(subject)} first turned into", speaker.say(value), "assign", node)
    if isinstance(target, ast.Subscript) and _counts(target, value):
        amount = value.right if isinstance(value, ast.BinOp) else value
        if constant_of(amount) == 1:
            return Effect(f"each {speaker.say(target.slice).removeprefix('the ')}", "is counted", "", "collect", node)
        return Effect(subject, "go up by" if is_plural(subject) else "goes up by", speaker.say(amount), "change", node)
    again_named = isinstance(target, ast.Name) and any(
        isinstance(n, ast.Name) and n.id == target.id for n in ast.walk(value)
    )
    verb = ("become" if is_plural(subject) else "becomes") if again_named else are(subject)
    return Effect(subject, verb, speaker.say(value), "assign", node)


def _changed_in_place(speaker: Speaker, target: ast.expr, value: ast.expr, node: ast.stmt) -> Effect | None:
    """``x = x / 100`` and ``x = x.lower()``: a first step on the input itself."""
    if not isinstance(target, ast.Name):
        return None
    subject = _target(speaker, target)
    if isinstance(value, ast.BinOp) and isinstance(value.left, ast.Name) and value.left.id == target.id:
        verbs = {ast.Div: "divided by", ast.Mult: "multiplied by", ast.Add: "raised by", ast.Sub: "lowered by"}
        verb = verbs.get(type(value.op))
        if verb and not speaker.is_text(value.right):
            return Effect(subject, f"{are(subject)} first {verb}", speaker.operand(value.right, 2), "assign", node)
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") in ("min", "max") and len(value.args) == 2:
        others = [a for a in value.args if not (isinstance(a, ast.Name) and a.id == target.id)]
        if len(others) == 1:
            limit = "at most" if getattr(value.func, "id", "") == "min" else "at least"
            return Effect(subject, f"{are(subject)} then {limit}", speaker.operand(others[0], 2), "assign", node)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and not value.args:
        inner = value.func.value
        verb = {"lower": "put in lower case", "upper": "put in upper case", "strip": "stripped of spaces around"}.get(
            value.func.attr
        )
        if verb and isinstance(inner, ast.Name) and inner.id == target.id:
            return Effect(subject, f"{are(subject)} first {verb}", "", "assign", node)
    return None


def _counts(target: ast.Subscript, value: ast.expr) -> bool:
    """Whether it is ``d[k] = d.get(k, 0) + amount``."""
    if not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add)):
        return False
    call = value.left
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "get"
        and bool(call.args)
        and ast.dump(call.args[0]) == ast.dump(target.slice)
    )


def _changed(speaker: Speaker, node: ast.AugAssign) -> Effect:
    subject = _target(speaker, node.target)
    plural = is_plural(subject)
    if isinstance(node.op, ast.Add) and (speaker.is_text(node.value) or isinstance(node.value, ast.List)):
        return Effect(subject, "continue with" if plural else "continues with", speaker.say(node.value), "change", node)
    verbs = _CHANGES.get(type(node.op))
    if verbs is None:
        return Effect(subject, "is combined with", speaker.say(node.value), "change", node)
    return Effect(subject, verbs[1 if plural else 0], speaker.say(node.value), "change", node)


def _collected(speaker: Speaker, call: ast.Call, function: ast.Attribute, node: ast.stmt) -> Effect | None:
    name, args = function.attr, call.args
    owner = function.value
    if name in ("append", "add") and args:
        item = args[0]
        if isinstance(owner, ast.Call) and getattr(owner.func, "attr", "") == "setdefault" and owner.args:
            kept = speaker.operand(item, 2)
            return Effect(kept, f"{are(kept)} collected under", speaker.say(owner.args[0]), "collect", node)
        if isinstance(owner, ast.Subscript):
            kept = speaker.operand(item, 2)
            return Effect(kept, f"{are(kept)} collected under", speaker.say(owner.slice), "collect", node)
        if isinstance(item, ast.Name) and item.id in speaker.scope.bindings:
            kept = speaker.scope.noun(item.id)
            return Effect(kept, "is kept" if not is_plural(kept) else "are kept", "", "collect", node)
        if isinstance(item, ast.Dict):
            fields = [f"{speaker.say(k)} ({speaker.say(v).removeprefix('the ')})" for k, v in mappings_of(item)]
            return Effect("an entry with", join_words(fields), f"is added to {speaker.say(owner)}", "collect", node)
        kept = speaker.say(item)
        comma = "," if "," in kept else ""
        return Effect(kept + comma, f"{are(kept)} added to", speaker.say(owner), "collect", node)
    if name in ("extend", "update") and args:
        kept = speaker.operand(args[0], 2)
        return Effect(kept, f"{are(kept)} added to", speaker.say(owner), "collect", node)
    if name in ("remove", "discard", "pop") and args:
        return Effect(speaker.say(args[0]), "is taken out of", speaker.say(owner), "collect", node)
    if name == "sort":
        subject = speaker.say(owner)
        return Effect(subject, f"{are(subject)} sorted", order_words(speaker, call), "assign", node)
    if name == "reverse":
        return Effect(speaker.say(owner), "is put in reverse order", "", "assign", node)
    if name == "setdefault" and args:
        return None
    return None
