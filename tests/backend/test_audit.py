"""The audit itself: it breaks what is unsafe, survives what it breaks, and our grader holds every attack."""

import dataclasses
import os
import tempfile
import time
from pathlib import Path

import pytest

from colbench.backend.audit import ATTACKS, attacks_named, run_audit
from colbench.backend.audit.attack import CALLS, GOOD, REFERENCE, WRONG, Attack, hostile
from colbench.backend.audit.unsafe import unsafe_score
from colbench.backend.extraction import BANNED_PHRASES
from colbench.backend.grading import GradeJob, Grader
from colbench.errors import ConfigurationError

UNSAFE = "colbench.backend.audit.unsafe:unsafe_score"
LOOP = Attack(name="loop", kind="time", tries="loops", answers=(hostile("while True:\n    pass"),), seconds=6.0)


@pytest.fixture
def own_graders(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return lambda name: f"audit_graders:{name}"


def fill(text):
    values = {"@TOKEN@": "0123456789abcdef", "@FILE@": "/etc/hostname", "@PORT@": "9", "@AUDITOR@": str(os.getpid())}
    values |= {"@PACKAGE@": "/nowhere", "@HOME@": str(Path.home()), "@CWD@": os.getcwd()}
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text


def test_the_collection_is_well_formed():
    names = [attack.name for attack in ATTACKS]
    assert len(names) == len(set(names)) >= 130
    assert {"value", "reach", "channel", "time", "crash", "resources", "escape", "insider", "text"} == {
        attack.kind for attack in ATTACKS
    }
    for attack in ATTACKS:
        for answer in attack.answers:
            # With a phrase of the ban list in it, the control would refuse the answer instead of being broken by it.
            assert attack.kind == "text" or not any(phrase in answer for phrase in BANNED_PHRASES), attack.name
            if attack.kind != "text":
                compile(fill(answer), attack.name, "exec")
    with pytest.raises(ConfigurationError, match=r"no attack or kind is called 'txt'\. Did you mean 'text'\?"):
        attacks_named(["txt"])
    assert attacks_named(["text"]) == [attack for attack in ATTACKS if attack.kind == "text"]


def test_the_neighbours_are_right_and_wrong_with_published_semantics():
    assert unsafe_score(fill(REFERENCE), CALLS, GOOD) == 1.0
    assert unsafe_score(fill(REFERENCE), CALLS, WRONG) == 0.0


def test_every_hostile_answer_with_a_good_and_a_wrong_one_after_it():
    """All in one grader, so what one leaves behind would show in the next; the full audit is among the slow tests."""
    jobs, bounds = [], []
    for attack in ATTACKS:
        for answer in attack.answers:
            jobs.append(GradeJob(fill(attack.reference), attack.calls, fill(answer)))
            bounds.append((attack.name, attack.low, attack.high))
            jobs.append(GradeJob(fill(REFERENCE), CALLS, GOOD))
            bounds.append((f"good after {attack.name}", 1.0, 1.0))
            jobs.append(GradeJob(fill(REFERENCE), CALLS, WRONG))
            bounds.append((f"wrong after {attack.name}", 0.0, 0.0))
    with Grader(workers=2, allow_weaker=True, call_seconds=0.3) as grader:
        if grader.isolation != "full":
            pytest.skip("the walls are only there at full isolation")
        scores = [result.score for result in grader.grade_many(jobs)]
    wrong = [(name, score) for (name, low, high), score in zip(bounds, scores, strict=True) if not low <= score <= high]
    assert wrong == []


def test_our_grader_holds_attacks_of_every_kind():
    names = ["always-equal object", "frames on every descriptor", "file for the next candidate", "signs of life"]
    seen = []
    report = run_audit(attacks=attacks_named(names), on_result=lambda result: seen.append(result.name))
    assert report.all_held, report.rows()
    assert len(report.results) == len(names) == len(seen)
    assert [row[2] for row in report.rows()] == ["held"] * len(names)
    assert report.to_json()["held"] == len(names)


def test_the_unsafe_scorer_is_broken_and_the_audit_survives():
    """The negative control: a collection that breaks nothing proves nothing."""
    names = ["always-equal object", "learns by comparing", "frame walk", "own memory", "rewrite the grader",
             "patch builtins", "poison imports", "closes everything", "ends the process", "SystemExit in a call",
             "C loop: sum", "no more alarms", "subprocess, then a loop", "planted file", "environment",
             "file for the next candidate", "network", "runs a program"]  # fmt: skip
    attacks = [dataclasses.replace(attack, seconds=8.0) for attack in attacks_named(names)]
    start = time.monotonic()
    report = run_audit(UNSAFE, attacks=attacks)
    assert time.monotonic() - start < 90
    assert sorted(result.name for result in report.broken) == sorted(names), report.rows()
    assert not report.all_held


CONTROLS = {
    "right": None,
    "generous": "before the attack a wrong answer scored 1",
    "hangs_on_hostile": "wall limit",
    "dies_on_hostile": "ended with status 3",
    "raises_on_hostile": "the grader raised RuntimeError: no",
    "says_nonsense": "not between 0 and 1",
    "leaves_a_process": "left running",
    "grows": "grew by",
}


@pytest.mark.parametrize("name", CONTROLS)
def test_what_a_grader_does_wrong_is_seen(own_graders, name, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    report = run_audit(own_graders(name), attacks=[LOOP], jobs=1)
    why = CONTROLS[name]
    if why is None:
        assert report.all_held, report.rows()
    else:
        assert why in report.results[0].why and not report.results[0].held
    # Nothing of it is left, whatever it did.
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nonsense", "module:function"),
        ("no_such_module:f", "ModuleNotFoundError"),
        ("json:no_such", "AttributeError"),
        ("json:decoder", "not callable"),
    ],
)
def test_a_grader_that_cannot_be_loaded_is_an_error(spec, message):
    with pytest.raises(ConfigurationError, match=message):
        run_audit(spec, attacks=[LOOP])


def test_a_function_is_named_by_its_module():
    with pytest.raises(ConfigurationError, match="importable"):
        run_audit(lambda *a: 1.0, attacks=[LOOP])
    assert run_audit(unsafe_score, attacks=attacks_named(["mock.ANY"])).grader == UNSAFE


@pytest.mark.slow
def test_our_grader_holds_every_attack():
    report = run_audit()
    assert report.all_held, [(result.name, result.why) for result in report.broken]


@pytest.mark.slow
def test_our_grader_holds_every_attack_in_paper_mode():
    report = run_audit("colbench.backend.audit.ours:paper_score")
    assert report.all_held, [(result.name, result.why) for result in report.broken]
