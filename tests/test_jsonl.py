"""Files as the world writes them."""

import json

import pytest

from colbench.errors import TaskDataError
from colbench.jsonl import append_line, atomic_write, dump_line, read_lines, repair_tail, write_lines


def test_bom_crlf_and_blank_lines(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\r\n{"a": "\xe6\x97\xa5"}\r\n\n\n')
    assert list(read_lines(path)) == [(1, {"a": 1}), (3, {"a": "日"})]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a": \n', r"x\.jsonl:2: not valid JSON"),
        (b'{"a": 1}\n{"a": 1', r"x\.jsonl:2: not valid JSON.*cut off"),
        (b"[1, 2]\n", r"x\.jsonl:1: expected a JSON object, actually: list"),
        (b"[\n1]", r"x\.jsonl:1: .*one object per line"),
        (b'{"a": "\xff"}\n', r"x\.jsonl:1: not UTF-8"),
        (b"[" * 100_000 + b"\n", r"x\.jsonl:1: not valid JSON"),
    ],
)
def test_bad_lines_are_named(tmp_path, content, message):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(TaskDataError, match=message):
        list(read_lines(path))


def test_a_line_without_end_is_refused_before_it_is_read_whole(tmp_path):
    path = tmp_path / "x.jsonl"
    with path.open("wb") as handle:
        handle.truncate(2 * 1024**3)
    with pytest.raises(TaskDataError, match=r"x\.jsonl:1: the line is longer than"):
        list(read_lines(path))


def test_missing_file(tmp_path):
    with pytest.raises(TaskDataError, match=r"no\.jsonl: cannot be opened"):
        list(read_lines(tmp_path / "no.jsonl"))


def test_torn_tail_is_cut_and_only_that(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": 2}\n{"a"')
    assert repair_tail(path) == 4
    assert [r["a"] for _, r in read_lines(path)] == [1, 2]
    assert repair_tail(path) == 0
    path.write_bytes(b"x" * 200_000)
    assert repair_tail(path) == 200_000
    assert repair_tail(tmp_path / "none") == 0


def test_writing(tmp_path):
    path = tmp_path / "sub" / "x.jsonl"
    write_lines(path, [{"a": "é"}, {"a": "\ud800"}])
    assert [r["a"] for _, r in read_lines(path)] == ["é", "\ud800"]
    with path.open("ab") as handle:
        append_line(handle, {"a": 3})
    assert len(list(read_lines(path))) == 3
    with pytest.raises(ValueError, match="JSON compliant"):
        dump_line({"a": float("nan")})


def test_atomic_write_leaves_the_old_file_when_it_fails(tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    atomic_write(path, json.dumps(1))
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        atomic_write(path, json.dumps(2))
    assert path.read_text() == "1"
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]
