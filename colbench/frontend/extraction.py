"""The web page inside a message.

An agent writes a page the way people do in a chat: in a fenced block, bare between two sentences, as a fragment
without head and body, on one line, without the end. It also asks questions that merely mention a tag. This module
decides which part of a message, if any, is a page; it never repairs or completes it, that is the browser's business.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

__all__ = ["extract_html"]

# Every expression here has to stay linear in a hostile message; hence the bound on a fence's length, the `<` that stops
# a doctype, and the lookahead that keeps a tag's name whole.
_FENCE = re.compile(r"(`{3,64}|~{3,64})[^\S\n]*([\w+.#-]*)[^\S\n]*\n?(.*?)(?:\1|\Z)", re.S)
_PAGE_LANGUAGES = frozenset(
    {"", "html", "html5", "htm", "xhtml", "xml", "svg", "markup", "text", "txt", "md", "markdown"}
)

_DOCUMENT = re.compile(r"<!doctype\s+html[^<>]*>|<html(?=[\s>])", re.I)
_DOCUMENT_END = re.compile(r"</html\s*>", re.I)
_BODY_END = re.compile(r"</body\s*>", re.I)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_INLINE_CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")

_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<close>/?)(?P<name>[a-z][a-z0-9-]*)(?![a-z0-9-])(?P<attrs>(?:\"[^\"]*\"|'[^']*'|[^<>\"'])*)>",
    re.I | re.S,
)
# Elements whose content is not markup.
_RAW_END = {name: re.compile(rf"</{name}\s*>", re.I) for name in ("script", "style", "textarea", "title")}
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())

# What makes a page. Tags that people use to stress a word in a sentence (`<b>`, `<code>`, `<br>`) do not.
_BLOCKS = frozenset(
    "head body div section header footer main nav article aside h1 h2 h3 h4 h5 h6 p ul ol dl li table thead tbody "
    "tr td th form fieldset button figure blockquote pre details dialog svg canvas video iframe center hgroup".split()
)
_WITH_ATTRIBUTES = frozenset("a span label img input select link meta font marquee".split())


@dataclass(frozen=True)
class _Token:
    name: str  # "" for a comment
    closing: bool
    attributes: bool
    whole: bool  # a script, a style, a void element: nothing to close
    start: int
    end: int


def extract_html(message: str) -> str | None:
    """The last page in a message, without the text around it.

    Args:
        message: what the agent said.

    Returns:
        The page's source as it stands in the message, or None if there is no page: a question, prose that mentions a
        tag, code of another language.
    """
    candidates: list[tuple[int, str]] = []
    documents = _documents(message)
    fences = [
        match
        for match in _FENCE.finditer(message)
        # A fence inside a bare document is part of that page.
        if not _within(match.start(), match.end(), documents)
    ]
    rest = list(message)
    for match in fences:
        page = _from_fence(match[2].lower(), match[3])
        if page:
            candidates.append((match.start(), page))
        rest[match.start() : match.end()] = "\n" * (match.end() - match.start())
    bare = "".join(rest)
    for start, end in _documents(bare):
        candidates.append((start, bare[start:end]))
        rest[start:end] = "\n" * (end - start)
    fragment = _fragment("".join(rest))
    if fragment:
        candidates.append(fragment)
    if not candidates:
        return None
    return max(candidates)[1].strip()


def _within(start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    """Whether a stretch begins inside one of the sorted, disjoint spans and ends with it or before."""
    before = bisect.bisect_left(spans, (start, 0)) - 1
    return before >= 0 and end <= spans[before][1]


def _from_fence(language: str, text: str) -> str | None:
    if language not in _PAGE_LANGUAGES:
        return None
    inside = text.strip()
    if not inside:
        return None
    if language in ("html", "html5", "htm", "xhtml"):
        if _TAG.search(inside):
            return inside
        return None
    documents = _documents(inside)
    if inside.startswith("<"):
        return inside if documents or _fragment(inside) else None
    if documents:
        start, end = documents[-1]
        return inside[start:end]
    found = _fragment(inside)
    return found[1] if found else None


def _documents(text: str) -> list[tuple[int, int]]:
    """Spans of whole documents: from a doctype or `<html>` to `</html>`, or as far as they go without it."""
    tokens = _tokens(text)
    token_starts = [token.start for token in tokens]
    starts: list[int] = []
    doctype_end: int | None = None
    for match in _DOCUMENT.finditer(text):
        before = bisect.bisect_left(token_starts, match.start()) - 1
        if before >= 0 and match.start() < tokens[before].end:
            continue  # it stands in an attribute (a `srcdoc`), a script or a comment
        if match[0].lower().startswith("<html") and doctype_end is not None:
            between = text[doctype_end : match.start()]
            if not _TAG.sub("", between).strip():
                doctype_end = None
                continue  # it belongs to the doctype before it
        starts.append(match.start())
        doctype_end = match.end() if match[0].lower().startswith("<!") else None
    spans = []
    first = len(text) - len(text.lstrip())
    for number, start in enumerate(starts):
        limit = starts[number + 1] if number + 1 < len(starts) else len(text)
        closed = _DOCUMENT_END.search(text, start, limit)
        own = tokens[bisect.bisect_left(token_starts, start) : bisect.bisect_left(token_starts, limit)]
        end = closed.end() if closed else _open_end(text, own, start, limit)
        if _is_document([token for token in own if token.start < end], start <= first, closed is not None):
            spans.append((start, end))
    return spans


def _open_end(text: str, tokens: list[_Token], start: int, limit: int) -> int:
    """Where a document without `</html>` ends: after `</body>`, else before a remark that follows its last tag."""
    bodies = list(_BODY_END.finditer(text, start, limit))
    if bodies:
        return bodies[-1].end()
    if tokens and (tokens[-1].closing or tokens[-1].whole) and text[tokens[-1].end : limit].startswith(("\n", "\r\n")):
        return tokens[-1].end
    return limit


def _is_document(tokens: list[_Token], alone: bool, closed: bool) -> bool:
    others = [token for token in tokens if token.name not in ("", "html")]
    if not others:
        # "It starts with <html> and ends with </html>" is a sentence; "<html>Hi</html>" as the whole message is a page.
        return alone and closed
    return alone or len(others) > 1 or any(token.closing or token.attributes or token.whole for token in others)


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    position = 0
    without_end: set[str] = set()
    while match := _TAG.search(text, position):
        position = match.end()
        if not match["name"]:
            found.append(_Token("", False, False, True, match.start(), position))
            continue
        name = match["name"].lower()
        whole = name in _VOID or match["attrs"].endswith("/")
        if name in _RAW_END and not match["close"] and name not in without_end:
            end = _RAW_END[name].search(text, position)
            if end:
                whole, position = True, end.end()
            else:
                without_end.add(name)
        found.append(_Token(name, bool(match["close"]), "=" in match["attrs"], whole, match.start(), position))
    return found


def _fragment(text: str) -> tuple[int, str] | None:
    """The last page without `<html>`: a run of elements that belong together, and where it begins."""
    masked = _INLINE_CODE.sub(lambda match: " " * len(match[0]), text)
    tokens = _tokens(masked)
    ends = _element_ends(tokens)
    pieces: list[list[int]] = []  # start, end, first token, last token
    position = 0
    while position < len(tokens):
        token, last = tokens[position], ends[position]
        if last is None:
            position += 1
            continue
        if pieces and not _apart(masked[pieces[-1][1] : token.start]):
            pieces[-1][1], pieces[-1][3] = tokens[last].end, last
        else:
            pieces.append([token.start, tokens[last].end, position, last])
        position = last + 1
    for start, end, first, last in reversed(pieces):
        inside = tokens[first : last + 1]
        if any(_makes_page(token) for token in inside) and not _is_mention(masked[start:end], inside):
            return start, text[start : _loose_end(masked, tokens[last + 1 :], end)]
    return _unclosed(text, masked, tokens)


def _apart(between: str) -> bool:
    """Whether what stands between two elements separates two pages: words, and a blank line."""
    return bool(between.strip()) and _BLANK_LINE.search(between) is not None


def _is_mention(source: str, tokens: list[_Token]) -> bool:
    """Whether it only names a tag, as in `<div>...</div>`."""
    if any(token.attributes for token in tokens) or len(tokens) > 2:
        return False
    return _TAG.sub("", source).strip() in ("", "...", "…")


def _makes_page(token: _Token) -> bool:
    if token.name in _BLOCKS or (token.name in ("script", "style") and token.whole):
        return True
    return token.name in _WITH_ATTRIBUTES and token.attributes


def _element_ends(tokens: list[_Token]) -> list[int | None]:
    """For each token the index of the one that ends its element; None if it is not closed or begins nothing."""
    ends: list[int | None] = [None] * len(tokens)
    open_tags: dict[str, list[int]] = {}
    for index, token in enumerate(tokens):
        if token.whole:
            if not token.name or token.attributes or token.name in ("script", "style", "hr"):
                ends[index] = index
        elif not token.closing:
            open_tags.setdefault(token.name, []).append(index)
        elif open_tags.get(token.name):
            ends[open_tags[token.name].pop()] = index
    return ends


def _loose_end(masked: str, tokens: list[_Token], end: int) -> int:
    """A run may go on with elements that need no end (`<p>`, `<li>`); theirs is what follows up to a blank line."""
    for token in tokens:
        if token.closing or token.whole or token.name not in _BLOCKS:
            continue
        if masked[end : token.start].strip():
            break
        blank = _BLANK_LINE.search(masked, token.end)
        return blank.start() if blank else len(masked)
    return end


def _unclosed(text: str, masked: str, tokens: list[_Token]) -> tuple[int, str] | None:
    """A page that was cut off: it begins with an element that never ends."""
    telling = max((i for i, token in enumerate(tokens) if token.closing or token.attributes), default=-1)
    position, begins_line = 0, True
    for token in tokens[: telling + 1]:
        _, newline, before = masked[position : token.start].rpartition("\n")
        begins_line = not before.strip() and (begins_line or bool(newline))
        position = token.start
        if not token.closing and token.name in _BLOCKS and begins_line:
            return token.start, text[token.start :]
    return None
