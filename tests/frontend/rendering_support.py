"""What the tests of the renderer share: one browser for all of them, and pages."""

from __future__ import annotations

import base64
import io
import random
import socket
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

from colbench.errors import RendererError
from colbench.frontend.assets import INSTALL_COMMAND, has_asset
from colbench.frontend.page import RenderedPage
from colbench.frontend.renderer import Renderer, shared_renderer
from colbench.frontend.renderer.browser import find_browser

TAILWIND = '<link href="https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css" rel="stylesheet">'


def browser_missing() -> str | None:
    """Why the tests that need a browser cannot run here."""
    pytest.importorskip("playwright")
    try:
        find_browser()
    except RendererError as error:
        return str(error)
    return None


@pytest.fixture
def renderer() -> Renderer:
    """The one browser that well-behaved tests share."""
    reason = browser_missing()
    if reason:
        pytest.skip(reason)
    return shared_renderer(workers=1)


def needs_assets(*names: str) -> pytest.MarkDecorator:
    missing = [name for name in names if not has_asset(name)]
    return pytest.mark.skipif(bool(missing), reason=f"{missing} not installed: {INSTALL_COMMAND}")


def picture(page: RenderedPage) -> np.ndarray:
    """The page's picture as an array, height x width x 3."""
    assert page.png is not None
    return np.asarray(Image.open(io.BytesIO(page.png)).convert("RGB"))


def texts(page: RenderedPage) -> list[str]:
    return [element["text"] for element in page.elements if element["text"]]


def data_image(image: Image.Image, kind: str = "PNG", **options: object) -> str:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return f"data:image/{kind.lower()};base64," + base64.b64encode(buffer.getvalue()).decode()


def tailwind_page(seed: int, classes: list[str] | None = None) -> str:
    """A page with many Tailwind classes in use, picked by the seed out of `classes` or of a usual set."""
    rng = random.Random(seed)
    if classes is None:
        color = rng.choice(["blue", "green", "red", "indigo", "purple"])
        cards = "".join(
            f'<div class="bg-white shadow-lg rounded p-{rng.randint(2, 8)}"><h2 class="text-xl font-bold">Card {k}</h2>'
            f'<img class="w-full h-32 object-cover" src="https://picsum.photos/id/48/{200 + k}/100" alt="p">'
            f'<p class="text-gray-600 text-sm mt-2">Some words about card {k}.</p></div>'
            for k in range(rng.randint(2, 6))
        )
        body = (
            f'<nav class="bg-{color}-600 text-white p-4 flex justify-between"><b>Site {seed}</b><a href="#">A</a></nav>'
            f'<main class="container mx-auto grid grid-cols-{rng.randint(1, 4)} gap-4 p-6">{cards}</main>'
        )
    else:
        body = "".join(
            f'<{tag} class="{" ".join(rng.sample(classes, 6))}">Words {k}</{tag}>'
            for k, tag in enumerate(rng.choice(["div", "p", "span", "button", "h2", "a"]) for _ in range(50))
        )
    return f'<!DOCTYPE html><html><head>{TAILWIND}</head><body class="bg-gray-100">{body}</body></html>'


class Listener:
    """A server on this machine that counts who connects."""

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen(64)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.connections = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1  # never answered
            self._keep = connection

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()
