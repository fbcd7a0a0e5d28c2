"""Forms with which people register for something."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from colbench.tasks.procedural.family import decision
from colbench.tasks.procedural_pages.common import main_colour
from colbench.tasks.procedural_pages.family import Content, PageFamily
from colbench.tasks.procedural_pages.parts import CORNERS, document, e, join, picture

_EVENTS = (
    ("Mushroom walk", "a walk through the autumn forest with somebody who knows", "Keep me a place"),
    ("Choir weekend", "two days of singing in a house without a network", "Sing along"),
    ("Repair evening", "an evening on which broken things are mended together", "Bring something"),
    ("Chess in the park", "a tournament under the plane trees", "Enter the tournament"),
    ("Seed swap", "a morning on which gardeners trade seeds", "Bring seeds"),
    ("Night of reading", "a night in the library, from dusk to dawn", "Stay the night"),
)
_FIELDS = (
    ("Your name", "First and last name"),
    ("E-mail", "name@example.com"),
    ("Telephone", "In case it rains"),
    ("Town", "Where do you live?"),
    ("How many are you?", "1"),
    ("Anything we should know?", "Allergies, dogs, questions"),
)
_NOTES = (
    "You pay at the door.",
    "We never pass your address on.",
    "You can cancel until the day before.",
    "Children come along for free.",
)


def _content(rng: random.Random) -> Content:
    title, purpose, action = rng.choice(_EVENTS)
    fields = [_FIELDS[0], *rng.sample(_FIELDS[1:], 4)]
    day = f"Saturday {rng.randint(1, 28)} {rng.choice(('May', 'June', 'September', 'October'))}"
    words: dict[str, object] = {
        "title": title,
        "line": f"Join us for {purpose}.",
        "action": action,
        "fields": fields,
        "day": day,
        "note": rng.choice(_NOTES),
    }
    return Content(f"the “{title}”: {purpose}", words)


def _field(label: str, hint: str, keys: Mapping[str, str]) -> str:
    hue = keys["colour"]
    look = {
        "outlined": "border border-gray-400 rounded px-4 py-3 bg-white",
        "filled": f"bg-{hue}-100 rounded px-4 py-3",
        "underlined": f"border-b-2 border-{hue}-500 py-3 bg-transparent",
    }[keys["fields"]]
    if keys["labels"] == "inside":
        return f'<input type="text" class="w-full {look} mb-6" placeholder="{e(label)}">'
    box = f'<input type="text" class="w-full {look}" placeholder="{e(hint)}">'
    if keys["labels"] == "beside":
        name = f'<span class="w-56 flex-shrink-0 pr-4 font-medium">{e(label)}</span>'
        return f'<label class="flex items-center mb-6">\n{name}\n{box}\n</label>'
    return f'<label class="block mb-6">\n<span class="block font-medium mb-1">{e(label)}</span>\n{box}\n</label>'


def _page(content: Content, keys: Mapping[str, str]) -> str:
    words: Any = content.words
    hue = keys["colour"]
    count = int(keys["count"][1:])
    ground = {"tinted": f"bg-{hue}-50", "dark": "bg-gray-800", "white": "bg-white"}[keys["ground"]]
    wide = " w-full" if keys["button"] == "wide" else ""
    form = join(
        (
            f'<h1 class="text-4xl font-bold text-{hue}-800 mb-2">{e(words["title"])}</h1>',
            f'<p class="text-lg font-semibold mb-2">{e(words["day"])}</p>',
            f'<p class="text-gray-600 mb-8">{e(words["line"])}</p>',
            "<form>",
            *(_field(label, hint, keys) for label, hint in words["fields"][:count]),
            f'<button class="px-8 py-4 bg-{hue}-600 text-white text-lg font-semibold{CORNERS["rounded"]}{wide}">'
            f"{e(words['action'])}</button>",
            "</form>",
            f'<p class="mt-6 text-sm text-gray-500">{e(words["note"])}</p>',
        )
    )
    if keys["layout"] == "card":
        frame = (
            "bg-white shadow-xl rounded-xl p-12"
            if keys["ground"] != "white"
            else "border border-gray-300 rounded-xl p-12"
        )
        body = f'<div class="py-16">\n<div class="max-w-2xl mx-auto {frame}">\n{form}\n</div>\n</div>'
        return document(str(words["title"]), body, ground=ground, more="min-h-screen")
    image = picture(640, 900, words["title"], "w-1/2 object-cover")
    panel = f'<div class="w-1/2 p-16">\n<div class="bg-white p-8">\n{form}\n</div>\n</div>'
    inner = (image, panel) if keys["layout"] == "picture_left" else (panel, image)
    return document(str(words["title"]), f'<div class="flex min-h-screen">\n{join(inner)}\n</div>', ground=ground)


FAMILY = PageFamily(
    "signup",
    decisions=(
        main_colour("pink", "purple", "green", "blue"),
        decision(
            "layout",
            "place of the form",
            "Where should the form be?",
            card="The form stands in the middle of the page, without a picture.",
            picture_left="A picture fills the left half and the form stands on the right.",
            picture_right="A picture fills the right half and the form stands on the left.",
        ),
        decision(
            "ground",
            "ground of the page",
            "What colour is behind the form?",
            tinted="The page has a very light shade of the main colour.",
            dark="The page is dark grey behind the form.",
            white="The page is white.",
        ),
        decision(
            "labels",
            "place of the labels",
            "Where do the labels of the fields stand?",
            above="The labels stand above the fields.",
            inside="The labels stand inside the fields.",
            beside="The labels stand to the left of the fields.",
        ),
        decision(
            "fields",
            "look of the fields",
            "How should the fields look?",
            outlined="The fields have a grey outline.",
            filled="The fields are filled with a light shade of the main colour.",
            underlined="The fields have only a coloured line below.",
        ),
        decision(
            "count",
            "number of fields",
            "How many fields are there?",
            f3="There are three fields.",
            f4="There are four fields.",
            f5="There are five fields.",
        ),
        decision(
            "button",
            "width of the button",
            "How wide is the button?",
            wide="The button is as wide as the fields.",
            small="The button is only as wide as its words.",
        ),
    ),
    openings=(
        "I need a form for {subject}.",
        "Please design a page where people register for {subject}.",
        "Make a sign-up page for {subject}.",
    ),
    content=_content,
    page=_page,
)
