"""submission.yaml: every mistake with its line, names that are no paths, and the published schema."""

import json

import pytest
from typer.testing import CliRunner

from leaderboard.cli import app
from leaderboard.findings import Findings
from leaderboard.submission import SUBMISSION, Submission, read_submission, schema, slug_of

GOOD = """schema: colbench.submission/1
board: small
name: Agent
model: none
authors: [A. Person]
licence: CC-BY-4.0
collaborator: {name: embedded}
date: 2026-01-31
"""


def read(tmp_path, text):
    findings = Findings()
    path = tmp_path / SUBMISSION
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_submission(tmp_path, findings), list(findings)


def test_good_file(tmp_path):
    submission, findings = read(tmp_path, GOOD)
    assert findings == []
    assert submission.protocol.kind == "standard"
    submission.write(tmp_path)
    again, findings = read(tmp_path, (tmp_path / SUBMISSION).read_text())
    assert again == submission
    bom, findings = read(tmp_path, b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert bom == submission


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("name: Agent", "name: ''", 3, "name: String should have at least 1 character"),
        ("name: Agent", "name: '...'", 3, "no letter or digit"),
        ("name: Agent", f"name: {'x' * 10_000}", 3, "at most 80 characters"),
        ("name: Agent", 'name: "a\\u0007b"', 3, "control characters"),
        ("licence: CC-BY-4.0\n", "", 1, "licence: Field required"),
        ("authors: [A. Person]", "authors: []", 5, "authors"),
        ("authors: [A. Person]", "authors:\n- A\n- 3", 7, "authors.1: Input should be a valid string"),
        ("date: 2026-01-31", "date: soon", 8, "date"),
        ("model: none", "model: none\nlink: javascript:alert(1)", 5, "link: String should match pattern"),
        ("model: none", "model: none\nscore: 1", 5, "score: Extra inputs are not permitted"),
        ("collaborator: {name: embedded}", "collaborator: {model: x}", 7, "needs at least 'name'"),
        ("date: 2026-01-31", "date: 2026-01-31\nprotocol: {kind: custom}", 9, "says in 'why'"),
        ("model: none", "model: *x", 4, "anchor"),
        ("model: none", "model: &x none", 4, "anchors"),
        ("model: none", "model: [", 5, "not valid YAML"),
        ("model: none", "model: !!python/object/apply:os.system [ls]", 4, "could not determine a constructor"),
    ],
)
def test_every_mistake_has_its_line(tmp_path, old, new, line, words):
    assert old in GOOD
    submission, findings = read(tmp_path, GOOD.replace(old, new))
    assert submission is None
    first = findings[0]
    assert words in first.message
    assert (first.level, first.file) == ("error", SUBMISSION)
    # A bracket that never closes is noticed somewhere after it.
    assert line <= first.line <= line + 2 if words == "not valid YAML" else first.line == line


def test_files_that_are_no_submission(tmp_path):
    for text, words in (
        (b"", "fields"),
        (b"- a", "fields"),
        (b"\xff\xfe", "UTF-8"),
        (b"a: b\n" * 20_000, "longer than"),
    ):
        submission, findings = read(tmp_path, text)
        assert submission is None
        assert words in findings[0].message
    (tmp_path / SUBMISSION).unlink()
    findings = Findings()
    assert read_submission(tmp_path, findings) is None
    assert "cannot be read" in next(iter(findings)).message


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/abs",
        "a/../b",
        "<script>alert(1)</script>",
        "\u202egnp.exe",
        "x" * 10_000,
        "CON",
        "..",
        "日本語",
    ],
)
def test_names_are_no_paths(name):
    slug = slug_of(name)
    assert slug
    assert len(slug) <= 60
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_schema_is_published_and_true():
    result = CliRunner().invoke(app, ["schema"])
    assert result.exit_code == 0
    published = json.loads(result.output)
    assert published == schema()
    assert set(published["required"]) == {"board", "name", "model", "authors", "licence", "collaborator", "date"}
    assert published["additionalProperties"] is False
    assert set(published["properties"]) == {"schema" if name == "schema_" else name for name in Submission.model_fields}
    result = CliRunner().invoke(app, ["schema", "--trajectory"])
    assert "turns" in json.loads(result.output)["properties"]
