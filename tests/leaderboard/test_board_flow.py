# ruff: noqa: F811
"""From a run or an agent to an entry and a site; boards that do not mix, sealed splits, comparisons."""

import json

import pytest
from board_support import SAYS, boards, check, found, lines_of, play, played, small, write_records  # noqa: F401
from generated_entries import make_entry
from typer.testing import CliRunner

from colbench.errors import ConfigurationError
from leaderboard.board import built_in_boards, load_board
from leaderboard.cli import app
from leaderboard.comparing import compare_entries, win_rate
from leaderboard.creating import create_submission
from leaderboard.entries import find_entry, read_entries
from leaderboard.findings import Findings
from leaderboard.rows import EpisodeRow
from leaderboard.running import read_agent_file
from leaderboard.submission import read_submission
from leaderboard.web.build import build_site
from leaderboard.web.pages import data_script
from leaderboard.web.reported import REPORTED


def run_app(*words, **options):
    return CliRunner().invoke(app, [str(word) for word in words], **options)


def test_new_asks_only_for_what_a_run_does_not_tell(played, small, tmp_path, boards):
    run = played.parent / "run"
    words = ["new", run, tmp_path / "out", "--board", "small", "--boards", boards]
    refused = run_app(*words)
    assert isinstance(refused.exception, ConfigurationError)
    assert "a run does not tell name, model, authors, licence; give --name ..." in str(refused.exception)
    assert not (tmp_path / "out").exists()
    asked = []

    def ask(name, question):
        asked.append(name)
        return {"name": "Mine", "model": "none", "authors": "A, B", "licence": "MIT"}[name]

    submission = create_submission(run, tmp_path / "out", small, {"licence": "CC0"}, ask)
    assert asked == ["name", "model", "authors"]
    assert submission.authors == ["A", "B"]
    assert submission.collaborator["name"] == "embedded"
    assert read_submission(tmp_path / "out", Findings()) == submission
    with pytest.raises(ConfigurationError, match="is not empty"):
        create_submission(run, tmp_path / "out", small, SAYS)
    custom = create_submission(run, tmp_path / "custom", small, {**SAYS, "custom": "longer prompts"})
    assert (custom.protocol.kind, custom.protocol.why) == ("custom", "longer prompts")


def test_new_refuses_other_runs(played, boards, tmp_path):
    with pytest.raises(ConfigurationError, match="board 'frontend-bundled' is for 'ColBench-Frontend-v0'"):
        create_submission(played.parent / "run", tmp_path / "out", load_board("frontend-bundled"), SAYS)
    with pytest.raises(ConfigurationError, match="not the folder of a run"):
        create_submission(tmp_path, tmp_path / "out", load_board("small", boards), SAYS)


def test_a_maintainer_runs_an_agent(boards, tmp_path):
    entries = tmp_path / "entries"
    agent = tmp_path / "agent.yaml"
    agent.write_text(
        "agent: interviewer?topics=1\nboard: small\nname: One question\nauthors: [A]\nlicence: MIT\nrepeats: 2\n"
    )
    words = ["run", agent, "--entries", entries, "--work", tmp_path / "work", "--boards", boards]
    result = run_app(*words, "--allow-weaker-isolation", "--workers", 1)
    assert result.exit_code == 0, result.output
    (entry,) = read_entries(entries)
    assert entry.record["tier"] == "maintainers"
    assert (entry.record["episodes"], entry.record["repeats"]) == (12, 2)
    assert entry.submission.name == "One question"
    assert entry.record["claims"] == {"raised": 0, "lowered": 0}
    again = run_app(*words, "--allow-weaker-isolation", "--workers", 1)
    assert "the same dialogues as the entry" in str(again.exception)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("agent: oracle\nboard: small\nname: O\nauthors: [A]\nlicence: MIT\n", "given the reference"),
        ("agent: interviewer\nname: O\nauthors: [A]\nlicence: MIT\n", "'board' is missing"),
        ("agent: no_such:Agent\nboard: small\n", "no module 'no_such'"),
        ("agent: interviewer\nboard: smal\n", "Did you mean 'small'"),
    ],
)
def test_agents_that_cannot_be_run(boards, tmp_path, text, words):
    agent = tmp_path / "agent.yaml"
    agent.write_text(text)
    result = run_app("run", agent, "--work", tmp_path / "work", "--boards", boards, "--entries", tmp_path / "entries")
    assert words in str(result.exception)
    assert not (tmp_path / "entries").exists()


