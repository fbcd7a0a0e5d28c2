"""WebSight as frontend tasks: which rows, and picture addresses that come out well-formed."""

import re
import sys
import types

import pytest

from colbench.errors import ConfigurationError, MissingExtraError, TaskDataError
from colbench.tasks import load_tasks
from colbench.tasks.websight import load_websight, rewrite_images

GOOD = re.compile(r"https://picsum\.photos/id/48/[1-9]\d{0,3}/[1-9]\d{0,3}")


@pytest.mark.parametrize(
    ("address", "size"),
    [
        ("https://source.unsplash.com/random/900x600", "900/600"),
        ("https://source.unsplash.com/random/900x600/?dog,cat", "900/600"),
        ("https://source.unsplash.com/random/1600x900/?real-estate", "1600/900"),
        ("https://source.unsplash.com/random/1600x900?real-estate&amp;sig=12", "1600/900"),
        ("https://source.unsplash.com/random/1600x900/?real estate agents", "1600/900"),
        ("http://source.unsplash.com/300X200/?skate-board", "300/200"),
        ("//source.unsplash.com/featured/640×480/?tea", "640/480"),
        ("https://source.unsplash.com/random/?sunset", "800/600"),
        ("https://source.unsplash.com", "800/600"),
        ("https://source.unsplash.com/150", "150/150"),
        ("https://source.unsplash.com/random/0x99999/?a", "1/4096"),
        ("https://images.unsplash.com/photo-1506744038136-46273834b3fb?w=400&h=250", "400/250"),
        ("https://picsum.photos/id/48/1600/900-estate", "1600/900"),
        ("https://picsum.photos/seed/7/300/200-board", "300/200"),
        ("https://picsum.photos/200", "200/200"),
    ],
)
def test_addresses_are_rewritten_whole(address, size):
    wanted = f"https://picsum.photos/id/48/{size}"
    assert GOOD.fullmatch(wanted)
    for page in ('<img src="{}" alt="a b">', "<img src='{}'>", '<a class="x" href="{}">words after</a>'):
        assert rewrite_images(page.format(address)) == page.format(wanted)


def test_addresses_in_styles_lists_and_running_text():
    address = "https://source.unsplash.com/random/1200x400/?sea"
    wanted = "https://picsum.photos/id/48/1200/400"
    for page in (
        "<div style=\"background-image: url('{}')\">",
        '<div style="background: url({}) no-repeat">',
        '<div style="background: url(&quot;{}&quot;) no-repeat">',
        "<style>.a {{ background: url({}); }}</style>",
        '<img srcset="{} 1x, {} 2x">',
        "<p>from {} with thanks</p>",
        '<img src={} class="w-full">',
    ):
        assert rewrite_images(page.format(address, address)) == page.format(wanted, wanted)


def test_other_addresses_stay():
    page = (
        '<link href="https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css">'
        '<img src="logo.png"><a href="https://example.com/900x600">no picture</a>'
    )
    assert rewrite_images(page) == page


def test_rewriting_twice_changes_nothing():
    once = rewrite_images('<img src="https://source.unsplash.com/random/900x600/?real-estate">')
    assert rewrite_images(once) == once


class Stream:
    """As much of a streamed data set as is used; counts what is read."""

    def __init__(self, rows, columns=None):
        self.rows, self.columns = rows, columns

    def select_columns(self, columns):
        return Stream(self.rows, columns)

    def skip(self, n):
        return Stream(self.rows[n:], self.columns)

    def __iter__(self):
        for row in self.rows:
            yield {name: row()[name] for name in self.columns}


def row(number):
    return lambda: {
        "llm_generated_idea": f"Idea {number}",
        "text": f'<html><img src="https://source.unsplash.com/random/90x60/?real-estate">{number}</html>',
        "image": pytest.fail,
    }


def fake_datasets(monkeypatch, load):
    module = types.ModuleType("datasets")
    module.load_dataset = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", module)


def test_rows_and_splits(monkeypatch):
    asked = []

    def load(repository, *names, split, streaming):
        asked.append((repository, names, split, streaming))
        return Stream([row(i) for i in range(20_500)])

    fake_datasets(monkeypatch, load)
    train, test = load_websight("train"), load_tasks("hub", kind="frontend", split="test")
    assert asked[0] == ("HuggingFaceM4/WebSight", ("v0.2",), "train", True)
    assert (len(train), len(test)) == (10_000, 500)
    assert (train[0].task_id, train[-1].task_id) == ("websight-00000", "websight-09999")
    assert (test[0].task_id, test[-1].task_id) == ("websight-10000", "websight-10499")
    assert test[0].problem_description == "Idea 10000"
    assert test[0].ground_truth == '<html><img src="https://picsum.photos/id/48/90/60">10000</html>'
    assert test.name == "hub-frontend-test"
    assert "Idea" not in repr(test)


def test_a_local_folder_has_no_versions(monkeypatch, tmp_path):
    def load(repository, *names, split, streaming):
        assert names == ()
        return Stream([row(i) for i in range(12)])

    fake_datasets(monkeypatch, load)
    assert len(load_websight("train", repository=str(tmp_path))) == 12
    with pytest.raises(TaskDataError, match=r"has no row 10000; the test split begins there"):
        load_websight("test", repository=str(tmp_path))


def test_errors(monkeypatch):
    def refuse(*_, **__):
        raise ConnectionError("no network\nsecond line")

    with pytest.raises(ConfigurationError, match="actually: 'dev'"):
        load_websight("dev")
    fake_datasets(monkeypatch, refuse)
    with pytest.raises(TaskDataError, match=r"rows 0 to 9,999 of 'HuggingFaceM4/WebSight'.*no network\. Offline"):
        load_websight("train")
    fake_datasets(monkeypatch, lambda *_, **__: Stream([row(0), lambda: {"llm_generated_idea": None, "text": "x"}]))
    with pytest.raises(TaskDataError, match=r"WebSight\[1\]: expected the text fields"):
        load_websight("train")
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'colbench\[hub\]'"):
        load_websight("test")
