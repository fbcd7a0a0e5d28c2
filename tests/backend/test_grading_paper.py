"""The published scorer's verdicts, reproduced on every Python that is found on this machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from colbench.backend.grading import GradeJob, Grader
from colbench.errors import ColBenchError

CASES = [json.loads(line) for line in (Path(__file__).parent / "data/paper_verdicts.jsonl").read_text().splitlines()]


def interpreters() -> list[str]:
    """The running Python, and each other supported version that PATH or pyenv has."""
    found = {".".join(map(str, sys.version_info[:2])): sys.executable}
    for version in ("3.11", "3.12", "3.13"):
        candidates = [*sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]
        name = shutil.which(f"python{version}")
        if name:
            candidates.append(Path(name))
        for path in candidates:
            asked = subprocess.run([path, "-c", "import sys; print(sys.version[:4])"], capture_output=True, text=True)
            if asked.returncode == 0 and asked.stdout.strip() == version:
                found.setdefault(version, str(path))
    return [found[version] for version in sorted(found)]


def job(case: dict[str, Any]) -> GradeJob:
    return GradeJob(case["ground_truth"], case["test_cases"], case["answer"])


@pytest.fixture(scope="module", params=interpreters())
def grader(request: pytest.FixtureRequest):
    with Grader("paper", python=request.param, workers=2, allow_weaker=True) as grader:
        yield grader


def test_all_published_verdicts(grader: Grader) -> None:
    assert len(CASES) == 73
    results = list(grader.grade_many(job(case) for case in CASES))
    wrong = {
        case["case"]: (result.score, case["published_score"], result.outcomes)
        for case, result in zip(CASES, results, strict=True)
        if abs(result.score - case["published_score"]) > 1e-9
    }
    assert wrong == {}
    assert {result.grading for result in results} == {"paper"}


# Answers and calls whose scoping changed in Python 3.12; the right column is what 3.11 does.
SCOPING = [
    ("def f(n):\n    return n\nX = [f(n) for n in (1,)]\n", "f(1)", "NameError"),
    ("def f(n):\n    return n\nX = {f(n) for n in (1,)}\n", "f(1)", "NameError"),
    ("def f(n):\n    return n\nX = {n: f(n) for n in (1,)}\n", "f(1)", "NameError"),
    ("W = [1]\nX = [[w for w in W] for _ in W]\ndef f(n):\n    return n\n", "f(1)", "NameError"),
    ("W = [1]\nX = [w for w in [v for v in W]]\ndef f(n, x=X):\n    return x\n", "f(1)", [1]),
    ("W = [1]\ndef f(n, x=[w for w in W]):\n    return x\n", "f(1)", [1]),
    ("W = 1\ndef f(n, x=[W for _ in 'a']):\n    return x\n", "f(1)", "NameError"),
    ("W = 1\nclass C:\n    V = 2\n    x = [n for n in (V,)]\ndef f(n, c=C):\n    return c.x\n", "f(1)", [2]),
    ("W = 1\nclass C:\n    x = [W for _ in 'a']\ndef f(n, c=C):\n    return c.x\n", "f(1)", "NameError"),
    ("X = [y := n for n in (1, 2)]\ndef f(n):\n    return y\n", "f(1)", 2),
    ("def f(n):\n    W = 3\n    return [W for _ in 'ab']\n", "f(1)", [3, 3]),
    ("def f(n):\n    return {n: n}\n", "{k: f(k) for k in (1,)}", "NameError"),
    ("def f(n):\n    return [n]\n", "[x for x in f(4)]", [4]),
    ("def f(n):\n    return {n: 5}\n", "{k: v for k, v in f(4).items()}", {4: 5}),
    ("def f(n):\n    return {n}\n", "{x for x in f(4)}", {4}),
    ("def f(n):\n    return n\n", " \tf(4)", 4),
    ("type X = int\ndef f(n):\n    return n\n", "f(4)", "SyntaxError"),
    ("def f[T](n: T) -> T:\n    return n\n", "f(4)", "SyntaxError"),
]


@pytest.mark.parametrize(("source", "call", "expected"), SCOPING)
def test_scoping_of_python_3_11(grader: Grader, source: str, call: str, expected: Any) -> None:
    (got,) = grader.evaluate(source, [call])
    if isinstance(expected, str):
        assert (got.status, got.detail) == ("exception", expected)
    else:
        (wanted,) = grader.evaluate("", [repr(expected)])
        assert got.equal(wanted), got


def test_what_the_published_scorer_did_and_strict_does_not(grader: Grader) -> None:
    truth, calls = "def f(n):\n    return n / 10\n", {"a": "f(3)", "b": "f(1)"}
    # Names declared global outlive a call; the second call sees what the first left behind.
    keeps = (
        "def f(n):\n"
        "    global seen\n"
        "    try:\n"
        "        seen += 1\n"
        "    except NameError:\n"
        "        seen = 0\n"
        "    return seen\n"
    )
    assert [e.value.tree for e in grader.evaluate(keeps, ["f(0)", "f(0)"]) if e.value is not None] == [0, 1]
    nearly = grader.grade(ground_truth=truth, test_cases=calls, answer="def f(n):\n    return n * 0.1\n")
    assert [o.status for o in nearly.outcomes] == ["different", "equal"]
    banned = grader.grade(ground_truth=truth, test_cases=calls, answer="import os\n" + truth)
    assert (banned.score, banned.total) == (0.0, 2)
    assert {o.status for o in banned.outcomes} == {"not_run"}


def test_no_calls_are_an_error() -> None:
    with Grader("paper", allow_weaker=True) as grader, pytest.raises(ColBenchError, match="no calls"):
        grader.grade(ground_truth="def f(): pass", test_cases={"a": None}, answer="x")
