"""Calls of a program in words: ``len(items)`` is "the number of items"."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from colbench.simulators.facts.conditions import bare_text
from colbench.simulators.facts.ordering import called_name, extreme, order_words
from colbench.simulators.facts.phrases import ATOM, CLAUSE, PRODUCT, SUM, UNSAID, Phrase
from colbench.simulators.facts.scope import FunctionNode, constant_of, mappings_of, parameters_of
from colbench.simulators.facts.words import date_format, humanise, is_plural, join_words, quote, singular

if TYPE_CHECKING:
    from colbench.simulators.facts.phrases import Speaker

__all__ = ["say_call"]

_OF = {
    "abs": "the absolute value of", "mean": "the average of", "fmean": "the average of", "average": "the average of",
    "median": "the median of", "mode": "the most frequent value of", "stdev": "the sample standard deviation of",
    "pstdev": "the standard deviation of", "std": "the standard deviation of", "variance": "the sample variance of",
    "var": "the variance of", "pvariance": "the variance of", "sqrt": "the square root of", "exp": "the exponential of",
    "sin": "the sine of", "cos": "the cosine of", "tan": "the tangent of", "asin": "the arc sine of",
    "acos": "the arc cosine of", "atan": "the arc tangent of", "radians": "the angle in radians of",
    "degrees": "the angle in degrees of", "factorial": "the factorial of", "prod": "the product of",
    "Counter": "the counts of", "log10": "the base-10 logarithm of", "log2": "the base-2 logarithm of",
    "set": "the distinct", "frozenset": "the distinct", "reversed": "the reverse of", "ord": "the character code of",
    "next": "the first of", "zip_longest": "the pairs of", "cumsum": "the running total of",
    "accumulate": "the running total of",
    "title": "", "hash": "a hash of",
}  # fmt: skip
_SAME = {
    "str",
    "list",
    "tuple",
    "dict",
    "float",
    "iter",
    "items",
    "tolist",
    "copy",
    "deepcopy",
    "array",
    "encode",
    "decode",
    "bool",
}
_SUFFIX = {
    "lower": "in lower case", "casefold": "in lower case", "upper": "in upper case", "title": "with capitalised words",
    "capitalize": "with a capital first letter", "strip": "without spaces around it",
    "lstrip": "without leading spaces",
    "rstrip": "without trailing spaces", "isoformat": "as an ISO date",
}  # fmt: skip


def say_call(speaker: Speaker, node: ast.Call) -> Phrase:
    """The words for a call, with how loosely they bind."""
    function = node.func
    if isinstance(function, ast.Name):
        return _function(speaker, function.id, node)
    if isinstance(function, ast.Attribute):
        module = function.value.id if isinstance(function.value, ast.Name) else ""
        if module in (
            "math",
            "statistics",
            "np",
            "numpy",
            "itertools",
            "collections",
            "re",
            "datetime",
            "date",
            "copy",
            "functools",
        ):
            return _function(speaker, function.attr, node)
        return _method(speaker, function, node)
    if isinstance(function, ast.Call | ast.Lambda):
        return Phrase(speaker.say(function))
    return Phrase(UNSAID)


def _function(speaker: Speaker, name: str, node: ast.Call) -> Phrase:
    args = node.args
    first = args[0] if args else None
    if name in speaker.scope.helpers:
        return _helper(speaker, speaker.scope.helpers[name], node)
    if first is None:
        return Phrase({"list": "an empty list", "dict": "an empty dictionary", "set": "an empty set"}.get(name, UNSAID))
    if name in ("sum", "fsum"):
        return Phrase(_total(speaker, first))
    if name == "len":
        counted = speaker.operand(first, SUM)
        if isinstance(first, ast.ListComp | ast.SetComp):
            counted = speaker.say(first)
        if not isinstance(first, ast.Name) and speaker.is_text(first):
            return Phrase(f"the length of {counted}", SUM)
        if isinstance(first, ast.Name) and not is_plural(counted):
            is_text = first.id in speaker.scope.texts and first.id not in speaker.scope.iterated
            return Phrase(f"the length of {counted}" if is_text else f"the number of entries in {counted}")
        return Phrase(f"the number of {counted.removeprefix('the ')}")
    if name in ("min", "max"):
        return extreme(speaker, name, node)
    if name in ("round", "around"):
        return Phrase(f"{speaker.operand(first, SUM)}, {_rounded(speaker, node)}", CLAUSE)
    if name == "int":
        inner = speaker.operand(first, PRODUCT)
        arithmetic = isinstance(first, ast.BinOp) or (
            isinstance(first, ast.Call) and called_name(first) not in ("round", "input", "len", "get")
        )
        arithmetic = arithmetic or (isinstance(first, ast.Name) and first.id in speaker.scope.numeric)
        return Phrase(f"{inner} cut to a whole number" if arithmetic else inner, PRODUCT)
    if name in ("ceil", "floor", "trunc"):
        how = {"ceil": "rounded up", "floor": "rounded down", "trunc": "cut to a whole number"}[name]
        return Phrase(f"{speaker.operand(first, PRODUCT)}, {how}", CLAUSE)
    if name == "sorted":
        return Phrase(f"{speaker.operand(first, SUM)} sorted {order_words(speaker, node)}", SUM)
    if name in ("log", "pow", "hypot", "dist") and len(args) == 2:
        a, b = speaker.operand(args[0]), speaker.operand(args[1])
        said = {"log": f"the logarithm of {a} to base {b}", "pow": f"{a} to the power of {b}"}
        return Phrase(said.get(name, f"the distance between {a} and {b}"))
    if name == "log":
        return Phrase(f"the natural logarithm of {speaker.operand(first)}")
    if name in ("any", "all", "isinstance", "bool"):
        return Phrase(f"True if {speaker.condition(node)}, otherwise False", CLAUSE)
    if name == "range":
        return Phrase(speaker.collection(node))
    if name in ("filter", "map") and len(args) == 2:
        if isinstance(args[0], ast.Lambda) and args[0].args.args:
            speaker.bind(args[0].args.args[0].arg, args[1])
            if name == "filter":
                return Phrase(f"those of {speaker.say(args[1])} where {speaker.condition(args[0].body)}", CLAUSE)
            return Phrase(f"{speaker.operand(args[0].body, SUM)} for each of {speaker.say(args[1])}", CLAUSE)
        return Phrase(
            f"{speaker.say(args[1])}, each turned into {_kind(args[0])}" if name == "map" else speaker.say(args[1]),
            CLAUSE,
        )
    if name == "strptime" and len(args) > 1:
        return Phrase(f"the date in {speaker.operand(first, SUM)}")
    if name == "sub" and len(args) >= 3:
        return Phrase(
            f"{speaker.operand(args[2], SUM)} with certain characters replaced by {speaker.say(args[1])}", CLAUSE
        )
    if name in ("findall", "match", "search", "fullmatch") and len(args) >= 2:
        return Phrase(f"the parts of {speaker.operand(args[1], SUM)} that fit a pattern", CLAUSE)
    if name in ("set", "frozenset"):
        inner = speaker.operand(first, SUM)
        return Phrase(f"the distinct {inner.removeprefix('the ')}")
    if _OF.get(name):
        return Phrase(f"{_OF[name]} {speaker.operand(first)}")
    if name == "defaultdict":
        return Phrase("an empty dictionary")
    if name in _SAME or name in ("enumerate", "zip"):
        return speaker.phrase(first) if name != "zip" else Phrase(speaker.collection(node))
    if name == "arange":
        return Phrase(f"the numbers from {speaker.say(first)} up to but not including {speaker.say(args[-1])}")
    return Phrase(f"the {humanise(name)} of {join_words([speaker.operand(a, SUM) for a in args[:4]])}")


def _kind(node: ast.expr) -> str:
    name = node.id if isinstance(node, ast.Name) else ""
    return {"int": "a whole number", "float": "a number", "str": "a text"}.get(name, "another value")


def _rounded(speaker: Speaker, node: ast.Call) -> str:
    digits = (
        node.args[1]
        if len(node.args) > 1
        else next((k.value for k in node.keywords if k.arg in ("ndigits", "decimals")), None)
    )
    if digits is None or constant_of(digits) in (0, None):
        return "rounded to a whole number"
    places = constant_of(digits)
    if isinstance(places, int) and -15 < places < 0:
        return f"rounded to the nearest {10**-places}"
    said = speaker.say(digits)
    return f"rounded to {said} decimal{'' if said == '1' else 's'}"


def _total(speaker: Speaker, node: ast.expr) -> str:
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        source = speaker.collection(node.generators[0].iter)
        where = speaker.filters(node)
        tail = f" where {where}" if where else ""
        if constant_of(node.elt) == 1:
            return f"the number of {source.removeprefix('the ')}{tail}"
        first = node.generators[0]
        if isinstance(node.elt, ast.Name) and isinstance(first.target, ast.Name) and node.elt.id == first.target.id:
            return f"the total of {source}{tail}"
        if isinstance(node.elt, ast.Compare | ast.BoolOp):
            return f"the number of {source.removeprefix('the ')} where {speaker.condition(node.elt)}"
        return f"the total of {speaker.operand(node.elt, PRODUCT)} over {source}{tail}"
    if isinstance(node, ast.Call) and called_name(node) == "values" and isinstance(node.func, ast.Attribute):
        return f"the total of {speaker.say(node.func.value)}"
    return f"the total of {speaker.operand(node, SUM)}"


def _helper(speaker: Speaker, helper: FunctionNode, node: ast.Call) -> Phrase:
    """A call of a helper of the same module: what it returns, where that is one short expression."""
    body = [s for s in helper.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    said = [speaker.operand(a, SUM) for a in node.args[:4]]
    if (
        len(body) == 1
        and isinstance(body[0], ast.Return)
        and body[0].value is not None
        and helper.name not in speaker._in_helper
    ):
        names = [name for name, _ in parameters_of(helper)]
        kept = {n: speaker.scope.pronouns.get(n) for n in names}
        speaker.scope.pronouns.update({n: s for n, s in zip(names, said, strict=False)})
        speaker._in_helper.add(helper.name)
        try:
            phrase = speaker.phrase(body[0].value)
        finally:
            speaker._in_helper.discard(helper.name)
            for name, value in kept.items():
                if value is None:
                    speaker.scope.pronouns.pop(name, None)
                else:
                    speaker.scope.pronouns[name] = value
        if len(phrase.text) <= 90:
            return phrase
    return Phrase(f"the {humanise(helper.name)}" + (f" of {join_words(said)}" if said else ""))


def _method(speaker: Speaker, function: ast.Attribute, node: ast.Call) -> Phrase:
    name, args = function.attr, node.args
    owner = speaker.operand(function.value, SUM)
    if name == "get" and args:
        return _lookup(speaker, function, node)
    if name in _SUFFIX:
        if name in ("strip", "lstrip", "rstrip") and args:
            return Phrase(f"{owner} without {speaker.say(args[0])} {'at the end' if name == 'rstrip' else 'around it'}")
        return Phrase(f"{owner} {_SUFFIX[name]}")
    if name in ("split", "rsplit", "splitlines"):
        if not args:
            return Phrase(f"the {'lines' if name == 'splitlines' else 'words'} of {owner}")
        return Phrase(f"the parts of {owner} separated by {speaker.say(args[0])}")
    if name == "join" and args:
        glue = constant_of(function.value)
        between = "" if glue == "" else f" with {owner} in between"
        return Phrase(f"{speaker.operand(args[0], SUM)} joined together{between}", SUM)
    if name == "replace" and len(args) >= 2:
        if constant_of(args[1]) == "":
            return Phrase(f"{owner} with every {speaker.say(args[0]).removeprefix('a ')} taken out", SUM)
        return Phrase(f"{owner} with {speaker.say(args[0])} replaced by {speaker.say(args[1])}", SUM)
    if name == "count" and args:
        return Phrase(f"how often {speaker.say(args[0])} occurs in {owner}")
    if name in ("index", "find") and args:
        return Phrase(f"the position of {speaker.say(args[0])} in {owner}")
    if name in ("startswith", "endswith") or name.startswith("is"):
        return Phrase(f"True if {speaker.condition(node)}, otherwise False", CLAUSE)
    if name == "strptime" and len(args) > 1:
        return Phrase(f"the date in {speaker.operand(args[0], SUM)}")
    if name == "strftime" and args:
        pattern = constant_of(args[0])
        shown = date_format(pattern) if isinstance(pattern, str) else None
        return Phrase(f"{owner} written as {quote(shown)}" if shown else f"{owner} written as a date")
    if name in ("weekday", "isoweekday"):
        return Phrase(f"the day of the week of {owner}")
    if name == "format":
        spec = constant_of(function.value)
        if isinstance(spec, str):
            return Phrase(f"the text {owner} filled in with {join_words([speaker.operand(a, SUM) for a in args])}")
    if name in ("intersection", "union", "difference") and args:
        other = speaker.operand(args[0], SUM)
        said = {
            "intersection": f"what {owner} and {other} have in common",
            "union": f"{owner} and {other} taken together",
            "difference": f"{owner} without {other}",
        }
        return Phrase(said[name], SUM)
    if name in (
        "keys",
        "values",
        "items",
        "copy",
        "tolist",
        "encode",
        "hexdigest",
        "decode",
        "mean",
        "sum",
        "group",
        "groups",
    ):
        lead = {
            "mean": "the average of ",
            "sum": "the total of ",
            "values": "the values of ",
            "keys": "the names in ",
        }.get(name, "")
        return Phrase(lead + owner)
    if name == "setdefault" and args:
        return Phrase(f"the entry of {owner} for {speaker.operand(args[0], SUM)}")
    if name == "most_common":
        return Phrase(f"the most frequent entries of {owner}")
    if name in ("zfill", "rjust", "ljust", "center") and args:
        return Phrase(f"{owner} padded to {speaker.say(args[0])} characters")
    if name == "total_seconds":
        return Phrase(f"{owner} in seconds")
    if name == "pop" and args:
        return Phrase(f"the entry for {speaker.say(args[0])} of {owner}")
    if name == "pop" and not args:
        return Phrase(f"the last entry of {owner}")
    return Phrase(f"the {humanise(name)} of {owner}", ATOM)


def _lookup(speaker: Speaker, function: ast.Attribute, node: ast.Call) -> Phrase:
    key = constant_of(node.args[0])
    default = node.args[1] if len(node.args) > 1 else None
    if isinstance(key, str):
        text = speaker.field(function.value, key)
    elif isinstance(function.value, ast.Dict) and len(function.value.keys) <= 8:
        entries = [f"{speaker.say(v)} for {speaker.say(k)}" for k, v in mappings_of(function.value)]
        if default is not None:
            entries.append(f"{speaker.say(default)} for anything else")
        return Phrase(join_words(entries), CLAUSE)
    else:
        owner = speaker.owner(function.value)
        if isinstance(function.value, ast.Name) and owner.startswith("the "):
            owner = singular(owner)
        text = f"{owner} for {speaker.operand(bare_text(node.args[0]), SUM)}"
    if default is not None:
        fallback = constant_of(default)
        said = "None" if fallback is None else speaker.say(default)
        return Phrase(f"{text} ({said} if missing)")
    return Phrase(text)
