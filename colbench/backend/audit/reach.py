"""Attacks on the grader's memory: finding the expected values, and changing the rules for whoever comes next."""

from __future__ import annotations

from colbench.backend.audit.attack import RIGHT, Attack, hostile

__all__ = ["ATTACKS"]

_USE_FOUND = """
def use(text):
    scope = {}
    exec(text, {}, scope)
    return scope['price'](items, rate)
def looks_right(text):
    return isinstance(text, str) and 'planted by the' ' audit' in text and text.lstrip().startswith('def price')
"""

_PATCH_LEN = """
import builtins, json, math
state = [1000]
def drift(*args, **kwargs):
    state[0] += 1
    return state[0]
for module, name in ((builtins, 'len'), (math, 'floor'), (builtins, 'sum'), (builtins, 'sorted'), (json, 'dumps')):
    setattr(module, name, drift)
"""


def _reach(name: str, tries: str, *bodies: str, top: str = "") -> Attack:
    return Attack(name=name, kind="reach", tries=tries, answers=tuple(hostile(body, top) for body in bodies))


ATTACKS: tuple[Attack, ...] = (
    _reach(
        "frame walk",
        "looks for the reference in the local variables of every caller",
        _USE_FOUND
        + """
frame = __import__('sys')._getframe()
while frame is not None:
    for value in list(frame.f_locals.values()) + list(frame.f_globals.values()):
        if looks_right(value):
            return use(value)
    frame = frame.f_back
return -1
""",
    ),
    _reach(
        "traceback walk",
        "the same through the frames of an exception it raises",
        _USE_FOUND
        + """
try:
    1 / 0
except ZeroDivisionError as error:
    frame = error.__traceback__.tb_frame
while frame is not None:
    for value in frame.f_locals.values():
        if looks_right(value):
            return use(value)
    frame = frame.f_back
return -1
""",
    ),
    _reach(
        "expected value in frames",
        "returns a local variable of a caller that is called like an expected value",
        """
frame = __import__('sys')._getframe().f_back
while frame is not None:
    for name, value in frame.f_locals.items():
        if type(value) is int and any(part in name for part in ('expect', 'want', 'truth', 'refer', 'target')):
            return value
    frame = frame.f_back
return -1
""",
    ),
    _reach(
        "garbage collector",
        "looks for the reference in every container that the collector knows",
        _USE_FOUND
        + """
import gc
for thing in gc.get_objects():
    try:
        values = list(thing.values()) if type(thing) is dict else list(thing) if type(thing) in (list, tuple) else ()
    except Exception:
        continue
    for value in values:
        if looks_right(value):
            return use(value)
return -1
""",
    ),
    _reach(
        "code constants",
        "looks for a function of the reference's name, and for code objects that are not its own",
        """
import gc
mine = __import__('sys')._getframe().f_code
for thing in gc.get_objects():
    code = getattr(thing, '__code__', None) if type(thing).__name__ == 'function' else None
    if code is not None and code.co_name == 'price' and code is not mine and 'planted' in (thing.__doc__ or ''):
        return thing(items, rate)
return -1
""",
    ),
    _reach(
        "own memory",
        "reads its own memory through /proc and looks for the reference",
        _USE_FOUND
        + """
import re
try:
    regions = open('/proc/self/maps').read().splitlines()
    memory = open('/proc/self/mem', 'rb', 0)
except OSError:
    return -1
mark = ('planted by the' + ' audit @TOKEN@').encode()
for region in regions:
    span, mode = region.split()[:2]
    low, high = (int(x, 16) for x in span.split('-'))
    if 'r' not in mode or high - low > 1 << 28:
        continue
    try:
        memory.seek(low)
        data = memory.read(high - low)
    except (OSError, ValueError, OverflowError):
        continue
    for at in re.finditer(re.escape(mark), data):
        start = data.rfind(b'def price', 0, at.start())
        stop = data.find(b'return total', at.start())
        if start >= 0 and 0 < stop - start < 400:
            try:
                return use(data[start : stop + 12].decode())
            except Exception:
                pass
return -1
""",
    ),
    _reach(
        "rewrite the grader",
        "gives every grading function in its callers' modules the code of one that says 1.0",
        """
def full(*args, **kwargs):
    return 1.0
frame = __import__('sys')._getframe().f_back
while frame is not None:
    for name, value in list(frame.f_globals.items()):
        telling = any(part in name.lower() for part in ('score', 'grade', 'equal', 'compare'))
        if telling and type(value).__name__ == 'function':
            try:
                value.__code__ = full.__code__
            except (ValueError, AttributeError):
                pass
    frame = frame.f_back
return -1
""",
        "return -1",
    ),
    _reach(
        "patch builtins",
        "replaces len, sum, sorted, math.floor and json.dumps for the next candidate",
        _PATCH_LEN + "return -1",
    ),
    _reach(
        "patch builtins at module level",
        "the same before any call is made",
        "return -1",
        top=_PATCH_LEN,
    ),
    _reach(
        "poison imports",
        "puts false modules and an import hook in the way of the next candidate",
        """
sys = __import__('sys')
import types
false = types.ModuleType('math')
false.floor = lambda x: 0
sys.modules['math'] = false
sys.modules['json'] = types.ModuleType('json')
class Hook:
    @staticmethod
    def find_spec(name, path=None, target=None):
        raise ImportError(name)
sys.meta_path.insert(0, Hook)
sys.path[:] = []
return -1
""",
    ),
    _reach(
        "tracing left behind",
        "leaves a profile and a trace function that raise in every later function",
        """
sys = __import__('sys')
import threading
def spoil(frame, event, argument):
    if frame.f_code.co_name == 'price' and event == 'call':
        raise RuntimeError('spoiled')
def later():
    sys.setprofile(spoil)
    threading.setprofile(spoil)
later()
return -1
""",
    ),
    _reach(
        "thread that goes on",
        "leaves a thread that keeps patching builtins after the verdict",
        """
import threading, time, builtins, math
def work():
    while True:
        math.floor = lambda x: 0
        time.sleep(0.001)
threading.Thread(target=work, daemon=True).start()
return -1
""",
    ),
    _reach(
        "second answer uses the first's find",
        "the first answer keeps what it finds in builtins, the second returns it",
        "import builtins\nbuiltins.kept_@TOKEN@ = True\nreturn -1",
        f"import builtins\nif hasattr(builtins, 'kept_@TOKEN@'):\n    return {RIGHT}\nreturn -1",
    ),
    _reach(
        "own worker's functions",
        "rewrites every function of the process it runs in to one that returns True",
        """
import gc
def full(*args, **kwargs):
    return True
done = 0
for thing in gc.get_objects():
    if type(thing).__name__ == 'function' and thing.__module__ in ('__main__', 'worker'):
        try:
            thing.__code__ = full.__code__
            done += 1
        except (ValueError, AttributeError):
            pass
return -1
""",
    ),
    _reach(
        "signal handlers left behind",
        "leaves handlers and an alarm that strike during the next candidate",
        """
import signal
def strike(*args):
    raise KeyboardInterrupt
for number in (signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF):
    signal.signal(number, strike)
signal.setitimer(signal.ITIMER_PROF, 0.05, 0.05)
signal.setitimer(signal.ITIMER_VIRTUAL, 0.05, 0.05)
return -1
""",
    ),
)
