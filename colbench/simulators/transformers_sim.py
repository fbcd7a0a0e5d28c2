"""The collaborator ``transformers``: a checkpoint in this process that knows the reference and answers in words."""

from __future__ import annotations

from typing import Any

from colbench.chat.local import LocalModel
from colbench.plugins import instantiate
from colbench.simulators.guard import GuardedCollaborator
from colbench.simulators.leaks import LONGEST_RUN
from colbench.simulators.model import ModelCollaborator

__all__ = ["TransformersCollaborator"]


class TransformersCollaborator(GuardedCollaborator):
    """A local model as the collaborator, its replies checked for leaks; pages are shown to it as source.

    Args:
        model: a folder, a ``.gguf`` file, a name on the hub, or ``"smollm2"``.
        prompt: path of a prompt file; see :class:`colbench.simulators.model.ModelCollaborator`.
        attempts: how often a reply that leaks is asked for.
        longest_run: tokens of the reference in a row that make a leak.
        options: further options of :class:`colbench.chat.local.LocalModel`.

    Raises:
        ConfigurationError: for an unknown option or a checkpoint that cannot be found.
        MissingExtraError: torch or transformers is missing.
    """

    def __init__(
        self,
        model: str = "",
        *,
        prompt: str | None = None,
        attempts: int = 3,
        longest_run: int = LONGEST_RUN,
        **options: Any,
    ) -> None:
        engine = instantiate(LocalModel, {"model": model, **options}, "simulator 'transformers'")
        inner = ModelCollaborator(engine, name="transformers", prompt=prompt, vision=False)
        super().__init__(inner, attempts=attempts, longest_run=longest_run)
