"""The program inside the sandbox: a template process that forks one child for every candidate.

It is one file and imports nothing but the standard library, because nothing else of the project may exist in
there. The template ("zygote") has the usual modules loaded, reads only single bytes with a descriptor attached, and
forks; the child reads its job from that descriptor, gives up what is left of its rights, runs the calls and writes
one frame per call. What the frames say is never trusted by the host: a candidate owns its child completely and can
write whatever it likes, so all it can forge is its own, wrong, values.

Runs on Python 3.11 and later as ``python worker.py CONTROL_FD``.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import _socket as socket  # the module around it would load selectors and more into every child
import ast
import builtins
import gc
import json
import os
import signal
import struct
import sys

PROTOCOL = "1"

# An answer may put its own functions among the builtins; those that this file uses are its own from here on.
globals().update({name: value for name, value in vars(builtins).items() if not name.startswith("_")})

# What answers use most. Every module makes every fork a little dearer, so the rest is loaded when it is asked for.
PRELOAD = (
    "abc bisect collections collections.abc contextlib copy ctypes dataclasses datetime decimal enum fractions "
    "functools heapq io itertools json math operator random re resource statistics string time types typing"
).split()

# Runs in the template before it forks: interpreters rewrite code and fill caches while they run it the first times, and
# what is rewritten before the fork is shared by all children.
_WARM_SOURCE = """
import math
from collections import defaultdict

def total(items, rate=0.5, **options):
    out, seen, groups = {}, set(), defaultdict(list)
    for index, (name, count) in enumerate(items):
        if not name or name in seen:
            continue
        seen.add(name)
        groups[len(name)].append(index)
        out[name.strip().lower()] = round(out.get(name, 0) + count * rate, 2)
    rows = sorted(out.items(), key=lambda pair: (-pair[1], pair[0]))
    text = ", ".join(f"{name}: {value}" for name, value in rows)
    return {"rows": [list(row) for row in rows], "sum": math.fsum(v for _, v in rows), "text": text, "all": bool(rows)}
