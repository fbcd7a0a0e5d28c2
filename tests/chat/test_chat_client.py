"""The client beside its answers: cache, accounting, limits, keys, log-probabilities, settings."""

import asyncio
import json
import logging
import traceback

import pytest
from server import Answer, ChatServer, completion, failure

from colbench.agents import load_agent
from colbench.chat import ChatClient, ChatServerError, ChatSettings, load_prices
from colbench.chat.client import ChatClient as Client
from colbench.chat.keys import Key, public_url
from colbench.errors import ConfigurationError

HELLO = [{"role": "user", "content": "What is it?"}]
SECRET = "sk-planted-4f1c9e77aa"


def client(server, **options):
    given = {"model": "m", "base_url": server.base_url, "backoff": 0.01, "retries": 2, "timeout": 30, **options}
    return Client(ChatSettings.from_options("test", given))


async def test_the_cache_answers_the_same_request_only(tmp_path):
    async with ChatServer(lambda r: completion(f"reply {r.number}", tokens=(50, 5))) as server:
        one = client(server, cache=str(tmp_path), prices=_prices(tmp_path))
        first = await one.complete(HELLO, seed=1)
        again = await client(server, cache=str(tmp_path), prices=_prices(tmp_path)).complete(HELLO, seed=1)
        assert first.text == again.text == "reply 0" and server.count == 1
        assert again.meta["cached"] and (again.usage.calls, again.usage.cost) == (0, 0.0)
        assert (again.usage.prompt_tokens, first.usage.cost) == (50, pytest.approx(50e-6 * 2 + 5e-6 * 4))
        texts = {
            (await one.complete(HELLO, seed=2)).text,
            (await one.complete(HELLO, seed=1, sample=7)).text,
            (await one.complete([*HELLO, *HELLO], seed=1)).text,
            (await client(server, cache=str(tmp_path), temperature=0).complete(HELLO, seed=1)).text,
            (await client(server, cache=str(tmp_path), extra_body={"top_k": 3}).complete(HELLO, seed=1)).text,
        }
        assert texts == {f"reply {i}" for i in range(1, 6)}
        unseeded = client(server, cache=str(tmp_path), use_seed=False)
        assert [(await unseeded.complete(HELLO, seed=s, sample=s)).text for s in (1, 2, 1)] == [
            "reply 6",
            "reply 7",
            "reply 6",
        ]
        for path in tmp_path.rglob("*.json"):
            path.write_text("{torn")
        assert (await one.complete(HELLO, seed=1)).text == "reply 8"
        await one.aclose()
    assert not [p for p in tmp_path.rglob("*") if p.name.startswith(".reply")]


def _prices(folder):
    path = folder / "prices.toml"
    path.write_text('[models."m"]\ninput = 2.0\noutput = 4.0\n')
    return str(path)


async def test_empty_replies_are_not_cached(tmp_path):
    async with ChatServer(lambda r: completion("" if r.number == 0 else "Yes.")) as server:
        one = client(server, cache=str(tmp_path))
        assert (await one.complete(HELLO, seed=1)).text == "Yes."
        assert len(list(tmp_path.rglob("*.json"))) == 1
        await one.aclose()


