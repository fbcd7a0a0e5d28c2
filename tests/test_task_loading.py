"""Task sources: bundled, file, hub, records."""

import copy
import json
import sys
import types

import pytest

from colbench.errors import ConfigurationError, MissingExtraError, TaskDataError
from colbench.tasks import BackendTask, TaskSet, load_tasks

RECORD = {
    "problem_description": "Double it. The signature of the function is: def double(x)",
    "ground_truth": "def double(x):\n    return 2 * x",
    "test_cases": {"test1": "double(1)", "case1": None, "any name": "double(2)"},
}


def write(path, *records):
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


def test_bundled_sets_have_ids_and_a_stable_hash():
    train, test = load_tasks("bundled", split="train"), load_tasks("bundled", split="test")
    assert len(train) >= 60
    assert len(test) >= 40
    assert not {t.task_id for t in train} & {t.task_id for t in test}
    assert load_tasks("bundled", split="test").content_hash == test.content_hash
    assert test.get(test[3].task_id) is test[3]


def test_file_with_bom_null_calls_and_odd_keys(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(RECORD).encode() + b"\r\n\r\n")
    (task,) = load_tasks(str(path))
    assert isinstance(task, BackendTask)
    assert task.calls == ("double(1)", "double(2)")
    assert task.entry_point == "double"
    assert task.task_id == "mine-00000"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ground_truth": None}, r":2: a backend task needs 'ground_truth'"),
        ({"test_cases": {}}, r":2: 'test_cases' holds no call"),
        ({"test_cases": {"a": 3}}, r":2: field 'test_cases.a'"),
        ({"test_cases": ["f()"]}, r":2: field 'test_cases'"),
        ({"problem_description": "no", "ground_truth": "x = 1"}, r":2: no function name found"),
        ({"task_id": "mine-00000"}, r":2: task id 'mine-00000' stands already in line 1"),
    ],
)
def test_bad_records_name_file_line_and_field_but_not_the_value(tmp_path, change, message):
    path = write(tmp_path / "mine.jsonl", RECORD, {**RECORD, **change})
    with pytest.raises(TaskDataError, match=message) as caught:
        load_tasks(path)
    assert "return 2 * x" not in str(caught.value)


def test_unknown_sources_and_splits():
    with pytest.raises(ConfigurationError, match="Did you mean 'bundled'"):
        load_tasks("bundeld")
    with pytest.raises(ConfigurationError, match="split must be 'train' or 'test', actually: 'dev'"):
        load_tasks("bundled", split="dev")  # type: ignore[arg-type]
    with pytest.raises(TaskDataError, match="cannot be opened"):
        load_tasks("no/such.jsonl")
    with pytest.raises(ConfigurationError, match="n must be a whole number, actually: 'many'"):
        load_tasks("procedural:n=many")
    with pytest.raises(ConfigurationError, match="given to a frontend environment"):
        load_tasks(TaskSet.from_records([RECORD], kind="backend"), kind="frontend")


def test_task_sets_hide_their_content():
    tasks = TaskSet.from_records([RECORD], kind="backend", name="mine")
    for text in (repr(tasks), str(tasks), repr(tasks[0]), str(tasks[0])):
        assert "2 * x" not in text
        assert "double(1)" not in text
    assert copy.deepcopy(tasks) is tasks
    with pytest.raises(TaskDataError, match="no task 'mine-0001'; near: mine-00000"):
        tasks.get("mine-0001")
    with pytest.raises(TaskDataError, match="is empty"):
        TaskSet([], name="none", kind="backend")


def test_procedural_source_options():
    tasks = load_tasks("procedural:n=6,seed=3", split="train")
    assert len(tasks) == 6
    assert tasks.name == "procedural-backend-train-n6-s3"
    assert [t.task_id for t in tasks] == [t.task_id for t in load_tasks("procedural:n=6,seed=3", split="train")]


def fake_datasets(monkeypatch, load):
    module = types.ModuleType("datasets")
    module.load_dataset = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", module)


class Rows(list):
    def select(self, indices):
        return Rows(self[i] for i in indices)


def test_hub_uses_the_published_files_and_the_first_thousand(monkeypatch):
    asked = []

    def load(repository, data_files, split):
        asked.append((repository, data_files, split))
        return Rows({**RECORD, "test_cases": {**RECORD["test_cases"], "test9": None}} for _ in range(1200))

    fake_datasets(monkeypatch, load)
    test = load_tasks("hub", split="test")
    assert asked == [("facebook/collaborative_agent_bench", {"test": "backend_tasks/test.jsonl"}, "test")]
    assert len(test) == 1000
    assert test[0].calls == ("double(1)", "double(2)")  # type: ignore[union-attr]
    assert len(load_tasks("hub:me/copy", split="train")) == 1200
    assert asked[-1] == ("me/copy", {"train": "backend_tasks/train.jsonl"}, "train")


def test_hub_errors_name_the_right_files(monkeypatch):
    def load(*_, **__):
        raise FileNotFoundError("no network")

    fake_datasets(monkeypatch, load)
    with pytest.raises(TaskDataError, match=r"backend_tasks/test\.jsonl.*no network.*backend_tasks/train\.jsonl"):
        load_tasks("hub", split="test")
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'colbench\[hub\]'"):
        load_tasks("hub")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "cannot be loaded from None; give 'bundled'"),
        (5, "cannot be loaded from 5; give 'bundled'"),
        (b"bundled", "cannot be loaded from b'bundled'"),
        ("", "the task source '' is empty; give 'bundled'"),
        ({}, r"one mapping \(with no fields\) is no set of tasks; put it in a list"),
        (RECORD, r"one mapping \(with 'problem_description', .*put it in a list"),
        ("procedural:n=3,n=4", "'n' is given twice"),
        ("procedural:m=3", "unknown option 'm'.*families, hidden, n, seed, stated"),
    ],
)
def test_what_is_no_source_is_refused_with_what_to_give(source, message):
    with pytest.raises(ConfigurationError, match=message) as caught:
        load_tasks(source)
    assert "2 * x" not in str(caught.value)
    with pytest.raises(ConfigurationError, match="put it in a list"):
        load_tasks(load_tasks([RECORD])[0])  # type: ignore[arg-type]


def test_records_may_come_from_any_iterable():
    records = [{**RECORD, "task_id": str(i)} for i in range(3)]
    tasks = load_tasks(record for record in records)
    assert [task.task_id for task in tasks] == ["0", "1", "2"]
    assert load_tasks(iter(tasks)).content_hash == tasks.content_hash
    assert load_tasks(tuple(records)).content_hash == tasks.content_hash


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ground_truth": ""}, "'ground_truth' is empty"),
        ({"problem_description": " \n"}, "'problem_description' is empty"),
        ({"ground_truth": None}, "'ground_truth' is null"),
        ({"task_id": ["secret"]}, r"field 'task_id': must be text, actually: list \['secret'\]"),
        ({"ground_truth": ["secret"]}, "field 'ground_truth': must be text, actually: list$"),
        ({"test_cases": {"a": ["secret"]}}, "field 'test_cases.a': must be text, actually: list$"),
        ({"task_id": "a\u202eb"}, "'task_id' must be one line"),
    ],
)
def test_records_with_empty_or_odd_fields(change, message):
    with pytest.raises(TaskDataError, match=message):
        load_tasks([{**RECORD, **change}])