"""
_WARM_CALLS = (
    "total([('a', 1), ('b ', 2.5)])",
    "total([])",
    "total([('x', 1)], rate=2)",
    "total(3)",
    "total([('a', 4)], 1, k=2)",
)

_HEADER = struct.Struct(">BI")
_U32 = struct.Struct(">I")
_F64 = struct.Struct(">d")
_MAX_DEPTH = 100


# --- values to bytes -------------------------------------------------------------------------------------------


class _Opaque(Exception):
    """The value has no exact, finite form; it will equal nothing."""


class _Encoder:
    """Writes a value as typed, length-prefixed bytes, refusing whatever is not exactly of a known type.

    Args:
        max_bytes: size limit of one encoded value.
        max_nodes: limit on the number of values inside it.
    """

    def __init__(self, max_bytes, max_nodes):
        self.max_bytes = max_bytes
        self.max_nodes = max_nodes
        self.scalars = {
            type(None): lambda v: b"n",
            bool: lambda v: b"T" if v else b"F",
            int: _int,
            float: _float,
            complex: lambda v: b"c" + _F64.pack(v.real) + _F64.pack(v.imag),
            str: lambda v: _sized(b"s", v.encode("utf-8", "surrogatepass")),
            bytes: lambda v: _sized(b"b", v),
            bytearray: lambda v: _sized(b"B", bytes(v)),
            range: lambda v: b"r" + _int(v.start) + _int(v.stop) + _int(v.step),
        }
        self.sequences = {list: b"l", tuple: b"t", set: b"S", frozenset: b"Z"}
        self.mappings = {dict: b"d"}
        self.lazy = {
            "collections": self._learn_collections,
            "decimal": self._learn_decimal,
            "fractions": self._learn_fractions,
            "datetime": self._learn_datetime,
            "uuid": self._learn_uuid,
            "numpy": self._learn_numpy,
        }
        self.ndarray = None
        self.numpy_scalars = {}
        for name in tuple(self.lazy):
            if name in sys.modules:
                self._learn(name)

    def encode(self, value):
        """The value's bytes; raises ``_Opaque`` with the offending type's name."""
        self.out = []
        self.left = self.max_nodes
        self.size = 0
        self._put(value, 0)
        return b"".join(self.out)

    def _put(self, value, depth):
        self.left -= 1
        if self.left < 0:
            raise _Opaque("value with too many parts")
        kind = type(value)
        scalar = self.scalars.get(kind)
        if scalar is not None:
            data = scalar(value)
            self.size += len(data)
            if self.size > self.max_bytes:
                raise _Opaque("value too large")
            self.out.append(data)
            return
        if depth >= _MAX_DEPTH:
            raise _Opaque("value nested too deeply")
        tag = self.sequences.get(kind)
        if tag is not None:
            self._many(tag, len(value))
            for item in value:
                self._put(item, depth + 1)
            return
        tag = self.mappings.get(kind)
        if tag is not None:
            self._many(tag, len(value))
            for key, item in dict.items(value):
                self._put(key, depth + 1)
                self._put(item, depth + 1)
            return
        self._other(kind, value, depth)

    def _many(self, tag, count):
        self.size += 5
        if count > self.left:
            raise _Opaque("value with too many parts")
        self.out.append(tag + _U32.pack(count))

    def _other(self, kind, value, depth):
        if tuple in kind.__mro__[1:2] and "_fields" in kind.__dict__ and kind.__eq__ is tuple.__eq__:
            # A named tuple compares as the tuple it is.
            self._many(b"t", tuple.__len__(value))
            for item in tuple.__iter__(value):
                self._put(item, depth + 1)
            return
        if kind is type({}.keys()):
            self._many(b"Z", len(value))
            for item in value:
                self._put(item, depth + 1)
            return
        module = kind.__module__
        if type(module) is str and self._learn(module.partition(".")[0]):
            self._put(value, depth)
            return
        scalar = self.numpy_scalars.get(kind)
        if scalar is not None:
            self._put(scalar(value), depth)
            return
        if self.ndarray is not None and kind is self.ndarray:
            self._array(value, depth)
            return
        raise _Opaque(_type_name(kind))

    def _array(self, value, depth):
        kind = value.dtype.kind
        head = b"A" + kind.encode() + bytes([value.ndim]) + b"".join(_U32.pack(n) for n in value.shape)
        plain = {"b": "u1", "i": ">i8", "u": ">u8", "f": ">f8", "c": ">c16"}.get(kind)
        if plain is not None and value.dtype.itemsize <= 16 and str(value.dtype) not in ("float128", "longdouble"):
            if value.size * 16 > self.max_bytes:
                raise _Opaque("value too large")
            data = head + value.astype(plain).tobytes()
            self.size += len(data)
            self.out.append(data)
            return
        if kind in "OUS":
            self.out.append(head)
            self.size += len(head)
            for item in value.ravel().tolist():
                self._put(item, depth + 1)
            return
        if kind in "mM":
            unit = sys.modules["numpy"].datetime_data(value.dtype)
            self.out.append(head)
            self._put(f"{unit[1]} {unit[0]}", depth + 1)
            data = value.astype(">i8").tobytes()
            self.size += len(data) + len(head)
            if self.size > self.max_bytes:
                raise _Opaque("value too large")
            self.out.append(data)
            return
        raise _Opaque("array of " + str(value.dtype)[:40])

    def _learn(self, module):
        """Adds a module's types the first time one of them is met; False when there is nothing to add."""
        learn = self.lazy.get(module)
        if learn is None or module not in sys.modules:
            return False
        del self.lazy[module]
        learn(sys.modules[module])
        return True

    def _learn_collections(self, module):
        self.mappings[module.OrderedDict] = b"O"
        self.mappings[module.Counter] = b"C"
        self.mappings[module.defaultdict] = b"d"
        self.sequences[module.deque] = b"q"

    def _learn_decimal(self, module):
        self.scalars[module.Decimal] = lambda v: _sized(b"D", _limited(str(v).encode()))

    def _learn_fractions(self, module):
        self.scalars[module.Fraction] = lambda v: b"Q" + _limited(_int(v._numerator)) + _limited(_int(v._denominator))

    def _learn_datetime(self, module):
        zones = {module.timezone}

        def offset(v):
            zone = v.tzinfo
            if zone is None:
                return b"n"
            if type(zone) not in zones and type(zone).__module__ != "zoneinfo":
                raise _Opaque("time with its own kind of zone")
            delta = v.utcoffset()
            return b"n" if delta is None else span(delta)

        def span(v):
            return b"e" + struct.pack(">qqq", v.days, v.seconds, v.microseconds)

        def moment(v):
            return b"Y" + struct.pack(">7iB", *v.timetuple()[:6], v.microsecond, v.fold) + offset(v)

        self.scalars[module.date] = lambda v: b"y" + struct.pack(">3i", v.year, v.month, v.day)
        self.scalars[module.datetime] = moment
        self.scalars[module.time] = lambda v: (
            b"h" + struct.pack(">4iB", v.hour, v.minute, v.second, v.microsecond, v.fold) + offset(v)
        )
        self.scalars[module.timedelta] = span

    def _learn_uuid(self, module):
        self.scalars[module.UUID] = lambda v: b"u" + v.bytes

    def _learn_numpy(self, module):
        self.ndarray = module.ndarray
        for name in ("bool_", "str_", "bytes_", "float16", "float32", "float64", "complex64", "complex128"):
            self.numpy_scalars[getattr(module, name)] = lambda v: v.item()
        for kind in "bBhHiIlLqQ":
            self.numpy_scalars[module.dtype(kind).type] = lambda v: v.item()
        for name in ("datetime64", "timedelta64"):
            self.numpy_scalars[getattr(module, name)] = lambda v: sys.modules["numpy"].asarray(v)


