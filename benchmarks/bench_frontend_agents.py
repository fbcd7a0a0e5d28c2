"""Scripted page agents x measures, and how the reviser's page comes closer turn by turn.

Run ``python -m benchmarks.bench_frontend_agents [--pages N] [--measures layout,...] [--out FOLDER]``. Each episode is
played through the environment's own parts with the embedded collaborator over the bundled test pages and ``N``
procedural ones; every page of the reviser is scored, also those between. ``--out`` keeps the numbers and a plot.

A reviser that stops early keeps its last page, so each turn's mean is over the same tasks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from colbench.agents import load_agent
from colbench.dialogue import MAX_TURNS
from colbench.episode import Episode
from colbench.errors import ColBenchError
from colbench.frontend.judge import FrontendJudge
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity.registry import MEASURES
from colbench.rollout import play_episode
from colbench.seeding import derive_seed
from colbench.simulators import load_collaborator
from colbench.statistics import bootstrap_interval, paired_comparison
from colbench.tasks import TaskSet, load_tasks
from colbench.tasks.schema import FrontendTask

AGENTS = ("oracle", "reviser", "draft", "blank")
Curves = dict[str, dict[str, NDArray[np.float64]]]


def usable_judges(names: Sequence[str]) -> dict[str, FrontendJudge]:
    """A judge per measure that works here; the others are named with what they lack."""
    judges = {}
    for name in names:
        try:
            judges[name] = FrontendJudge(name)
        except ColBenchError as problem:
            print(f"{name}: left out: {str(problem).splitlines()[0][:160]}", file=sys.stderr)
    return judges


async def pages_of(agent_name: str, tasks: TaskSet, judge: FrontendJudge, at_once: int) -> list[list[RenderedPage]]:
    """The pages that an agent showed, per task and turn."""
    agent, collaborator = load_agent(agent_name), load_collaborator("embedded")
    gate = asyncio.Semaphore(at_once)

    async def one(task: FrontendTask) -> list[RenderedPage]:
        seed = derive_seed(0, task.task_id, 0)
        episode = Episode(task, seed=seed, collaborator=collaborator, judge=judge, reward="similarity")
        async with gate:
            await play_episode(episode, agent, "ColBench-Frontend-v0")
        if episode.failure is not None:
            raise SystemExit(f"{agent_name} on {task.task_id}: {episode.failure.type}: {episode.failure.message}")
        return list(episode.pages)

    return await asyncio.gather(*(one(task) for task in tasks if isinstance(task, FrontendTask)))


def curves_of(pages: list[list[RenderedPage]], tasks: TaskSet, judge: FrontendJudge) -> NDArray[np.float64]:
    """Scores (tasks, turns); after an agent has answered its last score is carried on."""
    out = np.zeros((len(pages), MAX_TURNS))
    for row, (shown, task) in enumerate(zip(pages, tasks, strict=True)):
        assert isinstance(task, FrontendTask)
        scores = judge.score_pages(task, shown)
        out[row, : len(scores)] = scores
        out[row, len(scores) :] = scores[-1] if scores else 0.0
    return out


def measure(agents: Sequence[str], tasks: TaskSet, judges: dict[str, FrontendJudge], at_once: int = 8) -> Curves:
    """Scores per agent and measure, each (tasks, turns); the collaborator sees the same pages for every measure."""
    curves: Curves = {}
    first = next(iter(judges.values()))
    for agent in agents:
        pages = asyncio.run(pages_of(agent, tasks, first, at_once))
        curves[agent] = {name: curves_of(pages, tasks, judge) for name, judge in judges.items()}
    return curves


def print_table(title: str, curves: Curves) -> None:
    """One row per agent: mean score with a 95% interval in each measure."""
    measures = list(next(iter(curves.values())))
    count = len(next(iter(curves.values()))[measures[0]])
    print(f"\n{title}, {count} pages: similarity of the answer, mean [95%]")
    print(f"  {'agent':<9}" + "".join(f"{name:>25}" for name in measures))
    for agent, by_measure in curves.items():
        cells = (str(bootstrap_interval(by_measure[name][:, -1])) for name in measures)
        print(f"  {agent:<9}" + "".join(f"{cell:>25}" for cell in cells))
    if not {"reviser", "draft"} <= set(curves):
        return
    for name in measures:
        turns = curves["reviser"][name].mean(axis=0)
        comparison = paired_comparison(curves["draft"][name][:, -1], curves["reviser"][name][:, -1])
        print(f"  {name}: reviser by turn  " + " ".join(f"{value:.3f}" for value in turns))
        rising = "rises in every turn" if (np.diff(turns) > 0).all() else "does not rise in every turn"
        print(f"  {name}: reviser {rising}; minus draft {comparison.difference}, p = {comparison.p_value:.2g}")


def plot(curves: dict[str, Curves], path: Path) -> None:
    """Mean similarity of the reviser's page by turn, one line per measure and set, with 95% bands."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 5.5), layout="constrained")
    turns = np.arange(1, MAX_TURNS + 1)
    for title, by_agent in curves.items():
        for name, scores in by_agent["reviser"].items():
            bands = [bootstrap_interval(scores[:, turn]) for turn in range(MAX_TURNS)]
            (line,) = axes.plot(turns, [b.estimate for b in bands], "o-", label=f"reviser, {title}, {name}")
            axes.fill_between(
                turns, [b.low for b in bands], [b.high for b in bands], alpha=0.15, color=line.get_color()
            )
            level = by_agent["draft"][name][:, -1].mean()
            axes.axhline(level, linestyle=":", color=line.get_color(), linewidth=1, label=f"draft, {title}, {name}")
    axes.set_xlabel("turn")
    axes.set_ylabel("similarity to the reference (95% band)")
    axes.set_ylim(0, 1)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    figure.savefig(path, dpi=144)
    plt.close(figure)


def main() -> None:
    """Measure, print, and keep the numbers where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--pages", type=int, default=40, help="procedural pages (0: none)")
    parser.add_argument("--measures", default=",".join(MEASURES), help="measures, separated by commas")
    parser.add_argument("--out", type=Path, help="folder for agents.json and reviser.png")
    options = parser.parse_args()
    judges = usable_judges(options.measures.split(","))
    if not judges:
        raise SystemExit("no measure works here; run: colbench assets install, and see docs/similarity.md")
    sets = {"bundled test": load_tasks("bundled", kind="frontend", split="test")}
    if options.pages:
        sets["procedural test"] = load_tasks(f"procedural:n={options.pages}", kind="frontend", split="test")
    results: dict[str, Curves] = {}
    for title, tasks in sets.items():
        began = time.perf_counter()
        results[title] = measure(AGENTS, tasks, judges)
        print_table(title, results[title])
        print(f"  ({time.perf_counter() - began:.0f} s)")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        numbers = {
            title: {agent: {name: c.round(4).tolist() for name, c in m.items()} for agent, m in curves.items()}
            for title, curves in results.items()
        }
        (options.out / "agents.json").write_text(json.dumps(numbers))
        plot(results, options.out / "reviser.png")
        print(f"\nwritten: {options.out / 'agents.json'}, {options.out / 'reviser.png'}")


if __name__ == "__main__":
    main()
