"""A chain of returns is told whole, or so that each part is true alone; who names a result gets its rule."""

import asyncio
import re

import pytest

from benchmarks.bench_collaborator import bundled, load, sentences
from colbench.simulators.base import CollaboratorContext
from colbench.simulators.embedded import EmbeddedCollaborator
from colbench.simulators.facts import read_reference
from colbench.simulators.wordings import is_dont_know
from colbench.tasks.schema import BackendTask

OBSERVING = next(t for t in load(bundled()) if t.task_id == "backend-test-002")
ADVICE = """
def advice(wind, rain, month):
    if wind >= 60:
        return "no"
    if wind >= 40:
        return "wait"
    rain = rain * 2
    if rain > 8 and month == "may":
        return "tent"
    return "open"
"""
TASK = BackendTask(
    task_id="advice",
    problem_description="How do we hold the party? The signature of the function is: def advice(wind, rain, month)",
    ground_truth=ADVICE,
    test_cases={"test1": "advice(1, 2, 'may')"},
)


def texts(source: str) -> list[str]:
    return [fact.text for fact in read_reference(source).facts]


def ask(question: str, task: BackendTask = TASK, seed: int = 0) -> str:
    messages = ({"role": "user", "content": task.problem_description}, {"role": "assistant", "content": question})
    return asyncio.run(EmbeddedCollaborator().reply(CollaboratorContext(task, messages, seed, 0, 400))).text


def test_a_chain_of_returns_is_one_rule() -> None:
    whole = (
        "if the longest is at least 4, the result is a list of 'go' and the longest; if at least 2, 'nearby only' and "
        "the longest; if the longest is 1 and the target is 'moon', 'from the garden' and the longest; otherwise "
        "'stay home' and the longest"
    )
    said = texts(OBSERVING.ground_truth)
    assert whole in said
    assert not any("otherwise" in t for t in said if t != whole)
    reply = ask("Question 1: what else should I know about the inputs?", OBSERVING)
    assert "'stay home'" not in reply or "if the longest is at least 4" in reply.lower()


def test_what_follows_other_steps_is_true_alone() -> None:
    said = texts(ADVICE)
    assert "if the wind is at least 60, the result is 'no'; if at least 40, 'wait'" in said
    assert (
        "if no earlier rule applies, the result is 'tent' if the rain is above 8 and the month is 'may', "
        "otherwise 'open'" in said
    )


def test_unusual_cases_stay_rules_of_their_own() -> None:
    said = texts(
        "def f(items, a):\n    if not items:\n        return 0\n    a += len(items)\n    return 'x' if a > 3 else 'y'"
    )
    assert "if the items are empty, the result is 0" in said
    assert "apart from special cases, the result is 'x' if a is above 3, otherwise 'y'" in said


def test_a_long_ladder_goes_on_as_a_later_rule() -> None:
    steps = "".join(
        f"    if age < {n}:\n        return 'a rather long label for the group {n}'\n" for n in range(10, 70, 10)
    )
    said = [t for t in texts(f"def f(age):\n{steps}    return 'old'") if "group" in t and "one of" not in t]
    rules = [t for t in said if t.startswith("if ")]
    assert len(rules) > 1 and rules[0].startswith("if the age is below 10, ")
    assert all(t.startswith("if no earlier rule applies and the age is below ") for t in rules[1:])


def test_values_that_exclude_each_other_need_no_earlier_rule() -> None:
    steps = "".join(
        f"    if kind == 'k{n}':\n        return 'a rather long label for the group {n}'\n" for n in range(8)
    )
    assert not any("earlier rule" in t for t in texts(f"def f(kind):\n{steps}    return 'other'"))


def test_no_reference_tells_a_tail_as_the_whole() -> None:
    for task in load(bundled()):
        for text in texts(task.ground_truth):
            assert not text.startswith("otherwise"), (task.task_id, text)
            assert text.count("no earlier rule applies") <= 1, (task.task_id, text)
            assert " and and " not in text and ", in all other cases the result" not in text, (task.task_id, text)


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("When do I say go?", "at least 4"),
        ("When do I say 'go'?", "at least 4"),
        ("When should it be nearby only?", "at least 2"),
        ("Under which conditions is the verdict from the garden?", "'moon'"),
        ('When do I return "stay home"?', "otherwise 'stay home'"),
    ],
)
def test_a_named_result_finds_its_rule(question: str, rule: str) -> None:
    replies = [ask(question, OBSERVING, seed) for seed in (0, 0, 7)]
    assert rule in replies[0] and len(set(replies)) == 1
    assert sentences(replies[0]) <= 2 and len(replies[0]) <= 400


def test_everyday_words_count_as_results_only_where_they_come_out() -> None:
    assert "at least 60" in ask("When do we say no?")
    assert "otherwise 'open'" in ask("When is it open?")
    assert re.search(r"'tent' if the rain", ask("What leads to a tent?"))
    assert is_dont_know(ask("When is there no deadline?")) and is_dont_know(
        ask("Where do you go on holiday?", OBSERVING)
    )
