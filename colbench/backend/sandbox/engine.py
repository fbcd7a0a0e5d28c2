"""The host's side of the sandbox: one thread that feeds workers, watches clocks and kills.

Everything that has to do with worker processes happens in this one thread, so a grader can be used from any thread,
from several at once, and from inside an event loop. The thread runs no code of a candidate's; it moves bytes, starts
and kills processes, and turns frames into raw outcomes. What a candidate sends is bounded in size before it is kept.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import os
import queue
import selectors
import socket
import threading
import time
from concurrent.futures import Future

from colbench.backend.outcomes import IsolationLevel
from colbench.backend.sandbox.interpreter import Interpreter
from colbench.backend.sandbox.jobs import Attempt, RawOutcome, Run, SandboxFailure, WorkerKey
from colbench.backend.sandbox.workers import Worker
from colbench.errors import SandboxError

__all__ = ["Engine"]

# A known-good answer for telling a broken sandbox from an answer that breaks it.
_PROBE_SOURCE, _PROBE_CALLS = "def sound(x):\n    return x + 1\n", ("sound(1)",)
_TICK = 0.25
# How often children at work are looked at for more threads than they may have.
_LOOK = 0.05


class Engine:
    """Runs jobs in sandboxed workers.

    Args:
        level: isolation level of every worker.
        interpreter: the Python inside.
        workers: the most workers of one kind, and half the number of candidates that run at the same time.
        memory_mb: memory a candidate may add to what the worker holds.
    """

    def __init__(self, level: IsolationLevel, interpreter: Interpreter, *, workers: int, memory_mb: int) -> None:
        self.level = level
        self.interpreter = interpreter
        self.workers = workers
        self.memory_mb = memory_mb
        self.pid = os.getpid()
        self._inbox: queue.SimpleQueue[Run] = queue.SimpleQueue()
        self._selector = selectors.DefaultSelector()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._asleep = False
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._pools: dict[WorkerKey, list[Worker]] = {}
        self._waiting: collections.deque[Attempt] = collections.deque()
        self._active: set[Attempt] = set()
        self._broken: str | None = None
        self._next_look = 0.0
        self._thread = threading.Thread(target=self._main, name="colbench-sandbox", daemon=True)
        self._thread.start()
        # Daemon threads are frozen at exit, so workers are ended before that. The thread keeps the engine alive
        # anyway, so it is the grader's finalizer that ends an engine early.
        atexit.register(self.close)

    def submit(self, run: Run) -> Future[list[RawOutcome]]:
        """Queues a run; the future gives one raw outcome per call, or raises SandboxError."""
        with self._lock:
            if self._stopping.is_set():
                raise SandboxError("the sandbox is closed; make a new Grader")
            self._inbox.put(run)
        if self._asleep:
            self._wake()
        return run.future

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            self._wake_in.send(b"w")

    def close(self) -> None:
        """Kills every worker and ends the thread; runs that are under way fail with SandboxError."""
        if os.getpid() != self.pid:
            return
        with self._lock:
            self._stopping.set()
        self._wake()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=30)
        atexit.unregister(self.close)

    # --- the thread ------------------------------------------------------------------------------------------------

    def _main(self) -> None:
        reason = "the sandbox was closed while this job was under way"
        try:
            self._selector.register(self._wake_out, selectors.EVENT_READ, None)
            while not self._stopping.is_set():
                self._turn()
        except BaseException as error:
            reason = f"the sandbox's thread failed: {type(error).__name__}: {error}"
            raise
        finally:
            with self._lock:
                self._stopping.set()
            self._shut_down(reason)

    def _turn(self) -> None:
        self._take_new()
        self._start_waiting()
        self._asleep = True
        timeout = 0.0 if not self._inbox.empty() else self._sleep_time()
        events = self._selector.select(timeout)
        self._asleep = False
        for key, _ in events:
            if key.data is None:
                with contextlib.suppress(BlockingIOError):
                    self._wake_out.recv(4096)
            else:
                key.data()
        self._check_clocks()

    def _sleep_time(self) -> float | None:
        busy = any(worker.starting or worker.asked for pool in self._pools.values() for worker in pool)
        if not self._active and not busy:
            return None
        now = time.monotonic()
        nearest = min((attempt.deadline for attempt in self._active), default=now + _TICK)
        return min(max(nearest - now, 0.0), _LOOK if self._active else _TICK)

    def _take_new(self) -> None:
        while True:
            try:
                run = self._inbox.get_nowait()
            except queue.Empty:
                return
            if run.future.set_running_or_notify_cancel():
                self._waiting.append(Attempt(run))

    def _start_waiting(self) -> None:
        held: list[Attempt] = []
        wanted: collections.Counter[WorkerKey] = collections.Counter()
        while self._waiting and len(self._active) < 2 * self.workers:
            attempt = self._waiting.popleft()
            key = attempt.run.key
            wanted[key] += 1
            try:
                worker = attempt.worker or self._worker_for(key, wanted[key], fresh=attempt.fresh_worker)
            except SandboxFailure as failure:
                self._failed(attempt, str(failure))
                continue
            if attempt.fresh_worker:
                attempt.worker = worker
            if worker is None or worker.starting:
                held.append(attempt)
            else:
                self._begin(attempt, worker)
        self._waiting.extendleft(reversed(held))

    def _worker_for(self, key: WorkerKey, wanted: int, *, fresh: bool) -> Worker | None:
        """A worker that can take one more, or None while one is starting."""
        if fresh:
            return self._new_worker(key, reserved=True)
        pool = [worker for worker in self._pools.get(key, ()) if not worker.reserved]
        ready = [worker for worker in pool if not worker.starting]
        busy = sum(worker.load for worker in ready)
        if len(ready) == len(pool) < self.workers and (not pool or busy + wanted > 2 * len(pool)):
            self._new_worker(key)
        return min(ready, key=lambda worker: worker.load, default=None)

    def _new_worker(self, key: WorkerKey, *, reserved: bool = False) -> Worker:
        worker = Worker(self.level, self.interpreter, key, memory_mb=self.memory_mb, reserved=reserved)
        self._pools.setdefault(key, []).append(worker)
        self._selector.register(worker.control, selectors.EVENT_READ, lambda: self._on_control(worker))
        return worker

    def _begin(self, attempt: Attempt, worker: Worker) -> None:
        attempt.worker = worker
        try:
            attempt.open(worker)
        except OSError as error:
            self._failed(attempt, f"a job could not be handed to the worker: {error}")
            return
        worker.running.append(attempt)
        self._active.add(attempt)
        self._selector.register(attempt.fileno, attempt.interest, lambda: self._on_data(attempt))

    def _on_control(self, worker: Worker) -> None:
        if worker.dead:
            return
        failure: SandboxFailure | None = None
        try:
            worker.read_control()
        except SandboxFailure as error:
            failure = error
        for attempt in worker.take_confirmed():
            self._after(attempt)
        if failure is not None:
            self._worker_died(worker, str(failure))

    def _worker_died(self, worker: Worker, reason: str) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(worker.control)
        started = not worker.starting
        worker.kill()
        with contextlib.suppress(ValueError):
            self._pools[worker.key].remove(worker)
        for attempt in [*worker.running, *worker.asked]:
            self._settle(attempt)
            self._failed(attempt, reason)
        worker.asked.clear()
        waiting = [a for a in self._waiting if a.worker is worker]
        if not started and not worker.reserved and not self._pools[worker.key]:
            # Nothing else of this kind is there to take them, and the next one would most likely fail as well.
            waiting = [a for a in self._waiting if a.run.key == worker.key and not a.fresh_worker]
        for attempt in waiting:
            self._waiting.remove(attempt)
            attempt.worker = None
            self._failed(attempt, reason)

    def _on_data(self, attempt: Attempt) -> None:
        if attempt.closed:
            return
        try:
            more = attempt.exchange()
        except SandboxFailure as failure:
            self._settle(attempt)
            self._failed(attempt, str(failure))
            return
        if attempt.finished:
            self._settle(attempt)
            self._after(attempt)
        elif not more:
            self._settle(attempt)
            self._ask_who_died(attempt)
        elif attempt.interest_changed():
            self._selector.modify(attempt.fileno, attempt.interest, self._selector.get_key(attempt.fileno).data)

    def _ask_who_died(self, attempt: Attempt) -> None:
        """A child died: only if its worker lives is that the candidate's doing, and not the sandbox's end."""
        worker = attempt.worker
        assert worker is not None
        try:
            if worker.dead:
                raise OSError("it has ended")
            worker.ask(attempt)
        except OSError as error:
            self._failed(attempt, f"a sandbox worker was lost: {error}")

    def _check_clocks(self) -> None:
        now = time.monotonic()
        for attempt in [a for a in self._active if a.deadline <= now]:
            if not attempt.ready:
                self._settle(attempt)
                self._failed(attempt, "a candidate's process did not become ready in time")
            elif attempt.overdue(now):
                self._settle(attempt)
                self._after(attempt)
        if now >= self._next_look:
            self._next_look = now + _LOOK
            for attempt in [a for a in self._active if a.crowded(now)]:
                self._settle(attempt)
                self._after(attempt)
        for pool in list(self._pools.values()):
            for worker in list(pool):
                if worker.starting and worker.started_at + 60 < now:
                    self._worker_died(worker, "a sandbox worker did not start within 60 s")
                elif worker.asked_at + 20 < now:
                    self._worker_died(worker, "a sandbox worker did not answer for 20 s")

    def _settle(self, attempt: Attempt) -> None:
        """Takes an attempt off the clock and makes sure that nothing of it runs on."""
        if attempt.closed:
            return
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(attempt.fileno)
        self._active.discard(attempt)
        attempt.close()

    def _after(self, attempt: Attempt) -> None:
        """Books what the attempt brought; the calls that it did not reach go on in a fresh child."""
        run = attempt.run
        attempt.book()
        if run.complete:
            if attempt.fresh_worker:
                self._retire(attempt.worker)
            run.finish()
            return
        self._waiting.appendleft(Attempt(run, worker=attempt.worker if attempt.fresh_worker else None))

    def _retire(self, worker: Worker | None) -> None:
        if worker is not None and not worker.running and not worker.asked and not worker.dead:
            self._worker_died(worker, "retired")

    def _failed(self, attempt: Attempt, reason: str) -> None:
        """A failure of the sandbox: once more in a fresh worker, beside an answer known to be good."""
        run = attempt.run
        if run.is_probe:
            run.fail(SandboxError(reason))
            return
        if run.retried:
            # A known-good answer has passed in a fresh worker, so what breaks the sandbox is this candidate.
            if attempt.fresh_worker and run.good_passed:
                run.crash_rest()
                run.finish()
            else:
                run.fail(SandboxError(reason))
            return
        run.retried = True
        source, calls = run.known_good or (_PROBE_SOURCE, _PROBE_CALLS)
        probe = Run(run.key, source, calls, mode=run.mode, limit=run.limit, seed=run.seed, is_probe=True)
        probe.future.add_done_callback(lambda done: self._probed(run, done, reason))
        probe.future.set_running_or_notify_cancel()
        self._waiting.appendleft(Attempt(probe, fresh_worker=True))

    def _probed(self, run: Run, done: Future[list[RawOutcome]], reason: str) -> None:
        error = done.exception()
        if error is not None:
            run.fail(SandboxError(f"{reason}; a known-good answer failed in a fresh worker as well: {error}"))
            return
        run.good_passed = True
        self._waiting.appendleft(Attempt(run, fresh_worker=True))

    def _shut_down(self, reason: str) -> None:
        for attempt in [*self._active, *(a for pool in self._pools.values() for w in pool for a in w.asked)]:
            self._settle(attempt)
            attempt.run.fail(SandboxError(reason))
        for attempt in self._waiting:
            attempt.run.fail(SandboxError(reason))
        while not self._inbox.empty():
            self._inbox.get_nowait().fail(SandboxError(reason))
        for pool in self._pools.values():
            for worker in pool:
                worker.kill()
        self._selector.close()
        self._wake_in.close()
        self._wake_out.close()
