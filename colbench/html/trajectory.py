"""One trajectory as a self-contained page: the dialogue, the picture and the score of each proposal, the reference."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from colbench.html.templating import render_template
from colbench.trajectory import Trajectory

__all__ = ["data_url", "trajectory_page"]


def data_url(png: bytes) -> str:
    """A picture as an address that needs no file."""
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def trajectory_page(
    trajectory: Trajectory,
    *,
    pictures: Mapping[str, bytes] | None = None,
    reference_picture: bytes | None = None,
    turn_scores: Sequence[float | None] | None = None,
    picture_hashes: Sequence[str | None] | None = None,
    credit: Sequence[float] | None = None,
) -> str:
    """HTML of one episode.

    Args:
        trajectory: the record.
        pictures: PNG by content hash, as kept in a run's folder (frontend).
        reference_picture: PNG of the reference; only where the viewer may see it.
        turn_scores: similarity of the page of each turn; None for turns without one.
        picture_hashes: hash of the picture of each turn, where it was drawn again; default: as recorded.
        credit: known credit of each turn (procedural tasks).

    Raises:
        MissingExtraError: without jinja2.
    """
    pictures = pictures or {}
    turns: list[dict[str, Any]] = []
    for number, turn in enumerate(trajectory.turns):
        thought = turn.raw[: -len(turn.visible)] if turn.visible and turn.raw.endswith(turn.visible) else ""
        recorded = turn.page.png_hash if turn.page else None
        png = pictures.get((picture_hashes[number] if picture_hashes else recorded) or "")
        turns.append(
            {
                "number": number + 1,
                "thought": thought.removesuffix("OUTPUT:").strip(),
                "visible": turn.visible.strip(),
                "page": turn.page,
                "picture": data_url(png) if png else None,
                "score": turn_scores[number] if turn_scores and number < len(turn_scores) else None,
                "credit": credit[number] if credit and number < len(credit) else None,
                "reply": turn.reply,
            }
        )
    return render_template(
        "trajectory.html",
        t=trajectory,
        turns=turns,
        reference=data_url(reference_picture) if reference_picture else None,
        agent=str(trajectory.agent.get("name", "?")),
        collaborator=str(trajectory.collaborator.get("name", "?")),
    )
