"""Conditions of a program in words: ``not x or y >= 3`` is "the x is empty or the y is at least 3"."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from colbench.simulators.facts.scope import constant_of, is_literal
from colbench.simulators.facts.usage import TEXT_NAME
from colbench.simulators.facts.words import are, humanise, is_plural, join_words, quote

if TYPE_CHECKING:
    from colbench.simulators.facts.phrases import Speaker

__all__ = ["bare_text", "say_condition", "subject_and_predicate"]

_ORDER = {
    ast.Gt: ("above", "at most"),
    ast.GtE: ("at least", "below"),
    ast.Lt: ("below", "at least"),
    ast.LtE: ("at most", "above"),
}
_MIRROR: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Gt: ast.Lt, ast.Lt: ast.Gt, ast.GtE: ast.LtE, ast.LtE: ast.GtE}
_KINDS = {
    "str": "a text", "int": "a whole number", "float": "a number", "list": "a list", "dict": "a dictionary",
    "tuple": "a tuple", "bool": "true or false", "set": "a set", "Number": "a number",
}  # fmt: skip
_TESTS = {
    "isdigit": ("consists of digits", "does not consist of digits"),
    "isnumeric": ("consists of digits", "does not consist of digits"),
    "isalpha": ("consists of letters", "does not consist of letters"),
    "isalnum": ("consists of letters and digits", "contains something other than letters and digits"),
    "isupper": ("is in upper case", "is not in upper case"),
    "islower": ("is in lower case", "is not in lower case"),
    "isspace": ("is blank space", "is not blank space"),
}
Parts = tuple[str, str]


def say_condition(speaker: Speaker, node: ast.expr, negate: bool = False) -> str:
    """The words for a condition.

    Args:
        speaker: says the things that are compared.
        node: the condition.
        negate: say its opposite.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return say_condition(speaker, node.operand, not negate)
    if isinstance(node, ast.BoolOp):
        return _joined(speaker, node, negate)
    subject, predicate = subject_and_predicate(speaker, node, negate)
    return f"{subject} {predicate}".strip()


def _joined(speaker: Speaker, node: ast.BoolOp, negate: bool) -> str:
    both = isinstance(node.op, ast.And) != negate
    shared: list[list[str]] = []
    subjects: list[str] = []
    for value in node.values[:14]:
        if isinstance(value, ast.BoolOp):
            subjects.append("")
            inner = say_condition(speaker, value, negate)
            shared.append([inner if " and " not in inner and " or " not in inner else f"({inner})"])
            continue
        subject, predicate = subject_and_predicate(speaker, *_peel(value, negate))
        if subject and subjects and subjects[-1] == subject:
            first = shared[-1][-1].split(" ", 1)[0]
            # "is above 3 and is below 5" reads better with one verb.
            same_verb = predicate.split(" ", 1)[0] == first and first in (
                "is",
                "are",
                "contains",
                "include",
                "has",
                "starts",
                "ends",
            )
            shared[-1].append(predicate.split(" ", 1)[1] if same_verb and not _opens_not(predicate) else predicate)
        else:
            subjects.append(subject)
            shared.append([predicate])
    word = "and" if both else "or"
    parts = [f"{s} {join_words(p, word)}" if s else p[0] for s, p in zip(subjects, shared, strict=True)]
    if len(node.values) > 14:
        parts.append("some more conditions hold")
    return join_words(parts, word)


def _opens_not(predicate: str) -> bool:
    return predicate.split(" ", 2)[1:2] == ["not"]


def _peel(node: ast.expr, negate: bool) -> tuple[ast.expr, bool]:
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node, negate = node.operand, not negate
    return node, negate


_PLURAL_VERBS = {
    "starts": "start", "ends": "end", "does": "do", "has": "have", "contains": "contain", "consists": "consist",
    "fits": "fit", "divides": "divide", "leaves": "leave",
}  # fmt: skip


def subject_and_predicate(speaker: Speaker, node: ast.expr, negate: bool = False) -> Parts:
    """A single condition as what is tested and what must hold of it."""
    subject, predicate = _parted(speaker, node, negate)
    if is_plural(subject):
        verb, space, rest = predicate.partition(" ")
        predicate = _PLURAL_VERBS.get(verb, verb) + space + rest
    return subject, predicate


