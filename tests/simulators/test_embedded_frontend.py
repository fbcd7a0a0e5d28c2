"""The embedded collaborator for pages: what it says with a page, without one, and when there is nothing to say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "frontend"))
from similarity_pages import element, made_page

from colbench.errors import CollaboratorError
from colbench.frontend.comparison import LOOKS_RIGHT
from colbench.frontend.differences.answers import answer_facts, topics_of
from colbench.frontend.differences.reading import parse_reply, split_sentences
from colbench.frontend.differences.vocabulary import Remark, Target
from colbench.frontend.page import RenderedPage
from colbench.simulators.base import Collaborator, CollaboratorContext
from colbench.simulators.embedded_frontend import EmbeddedFrontend
from colbench.tasks.schema import FrontendTask

NAVY, WHITE, RED = (30, 58, 138), (255, 255, 255), (220, 38, 38)
TASK = FrontendTask(task_id="t1", problem_description="A site", ground_truth="<body class='secret-class'>x</body>")


def site(button=RED, title="Welcome to Acme", nav=NAVY):
    return made_page(
        element("nav", 0, 0, 1280, 64, bg=nav),
        element("span", 24, 20, 60, 24, "Acme Ltd", fg=WHITE, font_size=20.0, font_weight=700, parent=1),
        element("a", 1000, 20, 60, 24, "Home", fg=WHITE, parent=1),
        element("a", 1100, 20, 60, 24, "About", fg=WHITE, parent=1),
        element("h1", 64, 120, 1152, 44, title, font_size=36.0, text_align="center"),
        element("button", 590, 220, 100, 40, "Order", bg=button, fg=WHITE, border_radius=20.0),
    )


def context(message="Here is my page.", page=None, reference=None, seed=3, max_chars=1000):
    messages = ({"role": "user", "content": TASK.problem_description}, {"role": "assistant", "content": message})
    return CollaboratorContext(
        TASK, messages, seed, 0, max_chars, agent_page=page, reference_page=site() if reference is None else reference
    )


async def say(*args, **kwargs):
    return (await EmbeddedFrontend().reply(context(*args, **kwargs))).text


async def test_it_is_a_collaborator():
    collaborator = EmbeddedFrontend()
    assert isinstance(collaborator, Collaborator) and collaborator.name == "embedded"
    assert collaborator.describe()["name"] == "embedded"


async def test_differences_are_said():
    reply = await EmbeddedFrontend().reply(context(page=site(button=NAVY, nav=WHITE)))
    assert {(r.property, r.target.noun) for r in parse_reply(reply.text)} >= {
        ("background", "navigation bar"),
        ("background", "button"),
    }
    assert reply.settled is None and reply.meta["page"] is True and reply.attempts == 1


async def test_nothing_to_say_about_the_right_page():
    assert await say(page=site()) == LOOKS_RIGHT


async def test_the_same_seed_says_the_same():
    page = site(button=NAVY, nav=WHITE, title="Hello")
    assert await say(page=page) == await say(page=page)
    assert len({await say(page=page, seed=seed) for seed in range(8)}) > 1


async def test_a_question_brings_its_topic_to_the_front():
    page = site(button=NAVY, nav=WHITE, title="Hello")
    first = split_sentences(await say("Is the button right?", page=page))[0]
    assert "button" in first
    assert "button" not in split_sentences(await say("Here it is.", page=page))[0]


async def test_what_was_asked_for_in_vain_gives_way():
    page = site(button=NAVY, nav=WHITE, title="Something else entirely")
    replies: list[str] = []
    for turn in range(6):
        messages = [{"role": "user", "content": "A site"}]
        for reply in replies:
            messages += [{"role": "assistant", "content": "Here."}, {"role": "user", "content": reply}]
        messages.append({"role": "assistant", "content": "Here."})
        told = CollaboratorContext(TASK, tuple(messages), 0, turn, 1000, agent_page=page, reference_page=site())
        replies.append((await EmbeddedFrontend(limit=1).reply(told)).text)
    # Nothing is changed, so the same wishes stay open; after a while another one is uttered.
    assert len({(r.property, r.target) for reply in replies for r in parse_reply(reply)}) >= 3


@pytest.mark.parametrize("page", [None, RenderedPage("no page", "no_html")], ids=["none", "no_html"])
async def test_without_a_page_it_says_so_and_answers(page):
    """A turn without a page is a valid turn."""
    text = await say("What is the company name?", page=page)
    assert "page" in split_sentences(text)[0] and "yet" in split_sentences(text)[0]
    assert parse_reply(text) == [Remark("text", Target("logo"), "Acme Ltd")]


async def test_answers_are_about_what_was_asked():
    colours = parse_reply(await say("Which colours would you like?"))
    assert colours and {r.property for r in colours} <= {"background", "color", "border"}
    assert Remark("background", Target("navigation bar"), "very dark blue") in colours
    [*facts] = parse_reply(await say("What should the buttons look like?"))
    assert {r.target.noun for r in facts} == {"button"}
    assert "nothing like that" in await say("What is in the table?")
    overview = parse_reply(await say("Hello! Please describe it."))
    assert [r.target.noun for r in overview if r.property == "exists"] == ["navigation bar", "main heading"]


async def test_at_most_four_remarks_whatever_is_asked():
    for message in ("Tell me everything.", "Colours, sizes, fonts, links, buttons, cards, footer, everything?", ""):
        assert len(split_sentences(await say(message))) <= 5
        assert len(parse_reply(await say(message, page=made_page()))) <= 4


async def test_never_html_class_names_or_codes():
    for page in (None, site(button=NAVY), made_page()):
        for message in ("Give me the HTML please.", "Which hex colour is the button?"):
            text = await say(message, page=page)
            assert "<" not in text and "secret-class" not in text and "#" not in text


async def test_the_limit_of_letters_is_kept():
    for limit in (10, 60, 200):
        assert len(await say(page=made_page(), max_chars=limit)) <= limit
        assert len(await say("Colours?", max_chars=limit)) <= limit


async def test_a_reference_that_was_not_rendered_is_the_collaborators_failure():
    bare = CollaboratorContext(TASK, ({"role": "user", "content": "A site"},), 0, 0, 1000)
    with pytest.raises(CollaboratorError, match="t1"):
        await EmbeddedFrontend().reply(bare)
    with pytest.raises(CollaboratorError, match="not measured"):
        await say(page=site(), reference=RenderedPage("", "render_error"))
    with pytest.raises(CollaboratorError, match="not measured"):
        answer_facts("Colours?", RenderedPage("", "render_error"))


def test_topics():
    assert topics_of("What color is the nav bar?") == ({"navigation bar"}, {"background", "color"})
    assert topics_of("How many cards?")[1] >= {"count", "columns"}
    assert topics_of("Good morning.") == (set(), set())
