"""The snippets of README and docs run as they are printed.

Python blocks of one page run in order in one namespace, in an empty folder. A block that is followed by a ``text``
block must print exactly that. Lines of ``bash`` blocks that call ``colbench`` run as commands, in the same folder.
Blocks tagged ``no-run`` need what an offline machine does not have.
"""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)


def blocks(page):
    found = [(m[1], m[2].strip(), m[3], m.start()) for m in BLOCK.finditer(page.read_text())]
    for i, (language, tags, code, start) in enumerate(found):
        following = found[i + 1] if i + 1 < len(found) else None
        expected = following[2] if following and following[0] == "text" else None
        line = page.read_text()[:start].count("\n") + 1
        yield language, tags, code, expected, line


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_snippets_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "120")
    namespace = {"__name__": "docs"}
    for language, tags, code, expected, line in blocks(page):
        if "no-run" in tags:
            continue
        if language == "python":
            for name in re.findall(r"file=(\S+)", tags):
                Path(name).write_text(code)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(code, f"{page}:{line}", "exec"), namespace)
            if expected is not None:
                assert out.getvalue() == expected, f"{page.name}:{line}"
        elif language == "bash":
            run_commands(code, f"{page.name}:{line}")


def run_commands(code, where):
    from colbench.cli import app

    for command in code.replace("\\\n", " ").splitlines():
        words = shlex.split(command, comments=True)
        if words[:1] == ["colbench"]:
            result = CliRunner().invoke(app, words[1:], catch_exceptions=False)
            assert result.exit_code == 0, f"{where}: {command}\n{result.output}"


def test_every_page_is_linked():
    index = (ROOT / "docs" / "index.md").read_text()
    for page in PAGES:
        if page.name not in ("README.md", "index.md"):
            assert f"({page.name})" in index, f"docs/index.md does not link {page.name}"
    for page in PAGES:
        for target in re.findall(r"\]\((?!http|#|mailto)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links {target}, which does not exist"
