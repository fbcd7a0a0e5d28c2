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
from colbench.backend.sandbox.attempts import Attempt
from colbench.backend.sandbox.interpreter import Interpreter
from colbench.backend.sandbox.jobs import RawOutcome, Run, SandboxFailure, WorkerKey
from colbench.backend.sandbox.pool import WorkerPool
from colbench.backend.sandbox.workers import Worker
from colbench.errors import SandboxError

__all__ = ["Engine"]

# A known-good answer for telling a broken sandbox from an answer that breaks it.
_PROBE_SOURCE, _PROBE_CALLS = "def sound(x):\n    return x + 1\n", ("sound(1)",)
_TICK = 0.25
# How often children at work are looked at for more threads than they may have.
_LOOK = 0.05
_START_SECONDS = 60.0
_ANSWER_SECONDS = 20.0


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
        self._pool = WorkerPool(level, interpreter, most=workers, memory_mb=memory_mb, started=self._watch)
        self._waiting: collections.deque[Attempt] = collections.deque()
        self._active: set[Attempt] = set()
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
        if self._active:
            now = time.monotonic()
            return min(max(min(attempt.deadline for attempt in self._active) - now, 0.0), _LOOK)
        return _TICK if any(worker.starting or worker.asked for worker in self._pool) else None

    def _take_new(self) -> None:
        while True:
            try:
                run = self._inbox.get_nowait()
            except queue.Empty:
                return
            if not run.future.set_running_or_notify_cancel():
                continue
            numbers = run.missing
            self._waiting.append(Attempt(run, numbers[:1] if run.one_child_per_call else numbers))

    def _room(self) -> int:
        """How many more candidates may start: two per worker, beside as many that have been at it for long."""
        active = len(self._active)
        if active < 2 * self.workers:
            return 2 * self.workers - active
        now = time.monotonic()
        lasting = sum(attempt.lasting(now) for attempt in self._active)
        return min(2 * self.workers - (active - lasting), 4 * self.workers - active)

    def _start_waiting(self) -> None:
        if not self._waiting:
            return
        held: list[Attempt] = []
        wanted: collections.Counter[WorkerKey] = collections.Counter()
        room = self._room()
        while self._waiting and room > 0:
            attempt = self._waiting.popleft()
            key = attempt.run.key
            wanted[key] += 1
            try:
                if not attempt.fresh_worker:
                    worker = self._pool.choose(key, wanted[key])
                else:
                    worker = attempt.worker = attempt.worker or self._pool.start(key, reserved=True)
            except SandboxFailure as failure:
                self._failed(attempt, str(failure))
                continue
            if worker is None or worker.starting:
                held.append(attempt)
            else:
                self._begin(attempt, worker)
                room -= 1
        # A failure just now may have ended the run of one that was held.
        self._waiting.extendleft(a for a in reversed(held) if a in a.run.attempts)

    def _watch(self, worker: Worker) -> None:
        self._selector.register(worker.control, selectors.EVENT_READ, lambda: self._on_control(worker))

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

    # --- events ----------------------------------------------------------------------------------------------------

    def _on_control(self, worker: Worker) -> None:
        if worker.dead:
            return
        failure: SandboxFailure | None = None
        try:
            worker.read_control()
        except SandboxFailure as error:
            failure = error
        for attempt in worker.take_confirmed():
            if attempt in attempt.run.attempts:
                self._after(attempt)
        if failure is not None:
            self._worker_died(worker, str(failure))

    def _worker_died(self, worker: Worker, reason: str) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(worker.control)
        started = not worker.starting
        self._pool.remove(worker)
        lost = [*worker.running, *worker.asked]
        worker.asked.clear()
        lost += [attempt for attempt in self._waiting if attempt.worker is worker]
        if not started and not worker.reserved and not self._pool.has(worker.key):
            # Nothing else of this kind is there to take them, and the next one would most likely fail as well.
            lost += [a for a in self._waiting if a.run.key == worker.key and not a.fresh_worker]
        for attempt in lost:
            if attempt in attempt.run.attempts:
                self._failed(attempt, reason)

    def _on_data(self, attempt: Attempt) -> None:
        if attempt.closed:
            return
        try:
            more = attempt.exchange()
        except SandboxFailure as failure:
            self._failed(attempt, str(failure))
            return
        if attempt.finished or attempt.spoiled:
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
            if attempt.closed:
                continue
            if not attempt.ready:
                self._failed(attempt, "a candidate's process did not become ready in time")
            elif attempt.overdue(now):
                self._settle(attempt)
                self._after(attempt)
        if now >= self._next_look:
            self._next_look = now + _LOOK
            for attempt in [a for a in self._active if a.crowded(now)]:
                self._settle(attempt)
                self._after(attempt)
        for worker in self._pool:
            if worker.starting and worker.started_at + _START_SECONDS < now:
                self._worker_died(worker, f"a sandbox worker did not start within {_START_SECONDS:.0f} s")
            elif worker.asked_at + _ANSWER_SECONDS < now:
                self._worker_died(worker, f"a sandbox worker did not answer for {_ANSWER_SECONDS:.0f} s")

    # --- what becomes of an attempt ----------------------------------------------------------------------------------

    def _settle(self, attempt: Attempt) -> None:
        """Takes an attempt off the clock and makes sure that nothing of it runs on."""
        if attempt.closed:
            return
        if attempt in self._active:
            self._active.discard(attempt)
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(attempt.fileno)
        attempt.close()

    def _drop_all(self, run: Run) -> None:
        """Ends every attempt of a run, wherever it is."""
        for attempt in run.attempts:
            self._settle(attempt)
        if any(attempt.run is run for attempt in self._waiting):
            self._waiting = collections.deque(a for a in self._waiting if a.run is not run)
        run.attempts.clear()

    def _after(self, attempt: Attempt) -> None:
        """Books what the attempt brought; the calls that it did not reach go on in fresh children."""
        run = attempt.run
        attempt.book()
        run.attempts.discard(attempt)
        if not run.missing:
            self._drop_all(run)
            run.finish()
            if attempt.fresh_worker:
                self._retire(attempt.worker)
            return
        left = attempt.left
        if attempt.fresh_worker:
            self._waiting.appendleft(Attempt(run, left, worker=attempt.worker))
        elif run.one_child_per_call or attempt.timed_out:
            # One call at a time and side by side, since each of them may well take its whole time; after the others.
            numbers = run.missing if run.one_child_per_call and attempt.numbers == (0,) else left
            self._waiting.extend(Attempt(run, (number,)) for number in numbers)
        elif left:
            self._waiting.appendleft(Attempt(run, left))

    def _retire(self, worker: Worker | None) -> None:
        if worker is not None and not worker.running and not worker.asked and not worker.dead:
            self._worker_died(worker, "retired")

    def _failed(self, attempt: Attempt, reason: str) -> None:
        """A failure of the sandbox: once more in a fresh worker, after an answer known to be good."""
        run = attempt.run
        again = attempt.fresh_worker
        self._settle(attempt)
        self._drop_all(run)
        if again:
            self._retire(attempt.worker)
        if run.is_probe:
            run.fail(SandboxError(reason))
        elif not run.retried:
            run.retried = True
            source, calls = run.known_good or (_PROBE_SOURCE, _PROBE_CALLS)
            probe = Run(run.key, source, calls, mode=run.mode, limit=run.limit, seed=run.seed, is_probe=True)
            probe.future.add_done_callback(lambda done: self._probed(run, done, reason))
            probe.future.set_running_or_notify_cancel()
            self._waiting.appendleft(Attempt(probe, probe.missing, fresh_worker=True))
        else:
            # A known-good answer has passed in a fresh worker, so what breaks the sandbox is this candidate.
            run.book_missing(RawOutcome("crashed", "breaks the sandbox"))
            run.finish()

    def _probed(self, run: Run, done: Future[list[RawOutcome]], reason: str) -> None:
        error = done.exception()
        if error is not None:
            again = "" if str(error) == reason else f": {error}"
            run.fail(SandboxError(f"{reason}; a known-good answer failed in a fresh worker as well{again}"))
            return
        self._waiting.appendleft(Attempt(run, run.missing, fresh_worker=True))

    def _shut_down(self, reason: str) -> None:
        left = {*self._active, *self._waiting, *(attempt for worker in self._pool for attempt in worker.asked)}
        for attempt in left:
            self._settle(attempt)
            attempt.run.fail(SandboxError(reason))
        while not self._inbox.empty():
            self._inbox.get_nowait().fail(SandboxError(reason))
        for worker in self._pool:
            self._pool.remove(worker)
        self._selector.close()
        self._wake_in.close()
        self._wake_out.close()
