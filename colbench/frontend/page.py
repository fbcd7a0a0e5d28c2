"""A page as the browser showed it: picture, status, and the measured elements."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["PageStatus", "RenderedPage"]

PageStatus = Literal["ok", "approximate", "no_html", "blank", "truncated", "timeout", "render_error"]


@dataclass(frozen=True)
class RenderedPage:
    """One rendered page.

    Attributes:
        html: the source that was rendered.
        status: what happened; nothing is substituted silently.
        png: full-page PNG (RGB, width 1280, height up to 16,384), or None where there is no picture.
        width: of the picture in pixels.
        height: of the picture in pixels.
        elements: measured elements in document order, each a dict as `colbench.frontend.elements` documents.
        blocked: addresses that were refused.
        versions: renderer, browser and font versions.
        seconds: wall time of the rendering.
    """

    html: str = field(repr=False)
    status: PageStatus
    png: bytes | None = field(default=None, repr=False)
    width: int = 0
    height: int = 0
    elements: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    blocked: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def png_hash(self) -> str | None:
        """SHA-256 of the PNG bytes in hex."""
        return None if self.png is None else hashlib.sha256(self.png).hexdigest()

    @property
    def html_hash(self) -> str:
        """SHA-256 of the source in hex."""
        return hashlib.sha256(self.html.encode("utf-8", "surrogatepass")).hexdigest()
