"""Runs: resume after anything, failures that stay failures, and records that do not depend on the order of work."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from colbench.agents import BaseAgent, load_agent
from colbench.backend.judge import BackendJudge
from colbench.errors import ConfigurationError, SandboxError
from colbench.judge import Verdict
from colbench.rollout import Rollout
from colbench.run_folder import read_trajectories
from colbench.simulators import Reply, load_collaborator
from colbench.summary import summarise
from colbench.tasks import TaskSet, load_tasks


class LengthJudge:
    """Success when the answer is long enough; no sandbox, so these tests are about rollouts only."""

    kind = "backend"
    reply_chars = 400

    async def look(self, task, visible):
        return None

    async def reference(self, task):
        return None

    async def verdict(self, task, answer, page):
        return Verdict(score=float(len(answer) > 5), success=len(answer) > 5, outcomes=(), grading="strict")

    def describe(self):
        return {"grading": "length"}


class Echo:
    name = "echo"

    async def reply(self, context):
        return Reply(f"{context.seed % 1000}: {context.messages[-1]['content']}")

    def describe(self):
        return {"name": self.name}


def talker(observation):
    if observation["turns_left"] > 8:
        return f"question {observation['turns_left']}?"
    return "I WANT TO ANSWER: something"


@pytest.fixture
def tasks():
    return load_tasks("bundled", split="test")[:12]


def rollout(tasks, **changes):
    options = {"agent": load_agent(talker), "collaborator": Echo(), "judge": LengthJudge(), **changes}
    return Rollout("ColBench-Backend-v0", tasks, **options)


def comparable(folder):
    records = {}
    for _, trajectory in read_trajectories(folder):
        record = trajectory.to_record()
        record["seconds"] = 0
        for turn in record["turns"]:
            turn["seconds"] = 0
            if "reply" in turn:
                turn["reply"]["seconds"] = 0
        records[trajectory.key] = record
    return records


async def test_records_do_not_depend_on_concurrency(tasks, tmp_path):
    await rollout(tasks, concurrency=1).run(tmp_path / "one")
    await rollout(tasks, concurrency=7).run(tmp_path / "seven")
    assert comparable(tmp_path / "one") == comparable(tmp_path / "seven")
    await rollout(tasks, seed=1).run(tmp_path / "other")
    assert comparable(tmp_path / "one") != comparable(tmp_path / "other")


async def test_records_hold_no_reference(tasks, tmp_path):
    await rollout(tasks).run(tmp_path)
    text = (tmp_path / "trajectories.jsonl").read_text()
    for task in tasks:
        assert json.dumps(task.calls[0])[1:-1] not in text
        longest = max(task.ground_truth.splitlines(), key=len)
        assert json.dumps(longest)[1:-1] not in text


async def test_a_finished_run_is_not_played_again_and_can_be_extended(tasks, tmp_path):
    await rollout(tasks[:5]).run(tmp_path)
    before = (tmp_path / "trajectories.jsonl").read_bytes()
    heard = []
    await rollout(tasks[:5]).run(tmp_path, heard.append)
    assert (tmp_path / "trajectories.jsonl").read_bytes() == before
    assert len(heard) == 5
    result = await rollout(tasks, repeats=2).run(tmp_path)
    assert len(result) == 24
    assert (tmp_path / "trajectories.jsonl").read_bytes().startswith(before)
    assert len(list(read_trajectories(tmp_path))) == 24


async def test_another_configuration_is_refused_with_the_difference(tasks, tmp_path):
    await rollout(tasks).run(tmp_path)
    with pytest.raises(ConfigurationError, match=r"seed: was 0, now 1"):
        await rollout(tasks, seed=1).run(tmp_path)
    with pytest.raises(ConfigurationError, match=r"judge\.grading: was 'length', now 'strict'"):
        await rollout(tasks, judge=BackendJudge()).run(tmp_path)
    changed = TaskSet(
        [t.model_copy(update={"ground_truth": t.ground_truth + "\n"}) for t in tasks], name=tasks.name, kind="backend"
    )
    with pytest.raises(ConfigurationError, match="has changed since it was played"):
        await rollout(changed).run(tmp_path)


async def test_two_runs_cannot_write_to_one_folder(tasks, tmp_path):
    class Nested(BaseAgent):
        async def act(self, observation):
            with pytest.raises(ConfigurationError, match="being written by another process"):
                await rollout(tasks).run(tmp_path)
            return await load_agent(talker).act({**observation, "turns_left": 1})

    result = await rollout(tasks[:1], agent=Nested()).run(tmp_path)
    assert [t.status for t in result.values()] == ["completed"]


async def test_failures_are_recorded_and_run_again(tasks, tmp_path):
    broken = True

    class Moody(Echo):
        async def reply(self, context):
            if broken and context.task is tasks[2]:
                raise RuntimeError("server gone")
            return await super().reply(context)

    class MoodyJudge(LengthJudge):
        async def verdict(self, task, answer, page):
            if broken and task is tasks[4]:
                raise SandboxError("no sandbox")
            return await super().verdict(task, answer, page)

    result = await rollout(tasks, collaborator=Moody(), judge=MoodyJudge()).run(tmp_path)
    failed = {t.task_id: t for t in result.values() if t.status == "failed"}
    assert {t.failure.boundary for t in failed.values()} == {"collaborator", "sandbox"}
    assert all(t.score is None and t.reward is None for t in failed.values())
    summary = summarise(result.values(), "talker")
    assert (summary.episodes, summary.failed) == (10, {"collaborator": 1, "sandbox": 1})
    assert summary.success.estimate == 1.0
    broken = False
    result = await rollout(tasks, collaborator=Moody(), judge=MoodyJudge()).run(tmp_path)
    assert {t.status for t in result.values()} == {"completed"}
    assert len(list(read_trajectories(tmp_path))) == 14


async def test_an_agent_that_raises_is_booked_to_the_agent(tasks, tmp_path):
    def wrong(observation):
        raise KeyError("lost")

    def number(observation):
        return 3

    def leaver(observation):
        sys.exit(3)

    for agent, message in (
        (wrong, "KeyError: 'lost'"),
        (number, "must return a str or an AgentMessage, got int"),
        (leaver, "the agent called sys.exit(3)"),
    ):
        result = await rollout(tasks[:2], agent=load_agent(agent)).run(tmp_path / agent.__name__)
        for t in result.values():
            assert t.failure.boundary == "agent"
            assert message in t.failure.message


async def test_configuration_errors_stop_the_run(tasks, tmp_path):
    class Misconfigured(LengthJudge):
        async def verdict(self, task, answer, page):
            raise ConfigurationError("isolation is only weak")

    with pytest.raises(ConfigurationError, match="isolation is only weak"):
        await rollout(tasks, judge=Misconfigured()).run(tmp_path)


async def test_oracle_is_marked(tasks, tmp_path):
    result = await rollout(tasks[:2], agent=load_agent("oracle"), collaborator=load_collaborator()).run(tmp_path)
    summary = summarise(result.values(), "oracle")
    assert summary.sees_reference


SCRIPT = """
import asyncio, sys
sys.path.insert(0, {tests!r})
from test_rollout import Echo, LengthJudge, rollout, talker
from colbench.agents import BaseAgent, AgentMessage
from colbench.tasks import load_tasks

