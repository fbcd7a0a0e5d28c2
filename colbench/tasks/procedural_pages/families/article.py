"""Long reads."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from colbench.tasks.procedural.family import decision
from colbench.tasks.procedural_pages.common import header_style, main_colour
from colbench.tasks.procedural_pages.family import Content, PageFamily
from colbench.tasks.procedural_pages.parts import avatar, document, e, header, join, picture, slim_footer

_PIECES: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    (
        "The last ferryman",
        "a ferryman who has crossed the same river for forty years",
        (
            "The bell hangs on a chestnut tree, and whoever rings it has to wait until the boat has crossed. On a "
            "normal day it rings eleven times. On Sundays, when the walkers come, it hardly ever stops.",
            "He learned the river from his aunt, who learned it from her father. There is no map of the sandbanks, "
            "because they move with every flood. He reads them from the colour of the water.",
            "A bridge was planned twice. The first time the money ran out, the second time the village voted against "
            "it. Since then nobody has asked again, and the ferry was given a new coat of paint.",
            "In winter he sits in the hut by the landing and mends ropes. He says that the river is loudest when it "
            "freezes, a long low sound that you feel in your feet.",
        ),
        "A river is never twice where you left it.",
    ),
    (
        "What the seed bank keeps",
        "a seed bank in a mountain village",
        (
            "Behind the second door it is minus eighteen degrees. On the shelves stand eleven thousand glasses, each "
            "with a number, a year and a valley. Most of the plants in them are grown nowhere any more.",
            "Every spring forty glasses are opened. The seeds are sown behind the house, because even a frozen seed "
            "forgets in time what it is for. Volunteers weed, water, and write everything down.",
            "Farmers come with questions. Which wheat stood upright in the wet summer of sixty-eight? Which bean "
            "needs no poles? Sometimes the answer lies in a glass on the upper shelf.",
            "The oldest glass holds a lettuce that a teacher brought in an envelope. It tastes bitter, says the head "
            "of the bank, and that is why it has to be kept.",
        ),
        "We do not store seeds, we store possibilities.",
    ),
    (
        "A clock for the whole town",
        "the woman who winds the clock in a town hall tower",
        (
            "There are one hundred and fourteen steps, and she has counted them more than nine thousand times. Every "
            "third day she turns the crank until the three weights hang under the roof.",
            "The clock loses four seconds a week. She corrects it with coins, placed on the pendulum or taken off. A "
            "single cent makes it faster by half a second a day.",
            "When it stopped in the great frost, people were late for work and nobody could say why. They had not "
            "known that they looked up, but they had done so every morning.",
            "An electric motor would cost less than her wages. The council decided to keep the crank. A clock that "
            "somebody winds, the mayor said, belongs to somebody.",
        ),
        "Time is something that a person carries up the stairs.",
    ),
    (
        "Night shift at the flower market",
        "the people who sell flowers while the city sleeps",
        (
            "At two the lorries come, at three the lamps go on, at four the first buyers walk between the rows with "
            "torches and strong opinions. By seven everything is swept and gone.",
            "Prices are spoken, not written. A nod counts as a contract, and whoever breaks one buys elsewhere. The "
            "dealer by the gate has been in the same place for thirty-one years.",
            "Roses go first, then lilies. Tulips are a matter of weather. Nobody knows how the florists all want the "
            "same colour in the same week, but it happens every year.",
            "What is left at the end goes to the hospital across the street. The nurses fetch it in a wheelchair, and "
            "nobody has ever asked for a receipt.",
        ),
        "You sell in the dark what people want to see in the light.",
    ),
    (
        "How a village learned to swim",
        "a village that built its own swimming bath",
        (
            "It began with a list on the door of the bakery. Whoever could dig wrote a D, whoever could cook wrote a "
            "C. After a week there were two hundred letters and not one without a name.",
            "The pond was dug by hand, because no machine could get through the lane. Reeds clean the water. It took "
            "three summers until the bottom could be seen, and a fourth until the frogs agreed.",
            "Now the oldest swimmer is eighty-nine. She had never learned, there was nowhere to do it. Her teacher "
            "is her grandson, who is eleven and very strict.",
            "Entry is free. There is a box by the gate, and at the end of every month there is a little more in it "
            "than is needed.",
        ),
        "We were waiting for somebody to build it, until we noticed that we were enough.",
    ),
)
_AUTHORS = ("Elin Sandvik", "Karim Noll", "Greta Amberg", "Ivo Castellan", "Maud Perrin", "Osman Reiter")
_PAPERS = (
    ("The Slow Post", ("Reports", "People", "Places", "Archive")),
    ("Long & Wide", ("This week", "Portraits", "Essays", "About")),
    ("Field Notes", ("Stories", "Authors", "Letters", "Support us")),
)


def _content(rng: random.Random) -> Content:
    title, subject, paragraphs, quote = rng.choice(_PIECES)
    paper, links = rng.choice(_PAPERS)
    others = [piece[0] for piece in _PIECES if piece[0] != title]
    words: dict[str, object] = {
        "title": title,
        "paragraphs": paragraphs,
        "quote": quote,
        "author": rng.choice(_AUTHORS),
        "minutes": rng.randint(4, 18),
        "paper": paper,
        "links": links,
        "others": rng.sample(others, 3),
    }
    return Content(f"{subject}, to be published in {paper}", words)


def _text(words: Any, keys: Mapping[str, str]) -> str:
    hue = keys["colour"]
    size = {"large": "text-xl leading-relaxed", "small": "text-base"}[keys["size"]]
    paragraphs = [f'<p class="{size} mb-6">{e(text)}</p>' for text in words["paragraphs"]]
    if keys["quote"] == "present":
        paragraphs.insert(
            2,
            f'<blockquote class="border-l-8 border-{hue}-500 bg-{hue}-50 px-8 py-6 mb-6 text-2xl text-{hue}-800">'
            f"{e(words['quote'])}</blockquote>",
        )
    return join(paragraphs)


def _page(content: Content, keys: Mapping[str, str]) -> str:
    words: Any = content.words
    hue, align = keys["colour"], "center" if keys["title"] == "centred" else "left"
    row = "justify-center" if align == "center" else ""
    top = (
        f'<h1 class="text-5xl font-bold mb-4 text-{align}">{e(words["title"])}</h1>\n'
        f'<div class="flex items-center {row} space-x-4 mb-8">\n{avatar(words["author"], hue)}\n'
        f'<span class="text-gray-600">{e(words["author"])}, {words["minutes"]} minutes</span>\n</div>'
    )
    wide = picture(1280, 360, words["title"], "w-full h-80 object-cover") if keys["picture"] == "wide" else ""
    inside = picture(720, 320, words["title"], "w-full h-72 object-cover mb-8") if keys["picture"] == "inside" else ""
    text = join((top, inside, _text(words, keys)))
    if keys["side"] == "none":
        body = f'<article class="max-w-3xl mx-auto px-8 py-12">\n{text}\n</article>'
    else:
        more = join(f'<li class="py-3 border-b border-gray-300">{e(title)}</li>' for title in words["others"])
        side = (
            f'<aside class="w-72">\n<h2 class="text-lg font-bold text-{hue}-700 mb-2">Read on</h2>\n'
            f"<ul>\n{more}\n</ul>\n</aside>"
        )
        main = f'<article class="flex-1">\n{text}\n</article>'
        inner = (main, side) if keys["side"] == "right" else (side, main)
        body = f'<div class="flex items-start space-x-12 px-12 py-12">\n{join(inner)}\n</div>'
    font = "font-serif" if keys["typeface"] == "serif" else "font-sans"
    return document(
        str(words["title"]),
        join(
            (
                header(words["paper"], words["links"], hue, keys["header"]),
                wide,
                body,
                slim_footer(words["paper"], "Read slowly"),
            )
        ),
        more=font,
    )


FAMILY = PageFamily(
    "article",
    decisions=(
        main_colour("red", "blue", "green", "purple"),
        header_style(),
        decision(
            "typeface",
            "typeface",
            "Which typeface should it have?",
            serif="The letters have serifs, as in a book.",
            sans="The letters have no serifs.",
        ),
        decision(
            "picture",
            "picture of the article",
            "Where should the picture be?",
            wide="A picture runs over the whole width under the bar.",
            inside="A picture stands between the title and the text.",
            none="There is no picture.",
        ),
        decision(
            "side",
            "side column",
            "Should there be a side column?",
            none="There is no side column, only one narrow column of text.",
            left="A side column with other articles stands on the left.",
            right="A side column with other articles stands on the right.",
        ),
        decision(
            "title",
            "alignment of the title",
            "Should the title be centred?",
            left="The title stands on the left.",
            centred="The title is centred.",
        ),
        decision(
            "size",
            "size of the text",
            "How large should the text be?",
            large="The text is large, with wide lines.",
            small="The text has the usual size.",
        ),
        decision(
            "quote",
            "emphasised sentence",
            "Should a sentence be emphasised?",
            present="One sentence stands out on a tinted box with a thick bar on its left.",
            without="No sentence stands out.",
        ),
    ),
    openings=(
        "Please lay out an article about {subject}.",
        "I wrote a long piece on {subject}. It needs a page.",
        "Design the page for a report about {subject}.",
    ),
    content=_content,
    page=_page,
)
