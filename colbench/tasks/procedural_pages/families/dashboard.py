"""Overview screens: counters, a chart, and what happened last."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from colbench.tasks.procedural.family import decision
from colbench.tasks.procedural_pages.common import main_colour
from colbench.tasks.procedural_pages.family import Content, PageFamily
from colbench.tasks.procedural_pages.parts import cards, document, e, join

# name, what it is for, menu, counters (label, unit), things in the list, their states
_PLACES: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "Harbour Office",
        "the people who assign berths in a marina",
        ("Today", "Berths", "Boats", "Weather", "Bills"),
        ("boats in port", "free berths", "arrivals", "departures"),
        ("Albatross", "Second Wind", "Old Marie", "Kestrel", "Blue Hour", "Puffin"),
        ("moored", "expected", "leaving"),
    ),
    (
        "Ward Desk",
        "the night nurses of a small hospital",
        ("Overview", "Rooms", "Rounds", "Pharmacy", "Notes"),
        ("patients", "free beds", "calls tonight", "rounds left"),
        ("Room 4", "Room 7", "Room 9", "Room 12", "Room 15", "Room 18"),
        ("quiet", "called", "visited"),
    ),
    (
        "Press Room",
        "the editors of a local paper",
        ("Front page", "Stories", "Photos", "Letters", "Archive"),
        ("stories in work", "pages ready", "photos", "letters"),
        ("The bridge", "School choir", "Market fees", "Late frost", "New mayor", "Lost dog"),
        ("draft", "checked", "printed"),
    ),
    (
        "Parcel Point",
        "a shop that accepts parcels for the street",
        ("Counter", "Shelves", "Carriers", "Customers", "Reports"),
        ("parcels here", "collected", "returns", "too late"),
        ("Shelf A1", "Shelf A4", "Shelf B2", "Shelf C1", "Shelf C5", "Shelf D3"),
        ("waiting", "collected", "returned"),
    ),
    (
        "Hop & Barrel",
        "the owner of a small brewery",
        ("Cellar", "Brews", "Stock", "Orders", "Taps"),
        ("brews fermenting", "full barrels", "open orders", "litres sold"),
        ("Amber 12", "Pale 31", "Stout 7", "Wheat 19", "Red 4", "Light 22"),
        ("fermenting", "resting", "bottled"),
    ),
    (
        "Choir Desk",
        "the secretary of a large choir",
        ("Concerts", "Singers", "Scores", "Dues", "Mail"),
        ("singers", "scores lent", "open dues", "tickets sold"),
        ("Requiem", "Summer songs", "Carols", "Matins", "Folk night", "Evensong"),
        ("planned", "rehearsing", "sold out"),
    ),
)
_PANEL = '<section class="flex-1 bg-white rounded-lg shadow p-6">'
_HEIGHTS = ("h-16", "h-20", "h-24", "h-28", "h-32", "h-36", "h-40", "h-44", "h-48")


def _content(rng: random.Random) -> Content:
    name, purpose, menu, labels, things, states = rng.choice(_PLACES)
    rows = [
        (thing, rng.choice(states), f"{rng.randint(6, 21)}:{rng.choice(('00', '15', '30', '45'))}") for thing in things
    ]
    words: dict[str, object] = {
        "name": name,
        "menu": menu,
        "counters": [(str(rng.randint(3, 480)), label) for label in labels],
        "rows": rows[: rng.choice((4, 5, 6))],
        "bars": [(day, rng.choice(_HEIGHTS)) for day in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")],
        "greeting": rng.choice(("Good morning", "Today at a glance", "This week", "Welcome back")),
    }
    return Content(f"{purpose}. It is called {name}", words)


def _menu(words: Any, keys: Mapping[str, str]) -> str:
    dark = keys["menu_tone"] == "dark"
    hue = keys["colour"]
    paint = "bg-gray-900 text-gray-400" if dark else f"bg-{hue}-700 text-{hue}-100"
    brand = f'<div class="text-lg font-bold text-white">{e(words["name"])}</div>'
    if keys["menu"] == "top":
        links = join(f'<a href="#">{e(item)}</a>' for item in words["menu"])
        return (
            f'<header class="flex items-center justify-between px-8 py-4 {paint}">\n{brand}\n'
            f'<nav class="space-x-6 text-sm">\n{links}\n</nav>\n</header>'
        )
    links = join(f'<li class="py-2">{e(item)}</li>' for item in words["menu"])
    return f'<aside class="w-56 p-6 {paint}">\n{brand}\n<ul class="mt-8 text-sm">\n{links}\n</ul>\n</aside>'


def _counters(words: Any, keys: Mapping[str, str]) -> str:
    hue, roomy = keys["colour"], keys["density"] == "roomy"
    pad, size = ("p-8", "text-4xl") if roomy else ("p-4", "text-2xl")
    paint = f"bg-{hue}-600 text-white rounded-lg" if keys["counters"] == "coloured" else "bg-white rounded-lg shadow"
    number = "text-white" if keys["counters"] == "coloured" else f"text-{hue}-600"
    quiet = f"text-{hue}-100" if keys["counters"] == "coloured" else "text-gray-500"
    return cards(
        (
            f'<div class="{paint} {pad}">\n<div class="{size} font-bold {number}">{e(value)}</div>\n'
            f'<div class="text-sm {quiet}">{e(label)}</div>\n</div>'
            for value, label in words["counters"]
        ),
        4,
        gap="gap-6",
    )


def _chart(words: Any, keys: Mapping[str, str]) -> str:
    if keys["chart"] == "without":
        return ""
    hue = keys["colour"]
    bars = join(
        f'<div class="flex-1 text-center text-xs text-gray-500">\n<div class="bg-{hue}-400 rounded-t {height}"></div>\n'
        f'<div class="mt-1">{e(day)}</div>\n</div>'
        for day, height in words["bars"]
    )
    return (
        f'{_PANEL}\n<h2 class="font-semibold mb-4">The last seven days</h2>\n'
        f'<div class="flex items-end h-56 space-x-4">\n{bars}\n</div>\n</section>'
    )


def _list(words: Any, keys: Mapping[str, str]) -> str:
    hue = keys["colour"]
    pad = "py-4" if keys["density"] == "roomy" else "py-2"
    if keys["list"] == "table":
        rows = join(
            f'<tr class="border-b border-gray-200"><td class="{pad}">{e(thing)}</td>'
            f'<td class="{pad} text-{hue}-700">{e(state)}</td>'
            f'<td class="{pad} text-right text-gray-500">{time}</td></tr>'
            for thing, state, time in words["rows"]
        )
        head = (
            '<tr class="text-left text-sm text-gray-500 border-b-2 border-gray-300"><th class="py-2">Name</th>'
            '<th class="py-2">State</th><th class="py-2 text-right">Time</th></tr>'
        )
        inner = f'<table class="w-full">\n{head}\n{rows}\n</table>'
    else:
        inner = cards(
            (
                f'<div class="bg-{hue}-50 rounded p-4">\n<div class="font-semibold">{e(thing)}</div>\n'
                f'<div class="text-sm text-gray-600">{e(state)}, {time}</div>\n</div>'
                for thing, state, time in words["rows"]
            ),
            2,
            gap="gap-4",
        )
    return f'{_PANEL}\n<h2 class="font-semibold mb-4">What is going on</h2>\n{inner}\n</section>'


def _page(content: Content, keys: Mapping[str, str]) -> str:
    words: Any = content.words
    lower = join((_chart(words, keys), _list(words, keys)))
    main = join(
        (
            f'<main class="flex-1 {"p-8" if keys["density"] == "roomy" else "p-6"}">',
            f'<h1 class="text-2xl font-bold mb-6">{e(words["greeting"])}</h1>',
            _counters(words, keys),
            f'<div class="flex items-start space-x-6 mt-6">\n{lower}\n</div>',
            "</main>",
        )
    )
    menu = _menu(words, keys)
    if keys["menu"] == "top":
        return document(str(words["name"]), join((menu, main)), ground="bg-gray-100", more="min-h-screen")
    inner = (menu, main) if keys["menu"] == "left" else (main, menu)
    return document(str(words["name"]), join(inner), ground="bg-gray-100", more="flex min-h-screen")


FAMILY = PageFamily(
    "dashboard",
    decisions=(
        main_colour("blue", "green", "indigo", "pink"),
        decision(
            "menu",
            "place of the menu",
            "Where should the menu be?",
            left="The menu runs down the left side.",
            right="The menu runs down the right side.",
            top="The menu is a bar at the top.",
        ),
        decision(
            "menu_tone",
            "colour of the menu",
            "Which colour has the menu?",
            dark="The menu is almost black.",
            coloured="The menu has the main colour.",
        ),
        decision(
            "counters",
            "look of the counters",
            "How should the counters look?",
            white="The counters are white boxes with coloured numbers.",
            coloured="The counters are boxes in the main colour with white numbers.",
        ),
        decision(
            "chart",
            "chart of the week",
            "Should there be a chart?",
            bars="A chart with one bar per day stands below the counters.",
            without="There is no chart.",
        ),
        decision(
            "list",
            "look of the list",
            "Is the list a table?",
            table="What is going on is shown as a table.",
            tiles="What is going on is shown as tinted tiles in two columns.",
        ),
        decision(
            "density",
            "room between things",
            "Should it be roomy or compact?",
            roomy="Everything has a lot of room.",
            compact="Everything is compact, with small numbers.",
        ),
    ),
    openings=(
        "I need an overview screen for {subject}.",
        "Please design a dashboard for {subject}.",
        "Make one screen that shows the day, for {subject}.",
    ),
    content=_content,
    page=_page,
)
