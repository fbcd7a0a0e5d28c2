# ruff: noqa: F811
"""Forgeries of functions and of dialogues: each is caught, and by the check that is meant for it."""

import asyncio
import re

import pytest
from board_support import (  # noqa: F401
    boards,
    check,
    edit,
    edit_yaml,
    found,
    honest,
    lines_of,
    plain,
    play,
    played,
    small,
    submission_of,
    write_records,
)
from typer.testing import CliRunner

from colbench.tasks import load_tasks
from leaderboard import verify as verify_module
from leaderboard.cli import app
from leaderboard.entries import TIERS, read_entries, verify_and_add
from leaderboard.suspicion import chance_of
from leaderboard.validate import validate

WRONG = "I WANT TO ANSWER:\n```python\ndef nothing():\n    return None\n```"


def spoil(record, text=WRONG):
    """Give a dialogue another last message."""
    turn = record["turns"][-1]
    turn["raw"] = turn["visible"] = text
    record["answer"] = text.split("I WANT TO ANSWER:")[1]


def test_raised_rewards_our_grade_stands(honest, small):
    def change(records):
        for record in records[:2]:
            spoil(record)

    edit(honest, change)
    result = check(honest, small)
    assert result.verified
    assert (result.raised, result.lowered) == (2, 0)
    claims = found(result.findings, "claims", "flag")
    assert [f.line for f in claims] == [1, 2]
    assert "score 1, our grade is 0" in claims[0].message
    assert sum(row.success for row in result.rows) == 4
    assert [row.claimed for row in result.rows][:2] == [1.0, 1.0]


def test_only_the_reward_is_raised(honest, small):
    def change(records):
        spoil(records[0])
        records[0].update(score=0.0, success=False, outcomes=[], reward=1.0)

    edit(honest, change)
    (finding,) = found(check(honest, small).findings, "claims", "flag")
    assert "reward 1, our grade is 0" in finding.message


def test_claims_below_our_grade_are_shown(honest, small):
    edit(honest, lambda records: records[0].update(score=0.5, success=False, reward=0.0))
    result = check(honest, small)
    assert (result.raised, result.lowered) == (0, 1)
    assert found(result.findings, "claims", "warning")
    assert not found(result.findings, "claims", "flag")


def test_answers_swapped_between_tasks(honest, small):
    def change(records):
        records[0]["answer"], records[1]["answer"] = records[1]["answer"], records[0]["answer"]

    edit(honest, change)
    assert [f.line for f in found(validate(honest, small).findings, "answer", "error")] == [1, 2]


def test_last_messages_swapped_between_tasks(honest, small):
    swapped = set()

    def change(records):
        a, b = records[0], records[1]
        swapped.update((a["task_id"], b["task_id"]))
        a["turns"][-1], b["turns"][-1] = b["turns"][-1], a["turns"][-1]
        a["answer"], b["answer"] = b["answer"], a["answer"]

    edit(honest, change)
    result = check(honest, small)
    assert result.raised == 2
    # Records stand in the order in which episodes ended, rows in the order of the tasks.
    assert {row.task_id for row in result.rows if not row.success} == swapped


def test_whole_dialogues_swapped_between_tasks(honest, small):
    def change(records):
        for name in ("task_id", "task_hash"):
            records[0][name], records[1][name] = records[1][name], records[0][name]

    edit(honest, change)
    assert len(found(validate(honest, small).findings, "request", "error")) == 2


def test_more_turns_than_allowed(honest, small):
    def change(records):
        question = records[0]["turns"][0]
        records[0]["turns"] = [question] * 11 + records[0]["turns"][-1:]

    edit(honest, change)
    (finding,) = found(validate(honest, small).findings, "turns", "error")
    assert "12 agent turns where 10 are allowed" in finding.message
    assert finding.line == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda r: r["turns"].__setitem__(slice(None), r["turns"][:1] * 10 + r["turns"][-1:]), "turns"),
        (lambda r: r["turns"].insert(0, r["turns"][-1]), "turns"),
        (lambda r: r["turns"].pop(), "turns"),
        (lambda r: r["turns"].clear(), "turns"),
        (lambda r: r["turns"][0].pop("reply"), "turns"),
        (lambda r: r["turns"][-1].update(reply={"text": "Fine."}), "turns"),
        (lambda r: r["turns"][0]["reply"].update(text="x" * 401), "reply"),
        (lambda r: r["turns"][0].update(raw="OUTPUT: " + r["turns"][0]["raw"] + "OUTPUT: more"), "markers"),
        (lambda r: r["turns"][0].update(visible="Something else?"), "markers"),
        (lambda r: r.update(ended_by="turn_limit"), "ended_by"),
        (lambda r: r.update(max_turns=20), "turns"),
        (lambda r: r.update(request="Write nothing."), "request"),
        (lambda r: r.update(task_hash="0" * 16), "task"),
        (lambda r: r.update(env_id="ColBench-Frontend-v0"), "board"),
        (lambda r: r["collaborator"].update(name="chat"), "collaborator"),
        (lambda r: r["agent"].update(sees_reference=True), "sees_reference"),
    ],
)
def test_broken_protocol(honest, small, change, code):
    def first(records):
        change(records[0])

    edit(honest, first)
    assert 1 in [f.line for f in found(validate(honest, small).findings, code, "error")]


