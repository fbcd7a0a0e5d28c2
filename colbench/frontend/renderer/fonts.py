"""A hash of the fonts on this machine, since text is most of a page's picture and another font moves all of it."""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path

__all__ = ["fonts_hash"]

_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/etc/fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
)


@functools.lru_cache(maxsize=1)
def fonts_hash() -> str:
    """First 16 hex digits of a hash over names and sizes of the system's font files and font configuration."""
    digest = hashlib.sha256()
    for folder in _FOLDERS:
        for root, folders, files in os.walk(folder):
            folders.sort()
            for name in sorted(files):
                path = Path(root) / name
                try:
                    size = path.stat().st_size
                except OSError:
                    continue
                digest.update(f"{path}\0{size}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:16]
