"""How much memory a browser and its children hold, so that a page cannot fill the machine."""

from __future__ import annotations

from pathlib import Path

__all__ = ["tree_memory"]


def tree_memory(root: int) -> int | None:
    """Bytes of private and shared memory that a process and its descendants hold; None where /proc does not exist."""
    children: dict[int, list[int]] = {}
    try:
        entries = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    except OSError:
        return None
    if not entries:
        return None
    for pid in entries:
        parent = _parent(pid)
        if parent is not None:
            children.setdefault(parent, []).append(pid)
    total, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        total += _held(pid)
        waiting.extend(children.get(pid, ()))
    return total


def _parent(pid: int) -> int | None:
    try:
        # The command's name stands in brackets and may hold anything, brackets and spaces too.
        return int(Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None


def _held(pid: int) -> int:
    held = 0
    try:
        for line in Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines():
            if line.startswith(("RssAnon:", "RssShmem:", "VmSwap:")):
                held += int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return held
