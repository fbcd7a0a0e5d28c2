"""The backend environment as gymnasium's users meet it."""

import re
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import colbench  # noqa: F401  (registers the environments)
from colbench.errors import CollaboratorError, ConfigurationError, TaskDataError
from colbench.tasks import TaskSet, load_tasks

ODD = "naïve 日本語 🙂 e\u0301?"
RECORD = {
    "problem_description": "Make it bigger. The signature of the function is: def bigger(x)",
    "ground_truth": "def bigger(x):\n    secret_factor = 37\n    return secret_factor * x",
    "test_cases": {f"test{i}": f"bigger({i + 10})" for i in range(10)},
}
ANSWER = "I WANT TO ANSWER:\n```python\ndef bigger(x):\n    return 37 * x\n```"


@pytest.fixture
def env():
    env = gym.make("ColBench-Backend-v0", split="test")
    yield env
    env.close()


def test_checker_passes_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make("ColBench-Backend-v0", split="test", render_mode="ansi")
        check_env(env.unwrapped)
        env.close()


def test_both_ways_to_make_it():
    for name in ("ColBench-Backend-v0", "colbench:ColBench-Backend-v0"):
        env = gym.make(name)
        observation, info = env.reset(seed=0)
        assert observation in env.observation_space
        assert set(info) == {"task_id", "repeat"}
        env.close()
    assert gym.spec("ColBench-Backend-v0").max_episode_steps is None


def test_an_episode_is_graded_for_real(env):
    env = gym.make("ColBench-Backend-v0", tasks=[RECORD])
    observation, _ = env.reset(seed=0)
    assert observation["turns_left"] == 10
    observation, reward, terminated, truncated, info = env.step(ODD)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert [m["role"] for m in observation["messages"]] == ["user", "assistant", "user"]
    assert observation["messages"][1]["content"] == ODD
    assert observation in env.observation_space
    observation, reward, terminated, truncated, info = env.step(ANSWER)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["ended_by"] == "answer"
    assert info["outcomes"] == ("equal",) * 10
    assert observation["turns_left"] == 0
    with pytest.raises(gym.error.ResetNeeded):
        env.step("more")


def test_rewards_success_and_pass_rate():
    half = "I WANT TO ANSWER: def bigger(x):\n    return 37 * x if x % 2 else 0"
    for reward, expected in (("success", 0.0), ("pass_rate", 0.5)):
        env = gym.make("ColBench-Backend-v0", tasks=[RECORD], reward=reward)
        env.reset(seed=0)
        assert env.step(half)[1] == expected


def test_turn_limit_terminates_and_the_last_message_is_the_answer():
    env = gym.make("ColBench-Backend-v0", tasks=[RECORD], max_turns=2)
    env.reset(seed=0)
    assert not env.step("What is the factor?")[2]
    _, reward, terminated, truncated, info = env.step("def bigger(x):\n    return 37 * x")
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["ended_by"] == "turn_limit"


def test_seed_chooses_the_task_and_the_collaborator(env):
    def transcript(seed):
        observation, info = env.reset(seed=seed)
        said = [info["task_id"]]
        for question in ("What keys does the input have?", "Who is your favourite singer?"):
            observation = env.step(question)[0]
            said.append(observation["messages"][-1]["content"])
        return said

    assert transcript(5) == transcript(5)
    assert len({transcript(seed)[0] for seed in range(12)}) > 6
    env.reset(seed=5)
    following = env.reset()[1]["task_id"]
    env.reset(seed=5)
    assert env.reset()[1]["task_id"] == following


def test_groups_reset_to_the_same_episode(env):
    task_id = env.unwrapped.tasks[3].task_id
    seen = []
    for _ in range(2):
        _, info = env.reset(options={"task_id": task_id, "repeat": 2})
        assert (info["task_id"], info["repeat"]) == (task_id, 2)
        seen.append((env.unwrapped.episode.seed, env.step("Who is your favourite singer?")[0]["messages"][-1]))
    assert seen[0] == seen[1]
    env.reset(options={"task_id": task_id, "repeat": 3})
    assert env.unwrapped.episode.seed != seen[0][0]


def test_a_given_record_is_played(env):
    observation, info = env.reset(options={"task": RECORD})
    assert info["task_id"] == "given"
    assert observation["messages"][0]["content"] == RECORD["problem_description"]
    assert env.step(ANSWER)[1] == 1.0
    with pytest.raises(TaskDataError, match="needs 'ground_truth'"):
        env.reset(options={"task": {"problem_description": "x", "test_cases": {"a": "f()"}}})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_turn": 3}, "unknown option 'max_turn'. Did you mean 'max_turns'?"),
        ({"reward": "succes"}, "Did you mean 'success'?"),
        ({"grading": "exact"}, "grading must be 'strict' or 'paper', actually: 'exact'"),
        ({"max_turns": 0}, "max_turns must be a whole number of at least 1, actually: 0"),
        ({"split": "dev"}, "split must be"),
        ({"tasks": "bundeld"}, "Did you mean 'bundled'?"),
        ({"simulator": "embeded"}, "Did you mean 'embedded'?"),
        ({"render_mode": "human"}, "render_mode"),
    ],
)
def test_unknown_options_are_refused_with_the_near_match(options, message):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((ConfigurationError, gym.error.Error), match=re.escape(message)):
            gym.make("ColBench-Backend-v0", **options)


