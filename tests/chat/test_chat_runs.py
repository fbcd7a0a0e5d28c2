"""Whole runs against a server that misbehaves: nothing lost, nothing booked to the wrong side, nothing given away."""

import asyncio
import json
import random

import pytest
from server import FAULTS, Answer, ChatServer, completion, failure, fault

from colbench.agents import BaseAgent, load_agent
from colbench.judge import Verdict
from colbench.rollout import Rollout
from colbench.run_folder import read_trajectories
from colbench.simulators import load_collaborator
from colbench.simulators.quality import quality
from colbench.tasks import load_tasks

SECRET = "sk-planted-93b1d0c2ffe1"
QUICK = {"model": "m", "backoff": 0.01, "retries": 2, "timeout": 30}


class LengthJudge:
    """Success when the answer is long enough; no sandbox, so these tests are about models only."""

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


def rollout(tasks, agent, collaborator, **changes):
    return Rollout(
        "ColBench-Backend-v0",
        tasks,
        load_agent(*agent) if isinstance(agent, tuple) else agent,
        load_collaborator(*collaborator) if isinstance(collaborator, tuple) else collaborator,
        LengthJudge(),
        **changes,
    )


def plays(request):
    """A model that plays both parts: it asks twice and then answers; as the collaborator it says a word."""
    if request.body["model"] == "collaborator":
        return completion("It is a list.")
    asked = sum(m["role"] == "assistant" for m in request.messages)
    return completion("What is it?" if asked < 2 else "I WANT TO ANSWER:\n```python\ndef f(): return 1\n```")


async def test_300_episodes_with_a_tenth_of_faults(tmp_path):
    tasks = load_tasks("procedural:n=300", split="train")
    rng = random.Random(4)
    broken = True
    seen = {}

    def play(request):
        if broken and rng.random() < 0.1:
            kind = rng.choice([k for k in FAULTS if k != "slow"])
            seen[kind] = seen.get(kind, 0) + 1
            return fault(kind)
        return plays(request)

    async with ChatServer(play, keep=False) as server:

        def start(timeout):
            options = {**QUICK, "base_url": server.base_url, "retries": 1, "timeout": timeout}
            return rollout(tasks, ("chat", options), ("chat", {**options, "model": "collaborator"}), concurrency=24)

        run = start(2)
        first = await run.run(tmp_path)
        assert len(first) == 300
        failed = [t for t in first.values() if t.status == "failed"]
        boundaries = {t.failure.boundary for t in failed}
        assert boundaries <= {"model_server", "collaborator"} and failed
        assert all(t.score is None for t in failed)
        assert set(seen) == set(FAULTS) - {"slow"}
        # No completed episode suffered from a fault either.
        assert all(t.success for t in first.values() if t.status == "completed")
        broken = False
        # Time limits change no result, so a run may be continued with others.
        second = await start(30).run(tmp_path)
        assert {t.status for t in second.values()} == {"completed"} and all(t.success for t in second.values())
    lines = list(read_trajectories(tmp_path))
    assert len(lines) == 300 + len(failed)


async def test_a_429_on_every_call_of_one_task_of_three(tmp_path):
    tasks = load_tasks("bundled", split="test")[:3]
    start = tasks[1].problem_description[:60]

    def play(request):
        return failure(429, "slow down") if start in request.text else plays(request)

    async with ChatServer(play) as server:
        run = rollout(tasks, ("chat", {**QUICK, "base_url": server.base_url}), ("embedded",))
        result = await run.run(tmp_path)
    by_task = [result[(task.task_id, 0)] for task in tasks]
    assert [t.status for t in by_task] == ["completed", "failed", "completed"]
    assert (by_task[1].failure.boundary, by_task[1].failure.type) == ("model_server", "ChatServerError")
    assert "429" in by_task[1].failure.message


