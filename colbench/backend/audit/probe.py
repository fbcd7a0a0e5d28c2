"""The process in which the audit calls the grader under test, so that no attack can reach or hang the audit itself.

Started as ``python -m colbench.backend.audit.probe MODULE:FUNCTION REQUESTS_FD REPLIES_FD``. It answers one JSON line
per request; the first line it sends says whether the grader could be loaded.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["load_grader", "main"]


def load_grader(spec: str) -> Callable[..., Any]:
    """The function that ``module:function`` names; every failure is a ``ValueError`` that says what is wrong."""
    module_name, separator, path = spec.partition(":")
    if not separator or not module_name or not path:
        raise ValueError(f"{spec!r} is not of the form module:function")
    try:
        target: Any = importlib.import_module(module_name)
        for part in path.split("."):
            target = getattr(target, part)
    except Exception as error:
        raise ValueError(f"cannot load {spec!r}: {type(error).__name__}: {error}") from error
    if not callable(target):
        raise ValueError(f"{spec!r} is not callable")
    return target


def main(spec: str, requests_fd: int, replies_fd: int) -> None:
    """Serve requests until the other side closes the pipe, then close the grader."""
    os.set_inheritable(requests_fd, False)
    os.set_inheritable(replies_fd, False)

    def say(reply: dict[str, Any]) -> None:
        os.write(replies_fd, json.dumps(reply).encode() + b"\n")

    try:
        grade = load_grader(spec)
    except ValueError as error:
        say({"ready": False, "error": str(error)})
        return
    say({"ready": True})
    with os.fdopen(requests_fd, "rb") as requests:
        for line in requests:
            request = json.loads(line)
            try:
                score = float(grade(request["ground_truth"], request["test_cases"], request["answer"]))
                say({"id": request["id"], "score": score})
            except Exception as error:
                say({"id": request["id"], "error": f"{type(error).__name__}: {error}"[:500]})
    close = getattr(importlib.import_module(spec.partition(":")[0]), "close", None)
    if callable(close):
        close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
