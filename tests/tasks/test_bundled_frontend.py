"""The bundled pages must render anywhere: whole documents, one stylesheet, one image host, prebuilt classes only."""

from __future__ import annotations

import itertools
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import colbench.tasks
from colbench.tasks import load_tasks
from colbench.tasks.schema import FrontendTask

DATA = Path(colbench.tasks.__file__).parent / "data"
SPLITS = {"train": 24, "test": 16}
STYLESHEET = "https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css"
IMAGE = re.compile(r"https://picsum\.photos/id/48/[1-9]\d*/[1-9]\d*")
# Anything with a scheme, and the protocol-relative form; attributes and inline styles alike.
ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//[^\s\"'<>)]+", re.IGNORECASE)
# Names of the prebuilt stylesheet: optional variants, optional minus, lower-case words; no brackets.
TAILWIND = re.compile(
    r"(?:(?:sm|md|lg|xl|2xl|hover|focus|group-hover|active):)*-?[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:\.5)?(?:/\d+)?"
)
VOID = {"meta", "link", "img", "input", "br", "hr"}


class PageReader(HTMLParser):
    """Collects what the checks need and complains about tags that do not match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.classes: set[str] = set()
        self.links: list[str | None] = []
        self.images: list[str | None] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.attributes |= set(values)
        self.classes |= set((values.get("class") or "").split())
        if tag == "link":
            self.links.append(values.get("href"))
        if tag == "img":
            self.images.append(values.get("src"))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> at {self.getpos()} closes nothing"

    def handle_data(self, data: str) -> None:
        self.text += data


def records_of(split: str) -> list[dict[str, Any]]:
    path = DATA / f"frontend_{split}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


RECORDS = [record for split in SPLITS for record in records_of(split)]
pages = pytest.mark.parametrize("record", RECORDS, ids=[record["task_id"] for record in RECORDS])


@pytest.mark.parametrize("split", SPLITS)
def test_count_schema_and_ids(split: str) -> None:
    records = records_of(split)
    assert len(records) >= SPLITS[split]
    for number, record in enumerate(records, 1):
        assert list(record) == ["task_id", "domain", "problem_description", "ground_truth"]
        assert record["task_id"] == f"frontend-{split}-{number:03d}"
        assert FrontendTask(**record).domain
    assert len(load_tasks("bundled", kind="frontend", split=split)) == len(records)  # type: ignore[arg-type]


def test_layouts_vary() -> None:
    for split in SPLITS:
        records = records_of(split)
        assert len({record["domain"] for record in records}) >= 0.9 * len(records)


def test_requests_and_pages_are_distinct_within_and_across_splits() -> None:
    for field in ("task_id", "problem_description", "ground_truth"):
        values = [record[field] for record in RECORDS]
        assert len(set(values)) == len(values), field
    texts = [set(re.findall(r"\w{3,}", PageReader(record["ground_truth"]).text.lower())) for record in RECORDS]
    for (one, a), (two, b) in itertools.combinations(zip(RECORDS, texts, strict=True), 2):
        share = len(a & b) / min(len(a), len(b))
        assert share < 0.5, f"{one['task_id']} and {two['task_id']} share {share:.0%} of their words"


@pages
def test_request_is_short_and_open(record: dict[str, Any]) -> None:
    request = record["problem_description"]
    assert request == " ".join(request.split())
    assert 1 <= len(re.findall(r"[.!?](?=\s|$)", request)) <= 3
    assert 40 <= len(request) <= 260
    assert "<" not in request and "tailwind" not in request.lower()


@pages
def test_page_is_a_whole_document(record: dict[str, Any]) -> None:
    html = record["ground_truth"]
    assert html.startswith("<!DOCTYPE html>\n")
    page = PageReader(html)
    for tag in ("html", "head", "title", "body"):
        assert page.tags.count(tag) == 1, tag
    assert not {"script", "style", "iframe", "object", "embed", "base", "svg"} & set(page.tags)
    assert not any(name.startswith("on") or name in ("style", "srcset", "action") for name in page.attributes)
    assert 30 <= html.count("\n") <= 110
    assert len(page.text.split()) >= 10


@pages
def test_page_reaches_out_for_stylesheet_and_images_only(record: dict[str, Any]) -> None:
    page = PageReader(record["ground_truth"])
    assert page.links == [STYLESHEET]
    assert all(IMAGE.fullmatch(source or "") for source in page.images)
    for address in ADDRESS.findall(record["ground_truth"]):
        assert address == STYLESHEET or IMAGE.fullmatch(address), address


@pages
def test_classes_look_like_prebuilt_tailwind(record: dict[str, Any]) -> None:
    page = PageReader(record["ground_truth"])
    assert len(page.classes) >= 15
    assert [name for name in sorted(page.classes) if not TAILWIND.fullmatch(name)] == []
    assert "".join(page.classes).isascii()
