"""Rendered references, kept in memory and on disk, since the same ones are compared with again and again."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections import OrderedDict
from pathlib import Path

from colbench.frontend.page import RenderedPage

__all__ = ["PageCache", "page_key"]

_KEPT: frozenset[str] = frozenset({"ok", "approximate", "truncated", "blank", "no_html"})


def page_key(html: str, setting: str) -> str:
    """Hash of a page's source and of everything that its picture depends on."""
    digest = hashlib.sha256(setting.encode("utf-8"))
    digest.update(b"\0")
    digest.update(html.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class PageCache:
    """Least recently used pages in memory, all pages on disk.

    Args:
        folder: where to keep them, or None for memory only.
        in_memory: how many pages memory holds.
    """

    def __init__(self, folder: Path | None, in_memory: int = 64) -> None:
        self._folder = folder
        self._limit = in_memory
        self._pages: OrderedDict[str, RenderedPage] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, html: str) -> RenderedPage | None:
        """The page under this key, or None."""
        with self._lock:
            page = self._pages.get(key)
            if page is not None:
                self._pages.move_to_end(key)
                return page
        page = self._read(key, html)
        if page is not None:
            self._remember(key, page)
        return page

    def put(self, key: str, page: RenderedPage) -> None:
        """Keep a page; failures of the browser are not kept."""
        if page.status not in _KEPT:
            return
        self._remember(key, page)
        if self._folder is not None:
            self._write(key, page)

    def _remember(self, key: str, page: RenderedPage) -> None:
        with self._lock:
            self._pages[key] = page
            self._pages.move_to_end(key)
            while len(self._pages) > self._limit:
                self._pages.popitem(last=False)

    def _path(self, key: str, ending: str) -> Path:
        assert self._folder is not None
        return self._folder / key[:2] / f"{key}.{ending}"

    def _read(self, key: str, html: str) -> RenderedPage | None:
        if self._folder is None:
            return None
        try:
            facts = json.loads(self._path(key, "json").read_text(encoding="utf-8"))
            png = self._path(key, "png").read_bytes() if facts["png"] else None
            # A file that was cut short by a full disk must not become a reference.
            if png is not None and hashlib.sha256(png).hexdigest() != facts["png"]:
                return None
            return RenderedPage(
                html=html,
                status=facts["status"],
                png=png,
                width=facts["width"],
                height=facts["height"],
                elements=tuple(facts["elements"]),
                blocked=tuple(facts["blocked"]),
                versions=facts["versions"],
                seconds=facts["seconds"],
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _write(self, key: str, page: RenderedPage) -> None:
        facts = {
            "status": page.status,
            "png": page.png_hash,
            "width": page.width,
            "height": page.height,
            "elements": page.elements,
            "blocked": page.blocked,
            "versions": page.versions,
            "seconds": page.seconds,
        }
        try:
            if page.png is not None:
                _replace(self._path(key, "png"), page.png)
            _replace(self._path(key, "json"), json.dumps(facts, separators=(",", ":")).encode("utf-8"))
        except OSError:
            pass  # a full or read-only disk costs time, not results


def _replace(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
