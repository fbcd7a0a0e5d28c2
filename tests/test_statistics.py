"""Our intervals and tests against scipy on the same data."""

import math

import numpy as np
import pytest
import scipy.stats

from colbench.statistics import (
    bootstrap_interval,
    clustered_interval,
    paired_comparison,
    pass_at_k,
    pass_hat_k,
    wilson_interval,
)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (10, 10), (3, 10), (404, 1000), (1, 1)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_wilson_agrees_with_scipy(k, n, confidence):
    ours = wilson_interval(k, n, confidence)
    theirs = scipy.stats.binomtest(k, n).proportion_ci(confidence, method="wilson")
    assert ours.low == pytest.approx(theirs.low, abs=1e-12)
    assert ours.high == pytest.approx(theirs.high, abs=1e-12)
    assert ours.estimate == k / n


def test_wilson_edge_cases():
    nothing = wilson_interval(0, 0)
    assert math.isnan(nothing.estimate)
    assert (nothing.low, nothing.high) == (0.0, 1.0)
    with pytest.raises(ValueError, match=r"successes must be within 0\.\.2, actually: 3"):
        wilson_interval(3, 2)


def test_bootstrap_agrees_with_scipy():
    data = np.random.default_rng(0).beta(2, 3, size=300)
    ours = bootstrap_interval(data, resamples=5000, seed=1)
    theirs = scipy.stats.bootstrap((data,), np.mean, n_resamples=5000, method="percentile", rng=2).confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=0.003)
    assert ours.high == pytest.approx(theirs.high, abs=0.003)
    assert ours == bootstrap_interval(data, resamples=5000, seed=1)


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(0)
    tasks = [f"t{i}" for i in range(40) for _ in range(10)]
    # Episodes of one task all agree, so 400 episodes are worth 40.
    values = np.repeat(rng.integers(0, 2, size=40), 10).astype(float)
    clustered = clustered_interval(list(values), tasks)
    naive = wilson_interval(int(values.sum()), 400)
    assert clustered.n == 40
    assert clustered.high - clustered.low > 2 * (naive.high - naive.low)
    single = clustered_interval([1.0, 0.0, 1.0], ["a", "b", "c"])
    assert single == wilson_interval(2, 3)
    similarities = clustered_interval([1.0, 1.0], ["a", "b"], proportion=False)
    assert (similarities.low, similarities.high) == (1.0, 1.0)
    with pytest.raises(ValueError, match="2 values but 1 clusters"):
        clustered_interval([1.0, 0.0], ["a"])


def test_paired_binary_is_mcnemar():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, 200), rng.integers(0, 2, 200)
    result = paired_comparison(a, b)
    gained, lost = int(((b - a) > 0).sum()), int(((b - a) < 0).sum())
    expected = scipy.stats.binomtest(gained, gained + lost).pvalue
    assert (result.gained, result.lost, result.n) == (gained, lost, 200)
    assert result.p_value == pytest.approx(expected, abs=1e-12)
    assert paired_comparison([1, 0], [1, 0]).p_value == 1.0


def test_paired_continuous_agrees_with_scipy():
    rng = np.random.default_rng(4)
    a = rng.random(60)
    b = a + rng.normal(0.03, 0.1, 60)
    ours = paired_comparison(a, b, resamples=5000)
    theirs = scipy.stats.permutation_test(
        (b - a, np.zeros(60)), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=5000, rng=0
    )
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=0.02)
    assert ours.difference.low < (b - a).mean() < ours.difference.high
    with pytest.raises(ValueError, match="equal length"):
        paired_comparison([1], [1, 2])


def test_pass_at_k_by_enumeration():
    from itertools import combinations

    for n, c, k in ((5, 2, 2), (6, 0, 3), (6, 6, 3), (4, 1, 4)):
        outcomes = [1] * c + [0] * (n - c)
        drawn = list(combinations(outcomes, k))
        assert pass_at_k(n, c, k) == pytest.approx(np.mean([any(d) for d in drawn]))
        assert pass_hat_k(n, c, k) == pytest.approx(np.mean([all(d) for d in drawn]))
    with pytest.raises(ValueError, match="k=5"):
        pass_at_k(4, 1, 5)


def test_intervals_print_readably():
    assert str(wilson_interval(1, 2)) == "0.500 [0.095, 0.905]"
    assert wilson_interval(1, 2).percent() == "50.0% [9.5, 90.5]"
