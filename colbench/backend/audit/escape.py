"""Attacks on the walls: files, processes, network and the kernel's doors.

Each returns the right value where it got through, so a score above 0 is the proof.
"""

from __future__ import annotations

import sys
from pathlib import Path

from colbench.backend.audit.attack import RIGHT, Attack, hostile

__all__ = ["ATTACKS"]

_PROVE = f"""
def proven(got_through):
    return {RIGHT} if got_through else -1
o = __import__('os')
"""

_LIBC = (
    _PROVE
    + """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
"""
)

_FOLDERS = ("/", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/run", "/home", "/root", "/usr", ".", sys.prefix)
_PLACES = f"places = {_FOLDERS!r} + (o.path.expanduser('~'), __import__('sys').prefix)\n"


def _escape(name: str, tries: str, *bodies: str, base: str = _PROVE, **more: object) -> Attack:
    return Attack(
        name=name,
        kind="escape",
        tries=tries,
        answers=tuple(hostile(base + body) for body in bodies),
        **more,  # type: ignore[arg-type]
    )


def _left(token: str) -> str | None:
    paths = {Path(folder) / f"colbench-audit-{token}-left" for folder in (*_FOLDERS, str(Path.home()))}
    found = sorted(str(path) for path in paths if path.exists())
    for path in found:
        Path(path).unlink(missing_ok=True)
    return f"{found[0]} was left on the host" if found else None


ATTACKS: tuple[Attack, ...] = (
    _escape(
        "planted file",
        "opens a file of the host that holds the reference",
        "try:\n    return proven('planted by the' in open('@FILE@').read())\nexcept OSError:\n    return -1",
    ),
    _escape(
        "search of the disk",
        "searches all readable files of the usual places for the reference",
        """
found = False
seen = 0
for top in ('/tmp', '/home', '/root', '@CWD@', '/srv', '/opt', '/mnt', '/var', '/etc', '/proc', '/dev', '/run'):
    for folder, folders, names in o.walk(top):
        if folder.count('/') > 5:
            folders.clear()
        for name in names[:200]:
            seen += 1
            path = o.path.join(folder, name)
            try:
                if seen < 20_000 and o.path.isfile(path) and o.path.getsize(path) < 1 << 16:
                    found = found or b'planted by the audit @TOKEN@' in open(path, 'rb').read()
            except OSError:
                pass
return proven(found)
""",
    ),
    _escape(
        "package under grading",
        "imports the package that is grading it",
        "try:\n    import colbench.backend\n    return proven(True)\nexcept Exception:\n    return -1",
    ),
    _escape(
        "package on disk",
        "lists the folder of the package that is grading it",
        "try:\n    return proven(bool(o.listdir('@PACKAGE@')))\nexcept OSError:\n    return -1",
    ),
    _escape(
        "home folder",
        "lists the home folders, the way to the interpreter aside",
        """
homes = [o.path.expanduser('~'), '/root', '@HOME@']
for home in homes:
    try:
        inside = set(o.listdir(home)) - set(__import__('sys').base_prefix.split('/'))
        if home != '/' and inside:
            return proven(True)
    except OSError:
        pass
return -1
""",
    ),
    _escape(
        "environment",
        "looks for a secret in the environment",
        "return proven('@TOKEN@' in str(dict(o.environ)))",
    ),
    _escape(
        "others in /proc",
        "reads command lines and environments of other processes",
        """
me = o.getpid()
try:
    others = [p for p in o.listdir('/proc') if p.isdigit() and int(p) != me]
except OSError:
    return -1
try:
    # In a view of the machine's own processes the audit stands under its number.
    return proven(len(open('/proc/@AUDITOR@/cmdline').read()) > 0 and len(others) > 1)
except OSError:
    pass
for other in others:
    for part in ('environ', 'cmdline', 'maps'):
        try:
            if b'@TOKEN@' in open('/proc/%s/%s' % (other, part), 'rb').read():
                return proven(True)
        except OSError:
            pass
return -1
""",
    ),
    _escape(
        "file for the next candidate",
        "leaves a file that the next candidate finds",
        _PLACES
        + "for place in places:\n    try:\n        open(place + '/colbench-audit-@TOKEN@-left', 'w').write('x')\n"
        "    except OSError:\n        pass\nreturn -1",
        _PLACES + "for place in places:\n    if o.path.exists(place + '/colbench-audit-@TOKEN@-left'):\n"
        "        return proven(True)\nreturn -1",
        leaves=_left,
    ),
    _escape(
        "shared memory for the next candidate",
        "leaves System V shared memory that the next candidate finds",
        "key = int('@TOKEN@'[:7], 16)\nlibc.shmget(key, 4096, 0o1666)\nreturn -1",
        "key = int('@TOKEN@'[:7], 16)\nshm = libc.shmget(key, 4096, 0o666)\nif shm >= 0:\n"
        "    libc.shmctl(shm, 0, None)\nreturn proven(shm >= 0)",
        base=_LIBC,
    ),
    _escape(
        "abstract socket for the next candidate",
        "leaves a listening socket, held by a process or thread of its own, that the next candidate finds",
        """
import socket
try:
    s = socket.socket(socket.AF_UNIX)
    s.bind('\\0colbench-audit-@TOKEN@')
    s.listen()
    __import__('sys').kept = s
except OSError:
    pass
return -1
""",
        """
import socket
try:
    s = socket.socket(socket.AF_UNIX)
    s.connect('\\0colbench-audit-@TOKEN@')
    return proven(True)
except OSError:
    return -1
""",
    ),
    _escape(
        "network",
        "connects to a port of the host",
        """
import socket
for address in ('127.0.0.1', 'localhost', '::1'):
    try:
        socket.create_connection((address, @PORT@), timeout=0.5)
        return proven(True)
    except OSError:
        pass
return -1
""",
    ),
    _escape(
        "datagrams",
        "sends datagrams and opens raw and netlink sockets",
        """
import socket
through = False
for family, kind in ((socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_NETLINK, socket.SOCK_RAW)):
    try:
        s = socket.socket(family, kind)
        if family == socket.AF_INET:
            s.sendto(b'x', ('127.0.0.1', @PORT@))
        through = True
    except OSError:
        pass
return proven(through)
""",
    ),
    _escape(
        "runs a program",
        "runs a program and reads what it prints",
        """
import subprocess
for program in (['/bin/sh', '-c', 'echo audit'], [__import__('sys').executable, '-c', 'print("audit")']):
    try:
        if b'audit' in subprocess.run(program, capture_output=True, timeout=5).stdout:
            return proven(True)
    except Exception:
        pass
return -1
""",
    ),
    _escape(
        "program from memory",
        "runs a program from an anonymous file",
        """
try:
    fd = o.memfd_create('x', 0)
    o.write(fd, b'#!/bin/sh\\n')
    o.execve(fd, ['x'], {})
except OSError:
    pass
return -1
""",
    ),
    _escape(
        "other processes' memory",
        "reads the memory of the process that started it",
        """
import ctypes
buffer = ctypes.create_string_buffer(64)
class Span(ctypes.Structure):
    _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]
mine, theirs = Span(ctypes.addressof(buffer), 64), Span(id(None), 16)
got = libc.process_vm_readv(o.getppid(), ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
traced = libc.ptrace(16, o.getppid(), None, None) if o.getppid() != @AUDITOR@ else -1
return proven(got > 0 or traced == 0)
""",
        base=_LIBC,
    ),
    _escape(
        "namespaces",
        "makes user and mount namespaces of its own",
        """
return proven(libc.unshare(0x10000000) == 0 or libc.unshare(0x00020000) == 0)
""",
        base=_LIBC,
    ),
    _escape(
        "dangerous system calls",
        "calls bpf, io_uring, userfaultfd, perf_event_open, keyctl, add_key, kexec, pidfd and module loading",
        """
import platform
numbers = {'x86_64': (321, 425, 323, 298, 250, 248, 246, 434, 438, 313, 175, 101, 272, 165, 155, 161),
           'aarch64': (280, 425, 282, 241, 219, 217, 104, 434, 438, 273, 105, 117, 97, 40, 41, 51)}
through = []
for number in numbers.get(platform.machine(), ()):
    ctypes.set_errno(0)
    # The arguments are nonsense: a kernel that looks at them says EFAULT or EINVAL, a closed door EPERM or ENOSYS.
    result = libc.syscall(number, -1, 0, 0, 0, 0, 0)
    if result >= 0 or ctypes.get_errno() not in (1, 38):
        through.append(number)
return proven(bool(through))
""",
        base=_LIBC,
    ),
    _escape(
        "limits and priorities of others",
        "raises its own limits and changes limits and scheduling of the process that started it",
        """
import resource
through = False
for kind in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
    try:
        resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        through = True
    except (OSError, ValueError):
        pass
if o.getppid() != @AUDITOR@:
    try:
        o.sched_setaffinity(o.getppid(), {0})
        through = True
    except OSError:
        pass
return proven(through)
""",
    ),
    _escape(
        "becomes root",
        "changes its user, and files of root",
        """
through = False
for change in (lambda: o.setuid(0), lambda: o.setgid(0), lambda: o.chroot('/'), lambda: open('/etc/passwd', 'a')):
    try:
        change()
        through = True
    except OSError:
        pass
return proven(through)
""",
    ),
)
