"""Renders the pages that an agent shows and scores the last one by its similarity to the reference."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from colbench.dialogue import REPLY_CHARS
from colbench.errors import ConfigurationError, RendererError
from colbench.frontend.extraction import extract_html
from colbench.frontend.page import RenderedPage
from colbench.frontend.page_memory import PageMemory
from colbench.frontend.picture_store import PictureStore
from colbench.frontend.renderer import RENDERER_VERSION, Renderer, shared_renderer
from colbench.frontend.scoring import ScoreQueue, shared_scores
from colbench.frontend.similarity import Similarity
from colbench.frontend.similarity.base import is_missing, measure_hash
from colbench.judge import Verdict
from colbench.plugins import check_options
from colbench.tasks.schema import FrontendTask
from colbench.tasks.taskset import Kind

__all__ = ["RENDERER_OPTIONS", "FrontendJudge", "isolation_level"]

RENDERER_OPTIONS = (
    "viewport",
    "cache_dir",
    "timeout_s",
    "max_html_bytes",
    "max_memory_mb",
    "isolate",
    "browser_path",
    "picture",
)
"""Options of the renderer that a judge passes on."""

# Options that say where and how fast, not what is seen.
_NOT_DESCRIBED = frozenset({"cache_dir"})

# One per renderer, since its options decide what a page looks like.
_memories: WeakKeyDictionary[Any, tuple[PageMemory, PageMemory]] = WeakKeyDictionary()


class FrontendJudge:
    """Score = similarity of the last page that was rendered in the episode to the reference page.

    Args:
        similarity: name of a measure (``clip``, ``clip_square``, ``layout``, ``efficientnet``), or one already built.
        workers: number of browsers; None lets the renderer choose. All judges with the same options share them.
        similarity_options: of the measure, such as ``weights``.
        pictures: keeps the picture of every page an agent shows.
        renderer_options: of :class:`colbench.frontend.renderer.Renderer`, see :data:`RENDERER_OPTIONS`.

    Raises:
        ConfigurationError: for an unknown measure or option.
        MissingExtraError: if the measure needs an extra that is not installed.
        SimilarityError: if the measure's weights are missing; raised here, not at the end of the first episode.
    """

    kind: Kind = "frontend"
    reply_chars = REPLY_CHARS["frontend"]

    def __init__(
        self,
        similarity: str | Similarity = "clip",
        workers: int | None = None,
        *,
        similarity_options: Mapping[str, Any] | None = None,
        pictures: PictureStore | None = None,
        **renderer_options: Any,
    ) -> None:
        unknown = {name: value for name, value in renderer_options.items() if name not in RENDERER_OPTIONS}
        check_options("frontend judge", unknown, RENDERER_OPTIONS)
        if workers is not None and (not isinstance(workers, int) or workers < 1):
            raise ConfigurationError(f"workers must be a whole number of at least 1, actually: {workers!r}")
        self.pictures = pictures
        self._workers = workers
        self._renderer_options = renderer_options
        self._similarity = similarity
        self._similarity_options = dict(similarity_options or {})
        self.renderer  # noqa: B018  an option that makes no sense must be told now, not with the first page
        self._scores  # noqa: B018  the weights must be there now, not at the end of the first episode

    @property
    def renderer(self) -> Renderer:
        """The shared renderer; its browsers start with the first page, and again in a forked process."""
        return shared_renderer(workers=self._workers, **self._renderer_options)

    @property
    def _scores(self) -> ScoreQueue:
        return shared_scores(self._similarity, self._similarity_options)

    @property
    def _memory(self) -> PageMemory:
        return self._memories[0]

    @property
    def _references(self) -> PageMemory:
        return self._memories[1]

    @property
    def _memories(self) -> tuple[PageMemory, PageMemory]:
        return _memories.setdefault(self.renderer, (PageMemory(), PageMemory()))

    @property
    def similarity(self) -> Similarity:
        """The measure in use."""
        return self._scores.similarity

    async def look(self, task: FrontendTask, visible: str) -> RenderedPage | None:
        """Render the HTML snippet of a message; None if it carries none.

        Raises:
            RendererError: if this machine cannot render. A page that is at fault itself has a status instead.
        """
        html = extract_html(visible)
        if html is None:
            return None
        page = await self._memory.page(html, self.renderer.arender)
        if self.pictures is not None and page.png is not None:
            await asyncio.to_thread(self.pictures.put, page.png)
        return page

    async def reference(self, task: FrontendTask) -> RenderedPage:
        """The reference page, rendered once and then kept.

        Raises:
            RendererError: if it cannot be rendered.
        """
        page = await self._references.page(task.ground_truth, self.renderer.areference)
        return _with_picture(task, page)

    async def verdict(self, task: FrontendTask, answer: str, page: RenderedPage | None) -> Verdict:
        """Score the last page of an episode.

        ``outcomes`` holds one object for the page: its ``status`` (``missing`` where no page was ever shown), whether
        there was a picture to compare, and the hashes of source and picture.

        Raises:
            RendererError: if the reference cannot be rendered.
            SimilarityError: if the measure cannot be computed.
        """
        reference = await self.reference(task)
        score = await asyncio.wrap_future(self._scores.submit((page, reference)))
        outcome: dict[str, Any] = {
            "status": "missing" if page is None else page.status,
            "compared": not is_missing(page),
        }
        if page is not None:
            outcome["html_hash"] = page.html_hash
            if page.png_hash is not None:
                outcome["png_hash"] = page.png_hash
        versions = self.renderer.versions
        return Verdict(
            score=score,
            outcomes=(outcome,),
            measure=self.similarity.name,
            isolation=isolation_level(versions),
            versions={
                **{name: value for name, value in versions.items() if name != "isolation"},
                "browser_isolation": versions.get("isolation", "unknown"),
                "reference_png": str(reference.png_hash),
                **self._measure_versions(),
            },
        )

    def _measure_versions(self) -> dict[str, str]:
        facts = self.similarity.describe()
        versions = {"measure": f"{self.similarity.name}@{measure_hash(self.similarity)}"}
        if facts.get("weight_hash"):
            versions["weights"] = str(facts["weight_hash"])
        return versions

    def score_pages(self, task: FrontendTask, pages: Sequence[RenderedPage | None]) -> list[float]:
        """Scores of several pages of one task in one call, for example of every turn of an episode.

        Args:
            task: the task.
            pages: rendered pages; None stands for a missing one.

        Raises:
            RendererError: if the reference cannot be rendered.
            SimilarityError: if the measure cannot be computed.
        """
        reference = _with_picture(task, self.renderer.reference(task.ground_truth))
        futures = [self._scores.submit((page, reference)) for page in pages]
        return [future.result() for future in futures]

    def describe(self) -> dict[str, Any]:
        """Measure with its hash, and the renderer's version and options; without what cannot change a score."""
        options = {name: str(value) for name, value in self._renderer_options.items() if name not in _NOT_DESCRIBED}
        return {
            "measure": self.similarity.name,
            "measure_hash": measure_hash(self.similarity),
            "renderer": RENDERER_VERSION,
            **options,
        }

    def __repr__(self) -> str:
        return f"FrontendJudge({self.similarity.name!r})"


def isolation_level(versions: Mapping[str, str]) -> str:
    """The level at which pages ran, in the words of the backend's sandbox.

    ``full``: the whole browser in bubblewrap without a network. ``partial``: requests are answered or refused, and the
    browser's own sandbox is on. ``weak``: only the former.
    """
    if versions.get("isolation", "").startswith("bubblewrap"):
        return "full"
    return "partial" if versions.get("browser_sandbox") == "on" else "weak"


def _with_picture(task: FrontendTask, page: RenderedPage) -> RenderedPage:
    if is_missing(page):
        reason = page.versions.get("failure", "")
        raise RendererError(
            f"the reference of task {task.task_id!r} gives no picture: status {page.status}"
            + (f" ({reason})" if reason else "")
        )
    return page
