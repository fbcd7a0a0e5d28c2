"""Known credit and exact values, against counting by hand and against playing many episodes."""

from __future__ import annotations

import itertools
import random

import pytest

from colbench.agents.scripted import ExplorerPolicy, ImpatientPolicy, InterviewerPolicy, SilentPolicy
from colbench.credit import (
    ANSWER,
    Potential,
    advantages,
    exact_value,
    exact_values,
    known_credit,
    potential,
    trajectory_advantages,
    trajectory_credit,
)
from colbench.errors import ConfigurationError
from colbench.tasks.procedural import generate_task, procedural_tasks
from colbench.tasks.schema import BackendTask, Decision, DecisionOption, ProceduralRecord
from colbench.trajectory import ReplyRecord, Trajectory, TurnRecord


def _decision(name: str, size: int, chosen: int, stated: bool = False) -> Decision:
    options = tuple(DecisionOption(key=str(i), fact=f"{name} is {i}.") for i in range(size))
    return Decision(name=name, topic=name, question=f"{name}?", options=options, chosen=chosen, stated=stated)


# a (2 options, stated), b (3), c (2); the reference is (1, 2, 0). Besides it (1, 0, 0) passes, and (0, 0, 1), which
# contradicts the request.
RECORD = ProceduralRecord(
    family="hand",
    version=1,
    seed=0,
    decisions=(_decision("a", 2, 1, stated=True), _decision("b", 3, 2), _decision("c", 2, 0)),
    passing=((0, 0, 1), (1, 0, 0), (1, 2, 0)),
)


def test_potential_counted_by_hand():
    assert potential(RECORD) == pytest.approx(2 / 6)
    assert potential(RECORD, ["c"]) == pytest.approx(2 / 3)
    assert potential(RECORD, ["b"]) == pytest.approx(1 / 2)
    assert potential(RECORD, ["b", "a", "b"]) == pytest.approx(1 / 2)
    assert potential(RECORD, ["b", "c"]) == 1.0


def test_credit_counted_by_hand():
    assert known_credit(RECORD, [["b"], [], ["c"]], 1.0) == pytest.approx([1 / 6, 0.0, 1 / 2, 0.0])
    assert known_credit(RECORD, [["c"]], 0.0) == pytest.approx([1 / 3, -2 / 3])
    assert known_credit(RECORD, [], 1.0) == pytest.approx([2 / 3])


def test_exact_values_by_hand():
    assert exact_value(RECORD, ImpatientPolicy()) == pytest.approx(2 / 6)
    assert exact_value(RECORD, InterviewerPolicy(1)) == pytest.approx(1 / 2)
    assert exact_value(RECORD, InterviewerPolicy(1, shuffled=True)) == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert exact_value(RECORD, InterviewerPolicy()) == 1.0
    assert exact_value(RECORD, InterviewerPolicy(), max_turns=2) == pytest.approx(1 / 2)
    assert exact_value(RECORD, SilentPolicy()) == 0.0
    # Two turns: answer with 1/4, else half of the questions are idle and the others ask a, b or c alike.
    explorer = ExplorerPolicy(answer=0.25, idle=0.5)
    asked = (2 / 6 + 1 / 2 + 2 / 3) / 3
    assert exact_value(RECORD, explorer, max_turns=2) == pytest.approx(0.25 * 2 / 6 + 0.375 * 2 / 6 + 0.375 * asked)


def test_values_from_the_middle_of_an_episode():
    assert exact_value(RECORD, InterviewerPolicy(2), settled=["c"], turn=1) == 1.0
    assert exact_value(RECORD, InterviewerPolicy(2), settled=["c"], turn=2) == pytest.approx(2 / 3)
    assert exact_values(RECORD, InterviewerPolicy(1), [["c"], []]) == pytest.approx([1 / 2, 2 / 3, 2 / 3])
    gains = advantages(RECORD, InterviewerPolicy(1), [["c"], []], 1.0)
    assert gains == pytest.approx([1 / 6, 0.0, 1 / 3])
    with pytest.raises(ConfigurationError, match="only 10 turns"):
        exact_value(RECORD, ImpatientPolicy(), turn=10)


def test_a_policy_of_ones_own():
    class AsksLast:
        def moves(self, decisions, settled, turn, turns_left):
            return [(1.0, ANSWER)] if settled else [(1.0, decisions[-1].name)]

    assert exact_value(RECORD, AsksLast()) == pytest.approx(2 / 3)
    assert exact_value(RECORD, AsksLast(), max_turns=1) == 0.0  # its only message asks instead of answering


