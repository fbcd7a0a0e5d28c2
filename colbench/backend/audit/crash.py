"""Attacks on the worker's life and on the machine's resources."""

from __future__ import annotations

from colbench.backend.audit.attack import Attack, hostile

__all__ = ["ATTACKS"]


def _crash(name: str, tries: str, body: str, *, top: str = "") -> Attack:
    return Attack(name=name, kind="crash", tries=tries, answers=(hostile(body, top),))


def _resource(name: str, tries: str, body: str, *, top: str = "") -> Attack:
    return Attack(name=name, kind="resources", tries=tries, answers=(hostile(body, top),))


ATTACKS: tuple[Attack, ...] = (
    _crash("ends the process", "calls os._exit(0) inside the function", "getattr(__import__('os'), '_ex' + 'it')(0)"),
    _crash("SystemExit at module level", "raises SystemExit before any call", "return -1", top="raise SystemExit(0)"),
    _crash("SystemExit in a call", "raises SystemExit inside the function", "raise SystemExit(0)"),
    _crash(
        "KeyboardInterrupt",
        "raises KeyboardInterrupt and GeneratorExit",
        "raise [KeyboardInterrupt, GeneratorExit, BaseException][rate % 3]",
    ),
    _crash("reads address 0", "reads address 0 through ctypes", "import ctypes\nctypes.string_at(0)"),
    _crash(
        "segmentation fault in a thread",
        "crashes from a second thread",
        "import ctypes, threading\nt = threading.Thread(target=ctypes.string_at, args=(0,))\nt.start()\nt.join()",
    ),
    _crash("abort", "aborts", "__import__('os').abort()"),
    _crash("kills itself", "sends itself SIGKILL", "import signal\nsignal.raise_signal(signal.SIGKILL)"),
    _crash(
        "kills its parent",
        "sends SIGKILL to the process that started it",
        "o = __import__('os')\nif o.getppid() != @AUDITOR@:\n    o.kill(o.getppid(), 9)\nreturn -1",
    ),
    _crash(
        "deep recursion",
        "raises the recursion limit and recurses until the stack ends",
        "__import__('sys').setrecursionlimit(10**9)\ndef f(n):\n    return [f(n + 1)] + [n]\nreturn f(0)",
    ),
    _crash(
        "deep recursion in C",
        "compares, prints and frees structures nested deeper than the C stack",
        "__import__('sys').setrecursionlimit(10**9)\na = []\nb = []\nfor _ in range(10**6):\n    a = [a]\n    b = [b]\n"
        "repr(a)\nreturn a == b",
    ),
    _crash(
        "spoils its interpreter",
        "overwrites the reference counts of small integers and None",
        "import ctypes\nfor n in (0, 1, 2, None, True):\n    ctypes.memset(id(n), 0, 16)\nreturn -1",
    ),
    _resource(
        "memory in steps",
        "takes memory in steps of 64 MB up to 6 GB",
        "kept = []\nfor _ in range(96):\n    kept.append(bytearray(b'x') * (64 << 20))\nreturn -1",
    ),
    _resource("memory at once", "asks for six gigabytes at once", "return len(b'x' * (6 << 30))"),
    _resource(
        "memory at module level",
        "takes memory before any call",
        "return -1",
        top="kept = []\nfor _ in range(96):\n    kept.append(b'x' * (64 << 20))",
    ),
    _resource(
        "memory beside the heap",
        "takes memory through mmap, memfd and shared mappings",
        """
import mmap
o = __import__('os')
kept = []
for _ in range(16):
    m = mmap.mmap(-1, 64 << 20)
    m.write(b'x' * (64 << 20))
    kept.append(m)
    fd = o.memfd_create('x')
    o.write(fd, b'x' * (64 << 20))
return -1
""",
    ),
    _resource(
        "forks",
        "forks forty processes that sleep for a minute",
        """
import time
o = __import__('os')
for _ in range(40):
    if o.fork() == 0:
        time.sleep(60)
        getattr(o, '_ex' + 'it')(0)
return -1
""",
    ),
    _resource(
        "subprocess, then a loop",
        "starts a program that sleeps for 300 s, then loops",
        """
import subprocess
sys = __import__('sys')
subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300) # @TOKEN@'], start_new_session=True)
while True:
    pass
""",
    ),
    _resource(
        "process of its own session",
        "forks twice into a session of its own and goes on after the verdict",
        """
import time
o = __import__('os')
if o.fork() == 0:
    o.setsid()
    if o.fork() == 0:
        time.sleep(60)
    getattr(o, '_ex' + 'it')(0)
return -1
""",
    ),
    _resource(
        "multiprocessing",
        "starts a pool of worker processes",
        "import multiprocessing, time\nfor _ in range(4):\n"
        "    multiprocessing.get_context('fork').Process(target=time.sleep, args=(60,)).start()\nreturn -1",
    ),
    _resource(
        "threads",
        "starts threads until it may not any more, at most two thousand",
        "import threading, time\nfor _ in range(2000):\n"
        "    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()\nreturn -1",
    ),
    _resource(
        "flood of threads",
        "starts threads with the smallest stacks for as long as it may, so that no process number is left",
        """
import _thread, threading, time
threading.stack_size(32768)
lock = _thread.allocate_lock()
lock.acquire()
started = time.monotonic()
while time.monotonic() - started < 10:
    try:
        for _ in range(12_000):
            _thread.start_new_thread(lock.acquire, ())
    except RuntimeError:
        time.sleep(0.01)
return -1
""",
    ),
    _resource(
        "descriptors",
        "opens descriptors until it may not any more",
        "o = __import__('os')\nfor _ in range(100_000):\n    o.dup(1)\nreturn -1",
    ),
)
