"""What a chat server may do, and how it must end: one test for each kind of answer."""

import asyncio
import json
from itertools import pairwise

import pytest
from server import Answer, ChatServer, completion, failure

from colbench.agents import load_agent
from colbench.agents.base import EpisodeStart
from colbench.agents.model import AgentContextError
from colbench.chat import (
    ChatClient,
    ChatContextError,
    ChatEmptyError,
    ChatFilterError,
    ChatRequestError,
    ChatServerError,
    ChatSettings,
)
from colbench.dialogue import parse_message
from colbench.errors import ConfigurationError

HELLO = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "What is it?"}]


def client(server, **options):
    given = {"model": "m", "base_url": server.base_url, "backoff": 0.01, "retries": 3, "timeout": 30, **options}
    return ChatClient(ChatSettings.from_options("test", given))


async def ask(play, messages=HELLO, **options):
    """The reply (or error) of one call and the requests it took."""
    async with ChatServer(play) as server:
        one = client(server, **options)
        try:
            return await one.complete(messages, seed=1), server.requests
        except Exception as problem:
            return problem, server.requests
        finally:
            await one.aclose()


# ---- row 1 and 4: empty replies


async def test_an_empty_reply_is_asked_for_once_more_with_a_changed_request():
    reply, requests = await ask(lambda r: completion(""), temperature=0)
    assert isinstance(reply, ChatEmptyError)
    assert len(requests) == 2
    assert requests[0].body["messages"] != requests[1].body["messages"]
    assert "empty" in requests[1].messages[-1]["content"]
    assert reply.usage.calls == 2 and reply.usage.completion_tokens == 20
    reply, requests = await ask(lambda r: completion("" if r.number == 0 else "Now."))
    assert (reply.text, reply.meta["retried_empty"], reply.usage.calls) == ("Now.", True, 2)


async def test_reasoning_that_used_up_the_tokens_is_asked_again_with_more_and_never_used():
    def play(request):
        if request.body["max_tokens"] < 200:
            return completion(None, "length", reasoning_content="The reference says return 7")
        return completion("Two.", reasoning="hidden: def f()")

    reply, requests = await ask(play, max_tokens=60)
    assert reply.text == "Two."
    assert [r.body["max_tokens"] for r in requests] == [60, 240]
    assert reply.meta["reasoning"] is True
    assert "reference" not in json.dumps(reply.meta)
    reply, requests = await ask(lambda r: completion(None, "length", reasoning_content="return 7"))
    assert isinstance(reply, ChatEmptyError) and "return 7" not in str(reply)


async def test_no_room_for_more_tokens_is_an_empty_reply_and_no_overflow():
    def play(request):
        if request.body["max_tokens"] > 100:
            return failure(400, "too long", code="context_length_exceeded")
        return completion(None, "length")

    reply, requests = await ask(play, max_tokens=60)
    assert isinstance(reply, ChatEmptyError) and len(requests) == 2 and "used up its 60 tokens" in str(reply)


# ---- row 6: think blocks


@pytest.mark.parametrize(
    "content, text",
    [
        ("<think>a</think>Two lists.", "Two lists."),
        ("<think>a <think>b</think> c</think> Two lists.", "Two lists."),
        ("the end of a thought</think>\n\nTwo lists.", "Two lists."),
        ("<thinking>a</thinking>Two <reasoning>b</reasoning>lists.", "Two lists."),
        ("Two lists. <THINK>hidden: def f(): return 7", "Two lists."),
    ],
)
async def test_think_blocks_are_removed(content, text):
    reply, requests = await ask(lambda r: completion(content))
    assert reply.text == text and len(requests) == 1


async def test_an_unclosed_think_block_leaves_nothing():
    reply, requests = await ask(lambda r: completion("<think>hidden: def f(): return 7"))
    assert isinstance(reply, ChatEmptyError) and len(requests) == 2


# ---- rows 7 and 8: unsupported parameters, learnt once


