"""Attacks on the clock: code that never returns, and code that will not be interrupted."""

from __future__ import annotations

from colbench.backend.audit.attack import RIGHT, Attack, hostile

__all__ = ["ATTACKS"]


def _hang(name: str, tries: str, body: str, *, top: str = "", low: float = 0.0, high: float = 0.0) -> Attack:
    return Attack(name=name, kind="time", tries=tries, answers=(hostile(body, top),), low=low, high=high, seconds=30.0)


ATTACKS: tuple[Attack, ...] = (
    _hang("endless loop", "loops in Python", "while True:\n    pass"),
    _hang("endless loop at module level", "loops before any call is made", "return -1", top="while True:\n    pass"),
    _hang("C loop: sum", "sums 10**12 numbers inside one C call", "return sum(range(10**12))"),
    _hang("C loop: in", "looks for 0 among endless ones", "import itertools\nreturn 0 in itertools.repeat(1)"),
    _hang(
        "C loop: regex", "matches a pattern that backtracks for ever", "import re\nre.match('(a+)+$', 'a' * 64 + 'b')"
    ),
    _hang("C loop: power", "computes 9**9**9", "n = 9\nreturn n ** n ** n"),
    _hang(
        "C loop: text", "converts a number of ten million digits", "return len(str(10 ** 10_000_000)) if rate else -1"
    ),
    _hang(
        "no more alarms",
        "stops the interval timers, ignores every signal, swallows every exception and loops",
        """
import signal
for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
    signal.setitimer(timer, 0)
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except Exception:
        pass
try:
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
except Exception:
    pass
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
""",
    ),
    _hang(
        "swallows interrupts",
        "catches BaseException in a loop",
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
    ),
    _hang("sleeps", "sleeps for ten days", "import time\ntime.sleep(10**6)"),
    _hang(
        "waits for a lock", "acquires a lock twice", "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()"
    ),
    _hang("stops itself", "sends itself SIGSTOP", "import signal\nsignal.raise_signal(signal.SIGSTOP)\nreturn -1"),
    _hang(
        "recursion between handlers",
        "recurses through except clauses, so that every unwinding recurses again",
        "def f(n):\n    try:\n        return f(n + 1)\n    except BaseException:\n        return f(n + 1)\nreturn f(0)",
    ),
    _hang(
        "thread left sleeping, right value",
        "returns the right value and leaves a non-daemon thread sleeping for a minute; it counts, without the wait",
        f"import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nreturn {RIGHT}",
        low=1.0,
        high=1.0,
    ),
    _hang(
        "hangs when it ends",
        "registers exit handlers and finalizers that never return",
        """
import atexit, threading
def never():
    while True:
        pass
atexit.register(never)
class Never:
    def __del__(self):
        never()
__import__('sys').kept = Never()
return -1
""",
    ),
    _hang(
        "holds the interpreter",
        "threads keep the interpreter lock busy in C while the main thread returns",
        """
import threading
def work():
    while True:
        sum(range(10**9))
for _ in range(20):
    threading.Thread(target=work, daemon=True).start()
return -1
""",
    ),
)
