"""A report as Markdown, to be pasted into an issue or a paper's appendix."""

from __future__ import annotations

from collections.abc import Iterable

from colbench.report.tables import Table

__all__ = ["markdown"]


def markdown(title: str, facts: Iterable[tuple[str, str]], tables: Iterable[Table], warnings: Iterable[str]) -> str:
    """Title, facts, warnings and tables."""
    lines = [f"# {_text(title)}", ""]
    lines += [f"- {name}: {_text(value)}" for name, value in facts]
    for warning in warnings:
        lines += ["", f"> {_text(warning)}"]
    for table in tables:
        lines += ["", f"## {_text(table.title)}", "", _row(table.columns), _row("---" for _ in table.columns)]
        lines += [_row(row) for row in table.rows]
        if table.note:
            lines += ["", _text(table.note)]
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(_text(cell).replace("|", "\\|") for cell in cells) + " |"


def _text(value: str) -> str:
    # A message of an error may hold anything; it must stay one line, and no markup of its own.
    line = " ".join(value.split())
    return line.replace("<", "&lt;").replace("`", "'")
