"""``python -m leaderboard ...``: from a run to a page that anybody can check."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colbench.errors import ColBenchError, ConfigurationError
from colbench.jsonl import atomic_write
from leaderboard.findings import Findings

__all__ = ["app", "main"]

REFUSED = 1
"""Exit code of a submission that is refused; 2 tells of an error of use, 4 of flags that nobody has accepted."""
FLAGGED = 4
_COLOURS = {"error": "red", "flag": "magenta", "warning": "yellow"}

app = typer.Typer(
    name="leaderboard",
    help="Submissions that anyone can check: make, verify and publish them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

_Submission = Annotated[Path, typer.Argument(help="Folder with submission.yaml and trajectories.jsonl.")]
_BoardName = Annotated[str | None, typer.Option("--board", help="Board's name or file; default: the submission's.")]
_Boards = Annotated[Path, typer.Option(help="Folder with the files of boards, beside those of the package.")]
_Entries = Annotated[Path, typer.Option(help="The store of entries.")]
_Tasks = Annotated[str | None, typer.Option(help="Source of the tasks of a sealed board.")]
_Weaker = Annotated[bool, typer.Option(help="Run answers although the sandbox is below full isolation.")]
_Workers = Annotated[int | None, typer.Option(help="Sandboxes or browsers; default one per core.")]
_Accept = Annotated[list[str] | None, typer.Option(help="Code of a flag that you have looked at; repeatable.")]
_Json = Annotated[bool, typer.Option("--json", help="Print findings as JSON lines.")]


def _board(name: str | None, boards: Path, tasks: str | None, folder: Path | None = None) -> Any:
    from leaderboard.board import load_board
    from leaderboard.submission import read_submission

    if name is None and tasks is None:
        return None
    if name is None and folder is not None:
        submission = read_submission(folder, Findings())
        name = submission.board if submission is not None else None
    if name is None:
        raise ConfigurationError("give the board with --board")
    return load_board(name, boards, tasks)


def _print_findings(console: Console, findings: Findings, as_json: bool) -> None:
    if as_json:
        for finding in findings:
            print(json.dumps(finding.to_json()))
        return
    for finding in findings:
        colour = _COLOURS[finding.level]
        place = f"{finding.file}:{finding.line}" if finding.line is not None else finding.file
        text = f"{escape(place)}: [{colour}]{finding.level}[/] {escape(f'[{finding.code}] {finding.message}')}"
        console.print(text, highlight=False, soft_wrap=True)
    more = sum(findings.counts.values()) - len(findings.kept)
    if more:
        console.print(f"... and {more} more of the same kinds", highlight=False)


@app.command()
def new(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    out: Annotated[Path, typer.Argument(help="New folder for the submission.")],
    board: Annotated[str, typer.Option(help="Board's name or file.")],
    name: Annotated[str | None, typer.Option(help="Name of the agent.")] = None,
    model: Annotated[str | None, typer.Option(help="Model behind it.")] = None,
    parameters: Annotated[str | None, typer.Option(help="Size of the model.")] = None,
    authors: Annotated[str | None, typer.Option(help="Authors, separated by commas.")] = None,
    link: Annotated[str | None, typer.Option(help="Paper or code.")] = None,
    licence: Annotated[str | None, typer.Option(help="Licence of the dialogues.")] = None,
    custom: Annotated[str | None, typer.Option(help="What differs from the board's way of playing, and why.")] = None,
    notes: Annotated[str | None, typer.Option(help="Anything else.")] = None,
    missing_as_zero: Annotated[bool, typer.Option(help="Episodes that are missing count as 0.")] = False,
    boards: _Boards = Path("boards"),
    tasks: _Tasks = None,
) -> None:
    """Make a submission from a run, asking only for what the run does not tell."""
    from leaderboard.board import load_board
    from leaderboard.creating import create_submission

    given = {
        **{"name": name, "model": model, "parameters": parameters, "authors": authors, "link": link},
        **{"licence": licence, "custom": custom, "notes": notes, "missing_as_zero": missing_as_zero or None},
    }
    ask = (lambda _, question: str(typer.prompt(question))) if sys.stdin.isatty() else None
    submission = create_submission(run, out, load_board(board, boards, tasks), given, ask)
    Console().print(f"{escape(submission.name)}: {escape(str(out))}", highlight=False, soft_wrap=True)


@app.command()
def validate(
    submission: _Submission,
    board: _BoardName = None,
    boards: _Boards = Path("boards"),
    tasks: _Tasks = None,
    as_json: _Json = False,
) -> None:
    """Check format, coverage, protocol and leaks; nothing is run."""
    from leaderboard.validate import validate as check

    console = Console()
    found = check(submission, _board(board, boards, tasks, submission), boards)
    _print_findings(console, found.findings, as_json)
    if found.findings.refused:
        raise typer.Exit(REFUSED)
    if not as_json:
        console.print(f"valid: {len(found.lines)} episodes for board {found.board.name}", highlight=False)


@app.command()
def verify(
    submission: _Submission,
    board: _BoardName = None,
    boards: _Boards = Path("boards"),
    tasks: _Tasks = None,
    accept: _Accept = None,
    allow_weaker_isolation: _Weaker = False,
    workers: _Workers = None,
    as_json: _Json = False,
) -> None:
    """Validate, grade everything again, and compare with what was claimed."""
    from leaderboard.verify import verify as check

    console = Console(stderr=as_json)
    with console.status("grading") as status:
        found = asyncio.run(
            check(
                submission,
                _board(board, boards, tasks, submission),
                boards=boards,
                allow_weaker=allow_weaker_isolation,
                workers=workers,
                on_episode=lambda n: status.update(f"graded {n}"),
            )
        )
    _report(console, found, as_json)
    if not found.verified:
        raise typer.Exit(REFUSED)
    if set(found.findings.codes("flag")) - set(accept or ()):
        raise typer.Exit(FLAGGED)


def _report(console: Console, found: Any, as_json: bool) -> None:
    _print_findings(console, found.findings, as_json)
    if not found.rows:
        console.print("refused; nothing was graded", style="red")
        return
    rows = found.rows
    passed = [row.success for row in rows if row.success is not None]
    facts = [f"{len(rows)} episodes"]
    if passed:
        facts.append(f"success {sum(passed) / len(passed):.3f}")
    facts.append(f"score {sum(row.score for row in rows) / len(rows):.3f}")
    facts.append(f"{found.raised} claims above our grade, {found.lowered} below")
    if found.replayed:
        facts.append(f"{found.replayed} replies asked for again")
    verdict = "[green]verified[/]" if found.verified else "[red]refused[/]"
    flags = found.findings.codes("flag")
    if flags and found.verified:
        verdict += f", [magenta]flagged ({escape(', '.join(flags))})[/]"
    console.print(f"{verdict}: {'; '.join(facts)}", highlight=False, soft_wrap=True)


@app.command()
def add(
    submission: _Submission,
    entries: _Entries = Path("entries"),
    board: _BoardName = None,
    boards: _Boards = Path("boards"),
    tasks: _Tasks = None,
    accept: _Accept = None,
    allow_weaker_isolation: _Weaker = False,
    workers: _Workers = None,
) -> None:
    """Verify a submission and put it into the store; what is refused or flagged stays out."""
    from leaderboard.entries import verify_and_add

    console = Console()
    with console.status("grading") as status:
        found, entry = asyncio.run(
            verify_and_add(
                submission,
                entries,
                _board(board, boards, tasks, submission),
                accepted=accept or (),
                boards=boards,
                allow_weaker=allow_weaker_isolation,
                workers=workers,
                on_episode=lambda n: status.update(f"graded {n}"),
            )
        )
    _report(console, found, False)
    if entry is None:
        raise typer.Exit(REFUSED)
    console.print(f"added: {escape(str(entry.folder))}", highlight=False, soft_wrap=True)


@app.command()
def run(
    agent: Annotated[Path, typer.Argument(help="agent.yaml: agent, options, and what a submission says.")],
    entries: _Entries = Path("entries"),
    work: Annotated[Path, typer.Option(help="Folder of the run; the same command continues it.")] = Path("runs/board"),
    board: _BoardName = None,
    boards: _Boards = Path("boards"),
    tasks: _Tasks = None,
    accept: _Accept = None,
    allow_weaker_isolation: _Weaker = False,
    workers: _Workers = None,
) -> None:
    """Run an agent on the board's tasks and collaborator, grade it, and add it as run by the maintainers.

    The agent's code runs here, outside any sandbox: run only what you have read, in a machine you can lose.
    """
    from leaderboard.entries import verify_and_add
    from leaderboard.running import play_agent

    console = Console()
    count = 0
    with console.status("playing") as status:

        def played(_: Any) -> None:
            nonlocal count
            count += 1
            status.update(f"played {count}")

        options: dict[str, Any] = {"allow_weaker": allow_weaker_isolation, "workers": workers}
        folder, chosen = asyncio.run(
            play_agent(agent, work, boards=boards, board_name=board, tasks=tasks, on_episode=played, **options)
        )
        found, entry = asyncio.run(
            verify_and_add(
                folder,
                entries,
                chosen,
                tier="maintainers",
                accepted=accept or (),
                on_episode=lambda n: status.update(f"graded {n}"),
                **options,
            )
        )
    _report(console, found, False)
    if entry is None:
        raise typer.Exit(REFUSED)
    console.print(f"added: {escape(str(entry.folder))}", highlight=False, soft_wrap=True)


@app.command()
def build(
    out: Annotated[Path, typer.Option(help="Folder of the site; its files are replaced.")] = Path("site"),
    entries: _Entries = Path("entries"),
    boards: _Boards = Path("boards"),
) -> None:
    """Build the static site from the store; it opens from the file system too."""
    from leaderboard.web.build import build_site

    pages = build_site(entries, out, boards)
    Console().print(f"{pages} entries: {escape(str(out / 'index.html'))}", highlight=False, soft_wrap=True)


@app.command()
def compare(
    a: Annotated[str, typer.Argument(help="Entry: its folder's name, BOARD/NAME, or the folder.")],
    b: Annotated[str, typer.Argument(help="The other entry.")],
    entries: _Entries = Path("entries"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two entries of one board, task by task."""
    from leaderboard.comparing import compare_entries
    from leaderboard.entries import find_entry

    found = compare_entries(find_entry(entries, a), find_entry(entries, b))
    if as_json:
        print(json.dumps(found.to_json(), indent=2))
        return
    console = Console()
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("", found.first, found.second, "difference [95%]", "p", "better", "worse"):
        table.add_column(escape(column), overflow="fold")
    for line in found.lines:
        c = line.paired
        table.add_row(
            line.what,
            f"{line.first:.3f}",
            f"{line.second:.3f}",
            escape(f"{c.difference.estimate:+.3f} [{c.difference.low:+.3f}, {c.difference.high:+.3f}]"),
            f"{c.p_value:.3g}",
            str(c.gained),
            str(c.lost),
        )
    console.print(table)
    if found.win_rate is not None:
        console.print(escape(f"win rate of {found.second}: {found.win_rate.percent()}"), highlight=False)
    console.print(f"{found.tasks} tasks; difference = second minus first", highlight=False)


