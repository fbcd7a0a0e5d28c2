"""The command line as a stranger uses it."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from colbench.cli import app
from colbench.cli.run import expand_agents
from colbench.errors import ConfigurationError


def invoke(*words, code=0):
    result = CliRunner().invoke(app, [str(w) for w in words], env={"COLUMNS": "160"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def test_run_show_and_resume(tmp_path):
    out = tmp_path / "runs"
    words = ["run", "-a", "oracle", "-a", "impatient", "--tasks", "procedural:n=12", "--out", out]
    first = invoke(*words)
    assert "oracle*" in first
    assert "isolation full" in first
    assert "100.0%" in first
    assert f"{out}/{{oracle,impatient}}/trajectories.jsonl" in first
    size = (out / "oracle" / "trajectories.jsonl").stat().st_size
    assert invoke(*words) == first
    assert (out / "oracle" / "trajectories.jsonl").stat().st_size == size
    summary = json.loads((out / "oracle" / "summary.json").read_text())
    assert summary["success"]["estimate"] == 1.0
    task_id = json.loads((out / "oracle" / "trajectories.jsonl").read_text().splitlines()[3])["task_id"]
    shown = invoke("show", out / "oracle", task_id)
    assert task_id in shown
    assert "10 equal" in shown
    with pytest.raises(ConfigurationError, match="no trajectory of"):
        invoke("show", out / "oracle", task_id + "x")


def test_run_refuses_another_configuration(tmp_path):
    invoke("run", "-a", "silent", "--limit", 2, "--out", tmp_path)
    with pytest.raises(ConfigurationError, match="max_turns: was 10, now 4"):
        invoke("run", "-a", "silent", "--limit", 2, "--out", tmp_path, "--max-turns", 4)


def test_json_output(tmp_path):
    output = invoke("run", "-a", "interviewer?topics=0..1", "--tasks", "procedural:n=4", "--out", tmp_path, "--json")
    rows = json.loads(output)
    assert [r["agent"] for r in rows] == ["interviewer?topics=0", "interviewer?topics=1"]
    assert rows[1]["questions"] == 1.0


def test_plot_is_drawn(tmp_path):
    invoke("run", "-a", "interviewer?topics=0..2", "--tasks", "procedural:n=6", "--out", tmp_path, "--plot")
    blob = (tmp_path / "questions.png").read_bytes()
    assert blob.startswith(b"\x89PNG")
    assert len(blob) > 10_000


def test_ranges():
    assert expand_agents(["a?x=1..3&y=2", "b"]) == ["a?x=1&y=2", "a?x=2&y=2", "a?x=3&y=2", "b"]
    with pytest.raises(ConfigurationError, match=r"range 3\.\.1 is empty"):
        expand_agents(["a?x=3..1"])


def test_tasks_commands(tmp_path):
    assert "backend-test-001" in invoke("tasks", "list")
    shown = json.loads(invoke("tasks", "show", "backend-test-001"))
    assert set(shown) >= {"task_id", "problem_description"}
    assert "ground_truth" not in shown
    assert "ground_truth" in json.loads(invoke("tasks", "show", "backend-test-001", "--reference"))


def test_errors_are_one_message_and_exit_code_2(tmp_path):
    command = [sys.executable, "-m", "colbench", "run", "-a", "interviewr", "--out", str(tmp_path / "x")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "unknown agent 'interviewr'. Did you mean 'interviewer'?" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "x").exists()


def test_import_is_light():
    code = (
        "import sys, colbench; print([m for m in ('torch', 'playwright', 'openai', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
