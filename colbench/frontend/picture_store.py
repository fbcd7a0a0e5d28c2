"""Screenshots of a run, kept once each under the hash of their bytes.

Trajectories name pictures by hash only. Agents show the same page again and again, and several episodes may show the
same one, so a store by content is small, can be filled by many writers at once, and never needs to be cleaned.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from colbench.errors import ConfigurationError
from colbench.jsonl import atomic_write

__all__ = ["FOLDER", "PictureStore"]

FOLDER = "pictures"
"""Name of the store's folder inside a run's folder."""

_HASH = re.compile(r"[0-9a-f]{64}")


class PictureStore:
    """PNG files by the SHA-256 of their bytes.

    Args:
        folder: the store's own folder, for example ``RUN/pictures``; made with the first picture.

    Example:
        >>> store = PictureStore(folder)  # doctest: +SKIP
        >>> store.get(store.put(png)) == png  # doctest: +SKIP
        True
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def path(self, png_hash: str) -> Path:
        """Where the picture with this hash lies, whether it is there or not.

        Raises:
            ConfigurationError: for anything but 64 hex digits, which could lead out of the folder.
        """
        if not _HASH.fullmatch(png_hash):
            raise ConfigurationError(f"a picture is named by 64 hex digits, actually: {png_hash!r}")
        return self.folder / png_hash[:2] / f"{png_hash}.png"

    def put(self, png: bytes) -> str:
        """Keep a picture and return its hash; one that is there already is left alone."""
        png_hash = hashlib.sha256(png).hexdigest()
        path = self.path(png_hash)
        if not path.exists():
            atomic_write(path, png)
        return png_hash

    def get(self, png_hash: str) -> bytes | None:
        """The picture with this hash, or None if it was not kept."""
        try:
            return self.path(png_hash).read_bytes()
        except FileNotFoundError:
            return None

    def __contains__(self, png_hash: str) -> bool:
        return self.path(png_hash).is_file()

    def __iter__(self) -> Iterator[str]:
        """Hashes of everything kept, in order."""
        return (path.stem for path in sorted(self.folder.glob("??/*.png")) if _HASH.fullmatch(path.stem))

    def __repr__(self) -> str:
        return f"PictureStore({str(self.folder)!r})"