def _parted(speaker: Speaker, node: ast.expr, negate: bool) -> Parts:
    if isinstance(node, ast.Compare):
        return _compare(speaker, node, negate)
    if isinstance(node, ast.Call):
        return _call(speaker, node, negate)
    if isinstance(node, ast.Name) and speaker.scope.is_flag(node.id):
        words = speaker.scope.flag_words(node.id)
        return "it", f"does not count as {words}" if negate else f"counts as {words}"
    if isinstance(node, ast.Name):
        noun = speaker.scope.noun(node.id)
        if node.id in speaker.scope.parameters and speaker.scope.boolean(node.id):
            return noun, f"{are(noun)} {'false' if negate else 'true'}"
        binding = speaker.scope.bindings.get(node.id)
        if node.id in speaker.scope.numeric and node.id not in speaker.scope.iterated:
            return noun, f"{are(noun)} {'0 or missing' if negate else 'not 0'}"
        if node.id in speaker.scope.texts:
            return noun, f"{are(noun)} {'empty' if negate else 'not empty'}"
        if node.id in speaker.scope.iterated or (binding and binding.kind != "value"):
            return noun, f"{are(noun)} {'empty' if negate else 'not empty'}"
        if speaker.scope.boolean(node.id):
            return noun, f"{are(noun)} {'false' if negate else 'true'}"
        return noun, f"{are(noun)} {'empty or missing' if negate else 'given'}"
    if isinstance(node, ast.Constant):
        return "it", "never applies" if bool(node.value) == negate else "always applies"
    if isinstance(node, ast.NamedExpr):
        return subject_and_predicate(speaker, node.value, negate)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        divisor = speaker.say(node.right)
        subject = speaker.operand(node.left, 1)
        return subject, f"{'divides' if negate else 'does not divide'} evenly by {divisor}"
    subject = speaker.operand(node, 1)
    if isinstance(node, ast.Subscript):
        return subject, f"{are(subject)} {'false or missing' if negate else 'true'}"
    return subject, f"{are(subject)} {'empty or zero' if negate else 'not empty or zero'}"


def _compare(speaker: Speaker, node: ast.Compare, negate: bool) -> Parts:
    if len(node.ops) == 2:
        return _between(speaker, node, negate)
    if len(node.ops) > 2:
        return "the values", f"are {'not ' if negate else ''}in order"
    left, op, right = bare_text(node.left), node.ops[0], bare_text(node.comparators[0])
    fixed_left = constant_of(left) is not ... and constant_of(right) is ...
    if fixed_left and not isinstance(op, ast.In | ast.NotIn):
        left, right = right, left
        op = _MIRROR.get(type(op), type(op))()
    special = _length(speaker, left, op, right, negate) or _divides(speaker, left, op, right, negate)
    if special:
        return special
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(speaker, left, right, isinstance(op, ast.NotIn) != negate)
    subject = speaker.operand(left, 2)
    be = are(subject)
    if type(op) in _ORDER:
        words = _ORDER[type(op)][1 if negate else 0]
        return subject, f"{be} {words} {speaker.operand(right, 2)}"
    unequal = isinstance(op, ast.NotEq | ast.IsNot) != negate
    value = constant_of(right)
    if isinstance(value, bool):
        return subject, f"{be} {'true' if value != unequal else 'false'}"
    if value is None:
        return subject, f"{be} {'given' if unequal else 'not given (None)'}"
    if value == "" or (isinstance(right, ast.List | ast.Dict | ast.Tuple) and is_literal(right) and not _parts(right)):
        return subject, f"{be} {'not empty' if unequal else 'empty'}"
    return subject, f"{be} {'not ' if unequal else ''}{speaker.operand(right, 2)}"


