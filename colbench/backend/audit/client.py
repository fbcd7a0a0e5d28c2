"""The audit's side of the process that holds the grader under test: every wait is bounded, every reply is doubted."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from typing import Any

from colbench.backend.audit import watch
from colbench.errors import ConfigurationError

__all__ = ["Broken", "Probe"]

# The grader's side may use this much more than before the attack, all its processes together, before it is stopped.
_MEMORY_LIMIT = 2 << 30
# A few hundred per answer are plenty; tens of thousands leave the machine without process numbers.
_THREAD_LIMIT = 4_000
_REPLY_LIMIT = 1 << 16


class Broken(Exception):
    """The grader gave way; the message says how."""


class Probe:
    """One process that holds the grader under test."""

    def __init__(self, spec: str, token: str, deadline: float) -> None:
        self.deadline = deadline
        self._number = 0
        self._buffer = b""
        request_read, self._requests = os.pipe()
        self._replies, reply_write = os.pipe()
        environment = dict(
            os.environ, COLBENCH_AUDIT_TOKEN=token, PYTHONPATH=os.pathsep.join(p or "." for p in sys.path)
        )
        self.process = subprocess.Popen(
            [sys.executable, "-m", "colbench.backend.audit.probe", spec, str(request_read), str(reply_write)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(request_read, reply_write),
            env=environment,
            start_new_session=True,
        )
        os.close(request_read)
        os.close(reply_write)
        try:
            ready = self._read()
            if not ready.get("ready"):
                raise ConfigurationError(f"the grader to audit cannot be used: {ready.get('error')}")
        except BaseException:
            self.kill()
            raise
        self._before = watch.tree_bytes(self.process.pid)

    def grade(self, reference: str, calls: dict[str, str], answer: str) -> float:
        """Score of one answer; ``Broken`` when the grader fails, dies, hangs or says nonsense."""
        self._number += 1
        request = {"id": self._number, "ground_truth": reference, "test_cases": calls, "answer": answer}
        self._write(json.dumps(request).encode() + b"\n")
        reply = self._read()
        if reply.get("id") != self._number or not ({"score", "error"} & set(reply)):
            raise Broken(f"a reply that was not asked for: {str(reply)[:80]}")
        if "error" in reply:
            raise Broken(f"the grader raised {reply['error']}")
        score = reply["score"]
        if not isinstance(score, float) or not 0.0 <= score <= 1.0:
            raise Broken(f"the score {str(score)[:40]} is not between 0 and 1")
        return score

    def _write(self, data: bytes) -> None:
        os.set_blocking(self._requests, False)
        while data:
            self._wait(writing=True)
            try:
                data = data[os.write(self._requests, data) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise Broken(self._death()) from None

    def _read(self) -> dict[str, Any]:
        while b"\n" not in self._buffer:
            self._wait(writing=False)
            piece = os.read(self._replies, 65536)
            if not piece:
                raise Broken(self._death())
            self._buffer += piece
            if len(self._buffer) > _REPLY_LIMIT:
                raise Broken("the grader's process was made to write something else than its reply")
        line, self._buffer = self._buffer.split(b"\n", 1)
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise Broken("the grader's process was made to write something else than its reply")
        return reply

    def _wait(self, writing: bool) -> None:
        while True:
            if time.monotonic() > self.deadline:
                raise Broken("did not come back within the wall limit")
            readable, writable, _ = select.select(
                [] if writing else [self._replies], [self._requests] if writing else [], [], 0.1
            )
            if readable or writable:
                return
            used = watch.tree_bytes(self.process.pid)
            if used > getattr(self, "_before", 0) + _MEMORY_LIMIT:
                raise Broken(f"memory grew to {used >> 20} MB")
            if (threads := watch.tree_threads(self.process.pid)) > _THREAD_LIMIT:
                raise Broken(f"{threads} threads ran at once")

    def _death(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return f"the grader's process ended with status {self.process.wait(timeout=2.0)}"
        return "the grader closed its connection"

    def zombies(self) -> int:
        """Dead descendants that nobody has waited for."""
        return sum(state == "Z" for state in watch.tree(self.process.pid).values())

    def close(self) -> None:
        """Let the grader close itself; ``Broken`` when it does not."""
        os.close(self._requests)
        self._requests = -1
        try:
            self.process.wait(timeout=10.0)
        except subprocess.TimeoutExpired:
            raise Broken("the grader's process does not end") from None

    def kill(self) -> None:
        """End the process and its descendants, whatever state they are in."""
        pids = list(watch.tree(self.process.pid))
        if self.process.poll() is None:
            watch.kill_all(pids)
            self.process.wait()
        for descriptor in (self._requests, self._replies):
            if descriptor >= 0:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self._requests = self._replies = -1
