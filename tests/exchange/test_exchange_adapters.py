"""The adapters against what TRL and verifiers ask of an environment; neither library is needed."""

import asyncio
import importlib
import inspect
import sys
import types
from contextlib import asynccontextmanager

import pytest

from colbench.backend.judge import BackendJudge
from colbench.errors import ConfigurationError, SandboxError
from colbench.exchange import ColBenchTools, Game


@pytest.fixture(scope="module")
def game():
    return Game("ColBench-Backend-v0", tasks="procedural:n=6", reward="pass_rate", max_turns=4)


def solution(game, task_id):
    return f"```python\n{game.tasks.get(task_id).ground_truth}\n```"


def tools_of(instance):
    """What TRL shows to the model: public functions of the class, but reset and get_reward."""
    members = inspect.getmembers(type(instance), predicate=inspect.isfunction)
    return {n: getattr(instance, n) for n, _ in members if n not in ("reset", "get_reward") and not n.startswith("_")}


def test_trl_finds_two_tools_and_a_reward(game):
    instance = game.environment()
    assert isinstance(instance, ColBenchTools)
    tools = tools_of(instance)
    assert list(tools) == ["answer", "ask"]
    row = game.rows()[0]
    assert set(row) == {"prompt", "task_id"}
    assert [m["role"] for m in row["prompt"]] == ["system", "user"]
    assert "`ask`" in row["prompt"][0]["content"]
    # The row of the data set goes into reset; what it returns would be appended to the prompt.
    assert instance.reset(**row) is None
    assert instance.get_reward() == 0.0
    reply = tools["ask"](message="Are there special cases?")
    assert isinstance(reply, str)
    assert reply
    assert tools["answer"](solution=solution(game, row["task_id"])) == "The conversation is over."
    assert instance.get_reward() == 1.0
    assert tools["ask"](message="And now?") == "The conversation is over."
    # The same instance is used again, for another row.
    instance.reset(**game.rows()[1])
    assert instance.get_reward() == 0.0
    tools["answer"](solution="no code")
    assert instance.get_reward() == 0.0


def test_a_group_plays_the_same_episode(game):
    replies = set()
    for _ in range(3):
        instance = game.environment()
        instance.reset(**game.rows()[2])
        replies.add((instance.ask("What is returned?"), instance.ask("How is it rounded?")))
    assert len(replies) == 1


def test_the_last_message_counts_as_the_answer(game):
    instance = game.environment()
    instance.reset(**game.rows()[0])
    for _ in range(3):
        instance.ask("And?")
    assert instance.ask(solution(game, game.rows()[0]["task_id"])) == "The conversation is over."
    assert instance.get_reward() == 1.0


def test_tools_have_schemas(game):
    transformers_utils = pytest.importorskip("transformers.utils.chat_template_utils")
    schemas = {n: transformers_utils.get_json_schema(t)["function"] for n, t in tools_of(game.environment()).items()}
    assert schemas["ask"]["parameters"]["required"] == ["message"]
    assert schemas["answer"]["parameters"]["properties"]["solution"]["description"] == "The complete result."


def test_an_outage_gives_no_reward(monkeypatch):
    game = Game("ColBench-Backend-v0", tasks="procedural:n=2")

    async def broken(self, task, answer, page):
        raise SandboxError("down")

    monkeypatch.setattr(BackendJudge, "verdict", broken)
    instance = game.environment()
    instance.reset(**game.rows()[0])
    instance.answer("x")
    assert instance.get_reward() is None
    assert "sandbox: down" in instance._conversation.failure


def test_wrong_uses_are_named(game):
    with pytest.raises(ConfigurationError, match="needs a column 'task_id'"):
        game.environment().reset(prompt=[])
    with pytest.raises(ConfigurationError, match="unknown environment 'ColBench-Backend'"):
        Game("ColBench-Backend")
    with pytest.raises(ConfigurationError, match="unknown option 'max_turn'"):
        Game("ColBench-Backend-v0", max_turn=3)
    assert len(game.rows(limit=2)) == 2


def test_nothing_hidden_is_in_rows_or_repr(game):
    text = repr(game) + repr(game.rows())
    for task in game.tasks:
        assert task.calls[0] not in text
        assert max(task.ground_truth.splitlines(), key=len) not in text


