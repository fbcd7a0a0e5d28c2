"""The host's view of one worker process: its start, its control socket, its end."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import time
from typing import TYPE_CHECKING, Any

from colbench.backend.outcomes import IsolationLevel
from colbench.backend.sandbox.interpreter import Interpreter
from colbench.backend.sandbox.jobs import SandboxFailure, WorkerKey
from colbench.backend.sandbox.launch import start_worker, worker_config
from colbench.backend.sandbox.processes import pid_of
from colbench.errors import SandboxError

if TYPE_CHECKING:
    from colbench.backend.sandbox.attempts import Attempt

__all__ = ["Worker"]

_HEADER = struct.Struct(">BI")
_U32 = struct.Struct(">I")
# Where the size of a fresh worker cannot be read, this much address space is assumed to be in use.
_ASSUMED_BYTES = 1 << 30


class Worker:
    """A sandbox with its template process.

    Args:
        level: isolation level.
        interpreter: the Python inside.
        key: kind of worker.
        memory_mb: memory a candidate may add.
        reserved: kept for the attempts that ask for this very worker.

    Raises:
        SandboxFailure: it could not be started.
    """

    def __init__(
        self,
        level: IsolationLevel,
        interpreter: Interpreter,
        key: WorkerKey,
        *,
        memory_mb: int,
        reserved: bool = False,
    ) -> None:
        self.level = level
        self.key = key
        self.reserved = reserved
        self.starting = True
        self.dead = False
        self.running: list[Attempt] = []
        self.versions: dict[str, str] = {}
        self.started_at = time.monotonic()
        # Forks are answered in the order they were asked for.
        self._forking: collections.deque[Attempt] = collections.deque()
        # Attempts whose child died, until the worker has said that it is alive itself.
        self.asked: collections.deque[Attempt] = collections.deque()
        self.asked_at = float("inf")
        self._confirmed: list[Attempt] = []
        self._zygote = -1
        self._received = bytearray()
        self._descriptors: collections.deque[int] = collections.deque()
        try:
            self.process, self.control = start_worker(level, interpreter, hash_seed=key.hash_seed)
        except SandboxError as error:
            raise SandboxFailure(str(error)) from error
        try:
            self._send(worker_config(level, interpreter, preload=key.preload, memory_mb=memory_mb))
        except OSError as error:
            reason = self._complaint() or str(error)
            self.kill()
            raise SandboxFailure(f"a sandbox worker could not be started: {reason}") from error

    @property
    def load(self) -> int:
        """Children at work."""
        return len(self.running)

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode()
        self.control.sendall(_U32.pack(len(data)) + data)

    def hand_over(self, descriptor: socket.socket, attempt: Attempt) -> None:
        """Asks for a child that talks over ``descriptor``.

        Raises:
            OSError: the worker is gone.
        """
        self.control.sendmsg([b"j"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("=i", descriptor.fileno()))])
        self._forking.append(attempt)

    def ask(self, attempt: Attempt) -> None:
        """Asks the worker whether it is alive, so that a child's death can be booked to the child.

        Raises:
            OSError: the worker is gone.
        """
        self.control.send(b"?")
        self.asked.append(attempt)
        self.asked_at = min(self.asked_at, time.monotonic())

    def take_confirmed(self) -> list[Attempt]:
        """The attempts for which the worker has said that it is alive."""
        confirmed, self._confirmed = self._confirmed, []
        return confirmed

    def released(self, attempt: Attempt) -> None:
        """Forgets an attempt that has been settled."""
        with contextlib.suppress(ValueError):
            self.running.remove(attempt)

    def read_control(self) -> None:
        """Takes in what the worker says; call when its control socket is readable.

        Raises:
            SandboxFailure: it has ended, or could not set itself up.
        """
        try:
            data, descriptors, _, _ = socket.recv_fds(self.control, 4096, 8, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError as error:
            raise SandboxFailure(f"a sandbox worker was lost: {self._complaint() or error}") from error
        self._descriptors.extend(descriptors)
        if not data:
            complaint = self._complaint()
            raise SandboxFailure("a sandbox worker ended" + (f": {complaint}" if complaint else ""))
        self._received += data
        while len(self._received) >= _HEADER.size:
            kind, length = _HEADER.unpack_from(self._received)
            end = _HEADER.size + length
            if len(self._received) < end:
                return
            message = bytes(self._received[_HEADER.size : end])
            del self._received[:end]
            self._on_message(chr(kind), message)

    def _on_message(self, kind: str, message: bytes) -> None:
        if kind == "P":
            attempt = self._forking.popleft()
            (pid,) = _U32.unpack(message[:4])
            handle = self._descriptors.popleft() if message[4:] == b"d" and self._descriptors else -1
            attempt.born(pid, handle, whole_group=self.level == "weak")
        elif kind == "A":
            self._confirmed.append(self.asked.popleft())
            self.asked_at = time.monotonic() if self.asked else float("inf")
        elif kind == "F":
            self._forking.popleft()
            raise SandboxFailure(f"a sandbox worker could not fork: {message.decode('utf-8', 'replace')}")
        elif kind == "H":
            hello = json.loads(message)
            self._zygote = self._descriptors.popleft() if self._descriptors else -1
            pid = pid_of(self._zygote) if self._zygote >= 0 else hello["pid"]
            self.versions = {"python": hello["python"], "worker": hello["worker"]}
            self._send({"address_space": _address_space(pid)})
        elif kind == "R":
            self.starting = False
        else:
            raise SandboxFailure(f"a sandbox worker could not set itself up: {message.decode('utf-8', 'replace')}")

    def _complaint(self) -> str:
        """What the starting command wrote before it ended."""
        pipe = self.process.stderr
        if pipe is None:
            return ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=2)
        if self.process.poll() is None:
            return ""
        os.set_blocking(pipe.fileno(), False)
        return (pipe.read() or b"").decode("utf-8", "replace").strip()[-500:]

    def kill(self) -> None:
        """Ends the worker, its children with it, and reaps it."""
        if self.dead:
            return
        self.dead = True
        self.starting = False
        for descriptor in (self._zygote,):
            if descriptor >= 0:
                with contextlib.suppress(OSError):
                    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                os.close(descriptor)
        self._zygote = -1
        while self._descriptors:
            os.close(self._descriptors.popleft())
        self.process.kill()
        self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()
        self.control.close()


def _address_space(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return _ASSUMED_BYTES
