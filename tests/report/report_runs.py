"""Runs made of records alone, without an environment, for the tests of reports."""

import json

from colbench.run_folder import RunFolder
from colbench.trajectory import Failure, PageRecord, ReplyRecord, Trajectory, TurnRecord, UsageRecord


def configuration(env="Backend", agent="tester", **changes):
    return {
        "env_id": f"ColBench-{env}-v0",
        "task_set": "made",
        "agent": {"name": agent},
        "collaborator": {"name": "embedded"},
        "judge": {"grading": "strict"} if env == "Backend" else {"measure": "layout"},
        "max_turns": 10,
        "reward": "success",
        "seed": 0,
        **changes,
    }


def episode(
    task, score, *, repeat=0, env="Backend", failure=None, questions=2, reply="Yes.", usage=None, task_hash="h"
):
    backend = env == "Backend"
    turns = [
        TurnRecord(raw=f"q{i}", visible=f"q{i}", usage=usage, reply=ReplyRecord(text=reply, usage=usage))
        for i in range(questions)
    ]
    page = None if backend else PageRecord(html_hash="a" * 64, png_hash="b" * 64, status="ok")
    turns.append(TurnRecord(raw="I WANT TO ANSWER: x", visible="I WANT TO ANSWER: x", usage=usage, page=page))
    done = failure is None
    passed = round(10 * score)
    return Trajectory(
        env_id=f"ColBench-{env}-v0",
        task_id=task,
        task_hash=task_hash,
        repeat=repeat,
        request="Write something.",
        agent={"name": "tester"},
        collaborator={"name": "embedded"},
        turns=turns,
        ended_by="answer" if done else None,
        answer=" x",
        score=score if done else None,
        success=(score == 1) if done and backend else None,
        reward=score if done else None,
        outcomes=[{"status": "equal" if i < passed else "different"} for i in range(10)] if done and backend else None,
        grading="strict" if done and backend else None,
        measure=None if backend else "layout",
        isolation="full" if done else None,
        status="completed" if done else "failed",
        failure=None if done else Failure(boundary=failure, type="E", message=f"<b>{failure}</b> | broke `it`"),
        versions={"colbench": "0.1.0", "python": "3.11.7"},
        seconds=1.0,
    )


def make_run(folder, episodes, **facts):
    with RunFolder(folder, configuration(**facts)) as run:
        for each in episodes:
            run.append(each)
    assert json.loads((folder / "run.json").read_text())
    return folder


USED = UsageRecord(calls=1, prompt_tokens=100, completion_tokens=20, cost=0.01)
