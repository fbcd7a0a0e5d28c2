"""Vector environments in every mode: nothing is lost between processes, and work overlaps."""

import asyncio
import time

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import colbench  # noqa: F401  (registers the environments)
from colbench.errors import ConfigurationError
from colbench.simulators import Reply
from colbench.tasks import TaskSet

ODD = "naïve 日本語 🙂👩‍👩‍👧 e\u0301 \u202e?"
TASKS = TaskSet.from_records(
    [
        {
            "problem_description": f"Add something {ODD} The signature of the function is: def add_{i}(x)",
            "ground_truth": f"def add_{i}(x):\n    return x + {i}",
            "test_cases": {f"test{j}": f"add_{i}({j})" for j in range(10)},
        }
        for i in range(4)
    ],
    kind="backend",
    name="adders",
)


def answer(observation_messages):
    name = observation_messages[0]["content"].rsplit("def ", 1)[1].split("(")[0]
    return f"I WANT TO ANSWER: def {name}(x):\n    return x + {name[-1]}"


def requests(observation):
    return observation["messages"]


@pytest.mark.parametrize(
    ("mode", "vector_kwargs"),
    [
        ("sync", {}),
        ("async", {"shared_memory": True}),
        ("async", {"shared_memory": False}),
        ("vector_entry_point", {}),
    ],
)
def test_eight_environments_in_each_mode(mode, vector_kwargs):
    extra = {"vector_kwargs": vector_kwargs} if vector_kwargs else {}
    envs = gym.make_vec("ColBench-Backend-v0", num_envs=8, vectorization_mode=mode, tasks=TASKS, **extra)
    try:
        observation, info = envs.reset(seed=7)
        assert observation in envs.observation_space
        first = requests(observation)
        assert len({m[0]["content"] for m in first}) > 1
        assert all(ODD in m[0]["content"] for m in first)
        observation, rewards, terminated, truncated, info = envs.step(tuple(f"{ODD} {i}" for i in range(8)))
        assert [m[1]["content"] for m in requests(observation)] == [f"{ODD} {i}" for i in range(8)]
        assert observation["turns_left"].tolist() == [9] * 8
        assert not terminated.any()
        observation, rewards, terminated, truncated, info = envs.step(tuple(answer(m) for m in requests(observation)))
        assert rewards.tolist() == [1.0] * 8
        assert terminated.all()
        assert not truncated.any()
        assert list(info["ended_by"]) == ["answer"] * 8
        observation, rewards, terminated, truncated, info = envs.step(("",) * 8)
        assert rewards.tolist() == [0.0] * 8
        assert observation["turns_left"].tolist() == [10] * 8
    finally:
        envs.close()


def test_modes_agree_on_seeds():
    seen = []
    for mode in ("sync", "vector_entry_point"):
        envs = gym.make_vec("ColBench-Backend-v0", num_envs=3, vectorization_mode=mode, tasks=TASKS)
        texts = []
        observation, _ = envs.reset(seed=3)
        for _ in range(3):
            texts.append([m[0]["content"] for m in requests(observation)])
            observation, *_ = envs.step(tuple(answer(m) for m in requests(observation)))
            observation, *_ = envs.step(("",) * 3)
        seen.append(texts)
        envs.close()
    assert seen[0] == seen[1]


class SlowCollaborator:
    name = "slow"

    async def reply(self, context):
        await asyncio.sleep(0.3)
        return Reply("Yes.")

    def describe(self):
        return {"name": self.name}


def test_collaborators_overlap():
    envs = gym.make_vec("ColBench-Backend-v0", num_envs=8, tasks=TASKS, simulator=SlowCollaborator())
    envs.reset(seed=0)
    started = time.perf_counter()
    envs.step(("Is it so?",) * 8)
    assert time.perf_counter() - started < 8 * 0.3 / 2


def test_autoreset_in_the_same_step():
    envs = gym.make_vec(
        "ColBench-Backend-v0", num_envs=2, tasks=TASKS, autoreset_mode=AutoresetMode.SAME_STEP, max_turns=3
    )
    observation, _ = envs.reset(seed=0)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observation, rewards, terminated, _, info = envs.step((answer(requests(observation)[0]), "What?"))
    assert rewards.tolist() == [1.0, 0.0]
    assert terminated.tolist() == [True, False]
    assert info["_final_info"].tolist() == [True, False]
    assert info["final_info"]["score"][0] == 1.0
    assert len(info["final_obs"][0]["messages"]) == 2
    assert observation["turns_left"].tolist() == [3, 2]


def test_disabled_autoreset_with_a_mask():
    envs = gym.make_vec("ColBench-Backend-v0", num_envs=2, tasks=TASKS, autoreset_mode=AutoresetMode.DISABLED)
    observation, _ = envs.reset(seed=0)
    observation, *_ = envs.step((answer(requests(observation)[0]), "What?"))
    with pytest.raises(ValueError, match=r"episodes \[0\] have ended"):
        envs.step(("a", "b"))
    second = requests(observation)[1]
    observation, _ = envs.reset(options={"reset_mask": np.array([True, False])})
    assert observation["turns_left"].tolist() == [10, 9]
    assert requests(observation)[1] == second
    for mask in (np.array([0, 1]), [True, False], np.array([True]), np.zeros(2, dtype=bool)):
        with pytest.raises(ConfigurationError, match="reset_mask must be"):
            envs.reset(options={"reset_mask": mask})


def test_one_failure_does_not_stop_the_others():
    def moody(context):
        if "add_0" in context.task.problem_description:
            raise RuntimeError("gone")
        return "Yes."

    envs = gym.make_vec("ColBench-Backend-v0", num_envs=2, tasks=TASKS, simulator=moody)
    ids = [TASKS[0].task_id, TASKS[1].task_id]
    envs.reset(seed=0, options={"task_id": ids[0], "reset_mask": np.array([True, True])})
    envs.reset(options={"task_id": ids[1], "reset_mask": np.array([False, True])})
    _, rewards, terminated, truncated, info = envs.step(("hi", "hi"))
    assert np.isnan(rewards[0])
    assert rewards[1] == 0.0
    assert truncated.tolist() == [True, False]
    assert not terminated.any()
    assert info["failure"]["boundary"][0] == "collaborator"


def test_records_of_the_users_own_are_not_in_the_spec():
    record = {
        "problem_description": "x. The signature of the function is: def f(x)",
        "ground_truth": "def f(x):\n    return x * 4711",
        "test_cases": {"a": "f(1)"},
    }
    envs = gym.make_vec("ColBench-Backend-v0", num_envs=2, tasks=[record])
    assert "4711" not in repr(envs.spec)
    assert "4711" not in repr(envs)
