"""What turns an answer into a score; the only difference between the two environments.

An episode asks its judge to look at each message (the frontend renders a page it finds there) and, in the end, for a
verdict. Everything else is shared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from colbench.tasks.taskset import Kind

if TYPE_CHECKING:
    from colbench.frontend.page import RenderedPage

__all__ = ["Judge", "Verdict"]


@dataclass(frozen=True)
class Verdict:
    """The score of one answer and how it was found.

    Attributes:
        score: fraction of calls passed, or the similarity.
        success: whether all calls passed; None for pages.
        outcomes: one JSON object per call (backend).
        grading: ``strict`` or ``paper`` (backend).
        measure: name of the similarity (frontend).
        isolation: level at which foreign code or pages ran.
        versions: what graded.
    """

    score: float
    success: bool | None = None
    outcomes: tuple[dict[str, Any], ...] | None = None
    grading: str | None = None
    measure: str | None = None
    isolation: str | None = None
    versions: dict[str, str] = field(default_factory=dict)


class Judge(Protocol):
    """Looks at messages and grades answers; raises SandboxError, RendererError or SimilarityError when it breaks."""

    kind: Kind
    reply_chars: int

    async def look(self, task: Any, visible: str) -> RenderedPage | None:
        """The page a message shows, rendered; None where there is none, and always None for the backend."""
        ...

    async def reference(self, task: Any) -> RenderedPage | None:
        """The reference as rendered; None for the backend."""
        ...

    async def verdict(self, task: Any, answer: str, page: RenderedPage | None) -> Verdict:
        """Grade the answer of an ended episode.

        Args:
            task: the task.
            answer: the final answer's text.
            page: the last page that was rendered in the episode.
        """
        ...

    def describe(self) -> dict[str, Any]:
        """JSON facts that identify the grading; they enter the configuration hash."""
        ...
