"""Grades Python answers: runs reference and answer over the task's calls, apart from each other, and compares.

Two modes. ``strict`` is what a user would call right: an answer passes a call if it returns the reference's value.
``paper`` reproduces the published scorer's verdicts, its quirks included, so that numbers can be compared with
published ones. Which mode, which isolation and which versions gave a verdict stands in every result.
"""

from __future__ import annotations

import asyncio
import os
import re
import threading
import warnings
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, get_args

from colbench.backend.extraction import extract_answer, paper_extract
from colbench.backend.outcomes import CallOutcome, GradeResult, GradingMode, IsolationLevel
from colbench.backend.sandbox.engine import Engine
from colbench.backend.sandbox.interpreter import DISTRIBUTIONS, find_interpreter
from colbench.backend.sandbox.jobs import RawOutcome, Run, WorkerKey
from colbench.backend.sandbox.probe import LEVELS, IsolationReport, probe_isolation
from colbench.backend.sandbox.reference_cache import ReferenceCache, cache_key
from colbench.backend.sandbox.worker import PROTOCOL
from colbench.backend.values import Evaluation, Value
from colbench.errors import ConfigurationError, SandboxError, TaskDataError

__all__ = ["Evaluation", "GradeJob", "Grader", "IsolationReport", "probe_isolation"]