def test_credits_sum_to_reward_minus_first_potential():
    rng = random.Random(5)
    for task in procedural_tasks("train", 26, seed=4):
        names = [d.name for d in task.procedural.decisions]
        turns = [rng.sample(names, rng.choice((0, 1, 1, 2))) for _ in range(rng.randint(0, 9))]
        for reward in (0.0, 1.0):
            credits = known_credit(task, turns, reward)
            assert len(credits) == len(turns) + 1
            assert sum(credits) == pytest.approx(reward - potential(task), abs=1e-12)
        gains = advantages(task, ExplorerPolicy(), turns, 1.0)
        assert sum(gains) == pytest.approx(1.0 - exact_value(task, ExplorerPolicy()), abs=1e-12)


def test_potential_agrees_with_counting_every_combination():
    task = generate_task("ranking", 5)
    record = task.procedural
    phi = Potential(task)
    chosen = [d.chosen for d in record.decisions]
    hidden = [d.name for d in record.hidden]
    for settled in itertools.chain(
        [()], itertools.combinations(hidden, 1), itertools.combinations(hidden, 2), [hidden]
    ):
        fixed = [i for i, d in enumerate(record.decisions) if d.stated or d.name in settled]
        consistent = [
            c
            for c in itertools.product(*(range(len(d.options)) for d in record.decisions))
            if all(c[i] == chosen[i] for i in fixed)
        ]
        assert phi(settled) == pytest.approx(len(set(consistent) & set(record.passing)) / len(consistent))
    assert phi(hidden) == 1.0


def test_every_further_question_raises_the_value():
    for task in procedural_tasks("test", 13, seed=8):
        values = [exact_value(task, InterviewerPolicy(k)) for k in range(len(task.procedural.hidden) + 1)]
        assert values == sorted(values) and values[-1] == 1.0 and values[0] <= 0.05
        shuffled = [exact_value(task, InterviewerPolicy(k, shuffled=True)) for k in range(len(values))]
        assert shuffled == sorted(shuffled)
        assert (shuffled[0], shuffled[-1]) == pytest.approx((values[0], 1.0))


def _trajectory(task: BackendTask, settled: list, success: bool | None, **more) -> Trajectory:
    turns = [
        TurnRecord(raw="?", visible="?", reply=ReplyRecord(text="!", settled=None if s is None else tuple(s)))
        for s in settled
    ]
    turns.append(TurnRecord(raw="I WANT TO ANSWER: x", visible="I WANT TO ANSWER: x"))
    return Trajectory(
        env_id="e", task_id=task.task_id, task_hash="h", request="r", turns=turns, success=success, **more
    )


def test_credit_of_a_recorded_episode():
    task = generate_task("pricing", 1)
    name = task.procedural.hidden[0].name
    episode = _trajectory(task, [[name], []], True)
    assert trajectory_credit(task, episode) == known_credit(task, [[name], []], 1.0)
    gains = trajectory_advantages(task, InterviewerPolicy(), episode)
    assert gains == pytest.approx([0.0, 0.0, 0.0])  # asking everything succeeds surely, whatever was asked so far
    with pytest.raises(ConfigurationError, match="could not tell what it settled"):
        trajectory_credit(task, _trajectory(task, [None], True))
    with pytest.raises(ConfigurationError, match="no success or failure"):
        trajectory_credit(task, _trajectory(task, [[name]], None, status="failed"))


def test_what_has_no_credit_is_refused():
    plain = BackendTask(
        task_id="t", problem_description="def f(x)", ground_truth="def f(x):\n    return x", test_cases={}
    )
    with pytest.raises(ConfigurationError, match="task 't': known credit exists for procedural tasks only"):
        potential(plain)
    with pytest.raises(ConfigurationError, match="not a pass or a fail"):
        potential(RECORD.model_copy(update={"passing": ()}))
    with pytest.raises(ConfigurationError, match=r"no decision 'bulk_limt'.* Did you mean 'bulk_limit'"):
        potential(generate_task("pricing", 1), ["bulk_limt"])
    with pytest.raises(ConfigurationError, match=r"reward is 0.7"):
        known_credit(RECORD, [], 0.7)
    with pytest.raises(ConfigurationError, match="settled_per_turn holds None"):
        known_credit(RECORD, [None], 1.0)  # type: ignore[list-item]
    with pytest.raises(ConfigurationError, match="settled_per_turn holds 'b'"):
        known_credit(RECORD, ["b"], 1.0)
