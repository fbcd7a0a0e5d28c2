"""What agents and collaborators are shown: prompts, placeholders, pictures, single turn, private thought."""

import base64
import io
import json

import pytest
from PIL import Image
from server import ChatServer, completion, failure

from colbench.agents import load_agent, parse_agent
from colbench.agents.base import EpisodeStart
from colbench.dialogue import parse_message
from colbench.errors import CollaboratorError, ConfigurationError
from colbench.frontend.page import RenderedPage
from colbench.prompts import load_prompt
from colbench.simulators import load_collaborator
from colbench.simulators.base import CollaboratorContext
from colbench.tasks.schema import BackendTask, FrontendTask

REQUEST = "Count {name: n} please. The signature of the function is: def count(a)"
SAID = (
    {"role": "user", "content": REQUEST},
    {"role": "assistant", "content": 'Is it f"{len(a)}" or {0} or {ground_truth}?'},
)
TASK = BackendTask(
    task_id="t", problem_description=REQUEST, ground_truth="def count(a):\n    return {'n': len(a)}", test_cases={}
)
OPTIONS = {"model": "m", "backoff": 0.01, "retries": 0, "timeout": 5}


async def speak(observation, env="ColBench-Backend-v0", play=lambda r: completion("Hm?"), **options):
    async with ChatServer(play) as server:
        agent = load_agent("chat", {**OPTIONS, "base_url": server.base_url, **options})
        message = await agent.start(EpisodeStart(env, seed=1, max_turns=10)).act(observation)
        await agent.aclose()
        return message, server.requests[-1]


def seen(*messages, left=10):
    return {"messages": messages or SAID[:1], "turns_left": left}


async def answer(context, play=lambda r: completion("Yes."), **options):
    async with ChatServer(play) as server:
        collaborator = load_collaborator("chat", {**OPTIONS, "base_url": server.base_url, **options})
        reply = await collaborator.reply(context)
        await collaborator.aclose()
        return reply, server.requests


def context(task=TASK, messages=SAID, **facts):
    return CollaboratorContext(task=task, messages=messages, seed=7, turn=0, max_chars=400, **facts)


# ---- row 20: inserted text is not scanned again


