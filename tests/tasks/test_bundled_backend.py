"""The bundled backend tasks must be fair to grade: every reference runs, repeats itself and tells its calls apart."""

from __future__ import annotations

import ast
import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

import colbench.tasks

DATA = Path(colbench.tasks.__file__).parent / "data"
SPLITS = {"train": 60, "test": 40}
ENDING = re.compile(r"(?P<request>.*\S) The signature of the function is: (?P<signature>def (?P<name>\w+)\([^()]*\))$")
MAX_REFERENCE_LINES = 45


def records_of(split: str) -> list[dict[str, Any]]:
    path = DATA / f"backend_{split}.jsonl"
    assert path.is_file(), f"{path} is missing"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def name_of(record: dict[str, Any]) -> str:
    found = ENDING.match(record["problem_description"])
    assert found, record["problem_description"]
    return found["name"]


def parameters_of(record: dict[str, Any]) -> set[str]:
    function = ast.parse(record["ground_truth"]).body[-1]
    assert isinstance(function, ast.FunctionDef)
    return {argument.arg for argument in function.args.args}


def results_of(record: dict[str, Any]) -> list[Any]:
    """Run every call of a record in a namespace of its own, as a fresh interpreter would."""
    namespace: dict[str, Any] = {}
    exec(compile(record["ground_truth"], record["task_id"], "exec"), namespace)
    return [eval(call, namespace) for call in record["test_cases"].values()]


def is_plain(value: Any) -> bool:
    if type(value) in (list, tuple):
        return all(map(is_plain, value))
    if type(value) is dict:
        return all(is_plain(key) and is_plain(item) for key, item in value.items())
    return type(value) in (int, float, str, bool)


CASES = [pytest.param(record, id=record["task_id"]) for split in SPLITS for record in records_of(split)]


@pytest.mark.parametrize(("split", "at_least"), SPLITS.items())
def test_each_split_has_enough_records_and_stable_ids(split: str, at_least: int) -> None:
    records = records_of(split)
    assert len(records) >= at_least
    assert [record["task_id"] for record in records] == [
        f"backend-{split}-{number:03d}" for number in range(1, len(records) + 1)
    ]


def test_train_covers_many_domains() -> None:
    assert len({record["domain"] for record in records_of("train")}) >= 15


@pytest.mark.parametrize("field", ["task_id", "problem_description", "ground_truth"])
def test_no_record_occurs_twice(field: str) -> None:
    values = [record[field] for split in SPLITS for record in records_of(split)]
    assert len(values) == len(set(values))


def test_train_and_test_ask_for_different_functions() -> None:
    names = {split: [name_of(record) for record in records_of(split)] for split in SPLITS}
    for split_names in names.values():
        assert len(split_names) == len(set(split_names))
    assert not set(names["train"]) & set(names["test"])


@pytest.mark.parametrize("record", CASES)
def test_record_follows_the_published_schema(record: dict[str, Any]) -> None:
    assert set(record) == {"task_id", "domain", "problem_description", "ground_truth", "test_cases"}
    assert all(isinstance(record[field], str) and record[field].strip() for field in set(record) - {"test_cases"})
    assert list(record["test_cases"]) == [f"test{number}" for number in range(1, 11)]
    calls = list(record["test_cases"].values())
    assert len(set(calls)) == 10
    for call in calls:
        expression = ast.parse(call, mode="eval").body
        assert isinstance(expression, ast.Call) and isinstance(expression.func, ast.Name)
        assert expression.func.id == name_of(record)


@pytest.mark.parametrize("record", CASES)
def test_request_ends_with_the_signature_of_the_reference(record: dict[str, Any]) -> None:
    found = ENDING.match(record["problem_description"])
    assert found
    assert f"{found['signature']}:" in record["ground_truth"].splitlines()
    definitions = [node for node in ast.parse(record["ground_truth"]).body if isinstance(node, ast.FunctionDef)]
    assert [node.name for node in definitions] == [found["name"]]
    assert len(record["ground_truth"].splitlines()) <= MAX_REFERENCE_LINES


@pytest.mark.parametrize("record", CASES)
def test_request_is_short_and_shows_no_code(record: dict[str, Any]) -> None:
    found = ENDING.match(record["problem_description"])
    assert found
    assert 20 <= len(found["request"]) <= 400
    assert not re.search(r"[=_{}\[\]`]|\breturn\b.*\(|==", found["request"])


@pytest.mark.parametrize("record", CASES)
def test_reference_is_deterministic_and_tells_its_calls_apart(record: dict[str, Any]) -> None:
    first, second = results_of(record), results_of(record)
    assert first == second
    assert all(is_plain(result) for result in first)
    assert len({repr(result) for result in first}) >= 5


@pytest.mark.parametrize("record", CASES)
def test_reference_leaves_its_arguments_alone_and_works_in_a_local_scope(record: dict[str, Any]) -> None:
    # The published scorer defines answers inside a function, where a top-level import or helper is out of reach.
    scope: dict[str, Any] = {}
    exec(record["ground_truth"], {}, scope)
    function = scope[name_of(record)]

    def watched(*args: Any, **kwargs: Any) -> Any:
        before = copy.deepcopy((args, kwargs))
        result = function(*args, **kwargs)
        assert (args, kwargs) == before
        return result

    names = {name_of(record): watched}
    assert [eval(call, {}, names) for call in record["test_cases"].values()] == results_of(record)


def test_every_reference_takes_at_least_one_argument() -> None:
    assert all(parameters_of(record) for split in SPLITS for record in records_of(split))
