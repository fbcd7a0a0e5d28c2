"""The frontend judge: what counts as the page, how it is scored, and whose fault a failure is."""

import asyncio
import hashlib
import threading

import pytest

from colbench.agents.base import AgentMessage
from colbench.episode import Episode
from colbench.errors import ConfigurationError, RendererError, SimilarityError
from colbench.frontend import scoring
from colbench.frontend.env import FrontendEnv
from colbench.frontend.judge import FrontendJudge, isolation_level
from colbench.frontend.page import RenderedPage
from colbench.frontend.page_memory import PageMemory
from colbench.frontend.picture_store import PictureStore
from colbench.frontend.scoring import ScoreQueue, shared_scores
from colbench.simulators import load_collaborator
from colbench.tasks.schema import FrontendTask

TASK = FrontendTask(task_id="t", problem_description="A page.", ground_truth="<h1>Reference</h1>")


def page(html, status="ok", png=b"picture"):
    return RenderedPage(html=html, status=status, png=png)


class Letters:
    """A measure that needs no picture: share of the reference's source that the page's source repeats."""

    name = "letters"

    def __init__(self):
        self.batches = []
        self.gate = threading.Event()
        self.gate.set()

    def score(self, pages):
        self.gate.wait(10)
        self.batches.append(len(pages))
        if any(reference.html == "broken" for _, reference in pages):
            raise SimilarityError("the reference is broken")
        return [
            0.0 if shown is None or shown.png is None else float(shown.html == reference.html)
            for shown, reference in pages
        ]

    def describe(self):
        return {"name": self.name, "weight_hash": "abc", "device": "cpu"}


class FakeRenderer:
    """Stands for the browser: sources are looked up in a table of statuses."""

    versions = {"renderer": "0", "browser": "none", "fonts": "none", "isolation": "nothing runs"}

    def __init__(self, table=()):
        self.table = dict(table)
        self.rendered = []

    async def arender(self, html):
        self.rendered.append(html)
        status = self.table.get(html, "ok")
        if status == "gone":
            raise RendererError("the browser is gone")
        return page(html, status, png=b"picture" if status in ("ok", "approximate", "truncated", "blank") else None)

    async def areference(self, html):
        return await self.arender(html)

    def reference(self, html):
        return asyncio.run(self.arender(html))


@pytest.fixture
def judge(monkeypatch):
    def make(table=(), **options):
        monkeypatch.setattr(FrontendJudge, "renderer", FakeRenderer(table))
        return FrontendJudge(Letters(), **options)

    return make


def episode(judge, *messages, max_turns=10):
    made = Episode(
        TASK,
        seed=0,
        collaborator=load_collaborator(lambda context: "Change it."),
        judge=judge,
        reward="similarity",
        max_turns=max_turns,
    )

    async def play():
        for message in messages:
            await made.advance(AgentMessage(message))

    asyncio.run(play())
    return made


async def test_only_a_message_with_a_page_is_rendered(judge):
    one = judge()
    assert await one.look(TASK, "What is the company name?") is None
    assert (await one.look(TASK, "See:\n```html\n<h1>Reference</h1>\n```")).html.strip() == "<h1>Reference</h1>"


def test_the_page_in_the_answering_message_counts(judge):
    made = episode(judge(), "<h1>Other</h1>", "I WANT TO ANSWER: <h1>Reference</h1>")
    assert made.verdict.score == 1.0
    assert made.dialogue.ended_by == "answer"


def test_the_last_page_is_the_answer_wherever_it_was_shown(judge):
    made = episode(judge(), "<h1>Reference</h1>", "Is it good?", "I WANT TO ANSWER: the page above")
    assert made.verdict.score == 1.0
    assert [turn.page.status if turn.page else None for turn in made.turns] == ["ok", None, None]
    assert episode(judge(), "<h1>Reference</h1>", "<h1>Worse</h1>", "Done?", max_turns=3).verdict.score == 0.0


def test_a_missing_page_is_reported_as_such(judge):
    made = episode(judge(), "What is the company name?", "I WANT TO ANSWER: I have no page")
    assert made.verdict.score == 0.0
    assert made.verdict.outcomes == ({"status": "missing", "compared": False},)
    assert made.record("env").outcomes == [{"status": "missing", "compared": False}]


