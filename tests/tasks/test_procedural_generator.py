"""Generated tasks: what each promises is checked again here from the rendered sources, by brute force."""

from __future__ import annotations

import hashlib
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colbench.backend.sandbox.worker import _Encoder
from colbench.backend.values import Value
from colbench.errors import ConfigurationError, TaskDataError
from colbench.tasks.procedural import (
    TaskIdentifier,
    backend_families,
    facts_in,
    family_named,
    family_of,
    generate_task,
    procedural_tasks,
    task_from_id,
)
from colbench.tasks.procedural.equality import same
from colbench.tasks.schema import BackendTask

TASKS = [*procedural_tasks("test", 39, seed=11), *procedural_tasks("train", 26, seed=12)]


def _values(task: BackendTask, combination: tuple[int, ...]) -> list:
    family = family_named(task.procedural.family)
    namespace: dict = {}
    exec(family.source(combination), namespace)
    return [eval(call, namespace) for call in task.calls]


def _agree(one: list, other: list) -> bool:
    return all(map(same, one, other))


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.task_id)
def test_a_task_keeps_its_promises(task: BackendTask):
    record = task.procedural
    family = family_of(task)
    chosen = tuple(d.chosen for d in record.decisions)
    reference = _values(task, chosen)

    assert len(task.calls) == len(set(task.calls)) == 10
    assert task.ground_truth == family.source(chosen)
    assert task.entry_point == family.function_name
    assert all(value is not None for value in reference)
    # Every decision, stated or hidden, shows in at least one call, whatever other option is taken.
    for index, flip in family.flips(chosen):
        assert not _agree(reference, _values(task, flip)), record.decisions[index].name
    # The listed combinations pass, and no other of a sample does.
    assert chosen in record.passing
    for combination in record.passing:
        assert _agree(reference, _values(task, combination))
    rng = random.Random(task.task_id)
    for combination in (tuple(rng.randrange(size) for size in family.sizes) for _ in range(25)):
        assert (combination in record.passing) == _agree(reference, _values(task, combination))

    assert 4 <= len(record.hidden) <= 8
    consistent = math.prod(len(d.options) for d in record.hidden)
    hits = sum(all(c[i] == d.chosen for i, d in enumerate(record.decisions) if d.stated) for c in record.passing)
    assert consistent >= 20
    assert hits / consistent <= 0.05
    assert family.split_of(chosen) == record.dials["split"]


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.task_id)
def test_a_request_says_what_is_stated_and_nothing_else(task: BackendTask):
    record = task.procedural
    family = family_of(task.problem_description)
    stated = {d.name: d.chosen for d in record.decisions if d.stated}
    assert family.read_request(task.problem_description) == stated
    assert task.problem_description.endswith(f"The signature of the function is: def {family.signature}")
    assert "passing" not in repr(task) and task.ground_truth not in repr(task)
    for d in record.decisions:
        assert all(option.fact not in repr(task.procedural) for option in d.options)


def test_what_is_worth_asking_differs_between_requests():
    tasks = [generate_task("pricing", seed) for seed in range(20)]
    assert len({tuple(d.name for d in t.procedural.hidden) for t in tasks}) > 10
    orders = {
        tuple(sorted(facts, key=t.problem_description.index))
        for t in (generate_task("pricing", s, stated=4) for s in range(20))
        for facts in [[d.options[d.chosen].fact for d in t.procedural.decisions if d.stated]]
        if facts
    }
    assert len(orders) == 20  # stated sentences come in no fixed order


def test_the_same_id_makes_the_same_task_again():
    for task in TASKS[:8]:
        again = task_from_id.__wrapped__(task.task_id)  # past the cache
        assert again == task
        assert again.content_hash == task.content_hash
    assert len({t.content_hash for t in TASKS}) == len(TASKS)


def test_tasks_are_the_same_on_every_machine_and_python():
    blob = "".join(generate_task(f.name, 7, split="test").content_hash for f in backend_families())
    assert hashlib.sha256(blob.encode()).hexdigest()[:16] == "6d47c7b15f5970dc"


def test_train_and_test_share_no_combination():
    chosen = {
        split: {
            (t.procedural.family, tuple(d.chosen for d in t.procedural.decisions))
            for t in procedural_tasks(split, 40, seed=3, families=["fares", "usage"])
        }
        for split in ("train", "test")
    }
    assert not chosen["train"] & chosen["test"]


