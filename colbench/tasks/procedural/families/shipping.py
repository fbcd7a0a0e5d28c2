"""Parcel postage."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    parcels = []
    for _ in range(rng.randint(1, 3)):
        sides = [rng.choice((10, 15, 20, 25, 30, 40, 50, 60, 61, 75, 80, 81, 100)) for _ in range(3)]
        grams = rng.choice((300, 750, 1000, 1400, 2500, 4100, 7000, 12500))
        parcels.append({"grams": grams, "sides": sides, "value": rng.choice((0, 40, 120, 260, 700))})
    return parcels, rng.choice(("home", "home", "union", "world"))


FAMILY = template_family(
    "shipping",
    domain="logistics",
    decisions=(
        decision(
            "divisor",
            "volume turned into grams",
            "How is volume turned into grams?",
            v4="Each 4 cubic centimetres weigh 1 gram by volume, fractions dropped.",
            v5="Each 5 cubic centimetres weigh 1 gram by volume, fractions dropped.",
            v6="Each 6 cubic centimetres weigh 1 gram by volume, fractions dropped.",
        ),
        decision(
            "basis",
            "scale against size",
            "Does the scale decide or the size?",
            larger="The greater one of real weight and weight by volume is charged.",
            mean="Half the sum of real weight and weight by volume is charged, fractions dropped.",
        ),
        decision(
            "step",
            "started kilograms",
            "How do I bill started kilograms?",
            kilo="Weight is charged by the kilogram, every started one in full.",
            half="Weight is charged by half kilograms, every started one at half the price.",
            nearest="Weight is charged by the kilogram, to the nearest one with halves up, and at least one.",
        ),
        decision(
            "rate",
            "inland tariff",
            "What is the inland tariff?",
            r120="A kilogram costs 120 cents.",
            r160="A kilogram costs 160 cents.",
            r190="A kilogram costs 190 cents.",
        ),
        decision(
            "abroad",
            "foreign destinations",
            "What do foreign destinations change?",
            factors="Postage by weight doubles for 'union' and is four times as high for 'world'.",
            flat="For 'union' a parcel costs 600 cents more, for 'world' 1500 cents more.",
            same="For 'union' nothing changes, for 'world' postage by weight is three times as high.",
        ),
        decision(
            "bulky",
            "oversized boxes",
            "When are boxes oversized?",
            l60="A parcel whose longest side is over 60 centimetres costs 450 cents more.",
            l80="A parcel whose longest side is over 80 centimetres costs 450 cents more.",
            girth="A parcel whose three sides add up to over 150 centimetres costs 450 cents more.",
        ),
        decision(
            "insurance",
            "insurance of valuable contents",
            "Is there insurance of valuable contents?",
            over100="Parcels worth over 100 are insured for 2 cents per unit of 'value'.",
            over200="Parcels worth over 200 are insured for 2 cents per unit of 'value'.",
            always="Every parcel is insured, for 1 cent per unit of 'value'.",
        ),
        decision(
            "several",
            "discount when sending many",
            "Is there a discount when sending many?",
            tenth="From two parcels on, the total is a tenth less, rounded down.",
            none="Several parcels together cost as much as one by one.",
        ),
    ),
    openings=(
        "I send parcels and want to know the postage beforehand.",
        "Please write a postage calculator for our parcels.",
        "Our shipping department needs the cost of a delivery.",
    ),
    inputs=(
        "A parcel is a dictionary with 'grams', 'sides' (a list of three lengths in centimetres) and 'value'; zone is "
        "'home', 'union' or 'world'. The result is the cost of all parcels in cents.",
        "You get a list of dictionaries ('grams', 'sides' with three lengths in centimetres, 'value') and the zone, "
        "one of 'home', 'union' and 'world'; return the total in cents.",
    ),
    template="""
def postage(parcels, zone):
    total = 0
    for parcel in parcels:
        a, b, c = parcel["sides"]
        bulk = a * b * c // «divisor: 4 | 5 | 6»
        grams = «basis: max(parcel["grams"], bulk) | (parcel["grams"] + bulk) // 2»
%% step kilo
        cost = -(-grams // 1000) * «rate: 120 | 160 | 190»
%%
%% step half
        cost = -(-grams // 500) * «rate: 60 | 80 | 95»
%%
%% step nearest
        cost = max(1, (grams + 500) // 1000) * «rate: 120 | 160 | 190»
%%
%% abroad factors
        cost *= {"home": 1, "union": 2, "world": 4}[zone]
%%
%% abroad flat
        cost += {"home": 0, "union": 600, "world": 1500}[zone]
%%
%% abroad same
        if zone == "world":
            cost *= 3
%%
        if «bulky: max(a, b, c) > 60 | max(a, b, c) > 80 | a + b + c > 150»:
            cost += 450
%% insurance over100
        if parcel["value"] > 100:
            cost += parcel["value"] * 2
%%
%% insurance over200
        if parcel["value"] > 200:
            cost += parcel["value"] * 2
%%
%% insurance always
        cost += parcel["value"]
%%
        total += cost
%% several tenth
    if len(parcels) >= 2:
        total -= -(-total // 10)
%%
    return total
""",
    arguments=_arguments,
)
