"""Fills the templates; every value is escaped, and the policy of every page forbids whatever the site does not need."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from colbench.errors import MissingExtraError
from leaderboard.entries import TIERS
from leaderboard.web.figures import BoardFigures, EntryFigures
from leaderboard.web.plots import Dot, domain_plot, scatter_plot
from leaderboard.web.reported import REPORTED

__all__ = ["POLICY", "board_page", "data_script", "entry_page", "index_page"]

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
"""Content-security policy of every page: nothing inline, nothing from elsewhere, no connections."""


@lru_cache(maxsize=1)
def _environment() -> Any:
    try:
        import jinja2
    except ImportError:
        raise MissingExtraError("the leaderboard's site", "report") from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("leaderboard.web", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["percent"] = lambda v: f"{100 * v:.1f}"
    environment.filters["span"] = lambda i: f"{100 * i.low:.1f} to {100 * i.high:.1f}"
    environment.filters["short"] = _short
    environment.globals.update(policy=POLICY, tiers=TIERS)
    return environment


def _short(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _render(name: str, **values: Any) -> str:
    return str(_environment().get_template(name).render(**values))


def data_script(call: str, *values: Any) -> str:
    """A script that hands data to the page; nothing in it can end the script or be anything but data."""
    text = ",".join(json.dumps(value, ensure_ascii=True, separators=(",", ":")) for value in values)
    for character, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(character, code)
    return f"{call}({text});\n"


def index_page(boards: list[BoardFigures]) -> str:
    """The first page: all boards, and what the paper reports."""
    return _render("index.html", root="", boards=boards, reported=REPORTED)


def board_page(board: BoardFigures, about: str) -> str:
    """The page of one board."""
    return _render(
        "board.html",
        root="",
        board=board,
        about=about,
        pictures=_board_pictures(board),
        group_of=_groups(board),
        main="Success" if board.backend else "Similarity",
        other="paper" if board.facts["grading"] == "strict" else "strict",
        costs=any(e.cost is not None for e in board.entries),
    )


def _groups(board: BoardFigures) -> list[str]:
    """Letters of the stretches that each entry belongs to."""
    letters = ["" for _ in board.entries]
    for number, group in enumerate(board.groups):
        for place in group:
            letters[place] += (" " if letters[place] else "") + _letter(number)
    return letters


def _letter(number: int) -> str:
    return chr(97 + number) if number < 26 else _letter(number // 26 - 1) + chr(97 + number % 26)


def _dot(figures: EntryFigures, x: float) -> Dot:
    kind = "a" if figures.entry.record["tier"] == "maintainers" else "b"
    return Dot(figures.entry.submission.name, x, figures.main, kind)


def _board_pictures(board: BoardFigures) -> list[tuple[str, str]]:
    what = "success" if board.backend else "similarity"
    entries = board.entries
    title = f"{what.capitalize()} against questions asked"
    drawn = [(title, scatter_plot(title, [_dot(e, e.questions.estimate) for e in entries], "questions asked", what))]
    if any(e.cost is not None for e in entries):
        title = f"{what.capitalize()} against cost per episode"
        dots = [_dot(e, e.cost) for e in entries if e.cost is not None]
        drawn.append((title, scatter_plot(title, dots, "cost per episode", what)))
    if any(e.tokens is not None for e in entries):
        title = f"{what.capitalize()} against tokens per episode"
        dots = [_dot(e, e.tokens) for e in entries if e.tokens is not None]
        drawn.append((title, scatter_plot(title, dots, "tokens of the agent per episode", what)))
    if len(entries[0].domains) > 1:
        title = f"{what.capitalize()} by domain, first {min(5, len(entries))} entries"
        series = [(e.entry.submission.name, e.domains) for e in entries[:5]]
        drawn.append((title, domain_plot(title, series, what)))
    return drawn


def entry_page(board: BoardFigures, place: int, data: str, episodes: int) -> str:
    """The page of one entry.

    Args:
        board: its board.
        place: in the table, from 0.
        data: address of its data from this page.
        episodes: number of dialogues that can be opened; 0 on a sealed board.
    """
    figures = board.entries[place]
    what = "success" if board.backend else "similarity"
    title = f"{what.capitalize()} by domain"
    plot = domain_plot(title, [(figures.entry.submission.name, figures.domains)], what)
    return _render(
        "entry.html",
        root="../../",
        board=board,
        figures=figures,
        entry=figures.entry,
        record=figures.entry.record,
        submission=figures.entry.submission,
        main=what.capitalize(),
        other="paper" if board.facts["grading"] == "strict" else "strict",
        alike=[board.entries[i] for i in figures.alike],
        plot=plot if len(figures.domains) > 1 else None,
        plot_title=title,
        data=data,
        episodes=episodes,
        graded=_flat(figures.entry.record["graded_by"]),
        collaborator=_flat(figures.entry.record["collaborator"]),
        agent=_flat(figures.entry.record["agent"]),
    )


def _flat(facts: Any, place: str = "") -> list[tuple[str, str]]:
    if isinstance(facts, dict):
        return [pair for k, v in facts.items() for pair in _flat(v, f"{place} {k}".strip())]
    text = facts if isinstance(facts, str) else json.dumps(facts, ensure_ascii=False, default=str)
    place, text = (part.encode("utf-8", "replace").decode() for part in (place, text))
    return [(place.replace("_", " "), text if len(text) <= 200 else text[:199] + "…")]