def _sized(tag, data):
    return tag + _U32.pack(len(data)) + data


def _limited(data):
    if len(data) > 4096:
        raise _Opaque("number of too many digits")
    return data


def _int(value):
    if -1 < value < 256:
        return _SMALL[value]
    data = value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True)
    if len(data) > 65536:
        raise _Opaque("int of more than 65536 bytes")
    return _sized(b"i", data)


_SMALL = [b"i\0\0\0" + (b"\1" if n < 128 else b"\2\0") + bytes([n]) for n in range(256)]


def _float(value):
    return b"f" + _F64.pack(value)


def _type_name(kind):
    name = type.__dict__["__name__"].__get__(kind)
    return name[:80] if type(name) is str else "?"


# --- the scoping of Python 3.11 ------------------------------------------------------------------------------------


class _OldComprehensions(ast.NodeTransformer):
    """Gives comprehensions at module level their own function scope back, as they had until Python 3.11.

    Later versions run them inside the surrounding scope, where they can see names that exist only in the ``locals``
    mapping given to ``exec``. Generator expressions kept their scope, so a list becomes ``[*(...)]``. Nothing inside
    a function or a class body is touched: there both versions see the same names.
    """

    def visit_FunctionDef(self, node):
        node.decorator_list = [self.visit(n) for n in node.decorator_list]
        node.args = self.visit(node.args)
        if node.returns is not None:
            node.returns = self.visit(node.returns)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        node.decorator_list = [self.visit(n) for n in node.decorator_list]
        node.bases = [self.visit(n) for n in node.bases]
        node.keywords = [self.visit(n) for n in node.keywords]
        return node

    def visit_Lambda(self, node):
        node.args = self.visit(node.args)
        return node

    def visit_GeneratorExp(self, node):
        node.generators[0].iter = self.visit(node.generators[0].iter)
        return node

    def _starred(self, display, node):
        inner = self.visit_GeneratorExp(ast.GeneratorExp(node.elt, node.generators))
        return ast.copy_location(display([ast.Starred(inner, ast.Load())]), node)

    def visit_ListComp(self, node):
        return self._starred(lambda items: ast.List(items, ast.Load()), node)

    def visit_SetComp(self, node):
        return self._starred(ast.Set, node)

    def visit_DictComp(self, node):
        pairs = ast.GeneratorExp(ast.Tuple([node.key, node.value], ast.Load()), node.generators)
        template = ast.parse("(lambda pairs: {k: v for k, v in pairs})(None)", mode="eval").body
        template.args = [self.visit_GeneratorExp(pairs)]
        return ast.copy_location(template, node)


