"""The scripted agents: what they ask, what they understand, and that their measured success is the exact value.

The dialogue is played here by a plain loop with a collaborator that answers as the embedded one is specified to:
the fact of the decision asked about, word for word. It needs no environment and no sandbox, so hundreds of episodes
take seconds; the code that is run is our own generator's.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from colbench.agents import load_agent
from colbench.agents.base import BaseAgent, EpisodeStart, Observation
from colbench.agents.scripted import Explorer, Impatient, Interviewer, Oracle, Silent
from colbench.agents.scripted.generic import GENERIC_QUESTIONS, IRRELEVANT_QUESTIONS, best_effort
from colbench.agents.scripted.notes import nearest_option
from colbench.credit import exact_value, known_credit, potential
from colbench.errors import AgentError, ConfigurationError
from colbench.tasks.procedural import family_of, generate_task, procedural_tasks
from colbench.tasks.schema import BackendTask, Decision

MARKER = "I WANT TO ANSWER:"


def exact_reply(task: BackendTask, message: str) -> tuple[str, tuple[str, ...]]:
    """Fact of the decision whose question was asked, and what it settles."""
    for d in task.procedural.decisions:
        if d.question == message:
            return d.options[d.chosen].fact, () if d.stated else (d.name,)
    return "I don't know.", ()


async def play(
    task: BackendTask, agent: BaseAgent, seed: int, *, max_turns: int = 10, reply: Callable = exact_reply
) -> tuple[bool, list[tuple[str, ...]], list[str]]:
    """Success, what each reply settled, and the agent's messages."""
    info = {"reference": task.ground_truth, "calls": dict(task.test_cases)} if agent.needs_training_time_info else None
    player = agent.start(EpisodeStart("test", seed, max_turns, info))
    messages = [{"role": "user", "content": task.problem_description}]
    settled: list[tuple[str, ...]] = []
    for left in range(max_turns, 0, -1):
        said = (await player.act(Observation(messages=tuple(messages), turns_left=left))).text
        messages.append({"role": "assistant", "content": said})
        if MARKER in said or left == 1:
            break
        answer, names = reply(task, said)
        messages.append({"role": "user", "content": answer})
        settled.append(names)
    return passes(task, said), settled, [m["content"] for m in messages if m["role"] == "assistant"]


def code_of(message: str) -> str | None:
    """The code of an answer, as the grader takes it."""
    if "```python\n" not in message.partition(MARKER)[2]:
        return None
    return message.partition("```python\n")[2].partition("```")[0]


def passes(task: BackendTask, message: str) -> bool:
    code = code_of(message)
    if code is None:
        return False
    mine: dict = {}
    theirs: dict = {}
    exec(code, mine)
    exec(task.ground_truth, theirs)
    return all(eval(call, mine) == eval(call, theirs) for call in task.calls)


TASKS = procedural_tasks("test", 52, seed=21)


def test_they_are_found_by_name():
    for name, kind in (
        ("oracle", Oracle),
        ("silent", Silent),
        ("impatient", Impatient),
        ("interviewer", Interviewer),
        ("explorer", Explorer),
    ):
        agent = load_agent(name)
        assert isinstance(agent, kind) and agent.name == name and agent.describe()["name"] == name
        assert agent.needs_training_time_info == (name == "oracle")
    assert load_agent("interviewer", {"topics": 3}).describe() == {
        "name": "interviewer",
        "topics": 3,
        "shuffled": False,
    }
    with pytest.raises(ConfigurationError, match="topics is -1"):
        load_agent("interviewer", {"topics": -1})
    for topics in ("x", "", True, 1.5):
        with pytest.raises(ConfigurationError, match=f"topics is {topics!r}; give a whole number"):
            load_agent("interviewer", {"topics": topics})
    with pytest.raises(ConfigurationError, match="shuffled is 'no'; give true or false"):
        load_agent("interviewer", {"shuffled": "no"})
    for chance in ("x", "", True, None):
        with pytest.raises(ConfigurationError, match=f"idle is {chance!r}; a chance is a number"):
            load_agent("explorer", {"idle": chance})
    with pytest.raises(ConfigurationError, match="answer is 2"):
        load_agent("explorer", {"answer": 2})


async def test_oracle_always_succeeds_and_silent_never():
    for seed, task in enumerate(TASKS):
        assert (await play(task, Oracle(), seed))[0]
        success, settled, said = await play(task, Silent(), seed)
        assert not success and len(said) == 10 and not any(settled) and MARKER not in "".join(said)


async def test_oracle_wants_its_reference():
    with pytest.raises(AgentError, match="training_time_info=True"):
        Oracle().start(EpisodeStart("test", 0, 10))
    with pytest.raises(AgentError, match="call start"):
        await Oracle().act(Observation(messages=(), turns_left=10))
    page = Oracle().start(EpisodeStart("test", 0, 10, {"reference": "<html></html>"}))
    assert "```html\n<html></html>\n```" in (await page.act(Observation(messages=(), turns_left=10))).text


