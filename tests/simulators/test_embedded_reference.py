"""The embedded collaborator on any Python reference: what it answers, and the limits it keeps."""

import asyncio
from pathlib import Path

import pytest

from benchmarks.bench_collaborator import IRRELEVANT, QUESTIONS, bundled, code_lines, load, measure, sentences
from colbench.errors import CollaboratorError
from colbench.simulators.base import Collaborator, CollaboratorContext, Reply
from colbench.simulators.embedded import EmbeddedCollaborator
from colbench.simulators.embedded_sentences import compose
from colbench.simulators.facts import facts_of
from colbench.simulators.facts.model import make_fact
from colbench.simulators.wordings import ALL_SAID, LOOKS_RIGHT, REPEATED, is_dont_know
from colbench.tasks.schema import BackendTask

SOURCE = """
def parcel_price(parcels, country, express=False):
    if not parcels:
        return 0
    rates = {"home": 4, "near": 7.5, "far": 12}
    total = 0
    for parcel in parcels:
        weight = parcel["weight"]
        if weight <= 0:
            continue
        price = rates.get(country.lower(), 20)
        if weight > 10:
            price *= 1.5
        elif weight >= 5:
            price += 2
        total += price
    if express:
        total = total * 1.2
    return round(total, 2)
"""
TASK = BackendTask(
    task_id="parcels",
    problem_description="I need a price for my parcels. "
    "The signature of the function is: def parcel_price(parcels, country, express=False)",
    ground_truth=SOURCE,
    test_cases={"test1": "parcel_price([], 'home')"},
)


def talk(*questions: str, task: BackendTask = TASK, seed: int = 0, max_chars: int = 400) -> list[str]:
    """Replies to the questions of one dialogue."""
    collaborator = EmbeddedCollaborator()
    messages = [{"role": "user", "content": task.problem_description}]
    replies: list[str] = []
    for turn, question in enumerate(questions):
        messages.append({"role": "assistant", "content": question})
        context = CollaboratorContext(task, tuple(messages), seed + turn, turn, max_chars)
        reply = asyncio.run(collaborator.reply(context))
        assert reply.settled is None and len(reply.text) <= max_chars
        replies.append(reply.text)
        messages.append({"role": "user", "content": reply.text})
    return replies


def test_it_is_a_collaborator_that_tells_its_version() -> None:
    collaborator = EmbeddedCollaborator()
    assert isinstance(collaborator, Collaborator)
    assert collaborator.describe() == {"name": "embedded", "version": 3}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do the parcels look like?", "each with 'weight'"),
        ("What happens with an unknown country?", "(20 if missing)"),
        ("How much is it for 'near'?", "7.5 for 'near'"),
        ("Which countries are there?", "12 for 'far'"),
        ("What is the weight limit?", "above 10"),
        ("What is the multiplier for express?", "1.2"),
        ("What should happen when the list is empty?", "the result is 0"),
        ("How many decimals should the result have?", "rounded to 2 decimals"),
        ("What about parcels with zero or negative weight?", "is at most 0, the parcel is skipped"),
        ("Does upper or lower case matter?", "upper and lower case make no difference"),
        ("Is there a default for `express`?", "'express' is False"),
    ],
)
def test_questions_get_the_facts_they_ask_for(question: str, expected: str) -> None:
    (reply,) = talk(question)
    assert expected.lower() in reply.lower(), reply
    assert sentences(reply) <= 2


@pytest.mark.parametrize(
    ("question", "yes"),
    [
        ("Should I round to 2 decimals?", True),
        ("Should I round to 3 decimals?", False),
        ("Do I round to two decimals?", True),
        ("Is the threshold 10?", True),
        ("Is the weight threshold 15?", False),
        ("Should an empty list return 0?", True),
        ("Should an empty list return None?", False),
        ("Is the comparison case-insensitive?", True),
        ("Is the comparison case sensitive?", False),
        ("Does each parcel have a 'weight' key?", True),
        ("Does each parcel have a 'length' key?", False),
        ("Is the express surcharge 20%?", True),
        ("Should I multiply by 1.2 for express?", True),
        ("Should the result be sorted in descending order?", False),
        ("Should it return a number?", True),
        ("Should it return a list?", False),
        ("Is a weight of exactly 10 included (>= 10)?", False),
        ("Is it strictly above 10?", True),
        ("I'll assume unknown countries cost 20. Is that right?", True),
    ],
)
def test_yes_or_no_where_the_facts_decide(question: str, yes: bool) -> None:
    (reply,) = talk(question)
    openings = ("Yes, ", "Right, ") if yes else ("No, ", "Not quite, ")
    assert reply.startswith(openings), reply


@pytest.mark.parametrize("question", [*IRRELEVANT, "", "hmm", "🎁🎁", "¿Qué pasa?", "?"])
def test_what_no_reference_says_is_not_known(question: str) -> None:
    assert is_dont_know(talk(question)[0])


def test_an_irrelevant_question_beside_a_relevant_one_is_passed_over() -> None:
    (reply,) = talk("What is the express multiplier, and which database do you use?")
    assert "1.2" in reply and not is_dont_know(reply)


