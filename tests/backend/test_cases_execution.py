"""Answers that have broken graders of this kind: each gets its verdict, and a good answer right after it gets 1.

The numbers in the names are only labels of the cases, so that one can be run by itself.
"""

import gc
import os
import resource
import time

import pytest

from colbench.backend.audit import watch
from colbench.backend.grading import GradeJob, Grader
from colbench.backend.sandbox import workers
from colbench.errors import SandboxError

TRUTH = "def f(n):\n    return n * 3 + 1\n"
CALLS = {"test1": "f(1)", "test2": "f(20)"}
GOOD = "def f(n):\n    import math\n    return math.floor(n) * 3 + len('x')"
WRONG = "def f(n):\n    return n * 3"


@pytest.fixture(scope="module")
def grader():
    with Grader(workers=1, allow_weaker=True) as grader:
        yield grader


def grade(grader, answer, truth=TRUTH, calls=None):
    """Score of the answer; a good and a wrong one right after it must get theirs."""
    result = grader.grade(ground_truth=truth, test_cases=CALLS if calls is None else calls, answer=answer)
    assert grader.grade(ground_truth=TRUTH, test_cases=CALLS, answer=GOOD).score == 1.0
    assert grader.grade(ground_truth=TRUTH, test_cases=CALLS, answer=WRONG).score == 0.0
    return result


def statuses(result):
    return [outcome.status for outcome in result.outcomes]


def inside(body, top=""):
    return top + "\ndef f(n):\n" + "\n".join("    " + line for line in body.strip("\n").split("\n"))


PASSES = {
    "25 demo lines that fail": "def f(n): return n * 3 + 1\nn = 5; print(f(n)); assert f(1) == 2",
    "25 demo lines that print": "def f(n): return n * 3 + 1\nfor i in range(3):\n    print('result', f(i))",
    "26 nested helper": inside(
        "def factorial(k):\n    return 1 if k < 2 else k * factorial(k - 1)\nreturn n * 3 + factorial(1)"
    ),
    "27 lone closing fence": "def f(n): return n * 3 + 1\n```",
    "29 echoed instruction": "You asked to return code in a ``` block.\n~~~py\n" + TRUTH + "~~~",
    "29 tag Python": "```Python\n" + TRUTH + "```",
    "31 never closed": "Here:\n```python\n" + TRUTH,
    "33 backticks in a docstring": '```python\ndef f(n):\n    """Like ```f(1)```.\n\n    ```\n    f(1)\n    ```\n'
    '    """\n    return n * 3 + 1\n```',
    "33 banned words": "def f(n):\n    quit_rate, sudo = 1, 'import os'  # argparse, transformers, exit(0)\n"
    "    return n * 3 + quit_rate",
    "34 recursion": "def f(n):\n    return 1 if n == 0 else 3 + f(n - 1)",
    "35 helper and import": "import math\n\ndef helper(n):\n    return math.prod([n, 3])\n\n"
    "def f(n):\n    return helper(n) + math.floor(1.5)",
    "41 ten megabytes of output": inside("print('x' * 10**7)\nreturn n * 3 + 1"),
    "57 thread left sleeping": inside(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nreturn n * 3 + 1"
    ),
}


@pytest.mark.parametrize("case", PASSES)
def test_right_answers_pass(grader, case):
    start = time.monotonic()
    assert grade(grader, PASSES[case]).score == 1.0
    assert time.monotonic() - start < 20


EQUAL = """
class Equal:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
"""

