"""Finds out which isolation this machine really gives, by trying to break out of it.

A ``bwrap`` on the path proves nothing: containers and hardened kernels often refuse what it needs, or give half of
it. So a known candidate tries, in a real worker, what a hostile one would try, and the level is what held.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from colbench.backend.outcomes import IsolationLevel
from colbench.backend.sandbox import seccomp
from colbench.backend.sandbox.engine import Engine
from colbench.backend.sandbox.interpreter import Interpreter, find_interpreter
from colbench.backend.sandbox.jobs import Run, WorkerKey
from colbench.backend.sandbox.launch import bubblewrap
from colbench.errors import SandboxError

__all__ = ["LAYERS", "LEVELS", "IsolationReport", "probe_engine", "probe_isolation"]

LEVELS: tuple[IsolationLevel, ...] = ("full", "partial", "weak")
LAYERS = ("files", "writing", "network", "processes", "signals", "kernel", "memory")
"""What is tried: reading a file of the host, creating one, a socket, a new process, a signal to another process,
a forbidden system call, more memory than allowed."""

_NEEDED: dict[IsolationLevel, tuple[str, ...]] = {
    "full": LAYERS,
    "partial": ("network", "processes", "signals", "kernel", "memory"),
    "weak": (),
}

# Every function returns whether the attempt was stopped.
_ATTEMPTS = """
import ctypes, os, socket

def stopped(attempt):
    try:
        return bool(attempt())
    except BaseException:
        return True

def files(path, secret):
    return stopped(lambda: secret not in open(path).read())

def writing(path):
    def attempt():
        with open(path, "w") as file:
            file.write("x")
        os.unlink(path)
        return False
    return stopped(attempt)

def network():
    return stopped(lambda: socket.socket() is None)

def processes():
    def attempt():
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        return False
    return stopped(attempt)

def signals():
    return stopped(lambda: os.kill(os.getppid(), 0))

def kernel():
    ptrace = {"x86_64": 101, "aarch64": 117}.get(os.uname().machine)
    libc = ctypes.CDLL(None, use_errno=True)
    return ptrace is not None and libc.syscall(ptrace, 0, 0, 0, 0) == -1 and ctypes.get_errno() == 1

def memory(size):
    return stopped(lambda: not bytearray(size))
"""


@dataclass(frozen=True)
class IsolationReport:
    """What the sandbox gives on this machine.

    Attributes:
        level: the best level that held.
        held: layer -> whether it held at that level.
        missing: one sentence for each thing that keeps the machine from ``full``.
        remedy: a command or setting that mends it, or None at ``full``.
        python: version of the Python that answers run on.
    """

    level: IsolationLevel
    held: Mapping[str, bool]
    missing: tuple[str, ...] = ()
    remedy: str | None = None
    python: str = ""

    def __str__(self) -> str:
        layers = ", ".join(f"{name} {'held' if ok else 'OPEN'}" for name, ok in self.held.items())
        lines = [f"isolation {self.level} (Python {self.python}): {layers}", *self.missing]
        if self.remedy:
            lines.append(f"To mend it: {self.remedy}")
        return "\n".join(lines)


def probe_engine(engine: Engine) -> dict[str, bool]:
    """Lets the known candidate try to break out of an engine's workers; layer -> whether it held.

    Raises:
        SandboxError: no worker could be started.
    """
    secret = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="colbench-probe-") as folder:
        path = os.path.join(folder, "canary")
        with open(path, "w") as file:
            file.write(secret)
        calls = (
            f"files({path!r}, {secret!r})",
            f"writing({path + '.new'!r})",
            "network()",
            "processes()",
            "signals()",
            "kernel()",
            f"memory({4 * engine.memory_mb << 20})",
        )
        run = Run(WorkerKey("candidate"), _ATTEMPTS, calls, mode="strict", limit=5.0)
        outcomes = engine.submit(run).result(timeout=90)
    # A child that the kernel killed for trying did not get through either.
    return {
        layer: (outcome.status == "value" and outcome.raw == b"T") or outcome.status == "crashed"
        for layer, outcome in zip(LAYERS, outcomes, strict=True)
    }


def _satisfies(level: IsolationLevel, held: Mapping[str, bool]) -> bool:
    """Whether the layers that a level promises have held."""
    return all(held[layer] for layer in _NEEDED[level])


_reports: dict[str, IsolationReport] = {}
_lock = threading.Lock()


def probe_isolation(python: str | None = None) -> IsolationReport:
    """The best isolation level on this machine, found by trying; the result is kept for the life of the process.

    Args:
        python: the interpreter that answers shall run on; the running one by default.

    Raises:
        ConfigurationError: there is no such interpreter.
        SandboxError: not even the weakest level works.
    """
    interpreter = find_interpreter(python)
    with _lock:
        known = _reports.get(interpreter.executable)
        if known is None:
            known = _reports[interpreter.executable] = _probe(interpreter)
        return known


def _probe(interpreter: Interpreter) -> IsolationReport:
    missing: list[str] = []
    remedy: str | None = None
    for level in LEVELS:
        engine = Engine(level, interpreter, workers=1, memory_mb=256)
        try:
            held = probe_engine(engine)
        except SandboxError as error:
            missing.append(f"{level}: {error}")
            remedy = remedy or _remedy(str(error))
            continue
        finally:
            engine.close()
        if _satisfies(level, held):
            return IsolationReport(level, held, tuple(missing), remedy, interpreter.version)
        broken = ", ".join(layer for layer in _NEEDED[level] if not held[layer])
        missing.append(f"{level}: got through: {broken}")
        remedy = remedy or _remedy(broken)
    raise SandboxError("no way to run answers works on this machine:\n" + "\n".join(missing))


def _remedy(reason: str) -> str:
    """The command that most likely brings ``full``."""
    if sys.platform != "linux":
        return "full isolation needs Linux; run inside a Linux virtual machine or container (Windows: WSL 2)"
    if not seccomp.supported():
        return "seccomp tables exist for x86-64 and aarch64; run on one of them"
    if bubblewrap() is None:
        return "apt-get install bubblewrap   (or: dnf install bubblewrap)"
    for path, off, command in (
        ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
        ("/proc/sys/user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
        (
            "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ):
        try:
            with open(path) as file:
                if file.read().strip() == off:
                    return command
        except OSError:
            continue
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return (
            "start the container with user namespaces allowed: "
            "--security-opt seccomp=unconfined --security-opt apparmor=unconfined"
        )
    return f"make this work: bwrap --unshare-all --ro-bind / / true   ({reason[:200]})"
