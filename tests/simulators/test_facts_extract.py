"""Facts of whole references: what they say, what they never say, and what odd sources do."""

import ast
import time
from pathlib import Path

import pytest

from colbench.simulators.facts import facts_of, read_reference
from colbench.simulators.facts.extract import _CACHE_SIZE, _cache
from colbench.simulators.facts.model import numbers_in, quoted_in

PARCELS = '''
def parcel_price(parcels, country, express=False):
    """Prices."""
    if not parcels:
        return 0
    rates = {"home": 4, "near": 7.5, "far": 12}
    total = 0
    for parcel in parcels:
        weight = parcel["weight"]
        if weight <= 0:
            continue
        price = rates.get(country.lower(), 20)
        if weight > 10:
            price *= 1.5
        elif weight >= 5:
            price += 2
        total += price
    if express:
        total = total * 1.2
    return round(total, 2)
'''


def texts(source: str, name: str | None = None) -> list[str]:
    return [fact.text for fact in read_reference(source, name).facts]


def test_a_reference_is_told_in_plain_words() -> None:
    said = texts(PARCELS, "parcel_price")
    for expected in (
        "the parcels are a list of records, each with 'weight'",
        "'express' is true or false",
        "if not given, 'express' is False",
        "the rates are 4 for 'home', 7.5 for 'near' and 12 for 'far'",
        "if the parcels are empty, the result is 0",
        "if the weight is at most 0, the parcel is skipped",
        "the price is the rate for the country (20 if missing)",
        "if the weight is above 10, the price is multiplied by 1.5; if at least 5, goes up by 2",
        "if 'express' is true, the total is first multiplied by 1.2",
        "the result is the total, rounded to 2 decimals",
        "upper and lower case make no difference",
    ):
        assert expected in said


def test_topics_and_tokens_belong_to_the_text() -> None:
    sheet = read_reference(PARCELS, "parcel_price")
    rates = next(f for f in sheet.facts if f.text.startswith("the rates"))
    assert rates.numbers == {4.0, 7.5, 12.0} and rates.quoted == {"home", "near", "far"}
    assert {"table", "options", "factor"} <= rates.topics
    empty = next(f for f in sheet.facts if f.text.startswith("if the parcels are empty"))
    assert "edge" in empty.topics and "result" in empty.topics
    (note,) = sheet.traits.pop("rounding")  # type: ignore[misc]
    assert (note.subject, note.digits, note.final) == ("the result", 2, True)
    assert sheet.traits == {"direction": None, "sorts": False, "ignores_case": True, "result": "number"}
    assert sheet.keys == {"home", "near", "far", "weight"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "def f(age):\n    if age < 5:\n        return 'a'\n    elif age < 18:\n        return 'b'\n    return 'c'",
            "if the age is below 5, the result is 'a'; if below 18, 'b'; otherwise 'c'",
        ),
        (
            "def f(a, b):\n    if a > 3 and b == 'x':\n        return True\n    return False",
            "the result is True if a is above 3 and b is 'x', otherwise False",
        ),
        (
            "def f(rows):\n    return sorted(rows, key=lambda r: -r['score'])",
            "the result is the rows sorted by 'score', highest first",
        ),
        (
            "def f(seats, kind):\n    return [s for s in seats if s['kind'] == kind]",
            "the result is those of the seats where the 'kind' is the kind",
        ),
        (
            "def f(x):\n    if x is None:\n        raise ValueError('no x')\n    return x",
            "if x is not given (None), an error is raised saying 'no x'",
        ),
        (
            "def f(score):\n    hot = score > 30\n    return 'h' if hot else 'c'",
            "it counts as hot if the score is above 30",
        ),
        (
            "def f(n):\n    match n:\n        case 'a' | 'b':\n            return 1\n"
            "        case _:\n            return 0",
            "the result is 1 if n is 'a' or 'b', otherwise 0",
        ),
        (
            "def f(pairs):\n    return [a for a, count in pairs if count > 2]",
            "the pairs are a list; each pair is a list or tuple of the first part of the pair and the count",
        ),
        (
            "def f(x):\n    return {'low': x, 'high': x * 2}",
            "the result is a dictionary with 'low' (x) and 'high' (x times 2)",
        ),
        (
            "def f(words):\n    out = {}\n    for word in words:\n"
            "        out[word] = out.get(word, 0) + 1\n    return out",
            "each word is counted",
        ),
        (
            "LIMITS = {'a': 3}\ndef f(x):\n    return LIMITS[x]",
            "the limits are 3 for 'a'",
        ),
        (
            "def half(x):\n    return x / 2\ndef g(x):\n    if x > 7:\n        return half(x)\n    return 0",
            "the result is x divided by 2 if x is above 7, otherwise 0",
        ),
    ],
)  # fmt: skip
def test_constructs(source: str, expected: str) -> None:
    name = "g" if "def g" in source else "f"
    assert expected in texts(source, name)


