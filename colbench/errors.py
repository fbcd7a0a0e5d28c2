"""One error class per boundary, so that a failure is always booked to the part that caused it.

A run of thousands of episodes must be able to tell "the agent was wrong" from "the browser died". Every class
names its boundary; a failed episode stores that name.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "AgentError",
    "BudgetError",
    "ColBenchError",
    "CollaboratorError",
    "ConfigurationError",
    "MissingExtraError",
    "ModelServerError",
    "RendererError",
    "SandboxError",
    "SimilarityError",
    "TaskDataError",
    "TimeLimitError",
]


class ColBenchError(Exception):
    """Base class of every error the suite raises on purpose."""

    boundary: ClassVar[str] = "colbench"


class TaskDataError(ColBenchError):
    """A task file or record cannot be used; the message names file, line and value."""

    boundary = "task_data"


class AgentError(ColBenchError):
    """The agent's own code or behaviour failed; an outage of its model is a :class:`ModelServerError`."""

    boundary = "agent"


class ModelServerError(ColBenchError):
    """The server of an agent's model failed: an outage, never a failure of the agent itself."""

    boundary = "model_server"


class CollaboratorError(ColBenchError):
    """The simulated (or human) collaborator could not give a reply."""

    boundary = "collaborator"


class SandboxError(ColBenchError):
    """The sandbox itself failed or cannot be set up; never used for an answer that is merely wrong."""

    boundary = "sandbox"


class RendererError(ColBenchError):
    """The browser failed or is missing; never used for a page that is merely bad."""

    boundary = "renderer"


class SimilarityError(ColBenchError):
    """A similarity measure cannot be computed, for example because its weights are missing."""

    boundary = "similarity"


class TimeLimitError(ColBenchError):
    """A call, a turn, an episode or a run took longer than it may."""

    boundary = "time_limit"


class BudgetError(ColBenchError):
    """The run's tokens or money are spent; what was open is run again under a larger budget."""

    boundary = "budget"


class ConfigurationError(ColBenchError, ValueError):
    """An option or a combination of options is wrong; the message names it and the remedy."""

    boundary = "configuration"


class MissingExtraError(ConfigurationError, ImportError):
    """An optional dependency is not installed.

    Args:
        what: what the user asked for, for example ``"similarity='clip'"``.
        extra: the name of the extra that brings it.
    """

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{what} needs the extra '{extra}'. Install it with: pip install 'colbench[{extra}]'")
