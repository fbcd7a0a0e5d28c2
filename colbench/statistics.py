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
    "bootstrap_interval",
    "clustered_interval",
    "paired_comparison",
    "pass_at_k",
    "pass_hat_k",
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
    values: Sequence[float], clusters: Sequence[str], confidence: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Interval:
    """Interval of a mean over tasks when a task was played several times: whole tasks are resampled.

    Args:
        values: one number per episode.
        clusters: the task of each episode, of the same length.
        confidence: coverage.
        resamples: number of bootstrap samples.
        seed: fixes them.
    """
    if len(values) != len(clusters):
        raise ValueError(f"{len(values)} values but {len(clusters)} clusters")
    grouped: dict[str, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        grouped.setdefault(cluster, []).append(value)
    binary = all(v in (0, 1) for v in values)
    if binary and len(grouped) == len(values):
        return wilson_interval(int(sum(values)), len(values), confidence)
    if binary and values and len(set(values)) == 1:
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
