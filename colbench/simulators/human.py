"""A person as the collaborator: shown the reference and the agent's message, asked for a reply on the terminal."""

from __future__ import annotations

import asyncio
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from colbench.errors import CollaboratorError
from colbench.simulators.base import CollaboratorContext, Reply

__all__ = ["HumanCollaborator"]


class HumanCollaborator:
    """Asks at the keyboard; the reference is shown once, when the first message arrives."""

    name = "human"

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console()

    async def reply(self, context: CollaboratorContext) -> Reply:
        """Show the last message and read one line."""
        if context.turn == 0:
            self._console.print(Panel(Text(context.task.ground_truth), title="the reference (only you see it)"))
        self._console.print(Panel(Text(context.messages[-1]["content"]), title="the agent says"))
        try:
            text = await asyncio.to_thread(self._console.input, f"your reply, up to {context.max_chars} characters > ")
        except EOFError:
            raise CollaboratorError("the input ended before a reply was typed") from None
        return Reply(text)

    def describe(self) -> dict[str, Any]:
        """Only that it was a person."""
        return {"name": self.name}
