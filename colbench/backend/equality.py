"""When two decoded values are equal, strictly and as the published scorer has it.

Nothing of an answer's own can take part: trees hold plain scalars, and the elements of dicts and sets are matched by
canonical byte strings, not by their hashes, which an answer could choose to collide.
"""

from __future__ import annotations

import datetime as dt
import math
import struct
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Final

from colbench.backend.decoding import MAX_DIGITS, Node

__all__ = ["has_nan", "is_array", "plainly_equal", "strictly_equal"]

RELATIVE: Final = 1e-9
ABSOLUTE: Final = 1e-12
_LOOSE_KEYS: Final = 32
_MAX_EXPONENT: Final = 400

_U32 = struct.Struct(">I")
_F64 = struct.Struct(">d")
_NUMBERS = (bool, int, float, complex, Decimal, Fraction)


def strictly_equal(mine: Any, theirs: Any) -> bool:
    """Equal up to rounding: floats to relative 1e-9 or absolute 1e-12, NaN equal to NaN."""
    return _equal(mine, theirs, loose=True)


def has_nan(tree: Any) -> bool:
    """Whether a NaN is anywhere inside."""
    if isinstance(tree, Node):
        if tree.tag == "A":
            kind, _, data = tree.items
            if kind in "fc":
                return bool(_numpy_isnan(data))
            return not isinstance(data, bytes) and any(has_nan(item) for item in data)
        return any(has_nan(item) for item in tree.items)
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


def is_array(tree: Any) -> bool:
    """Whether the value itself is an array."""
    return isinstance(tree, Node) and tree.tag == "A"


def plainly_equal(mine: Any, theirs: Any) -> bool:
    """What ``if mine == theirs`` would do in Python, an exception counting as no."""
    if is_array(mine) or is_array(theirs):
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
            if isinstance(one, Decimal) and isinstance(other, int) and other.bit_length() > 8 * MAX_DIGITS:
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
