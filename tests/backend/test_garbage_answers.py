"""Two thousand generated answers that are nothing in particular: none may crash, hang, leak or leave anything."""

import os
import random
import resource
import tempfile
import time

from colbench.backend.audit import watch
from colbench.backend.grading import GradeJob, Grader

TRUTH = "def f(rows, limit=3):\n    out = {}\n    for name, n in rows:\n        out[name] = out.get(name, 0) + n\n" + (
    "    return {k: v for k, v in sorted(out.items()) if v >= limit}\n"
)
CALLS = {"a": "f([('x', 2), ('y', 5), ('x', 4)])", "b": "f([], 1)"}
PIECES = (
    'def f(rows, limit=3):\n', "    return ", "rows", "limit", '\n', "    ", "```", '```python\n',
    'for x in rows:\n', "if ", "while ", "lambda: ", "(", ")", "[", "]", "{", "}", "'", '"""', "0", "1",
    "10**6", "==", "=", ":", ",", ".", "import ", "math", "yield ", "await ", "async ", 'class X:\n', 'try:\n',
    'except:\n', 'pass\n', "raise ", "del ", 'global f\n', 'print(rows)\n', "f(rows)", "None", '\x00', '\ud800',
    "é", "日本", "🙂", '\t', '\r\n', '\\', "#", "@", "~~~", "I think ",
)  # fmt: skip


def garbage(rng: random.Random) -> str:
    kind = rng.randrange(5)
    if kind == 0:
        return "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 60)))
    if kind == 1:
        return "".join(chr(rng.randrange(1, 0x3000)) for _ in range(rng.randrange(0, 300)))
    if kind == 2:
        return TRUTH[: rng.randrange(len(TRUTH))]
    text = list(TRUTH)
    for _ in range(rng.randrange(1, 8)):
        at = rng.randrange(len(text))
        text[at : at + rng.randrange(0, 6)] = rng.choice(PIECES)
    changed = "".join(text)
    return changed if kind == 3 else f"Sure!\n```python\n{changed}\n```\nDone."


def test_two_thousand_garbage_answers():
    rng = random.Random(20_240_601)
    answers = [garbage(rng) for _ in range(2_000)]
    folders = (tempfile.gettempdir(), "/dev/shm", os.getcwd())
    # Other tests of the same process may have left shared workers running, which are theirs.
    others = set(watch.tree(os.getpid()))
    with Grader(workers=2, allow_weaker=True, call_seconds=0.3) as grader:
        # The first hundred warm everything up, so that growth afterwards is growth per answer.
        list(grader.grade_many(GradeJob(TRUTH, CALLS, answer) for answer in answers[:100]))
        descriptors = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        files = {folder: set(os.listdir(folder)) for folder in folders if os.path.isdir(folder)}
        results = list(grader.grade_many(GradeJob(TRUTH, CALLS, answer) for answer in answers))
        assert len(results) == 2_000
        assert all(result.total == 2 and len(result.outcomes) == 2 for result in results)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 48 * 1024
        if descriptors:
            assert len(os.listdir("/proc/self/fd")) <= descriptors + 8
        new = {name for folder, names in files.items() for name in set(os.listdir(folder)) - names}
        assert not [name for name in new if name.startswith("f(") or "garbage" in name]
        assert grader.grade(ground_truth=TRUTH, test_cases=CALLS, answer=TRUTH).score == 1.0
        assert "Z" not in watch.tree(os.getpid()).values()
    # Some mutations change nothing that matters, but garbage must not pass in numbers.
    assert sum(result.success for result in results) < 300
    deadline = time.monotonic() + 5
    while set(watch.tree(os.getpid())) - others and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not set(watch.tree(os.getpid())) - others
