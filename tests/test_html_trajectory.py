"""The HTML view of an episode: hostile text stays text, pictures and scores stand where they belong."""

import base64
import io

import pytest
from PIL import Image

from colbench.agents import load_agent
from colbench.backend.judge import BackendJudge
from colbench.errors import ConfigurationError
from colbench.html import trajectory_page
from colbench.html.episode_view import episode_page, find_task
from colbench.rollout import Rollout
from colbench.run_folder import read_trajectories
from colbench.simulators import load_collaborator
from colbench.tasks import load_tasks
from colbench.trajectory import PageRecord, ReplyRecord, Trajectory, TurnRecord

HOSTILE = '<script>document.title = "owned"</script><img src=x onerror="document.title=1">\u202e"\'>'


def trajectory(**changes):
    fields = {
        "env_id": "ColBench-Backend-v0",
        "task_id": HOSTILE,
        "task_hash": "0" * 16,
        "request": HOSTILE,
        "agent": {"name": HOSTILE},
        "collaborator": {"name": HOSTILE},
        "turns": [
            TurnRecord(
                raw=f"hm OUTPUT:{HOSTILE}", visible=HOSTILE, reply=ReplyRecord(text=HOSTILE, settled=(HOSTILE,))
            ),
            TurnRecord(raw="I WANT TO ANSWER: x", visible="I WANT TO ANSWER: x"),
        ],
        "ended_by": "answer",
        "answer": " x",
        "score": 0.5,
        "success": False,
        "reward": 0.0,
        "outcomes": [{"status": "equal"}, {"status": "exception", "detail": HOSTILE}],
        **changes,
    }
    return Trajectory(**fields)


def picture(colour):
    data = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(data, "PNG")
    return data.getvalue()


def test_hostile_text_is_escaped_everywhere():
    page = trajectory_page(trajectory(), credit=[0.25, -0.25])
    assert "<script" not in page
    assert "<img" not in page
    assert page.count("&lt;script&gt;") >= 7
    assert "default-src 'none'" in page
    assert "known credit +0.250" in page
    assert "private thought" in page


def test_pictures_and_scores_of_each_turn():
    png, reference = picture("red"), picture("blue")
    turns = [
        TurnRecord(
            raw="a", visible="a", page=PageRecord(html_hash="h", png_hash="p", status="ok"), reply=ReplyRecord(text="b")
        ),
        TurnRecord(raw="c", visible="c"),
    ]
    page = trajectory_page(
        trajectory(turns=turns, success=None, measure="layout"),
        pictures={"p": png},
        reference_picture=reference,
        turn_scores=[0.125, None],
    )
    assert base64.b64encode(png).decode() in page
    assert base64.b64encode(reference).decode() in page
    assert "layout 0.125" in page
    assert page.count("<figure>") == 2


def test_a_failed_episode_says_where():
    failure = {"boundary": "collaborator", "type": "CollaboratorError", "message": HOSTILE}
    page = trajectory_page(trajectory(status="failed", failure=failure, score=None, reward=None, outcomes=None))
    assert "failed at the collaborator" in page
    assert "<script" not in page


async def test_known_credit_is_joined_from_the_task(tmp_path):
    tasks = load_tasks("procedural:n=2", split="test")
    run = Rollout(
        "ColBench-Backend-v0",
        tasks,
        load_agent("interviewer"),
        load_collaborator(),
        BackendJudge(allow_weaker=True),
        extra={"tasks": "procedural:n=2", "split": "test"},
    )
    await run.run(tmp_path)
    _, first = next(read_trajectories(tmp_path))
    page = episode_page(first, tmp_path)
    assert page.count("known credit") == len(first.turns)
    assert find_task(first, tmp_path) == tasks.get(first.task_id)
    changed = first.model_copy(update={"task_hash": "f" * 16})
    with pytest.raises(ConfigurationError, match="has changed since it was played"):
        find_task(changed, tmp_path)
    assert find_task(first, tmp_path / "sub" / "elsewhere.jsonl") is None