def test_dropped_hard_tasks(honest, small):
    edit(honest, lambda records: [r for r in records if r["turns"][3:]][:4])
    assert found(validate(honest, small).findings, "missing", "error")
    edit(honest, lambda records: [{**r, "repeat": k} for r in records for k in (0, 1)][:-1])
    assert "are missing" in found(validate(honest, small).findings, "missing")[0].message


def test_episodes_farmed_as_failed(honest, small):
    def change(records):
        for record in records[:2]:
            for name in ("score", "success", "reward", "ended_by"):
                record.pop(name)
            record.update(status="failed", failure={"boundary": "sandbox", "type": "SandboxError", "message": "gone"})

    edit(honest, change)
    result = check(honest, small)
    assert [f.line for f in found(result.findings, "failed", "error")] == [1, 2]
    assert not result.verified
    assert result.rows == []


def test_an_edited_reply_of_the_embedded_collaborator(honest, small):
    def change(records):
        records[2]["turns"][1]["reply"]["text"] += " And round up."

    edit(honest, change)
    result = check(honest, small)
    (finding,) = found(result.findings, "reply", "error")
    assert (finding.line, "turn 2" in finding.message) == (3, True)
    assert not result.verified


def test_decisions_that_no_reply_settled(honest, small):
    def change(records):
        records[2]["turns"][1]["reply"]["settled"] = ["made_up"]

    edit(honest, change)
    assert found(check(honest, small).findings, "reply", "error")


def test_another_version_of_the_collaborator_is_a_warning(honest, small):
    def change(records):
        for record in records:
            record["collaborator"]["version"] = 0
        records[2]["turns"][1]["reply"]["text"] += " And round up."

    edit(honest, change)
    result = check(honest, small)
    assert result.verified
    assert result.replayed == 0
    assert found(result.findings, "replay", "warning")


class Pasting:
    """Answers with the reference, asked or not: what a forger's dialogues come to."""

    name = "pasting"

    def __init__(self, sources, questions=()):
        self.sources = sources
        self.questions = questions

    def act(self, observation):
        asked = 10 - observation["turns_left"]
        if asked < len(self.questions):
            return self.questions[asked]
        return f"I WANT TO ANSWER:\n```python\n{self.sources[observation['messages'][0]['content']]}\n```"


def sources_of(board, change=lambda source: source):
    return {task.problem_description: change(task.ground_truth) for task in board.tasks}


def test_a_pasted_reference(plain, tmp_path):
    folder = submission_of(plain, Pasting(sources_of(plain)), tmp_path)
    result = check(folder, plain)
    flags = found(result.findings, "pasted", "flag")
    assert len(flags) == 4
    assert "names and numbers that nobody said" in flags[0].message
    entries = tmp_path / "entries"
    words = ["add", str(folder), "--entries", str(entries), "--allow-weaker-isolation", "--boards"]
    words.append(str(plain.source.rsplit("/", 1)[0]))
    refused = CliRunner().invoke(app, words)
    assert "is flagged (pasted)" in str(refused.exception)
    assert not list(entries.glob("*/*"))
    accepted = CliRunner().invoke(app, [*words, "--accept", "pasted"])
    assert accepted.exit_code == 0, accepted.output
    (entry,) = read_entries(entries)
    assert entry.record["flags"] == {"pasted": 4}
    assert entry.record["accepted"] == ["pasted"]


def test_a_pasted_reference_with_other_layout_and_comments(plain, tmp_path):
    def change(source):
        return "# mine\n" + source.replace("    ", "        ").replace(" = ", "  =  ").replace('"', "'")

    folder = submission_of(plain, Pasting(sources_of(plain, change), ["What are the inputs?"]), tmp_path)
    assert len(found(validate(folder, plain).findings, "pasted", "flag")) == 4


def test_own_code_is_not_pasted(plain, tmp_path):
    own = "def f(*given):\n    found = []\n    for each in given:\n        found.append(each)\n    return found"
    folder = submission_of(plain, Pasting(sources_of(plain, lambda _: own)), tmp_path)
    assert list(validate(folder, plain).findings) == []


