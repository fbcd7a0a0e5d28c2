"""Chains of if, elif and else as rules: ladders of limits, either-or, yes-or-no, and everything else."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from colbench.simulators.facts.branches import Branch, branches_of, exclusive, goes_on, plain, single, unfold
from colbench.simulators.facts.conditions import subject_and_predicate
from colbench.simulators.facts.effects import Effect
from colbench.simulators.facts.scope import constant_of, walk_limited
from colbench.simulators.facts.topics import is_edge_test, topics_of
from colbench.simulators.facts.words import are, join_words
from colbench.simulators.facts.writer import EARLIER, ELSE, FACT_LENGTH, IMPORTANCE, LONG_FACT, FactWriter

__all__ = ["ChainReader"]


class ChainReader(FactWriter):
    """Reads conditionals; what stands inside a branch is read by the class that knows all statements."""

    def _block(self, body: Sequence[ast.stmt], path: tuple[str, ...], guarded: bool) -> None:
        raise NotImplementedError

    def _simple(self, node: ast.stmt, path: tuple[str, ...], guarded: bool) -> None:
        raise NotImplementedError

    def _conditional(self, body: Sequence[ast.stmt], position: int, path: tuple[str, ...]) -> int:
        """Read an if-chain; returns how many statements after it were used up as further branches of it."""
        branches, closed = branches_of(body[position])
        used = 0
        # "if a: return x", "if b: return y", "return z" is a chain as well, whichever words hold it together.
        merging = goes_on(branches)
        plain = not any(self._edge(b.test) for b in branches if b.test)
        while not closed and merging and len(branches) < 60:
            following = body[position + used + 1] if position + used + 1 < len(body) else None
            if isinstance(following, ast.Return):
                branches.append(Branch(None, [following]))
                closed = True
            elif isinstance(following, ast.If):
                more, closed = branches_of(following)
                if not plain or not goes_on(more) or any(self._edge(b.test) for b in more if b.test):
                    closed = False
                    break
                branches += more
            else:
                break
            used += 1
        gives = any(isinstance(n, ast.Return) for b in branches for s in b.body for n in walk_limited(s, 500))
        unusual = all(self._edge(b.test) for b in branches if b.test is not None)
        outer = (*path, EARLIER) if gives and not unusual and EARLIER not in path and self._after(True) else path
        self._chain(branches, outer)
        if gives and self._settled:
            self._settled[-1][1 if unusual else 0] = True
        return used

    def _chain(self, branches: Sequence[Branch], path: tuple[str, ...]) -> None:
        branches = [b for branch in branches for b in unfold(branch)]
        effects = [self._only_effect(b.body) for b in branches]
        tests = [b.test for b in branches if b.test is not None]
        if self._truth(branches, path):
            return
        if all(e is not None for e in effects) and self._same_thing([e for e in effects if e]):
            self._outcomes([e for e in effects if e], branches, path)
            return
        # With a single test "else" is its opposite, and unusual only where that looks for something unusual.
        rest = len(tests) > 1 or (len(tests) == 1 and self._edge(ast.UnaryOp(ast.Not(), tests[0])))
        for position, branch in enumerate(branches):
            if branch.test is not None:
                where = self.speaker.condition(branch.test)
            elif len(tests) == 1:
                where = self.speaker.condition(tests[0], negate=True)
            else:
                where = (self._other(tests) or ELSE) if position else ""
            inner = (*path, where) if where else path
            # A short test with one effect is said in one go; a longer body one effect at a time.
            single = effects[position]
            if single is not None:
                edge = branch.test is not None and self._edge(branch.test)
                nodes: list[ast.AST] = [single.node] + ([branch.test] if branch.test is not None else [])
                self._conditional_fact(single, branch.test, inner, nodes, edge or (branch.test is None and rest))
            else:
                self._context(branch, inner)

    def _other(self, tests: Sequence[ast.expr]) -> str:
        """What the last branch stands for where all others name words for one and the same thing."""
        parts = [subject_and_predicate(self.speaker, t) for t in tests if plain(t)]
        if len(parts) != len(tests) or any(
            p[0] != parts[0][0] or not p[1].startswith(("is '", "are '", 'is "')) for p in parts
        ):
            return ""
        return f"{parts[0][0]} {are(parts[0][0])} anything else"

    def _context(self, branch: Branch, path: tuple[str, ...]) -> None:
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
                    self._where(path) + text, nodes, 0.75, edge=branch.test is not None and self._edge(branch.test)
                )
                return
        self._block(branch.body, path, False)

    def _edge(self, test: ast.expr) -> bool:
        return is_edge_test(test, lambda name: self.speaker.scope.boolean(name) or self.speaker.scope.is_flag(name))

    def _only_effect(self, body: Sequence[ast.stmt]) -> Effect | None:
        if len(body) != 1 or isinstance(getattr(body[0], "value", None), ast.IfExp):
            return None
        return self._effect(body[0])

    @staticmethod
    def _same_thing(effects: Sequence[Effect]) -> bool:
        first = effects[0]
        return (
            len(effects) > 1
            and all(e.subject == first.subject and e.kind in (first.kind, "error") for e in effects)
            and (first.kind in ("return", "assign", "change"))
        )

    def _truth(self, branches: Sequence[Branch], path: tuple[str, ...]) -> bool:
        """Whether the chain returns True or False by one condition, said as one rule."""
        if len(branches) != 2 or branches[1].test is not None or branches[0].test is None:
            return False
        values = []
        for branch in branches:
            if not single(branch.body, ast.Return):
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

    def _outcomes(self, effects: Sequence[Effect], branches: Sequence[Branch], path: tuple[str, ...]) -> None:
        """A chain whose branches all settle the same thing."""
        parts = [
            subject_and_predicate(self.speaker, b.test) if plain(b.test) else ("", "")
            for b in branches
            if b.test is not None
        ]
        shared = len(parts) > 1 and parts[0][0] and all(p[0] == parts[0][0] for p in parts)
        nodes: list[ast.AST] = [e.node for e in effects] + [b.test for b in branches if b.test is not None]
        if shared:
            self._ladder(effects, branches, [p[1] for p in parts], [p[0] for p in parts], path)
            return
        if len(branches) == 2 and branches[1].test is None and branches[0].test is not None:
            first, second = effects
            where = self.speaker.condition(branches[0].test)
            other = second.value if second.verb == first.verb else f"{second.verb} {second.value}"
            if second.kind == "error":
                other = second.text
            text = f"{self._where(path)}{first.text} if {where}, otherwise {other}"
            if len(text) <= FACT_LENGTH + 10 and "otherwise" not in first.text:
                edge = self._edge(branches[0].test)
                self._put(text, nodes, 0.8, edge=edge)
                return
        said = [self.speaker.condition(b.test) for b in branches if b.test is not None]
        if len(said) > 1 and all(len(w) + len(e.text) < FACT_LENGTH for w, e in zip(said, effects, strict=False)):
            whole = [p if p[0] else ("", w) for p, w in zip(parts, said, strict=True)]
            self._ladder(effects, branches, [p[1] for p in whole], [p[0] for p in whole], path)
            return
        tests = [b.test for b in branches if b.test is not None]
        for position, (effect, branch) in enumerate(zip(effects, branches, strict=True)):
            pieces: list[ast.AST] = [effect.node]
            if branch.test is None:
                self._put(
                    f"{self._where(tuple(p for p in path if p != EARLIER))}in all other cases {effect.text}",
                    pieces,
                    0.6,
                    edge=True,
                )
                continue
            pieces.append(branch.test)
            before = (EARLIER,) if position and EARLIER not in path and not exclusive(tests) else ()
            inner = (*path, *before, self.speaker.condition(branch.test))
            self._conditional_fact(effect, branch.test, inner, pieces, self._edge(branch.test))

    def _ladder(
        self,
        effects: Sequence[Effect],
        branches: Sequence[Branch],
        predicates: list[str],
        subjects: list[str],
        path: tuple[str, ...],
    ) -> None:
        """Branches one after the other: "if the age is below 10, the price is 5; if below 18, 8; ...".

        A subject is said again only where it changes; it is empty where the predicate is a whole condition.
        """
        alike = all(s == subjects[0] for s in subjects)
        apart = exclusive([b.test for b in branches if b.test is not None])
        lead = self._where(path)
        lead = lead.removesuffix(", ") + " and " if lead.startswith("if ") else lead
        verb = effects[0].verb
        current: list[str] = []
        nodes: list[ast.AST] = []
        edge = False

        def flush() -> None:
            nonlocal current, nodes, edge, lead
            if current:
                if current[0].startswith(("in all other", "for any other")):
                    # This says by itself that something else comes first.
                    lead = lead.replace(f"{EARLIER} and ", "").removesuffix("if ")
                opening = (
                    lead + current[0].removeprefix("if ")
                    if lead.endswith(" and ") and current[0].startswith("if ")
                    else (lead.removesuffix(" and ") + (", " if lead else "") + current[0])
                )
                self._put("; ".join([opening, *current[1:]]), nodes, 0.8, edge=edge)
                if not apart and EARLIER not in lead:
                    # Limits are looked at in turn: a later one alone says nothing of what went before.
                    lead = f"if {EARLIER} and {lead.removeprefix('if ')}"
            current, nodes, edge = [], [], False

        for position, (effect, branch) in enumerate(zip(effects, branches, strict=True)):
            outcome = (
                effect.value if effect.verb == verb and effect.kind != "error" else f"{effect.verb} {effect.value}"
            )
            outcome = effect.text if effect.kind == "error" else outcome
            subject = subjects[min(position, len(subjects) - 1)]
            if branch.test is None:
                named = all(p.startswith(("is '", "are '", 'is "')) for p in predicates) and subject.startswith("the ")
                named = named and alike
                where = f"for any other {subject.removeprefix('the ')}" if named else "in all other cases"
                short, full = f"otherwise {outcome}", f"{where} {effect.text}"
            else:
                predicate = predicates[position]
                whole = f"{subject} {predicate}".strip()
                bare = predicate.removeprefix("is ").removeprefix("are ")
                bare = bare if position and subject and subject == subjects[position - 1] else whole
                short, full = f"if {bare}, {outcome}", f"if {whole}, {effect.text}"
            if current and len(lead) + len("; ".join([*current, short])) > (FACT_LENGTH if alike else FACT_LENGTH + 50):
                flush()
            current.append(short if current else full)
            nodes += [effect.node] + ([branch.test] if branch.test is not None else [])
            edge = edge or branch.test is None or self._edge(branch.test)
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
                joins = EARLIER in lead and said.startswith("if ")
                opening = f"{lead.removesuffix(', ')} and {said.removeprefix('if ')}" if joins else lead + said
                self._put(opening, nodes, IMPORTANCE[effect.kind], edge=edge)
            return
        if len(text) > LONG_FACT and isinstance(effect.node, ast.stmt):
            self._simple(effect.node, path, False)
            return
        self._put(text, nodes, IMPORTANCE[effect.kind], edge=edge)
