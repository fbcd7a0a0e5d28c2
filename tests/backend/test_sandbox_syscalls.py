"""The kernel's side of the sandbox: every dangerous call is refused by name, and ordinary work is not."""

from __future__ import annotations

import json
import platform

import pytest

from colbench.backend.grading import Grader
from colbench.backend.sandbox import seccomp

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86-64")

# name -> (number, first arguments)
REFUSED = {
    "execve": (59, ()),
    "execveat": (322, ()),
    "fork": (57, ()),
    "vfork": (58, ()),
    "clone as a process": (56, (17,)),
    "clone into namespaces": (56, (0x10000000 | 0x00010000,)),
    "ptrace": (101, (0,)),
    "process_vm_readv": (310, (1,)),
    "process_vm_writev": (311, (1,)),
    "pidfd_open": (434, (1,)),
    "pidfd_getfd": (438, (3, 0, 0)),
    "pidfd_send_signal": (424, (3, 9)),
    "kill": (62, (1, 0)),
    "tkill": (200, (1, 0)),
    "tgkill": (234, (1, 1, 0)),
    "rt_sigqueueinfo": (129, (1, 0)),
    "socket unix": (41, (1, 1, 0)),
    "socket inet": (41, (2, 1, 0)),
    "socketpair inet": (53, (2, 1, 0)),
    "connect": (42, (3,)),
    "bind": (49, (3,)),
    "sendmsg": (46, (3,)),
    "recvmsg": (47, (3,)),
    "mount": (165, ()),
    "umount2": (166, ()),
    "pivot_root": (155, ()),
    "chroot": (161, ()),
    "unshare": (272, (0x10000000,)),
    "setns": (308, (3, 0)),
    "shmget": (29, (0, 4096, 0o1600)),
    "semget": (64, (0, 1, 0o1600)),
    "msgget": (68, (0, 0o1600)),
    "mq_open": (240, ()),
    "keyctl": (250, (0,)),
    "add_key": (248, ()),
    "io_uring_setup": (425, (1,)),
    "bpf": (321, ()),
    "userfaultfd": (323, (0,)),
    "perf_event_open": (298, ()),
    "prlimit64 of another": (302, (1, 0, 0, 0)),
    "setrlimit": (160, (7,)),
    "sched_setaffinity": (203, (1,)),
    "sched_setscheduler": (144, (1,)),
    "setpriority": (141, (0, 1, 5)),
    "fcntl F_SETOWN": (72, (0, 8, 1)),
    "fcntl F_SETSIG": (72, (0, 10, 9)),
    "prctl PR_SET_DUMPABLE": (157, (4, 1)),
    "prctl PR_SET_SECCOMP": (157, (22, 0)),
    "prctl PR_SET_PDEATHSIG": (157, (1, 0)),
    "seccomp": (317, (0,)),
    "setuid": (105, (0,)),
    "capset": (126, ()),
    "personality": (135, (0,)),
    "memfd_create": (319, ()),
    "init_module": (175, ()),
    "kexec_load": (246, ()),
    "reboot": (169, ()),
    "ioctl TIOCSTI": (16, (0, 0x5412)),
    "timer_create": (222, ()),
}

TRY = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def attempt(number, *arguments):
    ctypes.set_errno(0)
    if libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in arguments]) == 0 and number in (56, 57, 58):
        os._exit(0)
    return ctypes.get_errno()
"""


@pytest.fixture(scope="module")
def grader():
    with Grader(workers=1, isolation="auto", allow_weaker=True) as grader:
        yield grader


def test_dangerous_calls_are_refused(grader: Grader) -> None:
    calls = [f"attempt({number}, {', '.join(map(str, arguments)) or 0})" for number, arguments in REFUSED.values()]
    got = grader.evaluate(TRY, calls)
    through = {
        name: evaluation.value.tree if evaluation.value is not None else evaluation.status
        for name, evaluation in zip(REFUSED, got, strict=True)
        if evaluation.value is None or evaluation.value.tree != 1
    }
    assert through == {}


def test_clone3_does_not_exist(grader: Grader) -> None:
    (evaluation,) = grader.evaluate(TRY, ["attempt(435, 0, 0)"])
    assert evaluation.value is not None and evaluation.value.tree == 38


def test_another_architecture_is_killed(grader: Grader) -> None:
    x32 = TRY + "\ndef f():\n    return attempt(0x40000000 + 39)\n"
    assert [evaluation.status for evaluation in grader.evaluate(x32, ["f()", "1 + 1"])] == ["crashed", "value"]


ORDINARY = """
import asyncio, concurrent.futures, datetime, hashlib, os, random, tempfile, threading, time, zoneinfo

def threads():
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return sum(pool.map(lambda n: n * n, range(50)))

async def double(n):
    await asyncio.sleep(0.001)
    return 2 * n

def loop():
    async def many():
        return await asyncio.gather(*(double(n) for n in range(5)))
    return asyncio.run(many())

def devices():
    with open(os.devnull, "w") as sink, open("/dev/urandom", "rb") as source:
        sink.write("x")
        return len(source.read(8))

def clocks():
    return time.time() > 1e9 and time.perf_counter() > 0 and datetime.datetime.now().year > 2000

def zone():
    return datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Paris")).utcoffset().total_seconds()

def rest():
    import csv, logging, multiprocessing, secrets, sqlite3, subprocess, unittest.mock, urllib.parse
    library = os.listdir(os.path.dirname(os.__file__))
    return sqlite3.connect(":memory:").execute("select 1 + 1").fetchone()[0] + len(library)
"""


def test_ordinary_programs_work(grader: Grader) -> None:
    got = grader.evaluate(ORDINARY, ["threads()", "loop()", "devices()", "clocks()", "zone()", "rest()"])
    assert [evaluation.status for evaluation in got] == ["value"] * 6, got
    values = [json.loads(evaluation.value.text.lower()) for evaluation in got[:5] if evaluation.value is not None]
    assert values == [40425, [0, 2, 4, 6, 8], 8, True, 7200.0]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_filters_are_well_formed(machine: str) -> None:
    for program in (seccomp.build_worker_filter(machine), seccomp.build_child_filter(machine)):
        instructions = [program[at : at + 8] for at in range(0, len(program), 8)]
        assert 10 < len(instructions) < 4096
        for at, (*code, then, otherwise, _, _, _, _) in enumerate(instructions):
            if int.from_bytes(bytes(code), "little") & 7 == 5:
                assert at + 1 + max(then, otherwise) < len(instructions)
        assert instructions[-1][0] == 6
    column = 0 if machine == "x86_64" else 1
    numbers = [pair[column] for pair in seccomp.ALLOWED.values() if pair[column] is not None]
    assert len(numbers) == len(set(numbers))
    assert not {number for number, _ in REFUSED.values()} & set(numbers) - {16, 53, 56, 72, 157, 302} or column


def test_unknown_machines_are_named() -> None:
    assert not seccomp.supported("riscv64")
    with pytest.raises(ValueError, match="riscv64"):
        seccomp.build_child_filter("riscv64")