async def test_interviewer_asks_what_is_open_and_nothing_twice():
    for seed, task in enumerate(TASKS):
        success, settled, said = await play(task, Interviewer(), seed)
        hidden = task.procedural.hidden
        assert success
        assert said[:-1] == [d.question for d in hidden]
        assert settled == [(d.name,) for d in hidden]
        shuffled = await play(task, Interviewer(shuffled=True), seed)
        assert shuffled[0] and sorted(shuffled[2][:-1]) == sorted(said[:-1])
        few = await play(task, Interviewer(topics=2), seed)
        assert few[2][:-1] == [d.question for d in hidden[:2]]
        short = await play(task, Interviewer(), seed, max_turns=3)
        assert len(short[2]) == 3 and MARKER in short[2][-1]


async def test_the_same_seed_plays_the_same_episode():
    for agent in (Impatient(), Explorer(), Interviewer(2, shuffled=True)):
        games = [[(await play(task, agent, seed))[2] for task in TASKS[:13]] for seed in (1, 1, 2)]
        assert games[0] == games[1] != games[2]


async def test_credits_of_every_episode_sum_to_reward_minus_first_potential():
    for seed, task in enumerate(TASKS):
        for agent in (Explorer(), Interviewer(3), Silent()):
            success, settled, said = await play(task, agent, seed)
            credits = known_credit(task, settled, float(success))
            assert len(credits) == len(said)
            assert sum(credits) == pytest.approx(success - potential(task), abs=1e-12)


async def measured_and_exact(
    agent: BaseAgent, tasks: list[BackendTask], repeats: int = 1
) -> tuple[float, float, float]:
    """Measured success, mean exact value, and the standard error of the first about the second."""
    wins = [[(await play(task, agent, 1000 * r + i))[0] for r in range(repeats)] for i, task in enumerate(tasks)]
    exact = [exact_value(task, agent.policy) for task in tasks]
    n = len(tasks) * repeats
    error = math.sqrt(sum(v * (1 - v) for v in exact) * repeats) / n
    return sum(map(sum, wins)) / n, sum(exact) / len(exact), error


@pytest.mark.parametrize(
    "agent",
    [Impatient(), Interviewer(2), Interviewer(4), Interviewer(6), Interviewer(3, shuffled=True), Explorer(), Silent()],
    ids=lambda a: "-".join(map(str, a.describe().values())),
)
async def test_measured_success_agrees_with_the_exact_value(agent: BaseAgent):
    tasks = (
        TASKS if isinstance(agent, Explorer) else [generate_task(t.procedural.family, i) for i, t in enumerate(TASKS)]
    )
    measured, exact, error = await measured_and_exact(agent, tasks, repeats=4)
    assert abs(measured - exact) <= 3.5 * error + 1e-12


async def test_more_questions_bring_more_success():
    easy = procedural_tasks("test", 104, seed=22, hidden=4)
    rates = [(await measured_and_exact(Interviewer(k), easy))[0] for k in range(5)]
    assert rates == sorted(rates) and len(set(rates)) == 5
    assert rates[0] <= 0.06 and rates[-1] == 1.0


@pytest.mark.slow
async def test_five_hundred_test_tasks():
    tasks = procedural_tasks("test", 500)
    assert all([(await play(t, Oracle(), i))[0] for i, t in enumerate(tasks)])
    assert (await measured_and_exact(Impatient(), tasks))[0] <= 0.06
    rates = []
    for topics in range(9):
        measured, exact, error = await measured_and_exact(Interviewer(topics), tasks)
        assert abs(measured - exact) <= 3.5 * error + 1e-12
        rates.append(measured)
    assert rates == sorted(rates) and rates[-1] >= 0.99


# --- collaborators that do not speak the facts word for word -----------------------------------------------------

PARAPHRASES = [
    ("pricing", "bulk_limit", "Once somebody takes twelve pieces they get it.", 2),
    ("pricing", "unit_price", "Hm, whichever is lower, please.", 2),
    ("scheduling", "order", "I'd like the longest ones at the top", 2),
    ("fares", "waiting", "five minutes are free", 1),
    ("dates", "counting", "Saturday counts, too, but Sunday doesn't.", 1),
    ("dates", "counting", "I don't know.", None),
    ("fares", "base", "That depends, ask my colleague.", None),
]


@pytest.mark.parametrize("family,name,reply,option", PARAPHRASES)
def test_a_free_reply_is_matched_by_its_telling_words(family: str, name: str, reply: str, option: int | None):
    by_name: dict[str, Decision] = {d.name: d for d in generate_task(family, 0).procedural.decisions}
    assert nearest_option(by_name[name], reply) == option


