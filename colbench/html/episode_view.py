"""Joins a record with its task, so that its page can show what the record itself must not hold.

The reference's picture, the score of each turn and the known credit are worked out from the task set that the run
names; a record alone gives the dialogue.
"""

from __future__ import annotations

import json
from pathlib import Path

from colbench.errors import ColBenchError, ConfigurationError
from colbench.html.trajectory import trajectory_page
from colbench.run_folder import CONFIGURATION
from colbench.tasks.loading import load_tasks
from colbench.tasks.schema import FrontendTask, Task
from colbench.trajectory import Trajectory

__all__ = ["episode_page", "find_task"]


def find_task(trajectory: Trajectory, place: Path, source: str | None = None) -> Task | None:
    """The task of a record, by id and hash.

    Args:
        trajectory: the record.
        place: its file, or the run's folder.
        source: where the tasks came from; None reads it from the run's folder.

    Returns:
        The task, or None where the run does not say where its tasks came from.

    Raises:
        ConfigurationError: when the task has changed since it was played.
        TaskDataError: when the source has no such task.
    """
    split = "test"
    if source is None:
        configuration = (place if place.is_dir() else place.parent) / CONFIGURATION
        if not configuration.exists():
            return None
        facts = json.loads(configuration.read_text())
        source, split = facts.get("tasks"), facts.get("split", split)
        if not isinstance(source, str):
            return None
    kind = "frontend" if "Frontend" in trajectory.env_id else "backend"
    task = load_tasks(source, kind=kind, split=split).get(trajectory.task_id)  # type: ignore[arg-type]
    if task.content_hash != trajectory.task_hash:
        raise ConfigurationError(
            f"task {task.task_id!r} of {source!r} has changed since it was played "
            f"(hash {trajectory.task_hash}, now {task.content_hash})"
        )
    return task


def episode_page(trajectory: Trajectory, place: Path, source: str | None = None) -> str:
    """HTML of one episode, with the pictures and the score of each turn (frontend) or the known credit (procedural).

    Raises:
        MissingExtraError: without the extra that the page needs.
        ColBenchError: as :func:`find_task`; or the browser is missing (frontend).
    """
    task = find_task(trajectory, place, source)
    if isinstance(task, FrontendTask):
        return _with_pictures(trajectory, task)
    credit = None
    if task is not None and task.procedural is not None and trajectory.status == "completed":
        from colbench.credit import trajectory_credit

        try:
            credit = trajectory_credit(task, trajectory)
        except ColBenchError:
            # A collaborator that cannot say what it settled; the page does without.
            credit = None
    return trajectory_page(trajectory, credit=credit)


def _with_pictures(trajectory: Trajectory, task: FrontendTask) -> str:
    from colbench.frontend.extraction import extract_html
    from colbench.frontend.judge import FrontendJudge

    judge = FrontendJudge(trajectory.measure or "layout")
    sources = [extract_html(turn.visible) for turn in trajectory.turns]
    # Rendered again: the same browser gives the same bytes, and the layout measure needs the elements.
    pages = [judge.renderer.render(source) if source is not None else None for source in sources]
    shown = [i for i, page in enumerate(pages) if page is not None]
    scores = dict(zip(shown, judge.score_pages(task, [pages[i] for i in shown]), strict=True))
    return trajectory_page(
        trajectory,
        pictures={page.png_hash: page.png for page in pages if page is not None and page.png and page.png_hash},
        reference_picture=judge.renderer.reference(task.ground_truth).png,
        turn_scores=[scores.get(i) for i in range(len(pages))],
        picture_hashes=[page.png_hash if page is not None else None for page in pages],
    )
