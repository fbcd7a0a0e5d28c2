# ruff: noqa: F811
"""Whatever bytes are submitted: findings, never a traceback; and what is valid can be added and shown."""

import asyncio
import json
import random

import pytest
from board_support import boards, edit, found, honest, lines_of, played, small  # noqa: F401

from leaderboard.entries import read_entries, verify_and_add
from leaderboard.validate import validate
from leaderboard.web.build import build_site

STRANGE = [None, True, 0, -1, 10**400, 1e308, "", "\ud800", "\u202e", [], {}, [[]], {"a": {"b": []}}, "x" * 100_000]


def test_broken_bytes(honest, small):
    path = honest / "trajectories.jsonl"
    good = path.read_bytes()
    rng = random.Random(0)
    for _ in range(100):
        blob = bytearray(good)
        for _ in range(rng.choice((1, 1, 3, 30))):
            at = rng.randrange(len(blob))
            kind = rng.randrange(3)
            if kind == 0:
                blob[at] = rng.randrange(256)
            elif kind == 1:
                del blob[at : at + rng.randrange(1, 400)]
            else:
                blob[at:at] = rng.choice((b"\n", b"\x00", b'"', b"{", b"]", b"NaN", b"\xff", b"1e999", b"\\ud800"))
        path.write_bytes(bytes(blob))
        assert all(f.line is None or f.line >= 1 for f in validate(honest, small).findings)


def test_strange_values_everywhere(honest, small):
    records = lines_of(honest)
    rng = random.Random(1)

    def places(value, place=()):
        yield place
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in items:
            yield from places(inner, (*place, key))

    everywhere = [place for place in places(records[0]) if place]
    path = honest / "trajectories.jsonl"
    for _ in range(120):
        record = json.loads(json.dumps(records[0]))
        place = rng.choice(everywhere)
        holder = record
        for key in place[:-1]:
            holder = holder[key]
        holder[place[-1]] = rng.choice(STRANGE)
        path.write_text("".join(json.dumps(r) + "\n" for r in [record, *records[1:]]))
        validate(honest, small)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda r: r["turns"][0].update(usage={"prompt_tokens": 10**30}), "usage"),
        (lambda r: r["turns"][0].update(usage={"cost": -1.0}), "usage"),
        (lambda r: r["turns"][0].update(usage={"cost": 1e300}), "usage"),
        (lambda r: r["agent"].update(notes="x" * 30_000), "size"),
        (lambda r: r["turns"][0].update(raw="x" * 1_000_001, visible="x" * 1_000_001), "size"),
        (lambda r: r["turns"][0].update(meta={"a": json.loads("[" * 60 + "]" * 60)}), "line"),
        (lambda r: r.update(seconds=10**400), "number"),
    ],
)
def test_sizes(honest, small, change, code):
    edit(honest, lambda records: change(records[0]))
    checked = validate(honest, small)
    assert checked.findings.refused
    assert found(checked.findings, code, "error") or found(checked.findings, "field", "error")


def test_links_are_not_followed(honest, small, tmp_path):
    for name in ("trajectories.jsonl", "submission.yaml"):
        moved = tmp_path / name
        (honest / name).rename(moved)
        (honest / name).symlink_to(moved)
        findings = validate(honest, small).findings
        assert any("is a link" in f.message for f in findings)
        (honest / name).unlink()
        moved.rename(honest / name)


def test_text_that_cannot_be_encoded_reaches_the_site_as_something_else(honest, small, tmp_path):
    def change(records):
        for record in records:
            record["agent"]["name"] = "lone \ud800 half"
            record["turns"][0]["raw"] = record["turns"][0]["raw"] + "\ud800"
            record["turns"][0]["visible"] = record["turns"][0]["visible"] + "\ud800"

    edit(honest, change)
    entries = tmp_path / "entries"
    _, entry = asyncio.run(verify_and_add(honest, entries, small, allow_weaker=True, workers=1))
    assert entry is not None
    assert len(read_entries(entries)) == 1
    assert build_site(entries, tmp_path / "site") == 1
