"""Pages per second of four ways to render, in one run over the same pages.

The ways take turns page by page, so that other work on the machine falls on all of them alike:

- a new browser for every page;
- one browser, a new context for every page, as one would write it first;
- ours: a fresh context for every page, made ahead, and the stylesheet cut down;
- the floor: one page, reused for everything (what an untrusted page must never get).

Run it with ``python -m benchmarks.bench_rendering [--pages 30] [--json FILE]``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from colbench.frontend.assets import find_asset
from colbench.frontend.renderer import Renderer
from colbench.frontend.renderer.browser import browser_flags, find_browser
from colbench.frontend.renderer.pictures import drawn_picture, is_picture_address, picture_request

_VIEWPORT = {"width": 1280, "height": 720}
_TAILWIND = "https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css"


def sample_page(number: int) -> str:
    """A page of the benchmark's size and kind, the same for the same number."""
    color = ("blue", "green", "red", "indigo", "yellow", "purple", "pink")[number % 7]
    columns = 2 + number % 3
    cards = "".join(
        f'<div class="bg-white rounded-lg shadow p-{4 + number % 3}"><img class="w-full h-40 object-cover" '
        f'src="https://picsum.photos/id/48/{300 + 10 * k}/200"><h3 class="text-xl font-semibold mt-2">Offer {k}</h3>'
        f'<p class="text-gray-600 text-sm">What offer {k} of page {number} brings you, in two short lines of text that '
        f'wrap.</p><a href="#" class="inline-block mt-4 bg-{color}-500 hover:bg-{color}-700 text-white font-bold py-2 '
        f'px-4 rounded">Read more</a></div>'
        for k in range(columns * (1 + number % 2))
    )
    links = "".join(
        f'<a href="#" class="text-white px-3 hover:underline">{name}</a>' for name in ("Home", "Work", "Us")
    )
    return (
        f'<!DOCTYPE html><html><head><link href="{_TAILWIND}" rel="stylesheet"></head>'
        f'<body class="bg-gray-100 font-sans"><nav class="bg-{color}-700 p-4 flex justify-between"><span '
        f'class="text-white text-lg">Company {number}</span><div>{links}</div></nav><header class="text-center py-16">'
        f'<h1 class="text-4xl font-bold">Welcome to company {number}</h1><p class="text-gray-700 mt-4">A sentence that '
        f'says what we do.</p></header><main class="container mx-auto grid grid-cols-{columns} gap-6 px-4">{cards}'
        f'</main><footer class="bg-gray-800 text-gray-300 text-center p-6 mt-12">All rights reserved</footer></body>'
        "</html>"
    )


async def _answer(route: Any) -> None:
    url = route.request.url
    if "tailwind" in url:
        await route.fulfill(body=find_asset("tailwind-2"), content_type="text/css")
    elif is_picture_address(url):
        await route.fulfill(body=drawn_picture(*picture_request(url)), content_type="image/svg+xml")
    else:
        await route.abort()


async def _plain_context(browser: Any, html: str) -> None:
    context = await browser.new_context(viewport=_VIEWPORT, java_script_enabled=False)
    await context.route("**/*", _answer)
    page = await context.new_page()
    await page.set_content(html)
    await page.screenshot(full_page=True)
    await context.close()


async def measure(pages: list[str]) -> dict[str, list[float]]:
    """Seconds per page of each way."""
    from playwright.async_api import async_playwright

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    times: dict[str, list[float]] = {
        "new browser": [],
        "new context": [],
        "ours": [],
        "floor": [],
        "ours, all cores": [],
    }
    async with async_playwright() as playwright:
        program = find_browser(None, playwright.chromium.executable_path)
        launch: dict[str, Any] = {"executable_path": program, "args": ["--no-sandbox"]}
        browser = await playwright.chromium.launch(**launch)
        # The floor gets our flags, so that it is the same browser as ours without the fresh context.
        bare = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox", *browser_flags()])
        context = await bare.new_context(viewport=_VIEWPORT, java_script_enabled=False)
        await context.route("**/*", _answer)
        reused = await context.new_page()

        async def new_browser(html: str) -> None:
            own = await playwright.chromium.launch(**launch)
            await _plain_context(own, html)
            await own.close()

        async def floor(html: str) -> None:
            await reused.set_content(html)
            await reused.screenshot(full_page=True)

        with Renderer(workers=1) as renderer, Renderer(workers=cores) as whole:
            # The environments' default is a browser per core; its pages are asked for together.
            await asyncio.gather(*(whole.arender(sample_page(990 + number)) for number in range(2 * cores)))

            async def ours(html: str) -> None:
                page = await renderer.arender(html)
                assert page.status == "ok", page.status

            async def new_context(html: str) -> None:
                await _plain_context(browser, html)

            ways: dict[str, Callable[[str], Awaitable[None]]] = {
                "new browser": new_browser,
                "new context": new_context,
                "ours": ours,
                "floor": floor,
            }
            for way in ways.values():
                await way(sample_page(999))  # everything started and loaded once
            for block in range(0, len(pages), 5):
                for name, way in ways.items():
                    for html in pages[block : block + 5]:
                        began = time.perf_counter()
                        await way(html)
                        times[name].append(time.perf_counter() - began)
                together = pages[block : block + 5]
                began = time.perf_counter()
                shots = await asyncio.gather(*(whole.arender(html) for html in together))
                assert all(shot.status == "ok" for shot in shots)
                times["ours, all cores"] += [(time.perf_counter() - began) / len(together)] * len(together)
        await browser.close()
        await bare.close()
    return times


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--json", type=Path, help="also write the numbers here")
    arguments = parser.parse_args()
    times = asyncio.run(measure([sample_page(number) for number in range(arguments.pages)]))
    means = {name: statistics.fmean(values) for name, values in times.items()}
    print(f"{'way':<16}{'pages/s':>10}{'ms/page':>10}{'median ms':>11}")
    for name, values in times.items():
        print(f"{name:<16}{1 / means[name]:>10.2f}{1000 * means[name]:>10.0f}{1000 * statistics.median(values):>11.0f}")
    gain, cost = means["new browser"] / means["ours"], means["ours"] / means["floor"]
    all_gain, all_cost = means["new browser"] / means["ours, all cores"], means["ours, all cores"] / means["floor"]
    print(f"ours, one browser: {gain:.1f}x a new browser per page, {cost:.2f}x the floor's time")
    print(f"ours, a browser per core (the default): {all_gain:.1f}x a new browser, {all_cost:.2f}x the floor's time")
    if arguments.json:
        arguments.json.write_text(json.dumps({"seconds": times, "gain": gain, "over_floor": cost}, indent=1))


if __name__ == "__main__":
    main()
