"""The browser inside a box without a network, started so that it can be killed from outside.

Playwright starts the browser itself and keeps its process to itself. So it is given a small script to start instead:
the script writes its process number down, for the outer wall clock, and becomes the browser, inside bubblewrap where
that works. In there: no network, an unprivileged user, no files but the system's own, and death with the parent.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Box", "bubblewrap_problem", "make_box"]

_PREFIX = "colbench-browser-"
_STALE_S = 3_600.0

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_CONFIGURATION = (
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/var/cache/fontconfig",
    "/nix/store",
)


@dataclass(frozen=True)
class Box:
    """A folder with the start script of one browser; removed with :meth:`remove`.

    Attributes:
        folder: private to this browser.
        script: what Playwright starts.
        isolated: whether the script uses bubblewrap.
    """

    folder: Path
    script: Path
    isolated: bool

    @property
    def pid(self) -> int | None:
        """Process number of the browser (or of the bubblewrap around it), None before the start."""
        try:
            return int((self.folder / "pid").read_text())
        except (OSError, ValueError):
            return None

    def kill(self) -> None:
        """End the browser and everything it started at once."""
        pid = self.pid
        if pid is None or not _is_ours(pid, self.folder):
            return
        # Playwright starts the script as the leader of a process group of its own.
        for kill in (os.killpg, os.kill):
            try:
                kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _is_ours(pid: int, folder: Path) -> bool:
    """Guard against a process number that the system has given to somebody else since."""
    environment = Path(f"/proc/{pid}/environ")
    if not Path("/proc/self").exists():
        return True
    try:
        return os.fsencode(f"COLBENCH_BOX={folder}") in environment.read_bytes()
    except OSError:
        return False


def bubblewrap_problem(browser: Path) -> str | None:
    """Why bubblewrap cannot be used here, or None if it can."""
    if not sys.platform.startswith("linux"):
        return f"bubblewrap does not exist on {sys.platform}"
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (apt-get install bubblewrap)"
    command = [program, *_arguments(browser), "/bin/true"]
    try:
        tried = subprocess.run(command, capture_output=True, timeout=20, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    if tried.returncode:
        return tried.stderr.decode("utf-8", "replace").strip() or f"bwrap ended with status {tried.returncode}"
    return None


def _arguments(browser: Path) -> list[str]:
    arguments = ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--uid", "65534", "--gid", "65534"]
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            arguments += ["--symlink", os.readlink(path), name]
        elif path.is_dir():
            arguments += ["--ro-bind", name, name]
    for name in _CONFIGURATION:
        arguments += ["--ro-bind-try", name, name]
    # The temporary folder is empty and lives in memory: the browser's profile dies with it.
    arguments += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/run"]
    temporary = os.path.realpath(tempfile.gettempdir())
    if temporary != "/tmp":
        arguments += ["--tmpfs", temporary]
    folder = str(browser.parent)
    if not folder.startswith(("/usr/", "/bin/", "/nix/store/")):
        arguments += ["--ro-bind", folder, folder]
    arguments += ["--chdir", "/tmp"]
    return arguments


def _sweep() -> None:
    """Remove what processes that were killed left behind."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            old = time.time() - folder.stat().st_mtime > _STALE_S
            pid = Box(folder, folder / "browser", False).pid
        except OSError:
            continue
        if old and (pid is None or not _is_ours(pid, folder)):
            shutil.rmtree(folder, ignore_errors=True)


def make_box(browser: Path, isolated: bool) -> Box:
    """Write the start script for one browser."""
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    script = folder / "browser"
    command = [str(browser)]
    if isolated:
        program = shutil.which("bwrap") or "bwrap"
        command = [program, *_arguments(browser), "--", str(browser)]
    words = " ".join(shlex.quote(word) for word in command)
    number = shlex.quote(str(folder / "pid"))
    script.write_text(f'#!/bin/sh\necho $$ > {number}\nexec {words} "$@"\n', encoding="utf-8")
    script.chmod(0o700)
    return Box(folder, script, isolated)
