"""Every request of a page is answered here, from the cache or not at all.

A page is untrusted: whatever it asks for is either a file that we keep (Tailwind), a picture that we draw (picsum),
or refused and written down. Nothing is fetched, ever.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from colbench.errors import ColBenchError
from colbench.frontend.assets import find_asset
from colbench.frontend.renderer import pictures, tailwind

if TYPE_CHECKING:
    from playwright.async_api import Request, Route

__all__ = ["PAGE_ADDRESS", "PageAnswers"]

PAGE_ADDRESS = "http://page.invalid/"
"""Where a page believes to live; the name can never exist (RFC 2606)."""

MAX_BLOCKED = 200
MAX_ADDRESS = 500

_FONT_HOSTS = ("fonts.googleapis.com", "fonts.gstatic.com", "fonts.bunny.net", "use.typekit.net", "rsms.me")

# Scripts stay off unless the page is styled by a script; then only files may be scripts, and the only such files that
# are ever answered are Tailwind's. Media from `data:` addresses never pass the interception, so they are refused here.
_POLICY_WITH_SCRIPTS = (
    "default-src 'none'; script-src http: https:; style-src 'unsafe-inline' http: https:; img-src http: https: data:; "
    "font-src http: https: data:; media-src http: https:; frame-src http: https:; form-action 'none'; "
    "base-uri http: https:; webrtc 'block'"
)
# A sandboxed document without scripts does not follow a refresh either, not even to an empty page.
_POLICY_WITHOUT_SCRIPTS = (
    "sandbox allow-same-origin; script-src 'none'; media-src http: https:; object-src http: https:; form-action 'none'"
)

_REFRESH = re.compile(r"(<\s*meta\b[^>]*\bhttp-equiv\s*=\s*[\"']?\s*)refresh\b", re.I)
# Refused before they become requests.
_NEVER_ASKED = re.compile(
    r"\bfile:[^\s\"'<>)]+|(?:http-equiv\s*=\s*[\"']?\s*refresh\b[^<>]*?url=\s*)(?P<refresh>[^\s\"'<>]+)",
    re.I,
)


@dataclass
class PageAnswers:
    """Answers the requests of one page and remembers what was refused.

    Attributes:
        html: the page.
        scripts: whether Tailwind's script build may run.
        cut: whether the Tailwind stylesheet is cut down to the classes in use.
        picture: a file that takes the place of every drawn picture.
        blocked: addresses that were refused.
        approximate: whether something other than what the page asked for was used.
        error: what is missing on this machine, to be raised by whoever asked for the page.
    """

    html: str
    scripts: bool
    cut: bool = True
    picture: Path | None = None
    blocked: set[str] = field(default_factory=set)
    approximate: bool = False
    error: ColBenchError | None = None
    _opened: bool = False

    def __post_init__(self) -> None:
        for match in _NEVER_ASKED.finditer(self.html):
            self._block(match["refresh"] or match[0])

    async def handle(self, route: Route, request: Request) -> None:
        """Answer one intercepted request."""
        try:
            answer = self._answer(request)
        except ColBenchError as error:
            self.error = self.error or error
            answer = None
        except Exception:  # an address that no parser takes is refused, like any other
            self._block(request.url)
            answer = None
        try:
            if answer is None:
                await route.abort("blockedbyclient")
            else:
                await route.fulfill(**answer)
        except Exception:  # the page went away meanwhile
            pass

    def _answer(self, request: Request) -> dict[str, Any] | None:
        url = request.url
        if request.is_navigation_request() and request.resource_type == "document":
            if url == PAGE_ADDRESS and not self._opened:
                self._opened = True
                policy = _POLICY_WITH_SCRIPTS if self.scripts else _POLICY_WITHOUT_SCRIPTS
                headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": policy}
                # Where scripts are allowed, so is a refresh; it is taken out of the source instead.
                source = _REFRESH.sub(r"\1x-refresh", self.html) if self.scripts else self.html
                return {"status": 200, "headers": headers, "body": source.encode("utf-8", "replace")}
            self._block(url)
            if _is_main_frame(request):
                return {"status": 204, "body": b""}  # "no content": the browser stays where it is
            return None
        kind = request.resource_type
        if kind == "stylesheet":
            return self._stylesheet(url)
        if kind == "script" and self.scripts:
            script = tailwind.script_answer(url)
            if script is not None:
                # An inline `tailwind.config` is the page's own script and does not run.
                self.approximate |= not script.exact or "tailwind.config" in self.html
                return _file("text/javascript; charset=utf-8", script.source.encode())
        if kind == "image" and pictures.is_picture_address(url):
            key, width, height = pictures.picture_request(url)
            if self.picture is not None:
                return _file("image/jpeg", pictures.file_picture(self.picture, width, height))
            return _file("image/svg+xml", pictures.drawn_picture(key, width, height))
        self._block(url)
        return None

    def _stylesheet(self, url: str) -> dict[str, Any] | None:
        match = tailwind.match_stylesheet(url)
        if match is None:
            self._block(url)
            # Without its fonts a page is itself; without its stylesheet it is not.
            self.approximate |= (urlsplit(url).hostname or "").lower() not in _FONT_HOSTS
            return None
        self.approximate |= not match.exact
        if self.cut and not self.scripts:
            return _file("text/css; charset=utf-8", tailwind.cut_stylesheet(self.html).encode())
        return _file("text/css; charset=utf-8", find_asset("tailwind-2"))

    def _block(self, url: str) -> None:
        if len(self.blocked) < MAX_BLOCKED:
            self.blocked.add(url[:MAX_ADDRESS])


def _is_main_frame(request: Request) -> bool:
    try:
        return request.frame.parent_frame is None
    except Exception:  # the frame of a navigation that has not begun is not known yet; only a new page has that
        return True


def _file(content_type: str, body: bytes) -> dict[str, Any]:
    # Fonts and scripts marked `crossorigin` are only used with this header.
    headers = {"content-type": content_type, "access-control-allow-origin": "*", "cache-control": "no-store"}
    return {"status": 200, "headers": headers, "body": body}
