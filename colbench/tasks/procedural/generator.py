"""Make procedural tasks: request, reference, ten calls, and the combinations that pass them.

Known credit rests on what is checked here for every task: that each decision matters to the calls, and that a guess
is unlikely to pass.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from colbench.errors import ConfigurationError, TaskDataError
from colbench.plugins import check_options
from colbench.tasks.procedural.equality import same
from colbench.tasks.procedural.family import Combination, Family, Split
from colbench.tasks.procedural.identifiers import TaskIdentifier
from colbench.tasks.procedural.registry import backend_families, family_named
from colbench.tasks.schema import BackendTask, Decision, ProceduralRecord

__all__ = ["generate_task", "procedural_tasks", "task_from_id"]

MAX_COMBINATIONS = 4096

_DIALS = ("stated", "hidden")
_POOLS = (40, 80, 160)  # candidate calls, more where few do not tell apart, so that no combination is rare
_RIVALS = 30  # random other combinations that the calls should tell apart, besides the single flips
_ATTEMPTS = 500
_SEEDS_PER_SET = 1_000_000


def generate_task(
    family: str | Family,
    seed: int,
    *,
    split: Split = "train",
    stated: int | None = None,
    hidden: int | None = None,
) -> BackendTask:
    """Make one task.

    Args:
        family: a family or its name.
        seed: seed of the task inside its family, split and dials.
        split: the half of the combinations from which the reference is taken.
        stated: number of decisions that the request states; default: the seed decides.
        hidden: number of decisions that it leaves open (4 to 8 in the built-in families), instead of ``stated``.

    Raises:
        ConfigurationError: unknown family or split, or dials that the family cannot meet.
    """
    if not isinstance(family, str | Family):
        raise ConfigurationError(f"family must be the name of a family, or a Family, actually: {family!r}")
    name = family if isinstance(family, str) else family.name
    seed = _whole("seed", seed)
    stated = None if stated is None else _whole("stated", stated)
    hidden = None if hidden is None else _whole("hidden", hidden)
    return task_from_id(str(TaskIdentifier(name, split, stated, hidden, seed)))


def procedural_tasks(
    split: Split,
    n: int,
    seed: int = 0,
    families: Iterable[str] | None = None,
    **dials: int | None,
) -> list[BackendTask]:
    """Make ``n`` tasks, taking the families in turn; set ``seed`` shares no task with another set.

    Args:
        split: ``"train"`` or ``"test"``; they share no combination of decisions.
        n: number of tasks, at most one million.
        seed: seed of the set.
        families: names of the families to use; default: all built-in ones.
        dials: ``stated`` or ``hidden``, as in :func:`generate_task`.

    Raises:
        ConfigurationError: as :func:`generate_task`, for an unknown dial, or ``n`` is out of range.
    """
    check_options("procedural tasks", {k: v for k, v in dials.items() if k not in _DIALS}, (*_DIALS, "families"))
    n, seed = _whole("n", n), _whole("seed", seed)
    if not 0 <= n <= _SEEDS_PER_SET:
        raise ConfigurationError(f"n is {n}; a set holds 0 to {_SEEDS_PER_SET:,} tasks")
    if isinstance(families, str):
        raise ConfigurationError(f"families is the text {families!r}; give a list of names: [{families!r}]")
    names = [f.name for f in backend_families()] if families is None else list(families)
    if not names:
        raise ConfigurationError("families is empty; leave it out to use all of them")
    first = seed * _SEEDS_PER_SET
    return [generate_task(names[i % len(names)], first + i, split=split, **dials) for i in range(n)]


def _whole(what: str, value: object) -> int:
    """A whole number, NumPy's included, as Python's; ``1.5`` and ``True`` are none."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise ConfigurationError(f"{what} must be a whole number, actually: {value!r}")


@lru_cache(maxsize=8192)
def task_from_id(task_id: str) -> BackendTask:
    """Make the task that an id names; the same id always gives the same task.

    Raises:
        TaskDataError: no procedural id, or one of another generator version.
        ConfigurationError: the id names an unknown family, or dials that the family cannot meet.
    """
    identifier = TaskIdentifier.parse(task_id)
    family = family_named(identifier.family)
    if family.count > MAX_COMBINATIONS:
        raise ConfigurationError(f"family {family.name!r} has {family.count} combinations, over {MAX_COMBINATIONS}")
    numbers = _hidden_numbers(family, identifier)
    rng = random.Random(f"colbench {task_id}")  # seeding with text goes through SHA-512: the same everywhere
    for _ in range(_ATTEMPTS):
        chosen = _draw_combination(family, identifier.split, rng)
        hidden = _draw_hidden(family, rng.choice(numbers), rng)
        calls = None
        for size in _POOLS:
            calls = calls or _choose_calls(family, chosen, _draw_pool(family, size, rng), rng)
        if calls is None:
            continue
        passing = _passing(family, [arguments for arguments, _ in calls], [value for _, value in calls])
        if _chance(family, chosen, hidden, passing) > family.limits.max_chance:
            continue
        rng.shuffle(calls)
        return _assemble(family, identifier, chosen, hidden, [arguments for arguments, _ in calls], passing, rng)
    raise TaskDataError(f"{task_id}: no task found in {_ATTEMPTS} attempts; the calls of the family do not tell apart")


