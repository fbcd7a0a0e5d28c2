"""The store of entries: a folder each, made only by grading, and refused when a byte of it has changed since.

An entry is ``entries/BOARD/SLUG`` with the submission as it was given, our grade of every episode, and a record of what
graded it. Everything is a text file, so that a public repository can hold the store and show every change to it.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import shutil
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from colbench.errors import ConfigurationError
from colbench.jsonl import atomic_write, dump_line, read_lines
from leaderboard.board import Board
from leaderboard.findings import Findings
from leaderboard.rows import EpisodeRow, read_rows, write_rows
from leaderboard.submission import DIALOGUES, SUBMISSION, Submission, read_submission, slug_of
from leaderboard.validate import Validated
from leaderboard.verify import Verification, verify

__all__ = ["TIERS", "Entry", "Tier", "add_entry", "find_entry", "read_entries"]

ENTRY = "entry.json"
ROWS = "rows.jsonl"
Tier = Literal["maintainers", "resubmitted"]
TIERS: dict[str, str] = {
    "maintainers": "run by the maintainers",
    "resubmitted": "graded again from submitted dialogues",
}
_FILES = (SUBMISSION, DIALOGUES, ROWS)


@dataclass(frozen=True)
class Entry:
    """One entry of a board.

    Attributes:
        folder: where it lies.
        record: what ``entry.json`` says: board, tier, what graded, claims, findings.
        submission: what the submitter said.
    """

    folder: Path
    record: dict[str, Any]
    submission: Submission

    @property
    def slug(self) -> str:
        """Name of its folder."""
        return self.folder.name

    @property
    def board_key(self) -> str:
        """Key of the board that it stands on."""
        return str(self.record["board"]["key"])

    @cached_property
    def rows(self) -> list[EpisodeRow]:
        """Our grades, in the order of the board's tasks."""
        return read_rows(self.folder / ROWS)

    def dialogues(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The dialogues as JSON objects, with their lines."""
        return read_lines(self.folder / DIALOGUES)


def add_entry(
    folder: Path,
    entries: Path,
    verification: Verification,
    tier: Tier,
    pictures: Path | None,
    accepted: Sequence[str] = (),
) -> Entry:
    """Put a verified submission into the store.

    Args:
        folder: the submission.
        entries: the store.
        verification: of this folder.
        tier: how its dialogues came about.
        pictures: folder with the small pictures that verification made.
        accepted: codes of flags that a maintainer has looked at and accepts.

    Raises:
        ConfigurationError: it is refused, flagged, or stands there already.
    """
    checked = verification.checked
    submission, board = checked.submission, checked.board
    if not verification.verified or submission is None:
        found = verification.findings.codes("error")
        listed = ", ".join(f"{n} x {code}" for code, n in found.items()) or "it was not graded"
        raise ConfigurationError(f"{folder} is refused: {listed}; see the findings of 'verify'")
    open_flags = [code for code in verification.findings.codes("flag") if code not in accepted]
    if open_flags:
        options = " ".join(f"--accept {code}" for code in open_flags)
        raise ConfigurationError(
            f"{folder} is flagged ({', '.join(open_flags)}). Look at the findings; if they have a good reason, add it "
            f"with {options}: the flags then stand on the entry's page"
        )
    refuse_known(checked, entries)
    target = _free_folder(entries / board.name, slug_of(submission.name))
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".adding-", dir=target.parent))
    try:
        draft.chmod(0o755)
        submission.write(draft)
        write_rows(draft / ROWS, _write_dialogues(checked, verification.rows, draft / DIALOGUES))
        if pictures is not None and pictures.is_dir():
            shutil.copytree(pictures, draft / "pictures")
        record = _record(verification, tier, accepted, draft)
        atomic_write(draft / ENTRY, json.dumps(record, indent=1) + "\n")
        os.rename(draft, target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return Entry(target, record, submission)


def _free_folder(parent: Path, slug: str) -> Path:
    # Different names may have the same letters; what is the same name was refused before.
    number, target = 1, parent / slug
    while target.exists():
        number += 1
        target = parent / f"{slug}-{number}"
    return target


def _write_dialogues(checked: Validated, rows: list[EpisodeRow], path: Path) -> list[EpisodeRow]:
    """Write the dialogues in one form (no byte-order mark, no token ids) and give the rows their new lines."""
    new_lines: dict[tuple[str, int], int] = {}
    with path.open("wb") as handle:
        for number, (_, trajectory) in enumerate(checked.episodes(), 1):
            record = trajectory.to_record()
            for turn in record["turns"]:
                turn.pop("token_ids", None)
                turn.pop("logprobs", None)
            handle.write(dump_line(record))
            new_lines[trajectory.key] = number
    return [
        row if row.missing else EpisodeRow(**{**row.__dict__, "line": new_lines[row.task_id, row.repeat]})
        for row in rows
    ]


def _record(verification: Verification, tier: Tier, accepted: Sequence[str], draft: Path) -> dict[str, Any]:
    checked = verification.checked
    board = checked.board
    findings = verification.findings
    kept: dict[str, int] = {}
    shown = []
    for finding in findings:
        kept[finding.code] = kept.get(finding.code, 0) + 1
        if kept[finding.code] <= 50:
            shown.append(finding.to_json())
    return {
        "schema": "colbench.entry/1",
        "board": {"name": board.name, "title": board.file.title, "key": board.key, **board.facts()},
        "tasks": board.tasks.name if not board.sealed else "sealed",
        "tier": tier,
        "added": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "episodes": len(verification.rows),
        "repeats": checked.repeats,
        "missing": len(checked.missing),
        "dialogues": checked.digest,
        "agent": checked.agent,
        "collaborator": checked.collaborator,
        "graded_by": verification.graded_by,
        "claims": {"raised": verification.raised, "lowered": verification.lowered},
        "replayed": verification.replayed,
        "flags": findings.codes("flag"),
        "warnings": findings.codes("warning"),
        "accepted": sorted(set(accepted) & set(findings.codes("flag"))),
        "findings": shown,
        "files": {name: _sha256(draft / name) for name in _FILES},
    }


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        while block := handle.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def refuse_known(checked: Validated, entries: Path) -> None:
    """Refuse dialogues, or a name, that the board has already.

    Raises:
        ConfigurationError: pointing to the entry that came first.
    """
    submission = checked.submission
    for path in sorted((entries / checked.board.name).glob(f"*/{ENTRY}")):
        entry = _read(path.parent, check=False)
        if entry.board_key != checked.board.key:
            continue
        if checked.digest and entry.record.get("dialogues") == checked.digest:
            raise ConfigurationError(f"{checked.folder} holds the same dialogues as the entry {path.parent}")
        if submission is not None and _same_name(entry.submission.name, submission.name):
            raise ConfigurationError(
                f"the board has an entry named {submission.name!r} already, {path.parent}; choose another name, for "
                "example with the version of the agent"
            )


def _same_name(first: str, second: str) -> bool:
    def plain(name: str) -> str:
        visible = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
        return " ".join(visible.casefold().split())

    return plain(first) == plain(second)


def _read(folder: Path, *, check: bool) -> Entry:
    try:
        record = json.loads((folder / ENTRY).read_text())
        key = record["board"]["key"]
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigurationError(f"{folder / ENTRY} is not the record of an entry; add the submission again") from None
    if record.get("schema") != "colbench.entry/1" or not isinstance(key, str):
        raise ConfigurationError(f"{folder / ENTRY} has an unknown schema {record.get('schema')!r}")
    findings = Findings()
    submission = read_submission(folder, findings)
    if submission is None:
        raise ConfigurationError(f"{folder}: " + "; ".join(str(f) for f in findings))
    if check:
        for name in _FILES:
            if not (folder / name).is_file() or _sha256(folder / name) != record["files"].get(name):
                raise ConfigurationError(f"{folder / name} has changed since it was verified; add the submission again")
    return Entry(folder, record, submission)


def read_entries(entries: Path) -> list[Entry]:
    """Every entry of a store, in the order of their folders.

    Raises:
        ConfigurationError: an entry was changed after it was verified.
    """
    return [_read(path.parent, check=True) for path in sorted(entries.glob(f"*/*/{ENTRY}"))]


def find_entry(entries: Path, name: str) -> Entry:
    """The entry with this slug, ``BOARD/SLUG``, or folder.

    Raises:
        ConfigurationError: there is none, or several.
    """
    found = [p.parent for p in sorted(entries.glob(f"*/*/{ENTRY}")) if name in (p.parent.name, _full(p.parent))]
    if not found and (Path(name) / ENTRY).is_file():
        found = [Path(name)]
    if len(found) != 1:
        known = ", ".join(_full(path.parent) for path in sorted(entries.glob(f"*/*/{ENTRY}"))[:20])
        what = "there is no entry" if not found else "there are several entries"
        raise ConfigurationError(f"{what} {name!r} in {entries}; give one of: {known}")
    return _read(found[0], check=True)


def _full(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


async def verify_and_add(
    folder: Path,
    entries: Path,
    board: Board | None = None,
    *,
    tier: Tier = "resubmitted",
    accepted: Sequence[str] = (),
    **options: Any,
) -> tuple[Verification, Entry | None]:
    """Verify a submission and add it where nothing refuses it; the entry is None where something does.

    Args:
        folder: the submission.
        entries: the store.
        board: its board; None takes the one it names.
        tier: how its dialogues came about.
        accepted: codes of flags that a maintainer accepts.
        options: of :func:`leaderboard.verify.verify`.

    Raises:
        ConfigurationError: it is flagged, or stands there already.
    """
    with tempfile.TemporaryDirectory(prefix="leaderboard-") as scratch:
        pictures = Path(scratch) / "pictures"
        found = await verify(
            folder, board, pictures=pictures, on_validated=lambda c: refuse_known(c, entries), **options
        )
        if not found.verified:
            return found, None
        sealed = found.checked.board.sealed
        return found, add_entry(folder, entries, found, tier, None if sealed else pictures, accepted)