def bare_text(node: ast.expr) -> ast.expr:
    """A text without ``.lower()`` and ``.strip()``: that case and spaces do not matter is a fact of its own."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("lower", "upper", "casefold", "strip")
        and not node.args
        and not isinstance(node.func.value, ast.Constant)
    ):
        node = node.func.value
    return node


def _parts(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.List | ast.Tuple | ast.Set) else list(getattr(node, "values", []))


def _between(speaker: Speaker, node: ast.Compare, negate: bool) -> Parts:
    low, middle, high = node.left, node.comparators[0], node.comparators[1]
    first, second = node.ops
    subject = speaker.operand(middle, 2)
    if isinstance(first, ast.Gt | ast.GtE) and isinstance(second, ast.Gt | ast.GtE):
        low, high, first, second = high, low, _MIRROR[type(second)](), _MIRROR[type(first)]()
    a, b = speaker.operand(low, 2), speaker.operand(high, 2)
    be = are(subject) + (" not" if negate else "")
    if isinstance(first, ast.LtE) and isinstance(second, ast.LtE):
        return subject, f"{be} between {a} and {b}, both included"
    if isinstance(first, ast.Lt) and isinstance(second, ast.Lt):
        return subject, f"{be} strictly between {a} and {b}"
    if isinstance(first, ast.LtE) and isinstance(second, ast.Lt):
        return subject, f"{be} from {a} up to but not including {b}"
    if isinstance(first, ast.Lt) and isinstance(second, ast.LtE):
        return subject, f"{be} above {a} and up to {b}"
    return subject, f"{be} equal to {a} and {b}"


def _length(speaker: Speaker, left: ast.expr, op: ast.cmpop, right: ast.expr, negate: bool) -> Parts | None:
    if not (
        isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "len" and len(left.args) == 1
    ):
        return None
    subject = speaker.operand(left.args[0], 2)
    be, has = are(subject), "have" if is_plural(subject) else "has"
    number = constant_of(right)
    if number == 0 and isinstance(op, ast.Eq | ast.NotEq | ast.Gt):
        return subject, f"{be} {'empty' if isinstance(op, ast.Eq) != negate else 'not empty'}"
    other = (
        right.args[0] if isinstance(right, ast.Call) and getattr(right.func, "id", "") == "len" and right.args else None
    )
    if other is not None:
        longer = {
            ast.Gt: ("longer than", "not longer than"),
            ast.GtE: ("at least as long as", "shorter than"),
            ast.Lt: ("shorter than", "at least as long as"),
            ast.LtE: ("at most as long as", "longer than"),
            ast.Eq: ("as long as", "not as long as"),
            ast.NotEq: ("not as long as", "as long as"),
        }.get(type(op))
        return (subject, f"{be} {longer[1 if negate else 0]} {speaker.operand(other, 2)}") if longer else None
    amount = speaker.operand(right, 2)
    unit = "characters" if _measures_text(speaker, left.args[0]) else "entries"
    words = {
        ast.Gt: ("more than", "at most"),
        ast.GtE: ("at least", "fewer than"),
        ast.Lt: ("fewer than", "at least"),
        ast.LtE: ("at most", "more than"),
        ast.Eq: ("exactly", "not exactly"),
        ast.NotEq: ("not exactly", "exactly"),
    }.get(type(op))
    if words is None:
        return None
    return subject, f"{has} {words[1 if negate else 0]} {amount} {unit}"


def _measures_text(speaker: Speaker, node: ast.expr) -> bool:
    """Whether what is measured is a text, by how it is made, used or called."""
    if not isinstance(node, ast.Name):
        return False
    made = speaker.scope.assigned.get(node.id, [])
    if made:
        return speaker.is_text(node)
    return node.id in speaker.scope.texts or bool(TEXT_NAME.search(node.id))


def _divides(speaker: Speaker, left: ast.expr, op: ast.cmpop, right: ast.expr, negate: bool) -> Parts | None:
    if not (isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) and isinstance(op, ast.Eq | ast.NotEq)):
        return None
    remainder = constant_of(right)
    subject = speaker.operand(left.left, 1)
    positive = isinstance(op, ast.Eq) != negate
    if constant_of(left.right) == 2 and remainder in (0, 1):
        return subject, f"{are(subject)} {'even' if (remainder == 0) == positive else 'odd'}"
    divisor = speaker.operand(left.right)
    if remainder == 0:
        return subject, f"{'divides' if positive else 'does not divide'} evenly by {divisor}"
    verb = "leaves" if positive else "does not leave"
    return subject, f"{verb} {speaker.say(right)} when divided by {divisor}"


def _membership(speaker: Speaker, left: ast.expr, right: ast.expr, absent: bool) -> Parts:
    scope = speaker.scope
    literal = scope.constants.get(right.id) if isinstance(right, ast.Name) else right
    wanted = constant_of(left)
    if isinstance(literal, ast.List | ast.Tuple | ast.Set) and literal.elts:
        subject = speaker.operand(left, 2)
        named = isinstance(right, ast.Name) and len(literal.elts) > 3
        if named and isinstance(right, ast.Name):
            return subject, f"{are(subject)} {'not ' if absent else ''}one of {scope.noun(right.id)}"
        options = [speaker.operand(e, 2) for e in literal.elts[:24]] + (["others"] if len(literal.elts) > 24 else [])
        if len(options) == 1:
            return subject, f"{are(subject)} {'not ' if absent else ''}{options[0]}"
        return subject, f"{are(subject)} {'none of ' if absent else ''}{join_words(options, 'and' if absent else 'or')}"
    if isinstance(literal, ast.Constant) and isinstance(literal.value, str) and wanted is ...:
        subject = speaker.operand(left, 2)
        return subject, f"{are(subject)} {'not ' if absent else ''}one of the characters {quote(literal.value)}"
    if isinstance(right, ast.Call) and isinstance(right.func, ast.Name) and right.func.id == "range":
        subject = speaker.operand(left, 2)
        return subject, f"{are(subject)} {'not ' if absent else ''}among {speaker.collection(right)}"
    container = speaker.operand(right, 2) if not isinstance(right, ast.ListComp) else speaker.say(right)
    if isinstance(right, ast.Call) and isinstance(right.func, ast.Attribute) and right.func.attr in ("keys", "values"):
        container = speaker.say(right.func.value)
    if isinstance(wanted, str):
        said = quote(wanted)
        if is_plural(container):
            return container, f"{'do not include' if absent else 'include'} {said}"
        return container, f"{'does not contain' if absent else 'contains'} {said}"
    subject = speaker.operand(left, 2)
    return subject, f"{are(subject)} {'not ' if absent else ''}in {container}"


def _call(speaker: Speaker, node: ast.Call, negate: bool) -> Parts:
    function = node.func
    if isinstance(function, ast.Attribute):
        subject = speaker.operand(bare_text(function.value), 2)
        argument = node.args[0] if node.args else None
        if function.attr in ("startswith", "endswith") and argument is not None:
            verb = ("start" if function.attr == "startswith" else "end") + ("s" if not negate else "")
            options = argument.elts if isinstance(argument, ast.Tuple) else [argument]
            said = join_words([speaker.operand(o, 2) for o in options], "or")
            return subject, f"{'does not ' if negate else ''}{verb} with {said}"
        if function.attr in _TESTS:
            return subject, _TESTS[function.attr][1 if negate else 0]
        if function.attr == "get" and argument is not None:
            return speaker.say(node), f"is {'false or missing' if negate else 'true'}"
        if function.attr in ("match", "search", "fullmatch") and node.args:
            return speaker.operand(node.args[-1], 2), f"{'does not fit' if negate else 'fits'} the expected pattern"
        if function.attr in ("issubset", "issuperset", "isdisjoint") and argument is not None:
            relation = {
                "issubset": "lies within",
                "issuperset": "contains all of",
                "isdisjoint": "has nothing in common with",
            }
            prefix = "it is not the case that " if negate else ""
            return prefix + subject, f"{relation[function.attr]} {speaker.operand(argument, 2)}"
        if function.attr in ("strip", "lower", "upper"):
            return subject, f"{are(subject)} {'empty' if negate else 'not empty'}"
    if isinstance(function, ast.Name):
        if function.id == "isinstance" and len(node.args) == 2:
            subject = speaker.operand(node.args[0], 2)
            kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
            names = [getattr(k, "id", getattr(k, "attr", "value")) for k in kinds]
            said = join_words(list(dict.fromkeys(_KINDS.get(n, f"a {humanise(n)}") for n in names)), "or")
            return subject, f"{are(subject)} {'not ' if negate else ''}{said}"
        if function.id in ("any", "all") and node.args and isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
            return _quantified(speaker, node.args[0], function.id, negate)
        if function.id == "len" and node.args:
            subject = speaker.operand(node.args[0], 2)
            return subject, f"{are(subject)} {'empty' if negate else 'not empty'}"
        if function.id == "bool" and node.args:
            return (
                subject_and_predicate(speaker, *_peel(node.args[0], negate))
                if not isinstance(node.args[0], ast.BoolOp)
                else ("", say_condition(speaker, node.args[0], negate))
            )
        if function.id in speaker.scope.helpers:
            helper = humanise(function.id)
            said = join_words([speaker.operand(a, 2) for a in node.args]) if node.args else "it"
            return f"the check {quote(helper)} for {said}", "fails" if negate else "succeeds"
    subject = speaker.operand(node, 1)
    return subject, f"{are(subject)} {'empty or false' if negate else 'true'}"


def _quantified(speaker: Speaker, comprehension: ast.GeneratorExp | ast.ListComp, which: str, negate: bool) -> Parts:
    """Say "any" and "all" over a loop: its variable stands for any, or all, of what is looped over."""
    scope = speaker.scope
    kept: dict[str, str | None] = {}
    try:
        for generator in comprehension.generators:
            literal = generator.iter
            if isinstance(literal, ast.Name):
                literal = scope.constants.get(literal.id, literal)
            if (
                isinstance(literal, ast.List | ast.Tuple | ast.Set)
                and 0 < len(literal.elts) <= 12
                and is_literal(literal)
            ):
                source = join_words([speaker.say(e) for e in literal.elts], "or" if which == "any" else "and")
            else:
                source = speaker.collection(generator.iter)
            if isinstance(generator.target, ast.Name):
                name = generator.target.id
                kept.setdefault(name, scope.pronouns.get(name))
                scope.pronouns[name] = f"any of {source}" if which == "any" else f"each of {source}"
        said = speaker.condition(comprehension.elt)
        extra = [speaker.condition(t) for g in comprehension.generators for t in g.ifs]
    finally:
        for name, before in kept.items():
            if before is None:
                scope.pronouns.pop(name, None)
            else:
                scope.pronouns[name] = before
    said = " and ".join([said, *extra])
    if negate:
        return "it is not the case that", said
    subject, _, predicate = said.partition(" is ")
    return (subject, f"is {predicate}") if predicate and " and " not in subject else ("", said)
