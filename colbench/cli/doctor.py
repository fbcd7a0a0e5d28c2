"""``colbench doctor``: what is installed, which isolation holds, what is missing and the command that mends it."""

from __future__ import annotations

import importlib.metadata
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colbench.errors import ColBenchError
from colbench.version import __version__

__all__ = ["Finding", "doctor", "examine"]

_EXTRAS = ("frontend", "clip", "report", "hub")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what.
        state: ``ok``, ``missing`` (a part cannot be used) or ``note`` (works, with less).
        detail: what was found.
        remedy: the command that mends it, or an empty string.
    """

    name: str
    state: Literal["ok", "missing", "note"]
    detail: str
    remedy: str = ""


def examine() -> Iterator[Finding]:
    """Look at everything that decides what this installation can do."""
    version = platform.python_version()
    good = (3, 11) <= tuple(int(p) for p in platform.python_version_tuple()[:2]) <= (3, 13)
    yield Finding("Python", "ok" if good else "note", version, "" if good else "use Python 3.11, 3.12 or 3.13")
    yield Finding("colbench", "ok", __version__)
    yield from _isolation()
    for extra in _EXTRAS:
        yield _extra(extra)
    yield from _frontend()


def _isolation() -> Iterator[Finding]:
    from colbench.backend.sandbox.probe import probe_isolation

    try:
        report = probe_isolation()
    except ColBenchError as problem:
        yield Finding("sandbox", "missing", str(problem), "apt-get install bubblewrap")
        return
    open_layers = [name for name, held in report.held.items() if not held]
    detail = f"isolation {report.level}" + (f"; not held: {', '.join(open_layers)}" if open_layers else "")
    detail += "".join(f"; {reason}" for reason in report.missing)
    yield Finding("sandbox", "ok" if report.level == "full" else "note", detail, report.remedy or "")


def _extra(name: str) -> Finding:
    wanted = []
    for line in importlib.metadata.requires("colbench") or []:
        requirement, _, marker = line.partition(";")
        if re.search(rf"extra\s*==\s*['\"]{name}['\"]", marker):
            wanted.append(re.split(r"[\s\[<>=!~(]", requirement.strip())[0])
    missing = [p for p in wanted if p != "colbench" and not _installed(p)]
    remedy = f"pip install 'colbench[{name}]'" if missing else ""
    have = "\n".join(f"{p} {importlib.metadata.version(p)}" for p in wanted if p != "colbench" and _installed(p))
    detail = f"not installed: {', '.join(missing)}" if missing else have
    return Finding(f"extra {name}", "missing" if missing else "ok", detail, remedy)


def _installed(distribution: str) -> bool:
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _frontend() -> Iterator[Finding]:
    from colbench.frontend.assets import ASSETS, INSTALL_COMMAND, has_asset
    from colbench.frontend.renderer.browser import find_browser

    try:
        yield Finding("browser", "ok", str(find_browser()))
    except ColBenchError as problem:
        yield Finding("browser", "missing", str(problem).splitlines()[0], "apt-get install chromium")
    absent = [name for name, asset in ASSETS.items() if not has_asset(name) and asset.sha256]
    detail = f"not in the cache: {', '.join(absent)}" if absent else "in the cache"
    yield Finding("page assets", "missing" if absent else "ok", detail, INSTALL_COMMAND if absent else "")


def doctor() -> None:
    """Say what is installed, which isolation this machine gives, and the commands that mend what is missing."""
    table = Table(header_style="bold")
    table.add_column("")
    table.add_column("what", no_wrap=True)
    table.add_column("found", overflow="fold")
    table.add_column("to mend it", overflow="fold")
    marks = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "missing": "[red]missing[/]"}
    findings = list(examine())
    for f in findings:
        table.add_row(marks[f.state], escape(f.name), escape(f.detail), escape(f.remedy))
    console = Console()
    console.print(table)
    if any(f.name == "sandbox" and f.state == "ok" for f in findings):
        console.print("The backend is ready at full isolation. Extras are needed only for what they are named for.")
