"""Turning what a statement does, and under which conditions, into a fact with its topics."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from colbench.simulators.facts.effects import Effect, effect_of
from colbench.simulators.facts.model import Fact, make_fact, quoted_in
from colbench.simulators.facts.phrases import Speaker
from colbench.simulators.facts.scope import constant_of
from colbench.simulators.facts.topics import topics_of

__all__ = ["EARLIER", "ELSE", "FACT_LENGTH", "IMPORTANCE", "LONG_FACT", "MAX_FACTS", "FactWriter"]

FACT_LENGTH = 190
LONG_FACT = 300
_HARD_LENGTH = 340
MAX_FACTS = 400
ELSE = "nothing else applies"
EARLIER = "no earlier rule applies"
SPECIAL = "apart from special cases, "
IMPORTANCE = {"return": 0.8, "assign": 0.6, "change": 0.75, "collect": 0.7, "error": 0.65, "skip": 0.65, "stop": 0.4}


class FactWriter:
    """Collects the facts of one function.

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
        # Per open block: whether a rule, and whether an unusual case, may have settled the result before.
        self._settled: list[list[bool]] = []

    def _effect(self, node: ast.stmt) -> Effect | None:
        return effect_of(self.speaker, node, self.result, self._items[-1] if self._items else "that one")

    def _where(self, path: tuple[str, ...]) -> str:
        """The conditions under which something holds, as an opening."""
        kept = [p for p in path if p][-3:]
        if EARLIER in path:
            kept = [EARLIER, *[p for p in kept if p != EARLIER][-2:]]
        if not kept:
            return ""
        if ELSE in kept and set(kept) <= {ELSE, EARLIER}:
            return "in all other cases "
        if len(kept) > 1:
            kept = [f"({p})" if " or " in p else p for p in kept]
        return f"if {' and '.join(kept)}, "

    def _after(self, rule: bool) -> bool:
        """Whether an earlier rule (or, if not ``rule``, an unusual case) may have settled the result already."""
        return any(block[0 if rule else 1] for block in self._settled)

    def _true_alone(self, text: str, nodes: Sequence[ast.AST]) -> str:
        """A rule for all cases said so that it leaves out those that earlier statements settled."""
        plain = quoted_out(text)
        whole = re.search(r"\botherwise\b", plain) and not plain.startswith(("otherwise", "in all ", f"if {EARLIER}"))
        if not whole or self.result not in plain or len(text) + len(SPECIAL) > _HARD_LENGTH:
            return text
        if self._after(True):
            return f"if {EARLIER}, {text}" if not text.startswith("if ") else f"if {EARLIER} and {text[3:]}"
        return SPECIAL + text if self._after(False) else text

    def _add(self, text: str, nodes: Sequence[ast.AST], kind: str, path: tuple[str, ...]) -> None:
        self._put(self._where(path) + text, nodes, IMPORTANCE[kind])

    def _put(
        self, text: str, nodes: Sequence[ast.AST], importance: float, topics: set[str] | None = None, edge: bool = False
    ) -> None:
        if len(text) > _HARD_LENGTH or len(self.facts) > MAX_FACTS:
            return
        text = self._true_alone(text, nodes)
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


def quoted_out(text: str) -> str:
    """A text without what it says in quotes."""
    for said in quoted_in(text):
        text = text.replace(said, "")
    return text


def _unsaid_words(text: str) -> str:
    """Words that people ask with for what a rule says in other ones."""
    words = []
    if re.search(r"\b0\b", text):
        words.append("zero")
    if re.search(r"\b(?:below|at most) 0\b", text):
        words.append("negative")
    if re.search(r"otherwise|in all other cases|anything else|any other|if missing|not in|nothing else", text):
        words.append("unknown else other otherwise")
    if "not given" in text or "if missing" in text:
        words.append("missing none")
    return " ".join(words)