class Slow(BaseAgent):
    name = "slow"
    async def act(self, observation):
        await asyncio.sleep(0.01)
        return AgentMessage(talker(observation))

asyncio.run(rollout(load_tasks("bundled", split="test")[:40], agent=Slow(), concurrency=3, repeats=3).run({out!r}))
"""


def kill_at_random_moments(command, path, times, seed):
    """Start a command and kill it once it has written something, again and again; returns how often it was killed."""
    rng = random.Random(seed)
    kills = 0
    for _ in range(3 * times):
        if kills == times:
            break
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        size = path.stat().st_size if path.exists() else 0
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if path.exists() and path.stat().st_size > size:
                break
            time.sleep(0.002)
        time.sleep(rng.random() * 0.03)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        if process.wait() == 0:
            break
    return kills


def test_kill_and_resume_equals_an_unbroken_run(tmp_path):
    def command(out):
        return [sys.executable, "-c", SCRIPT.format(tests=os.path.dirname(__file__), out=str(tmp_path / out))]

    subprocess.run(command("whole"), check=True)
    path = tmp_path / "broken" / "trajectories.jsonl"
    assert kill_at_random_moments(command("broken"), path, 10, seed=0) >= 5
    subprocess.run(command("broken"), check=True)
    assert comparable(tmp_path / "broken") == comparable(tmp_path / "whole")
    assert len(list(read_trajectories(tmp_path / "broken"))) == 120


@pytest.mark.slow
def test_ten_kills_of_the_command_with_the_real_grader(tmp_path):
    def command(out):
        words = ["run", "-a", "explorer", "--tasks", "procedural:n=120", "--repeats", "2", "--concurrency", "4"]
        return [sys.executable, "-m", "colbench", *words, "--out", str(tmp_path / out)]

    subprocess.run(command("whole"), check=True, stdout=subprocess.DEVNULL)
    path = tmp_path / "broken" / "explorer" / "trajectories.jsonl"
    assert kill_at_random_moments(command("broken"), path, 10, seed=1) == 10
    subprocess.run(command("broken"), check=True, stdout=subprocess.DEVNULL)
    assert comparable(tmp_path / "broken" / "explorer") == comparable(tmp_path / "whole" / "explorer")
    assert len(list(read_trajectories(tmp_path / "broken" / "explorer"))) == 240
    summaries = [json.loads((tmp_path / o / "explorer" / "summary.json").read_text()) for o in ("whole", "broken")]
    assert summaries[0] == summaries[1]


@pytest.mark.parametrize("torn", [b"{", b'{"task_id": "x", "repe', b"\0\0\0\0"])
async def test_a_torn_last_line_does_not_spoil_the_resumed_run(tasks, tmp_path, torn):
    await rollout(tasks[:4]).run(tmp_path)
    path = tmp_path / "trajectories.jsonl"
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:2]) + torn)
    result = await rollout(tasks[:4]).run(tmp_path)
    assert len(list(result.records.stream())) == 4
    assert len(list(read_trajectories(tmp_path))) == 4


async def test_an_edited_agent_does_not_continue_the_run_of_the_old_one(tasks, tmp_path, monkeypatch):
    module = tmp_path / "changing_agent.py"
    monkeypatch.syspath_prepend(str(tmp_path))
    module.write_text("def agent(observation):\n    return 'I WANT TO ANSWER: first'\n")
    from colbench.agents import load_agent as load

    await rollout(tasks[:1], agent=load("changing_agent:agent")).run(tmp_path / "run")
    await rollout(tasks[:1], agent=load("changing_agent:agent")).run(tmp_path / "run")
    module.write_text("def agent(observation):\n    return 'I WANT TO ANSWER: other'\n")
    with pytest.raises(ConfigurationError, match=r"agent\.source: was"):
        await rollout(tasks[:1], agent=load("changing_agent:agent")).run(tmp_path / "run")


def test_unknown_rewards_are_refused(tasks):
    with pytest.raises(ConfigurationError, match="reward must be one of success, pass_rate here, actually: 'foo'"):
        rollout(tasks, reward="foo")
