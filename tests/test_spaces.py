"""Unicode spaces: membership, sampling, JSON, and shared memory."""

import copy
import multiprocessing as mp

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector.utils import (
    batch_space,
    create_empty_array,
    create_shared_memory,
    iterate,
    read_from_shared_memory,
    write_to_shared_memory,
)
from hypothesis import given
from hypothesis import strategies as st

from colbench.spaces import Messages, UnicodeText, decode_messages, encode_messages

ODD_TEXTS = ["", "naïve", "日本語のテキスト", "🙂👩‍👩‍👧", "e\u0301", '\x00\x01"\\', "\ud800", "a" * 60]


def test_membership_is_by_encoded_size():
    space = UnicodeText(8)
    assert "12345678" in space
    assert "123456789" not in space
    assert "日本" in space
    assert "日本語" not in space
    assert 3 not in space
    assert space == UnicodeText(8) != UnicodeText(9)
    with pytest.raises(ValueError, match="max_bytes must be at least 1, actually: 0"):
        UnicodeText(0)


def test_samples_belong_and_are_seeded():
    for space in (UnicodeText(40), Messages(5, 200)):
        space.seed(3)
        first = [space.sample() for _ in range(30)]
        assert all(x in space for x in first)
        space.seed(3)
        assert [space.sample() for _ in range(30)] == first
        assert len({repr(x) for x in first}) > 20
        assert space.from_jsonable(space.to_jsonable(first)) == first


def test_messages_membership():
    space = Messages(2, 64)
    good = ({"role": "user", "content": "hi"},)
    assert good in space
    assert list(good) in space
    for bad in (
        "hi",
        good * 3,
        ({"role": "robot", "content": "hi"},),
        ({"role": "user", "content": 3},),
        ({"role": "user"},),
        ({"role": "user", "content": "x" * 100},),
    ):
        assert bad not in space


@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), st.text()), max_size=6))
def test_dialogue_encoding_round_trip(pairs):
    messages = tuple({"role": role, "content": content} for role, content in pairs)
    blob = encode_messages(messages)
    assert decode_messages(blob) == messages
    assert len(blob) == sum(9 + len(c.encode()) for _, c in pairs)


def test_shared_memory_keeps_every_character():
    space = spaces.Dict({"m": Messages(9, 4096), "t": UnicodeText(256)})
    shared = create_shared_memory(space, n=2, ctx=mp)
    seen = read_from_shared_memory(space, shared, n=2)
    assert seen["m"] == ((), ())
    assert seen["t"] == ("", "")
    first = {"m": tuple({"role": "user", "content": t} for t in ODD_TEXTS), "t": "🙂"}
    second = {"m": ({"role": "assistant", "content": "x"},), "t": "\ud800é"}
    write_to_shared_memory(space, 0, first, shared)
    write_to_shared_memory(space, 1, second, shared)
    # The view follows the memory; a deep copy does not.
    assert seen["m"] == (first["m"], second["m"])
    assert seen["t"] == (first["t"], second["t"])
    kept = copy.deepcopy(seen)
    assert isinstance(kept["m"], tuple)
    write_to_shared_memory(space, 0, {"m": (), "t": "later"}, shared)
    assert kept["t"][0] == "🙂"
    assert seen["t"][0] == seen["t"][-2] == "later"
    assert seen["t"][:1] == ("later",)
    with pytest.raises(ValueError, match="do not fit"):
        write_to_shared_memory(space, 0, {"m": (), "t": "x" * 300}, shared)


def test_batching_functions():
    text = UnicodeText(16)
    batched = batch_space(text, 3)
    assert ("a", "b", "c") in batched
    assert list(iterate(batched, ("a", "b", "c"))) == ["a", "b", "c"]
    assert create_empty_array(text, 2) == ("", "")
    assert create_empty_array(Messages(), 2) == ((), ())
    assert isinstance(batch_space(spaces.Discrete(3), 2).sample(), np.ndarray)
