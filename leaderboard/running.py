"""Runs somebody's agent on a board's tasks and collaborator: the only tier whose dialogues we know to be real."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from colbench.agents import load_agent, parse_agent
from colbench.errors import ConfigurationError
from colbench.judge import Judge
from colbench.rollout import Rollout
from colbench.simulators import load_collaborator
from colbench.trajectory import Trajectory
from leaderboard.board import Board, load_board
from leaderboard.creating import create_submission
from leaderboard.findings import Findings
from leaderboard.submission import load_yaml

__all__ = ["play_agent", "read_agent_file"]

_OWN = frozenset({"agent", "options", "repeats", "concurrency"})


def read_agent_file(path: Path) -> dict[str, Any]:
    """The fields of ``agent.yaml``: ``agent``, ``options``, ``repeats`` and those of a submission.

    Raises:
        ConfigurationError: the file cannot be read, or names no agent.
    """
    findings = Findings()
    value, _ = load_yaml(path, findings)
    if value is None:
        raise ConfigurationError("; ".join(str(finding) for finding in findings))
    if not isinstance(value.get("agent"), str):
        raise ConfigurationError(f"{path}: 'agent' is missing; give a name, module:Class, chat or transformers")
    if not isinstance(value.get("options", {}), dict):
        raise ConfigurationError(f"{path}: 'options' must be a mapping")
    return value


def judge_of(board: Board, allow_weaker: bool = False, workers: int | None = None) -> Judge:
    """The judge of a board."""
    if board.file.env == "backend":
        from colbench.backend.judge import BackendJudge

        options: dict[str, Any] = {"allow_weaker": allow_weaker, **({"workers": workers} if workers else {})}
        return BackendJudge(board.file.grading, **options)
    from colbench.frontend.judge import FrontendJudge

    return FrontendJudge(board.file.similarity or "clip", workers)


async def play_agent(
    agent_file: Path,
    work: Path,
    *,
    boards: Path | None = None,
    board_name: str | None = None,
    tasks: str | None = None,
    allow_weaker: bool = False,
    workers: int | None = None,
    on_episode: Callable[[Trajectory], None] | None = None,
) -> tuple[Path, Board]:
    """Play an agent on all tasks of its board and make a submission of it.

    Args:
        agent_file: ``agent.yaml``.
        work: folder for the run and the submission; the same call continues a run that was interrupted.
        boards: folder with the files of boards.
        board_name: board in place of the file's.
        tasks: source of the tasks of a sealed board.
        allow_weaker: run answers although the sandbox is below full isolation.
        workers: sandboxes or browsers.
        on_episode: called with each finished episode.

    Returns:
        The submission's folder and the board.

    Raises:
        ConfigurationError: the file is wrong, the agent is given the reference, or episodes are missing at the end.
    """
    fields = read_agent_file(agent_file)
    name = board_name or fields.get("board")
    if not isinstance(name, str):
        raise ConfigurationError(f"{agent_file}: 'board' is missing; name it there or with --board")
    board = load_board(name, boards, tasks)
    spec, options = parse_agent(fields["agent"])
    agent = load_agent(spec, {**fields.get("options", {}), **options})
    if agent.needs_training_time_info:
        raise ConfigurationError(f"agent {spec!r} is given the reference; it belongs on no board")
    collaborator = load_collaborator(
        board.file.simulator or str(board.file.collaborator["name"]), board.file.simulator_options
    )
    misfit = board.misfit(collaborator.describe())
    if misfit is not None:
        raise ConfigurationError(f"the collaborator that was started is not the board's: {misfit}")
    rollout = Rollout(
        board.env_id,
        board.tasks,
        agent,
        collaborator,
        judge_of(board, allow_weaker, workers),
        seed=board.file.seed,
        repeats=int(fields.get("repeats", 1)),
        max_turns=board.file.max_turns,
        reward="success" if board.file.env == "backend" else "similarity",
        concurrency=int(fields.get("concurrency", 16)),
        extra={"tasks": board.source if not board.sealed else "sealed", "split": board.file.split},
    )
    result = await rollout.run(work / "run", on_episode)
    if result.missing:
        raise ConfigurationError(f"{result.missing} episodes failed; the same command plays them again")
    given = {k: v for k, v in fields.items() if k not in _OWN and k != "board"}
    given.setdefault("model", "none")
    submission = work / "submission"
    if submission.exists():
        for path in submission.iterdir():
            path.unlink()
    create_submission(work / "run", submission, board, given)
    return submission, board
