"""Replies on disk, keyed by the whole request, so that a run repeated with the same seed asks no model twice.

The key covers model, messages, every parameter and the sample's number, so that repeats of one task differ as they
would without a cache. An entry holds the answer only: neither the request nor anything of the key to the server.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from colbench.errors import ConfigurationError

__all__ = ["ReplyCache"]

_VERSION = 1


class ReplyCache:
    """A folder of answers; several processes may share it.

    Args:
        folder: made if it does not exist.

    Raises:
        ConfigurationError: the folder cannot be made.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise ConfigurationError(f"reply cache {folder}: cannot be made ({problem.strerror})") from None

    @staticmethod
    def key(request: Mapping[str, Any]) -> str:
        """SHA-256 of a request's canonical JSON."""
        blob = json.dumps([_VERSION, request], sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
        return hashlib.sha256(blob.encode()).hexdigest()

    def get(self, key: str) -> dict[str, Any] | None:
        """The answer of a request, or None; a damaged entry counts as none."""
        try:
            entry = json.loads(self._place(key).read_bytes())
        except (OSError, ValueError):
            return None
        return entry if isinstance(entry, dict) else None

    def put(self, key: str, answer: Mapping[str, Any]) -> None:
        """Keep an answer; a full disk or a lost folder costs the entry, not the run."""
        place = self._place(key)
        name = None
        try:
            place.parent.mkdir(exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=".reply-")
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass") as handle:
                json.dump(answer, handle, ensure_ascii=True, separators=(",", ":"))
            # Not flushed to disk first: a torn entry reads as none, and a cache may be lost.
            os.replace(name, place)
        except OSError:
            if name is not None:
                Path(name).unlink(missing_ok=True)

    def _place(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
