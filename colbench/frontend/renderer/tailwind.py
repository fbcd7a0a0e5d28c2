"""Which Tailwind file an address means, and a stylesheet cut down to the classes that a page can use.

The published pages link all 2.9 MB of Tailwind 2.2.19. Parsing them costs the browser more than the rest of the page,
so a page gets only the rules whose classes occur somewhere in its source. Everything that occurs in the source counts
as a class name, wherever it stands; with scripts off no other class can appear, so the picture is the same to the
pixel (a test compares them).
"""

from __future__ import annotations

import functools
import html as html_entities
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from colbench.frontend.assets import find_asset, has_asset

__all__ = ["ScriptAnswer", "StylesheetMatch", "cut_stylesheet", "match_stylesheet", "needs_script", "script_answer"]

# ---- addresses -------------------------------------------------------------------------------------------------------

_STYLESHEET = re.compile(
    r"^(?:https?:)?//[^/]+/(?:.*/)?tailwindcss(?:@|/)?(?P<version>[^/?#]*)/(?:dist/)?tailwind(?:\.min)?\.css(?:[?#].*)?$",
    re.I,
)
_OTHER_STYLESHEET = re.compile(r"^(?:https?:)?//[^?#]*tailwind[^?#]*\.css(?:[?#].*)?$", re.I)
_SCRIPT_4 = re.compile(
    r"^(?:https?:)?//[^/]+/(?:npm/)?@tailwindcss/browser(?:@(?P<version>[^/?#]*))?(?:[/?#].*)?$", re.I
)
_SCRIPT_3 = re.compile(r"^(?:https?:)?//(?:cdn\.tailwindcss\.com|[^?#]*tailwindcss-cdn)(?:[/@?#].*)?$", re.I)
_SCRIPT_TAG = re.compile(r"<script\b[^>]*\bsrc\s*=\s*[\"']?\s*([^\"'\s>]+)", re.I)

# What these ranges mean on a content delivery network today: the last release of the 2.x line.
_SAME_AS_PINNED = {"2.2.19", "v2.2.19", "2", "^2", "~2", "2.x", "^2.0", "^2.2", "2.2", "~2.2", "2.2.x", "^2.2.19"}


@dataclass(frozen=True)
class StylesheetMatch:
    """A stylesheet of Tailwind is asked for; `exact` says whether it is the one in the cache."""

    exact: bool


@dataclass(frozen=True)
class ScriptAnswer:
    """A script build of Tailwind: its source, and whether it is the version that was asked for."""

    source: str
    exact: bool
    version: Literal["3", "4"]


def match_stylesheet(url: str) -> StylesheetMatch | None:
    """Whether the address names a Tailwind stylesheet."""
    found = _STYLESHEET.match(url)
    if found:
        version = unquote(found["version"]).lower()  # browsers write `^2` as `%5E2`
        return StylesheetMatch(exact=version in _SAME_AS_PINNED or bool(re.fullmatch(r"\^2\.\d+(\.\d+)?", version)))
    if _OTHER_STYLESHEET.match(url):
        return StylesheetMatch(exact=False)
    return None


def needs_script(html: str) -> bool:
    """Whether the page is styled by a script build of Tailwind, the only scripts that ever run."""
    return any(_SCRIPT_4.match(url) or _SCRIPT_3.match(url) for url in _script_sources(html))


def _script_sources(html: str) -> list[str]:
    return [html_entities.unescape(url) for url in _SCRIPT_TAG.findall(html)]


# Tailwind 3 colours borders light grey where Tailwind 4 uses the text colour; a 3.x page shown by the 4.x build comes
# much closer with the old default.
_LIKE_3 = (
    ';(()=>{const s=document.createElement("style");s.textContent='
    '"@layer base{*,::after,::before,::backdrop{border-color:#e5e7eb}button{cursor:pointer}}";'
    "document.head.append(s)})();"
)


