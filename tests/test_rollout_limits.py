"""Bounds of a run: places, time limits, budgets and batches; none of them changes a result."""

import asyncio
import time
from dataclasses import replace

import pytest
from test_rollout import Echo, LengthJudge, comparable, rollout, talker

from colbench.agents import AgentMessage, BaseAgent, load_agent
from colbench.budget import Budget, Spending
from colbench.errors import BudgetError, CollaboratorError, ConfigurationError
from colbench.limits import Limits
from colbench.records import Records
from colbench.simulators import Reply
from colbench.tasks import load_tasks
from colbench.usage import Usage


@pytest.fixture(scope="module")
def tasks():
    return load_tasks("bundled", split="test")[:24]


class Counting:
    """How many calls are under way, and the most there were."""

    def __init__(self):
        self.now = 0
        self.most = 0

    async def __aenter__(self):
        self.now += 1
        self.most = max(self.most, self.now)

    async def __aexit__(self, *_):
        self.now -= 1


class Sleepy(BaseAgent):
    name = "sleepy"

    def __init__(self, seconds=0.01, usage=None):
        self.seconds = seconds
        self.usage = usage
        self.count = Counting()
        self.calls = 0

    async def act(self, observation):
        async with self.count:
            self.calls += 1
            await asyncio.sleep(self.seconds)
        return AgentMessage(talker(observation), usage=self.usage)


class SleepyEcho(Echo):
    def __init__(self):
        self.count = Counting()

    async def reply(self, context):
        async with self.count:
            await asyncio.sleep(0.01)
        return await super().reply(context)


class SleepyJudge(LengthJudge):
    def __init__(self):
        self.count = Counting()

    async def verdict(self, task, answer, page):
        async with self.count:
            await asyncio.sleep(0.01)
        return await super().verdict(task, answer, page)


async def test_each_kind_of_call_has_its_own_bound(tasks, tmp_path):
    agent, echo, judge = Sleepy(), SleepyEcho(), SleepyJudge()
    limits = Limits(agent_concurrency=5, collaborator_concurrency=3, grading_concurrency=2)
    parts = {"agent": agent, "collaborator": echo, "judge": judge}
    await rollout(tasks, **parts, concurrency=24, limits=limits).run(tmp_path / "bounded")
    assert (agent.count.most, echo.count.most, judge.count.most) == (5, 3, 2)
    await rollout(tasks, **parts, concurrency=24).run(tmp_path / "free")
    assert agent.count.most > 12
    assert comparable(tmp_path / "bounded") == comparable(tmp_path / "free")


async def test_waiting_for_a_place_is_not_counted_against_a_time_limit(tasks, tmp_path):
    limits = Limits(agent_concurrency=1, call_seconds=0.2, turn_seconds=0.2, episode_seconds=0.4)
    result = await rollout(tasks, agent=Sleepy(0.02), concurrency=24, limits=limits).run(tmp_path)
    assert {t.status for t in result.values()} == {"completed"}


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(call_seconds=0.05), "limit of 0.05 s for a call was over while waiting for the agent's message"),
        (Limits(turn_seconds=0.05), "limit of 0.05 s for a turn"),
        (Limits(episode_seconds=0.05), "limit of 0.05 s for an episode"),
    ],
)
async def test_what_takes_too_long_fails_alone(tasks, tmp_path, limits, message):
    slow = tasks[3].problem_description

    class Stuck(BaseAgent):
        async def act(self, observation):
            if observation["messages"][0]["content"] == slow:
                await asyncio.sleep(60)
            return AgentMessage(talker(observation))

    result = await rollout(tasks[:8], agent=Stuck(), limits=limits).run(tmp_path)
    failed = [t for t in result.values() if t.failure]
    assert [t.task_id for t in failed] == [tasks[3].task_id]
    assert failed[0].failure.boundary == "time_limit"
    assert message in failed[0].failure.message


async def test_an_episode_of_many_short_calls_can_take_too_long(tasks, tmp_path):
    result = await rollout(tasks[:1], agent=Sleepy(0.05), limits=Limits(episode_seconds=0.12)).run(tmp_path)
    (t,) = result.values()
    assert t.failure.boundary == "time_limit"
    assert len(t.turns) == 2