def test_several_questions_get_one_fact_each_up_to_three() -> None:
    (reply,) = talk(
        "1. Which countries are there?\n2. How is the weight used?\n3. Do you need rounding?\n4. What if empty?"
    )
    assert "7.5" in reply and "above 10" in reply and "2 decimals" in reply
    assert sentences(reply) <= 2 and "the result is 0" not in reply


def test_everything_at_once_gets_no_more_than_three_facts() -> None:
    (reply,) = talk("Tell me everything about it.")
    sheet = facts_of(SOURCE, "parcel_price")
    assert 1 <= sum(fact.text.lower() in reply.lower() for fact in sheet.facts) <= 3


def test_repeated_questions_move_on_and_end() -> None:
    replies = talk(*["Are there any other requirements?"] * 8)
    informative = [r for r in replies if r not in ALL_SAID]
    assert len(informative) >= 3 and len(set(informative)) == len(informative)
    assert replies[-1] in ALL_SAID


def test_what_was_said_is_repeated_only_when_nothing_else_is_left() -> None:
    first, second, third = talk("How many decimals?", "How should I round?", "Which precision?")
    assert "2 decimals" in first
    assert second.startswith(REPEATED) and third.startswith(REPEATED)


def test_code_that_leaves_things_out_is_noticed_without_showing_code() -> None:
    draft = "```python\ndef parcel_price(parcels, country, express=False):\n    return round(sum([4]), 2)\n```"
    (reply,) = talk(f"Does this look right?\n{draft}")
    assert "7.5" in reply and "```" not in reply and not code_lines(TASK, reply)
    assert talk(f"Is this fine?\n```python\n{SOURCE}```")[0] in LOOKS_RIGHT
    assert talk(f"```python\n{SOURCE}")[0] in LOOKS_RIGHT, "an open fence"
    assert "1.2" in talk(f"What is the express multiplier?\n{draft}")[0], "a real question comes first"


def test_the_seed_chooses_wordings_and_nothing_else() -> None:
    for seed in range(6):
        assert talk("What is the weight limit?", seed=seed) == talk("What is the weight limit?", seed=0)
    unknown = {talk("Which database?", seed=seed)[0] for seed in range(30)}
    assert len(unknown) > 2 and all(is_dont_know(u) for u in unknown)
    assert talk(*QUESTIONS, seed=7) == talk(*QUESTIONS, seed=7)


def test_a_small_limit_never_cuts_a_word() -> None:
    for limit in (40, 60, 90, 150):
        for reply in talk(*QUESTIONS, max_chars=limit):
            assert reply.rstrip("….").split(" ")[-1].strip("'.,;()") != ""
            assert len(reply) <= limit


@pytest.mark.parametrize(
    "message",
    [
        "a" * 100_000,
        "? " * 30_000,
        "```" * 10_000,
        "(e.g. " * 20_000,
        "'a " * 20_000,
        "\ud800 what?",
        "is that right? " * 5_000,
    ],
)
def test_giant_and_odd_messages_are_answered(message: str) -> None:
    assert talk(message)[0]


def test_an_empty_dialogue_is_refused() -> None:
    with pytest.raises(CollaboratorError, match="empty"):
        asyncio.run(EmbeddedCollaborator().reply(CollaboratorContext(TASK, (), 0, 0, 400)))


def test_frontend_tasks_go_to_the_frontend_collaborator(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    import types

    from colbench.tasks.schema import FrontendTask

    class EmbeddedFrontend:
        async def reply(self, context: CollaboratorContext) -> Reply:
            return Reply(f"a page of {context.task.task_id}")

    module = types.ModuleType("colbench.simulators.embedded_frontend")
    module.EmbeddedFrontend = EmbeddedFrontend  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "colbench.simulators.embedded_frontend", module)
    task = FrontendTask(task_id="p", problem_description="a page", ground_truth="<p>hi</p>")
    context = CollaboratorContext(task, ({"role": "user", "content": "a page"},), 0, 0, 1000)
    assert asyncio.run(EmbeddedCollaborator().reply(context)).text == "a page of p"


@pytest.mark.parametrize("path", bundled(), ids=lambda p: p.stem)
def test_bundled_tasks_are_conveyed_within_the_limits(path: Path) -> None:
    found = measure(load([path]))
    assert found["share of keys conveyed"] >= 0.9
    assert found["share of numbers conveyed"] >= 0.9
    assert found["share of result texts conveyed"] >= 0.9
    assert found["replies with code"] == 0
    assert found["replies over 400 characters"] == 0
    assert found["replies over 2 sentences"] == 0
    assert found["don't know to irrelevant questions"] >= 0.95


SYRUP = """
def winter_feed(hives, october_started):
    needs = []
    for hive in hives:
        frames = hive["frames"]
        if frames < 3:
            continue
        missing = (12 if frames <= 6 else 18) - max(0, hive["weight"] - hive.get("tare", 16))
        if missing <= 0.5:
            continue
        litres = missing * 0.9
        if october_started:
            litres = min(litres, 5)
        needs.append((hive["name"], round(litres, 1)))
    needs.sort(key=lambda need: (-need[1], need[0]))
    return needs
"""
FLAG = """
def flag(temperature, days):
    points = 3 if temperature >= 30 else 0
    points += min(4, days // 3)
    if points >= 6:
        return ["red", points]
    return ["yellow" if points >= 3 else "green", points]
"""


