"""From the source of a reference to everything a person who knows it could say about it."""

from __future__ import annotations

import ast
import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from colbench.simulators.facts.absent import absent_facts
from colbench.simulators.facts.gaps import gap_facts, literals_of
from colbench.simulators.facts.inputs import input_facts
from colbench.simulators.facts.model import Fact, FactSheet, make_fact
from colbench.simulators.facts.phrases import Speaker
from colbench.simulators.facts.results import result_facts, returned
from colbench.simulators.facts.rounding import Rounding, rounding_facts, roundings
from colbench.simulators.facts.rules import RuleReader
from colbench.simulators.facts.scope import FunctionNode, Scope, constant_of, walk_limited
from colbench.simulators.facts.sorts import direction_of, sorts_in, sorts_of_result
from colbench.simulators.facts.tables import table_facts
from colbench.simulators.facts.words import humanise, join_words, number_text, quote, the
from colbench.simulators.matching import content_words

__all__ = ["facts_of", "read_reference"]

_LONGEST_SOURCE = 200_000
_LONGEST_FACT = 350
_MOST_FACTS = 500
_CACHE_SIZE = 512
_cache: OrderedDict[str, FactSheet] = OrderedDict()
_lock = threading.Lock()


def facts_of(source: str, entry_point: str | None = None) -> FactSheet:
    """Everything that can be said about a reference; remembered per source.

    Args:
        source: the reference as text; it is never run.
        entry_point: the function asked for; the first one counts where it is not found.
    """
    key = hashlib.sha256(f"{entry_point}\0{source}".encode("utf-8", "surrogatepass")).hexdigest()
    with _lock:
        sheet = _cache.get(key)
        if sheet is not None:
            _cache.move_to_end(key)
            return sheet
    sheet = read_reference(source, entry_point)
    with _lock:
        _cache[key] = sheet
        while len(_cache) > _CACHE_SIZE:
            _cache.popitem(last=False)
    return sheet


def read_reference(source: str, entry_point: str | None = None) -> FactSheet:
    """Like :func:`facts_of`, without the memory."""
    tree: ast.Module | None = None
    if len(source) <= _LONGEST_SOURCE:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            tree = None
    function = _entry(tree, entry_point) if tree is not None else None
    if tree is None or function is None:
        return _unreadable(source)
    try:
        return _sheet(source, tree, function)
    except RecursionError:
        return _unreadable(source)


def _entry(tree: ast.Module, entry_point: str | None) -> FunctionNode | None:
    functions = [n for n in tree.body if isinstance(n, FunctionNode)]
    if not functions:
        functions = [n for n in walk_limited(tree) if isinstance(n, FunctionNode)]
    named = [f for f in functions if f.name == entry_point]
    return named[-1] if named else functions[0] if functions else None


def _sheet(source: str, tree: ast.Module, function: FunctionNode) -> FactSheet:
    facts: list[Fact] = []
    scope = Scope.of(function, tree)
    speaker = Speaker(scope)
    facts += input_facts(speaker, 0)
    kind_facts, kind = result_facts(speaker, 50)
    facts += kind_facts
    helpers = _reached(function, scope, tree)
    notes = _all_roundings(speaker, helpers, tree)
    facts += rounding_facts(notes, 90)
    facts += table_facts(speaker, tree, 100)
    rules = RuleReader(speaker).read(function.body)
    facts += _shifted(rules, 300)
    for position, helper in enumerate(helpers):
        inner = Speaker(Scope.of(helper, tree))
        told = RuleReader(inner, f"the {humanise(helper.name)}").read(helper.body)
        facts += _shifted([_weaker(f, 0.8) for f in table_facts(inner, tree, 0)], 1000 + 300 * position)
        facts += _shifted([_weaker(f, 0.8) for f in told], 1100 + 300 * position)
    facts += _case_facts(scope, len(facts) + 2000)
    facts = _cleaned(_without_bare_result(facts, speaker), source)
    traits = _traits(function, tree, kind, notes)
    facts += absent_facts(facts, traits, 4000)
    facts += _cleaned(gap_facts(speaker, facts, 5000), source)
    facts = facts[:_MOST_FACTS]
    keys, numbers = literals_of(tree)
    return FactSheet(
        facts=tuple(facts),
        vocabulary=_vocabulary(tree, facts),
        keys=frozenset(k.lower() for k in keys),
        numbers=frozenset(numbers),
        traits=traits,
    )


def _shifted(facts: list[Fact], start: int) -> list[Fact]:
    return [replace(f, order=start + f.order) for f in facts]


def _weaker(fact: Fact, factor: float) -> Fact:
    return replace(fact, importance=fact.importance * factor)


def _without_bare_result(facts: list[Fact], speaker: Speaker) -> list[Fact]:
    """Leave out "the result is the needs" where another fact tells what they are."""
    names = {speaker.scope.noun(v.id) for v in returned(speaker.scope.function) if isinstance(v, ast.Name)}
    bare = {f"{lead}the result is {name}" for name in names for lead in ("", "in all other cases ")}
    told = any(f.text.startswith("the result is ") and f.text not in bare and " if " not in f.text for f in facts)
    return [f for f in facts if f.text not in bare] if told else facts


