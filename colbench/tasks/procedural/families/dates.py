"""Due dates."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

from colbench.tasks.procedural.family import decision, template_family


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    start = date(2023, rng.choice((*range(1, 13), 12, 12, 12)), 1) + timedelta(days=rng.randrange(31))
    days = rng.choice((1, 2, 3, 5, 6, 8, 9, 11, 12, 13, 16, 18))
    near = start + timedelta(days=days * rng.choice((1, 1, 1.3)))
    holidays = {near + timedelta(days=rng.randint(-3, 3)) for _ in range(rng.choice((0, 1, 3, 5)))}
    return start.isoformat(), days, sorted(day.isoformat() for day in holidays)


FAMILY = template_family(
    "dates",
    domain="dates",
    decisions=(
        decision(
            "counting",
            "which weekdays are counted",
            "Which weekdays are counted?",
            all="Every day of the week is counted.",
            no_sunday="Only Monday to Saturday are counted.",
            work="Only Monday to Friday are counted.",
        ),
        decision(
            "first",
            "inclusion of the starting day",
            "Is there inclusion of the starting day?",
            after="Counting begins on the day after the start.",
            same="Counting begins on the start itself, so it can be day one.",
        ),
        decision(
            "holiday",
            "holidays at the due date",
            "What happens if holidays fall on the due date?",
            later="If the day found is a holiday, it moves forward to the next day that is none, whatever the weekday.",
            earlier="If the day found is a holiday, it moves back to the last day before that is none.",
            stay="Holidays change nothing.",
        ),
        decision(
            "longest",
            "cap on long terms",
            "Is there a cap on long terms?",
            d10="A term of more than 10 days is cut to 10.",
            d14="A term of more than 14 days is cut to 14.",
            none="A term may be of any length.",
        ),
        decision(
            "end_of_month",
            "end of a month",
            "Is the end of a month special?",
            no="It does not matter in which part of a month the day falls.",
            first="If the day is after the 25th, it becomes the first of the following month; that is the last step.",
        ),
        decision(
            "written",
            "notation, dots or slashes",
            "In what notation is it written, dots or slashes?",
            iso="Write it like 2024-05-09, year first.",
            dots="Write it like 09.05.2024, with dots.",
            slashes="Write it like 05/09/2024, month first.",
        ),
        decision(
            "name",
            "name such as Mon or Tue in front",
            "Do you want a name such as Mon or Tue in front?",
            none="Return nothing but the date.",
            short="Put the day's English name in three letters and a blank in front, such as Mon or Tue.",
        ),
        decision(
            "grace",
            "grace period",
            "Do we grant a grace period?",
            none="No extra time is granted.",
            two="Another 2 days are added to the term, even if it was cut.",
            december="Terms that start in December get another 5 days, even if they were cut.",
        ),
    ),
    openings=(
        "I send invoices and need to know when they are due.",
        "Please write a function that computes a due date.",
        "We need deadlines worked out from a start and a number of days.",
    ),
    inputs=(
        "The start is text such as '2024-05-09', days is a positive whole number, holidays is a list of dates in that "
        "form. The result is text.",
        "Start and holidays are dates written as '2024-05-09', days is how long the term is (at least 1); give me text "
        "back.",
    ),
    template="""
def due_date(start, days, holidays):
    from datetime import date, timedelta

    day = date.fromisoformat(start)
    one = timedelta(days=1)
    left = «longest: min(days, 10) | min(days, 14) | days»
%% grace two
    left += 2
%%
%% grace december
    if day.month == 12:
        left += 5
%%
%% first same
    day -= one
%%
    while left > 0:
        day += one
        if day.weekday() < «counting: 7 | 6 | 5»:
            left -= 1
%% holiday later
    while day.isoformat() in holidays:
        day += one
%%
%% holiday earlier
    while day.isoformat() in holidays:
        day -= one
%%
%% end_of_month first
    if day.day > 25:
        day = date(day.year + day.month // 12, day.month % 12 + 1, 1)
%%
    text = day.strftime(«written: "%Y-%m-%d" | "%d.%m.%Y" | "%m/%d/%Y"»)
%% name short
    text = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[day.weekday()] + " " + text
%%
    return text
""",
    arguments=_arguments,
)