async def test_interviewer_understands_most_of_a_loose_speaker():
    def loose(task: BackendTask, message: str) -> tuple[str, tuple[str, ...]]:
        fact, settled = exact_reply(task, message)
        words = fact.rstrip(".").lower().split()
        return "Well, you see, " + " ".join(reversed(words)) + " - that is how we do it", settled

    wins = [(await play(task, Interviewer(), i, reply=loose))[0] for i, task in enumerate(TASKS)]
    assert sum(wins) / len(wins) > 0.8


async def test_interviewer_gives_up_on_a_collaborator_who_knows_nothing():
    for i, task in enumerate(TASKS[:13]):
        said = (await play(task, Interviewer(), i, reply=lambda *_: ("I don't know.", ())))[2]
        assert len(said) == len(set(said)) == len(task.procedural.hidden) + 1 and MARKER in said[-1]


async def test_a_second_fact_in_a_reply_is_not_asked_for_again():
    task = next(t for t in TASKS if len(t.procedural.hidden) >= 6)
    first, second = task.procedural.hidden[:2]

    def generous(task: BackendTask, message: str) -> tuple[str, tuple[str, ...]]:
        fact, settled = exact_reply(task, message)
        extra = second.options[second.chosen].fact if message == first.question else ""
        return f"{fact} {extra}", settled

    success, _, said = await play(task, Interviewer(), 0, reply=generous)
    assert success and second.question not in said


# --- requests that come from no family ---------------------------------------------------------------------------

REQUESTS = [
    "Average the marks. The signature of the function is: def average(marks)",
    "Sort it.The signature of the function is: def order(rows, key='x', *, reverse: bool = False)",
    "Weights. The signature of the function is: def weighted(reviews, weights={'MobyScore'",
    "Typed: def f(a: list[tuple[int, str]], b=(1, 2)) -> dict[str, int]",
    "No signature at all",
    "Odd: def class(x)",
    "Cut: def g(",
    "Bare: def h",
    "",
]


def one_turn(request: str, left: int = 10) -> Observation:
    return Observation(messages=({"role": "user", "content": request},), turns_left=left)


@pytest.mark.parametrize("request_text", REQUESTS)
async def test_any_request_gets_questions_and_code_that_compiles(request_text: str):
    for agent in (Impatient(), Interviewer(), Explorer(), Interviewer(0)):
        final = (await agent.start(EpisodeStart("e", 3, 10)).act(one_turn(request_text, left=1))).text
        code = code_of(final)
        assert code is not None
        assert isinstance(ast.parse(code).body[0], ast.FunctionDef)
    task = BackendTask(task_id="x", problem_description=request_text or " ", ground_truth="", test_cases={})
    said = (await play(task, Interviewer(), 0, reply=lambda *_: ("It is a list of numbers.", ())))[2]
    assert tuple(said[:-1]) == GENERIC_QUESTIONS
    said = (await play(task, Interviewer(topics=2), 0, reply=lambda *_: ("Hm.", ())))[2]
    assert tuple(said[:-1]) == GENERIC_QUESTIONS[:2]
    said = (await play(task, Explorer(answer=0.0), 0, reply=lambda *_: ("Hm.", ())))[2]
    assert len(said) == 10 and set(said[:-1]) <= {*GENERIC_QUESTIONS, *IRRELEVANT_QUESTIONS}


def test_best_effort_uses_what_it_heard():
    request = "Do it. The signature of the function is: def f(marks)"
    assert "return sum(marks) / len(marks)" in best_effort(request, ["I want the average of the marks."])
    assert "return max(marks)" in best_effort(request, ["The highest one."])
    for source, marks, value in (
        (best_effort(request, ["the mean"]), [1, 2, 3], 2),
        (best_effort(request, ["the mean"]), [], []),
        (best_effort(request, ["hm"]), 5, 5),
    ):
        namespace: dict = {}
        exec(source, namespace)
        assert namespace["f"](marks) == value


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=40), max_size=2))
@example("A¼", [])
def test_best_effort_always_compiles(tail: str, replies: list[str]):
    for request in (tail, f"Please. The signature of the function is: def f({tail}"):
        ast.parse(best_effort(request, replies))


async def test_messages_beyond_the_dialogue_are_put_up_with():
    task = TASKS[0]
    messages = (
        {"role": "system", "content": "You are a helpful agent. def quiz_score(a, b)"},
        {"role": "user", "content": "Play this game.\n\n" + task.problem_description + "\n"},
    )
    said = await Interviewer().start(EpisodeStart("e", 0, 10)).act(Observation(messages=messages, turns_left=10))
    assert family_of(messages[1]["content"]) is family_of(task)
    assert said.text == task.procedural.hidden[0].question
