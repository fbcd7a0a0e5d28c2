"""The frontend environment as gymnasium's users meet it, in the real browser."""

import asyncio
import threading
import time
import warnings

import gymnasium as gym
import numpy as np
import psutil
import pytest
from gymnasium.utils.env_checker import check_env

import colbench  # noqa: F401  (registers the environments)
from colbench.errors import ConfigurationError, RendererError
from colbench.frontend.env import FrontendEnv
from colbench.simulators import Reply
from colbench.tasks import TaskSet

pytestmark = pytest.mark.browser

REFERENCE = (
    '<html><body style="margin:0;background:rgb(20,20,60);color:white">'
    '<h1 style="padding:200px 80px;margin:0;text-align:center">Zanzibar Ferry</h1>'
    '<p style="padding:0 80px 400px">Sailing at nine, every single day of the year.</p></body></html>'
)
RECORD = {"problem_description": "A page for a ferry.", "ground_truth": REFERENCE}
TASKS = TaskSet.from_records(
    [{**RECORD, "ground_truth": REFERENCE.replace("nine", f"{i} o'clock")} for i in range(4)], kind="frontend"
)


def make(**options):
    return gym.make("ColBench-Frontend-v0", **{"similarity": "layout", "tasks": [RECORD], **options})


def test_checker_passes_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for mode in ("ansi", "rgb_array"):
            env = make(render_mode=mode)
            check_env(env.unwrapped)
            env.close()


def test_an_episode_with_questions_drafts_and_an_answer():
    env = make()
    observation, info = env.reset(seed=0)
    assert observation["messages"] == ({"role": "user", "content": "A page for a ferry."},)
    assert set(info) == {"task_id", "repeat"}
    observation, reward, terminated, truncated, info = env.step("What is the company name?")
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert "page_status" not in info
    assert "no page" in observation["messages"][-1]["content"] or "cannot see" in observation["messages"][-1]["content"]
    observation, *_, info = env.step("Like this?\n```html\n<h1>Ferry</h1>\n```")
    assert info["page_status"] == "ok"
    assert "background" in observation["messages"][-1]["content"]
    assert observation in env.observation_space
    observation, reward, terminated, truncated, info = env.step(f"I WANT TO ANSWER:\n```html\n{REFERENCE}\n```")
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["score"], info["measure"], info["ended_by"]) == (1.0, "layout", "answer")
    assert "success" not in info
    assert info["isolation"]


def test_the_reference_is_nowhere_to_be_seen():
    env = make(render_mode="ansi")
    observation, info = env.reset(seed=0)
    _, *_, last = env.step("I WANT TO ANSWER: <p>no</p>")
    for thing in (observation, info, last, env.spec, env, env.unwrapped, env.render(), env.unwrapped.tasks):
        assert "Zanzibar" not in repr(thing)
    with pytest.raises(ConfigurationError, match="hidden"):
        env.unwrapped.training_time_info()
    env = make(training_time_info=True)
    env.reset(seed=0)
    assert env.unwrapped.training_time_info()["reference"] == REFERENCE


@pytest.mark.parametrize(
    "message",
    [
        "<HTML><BODY>Hi</BODY></HTML>",
        "<div class=p-4>Hi</div>",
        "<html><body><p>Hi</p></body>",
        "<!DOCTYPE html><html><body>Hi</body></html>",
        "Look:\n```html\n<p>Hi</p>\n```\nBetter?",
    ],
)
def test_pages_are_accepted_as_people_write_them(message):
    env = make()
    env.reset(seed=0)
    *_, info = env.step(message)
    assert info["page_status"] == "ok"
    assert any(e["text"] == "Hi" for e in env.unwrapped.episode.pages[-1].elements)


def test_nothing_of_a_page_on_one_line_is_lost():
    env = make()
    env.reset(seed=0)
    env.step("<html><body><h1>One</h1>two<br/>three<br/><p>four</p></body></html> ok")
    texts = " ".join(e["text"] for e in env.unwrapped.episode.pages[-1].elements)
    assert all(word in texts for word in ("One", "two", "three", "four"))


def test_the_tenth_message_ends_it_and_the_last_page_counts():
    env = make(max_turns=3, simulator=lambda context: "Go on.")
    env.reset(seed=0)
    env.step("<h1>bad</h1>")
    env.step(REFERENCE)
    _, reward, terminated, truncated, info = env.step("Do you like it?")
    assert (reward, terminated, truncated, info["ended_by"]) == (1.0, True, False, "turn_limit")