@app.command()
def schema(
    out: Annotated[Path | None, typer.Option(help="File to write instead of printing.")] = None,
    trajectory: Annotated[bool, typer.Option(help="Of one line of trajectories.jsonl instead.")] = False,
) -> None:
    """The JSON Schema of submission.yaml."""
    from colbench.trajectory import Trajectory
    from leaderboard.submission import schema as submission_schema

    found = Trajectory.model_json_schema(by_alias=True) if trajectory else submission_schema()
    text = json.dumps(found, indent=2) + "\n"
    if out is None:
        print(text, end="")
    else:
        atomic_write(out, text)


@app.command()
def serve(
    site: Annotated[Path, typer.Argument(help="Folder of a built site.")] = Path("site"),
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.")] = 8000,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
) -> None:
    """Serve a built site on this machine."""
    from leaderboard.serving import server_of

    with server_of(site, host, port) as server:
        address = f"http://{host}:{server.server_address[1]}/"
        Console().print(f"{address} (Ctrl-C ends it)", highlight=False, soft_wrap=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


@app.command()
def boards(
    folder: Annotated[Path, typer.Option("--boards", help="Folder with the files of boards.")] = Path("boards"),
) -> None:
    """List the boards that are known here."""
    from leaderboard.board import built_in_boards, load_board

    known = built_in_boards()
    if folder.is_dir():
        known |= {path.stem: path for path in sorted(folder.glob("*.yaml"))}
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("board", "environment", "tasks", "collaborator", "grading"):
        table.add_column(column, overflow="fold")
    for path in known.values():
        file = load_board(path).file
        who = ", ".join(str(v) for v in file.collaborator.values())
        table.add_row(
            *map(escape, (file.name, file.env, f"{file.tasks}/{file.split}", who, file.similarity or file.grading))
        )
    Console().print(table)


def main() -> None:
    """Entry point; every error of ours becomes one message and exit code 2."""
    try:
        app()
    except ColBenchError as problem:
        Console(stderr=True).print(f"[bold red]error:[/] {escape(str(problem))}", highlight=False, soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        Console(stderr=True).print("interrupted", highlight=False)
        sys.exit(130)