def test_prices(tmp_path, monkeypatch):
    path = tmp_path / "p.toml"
    path.write_text(
        'currency = "EUR"\n[models."a-*"]\ninput = 1\noutput = 2\n'
        '[models."a-mini"]\ninput = 10\noutput = 20\ncached_input = 1\n'
    )
    prices = load_prices(path)
    assert prices.currency == "EUR" and prices.of("b") is None
    assert prices.of("a-large").cost(1_000_000, 500_000) == pytest.approx(2.0)
    assert prices.of("a-mini").cost(1_000_000, 0, cached_tokens=900_000) == pytest.approx(1.9)
    monkeypatch.setenv("COLBENCH_PRICES", str(path))
    assert load_prices().of("a-mini") == prices.of("a-mini")
    for text, message in (
        ("[models.a]\ninput = 1\n", "model 'a': 'output' is missing"),
        ("[models.a]\ninput = -1\noutput = 1\n", "input must be a number of at least 0, actually: -1"),
        ("[models.a]\ninput = 1\noutput = 1\nout = 2\n", "unknown field 'out'"),
        ("models = 3\n", "expected a table"),
        ("[models", "not TOML"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigurationError, match=message):
            load_prices(path)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_prices(tmp_path / "none.toml")


async def test_usage_and_reasoning_tokens_are_counted():
    answer = completion("Yes.")
    answer.body["usage"]["completion_tokens_details"] = {"reasoning_tokens": 4}
    async with ChatServer(lambda r: answer) as server:
        one = client(server)
        reply = await one.complete(HELLO, seed=1)
        assert (reply.usage.calls, reply.usage.completion_tokens, reply.usage.reasoning_tokens) == (1, 10, 4)
        assert reply.usage.cost is None
        await one.complete(HELLO, seed=2)
        assert one.spent.calls == 2
        await one.aclose()
    del answer.body["usage"]
    async with ChatServer(lambda r: answer) as server:
        one = client(server)
        assert (await one.complete(HELLO, seed=1)).usage.prompt_tokens == 0
        await one.aclose()


async def test_log_probabilities_and_token_ids_are_kept_where_they_are_given():
    def play(request):
        assert request.body["logprobs"] is True and request.body["return_token_ids"] is True
        answer = completion("Yes.")
        answer.body["choices"][0]["logprobs"] = {
            "content": [{"token": "Yes", "logprob": -0.5}, {"token": ".", "logprob": -0.25}]
        }
        answer.body["choices"][0]["token_ids"] = [11, 12]
        return answer

    async with ChatServer(play) as server:
        one = client(server, logprobs=True, token_ids=True)
        reply = await one.complete(HELLO, seed=1)
        assert (reply.token_ids, reply.logprobs) == ((11, 12), (-0.5, -0.25))
        await one.aclose()


async def test_requests_carry_what_was_asked_for():
    async with ChatServer(lambda r: completion("Yes.")) as server:
        one = client(server, temperature=0.3, top_p=0.9, stop="END", extra_body={"top_k": 5}, max_tokens=77)
        await one.complete([{"role": "user", "content": "half an emoji \ud83d {name: n}"}], seed=5)
        body = server.requests[0].body
        assert {k: body[k] for k in ("temperature", "top_p", "stop", "top_k", "max_tokens")} == {
            "temperature": 0.3,
            "top_p": 0.9,
            "stop": ["END"],
            "top_k": 5,
            "max_tokens": 77,
        }
        assert 0 <= body["seed"] < 2**31
        assert body["messages"][0]["content"] == "half an emoji ? {name: n}"
        await one.aclose()


async def test_azure_addresses():
    async with ChatServer(lambda r: completion("Yes.")) as server:
        address = server.base_url.removesuffix("/v1")
        one = client(server, base_url=address, api_version="2024-10-21", api_key_env="MY_KEY", model="deployment-1")
        with pytest.raises(ConfigurationError, match="ANOTHER_KEY is not set"):
            client(server, base_url=address, api_version="2024-10-21", api_key_env="ANOTHER_KEY")
        assert (await one.complete(HELLO, seed=1)).text == "Yes."
        request = server.requests[0]
        assert request.path == "/openai/deployments/deployment-1/chat/completions?api-version=2024-10-21"
        assert request.headers["api-key"] == SECRET
        await one.aclose()


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("MY_KEY", SECRET)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


async def test_concurrency_is_bounded():
    now = most = 0

    async def play(_):
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.02)
        now -= 1
        return completion("Yes.")

    async with ChatServer(play) as server:
        one = client(server, max_concurrency=3)
        await asyncio.gather(*(one.complete(HELLO, seed=i) for i in range(12)))
        assert most == 3
        await one.aclose()


async def test_requests_per_minute():
    async with ChatServer(lambda r: completion("Yes.")) as server:
        one = client(server, requests_per_minute=1200)
        await one.complete(HELLO, seed=0)
        loop = asyncio.get_running_loop()
        started = loop.time()
        await asyncio.gather(*(one.complete(HELLO, seed=i) for i in range(10)))
        assert loop.time() - started >= 0.44
        await one.aclose()


def test_a_client_serves_one_loop_after_the_other():
    from threading import Thread

    urls, ready, stop = [], [], []

    async def serve():
        async with ChatServer(lambda r: completion("Yes.")) as server:
            urls.append(server)
            ready[0].set()
            while not stop:
                await asyncio.sleep(0.01)

    import threading

    ready.append(threading.Event())
    thread = Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready[0].wait(10)
    one = client(urls[0])

    async def use():
        assert (await one.complete(HELLO, seed=1)).text == "Yes."
        await one.aclose()

    for _ in range(3):
        asyncio.run(use())
    asyncio.run(one.complete(HELLO, seed=1))
    asyncio.run(use())
    stop.append(True)
    thread.join(10)


# ---- keys