async def test_a_blocking_agent_that_never_returns_holds_nobody(tasks, tmp_path):
    released = []

    def blocking(observation):
        if observation["messages"][0]["content"] == tasks[0].problem_description:
            while not released:
                time.sleep(0.01)
        return "I WANT TO ANSWER: something"

    started = time.monotonic()
    result = await rollout(tasks, agent=load_agent(blocking), limits=Limits(call_seconds=0.5)).run(tmp_path)
    assert time.monotonic() - started < 10
    assert [t.status for t in result.values()].count("failed") == 1
    released.append(True)


async def test_blocking_agents_run_side_by_side(tasks, tmp_path):
    def blocking(observation):
        time.sleep(0.25)
        return "I WANT TO ANSWER: something"

    started = time.monotonic()
    await rollout(tasks, agent=load_agent(blocking), concurrency=24).run(tmp_path)
    assert time.monotonic() - started < 0.25 * 24 / 4


async def test_a_time_out_of_the_collaborator_itself_is_its_failure(tasks, tmp_path):
    class Late(Echo):
        async def reply(self, context):
            raise TimeoutError("no answer")

    result = await rollout(tasks[:1], collaborator=Late(), limits=Limits(call_seconds=5)).run(tmp_path)
    (t,) = result.values()
    assert (t.failure.boundary, t.failure.message) == ("collaborator", "collaborator raised TimeoutError: no answer")


async def test_run_time_limit_stops_and_resumes(tasks, tmp_path):
    result = await rollout(tasks, agent=Sleepy(0.1), concurrency=4, limits=Limits(run_seconds=0.7)).run(tmp_path)
    assert "time limit of 0.7 s is over" in result.stopped
    assert 0 < sum(t.status == "completed" for t in result.values()) < 24
    assert {t.failure.boundary for t in result.values() if t.failure} == {"time_limit"}
    assert result.missing == 24 - sum(t.status == "completed" for t in result.values())
    again = await rollout(tasks, agent=Sleepy(0.1), concurrency=24).run(tmp_path)
    assert (again.stopped, again.missing, len(again)) == (None, 0, 24)
    await rollout(tasks, agent=Sleepy(0.1), concurrency=24).run(tmp_path / "whole")
    assert comparable(tmp_path) == comparable(tmp_path / "whole")


PAID = Usage(1, 90, 10, 0, 0.5)


async def test_budget_of_tokens_stops_before_it_is_overdrawn(tasks, tmp_path):
    def run(budget, out="run"):
        return rollout(tasks, agent=Sleepy(usage=PAID), concurrency=4, budget=budget).run(tmp_path / out)

    # Three messages of 100 tokens an episode.
    result = await run(Budget(tokens=3200))
    assert "does not reach for another episode" in result.stopped
    assert (len(result), result.missing) == (10, 14)
    assert result.total.prompt_tokens + result.total.completion_tokens == 3000
    assert {t.status for t in result.values()} == {"completed"}
    # The configuration is the same; earlier starts count.
    assert len(await run(Budget(tokens=3200))) == 10
    more = await run(Budget(tokens=100_000))
    assert (len(more), more.stopped, more.total.calls) == (24, None, 72)
    await run(Budget(), "whole")
    assert comparable(tmp_path / "run") == comparable(tmp_path / "whole")


async def test_a_spent_budget_ends_open_episodes_and_keeps_account(tasks, tmp_path):
    agent = Sleepy(usage=PAID)
    result = await rollout(tasks, agent=agent, concurrency=24, budget=Budget(cost=4.0)).run(tmp_path)
    assert "budget of 4 in money is spent" in result.stopped
    assert {t.failure.boundary for t in result.values()} == {"budget"}
    # All 24 had asked before the first answer was paid; only before the eighth was, somebody could ask again.
    calls = agent.calls
    assert 24 <= calls < 24 + 8
    assert Records(tmp_path).spent.cost == result.total.cost == calls / 2
    more = await rollout(tasks, agent=agent, concurrency=24, budget=Budget(cost=1000.0)).run(tmp_path)
    assert (more.stopped, more.total.cost) == (None, calls / 2 + 24 * 1.5)


