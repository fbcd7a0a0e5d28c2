"""Task ids that say everything needed to make the task again.

An id such as ``proc-v1/pricing/test/s3/000123`` holds the generator's version, the family, the split, the dials and
the seed, so a trajectory or a leaderboard entry needs no copy of its procedural tasks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from colbench.errors import ConfigurationError, TaskDataError
from colbench.tasks.procedural.family import Split

__all__ = ["GENERATOR_VERSION", "ProceduralIdentifier", "TaskIdentifier"]

GENERATOR_VERSION = 1
"""Changes whenever a given id would lead to another task."""


@dataclass(frozen=True)
class ProceduralIdentifier:
    """The parts of a procedural id; one subclass per generator.

    Attributes:
        family: name of the family.
        split: ``"train"`` or ``"test"``.
        stated: number of decisions the request states, or None.
        hidden: number of decisions the request leaves open, or None; if both are None, the seed decides.
        seed: seed of the task inside family, split and dials.
    """

    family: str
    split: Split
    stated: int | None
    hidden: int | None
    seed: int

    prefix: ClassVar[str]
    noun: ClassVar[str]
    example: ClassVar[str]
    version: ClassVar[int]

    def __post_init__(self) -> None:
        if self.split not in ("train", "test"):
            raise ConfigurationError(f"split must be 'train' or 'test', actually: {self.split!r}")
        if self.stated is not None and self.hidden is not None:
            raise ConfigurationError("give stated or hidden, not both: one follows from the other")
        if self.seed < 0:
            raise ConfigurationError(f"seed must not be negative, actually: {self.seed}")

    def __str__(self) -> str:
        dials = "any" if self.stated is None else f"s{self.stated}"
        if self.hidden is not None:
            dials = f"h{self.hidden}"
        return f"{self.prefix}-v{self.version}/{self.family}/{self.split}/{dials}/{self.seed:06d}"

    @property
    def dials(self) -> dict[str, Any]:
        """The settings for the record of the task."""
        return {"split": self.split, "stated": self.stated, "hidden": self.hidden}

    @classmethod
    def parse(cls, task_id: str) -> Self:
        """Read an id.

        Raises:
            TaskDataError: the text is no such id, or one of another generator version.
        """
        found = re.fullmatch(rf"{cls.prefix}-v(\d+)/([\w-]+)/(train|test)/(any|s\d+|h\d+)/(\d{{6,}})", task_id)
        if found is None:
            raise TaskDataError(
                f"{task_id!r} is not the id of a procedural {cls.noun}; expected for example "
                f"'{cls.prefix}-v{cls.version}/{cls.example}/test/any/000123'"
            )
        version, family, split, dials, seed = found.groups()
        if int(version) != cls.version:
            raise TaskDataError(
                f"{task_id!r} was made by {cls.noun} generator version {version}, this is version {cls.version}; "
                "install the version of colbench that made it"
            )
        made = cls(
            family=family,
            split="test" if split == "test" else "train",
            stated=int(dials[1:]) if dials.startswith("s") else None,
            hidden=int(dials[1:]) if dials.startswith("h") else None,
            seed=int(seed),
        )
        if str(made) != task_id:
            raise TaskDataError(f"{task_id!r} is not written as the generator writes it; did you mean {str(made)!r}?")
        return made


class TaskIdentifier(ProceduralIdentifier):
    """The id of a procedural backend task."""

    prefix = "proc"
    noun = "task"
    example = "pricing"
    version = GENERATOR_VERSION
