"""When two results of a procedural function agree, without the cost of the sandbox.

Enumerating thousands of combinations compares plain data that our own generator produced. The rule is the one of
strict grading, as far as plain data goes.
"""

from __future__ import annotations

from typing import Any

__all__ = ["same"]

_RELATIVE = 1e-9
_ABSOLUTE = 1e-12


def same(a: Any, b: Any) -> bool:
    """Whether two pieces of plain data are equal: numbers by value, floats within 1e-9, lists unlike tuples."""
    if a == b:
        return True  # Python never takes a list for a tuple or a number for text
    if isinstance(a, float) or isinstance(b, float):
        if not (isinstance(a, int | float) and isinstance(b, int | float)):
            return False
        return abs(a - b) <= max(_RELATIVE * max(abs(a), abs(b)), _ABSOLUTE) or (a != a and b != b)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    return False
