"""Writes the HTML of a page model: plain boxes with styles of their own, so that every property can be set alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby

from colbench.agents.pages.model import Block

__all__ = ["page_html"]

_RESET = (
    "*{box-sizing:border-box;margin:0;padding:0}"
    "body{line-height:1.5;color:rgb(31,41,55)}"
    "a{color:inherit;text-decoration:none}"
    "ul{list-style:none}"
    "img{display:block;max-width:100%;object-fit:cover}"
    "button,input{font:inherit}"
)

# What parts look like before anybody has said anything about them.
_DEFAULTS: dict[str, dict[str, str]] = {
    "navigation bar": {"padding": "0 48px", "min-height": "64px"},
    "header": {"padding": "16px 48px", "gap": "24px"},
    "hero": {"padding": "64px 48px"},
    "sidebar": {"padding": "24px", "width": "240px"},
    "card": {"padding": "24px"},
    "form": {"padding": "24px 0"},
    "table": {"border-collapse": "collapse", "width": "100%"},
    "footer": {"padding": "24px 48px"},
    "logo": {"font-size": "20px", "font-weight": "700"},
    "main heading": {"font-size": "36px", "font-weight": "700", "line-height": "1.2", "margin-bottom": "16px"},
    "heading": {"font-size": "24px", "font-weight": "700", "line-height": "1.3", "margin-bottom": "12px"},
    "paragraph": {"font-size": "16px", "margin-bottom": "12px"},
    "list item": {"font-size": "16px", "margin-bottom": "8px"},
    "link": {"font-size": "16px"},
    "button": {"font-size": "16px", "padding": "10px 24px", "border": "0", "display": "inline-block"},
    "input field": {
        "width": "100%",
        "padding": "10px 16px",
        "border": "1px solid rgb(209,213,219)",
        "margin-bottom": "16px",
        "display": "block",
    },
    "image": {"margin-bottom": "16px"},
}
_INLINE = frozenset({"link", "button"})
_LOOSE = frozenset(
    {"main heading", "heading", "paragraph", "list item", "link", "button", "image", "input field", "logo"}
)
_MARGINS = {"left": "0 auto 0 0", "center": "0 auto", "right": "0 0 0 auto"}
_IMAGE_SIZE = (480, 320)
_TAGS = {"hero": "section", "header": "header"}
# A wider picture leaves no room at the sides of the page.
_BAND_WIDTH = 1190


def page_html(page: Block) -> str:
    """The whole page as HTML.

    Args:
        page: a block with the noun ``page``; its style may hold ``background``, ``color``, ``font-family``,
            ``min-height`` and ``--content-width``.
    """
    title = next((block.text for block in page.walk() if block.text), "Page")
    sides = [child for child in page.children if child.noun == "sidebar"]
    tops = [child for child in page.children if child.noun == "navigation bar"]
    feet = [child for child in page.children if child.noun == "footer"]
    middle = [child for child in page.children if child.noun not in ("sidebar", "navigation bar", "footer")]
    main = "\n".join(_sections(middle, page.style.get("--content-width")))
    if sides:
        left = [_container(side, "aside") for side in sides if side.place != "right"]
        right = [_container(side, "aside") for side in sides if side.place == "right"]
        inner = "\n".join([*left, f'<main style="flex:1;min-width:0">\n{main}\n</main>', *right])
        main = f'<div style="display:flex;align-items:stretch;flex:1">\n{inner}\n</div>'
    body = {name: value for name, value in page.style.items() if not name.startswith("--")}
    body |= {"display": "flex", "flex-direction": "column", "min-height": body.get("min-height", "100vh")}
    if not sides:
        main = f'<main style="flex:1">\n{main}\n</main>'
    parts = [*map(_bar, tops), main, *(_container(foot, "footer") for foot in feet)]
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en">',
            f'<head><meta charset="utf-8"><title>{escape(title)}</title><style>{_RESET}</style></head>',
            f'<body style="{_css(body)}">',
            *parts,
            "</body>",
            "</html>",
        )
    )


def _css(style: dict[str, str]) -> str:
    return escape(";".join(f"{name}:{value}" for name, value in style.items()), quote=True)


def _styled(block: Block, **more: str) -> str:
    style = {**_DEFAULTS.get(block.noun, {}), **{k.replace("_", "-"): v for k, v in more.items()}, **block.style}
    return _css({name: value for name, value in style.items() if not name.startswith("--")})


def _sections(blocks: Sequence[Block], width: str | None) -> Iterable[str]:
    """Bands as they are; whatever stands loose between two bands in a section with room around it."""
    for band, group in groupby(blocks, key=_is_band):
        if band:
            for block in group:
                yield _item(block) if block.noun == "image" else _container(block, _TAGS[block.noun])
            continue
        style = {"padding": "32px 48px"}
        if width is not None:
            # The width is that of the content, so the room around it comes on top.
            style |= {"width": f"calc({width} + 96px)", "max-width": "100%", "margin": "0 auto"}
        yield f'<div style="{_css(style)}">\n{_flow(list(group))}\n</div>'


def _is_band(block: Block) -> bool:
    wide = block.noun == "image" and (_pixels(block.style.get("width")) or 0) > _BAND_WIDTH
    return wide or block.noun in _TAGS


def _bar(bar: Block) -> str:
    logos = [child for child in bar.children if child.noun == "logo"]
    rest = [child for child in bar.children if child.noun != "logo"]
    style = _styled(bar, display="flex", justify_content="space-between", align_items="center")
    first = "\n".join(f'<div style="{_styled(logo)}">{escape(logo.text)}</div>' for logo in logos)
    links = "\n".join(_item(child) for child in rest)
    row = f'<div style="display:flex;gap:32px;align-items:center">\n{links}\n</div>'
    return f'<nav style="{style}">\n{first}\n{row}\n</nav>'


def _container(block: Block, tag: str) -> str:
    height = block.style.get("height") or block.style.get("min-height")
    more: dict[str, str] = {}
    if height is not None and block.noun in ("hero", "header", "footer"):
        # A band as high as asked: its content stands in the middle, and the room above and below gives way.
        more = {"display": "flex", "flex_direction": "column", "justify_content": "center"}
        pixels = float(height.removesuffix("px"))
        if pixels < 200:
            more["padding"] = f"{max(0, round(pixels / 8))}px 48px"
    inner = _flow(block.children)
    if block.noun == "header":
        # A header says a few words beside each other.
        more |= {
            "display": "flex",
            "flex_direction": "row",
            "justify_content": "space-between",
            "align_items": "center",
        }
        inner = "\n".join(_item(child) for child in block.children)
    return f'<{tag} style="{_styled(block, **more)}">\n{inner}\n</{tag}>'


def _flow(blocks: Sequence[Block]) -> str:
    """Blocks below each other; pictures placed at a side stand beside the rest."""
    aside = [block for block in blocks if block.noun == "image" and block.place in ("left", "right")]
    rest = [block for block in blocks if block not in aside]
    if len(aside) == 1 and any(block.noun in _LOOSE and block.noun != "image" for block in rest):
        picture = aside[0]
        near = [block for block in rest if (block.noun in _LOOSE and block.noun != "image") or block.noun == "form"]
        column = f'<div style="flex:1;min-width:0">\n{_stack(near)}\n</div>'
        image = f'<div style="flex:0 1 auto">{_item(picture)}</div>'
        inner = f"{column}\n{image}" if picture.place == "right" else f"{image}\n{column}"
        row = f'<div style="display:flex;gap:48px;align-items:center">\n{inner}\n</div>'
        return "\n".join(filter(None, (row, _stack([block for block in rest if block not in near]))))
    return _stack(blocks)


def _stack(blocks: Sequence[Block]) -> str:
    out = []
    for noun, group in groupby(blocks, key=lambda block: "inline" if block.noun in _INLINE else block.noun):
        members = list(group)
        if noun == "inline":
            out.append(_inline_row(members))
        elif noun == "list item":
            out.append("<ul>\n" + "\n".join(_item(item) for item in members) + "\n</ul>")
        elif noun == "image" and len(members) > 1:
            out.append(_gallery(members))
        else:
            out.extend(_item(block) for block in members)
    return "\n".join(out)


def _inline_row(blocks: Sequence[Block]) -> str:
    out = []
    for place, group in groupby(blocks, key=lambda block: block.place):
        align = f"text-align:{place};" if place else ""
        inner = "\n".join(_item(block) for block in group)
        out.append(f'<div style="{align}margin-bottom:12px;word-spacing:0">\n{inner}\n</div>')
    return "\n".join(out)


def _gallery(images: Sequence[Block]) -> str:
    columns = next((image.columns for image in images if image.columns), min(3, len(images)))
    inner = "\n".join(_item(image) for image in images)
    return (
        f'<div style="display:grid;grid-template-columns:repeat({columns},minmax(0,1fr));gap:{images[0].gap}px;'
        f'margin-bottom:16px">\n{inner}\n</div>'
    )


def _item(block: Block) -> str:
    style, text = _styled(block), escape(block.text)
    if block.place and block.noun in ("main heading", "heading", "paragraph"):
        style = _styled(block, text_align=block.place)
    match block.noun:
        case "cards":
            return _cards(block)
        case "main heading":
            return f'<h1 style="{style}">{text}</h1>'
        case "heading":
            return f'<h2 style="{style}">{text}</h2>'
        case "list item":
            return f'<li style="{style}">{text}</li>'
        case "link":
            return f'<a href="#" style="{style}">{text}</a>'
        case "button":
            return f'<button style="{_styled(block, **_button_paint(block))}">{text}</button>'
        case "input field":
            return f'<input type="text" placeholder="{text}" style="{style}">'
        case "image":
            return _image(block)
        case "form":
            margin = {"margin": _MARGINS[block.place]} if block.place else {}
            return f'<form style="{_styled(block, **margin)}">\n{_stack(block.children)}\n</form>'
        case "table":
            return _table(block)
        case "paragraph":
            return f'<p style="{style}">{text}</p>'
        case "logo":
            return f'<div style="{style}">{text}</div>'
        case _:
            return _container(block, "div")


def _button_paint(block: Block) -> dict[str, str]:
    return {} if "background" in block.style else {"background": "rgb(229,231,235)"}


def _image(block: Block) -> str:
    width, height = (_pixels(block.style.get(name)) for name in ("width", "height"))
    wide = int(width or _IMAGE_SIZE[0])
    high = int(height or min(wide * 2 // 3, _IMAGE_SIZE[1]))
    margin = {"margin": _MARGINS[block.place]} if block.place else {}
    style = _styled(block, width=f"{wide}px", height=f"{high}px", **margin)
    return (
        f'<img src="https://picsum.photos/id/48/{wide}/{high}" alt="{escape(block.text, quote=True)}" style="{style}">'
    )


def _pixels(length: str | None) -> float | None:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)px", length or "")
    return float(found[1]) if found else None


def _cards(group: Block) -> str:
    columns = max(1, group.columns or len(group.children))
    width = group.style.get("--card-width")
    track = width if width is not None else "minmax(0,1fr)"
    shared = {name: value for name, value in group.style.items() if not name.startswith("--")}
    inner = "\n".join(
        f'<div style="{_css({**_DEFAULTS["card"], **shared, **card.style})}">\n{_stack(card.children)}\n</div>'
        for card in group.children
    )
    align = "justify-content:center;" if width is not None else ""
    return (
        f'<div style="display:grid;grid-template-columns:repeat({columns},{track});gap:{group.gap}px;{align}'
        f'margin-bottom:24px">\n{inner}\n</div>'
    )


def _table(block: Block) -> str:
    columns = max(1, block.columns or 3)
    cells = [child.text for child in block.children]
    rows = [cells[start : start + columns] for start in range(0, len(cells), columns)]
    height = _pixels(block.style.get("height"))
    pad = max(4, round((height / max(1, len(rows)) - 24) / 2)) if height else 12
    out = [f'<table style="{_styled(block)}">']
    for number, row in enumerate(rows):
        tag = "td" if number else "th"
        line = "".join(
            f'<{tag} style="padding:{pad}px 16px;text-align:left;border-bottom:1px solid rgb(229,231,235)">'
            f"{escape(cell)}</{tag}>"
            for cell in row
        )
        out.append(f"<tr>{line}</tr>")
    return "\n".join([*out, "</table>"])
