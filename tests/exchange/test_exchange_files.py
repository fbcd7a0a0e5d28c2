"""The published format there and back, chat messages, single turns, and preference pairs."""

import asyncio
import json

import pytest
from typer.testing import CliRunner

from colbench.agents import load_agent
from colbench.cli import app
from colbench.errors import CollaboratorError, TaskDataError
from colbench.exchange import from_published, import_published, preference_pairs, to_messages, to_published, to_turns
from colbench.judge import Verdict
from colbench.records import Records
from colbench.rollout import Rollout
from colbench.run_tasks import tasks_of_run
from colbench.simulators import Reply
from colbench.tasks import load_tasks


class Echo:
    name = "echo"

    async def reply(self, context):
        return Reply(f"{context.seed % 1000}: {context.messages[-1]['content']}")

    def describe(self):
        return {"name": self.name}


class TenthsJudge:
    kind = "backend"
    reply_chars = 400

    async def look(self, task, visible):
        return None

    async def reference(self, task):
        return None

    def describe(self):
        return {"grading": "tenths"}

    async def verdict(self, task, answer, page):
        passed = len(answer.strip()) % 11
        return Verdict(passed / 10, passed == 10, (), grading="strict")


def thinker(observation):
    said = len(observation["messages"]) // 2
    if said < 2:
        return f"thought {said} OUTPUT: question {said}?"
    number = sum(map(ord, observation["messages"][-1]["content"]))
    return "thought OUTPUT: I WANT TO ANSWER: " + "x" * (number % 11)


@pytest.fixture
def tasks():
    return load_tasks("bundled", split="test")[:6]


@pytest.fixture
def run(tasks, tmp_path):
    class Broken(Echo):
        async def reply(self, context):
            if context.task is tasks[5]:
                raise CollaboratorError("gone")
            return await super().reply(context)

    playing = Rollout(
        "ColBench-Backend-v0",
        tasks,
        agent=load_agent(thinker),
        collaborator=Broken(),
        judge=TenthsJudge(),
        repeats=3,
        extra={"tasks": "bundled", "split": "test"},
    )
    asyncio.run(playing.run(tmp_path / "run"))
    return tmp_path / "run"


def export(run, out, *words):
    result = CliRunner().invoke(app, ["export", *map(str, run), "--out", str(out), "--format", *words])
    assert result.exit_code == 0, result.output + str(result.exception)
    return [json.loads(line) for line in out.read_text().splitlines()], result.output


def test_published_format_there_and_back(run, tasks, tmp_path):
    rows, output = export([run], tmp_path / "p.jsonl", "published")
    assert "15 rows (3 failed episodes left out)" in output
    for row in rows:
        assert list(row) == ["task", "dialogue_history", "answer", "reward"]
        task = tasks.get(row["task"]["task_id"])
        assert row["task"]["ground_truth"] == task.ground_truth
        assert row["task"]["test_cases"] == task.test_cases
        roles = [entry["role"] for entry in row["dialogue_history"]]
        assert roles == ["user", "assistant", "user", "assistant", "user", "assistant"]
        first, second = row["dialogue_history"][1], row["dialogue_history"][3]
        assert list(first) == ["role", "content", "input", "output"]
        assert first["output"] == "thought 0 OUTPUT: question 0?"
        assert first["content"] == " question 0?"
        # What the agent saw: the history without anybody's thought.
        assert [m["content"] for m in second["input"]] == [e["content"] for e in row["dialogue_history"][:3]]
    done = import_published(tmp_path / "p.jsonl", tmp_path / "again")
    assert (done.episodes, done.tasks, done.without_task, done.ungraded) == (15, 5, 0, 0)
    before, after = Records(run), Records(tmp_path / "again")
    for key in after:
        a, b = before[key], after[key]
        assert [(t.raw, t.visible, t.reply and t.reply.text) for t in a.turns] == [
            (t.raw, t.visible, t.reply and t.reply.text) for t in b.turns
        ]
        assert (a.answer, a.score, a.success, a.ended_by, a.task_hash) == (
            b.answer,
            b.score,
            b.success,
            b.ended_by,
            b.task_hash,
        )
    assert [t.content_hash for t in tasks_of_run(tmp_path / "again")] == [t.content_hash for t in tasks[:5]]
    # Importing once more adds nothing.
    import_published(tmp_path / "p.jsonl", tmp_path / "again")
    assert len((tmp_path / "again" / "trajectories.jsonl").read_text().splitlines()) == 15
    again, _ = export([tmp_path / "again"], tmp_path / "q.jsonl", "published")
    assert again == rows


