"""How a user's own agent is found and wrapped."""

import sys
import threading

import pytest

from colbench.agents import AgentMessage, BaseAgent, EpisodeStart, load_agent, parse_agent
from colbench.errors import AgentError, ConfigurationError

OBSERVATION = {"messages": ({"role": "user", "content": "hi"},), "turns_left": 10}


def greet(observation):
    return f"{threading.current_thread().name}: {observation['messages'][0]['content']}"


class Counting:
    name = "counting"

    def __init__(self, step=1):
        self.step = step
        self.count = 0

    def start(self, episode):
        return Counting(self.step)

    def act(self, observation):
        self.count += self.step
        return AgentMessage(str(self.count))


async def test_functions_run_in_a_thread():
    message = await load_agent(greet).act(OBSERVATION)
    assert message.text.endswith(": hi")
    assert not message.text.startswith("MainThread")


async def test_classes_with_state_start_afresh_per_episode():
    agent = load_agent(f"{__name__}:Counting" if __name__ in sys.modules else Counting, {"step": 2})
    assert isinstance(agent, BaseAgent)
    start = EpisodeStart(env_id="x", seed=0, max_turns=10)
    first, second = agent.start(start), agent.start(start)
    assert [(await first.act(OBSERVATION)).text for _ in range(2)] == ["2", "4"]
    assert (await second.act(OBSERVATION)).text == "2"
    assert agent.describe() == {"name": "counting"}


async def test_async_callables_and_wrong_results():
    class Async:
        async def __call__(self, observation):
            return "a"

    async def nothing(observation):
        return None

    assert (await load_agent(Async()).act(OBSERVATION)).text == "a"
    with pytest.raises(AgentError, match="got NoneType"):
        await load_agent(nothing).act(OBSERVATION)


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("interviewr", {}, "Did you mean 'interviewer'"),
        ("no_such_module_at_all:Agent", {}, "there is no module 'no_such_module_at_all'"),
        ("colbench.agents:BaseAgnt", {}, "has no 'BaseAgnt'. Did you mean 'BaseAgent'"),
        ("colbench.agents:", {}, "write it as module:Name"),
        ("interviewer", {"topic": 3}, "unknown option 'topic'. Did you mean 'topics'"),
        (greet, {"x": 1}, "it is not a class"),
        (3, {}, "has no 'act' and cannot be called"),
    ],
)
def test_errors_name_what_was_wrong(spec, options, message):
    with pytest.raises(ConfigurationError, match=message):
        load_agent(spec, options)


def test_command_line_form():
    assert parse_agent("interviewer?topics=3&shuffled=true") == ("interviewer", {"topics": 3, "shuffled": True})
    assert parse_agent("my.module:Agent?model=a/b&x=0.5&y=none") == (
        "my.module:Agent",
        {"model": "a/b", "x": 0.5, "y": None},
    )
    with pytest.raises(ConfigurationError, match="write options as name=value, actually: 'topics'"):
        parse_agent("interviewer?topics")
