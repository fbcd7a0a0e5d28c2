"""Intervals and paired tests, once for everyone: run summaries, reports and the leaderboard.

Plain numpy and the standard library, so that the core install can print an interval; the tests compare every function
with scipy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Interval",
    "PairedComparison",
    "RankRange",
    "bootstrap_interval",
    "clustered_interval",
    "holm",
    "indistinct_groups",
    "indistinct_pairs",
    "paired_comparison",
    "pairwise_p_values",
    "pass_at_k",
    "pass_hat_k",
    "rank_ranges",
    "wilson_interval",
]


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes:
        estimate: the point estimate.
        low: lower end.
        high: upper end.
        n: number of independent units behind it.
    """

    estimate: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def percent(self) -> str:
        """In per cent with one decimal."""
        return f"{100 * self.estimate:.1f}% [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> Interval:
    """Wilson score interval of a proportion of independent trials.

    Raises:
        ValueError: when ``successes`` is not within ``0..n``.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes must be within 0..{n}, actually: {successes}")
    if n == 0:
        return Interval(math.nan, 0.0, 1.0, 0)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # The ends are exact at 0 and n; rounding must not move them.
    return Interval(p, 0.0 if successes == 0 else centre - half, 1.0 if successes == n else centre + half, n)


def bootstrap_interval(values: ArrayLike, confidence: float = 0.95, resamples: int = 2000, seed: int = 0) -> Interval:
    """Percentile bootstrap interval of the mean of independent values."""
    data = np.asarray(values, dtype=float)
    if data.ndim != 1:
        raise ValueError(f"expected one value per unit, actually an array of shape {data.shape}")
    if data.size == 0:
        return Interval(math.nan, math.nan, math.nan, 0)
    means = _resampled_means(data, resamples, seed)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(data.mean()), float(low), float(high), int(data.size))


def clustered_interval(
    values: Sequence[float],
    clusters: Sequence[str],
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    proportion: bool | None = None,
) -> Interval:
    """Interval of a mean over tasks when a task was played several times: whole tasks are resampled.

    Args:
        values: one number per episode.
        clusters: the task of each episode, of the same length.
        confidence: coverage.
        resamples: number of bootstrap samples.
        seed: fixes them.
        proportion: whether the values are outcomes of trials, whose interval over single episodes is Wilson's; by
            default they are where all are 0 or 1. Say False for a mean that only happens to be so.
    """
    if len(values) != len(clusters):
        raise ValueError(f"{len(values)} values but {len(clusters)} clusters")
    grouped: dict[str, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        grouped.setdefault(cluster, []).append(value)
    if proportion is None:
        proportion = all(v in (0, 1) for v in values)
    if proportion and len(grouped) == len(values):
        return wilson_interval(int(sum(values)), len(values), confidence)
    if proportion and values and len(set(values)) == 1:
        # Resampling cannot vary what never varied; that all tasks agree is no proof that every other would.
        return wilson_interval(len(grouped) if values[0] else 0, len(grouped), confidence)
    # In the order of the names, so that the resamples do not depend on which episode ended first.
    means = [float(np.mean(sorted(grouped[name]))) for name in sorted(grouped)]
    return bootstrap_interval(means, confidence, resamples, seed)


def _resampled_means(data: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    means = np.empty(resamples)
    # In slices, so that a million episodes do not become a matrix of 2,000 million numbers.
    step = max(1, 4_000_000 // max(1, data.size))
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        means[start : start + count] = data[rng.integers(data.size, size=(count, data.size))].mean(axis=1)
    return means


@dataclass(frozen=True)
class PairedComparison:
    """Two runs on the same tasks.

    Attributes:
        difference: mean of second minus first, with its bootstrap interval over tasks.
        p_value: two-sided; exact McNemar test where both runs are 0/1 per task, else a sign-flip permutation test.
        gained: tasks on which the second run is better.
        lost: tasks on which it is worse.
        n: number of tasks in both.
    """

    difference: Interval
    p_value: float
    gained: int
    lost: int
    n: int


def paired_comparison(first: ArrayLike, second: ArrayLike, resamples: int = 10_000, seed: int = 0) -> PairedComparison:
    """Compare two runs task by task; both arrays hold one value per task in the same order."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"expected two arrays of equal length, actually {a.shape} and {b.shape}")
    delta = b - a
    gained, lost = int((delta > 0).sum()), int((delta < 0).sum())
    if np.isin(a, (0.0, 1.0)).all() and np.isin(b, (0.0, 1.0)).all():
        p_value = _binomial_two_sided(min(gained, lost), gained + lost)
    else:
        p_value = _sign_flip(delta, resamples, seed)
    return PairedComparison(bootstrap_interval(delta, seed=seed), p_value, gained, lost, int(delta.size))


