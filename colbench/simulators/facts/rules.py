"""The statements of a reference as rules: what happens, and under which conditions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from colbench.simulators.facts.branches import Branch, chunked, expand, leaves, parts_of, picks, short_answer
from colbench.simulators.facts.chains import ChainReader
from colbench.simulators.facts.effects import Effect
from colbench.simulators.facts.model import Fact
from colbench.simulators.facts.ordering import order_words
from colbench.simulators.facts.phrases import UNSAID
from colbench.simulators.facts.scope import FunctionNode, constant_of, is_literal, walk_limited
from colbench.simulators.facts.sorts import sorts_in
from colbench.simulators.facts.topics import topics_of
from colbench.simulators.facts.words import are, is_plural, join_words
from colbench.simulators.facts.writer import FACT_LENGTH, IMPORTANCE, MAX_FACTS

__all__ = ["RuleReader"]


class RuleReader(ChainReader):
    """Reads the statements of one function; see :class:`FactWriter` for its arguments."""

    def read(self, body: Sequence[ast.stmt]) -> list[Fact]:
        """The rules of a function body, in order."""
        self._block(body, (), False)
        return self.facts

    # -- blocks ---------------------------------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt], path: tuple[str, ...], guarded: bool) -> None:
        if self._depth > 12 or len(self.facts) > MAX_FACTS:
            return
        self._depth += 1
        self._settled.append([False, False])
        skip = 0
        for position, statement in enumerate(body):
            if skip:
                skip -= 1
                continue
            if isinstance(statement, ast.If):
                skip = self._conditional(body, position, path)
                guarded = guarded or leaves(statement.body)
            else:
                self._statement(statement, path, guarded)
                if isinstance(statement, ast.For | ast.While | ast.AsyncFor | ast.Try):
                    gives = any(isinstance(n, ast.Return) for n in walk_limited(statement, 2000))
                    guarded = guarded or gives
                    self._settled[-1][0] |= gives
        self._settled.pop()
        self._depth -= 1

    def _statement(self, node: ast.stmt, path: tuple[str, ...], guarded: bool) -> None:
        match node:
            case ast.For() | ast.AsyncFor() | ast.While():
                if isinstance(node, ast.While) and constant_of(node.test) is ...:
                    self._add(
                        f"it goes on for as long as {self.speaker.condition(node.test)}", [node.test], "assign", path
                    )
                target = getattr(node, "target", None)
                for call in sorts_in([getattr(node, "iter", node)]):
                    if isinstance(call.func, ast.Name) and call.args:
                        source = self.speaker.collection(call.args[0])
                        text = f"{source} {are(source)} gone through sorted {order_words(self.speaker, call)}"
                        self._put(self._where(path) + text, [call], 0.6, {"order"})
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
                self._chain(expand(node), path)
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
            branches.append(Branch(test, case.body))
        self._chain(branches, path)

    # -- conditionals ---------------------------------------------------------------------------------------------

    def _simple(self, node: ast.stmt, path: tuple[str, ...], guarded: bool) -> None:
        value = getattr(node, "value", None)
        if isinstance(node, ast.Return) and isinstance(value, ast.Compare | ast.BoolOp) and not picks(value):
            self._boolean(value, True, path, [node])
            return
        if isinstance(node, ast.Assign | ast.AnnAssign) and self._constant(node, path):
            return
        effect = self._effect(node)
        if effect is None or UNSAID == effect.value or effect.subject == effect.value.replace("'", ""):
            return
        where = self._where(path)
        if guarded and not where and isinstance(node, ast.Return) and short_answer(value):
            where = "in all other cases "
        text = where + effect.text
        edge = where == "in all other cases " or effect.kind == "error"
        if len(text) <= FACT_LENGTH + 30:
            self._put(text, [node], self._weight(effect, node), edge=edge)
            return
        parts = parts_of(value)
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
        return IMPORTANCE[effect.kind]

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
            for some in chunked(said, FACT_LENGTH - len(subject) - len(where)):
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
