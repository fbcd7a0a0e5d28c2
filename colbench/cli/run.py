"""``colbench run``: agents on tasks, with a progress bar, resumable records and a summary with intervals."""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from colbench.cli.progress import RunProgress
from colbench.cli.setup import EnvName, Grading, Split, choose_tasks, env_id_of, make_judge, parse_options
from colbench.cli.summaries import plot_summaries, show_summaries, summary_table
from colbench.episode import REWARDS
from colbench.errors import ConfigurationError
from colbench.jsonl import atomic_write, plain
from colbench.summary import summarise

__all__ = ["STOPPED", "expand_agents", "parse_duration", "run", "summary_table"]

STOPPED = 3
"""Exit code of a run that a budget or a time limit ended early."""

# What these write is known; anybody else's answers, a model's among them, are foreign code.
_SCRIPTED = frozenset({"oracle", "silent", "impatient", "interviewer", "explorer"})
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def expand_agents(specs: list[str]) -> list[str]:
    """Write ranges out: ``interviewer?topics=0..3`` becomes four agents."""
    out: list[str] = []
    for spec in specs:
        found = re.search(r"=(\d+)\.\.(\d+)(?=&|$)", spec)
        if found is None:
            out.append(spec)
        else:
            low, high = int(found[1]), int(found[2])
            if high < low:
                raise ConfigurationError(f"agent {spec!r}: the range {low}..{high} is empty")
            out += expand_agents([f"{spec[: found.start()]}={i}{spec[found.end() :]}" for i in range(low, high + 1)])
    return out


def parse_duration(text: str | None, option: str) -> float | None:
    """Seconds of a duration such as ``90``, ``90s``, ``15m``, ``8h`` or ``2d``.

    Raises:
        ConfigurationError: for anything else, or nothing above 0.
    """
    if text is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*", text)
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not seconds:
        raise ConfigurationError(f"{option}: write a duration as 90s, 15m, 8h or 2d, actually: {text!r}")
    return seconds


def _folder_name(spec: str) -> str:
    return re.sub(r"[^A-Za-z0-9._=-]+", "_", spec).strip("_") or "agent"