FAILS = {
    "44 os._exit": ("import os\nos._exit(0)", ["crashed", "crashed"]),
    "44 SystemExit": ("raise SystemExit(0)", ["exception", "exception"]),
    "48 always equal": (EQUAL + "return Equal()", ["opaque", "opaque"]),
    "48 int subclass": (
        "class N(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\nreturn N(5)",
        ["opaque", "opaque"],
    ),
    "48 mock.ANY": ("from unittest.mock import ANY\nreturn ANY", ["opaque", "opaque"]),
    "51 frames": (
        "import sys\nframe = sys._getframe()\nwhile frame is not None:\n    for value in frame.f_locals.values():\n"
        "        if isinstance(value, str) and 'n * 3 + 1' in value:\n            return n * 3 + 1\n"
        "    frame = frame.f_back\nreturn -1",
        ["different", "different"],
    ),
    "51 gc": (
        "import gc\nfor thing in gc.get_objects():\n"
        "    if isinstance(thing, (list, tuple)) and (4 in thing or 61 in thing):\n"
        "        return sorted(x for x in thing if isinstance(x, int))\nreturn -1",
        None,
    ),
    "51 patched builtins": (
        "import builtins, math\nbuiltins.len = lambda x: 7\nmath.floor = lambda x: 9\nreturn -1",
        None,
    ),
    "52 forged frames": (
        "import os, struct, atexit\ndef forge():\n    for fd in range(3, 64):\n        for kind in b'VRBEO':\n"
        "            try:\n                os.write(fd, struct.pack('>BI', kind, 6) + b'i\\0\\0\\0\\1\\7')\n"
        "            except OSError:\n                pass\natexit.register(forge)\nforge()\nreturn -1",
        None,
    ),
    "53 sum": ("return sum(range(10**12))", ["timeout", "timeout"]),
    "53 repeat": ("import itertools\nreturn 0 in itertools.repeat(1)", ["timeout", "timeout"]),
    "53 regex": ("import re\nreturn re.match('(a+)+$', 'a' * 40 + 'b')", ["timeout", "timeout"]),
    "53 power": ("return n ** 0 + 9 ** 9 ** (9 + n * 0)", None),
    "54 no alarm": (
        "import signal\nfor timer in (signal.ITIMER_REAL, signal.ITIMER_PROF):\n    signal.setitimer(timer, 0)\n"
        "for s in range(1, 32):\n    try:\n        signal.signal(s, signal.SIG_IGN)\n"
        "    except (OSError, ValueError):\n        pass\n"
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
        ["timeout", "timeout"],
    ),
    "55 address 0": ("import ctypes\nctypes.string_at(0)", ["crashed", "crashed"]),
    "55 recursion": (
        "import sys\nsys.setrecursionlimit(10**9)\ndef g(k):\n    return [g(k + 1), k]\nreturn g(0)",
        None,
    ),
    "56 memory": ("kept = [b'x' * (1 << 28) for _ in range(40)]\nreturn len(kept)", None),
    "56 large value": ("return 'x' * (256 << 20)", None),
    "56 own list": ("a = []\na.append(a)\nreturn a", ["opaque", "opaque"]),
    "56 deep list": ("a = []\nfor _ in range(10**6):\n    a = [a]\nreturn a", None),
    "58 proc": ("return open('/proc/self/status').read()", ["exception", "exception"]),
    "58 network": ("import socket\nsocket.create_connection(('127.0.0.1', 22), 1)", ["exception", "exception"]),
    "59 collisions": ("m = 2**61 - 1\nreturn {i * m: i for i in range(3000)}", ["different", "different"]),
}


@pytest.mark.parametrize("case", FAILS)
def test_hostile_answers_fail_and_harm_nobody(grader, case):
    body, expected = FAILS[case]
    start = time.monotonic()
    result = grade(grader, inside(body))
    assert result.score == 0.0
    assert time.monotonic() - start < 25
    if expected is not None and grader.isolation == "full":
        assert statuses(result) == expected


def test_36_endless_answers_leave_no_zombies():
    with Grader(workers=2, allow_weaker=True, call_seconds=0.1) as grader:
        jobs = [GradeJob(TRUTH, CALLS, "while True: pass")] * 50 + [GradeJob(TRUTH, CALLS, GOOD)]
        results = list(grader.grade_many(jobs))
        assert [result.score for result in results] == [0.0] * 50 + [1.0]
        assert {results[0].outcomes[0].status} == {"timeout"}
        assert "Z" not in watch.tree(os.getpid()).values()
    deadline = time.monotonic() + 5
    while len(watch.tree(os.getpid())) > 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "Z" not in watch.tree(os.getpid()).values()


def test_37_a_subprocess_does_not_survive(grader):
    token = f"mark-of-case-37-{os.getpid()}"
    answer = inside(
        f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)  # {token}'])\n"
        "while True:\n    pass"
    )
    assert grade(grader, answer).score == 0.0
    assert watch.marked_processes(token) == []


def test_39_limits_that_cannot_be_set_are_an_error_not_a_score(monkeypatch):
    original = workers.worker_config

    def broken(*args, **kwargs):
        return {**original(*args, **kwargs), "memory": 1 << 70}

    monkeypatch.setattr(workers, "worker_config", broken)
    with Grader(workers=1, allow_weaker=True) as grader, pytest.raises(SandboxError, match="set itself up"):
        grader.grade(ground_truth=TRUTH, test_cases=CALLS, answer=GOOD)


def test_42_56_endless_output_and_large_values_leave_the_host_flat(grader):
    grade(grader, GOOD)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert statuses(grade(grader, inside("while True:\n    print('y' * 10**6)"))) == ["timeout", "timeout"]
    for body in ("return ['x' * 10**6] * 200", "return [0] * 10**7", "return b'x' * (1 << 28)"):
        assert grade(grader, inside(body)).score == 0.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_44_a_body_that_exits_fails_its_calls_only(grader):
    assert statuses(grade(grader, "raise SystemExit(0)\n" + TRUTH)) != ["equal", "equal"]


def test_44_55_the_calls_after_a_crash_go_on_in_a_fresh_child(grader):
    calls = {"a": "f(1)", "b": "f(2)", "c": "f(3)", "d": "f(4)", "e": "f(5)"}
    answer = inside(
        "import os, ctypes\nif n == 2:\n    os._exit(0)\nif n == 4:\n    ctypes.string_at(0)\nreturn n * 3 + 1"
    )
    assert statuses(grade(grader, answer, calls=calls)) == ["equal", "crashed", "equal", "crashed", "equal"]