def test_a_page_that_fails_is_scored_and_a_browser_that_fails_is_not(judge):
    made = episode(judge({"<h1>Hang</h1>": "timeout"}), "<h1>Reference</h1>", "I WANT TO ANSWER: <h1>Hang</h1>")
    assert made.verdict.score == 0.0
    assert made.verdict.outcomes[0]["status"] == "timeout"
    assert not made.verdict.outcomes[0]["compared"]
    with pytest.raises(RendererError, match="browser is gone"):
        episode(judge({"<h1>Any</h1>": "gone"}), "<h1>Any</h1>")
    with pytest.raises(RendererError, match="reference of task 't' gives no picture: status timeout"):
        episode(judge({TASK.ground_truth: "timeout"}), "<h1>Any</h1>")


def test_a_verdict_names_everything_it_depends_on(judge):
    verdict = episode(judge(), "I WANT TO ANSWER: <h1>Reference</h1>").verdict
    assert verdict.measure == "letters"
    assert verdict.success is None
    assert verdict.isolation == "weak"
    assert verdict.versions["browser_isolation"] == "nothing runs"
    assert verdict.versions["browser"] == "none"
    assert verdict.versions["weights"] == "abc"
    assert verdict.versions["measure"].startswith("letters@")
    assert verdict.versions["reference_png"] == hashlib.sha256(b"picture").hexdigest()
    assert verdict.outcomes[0]["png_hash"] == hashlib.sha256(b"picture").hexdigest()


def test_isolation_is_named_by_level():
    assert isolation_level({"isolation": "bubblewrap without network", "browser_sandbox": "off"}) == "full"
    assert isolation_level({"isolation": "requests intercepted only (no bwrap)", "browser_sandbox": "on"}) == "partial"
    assert isolation_level({"isolation": "requests intercepted only (no bwrap)", "browser_sandbox": "off"}) == "weak"


def test_scores_of_many_turns_in_order(judge):
    shown = [page("<h1>Reference</h1>"), None, page("<h1>x</h1>"), page("x", "timeout", None)] * 25 + [None]
    assert judge().score_pages(TASK, shown) == [1.0, 0.0, 0.0, 0.0] * 25 + [0.0]


def test_the_description_holds_what_changes_a_score_and_nothing_else(judge):
    facts = judge(timeout_s=5.0, cache_dir="/somewhere").describe()
    assert facts == judge(timeout_s=5.0, cache_dir="/elsewhere", workers=3).describe()
    assert facts["measure"] == "letters"
    assert facts["timeout_s"] == "5.0"
    assert facts != judge(timeout_s=6.0).describe()


def test_bad_options():
    with pytest.raises(ConfigurationError, match=r"unknown option 'timeout'\. Did you mean 'timeout_s'"):
        FrontendJudge("layout", timeout=3)
    with pytest.raises(ConfigurationError, match="workers must be a whole number of at least 1, actually: 0"):
        FrontendJudge("layout", workers=0)
    with pytest.raises(ConfigurationError, match="no similarity measure 'clap'"):
        FrontendJudge("clap")


def test_missing_weights_are_found_out_before_the_first_episode(monkeypatch):
    def missing(name, **options):
        raise SimilarityError("no weights. Remedies: ...")

    monkeypatch.setattr(scoring, "load_similarity", missing)
    with pytest.raises(SimilarityError, match="Remedies"):
        FrontendEnv(similarity="clip", similarity_options={"weights": "/none"})


async def test_a_page_shown_again_is_not_drawn_again_unless_it_failed(judge):
    one = judge({"<h1>Hang</h1>": "timeout"})
    first = await one.look(TASK, "<h1>Page</h1>")
    assert await one.look(TASK, "I WANT TO ANSWER: <h1>Page</h1>") is first
    for _ in range(2):
        assert (await one.look(TASK, "<h1>Hang</h1>")).status == "timeout"
    assert one.renderer.rendered == ["<h1>Page</h1>", "<h1>Hang</h1>", "<h1>Hang</h1>"]


