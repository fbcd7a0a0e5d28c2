"""Grading a file: every line, in order, with nothing lost when something stops it."""

import json

import pytest

from colbench.backend.grade_file import grade_file
from colbench.backend.grading import Grader
from colbench.errors import ConfigurationError, TaskDataError

TRUTH = "def twice(x):\n    return 2 * x\n"
CALLS = {"test1": "twice(1)", "case1": None, "test2": "twice('a')"}


@pytest.fixture(scope="module")
def grader():
    with Grader(workers=1, allow_weaker=True) as grader:
        yield grader


def line(answer, **more):
    return {"ground_truth": TRUTH, "test_cases": CALLS, "answer": answer, **more}


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def read(path):
    return [json.loads(text) for text in path.read_text().splitlines()]


RIGHT, HALF, NONE = "def twice(x): return x + x", "def twice(x): return 2 + 0 * len(str(x))", "I do not know."


def test_every_line_in_order(tmp_path, grader):
    write(
        tmp_path / "in.jsonl",
        [line(RIGHT, task_id="a"), line(HALF, id=7), line(NONE), line(None), line("```python\n" + RIGHT + "\n```")] * 3,
    )
    seen = []
    done = grade_file(
        tmp_path / "in.jsonl", tmp_path / "sub" / "out.jsonl", grader=grader, on_result=lambda n, r: seen.append(n)
    )
    records = read(tmp_path / "sub" / "out.jsonl")
    assert [record["score"] for record in records] == [1.0, 0.5, 0.0, 0.0, 1.0] * 3
    assert [record["passed"] for record in records[:2]] == [2, 1]
    assert all(record["total"] == 2 == len(record["outcomes"]) for record in records)
    assert [outcome["status"] for outcome in records[1]["outcomes"]] == ["equal", "different"]
    assert {record["grading"] for record in records} == {"strict"}
    assert {record["isolation"] for record in records} == {grader.isolation}
    assert records[0]["task_id"] == "a" and records[1]["id"] == 7 and "task_id" not in records[2]
    assert seen == list(range(1, 16))
    assert (done.lines, done.successes, done.resumed) == (15, 6, 0)
    assert done.mean_score == pytest.approx(0.5)
    assert list(tmp_path.glob("**/*.partial")) == []


def test_byte_order_mark_crlf_and_blank_lines(tmp_path, grader):
    text = "\ufeff" + json.dumps(line(RIGHT)) + "\r\n\r\n   \r\n" + json.dumps(line(HALF)) + "\r\n\r\n"
    (tmp_path / "in.jsonl").write_bytes(text.encode())
    grade_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl", grader=grader)
    assert [record["score"] for record in read(tmp_path / "out.jsonl")] == [1.0, 0.5]


def test_the_published_record_with_the_task_inside(tmp_path, grader):
    task = {"problem_description": "Double it. The signature of the function is: def twice(x)", **line("")}
    del task["answer"]
    write(tmp_path / "in.jsonl", [{"task": task, "answer": RIGHT, "dialogue_history": []}])
    grade_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl", grader=grader)
    assert read(tmp_path / "out.jsonl")[0]["score"] == 1.0


def test_an_empty_file_is_refused_and_leaves_nothing(tmp_path, grader):
    (tmp_path / "in.jsonl").write_text("\n")
    with pytest.raises(TaskDataError, match="holds no answers"):
        grade_file(tmp_path / "in.jsonl", tmp_path / "sub" / "out.jsonl", grader=grader)
    assert list(tmp_path.iterdir()) == [tmp_path / "in.jsonl"]


@pytest.mark.parametrize("mode", ["strict", "paper"])
def test_a_broken_task_is_never_silent(tmp_path, grader, mode):
    tasks = [
        {},
        {"ground_truth": "def twice(:"},
        {"ground_truth": "def other(x): return x"},
        {"ground_truth": "def twice(x):\n    while True: pass"},
        {"ground_truth": "def twice(x): return 1 // (x == 1)", "test_cases": {"a": "twice(1)", "b": "twice(2)"}},
        {"test_cases": {"a": "twice(1)", "torn": "twice(1"}},
    ]
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    write(source, [line(answer, **task) for task in tasks for answer in (RIGHT, None)])
    with Grader(mode, workers=1, allow_weaker=True, call_seconds=0.3) as mine:
        done = grade_file(source, out, grading=mode, grader=mine)
        again = grade_file(source, out, grading=mode, grader=mine)
    faults = [record.get("reference", "") for record in read(out)]
    assert faults[0::2] == faults[1::2]
    assert faults[0] == ""
    assert faults[2] == "broken: the reference gives no value for any call (exception SyntaxError)"
    assert faults[4] == "broken: the reference gives no value for any call (exception NameError)"
    assert faults[6] == "broken: the reference gives no value for any call (timeout)"
    assert faults[8] == "broken: the reference gives no value for 1 of 2 calls (exception ZeroDivisionError)"
    assert faults[10] == "broken: the call 'torn' is not valid Python"
    assert (done.broken, done.nulls) == (again.broken, again.nulls) == (10, 6)
    assert done.first_broken == again.first_broken == f"{source}:3: {faults[2]}"