async def test_a_budget_of_money_needs_prices(tasks, tmp_path):
    agent = Sleepy(usage=replace(PAID, cost=None))
    with pytest.raises(ConfigurationError, match="no price; add it to the price file"):
        await rollout(tasks, agent=agent, budget=Budget(cost=1.0)).run(tmp_path)


async def test_what_a_failed_call_cost_is_on_record(tasks, tmp_path):
    class Costly(CollaboratorError):
        usage = PAID

    class Broken(Echo):
        async def reply(self, context):
            raise Costly("empty")

    result = await rollout(tasks[:3], collaborator=Broken()).run(tmp_path)
    assert all(t.failure.usage.prompt_tokens == 90 for t in result.values())
    assert Records(tmp_path).spent.calls == 3


def test_spending_refuses_after_the_cap():
    spending = Spending(Budget(tokens=150), before=Usage(prompt_tokens=60))
    spending.check()
    spending.add(PAID)
    with pytest.raises(BudgetError, match=r"budget of 150 tokens is spent \(160 tokens\)"):
        spending.check()


@pytest.mark.parametrize(
    "values", [{"call_seconds": 0}, {"agent_concurrency": 0}, {"run_seconds": -1}, {"batch_size": 0}]
)
def test_wrong_limits_are_named(values):
    with pytest.raises(ConfigurationError, match=f"{next(iter(values))} must be"):
        Limits(**values)


class Batched(BaseAgent):
    name = "sleepy"

    def __init__(self):
        self.sizes = []

    async def act(self, observation):
        raise AssertionError("act_batch is to be called")

    async def act_batch(self, observations):
        self.sizes.append(len(observations))
        await asyncio.sleep(0.01)
        return [talker(observation) for observation in observations]


async def test_agents_with_act_batch_are_asked_together(tasks, tmp_path):
    agent = Batched()
    limits = Limits(batch_size=10)
    await rollout(tasks, agent=agent, concurrency=24, limits=limits).run(tmp_path / "batched")
    assert sum(agent.sizes) == 72
    assert max(agent.sizes) == 10
    assert len(agent.sizes) < 30
    await rollout(tasks, agent=Sleepy()).run(tmp_path / "single")
    assert comparable(tmp_path / "batched") == comparable(tmp_path / "single")


async def test_a_plain_class_with_a_blocking_act_batch(tasks, tmp_path):
    class Plain:
        def act(self, observation):
            raise AssertionError("act_batch is to be called")

        def act_batch(self, observations):
            return [AgentMessage(talker(o)) for o in observations]

    result = await rollout(tasks, agent=load_agent(Plain)).run(tmp_path)
    assert {t.status for t in result.values()} == {"completed"}


async def test_a_batch_that_fails_or_miscounts_fails_its_episodes(tasks, tmp_path):
    class Short(Batched):
        async def act_batch(self, observations):
            return ["I WANT TO ANSWER: something"]

    result = await rollout(tasks[:4], agent=Short(), concurrency=4).run(tmp_path)
    assert all("one AgentMessage per observation, actually: 1 for 4" in t.failure.message for t in result.values())
    assert {t.failure.boundary for t in result.values()} == {"agent"}


async def test_results_are_read_from_the_file(tasks, tmp_path):
    result = await rollout(tasks[:3]).run(tmp_path)
    key = (tasks[1].task_id, 0)
    assert result[key].task_id == tasks[1].task_id
    assert list(result) == [(t.task_id, 0) for t in tasks[:3]]
    # A record that is being written now is left out.
    with (tmp_path / "trajectories.jsonl").open("ab") as handle:
        handle.write(b'{"schema": "colbench.traj')
    assert len(Records(tmp_path)) == 3


async def test_replies_of_other_agents_do_not_share_a_state(tasks, tmp_path):
    class Stateful(Batched):
        def start(self, episode):
            player = Sleepy(0)
            return player

    result = await rollout(tasks[:4], agent=Stateful(), collaborator=Echo()).run(tmp_path)
    assert {t.status for t in result.values()} == {"completed"}
    assert isinstance(Reply("x"), Reply)
