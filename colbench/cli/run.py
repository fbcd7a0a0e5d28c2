"""``colbench run``: agents on tasks, with a progress bar, resumable records and a summary with intervals."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colbench.agents.base import BaseAgent
from colbench.cli.progress import RunProgress
from colbench.cli.setup import EnvName, Grading, Split, choose_tasks, env_id_of, make_judge, parse_options
from colbench.errors import ConfigurationError
from colbench.jsonl import atomic_write
from colbench.summary import Summary, summarise
from colbench.tasks.taskset import TaskSet

__all__ = ["expand_agents", "run", "summary_table"]


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


def _folder_name(spec: str) -> str:
    return re.sub(r"[^A-Za-z0-9._=-]+", "_", spec).strip("_") or "agent"


def summary_table(summaries: list[Summary]) -> Table:
    """Agents by success, calls passed (or similarity), questions and failures; fits 80 columns."""
    table = Table(header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("agent", overflow="fold")
    with_success = any(s.success is not None for s in summaries)
    if with_success:
        table.add_column("success", justify="right", no_wrap=True)
    table.add_column(summaries[0].measure if summaries else "score", justify="right", no_wrap=True)
    table.add_column("questions", justify="right", no_wrap=True)
    table.add_column("failed", justify="right")
    for s in summaries:
        cells = [escape(s.agent) + ("*" if s.sees_reference else "")]
        if with_success:
            cells.append(escape(s.success.percent()) if s.success else "-")
            cells.append(f"{100 * s.score.estimate:.1f}%")
        else:
            cells.append(escape(str(s.score)))
        cells.append(f"{s.questions:.1f}")
        cells.append(", ".join(f"{n} {boundary}" for boundary, n in s.failed.items()) or "0")
        table.add_row(*cells)
    return table


def _caption(summaries: list[Summary]) -> str:
    counts = sorted({s.episodes for s in summaries})
    episodes = f"{counts[0]} episodes each" if len(counts) == 1 else f"{counts[0]}-{counts[-1]} episodes"
    facts = [episodes, "95% intervals in brackets"]
    for name in ("grading", "isolation"):
        values = sorted({getattr(s, name) for s in summaries} - {None})
        if values:
            facts.append(f"{name} {', '.join(values)}")
    if any(s.sees_reference for s in summaries):
        facts.append("* is shown the reference")
    return "; ".join(facts)


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
    simulator: Annotated[str, typer.Option(help="Collaborator: embedded, human, or module:Class.")] = "embedded",
    simulator_options: Annotated[str | None, typer.Option(help="JSON object or file with its options.")] = None,
    agent_options: Annotated[str | None, typer.Option(help="JSON object or file with options of the agents.")] = None,
    grading: Annotated[Grading, typer.Option(help="Grading mode of the backend.")] = Grading.strict,
    similarity: Annotated[str | None, typer.Option(help="Similarity measure of the frontend.")] = None,
    reward: Annotated[str | None, typer.Option(help="success or pass_rate (backend), similarity (frontend).")] = None,
    max_turns: Annotated[int, typer.Option(help="Agent messages per episode.")] = 10,
    repeats: Annotated[int, typer.Option(help="Episodes per task.")] = 1,
    seed: Annotated[int, typer.Option(help="Fixes every episode, together with task and repeat.")] = 0,
    concurrency: Annotated[int, typer.Option(help="Episodes in progress at once; changes no result.")] = 16,
    workers: Annotated[int | None, typer.Option(help="Sandbox or browser workers; default one per core.")] = None,
    allow_weaker_isolation: Annotated[
        bool, typer.Option(help="Run answers although the sandbox is below full isolation.")
    ] = False,
    plot: Annotated[bool, typer.Option(help="Draw success against questions asked (extra 'report').")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of a table.")] = False,
) -> None:
    """Run agents on tasks, grade every answer, and print success with intervals.

    Example: colbench run -a oracle -a impatient -a "interviewer?topics=0..4" --tasks procedural:n=200 --out runs/demo
    """
    from colbench.agents import load_agent, parse_agent
    from colbench.frontend.picture_store import FOLDER
    from colbench.rollout import Rollout
    from colbench.simulators import load_collaborator

    console = Console()
    kind = env.value
    chosen = choose_tasks(tasks, kind, split.value, limit)  # type: ignore[arg-type]
    collaborator = load_collaborator(simulator, parse_options(simulator_options, "--simulator-options"))
    further = parse_options(agent_options, "--agent-options")
    specs = expand_agents(agent)
    agents = []
    for spec in specs:
        name, options = parse_agent(spec)
        agents.append(load_agent(name, {**further, **options}))
    built_in = all(":" not in parse_agent(spec)[0] for spec in specs)
    judge = make_judge(
        kind,  # type: ignore[arg-type]
        grading=grading.value,
        # What our own scripted agents write is known; anybody else's answers need the flag.
        allow_weaker=allow_weaker_isolation or built_in,
        similarity=similarity,
        workers=workers,
        pictures=out / FOLDER,
    )
    summaries = []
    progress = RunProgress(console, total=len(chosen) * repeats, quiet=as_json)
    for spec, player in zip(specs, agents, strict=True):
        rollout = Rollout(
            env_id_of(kind),
            chosen,
            player,
            collaborator,
            judge,
            seed=seed,
            repeats=repeats,
            max_turns=max_turns,
            reward=reward or ("success" if kind == "backend" else "similarity"),  # type: ignore[arg-type]
            concurrency=concurrency,
            extra={"tasks": tasks, "split": split.value},
        )
        folder = out / _folder_name(spec)
        with progress.agent(spec) as on_episode:
            records = asyncio.run(rollout.run(folder, on_episode))
        summary = summarise(records.values(), spec)
        atomic_write(folder / "summary.json", json.dumps(_plain(summary.to_json()), indent=2) + "\n")
        summaries.append(summary)
    _report(console, summaries, out, chosen, agents, plot=plot, as_json=as_json)


def _report(
    console: Console,
    summaries: list[Summary],
    out: Path,
    chosen: TaskSet,
    agents: Sequence[BaseAgent],
    *,
    plot: bool,
    as_json: bool,
) -> None:
    if as_json:
        typer.echo(json.dumps([_plain(s.to_json()) for s in summaries], indent=2))
    else:
        console.print(summary_table(summaries))
        console.print(_caption(summaries), highlight=False, markup=False, soft_wrap=True)
        weak = sorted({s.isolation for s in summaries if s.isolation not in (None, "full")})
        if weak:
            console.print(f"isolation was only {', '.join(weak)}: run 'colbench doctor' to see what is missing")
        if any(s.failed for s in summaries):
            console.print("failed episodes are left out of the means; the same command runs them again")
        console.print(f"trajectories: {out}/<agent>/trajectories.jsonl", highlight=False, soft_wrap=True)
    if plot:
        from colbench.plots import QuestionsPoint, plot_questions

        points = [QuestionsPoint(s, _exact(a, chosen)) for s, a in zip(summaries, agents, strict=True)]
        path = plot_questions(points, out / "questions.png", title=f"{chosen.name}, {len(chosen)} tasks")
        if not as_json:
            console.print(f"plot: {path}", highlight=False, soft_wrap=True)


def _exact(agent: BaseAgent, tasks: TaskSet) -> float | None:
    """Mean exact value over the tasks, for an agent whose policy is known on tasks whose decisions are known."""
    policy = getattr(agent, "policy", None)
    if policy is None or not all(t.procedural is not None and t.procedural.passing for t in tasks):
        return None
    from colbench.credit import exact_value

    return fmean(exact_value(task, policy) for task in tasks)


def _plain(value: Any) -> Any:
    """NaN is not JSON; an interval of nothing becomes null."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, float) and value != value:
        return None
    return value
