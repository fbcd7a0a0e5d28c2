"""A person as the agent: sees what an agent sees, and types messages."""

from __future__ import annotations

import asyncio

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from colbench.agents.base import AgentMessage, BaseAgent, Observation
from colbench.dialogue import ANSWER_MARKER
from colbench.errors import AgentError

__all__ = ["HumanAgent"]


class HumanAgent(BaseAgent):
    """Asks at the keyboard. A message ends with an empty line, so that an answer may have many lines."""

    name = "human"

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console()

    async def act(self, observation: Observation) -> AgentMessage:
        """Show the last reply and read a message."""
        last = observation["messages"][-1]["content"]
        self._console.print(Panel(Text(last), title=f"the collaborator says ({observation['turns_left']} turns left)"))
        self._console.print(
            f"Your message; an empty line sends it. To answer, begin with '{ANSWER_MARKER}' and then your code.",
            style="dim",
            markup=False,
        )
        return AgentMessage(await asyncio.to_thread(self._read))

    def _read(self) -> str:
        lines: list[str] = []
        while True:
            try:
                line = self._console.input("> ")
            except EOFError:
                if lines:
                    break
                raise AgentError("the input ended before a message was typed") from None
            if not line and lines and not _inside_code(lines):
                break
            if line or lines:
                lines.append(line)
        return "\n".join(lines)


def _inside_code(lines: list[str]) -> bool:
    # An empty line inside a fenced block belongs to the code.
    return sum(line.lstrip().startswith("```") for line in lines) % 2 == 1