def test_only_the_published_format_embeds_the_task(run, tasks, tmp_path):
    for name in ("messages", "turns", "preferences"):
        rows, _ = export([run], tmp_path / f"{name}.jsonl", name)
        text = (tmp_path / f"{name}.jsonl").read_text()
        assert rows
        for task in tasks:
            assert json.dumps(max(task.ground_truth.splitlines(), key=len))[1:-1] not in text


def test_messages_and_turns(run, tasks, tmp_path):
    (tmp_path / "system.txt").write_text("Be brief.\n")
    rows, _ = export([run], tmp_path / "m.jsonl", "messages", "--min-score", "0.5", "--system", tmp_path / "system.txt")
    records = Records(run)
    assert len(rows) == sum((t.score or 0) >= 0.5 for t in records.values())
    for row in rows:
        t = records[(row["task_id"], row["repeat"])]
        assert row["score"] == t.score
        assert row["messages"][0] == {"role": "system", "content": "Be brief."}
        assert [m["content"] for m in row["messages"] if m["role"] == "assistant"] == [turn.raw for turn in t.turns]
    t = next(t for t in records.values() if t.status == "completed")
    turns = list(to_turns(t))
    assert [row["turn"] for row in turns] == [0, 1, 2]
    assert turns[1]["prompt"][1] == {"role": "assistant", "content": " question 0?"}
    assert turns[1]["completion"] == [{"role": "assistant", "content": "thought 1 OUTPUT: question 1?"}]
    assert len(to_messages(t)["messages"]) == 6


def test_preference_pairs_share_what_is_the_same(run):
    records = Records(run)
    pairs = list(preference_pairs([records]))
    assert pairs
    for pair in pairs:
        scores = [t.score for t in records.values() if t.task_id == pair["task_id"]]
        assert (pair["chosen_score"], pair["rejected_score"]) == (max(scores), min(scores))
        assert pair["chosen_score"] > pair["rejected_score"]
        assert pair["prompt"][-1]["role"] == "user"
        assert pair["chosen"][0]["role"] == pair["rejected"][0]["role"] == "assistant"
        assert pair["chosen"][-1]["role"] == "assistant"
        assert pair["chosen"] != pair["rejected"]
        # The first question is always the same, so it belongs to the prompt... unless the replies differ before it.
        assert pair["prompt"][0]["content"] == records[(pair["task_id"], 0)].request
    wide = list(preference_pairs([records], min_gap=0.5))
    assert {p["task_id"] for p in wide} == {
        p["task_id"] for p in pairs if p["chosen_score"] - p["rejected_score"] >= 0.5
    }


def test_pairs_across_runs_need_the_same_task(run, tmp_path):
    def text(answer):
        return {
            "task": {"problem_description": "Do. The signature is: def f(x)", "ground_truth": "def f(x):\n    return x",
                     "test_cases": {"test1": "f(1)"}, "task_id": "one"},
            "dialogue_history": [{"role": "user", "content": "Do."}, {"role": "assistant", "content": answer}],
            "answer": answer,
            "reward": float(len(answer)),
        }  # fmt: skip

    for name, answer in (("a", ""), ("b", "x")):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(text(answer)) + "\n")
        import_published(tmp_path / f"{name}.jsonl", tmp_path / name)
    (pair,) = preference_pairs([Records(tmp_path / "a"), Records(tmp_path / "b")])
    assert (pair["chosen"], pair["rejected"]) == (
        [{"role": "assistant", "content": "x"}],
        [{"role": "assistant", "content": ""}],
    )


MINIMAL = {
    "task": {"problem_description": "Do it. The signature is: def f(x)", "ground_truth": None, "test_cases": None},
    "dialogue_history": [
        {"role": "system", "content": "ignored"},
        {"role": "user", "content": "Do it."},
        {"role": "agent", "content": "How?", "input": None, "output": None},
        {"role": "human", "content": "Well."},
        {"role": "agent", "content": "Like this.", "output": ""},
    ],
    "answer": "Like this.",
}


