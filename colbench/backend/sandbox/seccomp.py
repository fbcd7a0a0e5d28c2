"""The system calls that code inside the sandbox may make, as two seccomp filters.

The kernel's surface is what a hostile answer has left once files, network and processes are out of sight, so the
list is an allow-list: what is not named is refused with ``EPERM``. Two filters stack, because the worker must do
what its children must not: the *worker* filter is the allow-list, installed once; the *child* filter, small and so
cheap to install for every candidate, takes away new processes, passing descriptors and changing limits.
The host builds both and sends them as bytes; the worker only installs them.
"""

from __future__ import annotations

import errno
import platform
import struct

__all__ = ["ALLOWED", "build_child_filter", "build_worker_filter", "supported"]

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
_X32_BIT = 0x40000000

# name: (x86-64, aarch64). None where the architecture has no such call.
ALLOWED: dict[str, tuple[int | None, int | None]] = {
    # files, reading mostly: what is visible and writable is the mount namespace's business
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "close": (3, 57),
    "close_range": (436, 436),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "stat": (4, None),
    "lstat": (6, None),
    "statx": (332, 291),
    "lseek": (8, 62),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "open": (2, None),
    "openat": (257, 56),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "fadvise64": (221, 223),
    "umask": (95, 166),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "pipe": (22, None),
    "pipe2": (293, 59),
    # memory
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "mincore": (27, 232),
    "brk": (12, 214),
    "get_mempolicy": (239, 236),
    # signals of one's own, threads, time
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137),
    "rt_sigpending": (127, 136),
    "sigaltstack": (131, 132),
    "pause": (34, None),
    "alarm": (37, None),
    "setitimer": (38, 103),
    "getitimer": (36, 102),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "futex": (202, 98),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "restart_syscall": (219, 128),
    "arch_prctl": (158, None),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "exit": (60, 93),
    "exit_group": (231, 94),
    # who am I
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getpgrp": (111, None),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "getrandom": (318, 278),
    # waiting inside one process, so that an answer may use asyncio
    "select": (23, None),
    "pselect6": (270, 72),
    "poll": (7, None),
    "ppoll": (271, 73),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "eventfd2": (290, 19),
    "recvfrom": (45, 207),
}

# Allowed to the worker alone; the child filter takes them away.
_WORKER_ONLY: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None),
    "vfork": (58, None),
    "setrlimit": (160, 164),
    "seccomp": (317, 277),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "pidfd_open": (434, 434),
}

_CLONE, _CLONE3 = (56, 220), (435, 435)
_FCNTL, _IOCTL = (72, 25), (16, 29)
_PRCTL, _PRLIMIT = (157, 167), (302, 261)
_SOCKETPAIR, _SENDTO = (53, 199), (44, 206)

_CLONE_THREAD = 0x00010000
# Any namespace, CLONE_PTRACE, CLONE_PARENT, CLONE_PIDFD.
_CLONE_FORBIDDEN = 0x7E020000 | 0x00000080 | 0x00002000 | 0x00008000 | 0x00001000
_FCNTL_ALLOWED = (0, 1, 2, 3, 4, 1030)  # duplicate, descriptor flags, status flags; never F_SETOWN or F_SETSIG
_IOCTL_ALLOWED = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # what isatty, pipes and asyncio ask
_PR_SET_NAME, _PR_GET_NAME, _PR_SET_PDEATHSIG, _PR_SET_SECCOMP = 15, 16, 1, 22

_LD, _JEQ, _JSET, _JGE, _RET = 0x20, 0x15, 0x45, 0x35, 0x06
_RET_ALLOW = 0x7FFF0000
_RET_KILL = 0x80000000
_RET_EPERM = 0x00050000 | errno.EPERM
_RET_ENOSYS = 0x00050000 | errno.ENOSYS
_NR, _ARCH = 0, 4

_Insn = tuple[int, int, int, int]


def supported(machine: str | None = None) -> bool:
    """Whether there are tables for this machine."""
    return (machine or platform.machine()).lower() in _MACHINES


def _arg(index: int, *, high: bool = False) -> int:
    return 16 + 8 * index + (4 if high else 0)


def _ret(value: int) -> _Insn:
    return (_RET, 0, 0, value)


def _rule(nr: int | None, block: list[_Insn]) -> list[_Insn]:
    """``block`` for one system call; every path through it must return."""
    return [] if nr is None else [(_JEQ, 0, len(block), nr), *block]


