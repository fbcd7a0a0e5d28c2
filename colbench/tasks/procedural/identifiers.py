"""Task ids that say everything needed to make the task again.

An id such as ``proc-v1/pricing/test/s3/000123`` holds the generator's version, the family, the split, the dials and
the seed, so a trajectory or a leaderboard entry needs no copy of its procedural tasks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from colbench.errors import ConfigurationError, TaskDataError
from colbench.tasks.procedural.family import Split

__all__ = ["GENERATOR_VERSION", "TaskIdentifier"]

GENERATOR_VERSION = 1
"""Changes whenever a given id would lead to another task."""

_ID = re.compile(r"proc-v(\d+)/([\w-]+)/(train|test)/(any|s\d+|h\d+)/(\d{6,})")


@dataclass(frozen=True)
class TaskIdentifier:
    """The parts of a procedural task id.

    Attributes:
        family: name of the family.
        split: ``"train"`` or ``"test"``.
        stated: number of decisions the request states, or None.
        hidden: number of decisions the request leaves open, or None; if both are None, the seed decides.
        seed: seed of the task inside family, split and dials.
        version: of the generator.
    """

    family: str
    split: Split
    stated: int | None
    hidden: int | None
    seed: int
    version: int = GENERATOR_VERSION

    def __post_init__(self) -> None:
        if self.split not in ("train", "test"):
            raise ConfigurationError(f"split is {self.split!r}; it must be 'train' or 'test'")
        if self.stated is not None and self.hidden is not None:
            raise ConfigurationError("give stated or hidden, not both: one follows from the other")
        if self.seed < 0:
            raise ConfigurationError(f"seed is {self.seed}; it must not be negative")

    def __str__(self) -> str:
        dials = "any" if self.stated is None else f"s{self.stated}"
        if self.hidden is not None:
            dials = f"h{self.hidden}"
        return f"proc-v{self.version}/{self.family}/{self.split}/{dials}/{self.seed:06d}"

    @property
    def dials(self) -> dict[str, Any]:
        """The settings for the record of the task."""
        return {"split": self.split, "stated": self.stated, "hidden": self.hidden}

    @classmethod
    def parse(cls, task_id: str) -> TaskIdentifier:
        """Read an id.

        Raises:
            TaskDataError: the text is no procedural task id, or one of another generator version.
        """
        found = _ID.fullmatch(task_id)
        if found is None:
            raise TaskDataError(
                f"{task_id!r} is not the id of a procedural task; expected for example "
                f"'proc-v{GENERATOR_VERSION}/pricing/test/any/000123'"
            )
        version, family, split, dials, seed = found.groups()
        if int(version) != GENERATOR_VERSION:
            raise TaskDataError(
                f"{task_id!r} was made by generator version {version}, this is version {GENERATOR_VERSION}; "
                "install the version of colbench that made it"
            )
        part: Literal["train", "test"] = "test" if split == "test" else "train"
        number = int(dials[1:]) if dials != "any" else None
        made = cls(
            family=family,
            split=part,
            stated=number if dials.startswith("s") else None,
            hidden=number if dials.startswith("h") else None,
            seed=int(seed),
        )
        if str(made) != task_id:
            raise TaskDataError(f"{task_id!r} is not written as the generator writes it; did you mean {str(made)!r}?")
        return made
