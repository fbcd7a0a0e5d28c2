"""Reading settings from a line of text."""

from __future__ import annotations

import random
from typing import Any

from colbench.tasks.procedural.family import decision, template_family

_NAMES = ("Mode", "mode", "Size", "size", "color", "Color", "depth")
_VALUES = ("12", "7", "dark", "Very Big", "3 4", "auto", "x2", "080")


def _arguments(rng: random.Random) -> tuple[Any, ...]:
    text = ""
    for _ in range(rng.randint(4, 8)):
        name, value = rng.choice(_NAMES), rng.choice(_VALUES)
        part = rng.choice((f"{name}={value}", f"{name}:{value}", f"{name} = {value}", f" {name}: {value} ", name))
        if rng.random() < 0.25:
            part = rng.choice(("#", "# ")) + part if rng.random() < 0.5 else part + " #old"
        text += part + rng.choice((";", ",", "\n", "; ", ", "))
    return (text[:-1],)


FAMILY = template_family(
    "parsing",
    domain="text formats",
    decisions=(
        decision(
            "separator",
            "separator between entries",
            "Which separator stands between entries?",
            semicolon="Entries are separated by semicolons.",
            comma="Entries are separated by commas.",
            newline="Each entry is on a line of its own, separated by line breaks only.",
        ),
        decision(
            "assign",
            "sign joining name and value",
            "What sign joins a name and its value?",
            equals="The first equals sign of an entry parts its name from its value.",
            colon="The first colon of an entry parts its name from its value.",
        ),
        decision(
            "duplicates",
            "settings that occur twice",
            "What if a setting occurs twice?",
            first="If a setting occurs again, the first one stays.",
            last="If a setting occurs again, the last one wins.",
            join="If a setting occurs again, its new text is added to the old one with a plus in between.",
        ),
        decision(
            "letters",
            "upper and lower case",
            "Do I change upper and lower case?",
            lower="Names are turned to lower case, values stay as they are.",
            upper="Names are turned to upper case, values stay as they are.",
            keep="Upper and lower case are kept, so differently written names are different settings.",
        ),
        decision(
            "numbers",
            "digits converted to integers",
            "Should digits be converted to integers?",
            convert="In the end, values that consist of digits only become whole numbers.",
            text="Values always remain text, even if they are all digits.",
        ),
        decision(
            "comments",
            "comments with a hash",
            "Are there comments, marked with a hash?",
            whole="An entry that begins with a hash is a comment and is left out; a hash further on is normal text.",
            rest="Whatever follows a hash within an entry is cut off, the hash too.",
            none="There are no comments, a hash is a normal character.",
        ),
        decision(
            "missing",
            "bare, lonely words",
            "What about bare, lonely words?",
            skip="An entry that gives no value at all is left out.",
            empty="An entry that gives no value at all gets an empty text.",
            on="An entry that gives no value at all gets the text 'on'.",
        ),
        decision(
            "blanks",
            "spaces",
            "Which spaces are removed?",
            ends="Spaces are removed from both ends of entries, names and values only.",
            all="All spaces are removed, even those in the middle of a value.",
        ),
    ),
    openings=(
        "I need a reader for the little configuration strings of our devices.",
        "Please write a function that reads settings from a string.",
        "We keep options in text form and I want to load them.",
    ),
    inputs=(
        "It takes the text and returns a dictionary from the name of each setting to its value. Entries that are "
        "empty are left out.",
        "Given the text, give me back a dictionary of names and values. Forget about empty entries.",
    ),
    template="""
def read_settings(text):
    settings = {}
    for entry in text.split(«separator: ";" | "," | "\\n"»):
%% comments rest
        entry = entry.split("#")[0]
%%
        entry = «blanks: entry.strip(" ") | entry.replace(" ", "")»
        if not entry:
            continue
%% comments whole
        if entry.startswith("#"):
            continue
%%
        name, found, value = entry.partition(«assign: "=" | ":"»)
        name = name.strip(" ")
%% letters lower
        name = name.lower()
%%
%% letters upper
        name = name.upper()
%%
        value = value.strip(" ")
%% missing skip
        if not found:
            continue
%%
%% missing on
        if not found:
            value = "on"
%%
%% duplicates first
        if name in settings:
            continue
%%
%% duplicates join
        if name in settings:
            value = settings[name] + "+" + value
%%
        settings[name] = value
%% numbers convert
    for name, value in settings.items():
        if value.isdigit():
            settings[name] = int(value)
%%
    return settings
""",
    arguments=_arguments,
)
