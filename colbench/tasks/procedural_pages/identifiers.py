"""Page ids that say everything needed to make the page again, such as ``page-v1/landing/test/s2/000123``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from colbench.errors import ConfigurationError, TaskDataError
from colbench.tasks.procedural.family import Split

__all__ = ["PAGE_GENERATOR_VERSION", "PageIdentifier"]

PAGE_GENERATOR_VERSION = 1
"""Changes whenever a given id would lead to another page."""

_ID = re.compile(r"page-v(\d+)/([\w-]+)/(train|test)/(any|s\d+|h\d+)/(\d{6,})")


@dataclass(frozen=True)
class PageIdentifier:
    """The parts of a procedural page's id.

    Attributes:
        family: name of the family.
        split: ``"train"`` or ``"test"``.
        stated: number of decisions the request states, or None.
        hidden: number of decisions the request leaves open, or None; if both are None, the seed decides.
        seed: seed of the page inside family, split and dials.
        version: of the generator.
    """

    family: str
    split: Split
    stated: int | None
    hidden: int | None
    seed: int
    version: int = PAGE_GENERATOR_VERSION

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
        return f"page-v{self.version}/{self.family}/{self.split}/{dials}/{self.seed:06d}"

    @property
    def dials(self) -> dict[str, Any]:
        """The settings for the record of the task."""
        return {"split": self.split, "stated": self.stated, "hidden": self.hidden}

    @classmethod
    def parse(cls, task_id: str) -> PageIdentifier:
        """Read an id.

        Raises:
            TaskDataError: the text is no page id, or one of another generator version.
        """
        found = _ID.fullmatch(task_id)
        if found is None:
            raise TaskDataError(
                f"{task_id!r} is not the id of a procedural page; expected for example "
                f"'page-v{PAGE_GENERATOR_VERSION}/landing/test/any/000123'"
            )
        version, family, split, dials, seed = found.groups()
        if int(version) != PAGE_GENERATOR_VERSION:
            raise TaskDataError(
                f"{task_id!r} was made by page generator version {version}, this is version {PAGE_GENERATOR_VERSION}; "
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
