"""Page agents: a draft from the request, remarks done one by one, and a page that comes closer."""

import asyncio
import re

import numpy as np
import pytest

from colbench.agents import load_agent
from colbench.agents.base import EpisodeStart
from colbench.agents.pages.drafting import draft_page, name_in
from colbench.agents.pages.html import page_html
from colbench.agents.pages.model import Block, find_all, find_one, likeness
from colbench.agents.pages.revision import apply_remark
from colbench.errors import ConfigurationError
from colbench.frontend.assets import has_asset
from colbench.frontend.comparison import LOOKS_RIGHT
from colbench.frontend.differences.reading import parse_remark, parse_reply
from colbench.frontend.differences.vocabulary import plural
from colbench.frontend.extraction import extract_html
from colbench.tasks import load_tasks
from colbench.tasks.schema import FrontendTask

REQUEST = 'A page for "Tidepool", an aquarium. The main colour is green.'
START = EpisodeStart(env_id="ColBench-Frontend-v0", seed=0, max_turns=10)


def revised(*sentences, page=None):
    page = page or draft_page(REQUEST)
    done = []
    for sentence in sentences:
        remark = parse_remark(sentence)
        assert remark is not None, sentence
        done.append(apply_remark(page, remark))
    return page, done


def texts(page, noun):
    return [block.text for block in find_all(page, noun)]


# ---- draft ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ('A page for "Tidepool", an aquarium.', "Tidepool"),
        ("A screen for the nurses. It is called Ward Desk.", "Ward Desk"),
        ("Please design the home page of Crumb & Kettle, a bakery.", "Crumb & Kettle"),
        ("a page about boats", None),
    ],
)
def test_the_name_of_the_thing(request_text, name):
    assert name_in(request_text) == name


def test_a_draft_uses_the_words_of_the_request():
    page = draft_page(REQUEST)
    assert texts(page, "heading")[0] == "Tidepool"
    assert "rgb(30,180,100)" in page_html(page)
    assert page_html(draft_page(REQUEST)) == page_html(page)
    dark = page_html(draft_page("A gallery on a dark background."))
    assert "background:rgb(8,8,8)" in dark
    for request in ("", "?", "x" * 5_000, "<script>alert(1)</script> & more", "日本語のページ"):
        html = page_html(draft_page(request))
        assert "<script>" not in html
        assert extract_html(f"```html\n{html}\n```").strip() == html


# ---- remarks ----------------------------------------------------------------------------------------------------


def test_each_kind_of_remark_changes_the_part_that_is_meant():
    page, done = revised(
        "The background of the page should be very dark blue, not white.",
        'The navigation bar should have the links "Visit" and "Animals", not "Home", "About" and "Contact".',
        'The main heading should say "Touch the sea", not "Tidepool".',
        "The text of the main heading should be bigger: about 60 pixels, not 44.",
        "The text of the main heading should not be bold.",
        "The hero should be about 480 pixels tall, not 300.",
        "The text of the hero should be on the left, not centred.",
        "The corners of the button should be square, not rounded.",
        'The heading "How it works" should have dark red text.',
        "The three cards should be in two columns, not three.",
        "There should be about 60 pixels between the three cards, not 32.",
        "The three cards should have a shadow.",
        "The three cards should have no border, not a light grey one.",
        'The footer should say "Open every day", not "Tidepool".',
        "The text of the page should be in a serif font.",
    )
    assert done == [True] * len(done)
    assert page.style["background"] == "rgb(30,58,138)"
    assert page.style["font-family"] == "serif"
    assert texts(page, "link") == ["Visit", "Animals"]
    title = find_one(page, "main heading")
    assert (title.text, title.style["font-size"], title.style["font-weight"]) == ("Touch the sea", "60px", "400")
    hero = find_one(page, "hero")
    assert (hero.style["height"], hero.style["text-align"]) == ("480px", "left")
    assert find_one(page, "button").style["border-radius"] == "0"
    assert find_one(page, "heading", "How it works").style["color"] == "rgb(185,28,28)"
    cards = find_one(page, "cards")
    assert (cards.columns, cards.gap, cards.style["border"]) == (2, 60, "0")
    assert "rgba" in cards.style["box-shadow"]
    assert find_one(page, "footer").words() == "Open every day"
    again = page_html(page)
    revised('The main heading should say "Touch the sea", not "Tidepool".', page=page)
    assert page_html(page) == again