async def test_pages_are_remembered_waited_for_and_forgotten():
    memory, rendered = PageMemory(size=2), []

    async def render(html):
        rendered.append(html)
        await asyncio.sleep(0.01)
        return page(html, "ok" if html != "bad" else "timeout", b"x" if html != "bad" else None)

    shown = await asyncio.gather(*(memory.page("a", render) for _ in range(20)))
    assert rendered == ["a"]
    assert all(each is shown[0] for each in shown)
    assert [p.status for p in await asyncio.gather(*(memory.page("bad", render) for _ in range(3)))] == ["timeout"] * 3
    assert rendered == ["a", "bad", "bad", "bad"]
    for html in ("b", "a", "c", "a", "b"):
        await memory.page(html, render)
    assert rendered[4:] == ["b", "c", "b"]


async def test_a_caller_that_gives_up_spoils_nothing_for_the_others():
    memory, rendered = PageMemory(), []

    async def slow(html):
        rendered.append(html)
        await asyncio.sleep(0.05)
        return page(html)

    first, second = (asyncio.create_task(memory.page("a", slow)) for _ in range(2))
    await asyncio.sleep(0.01)
    first.cancel()
    assert (await second).html == "a"
    third, fourth = (asyncio.create_task(memory.page("b", slow)) for _ in range(2))
    await asyncio.sleep(0.01)
    fourth.cancel()
    assert (await third).html == "b"

    async def fails(html):
        raise RendererError("gone")

    with pytest.raises(RendererError):
        await memory.page("c", fails)
    assert (await memory.page("c", slow)).html == "c"


# ---- scoring ----------------------------------------------------------------------------------------------------


def test_what_waits_becomes_one_batch():
    measure = Letters()
    measure.gate.clear()
    queue = ScoreQueue(measure)
    futures = [queue.submit((page(str(i % 2)), page("1"))) for i in range(101)]
    measure.gate.set()
    assert [future.result(10) for future in futures] == [float(i % 2) for i in range(101)]
    assert sum(measure.batches) == 101
    assert len(measure.batches) <= 3


def test_one_bad_reference_does_not_take_the_others_with_it():
    measure = Letters()
    measure.gate.clear()
    queue = ScoreQueue(measure)
    good = [queue.submit((page("1"), page("1"))) for _ in range(3)]
    bad = queue.submit((page("1"), page("broken")))
    measure.gate.set()
    assert [future.result(10) for future in good] == [1.0] * 3
    with pytest.raises(SimilarityError, match="is broken"):
        bad.result(10)


def test_a_measure_is_loaded_once_for_all_environments():
    assert shared_scores("layout") is shared_scores("layout", {})
    own = Letters()
    assert shared_scores(own) is shared_scores(own)
    assert shared_scores(own) is not shared_scores(Letters())


# ---- pictures ---------------------------------------------------------------------------------------------------


def test_pictures_are_kept_once_by_content(tmp_path, judge):
    store = PictureStore(tmp_path / "pictures")
    assert list(store) == []
    episode(judge(pictures=store), "<h1>One</h1>", "<h1>Two</h1>", "I WANT TO ANSWER: <h1>Two</h1>")
    (only,) = store
    assert only == hashlib.sha256(b"picture").hexdigest()
    assert store.get(only) == b"picture"
    assert only in store
    assert store.put(b"picture") == only
    assert store.get("0" * 64) is None
    assert "0" * 64 not in store
    assert [path.name for path in (tmp_path / "pictures").rglob("*") if path.is_file()] == [f"{only}.png"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "A" * 64, "0" * 63])
def test_a_picture_is_named_by_its_hash_only(tmp_path, name):
    with pytest.raises(ConfigurationError, match="64 hex digits"):
        PictureStore(tmp_path).get(name)


@pytest.mark.parametrize("similarity", [None, 3, object(), Letters])
def test_a_similarity_that_is_no_measure(similarity):
    with pytest.raises(ConfigurationError, match="is no measure: give one of clip, clip_square, layout"):
        FrontendJudge(similarity)


@pytest.mark.parametrize("options", [{"viewport": 1280}, {"timeout_s": "20"}, {"workers": 65}])
def test_renderer_options_are_checked_with_the_judge(options):
    ((name, value),) = options.items()
    with pytest.raises(ConfigurationError, match=f"{name}={value!r}"):
        FrontendJudge(Letters(), **options)
