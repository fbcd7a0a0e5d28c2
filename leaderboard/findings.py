"""What checking found: every finding names file and line, says what it is, and how much it weighs.

One list for format, protocol, coverage, replay, grading and suspicion, so that a submitter sees everything at once
instead of mending one thing per attempt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

__all__ = ["Finding", "Findings", "Level"]

Level = Literal["error", "flag", "warning"]
"""``error`` refuses; ``flag`` needs a maintainer who accepts it by name and stays visible; ``warning`` is shown."""

_ORDER = {"error": 0, "flag": 1, "warning": 2}
_KEPT_PER_CODE = 200


@dataclass(frozen=True)
class Finding:
    """One finding.

    Attributes:
        level: see :data:`Level`.
        code: short stable name, such as ``turns`` or ``leak``.
        message: what is wrong and what to do.
        file: name of the file within the submission.
        line: line number, or None where it concerns the whole file.
    """

    level: Level
    code: str
    message: str
    file: str
    line: int | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line is not None else self.file
        return f"{place}: {self.level} [{self.code}] {self.message}"

    def to_json(self) -> dict[str, Any]:
        """JSON object."""
        return asdict(self)


@dataclass
class Findings:
    """A list of findings that stays small: of each code the first 200 are kept, the rest are counted."""

    kept: list[Finding] = field(default_factory=list)
    counts: Counter[tuple[Level, str]] = field(default_factory=Counter)

    def add(self, level: Level, code: str, message: str, file: str, line: int | None = None) -> None:
        """Note one finding."""
        self.counts[level, code] += 1
        if self.counts[level, code] <= _KEPT_PER_CODE:
            # A message may quote what was submitted; it must not act on the terminal that shows it.
            plain = "".join(c if c.isprintable() else "?" for c in message)
            self.kept.append(Finding(level, code, plain[:600], file, line))

    def __iter__(self) -> Iterator[Finding]:
        return iter(sorted(self.kept, key=lambda f: (_ORDER[f.level], f.file, f.line or 0)))

    def of(self, level: Level) -> list[Finding]:
        """The findings of one level."""
        return [finding for finding in self if finding.level == level]

    def codes(self, level: Level) -> dict[str, int]:
        """How often each code of a level was found."""
        return {code: n for (found, code), n in sorted(self.counts.items()) if found == level}

    @property
    def refused(self) -> bool:
        """Whether there is any error."""
        return any(level == "error" for level, _ in self.counts)
