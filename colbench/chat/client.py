"""The one place that talks to a chat server: retries, limits, peculiarities, accounting and the cache.

Thousands of episodes must survive one bad reply, and an outage must never look like a wrong answer. So every answer of
a server is understood (:mod:`colbench.chat.classify`), and ends as a reply or as one named error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from colbench.chat.cache import ReplyCache
from colbench.chat.classify import Problem, classify
from colbench.chat.connections import Connections, shared_certificates
from colbench.chat.empty import ask_until_text
from colbench.chat.errors import ChatContextError, ChatError, ChatFilterError, ChatRequestError, ChatServerError
from colbench.chat.keys import Key, public_url
from colbench.chat.learned import Learned
from colbench.chat.limits import Pace, wait_before_retry
from colbench.chat.messages import Message
from colbench.chat.prices import load_prices
from colbench.chat.reply import ChatReply, GarbledReply, error_in, parse_body, read_reply
from colbench.chat.settings import ChatSettings
from colbench.errors import ConfigurationError
from colbench.seeding import derive_seed, local_random
from colbench.usage import Usage

__all__ = ["ChatClient"]

_MOST_SHAPES = 10
_REFUSALS_AT_START = 3
_REFUSALS_IN_A_ROW = 25


class ChatClient:
    """An asynchronous client of one model on one OpenAI-compatible server.

    Args:
        settings: all options.

    Raises:
        ConfigurationError: the key is missing, or the price file or the cache folder cannot be used.
    """

    def __init__(self, settings: ChatSettings) -> None:
        self.settings = settings
        self.spent = Usage()
        self._key = Key.from_environment(settings.key_variable, required=settings.key_required)
        prices = load_prices(settings.prices)
        self.currency = prices.currency
        self._price = prices.of(settings.model)
        self._cache = ReplyCache(settings.cache) if settings.cache else None
        self._learned = Learned()
        self._pace = Pace(settings.max_concurrency, settings.requests_per_minute)
        self._connections = Connections(self._make_sdk)
        self._answered = False
        self._refusals = 0

    def describe(self) -> dict[str, Any]:
        """JSON facts that can change a reply."""
        return self.settings.describe()

    async def complete(self, messages: Sequence[Message], *, seed: int, sample: int = 0) -> ChatReply:
        """Ask for one reply; it always has text.

        Args:
            messages: ``role`` and ``content`` (a string, or parts where there are images).
            seed: fixes the reply where the server can, and the jitter of retries.
            sample: tells apart repeats of one request in the cache.

        Raises:
            ChatEmptyError: nothing was said, to a changed request either.
            ChatFilterError: a content filter stopped it; not retried.
            ChatContextError: the prompt is too long; not retried.
            ChatRequestError: refused for another reason; not retried.
            ChatServerError: an outage that outlasted the retries.
            ConfigurationError: wrong key, wrong model, no quota: every further call would meet it too.
        """

        async def once(shown: Sequence[Message], max_tokens: int, again: int) -> ChatReply:
            return await self._once(shown, max_tokens, derive_seed(seed, "chat", again), sample)

        return await ask_until_text(once, messages, self.settings.max_tokens)

    async def aclose(self) -> None:
        """Close this loop's connections; the client can be used again."""
        await self._connections.aclose()

    def _body(self, max_tokens: int, seed: int) -> dict[str, Any]:
        s = self.settings
        body: dict[str, Any] = {"model": s.model, "max_tokens": max_tokens}
        for name in ("temperature", "top_p"):
            if getattr(s, name) is not None:
                body[name] = getattr(s, name)
        if s.stop:
            body["stop"] = list(s.stop)
        if s.use_seed:
            body["seed"] = seed & 0x7FFFFFFF
        if s.logprobs:
            body["logprobs"] = True
        if s.token_ids:
            body["return_token_ids"] = True
        return body | dict(s.extra_body)

    async def _once(self, messages: Sequence[Message], max_tokens: int, seed: int, sample: int) -> ChatReply:
        body = self._body(max_tokens, seed)
        key = ""
        if self._cache is not None:
            key = ReplyCache.key(
                {"server": public_url(self.settings.address), "body": body, "messages": messages, "sample": sample}
            )
            kept = self._cache.get(key)
            if kept is not None:
                return self._from_cache(kept)
        answer, reply, attempts = await self._answer(body, messages, seed)
        self.spent += reply.usage
        if reply.finish_reason == "content_filter":
            raise ChatFilterError(
                "the model's reply was stopped by a content filter",
                of_reply=True,
                usage=reply.usage,
                attempts=attempts,
            )
        if self._cache is not None and reply.text:
            self._cache.put(key, answer)
        meta = dict(reply.meta)
        if self._learned.without:
            meta["without"] = self._learned.without
        return ChatReply(
            text=reply.text,
            finish_reason=reply.finish_reason,
            usage=reply.usage,
            token_ids=reply.token_ids,
            logprobs=reply.logprobs,
            attempts=attempts,
            meta=meta,
        )

    def _from_cache(self, answer: dict[str, Any]) -> ChatReply:
        reply = read_reply(answer, self._price)
        used = reply.usage
        # Nothing was asked and nothing paid now; the tokens stay, since they tell how long the dialogue was.
        cost = None if used.cost is None else 0.0
        free = Usage(0, used.prompt_tokens, used.completion_tokens, used.reasoning_tokens, cost)
        return ChatReply(
            text=reply.text,
            finish_reason=reply.finish_reason,
            usage=free,
            token_ids=reply.token_ids,
            logprobs=reply.logprobs,
            attempts=0,
            meta={**reply.meta, "cached": True},
        )

    async def _answer(
        self, body: dict[str, Any], messages: Sequence[Message], seed: int
    ) -> tuple[dict[str, Any], ChatReply, int]:
        """The server's answer to one call, as sent and as read, whatever it took; and the number of requests."""
        rng = local_random(seed, "jitter")
        retries, shapes, attempts = 0, 0, 0
        while True:
            sent = self._learned.shape(body, messages)
            attempts += 1
            async with self._pace.slot():
                await self._pace.turn()
                answer = await self._send(sent)
            if not isinstance(answer, Problem):
                self._answered, self._refusals = True, 0
                return *answer, attempts
            if answer.verdict in ("parameter", "roles"):
                shapes += 1
                if shapes <= _MOST_SHAPES and self._learned.learn(answer, sent, self.settings.extra_body):
                    continue
                answer = Problem("refused", answer.message)
            if answer.verdict != "outage" or retries >= self.settings.retries:
                raise self._error(answer, attempts)
            await asyncio.sleep(
                wait_before_retry(
                    retries, answer.wait, backoff=self.settings.backoff, longest=self.settings.max_wait, rng=rng
                )
            )
            retries += 1

    async def _send(self, sent: dict[str, Any]) -> tuple[dict[str, Any], ChatReply] | Problem:
        """Send one request; an answer, or what went wrong, without a trace of the request."""
        import openai

        seconds = self.settings.timeout
        try:
            # One limit from first to last byte: a server that drips a byte a second never trips a read time-out.
            async with asyncio.timeout(seconds):
                with self._connections.use() as sdk:
                    # As extra_body everything is sent as it is; as arguments the SDK first walks through every message
                    # by its type hints, which takes a fifth of a call's time.
                    raw = await sdk.chat.completions.with_raw_response.create(
                        model=sent["model"], messages=[], extra_body=sent
                    )
            # Scrubbed before anything else sees it: a debugging server may echo what it was sent.
            answer = parse_body(self._key.scrub_bytes(raw.content))
            wrapped = error_in(answer)
            if wrapped is not None:
                return self._scrubbed(classify(*wrapped))
            return answer, read_reply(answer, self._price)
        except TimeoutError:
            return Problem("outage", f"no complete answer within {seconds:g} s")
        except openai.APIStatusError as problem:
            body = problem.body if problem.body is not None else problem.response.text
            return self._scrubbed(classify(problem.status_code, body, problem.response.headers))
        except openai.APIConnectionError as problem:
            cause = problem.__cause__
            detail = f"{type(cause).__name__}: {cause}" if cause is not None else str(problem)
            where = public_url(self.settings.address)
            return self._scrubbed(Problem("outage", f"no connection to {where} ({detail.rstrip(': ')})"))
        except GarbledReply as problem:
            return self._scrubbed(Problem("outage", f"garbled answer: {problem}"))

    def _scrubbed(self, problem: Problem) -> Problem:
        return Problem(problem.verdict, self._key.scrub(problem.message), problem.parameter, problem.wait)

    def _error(self, problem: Problem, attempts: int) -> ChatError | ConfigurationError:
        message = f"model {self.settings.model!r}: {problem.message}"
        if problem.verdict == "filter":
            return ChatFilterError(message, attempts=attempts)
        if problem.verdict == "context":
            return ChatContextError(message, attempts=attempts)
        if problem.verdict == "outage":
            return ChatServerError(f"{message} (after {attempts} requests)", attempts=attempts)
        self._refusals += 1
        patience = _REFUSALS_IN_A_ROW if self._answered else _REFUSALS_AT_START
        wrong_key = problem.message.startswith("HTTP 401") and not self._answered
        if wrong_key or self._refusals >= patience:
            return ConfigurationError(f"{message}. {self._remedy(problem)}")
        return ChatRequestError(message, attempts=attempts)

    def _remedy(self, problem: Problem) -> str:
        if problem.verdict == "access":
            return (
                f"Check the key in {self.settings.key_variable}, the name of the model and the address "
                f"{public_url(self.settings.address)}. The run can be continued afterwards."
            )
        if problem.verdict == "quota":
            return "The account has no quota left. The run can be continued afterwards."
        return f"The server refused {self._refusals} requests in a row. The run can be continued afterwards."

    def _make_sdk(self) -> Any:
        import openai

        # Retries and limits are this client's own business, so the SDK's are off.
        common: dict[str, Any] = {"api_key": self._key.reveal(), "max_retries": 0, "timeout": None}
        s = self.settings
        if s.address.startswith("http://"):
            # Certificates are read for every client of the SDK, which takes longer than many calls to a local server.
            common["http_client"] = openai.DefaultAsyncHttpxClient(verify=shared_certificates())
        if s.api_version is not None:
            return openai.AsyncAzureOpenAI(azure_endpoint=s.address, api_version=s.api_version, **common)
        return openai.AsyncOpenAI(base_url=s.address, **common)