async def test_a_collaborator_that_says_nothing_is_a_named_failure_and_the_run_goes_on(tmp_path):
    tasks = load_tasks("bundled", split="test")[:3]
    start = tasks[0].problem_description[:60]

    def play(request):
        return completion("") if start in request.text and request.body["model"] == "collaborator" else plays(request)

    async with ChatServer(play) as server:
        result = await rollout(
            tasks,
            ("chat", {**QUICK, "base_url": server.base_url}),
            ("chat", {**QUICK, "model": "collaborator", "base_url": server.base_url, "temperature": 0}),
        ).run(tmp_path)
    by_task = [result[(task.task_id, 0)] for task in tasks]
    assert [t.status for t in by_task] == ["failed", "completed", "completed"]
    assert by_task[0].failure.type == "CollaboratorEmptyError"
    assert quality(result.values()).failed == {"CollaboratorEmptyError": 1}


async def test_an_empty_message_in_the_last_turn_is_graded(tmp_path):
    tasks = load_tasks("bundled", split="test")[:1]
    said = ["It is a list.", "Yes.", "", ""]
    async with ChatServer(lambda r: completion(said[r.number])) as server:
        run = rollout(tasks, ("chat", {**QUICK, "base_url": server.base_url}), ("embedded",), max_turns=3)
        (result,) = (await run.run(tmp_path)).values()
    assert (result.status, result.ended_by, result.success) == ("completed", "turn_limit", False)
    assert [turn.visible for turn in result.turns] == ["It is a list.", "Yes.", ""]
    assert result.turns[-1].finish_reason == "empty"


async def test_a_context_that_is_full_at_turn_six_and_an_answer_that_fills_it(tmp_path):
    tasks = load_tasks("bundled", split="test")[:1]

    def play(request):
        asked = sum(m["role"] == "assistant" for m in request.messages)
        if len(request.text) > 30_000:
            return failure(400, "too long", code="context_length_exceeded")
        if answers and asked == 5:
            return completion("I WANT TO ANSWER: " + "y" * 40_000)
        return completion("Is it? " + "x" * (5_500 if answers else 6_000))

    for answers in (False, True):
        async with ChatServer(play) as server:
            run = rollout(tasks, ("chat", {**QUICK, "base_url": server.base_url}), ("embedded",))
            (result,) = (await run.run(tmp_path / str(answers))).values()
        assert (result.status, result.ended_by, result.success) == ("completed", "answer", answers)
        assert len(result.turns) == 6
        assert result.turns[-1].finish_reason == ("stop" if answers else "context_overflow")


async def test_a_filtered_turn_is_recorded_and_the_others_go_on(tmp_path):
    tasks = load_tasks("bundled", split="test")[:3]
    start = tasks[2].problem_description[:60]

    def play(request):
        if start in request.text and "What is it?" in request.text:
            return failure(400, "content management policy", code="content_filter")
        return plays(request)

    async with ChatServer(play) as server:
        result = await rollout(tasks, ("chat", {**QUICK, "base_url": server.base_url}), ("embedded",)).run(tmp_path)
        filtered = result[(tasks[2].task_id, 0)]
        assert [t.status for t in result.values()] == ["completed"] * 3
        assert filtered.turns[-1].finish_reason == "content_filter" and filtered.success is False
        assert sum(start in r.text and "What is it?" in r.text for r in server.requests) == 1


# ---- a collaborator that is stopped: by the agent's text, or by the task


class Says(BaseAgent):
    name = "says"

    def __init__(self, *texts):
        self.texts = texts

    async def act(self, observation):
        from colbench.agents import AgentMessage

        turn = 10 - observation["turns_left"]
        return AgentMessage(self.texts[turn] if turn < len(self.texts) else "I WANT TO ANSWER: something")


