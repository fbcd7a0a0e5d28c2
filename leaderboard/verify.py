"""Grades a submission again: every answer in the sandbox, every page in the browser, every reply that can be replayed.

What was claimed is compared with what we found. Our grade stands; the difference is shown.
"""

from __future__ import annotations

import asyncio
import platform
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from colbench.credit import potential
from colbench.errors import ColBenchError
from colbench.judge import Judge, Verdict
from colbench.records import usage_of
from colbench.simulators.embedded import EmbeddedCollaborator
from colbench.tasks.schema import Task
from colbench.trajectory import Trajectory
from colbench.version import __version__
from leaderboard.board import Board
from leaderboard.findings import Findings, Level
from leaderboard.pictures import Thumbnails
from leaderboard.replay import replay
from leaderboard.rows import EpisodeRow
from leaderboard.submission import DIALOGUES
from leaderboard.suspicion import chance_of, pasted_page
from leaderboard.validate import Validated, validate

__all__ = ["Verification", "verify"]

LUCK = 1e-6
"""More success than the dialogues explain is flagged where its chance is smaller than this."""
_SAME = {"backend": 1e-9, "frontend": 1e-3}


@dataclass
class Verification:
    """A submission that was graded again.

    Attributes:
        checked: what validation found.
        rows: one per episode, missing ones included; empty where the submission was refused before grading.
        graded_by: versions, isolation, mode and measure of what graded.
        raised: episodes that claim more than we found.
        lowered: episodes that claim less.
        replayed: replies that were asked for again.
    """

    checked: Validated
    rows: list[EpisodeRow] = field(default_factory=list)
    graded_by: dict[str, Any] = field(default_factory=dict)
    raised: int = 0
    lowered: int = 0
    replayed: int = 0

    @property
    def findings(self) -> Findings:
        """Everything found."""
        return self.checked.findings

    @property
    def verified(self) -> bool:
        """Whether every episode has our grade and nothing refuses the submission."""
        return bool(self.rows) and not self.findings.refused


@dataclass
class _Graded:
    line: int
    trajectory: Trajectory
    verdict: Verdict
    other: Verdict | None
    pages: list[Any]
    reference: Any
    differing: tuple[int, ...]
    asked: int
    settled: tuple[str, ...] | None


class _Grading:
    """What grading needs beside the episodes."""

    def __init__(self, board: Board, allow_weaker: bool, workers: int | None, replaying: bool) -> None:
        self.board = board
        self.replaying = replaying
        self.tasks: dict[str, Task] = {task.task_id: task for task in board.tasks}
        self.other: Judge | None = None
        if board.file.env == "backend":
            from colbench.backend.judge import BackendJudge

            options: dict[str, Any] = {"allow_weaker": allow_weaker, **({"workers": workers} if workers else {})}
            self.judge: Judge = BackendJudge(board.file.grading, **options)
            self.other = BackendJudge("paper" if board.file.grading == "strict" else "strict", **options)
        else:
            from colbench.frontend.judge import FrontendJudge

            self.judge = FrontendJudge(board.file.similarity or "clip", workers)

    async def grade(self, line: int, trajectory: Trajectory) -> _Graded:
        task = self.tasks[trajectory.task_id]
        pages: list[Any] = []
        reference = None
        if self.board.file.env == "frontend":
            reference = await self.judge.reference(task)
            pages = [await self.judge.look(task, turn.visible) for turn in trajectory.turns]
        last = next((page for page in reversed(pages) if page is not None), None)
        answer = trajectory.answer or ""
        verdict = await self.judge.verdict(task, answer, last)
        other = await self.other.verdict(task, answer, None) if self.other is not None else None
        differing: tuple[int, ...] = ()
        settled = None
        if self.replaying:
            again = await replay(trajectory, task, self.board.reply_chars, pages, reference)
            differing, settled = again.differing, again.settled
        asked = trajectory.questions if self.replaying else 0
        return _Graded(line, trajectory, verdict, other, pages, reference, differing, asked, settled)


