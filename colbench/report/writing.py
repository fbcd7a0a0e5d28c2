"""One report, written as JSON for programs, as Markdown for text, and as one HTML file for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colbench.errors import ConfigurationError
from colbench.jsonl import atomic_write, plain
from colbench.report.comparison import Comparison, compare
from colbench.report.figures import RunFigures, collect
from colbench.report.markdown import markdown
from colbench.report.tables import Table, comparison_table, figure_tables, number, percent, share
from colbench.tasks.taskset import TaskSet
from colbench.version import __version__

__all__ = ["FORMATS", "SCHEMA", "Report", "make_report"]

SCHEMA = "colbench.report/1"
FORMATS = ("md", "json", "html")


@dataclass(frozen=True)
class Report:
    """A run and, where one was given, a reference run.

    Attributes:
        run: its figures.
        reference: figures of the reference run.
        comparison: of the two.
    """

    run: RunFigures
    reference: RunFigures | None = None
    comparison: Comparison | None = None

    @property
    def title(self) -> str:
        """The runs by name."""
        return self.run.name if self.reference is None else f"{self.run.name} against {self.reference.name}"

    def to_json(self) -> dict[str, Any]:
        """JSON object, with null where there is nothing to average."""
        parts = {"run": self.run, "reference": self.reference, "comparison": self.comparison}
        found = {name: None if part is None else part.to_json() for name, part in parts.items()}
        return plain({"schema": SCHEMA, "version": __version__, **found})

    def facts(self) -> list[tuple[str, str]]:
        """What was run, in a few words each."""
        configuration = self.run.configuration
        facts = [
            ("environment", str(configuration.get("env_id", "?"))),
            ("tasks", str(configuration.get("task_set", "?"))),
            ("agent", _named(configuration.get("agent"))),
            ("collaborator", _named(configuration.get("collaborator"))),
        ]
        labels = {"grading": "grading", "isolation": "isolation", "colbench": "colbench", "python": "Python"}
        facts += [(label, ", ".join(self.run.facts[name])) for name, label in labels.items() if name in self.run.facts]
        return facts

    def warnings(self) -> list[str]:
        """What a reader must know before believing a number."""
        out = []
        configuration = self.run.configuration
        if configuration.get("agent", {}).get("sees_reference"):
            out.append("The agent was shown the reference; this is no result of an agent.")
        if self.run.failed:
            failed, every = len(self.run.failed), len(self.run.failed) + len(self.run.rows)
            out.append(f"{failed} of {every} episodes failed and are in no figure; run the same command again.")
        for name in ("grading", "measure", "isolation"):
            if len(self.run.facts.get(name, [])) > 1:
                out.append(f"The records were not all made under one {name}: {', '.join(self.run.facts[name])}.")
        if self.comparison is not None:
            other = [d for d in self.comparison.differences if not d.startswith("agent")]
            if other:
                out.append("The runs differ in more than the agent: " + "; ".join(other) + ".")
        if self.run.note:
            out.append(f"{self.run.note[0].upper()}{self.run.note[1:]}")
        return out

    def tables(self) -> list[Table]:
        """The comparison first, then the run."""
        tables = figure_tables(self.run)
        return tables if self.comparison is None else [comparison_table(self.comparison), *tables]

    def to_markdown(self) -> str:
        """The report as Markdown."""
        text = markdown(self.title, self.facts(), self.tables(), self.warnings())
        for name, tasks in self._lists():
            text += f"\n{name} ({len(tasks)}): {', '.join(tasks)}\n"
        return text

    def to_html(self) -> str:
        """The report as one HTML file that needs nothing else.

        Raises:
            MissingExtraError: without jinja2 or matplotlib.
        """
        from colbench.html.templating import render_template
        from colbench.report.plots import draw_pictures

        return render_template(
            "report.html",
            title=self.title,
            facts=self.facts(),
            warnings=self.warnings(),
            headlines=self._headlines(),
            pictures=draw_pictures(self.run, self.reference, self.comparison),
            tables=self.tables(),
            lists=self._lists(),
            configuration=json.dumps(self.run.configuration, indent=2, ensure_ascii=False),
        )

    def _headlines(self) -> list[tuple[str, str, str]]:
        run, found = self.run, []
        if run.success is not None:
            found.append(("success", *_split(percent(run.success))))
        found.append((run.measure, *_split(share(run, run.score))))
        found.append(("questions", *_split(number(run.questions, 1))))
        if self.comparison is not None:
            main = self.comparison.main
            p = "p < 0.001" if main.p_value < 0.001 else f"p = {main.p_value:.3f}"
            what, scale, digits = ("success", 100, 1) if self.comparison.success else ("score", 1, 3)
            change = f"{scale * main.difference.estimate:+.{digits}f}"
            found.append((f"{what} against {self.comparison.reference}", change, p))
            if self.comparison.win_rate is not None:
                found.append(("win rate", *_split(percent(self.comparison.win_rate))))
        found.append(("episodes", f"{len(run.rows):,}", f"{len(run.failed):,} failed"))
        return found

    def _lists(self) -> list[tuple[str, list[str]]]:
        if self.comparison is None:
            return []
        lists = [("tasks that got better", self.comparison.gained), ("tasks that got worse", self.comparison.lost)]
        return [(name, tasks) for name, tasks in lists if tasks]

    def write(self, out: str | Path, formats: Sequence[str] = FORMATS) -> list[Path]:
        """Write ``report.md``, ``report.json`` and ``report.html`` into a folder; returns what was written.

        Raises:
            ConfigurationError: for an unknown format.
            MissingExtraError: without the extra that HTML needs; what needs none is written before.
        """
        unknown = [name for name in formats if name not in FORMATS]
        if unknown:
            raise ConfigurationError(f"unknown format {unknown[0]!r}; give some of {', '.join(FORMATS)}")
        texts = {
            "json": lambda: json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n",
            "md": self.to_markdown,
            "html": self.to_html,
        }
        written = []
        for name, make in texts.items():
            if name in formats:
                path = Path(out) / f"report.{name}"
                # A lone surrogate in a message cannot be encoded; it is shown as a question mark.
                atomic_write(path, make().encode("utf-8", "replace"))
                written.append(path)
        return written


def make_report(run: str | Path, reference: str | Path | None = None, *, tasks: TaskSet | None = None) -> Report:
    """Read one or two runs and work everything out.

    Args:
        run: the run's folder.
        reference: folder of the run to compare it with.
        tasks: the run's tasks, where the run does not say where they are.

    Raises:
        ConfigurationError: when a folder is not a run's, or the runs cannot be compared.
    """
    names = _names(Path(run), Path(reference) if reference is not None else None)
    figures = collect(run, tasks=tasks, name=names[0])
    if reference is None:
        return Report(figures)
    other = collect(reference, name=names[1])
    return Report(figures, other, compare(figures, other))


def _names(run: Path, reference: Path | None) -> tuple[str, str]:
    """Short names that tell the runs apart."""
    first = run.resolve()
    second = reference.resolve() if reference is not None else first
    if first.name != second.name or first == second:
        return first.name, f"{second.name} (itself)" if first == second else second.name
    return f"{first.parent.name}/{first.name}", f"{second.parent.name}/{second.name}"


def _named(facts: Any) -> str:
    if not isinstance(facts, dict):
        return "?"
    shown = [str(facts.get("name", "?"))]
    shown += [f"{key} {facts[key]}" for key in ("model", "topics", "temperature") if facts.get(key) is not None]
    return ", ".join(shown)


def _split(text: str) -> tuple[str, str]:
    value, _, rest = text.partition(" [")
    return value, f"[{rest}" if rest else ""
