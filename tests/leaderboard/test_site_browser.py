"""The site in a real browser, from the file system: sort, filter, open, keyboard, phone, dark, hostile text, axe."""

import threading
import urllib.request

import pytest
from axe_check import axe_source, serious
from generated_entries import HOSTILE, SCRIPT, make_entry

from leaderboard.serving import server_of
from leaderboard.web.build import build_site

pytestmark = pytest.mark.browser
BOARD = "made-"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    store, out = tmp_path_factory.mktemp("store"), tmp_path_factory.mktemp("made") / "site"
    make_entry(store, "strong", name="Strong", skill=0.9, seed=1, tier="maintainers", episodes=70)
    make_entry(store, "middle", name="Middle", skill=0.5, seed=2, episodes=70)
    make_entry(store, "alike", name="Alike", skill=0.5, seed=3, episodes=70, custom=True, cost=None)
    make_entry(store, "weak", name="Weak", skill=0.1, seed=4, episodes=70, flags={"leak": 1})
    make_entry(
        store,
        "evil",
        name=f"{SCRIPT}\u202ereversed"[:80],
        skill=0.4,
        seed=5,
        episodes=70,
        hostile=True,
        flags={"pasted": 2},
    )
    make_entry(store, "pages-a", kind="frontend", board="pages", skill=0.7, seed=6, repeats=2)
    make_entry(store, "pages-b", kind="frontend", board="pages", skill=0.4, seed=7, repeats=2)
    make_entry(store, "secret", board="sealed", sealed=True, skill=0.4, seed=8)
    assert build_site(store, out) == 8
    return out


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    from colbench.frontend.renderer.browser import find_browser

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser, site):
    """A page of the site that must never complain, run foreign script, or leave the site's folder."""
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    opened = context.new_page()
    complaints, requests = [], []
    opened.on("console", lambda m: complaints.append(m.text))
    opened.on("pageerror", lambda e: complaints.append(str(e)))
    opened.on("dialog", lambda d: (complaints.append(d.message), d.dismiss()))
    opened.on("request", lambda r: requests.append(r.url))
    opened.asked = requests
    yield opened
    assert opened.evaluate("window.hit === undefined && window.alert === window.alert")
    assert complaints == []
    assert all(url.startswith(site.as_uri()) for url in requests)
    context.close()


def address_of(site, pattern):
    (found,) = site.glob(pattern)
    return found.as_uri()


def names(page):
    return page.eval_on_selector_all(
        "#board tbody tr", "rows => rows.filter(r => !r.hidden).map(r => r.querySelector('a').textContent)"
    )


def test_from_the_first_page_to_a_dialogue(page, site):
    page.goto((site / "index.html").as_uri())
    assert page.get_by_role("heading", name="Reported in the paper, not verified").is_visible()
    assert page.locator("table").count() == 2
    page.get_by_role("link", name="Made up", exact=True).first.click()
    page.get_by_role("link", name="Strong").click()
    page.wait_for_selector("#list tbody tr")
    assert page.title().startswith("Strong | Made up")
    assert not [url for url in page.asked if url.endswith("/0.js")]
    page.get_by_role("button", name="task-0003", exact=True).click()
    page.wait_for_selector("#dialogue h3")
    assert [url for url in page.asked if url.endswith(".js") and "/data/" in url][-1].endswith("/0.js")
    assert page.locator("#dialogue h3").inner_text() == "task-0003"
    assert page.locator("#dialogue .calls li").count() == 10
    assert page.locator("#dialogue .said.agent").count() >= 2
    assert "I WANT TO ANSWER" in page.locator("#dialogue .said.agent").last.inner_text()
    page.locator("#next").click()
    assert "page 2 of 2" in page.locator("#count").inner_text()
    page.get_by_role("button", name="task-0069", exact=True).click()
    page.locator("#dialogue h3", has_text="task-0069").wait_for()
    assert page.asked[-1].endswith("/3.js")
    page.go_back()
    page.locator("#dialogue h3", has_text="task-0003").wait_for()