def test_names_that_were_said_are_not_pasted(plain, tmp_path):
    """With every word of the reference in the dialogue there is nothing that only the reference could tell."""
    folder = submission_of(plain, Pasting(sources_of(plain), ["What are the inputs?"]), tmp_path)

    def change(records):
        for record in records:
            words = re.findall(r"[A-Za-z]+|[0-9.]+", plain.tasks.get(record["task_id"]).ground_truth)
            first = record["turns"][0]
            said = " ".join(sorted(set(words)))
            # Two replies, since one may not be longer than 400 characters.
            record["turns"][:1] = [{**first, "reply": {"text": said[:400]}}, {**first, "reply": {"text": said[400:]}}]

    edit(folder, change)
    checked = validate(folder, plain)
    assert not found(checked.findings, "pasted")
    assert len(checked.lines) == 4


def test_a_line_of_the_reference_as_a_reply(plain, tmp_path):
    folder = submission_of(plain, Pasting(sources_of(plain, lambda _: "def f(): pass"), ["Well?"]), tmp_path)

    def change(records):
        lines = plain.tasks.get(records[1]["task_id"]).ground_truth.splitlines()
        records[1]["turns"][0]["reply"]["text"] = "Sure: " + max(lines, key=len).strip()

    edit(folder, change)
    (finding,) = found(validate(folder, plain).findings, "leak", "flag")
    assert (finding.line, "turn 1" in finding.message) == (2, True)


def test_pasting_on_procedural_tasks_shows_in_the_odds(boards, tmp_path):
    """Names are public there; what is not is how the decisions went, and nobody guesses a dozen tasks right."""
    (boards / "odds.yaml").write_text("name: odds\ntitle: Odds\nenv: backend\ntasks: procedural:n=12\n")
    from leaderboard.board import load_board

    board = load_board("odds", boards)
    folder = submission_of(board, Pasting(sources_of(board)), tmp_path)
    result = check(folder, board)
    (finding,) = found(result.findings, "luck", "flag")
    assert "12 of 12 procedural tasks succeed" in finding.message
    (boards / "odds.yaml").unlink()


def test_the_odds_are_exact():
    assert chance_of([0.5] * 10, 10) == pytest.approx(0.5**10)
    assert chance_of([0.1, 0.9], 1) == pytest.approx(1 - 0.9 * 0.1)
    assert chance_of([], 0) == 1
    assert chance_of([0.3] * 50, 0) == 1
    import scipy.stats

    assert chance_of([0.2] * 40, 15) == pytest.approx(scipy.stats.binom.sf(14, 40, 0.2))


def test_the_same_submission_twice_and_a_name_that_is_taken(honest, boards, small, tmp_path):
    entries = tmp_path / "entries"

    def add(folder):
        return asyncio.run(verify_and_add(folder, entries, small, allow_weaker=True, workers=1))

    _, entry = add(honest)
    assert entry.folder == entries / "small" / "honest"
    assert TIERS[entry.record["tier"]] == "graded again from submitted dialogues"
    assert entry.record["graded_by"]["grading"] == "strict"
    assert entry.record["graded_by"]["isolation"]
    assert entry.record["replayed"] == sum(row.questions for row in entry.rows)
    edit_yaml(honest, "name: Honest\n", "name: Another\n")
    with pytest.raises(Exception, match=r"the same dialogues as the entry .*small/honest"):
        add(honest)
    edit_yaml(honest, "name: Another\n", "name: '\u200f HONEST'\n")
    edit(honest, lambda records: [spoil(r) for r in records] and records)
    with pytest.raises(Exception, match=r"named .* already, .*small/honest"):
        add(honest)
    assert [e.slug for e in read_entries(entries)] == ["honest"]


def test_an_entry_that_was_changed_is_refused(honest, small, tmp_path):
    entries = tmp_path / "entries"
    asyncio.run(verify_and_add(honest, entries, small, allow_weaker=True, workers=1))
    rows = entries / "small" / "honest" / "rows.jsonl"
    rows.write_text(rows.read_text().replace('"score":0.', '"score":1.').replace("task", "Task"))
    with pytest.raises(Exception, match="has changed since it was verified"):
        read_entries(entries)


def test_a_sandbox_that_breaks_is_no_verdict(honest, small, monkeypatch):
    from colbench.errors import SandboxError

    class Broken:
        async def grade(self, line, trajectory):
            raise SandboxError("gone")

    monkeypatch.setattr(verify_module._Grading, "grade", Broken.grade)
    with pytest.raises(SandboxError, match="gone"):
        check(honest, small)


def test_tasks_of_the_suite_hold_no_forgery():
    """The references of two tasks share so little that no honest answer could be taken for another's."""
    from leaderboard.suspicion import _containment, _python_tokens

    tasks = load_tasks("bundled", split="test")
    tokens = [_python_tokens(task.ground_truth) for task in tasks]
    worst = max(_containment(a, b) for i, a in enumerate(tokens) for j, b in enumerate(tokens) if i != j)
    assert worst < 0.4
