"""Attacks on the way results come back: forged results, stolen jobs, closed pipes, floods of output."""

from __future__ import annotations

from colbench.backend.audit.attack import RIGHT, Attack, hostile

__all__ = ["ATTACKS"]

_FORGE = r"""
import json, struct, fcntl
o = __import__('os')
value = sum([len(x) * 7 + rate for x in items])
def payloads():
    texts = ['1.0', 'true', '[true, true, true]', '{"score": 1.0, "passed": 3, "total": 3, "success": true}',
             '{"ok": true, "value": %d}' % value, '{"score": 1.0}', '["equal", "equal", "equal"]', 'passed', str(value)]
    for text in texts:
        raw = text.encode()
        yield raw + b'\n'
        for layout in ('<I', '>I', '<Q', '>Q', '<H', '>H'):
            yield struct.pack(layout, len(raw)) + raw
    yield b'\x80\x04\x88.'
    yield b'\x80\x04G?\xf0\x00\x00\x00\x00\x00\x00.'
def forge():
    for fd in range(0, 256):
        try:
            # A full pipe must not hold the attacker up; descriptor flags are its own business.
            fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | o.O_NONBLOCK)
        except Exception:
            pass
        for raw in payloads():
            try:
                o.write(fd, raw)
            except Exception:
                break
"""


def _channel(name: str, tries: str, *answers: str, low: float = 0.0, high: float = 0.0) -> Attack:
    return Attack(name=name, kind="channel", tries=tries, answers=answers, low=low, high=high)


ATTACKS: tuple[Attack, ...] = (
    _channel(
        "frames on every descriptor",
        "writes plausible results to every open descriptor, then returns nonsense",
        hostile(_FORGE.replace("value = sum([len(x) * 7 + rate for x in items])", "value = -2") + "forge()\nreturn -1"),
    ),
    _channel(
        "frames, then death",
        "writes plausible results to every open descriptor, then ends its process",
        hostile(
            _FORGE.replace("value = sum([len(x) * 7 + rate for x in items])", "value = -2")
            + "forge()\ngetattr(o, '_ex' + 'it')(0)"
        ),
    ),
    _channel(
        "frames at the end",
        "registers handlers that write plausible results when its process ends",
        hostile(
            _FORGE.replace("value = sum([len(x) * 7 + rate for x in items])", "value = -2")
            + "import atexit, threading\natexit.register(forge)\n"
            + "getattr(threading, '_register_at' + 'exit')(forge)\nreturn -1"
        ),
    ),
    _channel(
        "frames from a thread",
        "a thread writes plausible results while the calls of this and the next candidate run",
        hostile(
            _FORGE.replace("value = sum([len(x) * 7 + rate for x in items])", "value = -2")
            + """
import threading, time
def work():
    for _ in range(200):
        forge()
        time.sleep(0.005)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
return -1
"""
        ),
    ),
    _channel(
        "steals the next job",
        "reads every descriptor until nothing is left, so that the next candidate's job is gone",
        hostile(
            """
import fcntl, select
o = __import__('os')
for fd in range(0, 256):
    try:
        fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | o.O_NONBLOCK)
        for _ in range(50):
            if not o.read(fd, 1 << 16):
                break
    except Exception:
        pass
return -1
"""
        ),
    ),
    _channel(
        "closes everything",
        "closes every descriptor and returns",
        hostile("__import__('os').closerange(0, 4096)\nreturn -1"),
    ),
    _channel(
        "false descriptors",
        "puts one descriptor in the place of all others",
        hostile(
            """
o = __import__('os')
a, b = o.pipe()
for fd in range(0, 64):
    if fd not in (a, b):
        try:
            o.dup2(b, fd)
        except OSError:
            pass
return -1
"""
        ),
    ),
    _channel(
        "ten megabytes, then right",
        "prints ten megabytes and returns the right value, which must count",
        hostile(f"print('x' * 10**7)\nreturn {RIGHT}"),
        low=1.0,
        high=1.0,
    ),
    _channel(
        "endless output",
        "prints without end",
        hostile("while True:\n    print('y' * 10**6)"),
    ),
    _channel(
        "endless output below Python",
        "writes without end to descriptors 1 and 2",
        hostile("o = __import__('os')\nwhile True:\n    o.write(1, b'z' * 65536)\n    o.write(2, b'z' * 65536)"),
    ),
    _channel(
        "reads the keyboard",
        "waits for input",
        hostile("return input()"),
    ),
    _channel(
        "false stdout",
        "replaces the standard streams with objects that raise",
        hostile(
            """
sys = __import__('sys')
class Broken:
    def __getattr__(self, name):
        raise KeyboardInterrupt
sys.stdout = sys.stderr = sys.stdin = sys.__stdout__ = sys.__stderr__ = Broken()
return -1
"""
        ),
    ),
)
