"""How a worker process is started at each isolation level.

``full`` puts it into its own user, mount, process, network and IPC namespaces with bubblewrap; ``partial`` starts it
directly, and leaves it to seccomp, Landlock and resource limits; ``weak`` has the resource limits alone. The host
talks to the worker over one socket that it inherits.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from colbench.backend.outcomes import IsolationLevel
from colbench.backend.sandbox import seccomp
from colbench.backend.sandbox.interpreter import Interpreter
from colbench.errors import SandboxError

__all__ = ["WORKER", "bubblewrap", "start_worker", "worker_config"]

WORKER = Path(__file__).with_name("worker.py")
_INSIDE_WORKER = "/worker.py"
_INSIDE_SITE = "/site"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
MAX_VALUE_BYTES = 4 << 20
MAX_VALUE_NODES = 200_000


def bubblewrap() -> str | None:
    """Path of the ``bwrap`` command, or None."""
    return shutil.which("bwrap")


def worker_config(
    level: IsolationLevel, interpreter: Interpreter, *, preload: tuple[str, ...], memory_mb: int
) -> dict[str, Any]:
    """What a worker is told when it starts, as plain JSON types."""
    packages = interpreter.importable
    if level == "full":
        packages = {name: f"{_INSIDE_SITE}/{os.path.basename(path)}" for name, path in packages.items()}
    filters = None
    if level != "weak" and sys.platform == "linux" and seccomp.supported():
        filters = [seccomp.build_worker_filter().hex(), seccomp.build_child_filter().hex()]
    return {
        "namespaces": level == "full",
        "distributions": packages,
        "preload": [name for name in preload if name in packages],
        "memory": memory_mb << 20,
        "max_bytes": MAX_VALUE_BYTES,
        "max_nodes": MAX_VALUE_NODES,
        "seccomp": filters,
        "landlock": _landlock_rules(interpreter) if level == "partial" else None,
    }


def start_worker(
    level: IsolationLevel, interpreter: Interpreter, *, hash_seed: int
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Starts a worker.

    Args:
        level: isolation level.
        interpreter: the Python it runs on.
        hash_seed: ``PYTHONHASHSEED`` inside.

    Returns:
        The process that was started, and the host's end of its control socket.

    Raises:
        SandboxError: the process could not be started.
    """
    host, inside = socket.socketpair()
    environment = {
        "PYTHONHASHSEED": str(hash_seed),
        # Bound lazily, every child would resolve the same symbols again, at a quarter of its whole cost.
        "LD_BIND_NOW": "1",
        # Every further arena would take 64 MB of the address space that an answer may use.
        "MALLOC_ARENA_MAX": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }
    try:
        python = [interpreter.executable, "-s", "-S", "-B", "-P", "-X", "utf8"]
        if level == "full":
            command = _bubblewrap_command(interpreter, environment)
            command += [*python, _INSIDE_WORKER, str(inside.fileno())]
        else:
            command = [*python, str(WORKER), str(inside.fileno())]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            cwd="/",
            pass_fds=[inside.fileno()],
            close_fds=True,
            # A Ctrl-C meant for the program must not end the workers that finish its last episodes.
            start_new_session=True,
        )
    except OSError as error:
        host.close()
        raise SandboxError(f"a sandbox worker could not be started: {error}") from error
    finally:
        inside.close()
    return process, host


def _landlock_rules(interpreter: Interpreter) -> list[tuple[str, str]]:
    """Pairs of a path and ``r`` (read below), ``l`` (list folders below) or ``w`` (read and write, devices).

    Landlock can only allow. Where a folder to be hidden lies inside one to be read, the outer folder may be listed
    (imports need that) and each of its other entries may be read.
    """
    rules: list[tuple[str, str]] = [(device, "w") for device in _DEVICES]
    waiting = list(interpreter.files)
    while waiting:
        path = waiting.pop()
        if path in interpreter.hidden:
            continue
        if any(folder.startswith(path + "/") for folder in interpreter.hidden):
            rules.append((path, "l"))
            waiting += [entry.path for entry in os.scandir(path)]
        else:
            rules.append((path, "r"))
    return rules + [(path, "r") for path in interpreter.packages.values()]


def _bubblewrap_command(interpreter: Interpreter, environment: dict[str, str]) -> list[str]:
    program = bubblewrap()
    if program is None:
        raise SandboxError("bubblewrap is not installed; install it, for example with: apt-get install bubblewrap")
    command = [program, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    command += ["--uid", "65534", "--gid", "65534", "--hostname", "sandbox"]
    for name, value in environment.items():
        command += ["--setenv", name, value]
    for path in interpreter.files:
        command += ["--ro-bind", path, path]
    for folder in ("/lib", "/lib64"):
        # The loader's path in every executable goes through these links on merged-/usr systems.
        if os.path.islink(folder):
            command += ["--symlink", os.readlink(folder), folder]
    for path in interpreter.hidden:
        command += ["--tmpfs", path, "--remount-ro", path]
    for path in interpreter.packages.values():
        command += ["--ro-bind", path, f"{_INSIDE_SITE}/{os.path.basename(path)}"]
    for device in _DEVICES:
        if os.path.exists(device):
            command += ["--dev-bind", device, device]
    command += ["--ro-bind", str(WORKER), _INSIDE_WORKER]
    return [*command, "--chdir", "/", "--remount-ro", "/", "--"]
