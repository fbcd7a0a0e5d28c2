"""League tables."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family

_TEAMS = ("Ants", "Bees", "Cats", "Dogs", "Elks")


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    teams = rng.sample(_TEAMS, rng.randint(3, 5))
    matches = []
    for _ in range(rng.randint(4, 8)):
        home, away = rng.sample(teams, 2)
        goals: list[int | None] = [rng.choice((0, 0, 1, 1, 2, 3, 5)), rng.choice((0, 0, 1, 1, 2, 4))]
        if rng.random() < 0.18:
            goals = [None, None]
        matches.append([home, away, *goals])
    return (matches,)


FAMILY = template_family(
    "ranking",
    domain="sports",
    decisions=(
        decision(
            "win",
            "points for a victory",
            "How many points does a victory give?",
            two="A win gives 2 points.",
            three="A win gives 3 points.",
        ),
        decision(
            "draw",
            "a draw without goals",
            "Is a draw without goals special?",
            plain="Each draw gives both teams 1 point.",
            goalless="A draw with goals gives both teams 1 point, a goalless one gives nothing.",
        ),
        decision(
            "tie",
            "tie-break between equals",
            "Which tie-break separates equals?",
            difference="With equal points the better goal difference decides.",
            goals="With equal points the greater number of goals scored decides.",
            away="With equal points the greater number of goals scored away from home decides.",
        ),
        decision(
            "abandoned",
            "abandoned, unfinished matches",
            "What becomes of abandoned, unfinished matches?",
            skip="A match with None as result is treated as never played.",
            nil="A match with None as result is taken as a goalless draw.",
            home="A match with None as result is taken as a 3 to 0 win of the home team.",
        ),
        decision(
            "away_bonus",
            "bonus for guests",
            "Do guests get a bonus?",
            yes="A team that wins away from home gets 1 point more.",
            no="It makes no difference to the points who plays at home.",
        ),
        decision(
            "few",
            "teams with hardly any games",
            "Are teams with hardly any games shown?",
            hide="Teams that played fewer than 2 times are not in the table.",
            show="All teams that played are in the table, even after one match.",
        ),
        decision(
            "top",
            "size of the table",
            "What size should the table have?",
            two="The table ends after the two best.",
            three="The table ends after the three best.",
            all="The table goes down to the last team.",
        ),
        decision(
            "row",
            "contents of each row",
            "What are the contents of each row?",
            name="Each entry of the returned list is just the team's name.",
            points="Each entry of the returned list is a list of name and points.",
            played="Each entry of the returned list is a list of name, matches played and points.",
        ),
    ),
    openings=(
        "I keep the table of a small football league.",
        "Write a function that makes a league table from results, please.",
        "Our league needs its standings calculated.",
    ),
    inputs=(
        "Each match is a list: home team, away team, goals of the home team, goals of the away team; both goals are "
        "None if it was not finished. The team with the most points comes first; if all is equal, it goes by name.",
        "You get a list of matches, each a list of home team, away team, home goals and away goals (both None when not "
        "finished), and return a list, the best team first. When all else is equal, sort by name.",
    ),
    template="""
def league_table(matches):
    stats = {}
    for home, away, home_goals, away_goals in matches:
        if home_goals is None:
%% abandoned skip
            continue
%%
%% abandoned nil
            home_goals, away_goals = 0, 0
%%
%% abandoned home
            home_goals, away_goals = 3, 0
%%
        for team, own, other, guest in ((home, home_goals, away_goals, False), (away, away_goals, home_goals, True)):
            row = stats.setdefault(team, {"points": 0, "played": 0, "tie": 0})
            row["played"] += 1
%% tie difference
            row["tie"] += own - other
%%
%% tie goals
            row["tie"] += own
%%
%% tie away
            if guest:
                row["tie"] += own
%%
            if own > other:
                row["points"] += «win: 2 | 3»
%% away_bonus yes
                if guest:
                    row["points"] += 1
%%
            elif «draw: own == other | own == other > 0»:
                row["points"] += 1
%% few hide
    stats = {team: row for team, row in stats.items() if row["played"] >= 2}
%%
    teams = sorted(stats, key=lambda team: (-stats[team]["points"], -stats[team]["tie"], team))
%% top two
    teams = teams[:2]
%%
%% top three
    teams = teams[:3]
%%
%% row name
    return teams
%%
%% row points
    return [[team, stats[team]["points"]] for team in teams]
%%
%% row played
    return [[team, stats[team]["played"], stats[team]["points"]] for team in teams]
%%
""",
    arguments=_arguments,
)