def test_dials():
    assert len(generate_task("dates", 1, stated=3).procedural.hidden) == 5
    assert len(generate_task("dates", 1, hidden=4).procedural.hidden) == 4
    assert generate_task("dates", 1, hidden=4).task_id == "proc-v1/dates/train/h4/000001"
    assert {len(t.procedural.hidden) for t in procedural_tasks("train", 40, families=["fares"])} == {4, 5, 6, 7, 8}
    with pytest.raises(ConfigurationError, match="4 to 8 can be hidden; the dials ask for 1"):
        generate_task("dates", 1, stated=7)
    with pytest.raises(ConfigurationError, match="not both"):
        generate_task("dates", 1, stated=4, hidden=4)
    with pytest.raises(ConfigurationError, match="must be 'train' or 'test'"):
        generate_task("dates", 1, split="dev")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="Did you mean 'hidden'"):
        procedural_tasks("train", 1, hiden=4)
    with pytest.raises(ConfigurationError, match="did you mean 'dates'"):
        procedural_tasks("train", 1, families=["date"])
    for arguments, message in (
        ({"family": "fares", "seed": 1.5}, r"seed must be a whole number, actually: 1\.5"),
        ({"family": "fares", "seed": True}, "seed must be a whole number, actually: True"),
        ({"family": "fares", "seed": None}, "seed must be a whole number, actually: None"),
        ({"family": "fares", "seed": 1, "hidden": "5"}, "hidden must be a whole number, actually: '5'"),
        ({"family": 3, "seed": 1}, "family must be the name of a family, or a Family, actually: 3"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            generate_task(**arguments)
    with pytest.raises(ConfigurationError, match="n must be a whole number, actually: '3'"):
        procedural_tasks("train", "3")
    with pytest.raises(ConfigurationError, match=r"give a list of names: \['fares'\]"):
        procedural_tasks("train", 3, families="fares")
    assert generate_task("fares", np.int64(7)) == generate_task("fares", 7)
    with pytest.raises(ConfigurationError, match="n is -1"):
        procedural_tasks("train", -1)


def test_sets_of_different_seeds_share_no_task():
    one = {t.task_id for t in procedural_tasks("train", 20, seed=1)}
    two = {t.task_id for t in procedural_tasks("train", 20, seed=2)}
    assert not one & two
    assert [t.procedural.family for t in procedural_tasks("train", 13)] == [f.name for f in backend_families()]


def test_ids_can_be_read_and_written():
    made = TaskIdentifier("pricing", "test", 3, None, 123)
    assert str(made) == "proc-v1/pricing/test/s3/000123"
    assert TaskIdentifier.parse(str(made)) == made
    big = TaskIdentifier("pricing", "train", None, None, 98765432101234567890)
    assert TaskIdentifier.parse(str(big)) == big
    for wrong in ("pricing", "proc-v1/pricing/test/s3/12", "proc-v1/pricing/dev/any/000001", "proc-v1/a/test/x/000001"):
        with pytest.raises(TaskDataError, match="not the id of a procedural task"):
            TaskIdentifier.parse(wrong)
    with pytest.raises(TaskDataError, match="did you mean"):
        TaskIdentifier.parse("proc-v1/pricing/test/s3/0000123")
    with pytest.raises(TaskDataError, match="generator version 9"):
        task_from_id("proc-v9/pricing/test/any/000001")


def test_equality_is_the_one_of_strict_grading():
    assert (
        same(1, 1.0) and same(True, 1) and same(0.1 + 0.2, 0.3) and same([1, {"a": 1e9 + 0.1}], [1, {"a": 1e9 + 0.2}])
    )
    assert same(float("nan"), float("nan")) and same([float("nan")], [float("nan")])
    assert not same([1], (1,)) and not same(1, "1") and not same([1, 2], [1]) and not same({"a": 1}, {"b": 1})
    assert not same(1.0, 1.0 + 1e-6) and not same(None, 0) and not same("a", 1.5)


_SCALARS = (
    st.integers(-3, 3) | st.booleans() | st.sampled_from([0.5, 1.0, 1.0 + 1e-11, 1.0 + 1e-6, 0.0, 1e-13, math.nan])
)
_PLAIN = st.recursive(
    _SCALARS | st.sampled_from(["", "a", "1"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.lists(inner, max_size=2).map(tuple)
        | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=300, deadline=None)
@given(_PLAIN, _PLAIN)
def test_equality_agrees_with_the_grader(one, other):
    encoder = _Encoder(10_000, 1_000)
    assert same(one, other) == Value(encoder.encode(one)).equal(Value(encoder.encode(other)))
    assert same(one, one) == Value(encoder.encode(one)).equal(Value(encoder.encode(one)))


def test_facts_survive_a_reply_broken_into_lines():
    family = family_named("fares")
    fact = family.decisions[0].options[1].fact
    assert facts_in("Sure:\n" + fact.replace(" ", "\n", 2), family.decisions) == {"base": 1}
