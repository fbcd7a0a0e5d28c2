"""All figures of one run, with intervals; failed episodes are listed and left out of every mean."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from colbench.errors import ColBenchError, ConfigurationError
from colbench.records import Records
from colbench.report.episodes import EpisodeRow, FailedEpisode, row_of
from colbench.run_folder import config_hash, read_configuration
from colbench.run_tasks import check_tasks, tasks_of_run
from colbench.simulators.quality import QualityReport, quality
from colbench.statistics import Interval, bootstrap_interval, clustered_interval, pass_at_k, pass_hat_k
from colbench.tasks.taskset import TaskSet
from colbench.trajectory import Trajectory
from colbench.usage import Usage

__all__ = ["PassK", "RunFigures", "collect"]


@dataclass(frozen=True)
class PassK:
    """Chances over ``k`` episodes of a task, as the mean over the tasks that were played at least ``k`` times.

    Attributes:
        k: number of episodes.
        at: pass@k, the chance that at least one of them succeeds.
        hat: pass^k, the chance that all of them succeed.
    """

    k: int
    at: Interval
    hat: Interval


@dataclass(frozen=True)
class RunFigures:
    """Everything a report says about one run.

    Attributes:
        name: how it is called in the report.
        configuration: as in the run's folder.
        rows: completed episodes.
        failed: the others.
        outcomes: outcomes of calls, or states of the last page, by name.
        facts: what graded: ``measure``, ``grading``, ``isolation`` and versions, each with the values met.
        collaborator: how good the collaborator was.
        domains_known: whether the tasks could be found, so that domains are known.
        note: why not.
        usage: tokens and money of all records, failed and superseded ones included.
    """

    name: str
    configuration: dict[str, Any]
    rows: list[EpisodeRow]
    failed: list[FailedEpisode]
    outcomes: dict[str, int]
    facts: dict[str, list[str]]
    collaborator: QualityReport
    domains_known: bool
    note: str | None
    usage: Usage

    @property
    def measure(self) -> str:
        """What the score is."""
        return ", ".join(self.facts.get("measure", [])) or "calls passed"

    @property
    def graded(self) -> bool:
        """Whether episodes succeed or fail, as on the backend."""
        return any(row.success is not None for row in self.rows)

    @cached_property
    def tasks(self) -> dict[str, list[EpisodeRow]]:
        """Episodes by task."""
        found: dict[str, list[EpisodeRow]] = defaultdict(list)
        for row in self.rows:
            found[row.task_id].append(row)
        return dict(found)

    def mean(self, value: Callable[[EpisodeRow], float], rows: Sequence[EpisodeRow] | None = None) -> Interval:
        """Mean over tasks of a number per episode, or the share of episodes for a yes or no, with its interval."""
        rows = self.rows if rows is None else rows
        values = [value(r) for r in rows]
        proportion = bool(values) and all(isinstance(v, bool) for v in values)
        return clustered_interval([float(v) for v in values], [r.task_id for r in rows], proportion=proportion)

    @property
    def success(self) -> Interval | None:
        """Share of episodes with all calls passed; None for pages."""
        return self.mean(lambda r: bool(r.success)) if self.graded else None

    @property
    def score(self) -> Interval:
        """Mean fraction of calls passed, or mean similarity."""
        return self.mean(lambda r: r.score)

    @property
    def questions(self) -> Interval:
        """Mean number of turns the collaborator answered."""
        return self.mean(lambda r: r.questions)

    def pass_k(self) -> list[PassK]:
        """pass@k and pass^k for k = 1, 2, 4, ... and the largest k that every task was played for."""
        if not self.graded:
            return []
        counts = [(len(rows), sum(bool(r.success) for r in rows)) for rows in self.tasks.values()]
        most = max(n for n, _ in counts)
        common = min(n for n, _ in counts)
        powers = itertools.takewhile(lambda k: k <= most, (2**i for i in itertools.count()))
        out = []
        for k in sorted({*powers, common}):
            played = [(n, c) for n, c in counts if n >= k]
            out.append(
                PassK(
                    k,
                    bootstrap_interval([pass_at_k(n, c, k) for n, c in played]),
                    bootstrap_interval([pass_hat_k(n, c, k) for n, c in played]),
                )
            )
        return out

    def domains(self) -> list[tuple[str, list[EpisodeRow]]]:
        """Episodes by domain, in alphabetical order; empty where no task has one."""
        found: dict[str, list[EpisodeRow]] = defaultdict(list)
        for row in self.rows:
            found[row.domain].append(row)
        return [] if set(found) <= {""} else sorted(found.items())

    def by_questions(self) -> list[tuple[int, list[EpisodeRow]]]:
        """Episodes by number of questions asked."""
        found: dict[int, list[EpisodeRow]] = defaultdict(list)
        for row in self.rows:
            found[row.questions].append(row)
        return sorted(found.items())

    def spent(self) -> tuple[Usage, Usage]:
        """Tokens and money of agent and collaborator in the completed episodes."""
        return sum((r.agent for r in self.rows), Usage()), sum((r.collaborator for r in self.rows), Usage())

    def failures(self) -> dict[str, int]:
        """Failed episodes by boundary."""
        return dict(Counter(f.boundary for f in self.failed))

    def _group(self, rows: Sequence[EpisodeRow]) -> dict[str, Any]:
        return {
            "episodes": len(rows),
            "tasks": len({r.task_id for r in rows}),
            "success": asdict(self.mean(lambda r: bool(r.success), rows)) if self.graded else None,
            "score": asdict(self.mean(lambda r: r.score, rows)),
            "questions": asdict(self.mean(lambda r: r.questions, rows)),
        }

    def to_json(self) -> dict[str, Any]:
        """JSON object; NaN stands where there is nothing to average."""
        agent, collaborator = self.spent()
        played = [len(rows) for rows in self.tasks.values()]
        return {
            "name": self.name,
            "configuration": self.configuration,
            "config_hash": config_hash(self.configuration),
            "measure": self.measure,
            "facts": self.facts,
            **self._group(self.rows),
            "repeats": [min(played, default=0), max(played, default=0)],
            "turn_limit_share": asdict(self.mean(lambda r: r.by_limit)),
            "failed": self.failures(),
            "pass_k": [asdict(each) for each in self.pass_k()],
            "outcomes": self.outcomes,
            "usage": {"agent": asdict(agent), "collaborator": asdict(collaborator), "all_records": asdict(self.usage)},
            "tokens_per_episode": asdict(self.mean(lambda r: r.tokens)),
            "domains": [{"domain": name, **self._group(rows)} for name, rows in self.domains()],
            "by_questions": [{"number": n, **self._group(rows)} for n, rows in self.by_questions()],
            "collaborator": self.collaborator.to_json(),
            "failures": [asdict(each) for each in self.failed],
            "note": self.note,
        }


def collect(run: str | Path, *, tasks: TaskSet | None = None, name: str | None = None) -> RunFigures:
    """Read a run and work out its figures.

    Args:
        run: the run's folder.
        tasks: its tasks, for domains and for the faithfulness of the collaborator; by default those the run names,
            where they can be found.
        name: how it is called; the folder's name by default.

    Raises:
        ConfigurationError: when the folder is not a run's, or ``tasks`` were given and are not its tasks.
    """
    folder = Path(run)
    configuration = read_configuration(folder)
    records = Records(folder)
    note = None
    if tasks is not None:
        check_tasks(records, tasks)
    else:
        try:
            tasks = tasks_of_run(folder)
            check_tasks(records, tasks)
        except (ColBenchError, ImportError, OSError) as problem:
            tasks, note = None, f"without domains and faithfulness, since the tasks were not found: {problem}"
    domains = {task.task_id: task.domain for task in tasks} if tasks is not None else {}
    seen = _Seen(domains)
    report = quality(seen.watch(records.stream()), tasks)
    if not seen.rows and not seen.failed:
        raise ConfigurationError(f"{folder} holds no episode yet")
    return RunFigures(
        name=name or folder.resolve().name,
        configuration=configuration,
        rows=seen.rows,
        failed=seen.failed,
        outcomes=dict(seen.outcomes.most_common()),
        facts={name: sorted(values) for name, values in sorted(seen.facts.items())},
        collaborator=report,
        domains_known=tasks is not None,
        note=note,
        usage=records.spent,
    )


class _Seen:
    """What one pass over the records leaves."""

    def __init__(self, domains: dict[str, str]) -> None:
        self.rows: list[EpisodeRow] = []
        self.failed: list[FailedEpisode] = []
        self.outcomes: Counter[str] = Counter()
        self.facts: dict[str, set[str]] = defaultdict(set)
        self._domains = domains

    def watch(self, trajectories: Iterator[Trajectory]) -> Iterator[Trajectory]:
        for trajectory in trajectories:
            self._add(trajectory)
            yield trajectory

    def _add(self, t: Trajectory) -> None:
        if t.status != "completed":
            f = t.failure
            why = (f.boundary, f.type, f.message) if f is not None else ("unknown", "", "")
            self.failed.append(FailedEpisode(t.task_id, t.repeat, *why))
            return
        self.rows.append(row_of(t, self._domains))
        self.outcomes.update(str(outcome.get("status")) for outcome in t.outcomes or ())
        for fact in ("measure", "grading", "isolation"):
            if getattr(t, fact):
                self.facts[fact].add(str(getattr(t, fact)))
        for part in ("colbench", "python"):
            if part in t.versions:
                self.facts[part].add(t.versions[part])