def test_agent_files_that_are_none(tmp_path):
    path = tmp_path / "agent.yaml"
    for text, words in (
        ("name: x\n", "'agent' is missing"),
        ("agent: a\noptions: [1]\n", "must be a mapping"),
        ("[", "YAML"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigurationError, match=words):
            read_agent_file(path)


def test_boards_differ_by_what_makes_results_differ(tmp_path):
    def key(name, **changes):
        fields = {"name": name, "title": "T", "env": "backend", "tasks": "bundled", **changes}
        path = tmp_path / f"{name}.yaml"
        path.write_text(json.dumps(fields))
        return load_board(path).key

    same = key("a")
    assert key("b", title="Another title", about="x", seed=3) == same
    others = {
        key("c", split="train"),
        key("d", grading="paper"),
        key("e", collaborator={"name": "chat", "model": "m"}),
        key("f", collaborator={"name": "chat", "model": "n"}),
        key("g", max_turns=5),
        key("h", env="frontend", similarity="layout"),
        key("i", env="frontend", similarity="clip"),
    }
    assert len(others | {same}) == 8
    assert key("j", collaborator={"name": "embedded", "version": 1}) == same


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"env": "frontend"}, "names its similarity"),
        ({"env": "backend", "similarity": "clip"}, "similarity is for frontend"),
        ({"env": "backend", "tasks": "sealed"}, "tasks_hash"),
        ({"env": "backend", "collaborator": {}}, "at least 'name'"),
        ({"env": "backend", "gradin": "paper"}, "gradin"),
        ({"env": "backend", "name": "../x"}, "name"),
        ({"env": "backend", "name": "other"}, "the file must be other.yaml"),
    ],
)
def test_files_of_boards_that_are_wrong(tmp_path, fields, words):
    path = tmp_path / "a.yaml"
    path.write_text(json.dumps({"name": "a", "title": "T", **fields}))
    with pytest.raises(ConfigurationError, match=words):
        load_board(path)


def test_boards_of_the_package():
    assert set(built_in_boards()) >= {"backend-bundled", "backend-procedural", "frontend-bundled", "backend-published"}
    for name in built_in_boards():
        assert load_board(name).file.title
    result = run_app("boards", env={"COLUMNS": "160"})
    assert "backend-procedural" in result.output
    assert (
        load_board("backend-published").misfit({"name": "chat", "model": "meta-llama/Llama-3.1-70B-Instruct"}) is None
    )
    assert "model is 'gpt'" in load_board("backend-published").misfit({"name": "chat", "model": "gpt"})


def test_a_sealed_split(tmp_path):
    seed = 482_915_603_771_204_118
    source = f"procedural:n=3,seed={seed}"
    folder = tmp_path / "boards"
    folder.mkdir()
    from colbench.tasks import load_tasks

    tasks = load_tasks(source)
    (folder / "sealed.yaml").write_text(
        f"name: sealed\ntitle: Sealed\nenv: backend\ntasks: sealed\ntasks_hash: '{tasks.content_hash}'\n"
    )
    with pytest.raises(ConfigurationError, match="sealed; give their source with --tasks"):
        _ = load_board("sealed", folder).tasks
    with pytest.raises(ConfigurationError, match="another version, file or seed"):
        _ = load_board("sealed", folder, "procedural:n=3,seed=1").tasks
    agent = tmp_path / "agent.yaml"
    agent.write_text("agent: interviewer\nboard: sealed\nname: Secret\nauthors: [A]\nlicence: MIT\n")
    entries, site = tmp_path / "entries", tmp_path / "site"
    words = ["--boards", folder, "--entries", entries]
    result = run_app("run", agent, *words, "--tasks", source, "--work", tmp_path / "work", "--allow-weaker-isolation")
    assert result.exit_code == 0, result.output
    assert run_app("build", *words, "--out", site).exit_code == 0
    for path in (p for p in site.rglob("*") if p.is_file()):
        text = path.read_text()
        assert str(seed) not in text
        assert not any(task.task_id in text or task.problem_description[:60] in text for task in tasks), path


