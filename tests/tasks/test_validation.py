"""The validator finds what makes a task unfair, and names the line."""

import json

import pytest

from colbench.errors import TaskDataError
from colbench.tasks.validation import validate_file

GOOD = {
    "task_id": "good",
    "problem_description": "Double it. The signature of the function is: def double(x)",
    "ground_truth": "def double(x):\n    return 2 * x",
    "test_cases": {f"test{i}": f"double({i})" for i in range(10)},
}


def variant(name, source, **changes):
    return {
        **GOOD,
        "task_id": name,
        "problem_description": GOOD["problem_description"] + " " * len(name),
        **changes,
    } | ({"ground_truth": source} if source else {})


CASES = [
    (variant("none", "def double(x):\n    return None if x == 3 else x"), "error", "returns None for 'test3'"),
    (variant("raises", "def double(x):\n    return 1 // (x - 2)"), "error", "fails 'test2', 'double(2)': exception"),
    (variant("chance", "import random\ndef double(x):\n    return random.random()"), "error", "under another seed"),
    (
        variant("order", "def double(x):\n    return list({str(x) + c for c in 'abcdefgh'})"),
        "error",
        "under another seed",
    ),
    (variant("flat", "def double(x):\n    return 7"), "error", "hardly tell solutions apart: 1 distinct"),
    (variant("two", "def double(x):\n    return x > 4"), "warning", "2 distinct results of 10"),
    (
        variant("hang", "def double(x):\n    while x == 1: pass\n    return x"),
        "error",
        "fails 'test1', 'double(1)': timeout",
    ),
    (
        variant("odd call", None, test_cases={"a": "double(1)", "b": "double(2)", "c": "3 + 4"}),
        "warning",
        "'c' does not call 'double'",
    ),
    (
        variant("twice", None, test_cases={"a": "double(1)", "b": "double(1)", "c": "double(2)", "d": "double(4)"}),
        "warning",
        "stands 2 times",
    ),
    ({**GOOD, "problem_description": "x def double(x)"}, "error", "stands already in line 1"),
    ({"task_id": "empty"}, "error", "a backend task needs"),
    (variant("undefined", "x = 1"), "error", "the reference does not define 'double'"),
    (variant("other name", "def g(x):\n    return x"), "error", "the reference does not define 'double'"),
    (variant("torn call", None, test_cases={"a": "double(1"}), "error", "'a' is not a Python expression: 'double(1'"),
    (variant("null", None, ground_truth=None), "error", "needs 'ground_truth'; 'ground_truth' is null"),
    (variant("no reference", " \n", groundtruth=""), "error", "'ground_truth' is empty"),
    ({**GOOD, "problem_description": " "}, "error", "'problem_description' is empty"),
    ({**GOOD, "task_id": 5}, "error", "field 'task_id': must be text, actually: int 5"),
    ({**GOOD, "task_id": ""}, "error", "'task_id' must be one line of text"),
    ({**GOOD, "task_id": "a\nb"}, "error", r"actually: 'a\nb'"),
    ({**GOOD, "task_id": "a\x1bb"}, "error", r"actually: 'a\x1bb'"),
    (variant("unread", None, tests_cases={}), "warning", "the field 'tests_cases' is not read; is it 'test_cases'?"),
    (
        variant("told", None, problem_description=GOOD["problem_description"] + "\n" + GOOD["ground_truth"] + "\n"),
        "warning",
        "contains the whole reference",
    ),
]


def test_findings_name_line_and_fault(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(json.dumps(r) for r in [GOOD, *(c[0] for c in CASES)]))
    findings = list(validate_file(path))
    assert not [f for f in findings if f.line == 1]
    for line, (record, severity, message) in enumerate(CASES, 2):
        found = [f for f in findings if f.line == line]
        assert any(f.severity == severity and message in f.message for f in found), (record["task_id"], found)
        assert str(found[0]).startswith(f"{path}:{line}: ")


@pytest.mark.parametrize("split", ["train", "test"])
def test_bundled_tasks_have_no_finding(split):
    from importlib import resources

    with resources.as_file(resources.files("colbench.tasks") / "data" / f"backend_{split}.jsonl") as path:
        assert [str(f) for f in validate_file(path)] == []


def test_an_unreadable_file(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("")
    with pytest.raises(TaskDataError, match="holds no task"):
        list(validate_file(path))


def test_a_file_of_bad_lines_only_gives_a_finding_for_each(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in ({"groundtruth": "x"}, {"task_id": "b\x1b[2J"})))
    first, second = (str(finding) for finding in validate_file(path))
    assert "Did you mean 'groundtruth'?" in first
    assert second.startswith(f"{path}:2: error: 'b\\x1b[2J': a backend task needs")
