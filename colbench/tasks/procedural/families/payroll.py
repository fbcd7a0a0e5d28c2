"""Weekly wages."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    long = rng.random() < 0.6
    shifts = []
    for day in sorted(rng.sample(range(7), rng.randint(4, 6) if long else rng.randint(1, 4))):
        start = rng.randrange(300, 1000, 5)
        length = (
            rng.randint(400, 620) if long and rng.random() < 0.8 else rng.choice((65, 100, 190, 245, 355, 367, 412))
        )
        shifts.append([_DAYS[day], start, start + length if rng.random() < 0.75 else (start + length) % 1440])
    return shifts, rng.choice((1260, 1500, 1740, 2040))


FAMILY = template_family(
    "payroll",
    domain="work",
    decisions=(
        decision(
            "pause",
            "unpaid breaks",
            "Are there unpaid breaks?",
            long="A shift of more than 360 minutes loses 30 minutes for a break.",
            always="Every shift loses 15 minutes for a break.",
            paid="Breaks are paid, nothing is taken off.",
        ),
        decision(
            "limit",
            "hours until overtime",
            "After how many hours is it overtime?",
            h35="Overtime begins after 35 hours in the week.",
            h38="Overtime begins after 38 hours in the week.",
            h40="Overtime begins after 40 hours in the week.",
        ),
        decision(
            "factor",
            "factor for additional time",
            "By which factor is additional time paid?",
            f125="Overtime is paid at 125 percent.",
            f150="Overtime is paid at 150 percent.",
            f200="Overtime is paid at 200 percent.",
        ),
        decision(
            "weekend",
            "Saturday and Sunday premium",
            "Is there a Saturday or Sunday premium?",
            sunday="Minutes of a shift that begins on Sun bring an extra 50 percent of the wage.",
            both="Minutes of a shift that begins on Sat or Sun bring an extra 25 percent of the wage.",
            none="Work at the weekend is paid like any other.",
        ),
        decision(
            "clock",
            "rounding to quarters",
            "Is the length subject to rounding, say to quarters?",
            down="The length of a shift is first rounded down to a multiple of 15 minutes.",
            up="The length of a shift is first rounded up to a multiple of 15 minutes.",
            exact="The length of a shift is taken to the minute.",
        ),
        decision(
            "short",
            "guarantee for brief visits",
            "Is there a guarantee for brief visits?",
            two="After the break is taken off, a shift of less than 120 minutes is paid as 120.",
            none="A brief shift is paid as it is.",
        ),
        decision(
            "midnight",
            "end earlier than its begin, midnight",
            "What if an end is earlier than its begin, past midnight?",
            over="A shift that ends at a smaller number than it begins runs past midnight.",
            error="A shift that ends at a smaller number than it begins is a mistake and is left out.",
        ),
        decision(
            "deduction",
            "money withheld",
            "Is money withheld?",
            fund="In the end 4 percent are kept back for the fund, and what remains is rounded down.",
            none="Nothing is kept back.",
        ),
    ),
    openings=(
        "I have to work out the weekly pay of our helpers.",
        "Write a payroll function for our shop, please.",
        "Please automate our pay slips.",
    ),
    inputs=(
        "Shifts are lists of the day ('Mon' to 'Sun') and begin and end in minutes since midnight; rate is the wage in "
        "cents an hour. Return the pay of the week in cents, rounded down once at the end of all wages.",
        "Each shift is a list: day such as 'Mon', begin, end (minutes since midnight). The rate is in cents an hour. I "
        "want the week's pay in whole cents; add everything up, then round down.",
    ),
    template="""
def week_pay(shifts, rate):
    worked = 0
    weekend = 0
    for day, begin, end in shifts:
%% midnight over
        if end < begin:
            end += 1440
%%
%% midnight error
        if end < begin:
            continue
%%
        minutes = end - begin
%% clock down
        minutes = minutes // 15 * 15
%%
%% clock up
        minutes = -(-minutes // 15) * 15
%%
%% pause long
        if minutes > 360:
            minutes -= 30
%%
%% pause always
        minutes = max(0, minutes - 15)
%%
%% short two
        minutes = max(minutes, 120)
%%
        worked += minutes
%% weekend sunday
        if day == "Sun":
            weekend += minutes * 50
%%
%% weekend both
        if day in ("Sat", "Sun"):
            weekend += minutes * 25
%%
    overtime = max(0, worked - «limit: 35 | 38 | 40» * 60)
    units = (worked - overtime) * 100 + overtime * «factor: 125 | 150 | 200» + weekend
    pay = units * rate // 6000
%% deduction fund
    pay = pay * 96 // 100
%%
    return pay
""",
    arguments=_arguments,
)
