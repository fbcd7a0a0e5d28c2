"""Pieces of pages that all families share: a document, a header, a footer, buttons, pictures.

Only classes of the prebuilt Tailwind 2.2.19 stylesheet are used; a test looks each of them up. That stylesheet has
eight hues, no arbitrary values, and nothing beyond the default scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = [
    "STYLESHEET",
    "avatar",
    "button",
    "cards",
    "document",
    "dots",
    "e",
    "header",
    "heading",
    "join",
    "picture",
    "slim_footer",
]

STYLESHEET = "https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css"

CORNERS = {"square": "", "rounded": " rounded-lg", "pill": " rounded-full"}


def e(text: str) -> str:
    """Text as it may stand in HTML."""
    return escape(text, quote=True)


def join(parts: Iterable[str]) -> str:
    """Pieces below each other; empty ones leave no trace."""
    return "\n".join(part for part in parts if part)


def document(title: str, body: str, *, ground: str = "bg-white", more: str = "") -> str:
    """A whole page."""
    classes = " ".join(part for part in (ground, "text-gray-800", more) if part)
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f"<title>{e(title)}</title>",
            f'<link href="{STYLESHEET}" rel="stylesheet">',
            "</head>",
            f'<body class="{classes}">',
            body,
            "</body>",
            "</html>",
        )
    )


def button(text: str, hue: str, corner: str, *, more: str = "", quiet: bool = False) -> str:
    """A link that looks like a button; ``corner`` is a key of CORNERS."""
    paint = f"border-2 border-{hue}-600 text-{hue}-700" if quiet else f"bg-{hue}-600 text-white"
    more = f" {more}" if more else ""
    return f'<a href="#" class="inline-block px-6 py-3 font-semibold {paint}{CORNERS[corner]}{more}">{e(text)}</a>'


def picture(width: int, height: int, alt: str, classes: str = "") -> str:
    """A photograph of this size."""
    return f'<img src="https://picsum.photos/id/48/{width}/{height}" alt="{e(alt)}" class="{classes}">'


def avatar(name: str, hue: str, classes: str = "w-12 h-12", corner: str = " rounded-full") -> str:
    """Initials on a coloured ground."""
    initials = "".join(word[0] for word in name.split()[:2])
    return (
        f'<div class="{classes}{corner} bg-{hue}-200 text-{hue}-800 font-bold flex items-center justify-center">'
        f"{e(initials)}</div>"
    )


def header(name: str, links: Sequence[str], hue: str, style: str) -> str:
    """The bar on top; ``style`` is ``dark``, ``coloured`` or ``white``."""
    paint, brand = {
        "dark": ("bg-gray-900 text-gray-300", "text-white"),
        "coloured": (f"bg-{hue}-700 text-{hue}-100", "text-white"),
        "white": ("bg-white text-gray-600 border-b border-gray-200", f"text-{hue}-700"),
    }[style]
    items = join(f'<a href="#">{e(link)}</a>' for link in links)
    return (
        f'<header class="flex items-center justify-between px-12 py-5 {paint}">\n'
        f'<span class="text-xl font-bold {brand}">{e(name)}</span>\n'
        f'<nav class="space-x-8 text-sm">\n{items}\n</nav>\n</header>'
    )


def heading(text: str, align: str = "center", *, more: str = "mb-10") -> str:
    """The heading of a section."""
    return f'<h2 class="text-3xl font-bold text-{align} {more}">{e(text)}</h2>'


def cards(items: Iterable[str], columns: int, *, gap: str = "gap-8") -> str:
    """Items in a grid."""
    return f'<div class="grid grid-cols-{columns} {gap}">\n{join(items)}\n</div>'


def dots(count: int, hue: str) -> str:
    """A row of small coloured dots, such as a rating."""
    return (
        '<div class="flex space-x-1 my-2">'
        + "".join(f'<span class="w-3 h-3 rounded-full bg-{hue}-400"></span>' for _ in range(count))
        + "</div>"
    )


def slim_footer(name: str, words: str) -> str:
    """One quiet line at the bottom."""
    return (
        '<footer class="px-12 py-6 border-t border-gray-200 text-sm text-gray-500 flex justify-between">\n'
        f"<span>{e(name)}</span>\n<span>{e(words)}</span>\n</footer>"
    )
