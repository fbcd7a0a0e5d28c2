"""A source to be run over its calls, and what has come back so far.

A *run* is the whole job; an *attempt* (see ``attempts``) is one child process at work on some of its calls.
"""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from colbench.backend.outcomes import CallStatus

if TYPE_CHECKING:
    # The two know each other; only names of types cross this way.
    from colbench.backend.sandbox.attempts import Attempt

__all__ = ["RawOutcome", "Run", "SandboxFailure", "WorkerKey"]


class SandboxFailure(Exception):
    """The sandbox, not the candidate, failed; turned into a retry or a SandboxError."""


class WorkerKey(NamedTuple):
    """What kind of worker a run needs.

    Attributes:
        role: ``reference`` and ``candidate`` never share a sandbox.
        preload: distributions loaded before forking.
        hash_seed: ``PYTHONHASHSEED`` inside.
    """

    role: str
    preload: tuple[str, ...] = ()
    hash_seed: int = 0


class RawOutcome(NamedTuple):
    """One call's end, before any comparison.

    Attributes:
        status: ``value`` or one of the call statuses.
        detail: the exception's or the opaque value's type, or a reason.
        raw: the encoded value, for ``value``.
    """

    status: CallStatus | str
    detail: str | None = None
    raw: bytes = b""


class Run:
    """A source and its calls.

    Args:
        key: kind of worker.
        source: Python source.
        calls: call expressions.
        mode: ``strict`` or ``paper``.
        limit: seconds per call.
        seed: seed of ``random`` and of NumPy's global generator, set again before every call.
        known_good: source and calls to try beside it should the sandbox fail.
        one_child_per_call: gives every call a process of its own.
        is_probe: the run is itself the known-good answer of another.
    """

    def __init__(
        self,
        key: WorkerKey,
        source: str,
        calls: tuple[str, ...],
        *,
        mode: str,
        limit: float,
        seed: int = 0,
        known_good: tuple[str, tuple[str, ...]] | None = None,
        one_child_per_call: bool = False,
        is_probe: bool = False,
    ) -> None:
        self.key = key
        self.source = source
        self.calls = calls
        self.mode = mode
        self.limit = limit
        self.seed = seed
        self.known_good = known_good
        self.one_child_per_call = one_child_per_call
        self.is_probe = is_probe
        self.retried = False
        self.outcomes: list[RawOutcome | None] = [None] * len(calls)
        self.attempts: set[Attempt] = set()
        self.kept_bytes = 0
        self.future: Future[list[RawOutcome]] = Future()

    @property
    def missing(self) -> tuple[int, ...]:
        """Numbers of the calls that have no outcome yet."""
        return tuple(number for number, outcome in enumerate(self.outcomes) if outcome is None)

    def book(self, number: int, outcome: RawOutcome) -> None:
        """Keeps a call's outcome; the first one stays."""
        if self.outcomes[number] is None:
            self.outcomes[number] = outcome

    def book_missing(self, outcome: RawOutcome) -> None:
        """Gives every call without an outcome this one."""
        for number in self.missing:
            self.outcomes[number] = outcome

    def finish(self) -> None:
        """Hands the outcomes over."""
        if not self.future.done():
            self.future.set_result([outcome for outcome in self.outcomes if outcome is not None])

    def fail(self, error: Exception) -> None:
        """Hands an error over."""
        if not self.future.done():
            self.future.set_exception(error)