async def test_the_token_limit_gets_its_other_name_once_and_for_all():
    def play(request):
        if "max_tokens" in request.body:
            message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return failure(400, message, code="unsupported_parameter", param="max_tokens", type="invalid_request_error")
        return completion("Yes.")

    async with ChatServer(play) as server:
        one = client(server)
        for _ in range(3):
            assert (await one.complete(HELLO, seed=1)).text == "Yes."
        assert len(server.requests) == 4
        assert [r.body.get("max_completion_tokens") for r in server.requests] == [None, 1024, 1024, 1024]
        await one.aclose()


@pytest.mark.parametrize(
    "status, body",
    [
        (
            400,
            {
                "error": {
                    "message": "Unsupported value: 'temperature' does not support 0 with this model.",
                    "param": "temperature",
                    "code": "unsupported_value",
                }
            },
        ),
        (400, {"message": "Unrecognized request argument supplied: temperature"}),
        (
            422,
            {
                "detail": [
                    {"type": "extra_forbidden", "loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}
                ]
            },
        ),
    ],
)
async def test_temperature_is_left_out_where_it_is_refused(status, body):
    def play(request):
        return Answer(status, body) if "temperature" in request.body else completion("Yes.")

    async with ChatServer(play) as server:
        one = client(server, temperature=0)
        replies = [await one.complete(HELLO, seed=i) for i in range(2)]
        assert [r.text for r in replies] == ["Yes.", "Yes."]
        assert [r.meta["without"] for r in replies] == [["temperature"], ["temperature"]]
        assert len(server.requests) == 3
        await one.aclose()


async def test_many_calls_at_once_learn_together():
    def play(request):
        for name in ("seed", "temperature", "max_tokens"):
            if name in request.body:
                return failure(400, f"Unsupported parameter: '{name}'", code="unsupported_parameter", param=name)
        return completion("Yes.")

    async with ChatServer(play) as server:
        one = client(server, temperature=0.5)
        replies = await asyncio.gather(*(one.complete(HELLO, seed=i) for i in range(20)))
        assert {r.text for r in replies} == {"Yes."}
        before = server.count
        await one.complete(HELLO, seed=99)
        assert server.count == before + 1
        await one.aclose()


async def test_a_value_out_of_range_is_no_unsupported_parameter():
    def play(request):
        return failure(400, "max_tokens is too large: 9000. This model takes at most 4096.", param="max_tokens")

    reply, requests = await ask(play, max_tokens=9000)
    assert isinstance(reply, ChatRequestError) and len(requests) == 1 and "too large" in str(reply)


async def test_a_field_that_the_user_asked_for_is_not_dropped():
    def play(request):
        return failure(400, "Unsupported parameter: 'top_logprobs'", code="unsupported_parameter", param="top_logprobs")

    reply, requests = await ask(play, extra_body={"top_logprobs": 3})
    assert isinstance(reply, ChatRequestError) and len(requests) == 1


# ---- row 10: roles


@pytest.mark.parametrize("status", [400, 500])
async def test_roles_are_folded_for_templates_that_refuse_them(status):
    def play(request):
        roles = [m["role"] for m in request.messages]
        if "system" in roles:
            return failure(status, "System role not supported")
        if any(a == b for a, b in pairwise(roles)) or roles[0] != "user":
            return failure(status, "Conversation roles must alternate user/assistant/user/assistant/...")
        return completion("Yes.")

    messages = [*HELLO, {"role": "user", "content": "Well?"}, {"role": "assistant", "content": "A"}, HELLO[1]]
    async with ChatServer(play) as server:
        one = client(server)
        assert (await one.complete(messages, seed=1)).text == "Yes."
        assert (await one.complete(messages, seed=2)).text == "Yes."
        assert len(server.requests) == 3
        assert server.requests[-1].messages[0] == {"role": "user", "content": "Be short.\n\nWhat is it?\n\nWell?"}
        await one.aclose()


# ---- row 11: lists


async def test_lists_are_accepted_and_text_is_sent_as_plain_strings():
    parts = [{"type": "text", "text": "What "}, {"type": "text", "text": "is it?"}]
    reply, requests = await ask(
        lambda r: completion([{"type": "text", "text": "A "}, {"type": "text", "text": "dict."}]),
        [{"role": "user", "content": parts}],
    )
    assert reply.text == "A dict."
    assert requests[0].messages == [{"role": "user", "content": "What \nis it?"}]


# ---- rows 12, 13, 15, 17: what is retried


FILTERED = {
    "error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        "code": "content_filter",
        "status": 400,
        "innererror": {"code": "ResponsibleAIPolicyViolation"},
    }
}


