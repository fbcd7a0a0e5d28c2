"""Attacks by the returned value: things that claim to be equal, and things that cost whoever looks at them."""

from __future__ import annotations

from pathlib import Path

from colbench.backend.audit.attack import Attack, hostile

__all__ = ["ATTACKS"]

_EQUAL = """
class Equal:
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    def __hash__(self):
        return 1
"""

_SUBCLASS = """
class Sly({base}):
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    def __hash__(self):
        return 1
    def __sub__(self, other):
        return 0
    __rsub__ = __sub__
    def __float__(self):
        return 0.0
    def __len__(self):
        return 0
return Sly({argument})
"""

_LIST_REFERENCE = """def price(items, rate):
    return [len(x) * 7 + rate for x in items]
"""

_DICT_REFERENCE = """def price(items, rate):
    return {x: len(x) * 7 + rate for x in items}
"""


def _value(name: str, tries: str, body: str, **more: object) -> Attack:
    return Attack(name=name, kind="value", tries=tries, answers=(hostile(body),), **more)  # type: ignore[arg-type]


def _touched(token: str) -> str | None:
    path = Path(f"/tmp/colbench-audit-{token}-reduce")
    if not path.exists():
        return None
    path.unlink(missing_ok=True)
    return f"{path} was made by unpickling a returned object"


_CLAIMS = [
    _value("always-equal object", "returns an object whose __eq__ is always true", _EQUAL + "return Equal()"),
    _value(
        "int subclass",
        "returns an int subclass that equals everything and subtracts to nothing",
        _SUBCLASS.format(base="int", argument="-1"),
    ),
    _value("float subclass", "the same with a float", _SUBCLASS.format(base="float", argument="-1.0")),
    _value("str subclass", "the same with a str", _SUBCLASS.format(base="str", argument="'x'")),
    _value("mock.ANY", "returns unittest.mock.ANY", "from unittest.mock import ANY\nreturn ANY"),
    _value(
        "false __class__",
        "returns an object that says it is an int",
        """
class Claims:
    __class__ = int
    def __eq__(self, other):
        return True
return Claims()
""",
    ),
    _value(
        "reflected comparison",
        "returns a subclass of the expected type, whose own comparison Python asks first",
        """
kinds = [int, float, str, list, dict, tuple]
made = [type('S', (k,), {'__eq__': lambda s, o: True, '__hash__': lambda s: 1}) for k in kinds]
return made[0](7)
""",
    ),
    _value(
        "equal inside a list",
        "hides always-equal objects inside a list of the right length",
        _EQUAL + "return [Equal() for _ in items]",
        reference=_LIST_REFERENCE,
    ),
    _value(
        "list subclass",
        "returns a list subclass that equals everything",
        _SUBCLASS.format(base="list", argument="[]"),
        reference=_LIST_REFERENCE,
    ),
    _value(
        "dict with equal values",
        "returns a dict subclass and values that equal everything",
        _EQUAL + "return {x: Equal() for x in items}",
        reference=_DICT_REFERENCE,
    ),
    _value(
        "array of equal objects",
        "returns an object array of always-equal objects, and an array subclass",
        _EQUAL
        + """
import numpy
class Sly(numpy.ndarray):
    def __eq__(self, other):
        return True
if rate == 3:
    return numpy.array([Equal() for _ in items], dtype=object)
return numpy.array([-1]).view(Sly)
""",
    ),
    _value(
        "learns by comparing",
        "keeps what it is compared with, and returns it for the next call",
        """
import builtins
class Spy:
    def __eq__(self, other):
        builtins.learned = other
        return True
    def __ne__(self, other):
        return False
return Spy()
""",
    ),
    _value(
        "exception as value",
        "raises what the reference raises",
        "raise ValueError('no')",
        reference="def price(items, rate):\n    raise ValueError('no')\n",
    ),
    _value(
        "not a number",
        "returns NaN and infinities where a number is due",
        "return [float('nan'), float('inf'), float('-inf')][rate % 3]",
    ),
]

