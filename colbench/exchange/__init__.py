"""Trajectories and environments in the forms that other tools take.

Files: the published format in and out, chat messages, single turns, and preference pairs. Trainers that drive the
environment themselves: TRL's GRPO through :class:`Game`, the verifiers library through
:mod:`colbench.exchange.verifiers_v1`.
"""

from colbench.exchange.chat import to_messages, to_turns
from colbench.exchange.game import Conversation, Game
from colbench.exchange.preferences import preference_pairs
from colbench.exchange.published import from_published, import_published, to_published
from colbench.exchange.trl import ColBenchTools

__all__ = [
    "ColBenchTools",
    "Conversation",
    "Game",
    "from_published",
    "import_published",
    "preference_pairs",
    "to_messages",
    "to_published",
    "to_turns",
]
