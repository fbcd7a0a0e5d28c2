"""Figures and comparisons against numbers worked out by hand."""

import json

import pytest
from report_runs import USED, configuration, episode, make_run

from colbench.errors import ConfigurationError, TaskDataError
from colbench.report import collect, make_report
from colbench.report.writing import SCHEMA
from colbench.statistics import wilson_interval
from colbench.tasks import load_tasks


def test_success_score_questions_and_failures(tmp_path):
    episodes = [episode(f"t{i}", 1.0 if i < 6 else 0.5, questions=i % 3) for i in range(10)]
    episodes += [episode("t10", 0, failure="sandbox"), episode("t11", 0, failure="collaborator")]
    figures = collect(make_run(tmp_path / "run", episodes))
    assert figures.success == wilson_interval(6, 10)
    assert figures.score.estimate == pytest.approx(0.8)
    assert figures.questions.estimate == pytest.approx(0.9)
    assert figures.failures() == {"sandbox": 1, "collaborator": 1}
    assert figures.outcomes == {"equal": 80, "different": 20}
    assert [len(rows) for _, rows in figures.by_questions()] == [4, 3, 3]
    assert figures.name == "run"


def test_an_episode_that_was_run_again_counts_once(tmp_path):
    episodes = [episode("t", 0, failure="model_server", usage=USED), episode("t", 1.0, usage=USED)]
    figures = collect(make_run(tmp_path, episodes))
    assert (len(figures.rows), len(figures.failed)) == (1, 0)
    agent, collaborator = figures.spent()
    assert (agent.calls, collaborator.calls) == (3, 2)
    # What the first try cost is in the total.
    assert figures.usage.calls == 10
    assert figures.usage.cost == pytest.approx(0.1)


def test_pass_at_k_and_hat_k(tmp_path):
    # One task with one success in four, one with four in four.
    episodes = [episode("a", float(r == 0), repeat=r) for r in range(4)]
    episodes += [episode("b", 1.0, repeat=r) for r in range(4)]
    found = {p.k: p for p in collect(make_run(tmp_path, episodes)).pass_k()}
    assert sorted(found) == [1, 2, 4]
    assert found[1].at.estimate == found[1].hat.estimate == pytest.approx(0.625)
    assert found[2].at.estimate == pytest.approx((0.5 + 1) / 2)
    assert found[2].hat.estimate == pytest.approx((0 + 1) / 2)
    assert found[4].at.estimate == pytest.approx(1.0)
    assert found[4].at.n == 2


def test_tasks_played_less_often_are_left_out_of_larger_k(tmp_path):
    episodes = [episode("a", 1.0, repeat=r) for r in range(3)] + [episode("b", 0.0)]
    found = {p.k: p.at.n for p in collect(make_run(tmp_path, episodes)).pass_k()}
    assert found == {1: 2, 2: 1}


def test_paired_comparison_counts_flips(tmp_path):
    first = [episode(f"t{i:02}", float(i < 12)) for i in range(20)]
    second = [episode(f"t{i:02}", float(i >= 10)) for i in range(1, 20)]
    report = make_report(make_run(tmp_path / "a", first), make_run(tmp_path / "b", second, agent="other"))
    found = report.comparison
    assert found.tasks == 19
    assert (found.success.gained, found.success.lost) == (9, 8)
    assert found.success.difference.estimate == pytest.approx(1 / 19)
    assert found.success.p_value == pytest.approx(1.0)
    assert found.gained == [f"t{i:02}" for i in range(1, 10)]
    assert found.lost == [f"t{i:02}" for i in range(12, 20)]
    assert found.differences == ["agent.name: tester against other"]
    assert found.win_rate is None
    assert report.warnings() == [report.run.note[0].upper() + report.run.note[1:]]