async def verify(
    folder: Path,
    board: Board | None = None,
    *,
    boards: Path | None = None,
    pictures: Path | None = None,
    allow_weaker: bool = False,
    workers: int | None = None,
    concurrency: int = 16,
    on_episode: Callable[[int], None] | None = None,
    on_validated: Callable[[Validated], None] | None = None,
) -> Verification:
    """Validate a submission and grade all of it again.

    Args:
        folder: the submission.
        board: its board; None takes the one it names.
        boards: folder with the files of boards.
        pictures: folder for small pictures of the pages (frontend); none are kept without it.
        allow_weaker: run answers although the sandbox is below full isolation.
        workers: sandboxes or browsers.
        concurrency: episodes in work at once.
        on_episode: called with the number of episodes graded so far.
        on_validated: called before anything is run; what it raises ends the verification.

    Raises:
        ConfigurationError: the board or its tasks cannot be had.
        SandboxError: the sandbox is not to be had, or broke.
        RendererError: likewise for the browser.
        SimilarityError: the measure cannot be computed.
    """
    checked = validate(folder, board, boards)
    result = Verification(checked)
    findings = checked.findings
    if on_validated is not None:
        on_validated(checked)
    if findings.refused or checked.submission is None:
        return result
    board = checked.board
    replaying = _can_replay(checked, findings)
    grading = _Grading(board, allow_weaker, workers, replaying)
    thumbnails = Thumbnails(pictures) if pictures is not None else None
    luck: list[tuple[float, bool]] = []
    work: deque[asyncio.Task[_Graded]] = deque()

    def take(graded: _Graded) -> None:
        task = grading.tasks[graded.trajectory.task_id]
        result.rows.append(_row(graded, task))
        result.replayed += graded.asked
        _compare(graded, board, result)
        _note_replay(graded, board, findings)
        for page in [*graded.pages, graded.reference] if thumbnails is not None else ():
            if page is not None and page.png is not None:
                thumbnails.keep(page)  # type: ignore[union-attr]
        if graded.settled is not None and task.procedural is not None and task.procedural.passing:
            luck.append((potential(task, graded.settled), bool(graded.verdict.success)))
        if not result.graded_by:
            result.graded_by = _graded_by(graded, grading)
        if on_episode is not None:
            on_episode(len(result.rows))

    try:
        for line, trajectory in checked.episodes():
            work.append(asyncio.create_task(grading.grade(line, trajectory)))
            if len(work) >= concurrency:
                take(await work.popleft())
        while work:
            take(await work.popleft())
    finally:
        for each in work:
            each.cancel()
        await asyncio.gather(*work, return_exceptions=True)
    for task_id, repeat in checked.missing:
        backend = board.file.env == "backend"
        zero: dict[str, Any] = {"success": False, "other_score": 0.0, "other_success": False} if backend else {}
        domain = grading.tasks[task_id].domain
        result.rows.append(EpisodeRow(task_id, repeat, 0, 0.0, domain, missing=True, **zero))
    _check_luck(luck, findings)
    order = {task.task_id: i for i, task in enumerate(board.tasks)}
    result.rows.sort(key=lambda row: (order[row.task_id], row.repeat))
    return result


def _can_replay(checked: Validated, findings: Findings) -> bool:
    if checked.collaborator.get("name") != "embedded":
        return False
    ours = EmbeddedCollaborator().describe()["version"]
    theirs = checked.collaborator.get("version")
    if theirs == ours:
        return True
    message = f"played with version {theirs} of the embedded collaborator, this is version {ours}; not replayed"
    findings.add("warning", "replay", message, DIALOGUES)
    return False


def _row(graded: _Graded, task: Task) -> EpisodeRow:
    t, verdict, other = graded.trajectory, graded.verdict, graded.other
    usage, _ = usage_of(t)
    backend = verdict.success is not None
    return EpisodeRow(
        task_id=t.task_id,
        repeat=t.repeat,
        line=graded.line,
        score=round(float(verdict.score), 6),
        domain=task.domain,
        success=verdict.success,
        outcomes=[str(outcome["status"]) for outcome in verdict.outcomes or ()] if backend else [],
        other_score=None if other is None else round(float(other.score), 6),
        other_success=None if other is None else other.success,
        questions=t.questions,
        turns=len(t.turns),
        tokens=usage.prompt_tokens + usage.completion_tokens,
        cost=usage.cost,
        claimed=t.score,
        status=None if backend else str((verdict.outcomes or ({"status": "missing"},))[0]["status"]),
        pages=[(page.png_hash or "") if page is not None else "" for page in graded.pages],
        reference=None if graded.reference is None else graded.reference.png_hash,
    )