def test_missing_parts_are_added_where_they_belong():
    page, done = revised(
        'There should be a heading "Feeding hour" below the three cards.',
        'There should be a paragraph "Every day at eleven." below the heading "Feeding hour".',
        'There should be a sidebar on the right, in light green, with "Crabs", "Rays", "Starfish" and "Eels".',
        'There should be a table in the middle, with "Day Hour".',
        "The table should be in two columns, not one.",
        'There should be three input fields, with "Name", "E-mail" and "Day".',
        "There should be an image below the hero.",
        'There should be two buttons, not one, with "Buy tickets" and "Plan a visit".',
    )
    assert done == [True] * len(done)
    html = page_html(page)
    order = [html.index(word) for word in ("Get in touch", "Feeding hour", "Every day at eleven.")]
    assert order == sorted(order)
    assert "<aside" in html
    assert html.index("<main") < html.index("<aside")
    assert [child.noun for child in find_one(page, "sidebar").children][1:] == ["list item"] * 3
    assert re.search(r"<th[^>]*>Day</th><th[^>]*>Hour</th>", html)
    assert html.count("<input") == 3
    assert texts(page, "button") == ["Buy tickets", "Plan a visit"]
    kinds = [child.noun for child in page.children]
    assert kinds.index("image") == kinds.index("hero") + 1
    assert kinds[-1] == "footer"


def test_parts_that_should_not_be_there_go_but_words_that_were_asked_for_stay():
    page, done = revised(
        "The navigation bar should not be there.",
        "The three cards should not be there.",
        "The footer should not be there.",
        "The hero should not be there.",
        'There should be a heading "Feeding hour" in the middle.',
        'The heading "Feeding hour" should not be there.',
    )
    assert done == [True] * len(done)
    assert {child.noun for child in page.children} <= {"main heading", "paragraph", "button"}
    assert "Feeding hour" in texts(page, "paragraph")
    _, done = revised("The footer should not be there.", "The button should be on the right.", page=page)
    assert done == [False, True]


def test_cards_get_the_titles_that_they_should_have():
    page, _ = revised('There should be four cards, not three, with "Crabs", "Rays", "Starfish" and "Eels".')
    cards = find_one(page, "cards").children
    assert [card.children[0].text for card in cards] == ["Crabs", "Rays", "Starfish", "Eels"]
    revised('There should be two cards, not four, with "Rays" and "Eels".', page=page)
    assert [card.children[0].text for card in find_one(page, "cards").children] == ["Rays", "Eels"]
    revised('There should be two buttons, not one, with "See" and "See".', page=page)
    assert page_html(page).count(">See<") == 2


def test_remarks_about_what_is_not_there_are_passed_over():
    bare = Block("page", children=[Block("paragraph", "Hello")])
    before = page_html(bare)
    _, done = revised(
        "The sidebar should be about 300 pixels wide, not 200.",
        "The table should be in three columns, not one.",
        'The logo should say "X", not "Y".',
        "The image should not be there.",
        page=bare,
    )
    assert done == [False] * 4
    assert page_html(bare) == before


def test_labels_that_are_cut_short_still_fit():
    long = "Crabs, rays and starfish in open basins, and people who know what they are called."
    assert likeness("Crabs, rays and starfish in open…", long) == 1.0
    assert likeness("crabs,  RAYS", "Crabs, rays") == 1.0
    assert likeness("Sea otters", long) < 0.5
    page = Block("page", children=[Block("paragraph", "Other words"), Block("paragraph", long)])
    assert find_one(page, "paragraph", "Crabs, rays and starfish…") is page.children[1]
    assert find_one(page, "link", "Crabs, rays and starfish…") is page.children[1]
    assert find_one(page, "link", "Nothing like it") is None


def test_whatever_is_said_the_page_stays_a_page():
    noun_by_noun = [
        "navigation bar", "logo", "header", "hero", "sidebar", "main heading", "heading", "paragraph", "list item",
        "link", "button", "image", "form", "input field", "table", "footer",
    ]  # fmt: skip
    page = draft_page(REQUEST)
    for noun in noun_by_noun:
        article = "an" if noun[0] in "aei" else "a"
        revised(
            f'There should be {article} {noun} "<b>{noun}</b> &amp;" at the top, in dark red, with "one" and "two".',
            f"The {noun} should be about 120 pixels wide, not 50.",
            f"The {noun} should be about 90 pixels tall, not 50.",
            f"The {noun} should be on the right, not on the left.",
            f"The {noun} should have a white background, not black.",
            f"The {noun} should have black text, not white.",
            f"There should be seven {plural(noun)}, not one.",
            f"The text of the {noun} should be centred.",
            page=page,
        )
        html = page_html(page)
        assert "<b>" not in html
        assert html.endswith("</html>")
    for noun in noun_by_noun:
        for _ in range(8):
            revised(f"The {noun} should not be there.", page=page)
    assert page_html(page).endswith("</html>")


# ---- agents -----------------------------------------------------------------------------------------------------


def act(agent, messages, turns_left=9):
    spoken = [{"role": "user" if i % 2 == 0 else "assistant", "content": m} for i, m in enumerate(messages)]
    return asyncio.run(agent.act({"messages": tuple(spoken), "turns_left": turns_left})).text