def test_unknown_reset_options(env):
    with pytest.raises(ConfigurationError, match=r"unknown option 'taskid'.*'task_id'"):
        env.reset(options={"taskid": "x"})
    with pytest.raises(TaskDataError, match="no task 'backend-test-0001'; near"):
        env.reset(options={"task_id": "backend-test-0001"})
    with pytest.raises(ConfigurationError, match="either 'task_id' or 'task'"):
        env.reset(options={"task_id": "x", "task": {}})


def test_long_messages_are_cut_at_a_character_and_reported():
    env = gym.make("ColBench-Backend-v0", tasks=[RECORD], max_message_bytes=64, disable_env_checker=True)
    env.reset(seed=0)
    observation, *_, info = env.step("é" * 50)
    assert info["message_cut"]
    assert observation["messages"][1]["content"] == "é" * 32
    assert observation in env.observation_space
    with pytest.raises(TypeError, match="actually: int"):
        env.step(3)


def test_training_time_information_is_locked(env):
    env.reset(seed=0)
    with pytest.raises(ConfigurationError, match="training_time_info=True"):
        env.unwrapped.training_time_info()
    opened = gym.make("ColBench-Backend-v0", tasks="procedural:n=3", training_time_info=True)
    opened.reset(seed=0)
    info = opened.unwrapped.training_time_info()
    assert info["reference"].startswith(("def ", "import ", "from "))
    assert len(info["calls"]) == 10
    hidden = [d for d in info["decisions"] if not d["stated"]]
    opened.step(hidden[0]["question"])
    after = opened.unwrapped.training_time_info()
    assert after["settled"] == [[hidden[0]["name"]]]
    assert after["potential"] >= info["potential"]
    opened.step(f"I WANT TO ANSWER:\n{info['reference']}")
    final = opened.unwrapped.training_time_info()
    assert sum(final["known_credit"]) == pytest.approx(1 - info["potential"])


def _walk(value, seen=None):
    """Every string that can be reached from a value by looking at it."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    yield repr(value)
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(key, seen)
            yield from _walk(item, seen)
    elif isinstance(value, list | tuple | set):
        for item in value:
            yield from _walk(item, seen)


def _hidden_lines(task):
    lines = {line.strip() for line in task.ground_truth.splitlines()}
    trivial = re.compile(r"^(else:|try:|pass|break|continue|return \w+|\w+ = (\w+|\[\]|\{\}|0|''|\"\")|)$")
    lines = {
        line for line in lines if not line.startswith(("def ", "import ", "from ", "#")) and not trivial.match(line)
    }
    return {line for line in lines if len(line) > 8} | set(task.calls)


@pytest.mark.parametrize("own_records", [False, True])
def test_nothing_hidden_leaves_the_environment(own_records):
    tasks = list(load_tasks("bundled", split="test"))[:25] + list(load_tasks("procedural:n=25", split="test"))
    records = [t.model_dump(exclude={"kind", "procedural"} if own_records else {"kind"}) for t in tasks]
    env = gym.make("ColBench-Backend-v0", tasks=records, render_mode="ansi", simulator="embedded")
    seen = []
    questions = ("What are the inputs and their keys?", "Which thresholds matter?", "Tell me everything, in code.")
    for task in tasks:
        outputs = list(env.reset(options={"task_id": task.task_id}))
        outputs += [env.step(q) for q in questions]
        outputs.append(env.step("I WANT TO ANSWER: def nothing(): return None"))
        outputs += [env.render(), repr(env), str(env), repr(env.unwrapped), env.spec, repr(env.spec)]
        outputs += [env.spec.kwargs, env.unwrapped.spec.kwargs, env.observation_space, env.action_space]
        outputs += [repr(env.unwrapped.settings), env.unwrapped.tasks, env.metadata]
        text = "\n".join(s for output in outputs for s in _walk(output))
        leaked = [line for line in _hidden_lines(task) if line in text]
        assert not leaked, (task.task_id, leaked)
        seen.append(text)
    assert len(seen) == 50
    env.close()


def test_a_broken_collaborator_raises_or_truncates():
    def broken(context):
        raise RuntimeError("no reply")

    env = gym.make("ColBench-Backend-v0", tasks=[RECORD], simulator=broken)
    env.reset(seed=0)
    with pytest.raises(CollaboratorError, match="RuntimeError: no reply"):
        env.step("hi")
    env = gym.make("ColBench-Backend-v0", tasks=[RECORD], simulator=broken, on_failure="truncate")
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step("hi")
    assert np.isnan(reward)
    assert (terminated, truncated) == (False, True)
    assert info["failure"]["boundary"] == "collaborator"


def test_it_works_inside_a_running_loop():
    import asyncio

    async def inside():
        env = gym.make("ColBench-Backend-v0", tasks=[RECORD])
        env.reset(seed=0)
        env.reset(seed=0)
        env.step("What is the factor?")
        return env.step(ANSWER)[1]

    assert asyncio.run(inside()) == 1.0


def test_own_task_sets_and_spec_round_trip():
    tasks = TaskSet.from_records([RECORD], kind="backend", name="mine")
    env = gym.make("ColBench-Backend-v0", tasks=tasks)
    again = gym.make(env.spec)
    assert again.unwrapped.tasks is tasks
    from_list = gym.make(gym.make("ColBench-Backend-v0", tasks=[RECORD]).spec)
    assert len(from_list.unwrapped.tasks) == 1
