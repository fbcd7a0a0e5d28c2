"""Grading again: what was said stays, verdicts change, edited tasks are refused, an interruption costs nothing."""

import asyncio
import json

import pytest
from test_rollout import Echo, LengthJudge, rollout
from typer.testing import CliRunner

from colbench.agents import load_agent
from colbench.cli import app
from colbench.errors import ConfigurationError, SandboxError, TaskDataError
from colbench.judge import Verdict
from colbench.records import Records
from colbench.regrade import CHANGES, regrade
from colbench.tasks import TaskSet, load_tasks


class Strictest(LengthJudge):
    """Only every other answer passes."""

    def __init__(self, passing):
        self.passing = passing
        self.graded = []

    async def verdict(self, task, answer, page):
        self.graded.append(task.task_id)
        good = task.task_id in self.passing
        outcomes = ({"status": "equal"}, {"status": "equal" if good else "different"})
        return Verdict(1.0 if good else 0.5, good, outcomes, grading="strictest", isolation="full", versions={"g": "2"})

    def describe(self):
        return {"grading": "strictest"}


@pytest.fixture
def tasks():
    return load_tasks("bundled", split="test")[:8]


@pytest.fixture
async def run(tasks, tmp_path):
    class Broken(Echo):
        async def reply(self, context):
            if context.task is tasks[6]:
                raise RuntimeError("gone")
            return await super().reply(context)

    class BrokenJudge(LengthJudge):
        async def verdict(self, task, answer, page):
            if task is tasks[7]:
                raise SandboxError("no sandbox")
            return await super().verdict(task, answer, page)

    folder = tmp_path / "run"
    await rollout(tasks, collaborator=Broken(), judge=BrokenJudge()).run(folder)
    return folder


async def test_only_verdicts_change_and_changes_are_listed(run, tasks, tmp_path):
    before = (run / "trajectories.jsonl").read_bytes()
    judge = Strictest({t.task_id for t in tasks[::2]})
    done = await regrade(run, tmp_path / "new", judge, tasks, concurrency=3)
    assert (run / "trajectories.jsonl").read_bytes() == before
    assert (done.episodes, done.copied, done.failed) == (7, 1, 0)
    old, new = Records(run), Records(tmp_path / "new")
    assert list(old) == list(new)
    for key in old:
        a, b = old[key], new[key]
        assert (a.turns, a.answer, a.seed, a.agent) == (b.turns, b.answer, b.seed, b.agent)
    one = new[(tasks[1].task_id, 0)]
    assert (one.score, one.success, one.reward, one.grading) == (0.5, False, 0.0, "strictest")
    assert one.versions["g"] == "2"
    assert one.ended_by == "answer"
    # The sandbox broke the last one; its answer is there, so it gets its verdict now.
    saved = new[(tasks[7].task_id, 0)]
    assert (saved.status, saved.failure, saved.score, saved.ended_by) == ("completed", None, 0.5, "answer")
    assert new[(tasks[6].task_id, 0)].failure.boundary == "collaborator"
    changed = {c.task_id: c for c in done.changes}
    assert set(changed) == {t.task_id for t in tasks[1::2]}
    assert changed[tasks[1].task_id].success == (True, False)
    lines = [json.loads(line) for line in (tmp_path / "new" / CHANGES).read_text().splitlines()]
    assert [line["task_id"] for line in lines] == [c.task_id for c in done.changes]
    assert changed[tasks[7].task_id].score == (None, 0.5)
    configuration = json.loads((tmp_path / "new" / "run.json").read_text())
    assert configuration["judge"] == {"grading": "strictest"}
    assert configuration["regraded_from"] == old[(tasks[0].task_id, 0)].config_hash


async def test_an_interrupted_one_goes_on(run, tasks, tmp_path):
    judge = Strictest(set())

    def stop(trajectory):
        if len(Records(tmp_path / "new")) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await regrade(run, tmp_path / "new", judge, tasks, concurrency=1, on_episode=stop)
    kept = sum(t.status == "completed" for t in Records(tmp_path / "new").values())
    assert kept in (2, 3)
    again = Strictest(set())
    done = await regrade(run, tmp_path / "new", again, tasks)
    assert done.episodes == 7
    assert len(again.graded) == 7 - kept
    last = Strictest(set())
    assert (await regrade(run, tmp_path / "new", last, tasks)).changes == done.changes
    assert last.graded == []
    with pytest.raises(ConfigurationError, match=r"judge\.grading: was 'strictest', now 'length'"):
        await regrade(run, tmp_path / "new", LengthJudge(), tasks)


async def test_what_cannot_be_graded_is_tried_again(run, tasks, tmp_path):
    class Down(LengthJudge):
        async def verdict(self, task, answer, page):
            raise SandboxError("down")

    done = await regrade(run, tmp_path / "new", Down(), tasks)
    assert (done.episodes, done.failed) == (0, 7)
    done = await regrade(run, tmp_path / "new", LengthJudge(), tasks)
    assert (done.episodes, done.failed) == (7, 0)


async def test_other_tasks_are_refused_before_anything_is_written(run, tasks, tmp_path):
    edited = tasks[2].model_copy(update={"ground_truth": tasks[2].ground_truth + "\n# edited"})
    other = TaskSet([edited if t is tasks[2] else t for t in tasks], name="edited", kind="backend")
    with pytest.raises(ConfigurationError, match=rf"1 tasks \('{tasks[2].task_id}'\) of 'edited' changed"):
        await regrade(run, tmp_path / "new", LengthJudge(), other)
    with pytest.raises(TaskDataError, match=rf"does not hold 1 tasks \('{tasks[0].task_id}'\)"):
        await regrade(run, tmp_path / "new", LengthJudge(), tasks[1:])
    assert not (tmp_path / "new").exists()
    with pytest.raises(ConfigurationError, match=r"into .* itself"):
        await regrade(run, run, LengthJudge(), tasks)


def test_the_other_mode_through_the_command_line(tasks, tmp_path):
    # The reference as a helper of the function asked for.
    calling = {}
    for task in tasks[:4]:
        name = task.entry_point
        body = task.ground_truth.replace(f"def {name}(", "def inner(")
        code = f"{body}\ndef {name}(*args, **options):\n    return inner(*args, **options)"
        calling[task.problem_description] = f"I WANT TO ANSWER: ```python\n{code}\n```"

    def cheat(observation):
        return calling[observation["messages"][0]["content"]]

    from colbench.backend.judge import BackendJudge

    extra = {"tasks": "bundled", "split": "test"}
    run = tmp_path / "run"
    playing = rollout(tasks[:4], agent=load_agent(cheat), judge=BackendJudge(), extra=extra)
    played = asyncio.run(playing.run(run))
    assert [t.success for t in played.values()] == [True] * 4
    words = ["regrade", str(run), "--out", str(tmp_path / "paper"), "--grading", "paper"]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    assert "4 episodes graded; 4 verdicts changed" in result.output
    # A helper beside the function is not found under the published scorer's scoping.
    assert [t.success for t in Records(tmp_path / "paper").values()] == [False] * 4
    assert {t.grading for t in Records(tmp_path / "paper").values()} == {"paper"}
    result = CliRunner().invoke(app, ["regrade", str(run), "--out", str(tmp_path / "same")], env={"COLUMNS": "160"})
    assert "4 episodes graded; 0 verdicts changed" in result.output
