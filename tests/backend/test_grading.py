"""What the grader promises its callers: verdicts, order, laziness, caching, and errors that say what to do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from colbench.backend import grading
from colbench.backend.grading import GradeJob, Grader
from colbench.backend.outcomes import CallOutcome, GradeResult
from colbench.errors import ConfigurationError, SandboxError, TaskDataError

TRUTH = "def f(x):\n    return x * 2\n"
CALLS = {"test1": "f(1)", "case1": None, "test2": "f(2)", "test3": "f(3)"}


@pytest.fixture(scope="module")
def grader():
    with Grader(workers=2, allow_weaker=True) as grader:
        yield grader


def statuses(grader: Grader, answer: str, calls: dict[str, str | None] | None = None) -> list[str]:
    result = grader.grade(ground_truth=TRUTH, test_cases=calls or CALLS, answer=answer, entry_point="f")
    return [outcome.status for outcome in result.outcomes]


def test_a_result_holds_all_that_led_to_it(grader: Grader) -> None:
    answer = "def f(x):\n    if x == 2:\n        raise KeyError(x)\n    return x * 2.0 if x < 3 else -1\n"
    result = grader.grade(ground_truth=TRUTH, test_cases=CALLS, answer=answer)
    assert (result.score, result.passed, result.total, result.success) == (1 / 3, 1, 3, False)
    assert result.outcomes == (CallOutcome("equal"), CallOutcome("exception", "KeyError"), CallOutcome("different"))
    record = result.to_json()
    assert record["outcomes"][1] == {"status": "exception", "detail": "KeyError"}
    assert record["grading"] == "strict" and record["isolation"] == grader.isolation
    assert {"python", "worker"} <= record["versions"].keys()


KEEPING = """
seen = []
def f(x, kept=[]):
    seen.append(x)
    kept.append(x)
    return x * 2 * len(seen) * len(kept)
"""
PATCHING = """
import builtins, math
def f(x):
    fresh = len([0]) == 1 and math.pi > 3
    builtins.len = lambda _: 9
    math.pi = 0
    return x * 2 if fresh else -1
"""
PRECISE = """
import decimal
def f(x):
    fresh = decimal.getcontext().prec == 28
    decimal.getcontext().prec = 3
    return x * 2 if fresh else -1
