"""Decisions on rental applications."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    # Mostly one rule is close to its limit and the others are met with ease: a single word as the result must show it.
    close = {rng.choice(("age", "rent", "years", "late"))} if rng.random() < 0.75 else {"age", "rent", "years", "late"}
    gross = rng.randrange(1500, 4000, 50)
    net = gross - rng.randrange(300, 700, 10)
    share = rng.choice((28, 32, 34, 37, 39, 42, 45)) if "rent" in close else 15
    applicant = {
        "age": rng.choice((17, 18, 19, 20, 21, 22, 24, 25)) if "age" in close else rng.randint(26, 70),
        "gross": gross,
        "net": net,
        "years": rng.choice((0, 1, 2)) if "years" in close else rng.randint(3, 20),
        "late": rng.choice((1, 2, 3)) if "late" in close else 0,
        "guarantor": rng.random() < 0.4,
    }
    rent = None if rng.random() < 0.2 else rng.choice((gross, net)) * share // 100
    return applicant, rent


FAMILY = template_family(
    "eligibility",
    domain="housing",
    decisions=(
        decision(
            "age",
            "minimum age of a tenant",
            "What is the minimum age of a tenant?",
            a18="Tenants must be at least 18 years old.",
            a21="Tenants must be at least 21 years old.",
            a25="Tenants must be at least 25 years old.",
        ),
        decision(
            "income",
            "gross or net income",
            "Does gross or net income count?",
            gross="What counts is the 'gross' income.",
            net="What counts is the 'net' income.",
        ),
        decision(
            "burden",
            "highest share for the rent",
            "What share may the rent reach at the highest?",
            s30="The rent is too high when it takes more than 30 percent of the income.",
            s35="The rent is too high when it takes more than 35 percent of the income.",
            s40="The rent is too high when it takes more than 40 percent of the income.",
        ),
        decision(
            "job",
            "years in the present job",
            "How many years in the present job are required?",
            y1="At least 1 year in the job is required.",
            y2="At least 2 years in the job are required.",
            y3="At least 3 years in the job are required.",
        ),
        decision(
            "guarantor",
            "what a guarantor makes up for",
            "What can a guarantor make up for?",
            job="A guarantor makes up for too short a time in the job, and for nothing else.",
            rent="A guarantor makes up for a rent that is too high, and for nothing else.",
            none="A guarantor makes up for nothing.",
        ),
        decision(
            "late",
            "tolerance of late payments",
            "How strict are we about late payments?",
            none="A single late payment breaks the rules.",
            one="One late payment is forgiven, two or more break the rules.",
            two="Up to two late payments are forgiven, three or more break the rules.",
        ),
        decision(
            "unknown_rent",
            "unknown amounts given as None",
            "How do I treat unknown amounts given as None?",
            fine="A rent of None is never too high.",
            high="A rent of None is treated as too high.",
        ),
        decision(
            "verdict",
            "form of the verdict",
            "In which form do you want the verdict?",
            word="Return the word 'accept' if no rule is broken and 'refuse' otherwise.",
            flag="Return True if no rule is broken and False otherwise.",
            count="Return how many rules are broken, as a number.",
        ),
    ),
    openings=(
        "We let flats and want to check applicants automatically.",
        "I need a function that tells whether somebody can rent one of our flats.",
        "Please write the check that we do when a person applies for a flat.",
    ),
    inputs=(
        "The applicant is a dictionary with 'age', 'gross' and 'net' (income a month), 'years' (in the job), 'late' "
        "(number of late payments) and 'guarantor' (true or false); rent is the rent a month, or None. There are "
        "four rules: on age, on rent, on time in the job, and on late payments.",
        "You get a dictionary with the keys 'age', 'gross', 'net', 'years', 'late' and 'guarantor', and the monthly "
        "rent or None. We look at four things: age, how heavy the rent is for the income, time in the job, and late "
        "payments.",
    ),
    template="""
def review_tenant(applicant, rent):
    broken = 0
    if applicant["age"] < «age: 18 | 21 | 25»:
        broken += 1
    if rent is None:
        too_high = «unknown_rent: False | True»
    else:
        too_high = rent * 100 > applicant[«income: "gross" | "net"»] * «burden: 30 | 35 | 40»
%% guarantor rent
    if applicant["guarantor"]:
        too_high = False
%%
    if too_high:
        broken += 1
    too_short = applicant["years"] < «job: 1 | 2 | 3»
%% guarantor job
    if applicant["guarantor"]:
        too_short = False
%%
    if too_short:
        broken += 1
    if applicant["late"] > «late: 0 | 1 | 2»:
        broken += 1
    return «verdict: "refuse" if broken else "accept" | broken == 0 | broken»
""",
    arguments=_arguments,
)
