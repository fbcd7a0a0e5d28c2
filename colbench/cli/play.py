"""``colbench play``: a person in the dialogue, as the agent or as the collaborator."""

from __future__ import annotations

import asyncio
import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from colbench.cli.setup import EnvName, Grading, Split, choose_tasks, env_id_of, make_judge
from colbench.cli.show import print_trajectory
from colbench.episode import REWARDS
from colbench.errors import ConfigurationError
from colbench.seeding import local_random

__all__ = ["play"]


class Side(StrEnum):
    """Who the person is."""

    agent = "agent"
    collaborator = "collaborator"


def play(
    side: Annotated[Side, typer.Option("--as", help="Which side you take.")] = Side.agent,
    env: Annotated[EnvName, typer.Option(help="Which environment.")] = EnvName.backend,
    tasks: Annotated[str, typer.Option(help="bundled, procedural[:n=N,seed=S,...], hub, or a JSONL file.")] = "bundled",
    split: Annotated[Split, typer.Option(help="Which split.")] = Split.train,
    task_id: Annotated[str | None, typer.Option(help="Which task; default: one chosen by the seed.")] = None,
    agent: Annotated[
        str, typer.Option("--agent", "-a", help="The other side when you are the collaborator.")
    ] = "explorer",
    simulator: Annotated[str, typer.Option(help="The other side when you are the agent.")] = "embedded",
    grading: Annotated[Grading, typer.Option(help="Grading mode of the backend.")] = Grading.strict,
    similarity: Annotated[str | None, typer.Option(help="Similarity measure of the frontend.")] = None,
    seed: Annotated[int, typer.Option(help="Chooses the task.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Append the record to this JSONL file.")] = None,
) -> None:
    """Play one episode yourself; your answer is graded like any agent's."""
    from colbench.agents import load_agent, parse_agent
    from colbench.jsonl import append_line
    from colbench.rollout import Rollout
    from colbench.simulators import load_collaborator

    kind = env.value
    chosen = choose_tasks(tasks, kind, split.value, None, [task_id] if task_id else None)  # type: ignore[arg-type]
    task = chosen[local_random(seed, "play").randrange(len(chosen))]
    name, options = parse_agent("human" if side is Side.agent else agent)
    rollout = Rollout(
        env_id_of(kind),
        chosen,
        load_agent(name, options),
        load_collaborator(simulator if side is Side.agent else "human"),
        make_judge(kind, grading=grading.value, allow_weaker=True, similarity=similarity, workers=1),  # type: ignore[arg-type]
        seed=seed,
        reward=REWARDS[kind][0],  # type: ignore[arg-type]
    )
    if out is not None and (out.is_dir() or not os.access(out.parent if out.parent.exists() else ".", os.W_OK)):
        raise ConfigurationError(f"--out {out}: cannot be written; give a file in a folder of yours")
    trajectory = asyncio.run(rollout.play(task))
    print_trajectory(Console(), trajectory)
    if trajectory.status == "failed":
        typer.echo("nothing was recorded", err=True)
        raise typer.Exit(1)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("ab") as handle:
            append_line(handle, trajectory.to_record())
