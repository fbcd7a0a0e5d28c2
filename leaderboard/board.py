"""A board: everything that must be the same for two results to stand in one table.

Task, split (by the hash of its tasks), collaborator, and grading or similarity make the board's key. Entries carry it,
and a board takes only entries with its own, so numbers that mean different things never meet.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from colbench.dialogue import MAX_TURNS, REPLY_CHARS
from colbench.errors import ConfigurationError
from colbench.plugins import near_match
from colbench.tasks.loading import load_tasks
from colbench.tasks.taskset import TaskSet
from leaderboard.findings import Findings
from leaderboard.submission import load_yaml

__all__ = ["Board", "BoardFile", "built_in_boards", "load_board"]

_BY_THE_WAY = frozenset({"version"})
"""Facts of a collaborator whose difference is a warning and not another board."""


class BoardFile(BaseModel):
    """The fields of a board's file.

    Attributes:
        name: letters, digits and hyphens.
        title: shown above the table.
        env: ``backend`` or ``frontend``.
        tasks: a source of tasks; a path is looked up beside the board's file; ``sealed`` where it is kept secret.
        split: which split of the source.
        tasks_hash: the hash that the tasks must have; needed where they are sealed.
        collaborator: facts that the collaborator's own description must hold.
        simulator: how a maintainer starts it: name or ``module:Class``; the collaborator's name by default.
        simulator_options: its options.
        grading: mode that the table is ordered by (backend).
        similarity: measure (frontend).
        max_turns: agent messages per episode.
        seed: of the board's own runs.
        reference_entry: entry that pages are compared with (win rate); the first in the table by default.
        about: a paragraph for readers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")
    title: str = Field(min_length=1, max_length=120)
    env: Literal["backend", "frontend"]
    tasks: str = "bundled"
    split: Literal["train", "test"] = "test"
    tasks_hash: str | None = Field(None, pattern=r"^[0-9a-f]{16}$")
    collaborator: dict[str, Any] = Field(default_factory=lambda: {"name": "embedded"})
    simulator: str | None = None
    simulator_options: dict[str, Any] = Field(default_factory=dict)
    grading: Literal["strict", "paper"] = "strict"
    similarity: str | None = None
    max_turns: int = Field(MAX_TURNS, ge=1, le=100)
    seed: int = 0
    reference_entry: str | None = None
    about: str = ""

    @model_validator(mode="after")
    def _fits(self) -> BoardFile:
        if self.env == "frontend" and self.similarity is None:
            raise ValueError("a frontend board names its similarity (clip, clip_square, layout or efficientnet)")
        if self.env == "backend" and self.similarity is not None:
            raise ValueError("similarity is for frontend boards")
        if "name" not in self.collaborator:
            raise ValueError("collaborator needs at least 'name'")
        if self.tasks == "sealed" and self.tasks_hash is None:
            raise ValueError("a sealed board names the hash of its tasks in tasks_hash")
        return self


@dataclass(frozen=True)
class Board:
    """A board, with its tasks loaded when they are needed.

    Attributes:
        file: what its file says.
        source: where its tasks come from.
    """

    file: BoardFile
    source: str

    @property
    def name(self) -> str:
        """Name of the board."""
        return self.file.name

    @property
    def sealed(self) -> bool:
        """Whether tasks and dialogues stay secret."""
        return self.file.tasks == "sealed"

    @property
    def env_id(self) -> str:
        """Id of its environment."""
        return {"backend": "ColBench-Backend-v0", "frontend": "ColBench-Frontend-v0"}[self.file.env]

    @property
    def reply_chars(self) -> int:
        """Longest reply of a collaborator."""
        return REPLY_CHARS[self.file.env]

    @cached_property
    def tasks(self) -> TaskSet:
        """The tasks.

        Raises:
            ConfigurationError: they are sealed and no source was given, or they are not those of the board.
        """
        if self.source == "sealed":
            raise ConfigurationError(f"the tasks of board {self.name!r} are sealed; give their source with --tasks")
        tasks = load_tasks(self.source, kind=self.file.env, split=self.file.split)
        if self.file.tasks_hash is not None and tasks.content_hash != self.file.tasks_hash:
            raise ConfigurationError(
                f"board {self.name!r} is about tasks with hash {self.file.tasks_hash}, but {self.source!r} has "
                f"{tasks.content_hash}: another version, file or seed"
            )
        return tasks

    @property
    def tasks_hash(self) -> str:
        """Hash of the tasks, from the file where it is pinned."""
        return self.file.tasks_hash or self.tasks.content_hash

    def facts(self) -> dict[str, Any]:
        """What must be equal for two entries to be compared."""
        return {
            "env": self.file.env,
            "tasks_hash": self.tasks_hash,
            "collaborator": {k: v for k, v in self.file.collaborator.items() if k not in _BY_THE_WAY},
            "grading": self.file.similarity or self.file.grading,
            "max_turns": self.file.max_turns,
        }

    @property
    def key(self) -> str:
        """First 16 hex digits of the SHA-256 of :meth:`facts`."""
        blob = json.dumps(self.facts(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(blob.encode()).hexdigest()[:16]

    def misfit(self, collaborator: dict[str, Any]) -> str | None:
        """Why a collaborator is not the board's; None if it is."""
        for name, wanted in self.file.collaborator.items():
            if name not in _BY_THE_WAY and collaborator.get(name) != wanted:
                return f"{name} is {collaborator.get(name)!r}, board {self.name!r} has {wanted!r}"
        return None


def built_in_boards() -> dict[str, Path]:
    """The boards that come with the package."""
    folder = Path(str(resources.files("leaderboard"))) / "boards"
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def load_board(name: str | Path, folder: Path | None = None, tasks: str | None = None) -> Board:
    """A board by its file, or by name among those of a folder and those of the package.

    Args:
        name: name or path of a file.
        folder: folder with the files of boards.
        tasks: source that takes the place of the file's, for sealed boards.

    Raises:
        ConfigurationError: there is no such board, or its file is wrong.
    """
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        known = built_in_boards()
        if folder is not None and folder.is_dir():
            known |= {found.stem: found for found in sorted(folder.glob("*.yaml"))}
        if str(name) not in known:
            raise ConfigurationError(
                f"there is no board {str(name)!r}.{near_match(str(name), known)} "
                f"Give a file or one of: {', '.join(known)}"
            )
        path = known[str(name)]
    findings = Findings()
    value, _ = load_yaml(path, findings)
    if value is None:
        raise ConfigurationError(f"board {path}: " + "; ".join(str(f) for f in findings))
    try:
        file = BoardFile.model_validate(value)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(p) for p in first["loc"])
        raise ConfigurationError(f"board {path}: {place or 'the file'}: {first['msg']}") from None
    if file.name != path.stem:
        raise ConfigurationError(f"board {path}: it is named {file.name!r}; the file must be {file.name}.yaml")
    source = tasks or file.tasks
    beside = path.parent / source
    if tasks is None and source.endswith(".jsonl") and beside.is_file():
        source = str(beside)
    return Board(file, source)