def test_a_dialogue_has_an_address(page, site):
    page.goto(address_of(site, "entries/made-*/middle.html") + "#t=task-0041%230")
    page.locator("#dialogue h3", has_text="task-0041").wait_for()


def test_sorting(page, site):
    page.goto(address_of(site, "made-*.html"))
    first = names(page)
    assert first[0] == "Strong"
    assert first[-1] == "Weak"
    head = page.get_by_role("columnheader", name="Agent")
    head.get_by_role("button").click()
    assert names(page) == sorted(first, key=str.lower)
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").click()
    assert names(page) == sorted(first, key=str.lower, reverse=True)
    page.get_by_role("columnheader", name="Success %").get_by_role("button").click()
    assert names(page) == first
    assert head.get_attribute("aria-sort") is None
    cost = page.get_by_role("columnheader", name="Cost").get_by_role("button")
    for _ in range(2):
        cost.click()
        assert names(page)[-1] == "Alike"  # its cost is unknown, which is neither most nor least


def test_filtering(page, site):
    page.goto(address_of(site, "made-*.html"))
    page.get_by_label("Search").fill("str some")
    assert names(page) == ["Strong"]
    assert page.locator("#shown").inner_text() == "1 of 5 entries"
    page.get_by_label("Search").fill("")
    page.get_by_label("Tier").select_option("maintainers")
    assert names(page) == ["Strong"]
    page.get_by_label("Tier").select_option("")
    page.get_by_label("standard protocol only").check()
    assert "Alike" not in names(page)
    page.get_by_label("without flags").check()
    assert sorted(names(page)) == ["Middle", "Strong"]


def test_filtering_episodes(page, site):
    page.goto(address_of(site, "entries/made-*/weak.html"))
    page.wait_for_selector("#list tbody tr")
    page.get_by_label("Show").select_option("flagged")
    assert page.locator("#list tbody tr").count() == 1
    page.get_by_label("Show").select_option("success")
    assert set(page.locator("#list tbody tr td:nth-child(2)").all_inner_texts()) == {"success"}
    page.get_by_label("Show").select_option("")
    page.locator("#domain").select_option("health")
    page.get_by_label("Find a task").fill("0001")
    assert page.locator("#list tbody tr").count() == 1


def test_keyboard_only(page, site):
    page.goto((site / "index.html").as_uri())

    def tab_to(text, limit=60):
        for _ in range(limit):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent.trim()") == text:
                return
        raise AssertionError(f"no way to {text!r} by Tab")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    tab_to("Made up")
    page.keyboard.press("Enter")
    page.wait_for_selector("#board")
    tab_to("Agent")
    page.keyboard.press("Space")
    assert page.locator("th.name").first.get_attribute("aria-sort") == "ascending"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    tab_to("Strong")
    page.keyboard.press("Enter")
    page.wait_for_selector("#list tbody tr")
    tab_to("task-0002")
    page.keyboard.press("Enter")
    page.wait_for_selector("#dialogue h3")
    assert page.evaluate("document.activeElement.textContent") == "task-0002"


@pytest.mark.parametrize(
    "pattern", ["index.html", "made-*.html", "pages-*.html", "entries/made-*/evil.html", "entries/sealed-*/secret.html"]
)
def test_phone_width(page, site, pattern):
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(address_of(site, pattern))
    if "evil" in pattern:
        page.locator("#list .open").first.click()
        page.wait_for_selector("#dialogue h3")
        for summary in page.locator("summary").all():
            summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    if pattern == "made-*.html":
        smallest = "[...document.querySelectorAll('.plot text')].map(t => t.getBoundingClientRect().height)"
        assert min(page.evaluate(smallest)) > 8