def test_results_that_are_there_are_kept(tmp_path, grader):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    write(source, [line(RIGHT), line(HALF)])
    first = grade_file(source, out, grader=grader)
    whole = out.read_bytes()
    again = grade_file(source, out, grader=grader, on_result=lambda n, r: pytest.fail("graded again"))
    assert again.already and not first.already
    assert (again.lines, again.mean_score, again.successes) == (2, 0.75, 1)
    with Grader("paper", workers=1, allow_weaker=True) as paper, pytest.raises(ConfigurationError, match="--overwrite"):
        grade_file(source, out, grading="paper", grader=paper)
    for text in ("my thesis\n", "", whole.decode().splitlines(keepends=True)[0], whole.decode() * 2):
        out.write_text(text)
        with pytest.raises(ConfigurationError, match=r"does not hold the results of .*--overwrite"):
            grade_file(source, out, grader=grader)
        assert out.read_text() == text
    assert not grade_file(source, out, grader=grader, overwrite=True).already
    assert out.read_bytes() == whole
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]


def test_an_out_that_cannot_be_written_is_found_before_grading(tmp_path, grader):
    source = tmp_path / "in.jsonl"
    write(source, [line(RIGHT)])
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigurationError, match="is a folder; give the file"):
        grade_file(source, tmp_path / "folder", grader=grader)
    with pytest.raises(ConfigurationError, match=r"out cannot be written: .*in\.jsonl: File exists"):
        grade_file(source, source / "out", grader=grader)
    with pytest.raises(ConfigurationError, match=r"cannot be written: .*No such file or directory"):
        grade_file(source, "/proc/self/nope/out.jsonl", grader=grader)
    with pytest.raises(ConfigurationError, match="/dev/null is no regular file"):
        grade_file(source, "/dev/null", grader=grader)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "in.jsonl"]


BAD = {
    "not JSON": ("{nonsense", "not valid JSON"),
    "cut off": ('{"ground_truth": "x', "not valid JSON"),
    "endless number": ('{"ground_truth": ' + "1" * 5_000 + "}", "not valid JSON"),
    "nested too deeply": ("[" * 100_000, "not valid JSON"),
    "array": ("[1]", "expected a JSON object"),
    "no answer": (json.dumps({"ground_truth": TRUTH, "test_cases": CALLS}), "there is no 'answer'"),
    "no reference": (json.dumps({"test_cases": CALLS, "answer": ""}), "there is no 'ground_truth'"),
    "number for text": (json.dumps(line(5)), "'answer' must be a str, actually: int"),
    "list of calls": (json.dumps({**line(""), "test_cases": ["f(1)"]}), "'test_cases' must be a dict"),
    "number for a call": (json.dumps({**line(""), "test_cases": {"t": 1}}), "call 't' must be text"),
    "no calls": (json.dumps({**line(""), "test_cases": {"t": None}}), "holds no call"),
    "not UTF-8": ("\udcff", "not UTF-8"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named_and_what_came_before_is_kept(tmp_path, grader, name):
    text, message = BAD[name]
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    first = json.dumps(line(RIGHT)) + "\n" + json.dumps(line(HALF)) + "\n"
    source.write_bytes((first + "\n" + text + "\n" + json.dumps(line(NONE)) + "\n").encode("utf-8", "surrogateescape"))
    with pytest.raises(TaskDataError) as caught:
        grade_file(source, out, grader=grader)
    assert f"{source}:4" in str(caught.value) and message in str(caught.value)
    assert "2 graded lines are kept" in caught.value.__notes__[0]
    assert not out.exists() and [r["score"] for r in read(tmp_path / "out.jsonl.partial")] == [1.0, 0.5]

    source.write_text(first + json.dumps(line(RIGHT)) + "\n")
    done = grade_file(source, out, grader=grader)
    assert (done.lines, done.resumed) == (3, 2)
    assert [record["score"] for record in read(out)] == [1.0, 0.5, 1.0]


def test_a_killed_run_goes_on_without_losing_or_repeating(tmp_path, grader):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    write(source, [line(RIGHT if n % 2 else HALF, id=n) for n in range(12)])
    grade_file(source, out, grader=grader)
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    partial = tmp_path / "out.jsonl.partial"

    partial.write_bytes(b"".join(lines[:5]) + lines[5][: len(lines[5]) // 2])
    assert grade_file(source, out, grader=grader, overwrite=True).resumed == 5
    assert out.read_bytes() == whole

    # Another answer in the third line: only what stands before it is still true.
    partial.write_bytes(b"".join(lines[:8]))
    records = [line(RIGHT if n % 2 else HALF, id=n) for n in range(12)]
    records[2] = line(NONE, id=2)
    write(source, records)
    assert grade_file(source, out, grader=grader, overwrite=True).resumed == 2
    assert [record["score"] for record in read(out)][:4] == [0.5, 1.0, 0.0, 1.0]

    # Results of another mode are not taken over.
    partial.write_bytes(b"".join(lines[:8]).replace(b'"strict"', b'"paper"'))
    assert grade_file(source, out, grader=grader, overwrite=True).resumed == 0


def test_answers_are_not_overwritten_and_options_are_checked(tmp_path, grader):
    write(tmp_path / "in.jsonl", [line(RIGHT)])
    with pytest.raises(ConfigurationError, match="overwrite the answers"):
        grade_file(tmp_path / "in.jsonl", tmp_path / "in.jsonl", grader=grader)
    with pytest.raises(ConfigurationError, match="grades 'strict'"):
        grade_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl", grading="paper", grader=grader)
    with pytest.raises(TaskDataError, match="cannot be opened"):
        grade_file(tmp_path / "absent.jsonl", tmp_path / "out.jsonl", grader=grader)


def test_paper_mode_with_a_grader_of_its_own(tmp_path):
    write(tmp_path / "in.jsonl", [line(RIGHT), line("# argparse\n" + RIGHT)])
    done = grade_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl", grading="paper", workers=1, allow_weaker=True)
    assert done.mean_score == 0.5
    assert {record["grading"] for record in read(tmp_path / "out.jsonl")} == {"paper"}