def _compile(source, name, mode, paper):
    if not paper:
        return compile(source, name, mode)
    if sys.version_info < (3, 12):
        return compile(source, name, mode, dont_inherit=True)
    tree = compile(source, name, mode, ast.PyCF_ONLY_AST, dont_inherit=True, _feature_version=11)
    return compile(ast.fix_missing_locations(_OldComprehensions().visit(tree)), name, mode, dont_inherit=True)


# --- one candidate ---------------------------------------------------------------------------------------------------


class _Runner:
    """Runs the calls of one job in this child, and writes one frame for each."""

    def __init__(self, fd, job, encoder):
        self.fd = fd
        self.encoder = encoder
        self.paper = job["mode"] == "paper"
        self.source = job["source"]
        self.calls = job["calls"]
        self.limit = job["limit"]
        self.seed = job["seed"]
        # Children start from the same state, so only code that names these modules can need them put back.
        text = self.source + "\n".join(self.calls)
        self.seeds = "random" in text
        self.decimals = "decimal" in text
        # Module-level names that an answer declares global outlive a call, as they did in the published scorer.
        self.shared = {"__name__": "answer", "__builtins__": builtins}

    def write(self, kind, data=b"", write=os.write):
        frame = _HEADER.pack(ord(kind), len(data)) + data
        sent = write(self.fd, frame)
        while sent < len(frame):
            sent += write(self.fd, memoryview(frame)[sent:])

    def run(self):
        code, failure = None, None
        signal.setitimer(signal.ITIMER_PROF, self.limit)
        try:
            code = _compile(self.source, "<answer>", "exec", self.paper)
        except BaseException as error:
            failure = error
        for number, call in enumerate(self.calls):
            signal.setitimer(signal.ITIMER_PROF, self.limit)
            if code is None:
                self.write("E", _type_name(type(failure)).encode("utf-8", "replace"))
                continue
            try:
                self._fresh()
                value = self._call(code, call, number)
                data = self.encoder.encode(value)
            except _Opaque as reason:
                self.write("O", str(reason).encode("utf-8", "replace"))
            except BaseException as error:
                self.write("E", _type_name(type(error)).encode("utf-8", "replace"))
            else:
                self.write("V", data)

    def _call(self, code, call, number):
        call = call.lstrip(" \t")
        if self.paper:
            names = {}
            exec(code, self.shared, names)
            if number == 0:
                self.write("B")
            return eval(_compile(call, "<call>", "eval", True), self.shared, names)
        names = {"__name__": "answer", "__builtins__": builtins}
        broken = None
        try:
            exec(code, names)
        except Exception as error:
            # A demonstration that fails after the function was defined does not take the function away.
            broken = error
        if number == 0:
            self.write("B")
        try:
            return eval(_compile(call, "<call>", "eval", False), names)
        except NameError:
            if broken is not None:
                raise broken from None
            raise

    def _fresh(self):
        """What a call could leave behind for the next one, put back."""
        modules = sys.modules
        if self.seeds:
            modules["random"].seed(self.seed)
            if "numpy" in modules:
                modules["numpy"].random.seed(self.seed)
        if self.decimals:
            modules["decimal"].setcontext(modules["decimal"].Context())


# --- giving up rights ------------------------------------------------------------------------------------------