MAX_SOURCE_CHARS = 1 << 20
_HEAVY = ("numpy", "scipy", "pandas")
_MENTION = re.compile(r"\b(numpy|scipy|pandas)\b")
# Code that may change what later calls in the same process would find; each call then gets a process of its own.
_REACHES_OUT = (
    *("atexit", "builtins", "ctypes", "environ", "_getframe", "gc.", "importlib", "mock", "setattr", "signal", "sys."),
    *("compile(", "eval(", "exec(", "from sys", "seterr", "thread", "Thread", "vars(", "warnings"),
    *("__import__", "__self__", "__dict__", "__code__", "__defaults__", "__kwdefaults__", "__globals__", "__class__"),
)
_FOREIGN_ATTRIBUTE = re.compile(r"^[ \t]*(?!self\b|cls\b)[A-Za-z_]\w*(?:\.\w+)+[ \t]*=[^=]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GradeJob:
    """One answer to be graded.

    Attributes:
        ground_truth: source of the reference.
        test_cases: name -> call expression; null entries are dropped.
        answer: what the agent said; the code is found in it.
        entry_point: name of the function that is asked for; the reference's function that the calls name when None.
    """

    ground_truth: str
    test_cases: Mapping[str, str | None]
    answer: str
    entry_point: str | None = None


class _Pending:
    """A job under way."""

    __slots__ = ("calls", "candidate", "reference", "refusal")

    def __init__(
        self,
        calls: tuple[str, ...],
        reference: Future[tuple[Evaluation, ...]] | None = None,
        candidate: Future[list[RawOutcome]] | None = None,
        refusal: CallOutcome | None = None,
    ) -> None:
        self.calls = calls
        self.reference = reference
        self.candidate = candidate
        self.refusal = refusal


class Grader:
    """Grades answers in sandboxed workers; usable from any thread, and as a context manager.

    Args:
        grading: ``"strict"`` or ``"paper"``.
        workers: sandboxes of one kind; twice as many answers run at a time. The usable cores by default.
        isolation: the level to run at; ``"auto"`` takes the best this machine gives.
        allow_weaker: accept a level below ``full``. Answers can then read files of this account, or worse.
        call_seconds: time limit of one call.
        memory_mb: memory that an answer may take.
        cache_dir: folder that keeps reference results between processes.
        python: interpreter that answers run on (path or command); the running one's base by default.
        distributions: distributions that answers may import, where they are installed.

    Raises:
        ConfigurationError: an option is wrong, or a weaker level was asked for without ``allow_weaker``.
        SandboxError: the level is not to be had on this machine; the message names the remedy.
    """

    def __init__(
        self,
        grading: GradingMode = "strict",
        *,
        workers: int | None = None,
        isolation: Literal["auto", "full", "partial", "weak"] = "auto",
        allow_weaker: bool = False,
        call_seconds: float = 1.0,
        memory_mb: int = 512,
        cache_dir: Path | str | None = None,
        python: str | None = None,
        distributions: Sequence[str] = DISTRIBUTIONS,
    ) -> None:
        if grading not in get_args(GradingMode):
            raise ConfigurationError(f"grading={grading!r}: use 'strict' or 'paper'")
        if workers is not None and workers < 1:
            raise ConfigurationError(f"workers={workers}: at least 1 is needed")
        if not 0.01 <= call_seconds <= 600:
            raise ConfigurationError(f"call_seconds={call_seconds}: use 0.01 to 600")
        if memory_mb < 64:
            raise ConfigurationError(f"memory_mb={memory_mb}: at least 64 is needed")
        self.grading: GradingMode = grading
        self.call_seconds = call_seconds
        self.memory_mb = memory_mb
        self.workers = workers or _usable_cores()
        self.interpreter = find_interpreter(python, distributions)
        self.isolation: IsolationLevel = _choose_level(isolation, allow_weaker, python)
        self.versions = {"python": self.interpreter.version, "worker": PROTOCOL, **self.interpreter.distributions}
        self._cache = ReferenceCache(Path(cache_dir) if cache_dir is not None else None)
        self._lock = threading.Lock()
        self._references: dict[str, Future[tuple[Evaluation, ...]]] = {}
        self._closed = False
        self._engine: Engine | None = None
        self._finalizer: Any = None

    def __enter__(self) -> Grader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends all workers; nothing is left running. A second call does nothing."""
        self._closed = True
        if self._finalizer is not None:
            self._finalizer()

    def _running(self) -> Engine:
        engine = self._engine
        if engine is not None and engine.pid == os.getpid():
            return engine
        if engine is not None:
            # This is a forked copy: the thread and its workers belong to the parent.
            self._lock = threading.Lock()
            self._references = {}
        with self._lock:
            if self._engine is engine:
                if self._closed:
                    raise SandboxError("this Grader is closed; make a new one")
                self._engine = Engine(self.isolation, self.interpreter, workers=self.workers, memory_mb=self.memory_mb)
                self._finalizer = weakref.finalize(self, self._engine.close)
            assert self._engine is not None
            return self._engine

    # --- grading -------------------------------------------------------------------------------------------------

    def grade(
        self,
        *,
        ground_truth: str,
        test_cases: Mapping[str, str | None],
        answer: str,
        entry_point: str | None = None,
    ) -> GradeResult:
        """Grades one answer; blocks until the verdict.

        Args:
            ground_truth: source of the reference.
            test_cases: name -> call expression; null entries are dropped.
            answer: what the agent said; the code is found in it.
            entry_point: name of the function that is asked for.

        Raises:
            TaskDataError: the task has no calls, or its parts are not text.
            ConfigurationError: ``answer`` is not text.
            SandboxError: the sandbox failed, also in a fresh worker.
        """
        return self._verdict(self._start(GradeJob(ground_truth, test_cases, answer, entry_point)))

    async def agrade(
        self,
        *,
        ground_truth: str,
        test_cases: Mapping[str, str | None],
        answer: str,
        entry_point: str | None = None,
    ) -> GradeResult:
        """As :meth:`grade`, without blocking the event loop."""
        job = GradeJob(ground_truth, test_cases, answer, entry_point)
        pending = await asyncio.to_thread(self._start, job)
        for future in (pending.reference, pending.candidate):
            if future is not None:
                # Several jobs may wait for one reference, so giving up on one must not cancel it.
                await asyncio.shield(asyncio.wrap_future(future))
        return await asyncio.to_thread(self._verdict, pending)

    def grade_many(self, jobs: Iterable[GradeJob]) -> Iterator[GradeResult]:
        """Grades many answers, results in the order of the jobs.

        The input is read as needed: at most 64 jobs per worker ahead of the result being yielded, of which two per
        worker run at a time.

        Args:
            jobs: the answers.

        Yields:
            One result per job.

        Raises:
            TaskDataError: a task has no calls.
            SandboxError: the sandbox failed for a job, also in a fresh worker.
        """
        pending: deque[_Pending] = deque()
        for job in jobs:
            pending.append(self._start(job))
            while pending and (len(pending) >= 64 * self.workers or _is_done(pending[0])):
                yield self._verdict(pending.popleft())
        while pending:
            yield self._verdict(pending.popleft())

    def reference_results(self, ground_truth: str, test_cases: Mapping[str, str | None]) -> tuple[Evaluation, ...]:
        """What a reference gives for its own calls; kept, so it costs nothing after an answer was graded by it.

        Args:
            ground_truth: source of the reference.
            test_cases: name -> call expression; null entries are dropped.

        Returns:
            One evaluation per call.

        Raises:
            TaskDataError: the task has no calls, or its parts are not text.
            SandboxError: the sandbox failed, also in a fresh worker.
        """
        return self._reference(ground_truth, _checked_calls(ground_truth, test_cases)).result()

    def evaluate(
        self,
        source: str,
        calls: Sequence[str],
        entry_point: str | None = None,
        *,
        random_seed: int = 0,
        hash_seed: int = 0,
    ) -> list[Evaluation]:
        """Runs one source over calls in the sandbox, for those who make or check tasks.

        Args:
            source: Python source; not an answer with prose around it.
            calls: call expressions.
            entry_point: when given, a source that does not define this name at its top level is refused.
            random_seed: seed of ``random`` and of NumPy's global generator, set before every call.
            hash_seed: seed of string hashing, which decides the order of sets.

        Returns:
            One evaluation per call.

        Raises:
            TaskDataError: ``source`` does not define ``entry_point``.
            SandboxError: the sandbox failed, also in a fresh worker.
        """
        if entry_point is not None and not re.search(
            rf"^(?:(?:async[ \t]+)?def|class)[ \t]+{re.escape(entry_point)}\b|^{re.escape(entry_point)}[ \t]*[:=]",
            source,
            re.MULTILINE,
        ):
            raise TaskDataError(f"the source defines no {entry_point!r} at its top level")
        future = self._submit("reference", source, tuple(calls), random_seed=random_seed, hash_seed=hash_seed)
        return [_evaluation(outcome) for outcome in future.result()]

    # --- inside ---------------------------------------------------------------------------------------------------

    def _start(self, job: GradeJob) -> _Pending:
        calls = _checked_calls(job.ground_truth, job.test_cases)
        if not isinstance(job.answer, str):
            raise ConfigurationError(f"answer must be text ('' for none), actually: {type(job.answer).__name__}")
        if self.grading == "paper":
            code = paper_extract(job.answer)
            if code is None:
                return _Pending(calls, refusal=CallOutcome("not_run", "the answer holds a phrase on the ban list"))
        else:
            code = extract_answer(job.answer, job.entry_point or _called_function(job.ground_truth, calls))
        if len(code) > MAX_SOURCE_CHARS:
            return _Pending(calls, refusal=CallOutcome("not_run", f"more than {MAX_SOURCE_CHARS} characters of code"))
        reference = self._reference(job.ground_truth, calls)
        candidate = self._submit("candidate", code, calls, known_good=(job.ground_truth, calls))
        return _Pending(calls, reference, candidate)

    def _reference(self, source: str, calls: tuple[str, ...]) -> Future[tuple[Evaluation, ...]]:
        key = cache_key(source, calls, self.grading, self.call_seconds, (0, 0), self.versions)
        self._running()
        with self._lock:
            known = self._references.get(key)
            if known is not None:
                return known
            cached = self._cache.get(key)
            answer: Future[tuple[Evaluation, ...]] = Future()
            if cached is not None and len(cached) == len(calls):
                answer.set_result(cached)
                return answer
            self._references[key] = answer
        run = self._submit("reference", source, calls)

        def hand_on(done: Future[list[RawOutcome]]) -> None:
            with self._lock:
                self._references.pop(key, None)
            error = done.exception()
            if error is not None:
                answer.set_exception(error)
                return
            found = tuple(_evaluation(outcome) for outcome in done.result())
            try:
                self._cache.put(key, found)
            except OSError as broken:
                warnings.warn(f"reference results could not be written to {self._cache.folder}: {broken}", stacklevel=2)
            finally:
                answer.set_result(found)

        run.add_done_callback(hand_on)
        return answer

    def _submit(
        self,
        role: str,
        source: str,
        calls: tuple[str, ...],
        *,
        known_good: tuple[str, tuple[str, ...]] | None = None,
        random_seed: int = 0,
        hash_seed: int = 0,
    ) -> Future[list[RawOutcome]]:
        mentioned = set(_MENTION.findall(source))
        if mentioned & {"scipy", "pandas"}:
            mentioned.add("numpy")
        preload = tuple(name for name in _HEAVY if name in mentioned and name in self.interpreter.distributions)
        run = Run(
            WorkerKey(role, preload, hash_seed),
            source,
            calls,
            mode=self.grading,
            limit=self.call_seconds,
            seed=random_seed,
            known_good=known_good,
            one_child_per_call=self.grading == "strict" and _reaches_out(source),
        )
        return self._running().submit(run)

    def _verdict(self, pending: _Pending) -> GradeResult:
        outcomes: tuple[CallOutcome, ...]
        if pending.refusal is not None:
            outcomes = (pending.refusal,) * len(pending.calls)
        else:
            assert pending.reference is not None and pending.candidate is not None
            pairs = zip(pending.reference.result(), pending.candidate.result(), strict=True)
            outcomes = tuple(self._outcome(expected, got) for expected, got in pairs)
        return GradeResult.from_outcomes(
            outcomes, grading=self.grading, isolation=self.isolation, versions=self.versions
        )

    def _outcome(self, expected: Evaluation, got: RawOutcome) -> CallOutcome:
        if got.status != "value":
            return CallOutcome(got.status, got.detail)  # type: ignore[arg-type]
        if expected.value is None:
            return CallOutcome("different", f"the reference gives no value here ({expected.status})")
        return CallOutcome("equal" if expected.value.equal(Value(got.raw), self.grading) else "different")


def _checked_calls(ground_truth: object, test_cases: object) -> tuple[str, ...]:
    """The calls of a task whose parts have the right types; the hidden values are not printed."""
    if not isinstance(ground_truth, str):
        raise TaskDataError(f"ground_truth must be the source as text, actually: {type(ground_truth).__name__}")
    if not isinstance(test_cases, Mapping):
        raise TaskDataError(f"test_cases must map names to calls as text, actually: {type(test_cases).__name__}")
    for name, call in test_cases.items():
        if call is not None and not isinstance(call, str):
            raise TaskDataError(f"test_cases: the call {name!r} must be text, actually: {type(call).__name__}")
    calls = tuple(call for call in test_cases.values() if call is not None)
    if not calls:
        raise TaskDataError("the task has no calls to judge an answer by (test_cases is empty)")
    return calls


def _evaluation(outcome: RawOutcome) -> Evaluation:
    value = Value(outcome.raw) if outcome.status == "value" else None
    return Evaluation(outcome.status, outcome.detail, value)  # type: ignore[arg-type]


def _reaches_out(source: str) -> bool:
    return any(word in source for word in _REACHES_OUT) or _FOREIGN_ATTRIBUTE.search(source) is not None


def _is_done(pending: _Pending) -> bool:
    return all(future is None or future.done() for future in (pending.reference, pending.candidate))


def _called_function(source: str, calls: tuple[str, ...]) -> str | None:
    """The function of a reference that its calls call: the one most of them name, the last of several such."""
    found = re.findall(r"^(?:async[ \t]+)?def[ \t]+([A-Za-z_]\w*)", source, re.MULTILINE)
    uses = {name: sum(f"{name}(" in call for call in calls) for name in found}
    return max(reversed(found), key=uses.__getitem__, default=None)


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _choose_level(isolation: str, allow_weaker: bool, python: str | None) -> IsolationLevel:
    if isolation not in ("auto", *LEVELS):
        raise ConfigurationError(f"isolation={isolation!r}: use 'auto', 'full', 'partial' or 'weak'")
    if isolation in ("partial", "weak"):
        if not allow_weaker:
            raise ConfigurationError(
                f"isolation={isolation!r} does not keep a hostile answer away from this account's files; "
                "pass allow_weaker=True if you trust the answers"
            )
        return isolation  # type: ignore[return-value]
    report = probe_isolation(python)
    if report.level == "full":
        return "full"
    problem = f"full isolation is not available here ({'; '.join(report.missing)})."
    if isolation == "full" or not allow_weaker:
        raise SandboxError(
            f"{problem} To mend it: {report.remedy}. To run answers that you trust at level "
            f"{report.level!r} all the same, pass isolation='auto' with allow_weaker=True."
        )
    warnings.warn(f"{problem} Answers run at level {report.level!r}. To mend it: {report.remedy}", stacklevel=3)
    return report.level
