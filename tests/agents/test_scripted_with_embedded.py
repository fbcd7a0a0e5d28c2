"""The scripted agents and the embedded collaborator understand each other on every family."""

from __future__ import annotations

import pytest

from colbench.agents.base import BaseAgent, EpisodeStart, Observation
from colbench.agents.scripted import Explorer, Interviewer
from colbench.agents.scripted.generic import IRRELEVANT_QUESTIONS
from colbench.credit import exact_values, known_credit, potential
from colbench.simulators.base import CollaboratorContext, Reply
from colbench.simulators.embedded import EmbeddedCollaborator
from colbench.tasks.procedural import backend_families, facts_in, generate_task, procedural_tasks
from colbench.tasks.schema import BackendTask


async def ask(task: BackendTask, message: str, settled: frozenset[str] = frozenset()) -> Reply:
    said = ({"role": "user", "content": task.problem_description}, {"role": "assistant", "content": message})
    context = CollaboratorContext(task=task, messages=said, seed=0, turn=0, max_chars=400, settled=settled)
    return await EmbeddedCollaborator().reply(context)


async def dialogue(task: BackendTask, agent: BaseAgent, seed: int) -> tuple[str, list[tuple[str, ...]]]:
    """The last message, and what each reply settled."""
    player = agent.start(EpisodeStart("test", seed, 10))
    messages = [{"role": "user", "content": task.problem_description}]
    settled: list[tuple[str, ...]] = []
    for turn in range(10):
        said = (await player.act(Observation(messages=tuple(messages), turns_left=10 - turn))).text
        messages.append({"role": "assistant", "content": said})
        if "I WANT TO ANSWER:" in said:
            return said, settled
        known = frozenset(name for names in settled for name in names)
        reply = await EmbeddedCollaborator().reply(
            CollaboratorContext(task=task, messages=tuple(messages), seed=turn, turn=turn, max_chars=400, settled=known)
        )
        assert len(reply.text) <= 400 and reply.settled is not None
        messages.append({"role": "user", "content": reply.text})
        settled.append(reply.settled)
    raise AssertionError("an asking agent answers in the end")


@pytest.mark.parametrize("family", backend_families(), ids=lambda f: f.name)
async def test_questions_and_topics_reach_their_decision_only(family):
    for seed in range(2):
        task = generate_task(family, seed)
        for d in task.procedural.decisions:
            fact = d.options[d.chosen].fact
            reply = await ask(task, d.question)
            assert reply.text == fact
            assert reply.settled == (() if d.stated else (d.name,))
            assert (await ask(task, d.question, frozenset([d.name]))).settled == ()
            free = await ask(task, f"Please tell me about the {d.topic}.")
            assert facts_in(free.text, [d]) == {d.name: d.chosen}, (d.topic, free.text)
        for question in IRRELEVANT_QUESTIONS:
            reply = await ask(task, question)
            assert reply.settled == () and not facts_in(reply.text, family.decisions), (question, reply.text)


async def test_interviewer_learns_everything_from_it():
    for seed, task in enumerate(procedural_tasks("test", 39, seed=31)):
        said, settled = await dialogue(task, Interviewer(), seed)
        assert settled == [(d.name,) for d in task.procedural.hidden]
        assert task.ground_truth in said


async def test_it_settles_what_exact_values_suppose():
    for seed, task in enumerate(procedural_tasks("train", 39, seed=32)):
        agent = Explorer(answer=0.1)
        said, settled = await dialogue(task, agent, seed)
        assert all(len(names) <= 1 for names in settled)
        success = task.ground_truth in said
        assert len(exact_values(task, agent.policy, settled)) == len(settled) + 1
        credits = known_credit(task, settled, float(success))
        assert sum(credits) == pytest.approx(success - potential(task), abs=1e-12)
