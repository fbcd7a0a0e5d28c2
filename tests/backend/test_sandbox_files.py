"""What a candidate can see: the base Python and the named distributions, and nothing of this project or its user."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

import pytest

import colbench
from colbench.backend.grading import Grader, probe_isolation
from colbench.backend.sandbox.interpreter import find_interpreter
from colbench.errors import ConfigurationError

WALK = """
import os, stat

def find(needle, roots=("/",)):
    needle = needle.encode()
    hits, files = [], 0
    for root in roots:
        for folder, _, names in os.walk(root):
            for name in names:
                path = os.path.join(folder, name)
                try:
                    if not stat.S_ISREG(os.stat(path).st_mode):
                        continue
                    with open(path, "rb") as file:
                        files += 1
                        tail = b""
                        while chunk := file.read(1 << 20):
                            if needle in tail + chunk:
                                hits.append(path)
                                break
                            tail = chunk[-len(needle):]
                except OSError:
                    pass
    return files, hits

def writable():
    found = []
    for folder, folders, names in os.walk("/"):
        for name in [*folders, *names]:
            path = os.path.join(folder, name)
            if not path.startswith("/dev/") and os.access(path, os.W_OK):
                found.append(path)
    return found[:5]

def descriptors():
    found = []
    for fd in range(64):
        try:
            found.append((fd, stat.S_IFMT(os.fstat(fd).st_mode) == stat.S_IFSOCK))
        except OSError:
            pass
    return found
"""


@pytest.fixture(scope="module")
def grader():
    if probe_isolation().level != "full":
        pytest.skip("full isolation is not to be had here")
    with Grader(workers=1, call_seconds=60, distributions=["numpy"]) as grader:
        yield grader


def test_no_readable_file_holds_a_reference(grader: Grader) -> None:
    needle = "planted_" + secrets.token_hex(8)
    package = Path(colbench.__file__).parent
    places = [package / f"{needle}.txt", Path.home() / f".{needle}", Path("/tmp") / needle]
    try:
        for place in places:
            place.write_text(f"# {needle}\n")
        # The needle is put together inside, so that the search does not find its own source.
        (found,) = grader.evaluate(WALK, [f"find({needle[:10]!r} + {needle[10:]!r})"])
    finally:
        for place in places:
            place.unlink(missing_ok=True)
    assert found.value is not None, found
    files, hits = found.value.tree.items
    assert files > 500, "the walk saw hardly any file, so it proves nothing"
    assert hits.items == ()


def test_the_project_cannot_be_imported_or_found(grader: Grader) -> None:
    source = "import os\ndef f(path):\n    return os.path.exists(path)\ndef g():\n    import colbench\n"
    paths = [colbench.__file__, sys.prefix + "/pyvenv.cfg", str(Path.home() / ".bashrc"), "/proc/self", "/sys", "/etc"]
    got = grader.evaluate(source, [*(f"f({path!r})" for path in paths), "g()"])
    assert [e.value.tree for e in got[:-1] if e.value is not None] == [False] * len(paths)
    assert (got[-1].status, got[-1].detail) == ("exception", "ModuleNotFoundError")


def test_third_party_code_is_what_was_named(grader: Grader) -> None:
    source = "def f(name):\n    return __import__(name).__name__\n"
    got = grader.evaluate(source, ["f('numpy')", "f('pydantic')", "f('gymnasium')", "f('pip')", "f('site')"])
    assert [e.status for e in got] == ["value", "exception", "exception", "exception", "value"]
    assert "numpy" in grader.versions


def test_nothing_is_writable_and_only_one_socket_is_open(grader: Grader) -> None:
    writable, descriptors = grader.evaluate(WALK, ["writable()", "descriptors()"])
    assert writable.value is not None and writable.value.text == "[]"
    assert descriptors.value is not None
    open_ones = [tuple(item.items) for item in descriptors.value.tree.items]
    assert [fd for fd, is_socket in open_ones if not is_socket] == [0, 1, 2]
    assert len(open_ones) == 4


def test_interpreters_are_described() -> None:
    running = find_interpreter()
    assert running.version == sys.version.split()[0]
    assert all(os.path.isabs(path) and os.path.exists(path) for path in running.files)
    for path in running.files:
        assert not str(Path(colbench.__file__).resolve()).startswith(path + "/")
    with pytest.raises(ConfigurationError, match="no-such-python"):
        find_interpreter("no-such-python")
