"""Values that came out of the sandbox: what a call returned, without any object of the answer's.

A candidate returns bytes, never objects. They are decoded into a small tree of tags and plain Python scalars, so no
``__eq__``, no pickle and no class of the candidate's ever runs here, and the cost of decoding and of comparing is
bounded whatever the bytes say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from colbench.backend.decoding import MalformedValueError, Node, decode
from colbench.backend.equality import has_nan, is_array, plainly_equal, strictly_equal
from colbench.backend.outcomes import CallStatus, GradingMode

__all__ = ["Evaluation", "MalformedValueError", "Value"]


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
        return decode(self.raw)

    @cached_property
    def has_nan(self) -> bool:
        """Whether a NaN is anywhere inside."""
        return has_nan(self.tree)

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
            if self.raw == other.raw and not self.has_nan and not is_array(self.tree):
                return True
        elif self.raw == other.raw:
            return True
        # No value is 64 times longer than an equal one, so a huge forgery is refused without being read.
        if len(other.raw) > 64 * len(self.raw) + 4096:
            return False
        try:
            mine, theirs = self.tree, other.tree
            if grading == "paper":
                return plainly_equal(mine, theirs)
            return strictly_equal(mine, theirs)
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
