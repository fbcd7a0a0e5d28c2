"""Make procedural pages: a request, a reference page, and the design decisions behind it."""

from __future__ import annotations

import difflib
import random
from collections.abc import Iterable
from functools import lru_cache

from colbench.errors import ConfigurationError
from colbench.plugins import check_options
from colbench.tasks.procedural.family import Combination, Split
from colbench.tasks.procedural_pages.families import PAGE_FAMILIES
from colbench.tasks.procedural_pages.family import MIN_HIDDEN, PageFamily
from colbench.tasks.procedural_pages.identifiers import PageIdentifier
from colbench.tasks.schema import Decision, FrontendTask, ProceduralRecord

__all__ = ["page_families", "page_family_named", "page_from_id", "procedural_pages"]

_DIALS = ("stated", "hidden")
_SEEDS_PER_SET = 1_000_000


def page_families() -> tuple[PageFamily, ...]:
    """The families, in the order in which pages are drawn from them."""
    return PAGE_FAMILIES


def page_family_named(name: str) -> PageFamily:
    """The family of that name.

    Raises:
        ConfigurationError: there is none; the message names the nearest.
    """
    known = {family.name: family for family in PAGE_FAMILIES}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known))}"
        raise ConfigurationError(f"there is no family of pages {name!r}; {hint}")
    return known[name]


def procedural_pages(
    split: Split,
    n: int,
    seed: int = 0,
    families: Iterable[str] | None = None,
    **dials: int | None,
) -> list[FrontendTask]:
    """Make ``n`` pages, taking the families in turn; set ``seed`` shares no task with another set.

    Args:
        split: ``"train"`` or ``"test"``; they share no combination of decisions.
        n: number of tasks, at most one million.
        seed: seed of the set.
        families: names of the families to use; default: all.
        dials: ``stated`` or ``hidden``, the number of decisions that the request states or leaves open; by default
            each task's seed decides.

    Raises:
        ConfigurationError: for an unknown split, family or dial, dials that a family cannot meet, or ``n`` out of
            range.

    Example:
        >>> [task.task_id for task in procedural_pages("test", 2)]
        ['page-v1/landing/test/any/000000', 'page-v1/pricing/test/any/000001']
    """
    check_options("procedural pages", {k: v for k, v in dials.items() if k not in _DIALS}, (*_DIALS, "families"))
    if not 0 <= n <= _SEEDS_PER_SET:
        raise ConfigurationError(f"n must lie in 0 to {_SEEDS_PER_SET:,}, actually: {n}")
    names = [family.name for family in PAGE_FAMILIES] if families is None else list(families)
    if not names:
        raise ConfigurationError("families is empty; leave it out to use all of them")
    first = seed * _SEEDS_PER_SET
    return [
        page_from_id(
            str(PageIdentifier(names[i % len(names)], split, dials.get("stated"), dials.get("hidden"), seed=first + i))
        )
        for i in range(n)
    ]


@lru_cache(maxsize=4096)
def page_from_id(task_id: str) -> FrontendTask:
    """Make the task that an id names; the same id always gives the same task.

    Raises:
        TaskDataError: no page id, or one of another generator version.
        ConfigurationError: the id names an unknown family, or dials that the family cannot meet.
    """
    identifier = PageIdentifier.parse(task_id)
    family = page_family_named(identifier.family)
    numbers = _hidden_numbers(family, identifier)
    rng = random.Random(f"colbench {task_id}")  # seeding with text goes through SHA-512: the same everywhere
    chosen = _draw_combination(family, identifier.split, rng)
    hidden = frozenset(rng.sample(range(len(family.sizes)), rng.choice(numbers)))
    # A stream of its own, so that no decision changes the words.
    content = family.content(random.Random(f"colbench content {task_id}"))
    decisions: tuple[Decision, ...] = tuple(
        d.model_copy(update={"chosen": chosen[i], "stated": i not in hidden}) for i, d in enumerate(family.decisions)
    )
    return FrontendTask(
        task_id=task_id,
        problem_description=family.write_request(rng, content, decisions),
        ground_truth=family.page(content, family.keys(chosen)),
        domain=family.name,
        procedural=ProceduralRecord(
            family=family.name,
            version=identifier.version,
            seed=identifier.seed,
            dials=identifier.dials,
            decisions=decisions,
        ),
    )


def _hidden_numbers(family: PageFamily, identifier: PageIdentifier) -> list[int]:
    """Numbers of hidden decisions that the dials allow."""
    total = len(family.sizes)
    wanted = identifier.hidden if identifier.stated is None else total - identifier.stated
    if wanted is None:
        return list(range(MIN_HIDDEN, total + 1))
    if not MIN_HIDDEN <= wanted <= total:
        raise ConfigurationError(
            f"family {family.name!r} has {total} decisions, of which {MIN_HIDDEN} to {total} can be hidden; "
            f"the dials ask for {wanted}"
        )
    return [wanted]


def _draw_combination(family: PageFamily, split: Split, rng: random.Random) -> Combination:
    while True:
        combination = tuple(rng.randrange(size) for size in family.sizes)
        if family.split_of(combination) == split:
            return combination
