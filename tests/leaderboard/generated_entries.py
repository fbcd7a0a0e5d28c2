"""Entries made up of nothing but numbers and text, for the tests of the site: many, large, or hostile."""

import hashlib
import json
import random

from colbench.jsonl import dump_line
from leaderboard.rows import EpisodeRow, write_rows
from leaderboard.submission import Submission

DOMAINS = ("finance", "health", "logistics", "shops")
SCRIPT = "<script>window.hit=1</script>"
HOSTILE = f"{SCRIPT}\"><img src=x onerror=window.hit=2>' ]]> </pre></title></script>\u202egnp.exe\u2028{{{{7*7}}}}"


def make_entry(
    store,
    slug,
    *,
    name=None,
    episodes=40,
    skill=0.5,
    seed=0,
    tier="resubmitted",
    flags=None,
    hostile=False,
    board="made",
    kind="backend",
    sealed=False,
    repeats=1,
    custom=False,
    cost=0.01,
):
    """Write one entry; ``skill`` is its chance of success."""
    rng = random.Random(seed)
    folder = store / board / slug
    folder.mkdir(parents=True)
    text = HOSTILE if hostile else "How is the total rounded, and what happens when the list is empty? " * 2
    rows, line = [], 0
    with (folder / "trajectories.jsonl").open("wb") as handle:
        for task in range(episodes):
            name_of_task = f"task-{task:04d}" + (SCRIPT if hostile and task == 0 else "")
            for repeat in range(repeats):
                line += 1
                questions = rng.randrange(1, 6)
                success = rng.random() < skill
                rows.append(_row(name_of_task, repeat, line, success, questions, kind, rng, cost, DOMAINS[task % 4]))
                handle.write(dump_line(_dialogue(name_of_task, repeat, text, questions)))
    submission = Submission(
        board=board,
        name=name or slug,
        model=f"model {HOSTILE[:60]}" if hostile else "some-model",
        parameters="8B",
        authors=[SCRIPT, "\u200fB. Person"] if hostile else ["A. Person", "B. Person"],
        link="https://example.org/paper" if not hostile else "https://example.org/?a=javascript:alert(1)&amp;",
        licence="CC-BY-4.0",
        collaborator={"name": "embedded"},
        protocol={"kind": "custom", "why": HOSTILE.replace("\u2028", " ")} if custom else {"kind": "standard"},
        date="2026-01-31",
        notes=HOSTILE.replace("\u2028", " ") if hostile else None,
    )
    submission.write(folder)
    write_rows(folder / "rows.jsonl", rows)
    flags = flags or {}
    record = {
        "schema": "colbench.entry/1",
        "board": {
            "name": board,
            "title": "Made up" if kind == "backend" else "Made up pages",
            "key": hashlib.sha256(f"{board}{kind}".encode()).hexdigest()[:16],
            "env": kind,
            "tasks_hash": "0123456789abcdef",
            "collaborator": {"name": "embedded"},
            "grading": "strict" if kind == "backend" else "layout",
            "max_turns": 10,
        },
        "tasks": "sealed" if sealed else "made-up",
        "tier": tier,
        "added": "2026-02-01",
        "episodes": len(rows),
        "repeats": repeats,
        "missing": 0,
        "dialogues": hashlib.sha256(slug.encode()).hexdigest(),
        "agent": {"name": HOSTILE if hostile else "agent"},
        "collaborator": {"name": "embedded", "version": 2},
        "graded_by": {"colbench": "0.1.0", "isolation": "full", "versions": {"python": "3.11.7"}},
        "claims": {"raised": 1 if flags else 0, "lowered": 0},
        "replayed": 100,
        "flags": flags,
        "warnings": {},
        "accepted": sorted(flags),
        "findings": [
            {
                "level": "flag",
                "code": code,
                "message": HOSTILE if hostile else "seen",
                "file": "trajectories.jsonl",
                "line": 1,
            }
            for code in flags
        ],
        "files": {
            file: hashlib.sha256((folder / file).read_bytes()).hexdigest()
            for file in ("submission.yaml", "trajectories.jsonl", "rows.jsonl")
        },
    }
    (folder / "entry.json").write_text(json.dumps(record))
    return folder


def _row(task, repeat, line, success, questions, kind, rng, cost, domain):
    if kind == "frontend":
        score = round(min(1.0, max(0.0, 0.3 + 0.5 * success + 0.2 * rng.random())), 4)
        return EpisodeRow(task, repeat, line, score, domain, questions=questions, turns=questions + 1, status="ok")
    passed = 10 if success else rng.randrange(10)
    outcomes = ["equal"] * passed + ["different"] * (10 - passed)
    return EpisodeRow(
        task,
        repeat,
        line,
        passed / 10,
        domain,
        success,
        outcomes,
        passed / 10,
        success,
        questions,
        questions + 1,
        500 * questions,
        cost * questions if cost is not None else None,
        passed / 10,
    )


def _dialogue(task, repeat, text, questions):
    turns = [
        {"raw": f"hm. OUTPUT: {text}", "visible": f" {text}", "reply": {"text": text, "settled": ["rounding"]}}
        for _ in range(questions)
    ]
    answer = "I WANT TO ANSWER:\n```python\ndef total(prices):\n    return round(sum(prices), 2)\n```" + text
    turns.append({"raw": answer, "visible": answer})
    return {"task_id": task, "repeat": repeat, "request": text, "turns": turns, "ended_by": "answer"}
