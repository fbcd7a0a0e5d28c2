"""Pictures of pages as data addresses, scaled down by an option, because vision models charge by the pixel."""

from __future__ import annotations

import base64
import io
import threading
from collections import OrderedDict

__all__ = ["PictureCache", "picture_part"]

_KEPT = 64


def scaled(png: bytes, longest_side: int | None) -> bytes:
    """A PNG scaled down so that its longer side fits; never scaled up.

    Args:
        png: the picture.
        longest_side: pixels, or None to leave it as it is.
    """
    if longest_side is None:
        return png
    from PIL import Image

    with Image.open(io.BytesIO(png)) as picture:
        if max(picture.size) <= longest_side:
            return png
        smaller = picture.convert("RGB")
        smaller.thumbnail((longest_side, longest_side), Image.Resampling.LANCZOS)
        out = io.BytesIO()
        smaller.save(out, "PNG")
        return out.getvalue()


def picture_part(address: str) -> dict[str, object]:
    """A message part that shows a picture."""
    return {"type": "image_url", "image_url": {"url": address}}


class PictureCache:
    """Data addresses of the last pictures: a reference is shown anew in every turn.

    Args:
        longest_side: pixels of the longer side at most; None for full size.
    """

    def __init__(self, longest_side: int | None) -> None:
        self._longest = longest_side
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def address(self, png: bytes, png_hash: str) -> str:
        """``data:image/png;base64,...`` of a picture, scaled down; safe to call from several threads."""
        with self._lock:
            if png_hash in self._kept:
                self._kept.move_to_end(png_hash)
                return self._kept[png_hash]
        made = "data:image/png;base64," + base64.b64encode(scaled(png, self._longest)).decode()
        with self._lock:
            self._kept[png_hash] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made
