"""What a reference does not do, where that can be told: it does not round, it sorts nothing, it knows no limit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from colbench.simulators.facts.model import Fact, make_fact
from colbench.simulators.facts.words import join_words

__all__ = ["ABSENT_IMPORTANCE", "absent_facts"]

_UNUSUAL = (("empt", "an empty input"), ("miss", "missing values"), ("negativ", "negative values"))

ABSENT_IMPORTANCE = 0.1
"""Below what an unspecific question brings up: these facts are only said when asked for."""


def absent_facts(facts: Sequence[Fact], traits: dict[str, object], start: int) -> list[Fact]:
    """Facts that answer a question about something the reference has nothing of.

    Args:
        facts: the facts found.
        traits: the traits of the sheet.
        start: order of the first fact.
    """
    has = {topic for fact in facts for topic in fact.topics}
    kinds = str(traits.get("result", "")).split("/")
    said: list[tuple[str, set[str]]] = []
    if "rounding" not in has:
        said.append(("no rounding is needed", {"rounding"}))
    if traits.get("sorts"):
        if traits.get("direction") is None and set(kinds) & {"list", "tuple", "dictionary"}:
            said.append(("the result itself is not sorted", {"order"}))
    elif "list" in kinds or "order" not in has:
        stays = ", the order stays as it comes" if "list" in kinds else ""
        said.append((f"nothing needs to be sorted{stays}", {"order"}))
    if traits.get("ignores_case") is False:
        said.append(("the words have to match exactly, upper and lower case included", {"text"}))
    if "threshold" not in has:
        said.append(("there is no limit or threshold", {"threshold"}))
    if "edge" not in has:
        said.append(("there is no special rule for empty, missing or odd values", {"edge"}))
    else:
        words = {word for fact in facts if "edge" in fact.topics for word in fact.words}
        lacking = [said_as for stem, said_as in _UNUSUAL if stem not in words]
        # Every combination, so that a question gets what it names in one sentence.
        for size in range(1, len(lacking) + 1):
            for some in combinations(lacking, size):
                said.append((f"there is no special rule for {join_words(some, 'or')}", {"edge"}))
    return [make_fact(text, topics, ABSENT_IMPORTANCE, start + i) for i, (text, topics) in enumerate(said)]
