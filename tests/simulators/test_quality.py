"""Faithfulness on procedural tasks, and the figures of a run's collaborator."""

import random

import pytest

from colbench.agents import load_agent
from colbench.judge import Verdict
from colbench.rollout import Rollout
from colbench.simulators import Reply, load_collaborator
from colbench.simulators.faithfulness import faithfulness, judged
from colbench.simulators.quality import quality, says_dont_know
from colbench.simulators.wordings import DONT_KNOW
from colbench.tasks import load_tasks
from colbench.trajectory import ReplyRecord, Trajectory, TurnRecord

TASKS = load_tasks("procedural:n=60", split="train")


class PassJudge:
    kind = "backend"
    reply_chars = 400

    async def look(self, task, visible):
        return None

    async def reference(self, task):
        return None

    async def verdict(self, task, answer, page):
        return Verdict(score=0.0, success=False, outcomes=())

    def describe(self):
        return {"grading": "none"}


def test_every_option_speaks_for_itself():
    asked = 0
    for task in TASKS:
        for decision in task.procedural.hidden:
            for i, option in enumerate(decision.options):
                wanted = "agrees" if i == decision.chosen else "contradicts"
                verdicts = dict(judged(task, decision.question, option.fact))
                assert verdicts[decision.name] == wanted, (decision.name, option.key)
                asked += 1
    assert asked > 600


def test_replies_in_other_words():
    task = next(t for t in TASKS if t.procedural.family == "pricing" and not t.procedural.decisions[1].stated)
    limit = task.procedural.decisions[1]
    number = {"five": "5", "ten": "10", "twelve": "12"}[limit.options[limit.chosen].key]
    other = "5" if number != "5" else "12"
    assert faithfulness(task, limit.question, f"You get it when you buy {number} or more.") == "agrees"
    assert faithfulness(task, limit.question, f"You get it when you buy {other} or more.") == "contradicts"
    assert faithfulness(task, limit.question, "I don't know about that.") == "silent"
    assert faithfulness(task, limit.question, "Yes.") == "silent"
    assert faithfulness(task, "Which colour is the shop?", f"{other} pieces") == "silent"
    assert faithfulness(load_tasks("bundled", split="test")[0], "What is returned?", "A list.") == "silent"


@pytest.mark.parametrize(
    "text", [*DONT_KNOW, "Hmm, I'm not sure about that.", "I do not know.", "I don’t have a preference."]
)
def test_dont_know(text):
    assert says_dont_know(text)


def test_knowing_is_not_not_knowing():
    assert not says_dont_know("It is a list of numbers.")
    long = "I am not sure about the name, but " + "the total is the sum of all prices after the rebate " * 3
    assert not says_dont_know(long)


def test_chance_words_are_rarely_taken_for_a_statement():
    rng = random.Random(0)
    facts = [o.fact for task in TASKS for d in task.procedural.decisions for o in d.options]
    taken = asked = 0
    for task in TASKS:
        own = {o.fact for d in task.procedural.decisions for o in d.options}
        for decision in task.procedural.hidden:
            other = next(f for f in rng.sample(facts, 50) if f not in own)
            taken += dict(judged(task, decision.question, other))[decision.name] != "silent"
            asked += 1
    assert taken / asked < 0.08


async def play(collaborator, tmp_path, tasks=TASKS[:25]):
    run = Rollout("ColBench-Backend-v0", tasks, load_agent("interviewer"), collaborator, PassJudge())
    return list((await run.run(tmp_path)).values())


async def test_the_embedded_collaborator_is_faithful_and_a_liar_is_found_out(tmp_path):
    report = quality(await play(load_collaborator(), tmp_path / "a"), TASKS)
    assert report.faithfulness == 1.0 and report.asked > 80 and report.silent == 0
    assert report.leaks == report.cut == report.empty == 0
    assert report.episodes == 25 and sum(map(sum, report.by_family.values())) == report.asked

    class Liar:
        name = "liar"

        async def reply(self, context):
            decisions = {d.name: d for d in context.task.procedural.decisions}
            for name, _ in judged(context.task, context.messages[-1]["content"], ""):
                options = decisions[name].options
                return Reply(options[(decisions[name].chosen + 1) % len(options)].fact)
            return Reply("I don't know.")

        def describe(self):
            return {"name": self.name}

    report = quality(await play(Liar(), tmp_path / "b"), TASKS)
    assert report.faithfulness is not None and report.faithfulness < 0.1


def record(task, *replies):
    turns = [TurnRecord(raw="q", visible="q", reply=reply) for reply in replies]
    return Trajectory(
        env_id="e", task_id=task.task_id, task_hash=task.content_hash, request="r", turns=turns, status="completed"
    )


def test_figures_of_a_run():
    trajectory = record(
        TASKS[0],
        ReplyRecord(text="I don't know."),
        ReplyRecord(text="x" * 400, cut=True),
        ReplyRecord(text="", meta={}),
        ReplyRecord(text="ok", leak=True, meta={"leaks": 2}),
        ReplyRecord(text="ok", leak=True, meta={"leaks": 3, "code_removed": True}),
        ReplyRecord(text="ok", meta={"retried_empty": True}),
        ReplyRecord(text="no", meta={"declined": "content_filter"}),
    )
    report = quality([trajectory], TASKS)
    figures = (report.replies, report.leaks, report.leak_attempts, report.code_removed, report.dont_know)
    assert figures == (7, 2, 5, 1, 1)
    assert (report.cut, report.empty, report.declined, report.asked, report.faithfulness) == (1, 2, 1, 0, None)
    assert "leaks: 2 (28.6%) (5 attempts, code removed from 1)" in report.lines()
    assert report.to_json()["faithfulness"] is None
    assert quality([]).lines()[0] == "replies: 0 in 0 episodes"
