"""How close rollouts come to what a model server allows, and whether their memory stays flat.

Run ``python -m benchmarks.bench_rollout``. Three figures, all in one run on the local test server, which is a process
of its own:

- *rate at 1 s latency*: 256 concurrent episodes, agent and collaborator both asking the server; calls per second
  against 256 calls per second, which is all that 256 waiting clients could make;
- *overhead at no latency*: calls per second of a rollout against calls per second of the bare SDK with the same
  concurrency and as many calls, in turn, as the median of several rounds; and the same in seconds of this process's
  CPU, which other work on the machine disturbs less;
- *memory*: resident memory over 5,000 episodes with messages of about a kilobyte.

Grading is left out: the judge only looks at the length of the answer. What grading costs is in ``bench_grading``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from colbench.agents import AgentMessage, BaseAgent, load_agent
from colbench.judge import Verdict
from colbench.rollout import Rollout
from colbench.simulators import Reply, load_collaborator
from colbench.tasks import load_tasks

SERVER = Path(__file__).resolve().parent.parent / "tests" / "chat" / "server.py"
MIB = 1 << 20


class LengthJudge:
    """No sandbox, so that only the rollout is measured."""

    kind = "backend"
    reply_chars = 400

    async def look(self, task: Any, visible: str) -> None:
        return None

    async def reference(self, task: Any) -> None:
        return None

    async def verdict(self, task: Any, answer: str, page: Any) -> Verdict:
        outcomes = tuple({"status": "different"} for _ in range(10))
        return Verdict(score=0.0, success=False, outcomes=outcomes, grading="length")

    def describe(self) -> dict[str, Any]:
        return {"grading": "length"}


class Talker(BaseAgent):
    """Says a kilobyte at once."""

    name = "talker"

    async def act(self, observation: Any) -> AgentMessage:
        await asyncio.sleep(0)
        start = "I WANT TO ANSWER: " if observation["turns_left"] == 1 else ""
        return AgentMessage(start + "words " * 170)


class Echo:
    name = "echo"

    async def reply(self, context: Any) -> Reply:
        return Reply("yes " * 90)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}


@contextlib.contextmanager
def server(latency: float) -> Iterator[str]:
    command = [sys.executable, str(SERVER), "--latency", str(latency), "--text", "A list of numbers, I think."]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def chat(url: str, concurrency: int) -> dict[str, Any]:
    return {"model": "m", "base_url": url, "max_concurrency": concurrency, "timeout": 120.0}


class Played(NamedTuple):
    calls: int
    seconds: float
    cpu: float
    failed: int = 0


async def play(url: str, episodes: int, concurrency: int, turns: int, out: Path) -> Played:
    """A rollout whose agent and collaborator ask the server."""
    tasks = load_tasks(f"procedural:n={episodes}")
    options = chat(url, concurrency)
    rollout = Rollout(
        "ColBench-Backend-v0",
        tasks,
        load_agent("chat", options),
        load_collaborator("chat", options),
        LengthJudge(),
        max_turns=turns,
        concurrency=concurrency,
    )
    started, worked = time.perf_counter(), time.process_time()
    result = await rollout.run(out)
    seconds, cpu = time.perf_counter() - started, time.process_time() - worked
    return Played(result.total.calls, seconds, cpu, sum(result.records.failures().values()))


async def bare(url: str, calls: int, concurrency: int) -> Played:
    """The SDK alone, for as many calls."""
    import openai

    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    text = "Ask what is unclear and answer when you know. " * 20
    messages: Any = [{"role": "system", "content": text}, {"role": "user", "content": text}]
    left = iter(range(calls))

    async def worker() -> None:
        for _ in left:
            reply = await client.chat.completions.create(model="m", messages=messages, max_tokens=1024)
            assert reply.choices[0].message.content

    started, worked = time.perf_counter(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    played = Played(calls, time.perf_counter() - started, time.process_time() - worked)
    await client.close()
    return played


def rate(episodes: int, concurrency: int) -> bool:
    with tempfile.TemporaryDirectory() as out, server(1.0) as url:
        # Imports and the first connection are not what is measured.
        asyncio.run(play(url, 2, 2, 1, Path(out) / "warm"))
        found = asyncio.run(play(url, episodes, concurrency, 4, Path(out) / "run"))
    reached = found.calls / found.seconds
    print(
        f"rate at 1 s latency: {found.calls:,} calls in {found.seconds:.1f} s, {reached:.0f}/s, "
        f"{100 * reached / concurrency:.1f}% of {concurrency}/s ({concurrency} concurrent episodes, {found.failed} "
        f"failed, {1000 * found.cpu / found.calls:.1f} ms of CPU a call)"
    )
    return reached >= 0.9 * concurrency and not found.failed


def overhead(episodes: int, concurrency: int, rounds: int) -> bool:
    shares, cpu = [], []
    with server(0.0) as url:
        asyncio.run(bare(url, 2 * concurrency, concurrency))
        for number in range(rounds):
            with tempfile.TemporaryDirectory() as out:
                ours = asyncio.run(play(url, episodes, concurrency, 4, Path(out)))
            alone = asyncio.run(bare(url, ours.calls, concurrency))
            shares.append(alone.seconds / ours.seconds)
            cpu.append(alone.cpu / ours.cpu)
            print(
                f"  round {number + 1}: rollout {ours.calls / ours.seconds:.0f} calls/s "
                f"({1000 * ours.cpu / ours.calls:.2f} ms of CPU each), "
                f"bare SDK {ours.calls / alone.seconds:.0f} calls/s "
                f"({1000 * alone.cpu / ours.calls:.2f} ms): {100 * shares[-1]:.0f}% ({ours.failed} failed)"
            )
    print(
        f"overhead at no latency: {100 * median(shares):.0f}% of the bare SDK's calls per second (median), "
        f"{100 * median(cpu):.0f}% by CPU time"
    )
    return median(shares) >= 0.6


def memory(episodes: int) -> bool:
    import psutil

    process = psutil.Process(os.getpid())
    tasks = load_tasks("procedural:n=500")
    seen: list[tuple[int, float]] = []
    count = 0

    def note(_: Any) -> None:
        nonlocal count
        count += 1
        if count % (episodes // 10) == 0:
            seen.append((count, process.memory_info().rss / MIB))

    with tempfile.TemporaryDirectory() as out:
        rollout = Rollout(
            "ColBench-Backend-v0",
            tasks,
            Talker(),
            Echo(),
            LengthJudge(),
            repeats=max(1, episodes // len(tasks)),
            concurrency=64,
        )
        started = time.perf_counter()
        result = asyncio.run(rollout.run(out, note))
        seconds = time.perf_counter() - started
        size = (Path(out) / "trajectories.jsonl").stat().st_size / MIB
        played = len(result)
    print("memory: " + ", ".join(f"{n:,} episodes {rss:.0f} MiB" for n, rss in seen))
    growth = seen[-1][1] - seen[1][1]
    print(
        f"memory: {growth:+.1f} MiB from {seen[1][0]:,} to {seen[-1][0]:,} episodes ({size:.0f} MiB of records, "
        f"{played / seconds:.0f} episodes/s)"
    )
    return growth <= 0.1 * size


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    quick = parser.parse_args().quick
    good = [
        rate(128 if quick else 1024, 64 if quick else 256),
        overhead(60 if quick else 300, 64, 2 if quick else 5),
        memory(500 if quick else 5000),
    ]
    print("all as wanted" if all(good) else "NOT as wanted")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