def about(source: str, *questions: str) -> list[str]:
    task = BackendTask(task_id="t", problem_description="Please help me.", ground_truth=source, test_cases={})
    return talk(*questions, task=task)


def test_a_returned_list_is_told_by_what_is_put_into_it() -> None:
    (reply,) = about(SYRUP, "What exactly should be returned?")
    assert reply == "The result is a list of pairs of the 'name' and the litres, rounded to 1 decimal."


def test_a_question_about_inputs_and_keys_gets_nothing_else() -> None:
    (reply,) = about(SYRUP, "Hi! What inputs does the function take, and what keys do the records have?")
    assert reply == (
        "The hives are a list of records, each with 'frames', 'name', 'weight' and 'tare'. "
        "'october_started' is true or false."
    )


def test_rounding_is_answered_for_the_result_and_plainly_where_there_is_none() -> None:
    asked = "Should I round the result to 2 decimals?"
    (reply,) = about(SYRUP, asked)
    assert reply.startswith(("No, ", "Not quite, ")) and reply.endswith(
        "the litres in the result are rounded to 1 decimal."
    )
    (reply,) = about(SYRUP, "Should I round to 1 decimal?")
    assert reply.startswith(("Yes, ", "Right, "))
    (reply,) = about(FLAG, asked)
    assert reply.endswith("the result itself is not rounded, but the days divided by 3 are rounded down.")
    (reply,) = about("def f(a, b):\n    return a * b", asked)
    assert reply.endswith("no rounding is needed.")


def test_a_missing_key_and_an_unruled_case_are_told_apart() -> None:
    (reply,) = about(SYRUP, "What if a hive has no weight of its own, a missing tare?")
    assert "if missing, 'tare' counts as 16" in reply.lower()
    (reply,) = about(FLAG, "What should happen if the list is empty or a value is missing?")
    assert reply == "There is no special rule for empty, missing or odd values."


def test_the_order_of_the_result_is_told_part_by_part() -> None:
    (reply,) = about(SYRUP, "Should the output be sorted in descending order?")
    assert reply.startswith(("Yes, ", "Right, "))
    assert reply.endswith("sorted by second entry, highest first, then first entry, lowest first.")
    (reply,) = about("def f(a, b):\n    sides = sorted([a, b])\n    return sides[0] * 2", "Is the output sorted?")
    assert not reply.startswith(("Yes, ", "Right, "))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(n):\n    if n > 3:\n        s = 'a'\n    else:\n        s = 'b'\n    return s", "the text 'a' or 'b'"),
        (FLAG, "a list of two values: one of 'red', 'yellow' or 'green', and the points"),
        ("def f(n, m):\n    total = n * m\n    return total", "a number: n times m"),
        (
            "def f(words):\n    seen = {}\n    for word in words:\n        seen[word] = seen.get(word, 0) + 1\n"
            "    return seen",
            "a dictionary that gives how often it occurs for each word",
        ),
        (
            "def f(rows):\n    return [{'name': r['id'], 'sum': r['a'] + 2} for r in rows]",
            "a list of records, each with 'name' and 'sum'",
        ),
    ],
)
def test_the_shape_of_the_result(source: str, expected: str) -> None:
    (reply,) = about(source, "What exactly should be returned?")
    assert expected in reply


def test_long_facts_are_said_alone_and_short_ones_share_a_sentence() -> None:
    short = [make_fact(f"the {name} is {n}", {"factor"}) for n, name in enumerate(("rate", "share", "fee"))]
    assert compose(short, 400) == "The rate is 0, and the fee is 2. The share is 1."
    long = make_fact("if " + "the rate is above 3 and " * 9 + "so on, the result is 7", {"threshold"})
    assert sentences(compose([long, *short], 400)) == 1
    assert compose([short[0], long, short[1]], 400) == "The rate is 0. The share is 1."


@pytest.mark.parametrize(
    ("source", "question"),
    [
        ("def f(a, b):\n    return a * b", "Should the result be an integer?"),
        (SYRUP, "Should it return an empty list for empty input?"),
        ("def f(kind):\n    return 10 if kind == 'dog' else 4", "Is the threshold 10?"),
        ("def f(a, b):\n    if a > b:\n        return 0\n    return a", "Should it return 0 when nothing applies?"),
    ],
)
def test_no_yes_or_no_where_the_facts_do_not_decide(source: str, question: str) -> None:
    (reply,) = about(source, question)
    assert not reply.startswith(("Yes, ", "Right, ", "No, ", "Not quite, ")), reply


def test_whether_letter_case_matters() -> None:
    (reply,) = talk("Does upper and lower case matter?")
    assert reply.startswith(("No, ", "Not quite, ")) and "make no difference" in reply