"""


@pytest.mark.parametrize("answer", [KEEPING, PATCHING, PRECISE])
def test_every_call_starts_afresh(grader: Grader, answer: str) -> None:
    assert statuses(grader, answer) == ["equal"] * 3


def test_verdicts_do_not_depend_on_chance(grader: Grader) -> None:
    truth = "import random\ndef f(x):\n    return [random.random(), list({'a', 'b', 'c', 'd'})]\n"
    for _ in range(3):
        result = grader.grade(ground_truth=truth, test_cases={"a": "f(1)", "b": "f(1)"}, answer=truth)
        assert result.success
    one = grader.evaluate(truth, ["f(1)"])[0]
    assert one.equal(grader.evaluate(truth, ["f(1)"])[0])
    assert not one.equal(grader.evaluate(truth, ["f(1)"], random_seed=1)[0])
    order = "def f():\n    return list({'a', 'b', 'c', 'd', 'e', 'f'})\n"
    first, second = (grader.evaluate(order, ["f()"], hash_seed=seed)[0] for seed in (0, 1))
    assert not first.equal(second)


def test_evaluate_tells_values_apart(grader: Grader) -> None:
    source = "def f(x):\n    return x\n"
    none, one, failed = grader.evaluate(source, ["f(None)", "f({1: 'a'})", "f()"], "f")
    assert none.is_none and none.value is not None
    assert one.value is not None and one.value.text == "{1: 'a'}" and not one.is_none
    assert (failed.status, failed.detail, failed.value) == ("exception", "TypeError", None)
    with pytest.raises(TaskDataError, match="'g'"):
        grader.evaluate(source, ["f(1)"], "g")


def test_a_failing_demonstration_does_not_take_the_function_away(grader: Grader) -> None:
    demo = TRUTH + "n = 5\nprint(f(n))\nassert f(1) == 3\nf(1)[0]\n"
    assert statuses(grader, demo) == ["equal"] * 3
    assert statuses(grader, "raise ValueError\n" + TRUTH) == ["exception"] * 3
    assert statuses(grader, TRUTH + "raise SystemExit\n") == ["exception"] * 3


def test_a_body_that_never_ends_is_tried_once(grader: Grader) -> None:
    started = time.monotonic()
    assert statuses(grader, TRUTH + "while True:\n    pass\n") == ["timeout", "not_run", "not_run"]
    assert time.monotonic() - started < 9
    assert statuses(grader, TRUTH) == ["equal"] * 3


def test_a_sleeping_call_is_timed_out_and_a_quick_one_is_not(grader: Grader) -> None:
    sleeper = "import time\ndef f(x):\n    time.sleep(30 if x == 2 else 0.2)\n    return x * 2\n"
    assert statuses(grader, sleeper) == ["equal", "timeout", "equal"]


def test_a_reference_without_a_value_is_nobodys_equal(grader: Grader) -> None:
    truth = "def f(x):\n    if x == 1:\n        raise ValueError\n    return object() if x == 2 else None\n"
    result = grader.grade(ground_truth=truth, test_cases=CALLS, answer="def f(x):\n    return None\n")
    assert [o.status for o in result.outcomes] == ["different", "different", "equal"]
    assert "exception" in (result.outcomes[0].detail or "")


def test_many_in_order_and_no_further_ahead_than_said(grader: Grader) -> None:
    taken = 0

    def jobs() -> Iterator[GradeJob]:
        nonlocal taken
        for number in range(400):
            taken += 1
            delay = "__import__('time').sleep(0.3)" if number == 0 else "0"
            answer = f"def f(x):\n    {delay}\n    return x * 2 if x <= {number % 4} else None\n"
            yield GradeJob(TRUTH, CALLS, answer, "f")

    results = grader.grade_many(jobs())
    assert taken == 0
    assert next(results).passed == 0
    assert taken <= 64 * grader.workers + 1
    assert [result.passed for result in results] == [number % 4 for number in range(1, 400)]


def test_hanging_answers_overlap(grader: Grader) -> None:
    jobs = [GradeJob(TRUTH, {"a": "f(1)"}, "import time\ndef f(x):\n    time.sleep(60)\n") for _ in range(4)]
    started = time.monotonic()
    assert [result.outcomes[0].status for result in grader.grade_many(jobs)] == ["timeout"] * 4
    assert time.monotonic() - started < 3.5


async def test_agrade_leaves_the_loop_free(grader: Grader) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    slow = "import time\ndef f(x):\n    time.sleep(0.25)\n    return x * 2\n"
    results = await asyncio.gather(
        *(grader.agrade(ground_truth=TRUTH, test_cases={"a": "f(1)"}, answer=slow) for _ in range(8))
    )
    ticking.cancel()
    assert all(result.success for result in results)
    assert ticks >= 15


async def test_giving_up_on_one_does_not_cancel_the_others(grader: Grader) -> None:
    truth = "import time\ndef f(x):\n    time.sleep(0.4)\n    return 7\n"
    job = {"ground_truth": truth, "test_cases": {"a": "f(1)"}, "answer": "def f(x):\n    return 7\n"}
    first, second = (asyncio.create_task(grader.agrade(**job)) for _ in range(2))
    await asyncio.sleep(0.1)
    first.cancel()
    assert (await second).success


def test_references_run_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    submit = grading.Engine.submit

    def count(self, run):
        asked.append(run.key.role)
        return submit(self, run)

    monkeypatch.setattr(grading.Engine, "submit", count)
    jobs = [GradeJob(TRUTH, CALLS, TRUTH)] * 8
    with Grader(workers=1, allow_weaker=True, cache_dir=tmp_path / "kept") as one:
        assert all(result.success for result in one.grade_many(jobs))
    assert asked.count("reference") == 1
    files = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert len(files) == 1 and (files[0].stat().st_mode & 0o077) == 0
    with Grader(workers=1, allow_weaker=True, cache_dir=tmp_path / "kept") as two:
        assert two.grade(ground_truth=TRUTH, test_cases=CALLS, answer=TRUTH).success
    assert asked.count("reference") == 1
    files[0].write_bytes(files[0].read_bytes()[:-3])
    with Grader(workers=1, allow_weaker=True, cache_dir=tmp_path / "kept") as three:
        assert three.grade(ground_truth=TRUTH, test_cases=CALLS, answer=TRUTH).success
    assert asked.count("reference") == 2


def test_the_function_is_found_without_being_named(grader: Grader) -> None:
    truth = "def f(x):\n    return g(x) + 1\n\ndef g(x):\n    return x\n"
    prose = "Here you are.\n```python\ndef f(x):\n    return x + 1\n```\nTests:\n```python\nassert True\n```\n"
    assert grader.grade(ground_truth=truth, test_cases={"a": "f(1)"}, answer=prose).success


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grading": "loose"}, "'strict' or 'paper'"),
        ({"workers": 0}, "workers=0"),
        ({"call_seconds": 0}, "call_seconds=0"),
        ({"memory_mb": 1}, "memory_mb=1"),
        ({"isolation": "fort"}, "isolation='fort'"),
        ({"isolation": "weak"}, "allow_weaker=True"),
        ({"python": "no-such-python"}, "no-such-python"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Grader(**options)  # type: ignore[arg-type]


def test_a_closed_grader_says_so() -> None:
    grader = Grader(workers=1, allow_weaker=True)
    assert grader.grade(ground_truth=TRUTH, test_cases=CALLS, answer=TRUTH).success
    grader.close()
    grader.close()
    with pytest.raises(SandboxError, match="closed"):
        grader.grade(ground_truth=TRUTH, test_cases=CALLS, answer=TRUTH)


def test_an_outcome_is_one_of_the_known() -> None:
    with pytest.raises(ValueError, match="fine"):
        CallOutcome("fine")  # type: ignore[arg-type]
    assert len(CallOutcome("exception", "E" * 500).detail or "") == 120
    empty = GradeResult.from_outcomes((), grading="strict", isolation="full", versions={})
    assert (empty.score, empty.success) == (0.0, False)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"answer": None}, ConfigurationError, r"answer must be text \(''.*, actually: NoneType"),
        ({"answer": b"x"}, ConfigurationError, "actually: bytes"),
        ({"ground_truth": None}, TaskDataError, "ground_truth must be the source as text, actually: NoneType"),
        ({"test_cases": ["f(1)"]}, TaskDataError, "test_cases must map names to calls as text, actually: list"),
        ({"test_cases": {"a": 5}}, TaskDataError, "the call 'a' must be text, actually: int"),
        ({"test_cases": {"a": None}}, TaskDataError, "no calls"),
    ],
)
def test_arguments_of_the_wrong_type_are_named(change, error, message):
    given = {"ground_truth": "def f(x): return x", "test_cases": {"a": "f(1)"}, "answer": "def f(x): return x"}
    with Grader(workers=1, allow_weaker=True) as grader, pytest.raises(error, match=message):
        grader.grade(**{**given, **change})


def test_reference_results_of_a_task():
    with Grader(workers=1, allow_weaker=True) as grader:
        found = grader.reference_results("def f(x): return 1 // x", {"a": "f(1)", "gone": None, "b": "f(0)"})
    assert [(result.status, result.detail) for result in found] == [("value", None), ("exception", "ZeroDivisionError")]
