"""What the kernel says about a child, read from outside: its number, its share of the processor, its threads."""

from __future__ import annotations

import os

__all__ = ["pid_of", "thread_count", "usage"]


def pid_of(pidfd: int) -> int:
    """The process id, as this process sees it, behind a descriptor of a process; 0 when nobody says."""
    try:
        with open(f"/proc/self/fdinfo/{pidfd}") as file:
            for line in file:
                if line.startswith("Pid:"):
                    return max(int(line.split()[1]), 0)
    except (OSError, ValueError):
        pass
    return 0


def usage(pid: int) -> tuple[float, float]:
    """Seconds that a process's main thread waited for a processor, and that all its threads used one; else zeros."""
    try:
        with open(f"/proc/{pid}/schedstat", "rb") as file:
            waited = int(file.read().split()[1]) / 1e9
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return waited, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0, 0.0


def thread_count(pid: int) -> int:
    """Number of threads of a process; 0 when nobody says."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[17])
    except (OSError, ValueError, IndexError):
        return 0
