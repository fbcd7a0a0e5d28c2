"""Which Python runs the answers, and exactly which of its files the sandbox may see.

The sandbox shows the base interpreter and a named list of distributions, file by file: never a virtual environment or
a ``site-packages`` as a whole, because this project, its tasks and their references may be installed in there.
"""

from __future__ import annotations

import functools
import glob
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from colbench.errors import ConfigurationError, SandboxError

__all__ = ["DISTRIBUTIONS", "Interpreter", "find_interpreter"]

DISTRIBUTIONS = ("numpy", "scipy", "pandas", "python-dateutil", "pytz", "tzdata", "six")
"""Third-party distributions that an answer may import where they are installed."""

# Runs in the interpreter to be described, outside the sandbox: it is the user's own Python.
_DESCRIBE = """
import importlib.metadata as metadata, json, os, platform, sys, sysconfig
names = json.loads(sys.argv[1])
found = {}
for name in names:
    try:
        dist = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        continue
    tops = {}
    for file in dist.files or ():
        parts = file.parts
        if not parts or parts[0].startswith("..") or os.path.isabs(str(file)) or parts[0] == "__pycache__":
            continue
        top = parts[0]
        if top.endswith((".dist-info", ".egg-info", ".pth", ".data")):
            continue
        tops[top] = str(dist.locate_file(top))
    if tops:
        found[name] = [dist.version, tops]
variables = sysconfig.get_config_vars()
print(json.dumps({
    "executable": os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable),
    "version": platform.python_version(),
    "implementation": sys.implementation.name,
    "prefix": sys.base_prefix,
    "exec_prefix": sys.base_exec_prefix,
    "stdlib": os.path.dirname(os.__file__),
    "dynload": variables.get("DESTSHARED"),
    "library": os.path.join(variables.get("LIBDIR") or "", variables.get("INSTSONAME") or ""),
    "triplet": variables.get("MULTIARCH") or "",
    "distributions": found,
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python that answers run on.

    Attributes:
        executable: the base interpreter's real path.
        version: for example ``3.11.7``.
        files: read-only paths that it needs: standard library, shared libraries, time zones.
        hidden: directories below ``files`` that the sandbox must cover, such as ``site-packages``.
        packages: top-level name in ``site-packages`` -> its path on this machine.
        distributions: name -> version of what ``packages`` comes from.
    """

    executable: str
    version: str
    files: tuple[str, ...]
    hidden: tuple[str, ...]
    packages: dict[str, str] = field(default_factory=dict)
    distributions: dict[str, str] = field(default_factory=dict)

    @property
    def importable(self) -> dict[str, str]:
        """Import name -> path, for the packages that can be imported by name."""
        names = {}
        for top, path in self.packages.items():
            if top.endswith(".py"):
                names[top[:-3]] = path
            elif top.isidentifier() and os.path.exists(os.path.join(path, "__init__.py")):
                names[top] = path
        return names


def find_interpreter(python: str | None = None, distributions: Iterable[str] = DISTRIBUTIONS) -> Interpreter:
    """Describes the interpreter that answers shall run on.

    Args:
        python: a path or a command name; the running interpreter by default. A virtual environment's Python stands
            for its base interpreter plus the named distributions installed in the environment.
        distributions: distributions that answers may import.

    Raises:
        ConfigurationError: there is no such interpreter, or it is older than 3.11 or not CPython.
        SandboxError: it could not be asked about itself.
    """
    command = sys.executable if python is None else shutil.which(python)
    if not command:
        raise ConfigurationError(f"python={python!r} is not an executable file and no command of that name is on PATH")
    return _describe(os.path.abspath(command), tuple(distributions))


@functools.lru_cache(maxsize=32)
def _describe(command: str, distributions: tuple[str, ...]) -> Interpreter:
    try:
        done = subprocess.run(
            [command, "-I", "-c", _DESCRIBE, json.dumps(distributions)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        facts = json.loads(done.stdout)
    except subprocess.CalledProcessError as error:
        raise SandboxError(f"{command} could not describe itself: {error.stderr.strip()[-500:]}") from error
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise SandboxError(f"{command} could not describe itself: {error}") from error
    if facts["implementation"] != "cpython" or tuple(map(int, facts["version"].split(".")[:2])) < (3, 11):
        raise ConfigurationError(
            f"{command} is {facts['implementation']} {facts['version']}; answers need CPython 3.11 or later"
        )
    packages: dict[str, str] = {}
    versions: dict[str, str] = {}
    for name, (version, tops) in facts["distributions"].items():
        versions[name] = version
        packages.update({top: path for top, path in tops.items() if os.path.exists(path)})
    files = _needed_files(facts)
    return Interpreter(
        executable=facts["executable"],
        version=facts["version"],
        files=files,
        hidden=_site_directories(files),
        packages=packages,
        distributions=versions,
    )


def _needed_files(facts: dict[str, str]) -> tuple[str, ...]:
    triplet = facts["triplet"]
    wanted = [facts["executable"], facts["stdlib"], facts["dynload"], facts["library"]]
    prefix = os.path.realpath(facts["prefix"])
    if prefix not in ("/usr", "/usr/local", "/"):
        # A self-contained Python (pyenv, conda, uv) keeps its shared libraries in its own lib folder.
        wanted.append(os.path.join(prefix, "lib"))
    if prefix.startswith("/nix/store/"):
        wanted.append("/nix/store")
    system = ["/lib64", "/usr/lib64", f"/lib/{triplet}", f"/usr/lib/{triplet}"] if triplet else []
    if not any(glob.glob(f"{folder}/libc.so*") + glob.glob(f"{folder}/libc.musl*") for folder in system):
        system += ["/lib", "/usr/lib"]
    # The loader's own path stands in every executable, so both spellings of a symlinked folder matter.
    wanted += system
    wanted.append("/usr/share/zoneinfo")
    chosen: list[str] = []
    for real in sorted({os.path.realpath(path) for path in wanted if path and os.path.exists(path)}, key=len):
        if not any(real.startswith(other + "/") for other in chosen):
            chosen.append(real)
    return tuple(chosen)


def _site_directories(files: Iterable[str]) -> tuple[str, ...]:
    found = []
    for folder in files:
        for pattern in ("", "python*/", "python*/*/", "*/python*/"):
            for name in ("site-packages", "dist-packages"):
                found += glob.glob(f"{folder}/{pattern}{name}")
    return tuple(sorted({path for path in found if Path(path).is_dir() and not Path(path).is_symlink()}))