def script_answer(url: str) -> ScriptAnswer | None:
    """The script for an address, or None if it is not Tailwind's.

    Raises:
        RendererError: if the build is not installed.
    """
    found = _SCRIPT_4.match(url)
    if found:
        version = unquote(found["version"] or "4").lstrip("v^~")
        exact = version == "latest" or version.split(".")[0] == "4"
        return ScriptAnswer(find_asset("tailwind-4").decode("utf-8"), exact, "4")
    if _SCRIPT_3.match(url):
        if has_asset("tailwind-3"):
            return ScriptAnswer(find_asset("tailwind-3").decode("utf-8"), True, "3")
        return ScriptAnswer(find_asset("tailwind-4").decode("utf-8") + _LIKE_3, False, "4")
    return None


# ---- cutting down ----------------------------------------------------------------------------------------------------

_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_CLASS = re.compile(r"\.((?:\\[0-9a-fA-F]{1,6}\s?|\\.|[\w-])+)")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))")
_SEPARATORS = re.compile(r"[\s\"'=<>]+")


@dataclass(frozen=True)
class _Rule:
    group: str  # the media query it stands in, or ""
    text: str
    needs: tuple[frozenset[str], ...]  # one set of classes per selector; an empty tuple: always kept


class _Stylesheet:
    """A stylesheet split into rules, with an index from class names to the rules that need them."""

    def __init__(self, css: str) -> None:
        self.rules: list[_Rule] = []
        self.always: list[int] = []
        self.by_class: dict[str, list[int]] = {}
        self._split(_COMMENT.sub("", css), "")
        for number, rule in enumerate(self.rules):
            if not rule.needs:
                self.always.append(number)
            for name in {min(need) for need in rule.needs}:
                self.by_class.setdefault(name, []).append(number)
        self.known = frozenset(name for rule in self.rules for need in rule.needs for name in need)

    def _split(self, css: str, group: str) -> None:
        depth, start, opened = 0, 0, 0
        for brace in re.finditer(r"[{}]", css):
            if brace.group() == "{":
                if depth == 0:
                    opened = brace.start()
                depth += 1
                continue
            depth -= 1
            if depth:
                continue
            head, inner = css[start:opened].strip(), css[opened + 1 : brace.start()]
            start = brace.end()
            if head.startswith(("@media", "@supports")):
                self._split(inner, head)
            else:
                needs = () if head.startswith("@") else _needs(head)
                self.rules.append(_Rule(group, f"{head}{{{inner}}}", needs))

    def cut(self, used: frozenset[str]) -> str:
        """The rules that can apply where only the classes `used` occur, in their order."""
        kept = set(self.always)
        for name in used:
            for number in self.by_class.get(name, ()):
                if any(need <= used for need in self.rules[number].needs):
                    kept.add(number)
        parts: list[str] = []
        group = ""
        for number in sorted(kept):
            rule = self.rules[number]
            if rule.group != group:
                parts.append(("}" if group else "") + (rule.group + "{" if rule.group else ""))
                group = rule.group
            parts.append(rule.text)
        return "".join(parts) + ("}" if group else "")


def _needs(selectors: str) -> tuple[frozenset[str], ...]:
    needs = []
    for selector in selectors.split(","):
        names = frozenset(_unescape(name).lower() for name in _CLASS.findall(selector))
        if not names:
            return ()  # it applies without any class
        needs.append(names)
    return tuple(needs)


def _unescape(name: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], name)


@functools.lru_cache(maxsize=1)
def _pinned() -> _Stylesheet:
    return _Stylesheet(find_asset("tailwind-2").decode("utf-8"))


@functools.lru_cache(maxsize=256)
def _cut(used: frozenset[str]) -> str:
    return _pinned().cut(used)


def cut_stylesheet(html: str) -> str:
    """Tailwind 2.2.19 without the rules that cannot apply to this page (scripts off).

    Raises:
        RendererError: if the stylesheet is not installed.
    """
    # A page inside a page (`srcdoc`) has its markup escaped, perhaps several times over.
    if "srcdoc" in html.lower():
        return find_asset("tailwind-2").decode("utf-8")
    # Lower case, because documents without a doctype match class names in any case.
    tokens = set(_SEPARATORS.split(html.lower()))
    if "&" in html:
        tokens.update(_SEPARATORS.split(html_entities.unescape(html).lower()))
    return _cut(frozenset(tokens) & _pinned().known)