def _allow_values(arg: int, values: tuple[int, ...]) -> list[_Insn]:
    block: list[_Insn] = [(_LD, 0, 0, _arg(arg))]
    for value in values:
        block += [(_JEQ, 0, 1, value), _ret(_RET_ALLOW)]
    return [*block, _ret(_RET_EPERM)]


def _prologue(arch: str) -> list[_Insn]:
    check: list[_Insn] = [
        (_LD, 0, 0, _ARCH),
        (_JEQ, 1, 0, _AUDIT_ARCH[arch]),
        _ret(_RET_KILL),
        (_LD, 0, 0, _NR),
    ]
    if arch == "x86_64":
        check += [(_JGE, 0, 1, _X32_BIT), _ret(_RET_KILL)]
    return check


def _pack(program: list[_Insn]) -> bytes:
    return b"".join(struct.pack("=HBBI", *insn) for insn in program)


def _column(machine: str | None) -> tuple[str, int]:
    name = (machine or platform.machine()).lower()
    if name not in _MACHINES:
        raise ValueError(f"no system call table for machine {name!r}; there are tables for x86-64 and aarch64")
    arch = _MACHINES[name]
    return arch, 0 if arch == "x86_64" else 1


def build_worker_filter(machine: str | None = None) -> bytes:
    """The allow-list, for the worker and all it forks.

    Args:
        machine: as ``platform.machine()`` says it; the running one by default.

    Raises:
        ValueError: there is no table for the machine.
    """
    arch, col = _column(machine)
    program = _prologue(arch)
    for numbers in (*ALLOWED.values(), *_WORKER_ONLY.values()):
        program += _rule(numbers[col], [_ret(_RET_ALLOW)])
    no_namespaces: list[_Insn] = [
        (_LD, 0, 0, _arg(0)),
        (_JSET, 0, 1, _CLONE_FORBIDDEN),
        _ret(_RET_EPERM),
        _ret(_RET_ALLOW),
    ]
    program += _rule(_CLONE[col], no_namespaces)
    # glibc falls back to clone, whose flags a filter can read, when clone3 does not exist.
    program += _rule(_CLONE3[col], [_ret(_RET_ENOSYS)])
    program += _rule(_FCNTL[col], _allow_values(1, _FCNTL_ALLOWED))
    program += _rule(_IOCTL[col], _allow_values(1, _IOCTL_ALLOWED))
    program += _rule(_PRCTL[col], _allow_values(0, (_PR_SET_NAME, _PR_GET_NAME, _PR_SET_PDEATHSIG, _PR_SET_SECCOMP)))
    own_limits = _all_zero((_arg(0), _arg(0, high=True)))
    program += _rule(_PRLIMIT[col], own_limits)
    # asyncio talks to itself over a pair of Unix sockets; sending to any address is another matter.
    program += _rule(_SOCKETPAIR[col], _allow_values(0, (1,)))
    program += _rule(_SENDTO[col], _all_zero((_arg(4), _arg(4, high=True))))
    return _pack([*program, _ret(_RET_EPERM)])


def build_child_filter(machine: str | None = None) -> bytes:
    """What a candidate loses on top: new processes, other limits, descriptors passed over a socket.

    Args:
        machine: as ``platform.machine()`` says it; the running one by default.

    Raises:
        ValueError: there is no table for the machine.
    """
    arch, col = _column(machine)
    program = _prologue(arch)
    for numbers in _WORKER_ONLY.values():
        program += _rule(numbers[col], [_ret(_RET_EPERM)])
    threads_only: list[_Insn] = [
        (_LD, 0, 0, _arg(0)),
        (_JSET, 1, 0, _CLONE_THREAD),
        _ret(_RET_EPERM),
        _ret(_RET_ALLOW),
    ]
    program += _rule(_CLONE[col], threads_only)
    program += _rule(_PRCTL[col], _allow_values(0, (_PR_SET_NAME, _PR_GET_NAME)))
    # Reading one's own limits is prlimit64(0, which, NULL, out).
    program += _rule(_PRLIMIT[col], _all_zero((_arg(0), _arg(0, high=True), _arg(2), _arg(2, high=True))))
    return _pack([*program, _ret(_RET_ALLOW)])


def _all_zero(offsets: tuple[int, ...]) -> list[_Insn]:
    block: list[_Insn] = []
    for offset in offsets:
        block += [(_LD, 0, 0, offset), (_JEQ, 1, 0, 0), _ret(_RET_EPERM)]
    return [*block, _ret(_RET_ALLOW)]
