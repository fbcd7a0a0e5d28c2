"""The embedded collaborator on procedural tasks: it settles exactly what was asked."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from benchmarks.bench_collaborator import IRRELEVANT
from colbench.simulators.base import CollaboratorContext, Reply
from colbench.simulators.embedded import EmbeddedCollaborator
from colbench.simulators.embedded_decisions import match_decisions
from colbench.simulators.wordings import ALL_SAID, is_dont_know
from colbench.tasks.procedural.registry import backend_families
from colbench.tasks.schema import BackendTask, Decision, DecisionOption, ProceduralRecord

FAMILIES = backend_families()


def decision(name: str, topic: str, question: str, *facts: str, chosen: int = 0, stated: bool = False) -> Decision:
    options = tuple(DecisionOption(key=f"o{i}", fact=fact) for i, fact in enumerate(facts))
    return Decision(name=name, topic=topic, question=question, options=options, chosen=chosen, stated=stated)


DECISIONS = (
    decision("rounding", "rounding of the result", "How do I round the result?", "Round down.", "Round up.", chosen=1),
    decision("empty", "an empty list", "What if there are no entries?", "An empty list gives 0.", "It gives None."),
    decision("cap", "largest fee", "Is there a largest fee?", "The fee is at most 50.", "The fee is at most 80."),
    decision(
        "child", "reduction for children", "Do children pay less?", "Children pay half.", "No reduction.", stated=True
    ),
)


def task_with(decisions: Sequence[Decision]) -> BackendTask:
    return BackendTask(
        task_id="t",
        problem_description="A fee, please. The signature of the function is: def fee(entries)",
        ground_truth="def fee(entries):\n    return 0",
        test_cases={"test1": "fee([])"},
        procedural=ProceduralRecord(family="x", version=1, seed=0, decisions=tuple(decisions), passing=((1, 0, 0, 0),)),
    )


def ask(
    message: str,
    decisions: Sequence[Decision] = DECISIONS,
    settled: frozenset[str] = frozenset(),
    max_chars: int = 400,
    seed: int = 0,
) -> Reply:
    messages = ({"role": "user", "content": "A fee."}, {"role": "assistant", "content": message})
    context = CollaboratorContext(task_with(decisions), messages, seed, 0, max_chars, settled)
    return asyncio.run(EmbeddedCollaborator().reply(context))


def test_one_question_settles_exactly_its_decision_with_its_fact() -> None:
    reply = ask("How do I round the result?")
    assert reply.text == "Round up." and reply.settled == ("rounding",)


@pytest.mark.parametrize(
    ("message", "settled"),
    [
        ("Should the result be rounded somehow?", ("rounding",)),
        ("What happens when the list is empty?", ("empty",)),
        ("Is there a maximum, a largest fee so to say?", ("cap",)),
        ("OK. And what if there are no entries? Thanks!", ("empty",)),
        (
            "1. How do I round the result?\n2. Is there a largest fee?\n3. What if there are no entries?",
            ("rounding", "cap"),
        ),
        ("Do children pay less?", ()),
        ("Do children pay less? And how do I round the result?", ("rounding",)),
    ],
)
def test_free_words_find_their_decision(message: str, settled: tuple[str, ...]) -> None:
    assert ask(message).settled == settled


def test_stated_and_settled_decisions_are_repeated_and_settle_nothing() -> None:
    assert ask("Do children pay less?").text == "Children pay half."
    again = ask("How do I round the result?", settled=frozenset({"rounding"}))
    assert again.text == "Round up." and again.settled == ()


def test_everything_at_once_gets_one_fact_until_all_is_settled() -> None:
    first = ask("Tell me everything.")
    assert first.settled == ("rounding",)
    assert ask("Anything else?", settled=frozenset({"rounding"})).settled == ("empty",)
    done = ask("Anything else?", settled=frozenset({"rounding", "empty", "cap"}))
    assert done.text in ALL_SAID and done.settled == ()


def test_code_alone_settles_nothing() -> None:
    reply = ask("```python\ndef fee(entries):\n    return round(3)\n```")
    assert reply.settled == () and "code" in reply.text


def test_a_fact_that_does_not_fit_is_not_counted_as_said() -> None:
    long = decision("long", "long story", "What is the long story?", "word " * 30 + "end.", "Other.")
    reply = ask("What is the long story?", [long], max_chars=50)
    assert reply.settled == ()
    two = ask("How do I round the result? Is there a largest fee?", max_chars=20)
    assert two.settled == ("rounding",) and two.text == "Round up."


def test_wordings_depend_on_the_seed_and_facts_do_not() -> None:
    assert len({ask("Which database?", seed=s).text for s in range(30)}) > 2
    assert {ask("How do I round the result?", seed=s).text for s in range(10)} == {"Round up."}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
def test_every_question_of_every_family_hits_exactly_its_decision(family: object) -> None:
    decisions = tuple(family.decisions)  # type: ignore[attr-defined]
    rng = random.Random(3)
    for position, wanted in enumerate(decisions):
        for message in (
            wanted.question,
            f"Okay, thank you! {wanted.question}",
            wanted.question.upper(),
            f"What about the {wanted.topic}?",
        ):
            assert match_decisions(message, decisions) == ([position], False), message
        shuffled = list(decisions)
        rng.shuffle(shuffled)
        assert match_decisions(wanted.question, shuffled)[0] == [shuffled.index(wanted)]


def test_irrelevant_questions_settle_nothing_in_any_family() -> None:
    asked = settled = 0
    for family in FAMILIES:
        for question in IRRELEVANT:
            asked += 1
            reply = ask(question, tuple(family.decisions))
            settled += bool(reply.settled)
            assert reply.settled or is_dont_know(reply.text)
    assert settled <= 0.05 * asked


def test_generated_tasks_are_settled_one_by_one() -> None:
    from colbench.tasks.procedural.generator import generate_task

    for family in FAMILIES[:4]:
        task = generate_task(family.name, seed=5)
        assert task.procedural is not None
        known: set[str] = set()
        for hidden in task.procedural.hidden:
            messages = ({"role": "user", "content": "x"}, {"role": "assistant", "content": hidden.question})
            context = CollaboratorContext(task, messages, 0, 0, 400, frozenset(known))
            reply = asyncio.run(EmbeddedCollaborator().reply(context))
            assert reply.settled == (hidden.name,)
            assert reply.text == hidden.options[hidden.chosen].fact
            known |= set(reply.settled)