def run(
    agent: Annotated[
        list[str],
        typer.Option("--agent", "-a", help="NAME, module:Class, either with ?option=value; repeatable. See the docs."),
    ],
    env: Annotated[EnvName, typer.Option(help="Which environment.")] = EnvName.backend,
    tasks: Annotated[str, typer.Option(help="bundled, procedural[:n=N,seed=S,...], hub, or a JSONL file.")] = "bundled",
    split: Annotated[Split, typer.Option(help="Which split.")] = Split.test,
    limit: Annotated[int | None, typer.Option(help="Only the first N tasks.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of the run; the same command continues it.")] = Path("runs/run"),
    simulator: Annotated[
        str, typer.Option(help="Collaborator: embedded, chat, human, ... or module:Class; with ?option=value.")
    ] = "embedded",
    simulator_options: Annotated[str | None, typer.Option(help="JSON object or file with its options.")] = None,
    simulator_prompt: Annotated[Path | None, typer.Option(help="File with the collaborator's prompt.")] = None,
    agent_options: Annotated[str | None, typer.Option(help="JSON object or file with options of the agents.")] = None,
    agent_prompt: Annotated[Path | None, typer.Option(help="File with the agent's prompt.")] = None,
    grading: Annotated[Grading, typer.Option(help="Grading mode of the backend.")] = Grading.strict,
    similarity: Annotated[str | None, typer.Option(help="Similarity measure of the frontend.")] = None,
    reward: Annotated[str | None, typer.Option(help="success or pass_rate (backend), similarity (frontend).")] = None,
    max_turns: Annotated[int, typer.Option(help="Agent messages per episode.")] = 10,
    repeats: Annotated[int, typer.Option(help="Episodes per task.")] = 1,
    seed: Annotated[int, typer.Option(help="Fixes every episode, together with task and repeat.")] = 0,
    concurrency: Annotated[int, typer.Option(help="Episodes in progress at once; changes no result.")] = 16,
    agent_concurrency: Annotated[int | None, typer.Option(help="Agent messages asked for at once.")] = None,
    simulator_concurrency: Annotated[int | None, typer.Option(help="Replies asked for at once.")] = None,
    grading_concurrency: Annotated[int | None, typer.Option(help="Answers graded at once.")] = None,
    rendering_concurrency: Annotated[int | None, typer.Option(help="Pages rendered at once.")] = None,
    time_limit: Annotated[str | None, typer.Option(help="Of the whole command: 90s, 15m, 8h, 2d.")] = None,
    episode_time_limit: Annotated[str | None, typer.Option(help="Of one episode.")] = None,
    turn_time_limit: Annotated[str | None, typer.Option(help="Of one turn.")] = None,
    call_time_limit: Annotated[str | None, typer.Option(help="Of one message, reply, page or verdict.")] = None,
    budget_tokens: Annotated[int | None, typer.Option(help="Tokens the command may use, earlier starts too.")] = None,
    budget_cost: Annotated[float | None, typer.Option(help="Money it may cost, by the price file.")] = None,
    workers: Annotated[int | None, typer.Option(help="Sandbox or browser workers; default one per core.")] = None,
    allow_weaker_isolation: Annotated[
        bool, typer.Option(help="Run answers although the sandbox is below full isolation.")
    ] = False,
    plot: Annotated[bool, typer.Option(help="Draw success against questions asked (extra 'report').")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of a table.")] = False,
) -> None:
    """Run agents on tasks, grade every answer, and print success with intervals.

    Exit code 3: a budget or a time limit ended the run early; the same command continues it. Exit code 1: every episode
    of an agent failed.

    Example: colbench run -a oracle -a impatient -a "interviewer?topics=0..4" --tasks procedural:n=200 --out runs/demo
    """
    from colbench.agents import load_agent, parse_agent
    from colbench.budget import Budget, Spending
    from colbench.frontend.picture_store import FOLDER
    from colbench.limits import Limits
    from colbench.records import spent_in
    from colbench.rollout import Rollout
    from colbench.simulators import load_collaborator

    console = Console()
    kind = env.value
    if similarity is not None and kind == "backend":
        raise ConfigurationError("--similarity is a measure of pages; it goes with --env frontend")
    repeated = sorted({spec for spec in agent if agent.count(spec) > 1})
    if repeated:
        raise ConfigurationError(f"agent {', '.join(map(repr, repeated))} is given twice")
    chosen = choose_tasks(tasks, kind, split.value, limit)  # type: ignore[arg-type]
    simulator_name, given = parse_agent(simulator)
    given = {**parse_options(simulator_options, "--simulator-options"), **given, **_prompt(simulator_prompt)}
    collaborator = load_collaborator(simulator_name, given)
    further = {**parse_options(agent_options, "--agent-options"), **_prompt(agent_prompt)}
    specs = expand_agents(agent)
    named = [parse_agent(spec) for spec in specs]
    agents = [load_agent(name, {**further, **options}) for name, options in named]
    judge = make_judge(
        kind,  # type: ignore[arg-type]
        grading=grading.value,
        allow_weaker=allow_weaker_isolation or all(name in _SCRIPTED for name, _ in named),
        similarity=similarity,
        workers=workers,
        pictures=out / FOLDER,
    )
    folders = [out / _folder_name(spec) for spec in specs]
    spending = Spending(Budget(budget_tokens, budget_cost), *spent_in(folders))
    seconds = parse_duration(time_limit, "--time-limit")
    limits = {
        "agent_concurrency": agent_concurrency,
        "collaborator_concurrency": simulator_concurrency,
        "grading_concurrency": grading_concurrency,
        "rendering_concurrency": rendering_concurrency,
        "call_seconds": parse_duration(call_time_limit, "--call-time-limit"),
        "turn_seconds": parse_duration(turn_time_limit, "--turn-time-limit"),
        "episode_seconds": parse_duration(episode_time_limit, "--episode-time-limit"),
    }
    started = time.monotonic()
    summaries = []
    progress = RunProgress(console, total=len(chosen) * repeats, quiet=as_json)
    for spec, player, folder in zip(specs, agents, folders, strict=True):
        left = None if seconds is None else max(0.001, seconds - (time.monotonic() - started))
        rollout = Rollout(
            env_id_of(kind),
            chosen,
            player,
            collaborator,
            judge,
            seed=seed,
            repeats=repeats,
            max_turns=max_turns,
            reward=reward or REWARDS[kind][0],  # type: ignore[arg-type]
            concurrency=concurrency,
            extra={"tasks": tasks, "split": split.value},
            limits=Limits(run_seconds=left, **limits),  # type: ignore[arg-type]
            spending=spending,
        )
        with progress.agent(spec) as shown:
            records = asyncio.run(rollout.run(folder, shown.episode, shown.found))
        summary = summarise(records.records.stream(), spec, records.stopped)
        atomic_write(folder / "summary.json", json.dumps(plain(summary.to_json()), indent=2) + "\n")
        summaries.append(summary)
    show_summaries(console, summaries, folders, as_json=as_json)
    if plot:
        path = plot_summaries(summaries, agents, chosen, out)
        if not as_json:
            console.print(f"plot: {path}", highlight=False, soft_wrap=True)
    if any(summary.stopped for summary in summaries):
        raise typer.Exit(STOPPED)
    if any(summary.failed and not summary.episodes for summary in summaries):
        raise typer.Exit(1)


def _prompt(path: Path | None) -> dict[str, Any]:
    return {} if path is None else {"prompt": str(path)}
