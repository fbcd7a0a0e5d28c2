"""One text from which every variant of a reference function is made.

A family could hold one renderer for the readable source and another, fast implementation for enumerating thousands
of combinations; the two would drift apart. Here both come from the same template, so a combination means the same
thing in either.

The template is the Python source of the function with two additions:

- ``«name: a | b | c»`` is replaced by the alternative of decision ``name`` (alternatives are expressions, in the
  order of the decision's options; they may nest);
- ``%% name key [key ...]`` ... ``%%`` keeps the lines in between only for the named options (whole statements).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from colbench.errors import TaskDataError

__all__ = ["Code", "Template"]

_END: tuple[str, tuple[int, ...]] = ("", ())
_SLOT = re.compile(r"«(\w+): ")


class Code(Protocol):
    """What turns a combination of options into code; :class:`Template` is the one used by the built-in families.

    A family set in another language (for example one of few tokens) brings its own.
    """

    def source(self, combination: Sequence[int]) -> str:
        """Source text of the reference for one option index per decision."""
        ...

    def function(self, combination: Sequence[int]) -> Callable[..., Any]:
        """The same reference as a callable, cheap enough to be made thousands of times."""
        ...


class Template:
    """Source template of one family.

    Args:
        text: the template.
        options: option keys of every decision, in the order of the decisions.

    Raises:
        TaskDataError: the template names an unknown decision or option, or a slot has the wrong number of
            alternatives.
    """

    def __init__(self, text: str, options: Mapping[str, Sequence[str]]) -> None:
        self._lines = text.strip("\n").split("\n")
        self._keys = {name: tuple(keys) for name, keys in options.items()}
        self._index = {name: i for i, name in enumerate(options)}
        self._maker: Callable[..., Callable[..., Any]] | None = None
        self.source((0,) * len(self._keys))  # an unknown name is found here, not in the middle of a run
        self._general_source()

    def source(self, combination: Sequence[int]) -> str:
        """Readable source of the reference that follows one combination."""
        lines: list[str] = []
        keep = [True]
        for line in self._lines:
            guard = self._guard(line)
            if guard is None:
                if keep[-1]:
                    lines.append(self._fill(line, combination))
            elif guard == _END:
                keep.pop()
            else:
                name, wanted = guard
                keep.append(keep[-1] and combination[self._index[name]] in wanted)
        return "\n".join(lines) + "\n"

    def function(self, combination: Sequence[int]) -> Callable[..., Any]:
        """Callable that behaves like :meth:`source` compiled, without compiling again."""
        if self._maker is None:
            namespace: dict[str, Any] = {}
            exec(compile(self._general_source(), "<procedural family>", "exec"), namespace)
            self._maker = namespace["_make"]
        return self._maker(*combination)

    def _general_source(self) -> str:
        """Source of a factory: decisions become its arguments, blocks and slots become conditions on them."""
        lines = [f"def _make({', '.join(f'_{name}' for name in self._keys)}):"]
        function = ""
        pending: list[str] = []  # guards opened but not yet written, because their indentation is that of a body line
        depth = 0
        for line in self._lines:
            guard = self._guard(line)
            if guard == _END:
                depth -= 1
            elif guard is not None:
                name, wanted = guard
                pending.append(f"if _{name} in {tuple(wanted)}:")
                depth += 1
            else:
                indent = " " * (len(line) - len(line.lstrip()))
                for offset, condition in enumerate(pending):
                    lines.append("    " * (1 + depth - len(pending) + offset) + indent + condition)
                pending.clear()
                lines.append("    " * (1 + depth) + self._fill(line, None))
                function = function or line.split("(")[0].removeprefix("def ").strip()
        lines.append(f"    return {function}")
        return "\n".join(lines) + "\n"

    def _guard(self, line: str) -> tuple[str, tuple[int, ...]] | None:
        """None for a line of code, ``_END`` for the end of a block, else (decision, indices of the wanted options)."""
        if not line.startswith("%%"):
            return None
        words = line[2:].split()
        if not words:
            return _END
        keys = self._keys.get(words[0])
        if keys is None or len(words) < 2 or any(word not in keys for word in words[1:]):
            raise TaskDataError(f"template guard {line!r}: no such decision or option; known are {self._keys}")
        return words[0], tuple(keys.index(word) for word in words[1:])

    def _fill(self, line: str, combination: Sequence[int] | None) -> str:
        """Replace the slots of a line: by the chosen alternative, or (None) by a conditional expression."""
        while found := list(_SLOT.finditer(line)):
            slot = found[-1]  # the last opening one has no slot inside
            end = line.find("»", slot.end())
            name = slot.group(1)
            alternatives = line[slot.end() : end].split(" | ")
            if end < 0 or name not in self._keys or len(alternatives) != len(self._keys[name]):
                raise TaskDataError(f"template slot {line.strip()!r}: needs the alternatives {self._keys.get(name)}")
            if combination is not None:
                filled = alternatives[combination[self._index[name]]]
            else:
                filled = "".join(f"({text}) if _{name} == {i} else " for i, text in enumerate(alternatives[:-1]))
                filled = f"({filled}({alternatives[-1]}))"
            line = line[: slot.start()] + filled + line[end + 1 :]
        return line