class _Config:
    """Stands for the library's configurations: fields with defaults, overridden by keyword."""

    def __init__(self, **values):
        names = {n: getattr(type(self), n) for n in dir(type(self)) if not n.startswith("_")}
        for name, value in {**names, **values}.items():
            setattr(self, name, value)


class _Generic:
    def __class_getitem__(cls, _):
        return cls


def fake_verifiers():
    class TasksetConfig(_Config):
        id = "x"
        task = None

    class EnvConfig(_Config):
        taskset = None

    class Task(_Generic):
        def __init__(self, data, config=None):
            self.data, self.config = data, config

    class Taskset(_Generic):
        def __init__(self, config):
            self.config = config

    class Env(_Generic):
        def __init__(self, config):
            self.config = config
            self.taskset = module.taskset(config.taskset)

    module = types.ModuleType("verifiers.v1")
    for name, value in {
        "TasksetConfig": TasksetConfig,
        "TaskData": _Config,
        "EnvConfig": EnvConfig,
        "AgentConfig": _Config,
        "TaskConfig": _Config,
        "State": object,
        "Task": Task,
        "Taskset": Taskset,
        "Env": Env,
    }.items():
        setattr(module, name, value)
    return module


class Trace:
    def __init__(self):
        self.rewards, self.info = {}, {}

    def record_reward(self, name, value, weight=1.0):
        self.rewards[name] = (value, weight)


class Agents:
    """One agent that says what it is given, and hears what it is told."""

    def __init__(self, lines):
        self.lines, self.heard, self.trace = iter(lines), [], Trace()
        self.agent = self

    @asynccontextmanager
    async def interaction(self, task):
        yield self

    async def turn(self, message=None):
        self.heard.append(message)
        text = next(self.lines, None)
        return types.SimpleNamespace(terminated=text is None, last_reply=text or "")


@pytest.fixture
def adapter(monkeypatch):
    library = fake_verifiers()
    monkeypatch.setitem(sys.modules, "verifiers", types.ModuleType("verifiers"))
    monkeypatch.setitem(sys.modules, "verifiers.v1", library)
    monkeypatch.delitem(sys.modules, "colbench.exchange.verifiers_v1", raising=False)
    module = importlib.import_module("colbench.exchange.verifiers_v1")
    library.taskset = module.ColBenchTaskset
    yield module
    monkeypatch.delitem(sys.modules, "colbench.exchange.verifiers_v1", raising=False)


def test_verifiers_plays_and_rewards(adapter):
    env = adapter.ColBenchEnv(adapter.ColBenchEnvConfig(taskset=adapter.ColBenchConfig(tasks="procedural:n=3")))
    task = list(env.taskset.load())[1]
    assert "I WANT TO ANSWER:" in task.data.system_prompt
    agents = Agents(["Are there special cases?", f"I WANT TO ANSWER: {solution(env._game, task.data.task_id)}"])
    asyncio.run(env.run(task, agents))
    assert agents.heard[0] is None
    assert len(agents.heard) == 2
    assert agents.trace.rewards == {"colbench": (1.0, 1.0)}
    assert agents.trace.info["colbench"] == {
        "task_id": task.data.task_id,
        "ended_by": "answer",
        "score": 1.0,
        "questions": 1,
    }
    # What goes over the wire holds no reference.
    assert env._game.tasks[1].ground_truth not in str(vars(task.data))


def test_verifiers_agent_that_stops_gets_nothing(adapter):
    env = adapter.ColBenchEnv(adapter.ColBenchEnvConfig(taskset=adapter.ColBenchConfig(tasks="procedural:n=3")))
    agents = Agents(["Are there special cases?"])
    asyncio.run(env.run(next(iter(env.taskset.load())), agents))
    assert agents.trace.rewards == {"colbench": (0.0, 1.0)}


def test_without_the_library_the_message_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "verifiers", None)
    monkeypatch.delitem(sys.modules, "verifiers.v1", raising=False)
    monkeypatch.delitem(sys.modules, "colbench.exchange.verifiers_v1", raising=False)
    with pytest.raises(ConfigurationError, match=r"pip install 'verifiers>=0\.4'"):
        importlib.import_module("colbench.exchange.verifiers_v1")
