"""Values that came out of the sandbox: decoded without executing anything, and compared.

A candidate returns bytes, never objects. They are decoded into a small tree of tags and plain Python scalars, so no
``__eq__``, no pickle and no class of the candidate's ever runs here, and the cost of decoding and of comparing is
bounded whatever the bytes say: dicts and sets are matched by canonical byte strings, not by the elements' own hashes,
which an answer could choose to collide.
"""

from __future__ import annotations

import datetime as dt
import math
import struct
import uuid
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Literal

from colbench.backend.outcomes import CallStatus, GradingMode

__all__ = ["Evaluation", "MalformedValueError", "Value"]

RELATIVE: Final = 1e-9
ABSOLUTE: Final = 1e-12
MAX_DEPTH: Final = 120
_LOOSE_KEYS: Final = 32
# Longer numbers are compared with their own kind only: conversions take quadratic time.
_MAX_DIGITS: Final = 4096
_MAX_EXPONENT: Final = 400

_U32 = struct.Struct(">I")
_F64 = struct.Struct(">d")
_NUMBERS = (bool, int, float, complex, Decimal, Fraction)


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


class Value:
    """One returned value.

    Args:
        raw: the encoded bytes.

    Two values can be compared with :meth:`equal`; ``==`` on ``Value`` itself compares the encoded bytes.
    """

    __slots__ = ("__dict__", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        # A reference's value is hidden from agents, so a repr that ends up in a log must not show it.
        return f"Value(<{len(self.raw)} bytes>)"

    @cached_property
    def tree(self) -> Any:
        """The decoded value: a scalar or a node.

        Raises:
            MalformedValueError: the bytes are no encoded value.
        """
        reader = _Reader(self.raw)
        try:
            tree = reader.read(0)
        except (struct.error, ValueError, TypeError, IndexError, ArithmeticError, RecursionError) as error:
            raise MalformedValueError(f"malformed value of {len(self.raw)} bytes: {type(error).__name__}") from error
        if reader.at != len(self.raw):
            raise MalformedValueError(f"{len(self.raw) - reader.at} bytes after the end of a value")
        return tree

    @cached_property
    def has_nan(self) -> bool:
        """Whether a NaN is anywhere inside."""
        return _has_nan(self.tree)

    @property
    def is_none(self) -> bool:
        """Whether the value is ``None``."""
        return self.raw == b"n"

    @property
    def text(self) -> str:
        """A readable, canonical form: the order of sets and dicts and the kind of mapping do not show."""
        return _text(self.tree)

    def equal(self, other: Value, grading: str = "strict") -> bool:
        """Whether a candidate's value counts as this one.

        Args:
            other: the candidate's value. Malformed bytes equal nothing.
            grading: ``strict`` (floats to relative 1e-9 or absolute 1e-12, NaN equals NaN) or ``paper`` (plain
                Python ``==``, and ``None`` never counts).
        """
        if grading == "paper":
            if self.is_none or other.is_none:
                return False
            if self.raw == other.raw and not self.has_nan and not _is_array(self.tree):
                return True
        elif self.raw == other.raw:
            return True
        # No value is 64 times longer than an equal one, so a huge forgery is refused without being read.
        if len(other.raw) > 64 * len(self.raw) + 4096:
            return False
        try:
            mine, theirs = self.tree, other.tree
            if grading == "paper":
                return _truth(mine, theirs)
            return _equal(mine, theirs, loose=True)
        except Exception:
            # Malformed bytes, numbers that raise when compared, dates that leave the calendar: all forged or odd
            # enough to equal nothing, and none may take the host down.
            return False


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one call of one source gave.

    Attributes:
        status: ``value``, or the call status it ended with.
        detail: type of the exception or of the opaque value, or a reason.
        value: the returned value, for ``value``.
    """

    status: CallStatus | Literal["value"]
    detail: str | None = None
    value: Value | None = None

    def equal(self, other: Evaluation, grading: GradingMode = "strict") -> bool:
        """Whether both returned a value and the values are equal."""
        return self.value is not None and other.value is not None and self.value.equal(other.value, grading)

    @property
    def is_none(self) -> bool:
        """Whether the call returned ``None``."""
        return self.value is not None and self.value.is_none


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
            if len(data) > _MAX_DIGITS:
                raise ValueError("decimal too long")
            return Decimal(data.decode("ascii"))
        if tag == "Q":
            parts = self.integer(), self.integer()
            if max(part.bit_length() for part in parts) > 8 * _MAX_DIGITS:
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


def _has_nan(tree: Any) -> bool:
    if isinstance(tree, Node):
        if tree.tag == "A":
            kind, _, data = tree.items
            if kind in "fc":
                return bool(_numpy_isnan(data))
            return not isinstance(data, bytes) and any(_has_nan(item) for item in data)
        return any(_has_nan(item) for item in tree.items)
    return _is_nan(tree)


def _numpy_isnan(data: bytes) -> bool:
    import numpy as np

    return bool(np.isnan(np.frombuffer(data, ">f8")).any())


def _is_nan(value: Any) -> bool:
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, complex):
        return math.isnan(value.real) or math.isnan(value.imag)
    return isinstance(value, Decimal) and value.is_nan()


def _is_array(tree: Any) -> bool:
    return isinstance(tree, Node) and tree.tag == "A"


def _truth(mine: Any, theirs: Any) -> bool:
    """What ``if mine == theirs`` would do in Python, an exception counting as no."""
    if _is_array(mine) or _is_array(theirs):
        # ``==`` gives an array of booleans, which has a truth value only when it holds exactly one.
        left, right = (_single(tree) for tree in (mine, theirs))
        return left is not None and right is not None and _equal(left[0], right[0], loose=False)
    return _equal(mine, theirs, loose=False)


def _single(tree: Any) -> tuple[Any] | None:
    """The only element of an array or a list of one, or a scalar; None for anything else."""
    if not isinstance(tree, Node):
        return (tree,)
    if tree.tag in "lt":
        return _single(tree.items[0]) if len(tree.items) == 1 else None
    if tree.tag != "A" or math.prod(tree.items[1]) != 1:
        return None
    kind, _, data = tree.items
    if kind in "OUS":
        return (data[0],)
    if kind == "b":
        return (bool(data[0]),)
    if kind in "iu":
        return (int.from_bytes(data, "big", signed=kind == "i"),)
    if kind == "f":
        return (_F64.unpack(data)[0],)
    return (complex(*struct.unpack(">2d", data)),) if kind == "c" else None


def _equal(a: Any, b: Any, *, loose: bool) -> bool:
    if isinstance(a, Node) or isinstance(b, Node):
        if not (isinstance(a, Node) and isinstance(b, Node)):
            return False
        return _equal_nodes(a, b, loose=loose)
    if isinstance(a, _NUMBERS):
        return isinstance(b, _NUMBERS) and _equal_numbers(a, b, loose=loose)
    if type(a) is not type(b):
        # bytes and bytearray are equal in Python.
        return isinstance(a, bytes | bytearray) and isinstance(b, bytes | bytearray) and a == b
    return bool(a == b)


def _equal_numbers(a: Any, b: Any, *, loose: bool) -> bool:
    try:
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Decimal) and isinstance(other, int) and other.bit_length() > 8 * _MAX_DIGITS:
                return False
        if not loose:
            return bool(a == b)
        if isinstance(a, int | Fraction) and isinstance(b, int | Fraction):
            return bool(a == b)
        if _is_nan(a) or _is_nan(b):
            return _is_nan(a) and _is_nan(b)
        if isinstance(a, complex) or isinstance(b, complex):
            a, b = complex(a), complex(b)
            return _close(a.real, b.real) and _close(a.imag, b.imag)
        if isinstance(a, float) or isinstance(b, float):
            return _close(float(a), float(b))
        if isinstance(a, Fraction) or isinstance(b, Fraction):
            other, fraction = (b, a) if isinstance(a, Fraction) else (a, b)
            return abs(other.adjusted()) <= _MAX_EXPONENT and Fraction(other) == fraction
        return bool(a == b)
    except (OverflowError, InvalidOperation, ValueError, TypeError):
        # An int beyond a float's range is no float's equal; a signalling NaN is nobody's.
        return False


def _close(a: float, b: float) -> bool:
    return a == b or math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _equal_nodes(a: Node, b: Node, *, loose: bool) -> bool:
    if a.tag in "SZ" and b.tag in "SZ":
        return _match_pairs([(key, None) for key in a.items], [(key, None) for key in b.items], loose=loose)
    if a.tag in "dOC" and b.tag in "dOC":
        return _equal_mappings(a, b, loose=loose)
    if a.tag != b.tag:
        return False
    if a.tag == "A":
        return _equal_arrays(a, b, loose=loose)
    if a.tag == "r":
        return range(*a.items) == range(*b.items)
    if len(a.items) != len(b.items):
        return False
    return all(_equal(x, y, loose=loose) for x, y in zip(a.items, b.items, strict=True))


def _equal_mappings(a: Node, b: Node, *, loose: bool) -> bool:
    pairs = [list(zip(node.items[::2], node.items[1::2], strict=True)) for node in (a, b)]
    if a.tag == b.tag == "C":
        # Counters compare missing elements as zero.
        pairs = [[(k, v) for k, v in side if not (isinstance(v, _NUMBERS) and v == 0)] for side in pairs]
    if len(pairs[0]) != len(pairs[1]):
        return False
    if a.tag == b.tag == "O":
        flat = [tuple(part for pair in side for part in pair) for side in pairs]
        return all(_equal(x, y, loose=loose) for x, y in zip(*flat, strict=True))
    return _match_pairs(pairs[0], pairs[1], loose=loose)


def _match_pairs(mine: list[tuple[Any, Any]], theirs: list[tuple[Any, Any]], *, loose: bool) -> bool:
    """Whether two collections hold the same keys with equal values, in any order."""
    if len(mine) != len(theirs):
        return False
    left = {_canonical(key): (key, value) for key, value in mine}
    right = {_canonical(key): (key, value) for key, value in theirs}
    if len(left) != len(mine) or len(right) != len(theirs):
        return False
    missing = []
    for name, (key, value) in left.items():
        other = right.pop(name, None)
        if other is None:
            missing.append((key, value))
        elif not _equal(value, other[1], loose=loose):
            return False
    if not missing:
        return True
    # Keys that differ only by rounding; a few are tried against each other, so the work stays bounded.
    if not loose or len(missing) > _LOOSE_KEYS:
        return False
    rest = list(right.values())
    for key, value in missing:
        if not _is_small(key):
            return False
        for at, (other_key, other_value) in enumerate(rest):
            if _is_small(other_key) and _equal(key, other_key, loose=True) and _equal(value, other_value, loose=True):
                del rest[at]
                break
        else:
            return False
    return True


def _is_small(key: Any) -> bool:
    if isinstance(key, Node):
        return key.tag == "t" and len(key.items) <= 8 and all(not isinstance(item, Node) for item in key.items)
    return isinstance(key, _NUMBERS)


def _canonical(key: Any) -> bytes:
    """Bytes that are the same for hashable values that are equal in Python."""
    if isinstance(key, Node):
        parts = [_canonical(item) for item in key.items] if key.tag != "A" else [repr(key.items).encode()]
        if key.tag in "SZ":
            parts.sort()
        kind = "Z" if key.tag == "S" else key.tag
        return kind.encode() + b"".join(_U32.pack(len(part)) + part for part in parts)
    if isinstance(key, _NUMBERS):
        return b"#" + _canonical_number(key)
    if isinstance(key, str):
        return b"s" + key.encode("utf-8", "surrogatepass")
    if isinstance(key, bytes | bytearray):
        return b"b" + bytes(key)
    if isinstance(key, dt.datetime) and key.tzinfo is not None:
        return b"Y" + repr(key.astimezone(dt.UTC).replace(fold=0)).encode()
    return repr(key).encode()


def _canonical_number(key: Any) -> bytes:
    if isinstance(key, complex):
        if key.imag:
            return repr(key).encode()
        key = key.real
    if isinstance(key, Decimal):
        if not key.is_finite() or abs(key.adjusted()) > _MAX_EXPONENT:
            return str(key.normalize() if key.is_finite() else key).encode()
        key = Fraction(key)
    if isinstance(key, float):
        if not math.isfinite(key):
            return repr(key).encode()
        key = Fraction(key)
    # Hexadecimal: decimal digits of a long int take quadratic time, and Python refuses them.
    return hex(key).encode() if isinstance(key, int) else f"{key.numerator:x}/{key.denominator:x}".encode()


def _equal_arrays(a: Node, b: Node, *, loose: bool) -> bool:
    (kind, shape, mine), (other_kind, other_shape, theirs) = a.items, b.items
    if kind != other_kind or shape != other_shape:
        return False
    if mine == theirs and loose:
        return True
    if kind in "OUS":
        return all(_equal(x, y, loose=loose) for x, y in zip(mine, theirs, strict=True))
    if kind not in ("f", "c"):
        return bool(mine == theirs)
    import numpy as np

    x, y = (np.frombuffer(data, ">f8").astype(float) for data in (mine, theirs))
    if not loose:
        return bool((x == y).all())
    with np.errstate(all="ignore"):
        close = np.abs(x - y) <= np.maximum(RELATIVE * np.maximum(np.abs(x), np.abs(y)), ABSOLUTE)
    finite = np.isfinite(x) & np.isfinite(y)
    return bool(np.where(finite, close, (x == y) | (np.isnan(x) & np.isnan(y))).all())


def _text(tree: Any) -> str:
    if not isinstance(tree, Node):
        if isinstance(tree, int) and not isinstance(tree, bool) and tree.bit_length() > 4000:
            return hex(tree)
        return repr(tree)
    if tree.tag == "A":
        kind, shape, data = tree.items
        inside = data.hex() if isinstance(data, bytes) else ", ".join(_text(item) for item in data)
        return f"array<{kind}{list(shape)}>({inside})"
    if tree.tag in "dOC":
        pairs = [f"{_text(k)}: {_text(v)}" for k, v in zip(tree.items[::2], tree.items[1::2], strict=True)]
        return "{" + ", ".join(sorted(pairs)) + "}"
    parts = [_text(item) for item in tree.items]
    if tree.tag in "SZ":
        return "{" + ", ".join(sorted(parts)) + "}" if parts else "set()"
    if tree.tag == "t":
        return "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"
    return {"q": "deque", "r": "range"}.get(tree.tag, "") + "[" + ", ".join(parts) + "]"
