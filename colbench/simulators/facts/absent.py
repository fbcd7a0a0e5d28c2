"""What a reference does not do, where that can be told: it does not round, it sorts nothing, it knows no limit."""

from __future__ import annotations

from collections.abc import Sequence

from colbench.simulators.facts.model import Fact, make_fact

__all__ = ["ABSENT_IMPORTANCE", "absent_facts"]

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
    if "rounding" not in has and traits.get("decimals") is None:
        said.append(("no rounding is needed", {"rounding"}))
    if traits.get("direction") is None and ("list" in kinds or "order" not in has):
        stays = ", the order stays as it comes" if "list" in kinds else ""
        said.append((f"nothing needs to be sorted{stays}", {"order"}))
    if traits.get("ignores_case") is False:
        said.append(("the words have to match exactly, upper and lower case included", {"text"}))
    if "threshold" not in has:
        said.append(("there is no limit or threshold", {"threshold"}))
    if "edge" not in has:
        said.append(("nothing special is done for empty, missing or odd values", {"edge"}))
    return [make_fact(text, topics, ABSENT_IMPORTANCE, start + i) for i, (text, topics) in enumerate(said)]
