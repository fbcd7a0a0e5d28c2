"""Makes a submission from a run's folder, asking only for what a run cannot know."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from colbench.errors import ConfigurationError
from colbench.jsonl import dump_line
from colbench.records import Records
from colbench.run_folder import read_configuration
from leaderboard.board import Board
from leaderboard.submission import DIALOGUES, Protocol, Submission

__all__ = ["ASKED", "create_submission", "known_from_run"]

ASKED = {
    "name": "Name of the agent, as it will stand in the table",
    "model": "Model behind it ('none' if there is none)",
    "authors": "Authors, separated by commas",
    "licence": "Licence under which the dialogues may be published",
}
"""What only the submitter knows, and must say."""

_SCALAR = (str, int, float, bool)


def known_from_run(run: Path, board: Board) -> dict[str, Any]:
    """The fields of a submission that a run's folder tells.

    Raises:
        ConfigurationError: it is not a run's folder, or of another environment.
    """
    configuration = read_configuration(run)
    if configuration.get("env_id") != board.env_id:
        raise ConfigurationError(
            f"{run} was played in {configuration.get('env_id')!r}; board {board.name!r} is for {board.env_id!r}"
        )
    agent = configuration.get("agent", {})
    collaborator = configuration.get("collaborator", {})
    known: dict[str, Any] = {
        "board": board.name,
        "collaborator": {k: v for k, v in collaborator.items() if isinstance(v, _SCALAR)},
        "date": datetime.date.today(),
    }
    if isinstance(agent.get("model"), str) and agent["model"]:
        known["model"] = agent["model"]
    prompts = {k: agent[k] for k in ("prompt", "prompts", "think") if agent.get(k)}
    if prompts:
        known["prompts_hash"] = hashlib.sha256(json.dumps(prompts, sort_keys=True).encode()).hexdigest()
    return known


def create_submission(
    run: Path,
    out: Path,
    board: Board,
    given: Mapping[str, Any],
    ask: Callable[[str, str], str] | None = None,
) -> Submission:
    """Write ``submission.yaml`` and the dialogues of a run into a folder.

    Args:
        run: the run's folder.
        out: a new folder.
        board: where it shall stand.
        given: fields that the caller knows; None counts as not given.
        ask: called with name and question for each field that is still open; None refuses instead.

    Raises:
        ConfigurationError: a field is missing or wrong, the run is incomplete, or ``out`` holds something.
    """
    if out.exists() and any(out.iterdir() if out.is_dir() else [out]):
        raise ConfigurationError(f"{out} is not empty; give another folder")
    fields = {**known_from_run(run, board), **{k: v for k, v in given.items() if v is not None}}
    records = Records(run)
    failed = records.failures()
    if failed:
        listed = ", ".join(f"{n} {boundary}" for boundary, n in failed.items())
        raise ConfigurationError(
            f"{run} holds {failed.total()} failed episodes ({listed}); the same 'colbench run' command plays them again"
        )
    missing = [name for name in ASKED if name not in fields]
    if missing and ask is None:
        options = " ".join(f"--{name} ..." for name in missing)
        raise ConfigurationError(f"a run does not tell {', '.join(missing)}; give {options}")
    for name in missing:
        assert ask is not None
        fields[name] = ask(name, ASKED[name])
    if isinstance(fields["authors"], str):
        fields["authors"] = [part.strip() for part in fields["authors"].split(",") if part.strip()]
    why = fields.pop("custom", None)
    if why:
        fields["protocol"] = Protocol(kind="custom", why=why)
    try:
        submission = Submission.model_validate(fields)
    except ValidationError as problem:
        errors = problem.errors(include_url=False, include_input=False)
        listed = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in errors)
        raise ConfigurationError(f"the submission is not complete: {listed}") from None
    out.mkdir(parents=True, exist_ok=True)
    with (out / DIALOGUES).open("wb") as handle:
        for trajectory in records.stream():
            handle.write(dump_line(trajectory.to_record()))
    submission.write(out)
    return submission
