"""The HTML report in a real browser: wide and narrow, light and dark, without a network or a message."""

import random

import pytest
from report_runs import USED, episode, make_run
from typer.testing import CliRunner

from colbench.cli import app

LONG = "an-agent-with-a-name-that-is-much-longer-than-any-phone-is-wide-and-has-no-spaces"


def played(tmp_path, name, seed, env="Backend"):
    rng = random.Random(seed)
    episodes = []
    for i in range(60):
        for repeat in range(2):
            score = rng.choice((0.0, 0.3, 0.7, 1.0)) if env == "Backend" else rng.random()
            failure = rng.choice((None,) * 20 + ("sandbox",))
            episodes.append(
                episode(
                    f"a-task-with-a-long-identifier-{i:03}",
                    score,
                    repeat=repeat,
                    env=env,
                    questions=rng.randrange(6),
                    usage=USED,
                    failure=failure,
                )
            )
    return make_run(tmp_path / name, episodes, env=env, agent=name)


def test_page_needs_nothing_else(tmp_path):
    pytest.importorskip("matplotlib")
    run, other = played(tmp_path, LONG, 0), played(tmp_path, "other", 1)
    result = CliRunner().invoke(app, ["report", str(run), str(other), "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"report.md", "report.json", "report.html"}
    page = (tmp_path / "out" / "report.html").read_text()
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert page.count("<style") == 1
    for word in ("src=", "@import", "url(http", "<link"):
        assert word not in page.replace("default-src=", "")
    assert page.count("<svg") == 5
    # The message of a failure is shown, not obeyed.
    assert "&lt;b&gt;sandbox&lt;/b&gt;" in page
    assert "<b>sandbox" not in page
    again = CliRunner().invoke(app, ["report", str(run), str(other), "--out", str(tmp_path / "again")])
    assert again.exit_code == 0
    assert (tmp_path / "again" / "report.html").read_text() == page


def test_formats_are_chosen(tmp_path):
    run = played(tmp_path, "run", 0)
    result = CliRunner().invoke(app, ["report", str(run), "--format", "md"])
    assert result.exit_code == 0
    assert (run / "report.md").exists()
    assert not (run / "report.html").exists()
    assert "unknown format 'pdf'" in str(CliRunner().invoke(app, ["report", str(run), "--format", "pdf"]).exception)


@pytest.mark.browser
@pytest.mark.parametrize("env", ["Backend", "Frontend"])
def test_page_in_a_browser(tmp_path, env):
    from playwright.sync_api import sync_playwright

    from colbench.frontend.renderer.browser import find_browser

    run, other = played(tmp_path, LONG, 0, env), played(tmp_path, "other", 1, env)
    assert CliRunner().invoke(app, ["report", str(run), str(other)]).exit_code == 0
    address = (run / "report.html").as_uri()
    messages, requests = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for width, scheme in ((1280, "light"), (768, "dark"), (360, "dark"), (360, "light")):
            context = browser.new_context(viewport={"width": width, "height": 740}, color_scheme=scheme, offline=True)
            page = context.new_page()
            page.on("console", lambda m: messages.append(m.text))
            page.on("pageerror", lambda e: messages.append(str(e)))
            page.on("request", lambda r: requests.append(r.url))
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            shown = page.evaluate(
                "[...document.querySelectorAll('.plots svg')].map(s => s.getBoundingClientRect().width)"
            )
            assert len(shown) == (5 if env == "Backend" else 4)
            assert all(200 < w <= width for w in shown)
            ink, paper = page.evaluate(
                "[getComputedStyle(document.querySelector('.plots svg text')).fill,"
                " getComputedStyle(document.body).backgroundColor]"
            )
            dark = sum(int(n) for n in paper[4:-1].split(",")) < 200
            assert dark == (scheme == "dark")
            assert (sum(int(n) for n in ink[4:-1].split(",")) > 384) == dark
            # A plot's text is at least as large as small print.
            assert page.evaluate("document.querySelector('.plots svg text').getBoundingClientRect().height") >= 9
            page.get_by_text("configuration", exact=True).click()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            context.close()
        browser.close()
    assert messages == []
    assert set(requests) == {address}
