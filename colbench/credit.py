"""Known credit: what every turn of a procedural episode was worth, exactly.

No other benchmark knows the credit of a turn; here it is counted, so that critics can be measured against it. A
procedural task knows which combinations of its decisions pass all calls. Let S be the decisions settled so far,
stated ones included. The **potential**

    Phi(S) = (combinations that pass and agree with the reference on S) / (combinations that agree with it on S)

is the chance that a perfect coder who guesses the rest evenly succeeds by answering now. The **known credit** of a
turn is the change of Phi that its reply brought; the answering turn's is R - Phi, with R = 1 for success and 0 for
failure. The credits of an episode therefore sum to R - Phi_0.

Phi supposes that the agent answers at once. For an agent with a fixed policy the **exact value** is the expected
success when it plays on, the collaborator settling exactly the decision that is asked about; the **advantage** of a
turn is the change of that value, and the advantages of an episode sum to R - V_0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from colbench.errors import ConfigurationError
from colbench.plugins import near_match
from colbench.tasks.schema import BackendTask, Decision, FrontendTask, ProceduralRecord
from colbench.trajectory import Trajectory

__all__ = [
    "ANSWER",
    "WASTE",
    "Policy",
    "Potential",
    "advantages",
    "exact_value",
    "exact_values",
    "known_credit",
    "potential",
    "trajectory_advantages",
    "trajectory_credit",
]

Source = BackendTask | FrontendTask | ProceduralRecord

ANSWER = "<answer>"
"""The move of answering now, guessing evenly whatever is not settled."""

WASTE = "<waste>"
"""The move of saying something that settles nothing."""


class Potential:
    """Phi of one task, for any set of settled decisions.

    Args:
        task: a procedural task, or the record of one.

    Raises:
        ConfigurationError: the task is not procedural, or its reward is not a pass or a fail.
    """

    def __init__(self, task: Source) -> None:
        self.record = _record(task)
        decisions = self.record.decisions
        self._index = {d.name: i for i, d in enumerate(decisions)}
        self._stated = frozenset(d.name for d in decisions if d.stated)
        self._sizes = [len(d.options) for d in decisions]
        chosen = np.array([d.chosen for d in decisions], dtype=np.int8)
        # [passing combinations, decisions]: where each agrees with the reference
        self._agrees = np.array(self.record.passing, dtype=np.int8).reshape(-1, len(decisions)) == chosen
        self._known: dict[frozenset[str], float] = {}

    def __call__(self, settled: Iterable[str] = ()) -> float:
        """Chance of success of an answer given now.

        Args:
            settled: names of the decisions settled so far; stated ones count anyway.

        Raises:
            ConfigurationError: the task has no decision of such a name.
        """
        known = self._stated.union(settled)
        if known not in self._known:
            self._known[known] = self._count(known)
        return self._known[known]

    def _count(self, known: frozenset[str]) -> float:
        for name in known:
            if name not in self._index:
                raise ConfigurationError(
                    f"the task of family {self.record.family!r} has no decision {name!r}."
                    f"{near_match(name, self._index)} There are {', '.join(self._index)}."
                )
        columns = [self._index[name] for name in known]
        passing = int(self._agrees[:, columns].all(axis=1).sum())
        return passing / math.prod(size for i, size in enumerate(self._sizes) if i not in columns)


def potential(task: Source, settled: Iterable[str] = ()) -> float:
    """Phi: chance that a perfect coder who guesses the unsettled decisions evenly succeeds by answering now.

    Args:
        task: a procedural task, or the record of one.
        settled: names of the decisions settled so far; stated ones count anyway.

    Returns:
        A number in [0, 1].

    Raises:
        ConfigurationError: the task is not procedural, pays no pass or fail, or has no such decision.
    """
    return Potential(task)(settled)


def known_credit(task: Source, settled_per_turn: Sequence[Iterable[str]], reward: float) -> list[float]:
    """Known credit of every agent turn of one finished episode.

    Args:
        task: a procedural task, or the record of one.
        settled_per_turn: for each turn that the collaborator answered, the names of the decisions that the reply
            settled. The answering turn comes after them and has no entry.
        reward: 1.0 if the answer passed all calls, else 0.0.

    Returns:
        One number per turn, in order, the answering turn last: ``len(settled_per_turn) + 1`` in all. They sum to
        ``reward - potential(task)``.

    Raises:
        ConfigurationError: as :func:`potential`, or the reward is neither 0 nor 1.
    """
    phi = Potential(task)
    return _differences([phi(settled) for settled in _accumulate(settled_per_turn)], reward)


def trajectory_credit(task: Source, trajectory: Trajectory) -> list[float]:
    """Known credit of every turn of a recorded episode, as :func:`known_credit`.

    Raises:
        ConfigurationError: as :func:`known_credit`, or the episode failed, or its collaborator could not tell what
            it settled.
    """
    settled, reward = _facts(trajectory)
    return known_credit(task, settled, reward)


class Policy(Protocol):
    """How a scripted agent moves, as far as its value depends on it; give your own to :func:`exact_value`."""

    def moves(
        self, decisions: Sequence[Decision], settled: frozenset[str], turn: int, turns_left: int
    ) -> Sequence[tuple[float, str]]:
        """Probability of every move: the name of the decision asked about, :data:`ANSWER` or :data:`WASTE`.

        Args:
            decisions: all decisions of the task; a policy must not look at ``chosen``.
            settled: hidden decisions settled so far.
            turn: index of the turn to come.
            turns_left: turns left, this one included; when it is 1, anything but an answer scores nothing.
        """
        ...


def exact_value(
    task: Source,
    policy: Policy,
    *,
    settled: Iterable[str] = (),
    turn: int = 0,
    max_turns: int = 10,
) -> float:
    """Expected success of a policy from a given state on, the collaborator settling exactly what is asked.

    Args:
        task: a procedural task, or the record of one.
        policy: how the agent moves from here on.
        settled: hidden decisions settled so far.
        turn: number of turns already taken.
        max_turns: greatest number of turns of an episode.

    Returns:
        The value of the state before turn ``turn``, over the policy's own chances and its even guesses.

    Raises:
        ConfigurationError: as :func:`potential`, or no turn is left.
    """
    return _Values(task, policy, max_turns)(frozenset(settled), turn)


def exact_values(
    task: Source, policy: Policy, settled_per_turn: Sequence[Iterable[str]], *, max_turns: int = 10
) -> list[float]:
    """Exact value before every turn of an episode, whoever played it.

    Args:
        task: a procedural task, or the record of one.
        policy: the policy whose value is asked for.
        settled_per_turn: as for :func:`known_credit`.
        max_turns: greatest number of turns of an episode.

    Returns:
        One number per turn, the answering turn included.
    """
    values = _Values(task, policy, max_turns)
    return [values(settled, turn) for turn, settled in enumerate(_accumulate(settled_per_turn))]


def advantages(
    task: Source,
    policy: Policy,
    settled_per_turn: Sequence[Iterable[str]],
    reward: float,
    *,
    max_turns: int = 10,
) -> list[float]:
    """Advantage Q - V of every turn under a policy.

    Given the reply, a turn leads to one known state, so Q is the value of that state, or the reward of the answer.

    Args:
        task: a procedural task, or the record of one.
        policy: the policy whose values are used.
        settled_per_turn: as for :func:`known_credit`.
        reward: 1.0 if the answer passed all calls, else 0.0.
        max_turns: greatest number of turns of an episode.

    Returns:
        One number per turn, the answering turn last. They sum to ``reward - exact_value(task, policy)``.
    """
    return _differences(exact_values(task, policy, settled_per_turn, max_turns=max_turns), reward)


def trajectory_advantages(task: Source, policy: Policy, trajectory: Trajectory) -> list[float]:
    """Advantage of every turn of a recorded episode, as :func:`advantages`."""
    settled, reward = _facts(trajectory)
    return advantages(task, policy, settled, reward, max_turns=trajectory.max_turns)


class _Values:
    """Values of one policy on one task, each state worked out once."""

    def __init__(self, task: Source, policy: Policy, max_turns: int) -> None:
        self._phi = Potential(task)
        self._policy = policy
        self._max_turns = max_turns
        self._decisions = self._phi.record.decisions
        self._hidden = frozenset(d.name for d in self._decisions if not d.stated)
        self._known: dict[tuple[frozenset[str], int], float] = {}

    def __call__(self, settled: frozenset[str], turn: int) -> float:
        if not 0 <= turn < self._max_turns:
            raise ConfigurationError(f"turn is {turn}, but an episode has only {self._max_turns} turns, counted from 0")
        self._phi(settled)  # refuses unknown names
        return self._value(settled & self._hidden, turn)

    def _value(self, settled: frozenset[str], turn: int) -> float:
        state = (settled, turn)
        value = self._known.get(state)
        if value is None:
            moves = self._policy.moves(self._decisions, settled, turn, self._max_turns - turn)
            value = sum(chance * self._after(move, settled, turn) for chance, move in moves if chance)
            self._known[state] = value
        return value

    def _after(self, move: str, settled: frozenset[str], turn: int) -> float:
        if move == ANSWER:
            return self._phi(settled)
        if turn + 1 >= self._max_turns:
            return 0.0  # the last message is taken as the answer, and it is none
        asks = move in self._hidden and move not in settled
        return self._value(settled | {move} if asks else settled, turn + 1)


def _record(task: Source) -> ProceduralRecord:
    record = task if isinstance(task, ProceduralRecord) else task.procedural
    if record is None:
        name = "" if isinstance(task, ProceduralRecord) else f"task {task.task_id!r}: "
        raise ConfigurationError(f"{name}known credit exists for procedural tasks only")
    if not record.passing:
        raise ConfigurationError(
            f"family {record.family!r} lists no passing combinations: its reward is not a pass or a fail, so its "
            "turns have no known credit"
        )
    return record


def _accumulate(settled_per_turn: Sequence[Iterable[str]]) -> list[frozenset[str]]:
    """What is settled before each turn."""
    states = [frozenset[str]()]
    for settled in settled_per_turn:
        if settled is None or isinstance(settled, str):
            raise ConfigurationError(
                f"settled_per_turn holds {settled!r}; every turn needs the list of the decisions it settled, and "
                "only collaborators that know them (the embedded one) allow for known credit"
            )
        states.append(states[-1].union(settled))
    return states


def _differences(values: list[float], reward: float) -> list[float]:
    if reward not in (0.0, 1.0):
        raise ConfigurationError(f"reward is {reward}; known credit is defined for success (1) and failure (0)")
    ends = [*values[1:], float(reward)]
    return [after - before for before, after in zip(values, ends, strict=True)]


def _facts(trajectory: Trajectory) -> tuple[list[tuple[str, ...]], float]:
    settled = trajectory.settled_per_turn()
    if trajectory.status != "completed" or trajectory.success is None:
        raise ConfigurationError(f"episode {trajectory.key} has no success or failure, so its turns have no credit")
    if settled is None:
        raise ConfigurationError(
            f"episode {trajectory.key}: its collaborator could not tell what it settled; play with the embedded one"
        )
    return settled, float(trajectory.success)
