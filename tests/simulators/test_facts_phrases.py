"""Expressions and conditions in words."""

import ast

import pytest

from colbench.simulators.facts.phrases import Speaker
from colbench.simulators.facts.scope import Scope
from colbench.simulators.facts.words import date_format, humanise, join_words, number_text, ordinal, quote, singular


def speaker_for(body: str, signature: str = "def f(price, weight, items, flag=False)") -> tuple[Speaker, ast.Module]:
    tree = ast.parse(f"{signature}:\n" + "\n".join(f"    {line}" for line in body.splitlines()))
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    return Speaker(Scope.of(function, tree)), tree


def say(expression: str, prefix: str = "") -> str:
    speaker, tree = speaker_for(f"{prefix}\nreturn {expression}")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef) and isinstance(function.body[-1], ast.Return)
    return speaker.say(function.body[-1].value)


def condition(expression: str, negate: bool = False) -> str:
    speaker, tree = speaker_for(f"if {expression}:\n    return 1")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef) and isinstance(function.body[0], ast.If)
    return speaker.condition(function.body[0].test, negate)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("price * 0.9", "the price times 0.9"),
        ("(price + 2) * weight", "(the price plus 2) times the weight"),
        ("price + 2 * weight", "the price plus 2 times the weight"),
        ("price ** 2", "the price squared"),
        ("price ** 0.5", "the square root of the price"),
        ("price // 3", "the price divided by 3 and rounded down"),
        ("round(price / 3, 2)", "the price divided by 3, rounded to 2 decimals"),
        ("round(price)", "the price, rounded to a whole number"),
        ("len(items)", "the number of items"),
        ("sum(items)", "the total of the items"),
        ("max(price, 0)", "the price, but at least 0"),
        ("min(max(price, 1), 9)", "the price, kept between 1 and 9"),
        ("items[0]", "the first entry of the items"),
        ("items[-1]", "the last entry of the items"),
        ("items[:3]", "the first 3 of the items"),
        ("items[1:]", "the items without the first one"),
        ("items[::-1]", "the items in reverse order"),
        ("sorted(items, reverse=True)", "the items sorted highest first"),
        ("[i for i in items if i > 3]", "those of the items where the item is above 3"),
        ("sum(1 for i in items if i > 3)", "the number of items where the item is above 3"),
        ("min(items, key=lambda i: abs(i - price))", "the entry of the items closest to the price"),
        ("'a' if flag else 'b'", "'a' if 'flag' is true, otherwise 'b'"),
        ("price > 3 and weight < 2", "True if the price is above 3 and the weight is below 2, otherwise False"),
        ("f'{price:.2f} EUR'", "the text '(price with 2 decimals) EUR'"),
        ("'-'.join(items)", "the items joined together with '-' in between"),
    ],
)
def test_expressions_are_said_in_words(expression: str, words: str) -> None:
    assert say(expression) == words


@pytest.mark.parametrize(
    ("test", "words", "opposite"),
    [
        ("price > 10", "the price is above 10", "the price is at most 10"),
        ("price >= 10", "the price is at least 10", "the price is below 10"),
        ("10 < price", "the price is above 10", "the price is at most 10"),
        ("price == 'a'", "the price is 'a'", "the price is not 'a'"),
        ("price in ('a', 'b')", "the price is 'a' or 'b'", "the price is none of 'a' and 'b'"),
        ("not weight > 3", "the weight is at most 3", "the weight is above 3"),
        ("len(items) == 0", "the items are empty", "the items are not empty"),
        ("len(items) > 2", "the items have more than 2 entries", "the items have at most 2 entries"),
        ("price % 2 == 0", "the price is even", "the price is odd"),
        ("price % 5 == 0", "the price divides evenly by 5", "the price does not divide evenly by 5"),
        ("price is None", "the price is not given (None)", "the price is given"),
        ("'x' in items", "the items include 'x'", "the items do not include 'x'"),
        ("price > 3 and price < 9", "the price is above 3 and below 9", "the price is at most 3 or at least 9"),
        ("isinstance(price, str)", "the price is a text", "the price is not a text"),
        ("price.lower() == 'a'", "the price is 'a'", "the price is not 'a'"),
        (
            "1 <= price <= 5",
            "the price is between 1 and 5, both included",
            "the price is not between 1 and 5, both included",
        ),
        ("flag", "'flag' is true", "'flag' is false"),
    ],
)
def test_conditions_and_their_opposites(test: str, words: str, opposite: str) -> None:
    assert condition(test) == words
    assert condition(test, negate=True) == opposite


def test_names_numbers_and_texts() -> None:
    assert humanise("num_guests") == "number of guests"
    assert humanise("weight_kg") == "weight in kg"
    assert humanise("maxSpeed") == "maximum speed"
    assert singular("categories") == "category" and singular("boxes") == "box" and singular("glass") == "glass"
    assert number_text(3.0) == "3" and number_text(0.1) == "0.1" and number_text(4e6) == "4000000"
    assert number_text(10**400) == "a huge number"
    assert ordinal(2) == "third" and ordinal(-1) == "last" and ordinal(11) == "number 12"
    assert quote("it's") == '"it\'s"' and quote("") == "an empty text" and quote(" ") == "a space"
    assert quote(r"^\d+\s*$") == "a text pattern"
    assert join_words(["a", "b", "c"], "or") == "a, b or c"
    assert date_format("%Y-%m-%d") == "YYYY-MM-DD" and date_format("plain") is None


def test_deep_nesting_ends_in_a_vague_phrase_instead_of_a_crash() -> None:
    assert "a computed value" in say("(" * 40 + "price" + " + 1) * 2" * 40)
