"""Price pages: plans side by side."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from colbench.tasks.procedural.family import decision
from colbench.tasks.procedural_pages.common import button_shape, header_style, main_colour
from colbench.tasks.procedural_pages.family import Content, PageFamily
from colbench.tasks.procedural_pages.firms import draw_firm
from colbench.tasks.procedural_pages.parts import button, cards, document, e, header, join, slim_footer

_PLAN_NAMES = (
    ("Seed", "Branch", "Tree", "Forest"),
    ("Solo", "Duo", "Team", "Company"),
    ("Basic", "Plus", "Pro", "Max"),
    ("Cabin", "House", "Manor", "Castle"),
)
_PERKS = (
    "Answers within a day",
    "Two people",
    "Unlimited visits",
    "A yearly report",
    "Cancel at any time",
    "Help on the telephone",
    "Ten extra hours",
    "A free first month",
    "Monthly summary",
    "Your own contact",
)
_QUESTIONS = (
    ("Can I change my plan later?", "Yes, at the end of every month, up or down."),
    ("Do I need a credit card?", "No. We send an invoice and you pay by transfer."),
    ("Is there a discount for clubs?", "Clubs and schools pay half. Just write to us."),
    ("What happens when I stop?", "Nothing is lost. Your data waits for a year."),
)


def _content(rng: random.Random) -> Content:
    firm = draw_firm(rng)
    start, step = rng.choice((5, 9, 12, 19)), rng.choice((2, 3))
    plans = [(name, start * step**i, rng.sample(_PERKS, 3)) for i, name in enumerate(rng.choice(_PLAN_NAMES))]
    title = rng.choice(("Simple, honest prices", "Pick the plan that fits", "Prices without small print"))
    words: dict[str, object] = {"firm": firm, "plans": plans, "title": title, "questions": rng.sample(_QUESTIONS, 3)}
    return Content(f"{firm.name}, {firm.trade}", words)


def _plan(name: str, price: int, perks: list[str], keys: Mapping[str, str], picked: bool) -> str:
    hue = keys["colour"]
    look = {
        "shadow": "bg-white rounded-xl shadow-lg p-8",
        "outline": "bg-white border-2 border-gray-300 p-8",
        "tinted": f"bg-{hue}-100 rounded-xl p-8",
    }[keys["cards"]]
    quiet = "text-gray-600"
    if picked:
        look, quiet = f"bg-{hue}-700 text-white rounded-xl shadow-xl p-8", f"text-{hue}-100"
    items = join(f'<li class="py-2 {quiet}">{e(perk)}</li>' for perk in perks)
    return (
        f'<div class="{look}">\n<h2 class="text-xl font-semibold mb-2">{e(name)}</h2>\n'
        f'<p class="text-4xl font-extrabold mb-1">{price} €</p>\n<p class="text-sm {quiet} mb-6">a month</p>\n'
        f'<ul class="mb-8">\n{items}\n</ul>\n'
        f"{button(f'Take {name}', 'gray' if picked else hue, keys['button'])}\n</div>"
    )


def _page(content: Content, keys: Mapping[str, str]) -> str:
    words: Any = content.words
    firm, hue = words["firm"], keys["colour"]
    count = int(keys["plans"][1:])
    plans = words["plans"][:count]
    picked = {"first": 0, "last": count - 1, "none": -1}[keys["highlight"]]
    align = keys["heading"]
    top = [
        f'<section class="px-12 pt-16 pb-10 text-{align}">',
        f'<h1 class="text-4xl font-bold mb-4">{e(words["title"])}</h1>',
        f'<p class="text-lg text-gray-600">{e(firm.line)}</p>',
        "</section>",
    ]
    items = [_plan(name, price, perks, keys, i == picked) for i, (name, price, perks) in enumerate(plans)]
    below = ""
    if keys["questions"] == "present":
        answers = join(
            f'<div class="border-b border-gray-300 py-4">\n<h3 class="font-semibold mb-1">{e(question)}</h3>\n'
            f'<p class="text-gray-600">{e(answer)}</p>\n</div>'
            for question, answer in words["questions"]
        )
        below = (
            '<section class="px-12 pb-16">\n<h2 class="text-2xl font-bold mb-4">Questions we hear often</h2>\n'
            f"{answers}\n</section>"
        )
    body = join(
        (
            header(firm.name, firm.links, hue, keys["header"]),
            join(top),
            f'<section class="px-12 pb-16">\n{cards(items, count)}\n</section>',
            below,
            slim_footer(firm.name, "All prices include tax"),
        )
    )
    return document(f"Prices of {firm.name}", body, ground="bg-gray-50")


FAMILY = PageFamily(
    "pricing",
    decisions=(
        main_colour("indigo", "green", "pink", "blue"),
        header_style(),
        decision(
            "plans",
            "number of plans",
            "How many plans are there?",
            p2="There are two plans.",
            p3="There are three plans.",
            p4="There are four plans.",
        ),
        decision(
            "highlight",
            "plan that stands out",
            "Which plan should stand out?",
            first="The first plan stands out in the main colour.",
            last="The last plan stands out in the main colour.",
            none="No plan stands out.",
        ),
        decision(
            "cards",
            "look of the plans",
            "How should the boxes of the plans look?",
            shadow="The plans are white boxes with a shadow.",
            outline="The plans are white boxes with a grey outline.",
            tinted="The plans are boxes in a light shade of the main colour.",
        ),
        decision(
            "heading",
            "alignment of the heading",
            "Should the heading be centred?",
            left="The heading stands on the left.",
            center="The heading is centred.",
        ),
        button_shape(),
        decision(
            "questions",
            "questions and answers below",
            "Should there be questions and answers below the plans?",
            present="Three questions with answers follow below the plans.",
            without="Nothing follows below the plans.",
        ),
    ),
    openings=(
        "Please make a page with the prices of {subject}.",
        "I need a price page for {subject}.",
        "Our customers ask what we cost. Make a page with our plans for {subject}.",
    ),
    content=_content,
    page=_page,
)