@pytest.mark.parametrize(
    "answer",
    [
        Answer(400, FILTERED),
        Answer(400, {"error": {**FILTERED["error"], "type": "rate_limit_error"}}),
        Answer(429, {"error": {**FILTERED["error"], "type": "rate_limit_error"}}),
        Answer(200, FILTERED),
    ],
)
async def test_a_filtered_prompt_is_not_retried_whatever_it_is_called(answer):
    problem, requests = await ask(lambda r: answer)
    assert isinstance(problem, ChatFilterError) and len(requests) == 1


async def test_a_bad_request_called_a_rate_limit_is_not_retried():
    problem, requests = await ask(lambda r: failure(400, "Rate limit: bad request", type="rate_limit_error"))
    assert isinstance(problem, ChatRequestError) and len(requests) == 1


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_outages_are_retried(status):
    reply, requests = await ask(lambda r: completion("Yes.") if r.number == 2 else failure(status, "busy"))
    assert (reply.text, reply.attempts, len(requests)) == ("Yes.", 3, 3)
    problem, requests = await ask(lambda r: failure(status, "busy"))
    assert isinstance(problem, ChatServerError) and len(requests) == 4


@pytest.mark.parametrize("status", [400, 403, 404, 405, 413, 422])
async def test_everything_else_is_not(status):
    problem, requests = await ask(lambda r: failure(status, "no"))
    assert isinstance(problem, ChatRequestError) and len(requests) == 1


async def test_the_time_the_server_asks_for_is_kept_within_bounds():
    loop = asyncio.get_running_loop()
    for header, value in (("retry-after", "0.4"), ("retry-after-ms", "400")):
        times = []

        def play(request, header=header, value=value, times=times):
            times.append(loop.time())
            return completion("Yes.") if request.number else Answer(429, {}, {header: value})

        reply, _ = await ask(play)
        assert reply.text == "Yes." and times[1] - times[0] >= 0.39
    started = loop.time()
    reply, _ = await ask(
        lambda r: completion("Yes.") if r.number else Answer(429, {}, {"retry-after": "3600"}), max_wait=0.2
    )
    assert reply.text == "Yes." and loop.time() - started < 2


@pytest.mark.parametrize(
    "message, code",
    [
        (
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
            "context_length_exceeded",
        ),
        ("This model's maximum context length is 8192 tokens. Please reduce the length of the messages.", 400),
        ("prompt is too long: 210000 tokens > 200000 maximum", None),
    ],
)
async def test_an_overlong_prompt_has_a_reason_of_its_own(message, code):
    problem, requests = await ask(lambda r: failure(400, message, code=code))
    assert isinstance(problem, ChatContextError) and problem.reason == "context_overflow" and len(requests) == 1


# ---- broken connections and time limits


@pytest.mark.parametrize(
    "answer",
    [
        Answer(reset=True),
        Answer(200, completion("Yes.").body, cut=40),
        Answer(200, completion("Yes.").body, cut=40, chunked=True),
        Answer(200, "<html>Bad gateway</html>", {"content-type": "text/html"}),
        Answer(200, b"\xff\xfe\x00"),
        Answer(200, "[]"),
        Answer(200, {"choices": []}),
        Answer(200, {"choices": [{"finish_reason": "stop"}]}),
        Answer(200, {"error": {"message": "upstream", "code": 502}}),
        Answer(500, "Internal Server Error"),
        Answer(200, completion("Yes.").body, delay=30),
        Answer(200, completion("Yes.").body, drip=0.05),
    ],
    ids=lambda a: f"{a.status}-{str(a.body)[:12]}-{a.cut}-{a.delay}-{a.drip}",
)
async def test_broken_answers_are_tried_again_and_end_in_time(answer):
    loop = asyncio.get_running_loop()
    started = loop.time()
    reply, requests = await ask(lambda r: completion("Yes.") if r.number else answer, timeout=0.6)
    assert getattr(reply, "text", reply) == "Yes."
    assert len(requests) == 2
    problem, _ = await ask(lambda r: answer, timeout=0.6, retries=1)
    assert isinstance(problem, ChatServerError)
    assert loop.time() - started < 10