def _binomial_two_sided(k: int, n: int) -> float:
    if n == 0:
        return 1.0
    tail = sum(math.comb(n, i) for i in range(k + 1))
    return min(1.0, 2.0 * float(tail / 2**n))


def _sign_flip(delta: NDArray[np.float64], resamples: int, seed: int) -> float:
    moved = delta[delta != 0]
    if moved.size == 0:
        return 1.0
    rng = np.random.default_rng(seed)
    observed = abs(moved.sum()) - 1e-12
    extreme = 0
    for _ in range(resamples):
        extreme += abs((moved * rng.choice((-1.0, 1.0), size=moved.size)).sum()) >= observed
    # The observed labelling counts as one of the resamples, so that the p-value is never 0.
    return (extreme + 1) / (resamples + 1)


def pass_at_k(n: int, successes: int, k: int) -> float:
    """Chance that at least one of ``k`` of the ``n`` episodes of a task succeeded (drawn without replacement)."""
    _check_k(n, successes, k)
    return 1.0 - math.comb(n - successes, k) / math.comb(n, k)


def pass_hat_k(n: int, successes: int, k: int) -> float:
    """Chance that all of ``k`` of the ``n`` episodes of a task succeeded (drawn without replacement)."""
    _check_k(n, successes, k)
    return math.comb(successes, k) / math.comb(n, k)


def _check_k(n: int, successes: int, k: int) -> None:
    if not 0 <= successes <= n or not 1 <= k <= n:
        raise ValueError(f"need 0 <= successes <= n and 1 <= k <= n, actually n={n}, successes={successes}, k={k}")


@dataclass(frozen=True)
class RankRange:
    """The rank of one of several runs, and the ranks that chance leaves possible.

    Attributes:
        rank: 1 is best; runs with equal means share the better rank.
        low: best rank within the interval.
        high: worst rank within it.
    """

    rank: int
    low: int
    high: int


