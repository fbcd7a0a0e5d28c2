"""What the audit sees of the machine while an attack runs: processes that belong to it, and the memory they use.

Everything is read from /proc; where there is none (macOS) the answers are empty and the auditor says less.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

__all__ = ["kill_all", "marked_processes", "peak_bytes", "tree", "tree_bytes", "tree_threads"]

_PAGE = os.sysconf("SC_PAGE_SIZE")


def _pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _parent_and_state(pid: int) -> tuple[int, str] | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1]), fields[0]


def tree(root: int) -> dict[int, str]:
    """Process id -> state letter of the process and all its descendants."""
    known = {pid: facts for pid in _pids() if (facts := _parent_and_state(pid)) is not None}
    found = {root: known[root][1]} if root in known else {}
    grown = True
    while grown:
        grown = False
        for pid, (parent, state) in known.items():
            if parent in found and pid not in found:
                found[pid] = state
                grown = True
    return found


def tree_bytes(root: int) -> int:
    """Memory of the process and its descendants, in bytes; shared pages are divided among those that share them."""
    return sum(_proportional_bytes(pid) for pid in tree(root))


def _proportional_bytes(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    # The kernel shows that only to who may trace the process; what is left counts shared pages more than once.
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/statm").read_text().split()
        return (int(fields[1]) - int(fields[2])) * _PAGE
    return 0


def tree_threads(root: int) -> int:
    """Number of threads of the process and its descendants."""
    total = 0
    for pid in tree(root):
        with contextlib.suppress(OSError, ValueError, IndexError):
            total += int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[17])
    return total


def peak_bytes(pid: int) -> int:
    """Highest resident memory the process ever had, in bytes; 0 where it is not known."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def marked_processes(token: str) -> list[int]:
    """Processes, other than this one, whose command line or inherited environment holds the token."""
    mark = token.encode()
    found = []
    for pid in _pids():
        for part in ("environ", "cmdline"):
            with contextlib.suppress(OSError):
                if pid != os.getpid() and mark in Path(f"/proc/{pid}/{part}").read_bytes():
                    found.append(pid)
                    break
    return found


def kill_all(pids: list[int]) -> None:
    """SIGKILL to each; a process that is gone already is no error."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    if pids:
        time.sleep(0.05)
