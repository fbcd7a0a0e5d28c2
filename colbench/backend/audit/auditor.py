"""Runs the attacks on a grader and says which held.

The grader is called in a process of its own, one per attack, under a hard wall limit: a broken grader can neither hang
nor end the audit, and what one attack spoils does not show in the verdict on another. After the hostile answers the
same grader grades a good answer and a wrong one; then it is closed and the machine is searched for what is left.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from colbench.backend.audit import watch
from colbench.backend.audit.attack import CALLS, GOOD, REFERENCE, WRONG, Attack
from colbench.backend.audit.client import Broken, Probe
from colbench.backend.audit.collection import ATTACKS
from colbench.errors import ConfigurationError

__all__ = ["OUR_GRADER", "AttackResult", "AuditReport", "run_audit"]

OUR_GRADER = "colbench.backend.audit.ours:strict_score"

# A trusted process that reads results has no reason to grow by more than this.
_GROWTH_LIMIT = 300 << 20


@dataclass(frozen=True)
class AttackResult:
    """How one attack ended.

    Attributes:
        name: the attack.
        kind: its family.
        tries: what it tries.
        held: whether the grader withstood it.
        why: one sentence: what gave way, or the scores where nothing did.
        scores: the hostile answers' scores; None where there was none.
        seconds: time the whole attack took.
    """

    name: str
    kind: str
    tries: str
    held: bool
    why: str
    scores: tuple[float | None, ...]
    seconds: float


@dataclass(frozen=True)
class AuditReport:
    """All results, in the order of the collection."""

    grader: str
    results: tuple[AttackResult, ...]

    @property
    def broken(self) -> tuple[AttackResult, ...]:
        """The attacks that the grader did not withstand."""
        return tuple(result for result in self.results if not result.held)

    @property
    def all_held(self) -> bool:
        """Whether the grader withstood every attack."""
        return not self.broken

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """``(kind, attack, held or BROKEN, why, seconds)`` per attack, as text for a table."""
        return [
            (r.kind, r.name, "held" if r.held else "BROKEN", r.why if not r.held else r.tries, f"{r.seconds:.1f}")
            for r in self.results
        ]

    def to_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "grader": self.grader,
            "held": len(self.results) - len(self.broken),
            "total": len(self.results),
            "results": [asdict(result) for result in self.results],
        }


@dataclass(frozen=True)
class _Bait:
    """What the attacks look for on the host."""

    folder: Path
    port: int

    def fill(self, text: str, token: str) -> str:
        here = Path(__file__).resolve()
        values = {
            "@TOKEN@": token,
            "@FILE@": str(self.folder / f"{token}.py"),
            "@PORT@": str(self.port),
            "@AUDITOR@": str(os.getpid()),
            "@PACKAGE@": str(here.parents[2]),
            "@HOME@": str(Path.home()),
            "@CWD@": os.getcwd(),
        }
        for mark, value in values.items():
            text = text.replace(mark, value)
        return text


def run_audit(
    grade: str | Callable[..., Any] = OUR_GRADER,
    *,
    attacks: Sequence[Attack] | None = None,
    jobs: int | None = None,
    on_result: Callable[[AttackResult], None] | None = None,
) -> AuditReport:
    """Run the attack collection on a grader.

    Args:
        grade: ``module:function`` (or a function that can be imported by its name) taking ``(ground_truth, test_cases,
            answer)`` and returning the fraction of calls passed. If its module has a function ``close``, it is called
            before the audit looks for leftovers.
        attacks: the attacks to run; None means all of them.
        jobs: how many attacks run at once; None means one per core, at most four.
        on_result: called with each result as it comes in, from worker threads.

    Raises:
        ConfigurationError: the grader cannot be loaded.
    """
    spec = grade if isinstance(grade, str) else _spec_of(grade)
    chosen = list(ATTACKS if attacks is None else attacks)
    folder = Path(tempfile.mkdtemp(prefix="colbench-audit-"))
    folder.chmod(0o755)
    try:
        with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
            bait = _Bait(folder, server.getsockname()[1])
            # One quick start says whether the grader can be loaded at all, before many are started.
            probe = Probe(spec, secrets.token_hex(8), time.monotonic() + 60)
            probe.kill()

            def one(attack: Attack) -> AttackResult:
                result = _run_attack(spec, attack, bait)
                if on_result is not None:
                    on_result(result)
                return result

            with ThreadPoolExecutor(jobs or min(4, os.cpu_count() or 1)) as pool:
                results = tuple(pool.map(one, chosen))
    except Broken as error:
        raise ConfigurationError(f"the grader {spec!r} does not even start: {error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return AuditReport(spec, results)


def _spec_of(function: Callable[..., Any]) -> str:
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "<lambda>")
    if not module or module == "__main__" or "<" in name:
        raise ConfigurationError(
            f"the audit calls the grader in a process of its own, so {name!r} must be importable: "
            "put it in a module and name it as 'module:function'"
        )
    return f"{module}:{name}"


def _run_attack(spec: str, attack: Attack, bait: _Bait) -> AttackResult:
    token = secrets.token_hex(8)
    (bait.folder / f"{token}.py").write_text(bait.fill(REFERENCE, token))
    start = time.monotonic()
    scores: list[float | None] = []
    why = _withstands(spec, attack, bait, token, scores)
    left = _leftovers(attack, token)
    why = why or left
    return AttackResult(
        name=attack.name,
        kind=attack.kind,
        tries=attack.tries,
        held=why is None,
        why=why or "scores " + ", ".join(f"{score:g}" for score in scores if score is not None),
        scores=tuple(scores),
        seconds=time.monotonic() - start,
    )


def _withstands(spec: str, attack: Attack, bait: _Bait, token: str, scores: list[float | None]) -> str | None:
    """Why the grader did not withstand the attack; None where it did."""
    probe: Probe | None = None
    try:
        probe = Probe(spec, token, time.monotonic() + attack.seconds)
        reference = bait.fill(REFERENCE, token)
        # The first verdict also starts whatever the grader starts, so that growth is measured from there.
        _neighbours(probe, reference, "before the attack")
        peak = watch.peak_bytes(probe.process.pid)
        for answer in attack.answers:
            scores.append(None)
            scores[-1] = probe.grade(bait.fill(attack.reference, token), attack.calls, bait.fill(answer, token))
        _neighbours(probe, reference, "after the attack")
        grown = watch.peak_bytes(probe.process.pid) - peak
        if (zombies := _settled_zombies(probe)) > 0:
            raise Broken(f"{zombies} dead processes were not waited for")
        if grown > _GROWTH_LIMIT:
            raise Broken(f"the grading process grew by {grown >> 20} MB")
        for score in scores:
            if score is None or not attack.low <= score <= attack.high:
                bounds = f"{attack.low:g}" if attack.low == attack.high else f"{attack.low:g} to {attack.high:g}"
                raise Broken(
                    f"a hostile answer scored {score:g} instead of {bounds}" if score is not None else "no score"
                )
        probe.close()
    except Broken as error:
        return str(error)
    finally:
        if probe is not None:
            probe.kill()
    return None


def _neighbours(probe: Probe, reference: str, when: str) -> None:
    """Grade a good answer and a wrong one, each of which has one right score."""
    for answer, right in ((GOOD, 1.0), (WRONG, 0.0)):
        score = probe.grade(reference, CALLS, answer)
        if score != right:
            kind = "good" if right else "wrong"
            raise Broken(f"{when} a {kind} answer scored {score:g}")


def _settled_zombies(probe: Probe) -> int:
    # A child that died this very moment is no finding: it is one only if it is still there later.
    for _ in range(10):
        if probe.zombies() == 0:
            return 0
        time.sleep(0.1)
    return probe.zombies()


def _leftovers(attack: Attack, token: str) -> str | None:
    found = attack.leaves(token) if attack.leaves is not None else None
    pids = watch.marked_processes(token)
    patience = time.monotonic() + 2.0
    while pids and time.monotonic() < patience:
        time.sleep(0.1)
        pids = watch.marked_processes(token)
    watch.kill_all(pids)
    if pids:
        return f"{len(pids)} processes were left running"
    return found
