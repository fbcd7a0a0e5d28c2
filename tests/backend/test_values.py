"""Values from the sandbox: what round-trips, what is equal, and that hostile bytes cost little."""

from __future__ import annotations

import collections
import datetime as dt
import math
import struct
import time
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colbench.backend.sandbox import worker
from colbench.backend.values import MalformedValueError, Value

ENCODER = worker._Encoder(1 << 22, 200_000)


def encode(value: Any) -> Value:
    return Value(ENCODER.encode(value))


def same(a: Any, b: Any, grading: str = "strict") -> bool:
    forward, backward = encode(a).equal(encode(b), grading), encode(b).equal(encode(a), grading)
    assert forward == backward
    return forward


UTC = dt.UTC
EQUAL = [
    (1, 1.0),
    (True, 1),
    (0.1 + 0.2, 0.3),
    (float("nan"), float("nan")),
    (float("inf"), float("inf")),
    (-0.0, 0.0),
    (10**400, 10**400),
    (2.5, Decimal("2.5")),
    (Fraction(1, 4), 0.25),
    (Fraction(1, 4), Decimal("0.25")),
    (1 + 0j, 1),
    ([0.1 + 0.2, {"a": (1, None)}], [0.3, {"a": (1.0, None)}]),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    (collections.Counter("aab"), {"a": 2, "b": 1}),
    (collections.Counter(a=1, b=0), collections.Counter(a=1)),
    (collections.OrderedDict(a=1, b=2), {"b": 2, "a": 1}),
    (collections.defaultdict(list, {1: [2]}), {1: [2]}),
    ({1, 2, 3}, frozenset((3, 2, 1.0))),
    ({0.1 + 0.2, 5}, {5, 0.3}),
    ({(0.1 + 0.2, "a"): 1}, {(0.3, "a"): 1}),
    (b"ab", bytearray(b"ab")),
    (range(0, 5, 2), range(0, 6, 2)),
    ({"x": 1}.keys(), {"x"}),
    (dt.datetime(2024, 1, 1, 12, tzinfo=UTC), dt.datetime(2024, 1, 1, 14, tzinfo=dt.timezone(dt.timedelta(hours=2)))),
    (dt.timedelta(days=1), dt.timedelta(hours=24)),
    (np.float64(1.5), 1.5),
    (np.int32(3), 3),
    (np.array([1.0, np.nan]), np.array([1.0, np.nan])),
    (np.array([1, 2], dtype="i4"), np.array([1, 2], dtype="i8")),
    (np.array(["a", "bc"]), np.array(["a", "bc"])),
    (collections.namedtuple("P", "x y")(1, 2), (1, 2)),
    ("\ud800", "\ud800"),
]
DIFFERENT = [
    ([1], (1,)),
    (1, "1"),
    (None, 0),
    (None, False),
    ("a", b"a"),
    (1.0, 1.0000001),
    ({1: 2}, {1: 3}),
    ({1: 2}, {1: 2, 3: 4}),
    ([1, 2], [1, 2, 3]),
    (collections.OrderedDict(a=1, b=2), collections.OrderedDict(b=2, a=1)),
    (float("inf"), float("-inf")),
    (10**400, float("inf")),
    (float("nan"), 1.0),
    (Decimal("1e999999"), 10),
    (dt.date(2024, 1, 1), dt.datetime(2024, 1, 1)),
    (dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=UTC)),
    (np.array([1, 2]), np.array([1.0, 2.0])),
    (np.array([[1, 2]]), np.array([1, 2])),
    (np.array([1, 2]), [1, 2]),
    (collections.deque([1]), [1]),
    (set(), {}),
]


@pytest.mark.parametrize(("a", "b"), EQUAL)
def test_strictly_equal(a: Any, b: Any) -> None:
    assert same(a, b)


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_strictly_different(a: Any, b: Any) -> None:
    assert not same(a, b)


