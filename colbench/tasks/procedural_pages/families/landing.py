"""Start pages of small firms."""

from __future__ import annotations

import random
from collections.abc import Mapping

from colbench.tasks.procedural.family import decision
from colbench.tasks.procedural_pages.common import button_shape, header_style, main_colour
from colbench.tasks.procedural_pages.family import Content, PageFamily
from colbench.tasks.procedural_pages.firms import Firm, draw_firm
from colbench.tasks.procedural_pages.parts import (
    avatar,
    button,
    cards,
    document,
    e,
    header,
    heading,
    join,
    picture,
    slim_footer,
)


def _content(rng: random.Random) -> Content:
    firm = draw_firm(rng)
    words = {"firm": firm, "why": rng.choice(("Why people come back", "What we do", "Good to know", "Here for you"))}
    return Content(f"{firm.name}, {firm.trade}", words)


def _hero(firm: Firm, keys: Mapping[str, str]) -> str:
    hue, side = keys["colour"], keys["picture"]
    words = join(
        (
            f'<h1 class="text-5xl font-extrabold leading-tight mb-6">{e(firm.headline)}</h1>',
            f'<p class="text-lg text-gray-600 mb-8">{e(firm.line)}</p>',
            button(firm.action, hue, keys["button"]),
        )
    )
    if side == "none":
        return f'<section class="bg-{hue}-50 px-48 py-24 text-center">\n{words}\n</section>'
    image = picture(560, 400, firm.name, "w-1/2 rounded-xl shadow-lg")
    if side == "right":
        inner = f'<div class="w-1/2 pr-16">\n{words}\n</div>\n{image}'
    else:
        inner = f'{image}\n<div class="w-1/2 pl-16">\n{words}\n</div>'
    return f'<section class="bg-{hue}-50 px-12 py-16 flex items-center">\n{inner}\n</section>'


def _offers(firm: Firm, why: str, keys: Mapping[str, str]) -> str:
    hue, columns = keys["colour"], int(keys["columns"][1:])
    boxed = "bg-white rounded-lg shadow-md p-6" if keys["cards"] == "boxed" else f"border-t-4 border-{hue}-500 pt-4"
    items = [
        f'<div class="{boxed}">\n<h3 class="text-xl font-semibold mb-2">{e(title)}</h3>\n'
        f'<p class="text-gray-600">{e(text)}</p>\n</div>'
        for title, text in firm.offers[: columns if columns != 2 else 4]
    ]
    ground = "bg-gray-100" if keys["cards"] == "boxed" else "bg-white"
    return f'<section class="{ground} px-12 py-16">\n{heading(why)}\n{cards(items, columns)}\n</section>'


def _praise(firm: Firm, keys: Mapping[str, str]) -> str:
    if keys["quote"] == "without":
        return ""
    hue = keys["colour"]
    return (
        f'<section class="bg-{hue}-700 text-white px-48 py-16 text-center">\n'
        f'<p class="text-2xl italic mb-6">“{e(firm.praise)}”</p>\n'
        f'<div class="flex items-center justify-center space-x-4">\n{avatar(firm.guest, hue)}\n'
        f'<span class="font-semibold">{e(firm.guest)}</span>\n</div>\n</section>'
    )


def _bottom(firm: Firm, keys: Mapping[str, str]) -> str:
    if keys["footer"] == "slim":
        return slim_footer(firm.name, "Made with care")
    links = join(f'<li class="mb-2">{e(link)}</li>' for link in firm.links)
    return (
        '<footer class="bg-gray-900 text-gray-400 px-12 py-12 grid grid-cols-3 gap-8 text-sm">\n'
        f'<div>\n<div class="text-lg font-bold text-white mb-2">{e(firm.name)}</div>\n<p>{e(firm.line)}</p>\n</div>\n'
        f"<ul>\n{links}\n</ul>\n"
        '<div>\n<div class="text-white mb-2">Write to us</div>\n<p>hello@example.com</p>\n<p>Monday to Friday</p>\n'
        "</div>\n</footer>"
    )


def _page(content: Content, keys: Mapping[str, str]) -> str:
    firm = content.words["firm"]
    assert isinstance(firm, Firm)
    body = join(
        (
            header(firm.name, firm.links, keys["colour"], keys["header"]),
            _hero(firm, keys),
            _offers(firm, str(content.words["why"]), keys),
            _praise(firm, keys),
            _bottom(firm, keys),
        )
    )
    return document(firm.name, body)


FAMILY = PageFamily(
    "landing",
    decisions=(
        main_colour("blue", "green", "purple", "red"),
        header_style(),
        decision(
            "picture",
            "place of the large picture",
            "Where should the large picture be?",
            right="The large picture stands on the right of the headline.",
            left="The large picture stands on the left of the headline.",
            none="There is no large picture, the headline is centred instead.",
        ),
        button_shape(),
        decision(
            "columns",
            "number of columns of offers",
            "How many offers stand side by side?",
            c2="The offers stand in two columns.",
            c3="Three offers stand side by side.",
            c4="Four offers stand side by side.",
        ),
        decision(
            "cards",
            "look of the offers",
            "Should the offers be boxes?",
            boxed="The offers are white boxes with a shadow on light grey.",
            lined="The offers have no box, only a coloured line above each.",
        ),
        decision(
            "quote",
            "praise of a customer",
            "Should a customer be quoted?",
            without="No customer is quoted.",
            present="A customer is quoted on a wide coloured band.",
        ),
        decision(
            "footer",
            "bottom of the page",
            "How should the bottom of the page look?",
            slim="The bottom of the page is one quiet line.",
            full="The bottom of the page is a large dark area with three columns.",
        ),
    ),
    openings=(
        "I need a start page for {subject}.",
        "Please design the home page of {subject}.",
        "We want a new first page for {subject}.",
    ),
    content=_content,
    page=_page,
)