async def test_no_server_at_all():
    async with ChatServer(lambda r: completion("")) as server:
        pass
    one = client(server, retries=1)
    with pytest.raises(ChatServerError, match=r"no connection to http://127\.0\.0\.1"):
        await one.complete(HELLO, seed=1)
    await one.aclose()


# ---- what concerns the whole run


async def test_a_wrong_key_or_model_stops_the_run():
    problem, requests = await ask(lambda r: failure(401, "Incorrect API key provided"))
    assert isinstance(problem, ConfigurationError) and "OPENAI_API_KEY" in str(problem) and len(requests) == 1
    async with ChatServer(lambda r: failure(404, "The model 'm' does not exist")) as server:
        one = client(server)
        for kind in (ChatRequestError, ChatRequestError, ConfigurationError):
            with pytest.raises(kind, match="does not exist"):
                await one.complete(HELLO, seed=1)
        await one.aclose()


async def test_one_refusal_in_a_running_run_does_not_stop_it():
    async with ChatServer(lambda r: failure(403, "no") if r.number % 2 else completion("Yes.")) as server:
        one = client(server)
        for i in range(60):
            if i % 2:
                with pytest.raises(ChatRequestError):
                    await one.complete(HELLO, seed=1)
            else:
                await one.complete(HELLO, seed=1)
        await one.aclose()


# ---- agents: what is the agent's own doing


async def act(play, said=(), turns_left=10, **options):
    async with ChatServer(play) as server:
        agent = load_agent(
            "chat", {"model": "m", "base_url": server.base_url, "backoff": 0.01, "retries": 1, "timeout": 30, **options}
        )
        player = agent.start(EpisodeStart("ColBench-Backend-v0", seed=3, max_turns=10))
        messages = ({"role": "user", "content": "Write f. The signature of the function is: def f(a)"}, *said)
        try:
            return await player.act({"messages": messages, "turns_left": turns_left}), server.requests
        except Exception as problem:
            return problem, server.requests
        finally:
            await agent.aclose()


OWN = ({"role": "assistant", "content": "x" * 100}, {"role": "user", "content": "No."})


async def test_an_overflow_by_the_agents_own_text_is_its_outcome():
    overflow = failure(400, "too long", code="context_length_exceeded")
    message, requests = await act(lambda r: overflow, OWN, 9)
    assert parse_message(message.text).answer == ""
    assert message.finish_reason == "context_overflow" and message.meta == {"forfeit": "context_overflow"}
    assert len(requests) == 1
    problem, _ = await act(lambda r: overflow)
    assert isinstance(problem, AgentContextError)


async def test_a_filter_is_the_agents_outcome_only_if_its_text_was_there():
    message, requests = await act(lambda r: Answer(400, FILTERED), OWN, 9)
    assert message.meta == {"forfeit": "content_filter"} and len(requests) == 1
    problem, requests = await act(lambda r: Answer(400, FILTERED))
    assert isinstance(problem, ChatFilterError) and problem.boundary == "model_server" and len(requests) == 1
    message, _ = await act(lambda r: completion("", "content_filter"))
    assert message.meta == {"forfeit": "content_filter"}


async def test_an_agent_that_says_nothing_says_an_empty_message():
    message, requests = await act(lambda r: completion(""), OWN, 1)
    assert (message.text, message.finish_reason, len(requests)) == ("", "empty", 2)


async def test_an_outage_is_not_the_agents():
    problem, _ = await act(lambda r: failure(500, "down"))
    assert isinstance(problem, ChatServerError) and problem.boundary == "model_server"
