"""Bytes from the sandbox to a tree of tags and plain scalars, in bounded time and without executing anything."""

from __future__ import annotations

import datetime as dt
import math
import struct
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

__all__ = ["MAX_DIGITS", "MalformedValueError", "Node", "decode"]

MAX_DEPTH: Final = 120
MAX_DIGITS: Final = 4096
"""Longer numbers are compared with their own kind only: conversions take quadratic time."""

_U32 = struct.Struct(">I")
_F64 = struct.Struct(">d")


class MalformedValueError(ValueError):
    """The bytes are not an encoded value; an answer forged them."""


class Node:
    """A container, or a scalar that Python's own ``==`` should not judge.

    Attributes:
        tag: one letter: ``l`` list, ``t`` tuple, ``q`` deque, ``S``/``Z`` set and frozenset, ``d`` dict, ``O``
            OrderedDict, ``C`` Counter, ``A`` array, ``r`` range.
        items: the elements; for mappings keys and values in turn; for arrays ``(kind, shape, data)``.
    """

    __slots__ = ("items", "tag")

    def __init__(self, tag: str, items: tuple[Any, ...]) -> None:
        self.tag = tag
        self.items = items


def decode(raw: bytes) -> Any:
    """The value's tree: a plain scalar or a node.

    Raises:
        MalformedValueError: the bytes are no encoded value.
    """
    reader = _Reader(raw)
    try:
        tree = reader.read(0)
    except (struct.error, ValueError, TypeError, IndexError, ArithmeticError, RecursionError) as error:
        raise MalformedValueError(f"malformed value of {len(raw)} bytes: {type(error).__name__}") from error
    if reader.at != len(raw):
        raise MalformedValueError(f"{len(raw) - reader.at} bytes after the end of a value")
    return tree


class _Reader:
    """Turns encoded bytes into a tree."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 0

    def take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self.raw):
            raise ValueError("truncated")
        data = self.raw[self.at : end]
        self.at = end
        return data

    def count(self) -> int:
        return int(_U32.unpack(self.take(4))[0])

    def sized(self) -> bytes:
        return self.take(self.count())

    def integer(self) -> int:
        if self.take(1) != b"i":
            raise ValueError("an int was expected")
        return self._int()

    def _int(self) -> int:
        data = self.sized()
        if not data or len(data) > 65536:
            raise ValueError("bad length of an int")
        return int.from_bytes(data, "big", signed=True)

    def read(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise ValueError("too deep")
        tag = chr(self.take(1)[0])
        if tag == "i":
            return self._int()
        if tag == "f":
            return float(_F64.unpack(self.take(8))[0])
        if tag == "s":
            return self.sized().decode("utf-8", "surrogatepass")
        if tag in "ltqSZ":
            count = self._checked_count(1)
            return Node(tag, tuple(self.read(depth + 1) for _ in range(count)))
        if tag in "dOC":
            count = self._checked_count(2)
            return Node(tag, tuple(self.read(depth + 1) for _ in range(2 * count)))
        if tag in "nTF":
            return {"n": None, "T": True, "F": False}[tag]
        return self._rare(tag, depth)

    def _checked_count(self, least: int) -> int:
        # Every element takes at least one byte, so a count beyond the rest of the bytes is a lie.
        count = self.count()
        if count * least > len(self.raw) - self.at:
            raise ValueError("count beyond the end")
        return count

    def _rare(self, tag: str, depth: int) -> Any:
        if tag == "c":
            return complex(*struct.unpack(">2d", self.take(16)))
        if tag == "b":
            return self.sized()
        if tag == "B":
            return bytearray(self.sized())
        if tag == "r":
            return Node("r", (self.integer(), self.integer(), self.integer()))
        if tag == "D":
            data = self.sized()
            if len(data) > MAX_DIGITS:
                raise ValueError("decimal too long")
            return Decimal(data.decode("ascii"))
        if tag == "Q":
            parts = self.integer(), self.integer()
            if max(part.bit_length() for part in parts) > 8 * MAX_DIGITS:
                # Reducing a fraction takes quadratic time.
                raise ValueError("fraction too long")
            return Fraction(*parts)
        if tag == "y":
            return dt.date(*struct.unpack(">3i", self.take(12)))
        if tag == "Y":
            *fields, fold = struct.unpack(">7iB", self.take(29))
            return dt.datetime(*fields, tzinfo=self._zone(), fold=fold)  # type: ignore[misc]
        if tag == "h":
            *fields, fold = struct.unpack(">4iB", self.take(17))
            return dt.time(*fields, tzinfo=self._zone(), fold=fold)  # type: ignore[misc]
        if tag == "e":
            return dt.timedelta(*struct.unpack(">3q", self.take(24)))
        if tag == "u":
            return uuid.UUID(bytes=self.take(16))
        if tag == "A":
            return self._array(depth)
        raise ValueError(f"unknown tag {tag!r}")

    def _zone(self) -> dt.timezone | None:
        tag = self.take(1)
        if tag == b"n":
            return None
        if tag != b"e":
            raise ValueError("bad zone")
        return dt.timezone(dt.timedelta(*struct.unpack(">3q", self.take(24))))

    def _array(self, depth: int) -> Node:
        kind = chr(self.take(1)[0])
        shape = tuple(self.count() for _ in range(self.take(1)[0]))
        size = math.prod(shape)
        if kind in "mM":
            unit = self.read(depth + 1)
            return Node("A", (f"{kind} {unit}"[:32], shape, self.take(8 * size)))
        if kind in "biufc":
            width = {"b": 1, "c": 16}.get(kind, 8)
            return Node("A", (kind, shape, self.take(width * size)))
        if kind in "OUS":
            if size > len(self.raw) - self.at:
                raise ValueError("count beyond the end")
            return Node("A", (kind, shape, tuple(self.read(depth + 1) for _ in range(size))))
        raise ValueError("bad array")