@pytest.mark.parametrize("kind", ["content_filter", "context_length_exceeded"])
async def test_who_stopped_the_collaborator(tmp_path, kind):
    tasks = load_tasks("bundled", split="test")[:2]
    bad_task = tasks[1].problem_description[:60]

    def play(request):
        bad = "BAD" in request.text or bad_task in request.text
        return failure(400, "stopped", code=kind) if bad else completion("Fine.")

    async with ChatServer(play) as server:
        run = rollout(
            tasks, Says("BAD thing", "What?"), ("chat", {**QUICK, "base_url": server.base_url}), concurrency=1
        )
        result = await run.run(tmp_path)
        agents, tasks_own = result[(tasks[0].task_id, 0)], result[(tasks[1].task_id, 0)]
        # No request was sent twice: the second one of each task asks a harmless question instead, and once a task is
        # known to pass, no further one is needed.
        texts = [r.text for r in server.requests]
        assert len(texts) == len(set(texts)) == 5
    # The agent cannot make the episode disappear: it is declined in words, and scored.
    assert agents.status == "completed"
    declined = [turn.reply.meta.get("declined") for turn in agents.turns if turn.reply]
    reason = "content_filter" if kind == "content_filter" else "context_overflow"
    assert declined == [reason, reason]
    assert "BAD" not in agents.turns[0].reply.text
    # A task that is stopped by itself is no failure of the agent.
    assert tasks_own.status == "failed" and tasks_own.failure.boundary == "collaborator"
    assert tasks_own.failure.type in ("CollaboratorFilterError", "CollaboratorContextError")
    assert quality(result.values()).declined == 2


async def test_thoughts_of_a_collaborator_do_not_reach_the_agent(tmp_path):
    tasks = load_tasks("bundled", split="test")[:1]

    def play(request):
        return completion("<think>" + "hidden: def f(): return 7 " * 40 + "</think>Two lists.")

    async with ChatServer(play) as server:
        run = rollout(tasks, Says("What?"), ("chat", {**QUICK, "base_url": server.base_url}))
        (result,) = (await run.run(tmp_path)).values()
    reply = result.turns[0].reply
    assert (reply.text, reply.cut, reply.leak) == ("Two lists.", False, False)
    assert "hidden" not in json.dumps(result.to_record())


async def test_a_planted_key_appears_in_no_file_and_no_output(tmp_path, monkeypatch, caplog, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    tasks = load_tasks("bundled", split="test")[:6]
    kinds = [
        lambda k: failure(500, f"panic {k}"),
        lambda k: failure(400, f"bad {k}"),
        lambda k: completion(f"I got {k}"),
        lambda k: Answer(200, f"garbage {k}"),
        lambda k: failure(429, f"limit of {k}"),
        lambda k: failure(400, f"content management policy {k}", code="content_filter"),
    ]
    caplog.set_level("DEBUG")

    def play(request):
        kind = next(i for i, t in enumerate(tasks) if t.problem_description[:60] in request.text)
        return kinds[kind](request.headers["authorization"])

    async with ChatServer(play) as server:
        options = {**QUICK, "base_url": server.base_url, "cache": str(tmp_path / "cache")}
        for name, agent, collaborator in (
            ("agent", ("chat", options), ("embedded",)),
            ("collaborator", Says("What?"), ("chat", options)),
        ):
            result = await rollout(tasks, agent, collaborator, max_turns=2).run(tmp_path / name)
            assert len(result) == 6
        assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 5
    for path in written:
        assert SECRET.encode() not in path.read_bytes(), path
    for text in (caplog.text, *capsys.readouterr()):
        assert SECRET not in text


# ---- environments: a chat collaborator inside a running loop


async def test_a_synchronous_environment_inside_a_running_loop():
    import gymnasium as gym

    import colbench  # noqa: F401

    async with ChatServer(plays) as server:
        options = {**QUICK, "model": "collaborator", "base_url": server.base_url}

        def episode():
            env = gym.make(
                "ColBench-Backend-v0",
                tasks="bundled",
                simulator="chat",
                simulator_options=options,
                disable_env_checker=True,
            )
            for _ in range(2):
                observation, info = env.reset(seed=0)
                assert isinstance(info, dict)
                observation, reward, terminated, truncated, _ = env.step("What is it?")
                assert (reward, terminated, truncated) == (0.0, False, False)
            env.close()
            return str(observation)

        # In a thread, because this loop also serves; the environment itself uses a loop of its own.
        assert "It is a list." in await asyncio.to_thread(episode)