async def test_inserted_text_is_never_scanned_again(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("T={problem_description}|S={ground_truth}|D={dialogue_history}|{other}|{}|{0}|f'{x!r}'|{{a}}")
    _, requests = await answer(context(), prompt=str(path))
    (message,) = requests[0].messages
    assert message["role"] == "user"
    assert message["content"] == (
        f"T={REQUEST}|S={TASK.ground_truth}|D=Human: {REQUEST}\n\nAgent: {SAID[1]['content']}"
        "|{other}|{}|{0}|f'{x!r}'|{{a}}"
    )


async def test_the_default_prompt_shows_the_reference_to_the_collaborator_only():
    _, requests = await answer(context())
    text = requests[0].text
    assert TASK.ground_truth in text and SAID[1]["content"] in text and "400 characters" in text
    _, request = await speak(seen())
    assert TASK.ground_truth not in request.text and REQUEST in request.text


async def test_a_collaborators_prompt_without_history_is_a_system_prompt(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("You know {hidden_information}.")
    messages = (*SAID, {"role": "user", "content": "A list."}, {"role": "assistant", "content": "Sorted?"})
    _, requests = await answer(context(messages=messages), prompt=str(path))
    assert [m["role"] for m in requests[0].messages] == ["system", "assistant", "user", "assistant", "user"]
    assert requests[0].messages[0]["content"] == f"You know {TASK.ground_truth}."


async def test_the_three_kinds_of_an_agents_prompt_file(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("Be brief. {max_turns} messages.")
    _, request = await speak(seen(), prompt=str(path))
    assert request.messages == [
        {"role": "system", "content": "Be brief. 10 messages."},
        {"role": "user", "content": REQUEST},
    ]
    path.write_text("Help with: {problem_description}")
    dialogue = (*SAID, {"role": "user", "content": "A list."})
    _, request = await speak(seen(*dialogue, left=9), prompt=str(path))
    assert [m["role"] for m in request.messages] == ["user", "assistant", "user"]
    assert request.messages[0]["content"] == f"Help with: {REQUEST}"
    path.write_text("{dialogue_history}\n\n{turns_left} left")
    _, request = await speak(seen(*dialogue, left=9), prompt=str(path))
    (message,) = request.messages
    assert message["content"].startswith(f"Human: {REQUEST}\n\nAgent: Is it") and message["content"].endswith("9 left")


def test_prompt_files_that_cannot_be_used(tmp_path):
    path = tmp_path / "p.txt"
    for text, message in (
        ("The secret: {ground_truth}", "would show the agent the reference"),
        ("a\n{dialog_history}", "p.txt:2: no placeholder is called 'dialog_history'. Did you mean 'dialogue_history'"),
        ("  \n", "is empty"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigurationError, match=message):
            load_prompt(path, "agent_backend")
    path.write_bytes(b"\xff")
    with pytest.raises(ConfigurationError, match="not UTF-8 at byte 0"):
        load_prompt(path, "agent_backend")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_prompt(tmp_path / "none.txt", "agent_backend")


async def test_prompts_are_identified_by_their_hash(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("Be brief.")
    own = load_agent("chat", {**OPTIONS, "base_url": "http://h", "prompt": str(path)}).describe()
    assert own["prompt"] == {"name": "p.txt", "version": 0, "hash": load_prompt(path, "x").hash}
    path.write_text("Be very brief.")
    assert load_agent("chat", {**OPTIONS, "base_url": "http://h", "prompt": str(path)}).describe() != own
    built_in = load_agent("chat", {**OPTIONS, "base_url": "http://h"}).describe()
    assert built_in["prompts"]["backend"]["version"] == 1 and len(built_in["prompts"]["frontend"]["hash"]) == 16
    assert json.dumps(load_collaborator("chat", {**OPTIONS, "base_url": "http://h"}).describe())


# ---- single turn and thought


async def test_single_turn_answers_at_once():
    message, request = await speak(
        seen(), play=lambda r: completion("```python\ndef count(a): return 1\n```"), single_turn=True
    )
    assert parse_message(message.text).answer.strip().startswith("```python")
    assert message.meta == {"marker_added": True} and "cannot ask" in request.text
    marked = "I WANT TO ANSWER: x"
    message, _ = await speak(seen(), play=lambda r: completion(marked), single_turn=True)
    assert message.text == marked and message.meta == {}
    thought = "Easy. OUTPUT: def count(a): return 1"
    message, request = await speak(seen(), play=lambda r: completion(thought), single_turn=True, think=True)
    assert parse_message(message.text).answer == " def count(a): return 1" and "OUTPUT:" in request.text


async def test_the_last_turn_is_announced():
    _, request = await speak(seen(left=1))
    assert request.messages[-1]["content"].endswith("(This is your last message: it counts as your answer.)")
    _, request = await speak(seen(left=2))
    assert request.messages[-1]["content"] == REQUEST


async def test_each_environment_has_its_own_prompt():
    _, request = await speak(seen(), env="ColBench-Frontend-v0")
    assert "```html" in request.text and "```python" not in request.text


async def test_seeds_differ_by_turn_and_episode_and_nothing_else():
    async def seed_of(episode_seed, left):
        async with ChatServer(lambda r: completion("Hm?")) as server:
            agent = load_agent("chat", {**OPTIONS, "base_url": server.base_url})
            await agent.start(EpisodeStart("ColBench-Backend-v0", episode_seed, 10)).act(seen(left=left))
            await agent.aclose()
            return server.requests[0].body["seed"]

    assert await seed_of(1, 10) == await seed_of(1, 10)
    assert len({await seed_of(1, 10), await seed_of(2, 10), await seed_of(1, 9)}) == 3


def test_options_on_the_command_line():
    name, options = parse_agent("chat?model=org/name&base_url=http://127.0.0.1:8000/v1&temperature=0&single_turn=true")
    agent = load_agent(name, options)
    assert agent.single_turn and agent.describe()["temperature"] == 0
    with pytest.raises(ConfigurationError, match="unknown option 'modle'"):
        load_agent("chat", {"modle": "m", "base_url": "http://h"})
    with pytest.raises(ConfigurationError, match="unknown option 'visoin'"):
        load_collaborator("chat", {"model": "m", "base_url": "http://h", "visoin": False})


async def test_an_agent_can_act_without_being_started():
    async with ChatServer(lambda r: completion("Hm?")) as server:
        agent = load_agent("chat", {**OPTIONS, "base_url": server.base_url})
        assert (await agent.act(seen())).text == "Hm?"
        await agent.aclose()


# ---- pictures


def page(colour, size=(1280, 2400), html="<p>x</p>", status="ok"):
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, "PNG")
    return RenderedPage(html=html, status=status, png=out.getvalue(), width=size[0], height=size[1])


PAGE_TASK = FrontendTask(task_id="p", problem_description="A page.", ground_truth="<p class='secret'>mine</p>")


def pictures(request):
    parts = request.messages[-1]["content"]
    images = [p["image_url"]["url"] for p in parts if p["type"] == "image_url"]
    assert all(url.startswith("data:image/png;base64,") for url in images)
    return [Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))).convert("RGB") for url in images], parts[0][
        "text"
    ]


async def test_the_collaborator_sees_two_pictures_the_agents_first():
    ctx = context(PAGE_TASK, agent_page=page("red"), reference_page=page("blue"))
    _, requests = await answer(ctx, image_size=256)
    shown, text = pictures(requests[0])
    assert [i.getpixel((5, 5)) for i in shown] == [(255, 0, 0), (0, 0, 255)]
    assert {i.size for i in shown} == {(137, 256)}
    assert "first the designer's page" in text and "secret'" not in text
    _, requests = await answer(ctx, image_size=None)
    assert {i.size for i in pictures(requests[0])[0]} == {(1280, 2400)}


async def test_without_a_page_of_the_agent_there_is_one_picture():
    _, requests = await answer(context(PAGE_TASK, reference_page=page("blue")))
    shown, text = pictures(requests[0])
    assert len(shown) == 1 and "has shown no page yet" in text
    broken = RenderedPage(html="<p>", status="timeout")
    _, requests = await answer(context(PAGE_TASK, agent_page=broken, reference_page=page("blue")))
    shown, text = pictures(requests[0])
    assert len(shown) == 1 and "timeout" in text
    with pytest.raises(CollaboratorError, match="the reference page was not rendered"):
        await answer(context(PAGE_TASK))


async def test_a_model_without_eyes_reads_the_source():
    ctx = context(PAGE_TASK, agent_page=page("red"), reference_page=page("blue"))
    _, requests = await answer(ctx, vision=False)
    assert "<p class='secret'>mine</p>" in requests[0].text and "<p>x</p>" in requests[0].text
    assert isinstance(requests[0].messages[-1]["content"], str)


async def test_leaks_are_asked_again_with_a_note_and_pictures_stay():
    def play(request):
        return completion("Use <div>" if request.number == 0 else "Make it blue.")

    ctx = context(PAGE_TASK, agent_page=page("red"), reference_page=page("blue"))
    reply, requests = await answer(ctx, play)
    assert (reply.text, reply.leak, reply.attempts) == ("Make it blue.", True, 2)
    content = requests[1].messages[-1]["content"]
    assert [p["type"] for p in content] == ["text", "image_url", "image_url", "text"] and "plain words" in content[-1][
        "text"
    ]


async def test_row_26_a_leak_of_the_reference_is_asked_again():
    def play(request):
        return completion(f"```python\n{TASK.ground_truth}\n```" if request.number < 2 else "A dictionary with n.")

    reply, requests = await answer(context(), play)
    assert (reply.text, reply.leak, reply.attempts, reply.meta["leaks"]) == ("A dictionary with n.", True, 3, 2)
    assert len({r.body["seed"] for r in requests}) == 3 and reply.usage.calls == 3


async def test_a_refused_collaborator_is_a_named_failure():
    with pytest.raises(CollaboratorError, match="HTTP 400: no"):
        await answer(context(), lambda r: failure(400, "no"))