def test_blank_and_draft():
    blank = act(load_agent("blank"), [REQUEST])
    assert blank.startswith("I WANT TO ANSWER:")
    assert "<body></body>" in blank
    draft = load_agent("draft").start(START)
    first = act(draft, [REQUEST])
    assert "I WANT TO ANSWER" not in first
    assert "Tidepool" in extract_html(first)
    last = act(draft, [REQUEST, first, "The hero should not be there."])
    assert last.startswith("I WANT TO ANSWER:")
    assert extract_html(last).strip() == extract_html(first).strip()
    assert act(draft, [REQUEST], turns_left=1).startswith("I WANT TO ANSWER:")


def test_the_reviser_does_what_it_is_told_until_there_is_nothing_left():
    agent = load_agent("reviser")
    player = agent.start(START)
    said = [REQUEST, act(player, [REQUEST])]
    assert extract_html(said[1]).strip() == extract_html(act(load_agent("draft"), [REQUEST])).strip()
    said += ["The background of the page should be black, not white. And I like it."]
    said += [act(player, said)]
    assert "background:rgb(8,8,8)" in extract_html(said[-1])
    said += [LOOKS_RIGHT]
    assert act(player, said).startswith("I WANT TO ANSWER:")
    assert agent.start(START) is not player
    assert agent.describe() == {"name": "reviser", "turns": None}


def test_the_reviser_uses_the_last_turn_and_a_limit_of_its_own():
    player = load_agent("reviser").start(START)
    said = [REQUEST, act(player, [REQUEST]), "The background of the page should be black, not white."]
    last = act(player, said, turns_left=1)
    assert last.startswith("I WANT TO ANSWER:")
    assert "background:rgb(8,8,8)" in last
    short = load_agent("reviser", {"turns": 0}).start(START)
    assert act(short, [REQUEST]).startswith("I WANT TO ANSWER:")
    with pytest.raises(ConfigurationError, match="turns must be a whole number from 0, actually: -1"):
        load_agent("reviser", {"turns": -1})


def test_free_words_are_no_remarks():
    assert parse_reply("Make it pop! I love blue.") == []
    player = load_agent("reviser").start(START)
    said = [REQUEST, act(player, [REQUEST]), "Make it pop! I love blue."]
    assert act(player, said).startswith("I WANT TO ANSWER:")


# ---- in the browser ---------------------------------------------------------------------------------------------


def curves(agent_name, tasks):
    from colbench.episode import Episode
    from colbench.frontend.judge import FrontendJudge
    from colbench.rollout import play_episode
    from colbench.simulators import load_collaborator

    judge, agent, collaborator = FrontendJudge("layout"), load_agent(agent_name), load_collaborator("embedded")

    async def play(task):
        assert isinstance(task, FrontendTask)
        episode = Episode(task, seed=0, collaborator=collaborator, judge=judge, reward="similarity")
        await play_episode(episode, agent, "ColBench-Frontend-v0")
        assert episode.failure is None
        return episode

    async def play_all():
        return await asyncio.gather(*(play(task) for task in tasks))

    rows = []
    for task, episode in zip(tasks, asyncio.run(play_all()), strict=True):
        scores = judge.score_pages(task, episode.pages)
        assert scores[-1] == episode.reward
        rows.append(scores + scores[-1:] * (10 - len(scores)))
    return np.array(rows)


needs_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(not has_asset("tailwind-2"), reason="needs: colbench assets install"),
]


@pytest.mark.parametrize(
    ("bundled", "procedural"),
    [
        pytest.param(2, 2, marks=needs_browser),
        pytest.param(20, 100, marks=[*needs_browser, pytest.mark.slow]),
    ],
)
def test_agents_stand_in_the_right_order_and_the_reviser_comes_closer(bundled, procedural):
    from colbench.statistics import paired_comparison

    tasks = [
        *list(load_tasks("bundled", kind="frontend", split="test"))[:bundled],
        *load_tasks(f"procedural:n={procedural}", kind="frontend", split="test"),
    ]
    few = tasks[:1] + tasks[-1:]
    assert (curves("oracle", few) == 1.0).all()
    assert (curves("blank", few) == 0.0).all()
    reviser = curves("reviser", tasks)
    by_turn = reviser.mean(axis=0)
    draft = curves("draft", tasks)[:, -1]
    # The reviser's first page is the draft.
    assert np.allclose(reviser[:, 0], draft)
    difference = paired_comparison(draft, reviser[:, -1]).difference
    assert difference.low > 0.1
    if len(tasks) > 50:
        assert (np.diff(by_turn) > 0).all()
    else:
        assert (by_turn[[3, 6, 9]] > by_turn[[0, 3, 6]]).all()