def rank_ranges(values: ArrayLike, confidence: float = 0.95, resamples: int = 2000, seed: int = 0) -> list[RankRange]:
    """Ranks of runs by their mean, with intervals from resampling whole tasks, the same ones for every run.

    Args:
        values: one row per run, one column per task; higher is better.
        confidence: coverage.
        resamples: number of bootstrap samples.
        seed: fixes them.
    """
    data = _matrix(values)
    runs, tasks = data.shape
    if not runs or not tasks:
        return []
    rng = np.random.default_rng(seed)
    drawn = np.empty((resamples, runs), dtype=np.int64)
    step = max(1, 4_000_000 // tasks)
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        # How often each task is drawn says as much as which, and turns resampling into one product.
        weights = rng.multinomial(tasks, np.full(tasks, 1 / tasks), size=count)
        drawn[start : start + count] = _ranks(weights @ data.T / tasks)
    tail = (1 - confidence) / 2
    low = np.quantile(drawn, tail, axis=0, method="inverted_cdf")
    high = np.quantile(drawn, 1 - tail, axis=0, method="inverted_cdf")
    rank = _ranks(data.mean(axis=1)[None, :])[0]
    return [RankRange(int(r), int(a), int(b)) for r, a, b in zip(rank, low, high, strict=True)]


def _matrix(values: ArrayLike) -> NDArray[np.float64]:
    data = np.asarray(values, dtype=float)
    if data.ndim != 2:
        raise ValueError(f"expected one row per run and one column per task, actually shape {data.shape}")
    return data


def _ranks(means: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks along the last axis, 1 for the highest, ties sharing the better one."""
    # Means of the same numbers in another order differ in the last digits; that is no difference.
    rounded = np.round(means, 12)
    ordered = np.sort(-rounded, axis=1)
    return np.array([np.searchsorted(o, -r, side="left") for o, r in zip(ordered, rounded, strict=True)]) + 1


def pairwise_p_values(values: ArrayLike, resamples: int = 10_000, seed: int = 0) -> NDArray[np.float64]:
    """Two-sided p-values of all pairs of runs, paired by task; a symmetric matrix with ones on its diagonal.

    Exact McNemar tests where every value is 0 or 1, else sign-flip permutation tests that share their flips.

    Args:
        values: one row per run, one column per task.
        resamples: flips drawn.
        seed: fixes them.
    """
    data = _matrix(values)
    runs = len(data)
    p = np.ones((runs, runs))
    if np.isin(data, (0.0, 1.0)).all():
        better = data @ (1 - data).T
        known: dict[tuple[int, int], float] = {}
        for i in range(runs):
            for j in range(i):
                a, b = int(better[i, j]), int(better[j, i])
                key = (min(a, b), a + b)
                if key not in known:
                    known[key] = _binomial_two_sided(*key)
                p[i, j] = p[j, i] = known[key]
        return p
    rng = np.random.default_rng(seed)
    sums = np.empty((resamples, runs))
    for start in range(0, resamples, 1000):
        count = min(1000, resamples - start)
        sums[start : start + count] = rng.choice((-1.0, 1.0), size=(count, data.shape[1])) @ data.T
    observed = data.sum(axis=1)
    for i in range(runs):
        for j in range(i):
            if np.array_equal(data[i], data[j]):
                continue
            extreme = int((np.abs(sums[:, i] - sums[:, j]) >= abs(observed[i] - observed[j]) - 1e-9).sum())
            p[i, j] = p[j, i] = (extreme + 1) / (resamples + 1)
    return p


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """p-values corrected for being many (Holm's step-down method); the chance of any false finding keeps its level."""
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1:
        raise ValueError(f"expected a list of p-values, actually shape {p.shape}")
    order = np.argsort(p, kind="stable")
    grown = np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p))))
    out = np.empty_like(p)
    out[order] = np.minimum(grown, 1.0)
    return out


def indistinct_pairs(p_values: NDArray[np.float64], level: float = 0.05) -> NDArray[np.bool_]:
    """Which pairs of runs do not differ significantly once all pairs are corrected for together.

    Args:
        p_values: as :func:`pairwise_p_values` gives them.
        level: chance of any false difference that is accepted.
    """
    runs = len(p_values)
    alike = np.eye(runs, dtype=bool)
    rows, columns = np.triu_indices(runs, 1)
    if len(rows):
        alike[rows, columns] = alike[columns, rows] = holm(p_values[rows, columns]) > level
    return alike


def indistinct_groups(alike: NDArray[np.bool_], order: Sequence[int]) -> list[list[int]]:
    """Longest stretches of a ranking within which no pair of runs differs significantly.

    Args:
        alike: as :func:`indistinct_pairs` gives it.
        order: the runs, best first.
    """
    groups: list[list[int]] = []
    reached = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and all(alike[order[end], order[i]] for i in range(start, end)):
            end += 1
        if end > reached:
            groups.append([order[i] for i in range(start, end)])
            reached = end
    return groups
