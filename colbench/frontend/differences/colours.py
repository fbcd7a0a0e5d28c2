"""Colours as people name them, and back: a collaborator says "dark blue", never a code.

The names are a closed list, so that an agent can turn a remark into a colour again; the colour it gets is the middle
of everything that carries the name, which is as much as a person's words tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["COLOURS", "colour_distance", "colour_name", "colour_of", "over"]

Rgb = tuple[int, int, int]

_GREYS: dict[str, Rgb] = {
    "black": (8, 8, 8),
    "very dark grey": (31, 41, 55),
    "dark grey": (75, 85, 99),
    "grey": (130, 137, 148),
    "light grey": (209, 213, 219),
    "very light grey": (243, 244, 246),
    "white": (255, 255, 255),
}

# For each hue: very light, light, plain, dark, very dark.
_SHADES = ("very light {}", "light {}", "{}", "dark {}", "very dark {}")
_HUES: dict[str, tuple[Rgb, Rgb, Rgb, Rgb, Rgb]] = {
    "red": ((254, 226, 226), (248, 113, 113), (229, 50, 50), (185, 28, 28), (127, 29, 29)),
    "orange": ((255, 237, 213), (253, 170, 90), (249, 115, 22), (194, 65, 12), (124, 45, 18)),
    "yellow": ((254, 249, 195), (253, 224, 71), (245, 190, 20), (180, 130, 10), (113, 63, 18)),
    "green": ((209, 250, 229), (110, 231, 140), (30, 180, 100), (6, 120, 80), (6, 78, 59)),
    "teal": ((204, 251, 241), (94, 220, 210), (20, 184, 166), (15, 118, 110), (19, 78, 74)),
    "blue": ((219, 234, 254), (96, 165, 250), (50, 110, 235), (29, 78, 200), (30, 58, 138)),
    "indigo": ((224, 231, 255), (140, 150, 248), (95, 90, 240), (67, 56, 202), (49, 46, 129)),
    "purple": ((237, 233, 254), (180, 140, 250), (139, 80, 240), (109, 40, 217), (76, 29, 149)),
    "pink": ((252, 231, 243), (244, 130, 185), (236, 72, 153), (190, 24, 93), (131, 24, 67)),
    "brown": ((240, 225, 210), (200, 160, 120), (150, 95, 50), (110, 65, 30), (70, 40, 20)),
}

_NAMED: dict[str, Rgb] = {"navy": (0, 0, 110), "beige": (245, 240, 220)}

COLOURS: dict[str, Rgb] = (
    _GREYS
    | _NAMED
    | {shade.format(hue): values[index] for hue, values in _HUES.items() for index, shade in enumerate(_SHADES)}
)
"""Every name a collaborator may use, and the colour it stands for."""


def over(colour: Sequence[float], ground: Sequence[float] = (255, 255, 255)) -> Rgb:
    """A colour with transparency as seen on an opaque ground.

    Args:
        colour: red, green, blue (0..255) and optionally alpha (0..1).
        ground: red, green, blue of what lies under it.
    """
    alpha = float(colour[3]) if len(colour) > 3 else 1.0
    red, green, blue = (round(alpha * float(c) + (1 - alpha) * float(g)) for c, g in zip(colour, ground, strict=False))
    return red, green, blue


@lru_cache(maxsize=8192)
def _lab(red: float, green: float, blue: float) -> tuple[float, float, float]:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red / 255, green / 255, blue / 255)]
    r, g, b = linear
    xyz = (
        (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047,
        0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
        (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883,
    )
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (841 / 108) * t + 4 / 29 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def colour_distance(first: Sequence[float], second: Sequence[float]) -> float:
    """Distance in CIE L*a*b* (about 2 is just visible, black to white is 100); alpha is ignored."""
    if tuple(first[:3]) == tuple(second[:3]):
        return 0.0
    return math.dist(_lab(*(float(c) for c in first[:3])), _lab(*(float(c) for c in second[:3])))


@lru_cache(maxsize=8192)
def _name(rgb: Rgb) -> str:
    return min(COLOURS, key=lambda name: colour_distance(rgb, COLOURS[name]))


def colour_name(colour: Sequence[float]) -> str:
    """The name a person would give: ``"dark blue"``, ``"very light grey"``, ``"white"``.

    Args:
        colour: red, green, blue in 0..255; an alpha (0..1) is composited on white first.
    """
    return _name(over(colour))


def colour_of(name: str) -> Rgb:
    """The colour a name stands for; the inverse of :func:`colour_name`.

    Raises:
        KeyError: for a name that is not in :data:`COLOURS`.
    """
    return COLOURS[name]
