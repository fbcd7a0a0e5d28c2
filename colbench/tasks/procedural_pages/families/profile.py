"""Pages about one person."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from colbench.tasks.procedural.family import decision
from colbench.tasks.procedural_pages.common import button_shape, main_colour
from colbench.tasks.procedural_pages.family import Content, PageFamily
from colbench.tasks.procedural_pages.parts import button, cards, document, e, heading, join, picture

_PEOPLE = (
    ("Ada Brunn", "a letter cutter", "I cut letters into stone and slate, for doors, gardens and graves.", "Stones"),
    ("Milo Varga", "a wildlife photographer", "I wait. Sometimes for weeks. Then the fox comes.", "Pictures"),
    ("Ruth Okoro", "a puppet maker", "Lime wood, silk and patience: puppets that look back at you.", "Puppets"),
    ("Kaspar Lohm", "a piano tuner", "I tune, voice and repair, from spinets to concert grands.", "Instruments"),
    ("Yara Demir", "an illustrator of maps", "I draw cities as people remember them, not as they are.", "Maps"),
    ("Finn Halden", "a builder of small boats", "Four metres of larch and oak, built in a shed by the fjord.", "Boats"),
    ("Noor Castell", "a translator of poems", "From Catalan and Arabic, word by word and breath by breath.", "Books"),
    ("Bela Tarr", "a maker of kites", "Paper, bamboo and wind from the west.", "Kites"),
)
_PLACES = ("Lisbon", "Tromsø", "Graz", "Leeds", "Porto", "Ghent", "Riga", "Turin")
_STATES = ("Open for new work", "Booked until spring", "Writes back within two days", "Workshop visits welcome")


def _content(rng: random.Random) -> Content:
    name, craft, sentence, works = rng.choice(_PEOPLE)
    words: dict[str, object] = {
        "name": name,
        "craft": craft.split(" ", 1)[1].capitalize(),
        "sentence": sentence,
        "works": works,
        "place": rng.choice(_PLACES),
        "state": rng.choice(_STATES),
        "numbers": [
            (str(rng.randint(3, 40)), "years"),
            (str(rng.randint(20, 900)), works.lower()),
            (str(rng.randint(2, 30)), "exhibitions"),
        ],
        "years": rng.sample(range(2008, 2024), 6),
    }
    return Content(f"{name}, {craft}", words)


def _card(words: Any, keys: Mapping[str, str]) -> str:
    hue = keys["colour"]
    shape = "rounded-full" if keys["photo"] == "round" else "rounded-lg"
    centred = keys["place"] == "top"
    align = "text-center" if centred else "text-left"
    numbers = ""
    if keys["numbers"] == "present":
        cells = join(
            f'<div>\n<div class="text-2xl font-bold text-{hue}-700">{value}</div>\n'
            f'<div class="text-sm text-gray-500">{e(label)}</div>\n</div>'
            for value, label in words["numbers"]
        )
        numbers = f'<div class="flex {"justify-center " if centred else ""}space-x-8 mt-6">\n{cells}\n</div>'
    photo = picture(176, 176, words["name"], f"w-44 h-44 {shape}{' mx-auto' if centred else ''} mb-6")
    tone = {"tinted": f"bg-{hue}-100", "dark": f"bg-{hue}-900 text-white", "white": "bg-white border border-gray-200"}
    quiet = f"text-{hue}-100" if keys["card"] == "dark" else "text-gray-600"
    if keys["card"] == "dark":
        numbers = numbers.replace(f"text-{hue}-700", "text-white").replace("text-gray-500", f"text-{hue}-200")
    return join(
        (
            f'<div class="{tone[keys["card"]]} {align} p-10">',
            photo,
            f'<h1 class="text-4xl font-bold">{e(words["name"])}</h1>',
            f'<p class="text-lg {quiet} mb-4">{e(words["craft"])} in {e(words["place"])}</p>',
            f'<p class="mb-6">{e(words["sentence"])}</p>',
            button("Write to me", hue, keys["button"], more=f"border border-{hue}-300"),
            numbers,
            "</div>",
        )
    )


def _works(words: Any, keys: Mapping[str, str]) -> str:
    columns = int(keys["gallery"][1:])
    width = {2: 560, 3: 360, 4: 260}[columns]
    count = {2: 4, 3: 6, 4: 4}[columns]
    shown = [
        f"<figure>\n{picture(width, 240, words['works'], 'w-full h-60 object-cover')}\n"
        f'<figcaption class="text-sm text-gray-500 mt-2">{e(words["works"])} of {year}</figcaption>\n</figure>'
        for year in words["years"][:count]
    ]
    return (
        f'<section class="flex-1 p-10">\n{heading(words["works"], "left", more="mb-6")}\n'
        f"{cards(shown, columns, gap='gap-6')}\n"
        f'<p class="mt-8 text-gray-600">{e(words["state"])}</p>\n</section>'
    )


def _page(content: Content, keys: Mapping[str, str]) -> str:
    words: Any = content.words
    card, works = _card(words, keys), _works(words, keys)
    name = str(words["name"])
    if keys["place"] == "top":
        return document(name, join((card, works)))
    side = f'<div class="w-96">\n{card}\n</div>'
    inner = (side, works) if keys["place"] == "left" else (works, side)
    return document(name, f'<div class="flex items-start">\n{join(inner)}\n</div>')


FAMILY = PageFamily(
    "profile",
    decisions=(
        main_colour("indigo", "red", "green", "purple"),
        decision(
            "place",
            "place of the personal details",
            "Where should the personal details stand?",
            top="The personal details stand at the top, centred.",
            left="The personal details stand in a column on the left.",
            right="The personal details stand in a column on the right.",
        ),
        decision(
            "card",
            "ground of the personal details",
            "What colour is behind the personal details?",
            tinted="The personal details stand on a light shade of the main colour.",
            dark="The personal details are white on a very dark shade of the main colour.",
            white="The personal details stand on white with a thin outline.",
        ),
        decision(
            "photo",
            "shape of the portrait",
            "What shape has the portrait?",
            round="The portrait is round.",
            square="The portrait is a square with soft corners.",
        ),
        button_shape(),
        decision(
            "numbers",
            "numbers about the work",
            "Should numbers about the work be shown?",
            present="Three numbers about the work are shown under the button.",
            without="No numbers are shown.",
        ),
        decision(
            "gallery",
            "columns of the gallery",
            "How many pictures stand side by side?",
            c2="Two pictures stand side by side.",
            c3="Three pictures stand side by side.",
            c4="Four pictures stand side by side.",
        ),
    ),
    openings=(
        "A page about {subject}, please.",
        "Please make a personal page for {subject}.",
        "I would like a portfolio page for {subject}.",
    ),
    content=_content,
    page=_page,
)
