"""The protocol of one collaboration as a pure state machine: no gymnasium, no clock, no I/O.

Everything that decides what is seen, when an episode ends and what the answer is lives here, once, for the
environments, for rollouts and for the leaderboard, which replays it.

Rules (paper section 3):

- A message that contains ``OUTPUT:`` shows only the text between the first and the second such marker; what stands
  before is private thought. The raw text up to the second marker is kept in the record.
- A shown part that contains ``I WANT TO ANSWER:`` ends the episode; the answer is the text between the first and
  the second such marker.
- There are at most ``max_turns`` agent messages; the last one is the answer, marker or not.
- A collaborator's reply is cut to a number of characters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["ANSWER_MARKER", "MAX_TURNS", "REPLY_CHARS", "THOUGHT_MARKER", "Dialogue", "ParsedMessage", "parse_message"]

THOUGHT_MARKER = "OUTPUT:"
ANSWER_MARKER = "I WANT TO ANSWER:"
MAX_TURNS = 10
REPLY_CHARS = {"backend": 400, "frontend": 1000}

EndedBy = Literal["answer", "turn_limit"]


@dataclass(frozen=True)
class ParsedMessage:
    """One agent message, taken apart.

    Attributes:
        raw: the text up to a second ``OUTPUT:``, thought included.
        visible: what the collaborator and later turns see.
        answer: the answer if the shown part carries the answer marker, else None.
    """

    raw: str
    visible: str
    answer: str | None


def parse_message(text: str) -> ParsedMessage:
    """Take an agent message apart by the two markers.

    Example:
        >>> parse_message("hm. OUTPUT: What is the unit?").visible
        ' What is the unit?'
        >>> parse_message("I WANT TO ANSWER: def f(): return 1").answer
        ' def f(): return 1'
    """
    pieces = text.split(THOUGHT_MARKER)
    raw = THOUGHT_MARKER.join(pieces[:2])
    visible = pieces[1] if len(pieces) > 1 else text
    parts = visible.split(ANSWER_MARKER)
    return ParsedMessage(raw=raw, visible=visible, answer=parts[1] if len(parts) > 1 else None)


@dataclass
class Dialogue:
    """State of one collaboration: who speaks next, what was said, whether it has ended.

    Args:
        request: the collaborator's first message.
        max_turns: number of messages the agent may send, at least 1.
        reply_chars: replies are cut to this many characters.

    Raises:
        ValueError: when a message is added out of turn.
    """

    request: str
    max_turns: int = MAX_TURNS
    reply_chars: int = REPLY_CHARS["backend"]
    said: list[ParsedMessage] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    ended_by: EndedBy | None = None
    answer: str | None = None

    def __post_init__(self) -> None:
        if self.max_turns < 1:
            raise ValueError(f"max_turns must be at least 1, actually: {self.max_turns}")

    @property
    def turns_left(self) -> int:
        """Messages the agent may still send."""
        return 0 if self.ended_by else self.max_turns - len(self.said)

    @property
    def awaits_reply(self) -> bool:
        """Whether the collaborator speaks next."""
        return self.ended_by is None and len(self.said) > len(self.heard)

    @property
    def messages(self) -> tuple[dict[str, str], ...]:
        """The dialogue as both sides may see it: the request, then messages and replies in turn."""
        out = [{"role": "user", "content": self.request}]
        for i, message in enumerate(self.said):
            out.append({"role": "assistant", "content": message.visible})
            if i < len(self.heard):
                out.append({"role": "user", "content": self.heard[i]})
        return tuple(out)

    def say(self, text: str) -> ParsedMessage:
        """Add the agent's next message."""
        if self.ended_by is not None:
            raise ValueError("the episode has ended; no further message can be sent")
        if self.awaits_reply:
            raise ValueError("the collaborator has not answered the last message yet")
        message = parse_message(text)
        self.said.append(message)
        if message.answer is not None:
            self.ended_by, self.answer = "answer", message.answer
        elif len(self.said) == self.max_turns:
            self.ended_by, self.answer = "turn_limit", message.visible
        return message

    def hear(self, text: str) -> tuple[str, bool]:
        """Add the collaborator's reply; returns it as it stands in the dialogue, and whether it was cut."""
        if not self.awaits_reply:
            raise ValueError("no message of the agent awaits a reply")
        kept = text[: self.reply_chars]
        self.heard.append(kept)
        return kept, len(kept) < len(text)
