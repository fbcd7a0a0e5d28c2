"""Procedural pages: reproducible, disjoint between the splits, and every decision can be seen."""

import random
import re

import pytest

from colbench.errors import ConfigurationError, TaskDataError
from colbench.frontend.assets import find_asset, has_asset
from colbench.tasks import load_tasks
from colbench.tasks.procedural.family import facts_in
from colbench.tasks.procedural_pages import (
    PageIdentifier,
    page_families,
    page_family_named,
    page_from_id,
    procedural_pages,
)

FAMILIES = page_families()


def combination(task):
    return (task.procedural.family, tuple(d.chosen for d in task.procedural.decisions))


def test_the_same_set_twice_and_by_id():
    first, again = procedural_pages("test", 40, seed=3), procedural_pages("test", 40, seed=3)
    assert first == again
    page_from_id.cache_clear()
    assert [page_from_id(task.task_id) for task in first] == first
    assert len({task.task_id for task in first}) == 40
    assert not {t.task_id for t in first} & {t.task_id for t in procedural_pages("test", 40, seed=4)}


def test_train_and_test_share_no_combination():
    train, test = procedural_pages("train", 700), procedural_pages("test", 700)
    assert not {combination(t) for t in train} & {combination(t) for t in test}
    for family in FAMILIES:
        assert 300 <= family.count <= 4096
        assert 5 <= len(family.sizes) <= 8
        assert all(2 <= size <= 4 for size in family.sizes)
        share = sum(family.split_of(c) == "test" for c in family.combinations()) / family.count
        assert 0.17 < share < 0.23


def test_the_record_says_what_was_decided_and_the_request_states_some():
    tasks = procedural_pages("train", 70)
    stated = [sum(d.stated for d in task.procedural.decisions) for task in tasks]
    assert min(stated) == 0
    assert max(stated) >= 3
    for task in tasks:
        record = task.procedural
        assert record.passing == ()
        assert len(record.hidden) >= 4
        family = page_family_named(record.family)
        told = facts_in(task.problem_description, record.decisions)
        assert told == {d.name: d.chosen for d in record.decisions if d.stated}
        assert task.domain == family.name
        assert "<" not in task.problem_description
        for d in record.decisions:
            for option in d.options:
                assert option.fact.endswith(".")
                assert not re.search(r"[<>_{}]|#[0-9a-f]|\bpx\b", option.fact)


def test_a_page_follows_its_decisions_and_not_its_words():
    for family in FAMILIES:
        content = family.content(random.Random(5))
        start = next(family.combinations())
        pages = {start: family.page(content, family.keys(start))}
        for i, size in enumerate(family.sizes):
            for option in range(1, size):
                flipped = (*start[:i], option, *start[i + 1 :])
                pages[flipped] = family.page(content, family.keys(flipped))
        assert len(set(pages.values())) == len(pages) == 1 + sum(size - 1 for size in family.sizes)
        assert family.page(content, family.keys(start)) == pages[start]


def test_dials():
    for task in procedural_pages("test", 14, stated=2):
        assert sum(d.stated for d in task.procedural.decisions) == 2
        assert "/s2/" in task.task_id
    for task in procedural_pages("test", 14, hidden=5, families=["article", "shop"]):
        assert len(task.procedural.hidden) == 5
        assert task.procedural.family in ("article", "shop")
    tasks = load_tasks("procedural:n=3,seed=2,stated=1,families=pricing+profile", kind="frontend", split="train")
    assert [t.procedural.family for t in tasks] == ["pricing", "profile", "pricing"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stated": 9}, r"has 8 decisions, of which 4 to 8 can be hidden; the dials ask for -1"),
        ({"hidden": 2}, r"the dials ask for 2"),
        ({"stated": 1, "hidden": 4}, "stated or hidden, not both"),
        ({"sated": 1}, "unknown option 'sated'. Did you mean 'stated'"),
        ({"families": ["pricng"]}, "no family of pages 'pricng'; did you mean 'pricing'"),
        ({"families": []}, "families is empty"),
        ({"n": -1}, "n must lie in 0 to 1,000,000, actually: -1"),
        ({"split": "dev"}, "split must be 'train' or 'test', actually: 'dev'"),
        ({"seed": -1}, "seed must not be negative"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ConfigurationError, match=message):
        procedural_pages(**{"split": "test", "n": 1, **options})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("proc-v1/pricing/test/any/000001", "is not the id of a procedural page"),
        ("page-v9/pricing/test/any/000001", "made by page generator version 9"),
        ("page-v1/pricing/test/s02/000001", "did you mean 'page-v1/pricing/test/s2/000001'"),
    ],
)
def test_bad_ids(text, message):
    with pytest.raises(TaskDataError, match=message):
        PageIdentifier.parse(text)


@pytest.mark.skipif(not has_asset("tailwind-2"), reason="needs: colbench assets install")
def test_every_class_is_in_the_prebuilt_stylesheet():
    css = find_asset("tailwind-2").decode()
    known = {name.replace("\\", "") for name in re.findall(r"\.((?:\\.|[\w-])+)", css)}
    used = {
        name
        for family in FAMILIES
        for combination in family.combinations()
        if sum(combination) % 5 == 0 or sum(combination) < 3
        for classes in re.findall(
            r'class="([^"]*)"', family.page(family.content(random.Random(1)), family.keys(combination))
        )
        for name in classes.split()
    }
    assert len(used) > 150
    assert used <= known


@pytest.mark.browser
@pytest.mark.skipif(not has_asset("tailwind-2"), reason="needs: colbench assets install")
@pytest.mark.parametrize(
    "family",
    [pytest.param(f, id=f.name, marks=[] if f.name == "landing" else [pytest.mark.slow]) for f in FAMILIES],
)
def test_every_decision_can_be_seen(family):
    from colbench.frontend.renderer import shared_renderer

    content = family.content(random.Random(11))
    start = next(family.combinations())
    flips = [(*start[:i], size - 1, *start[i + 1 :]) for i, size in enumerate(family.sizes)]
    pages = list(shared_renderer().render_many(family.page(content, family.keys(c)) for c in [start, *flips]))
    assert [page.status for page in pages] == ["ok"] * len(pages)
    assert len({page.png_hash for page in pages}) == len(pages)
