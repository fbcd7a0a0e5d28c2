"""Recorded replies said again: by episode, by turn, by message."""

import pytest

from colbench.agents import AgentMessage, BaseAgent
from colbench.errors import ConfigurationError
from colbench.judge import Verdict
from colbench.rollout import Rollout
from colbench.simulators import Reply, load_collaborator
from colbench.tasks import load_tasks

TASKS = load_tasks("bundled", split="test")[:4]


class Judge:
    kind = "backend"
    reply_chars = 400

    async def look(self, task, visible):
        return None

    async def reference(self, task):
        return None

    async def verdict(self, task, answer, page):
        return Verdict(score=1.0, success=True, outcomes=())

    def describe(self):
        return {}


class Asks(BaseAgent):
    def __init__(self, *questions):
        self.questions = questions

    async def act(self, observation):
        turn = 10 - observation["turns_left"]
        return AgentMessage(self.questions[turn] if turn < len(self.questions) else "I WANT TO ANSWER: x")


class Echo:
    name = "echo"

    async def reply(self, context):
        return Reply(f"{context.seed}: {context.messages[-1]['content']}", settled=("a",))

    def describe(self):
        return {"name": self.name}


def heard(result):
    return {key: [turn.reply.text for turn in t.turns if turn.reply] for key, t in result.items()}


async def run(path, agent, collaborator, **options):
    return await Rollout("ColBench-Backend-v0", TASKS, agent, collaborator, Judge(), **options).run(path)


async def test_replay(tmp_path):
    asks = Asks("one?", "two?")
    first = await run(tmp_path / "first", asks, Echo(), repeats=2)
    replay = load_collaborator("replay", {"path": str(tmp_path / "first"), "match": "message"})
    again = await run(tmp_path / "again", asks, replay, repeats=2)
    assert heard(again) == heard(first)
    assert len({replies[0] for replies in heard(again).values()}) == 8
    assert again[(TASKS[0].task_id, 1)].turns[0].reply.meta == {"repeat": 1, "same_message": True}
    assert again[(TASKS[0].task_id, 1)].turns[0].reply.settled == ("a",)

    # Another seed has no episode of its own: the first repeat answers.
    other = await run(tmp_path / "other", asks, replay, seed=5)
    assert heard(other) == {key: replies for key, replies in heard(first).items() if key[1] == 0}

    # Another message: by turn it is answered all the same, by message it is not.
    by_turn = load_collaborator("replay", {"path": str(tmp_path / "first")})
    changed = await run(tmp_path / "turn", Asks("one?", "else?"), by_turn)
    assert heard(changed) == {key: replies for key, replies in heard(first).items() if key[1] == 0}
    last = changed[(TASKS[0].task_id, 0)].turns[1].reply
    assert last.meta["same_message"] is False and last.settled is None
    failed = await run(tmp_path / "message", Asks("one?", "else?"), replay)
    assert {(t.status, t.failure.boundary) for t in failed.values()} == {("failed", "collaborator")}
    assert "nothing was recorded for this message" in failed[(TASKS[0].task_id, 0)].failure.message

    longer = await run(tmp_path / "longer", Asks("one?", "two?", "three?"), by_turn)
    assert all("only 2 replies were recorded" in t.failure.message for t in longer.values())
    assert replay.describe()["recorded"] == by_turn.describe()["recorded"]


def test_errors(tmp_path):
    with pytest.raises(ConfigurationError, match="give path=FOLDER_OR_FILE"):
        load_collaborator("replay")
    (tmp_path / "trajectories.jsonl").write_text("")
    with pytest.raises(ConfigurationError, match="holds no replies"):
        load_collaborator("replay", {"path": str(tmp_path)})
    with pytest.raises(ConfigurationError, match="match must be one of turn, message, actually: 'word'"):
        load_collaborator("replay", {"path": str(tmp_path), "match": "word"})