def test_win_rate_of_pages_splits_ties(tmp_path):
    ours = [episode(f"t{i}", s, env="Frontend") for i, s in enumerate((0.9, 0.5, 0.5, 0.2))]
    theirs = [episode(f"t{i}", s, env="Frontend") for i, s in enumerate((0.1, 0.5, 0.6, 0.1))]
    report = make_report(
        make_run(tmp_path / "a", ours, env="Frontend"), make_run(tmp_path / "b", theirs, env="Frontend")
    )
    assert report.comparison.win_rate.estimate == pytest.approx((1 + 0.5 + 0 + 1) / 4)
    assert report.comparison.success is None
    assert report.run.success is None
    assert report.run.pass_k() == []
    assert "win rate" in report.to_markdown()


def test_runs_that_cannot_be_compared_are_refused(tmp_path):
    backend = make_run(tmp_path / "b", [episode("t", 1.0)])
    frontend = make_run(tmp_path / "f", [episode("t", 1.0, env="Frontend")], env="Frontend")
    with pytest.raises(ConfigurationError, match=r"environment 'ColBench-Backend-v0' of b and 'ColBench-Frontend-v0'"):
        make_report(backend, frontend)
    with pytest.raises(ConfigurationError, match="no completed task in common"):
        make_report(backend, make_run(tmp_path / "c", [episode("u", 1.0)]))
    with pytest.raises(ConfigurationError, match="'t', are not the same in b and d"):
        make_report(backend, make_run(tmp_path / "d", [episode("t", 1.0, task_hash="other")]))


def test_other_differences_than_the_agent_are_said(tmp_path):
    first = make_run(tmp_path / "a", [episode("t", 1.0)])
    second = make_run(tmp_path / "b", [episode("t", 1.0)], collaborator={"name": "chat"}, seed=3)
    (warning,) = [w for w in make_report(first, second).warnings() if w.startswith("The runs differ")]
    assert "collaborator.name: embedded against chat; seed: 0 against 3." in warning


def test_two_runs_of_one_name_are_told_apart(tmp_path):
    first = make_run(tmp_path / "x" / "agent", [episode("t", 1.0)])
    second = make_run(tmp_path / "y" / "agent", [episode("t", 0.0)])
    assert make_report(first, second).title == "x/agent against y/agent"


def test_a_folder_of_several_runs_names_them(tmp_path):
    make_run(tmp_path / "one", [episode("t", 1.0)])
    with pytest.raises(ConfigurationError, match=rf"holds no run\.json; give one of {tmp_path}/one"):
        make_report(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "run.json").write_text(json.dumps(configuration()))
    with pytest.raises(TaskDataError, match="cannot be opened"):
        make_report(tmp_path / "empty")


def test_markdown_and_json_survive_hostile_texts(tmp_path):
    run = make_run(tmp_path, [episode("t|1", 1.0), episode("t2", 0, failure="sandbox")])
    report = make_report(run)
    text = report.to_markdown()
    assert "| t2 | 0 | sandbox | E: &lt;b>sandbox&lt;/b> \\| broke 'it' |" in text
    found = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert found["schema"] == SCHEMA
    assert found["run"]["failures"][0]["message"] == "<b>sandbox</b> | broke `it`"
    assert found["run"]["success"]["n"] == 1


def test_a_run_of_failures_alone_has_a_report(tmp_path):
    report = make_report(make_run(tmp_path, [episode("t", 0, failure="sandbox")]))
    json.dumps(report.to_json(), allow_nan=False)
    assert "1 of 1 episodes failed" in report.to_markdown()
    assert "<svg" in report.to_html()


def test_domains_come_from_the_tasks(tmp_path):
    tasks = load_tasks("bundled", split="test")[:8]
    episodes = [episode(t.task_id, float(i % 2), task_hash=t.content_hash) for i, t in enumerate(tasks)]
    figures = collect(make_run(tmp_path / "r", episodes, tasks="bundled", split="test"))
    assert figures.note is None
    assert sorted(name for name, _ in figures.domains()) == sorted({t.domain for t in tasks})
    changed = tasks[0].model_copy(update={"ground_truth": "def f(): pass"})
    from colbench.tasks import TaskSet

    with pytest.raises(ConfigurationError, match=r"1 tasks \('backend-test-001'\) of 'made' changed"):
        collect(tmp_path / "r", tasks=TaskSet([changed, *tasks[1:]], name="made", kind="backend"))
