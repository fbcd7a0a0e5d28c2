"""Shelves of small shops."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from colbench.tasks.procedural.family import decision
from colbench.tasks.procedural_pages.common import button_shape, header_style, main_colour
from colbench.tasks.procedural_pages.family import Content, PageFamily
from colbench.tasks.procedural_pages.parts import button, cards, document, dots, e, header, join, picture, slim_footer

_SHOPS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...], str], ...] = (
    (
        "Clay Corner",
        "a shop for hand-made cups and bowls",
        ("Tall cup", "Soup bowl", "Tea pot", "Egg cup", "Salad plate", "Milk jug", "Sugar bowl", "Flat plate"),
        ("Cups", "Bowls", "Plates", "Pots", "Seconds"),
        "Every piece is a little different",
    ),
    (
        "Trail Depot",
        "a shop for things one carries up a mountain",
        ("Rain cover", "Steel mug", "Head lamp", "Wool hat", "Map case", "Rope bag", "Camp stove", "Day pack"),
        ("Packs", "Light", "Kitchen", "Clothes", "Maps"),
        "Light enough for the last hundred metres",
    ),
    (
        "Ink & Fold",
        "a shop for paper, pens and envelopes",
        ("Note block", "Fountain pen", "Blue ink", "Long envelope", "Wax seal", "Letter set", "Ruler", "Sketch book"),
        ("Paper", "Pens", "Ink", "Gifts", "Sale"),
        "For people who still write by hand",
    ),
    (
        "Leaf Room",
        "a shop for plants that survive in dark flats",
        (
            "Shade fern",
            "Snake leaf",
            "Ivy pot",
            "Moss glass",
            "Dwarf palm",
            "Rubber tree",
            "Peace lily",
            "Spider plant",
        ),
        ("Small", "Large", "Hanging", "Pots", "Care"),
        "They forgive you everything",
    ),
    (
        "Tin Drum",
        "a shop for old toys that still work",
        (
            "Wind-up frog",
            "Tin train",
            "Spinning top",
            "Music box",
            "Paper theatre",
            "Marble run",
            "Puppet bear",
            "Kite",
        ),
        ("Tin", "Wood", "Paper", "Games", "Repairs"),
        "Older than you, and still running",
    ),
)


def _content(rng: random.Random) -> Content:
    name, purpose, articles, shelves, line = rng.choice(_SHOPS)
    goods = [(article, rng.randint(4, 89), rng.randint(3, 5)) for article in rng.sample(articles, len(articles))]
    words: dict[str, object] = {
        "name": name,
        "goods": goods,
        "shelves": shelves,
        "line": line,
        "title": rng.choice(("All articles", "New this week", "From our shelves", "Picked by us")),
        "offer": rng.choice(("Free delivery over 50 €", "Open on Sunday", "Ten percent off in May")),
    }
    return Content(f"{name}, {purpose}", words)


def _article(name: str, price: int, stars: int, columns: int, keys: Mapping[str, str]) -> str:
    hue = keys["colour"]
    look = {"boxed": "bg-white shadow rounded-lg p-4", "plain": ""}[keys["cards"]]
    width = {2: 560, 3: 360, 4: 260}[columns]
    align = "text-center" if keys["text"] == "centred" else "text-left"
    rating = dots(stars, hue).replace(
        "flex space-x-1", f"flex space-x-1{' justify-center' if align == 'text-center' else ''}"
    )
    return (
        f'<div class="{(look + " " + align).strip()}">\n{picture(width, 220, name, "w-full h-56 object-cover mb-4")}\n'
        f'<h3 class="text-lg font-semibold">{e(name)}</h3>\n{rating}\n'
        f'<p class="text-xl font-bold text-{hue}-700 mb-4">{price} €</p>\n'
        f"{button('Add to basket', hue, keys['button'])}\n</div>"
    )


def _page(content: Content, keys: Mapping[str, str]) -> str:
    words: Any = content.words
    hue = keys["colour"]
    columns = int(keys["columns"][1:])
    count = {2: 4, 3: 6, 4: 8}[columns]
    goods = [_article(name, price, stars, columns, keys) for name, price, stars in words["goods"][:count]]
    banner = ""
    if keys["banner"] == "present":
        banner = (
            f'<section class="bg-{hue}-600 text-white px-12 py-12">\n'
            f'<h2 class="text-4xl font-bold mb-2">{e(words["line"])}</h2>\n'
            f'<p class="text-lg">{e(words["offer"])}</p>\n</section>'
        )
    title = f'<h1 class="text-3xl font-bold mb-8">{e(words["title"])}</h1>'
    shelf = f'<section class="flex-1 p-12">\n{title}\n{cards(goods, columns)}\n</section>'
    if keys["filter"] == "none":
        middle = shelf
    else:
        items = join(f'<li class="py-2">{e(item)}</li>' for item in words["shelves"])
        side = (
            f'<aside class="w-64 p-8 bg-{hue}-50">\n<h2 class="font-bold text-{hue}-800 mb-4">Shelves</h2>\n'
            f"<ul>\n{items}\n</ul>\n</aside>"
        )
        inner = (side, shelf) if keys["filter"] == "left" else (shelf, side)
        middle = f'<div class="flex">\n{join(inner)}\n</div>'
    links = ("Articles", "Gift cards", "Basket")
    body = join(
        (
            header(words["name"], links, hue, keys["header"]),
            banner,
            middle,
            slim_footer(words["name"], "Paid by invoice"),
        )
    )
    return document(str(words["name"]), body, ground="bg-gray-100" if keys["cards"] == "boxed" else "bg-white")


FAMILY = PageFamily(
    "shop",
    decisions=(
        main_colour("green", "pink", "indigo", "red"),
        header_style(),
        decision(
            "columns",
            "number of articles side by side",
            "How many articles stand side by side?",
            c2="Two articles stand side by side.",
            c3="Three articles stand side by side.",
            c4="Four articles stand side by side.",
        ),
        decision(
            "filter",
            "list of the shelves",
            "Where should the list of the shelves be?",
            none="There is no list of the shelves.",
            left="A list of the shelves stands on the left on a tinted ground.",
            right="A list of the shelves stands on the right on a tinted ground.",
        ),
        decision(
            "banner",
            "banner under the bar",
            "Should there be a banner?",
            present="A banner in the main colour runs under the bar.",
            without="There is no banner.",
        ),
        decision(
            "cards",
            "look of the articles",
            "Should the articles be boxes?",
            boxed="The articles are white boxes with a shadow on light grey.",
            plain="The articles stand on white without boxes.",
        ),
        decision(
            "text",
            "alignment of the names and prices",
            "Are names and prices centred?",
            left="Names and prices stand on the left.",
            centred="Names and prices are centred under the pictures.",
        ),
        button_shape(),
    ),
    openings=(
        "I need a page that shows the articles of {subject}.",
        "Please make the shelf page of {subject}.",
        "A shop page for {subject}, please.",
    ),
    content=_content,
    page=_page,
)
