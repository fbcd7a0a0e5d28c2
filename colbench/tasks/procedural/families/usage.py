"""Reports on meter readings, with units."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    value = rng.randint(0, 60)
    readings: list[int | None] = [value]
    for _ in range(rng.randint(2, 6)):
        kind = rng.random()
        if kind < 0.15:
            readings.append(None)
            continue
        value = rng.randint(0, value) if kind < 0.35 else value + rng.choice((17, 88, 245, 731, 1460, 2350))
        readings.append(value)
    if readings[-1] is None:
        readings.append(value + 29)
    return (readings,)


FAMILY = template_family(
    "usage",
    domain="units",
    decisions=(
        decision(
            "unit",
            "energy unit to convert into",
            "Into which energy unit do I convert?",
            kwh="The report is in kilowatt hours, as the meter counts, written kWh.",
            mj="The report is in megajoules, 3.6 for each kilowatt hour, written MJ.",
            wh="The report is in watt hours, 1000 for each kilowatt hour, written Wh.",
        ),
        decision(
            "summary",
            "sum, average or peak",
            "Should I take the sum, the average or the peak?",
            total="Report the total of all steps.",
            mean="Report the mean of all steps.",
            peak="Report the largest of all steps.",
        ),
        decision(
            "decimals",
            "digits after the point",
            "How many digits after the point do you like?",
            d0="Show no decimals at all.",
            d1="Show one decimal.",
            d2="Show two decimals.",
        ),
        decision(
            "reset",
            "meter replaced, count falling",
            "A count falling could be a meter replaced; what then?",
            restart="If a reading is lower than the one before, the meter was new and the step is the reading itself.",
            size="If a reading is lower than the one before, the step is how far it fell.",
            skip="If a reading is lower than the one before, there is no step between the two.",
        ),
        decision(
            "gap",
            "gaps without a reading",
            "What do I do about gaps without a reading?",
            bridge="A None is passed over, so the step goes from the last real reading to the next one.",
            split="A None interrupts: there is no step to it and none from it.",
        ),
        decision(
            "label",
            "where the symbol is placed",
            "Where is the symbol placed?",
            after="The unit stands after the number, with a blank in between.",
            before="The unit in square brackets and a blank stand before the number.",
            none="The unit is not shown.",
        ),
        decision(
            "thousands",
            "thousands grouped by commas",
            "Are thousands grouped by commas?",
            comma="From one thousand on, commas set groups of three figures apart.",
            plain="Figures stand together without commas.",
        ),
        decision(
            "implausible",
            "implausibly high values",
            "Do I trust implausibly high values?",
            trust="A step counts however large it is.",
            limit="A step of more than 2000 is a mistake and does not count.",
        ),
    ),
    openings=(
        "I read our electricity meter and want a short report.",
        "Please write a function that reports our power consumption.",
        "From meter readings I want one figure that says how much energy we used.",
    ),
    inputs=(
        "It gets the list of readings in kilowatt hours, whole numbers or None, the oldest first; the first one is "
        "always a number. From one reading to the next there is a step, the energy used. The report is a text, and "
        "without any step it reports 0.",
        "You get readings in kilowatt hours, oldest first, where a None may stand except at the beginning. What was "
        "used between two readings I call a step. Return text; if there is no step, report 0.",
    ),
    template="""
def usage_report(readings):
    steps = []
    last = None
    for reading in readings:
        if reading is None:
%% gap split
            last = None
%%
            continue
        if last is not None:
            step = reading - last
%% reset restart
            if step < 0:
                step = reading
%%
%% reset size
            step = abs(step)
%%
            if «implausible: step >= 0 | 0 <= step <= 2000»:
                steps.append(step)
        last = reading
    if not steps:
        steps = [0]
    amount = «summary: sum(steps) | sum(steps) / len(steps) | max(steps)»
    amount = «unit: amount | amount * 3.6 | amount * 1000»
    places = «decimals: 0 | 1 | 2»
    text = «thousands: f"{amount:,.{places}f}" | f"{amount:.{places}f}"»
    unit = «unit: "kWh" | "MJ" | "Wh"»
    return «label: f"{text} {unit}" | f"[{unit}] {text}" | text»
""",
    arguments=_arguments,
)
