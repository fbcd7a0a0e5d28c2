"""One child process at work: what it is sent, what comes back, how long it may take, and its end.

A run needs more than one attempt when a call kills its child or runs out of time: the remaining calls go on in fresh
ones.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import struct
import time
from typing import TYPE_CHECKING

from colbench.backend.sandbox.jobs import RawOutcome, Run, SandboxFailure
from colbench.backend.sandbox.launch import MAX_VALUE_BYTES
from colbench.backend.sandbox.processes import pid_of, thread_count, usage

if TYPE_CHECKING:
    # The two know each other; only names of types cross this way.
    from colbench.backend.sandbox.workers import Worker

__all__ = ["Attempt"]

_HEADER = struct.Struct(">BI")
_U32 = struct.Struct(">I")
_MAX_RUN_BYTES = 4 * MAX_VALUE_BYTES
_READY_SECONDS = 20.0
# Seconds on top of a call's limit, for frames that are under way when its time is up.
_GRACE = 0.05
# A child that got less than this share of its limit on a processor may go on, up to this many times the limit.
_LEAST_SHARE = 0.5
_STRETCH = 5.0
# Calls shorter than this need no reading of the kernel's clocks.
_NOTICEABLE = 0.03
# After this share of the limit a call no longer takes a place that a quick one could use.
_LASTING = 0.2
# No answer needs as many; a few that start tens of thousands would leave the machine without process numbers.
_MAX_THREADS = 256


class Attempt:
    """One child process at work on some calls of a run.

    Args:
        run: the run.
        numbers: which of its calls.
        worker: a worker to use; chosen by the engine when None.
        fresh_worker: take a worker that nothing has run in, and retire it afterwards.
    """

    def __init__(
        self, run: Run, numbers: tuple[int, ...], *, worker: Worker | None = None, fresh_worker: bool = False
    ) -> None:
        self.run = run
        self.numbers = numbers
        run.attempts.add(self)
        self.worker = worker
        self.fresh_worker = fresh_worker or worker is not None
        self.ready = False
        self.body_done = False
        self.timed_out = False
        self.closed = False
        self.spoiled = False
        self.deadline = float("inf")
        self.pidfd = -1
        self._group = 0
        self._before = (0.0, 0.0)
        self._reported = 0
        self._received = bytearray()
        self._unsent = memoryview(b"")
        self._sock: socket.socket | None = None
        self._call_started = self._ended = self._opened = 0.0
        self._reason: str | None = None
        self._last_interest = 0

    @property
    def finished(self) -> bool:
        """Whether every call of this attempt has reported."""
        return self._reported >= len(self.numbers)

    @property
    def left(self) -> tuple[int, ...]:
        """Its calls that have no outcome yet."""
        return tuple(number for number in self.numbers if self.run.outcomes[number] is None)

    @property
    def fileno(self) -> int:
        """Descriptor of the host's end of the job's socket."""
        assert self._sock is not None
        return self._sock.fileno()

    @property
    def interest(self) -> int:
        """Selector events to wait for."""
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0)

    def interest_changed(self) -> bool:
        """Whether ``interest`` differs from the last time this was asked."""
        changed = self.interest != self._last_interest
        self._last_interest = self.interest
        return changed

    def open(self, worker: Worker) -> None:
        """Hands the job to a worker, which forks a child for it.

        Raises:
            OSError: the worker is gone.
        """
        run = self.run
        job = {
            "source": run.source,
            "calls": [run.calls[number] for number in self.numbers],
            "mode": run.mode,
            "limit": run.limit,
            "seed": run.seed,
        }
        data = json.dumps(job).encode()
        host, inside = socket.socketpair()
        try:
            host.setblocking(False)
            worker.hand_over(inside, self)
            self._unsent = memoryview(_U32.pack(len(data)) + data)
            self._sock = host
            self._send()
        except OSError:
            host.close()
            self._sock = None
            raise
        finally:
            inside.close()
        self._last_interest = self.interest
        self._opened = time.monotonic()
        self.deadline = self._opened + _READY_SECONDS

    def _send(self) -> None:
        assert self._sock is not None
        try:
            while self._unsent:
                self._unsent = self._unsent[self._sock.send(self._unsent) :]
        except BlockingIOError:
            return
        except OSError:
            # The child is gone; reading will say so.
            self._unsent = memoryview(b"")

    def exchange(self) -> bool:
        """Sends what is left of the job and takes in frames; False at the end of the stream.

        Raises:
            SandboxFailure: the child could not give up its rights, or was gone before it began.
        """
        assert self._sock is not None
        if self._unsent:
            self._send()
        try:
            data = self._sock.recv(1 << 18)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data:
            if not self.ready:
                raise SandboxFailure("a candidate's process ended before it began")
            return False
        self._received += data
        self._parse()
        return True

    def _parse(self) -> None:
        received = self._received
        at = 0
        while len(received) - at >= 5 and not self.finished:
            kind, length = _HEADER.unpack_from(received, at)
            if length > MAX_VALUE_BYTES + 64:
                # No frame is that long: forged, and not worth keeping.
                self._book_one(RawOutcome("opaque", "value too large"))
                self.spoiled = True
                at = len(received)
                break
            if len(received) - at < 5 + length:
                break
            self._frame(chr(kind), bytes(received[at + 5 : at + 5 + length]))
            at += 5 + length
        del received[:at]

    def _frame(self, kind: str, data: bytes) -> None:
        now = time.monotonic()
        if not self.ready:
            if kind == "X":
                raise SandboxFailure(data.decode("utf-8", "replace") or "a candidate's process lost its job")
            self.ready = True
            self._clock(now)
            return
        if kind == "B" and not self.body_done:
            # It does not restart the clock: the limit covers the module's body and the call together.
            self.body_done = True
            return
        if kind == "V":
            run = self.run
            run.kept_bytes += len(data)
            too_much = run.kept_bytes > _MAX_RUN_BYTES
            self._book_one(RawOutcome("opaque", "values too large") if too_much else RawOutcome("value", None, data))
        elif kind in "EO":
            status = "exception" if kind == "E" else "opaque"
            self._book_one(RawOutcome(status, data[:200].decode("utf-8", "replace")))
        else:
            self._book_one(RawOutcome("crashed", "forged frame"))
        self._clock(now)

    def _book_one(self, outcome: RawOutcome) -> None:
        self.run.book(self.numbers[self._reported], outcome)
        self._reported += 1
        self.body_done = True

    def _clock(self, now: float) -> None:
        if self._call_started and now - self._call_started > _NOTICEABLE:
            self._before = self._usage()
        self._call_started = now
        self.deadline = now + self.run.limit + _GRACE

    def lasting(self, now: float) -> bool:
        """Whether the current call has run for so long that it need not keep others waiting."""
        return self.ready and now - self._call_started > _LASTING * self.run.limit

    def overdue(self, now: float) -> bool:
        """Whether the current call's time is really up.

        Wall time counts, but a busy machine must not change verdicts: a child that was ready to run for most of the
        time and got little of a processor is given more, up to five times the limit.
        """
        limit = self.run.limit
        elapsed = now - self._call_started
        if elapsed < limit * _STRETCH and self.pidfd >= 0:
            waited, used = (after - before for after, before in zip(self._usage(), self._before, strict=True))
            # Waiting behind its own threads is not waiting for the machine, so what all of them used counts too.
            if elapsed - waited < limit * _LEAST_SHARE and used < limit * _LEAST_SHARE:
                self.deadline = now + limit * 0.1
                return False
        self.timed_out = True
        return True

    def crowded(self, now: float) -> bool:
        """Whether the child has started more threads than any answer needs; asked while it is at work."""
        if self.pidfd < 0 or now - self._opened < _NOTICEABLE or thread_count(pid_of(self.pidfd)) <= _MAX_THREADS:
            return False
        self._reason = "too many threads"
        return True

    def _usage(self) -> tuple[float, float]:
        return usage(pid_of(self.pidfd)) if self.pidfd >= 0 else self._before

    def born(self, pid: int, pidfd: int, *, whole_group: bool) -> None:
        """Takes the handle of the child; kills it at once if the attempt is over already."""
        self.pidfd = pidfd
        self._group = pid if whole_group else 0
        if self.closed:
            self.kill()

    def close(self) -> None:
        """Kills the child, whatever it is doing, and closes its socket."""
        self.closed = True
        self._ended = time.monotonic()
        self.kill()
        if self.worker is not None:
            self.worker.released(self)
        if self._sock is not None:
            self._sock.close()

    def kill(self) -> None:
        """Kills the child if its handle has arrived; a handle that comes later is used at once."""
        if self.pidfd >= 0:
            try:
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
            except OSError:
                pass
            finally:
                os.close(self.pidfd)
                self.pidfd = -1
        if self._group:
            # Without namespaces and seccomp, what the child started can only be reached by its group.
            with contextlib.suppress(OSError):
                os.killpg(self._group, signal.SIGKILL)
            self._group = 0

    def book(self) -> None:
        """Books the call during which the child ended, if one was under way."""
        if self.finished or self.spoiled:
            return
        elapsed = self._ended - self._call_started
        if not self.timed_out and elapsed <= 0.9 * self.run.limit:
            self._book_one(RawOutcome("crashed", self._reason))
            return
        self.timed_out = True
        nothing_ran = self._reported == 0 and not self.body_done
        self._book_one(RawOutcome("timeout"))
        if nothing_ran:
            # The module's body never ended, and it is the same body for every call.
            self.run.book_missing(RawOutcome("not_run", "the module's body ran out of time"))
