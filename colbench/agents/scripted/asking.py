"""Agents that ask by a fixed plan and then write code: none, some or all questions, or questions at random.

On procedural tasks they know the families, as a person knows the trade: which decisions there are and how each turns
into code. What the request and the replies leave open they guess, every option as likely as the others.
"""

from __future__ import annotations

import copy
import random
from typing import Any

from colbench.agents.base import AgentMessage, BaseAgent, EpisodeStart, Observation
from colbench.agents.scripted.generic import GENERIC_QUESTIONS, IRRELEVANT_QUESTIONS, best_effort
from colbench.agents.scripted.notes import Notes, learn
from colbench.agents.scripted.policies import ExplorerPolicy, ImpatientPolicy, InterviewerPolicy
from colbench.dialogue import ANSWER_MARKER
from colbench.errors import ConfigurationError
from colbench.tasks.procedural import Family, family_of

__all__ = ["Explorer", "Impatient", "Interviewer"]


class _AskingAgent(BaseAgent):
    """Reads the dialogue anew at every turn and either asks or answers."""

    def __init__(self) -> None:
        self._seed = 0

    def start(self, episode: EpisodeStart) -> _AskingAgent:
        """Return the agent of one episode, its guesses fixed by the seed."""
        mine = copy.copy(self)
        mine._seed = episode.seed
        return mine

    async def act(self, observation: Observation) -> AgentMessage:
        """Ask the next question, or answer."""
        notes = Notes.of(observation)
        family = family_of(notes.request)
        question = None if notes.turns_left <= 1 else self._question(notes, family)
        return AgentMessage(self._answer(notes, family) if question is None else question)

    def _question(self, notes: Notes, family: Family | None) -> str | None:
        """The next question, or None to answer now."""
        raise NotImplementedError

    def _rng(self, purpose: str) -> random.Random:
        return random.Random(f"colbench {self.name} {self._seed} {purpose}")

    def _answer(self, notes: Notes, family: Family | None) -> str:
        if family is None:
            source = best_effort(notes.request, notes.replies)
        else:
            known = learn(family, notes)
            source = family.source(
                tuple(
                    known[d.name] if d.name in known else self._rng(f"guess {d.name}").randrange(len(d.options))
                    for d in family.decisions
                )
            )
        return f"{ANSWER_MARKER}\n```python\n{source}```"


class Impatient(_AskingAgent):
    """Answers at once and guesses what the request does not say."""

    name = "impatient"

    @property
    def policy(self) -> ImpatientPolicy:
        """How it moves, for exact values."""
        return ImpatientPolicy()

    def _question(self, notes: Notes, family: Family | None) -> str | None:
        return None


class Interviewer(_AskingAgent):
    """Asks about what the request leaves open, one thing a turn, then answers.

    Args:
        topics: greatest number of questions; None asks all.
        shuffled: ask in an order drawn for each episode instead of the declared one.

    Raises:
        ConfigurationError: ``topics`` is no number of questions, or ``shuffled`` is not a truth value.
    """

    name = "interviewer"

    def __init__(self, topics: int | None = None, shuffled: bool = False) -> None:
        super().__init__()
        if topics is not None and (not isinstance(topics, int) or isinstance(topics, bool) or topics < 0):
            raise ConfigurationError(
                f"interviewer: topics is {topics!r}; give a whole number of questions, or leave it out to ask all"
            )
        if not isinstance(shuffled, bool):
            raise ConfigurationError(f"interviewer: shuffled is {shuffled!r}; give true or false")
        self.topics = topics
        self.shuffled = shuffled

    @property
    def policy(self) -> InterviewerPolicy:
        """How it moves, for exact values."""
        return InterviewerPolicy(self.topics, self.shuffled)

    def describe(self) -> dict[str, Any]:
        """Name and settings."""
        return {"name": self.name, "topics": self.topics, "shuffled": self.shuffled}

    def _question(self, notes: Notes, family: Family | None) -> str | None:
        if self.topics is not None and len(notes.asked) >= self.topics:
            return None
        if family is None:
            questions = list(GENERIC_QUESTIONS)
        else:
            known = learn(family, notes)
            questions = [d.question for d in family.decisions if d.name not in known]
        questions = [question for question in questions if question not in notes.asked]
        if not questions:
            return None
        return self._rng(f"ask {len(notes.asked)}").choice(questions) if self.shuffled else questions[0]


class Explorer(_AskingAgent):
    """Asks at random, also about what is stated, settled or beside the point: a noisy source of training data.

    Args:
        answer: chance of answering at each turn before the last.
        idle: chance that a question is beside the point.

    Raises:
        ConfigurationError: a chance is not a number in [0, 1].
    """

    name = "explorer"

    def __init__(self, answer: float = 0.15, idle: float = 0.15) -> None:
        super().__init__()
        for what, chance in (("answer", answer), ("idle", idle)):
            if not isinstance(chance, int | float) or isinstance(chance, bool) or not 0.0 <= chance <= 1.0:
                raise ConfigurationError(f"explorer: {what} is {chance!r}; a chance is a number between 0 and 1")
        self.answer = answer
        self.idle = idle

    @property
    def policy(self) -> ExplorerPolicy:
        """How it moves, for exact values."""
        return ExplorerPolicy(self.answer, self.idle)

    def describe(self) -> dict[str, Any]:
        """Name and settings."""
        return {"name": self.name, "answer": self.answer, "idle": self.idle}

    def _question(self, notes: Notes, family: Family | None) -> str | None:
        rng = self._rng(f"turn {len(notes.asked)}")
        if rng.random() < self.answer:
            return None
        if rng.random() < self.idle:
            return rng.choice(IRRELEVANT_QUESTIONS)
        return rng.choice(GENERIC_QUESTIONS if family is None else [d.question for d in family.decisions])