def test_dark_by_system_and_by_choice(browser, page, site):
    address = (site / "index.html").as_uri()
    paper = "getComputedStyle(document.body).backgroundColor"
    page.goto(address)
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    page.get_by_role("button", name="Use dark colours").click()
    assert page.evaluate(paper) == "rgb(20, 24, 31)"
    page.reload()
    assert page.evaluate(paper) == "rgb(20, 24, 31)"
    context = browser.new_context(color_scheme="dark")
    other = context.new_page()
    other.goto(address)
    assert other.evaluate(paper) == "rgb(20, 24, 31)"
    other.get_by_role("button", name="Use light colours").click()
    assert other.evaluate(paper) == "rgb(255, 255, 255)"
    context.close()


def test_hostile_text_is_text(page, site):
    page.goto(address_of(site, "made-*.html"))
    evil = page.locator("#board tbody a", has_text="window.hit")
    assert evil.inner_text().startswith(SCRIPT)
    assert page.evaluate("getComputedStyle(document.querySelector('#board bdi')).unicodeBidi") == "isolate"
    box = evil.bounding_box()
    assert box["width"] < 400
    evil.click()
    page.wait_for_selector("#list tbody tr")
    for item in page.locator("#list .open").all()[:2]:
        item.click()
        page.wait_for_timeout(50)
    page.wait_for_selector("#dialogue h3")
    shown = page.locator("#dialogue .said.other .text").first.text_content()
    assert shown == HOSTILE.strip()
    assert page.locator("#dialogue img, #dialogue script, main img, main script").count() == 0
    for summary in page.locator("summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200
    assert "{{7*7}}" in page.locator("main").inner_text()


def test_the_policy_stops_what_would_slip_through(browser, site):
    """Even markup put into the page by hand runs nothing."""
    context = browser.new_context()
    opened = context.new_page()
    refused = []
    opened.on("console", lambda m: refused.append(m.text))
    opened.goto((site / "index.html").as_uri())
    opened.evaluate(
        """() => { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.hit=1">');
        const s = document.createElement('script'); s.textContent = 'window.hit=2'; document.body.append(s);
        const t = document.createElement('script'); t.src = 'data:text/javascript,window.hit=3';
        document.body.append(t); }"""
    )
    opened.wait_for_timeout(200)
    assert opened.evaluate("window.hit === undefined")
    assert sum("Content Security Policy" in text for text in refused) >= 3
    context.close()


def test_pages_work_without_script(browser, site):
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(address_of(site, "made-*.html"))
    assert opened.locator("#board tbody tr").count() == 5
    assert opened.locator("svg.plot").count() == 4
    assert not opened.locator("#tools").is_visible()
    context.close()


def test_a_sealed_board_shows_no_dialogue(page, site):
    page.goto(address_of(site, "entries/sealed-*/secret.html"))
    assert page.get_by_text("This board is sealed").is_visible()
    assert not list(site.glob("data/sealed-*/*/*"))
    assert "task-0001" not in page.content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(browser, site, scheme):
    source = axe_source()
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    for pattern in (
        "index.html",
        "made-*.html",
        "pages-*.html",
        "entries/made-*/evil.html",
        "entries/pages-*/pages-a.html",
    ):
        opened.goto(address_of(site, pattern))
        if pattern.startswith("entries"):
            opened.locator("#list .open").first.click()
            opened.wait_for_selector("#dialogue h3")
        assert serious(opened, source) == [], pattern
    context.close()


def test_served(browser, site):
    with server_of(site, port=0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        root = f"http://127.0.0.1:{server.server_address[1]}/"
        with urllib.request.urlopen(root) as response:
            assert "script-src 'self'" in response.headers["Content-Security-Policy"]
            assert response.headers["X-Content-Type-Options"] == "nosniff"
        context = browser.new_context()
        opened = context.new_page()
        opened.goto(root)
        opened.get_by_role("link", name="Made up pages").click()
        opened.get_by_role("link", name="pages-a").click()
        opened.get_by_role("button", name="task-0001, repeat 1").click()
        opened.wait_for_selector("#dialogue h3")
        context.close()
        server.shutdown()
