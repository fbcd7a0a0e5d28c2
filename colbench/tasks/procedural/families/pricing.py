"""Totals of shop orders."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    items = []
    for _ in range(rng.randint(1, 4)):
        price = rng.randint(80, 1900)
        sale = price + rng.choice((-1, -1, 1)) * rng.randint(7, 70)
        count = rng.choice((0, -1, 1, 2, 4, 5, 6, 9, 10, 11, 12, 13))
        items.append({"price": price, "sale": sale, "count": count})
    return items, rng.random() < 0.5


FAMILY = template_family(
    "pricing",
    domain="shop",
    decisions=(
        decision(
            "unit_price",
            "regular price or sale price of an article",
            "Do I use the regular price or the sale price of an article?",
            regular="Always use the 'price' of an article and ignore its 'sale' entry.",
            sale="Always use the 'sale' entry of an article and ignore its 'price'.",
            lower="Use the lower one of 'price' and 'sale'.",
        ),
        decision(
            "bulk_limit",
            "quantity that earns a rebate",
            "What quantity earns a rebate?",
            five="A line earns the rebate from 5 pieces on.",
            ten="A line earns the rebate from 10 pieces on.",
            twelve="A line earns the rebate from 12 pieces on.",
        ),
        decision(
            "bulk_rate",
            "percentage taken off a big line",
            "Which percentage is taken off a big line?",
            p10="The rebate takes 10 percent off the line.",
            p15="The rebate takes 15 percent off the line.",
            p20="The rebate takes 20 percent off the line.",
        ),
        decision(
            "rounding",
            "rounding of fractions of a cent",
            "How do I round fractions of a cent?",
            down="After the rebate each line is rounded down to a whole cent.",
            nearest="After the rebate each line is rounded to the nearest cent, and half a cent goes up.",
            up="After the rebate each line is rounded up to a whole cent.",
        ),
        decision(
            "member",
            "advantage of being a member",
            "What advantage does a member have?",
            delivery="Members pay no delivery.",
            money="Members get 300 cents off the final total, which never falls below zero.",
            none="Members pay exactly what everybody else pays.",
        ),
        decision(
            "delivery_fee",
            "shipping cost",
            "How high is the shipping cost?",
            f490="Delivery costs 490 cents.",
            f650="Delivery costs 650 cents.",
        ),
        decision(
            "delivery_free",
            "goods value for free delivery",
            "From what goods value is delivery free?",
            at3000="Delivery is free once the goods are worth 3000 cents or more.",
            at6000="Delivery is free once the goods are worth 6000 cents or more.",
            never="Delivery is charged however much the goods are worth.",
        ),
        decision(
            "bad_count",
            "handling of zero and negative counts",
            "How should zero or negative counts be handled?",
            skip="A line whose count is zero or negative is left out.",
            one="A line whose count is zero or negative is treated as one piece.",
        ),
    ),
    openings=(
        "I run a small shop and need a function that works out what a customer has to pay for an order.",
        "Please write me something that adds up an order of our web shop.",
        "Our orders are totalled by hand and I want code for it.",
    ),
    inputs=(
        "Every item of the list is a dictionary with 'price', 'sale' (both in whole cents) and 'count'; member says "
        "whether the customer is one of our members. I want the amount in cents, delivery included, and bigger "
        "lines get a rebate.",
        "You get a list of dictionaries with the keys 'price', 'sale' and 'count', all whole numbers and money in "
        "cents, and a flag for members. The result is the total in cents with delivery; there is a rebate for "
        "bigger lines.",
    ),
    template="""
def order_total(items, member):
    goods = 0
    for item in items:
        count = item["count"]
%% bad_count skip
        if count <= 0:
            continue
%%
%% bad_count one
        if count <= 0:
            count = 1
%%
        line = «unit_price: item["price"] | item["sale"] | min(item["price"], item["sale"])» * count
        if count >= «bulk_limit: 5 | 10 | 12»:
            hundredths = line * «bulk_rate: 90 | 85 | 80»
            line = «rounding: hundredths // 100 | (hundredths + 50) // 100 | -(-hundredths // 100)»
        goods += line
    delivery = «delivery_fee: 490 | 650»
%% delivery_free at3000
    if goods >= 3000:
        delivery = 0
%%
%% delivery_free at6000
    if goods >= 6000:
        delivery = 0
%%
%% member delivery
    if member:
        delivery = 0
%%
    total = goods + delivery
%% member money
    if member:
        total = max(0, total - 300)
%%
    return total
""",
    arguments=_arguments,
)
