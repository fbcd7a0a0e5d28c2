"""Everything that can be known of a submission without running anything: format, coverage, protocol, leaks."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from colbench.seeding import derive_seed
from colbench.trajectory import Trajectory
from leaderboard.board import Board, load_board
from leaderboard.dialogues import read_dialogues
from leaderboard.findings import Findings
from leaderboard.protocol import check_protocol
from leaderboard.submission import DIALOGUES, SUBMISSION, Submission, read_submission
from leaderboard.suspicion import leaked_replies, pasted_reference

__all__ = ["Validated", "validate"]

MAX_REPEATS = 100
_LISTED = 20


@dataclass
class Validated:
    """A submission that was read.

    Attributes:
        folder: where it lies.
        board: its board.
        submission: its description; None if that could not be read.
        findings: everything found so far.
        lines: line of each episode that keeps to the protocol, by task id and repeat.
        repeats: episodes per task.
        missing: episodes that are not there.
        digest: over what was said in all episodes; equal for the same dialogues, whatever else differs.
        agent: facts about the agent, from the first dialogue.
        collaborator: facts about the collaborator, from the first dialogue.
    """

    folder: Path
    board: Board
    submission: Submission | None
    findings: Findings
    lines: dict[tuple[str, int], int] = field(default_factory=dict)
    repeats: int = 1
    missing: list[tuple[str, int]] = field(default_factory=list)
    digest: str = ""
    agent: dict[str, Any] = field(default_factory=dict)
    collaborator: dict[str, Any] = field(default_factory=dict)

    def episodes(self) -> Iterator[tuple[int, Trajectory]]:
        """The episodes that keep to the protocol, with their lines, in the order of the file."""
        wanted = set(self.lines.values())
        return ((n, t) for n, t in read_dialogues(self.folder, Findings()) if n in wanted)


def validate(folder: Path, board: Board | None = None, boards: Path | None = None) -> Validated:
    """Check a submission without running anything.

    Args:
        folder: with ``submission.yaml`` and ``trajectories.jsonl``.
        board: the board; None takes the one that the submission names.
        boards: folder with the files of boards.

    Raises:
        ConfigurationError: there is no such board, or its tasks cannot be had.
    """
    findings = Findings()
    submission = read_submission(folder, findings)
    if board is None:
        # Without a readable description there is no board to check anything by.
        if submission is None:
            return Validated(folder, load_board("backend-bundled"), None, findings)
        board = load_board(submission.board, boards)
    checked = Validated(folder, board, submission, findings)
    if submission is not None:
        _check_submission(submission, board, findings)
    known = {task.task_id: task for task in board.tasks}
    seen: dict[tuple[str, int], int] = {}
    said: dict[tuple[str, int], bytes] = {}
    facts: dict[str, Counter[str]] = {"agent": Counter(), "collaborator": Counter(), "config_hash": Counter()}
    odd_seeds = 0
    for line, trajectory in read_dialogues(folder, findings):
        key = trajectory.key
        if not checked.agent:
            checked.agent, checked.collaborator = trajectory.agent, trajectory.collaborator
        task = known.get(key[0])
        if task is None:
            findings.add("error", "task", f"task {key[0][:80]!r} is not on the board", DIALOGUES, line)
            continue
        if not 0 <= key[1] < MAX_REPEATS:
            findings.add("error", "repeat", f"repeat {key[1]} is not within 0..{MAX_REPEATS - 1}", DIALOGUES, line)
            continue
        if key in seen:
            message = f"task {key[0]!r}, repeat {key[1]} stands already in line {seen[key]}"
            findings.add("error", "duplicate", message, DIALOGUES, line)
            continue
        seen[key] = line
        for name, counter in facts.items():
            counter[json.dumps(getattr(trajectory, name), sort_keys=True, default=str)] += 1
        odd_seeds += trajectory.seed != derive_seed(board.file.seed, *key)
        if check_protocol(trajectory, line, board, task, findings):
            checked.lines[key] = line
            said[key] = _digest(trajectory)
            for turn, kind in leaked_replies(task, trajectory):
                message = f"task {key[0]!r}, turn {turn}: the reply gives the reference away ({kind})"
                findings.add("flag", "leak", message, DIALOGUES, line)
            pasted = pasted_reference(task, trajectory)
            if pasted is not None:
                findings.add("flag", "pasted", f"task {key[0]!r}: {pasted}", DIALOGUES, line)
    _check_coverage(checked, seen)
    _check_sameness(facts, odd_seeds, board, findings)
    digest = hashlib.sha256()
    for key in sorted(said):
        digest.update(said[key])
    checked.digest = digest.hexdigest()
    return checked


def _check_submission(submission: Submission, board: Board, findings: Findings) -> None:
    if submission.board != board.name:
        message = f"is for board {submission.board!r}, not {board.name!r}"
        findings.add("error", "board", message, SUBMISSION)
    # What is no plain value (hashes of prompts and the like) stands in the dialogues only.
    nested = {k: v for k, v in board.file.collaborator.items() if isinstance(v, dict | list)}
    misfit = board.misfit({**submission.collaborator, **nested})
    if misfit is not None:
        findings.add("error", "collaborator", f"another collaborator: {misfit}", SUBMISSION)


def _check_coverage(checked: Validated, seen: dict[tuple[str, int], int]) -> None:
    if not seen:
        return
    checked.repeats = 1 + max(repeat for _, repeat in seen)
    wanted = [(task.task_id, r) for r in range(checked.repeats) for task in checked.board.tasks]
    checked.missing = [key for key in wanted if key not in seen]
    if not checked.missing:
        return
    named = [name if checked.repeats == 1 else f"{name} (repeat {r})" for name, r in checked.missing]
    listed = ", ".join(named[:_LISTED]) + (f" and {len(named) - _LISTED} more" if len(named) > _LISTED else "")
    message = f"{len(named)} of {len(wanted)} episodes are missing: {listed}"
    if checked.submission is not None and checked.submission.missing_as_zero:
        checked.findings.add("warning", "missing", f"{message}; they count as 0, as the submitter says", DIALOGUES)
    else:
        hint = "play them, or set missing_as_zero: true to have them counted as 0"
        checked.findings.add("error", "missing", f"{message}; {hint}", DIALOGUES)


def _check_sameness(facts: dict[str, Counter[str]], odd_seeds: int, board: Board, findings: Findings) -> None:
    for name, counter in facts.items():
        if len(counter) > 1:
            level = "warning" if name == "config_hash" else "error"
            message = f"{len(counter)} different values of {name!r} in one submission; it must be one run"
            findings.add(level, "mixed", message, DIALOGUES)  # type: ignore[arg-type]
    if odd_seeds:
        message = f"{odd_seeds} episodes were not played with the board's seed {board.file.seed}"
        findings.add("warning", "seed", message, DIALOGUES)


def _digest(trajectory: Trajectory) -> bytes:
    said: list[Any] = [trajectory.task_id, trajectory.repeat]
    said += [[turn.raw, turn.reply.text if turn.reply is not None else None] for turn in trajectory.turns]
    return hashlib.sha256(json.dumps(said).encode()).digest()
