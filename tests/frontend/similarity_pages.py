"""Pages for the tests of similarity and comparison: measured elements written by hand, and a flat picture of them."""

from __future__ import annotations

import io
import random
from typing import Any

from PIL import Image, ImageDraw

from colbench.frontend.elements import Element
from colbench.frontend.page import RenderedPage

_DEFAULTS: dict[str, Any] = {
    "tag": "div",
    "role": "box",
    "text": "",
    "label": "",
    "x": 0.0,
    "y": 0.0,
    "w": 100.0,
    "h": 20.0,
    "color": [0, 0, 0, 1],
    "background": [0, 0, 0, 0],
    "background_image": False,
    "background_kind": "",
    "font_size": 16.0,
    "font_weight": 400,
    "font_family": "system-ui",
    "text_align": "left",
    "border_radius": 0.0,
    "border_width": 0.0,
    "border_sides": "",
    "border_color": [0, 0, 0, 1],
    "shadow": False,
    "display": "block",
    "flex_direction": "",
    "justify": "",
    "columns": 1,
    "opacity": 1.0,
    "position": "static",
    "fixed": False,
    "parent": 0,
    "depth": 1,
    "placeholder": "",
    "input_type": "",
    "alt": "",
    "src": "",
    "natural_width": 0,
    "natural_height": 0,
}
assert set(_DEFAULTS) == set(Element.__annotations__)

HEADINGS = {"h1", "h2", "h3", "h4"}
ROLES = {"p": "text", "span": "text", "a": "link", "img": "image", "nav": "nav", "footer": "footer", "button": "button"}
ROLES |= {"header": "header", "form": "form", "input": "input", "table": "table", "body": "page", "td": "cell"}


def element(tag: str, x: float, y: float, w: float, h: float, text: str = "", **facts: Any) -> dict[str, Any]:
    """One element; ``bg`` and ``fg`` are short for background and colour (three numbers)."""
    role = "heading" if tag in HEADINGS else ROLES.get(tag, "text" if text else "box")
    made = _DEFAULTS | {"tag": tag, "role": role, "text": text, "label": text, "x": x, "y": y, "w": w, "h": h}
    if "bg" in facts:
        made["background"] = [*facts.pop("bg"), 1]
    if "fg" in facts:
        made["color"] = [*facts.pop("fg"), 1]
    return made | facts


def made_page(*elements: dict[str, Any], height: int = 720, bg: tuple[int, int, int] = (255, 255, 255)) -> RenderedPage:
    """A page of these elements on a body, with a picture in which every background is painted."""
    body = element("body", 0, 0, 1280, height, bg=bg, parent=-1, depth=0)
    image = Image.new("RGB", (1280, height), bg)
    draw = ImageDraw.Draw(image)
    for made in elements:
        red, green, blue, alpha = made["background"]
        if alpha and made["w"] >= 1 and made["h"] >= 1:
            left, top = int(made["x"]), int(made["y"])
            box = (left, top, left + int(made["w"]) - 1, top + int(made["h"]) - 1)
            draw.rectangle(box, (red, green, blue))
        _draw_ink(draw, made)
    data = io.BytesIO()
    image.save(data, "PNG")
    html = "".join(f"<{m['tag']}>{m['text']}" for m in elements)
    return RenderedPage(html, "ok", data.getvalue(), 1280, height, (body, *elements))


def _draw_ink(draw: ImageDraw.ImageDraw, made: dict[str, Any]) -> None:
    """A few strokes where a text or a picture leaves its mark: what cannot be seen does not count."""
    x, y, w, h = (made[key] for key in "xywh")
    colour = tuple(made["color"][:3])
    if made["text"] or made["placeholder"]:
        for step in range(0, int(max(w, 1)), 8):
            draw.line((x + step, y + h / 4, x + step, y + 3 * h / 4), colour)
    if made["role"] in ("image", "frame", "input") or made["border_sides"] or made["background_kind"]:
        draw.rectangle((x, y, x + max(w - 1, 0), y + max(h - 1, 0)), outline=(90, 120, 150))


def random_page(seed: int, height: int = 2000) -> RenderedPage:
    """A page of up to eight elements anywhere, partly outside of it."""
    rng = random.Random(seed)
    parts = []
    for _ in range(rng.randint(0, 8)):
        tag = rng.choice(["div", "p", "h2", "img", "input", "button"])
        place = rng.uniform(-50, 1300), rng.uniform(-50, height), rng.uniform(0, 1400), rng.uniform(0, 900)
        text = "".join(rng.choice("abc é\U0001f600") for _ in range(rng.randint(0, 12))).strip()
        bg = (rng.randint(0, 255), rng.randint(0, 255), rng.randint(0, 255))
        parts.append(element(tag, *place, text, bg=bg))
    return made_page(*parts, height=height)
