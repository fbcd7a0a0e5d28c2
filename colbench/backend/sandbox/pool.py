"""The workers that are running, by kind, and which of them takes the next candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from colbench.backend.outcomes import IsolationLevel
from colbench.backend.sandbox.interpreter import Interpreter
from colbench.backend.sandbox.jobs import WorkerKey
from colbench.backend.sandbox.workers import Worker

__all__ = ["WorkerPool"]


class WorkerPool:
    """Starts workers when they are wanted and keeps them.

    Args:
        level: isolation level of every worker.
        interpreter: the Python inside.
        most: the most workers of one kind.
        memory_mb: memory a candidate may add to what the worker holds.
        started: called with every new worker.
    """

    def __init__(
        self,
        level: IsolationLevel,
        interpreter: Interpreter,
        *,
        most: int,
        memory_mb: int,
        started: Callable[[Worker], None],
    ) -> None:
        self._level = level
        self._interpreter = interpreter
        self._most = most
        self._memory_mb = memory_mb
        self._started = started
        self._workers: dict[WorkerKey, list[Worker]] = {}

    def __iter__(self) -> Iterator[Worker]:
        """All workers; the pool may change while they are gone through."""
        return iter([worker for workers in self._workers.values() for worker in workers])

    def has(self, key: WorkerKey) -> bool:
        """Whether a worker of this kind is there or on its way."""
        return bool(self._workers.get(key))

    def choose(self, key: WorkerKey, wanted: int) -> Worker | None:
        """The worker for one more candidate, or None while the first of its kind is starting.

        Args:
            key: the kind.
            wanted: candidates of this kind that are waiting; two at a time are worth a worker.

        Raises:
            SandboxFailure: a worker cannot be started.
        """
        shared = [worker for worker in self._workers.get(key, ()) if not worker.reserved]
        ready = [worker for worker in shared if not worker.starting]
        busy = sum(worker.load for worker in ready)
        if len(ready) == len(shared) < self._most and (not shared or busy + wanted > 2 * len(shared)):
            self.start(key)
        return min(ready, key=lambda worker: worker.load, default=None)

    def start(self, key: WorkerKey, *, reserved: bool = False) -> Worker:
        """A new worker; ``reserved`` ones are never chosen for others.

        Raises:
            SandboxFailure: it cannot be started.
        """
        worker = Worker(self._level, self._interpreter, key, memory_mb=self._memory_mb, reserved=reserved)
        self._workers.setdefault(key, []).append(worker)
        self._started(worker)
        return worker

    def remove(self, worker: Worker) -> None:
        """Kills a worker and forgets it."""
        worker.kill()
        workers = self._workers.get(worker.key, [])
        if worker in workers:
            workers.remove(worker)
