"""Pictures for picsum.photos addresses, made here.

The reference pages take their photographs from there, with one fixed picture id. A live picture would need the
network and could change; a drawn one is always the same, has the size asked for, and looks enough like a photograph
(soft areas of colour) not to dominate a comparison. A file of the user's can take its place.
"""

from __future__ import annotations

import functools
import hashlib
import io
import re
from pathlib import Path
from urllib.parse import urlsplit

from colbench.errors import ConfigurationError

__all__ = ["MAX_SIDE", "drawn_picture", "file_picture", "is_picture_address", "picture_request"]

MAX_SIDE = 4_096
"""Longest side of a picture in pixels; larger requests get this."""

DEFAULT_SIDE = 300


def is_picture_address(url: str) -> bool:
    """Whether the address asks picsum.photos for a picture."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    return (host == "picsum.photos" or host.endswith(".picsum.photos")) and not parts.path.startswith("/v2/")


def picture_request(url: str) -> tuple[str, int, int]:
    """Which picture an address means: ``(key, width, height)``.

    Sizes are read leniently, since published pages hold addresses such as ``/id/48/900-estate``: the first number of
    each of the last two path parts counts, one number means a square, none the default size, and each side is clamped
    to 1..4096.
    """
    parts = [part for part in urlsplit(url).path.split("/") if part]
    key = ""
    if len(parts) >= 2 and parts[0].lower() in ("id", "seed"):
        key = f"{parts[0].lower()}/{parts[1]}"
        parts = parts[2:]
    sides = [int(found.group()[:6]) for found in (re.search(r"\d+", part) for part in parts) if found]
    if not sides:
        sides = [DEFAULT_SIDE]
    width, height = sides[0], sides[1] if len(sides) > 1 else sides[0]
    return key, _clamp(width), _clamp(height)


def _clamp(side: int) -> int:
    return max(1, min(MAX_SIDE, side))


@functools.lru_cache(maxsize=256)
def drawn_picture(key: str, width: int, height: int) -> bytes:
    """A landscape in soft colours as SVG, the same for the same key and size."""
    d = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    hue = 190 + d[0] % 50
    land = 20 + d[1] % 90
    sun_x, sun_y = 20 + d[2] % 60, 18 + d[3] % 18
    ridge = [(x, 46 + d[4 + n] % 18) for n, x in enumerate(range(0, 101, 20))]
    shore = [(x, 66 + d[10 + n] % 14) for n, x in enumerate(range(0, 101, 25))]

    def outline(points: list[tuple[int, int]]) -> str:
        return "M0 100 " + " ".join(f"L{x} {y}" for x, y in points) + " L100 100 Z"

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 100 100" '
        f'preserveAspectRatio="none"><defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1">'
        f'<stop offset="0" stop-color="hsl({hue},45%,58%)"/><stop offset="1" stop-color="hsl({hue - 150},60%,86%)"/>'
        f'</linearGradient><linearGradient id="l" x1="0" y1="0" x2="0" y2="1">'
        f'<stop offset="0" stop-color="hsl({land},28%,42%)"/><stop offset="1" stop-color="hsl({land},34%,22%)"/>'
        f'</linearGradient></defs><rect width="100" height="100" fill="url(#s)"/>'
        f'<ellipse cx="{sun_x}" cy="{sun_y}" rx="6" ry="6" fill="hsl(45,90%,92%)"/>'
        f'<path d="{outline(ridge)}" fill="hsl({hue},22%,46%)"/><path d="{outline(shore)}" fill="url(#l)"/></svg>'
    ).encode()


@functools.lru_cache(maxsize=64)
def file_picture(path: Path, width: int, height: int) -> bytes:
    """The user's picture, scaled and cropped around its centre to the size, as JPEG.

    Raises:
        ConfigurationError: if the file is no picture.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            fitted = ImageOps.fit(image.convert("RGB"), (width, height))
    except (OSError, UnidentifiedImageError) as error:
        raise ConfigurationError(f"picture {path}: {error}") from error
    buffer = io.BytesIO()
    fitted.save(buffer, "JPEG", quality=90)
    return buffer.getvalue()
