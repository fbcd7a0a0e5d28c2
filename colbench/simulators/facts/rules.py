"""The statements of a reference as rules: what happens, and under which conditions."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from colbench.simulators.facts.conditions import subject_and_predicate
from colbench.simulators.facts.effects import Effect, effect_of
from colbench.simulators.facts.model import Fact, make_fact
from colbench.simulators.facts.phrases import UNSAID, Speaker
from colbench.simulators.facts.scope import FunctionNode, constant_of, is_literal, walk_limited
from colbench.simulators.facts.topics import is_edge_test, topics_of
from colbench.simulators.facts.words import are, is_plural, join_words, quote

__all__ = ["FACT_LENGTH", "RuleReader"]

FACT_LENGTH = 190
LONG_FACT = 300
_HARD_LENGTH = 340
_MAX_FACTS = 400
_ELSE = "nothing else applies"
_IMPORTANCE = {"return": 0.8, "assign": 0.6, "change": 0.75, "collect": 0.7, "error": 0.65, "skip": 0.65, "stop": 0.4}


@dataclass(frozen=True)
class _Branch:
    test: ast.expr | None
    body: Sequence[ast.stmt]


class RuleReader:
    """Reads the statements of one function.

    Args:
        speaker: puts expressions into words.
        result: how to call what the function returns.
    """

    def __init__(self, speaker: Speaker, result: str = "the result") -> None:
        self.speaker = speaker
        self.result = result
        self.facts: list[Fact] = []
        self._depth = 0
        self._items: list[str] = []

    def read(self, body: Sequence[ast.stmt]) -> list[Fact]:
        """The rules of a function body, in order."""
        self._block(body, (), False)
        return self.facts

    # -- blocks ---------------------------------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt], path: tuple[str, ...], guarded: bool) -> None:
        if self._depth > 12 or len(self.facts) > _MAX_FACTS:
            return
        self._depth += 1
        skip = False
        for position, statement in enumerate(body):
            if skip:
                skip = False
                continue
            following = body[position + 1] if position + 1 < len(body) else None
            if isinstance(statement, ast.If):
                skip = self._conditional(statement, following, path)
                guarded = guarded or _leaves(statement.body)
            else:
                self._statement(statement, path, guarded)
                if isinstance(statement, ast.For | ast.While | ast.AsyncFor | ast.Try):
                    guarded = guarded or any(isinstance(n, ast.Return) for n in walk_limited(statement, 2000))
        self._depth -= 1

    def _statement(self, node: ast.stmt, path: tuple[str, ...], guarded: bool) -> None:
        match node:
            case ast.For() | ast.AsyncFor() | ast.While():
                if isinstance(node, ast.While) and constant_of(node.test) is ...:
                    self._add(
                        f"it goes on for as long as {self.speaker.condition(node.test)}", [node.test], "assign", path
                    )
                target = getattr(node, "target", None)
                item = self.speaker.scope.noun(target.id) if isinstance(target, ast.Name) else "that one"
                self._items.append(item)
                self._block(node.body, path, False)
                self._items.pop()
                self._block(node.orelse, path, False)
            case ast.With() | ast.AsyncWith():
                self._block(node.body, path, guarded)
            case ast.Try():
                self._block(node.body, path, guarded)
                for handler in node.handlers:
                    self._block(handler.body, (*path, "that is not possible because of bad input"), False)
                self._block(node.finalbody, path, guarded)
            case ast.Match():
                self._match(node, path)
            case ast.ClassDef():
                for member in node.body:
                    if isinstance(member, FunctionNode):
                        self._block(member.body, path, False)
            case _ if isinstance(node, FunctionNode):
                return
            case ast.Return() | ast.Assign() | ast.AnnAssign() | ast.AugAssign() if isinstance(node.value, ast.IfExp):
                self._chain(_expand(node), path, None)
            case _:
                self._simple(node, path, guarded)

    def _match(self, node: ast.Match, path: tuple[str, ...]) -> None:
        branches = []
        for case in node.cases:
            test: ast.expr | None = None
            values = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
            literals = [v.value for v in values if isinstance(v, ast.MatchValue)]
            if literals:
                options = ast.List(elts=literals, ctx=ast.Load())
                test = ast.Compare(node.subject, [ast.In()], [options])
                if len(literals) == 1:
                    test = ast.Compare(node.subject, [ast.Eq()], [literals[0]])
            if case.guard is not None:
                test = case.guard if test is None else ast.BoolOp(ast.And(), [test, case.guard])
            branches.append(_Branch(test, case.body))
        self._chain(branches, path, None)

    # -- conditionals ---------------------------------------------------------------------------------------------

    def _conditional(self, node: ast.If, following: ast.stmt | None, path: tuple[str, ...]) -> bool:
        """Read an if-chain; returns whether the statement after it was used up as its last branch."""
        branches = [_Branch(node.test, node.body)]
        rest = node.orelse
        while len(rest) == 1 and isinstance(rest[0], ast.If) and len(branches) < 60:
            branches.append(_Branch(rest[0].test, rest[0].body))
            rest = rest[0].orelse
        used = False
        if rest:
            branches.append(_Branch(None, rest))
        elif isinstance(following, ast.Return) and all(_single(b.body, ast.Return) for b in branches):
            branches.append(_Branch(None, [following]))
            used = True
        self._chain(branches, path, following)
        return used

    def _chain(self, branches: Sequence[_Branch], path: tuple[str, ...], following: ast.stmt | None) -> None:
        branches = [b for branch in branches for b in _unfold(branch)]
        effects = [self._only_effect(b.body) for b in branches]
        tests = [b.test for b in branches if b.test is not None]
        if self._truth(branches, path):
            return
        if all(e is not None for e in effects) and self._same_thing([e for e in effects if e]):
            self._outcomes([e for e in effects if e], branches, path)
            return
        for position, branch in enumerate(branches):
            if branch.test is not None:
                where = self.speaker.condition(branch.test)
            elif len(tests) == 1:
                where = self.speaker.condition(tests[0], negate=True)
            else:
                where = (self._other(tests) or _ELSE) if position else ""
            inner = (*path, where) if where else path
            # A short test with one effect is said in one go; a longer body one effect at a time.
            single = effects[position]
            if single is not None:
                edge = branch.test is not None and is_edge_test(branch.test)
                nodes: list[ast.AST] = [single.node] + ([branch.test] if branch.test is not None else [])
                self._conditional_fact(single, branch.test, inner, nodes, edge or branch.test is None)
            else:
                self._context(branch, inner)

    def _other(self, tests: Sequence[ast.expr]) -> str:
        """What the last branch stands for where all others name words for one and the same thing."""
        parts = [subject_and_predicate(self.speaker, t) for t in tests if _plain(t)]
        if len(parts) != len(tests) or any(p[0] != parts[0][0] or not p[1].startswith(("is '", "are '", 'is "')) for p in parts):
            return ""
        return f"{parts[0][0]} {are(parts[0][0])} anything else"

    def _context(self, branch: _Branch, path: tuple[str, ...]) -> None:
        """A branch with several statements; effects on literals are said together."""
        simple = [self._effect(s) for s in branch.body]
        nodes: list[ast.AST] = [*branch.body]
        if (
            all(simple)
            and len(simple) <= 4
            and not any(isinstance(getattr(s, "value", None), ast.IfExp) for s in branch.body)
        ):
            text = join_words([e.text for e in simple if e])
            if len(text) <= 110 and len(self._where(path)) + len(text) <= FACT_LENGTH:
                if branch.test is not None:
                    nodes.append(branch.test)
                self._put(
                    self._where(path) + text, nodes, 0.75, edge=branch.test is not None and is_edge_test(branch.test)
                )
                return
        self._block(branch.body, path, False)

    def _only_effect(self, body: Sequence[ast.stmt]) -> Effect | None:
        if len(body) != 1 or isinstance(getattr(body[0], "value", None), ast.IfExp):
            return None
        return self._effect(body[0])

    def _effect(self, node: ast.stmt) -> Effect | None:
        return effect_of(self.speaker, node, self.result, self._items[-1] if self._items else "that one")

    @staticmethod
    def _same_thing(effects: Sequence[Effect]) -> bool:
        first = effects[0]
        return (
            len(effects) > 1
            and all(e.subject == first.subject and e.kind in (first.kind, "error") for e in effects)
            and (first.kind in ("return", "assign", "change"))
        )

    def _truth(self, branches: Sequence[_Branch], path: tuple[str, ...]) -> bool:
        """Whether the chain returns True or False by one condition, said as one rule."""
        if len(branches) != 2 or branches[1].test is not None or branches[0].test is None:
            return False
        values = []
        for branch in branches:
            if not _single(branch.body, ast.Return):
                return False
            statement = branch.body[0]
            values.append(constant_of(statement.value) if isinstance(statement, ast.Return) else ...)
        if {repr(v) for v in values} != {"True", "False"}:
            return False
        self._boolean(branches[0].test, bool(values[0]), path, [branches[0].test])
        return True

    def _boolean(self, test: ast.expr, when: bool, path: tuple[str, ...], nodes: list[ast.AST]) -> None:
        said = self.speaker.condition(test)
        text = f"{self._where(path)}{self.result} is {when} if {said}, otherwise {not when}"
        topics = topics_of(nodes) | {"result", "condition"}
        if len(text) <= FACT_LENGTH + 60:
            self._put(text, nodes, 0.85, topics)
            return
        if isinstance(test, ast.BoolOp):
            needs_all = isinstance(test.op, ast.And)
            lead = f"{self.result} can only be {when} if " if needs_all else f"{self.result} is {when} if "
            for group in self._grouped(test.values, "and" if needs_all else "or"):
                self._put(self._where(path) + lead + group, nodes, 0.8, topics)
            self._put(
                f"{self._where(path)}in all other cases {self.result} is {not when}", [test], 0.5, {"result", "edge"}
            )
            return
        self._put(text, nodes, 0.8, topics)

    def _grouped(self, tests: Sequence[ast.expr], word: str, limit: int = 140) -> list[str]:
        """Conditions joined into groups short enough for one fact each."""
        groups: list[str] = []
        current: list[str] = []
        for test in tests[:30]:
            said = self.speaker.condition(test)
            if current and len(join_words([*current, said], word)) > limit:
                groups.append(join_words(current, word))
                current = []
            current.append(said)
        if current:
            groups.append(join_words(current, word))
        return groups

    def _outcomes(self, effects: Sequence[Effect], branches: Sequence[_Branch], path: tuple[str, ...]) -> None:
        """A chain whose branches all settle the same thing."""
        parts = [
            subject_and_predicate(self.speaker, b.test) if _plain(b.test) else ("", "")
            for b in branches
            if b.test is not None
        ]
        shared = len(parts) > 1 and parts[0][0] and all(p[0] == parts[0][0] for p in parts)
        nodes: list[ast.AST] = [e.node for e in effects] + [b.test for b in branches if b.test is not None]
        if shared:
            self._ladder(effects, branches, [p[1] for p in parts], parts[0][0], path)
            return
        if len(branches) == 2 and branches[1].test is None and branches[0].test is not None:
            first, second = effects
            where = self.speaker.condition(branches[0].test)
            other = second.value if second.verb == first.verb else f"{second.verb} {second.value}"
            if second.kind == "error":
                other = second.text
            text = f"{self._where(path)}{first.text} if {where}, otherwise {other}"
            if len(text) <= FACT_LENGTH + 10 and "otherwise" not in first.text:
                edge = is_edge_test(branches[0].test)
                self._put(text, nodes, 0.8, edge=edge)
                return
        for effect, branch in zip(effects, branches, strict=True):
            pieces: list[ast.AST] = [effect.node]
            if branch.test is None:
                self._put(f"{self._where(path)}in all other cases {effect.text}", pieces, 0.6, edge=True)
                continue
            pieces.append(branch.test)
            inner = (*path, self.speaker.condition(branch.test))
            self._conditional_fact(effect, branch.test, inner, pieces, is_edge_test(branch.test))

    def _ladder(
        self,
        effects: Sequence[Effect],
        branches: Sequence[_Branch],
        predicates: list[str],
        subject: str,
        path: tuple[str, ...],
    ) -> None:
        """Branches that all look at one thing: "if the age is below 10, the price is 5; if below 18, 8; ..."."""
        lead = self._where(path)
        lead = lead.removesuffix(", ") + " and " if lead.startswith("if ") else lead
        verb = effects[0].verb
        current: list[str] = []
        nodes: list[ast.AST] = []
        edge = False

        def flush() -> None:
            nonlocal current, nodes, edge
            if current:
                opening = (
                    lead + current[0].removeprefix("if ")
                    if lead.endswith(" and ") and current[0].startswith("if ")
                    else (lead.removesuffix(" and ") + (", " if lead else "") + current[0])
                )
                self._put("; ".join([opening, *current[1:]]), nodes, 0.8, edge=edge)
            current, nodes, edge = [], [], False

        for position, (effect, branch) in enumerate(zip(effects, branches, strict=True)):
            outcome = (
                effect.value if effect.verb == verb and effect.kind != "error" else f"{effect.verb} {effect.value}"
            )
            outcome = effect.text if effect.kind == "error" else outcome
            if branch.test is None:
                named = all(p.startswith(("is '", "are '", 'is "')) for p in predicates) and subject.startswith("the ")
                where = f"for any other {subject.removeprefix('the ')}" if named else "in all other cases"
                short, full = f"otherwise {outcome}", f"{where} {effect.text}"
            else:
                predicate = predicates[position]
                bare = predicate.removeprefix("is ").removeprefix("are ")
                short, full = f"if {bare}, {outcome}", f"if {subject} {predicate}, {effect.text}"
            if current and len(lead) + len("; ".join([*current, short])) > FACT_LENGTH:
                flush()
            current.append(short if current else full)
            nodes += [effect.node] + ([branch.test] if branch.test is not None else [])
            edge = edge or branch.test is None or is_edge_test(branch.test)
        flush()

    def _conditional_fact(
        self, effect: Effect, test: ast.expr | None, path: tuple[str, ...], nodes: list[ast.AST], edge: bool
    ) -> None:
        text = self._where(path) + effect.text
        if len(text) > LONG_FACT and isinstance(test, ast.BoolOp):
            lead = self._where(path[:-1])
            needs_all = isinstance(test.op, ast.And)
            word = "and" if needs_all else "or"
            for group in self._grouped(test.values, word, 120):
                said = f"{effect.text} only if {group}" if needs_all else f"if {group}, {effect.text}"
                self._put(lead + said, nodes, _IMPORTANCE[effect.kind], edge=edge)
            return
        if len(text) > LONG_FACT and isinstance(effect.node, ast.stmt):
            self._simple(effect.node, path, False)
            return
        self._put(text, nodes, _IMPORTANCE[effect.kind], edge=edge)

    # -- single statements ----------------------------------------------------------------------------------------

    def _simple(self, node: ast.stmt, path: tuple[str, ...], guarded: bool) -> None:
        value = getattr(node, "value", None)
        if isinstance(node, ast.Return) and isinstance(value, ast.Compare | ast.BoolOp) and not _picks(value):
            self._boolean(value, True, path, [node])
            return
        if isinstance(node, ast.Assign | ast.AnnAssign) and self._constant(node, path):
            return
        effect = self._effect(node)
        if effect is None or UNSAID == effect.value or effect.subject == effect.value.replace("'", ""):
            return
        where = self._where(path)
        if guarded and not where and isinstance(node, ast.Return) and _short_answer(value):
            where = "otherwise "
        text = where + effect.text
        edge = where == "otherwise " or effect.kind == "error"
        if len(text) <= FACT_LENGTH + 30:
            self._put(text, [node], self._weight(effect, node), edge=edge)
            return
        parts = _parts_of(value)
        if len(parts) > 1 or (parts and parts[0][0] == "filter"):
            self._by_parts(effect, parts, where, node)
            return
        self._put(text, [node], self._weight(effect, node), edge=edge)

    def _weight(self, effect: Effect, node: ast.stmt) -> float:
        value = getattr(node, "value", None)
        if isinstance(node, ast.Return) and isinstance(value, ast.Name):
            return 0.3
        if isinstance(node, ast.Assign) and isinstance(value, ast.Subscript | ast.Name):
            return 0.35
        return _IMPORTANCE[effect.kind]

    def _constant(self, node: ast.Assign | ast.AnnAssign, path: tuple[str, ...]) -> bool:
        """Plain starting values and named constants; tables of constants are told elsewhere."""
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        value = node.value
        if not isinstance(target, ast.Name) or value is None or not is_literal(value):
            return False
        literal = constant_of(value)
        if literal is ...:
            return True
        name = target.id
        subject = self.speaker.scope.noun(name)
        if name in self.speaker.scope.constants and not path:
            self._put(
                f"{subject} {are(subject)} {self.speaker.say(value)}",
                [value],
                0.55,
                {"factor", "threshold", "default", "formula"},
            )
            return True
        if not path:
            weight = 0.5
            if not isinstance(literal, bool) and literal not in (0, 1, "", None):
                self._put(
                    f"{subject} {'start' if is_plural(subject) else 'starts'} at {self.speaker.say(value)}",
                    [value],
                    weight,
                    {"default", "formula", "factor"},
                )
            return True
        return False

    def _by_parts(self, effect: Effect, parts: Sequence[tuple[str, ast.expr]], where: str, node: ast.stmt) -> None:
        """A calculation too long for one breath, one part after the other."""
        subject = effect.subject or "it"
        fields = [(role.removeprefix("field "), part) for role, part in parts if role.startswith("field ")]
        if fields:
            said = [f"{key} {self.speaker.say(part)}" for key, part in fields if self.speaker.say(part) != f"the {key}"]
            for some in _chunked(said, FACT_LENGTH - len(subject) - len(where)):
                self._put(
                    f"{where}{subject} has {join_words(some)}",
                    [p for _, p in fields],
                    0.7,
                    {"keys", "result", "formula"},
                )
            return
        openings = {
            "plus": "adds",
            "minus": "takes away",
            "times": "is multiplied by",
            "over": "is divided by",
            "entry": "contains",
        }
        for position, (role, part) in enumerate(parts[:12]):
            if role == "filter":
                text = f"only those where {self.speaker.condition(part)} count for {subject}"
                self._put(where + text, [part], 0.7, topics_of([part]) | {"filter", "result"})
                continue
            verb = openings.get(role, "involves")
            if position == 0:
                verb = "is made of" if role == "entry" else "starts from"
            self._put(
                f"{where}{subject} {verb} {self.speaker.say(part)}",
                [part],
                0.7,
                topics_of([part]) | {"formula", "result"},
            )

    # -- making facts ---------------------------------------------------------------------------------------------

    def _where(self, path: tuple[str, ...]) -> str:
        """The conditions under which something holds, as an opening."""
        kept = [p for p in path if p][-3:]
        if not kept:
            return ""
        if kept == [_ELSE]:
            return "otherwise "
        if len(kept) > 1:
            kept = [f"({p})" if " or " in p else p for p in kept]
        return f"if {' and '.join(kept)}, "

    def _add(self, text: str, nodes: Sequence[ast.AST], kind: str, path: tuple[str, ...]) -> None:
        self._put(self._where(path) + text, nodes, _IMPORTANCE[kind])

    def _put(
        self, text: str, nodes: Sequence[ast.AST], importance: float, topics: set[str] | None = None, edge: bool = False
    ) -> None:
        if len(text) > _HARD_LENGTH or len(self.facts) > _MAX_FACTS:
            return
        found = set(topics) if topics is not None else topics_of(nodes)
        if edge:
            found.add("edge")
        if any(isinstance(n, ast.Return | ast.Dict) for n in nodes):
            found.add("result")
        if any(isinstance(n, ast.Raise) for n in nodes):
            found |= {"error", "edge"}
        if any(isinstance(constant_of(getattr(n, "value", None)), str) for n in nodes):
            found.add("options")
        if text.startswith("if ") or " if " in text:
            found.add("condition")
        if " kept" in text or " skipped" in text or "those of" in text:
            found.add("filter")
        self.facts.append(make_fact(text, found or {"step"}, importance, len(self.facts), _unsaid_words(text)))


def _single(body: Sequence[ast.stmt], kind: type[ast.stmt]) -> bool:
    return len(body) == 1 and isinstance(body[0], kind)


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue)


def _plain(test: ast.expr | None) -> bool:
    return (
        test is not None
        and not isinstance(test, ast.BoolOp)
        and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))
    )


def _unsaid_words(text: str) -> str:
    """Words that people ask with for what a rule says in other ones."""
    words = []
    if re.search(r"\b0\b", text):
        words.append("zero")
    if re.search(r"\b(?:below|at most) 0\b", text):
        words.append("negative")
    if re.search(r"otherwise|in all other cases|anything else|any other|if missing|not in|nothing else", text):
        words.append("unknown else other")
    if "not given" in text or "if missing" in text:
        words.append("missing none")
    return " ".join(words)


def _short_answer(value: ast.expr | None) -> bool:
    """Whether a final result is only what is left over, and not the calculation that everything is about."""
    return value is None or is_literal(value) or isinstance(value, ast.Name | ast.JoinedStr)


def _picks(node: ast.expr) -> bool:
    """Whether ``a or b`` picks a value instead of deciding something."""
    return isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and any(is_literal(v) for v in node.values)


def _unfold(branch: _Branch) -> list[_Branch]:
    """A branch whose only statement picks one of two values becomes branches of its own where it is the last one."""
    if branch.test is None and len(branch.body) == 1:
        statement = branch.body[0]
        if isinstance(getattr(statement, "value", None), ast.IfExp):
            return _expand(statement)
    return [branch]


def _expand(node: ast.stmt) -> list[_Branch]:
    """``x = a if c else b`` as the if-chain it is."""
    branches: list[_Branch] = []
    value = getattr(node, "value", None)
    while isinstance(value, ast.IfExp) and len(branches) < 30:
        branches.append(_Branch(value.test, [_with_value(node, value.body)]))
        value = value.orelse
    branches.append(_Branch(None, [_with_value(node, value)]))
    return branches


def _with_value(node: ast.stmt, value: ast.expr | None) -> ast.stmt:
    if isinstance(node, ast.Return):
        return ast.Return(value=value)
    if isinstance(node, ast.Assign):
        return ast.Assign(targets=node.targets, value=value or ast.Constant(None))
    if isinstance(node, ast.AugAssign):
        return ast.AugAssign(target=node.target, op=node.op, value=value or ast.Constant(None))
    return ast.Assign(targets=[getattr(node, "target", ast.Name("value"))], value=value or ast.Constant(None))


def _parts_of(node: ast.expr | None) -> list[tuple[str, ast.expr]]:
    """The top-level parts of a long expression, each with its role."""
    if (
        isinstance(node, ast.Call)
        and node.args
        and getattr(node.func, "id", "") in ("round", "int", "float", "sum", "str")
    ):
        return _parts_of(node.args[0])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        role = "plus" if isinstance(node.op, ast.Add) else "minus"
        return [*(_parts_of(node.left) or [("plus", node.left)]), (role, node.right)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        role = "times" if isinstance(node.op, ast.Mult) else "over"
        return [("times", node.left), (role, node.right)]
    if isinstance(node, ast.Dict):
        named = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if k is not None]
        return [(f"field {quote(str(constant_of(k)))}", v) for k, v in named if isinstance(constant_of(k), str)]
    if isinstance(node, ast.Tuple | ast.List) and len(node.elts) > 1:
        return [("entry", e) for e in node.elts]
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        whole = isinstance(node.elt, ast.Name)
        parts = [] if whole else [("entry", node.elt)]
        if isinstance(node.elt, ast.Dict):
            parts = []
        return [*parts, *[("filter", t) for g in node.generators for t in g.ifs]]
    return []


def _chunked(items: Sequence[str], limit: int) -> list[list[str]]:
    """Items in groups whose text stays below a length."""
    groups: list[list[str]] = []
    for item in items:
        if groups and len(", ".join([*groups[-1], item])) <= max(limit, 60):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups
