"""Taxi fares."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    km = rng.choice((1, 1, 2, 3, 4, 5, 7, 11, 18))
    minutes = rng.randint(0, 9) if km < 3 else rng.randint(0, 25)
    return km, minutes, rng.choice((3, 5, 6, 9, 14, 20, 21, 22, 23)), rng.choice((0, 1, 2, 3, 4))


FAMILY = template_family(
    "fares",
    domain="transport",
    decisions=(
        decision(
            "base",
            "basic amount at the start",
            "What is the basic amount at the start?",
            b250="Every ride starts with 250 cents.",
            b320="Every ride starts with 320 cents.",
            b390="Every ride starts with 390 cents.",
        ),
        decision(
            "distance",
            "cost of a kilometre",
            "What does a kilometre cost?",
            k115="Each kilometre adds 115 cents.",
            k140="Each kilometre adds 140 cents.",
            k175="Each kilometre adds 175 cents.",
        ),
        decision(
            "waiting",
            "waiting minutes",
            "How are waiting minutes charged?",
            all="Each minute of waiting adds 30 cents.",
            after5="The first 5 minutes of waiting are free, each further one adds 45 cents.",
        ),
        decision(
            "night_start",
            "hour at which night begins",
            "At which hour does night begin?",
            h20="It is night from hour 20 until before hour 6.",
            h22="It is night from hour 22 until before hour 6.",
            h23="It is night from hour 23 until before hour 6.",
        ),
        decision(
            "night_extra",
            "surcharge after dark",
            "Which surcharge is there after dark?",
            percent="At night the amount so far grows by a fifth, fractions of a cent dropped.",
            flat="At night 170 cents are added.",
            km="At night 25 cents are added for each kilometre.",
        ),
        decision(
            "minimum",
            "lowest fare",
            "Is there a lowest fare?",
            m700="The fare is at least 700 cents.",
            m900="The fare is at least 900 cents.",
        ),
        decision(
            "luggage",
            "luggage and bags",
            "Does luggage, that is bags, change anything?",
            each="Each bag adds 50 cents.",
            second="One bag is free, each further one adds 90 cents.",
            three="Three or more bags add 240 cents, fewer add nothing.",
        ),
        decision(
            "rounding",
            "rounding to handy coins",
            "Is there rounding to handy coins?",
            up10="Finally the fare is rounded up to a multiple of 10 cents.",
            down10="Finally the fare is rounded down to a multiple of 10 cents.",
            up50="Finally the fare is rounded up to a multiple of 50 cents.",
        ),
    ),
    openings=(
        "We run a few taxis and need a fare calculator.",
        "Please write a function that tells our drivers what to charge for a ride.",
        "I want the price of a taxi ride worked out for me.",
    ),
    inputs=(
        "All inputs are whole numbers: kilometres, minutes of waiting, the hour of the day from 0 to 23, and the bags. "
        "The result is in cents. Steps: start, distance, waiting, night, bags, the lowest fare, rounding.",
        "It gets whole kilometres, waiting minutes, the hour (0 to 23) and how many bags there are, and returns cents. "
        "Go in this order: start, distance, waiting, night, bags, lowest fare, rounding.",
    ),
    template="""
def ride_fare(km, minutes, hour, bags):
    fare = «base: 250 | 320 | 390»
    fare += km * «distance: 115 | 140 | 175»
    fare += «waiting: minutes * 30 | max(0, minutes - 5) * 45»
    if hour >= «night_start: 20 | 22 | 23» or hour < 6:
        fare += «night_extra: fare // 5 | 170 | km * 25»
%% luggage each
    fare += bags * 50
%%
%% luggage second
    fare += max(0, bags - 1) * 90
%%
%% luggage three
    if bags >= 3:
        fare += 240
%%
    fare = max(fare, «minimum: 700 | 900»)
    return «rounding: -(-fare // 10) * 10 | fare // 10 * 10 | -(-fare // 50) * 50»
""",
    arguments=_arguments,
)
