"""Attacks by someone who has read this package's grader: its frames, its clocks and what its host does with bytes."""

from __future__ import annotations

from colbench.backend.audit.attack import Attack, hostile

__all__ = ["ATTACKS"]

_SEND = """
import struct
o = __import__('os')
def send(kind, data=b''):
    for fd in range(3, 32):
        try:
            o.write(fd, struct.pack('>BI', ord(kind), len(data)) + data)
        except OSError:
            pass
"""

_DICT_REFERENCE = """def price(items, rate):
    return {x: len(x) * 7 + rate for x in items}
"""

_COUNTER_REFERENCE = """def price(items, rate):
    from collections import Counter
    return Counter(items)
"""

_RANGE_REFERENCE = """def price(items, rate):
    return range(rate)
"""


def _insider(name: str, tries: str, body: str, **more: object) -> Attack:
    return Attack(name=name, kind="insider", tries=tries, answers=(hostile(body),), **more)  # type: ignore[arg-type]


ATTACKS: tuple[Attack, ...] = (
    _insider(
        "signs of life",
        "sends the frame that says a call has begun over and over, so that its time never runs out",
        _SEND
        + """
import threading, time
def work():
    while True:
        send('B')
        time.sleep(0.2)
threading.Thread(target=work, daemon=True).start()
time.sleep(1000)
""",
    ),
    _insider(
        "half a frame",
        "sends a byte of a frame now and then",
        _SEND
        + """
import time
while True:
    for fd in range(3, 32):
        try:
            o.write(fd, b'V')
        except OSError:
            pass
    time.sleep(0.2)
""",
    ),
    _insider(
        "frames without end",
        "sends frames as fast as it can, of every kind and of the largest size",
        _SEND + "while True:\n    for kind in 'BVEORX!':\n        send(kind, b'n' * (4 << 20))\n        send(kind)",
    ),
    _insider(
        "a length that lies",
        "announces a frame of four gigabytes",
        _SEND.replace("len(data)", "0xFFFFFFFF") + "send('V')\nwhile True:\n    pass",
    ),
    _insider(
        "failure of the sandbox",
        "sends the frame with which the sandbox itself reports a failure, so that the episode is not scored",
        _SEND + "send('X', b'out of order')\nsend('F', b'no')\nreturn -1",
    ),
    _insider(
        "right value in every form",
        "sends encoded values of every kind, hoping that one equals what is expected",
        _SEND
        + """
for data in (b'n', b'T', b'F', b'l\\x00\\x00\\x00\\x00', b'd\\x00\\x00\\x00\\x00', b'f\\x7f\\xf8' + bytes(6), b''):
    send('V', data)
return -1
""",
    ),
    _insider(
        "text that slows a scan",
        "is written so that patterns which look through the source backtrack over it",
        "x = '''" + "_" * 100_000 + "'''\ny = '" + "lru_cache " * 2_000 + "'\nreturn -1",
    ),
    _insider(
        "time that cannot be converted",
        "returns a dict whose key is a moment before the first year once its time zone is taken off",
        "from datetime import datetime, timedelta, timezone\n"
        "return {datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))): 1, 'x': 2}",
        reference=_DICT_REFERENCE,
    ),
    _insider(
        "number that raises",
        "returns a Counter of signalling NaNs, which raise when they are compared",
        "from collections import Counter\nfrom decimal import Decimal\n"
        "return Counter({x: Decimal('sNaN') for x in items})",
        reference=_COUNTER_REFERENCE,
    ),
    _insider(
        "range without a step",
        "forges a range whose step is 0",
        _SEND + "number = lambda n: b'i' + struct.pack('>I', 1) + bytes([n])\n"
        "send('V', b'r' + number(0) + number(9) + number(0))\nreturn -1",
        reference=_RANGE_REFERENCE,
    ),
    _insider(
        "array that lies",
        "forges arrays with impossible shapes and contents",
        _SEND
        + """
import random
r = random.Random(rate)
for _ in range(40):
    shape = [r.choice([0, 1, 7, 0xFFFFFFFF]) for _ in range(r.randrange(0, 255))]
    head = b'A' + bytes([r.choice(b'biufcOUSmMx')]) + bytes([len(shape)])
    send('V', head + b''.join(struct.pack('>I', n) for n in shape) + bytes(r.randrange(0, 64)))
return -1
""",
    ),
    _insider(
        "costly arithmetic",
        "returns fractions and integers as large as the frames allow",
        "from fractions import Fraction\nn = (1 << 500_000) + 1\n"
        "return [Fraction(n + 2 * i, (1 << 499_999) + 1) for i in range(30)]",
        reference="def price(items, rate):\n    return [1 / 3] * 60_000\n",
    ),
    _insider(
        "busy threads beside a sleeper",
        "keeps threads waiting for the processor, which counts as time that the machine took away",
        """
import threading, time
def spin():
    n = 0
    while True:
        n += 1
threading.stack_size(1 << 16)
for _ in range(30):
    threading.Thread(target=spin, daemon=True).start()
while True:
    time.sleep(0)
""",
    ),
)