class _Kernel:
    """The few kernel interfaces that Python has no function for."""

    def __init__(self):
        import ctypes

        self.ctypes = ctypes
        self.libc = ctypes.CDLL(None, use_errno=True)
        unsigned = ctypes.c_ulong
        self.libc.prctl.argtypes = [ctypes.c_int, unsigned, unsigned, unsigned, unsigned]

    def check(self, result, what):
        if result < 0:
            number = self.ctypes.get_errno()
            raise OSError(number, f"{what}: {os.strerror(number)}")
        return result

    def prctl(self, option, value, what):
        self.check(self.libc.prctl(option, value, 0, 0, 0), what)

    def load_filter(self, program):
        """Prepares a seccomp filter for ``install``; kept alive by the returned object."""
        buffer = self.ctypes.create_string_buffer(program, len(program))
        head = struct.pack("@HP", len(program) // 8, self.ctypes.addressof(buffer))
        return self.ctypes.create_string_buffer(head, len(head)), buffer

    def install(self, prepared):
        self.check(self.libc.prctl(22, 2, self.ctypes.addressof(prepared[0]), 0, 0), "seccomp")

    def landlock(self, rules):
        """Leaves this process and its children only the rights the rules name; returns the ABI or 0."""
        abi = self.libc.syscall(444, None, self.ctypes.c_size_t(0), 1)
        if abi < 1:
            return 0
        rights = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF}.get(abi, 0xFFFF)
        # ABI 4 adds TCP bind and connect, ABI 6 abstract sockets and signals to outside.
        fields = [rights] + ([0x3] if abi >= 4 else []) + ([0x3] if abi >= 6 else [])
        attr = self.ctypes.create_string_buffer(struct.pack(f"={len(fields)}Q", *fields))
        size = self.ctypes.c_size_t(8 * len(fields))
        ruleset = self.check(self.libc.syscall(444, self.ctypes.byref(attr), size, 0), "landlock")
        for path, mode in rules:
            try:
                fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            write, read, listing = 0x2, 0x4, 0x8
            allowed = {"r": read | listing, "l": listing, "w": read | write}[mode]
            if not os.path.isdir(path):
                allowed &= ~listing
            rule = self.ctypes.create_string_buffer(struct.pack("=Qi", allowed, fd))
            self.check(self.libc.syscall(445, ruleset, 1, self.ctypes.byref(rule), 0), "landlock " + path)
            os.close(fd)
        self.check(self.libc.syscall(446, ruleset, 0), "landlock")
        os.close(ruleset)
        return abi


class _NamedDistributions:
    """Finds the top-level packages that the host named, and no other third-party code."""

    def __init__(self, places):
        self.places = places

    def find_spec(self, name, path=None, target=None):
        place = self.places.get(name)
        if place is None or path is not None:
            return None
        from importlib.util import spec_from_file_location

        if os.path.isdir(place):
            return spec_from_file_location(name, place + "/__init__.py", submodule_search_locations=[place])
        return spec_from_file_location(name, place)


def _read_exactly(fd, count):
    parts = []
    while count:
        data = os.read(fd, min(count, 1 << 20))
        if not data:
            raise EOFError
        parts.append(data)
        count -= len(data)
    return b"".join(parts)


def _read_json(fd):
    return json.loads(_read_exactly(fd, _U32.unpack(_read_exactly(fd, 4))[0]))


