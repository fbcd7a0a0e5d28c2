"""What the command line makes of other people's files: odd text stays text, and nothing wrong passes silently."""

import json

import pytest
from typer.testing import CliRunner

from colbench.cli import app
from colbench.errors import ConfigurationError, TaskDataError

TASK = {
    "task_id": "a[bold]:100:",
    "problem_description": "Double :100: it [red]now[/]. The signature of the function is: def f(x)",
    "ground_truth": "def f(x):\n    return 2 * x",
    "test_cases": {"a": "f(1)", "b": "f(2)", "c": "f(3)"},
}


def invoke(*words, code=0):
    result = CliRunner().invoke(app, [str(w) for w in words], env={"COLUMNS": "200"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_tasks_list_prints_text_as_it_is(tmp_path):
    path = write(tmp_path / ":100:.jsonl", {**TASK, "domain": "x\x1b[2J"})
    shown = invoke("tasks", "list", "--tasks", path)
    assert "a[bold]:100:" in shown and "Double :100: it [red]now[/]." in shown
    assert "x\\x1b[2J" in shown and "\x1b" not in shown
    assert "1 task in :100:.jsonl" in shown
    for limit in (0, -1):
        with pytest.raises(ConfigurationError, match=f"--limit must be at least 1, actually: {limit}"):
            invoke("tasks", "list", "--limit", limit)


def test_tasks_show_stays_json_and_tame(tmp_path):
    path = write(tmp_path / "m.jsonl", {**TASK, "domain": "x\x9b\x7f\x1b"})
    shown = invoke("tasks", "show", TASK["task_id"], "--tasks", path)
    assert json.loads(shown)["domain"] == "x\x9b\x7f\x1b"
    assert not {"\x9b", "\x7f", "\x1b"} & set(shown)


def test_tasks_validate_goes_on_after_a_broken_reference(tmp_path):
    path = write(
        tmp_path / "m.jsonl",
        {**TASK, "ground_truth": "x=1"},
        {**TASK, "task_id": "b\x1b"},
        {**TASK, "task_id": "good", "problem_description": "Twice. def f(x)"},
    )
    lines = invoke("tasks", "validate", path, code=1).splitlines()
    assert lines[0] == f"{path}:1: error: a[bold]:100:: the reference does not define 'f', which the request asks for"
    assert lines[1].startswith(f"{path}:2: error: 'b\\x1b': 'task_id' must be one line")
    assert lines[2:] == [f"{path}: 2 errors, 0 warnings"]
    write(path, {**TASK, "groundtruth": 1})
    assert invoke("tasks", "validate", path).endswith(f"{path}: 0 errors, 1 warning\n")


def test_grade_warns_of_broken_tasks_and_counts_nulls(tmp_path):
    path = write(
        tmp_path / ":100:.jsonl",
        {**TASK, "answer": "def f(x): return 2 * x"},
        {**TASK, "answer": None, "ground_truth": "def f(:"},
    )
    out = tmp_path / "out.jsonl"
    said = " ".join(invoke("grade", path, "--out", out, "--workers", 1, "--allow-weaker-isolation").split())
    assert "2 answers: 1 passes every call, mean score 0.500" in said
    assert "1 answer of them is null" in said
    fault = "broken: the reference gives no value for any call (exception SyntaxError)"
    assert "WARNING: 1 answer met a broken task, so the score is not the answer's fault" in said
    assert f"The first: {path}:2: {fault}" in said
    assert [json.loads(text).get("reference") for text in out.read_text().splitlines()] == [None, fault]
    again = " ".join(invoke("grade", path, "--out", out, "--workers", 1, "--allow-weaker-isolation").split())
    assert "holds the verdicts of this very file already" in again and "WARNING" in again
    write(path, {**TASK, "answer": "x"})
    with pytest.raises(ConfigurationError, match="--overwrite"):
        invoke("grade", path, "--out", out, "--workers", 1, "--allow-weaker-isolation")
    words = ["grade", path, "--out", out, "--workers", 1, "--allow-weaker-isolation", "--overwrite"]
    assert "1 answer: 0 pass every call" in invoke(*words)
    path.write_text("")
    with pytest.raises(TaskDataError, match="holds no answers"):
        invoke(*words)


def test_audit_names_the_nearest_attack():
    with pytest.raises(ConfigurationError, match="no attack or kind is called 'nope'"):
        invoke("audit", "--attack", "nope")


def test_show_picks_the_repeat_names_the_folders_and_prints_no_escapes(tmp_path):
    out = tmp_path / "runs"
    invoke("run", "-a", "silent", "-a", "impatient", "--limit", 1, "--repeats", 2, "--out", out)
    assert "| repeat 1 |" in invoke("show", out / "silent", "--repeat", 1)
    with pytest.raises(ConfigurationError, match=r"any task with repeat 9\. It holds 2 records, with the repeats 0, 1"):
        invoke("show", out / "silent", "--repeat", 9)
    with pytest.raises(ConfigurationError, match=rf"runs of 2 agents; give one of {out}/impatient, {out}/silent"):
        invoke("show", out)
    with pytest.raises(ConfigurationError, match="holds the runs of 2 agents"):
        invoke("show", tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="is no run's folder"):
        invoke("show", tmp_path / "empty")
    file = out / "silent" / "trajectories.jsonl"
    record = json.loads(file.read_text().splitlines()[0])
    record["turns"][0] |= {"raw": "hi :100: \x1b]0;title\x07\x9b2J", "visible": "hi :100: \x1b]0;title\x07\x9b2J"}
    record["agent"]["name"] = "me\x1b[1A"
    shown = invoke("show", write(tmp_path / "one.jsonl", record))
    assert "hi :100: \\x1b]0;title\\x07\\x9b2J" in shown and "me\\x1b[1A" in shown
    assert not {"\x1b", "\x07", "\x9b"} & set(shown)
    record["turns"][0]["visible"] = record["turns"][0]["raw"] = "half \ud83d of a pair"
    half = write(tmp_path / "half.jsonl", record)
    assert "half \\ud83d of a pair" in invoke("show", half)
    invoke("show", half, "--html", tmp_path / "half.html")
    assert "half \ufffd of a pair" in (tmp_path / "half.html").read_text(encoding="utf-8")
    assert "calls: " in shown
    record |= {"success": None, "outcomes": [{"status": "ok"}]}
    assert "calls: " not in invoke("show", write(tmp_path / "page.jsonl", record))


def test_show_and_render_name_an_output_that_cannot_be_written(tmp_path):
    invoke("run", "-a", "silent", "--limit", 1, "--out", tmp_path / "runs")
    folder, beneath = tmp_path / "runs", tmp_path / "file" / "out"
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match=rf"{folder}: cannot be written \(it is a folder\); give an HTML file"):
        invoke("show", tmp_path / "runs" / "silent", "--html", folder)
    with pytest.raises(ConfigurationError, match=f"{beneath}: cannot be written"):
        invoke("show", tmp_path / "runs" / "silent", "--html", beneath)
    with pytest.raises(ConfigurationError, match=rf"{folder}: cannot be written \(it is a folder\); give a PNG file"):
        invoke("render", tmp_path / "file", folder)


@pytest.mark.browser
def test_render_and_compare_stay_tame(tmp_path):
    page, other = tmp_path / "page.html", tmp_path / "other.html"
    page.write_text("<h1>Hello</h1>")
    other.write_text("<h1>Hel\x9b2Jlo</h1><p>More \x1b[2J words</p>")
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        invoke("render", page, tmp_path / "file" / "out.png")
    assert not {"\x1b", "\x9b"} & set(invoke("compare", page, other))
