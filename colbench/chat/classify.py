"""What a failed request means: an outage to wait out, a request to be shaped otherwise, or a final no.

Servers and the layers in front of them disagree about status codes and types, so the body decides before the status
does: a content filter stays one even where a gateway calls it a rate limit.
"""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Problem", "Verdict", "classify", "retry_after"]

Verdict = Literal["outage", "filter", "context", "parameter", "roles", "access", "quota", "refused"]

RETRIED = frozenset({408, 409, 429})
_FILTER = re.compile(
    r"content[_ -]?filter|content[_ -]?policy|content management policy|ResponsibleAIPolicy|moderation[_ ]block", re.I
)
_CONTEXT = re.compile(
    r"context_length_exceeded|maximum context length|context[ _](?:length|window|size)|prompt is too long|"
    r"input is too long|longer than the (?:maximum )?model|exceeds the (?:model's )?max(?:imum)? (?:length|sequence)|"
    r"max_model_len|reduce the length of the (?:messages|prompt|input)",
    re.I,
)
_ROLES = re.compile(
    r"system role|role[s]? must alternate|must alternate|system (?:message|prompt)s? (?:is|are)(?: not|n't) supported|"
    r"(?:does not|doesn't) support (?:the )?system|unexpected role|only user and assistant roles|"
    r"first message (?:must|should) be",
    re.I,
)
_UNSUPPORTED = re.compile(
    r"unsupported|not supported|does not support|doesn't support|unrecogni[sz]ed|unknown|extra inputs|"
    r"extra fields|not permitted|not allowed|unexpected keyword|use 'max_(?:completion_)?tokens'",
    re.I,
)
_PARAMETERS = (
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "seed",
    "top_logprobs",
    "logprobs",
    "return_token_ids",
    "stop",
)


@dataclass(frozen=True)
class Problem:
    """A failed request, understood.

    Attributes:
        verdict: what it means.
        message: in words, for an error.
        parameter: the parameter that the server does not take.
        wait: seconds the server asks to wait, or None.
    """

    verdict: Verdict
    message: str
    parameter: str | None = None
    wait: float | None = None


def classify(status: int, body: Any, headers: Mapping[str, str] | None = None) -> Problem:
    """Understand an answer that is no reply.

    Args:
        status: HTTP status.
        body: decoded JSON, or text.
        headers: of the answer.
    """
    error = _error_of(body)
    code = str(error.get("code") or "")
    kind = str(error.get("type") or "")
    text = str(error.get("message") or "") or _flat(body)
    message = f"HTTP {status}: {_short(text or code or kind or 'no explanation')}"
    everything = f"{code} {kind} {text} {_flat(error.get('innererror'))}"
    if _FILTER.search(everything):
        return Problem("filter", message)
    if _CONTEXT.search(everything) and not _UNSUPPORTED.search(code):
        return Problem("context", message)
    parameter = _parameter(error, body, code, text)
    if status in (400, 422) and parameter is not None:
        return Problem("parameter", message, parameter=parameter)
    # A chat template that raises makes some servers answer 500.
    if status in (400, 422, 500) and _ROLES.search(everything):
        return Problem("roles", message)
    if "insufficient_quota" in everything or "billing_hard_limit" in everything:
        return Problem("quota", message)
    if status in RETRIED or status >= 500:
        return Problem("outage", message, wait=retry_after(headers or {}))
    return Problem("access" if status in (401, 403, 404) else "refused", message)


def _error_of(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        return {}
    error = body.get("error", body)
    if isinstance(error, str):
        return {"message": error}
    if isinstance(error, dict):
        return error
    return {}


def _parameter(error: dict[str, Any], body: Any, code: str, text: str) -> str | None:
    """The parameter that is not taken; None where its value is merely out of range."""
    if not (code.startswith("unsupported") or _UNSUPPORTED.search(f"{code} {text}")):
        return None
    named = error.get("param")
    if isinstance(named, str) and named in _PARAMETERS:
        return named
    flat = text or _flat(body)
    # The first one named is the one that is refused: "'max_tokens' is not supported, use 'max_completion_tokens'".
    found = [(m.start(), name) for name in _PARAMETERS if (m := re.search(rf"(?<![A-Za-z_]){name}(?![A-Za-z_])", flat))]
    return min(found)[1] if found else None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the answer asks to wait, from ``retry-after-ms`` or ``Retry-After`` (seconds or a date)."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    given = headers.get("retry-after")
    seconds = _number(given)
    if seconds is not None or given is None:
        return seconds
    parsed = email.utils.parsedate_tz(given)
    return None if parsed is None else max(0.0, email.utils.mktime_tz(parsed) - time.time())


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _flat(body: Any) -> str:
    if body is None:
        return ""
    if isinstance(body, str):
        return body
    try:
        return json.dumps(body, ensure_ascii=False, default=str)[:20_000]
    except ValueError:
        return str(body)[:20_000]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 400 else text[:400] + "..."
