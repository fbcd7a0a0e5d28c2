"""Boards of a few tasks, honest submissions to them, and a way to edit what they hold."""

import asyncio
import json
import shutil

import pytest

from colbench.agents import load_agent
from colbench.backend.judge import BackendJudge
from colbench.rollout import Rollout
from colbench.simulators import load_collaborator
from leaderboard.board import load_board
from leaderboard.creating import create_submission
from leaderboard.verify import verify

BOARDS = {
    "small": "name: small\ntitle: Six procedural tasks\nenv: backend\ntasks: procedural:n=6\n",
    "plain": "name: plain\ntitle: Bundled tasks\nenv: backend\ntasks: tasks.jsonl\n",
}
SAYS = {"name": "Honest", "model": "none", "authors": "A. Person", "licence": "CC-BY-4.0"}


def write_boards(folder):
    from importlib import resources

    folder.mkdir(parents=True, exist_ok=True)
    for name, text in BOARDS.items():
        (folder / f"{name}.yaml").write_text(text)
    source = resources.files("colbench.tasks") / "data" / "backend_test.jsonl"
    lines = [line for line in source.read_text().splitlines() if line.strip()]
    (folder / "tasks.jsonl").write_text("\n".join(lines[:4]) + "\n")
    return folder


def play(board, agent, run, repeats=1):
    rollout = Rollout(
        board.env_id,
        board.tasks,
        load_agent(agent),
        load_collaborator("embedded"),
        BackendJudge(board.file.grading, allow_weaker=True),
        repeats=repeats,
        extra={"tasks": board.source, "split": "test"},
    )
    asyncio.run(rollout.run(run))
    return run


def submission_of(board, agent, folder, repeats=1, **says):
    run = play(board, agent, folder / "run", repeats)
    create_submission(run, folder / "submission", board, {**SAYS, **says})
    return folder / "submission"


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    return write_boards(tmp_path_factory.mktemp("boards"))


@pytest.fixture(scope="module")
def small(boards):
    return load_board("small", boards)


@pytest.fixture(scope="module")
def plain(boards):
    return load_board("plain", boards)


@pytest.fixture(scope="module")
def played(small, tmp_path_factory):
    return submission_of(small, "interviewer", tmp_path_factory.mktemp("honest"))


@pytest.fixture
def honest(played, tmp_path):
    """A fresh copy of an honest submission to the board ``small``."""
    shutil.copytree(played, tmp_path / "submission")
    return tmp_path / "submission"


def lines_of(folder):
    return [json.loads(line) for line in (folder / "trajectories.jsonl").read_text().splitlines()]


def write_records(folder, records):
    (folder / "trajectories.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))


def edit(folder, change):
    """Change the records of a submission; ``change`` gets the list and may return another."""
    records = lines_of(folder)
    write_records(folder, change(records) or records)


def edit_yaml(folder, old, new):
    path = folder / "submission.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def check(folder, board, **options):
    return asyncio.run(verify(folder, board, allow_weaker=True, workers=1, **options))


def found(findings, code, level=None):
    return [f for f in findings if f.code == code and (level is None or f.level == level)]