def test_compare(tmp_path):
    store = tmp_path / "store"
    make_entry(store, "good", skill=0.8, seed=1)
    make_entry(store, "bad", skill=0.2, seed=2)
    make_entry(store, "pages", kind="frontend", board="pages", skill=0.5, seed=3)
    found_ = compare_entries(find_entry(store, "bad"), find_entry(store, "made/good"))
    success = found_.lines[0]
    assert success.what == "success, strict"
    assert success.paired.difference.estimate == pytest.approx(success.second - success.first)
    assert success.paired.p_value < 0.01
    with pytest.raises(ConfigurationError, match="different boards"):
        compare_entries(find_entry(store, "good"), find_entry(store, "pages"))
    with pytest.raises(ConfigurationError, match="there is no entry 'none'"):
        find_entry(store, "none")
    result = run_app("compare", "good", "bad", "--entries", store)
    assert "40 tasks" in result.output
    parsed = json.loads(run_app("compare", "good", "bad", "--entries", store, "--json").output)
    assert parsed["lines"][0]["paired"]["p_value"] == success.paired.p_value


def test_win_rate_by_hand():
    def rows(*scores):
        return [EpisodeRow(f"t{i}", r, 1, s) for i, of in enumerate(scores) for r, s in enumerate(of)]

    ours, theirs = rows([0.5], [0.7], [0.2, 0.9]), rows([0.5], [0.6], [0.5, 0.9])
    # A tie; a win; and of four pairs one win, one tie and two losses... taken as a mean per task.
    third = (0 + 0 + 1 + 0.5) / 4
    assert win_rate(ours, theirs).estimate == pytest.approx((0.5 + 1 + third) / 3)
    assert win_rate(theirs, theirs).estimate == 0.5


def test_build_replaces_sites_only(tmp_path):
    store, out = tmp_path / "store", tmp_path / "site"
    make_entry(store, "a", seed=1)
    make_entry(store, "b", seed=2)
    build_site(store, out)
    first = {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    build_site(store, out)
    assert {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()} == first
    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigurationError, match="holds something that is not a site"):
        build_site(store, other)
    assert (other / "thesis.txt").read_text() == "mine"


def test_the_same_name_with_other_tasks_is_another_table(tmp_path):
    store, out = tmp_path / "store", tmp_path / "site"
    make_entry(store, "old", seed=1)
    folder = make_entry(store, "new", seed=2)
    record = json.loads((folder / "entry.json").read_text())
    record["board"].update(key="f" * 16, tasks_hash="f" * 16)
    (folder / "entry.json").write_text(json.dumps(record))
    build_site(store, out)
    assert len(list(out.glob("made-*.html"))) == 2


def test_no_entry_yet(tmp_path):
    assert build_site(tmp_path / "none", tmp_path / "site") == 0
    assert "There is no entry yet" in (tmp_path / "site" / "index.html").read_text()


def test_data_cannot_leave_its_script():
    text = data_script("f", ["</script><!--", "\u2028", "&", "\ud800"])
    assert "<" not in text
    assert ">" not in text.replace("f(", "")
    assert json.loads(text[2:-3]) == ["</script><!--", "\u2028", "&", "\ud800"]


def test_reported_figures_are_those_of_the_paper():
    second, fourth = REPORTED
    assert len(second.rows) == 11
    assert second.rows[-1] == ("several turns", "Llama-3.1-8B-Instruct, SWEET-RL", "56.8", "40.4", "77.7", "48.2")
    assert fourth.rows[-1] == ("SWEET-RL", "60.2", "45.6")
    assert all(len(row) == len(table.columns) for table in REPORTED for row in table.rows)


@pytest.mark.slow
def test_two_hundred_entries_of_a_thousand_episodes(tmp_path):
    import resource
    import time

    store = tmp_path / "store"
    for i in range(200):
        make_entry(store, f"agent-{i:03d}", skill=0.05 + 0.9 * i / 200, seed=i, episodes=1000)
    started = time.process_time()
    assert build_site(store, tmp_path / "site") == 200
    assert time.process_time() - started < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1_000_000
    (page,) = (tmp_path / "site").glob("made-*.html")
    assert page.stat().st_size < 1_500_000
    data = next((tmp_path / "site").glob("data/made-*/agent-000"))
    assert len(list(data.glob("*.js"))) == 51


def test_findings_stay_few():
    findings = Findings()
    for line in range(10_000):
        findings.add("error", "turns", "x\u202e\x1b[31m", "trajectories.jsonl", line)
    assert len(findings.kept) == 200
    assert findings.codes("error") == {"turns": 10_000}
    assert "\x1b" not in findings.kept[0].message
    assert found(findings, "turns")
