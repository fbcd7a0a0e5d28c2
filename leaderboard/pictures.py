"""Small pictures of pages for the site: a full screenshot of every turn would make an entry of gigabytes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from colbench.jsonl import atomic_write

__all__ = ["FOLDER", "Thumbnails"]

FOLDER = "pictures"
_SIZE = (560, 1120)


class Thumbnails:
    """WebP files by the hash of the full picture.

    Args:
        folder: where they are kept; made with the first.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: set[str] = set()

    def keep(self, page: Any) -> None:
        """Keep a small picture of a rendered page, once."""
        name = page.png_hash
        if name in self._kept:
            return
        self._kept.add(name)
        path = self.folder / f"{name}.webp"
        if path.exists():
            return
        from PIL import Image

        with Image.open(io.BytesIO(page.png)) as picture:
            small = picture.convert("RGB")
            # The beginning of a very tall page, so that text can still be read.
            small = small.crop((0, 0, small.width, min(small.height, 2 * small.width)))
            small.thumbnail(_SIZE)
            out = io.BytesIO()
            small.save(out, "WEBP", quality=72, method=4)
        atomic_write(path, out.getvalue())
