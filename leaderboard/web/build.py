"""Builds the site from the store, one entry after the other: what is held of an entry is a few numbers per task.

Dialogues go into small scripts that hand over data, since a page opened from the file system may load scripts beside it
but not fetch files. A page loads only the one that holds the dialogue that was asked for.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from importlib import resources
from pathlib import Path
from typing import Any

from colbench.errors import ConfigurationError
from colbench.jsonl import atomic_write
from leaderboard.board import built_in_boards, load_board
from leaderboard.entries import Entry, read_entries
from leaderboard.rows import EpisodeRow, read_rows
from leaderboard.submission import schema
from leaderboard.web.figures import EntryFigures, board_figures, entry_figures
from leaderboard.web.pages import board_page, data_script, entry_page, index_page

__all__ = ["CHUNK", "build_site"]

CHUNK = 20
"""Dialogues in one data file."""
_MARK = "colbench-site.txt"
_OURS = ("entries", "data", "pictures", "static")


def build_site(entries: Path, out: Path, boards: Path | None = None) -> int:
    """Build the site.

    Args:
        entries: the store.
        out: folder of the site; a site that was there is replaced, anything else is refused.
        boards: folder with the files of boards, for their descriptions.

    Returns:
        Number of entries.

    Raises:
        ConfigurationError: an entry was changed after it was verified, or ``out`` holds something else.
    """
    found = read_entries(entries)
    _clear(out)
    by_key: dict[str, list[Entry]] = defaultdict(list)
    for entry in found:
        by_key[entry.board_key].append(entry)
    tables = []
    for key, group in by_key.items():
        facts = group[0].record["board"]
        address = f"{facts['name']}-{key[:8]}"
        file = _board_file(str(facts["name"]), boards)
        figures = [_write_data(entry, out / "data" / address / entry.slug, out, file) for entry in group]
        table = board_figures(figures, address, file.reference_entry if file is not None else None)
        tables.append(table)
        (out / f"{address}.html").write_text(board_page(table, file.about if file is not None else ""))
        folder = out / "entries" / address
        folder.mkdir(parents=True, exist_ok=True)
        for place, entry_of in enumerate(table.entries):
            slug = entry_of.entry.slug
            shown = 0 if facts_sealed(entry_of.entry) else int(entry_of.entry.record["episodes"])
            page = entry_page(table, place, f"../../data/{address}/{slug}/", shown)
            (folder / f"{slug}.html").write_text(page)
    tables.sort(key=lambda t: (not t.backend, t.address))
    (out / "index.html").write_text(index_page(tables))
    return len(found)


def facts_sealed(entry: Entry) -> bool:
    """Whether the dialogues of an entry stay secret."""
    return bool(entry.record.get("tasks") == "sealed")


def _clear(out: Path) -> None:
    if out.exists():
        if not out.is_dir() or (any(out.iterdir()) and not (out / _MARK).is_file()):
            raise ConfigurationError(f"{out} holds something that is not a site; give another --out")
        for name in _OURS:
            shutil.rmtree(out / name, ignore_errors=True)
        for page in out.glob("*.html"):
            page.unlink()
    (out / "static").mkdir(parents=True, exist_ok=True)
    (out / _MARK).write_text("Made by 'python -m leaderboard build'; everything here is replaced by the next build.\n")
    (out / ".nojekyll").write_text("")
    for name in ("site.css", "theme.js", "table.js", "entry.js"):
        source = resources.files("leaderboard.web") / "static" / name
        (out / "static" / name).write_bytes(source.read_bytes())
    atomic_write(out / "static" / "submission.schema.json", json.dumps(schema(), indent=2) + "\n")


def _board_file(name: str, boards: Path | None) -> Any:
    known = built_in_boards()
    if boards is not None and boards.is_dir():
        known |= {path.stem: path for path in boards.glob("*.yaml")}
    return load_board(known[name]).file if name in known else None


def _write_data(entry: Entry, data: Path, out: Path, file: Any) -> EntryFigures:
    """Write the data of an entry's page and return its figures."""
    rows = read_rows(entry.folder / "rows.jsonl")
    figures = entry_figures(entry, rows)
    if facts_sealed(entry) or (file is not None and file.tasks == "sealed"):
        return figures
    data.mkdir(parents=True, exist_ok=True)
    flagged = {f["line"] for f in entry.record["findings"] if f["level"] == "flag" and f["line"]}
    by_line = {row.line: row for row in rows if not row.missing}
    index = []
    chunk: list[Any] = []
    number = 0
    for line, record in entry.dialogues():
        row = by_line[line]
        index.append(_index_row(row, number, line in flagged))
        chunk.append(_dialogue(record, row))
        if len(chunk) == CHUNK:
            (data / f"{number}.js").write_text(data_script("colbench.dialogues", number, chunk))
            chunk, number = [], number + 1
    if chunk:
        (data / f"{number}.js").write_text(data_script("colbench.dialogues", number, chunk))
    order = {(row.task_id, row.repeat): i for i, row in enumerate(rows)}
    index += [_index_row(row, -1, False) for row in rows if row.missing]
    index.sort(key=lambda item: order[item[0], item[1]])
    (data / "episodes.js").write_text(data_script("colbench.episodes", index))
    pictures = entry.folder / "pictures"
    if pictures.is_dir():
        (out / "pictures").mkdir(exist_ok=True)
        for path in pictures.glob("*.webp"):
            target = out / "pictures" / path.name
            if not target.exists():
                shutil.copyfile(path, target)
    return figures


def _index_row(row: EpisodeRow, chunk: int, flagged: bool) -> list[Any]:
    success = None if row.success is None else int(row.success)
    return [row.task_id, row.repeat, success, round(row.score, 4), row.questions, row.domain, chunk, int(flagged)]


def _dialogue(record: dict[str, Any], row: EpisodeRow) -> dict[str, Any]:
    turns = []
    for number, turn in enumerate(record["turns"]):
        raw, visible = turn["raw"], turn["visible"]
        thought = raw[: -len(visible)] if visible and raw.endswith(visible) else ""
        reply = turn.get("reply") or {}
        turns.append(
            {
                "thought": thought.removesuffix("OUTPUT:").strip(),
                "visible": visible.strip(),
                "picture": row.pages[number] if number < len(row.pages) else "",
                "reply": reply.get("text"),
                "settled": list(reply.get("settled") or ()),
                "cut": bool(reply.get("cut")),
            }
        )
    return {
        "task": row.task_id,
        "repeat": row.repeat,
        "request": record["request"],
        "turns": turns,
        "ended": record.get("ended_by"),
        "outcomes": row.outcomes,
        "score": row.score,
        "success": row.success,
        "other": row.other_success,
        "claimed": row.claimed,
        "status": row.status,
        "reference": row.reference or "",
    }
