"""Forgeries of web pages, graded in the browser: photographs of the reference, pasted sources, edited replies."""

import asyncio
import base64
import json
import shutil
from importlib import resources

import pytest
from board_support import SAYS, check, edit, found, lines_of

from colbench.agents import load_agent
from colbench.frontend.judge import FrontendJudge
from colbench.rollout import Rollout
from colbench.simulators import load_collaborator
from leaderboard.board import load_board
from leaderboard.creating import create_submission
from leaderboard.entries import verify_and_add
from leaderboard.suspicion import pasted_page
from leaderboard.validate import validate
from leaderboard.web.build import build_site

pytestmark = pytest.mark.browser

OWN = "<!doctype html><html><body><h1>Hello</h1><p>Some page of my own.</p></body></html>"


class Showing:
    """Shows a page, hears what is said about it, and answers with it."""

    name = "showing"

    def __init__(self, page_of):
        self.page_of = page_of

    def act(self, observation):
        html = self.page_of(observation["messages"][0]["content"])
        if observation["turns_left"] == 10:
            return f"Like this?\n```html\n{html}\n```"
        return f"I WANT TO ANSWER:\n```html\n{html}\n```"


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boards")
    source = resources.files("colbench.tasks") / "data" / "frontend_test.jsonl"
    lines = [line for line in source.read_text().splitlines() if line.strip()]
    (folder / "pages.jsonl").write_text("\n".join(lines[:2]) + "\n")
    text = "name: pages\ntitle: Two pages\nenv: frontend\ntasks: pages.jsonl\nsimilarity: layout\n"
    (folder / "pages.yaml").write_text(text)
    return load_board("pages", folder)


def play(board, page_of, folder, **says):
    rollout = Rollout(
        board.env_id,
        board.tasks,
        load_agent(Showing(page_of)),
        load_collaborator("embedded"),
        FrontendJudge("layout", 1),
        reward="similarity",
        extra={"tasks": board.source, "split": "test"},
    )
    asyncio.run(rollout.run(folder / "run"))
    create_submission(folder / "run", folder / "submission", board, {**SAYS, **says})
    return folder / "submission"


@pytest.fixture(scope="module")
def played(board, tmp_path_factory):
    return play(board, lambda _: OWN, tmp_path_factory.mktemp("own"))


@pytest.fixture
def honest(played, tmp_path):
    shutil.copytree(played, tmp_path / "submission")
    return tmp_path / "submission"


def reference_of(board, request):
    return next(task.ground_truth for task in board.tasks if task.problem_description == request)


def test_an_honest_submission(board, honest, tmp_path):
    result = check(honest, board, pictures=tmp_path / "pictures")
    assert result.verified
    assert list(result.findings) == []
    assert result.replayed == 2
    assert result.graded_by["measure"] == "layout"
    assert result.graded_by["versions"]["renderer"]
    row = result.rows[0]
    assert row.status == "ok"
    assert len(row.pages) == 2
    assert (tmp_path / "pictures" / f"{row.pages[0]}.webp").read_bytes()[8:12] == b"WEBP"
    assert (tmp_path / "pictures" / f"{row.reference}.webp").exists()


def test_a_photograph_of_the_reference(board, tmp_path):
    judge = FrontendJudge("layout", 1)

    def photograph(request):
        png = judge.renderer.reference(reference_of(board, request)).png
        data = base64.b64encode(png).decode()
        return f'<html><body style="margin:0"><img alt="" src="data:image/png;base64,{data}"></body></html>'

    folder = play(board, photograph, tmp_path)
    result = check(folder, board)
    flags = found(result.findings, "image", "flag")
    assert len(flags) == 2
    assert "pictures cover" in flags[0].message


def test_a_photograph_as_a_background(board):
    judge = FrontendJudge("layout", 1)
    task = board.tasks[0]
    reference = judge.renderer.reference(task.ground_truth)
    data = base64.b64encode(reference.png).decode()
    style = f"margin:0;height:{reference.height}px;background:url(data:image/png;base64,{data})"
    page = judge.renderer.render(f'<html><body><div style="{style}"></div></body></html>')
    assert pasted_page(reference, page) is not None
    assert pasted_page(reference, reference) is None
    assert pasted_page(reference, None) is None
    assert pasted_page(reference, judge.renderer.render(OWN)) is None


def test_a_pasted_source(board, tmp_path):
    folder = play(board, lambda request: reference_of(board, request), tmp_path)
    flags = found(validate(folder, board).findings, "pasted", "flag")
    assert len(flags) == 2
    assert "of the reference's source" in flags[0].message


def test_an_edited_reply(board, honest):
    def change(records):
        records[0]["turns"][0]["reply"]["text"] = "It looks right."

    edit(honest, change)
    result = check(honest, board)
    assert [f.line for f in found(result.findings, "reply", "error")] == [1]
    assert not result.verified


def test_under_another_renderer_version_a_difference_is_a_warning(board, honest):
    def change(records):
        for record in records:
            record["versions"]["browser"] = "chromium 1"
        records[0]["turns"][0]["reply"]["text"] = "It looks right."
        records[1]["turns"][0]["page"]["png_hash"] = "0" * 64
        records[1]["score"] = records[1]["reward"] = 0.999

    edit(honest, change)
    result = check(honest, board)
    assert result.verified
    assert [f.line for f in found(result.findings, "reply", "warning")] == [1]
    assert [f.line for f in found(result.findings, "picture", "warning")] == [2]
    assert [f.line for f in found(result.findings, "claims", "warning")] == [2]
    assert result.rows[1].score < 0.9


def test_another_page_than_recorded(board, honest):
    def change(records):
        records[0]["turns"][0]["page"]["html_hash"] = "0" * 64
        records[1]["turns"][0].pop("page")

    edit(honest, change)
    assert [f.line for f in found(validate(honest, board).findings, "page", "error")] == [1, 2]


def test_raised_similarity(board, honest):
    edit(honest, lambda records: records[0].update(score=1.0, reward=1.0))
    result = check(honest, board)
    (finding,) = found(result.findings, "claims", "flag")
    assert "score 1, our grade is" in finding.message


def test_pictures_reach_the_site(board, honest, tmp_path):
    entries, site = tmp_path / "entries", tmp_path / "site"
    _, entry = asyncio.run(verify_and_add(honest, entries, board, workers=1))
    assert entry is not None
    assert build_site(entries, site) == 1
    (data,) = site.glob("data/*/honest/0.js")
    text = data.read_text()
    dialogue = json.loads(text[text.index("[") : text.rindex("]") + 1])[0]
    assert (site / "pictures" / f"{dialogue['turns'][0]['picture']}.webp").is_file()
    assert (site / "pictures" / f"{dialogue['reference']}.webp").is_file()
    assert {d["task_id"] for d in lines_of(entry.folder)} == {task.task_id for task in board.tasks}
