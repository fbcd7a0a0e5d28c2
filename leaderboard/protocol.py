"""Plays a submitted dialogue through the protocol again: who spoke when, what was shown, where it had to end."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from colbench.dialogue import Dialogue
from colbench.frontend.extraction import extract_html
from colbench.tasks.schema import Task
from colbench.trajectory import Trajectory
from leaderboard.board import Board
from leaderboard.findings import Findings
from leaderboard.submission import DIALOGUES

__all__ = ["check_protocol"]

MAX_FACTS = 20_000
MAX_MESSAGE = 1_000_000
MAX_USAGE = 10**9
_SHOWN = 60
_Wrong = Callable[[str, str], None]


def check_protocol(trajectory: Trajectory, line: int, board: Board, task: Task, findings: Findings) -> bool:
    """Whether a dialogue keeps to the rules of the board; what does not goes to ``findings``.

    Args:
        trajectory: the dialogue.
        line: of the file.
        board: whose rules hold.
        task: the task that the dialogue names.
        findings: takes what is wrong.
    """
    before = findings.counts.total()

    def wrong(code: str, message: str) -> None:
        findings.add("error", code, f"task {trajectory.task_id!r}: {message}", DIALOGUES, line)

    if trajectory.status == "failed":
        boundary = trajectory.failure.boundary if trajectory.failure else "unknown"
        wrong("failed", f"the episode failed ({boundary}); run it again: an entry holds no failed episode")
        return False
    if trajectory.agent.get("sees_reference"):
        wrong("sees_reference", "the agent was given the reference; such runs belong on no board")
    if trajectory.env_id != board.env_id:
        wrong("board", f"env_id is {trajectory.env_id!r}, the board has {board.env_id!r}")
    if trajectory.task_hash != task.content_hash:
        wrong("task", f"hash {trajectory.task_hash!r} is not that of the board's task, {task.content_hash!r}")
    if trajectory.request != task.problem_description:
        wrong("request", "the request is not the task's")
    if trajectory.max_turns != board.file.max_turns:
        wrong("turns", f"max_turns is {trajectory.max_turns}, the board has {board.file.max_turns}")
    _check_sizes(trajectory, wrong)
    misfit = board.misfit(trajectory.collaborator)
    if misfit is not None:
        wrong("collaborator", f"another collaborator: {misfit}")
    _check_turns(trajectory, board, wrong)
    return findings.counts.total() == before


def _check_sizes(trajectory: Trajectory, wrong: _Wrong) -> None:
    """Nothing so large that an entry, its page or a sum over it could not hold it."""
    for name in ("agent", "collaborator", "versions"):
        if len(json.dumps(getattr(trajectory, name), default=str)) > MAX_FACTS:
            wrong("size", f"{name!r} is longer than {MAX_FACTS:,} characters")
    for number, turn in enumerate(trajectory.turns, 1):
        if len(turn.raw) > MAX_MESSAGE:
            wrong("size", f"turn {number}: a message of more than {MAX_MESSAGE:,} characters")
        for usage in (turn.usage, turn.reply.usage if turn.reply is not None else None):
            if usage is None:
                continue
            counts = (usage.calls, usage.prompt_tokens, usage.completion_tokens, usage.reasoning_tokens)
            if not all(0 <= count <= MAX_USAGE for count in (*counts, usage.cost or 0)):
                wrong("usage", f"turn {number}: tokens and cost must lie between 0 and {MAX_USAGE:,}")


def _check_turns(trajectory: Trajectory, board: Board, wrong: _Wrong) -> None:
    turns = trajectory.turns
    limit = board.file.max_turns
    if not turns:
        return wrong("turns", "there is no turn")
    if len(turns) > limit:
        return wrong("turns", f"{len(turns)} agent turns where {limit} are allowed")
    dialogue = Dialogue(trajectory.request, max_turns=limit, reply_chars=board.reply_chars)
    for number, turn in enumerate(turns, 1):
        if dialogue.ended_by is not None:
            return wrong("turns", f"turn {number} comes after the answer of turn {number - 1}")
        said = dialogue.say(turn.raw)
        if said.raw != turn.raw:
            wrong("markers", f"turn {number}: 'raw' goes on after a second OUTPUT:")
        if said.visible != turn.visible:
            wrong("markers", f"turn {number}: 'visible' is not what the markers leave visible")
        if dialogue.ended_by is not None:
            if turn.reply is not None:
                wrong("turns", f"turn {number}: a reply after the episode has ended")
        elif turn.reply is None:
            return wrong("turns", f"turn {number} has no reply; a dialogue ends with an answer or its last turn")
        else:
            length = len(turn.reply.text)
            if length > board.reply_chars:
                wrong("reply", f"turn {number}: a reply of {length} characters where {board.reply_chars} are allowed")
            dialogue.hear(turn.reply.text)
        if board.file.env == "frontend":
            _check_page(number, turn.visible, turn.page.html_hash if turn.page else None, wrong)
    if dialogue.ended_by is None:
        return wrong("turns", "the dialogue does not end")
    if trajectory.ended_by != dialogue.ended_by:
        wrong("ended_by", f"ended_by is {trajectory.ended_by!r}, the dialogue ended by {dialogue.ended_by!r}")
    if trajectory.answer != dialogue.answer:
        shown = (trajectory.answer or "")[:_SHOWN]
        wrong("answer", f"the answer is not what the last message says (it begins {shown!r})")


def _check_page(number: int, visible: str, recorded: str | None, wrong: _Wrong) -> None:
    html = extract_html(visible)
    digest = None if html is None else hashlib.sha256(html.encode("utf-8", "surrogatepass")).hexdigest()
    if digest != recorded:
        wrong("page", f"turn {number}: the recorded page is not the one in the message")
