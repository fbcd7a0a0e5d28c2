"""Spaces for text of any script.

Gymnasium's own ``Text`` space lists its characters, which cannot be done for Unicode, and gives no shared memory to
a dialogue. Both spaces here are bounded by the size of the UTF-8 encoding, so that a fixed buffer always suffices.

- :class:`UnicodeText`: one message.
- :class:`Messages`: a dialogue, a tuple of ``{"role": ..., "content": ...}``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from multiprocessing import Array
from typing import Any

import numpy as np
from gymnasium import Space
from gymnasium.vector.utils import (
    create_empty_array,
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)

__all__ = ["ROLES", "Messages", "SharedView", "UnicodeText", "decode_messages", "encode_messages", "encode_text"]

ROLES = ("system", "user", "assistant")
_LENGTH = struct.Struct("<Q")
# Ranges drawn from when sampling: Latin, accents, combining marks, Greek, CJK, kana, emoji.
_SAMPLED_RANGES = (
    (0x20, 0x7E),
    (0xA1, 0x17F),
    (0x300, 0x36F),
    (0x391, 0x3C9),
    (0x4E00, 0x9FFF),
    (0x3041, 0x30FE),
    (0x1F300, 0x1F64F),
)


def encode_text(text: str) -> bytes:
    """UTF-8 bytes of any Python string; lone surrogates, which JSON can carry, survive."""
    return text.encode("utf-8", "surrogatepass")


class UnicodeText(Space[str]):
    """All strings whose UTF-8 encoding has at most ``max_bytes`` bytes.

    Args:
        max_bytes: limit of the encoding in bytes.
        seed: seeds :meth:`sample`.

    Example:
        >>> space = UnicodeText(64, seed=0)
        >>> "naïve 日本 🙂" in space
        True
        >>> space.sample() in space
        True
    """

    def __init__(self, max_bytes: int = 65_536, seed: int | np.random.Generator | None = None) -> None:
        if max_bytes < 1:
            raise ValueError(f"max_bytes must be at least 1, actually: {max_bytes}")
        self.max_bytes = int(max_bytes)
        super().__init__(dtype=str, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: text has no fixed-length array form."""
        return False

    def sample(self, mask: None = None, probability: None = None) -> str:
        """A short random string over several scripts."""
        length = int(self.np_random.integers(0, 32))
        text = ""
        for _ in range(length):
            low, high = _SAMPLED_RANGES[int(self.np_random.integers(len(_SAMPLED_RANGES)))]
            text += chr(int(self.np_random.integers(low, high + 1)))
        while len(encode_text(text)) > self.max_bytes:
            text = text[:-1]
        return text

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a string within the limit."""
        return isinstance(x, str) and len(encode_text(x)) <= self.max_bytes

    def __repr__(self) -> str:
        return f"UnicodeText({self.max_bytes})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText) and other.max_bytes == self.max_bytes

    def to_jsonable(self, sample_n: Iterable[str]) -> list[Any]:
        """Strings are JSON already."""
        return list(sample_n)

    def from_jsonable(self, sample_n: list[Any]) -> list[str]:
        """Strings are JSON already."""
        return [str(x) for x in sample_n]


Message = dict[str, str]


class Messages(Space[tuple[Message, ...]]):
    """Chat messages: tuples of ``{"role": "system" | "user" | "assistant", "content": str}``.

    Args:
        max_messages: most messages of one dialogue.
        max_bytes: limit of the encoding of the whole dialogue: its UTF-8 text and 9 bytes a message.
        seed: seeds :meth:`sample`.
    """

    def __init__(
        self, max_messages: int = 32, max_bytes: int = 1_048_576, seed: int | np.random.Generator | None = None
    ) -> None:
        self.max_messages = int(max_messages)
        self.max_bytes = int(max_bytes)
        self._content = UnicodeText(64)
        super().__init__(dtype=None, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: a dialogue has no fixed-length array form."""
        return False

    def seed(self, seed: int | None = None) -> Any:
        """Seed the space and the text it samples from."""
        used = super().seed(seed)
        self._content.seed(int(self.np_random.integers(2**31)))
        return used

    def sample(self, mask: None = None, probability: None = None) -> tuple[Message, ...]:
        """A short dialogue with random text."""
        count = int(self.np_random.integers(1, min(self.max_messages, 5) + 1))
        messages: tuple[Message, ...] = tuple(
            {"role": "assistant" if i % 2 else "user", "content": self._content.sample()} for i in range(count)
        )
        while len(encode_messages(messages)) > self.max_bytes:
            messages = messages[:-1]
        return messages

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a sequence of messages within both limits."""
        if not isinstance(x, tuple | list) or len(x) > self.max_messages:
            return False
        for message in x:
            if not isinstance(message, dict) or set(message) != {"role", "content"}:
                return False
            if message["role"] not in ROLES or not isinstance(message["content"], str):
                return False
        return len(encode_messages(x)) <= self.max_bytes

    def __repr__(self) -> str:
        return f"Messages({self.max_messages}, {self.max_bytes})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Messages)
            and other.max_messages == self.max_messages
            and other.max_bytes == self.max_bytes
        )

    def to_jsonable(self, sample_n: Iterable[tuple[Message, ...]]) -> list[Any]:
        """Lists of lists of messages."""
        return [list(x) for x in sample_n]

    def from_jsonable(self, sample_n: list[Any]) -> list[tuple[Message, ...]]:
        """Inverse of :meth:`to_jsonable`."""
        return [tuple(dict(message) for message in x) for x in sample_n]


def encode_messages(messages: Sequence[Message]) -> bytes:
    """Length-prefixed bytes of a dialogue: 9 bytes a message beside its text, whatever characters it holds."""
    out = bytearray()
    for message in messages:
        content = encode_text(message["content"])
        out += bytes([ROLES.index(message["role"])]) + _LENGTH.pack(len(content)) + content
    return bytes(out)


def decode_messages(blob: bytes) -> tuple[Message, ...]:
    """Inverse of :func:`encode_messages`."""
    messages: list[Message] = []
    at = 0
    while at < len(blob):
        (length,) = _LENGTH.unpack_from(blob, at + 1)
        start = at + 1 + _LENGTH.size
        content = blob[start : start + length].decode("utf-8", "surrogatepass")
        messages.append({"role": ROLES[blob[at]], "content": content})
        at = start + length
    return tuple(messages)


# Shared memory of asynchronous vector environments: one slot per environment, a length and then the bytes.
# An empty slot (all zero) reads as "" or as no messages, which is what a fresh buffer must decode to.


def _slot(space: UnicodeText | Messages) -> int:
    return _LENGTH.size + space.max_bytes


@create_shared_memory.register(UnicodeText)
@create_shared_memory.register(Messages)
def _create(space: UnicodeText | Messages, n: int = 1, ctx: Any = None) -> Any:
    size = n * _slot(space)
    return ctx.Array("B", size) if ctx is not None else Array("B", size)


def _write(space: UnicodeText | Messages, index: int, blob: bytes, shared_memory: Any) -> None:
    if len(blob) > space.max_bytes:
        raise ValueError(f"{len(blob)} bytes do not fit into {space}")
    start = index * _slot(space)
    view = memoryview(shared_memory.get_obj()).cast("B")
    view[start + _LENGTH.size : start + _LENGTH.size + len(blob)] = blob
    view[start : start + _LENGTH.size] = _LENGTH.pack(len(blob))


def _read(space: UnicodeText | Messages, index: int, shared_memory: Any) -> bytes:
    start = index * _slot(space)
    view = memoryview(shared_memory.get_obj()).cast("B")
    (length,) = _LENGTH.unpack(view[start : start + _LENGTH.size])
    return bytes(view[start + _LENGTH.size : start + _LENGTH.size + length])


@write_to_shared_memory.register(UnicodeText)
def _write_text(space: UnicodeText, index: int, value: str, shared_memory: Any) -> None:
    _write(space, index, encode_text(value), shared_memory)


@write_to_shared_memory.register(Messages)
def _write_messages(space: Messages, index: int, value: Sequence[Message], shared_memory: Any) -> None:
    _write(space, index, encode_messages(value), shared_memory)


class SharedView(Sequence[Any]):
    """What all environments hold in shared memory now; a deep copy is a plain tuple.

    ``AsyncVectorEnv`` reads the shared memory once and then relies on the result following it, as a numpy view does;
    text decoded at that moment would stay what it was. It hands out deep copies, so users meet tuples.
    """

    def __init__(self, space: UnicodeText | Messages, shared_memory: Any, n: int) -> None:
        self._space = space
        self._shared_memory = shared_memory
        self._n = n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(self._n)))
        if not -self._n <= index < self._n:
            raise IndexError(index)
        blob = _read(self._space, index % self._n, self._shared_memory)
        return decode_messages(blob) if isinstance(self._space, Messages) else blob.decode("utf-8", "surrogatepass")

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[Any, ...]:
        return tuple(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __repr__(self) -> str:
        return f"SharedView({tuple(self)!r})"


@read_from_shared_memory.register(UnicodeText)
@read_from_shared_memory.register(Messages)
def _read_shared(space: UnicodeText | Messages, shared_memory: Any, n: int = 1) -> SharedView:
    return SharedView(space, shared_memory, n)


@create_empty_array.register(UnicodeText)
def _empty_text(space: UnicodeText, n: int = 1, fn: Any = np.zeros) -> tuple[str, ...]:
    return tuple("" for _ in range(n))


@create_empty_array.register(Messages)
def _empty_messages(space: Messages, n: int = 1, fn: Any = np.zeros) -> tuple[tuple[Message, ...], ...]:
    return tuple(() for _ in range(n))
