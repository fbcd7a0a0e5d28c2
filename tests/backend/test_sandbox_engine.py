"""The life of workers: nothing outlives its owner, and a broken sandbox is told from an answer that breaks it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from colbench.backend.grading import GradeJob, Grader, probe_isolation
from colbench.backend.sandbox import probe, workers
from colbench.errors import SandboxError

TRUTH = "def f(x):\n    return x * 2\n"
CALLS = {"a": "f(1)", "b": "f(2)", "c": "f(3)"}


def graded(grader: Grader, answer: str = TRUTH) -> list[str]:
    result = grader.grade(ground_truth=TRUTH, test_cases=CALLS, answer=answer)
    return [outcome.status for outcome in result.outcomes]


def gone(pids: list[int], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        alive = [pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE]
        if not alive:
            return True
        time.sleep(0.05)
    return False


def below(pid: int | None = None) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


def test_close_leaves_no_process_and_no_descriptor() -> None:
    probe_isolation()
    before, descriptors = set(below()), len(os.listdir("/proc/self/fd"))
    for _ in range(2):
        with Grader(workers=2, allow_weaker=True) as grader:
            assert graded(grader) == ["equal"] * 3
            assert set(below()) - before
        assert gone(list(set(below()) - before))
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_no_candidate_survives_its_verdict() -> None:
    with Grader(workers=1, allow_weaker=True, call_seconds=0.3) as grader:
        graded(grader)
        resting = len(below())
        for answer in ("import os\ndef f(x):\n    os._exit(0)\n", "def f(x):\n    while True: pass\n", TRUTH):
            graded(grader, answer)
        end = time.monotonic() + 5
        while len(below()) > resting and time.monotonic() < end:
            time.sleep(0.02)
        assert len(below()) <= resting
        assert all(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in below())


SCRIPT = """
import sys, time
from colbench.backend.grading import Grader
grader = Grader(workers=1, allow_weaker=True)
assert grader.grade(ground_truth={truth!r}, test_cases={{"a": "f(1)"}}, answer={truth!r}).success
import psutil
print(*(child.pid for child in psutil.Process().children(recursive=True)), flush=True)
{end}
"""


@pytest.mark.parametrize("end", ["raise RuntimeError('on purpose')", "sys.exit(3)", "time.sleep(60)"])
def test_nothing_outlives_the_process(end: str) -> None:
    script = SCRIPT.format(truth=TRUTH, end=end)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        pids = [int(word) for word in process.stdout.readline().split()]
        assert pids
        if "sleep" in end:
            process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
    assert gone(pids)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_copy_has_workers_of_its_own() -> None:
    with Grader(workers=1, allow_weaker=True) as grader:
        graded(grader)
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = 0 if graded(grader) == ["equal"] * 3 else 2
                grader.close()
            finally:
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert graded(grader) == ["equal"] * 3


async def test_it_can_be_made_and_used_inside_a_running_loop() -> None:
    with Grader(workers=1, allow_weaker=True) as grader:
        result = await grader.agrade(ground_truth=TRUTH, test_cases=CALLS, answer=TRUTH)
        assert result.success
        assert graded(grader) == ["equal"] * 3
        await asyncio.sleep(0)


def test_killed_workers_are_replaced() -> None:
    with Grader(workers=2, allow_weaker=True) as grader:
        graded(grader)
        slow = "import time\ndef f(x):\n    time.sleep(0.3)\n    return x * 2\n"
        futures = [grader._start(GradeJob(TRUTH, CALLS, slow)) for _ in range(4)]
        time.sleep(0.2)
        for pid in below():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        # The jobs that were under way are done again in fresh workers.
        assert [grader._verdict(pending).success for pending in futures] == [True] * 4
        assert graded(grader) == ["equal"] * 3


def test_limits_that_cannot_be_set_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    original = workers.worker_config
    probe_isolation()

    def broken(*args, **options):
        return original(*args, **options) | {"memory": "without limit"}

    monkeypatch.setattr(workers, "worker_config", broken)
    with Grader(workers=1, allow_weaker=True) as grader:
        with pytest.raises(SandboxError, match="known-good answer failed in a fresh worker"):
            graded(grader)
        monkeypatch.undo()
        assert graded(grader) == ["equal"] * 3


def test_rights_that_cannot_be_given_up_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    original = workers.worker_config
    if probe_isolation().level == "weak":
        pytest.skip("no seccomp here")

    def broken(*args, **options):
        config = original(*args, **options)
        return config | {"seccomp": [config["seccomp"][0], "ff" * 8]}

    monkeypatch.setattr(workers, "worker_config", broken)
    with Grader(workers=1, allow_weaker=True) as grader, pytest.raises(SandboxError, match="seccomp"):
        graded(grader)


def test_an_answer_that_breaks_its_sandbox_gets_a_score_and_harms_nobody() -> None:
    # Without seccomp a candidate can kill its worker, which is what this needs.
    killer = (
        "import os, time\n"
        "def f(x):\n"
        "    if x > 1:\n"
        "        os.kill(os.getppid(), 9)\n"
        "        time.sleep(0.5)\n"
        "    return x * 2\n"
    )
    slow = "import time\ndef f(x):\n    time.sleep(0.1)\n    return x * 2\n"
    answers = [slow, killer, slow, TRUTH, slow]
    with Grader(workers=2, isolation="weak", allow_weaker=True) as grader:
        results = list(grader.grade_many(GradeJob(TRUTH, CALLS, answer) for answer in answers))
    assert [result.score for result in results] == [1.0, 1 / 3, 1.0, 1.0, 1.0]
    assert [outcome.status for outcome in results[1].outcomes] == ["equal", "crashed", "crashed"]


def test_a_host_with_many_open_files_changes_nothing(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        for number in range(150):
            stack.enter_context(open(tmp_path / str(number), "w"))
        with Grader(workers=1, allow_weaker=True) as grader:
            assert graded(grader) == ["equal"] * 3


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp")
def test_partial_isolation_stops_what_it_promises(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    source = textwrap.dedent(
        """
        import os, socket, subprocess
        def read(path): return open(path).read()
        def write(path): open(path, "w").close()
        def names(path): return os.listdir(path)
        def net(): socket.socket()
        def run(): subprocess.run(["true"])
        def kill(): os.kill(os.getppid(), 9)
        def fine(): import numpy, csv, sqlite3; return int(numpy.arange(4).sum())
        """
    )
    calls = [f"read({str(secret)!r})", "read('/proc/self/environ')", f"write({str(tmp_path / 'new')!r})", "net()"]
    calls += [f"names({str(tmp_path)!r})", "run()", "kill()", "fine()"]
    with Grader(workers=1, isolation="partial", allow_weaker=True) as grader:
        got = grader.evaluate(source, calls)
        assert grader.grade(ground_truth=TRUTH, test_cases=CALLS, answer=TRUTH).isolation == "partial"
    refused = [evaluation.detail for evaluation in got[:-1]]
    assert refused == ["PermissionError"] * 7
    assert got[-1].value is not None and got[-1].value.tree == 6
    assert not (tmp_path / "new").exists()


def test_a_machine_without_full_isolation_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "_reports", {})
    monkeypatch.setattr("colbench.backend.sandbox.launch.bubblewrap", lambda: None)
    monkeypatch.setattr(probe, "bubblewrap", lambda: None)
    report = probe_isolation()
    assert report.level in ("partial", "weak")
    assert "bubblewrap" in (report.remedy or "") and "bubblewrap" in str(report)
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
        Grader()
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
        Grader(isolation="full", allow_weaker=True)
    with pytest.warns(UserWarning, match="apt-get install bubblewrap"):
        grader = Grader(allow_weaker=True)
    with grader:
        assert grader.isolation == report.level
        assert graded(grader) == ["equal"] * 3
