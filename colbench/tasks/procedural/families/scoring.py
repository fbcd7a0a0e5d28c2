"""Points in a quiz."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family

_KEYS = ("Rome", "Nile", "Mars", "oak/beech", "Bach", "seven/7", "Iron", "red")


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    key = [rng.choice(_KEYS) for _ in range(rng.randint(4, 9))]
    answers = []
    for right in key[: len(key) - rng.choice((0, 0, 1, 2))]:
        parts = right.split("/")
        kind = rng.random()
        if kind < 0.55:
            answers.append(rng.choice(parts))
        elif kind < 0.7:
            answers.append(parts[0].swapcase())
        elif kind < 0.8:
            answers.append(right)
        elif kind < 0.9:
            answers.append("")
        else:
            answers.append("moon")
    return answers, key


FAMILY = template_family(
    "scoring",
    domain="games",
    decisions=(
        decision(
            "reward",
            "points earned by a correct answer",
            "How many points does a correct answer earn?",
            p2="A right answer earns 2 points.",
            p3="A right answer earns 3 points.",
            p4="A right answer earns 4 points.",
        ),
        decision(
            "penalty",
            "penalty for errors",
            "What penalty do errors bring?",
            m1="A wrong answer costs 1 point.",
            m2="A wrong answer costs 2 points.",
            m5="A wrong answer costs 5 points.",
        ),
        decision(
            "blank",
            "questions left blank",
            "What if a question is left blank?",
            wrong="An empty answer is a wrong answer.",
            zero="An empty answer brings no points and takes none.",
            bonus="An empty answer earns 1 point for honesty, but is not a right answer.",
        ),
        decision(
            "streak",
            "bonus for a winning streak",
            "Is there a bonus for a winning streak?",
            three="Whenever the third right answer in a row is given, 5 points come on top and the row starts anew.",
            four="Whenever the fourth right answer in a row is given, 8 points come on top and the row starts anew.",
            none="Right answers in a row bring nothing extra.",
        ),
        decision(
            "letters",
            "capital letters",
            "Do capital letters make a difference?",
            same="Small and capital letters are the same.",
            strict="An answer with other capitals than the key is wrong.",
        ),
        decision(
            "floor",
            "negative totals",
            "Can totals become negative?",
            always="Whenever the score would fall below zero, it is set to zero at once.",
            end="Only a final score below zero is set to zero.",
            free="The score may fall below zero and stay there.",
        ),
        decision(
            "slash",
            "alternatives with a slash",
            "What does a slash mean, are these alternatives?",
            either="A slash in the key stands between two answers, each of which is right.",
            literal="A slash in the key is a normal character of the one right answer.",
        ),
        decision(
            "form",
            "shape of the returned output",
            "Which shape should the returned output have?",
            number="Return the score as a number.",
            both="Return a list of the score and the number of right answers.",
            text="Return a text such as '7 points'.",
        ),
    ),
    openings=(
        "I host a pub quiz and need help with counting points.",
        "Please write the function that scores an answer sheet of our quiz.",
        "We want to mark quiz sheets by computer.",
    ),
    inputs=(
        "You get the list of a team's answers and the list of right ones, both text; when the team's list is shorter, "
        "the rest of the questions is not looked at.",
        "Given are two lists of text, the answers and the key. Questions beyond the end of the answers are not "
        "looked at.",
    ),
    template="""
def quiz_score(answers, key):
    score = 0
    right = 0
    row = 0
    for answer, solution in zip(answers, key):
%% letters same
        answer, solution = answer.lower(), solution.lower()
%%
        accepted = «slash: solution.split("/") | [solution]»
        if answer in accepted:
            score += «reward: 2 | 3 | 4»
            right += 1
            row += 1
%% streak three
            if row == 3:
                score += 5
                row = 0
%%
%% streak four
            if row == 4:
                score += 8
                row = 0
%%
        else:
            row = 0
%% blank wrong
            score -= «penalty: 1 | 2 | 5»
%%
%% blank zero
            if answer != "":
                score -= «penalty: 1 | 2 | 5»
%%
%% blank bonus
            score += 1 if answer == "" else -«penalty: 1 | 2 | 5»
%%
%% floor always
            score = max(score, 0)
%%
%% floor end
    score = max(score, 0)
%%
    return «form: score | [score, right] | f"{score} points"»
""",
    arguments=_arguments,
)
