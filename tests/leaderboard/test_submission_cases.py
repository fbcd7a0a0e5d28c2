# ruff: noqa: F811
"""What people submit, by mistake and on purpose: every row of the list of cases about files and coverage."""

import json
import resource

import pytest
from board_support import boards, check, edit, edit_yaml, found, honest, lines_of, played, small  # noqa: F401
from typer.testing import CliRunner

from leaderboard.cli import app
from leaderboard.dialogues import read_dialogues
from leaderboard.findings import Findings
from leaderboard.validate import validate


def test_honest_submission_is_valid(honest, small):
    checked = validate(honest, small)
    assert list(checked.findings) == []
    assert len(checked.lines) == 6
    assert (checked.repeats, checked.missing) == (1, [])


def test_missing_tasks_are_listed_and_refused(honest, small):
    gone = lines_of(honest)[3]["task_id"]
    edit(honest, lambda records: records[:3] + records[4:])
    checked = validate(honest, small)
    (finding,) = found(checked.findings, "missing")
    assert finding.level == "error"
    assert f"1 of 6 episodes are missing: {gone}" in finding.message
    assert not check(honest, small).rows


def test_missing_tasks_count_as_0_where_the_submitter_says_so(honest, small):
    gone = lines_of(honest)[3]["task_id"]
    edit(honest, lambda records: records[:3] + records[4:])
    edit_yaml(honest, "missing_as_zero: false", "missing_as_zero: true")
    result = check(honest, small)
    assert result.verified
    assert [f.level for f in found(result.findings, "missing")] == ["warning"]
    (row,) = [row for row in result.rows if row.missing]
    assert (row.task_id, row.score, row.success) == (gone, 0.0, False)
    assert sum(row.success for row in result.rows) == 5


@pytest.mark.parametrize("field", ["reward", "score"])
@pytest.mark.parametrize("value", ["NaN", "1e999", "-Infinity", '"0.5"', "true", "-0.1", "1.7", "[1]"])
def test_numbers_that_are_none(honest, small, field, value):
    lines = (honest / "trajectories.jsonl").read_text().splitlines()
    record = json.loads(lines[2])
    record[field] = 12345
    lines[2] = json.dumps(record).replace("12345", value)
    (honest / "trajectories.jsonl").write_text("\n".join(lines) + "\n")
    checked = validate(honest, small)
    (finding,) = found(checked.findings, "number")
    assert (finding.level, finding.file, finding.line) == ("error", "trajectories.jsonl", 3)


def test_other_fields_are_strict_too(honest, small):
    def change(records):
        records[0]["success"] = 1
        records[1]["repeat"] = "0"
        records[2]["turns"][0]["reply"]["text"] = None
        records[3]["bonus"] = 1
        records[4]["turns"] = {}

    edit(honest, change)
    checked = validate(honest, small)
    assert sorted({f.line for f in found(checked.findings, "field", "error")}) == [1, 2, 3, 4, 5]


def test_a_field_that_stands_twice(honest, small):
    path = honest / "trajectories.jsonl"
    path.write_text(path.read_text().replace('"reward"', '"reward": 0.0, "reward"', 1))
    (finding,) = found(validate(honest, small).findings, "line")
    assert "'reward' stands twice" in finding.message


def test_files_as_editors_leave_them(honest, small):
    path = honest / "trajectories.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n\r\n  \n")
    assert list(validate(honest, small).findings) == []


def test_a_torn_last_line(honest, small):
    path = honest / "trajectories.jsonl"
    path.write_bytes(path.read_bytes()[:-200])
    checked = validate(honest, small)
    (finding,) = found(checked.findings, "line")
    assert finding.line == 6
    assert "was the file cut off?" in finding.message
    assert found(checked.findings, "missing")


def test_a_line_without_end_is_skipped_without_holding_it(honest):
    path = honest / "trajectories.jsonl"
    good = path.read_bytes()
    with path.open("wb") as handle:
        handle.write(good.splitlines(keepends=True)[0])
        handle.seek(2 * 1024**3, 1)  # a sparse hole: 2 GB of zeros in one line
        handle.write(b"\n" + good.splitlines(keepends=True)[1])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    findings = Findings()
    read = [line for line, _ in read_dialogues(honest, findings)]
    assert read == [1, 3]
    (finding,) = findings
    assert (finding.line, finding.code) == (2, "line")
    assert "longer than" in finding.message
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no dialogue"),
        (b"\n\n", "no dialogue"),
        (b"[]\n", "expected a JSON object"),
        (b"{}\n", "Field required"),
        (b"\xff\xfe{}\n", "not UTF-8"),
        (b"[" * 100_000 + b"\n", "not valid JSON"),
        (b'{"a": ' + b"9" * 6000 + b"}\n", "not valid JSON"),
        (b"\x00\x01\x02\n", "not valid JSON"),
    ],
)
def test_files_that_hold_something_else(honest, small, content, words):
    (honest / "trajectories.jsonl").write_bytes(content)
    checked = validate(honest, small)
    assert any(words in f.message for f in checked.findings)
    assert checked.findings.refused


def test_no_file(honest, small):
    (honest / "trajectories.jsonl").unlink()
    assert found(validate(honest, small).findings, "file", "error")


def test_ids_twice_unknown_tasks_and_repeats(honest, small):
    def change(records):
        stranger = {**records[1], "task_id": "<script>alert(1)</script>"}
        far = {**records[1], "repeat": 10**9}
        return [*records, records[0], stranger, far]

    edit(honest, change)
    checked = validate(honest, small)
    (twice,) = found(checked.findings, "duplicate")
    assert twice.line == 7
    assert "stands already in line 1" in twice.message
    assert [f.line for f in found(checked.findings, "task")] == [8]
    assert [f.line for f in found(checked.findings, "repeat")] == [9]


def test_two_runs_in_one(honest, small):
    def change(records):
        records[1]["agent"] = {"name": "another"}

    edit(honest, change)
    assert found(validate(honest, small).findings, "mixed", "error")


def test_boards_are_not_mixed(honest, small, plain_board):
    edit_yaml(honest, "name: embedded", "name: chat")
    checked = validate(honest, small)
    assert found(checked.findings, "collaborator", "error")
    other = validate(honest, plain_board)
    assert found(other.findings, "board", "error")
    assert len(found(other.findings, "task", "error")) == 6


@pytest.fixture
def plain_board(boards):
    from leaderboard.board import load_board

    return load_board("plain", boards)


def test_findings_on_the_command_line(honest, boards):
    edit(honest, lambda records: records[1:])
    words = ["validate", str(honest), "--boards", str(boards)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert "trajectories.jsonl: error [missing] 1 of 6" in result.output
    result = CliRunner().invoke(app, [*words, "--json"])
    assert json.loads(result.output.splitlines()[0])["code"] == "missing"