def test_no_fact_holds_a_line_of_its_reference_or_an_operator() -> None:
    library = Path(ast.__file__).parent
    marks = ("==", "!=", "`", "lambda ", "->", "+=")
    count = 0
    for module in ("textwrap", "statistics", "calendar", "bisect", "fractions", "colorsys", "shlex"):
        tree = ast.parse((library / f"{module}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef):
                continue
            source = ast.unparse(node)
            lines = [" ".join(line.split()) for line in source.splitlines()]
            lines = [line for line in lines if len(line) >= 8 and " " in line and not line.startswith(("'", '"'))]
            for fact in read_reference(source, node.name).facts:
                count += 1
                bare = fact.text
                for quoted in quoted_in(bare):
                    bare = bare.replace(quoted, "")
                assert not any(mark in bare for mark in marks), fact.text
                assert not any(line in fact.text for line in lines), fact.text
                assert len(fact.text) <= 350
    assert count > 500


@pytest.mark.parametrize(
    "source",
    [
        "",
        "# nothing here",
        "x = 3",
        "def f(x:\n  return x['price'] >= 10",
        "def f(x):\n    return '\0'",
        "def f(x):\n    return '\ud800'",
        "def f(größe, 名前):\n    return größe * 2.5 if 名前 == '猫🐈' else größe",
        "class A:\n    def f(self, x):\n        return x * 3",
        "async def f(x):\n    async for y in x:\n        yield y",
        "def f(x):\n    return x * " + "9" * 4000,
        "def f(x):\n    return x * 1e400 + 3j",
        "def f(*args, **kw):\n    global q\n    return (yield)",
    ],
)
def test_odd_sources_do_not_break_it(source: str) -> None:
    sheet = read_reference(source, "f")
    assert all(fact.text for fact in sheet.facts)


def test_a_reference_that_does_not_parse_gives_what_can_be_picked_out() -> None:
    sheet = read_reference("def f(x:\n  if x['price'] >= 10 and kind == 'big'", "f")
    assert not sheet.parsed
    said = [f.text for f in sheet.facts]
    assert "it reads 'price'" in said and "it looks for 'big'" in said


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n" + "".join(f"    if x > {i}:\n        return 'word{i}'\n" for i in range(3000)),
        "def f(x):\n    if x == 0:\n        return 1\n"
        + "".join(f"    elif x == 'w{i}':\n        return {i}\n" for i in range(700)),
        "def f(x):\n    return " + "+".join("x" for _ in range(20000)),
        "def f(x):\n    return " + "(" * 150 + "x" + ")" * 150,
        "def f(x):\n" + "".join("    " * (i + 1) + f"if x > {i}:\n" for i in range(90)) + "    " * 92 + "return 1\n",
        "def f(x):\n    d = {" + ",".join(f"'k{i}': {i}" for i in range(4000)) + "}\n    return d[x]",
        "def f(x):\n    return " + " and ".join(f"x != {i}" for i in range(3000)),
        "def f(x):\n    return '" + "word " * 30000 + "'",
    ],
)  # fmt: skip
def test_huge_references_take_bounded_time(source: str) -> None:
    start = time.process_time()
    sheet = read_reference(source, "f")
    assert time.process_time() - start < 10
    assert len(sheet.facts) <= 500


def test_facts_are_remembered_per_source_within_a_limit() -> None:
    first = facts_of(PARCELS, "parcel_price")
    assert facts_of(PARCELS, "parcel_price") is first
    assert facts_of(PARCELS, "other") is not first
    for number in range(_CACHE_SIZE + 5):
        facts_of(f"def f(x):\n    return x + {number + 2}", "f")
    assert len(_cache) == _CACHE_SIZE


def test_numbers_and_quotes_are_read_off_a_text() -> None:
    assert numbers_in("above 10, 0.5 and -3, but not 'a 7' nor x9") == {10.0, 0.5, -3.0}
    assert quoted_in("'a', \"b's\" and 'don't'") == ("a", "b's", "don't")
