"""Orders that refill a storeroom."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family

_NAMES = ("tape", "glue", "paper", "pens", "folders", "clips", "labels", "ink")


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    articles = []
    for name in rng.sample(_NAMES, rng.randint(2, 4)):
        sold = rng.choice((3, 6, 9, 14, 23, 31, 44))
        articles.append(
            {
                "name": name,
                "have": rng.randint(0, 2 * sold),
                "coming": rng.choice((0, 4, 7, 12)),
                "sold": sold,
                "pack": rng.choice((4, 6, 10, 12)),
                "active": rng.random() < 0.75,
            }
        )
    return (articles,)


FAMILY = template_family(
    "inventory",
    domain="logistics",
    decisions=(
        decision(
            "weeks",
            "number of weeks the stock should last",
            "For how many weeks should stock last?",
            w2="Stock should last for 2 weeks of sales.",
            w3="Stock should last for 3 weeks of sales.",
            w4="Stock should last for 4 weeks of sales.",
        ),
        decision(
            "coming",
            "goods on their way, not delivered yet",
            "Do goods on their way, not delivered yet, matter?",
            count="What is 'coming' is treated as if we had it already.",
            ignore="What is 'coming' is ignored until it is there.",
        ),
        decision(
            "packs",
            "full packs",
            "Can suppliers only send full packs?",
            up="Amounts are rounded up to full packs.",
            down="Amounts are rounded down to full packs, and an article that ends up with none is left out.",
            exact="Packs don't matter, order the very amount.",
        ),
        decision(
            "inactive",
            "discontinued, inactive articles",
            "What about discontinued, inactive articles?",
            skip="Articles that are not 'active' are never ordered.",
            order="Articles that are not 'active' are ordered like the others.",
        ),
        decision(
            "small",
            "tiny orders below a minimum",
            "Is there a minimum below which tiny orders make no sense?",
            skip="An article that lacks fewer than 10 pieces is not ordered at all.",
            lift="If an article lacks fewer than 10 pieces, order 10 before any rounding.",
            any="Even a single lacking piece is ordered.",
        ),
        decision(
            "reserve",
            "safety reserve on top",
            "Should a safety reserve come on top?",
            five="The target of every article is 5 pieces higher, as a reserve.",
            tenth="The target of every article is a tenth higher, rounded down, as a reserve.",
            none="There is no reserve.",
        ),
        decision(
            "cap",
            "ceiling for a single product",
            "Which ceiling applies to a single product?",
            c40="Order at most 40 pieces of an article; this is applied before packs are.",
            c60="Order at most 60 pieces of an article; this is applied before packs are.",
            none="An article may be ordered in any quantity.",
        ),
        decision(
            "form",
            "arrangement of the purchase list",
            "Which arrangement should the purchase list have?",
            mapping="The result is a dictionary from the name to the amount.",
            by_name="The result is a list of lists of name and amount, sorted by name.",
            by_amount="The result is a list of lists of name and amount, the biggest amount first, then by name.",
        ),
    ),
    openings=(
        "I look after a storeroom and want to know what to order.",
        "Write me a function that prepares the weekly order for our stock.",
        "Our shelves run empty too often, please automate the ordering.",
    ),
    inputs=(
        "Articles are dictionaries with 'name', 'have', 'coming', 'sold' (pieces a week), 'pack' (pieces in a pack) "
        "and 'active'. An article that lacks nothing is left out.",
        "You get a list of dictionaries: 'name', 'have' (pieces on the shelf), 'coming', 'sold' in a week, 'pack' "
        "size and 'active' (true or false). Leave out what is not lacking.",
    ),
    template="""
def plan_order(articles):
    order = []
    for article in articles:
%% inactive skip
        if not article["active"]:
            continue
%%
        target = article["sold"] * «weeks: 2 | 3 | 4»
%% reserve five
        target += 5
%%
%% reserve tenth
        target += target // 10
%%
        lacking = target - «coming: (article["have"] + article["coming"]) | article["have"]»
        if lacking <= 0:
            continue
%% small skip
        if lacking < 10:
            continue
%%
%% small lift
        lacking = max(lacking, 10)
%%
%% cap c40
        lacking = min(lacking, 40)
%%
%% cap c60
        lacking = min(lacking, 60)
%%
%% packs up
        lacking = -(-lacking // article["pack"]) * article["pack"]
%%
%% packs down
        lacking = lacking // article["pack"] * article["pack"]
        if lacking == 0:
            continue
%%
        order.append([article["name"], lacking])
%% form mapping
    return dict(order)
%%
%% form by_name
    return sorted(order)
%%
%% form by_amount
    return sorted(order, key=lambda line: (-line[1], line[0]))
%%
""",
    arguments=_arguments,
)
