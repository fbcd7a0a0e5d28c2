"""Picture modes and the two views of a page: what reaches an embedding, and what never does."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw

from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity.images import normalised, on_white, page_image, shortest_side_crop, squeezed


def png(image: Image.Image) -> RenderedPage:
    data = io.BytesIO()
    image.save(data, "PNG")
    return RenderedPage("<p></p>", "ok", data.getvalue(), *image.size)


@pytest.mark.parametrize("mode", ["RGBA", "P", "L", "1", "LA", "RGB", "I;16"])
@pytest.mark.parametrize("size", [(1, 1), (1, 300), (300, 1), (7, 5)])
def test_every_mode_and_size_becomes_rgb(mode, size):
    image = page_image(png(Image.new(mode, size)))
    assert image is not None and image.mode == "RGB" and image.size == size
    for view in (shortest_side_crop, squeezed):
        array = normalised(view(image))
        assert array.shape == (3, 224, 224) and array.dtype == np.float32 and np.isfinite(array).all()


def test_transparent_shows_white():
    assert on_white(Image.new("RGBA", (2, 2), (255, 0, 0, 0))).getpixel((0, 0)) == (255, 255, 255)
    assert on_white(Image.new("LA", (2, 2), (0, 0))).getpixel((0, 0)) == (255, 255, 255)
    assert on_white(Image.new("RGBA", (2, 2), (255, 0, 0, 128))).getpixel((0, 0)) == (255, 127, 127)
    assert on_white(Image.new("1", (2, 2), 1)).getpixel((0, 0)) == (255, 255, 255)
    palette = Image.new("P", (2, 2), 3)
    palette.putpalette([0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 20, 30])
    assert page_image(png(palette)).getpixel((0, 0)) == (10, 20, 30)
    data = io.BytesIO()
    palette.save(data, "PNG", transparency=3)
    assert page_image(RenderedPage("", "ok", data.getvalue(), 2, 2)).getpixel((0, 0)) == (255, 255, 255)


def test_sixteen_bit_grey_keeps_its_brightness():
    grey = Image.fromarray(np.full((2, 2), 65535, dtype=np.uint16))
    assert page_image(png(grey)).getpixel((0, 0)) == (255, 255, 255)


def test_no_page_no_picture():
    assert page_image(None) is None
    assert page_image(RenderedPage("hello", "no_html")) is None


def sidebar(color: str, side: str = "left") -> Image.Image:
    """A 1280x720 page with a sidebar of a fifth of the width, a heading and two cards."""
    image = Image.new("RGB", (1280, 720), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 255, 719) if side == "left" else (1024, 0, 1279, 719), fill=color)
    draw.rectangle((330, 60, 800, 110), fill="black")
    draw.rectangle((330, 200, 600, 500), fill="#dddddd")
    draw.rectangle((640, 200, 910, 500), fill="#dddddd")
    return image


@pytest.mark.parametrize("side", ["left", "right"])
def test_recolouring_a_sidebar_is_invisible_to_the_published_view(side):
    red, blue = sidebar("#b91c1c", side), sidebar("#1e3a8a", side)
    assert np.array_equal(normalised(shortest_side_crop(red)), normalised(shortest_side_crop(blue)))
    assert not np.array_equal(normalised(squeezed(red)), normalised(squeezed(blue)))


def tall(color: str, height: int = 4571) -> Image.Image:
    """A tall page whose upper and lower thirds have a colour of their own."""
    image = Image.new("RGB", (1280, height), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 1279, height // 3), fill=color)
    draw.rectangle((0, height - height // 3, 1279, height - 1), fill=color)
    draw.rectangle((200, height // 2 - 100, 900, height // 2 + 100), fill="black")
    return image


def test_only_the_middle_of_a_tall_page_is_seen_by_the_published_view():
    first, second = tall("#b91c1c"), tall("#1e3a8a")
    assert np.array_equal(normalised(shortest_side_crop(first)), normalised(shortest_side_crop(second)))
    assert not np.array_equal(normalised(squeezed(first)), normalised(squeezed(second)))


def visible_share(size: tuple[int, int]) -> float:
    """Share of the longer axis that reaches the published view at all, found by lighting single lines."""
    width, height = size
    dark = normalised(shortest_side_crop(Image.new("RGB", size)))

    def seen(position: int) -> bool:
        image = Image.new("RGB", size)
        box = (position, 0, position, height - 1) if width >= height else (0, position, width - 1, position)
        ImageDraw.Draw(image).rectangle(box, fill="white")
        return not np.array_equal(normalised(shortest_side_crop(image)), dark)

    middle, edges = max(size) // 2, []
    assert seen(middle)
    for outside in (0, max(size) - 1):
        inside = middle
        while abs(outside - inside) > 1:
            half = (outside + inside) // 2
            inside, outside = (half, outside) if seen(half) else (inside, half)
        edges.append(inside)
    return (edges[1] - edges[0]) / max(size)


def test_the_documented_shares_of_a_page_that_count():
    # docs/similarity.md: the outer 22% on either side of 1280x720, all but the middle 28% of 1280x4571.
    assert visible_share((1280, 720)) == pytest.approx(1 - 2 * 0.22, abs=0.02)
    assert visible_share((1280, 4571)) == pytest.approx(0.28, abs=0.02)