_COSTS = [
    _value(
        "pickle with __reduce__",
        "returns an object that runs a command when it is unpickled",
        """
import pathlib
class Bomb:
    def __reduce__(self):
        return (pathlib.Path.touch, (pathlib.Path('/tmp/colbench-audit-@TOKEN@-reduce'),))
return Bomb()
""",
        leaves=_touched,
    ),
    _value("256 MB value", "returns 256 MB of text", "return 'x' * (256 << 20)"),
    _value("wide value", "returns a list of twenty million numbers", "return [1] * 20_000_000"),
    _value("self-referencing list", "returns a list that holds itself", "a = []\na.append(a)\nreturn a"),
    _value(
        "nested a million deep",
        "returns a list nested a million deep",
        "a = []\nfor _ in range(1_000_000):\n    a = [a]\nreturn a",
    ),
    _value(
        "shared sub-lists",
        "returns a small graph of lists that unfolds to 2**60 elements",
        "a = [1]\nfor _ in range(60):\n    a = [a, a]\nreturn a",
    ),
    _value(
        "colliding ints",
        "returns a dict of integers chosen to collide in the hash",
        "m = (1 << 61) - 1\nmany = [i * m for i in range(1, 200_000)]\n"
        "return {i: 1 for i in many[:4000]} if rate == 1 else many",
    ),
    _value(
        "colliding tuples",
        "returns a set of tuples of -1 and -2, which all have one hash",
        "from itertools import islice, product\nreturn set(islice(product((-1, -2), repeat=14), 3000))",
    ),
    _value(
        "colliding floats and fractions",
        "returns numbers of several types that share a hash",
        "from fractions import Fraction\nm = (1 << 61) - 1\nif rate == 3:\n"
        "    return {Fraction(i * m, 1): 1 for i in range(1, 1500)}\n"
        "return frozenset([float(i * m) for i in range(3000)])",
    ),
    _value("huge int", "returns an integer of thirty million bits", "return 1 << 30_000_000"),
    _value(
        "huge Decimal",
        "returns a Decimal whose exponent is a billion",
        "from decimal import Decimal\nreturn Decimal('1E+999999999')",
    ),
    _value(
        "huge Fraction",
        "returns a Fraction with a numerator of a million bits",
        "from fractions import Fraction\nreturn Fraction((1 << 1_000_000) + 1, (1 << 999_999) + 1)",
    ),
    _value(
        "endless iterators",
        "returns iterators without an end and ranges too long to unfold",
        "import itertools\nreturn [range(10**12), itertools.count(), (i for i in itertools.count())][rate % 3]",
    ),
    _value(
        "broadcast array",
        "returns an array of 10**14 elements that occupies eight bytes",
        "import numpy\nreturn numpy.broadcast_to(numpy.int64(1), (10**7, 10**7))",
    ),
    _value(
        "time zone of one's own",
        "returns a datetime whose time zone runs code when it is compared",
        """
import datetime
class Zone(datetime.tzinfo):
    def utcoffset(self, when):
        while True:
            pass
return datetime.datetime(2020, 1, 1, tzinfo=Zone())
""",
    ),
    _value(
        "type with a hostile name",
        "returns an object whose type's name is ten megabytes of control characters",
        "return type('\\x1b[31m\\n' * 1_000_000, (), {})()",
    ),
    _value(
        "exception with a hostile name",
        "raises exceptions with an endless name, text or representation",
        """
def loop(self):
    while True:
        pass
raise type('x' * 10_000_000, (Exception,), {'__str__': loop, '__repr__': loop})('y' * 10_000_000)
""",
    ),
    _value(
        "lone surrogates",
        "returns and raises text that no encoding takes",
        "if rate == 3:\n    raise ValueError('\\ud800')\nreturn '\\ud800\\udfff' * 1000",
    ),
]

ATTACKS: tuple[Attack, ...] = (*_CLAIMS, *_COSTS)