def test_frames_show_the_candidate_and_the_reference_only_to_those_who_may_see_it():
    env = make(render_mode="rgb_array")
    env.reset(seed=0)
    empty = env.render()
    assert (empty.dtype, empty.shape) == (np.uint8, (720, 1280, 3))
    assert (empty == 255).all()
    env.step('<body style="margin:0;background:red"><h1 style="height:900px">x</h1></body>')
    frame = env.render()
    assert frame.shape == (900, 1280, 3) or frame.shape[0] > 900
    assert tuple(frame[-1, 0]) == (255, 0, 0)
    env.step("A question in between?")
    assert (env.render() == frame).all()
    both = make(render_mode="rgb_array", training_time_info=True)
    both.reset(seed=0)
    wide = both.render()
    assert wide.shape[1] == 1280 + 16 + 1280
    assert tuple(wide[5, 5]) == (255, 255, 255)
    assert tuple(wide[5, -5]) == (20, 20, 60)
    with pytest.raises(ConfigurationError, match="render_mode must be None or one of"):
        FrontendEnv(similarity="layout", render_mode="human")


def test_options_are_checked():
    with pytest.raises(ConfigurationError, match=r"unknown option 'similarty'\. Did you mean 'similarity'"):
        make(similarty="layout")
    with pytest.raises(ConfigurationError, match="reward must be one of similarity, actually: 'success'"):
        make(reward="success")
    with pytest.raises(ConfigurationError, match=r"unknown option 'timeout'\. Did you mean 'timeout_s'"):
        make(renderer_options={"timeout": 3})
    with pytest.raises(ConfigurationError, match="similarity_options must be a mapping"):
        make(similarity_options="x")


def test_a_long_page_is_cut_at_the_limit_and_said_so():
    env = make(max_message_bytes=2_000)
    env.reset(seed=0)
    *_, info = env.step("<p>" + "word " * 1_000 + "</p>")
    assert info["message_cut"]
    assert env.unwrapped.settings.max_message_bytes == 2_000
    assert make().unwrapped.settings.max_message_bytes == 262_144


def test_a_broken_browser_fails_the_episode_and_is_no_score(monkeypatch):
    env = make(on_failure="truncate")
    env.reset(seed=0)

    async def gone(html):
        raise RendererError("the browser is gone")

    monkeypatch.setattr(type(env.unwrapped._table.judge), "renderer", type("R", (), {"arender": staticmethod(gone)})())
    _, reward, terminated, truncated, info = env.step("<p>x</p>")
    assert np.isnan(reward)
    assert (terminated, truncated) == (False, True)
    assert info["failure"]["boundary"] == "renderer"


def test_eight_environments_advance_together():
    class Together:
        """Answers nobody before all eight have shown something: it would wait forever for environments in turn."""

        name = "together"
        barrier = asyncio.Barrier(8)

        async def reply(self, context):
            await asyncio.wait_for(self.barrier.wait(), 60)
            return Reply("More.")

        def describe(self):
            return {"name": self.name}

    envs = gym.make_vec(
        "ColBench-Frontend-v0",
        num_envs=8,
        vectorization_mode="vector_entry_point",
        tasks=TASKS,
        similarity="layout",
        simulator=Together(),
        render_mode="rgb_array",
    )
    observation, _ = envs.reset(seed=1)
    assert len({m[0]["content"] for m in observation["messages"]}) == 1
    observation, rewards, terminated, *_ = envs.step(["<h1>draft</h1>"] * 8)
    assert not terminated.any()
    assert [frame.shape for frame in envs.render()] == [(720, 1280, 3)] * 8
    answers = [f"I WANT TO ANSWER: {episode.task.ground_truth}" for episode in envs._episodes]
    observation, rewards, terminated, _, infos = envs.step(answers)
    assert rewards.tolist() == [1.0] * 8
    assert terminated.all()
    assert observation in envs.observation_space
    assert infos["measure"].tolist() == ["layout"] * 8
    envs.close()


def browsers():
    """Browsers that this process started, without the helpers that each of them starts."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            line = process.cmdline()
        except psutil.Error:
            continue
        program = line[0].lower() if line else ""
        helper = "crashpad" in program or any(part.startswith("--type=") for part in line)
        if "chrom" in program and not helper:
            found.append(line)
    return found


def test_sixty_four_environments_share_a_few_browsers():
    envs = [make(tasks=TASKS, workers=2) for _ in range(64)]
    rewards = [0.0] * len(envs)
    most = 0

    def play(i):
        env = envs[i]
        env.reset(seed=i)
        env.step("<h1>draft</h1>")
        rewards[i] = env.step(f"I WANT TO ANSWER: {env.unwrapped.episode.task.ground_truth}")[1]

    threads = [threading.Thread(target=play, args=(i,)) for i in range(len(envs))]
    before = len(browsers())
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        most = max(most, len(browsers()))
        time.sleep(0.3)
    assert rewards == [1.0] * 64
    assert 1 <= most - before <= 2