def test_paper_comparison_is_plain_python() -> None:
    for a, b in [(1, 1.0), (True, 1), (3.5, Decimal("3.5")), ({"a": 1}, collections.Counter("a")), ("x", "x")]:
        assert same(a, b, "paper")
    for a, b in [(0.1 + 0.2, 0.3), (None, None), (float("nan"), float("nan")), ([math.nan], [math.nan])]:
        assert not same(a, b, "paper")
    # An array's ``==`` has a truth value only when it holds one element.
    assert not same(np.array([1, 2]), np.array([1, 2]), "paper")
    assert same(np.array([1]), np.array([1.0]), "paper")
    assert same(np.array([4]), 4, "paper")


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.complex_numbers()
    | st.decimals()
    | st.fractions()
    | st.dates()
    | st.datetimes(timezones=st.none() | st.just(UTC))
    | st.times()
    | st.timedeltas()
    | st.uuids()
)
keys = st.booleans() | st.integers() | st.text(max_size=5) | st.tuples(st.integers(), st.text(max_size=3))
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.tuples(inner, inner)
        | st.dictionaries(keys, inner, max_size=5)
        | st.sets(keys, max_size=5)
    ),
    max_leaves=20,
)


@given(values)
@settings(max_examples=300, deadline=None)
def test_every_value_equals_itself_and_decodes(value: Any) -> None:
    one, other = encode(value), encode(value)
    assert one.tree is not None or one.is_none
    assert one.equal(other)
    assert isinstance(one.text, str)


@given(values, values)
@settings(max_examples=300, deadline=None)
def test_what_python_calls_equal_is_equal(a: Any, b: Any) -> None:
    try:
        plain = bool(a == b)
    except Exception:
        return
    if plain:
        assert same(a, b)


@given(st.binary(max_size=200))
@settings(max_examples=500, deadline=None)
def test_any_bytes_are_a_value_or_malformed(data: bytes) -> None:
    try:
        Value(data).tree  # noqa: B018
    except MalformedValueError:
        pass
    assert encode(12345).equal(Value(data)) in (True, False)


def test_forged_bytes_equal_nothing() -> None:
    good = encode([1, 2, 3])
    for forged in (b"", b"l", b"l\xff\xff\xff\xff", good.raw + b"n", good.raw[:-1], b"z", b"i\0\0\0\0", b"A9\xff"):
        assert not good.equal(Value(forged))
        with pytest.raises(MalformedValueError):
            Value(forged).tree  # noqa: B018


def opaque(value: Any) -> str:
    with pytest.raises(worker._Opaque) as caught:
        ENCODER.encode(value)
    return str(caught.value)


def test_what_is_not_exactly_of_a_known_type_is_opaque() -> None:
    class Always(int):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = int.__hash__

    class Text(str):
        pass

    assert opaque(Always(7)) == "Always"
    assert opaque([1, Text("x")]) == "Text"
    assert opaque(object()) == "object"
    assert "function" in opaque(len)
    assert "generator" in opaque(x for x in ())
    loop: list[Any] = []
    loop.append(loop)
    assert "deeply" in opaque(loop)
    assert "large" in opaque("x" * (5 << 20))
    assert "parts" in opaque(list(range(250_000)))
    assert "int of more" in opaque(1 << 600_000)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert "deeply" in opaque(deep)


def test_colliding_keys_cost_the_host_little() -> None:
    prime = (1 << 61) - 1
    count = 30_000
    items = b"".join(worker._int(prime * (n + 1)) + worker._int(n) for n in range(count))
    raw = b"d" + struct.pack(">I", count) + items
    shifted = b"d" + struct.pack(">I", count) + items[len(items) // 2 :] + items[: len(items) // 2]
    started = time.perf_counter()
    assert not Value(raw).equal(encode({1: 2}))
    Value(raw).equal(Value(shifted))
    as_set = Value(b"S" + struct.pack(">I", count) + b"".join(worker._int(prime * n) for n in range(count)))
    assert not as_set.equal(Value(raw))
    assert time.perf_counter() - started < 10


def test_a_huge_forgery_is_refused_unread() -> None:
    huge = Value(b"l" + struct.pack(">I", 1_000_000) + b"n" * 1_000_000)
    assert not encode([1, 2]).equal(huge)
    assert "tree" not in huge.__dict__


def test_repr_shows_no_value() -> None:
    assert "secret" not in repr(encode("secret"))
    assert encode({"b": {2, 1}, "a": (1,)}).text == "{'a': (1,), 'b': {1, 2}}"
    assert encode(uuid.UUID(int=5)).text == "UUID('00000000-0000-0000-0000-000000000005')"