class Zygote:
    """The template process: sets itself up as told, then forks for every descriptor it is handed."""

    def __init__(self, control):
        # The number comes from a host that may have many files open; candidates may have 64.
        self.fd = 3
        if control != self.fd:
            os.dup2(control, self.fd)
            os.close(control)
        self.control = socket.socket(-1, -1, -1, self.fd)
        self.config = _read_json(self.fd)
        self.kernel = None
        self.child_filter = None

    def say(self, kind, data=b"", fds=()):
        """Sends one message, with descriptors, to the host."""
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack(f"={len(fds)}i", *fds))] if fds else []
        self.control.sendmsg([_HEADER.pack(ord(kind), len(data)) + data], ancillary)

    def prepare(self):
        """Loads what candidates will want, greets the host, and gives up every right that is not needed."""
        config = self.config
        if config["seccomp"] or config["landlock"] is not None or sys.platform == "linux":
            self.kernel = _Kernel()
        if config["distributions"]:
            sys.meta_path.append(_NamedDistributions(config["distributions"]))
        # ``random`` would seed itself anew in every child; it is seeded before every call anyway.
        register, os.register_at_fork = os.register_at_fork, lambda **hooks: None
        import random  # noqa: F401

        os.register_at_fork = register
        for name in PRELOAD:
            __import__(name)
        for name in config["preload"]:
            __import__(name)
        self.encoder = _Encoder(config["max_bytes"], config["max_nodes"])
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        for number in (signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        hello = json.dumps({"python": sys.version.split()[0], "worker": PROTOCOL, "pid": os.getpid()}).encode()
        # Complaints before this point reach the host; after it, candidates must have no pipe to fill.
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 2)
        os.close(null)
        own = [os.pidfd_open(os.getpid())] if hasattr(os, "pidfd_open") else []
        self.say("H", hello, own)
        for fd in own:
            os.close(fd)
        base = _read_json(self.fd)["address_space"]
        self._restrict(base)
        self._warm_up()
        # A collection in a child would touch, and so copy, pages that it shares with the template.
        gc.set_threshold(100_000, 50, 100)
        gc.collect()
        gc.freeze()
        self.say("R")

    def _warm_up(self):
        sink = os.open("/dev/null", os.O_WRONLY)
        for number in range(40):
            job = {
                "mode": ("strict", "paper")[number & 1],
                "source": _WARM_SOURCE,
                "calls": _WARM_CALLS,
                "limit": 60,
                "seed": 0,
            }
            _Runner(sink, json.loads(json.dumps(job)), self.encoder).run()
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.close(sink)

    def _restrict(self, base):
        import resource

        config = self.config
        self.resource = resource
        soft = {
            "RLIMIT_CORE": 0,
            "RLIMIT_FSIZE": 0,
            "RLIMIT_NOFILE": 64,
            "RLIMIT_AS": base + config["memory"],
        }
        for name, value in soft.items():
            if name == "RLIMIT_AS" and sys.platform != "linux":
                continue
            resource.setrlimit(getattr(resource, name), (value, value))
        if self.kernel is None:
            return
        self.kernel.prctl(4, 0, "PR_SET_DUMPABLE")
        if config["landlock"] is not None or config["seccomp"]:
            self.kernel.prctl(38, 1, "PR_SET_NO_NEW_PRIVS")
        if config["landlock"] is not None:
            self.kernel.landlock(config["landlock"])
        if config["seccomp"]:
            worker, child = (bytes.fromhex(program) for program in config["seccomp"])
            self.child_filter = self.kernel.load_filter(child)
            self.kernel.install(self.kernel.load_filter(worker))

    def serve(self):
        """Forks once for every byte that comes with a descriptor, until the host closes the socket."""
        while True:
            data, ancillary, _flags, _address = self.control.recvmsg(1, socket.CMSG_SPACE(4))
            if not data:
                return
            if not ancillary:
                # The host asks whether this process outlived a child that has died.
                self.say("A")
                continue
            job = struct.unpack("=i", ancillary[0][2][:4])[0]
            try:
                pid = os.fork()
            except OSError as error:
                os.close(job)
                self.say("F", str(error).encode())
                continue
            if pid == 0:
                self.child(job)
            os.close(job)
            self._report(pid)

    def _report(self, pid):
        data = _U32.pack(pid)
        try:
            handle = os.pidfd_open(pid)
        except (AttributeError, OSError):
            # It has ended already, or there are no such descriptors here.
            self.say("P", data)
            return
        self.say("P", data + b"d", [handle])
        os.close(handle)

    def child(self, job):
        """Never returns."""
        try:
            fd = job
            try:
                os.dup2(job, self.fd)
                os.close(job)
                fd = self.fd
                if self.kernel is not None:
                    self.kernel.prctl(1, signal.SIGKILL, "PR_SET_PDEATHSIG")
                if self.child_filter is None:
                    os.setpgid(0, 0)
                work = _read_json(fd)
                seconds = int(work["limit"] * len(work["calls"])) + 2
                self.resource.setrlimit(self.resource.RLIMIT_CPU, (seconds, seconds))
                if self.child_filter is not None:
                    self.kernel.install(self.child_filter)
            except BaseException as error:
                os.write(fd, _HEADER.pack(ord("X"), 0) if isinstance(error, EOFError) else _failure(error))
                os._exit(1)
            runner = _Runner(fd, work, self.encoder)
            runner.write("R")
            runner.run()
        finally:
            os._exit(0)


def _failure(error):
    text = f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:500]
    return _HEADER.pack(ord("X"), len(text)) + text


def main():
    """Entry point: sets up as the host says, then serves until it closes the socket."""
    zygote = Zygote(int(sys.argv[1]))
    try:
        zygote.prepare()
    except BaseException as error:
        data = f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:2000]
        zygote.say("X", data)
        os._exit(1)
    try:
        zygote.serve()
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
