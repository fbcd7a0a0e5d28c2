"""Ranks, pairwise tests and their correction against scipy on the same data."""

import numpy as np
import pytest
import scipy.stats

from colbench.statistics import holm, indistinct_groups, indistinct_pairs, pairwise_p_values, rank_ranges


@pytest.fixture
def wins():
    rng = np.random.default_rng(0)
    return np.array([rng.random(120) < p for p in (0.8, 0.75, 0.5, 0.5, 0.1)], dtype=float)


@pytest.fixture
def scores():
    rng = np.random.default_rng(1)
    ease = rng.random(80)
    return np.array([np.clip(ease + shift + 0.1 * rng.standard_normal(80), 0, 1) for shift in (0.1, 0.09, -0.1)])


def test_ranks_agree_with_scipy(wins):
    ranges = rank_ranges(wins, resamples=3000)
    expected = scipy.stats.rankdata(-wins.mean(axis=1), method="min")
    assert [r.rank for r in ranges] == expected.astype(int).tolist()
    rng = np.random.default_rng(7)
    drawn = np.array(
        [
            scipy.stats.rankdata(-wins[:, rng.integers(120, size=120)].mean(axis=1).round(12), method="min")
            for _ in range(3000)
        ]
    )
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    for found, a, b in zip(ranges, low, high, strict=True):
        assert abs(found.low - a) <= 1
        assert abs(found.high - b) <= 1
        assert found.low <= found.rank <= found.high
    assert (ranges[4].low, ranges[4].high) == (5, 5)


def test_equal_runs_share_a_rank(wins):
    ranges = rank_ranges(np.array([wins[0], wins[0], wins[4]]))
    assert [(r.rank, r.low, r.high) for r in ranges] == [(1, 1, 1), (1, 1, 1), (3, 3, 3)]
    assert rank_ranges(np.zeros((0, 5))) == []
    assert rank_ranges(wins) == rank_ranges(wins)


def test_binary_pairs_agree_with_scipy(wins):
    p = pairwise_p_values(wins)
    for i in range(5):
        for j in range(5):
            better, worse = int((wins[i] > wins[j]).sum()), int((wins[j] > wins[i]).sum())
            if better + worse:
                assert p[i, j] == pytest.approx(scipy.stats.binomtest(better, better + worse).pvalue, abs=1e-12)
            else:
                assert p[i, j] == 1


def test_continuous_pairs_agree_with_scipy(scores):
    p = pairwise_p_values(scores, resamples=20_000)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        theirs = scipy.stats.permutation_test(
            (scores[i], scores[j]),
            lambda x, y, axis: (x - y).mean(axis=axis),
            permutation_type="samples",
            n_resamples=20_000,
            vectorized=True,
            rng=3,
        ).pvalue
        assert p[i, j] == pytest.approx(theirs, abs=0.02)
        assert p[i, j] == p[j, i]
    assert np.diag(p).tolist() == [1, 1, 1]


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []
    p = np.random.default_rng(0).random(30) ** 3
    # Holm lies between the uncorrected values and Bonferroni, and is never below Benjamini-Hochberg.
    assert (holm(p) >= p).all()
    assert (holm(p) <= np.minimum(30 * p, 1)).all()
    assert (holm(p) >= scipy.stats.false_discovery_control(p) - 1e-12).all()


def test_groups_are_stretches_that_nothing_separates(wins):
    alike = indistinct_pairs(pairwise_p_values(wins))
    assert alike[0, 1]
    assert alike[2, 3]
    assert not alike[0, 4]
    order = np.argsort(-wins.mean(axis=1), kind="stable").tolist()
    groups = indistinct_groups(alike, order)
    assert sorted({run for group in groups for run in group}) == [0, 1, 2, 3, 4]
    for group in groups:
        assert all(alike[a, b] for a in group for b in group)
    assert groups[-1] == [4]
    chain = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    assert indistinct_groups(chain, [0, 1, 2]) == [[0, 1], [1, 2]]
