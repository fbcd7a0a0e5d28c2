"""Every option of a chat client, checked once; those that can change a reply are told apart from those that cannot."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from colbench.chat.keys import public_url
from colbench.errors import ConfigurationError
from colbench.plugins import check_options

__all__ = ["ChatSettings"]

_OPENAI = "https://api.openai.com/v1"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What names the model, where and how it is asked: a change of one of these makes another run.
_IDENTITY = ("model", "api_version", "temperature", "top_p", "max_tokens", "use_seed", "extra_body", "stop")


@dataclass(frozen=True)
class ChatSettings:
    """Options of :class:`colbench.chat.ChatClient`.

    Attributes:
        model: name of the model as the server knows it; the deployment on Azure.
        base_url: address of an OpenAI-compatible server; default ``OPENAI_BASE_URL``, else OpenAI.
        api_key_env: name of the environment variable that holds the key; keys are given in no other way.
        api_version: given for Azure, whose resource address is then ``base_url``.
        temperature: None leaves it to the server.
        top_p: None leaves it to the server.
        max_tokens: most tokens of a reply, reasoning included.
        stop: texts that end a reply.
        use_seed: send a seed with every request (servers without seeds are noticed and spared).
        extra_body: further fields of the request, as the server documents them.
        logprobs: ask for log-probabilities and keep them.
        token_ids: ask for token ids (vLLM) and keep them.
        timeout: seconds for one request from first to last byte.
        retries: further requests after an outage, at least 0.
        backoff: seconds before the first retry; doubled each time, with jitter.
        max_wait: longest wait before a retry, also where the server asks for a longer one.
        max_concurrency: requests under way at once.
        requests_per_minute: None for no limit of our own.
        prices: path of the price file; default ``COLBENCH_PRICES``.
        cache: folder of the reply cache, or None.
    """

    model: str
    base_url: str | None = None
    api_key_env: str | None = None
    api_version: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int = 1024
    stop: tuple[str, ...] = ()
    use_seed: bool = True
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    logprobs: bool = False
    token_ids: bool = False
    timeout: float = 120.0
    retries: int = 6
    backoff: float = 0.5
    max_wait: float = 60.0
    max_concurrency: int = 256
    requests_per_minute: float | None = None
    prices: str | None = None
    cache: str | None = None

    def __post_init__(self) -> None:
        for name, low in (("max_tokens", 1), ("retries", 0), ("max_concurrency", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ConfigurationError(f"{name} must be a whole number of at least {low}, actually: {value!r}")
        for name in ("timeout", "backoff", "max_wait", "requests_per_minute", "temperature", "top_p"):
            value = getattr(self, name)
            optional = name in ("requests_per_minute", "temperature", "top_p")
            if value is None and optional:
                continue
            zero = name in ("temperature", "backoff", "max_wait")
            bad = isinstance(value, bool) or not isinstance(value, int | float)
            if bad or not (value >= 0 if zero else value > 0):
                raise ConfigurationError(f"{name} must be a {'' if zero else 'positive '}number, actually: {value!r}")
        if not isinstance(self.extra_body, Mapping):
            raise ConfigurationError(f"extra_body must be a JSON object, actually: {self.extra_body!r}")
        for name in ("messages", "model", "stream", "n"):
            if name in self.extra_body:
                raise ConfigurationError(f"extra_body must not hold {name!r}")
        if isinstance(self.stop, str):
            object.__setattr__(self, "stop", (self.stop,))
        object.__setattr__(self, "stop", tuple(self.stop))
        if self.api_key_env is not None and not _VARIABLE.fullmatch(self.api_key_env):
            # Not repeated: somebody may have put the key itself here.
            raise ConfigurationError("api_key_env must be the name of an environment variable, not a key")
        if self.api_version is not None and not self.base_url:
            raise ConfigurationError("api_version is for Azure; give the address of the resource as base_url")

    @classmethod
    def from_options(cls, what: str, options: Mapping[str, Any]) -> ChatSettings:
        """Make settings from keyword options.

        Args:
            what: named in errors, for example ``"agent 'chat'"``.
            options: fields of this class.

        Raises:
            ConfigurationError: for an unknown option (naming the near match), a bad value, or a key given as an option.
        """
        known = [f.name for f in fields(cls)]
        # Before the check below, which repeats names: a key must not be typed where a shell keeps its history.
        if "api_key" in options:
            raise ConfigurationError(
                f"{what}: a key is not given as an option. Put it into an environment variable and name that one with "
                "api_key_env (default OPENAI_API_KEY)."
            )
        check_options(what, {k: v for k, v in options.items() if k not in known}, known)
        if not options.get("model"):
            raise ConfigurationError(f"{what}: give the name of the model, for example model=gpt-4o-mini")
        given = dict(options)
        # A name such as "7" or "1e3" is read as a number on the command line.
        for name in ("model", "api_version", "api_key_env"):
            if given.get(name) is not None:
                given[name] = str(given[name])
        return cls(**given)

    @property
    def address(self) -> str:
        """Where requests go."""
        return self.base_url or os.environ.get("OPENAI_BASE_URL") or _OPENAI

    @property
    def key_variable(self) -> str:
        """The environment variable that holds the key."""
        return self.api_key_env or ("AZURE_OPENAI_API_KEY" if self.api_version else "OPENAI_API_KEY")

    @property
    def key_required(self) -> bool:
        """Whether the server is one that always wants a key."""
        return self.api_key_env is not None or self.api_version is not None or self.address == _OPENAI

    def describe(self) -> dict[str, Any]:
        """JSON facts that can change a reply; no key, and no credentials in the address."""
        facts = {name: getattr(self, name) for name in _IDENTITY}
        facts["extra_body"], facts["stop"] = dict(self.extra_body), list(self.stop)
        kept = {name: value for name, value in facts.items() if value not in (None, {}, [])}
        return {**kept, "server": _server_name(self.address)}


def _server_name(address: str) -> str:
    """A public host by its name; anything else is a server of one's own, whose node and port change from day to day."""
    host = urlsplit(public_url(address)).hostname or ""
    try:
        ip_address(host)
    except ValueError:
        if "." in host and not host.endswith((".local", ".internal", ".lan", ".localdomain")):
            return host
    return "own"
