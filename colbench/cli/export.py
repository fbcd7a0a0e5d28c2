"""``colbench export`` and ``colbench import``: trajectories in the forms that other tools take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from colbench.cli.setup import EnvName
from colbench.errors import ConfigurationError

__all__ = ["export", "import_file"]


class Format(StrEnum):
    """What an export can be."""

    published = "published"
    messages = "messages"
    turns = "turns"
    preferences = "preferences"


def export(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs (of one agent each).")],
    out: Annotated[Path, typer.Option(help="JSONL to write.")],
    format: Annotated[Format, typer.Option(help="published embeds the task; the others hold no reference.")],
    tasks: Annotated[str | None, typer.Option(help="Where the tasks are, if not where the run says.")] = None,
    min_score: Annotated[float | None, typer.Option(help="Only episodes with at least this score.")] = None,
    min_gap: Annotated[float, typer.Option(help="Smallest difference of a preference pair.")] = 0.0,
    system: Annotated[Path | None, typer.Option(help="File with a system prompt to begin with.")] = None,
) -> None:
    """Write trajectories as the published format, chat messages, single turns, or preference pairs.

    Failed episodes are left out. Formats other than 'published' are what TRL and OpenRLHF read.
    """
    from colbench.jsonl import dump_line
    from colbench.records import Records

    prompt = None
    if system is not None:
        try:
            prompt = system.read_text(encoding="utf-8").strip("\n")
        except (OSError, UnicodeDecodeError) as problem:
            raise ConfigurationError(f"--system {system}: cannot be read ({problem})") from None
    records = [Records(run) for run in runs]
    failed = sum(sum(found.failures().values()) for found in records)
    rows = _rows(format, runs, records, tasks, min_score, min_gap, prompt)
    count = 0
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_name(out.name + ".partial")
    with partial.open("wb") as handle:
        for row in rows:
            handle.write(dump_line(row))
            count += 1
    os.replace(partial, out)
    note = f" ({failed} failed episodes left out)" if failed else ""
    Console().print(f"{count} rows{note}: {out}", highlight=False, markup=False, soft_wrap=True)


def _rows(
    format: Format,
    runs: list[Path],
    records: list[Any],
    tasks: str | None,
    min_score: float | None,
    min_gap: float,
    system: str | None,
) -> Iterator[dict[str, Any]]:
    from colbench.exchange import preference_pairs, to_messages, to_published, to_turns
    from colbench.run_tasks import check_tasks, task_of, tasks_of_run

    if format is Format.preferences:
        yield from preference_pairs(records, min_gap=min_gap, system=system)
        return
    for run, found in zip(runs, records, strict=True):
        chosen = None
        if format is Format.published:
            chosen = tasks_of_run(run, tasks)
            check_tasks(found, chosen)
        for trajectory in found.stream():
            if trajectory.status != "completed" or (min_score is not None and (trajectory.score or 0.0) < min_score):
                continue
            if chosen is not None:
                yield to_published(trajectory, task_of(trajectory, chosen))
            elif format is Format.messages:
                yield to_messages(trajectory, system)
            else:
                yield from to_turns(trajectory, system)


def import_file(
    file: Annotated[Path, typer.Argument(help="JSONL in the published trajectory format.")],
    out: Annotated[Path, typer.Option(help="Folder of the run to make.")],
    env: Annotated[EnvName, typer.Option(help="Which environment.")] = EnvName.backend,
) -> None:
    """Make a run of a file in the published format, so that report, regrade and export work on it."""
    from colbench.exchange import import_published

    done = import_published(file, out, kind=env.value)
    facts = [f"{done.episodes} episodes on {done.tasks} tasks"]
    if done.ungraded:
        facts.append(f"{done.ungraded} without a reward (colbench regrade grades them)")
    if done.without_task:
        facts.append(f"{done.without_task} without a reference, which cannot be graded again")
    Console().print(f"{'; '.join(facts)}: {done.out}", highlight=False, markup=False, soft_wrap=True)