def _same_renderer(graded: _Graded) -> bool:
    ours, theirs = graded.verdict.versions, graded.trajectory.versions
    return all(theirs.get(name) == ours.get(name) for name in ("renderer", "browser", "fonts"))


def _compare(graded: _Graded, board: Board, result: Verification) -> None:
    """What was claimed against what we found, in the mode that it was claimed in."""
    t, verdict = graded.trajectory, graded.verdict
    if board.file.env == "backend":
        if graded.other is not None and t.grading == graded.other.grading:
            verdict = graded.other
    elif t.measure is not None and t.measure != verdict.measure:
        return
    near = _SAME[board.file.env]
    found = float(verdict.score)
    passed = found if verdict.success is None else float(verdict.success)
    claims = []
    if t.score is not None and abs(t.score - found) > near:
        claims.append((t.score > found, f"score {t.score:.4g}, our grade is {found:.4g}"))
    if verdict.success is not None and t.success is not None and t.success != verdict.success:
        claims.append((t.success, f"success {t.success}, our grade is {verdict.success}"))
    if t.reward is not None and min(abs(t.reward - found), abs(t.reward - passed)) > near:
        claims.append((t.reward > max(found, passed), f"reward {t.reward:.4g}, our grade is {found:.4g}"))
    if not claims:
        return
    raised = any(more for more, _ in claims)
    result.raised += raised
    result.lowered += not raised
    certain = board.file.env == "backend" or _same_renderer(graded)
    level: Level = "flag" if raised and certain else "warning"
    message = f"task {t.task_id!r} claims " + "; ".join(text for _, text in claims)
    result.findings.add(level, "claims", message, DIALOGUES, graded.line)


def _note_replay(graded: _Graded, board: Board, findings: Findings) -> None:
    t = graded.trajectory
    frontend = board.file.env == "frontend"
    certain = not frontend or _same_renderer(graded)
    for turn in graded.differing:
        message = f"task {t.task_id!r}, turn {turn}: the embedded collaborator does not say what is recorded"
        if not certain:
            message += " (it saw pages of another renderer version)"
        findings.add("error" if certain else "warning", "reply", message, DIALOGUES, graded.line)
    if not frontend:
        return
    for turn, (record, page) in enumerate(zip(t.turns, graded.pages, strict=True), 1):
        recorded = record.page.png_hash if record.page is not None else None
        if page is not None and recorded is not None and recorded != page.png_hash:
            message = f"task {t.task_id!r}, turn {turn}: the page looks different here"
            findings.add("warning", "picture", message, DIALOGUES, graded.line)
    last = next((page for page in reversed(graded.pages) if page is not None), None)
    pasted = pasted_page(graded.reference, last)
    if pasted is not None:
        findings.add("flag", "image", f"task {t.task_id!r}: {pasted}", DIALOGUES, graded.line)


def _check_luck(luck: list[tuple[float, bool]], findings: Findings) -> None:
    successes = sum(success for _, success in luck)
    chance = chance_of([p for p, _ in luck], successes)
    if chance < LUCK:
        expected = sum(p for p, _ in luck)
        message = (
            f"{successes} of {len(luck)} procedural tasks succeed where what the dialogues settled explains "
            f"{expected:.1f} (chance {chance:.1g})"
        )
        findings.add("flag", "luck", message, DIALOGUES)


def _graded_by(graded: _Graded, grading: _Grading) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "colbench": __version__,
        "system": f"{platform.system()} {platform.machine()}",
        "isolation": graded.verdict.isolation,
        **grading.judge.describe(),
        "versions": {k: v for k, v in graded.verdict.versions.items() if k != "reference_png"},
    }
    if grading.replaying:
        facts["replayed_with"] = EmbeddedCollaborator().describe()
    if graded.verdict.measure is not None:
        try:
            facts["similarity"] = grading.judge.similarity.describe()  # type: ignore[attr-defined]
        except (AttributeError, ColBenchError):
            facts["similarity"] = {"name": graded.verdict.measure}
    return facts