async def test_the_key_is_sent_and_appears_nowhere_else(caplog, capsys, tmp_path):
    caplog.set_level(logging.DEBUG)

    def play(request):
        sent = request.headers["authorization"]
        assert sent == f"Bearer {SECRET}"
        if request.number == 0:
            return failure(401, f"Incorrect API key provided: {SECRET}")
        if request.number == 1:
            return Answer(400, f"bad header authorization={sent}")
        if request.number == 2:
            return failure(500, f"panic with {sent}")
        return completion(f"You sent {sent}")

    async with ChatServer(play) as server:
        one = client(server, api_key_env="MY_KEY", retries=0, cache=str(tmp_path))
        problems = []
        for _ in range(3):
            with pytest.raises(Exception) as caught:
                await one.complete(HELLO, seed=1)
            problems.append(caught.value)
        reply = await one.complete(HELLO, seed=1)
        assert reply.text == "You sent Bearer ***"
        agent = load_agent("chat", {"model": "m", "base_url": server.base_url, "api_key_env": "MY_KEY"})
        shown = [repr(one), repr(one.settings), str(one.describe()), repr(agent), str(agent.describe()), repr(one._key)]
        shown += [f"{p!r} {p}" for p in problems]
        shown += ["".join(traceback.format_exception(p)) for p in problems]
        shown += [str(vars(one)), caplog.text, *capsys.readouterr()]
        for text in shown:
            assert SECRET not in text
        for problem in problems:
            assert "***" in str(problem)
        await one.aclose()
    for path in tmp_path.rglob("*.json"):
        assert SECRET not in path.read_text()


def test_where_keys_come_from(monkeypatch):
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY is not set"):
        load_agent("chat", {"model": "m"})
    with pytest.raises(ConfigurationError, match="a key is not given as an option") as caught:
        load_agent("chat", {"model": "m", "api_key": SECRET})
    assert SECRET not in str(caught.value)
    with pytest.raises(ConfigurationError, match="not a key") as caught:
        load_agent("chat", {"model": "m", "api_key_env": SECRET})
    assert SECRET not in str(caught.value)
    monkeypatch.setenv("MY_KEY", f"{SECRET}\n")
    assert Key.from_environment("MY_KEY", required=True).reveal() == SECRET
    monkeypatch.setenv("MY_KEY", "two words")
    with pytest.raises(ConfigurationError, match="MY_KEY holds blanks") as caught:
        Key.from_environment("MY_KEY", required=True)
    assert "two words" not in str(caught.value)
    # A server of one's own needs none.
    assert ChatClient(ChatSettings("m", base_url="http://127.0.0.1:1/v1"))
    with pytest.raises(TypeError):
        Key("x").__reduce__()


# ---- settings


def test_settings_name_what_is_wrong():
    for options, message in (
        ({}, "give the name of the model"),
        ({"model": "m", "temprature": 0}, "unknown option 'temprature'. Did you mean 'temperature'"),
        ({"model": "m", "max_tokens": 0}, "max_tokens must be a whole number of at least 1, actually: 0"),
        ({"model": "m", "timeout": "soon"}, "timeout must be a positive number, actually: 'soon'"),
        ({"model": "m", "retries": -1}, "retries must be a whole number of at least 0"),
        ({"model": "m", "extra_body": "x"}, "extra_body must be a JSON object"),
        ({"model": "m", "extra_body": {"messages": []}}, "must not hold 'messages'"),
        ({"model": "m", "api_version": "2024"}, "give the address of the resource"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            ChatSettings.from_options("agent 'chat'", options)


def test_records_tell_the_server_without_its_credentials():
    own = ChatSettings("m", base_url="http://node017:8000/v1").describe()
    assert own == ChatSettings("m", base_url="http://10.0.0.3:9000/v1", timeout=3, retries=1).describe()
    assert own["server"] == "own"
    assert ChatSettings("m", base_url="https://u:pw@api.example.com/v1?key=1").describe()["server"] == "api.example.com"
    assert public_url("https://u:pw@api.example.com/v1?key=1") == "https://api.example.com/v1"
    assert ChatSettings.from_options("a", {"model": 7}).model == "7"
    json.dumps(own)


async def test_a_cancelled_call_frees_its_place():
    async with ChatServer(lambda r: Answer(200, completion("Yes.").body, delay=0 if r.number else 30)) as server:
        one = client(server, max_concurrency=1, timeout=60)
        task = asyncio.create_task(one.complete(HELLO, seed=1))
        while not server.count:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await asyncio.wait_for(one.complete(HELLO, seed=2), 5)).text == "Yes."
        await one.aclose()


async def test_waits_of_calls_that_failed_together_differ():
    loop = asyncio.get_running_loop()
    times = []

    def play(request):
        if request.number < 20:
            return failure(503, "busy")
        times.append(loop.time())
        return completion("Yes.")

    async with ChatServer(play) as server:
        one = client(server, backoff=0.4)
        await asyncio.gather(*(one.complete(HELLO, seed=i) for i in range(20)))
        assert max(times) - min(times) > 0.1
        await one.aclose()
    assert ChatServerError.reason == "server"