def test_sparse_records_are_read(tmp_path):
    trajectory, task = from_published(MINIMAL)
    assert task is None
    assert [t.raw for t in trajectory.turns] == ["How?", "Like this."]
    assert trajectory.request == "Do it."
    assert (trajectory.status, trajectory.failure.boundary) == ("failed", "ungraded")
    (tmp_path / "m.jsonl").write_text(json.dumps(MINIMAL) + "\n" + json.dumps({**MINIMAL, "reward": 0.5}) + "\n")
    result = CliRunner().invoke(app, ["import", str(tmp_path / "m.jsonl"), "--out", str(tmp_path / "m")])
    assert result.exit_code == 0
    assert "2 episodes on 1 tasks; 1 without a reward" in result.output
    records = Records(tmp_path / "m")
    assert list(records) == [("m-00000", 0), ("m-00000", 1)]
    assert [t.score for t in records.values()] == [None, 0.5]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": {}}, "'task' must hold a 'problem_description'"),
        ({"dialogue_history": None}, "'dialogue_history' must be a list, actually: NoneType"),
        ({"dialogue_history": [{"role": "user"}]}, r"dialogue_history\[0\]: 'content' must be a string"),
        ({"dialogue_history": ["x"]}, r"dialogue_history\[0\]: expected an object"),
        ({"dialogue_history": [{"role": "agent", "content": "a"}] * 2}, r"\[1\]: two messages of the agent"),
        ({"dialogue_history": [{"role": "user", "content": "a"}] * 2}, r"\[1\]: two messages of the collaborator"),
        ({"reward": "good"}, "'reward' must be a number, actually: 'good'"),
    ],
)
def test_bad_records_are_named_and_nothing_is_written(tmp_path, change, message):
    (tmp_path / "m.jsonl").write_text(json.dumps(MINIMAL) + "\n" + json.dumps({**MINIMAL, **change}) + "\n")
    with pytest.raises(TaskDataError, match=rf"m\.jsonl:2: .*{message}"):
        import_published(tmp_path / "m.jsonl", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_ungraded_import_is_graded_by_regrade(tasks, tmp_path):
    task = tasks[0]
    answer = f"```python\n{task.ground_truth}\n```"
    record = {
        "task": {"problem_description": task.problem_description, "ground_truth": task.ground_truth,
                 "test_cases": task.test_cases},
        "dialogue_history": [{"role": "user", "content": task.problem_description},
                             {"role": "assistant", "content": f"I WANT TO ANSWER: {answer}"}],
        "answer": answer,
    }  # fmt: skip
    (tmp_path / "p.jsonl").write_text(json.dumps(record) + "\n")
    import_published(tmp_path / "p.jsonl", tmp_path / "run")
    result = CliRunner().invoke(
        app, ["regrade", str(tmp_path / "run"), "--out", str(tmp_path / "new"), "--grading", "strict"]
    )
    assert result.exit_code == 0, result.output
    (t,) = Records(tmp_path / "new").values()
    assert (t.success, t.ended_by, t.failure, t.grading) == (True, "answer", None, "strict")


def test_export_names_no_task_that_was_edited(run, tmp_path):
    edited = [
        t.model_copy(update={"ground_truth": t.ground_truth + "\n#"}) for t in load_tasks("bundled", split="test")
    ]
    lines = [json.dumps(t.model_dump(mode="json", exclude={"kind"})) for t in edited]
    (tmp_path / "edited.jsonl").write_text("\n".join(lines) + "\n")
    words = ["export", str(run), "--out", str(tmp_path / "x"), "--format", "published"]
    result = CliRunner().invoke(app, [*words, "--tasks", str(tmp_path / "edited.jsonl")])
    assert "6 tasks" in str(result.exception)
    assert "changed since" in str(result.exception)
    assert not (tmp_path / "x").exists()


def test_published_record_of_a_page(tmp_path):
    task = load_tasks("bundled", kind="frontend", split="test")[0]
    record = {
        "task": {"problem_description": task.problem_description, "ground_truth": task.ground_truth},
        "dialogue_history": [{"role": "user", "content": "A page."}, {"role": "assistant", "content": "<html></html>"}],
        "answer": "<html></html>",
        "reward": 0.25,
    }
    trajectory, found = from_published(record, kind="frontend")
    assert found.content_hash == task.content_hash
    assert (trajectory.success, trajectory.score, trajectory.env_id) == (None, 0.25, "ColBench-Frontend-v0")
    assert "test_cases" not in to_published(trajectory, found)["task"]
