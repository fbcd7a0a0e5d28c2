"""The agent ``transformers``: a checkpoint in this process."""

from __future__ import annotations

from typing import Any

from colbench.agents.model import ModelAgent
from colbench.chat.local import LocalModel
from colbench.plugins import instantiate

__all__ = ["TransformersAgent"]


class TransformersAgent(ModelAgent):
    """A local model as the agent; requests of concurrent episodes share forward passes.

    Args:
        model: a folder, a ``.gguf`` file, a name on the hub, or ``"smollm2"``.
        prompt: path of a prompt file; see :class:`colbench.agents.model.ModelAgent`.
        single_turn: answer at once, without asking.
        think: have the model think in private before ``OUTPUT:``.
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
        single_turn: bool = False,
        think: bool = False,
        **options: Any,
    ) -> None:
        engine = instantiate(LocalModel, {"model": model, **options}, "agent 'transformers'")
        super().__init__(engine, name="transformers", prompt=prompt, single_turn=single_turn, think=think)