def _hidden_numbers(family: Family, identifier: TaskIdentifier) -> list[int]:
    """Numbers of hidden decisions that the dials and the family allow."""
    total = len(family.decisions)
    least = family.limits.min_hidden
    allowed = range(least, min(family.limits.max_hidden, total) + 1)
    wanted = identifier.hidden if identifier.stated is None else total - identifier.stated
    if wanted is None:
        return list(allowed)
    if wanted not in allowed:
        raise ConfigurationError(
            f"family {family.name!r} has {total} decisions, of which {least} to {allowed[-1]} can be hidden; "
            f"the dials ask for {wanted}"
        )
    return [wanted]


def _draw_combination(family: Family, split: Split, rng: random.Random) -> Combination:
    while True:
        combination = tuple(rng.randrange(size) for size in family.sizes)
        if family.split_of(combination) == split:
            return combination


def _draw_hidden(family: Family, number: int, rng: random.Random) -> frozenset[int]:
    """Indices of the decisions to leave open, enough of them for the least number of combinations."""
    while True:
        hidden = frozenset(rng.sample(range(len(family.sizes)), number))
        if math.prod(family.sizes[i] for i in hidden) >= family.limits.min_consistent:
            return hidden


def _draw_pool(family: Family, size: int, rng: random.Random) -> list[tuple[Any, ...]]:
    """Candidate calls, no two alike."""
    pool: dict[str, tuple[Any, ...]] = {}
    for _ in range(size):
        arguments = family.arguments(rng)
        pool.setdefault(repr(arguments), arguments)
    return list(pool.values())


def _run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Value of a call; an exception, like a missing value, becomes None, which never passes."""
    try:
        return function(*arguments)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None


def _choose_calls(
    family: Family, chosen: Combination, pool: Sequence[tuple[Any, ...]], rng: random.Random
) -> list[tuple[tuple[Any, ...], Any]] | None:
    """The calls of a task with their values, such that every flip of one decision shows; None if the pool has none.

    They are taken one by one, each the one that shows most of what was shown least so far, so the first ones tell
    apart best.
    """
    reference = family.function(chosen)
    values = [_run(reference, arguments) for arguments in pool]
    usable = [i for i, value in enumerate(values) if value is not None]
    flips = [combination for _, combination in family.flips(chosen)]
    rivals = [tuple(rng.randrange(size) for size in family.sizes) for _ in range(_RIVALS)]
    functions = [family.function(combination) for combination in flips + [r for r in rivals if r != chosen]]
    shows = {i: [not same(_run(f, pool[i]), values[i]) for f in functions] for i in usable}
    seen = [0] * len(functions)
    picked: list[int] = []
    while len(picked) < family.limits.calls:
        left = [i for i in usable if i not in picked]
        if not left:
            return None
        gain = [4.0 if times == 0 else 0.25**times for times in seen]
        best = max(left, key=lambda i: sum(g for g, shown in zip(gain, shows[i], strict=True) if shown))
        picked.append(best)
        seen = [times + shown for times, shown in zip(seen, shows[best], strict=True)]
    if not all(seen[: len(flips)]):
        return None
    return [(pool[i], values[i]) for i in picked]


def _passing(family: Family, calls: Sequence[tuple[Any, ...]], values: Sequence[Any]) -> tuple[Combination, ...]:
    """Every combination that agrees with all calls; most fall at the first, which tells apart best."""
    passing = []
    for combination in family.combinations():
        function = family.function(combination)
        if all(same(_run(function, arguments), value) for arguments, value in zip(calls, values, strict=True)):
            passing.append(combination)
    return tuple(passing)


def _chance(family: Family, chosen: Combination, hidden: frozenset[int], passing: Sequence[Combination]) -> float:
    """Chance of an even guess that knows only what the request states."""
    stated = [i for i in range(len(chosen)) if i not in hidden]
    hits = sum(all(combination[i] == chosen[i] for i in stated) for combination in passing)
    return hits / math.prod(family.sizes[i] for i in hidden)


def _assemble(
    family: Family,
    identifier: TaskIdentifier,
    chosen: Combination,
    hidden: frozenset[int],
    calls: Sequence[tuple[Any, ...]],
    passing: tuple[Combination, ...],
    rng: random.Random,
) -> BackendTask:
    decisions: tuple[Decision, ...] = tuple(
        d.model_copy(update={"chosen": chosen[i], "stated": i not in hidden}) for i, d in enumerate(family.decisions)
    )
    return BackendTask(
        task_id=str(identifier),
        problem_description=family.write_request(rng, decisions),
        ground_truth=family.source(chosen),
        domain=family.domain,
        procedural=ProceduralRecord(
            family=family.name,
            version=identifier.version,
            seed=identifier.seed,
            dials=identifier.dials,
            decisions=decisions,
            passing=passing,
        ),
        test_cases={f"test{i}": family.call(arguments) for i, arguments in enumerate(calls, start=1)},
    )