def test_45_float_rounding_is_forgiven_in_strict_mode_only(grader):
    truth = "def f(a, b):\n    return a * 0.1 + b * 0.2\n"
    calls = {f"test{i}": call for i, call in enumerate(["f(2, 3)", "f(7, 9)", "f(3, 3)", "f(0.5, 0.25)", "f(1, 1)"])}
    answer = "def f(a, b):\n    return (a + 2 * b) / 10"
    values = [eval(call, {"f": lambda a, b: (a * 0.1 + b * 0.2) == (a + 2 * b) / 10}) for call in calls.values()]
    assert not all(values)
    assert grade(grader, answer, truth, calls).score == 1.0
    with Grader("paper", workers=1, allow_weaker=True) as paper:
        result = paper.grade(ground_truth=truth, test_cases=calls, answer=answer)
    assert [outcome.passed for outcome in result.outcomes] == values


def test_49_null_calls_are_dropped(grader):
    result = grade(grader, GOOD, calls={"test1": "f(1)", "case1": None, "test2": "f(2)"})
    assert (result.total, result.score) == (2, 1.0)


def test_51_patches_reach_neither_the_next_call_nor_the_next_candidate(grader):
    calls = {"a": "f('patch')", "b": "f('abc')", "c": "f('abcd')"}
    truth = "def f(s):\n    return len(s)\n"
    answer = inside("import builtins\nif n == 'patch':\n    builtins.len = lambda x: 99\nreturn len(n)")
    assert statuses(grade(grader, answer, truth, calls)) == ["different", "equal", "equal"]


def test_52_a_forged_frame_is_at_most_a_wrong_value(grader):
    """Writing the right value itself as a frame is no forgery; writing one value for every call passes one at most."""
    answer = inside(
        "import os, struct\nfor _ in range(10):\n    for fd in range(3, 64):\n        try:\n"
        "            os.write(fd, struct.pack('>BI', ord('V'), 6) + b'i\\0\\0\\0\\1\\4')\n"
        "        except OSError:\n            pass\nreturn -1"
    )
    assert grade(grader, answer).passed <= 1


def test_58_a_file_is_not_there_for_the_next_candidate(grader):
    name = f"colbench-case-58-{os.getpid()}"
    places = ("/tmp", "/dev/shm", "/var/tmp", ".", "/")
    write = inside(
        f"done = 0\nfor place in {places!r}:\n    try:\n        open(place + '/{name}', 'w').write('x')\n"
        "        done += 1\n    except OSError:\n        pass\nreturn -done"
    )
    read = inside(f"import os\nreturn n * 3 + any(os.path.exists(place + '/{name}') for place in {places!r})")
    assert grade(grader, write).score == 0.0
    assert grade(grader, read).score == 0.0
    assert not any(os.path.exists(f"{place}/{name}") for place in places)


def test_58_the_home_folder_and_this_project_cannot_be_read(grader):
    project = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for path in (os.path.join(project, "pyproject.toml"), __file__, os.path.expanduser("~/.bashrc"), "/etc/shadow"):
        assert grade(grader, inside(f"return n * 3 + bool(open({path!r}).read())")).score == 0.0
    assert grade(grader, inside("import colbench\nreturn n * 3 + 1")).score == 0.0


def test_more_threads_than_any_answer_needs_end_the_call(grader):
    """Ten thousand can be started within a call's time, and the machine has 32,768 process numbers by default."""
    many = inside(
        "import _thread, threading\nthreading.stack_size(32768)\nlock = _thread.allocate_lock()\nlock.acquire()\n"
        "while True:\n    try:\n        _thread.start_new_thread(lock.acquire, ())\n"
        "    except RuntimeError:\n        pass"
    )
    result = grade(grader, many)
    assert result.score == 0.0
    if grader.isolation == "full":
        assert {(outcome.status, outcome.detail) for outcome in result.outcomes} == {("crashed", "too many threads")}
    few = inside(
        "import time\nfrom concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(8) as pool:\n"
        "    list(pool.map(time.sleep, [0.1] * 16))\nreturn n * 3 + 1"
    )
    assert grade(grader, few).score == 1.0


def test_names_chosen_by_an_answer_are_shown_as_plain_text(grader):
    result = grade(grader, inside("raise type('\\x1b[2J\\u202eE\\n', (Exception,), {})"))
    assert [outcome.detail for outcome in result.outcomes] == ["?[2J?E?"] * 2
    result = grade(grader, inside("return type('\\x07\\x1b' * 10**6, (), {})()"))
    assert all(outcome.detail.isprintable() and len(outcome.detail) <= 120 for outcome in result.outcomes)
