"""Free time between meetings."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    start = rng.choice((480, 540, 600))
    end = start + rng.choice((360, 420, 480))
    meetings = []
    now = start
    while True:
        begin = now + rng.choice((0, 15, 20, 25, 35, 40, 50, 65, 90))
        length = rng.choice((10, 12, 30, 45, 60, 75))
        if begin + length > end:
            break
        meetings.append({"from": begin, "to": begin + length, "tentative": rng.random() < 0.3})
        now = begin + length
    rng.shuffle(meetings)
    return meetings, start, end


FAMILY = template_family(
    "scheduling",
    domain="calendar",
    decisions=(
        decision(
            "minimum",
            "shortest useful gap",
            "How long must the shortest useful gap be?",
            m15="A gap is useful from 15 minutes on.",
            m30="A gap is useful from 30 minutes on.",
            m45="A gap is useful from 45 minutes on.",
        ),
        decision(
            "rest",
            "rest needed after each meeting",
            "How much rest is needed after each meeting?",
            none="No rest is needed, the time is free as soon as the meeting is over.",
            r5="Every meeting that blocks time also blocks the 5 minutes after it.",
            r10="Every meeting that blocks time also blocks the 10 minutes after it.",
        ),
        decision(
            "tentative",
            "tentative, unconfirmed appointments",
            "What about tentative, unconfirmed appointments?",
            block="Tentative meetings block time like all others.",
            ignore="Tentative meetings are ignored.",
        ),
        decision(
            "lunch",
            "lunch hour",
            "Is a lunch hour kept free?",
            long="Nothing may be planned over lunch, from minute 720 to minute 780.",
            short="Nothing may be planned over lunch, from minute 735 to minute 765.",
            none="Lunch is not protected.",
        ),
        decision(
            "brief",
            "very brief calls",
            "Do very brief calls matter?",
            count="Even the briefest call blocks its time.",
            ignore="Calls of less than 15 minutes are treated as if they were not there.",
        ),
        decision(
            "form",
            "form in which a slot is returned",
            "In what form is a slot returned?",
            ends="Give each slot as a list of its start and its end.",
            length="Give each slot as a list of its start and its length in minutes.",
            start="Give only the start of each slot.",
        ),
        decision(
            "order",
            "sort order",
            "Which sort order do you want?",
            early="List the earliest slot first.",
            late="List the latest slot first.",
            longest="List the longest slot first, and the earlier one first when two are equally long.",
        ),
        decision(
            "limit",
            "number of suggestions at most",
            "What number of suggestions do you want at most?",
            two="Stop after the first two of the sorted slots.",
            three="Stop after the first three of the sorted slots.",
            all="List all slots, however many there are.",
        ),
    ),
    openings=(
        "I need to know when I am free on a day full of meetings.",
        "Write a function that finds the open slots in my calendar, please.",
        "Help me find time between my appointments.",
    ),
    inputs=(
        "Meetings come as dictionaries with 'from', 'to' and 'tentative', never overlapping but in no order; times "
        "are minutes since midnight, and start and end are those of my working day. Return a list of the free slots.",
        "You are given a list of dictionaries ('from' and 'to' in minutes since midnight, 'tentative' true or false) "
        "in any order, without overlaps, and the first and last minute of the working day. I want a list of slots.",
    ),
    template="""
def free_slots(meetings, start, end):
    busy = []
    for meeting in meetings:
%% tentative ignore
        if meeting["tentative"]:
            continue
%%
%% brief ignore
        if meeting["to"] - meeting["from"] < 15:
            continue
%%
        busy.append((meeting["from"], «rest: meeting["to"] | meeting["to"] + 5 | meeting["to"] + 10»))
%% lunch long
    busy.append((720, 780))
%%
%% lunch short
    busy.append((735, 765))
%%
    slots = []
    now = start
    for begin, finish in [*sorted(busy), (end, end)]:
        gap = min(begin, end) - now
        if gap >= «minimum: 15 | 30 | 45»:
            slots.append((now, gap))
        now = max(now, finish)
%% order late
    slots.reverse()
%%
%% order longest
    slots.sort(key=lambda slot: (-slot[1], slot[0]))
%%
%% limit two
    slots = slots[:2]
%%
%% limit three
    slots = slots[:3]
%%
    return [«form: [now, now + gap] | [now, gap] | now» for now, gap in slots]
""",
    arguments=_arguments,
)