def _reached(function: FunctionNode, scope: Scope, tree: ast.Module) -> list[FunctionNode]:
    """Helpers that the function calls, directly or through others, in the order of the calls."""
    found: dict[str, FunctionNode] = {}
    waiting = [function]
    while waiting and len(found) < 20:
        current = waiting.pop(0)
        for node in walk_limited(current):
            name = node.id if isinstance(node, ast.Name) else ""
            helper = scope.helpers.get(name)
            if helper is not None and name not in found and helper is not function:
                found[name] = helper
                waiting.append(helper)
    return list(found.values())


def _case_facts(scope: Scope, order: int) -> list[Fact]:
    """Whether upper and lower case count, where that can be told."""
    called = {n.func.attr for n in scope.nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
    facts = []
    if called & {"lower", "casefold", "upper"}:
        text = "upper and lower case make no difference"
        facts.append(make_fact(text, {"text"}, 0.5, order, "case sensitive insensitive lower"))
    if "strip" in called:
        facts.append(make_fact("spaces around a text do not matter", {"text"}, 0.4, order + 1, "whitespace trim strip"))
    return facts


def _cleaned(facts: list[Fact], source: str) -> list[Fact]:
    """Drop what repeats, what is too long to say and what holds a line of the reference."""
    lines = {" ".join(line.split()) for line in source.splitlines()}
    # A line of one word ("continue", "finally:") gives nothing away.
    lines = {line for line in lines if len(line) >= 8 and " " in line and not line.startswith(("'", '"', "#"))}
    joined = sorted(line for line in lines if len(line) < _LONGEST_FACT)[:2000]
    kept: list[Fact] = []
    seen: set[str] = set()
    for fact in facts:
        low = fact.text.lower()
        if (
            low in seen
            or len(fact.text) > _LONGEST_FACT
            or ("a computed value" in low and not fact.quoted and not fact.numbers)
        ):
            continue
        if any(line in fact.text for line in joined) or "`" in fact.text:
            continue
        seen.add(low)
        kept.append(fact)
    return kept


def _vocabulary(tree: ast.Module, facts: list[Fact]) -> frozenset[str]:
    words: set[str] = set()
    for node in walk_limited(tree):
        if isinstance(node, ast.arg):
            words |= set(content_words(node.arg))
        elif isinstance(node, ast.Name):
            words |= set(content_words(node.id))
        elif isinstance(node, FunctionNode):
            words |= set(content_words(node.name))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
            words |= set(content_words(node.value))
    for fact in facts:
        for text in fact.quoted:
            words |= set(content_words(text))
    return frozenset(words)


def _traits(function: FunctionNode, tree: ast.Module, kind: str, notes: Sequence[Rounding]) -> dict[str, object]:
    """What yes/no questions ask for most."""
    scope = Scope.of(function, tree)
    sorts = sorts_of_result(scope, returned(function))
    ignores_case = False
    compares_text = False
    for node in walk_limited(tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in ("lower", "casefold", "upper"):
                ignores_case = True
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            compares_text = compares_text or any(isinstance(constant_of(s), str) for s in sides)
    return {
        "rounding": tuple(notes),
        "direction": direction_of(sorts[-1]) if sorts else None,
        "sorts": bool(sorts_in(walk_limited(tree))),
        "ignores_case": ignores_case if (ignores_case or compares_text) else None,
        "result": kind,
    }


def _all_roundings(speaker: Speaker, helpers: Sequence[FunctionNode], tree: ast.Module) -> list[Rounding]:
    """Roundings of the function, and those of helpers: of the result where the function returns what they return."""
    notes = roundings(speaker)
    direct = {n.func.id for n in returned(speaker.scope.function) if _calls_name(n)}  # type: ignore[attr-defined]
    for helper in helpers:
        for note in roundings(Speaker(Scope.of(helper, tree))):
            passed = note.final and helper.name in direct
            subject = f"the {humanise(helper.name)}" if note.subject == "the result" and not passed else note.subject
            notes.append(replace(note, final=passed, subject=subject))
    return sorted(dict.fromkeys(notes), key=lambda note: not note.final)


def _calls_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _unreadable(source: str) -> FactSheet:
    """A reference that is no Python: only the words and numbers that can be picked out of it."""
    facts = list(_picked(source[:_LONGEST_SOURCE]))
    words = {w for f in facts for w in f.words}
    keys = {q.lower() for f in facts for q in f.quoted}
    return FactSheet(
        tuple(facts), frozenset(words), frozenset(keys), frozenset(n for f in facts for n in f.numbers), {}, False
    )


def _picked(source: str) -> Iterator[Fact]:
    fields = list(dict.fromkeys(re.findall(r"\[\s*['\"]([\w -]{1,40})['\"]\s*\]", source)))[:8]
    if fields:
        yield make_fact(f"it reads {join_words([quote(f) for f in fields])}", {"keys", "inputs"}, 0.6, 0)
    compared = list(dict.fromkeys(re.findall(r"[=!]=\s*['\"]([^'\"\n]{1,40})['\"]", source)))[:8]
    if compared:
        yield make_fact(f"it looks for {join_words([quote(c) for c in compared])}", {"options", "condition"}, 0.6, 1)
    limits = re.findall(r"([A-Za-z_]\w{0,40})\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?)", source)[:8]
    words = {">=": "at least", "<=": "at most", ">": "above", "<": "below"}
    for position, (name, sign, number) in enumerate(dict.fromkeys(limits)):
        text = f"it matters whether {the(name)} is {words[sign]} {number_text(float(number))}"
        yield make_fact(text, {"threshold", "condition"}, 0.6, 2 + position)
