"""Finds the code in an answer, on the trusted side, before anything is run.

Models wrap code in fences of every kind, forget to close them, quote the instruction back, or use no fence at all; a
grader that loses the code grades the formatting. The text is hostile as well, so all work here is bounded: candidates
are capped in size and number, and they are parsed by ``safe_parse`` only.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from colbench.backend.safe_parse import ends_inside_string, parse_untrusted

__all__ = ["BANNED_PHRASES", "MAX_CODE_CHARS", "extract_answer", "paper_extract"]

MAX_CODE_CHARS = 128 * 1024
"""Longest piece of text that is considered as code."""

BANNED_PHRASES = (
    "import os",
    "from os",
    "import sys",
    "from sys",
    "sudo",
    "transformers",
    "exit(",
    "quit(",
    "argparse",
)
"""Phrases that make ``paper`` grading score an answer 0 wherever they stand in it."""

# What one answer may cost on this side.
_MAX_PARSES = 160
_MAX_PARSED_CHARS = 1024 * 1024
_MAX_ANCHORS = 12
_MAX_FENCES = 1000
_MAX_BLOCKS = 40
_MAX_TEXT_CHARS = 1024 * 1024
_MAX_LINES_ABOVE = 400

_FENCE = re.compile(r"[ \t]*(?:(?:[-*+>]|\d{1,4}[.)])[ \t]+)?(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)\Z")
_TAG = re.compile(r"[ \t]*\{?\.?[\w.+#-]{0,32}\}?[ \t]*\Z")
_PYTHON_TAG = re.compile(r"[ \t]*(?:python3|python|py3|py)\b[ \t]*", re.IGNORECASE)


@dataclass
class _Budget:
    """What one answer may cost; when it is used up every further candidate is refused."""

    parses: int = _MAX_PARSES
    chars: int = _MAX_PARSED_CHARS

    def take(self, source: str) -> bool:
        if len(source) > MAX_CODE_CHARS or self.parses <= 0 or self.chars < len(source):
            return False
        self.parses -= 1
        self.chars -= len(source)
        return True


def paper_extract(text: str) -> str | None:
    """Code that the published scorer would run, or None where it scores 0 without running anything.

    Args:
        text: the whole answer; the phrases are looked for in all of it, prose included.

    Returns:
        The text between the first ```` ```python ```` (else the first ```` ``` ````) and the next fence, unstripped;
        the whole text where there is no fence; None when a banned phrase occurs.
    """
    if any(phrase in text for phrase in BANNED_PHRASES):
        return None
    for fence in ("```python", "```"):
        if fence in text:
            return text.split(fence, 1)[1].split("```", 1)[0]
    return text


def extract_answer(text: str, entry_point: str | None) -> str:
    """Code of an answer for ``strict`` grading.

    The last fenced block that parses and defines the asked function, else the longest run of lines that does, dedented.
    Where nothing defines it, the same search for any function, so that the grader can still report what went wrong.

    Args:
        text: the answer as the agent wrote it; any Unicode, any size.
        entry_point: name of the asked function; None means any function.

    Returns:
        Source code with newline line ends, at most ``MAX_CODE_CHARS`` characters; it may be empty or fail to parse.
    """
    # Of a text beyond all reason the end counts, where answers stand.
    text = text[-_MAX_TEXT_CHARS:].replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    lines = text.split("\n")
    budget = _Budget()
    names = [entry_point, None] if entry_point else [None]
    blocks = [_dedent(block) for block in _fenced_blocks(lines)]
    for name in names:
        found = _search(text, lines, blocks, name, budget)
        if found is not None:
            return found
    for candidate in (*reversed(blocks), text):
        if candidate.strip() and len(candidate) <= MAX_CODE_CHARS:
            return candidate
    return ""


def _search(text: str, lines: list[str], blocks: list[str], name: str | None, budget: _Budget) -> str | None:
    if name is not None and name not in text:
        return None
    # An answer that is nothing but code may hold fences in its docstrings: it is taken whole.
    if _fence_of(next((line for line in lines if line.strip()), "")) is None:
        whole = _defining(_dedent(lines), name, budget)
        if whole is not None:
            return _without_stray_words(*whole)
    for block in reversed(blocks):
        if (name is None or name in block) and _defining(block, name, budget) is not None:
            return block
    for block in _unusual_blocks(lines):
        if (name is None or name in block) and _defining(block, name, budget) is not None:
            return block
    return _longest_run(lines, name, budget)


# --- fences ---------------------------------------------------------------------------------------


def _fence_of(line: str) -> tuple[str, str] | None:
    """Fence characters and info string of a line that could open or close a block, else None."""
    if "```" not in line and "~~~" not in line:
        return None
    found = _FENCE.match(line)
    if found is None or (found["mark"][0] == "`" and "`" in found["info"]):
        return None
    return found["mark"], found["info"]


def _fenced_blocks(lines: list[str]) -> list[list[str]]:
    """Contents of the last fenced blocks in order; a block whose fence is never closed runs to the end."""
    found = ((number, *fence) for number, line in enumerate(lines) if (fence := _fence_of(line)) is not None)
    fences = list(deque(found, maxlen=_MAX_FENCES))
    spans: deque[tuple[int, int]] = deque(maxlen=_MAX_BLOCKS)
    # Looking past triple-quoted strings costs a scan; a text made of openers must not make that quadratic.
    scans = 4 * sum(map(len, lines)) + 4096
    position = 0
    while position < len(fences):
        opener, mark, info = fences[position]
        position += 1
        if not _TAG.match(info):
            continue
        # A fence with a tag cannot close a block in Markdown, but it ends one whose closing fence was forgotten.
        ends = [
            later
            for later in range(position, min(position + 32, len(fences)))
            if fences[later][1].startswith(mark) and _TAG.match(fences[later][2])
        ][:8]
        chosen = ends[0] if ends else None
        for end in ends:
            source = "\n".join(lines[opener + 1 : fences[end][0]])
            scans -= len(source)
            if scans < 0:
                break
            if not ends_inside_string(source):
                chosen = end
                break
        if chosen is None:
            spans.append((opener + 1, len(lines)))
        else:
            spans.append((opener + 1, fences[chosen][0]))
            position = chosen if fences[chosen][2].strip() else chosen + 1
    blocks = [lines[start:end] for start, end in spans]
    return [block for block in blocks if sum(map(len, block)) < MAX_CODE_CHARS]


def _unusual_blocks(lines: list[str]) -> Iterator[str]:
    """Blocks that Markdown would not see: code on the fence's own line, a fence glued to the last line of code.

    Every fence line counts as an opener here, last first, because an unpaired fence turns openers into closers.
    """
    found = (number for number, line in enumerate(lines) if line.lstrip().startswith(("```", "~~~")))
    for opener in reversed(deque(found, maxlen=_MAX_ANCHORS)):
        line = lines[opener].strip()
        mark = line[:3]
        first = line.lstrip(mark[0])
        single = first.rstrip()
        rest: list[str] = []
        if single.endswith(mark):
            first = single.rstrip(mark[0])
        else:
            size = 0
            for following in lines[opener + 1 :]:
                size += len(following) + 1
                if size > MAX_CODE_CHARS:
                    break
                bare = following.rstrip()
                if bare.lstrip().startswith(mark):
                    break
                if bare.endswith(mark):
                    rest.append(bare.rstrip(mark[0]))
                    break
                rest.append(following)
        untagged = _PYTHON_TAG.sub("", first, count=1) if _PYTHON_TAG.match(first) else first
        for head in dict.fromkeys((untagged, first, "")):
            yield _dedent([head.strip(), *rest]) if head.strip() else _dedent(rest)


# --- parsing --------------------------------------------------------------------------------------


def _dedent(lines: list[str]) -> str:
    """The lines without the indentation of the first one that is not blank."""
    first = next((line for line in lines if line.strip()), "")
    prefix = first[: len(first) - len(first.lstrip(" \t"))]
    if prefix:
        lines = [line.removeprefix(prefix) for line in lines]
    return "\n".join(lines)


def _parse(source: str, budget: _Budget) -> ast.Module | int | None:
    """Syntax tree, or the line number of the first error, or None when the source is refused."""
    return parse_untrusted(source) if budget.take(source) else None


def _defining(source: str, name: str | None, budget: _Budget) -> tuple[str, ast.Module] | None:
    tree = _parse(source, budget)
    if isinstance(tree, ast.Module) and _defines(tree, name):
        return source, tree
    return None


def _defines(tree: ast.Module, name: str | None) -> bool:
    """Whether running the module binds the name (any function for None) in its namespace."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name == name or (name is None and not isinstance(node, ast.ClassDef)):
                return True
        elif isinstance(node, ast.Import | ast.ImportFrom):
            if name is not None and any((alias.asname or alias.name) == name for alias in node.names):
                return True
        elif isinstance(node, ast.Name):
            if name is not None and node.id == name and isinstance(node.ctx, ast.Store):
                return True
        elif not isinstance(node, ast.Lambda):
            if name is None and isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                return True
            pending.extend(ast.iter_child_nodes(node))
    return False


# --- text without usable fences -------------------------------------------------------------------


def _longest_run(lines: list[str], name: str | None, budget: _Budget) -> str | None:
    """Longest run of lines that parses and defines the name, without single words of prose at its ends."""
    if name is None:
        binding = r"\s*(?:async\s+)?def\s+\w"
    else:
        word = re.escape(name)
        binding = rf"\s*(?:(?:(?:async\s+)?def|class)\s+{word}\b|{word}\s*(?::[^=]+)?=(?!=))"
    anchor_line = re.compile(binding)
    anchors = [number for number, line in enumerate(lines) if len(line) < 10_000 and anchor_line.match(line)]
    best: tuple[int, str] | None = None
    for anchor in reversed(anchors[-_MAX_ANCHORS:]):
        run = _run_around(lines, anchor, name, budget)
        if run is not None and (best is None or run[0] > best[0]):
            best = run
    return best[1] if best is not None else None


def _run_around(lines: list[str], anchor: int, name: str | None, budget: _Budget) -> tuple[int, str] | None:
    indent = lines[anchor][: len(lines[anchor]) - len(lines[anchor].lstrip(" \t"))]

    def piece(start: int, end: int) -> str:
        return "\n".join(line.removeprefix(indent) for line in lines[start:end])

    end, size = anchor, 0
    while end < len(lines) and size + len(lines[end]) < MAX_CODE_CHARS // 2:
        size += len(lines[end]) + 1
        end += 1
    # Downwards: the parser names the first line that is not code, so each failure cuts there.
    while True:
        tree = _parse(piece(anchor, end), budget)
        if tree is None or tree == 1:
            return None
        if isinstance(tree, ast.Module):
            break
        end = min(end - 1, anchor + tree - 1)
        if end <= anchor:
            return None
    best = (end - anchor, piece(anchor, end), tree)
    # Upwards: from the top, skipping past each line that is not code, so that imports and helpers come along.
    start = max(0, anchor - _MAX_LINES_ABOVE)
    while start < anchor:
        source = piece(start, end)
        above = _parse(source, budget)
        if isinstance(above, ast.Module):
            if _defines(above, name):
                best = (end - start, source, above)
            break
        if above is None:
            break
        start = start + above if start + above <= anchor else start + 1
    if not _defines(best[2], name):
        return None
    return best[0], _without_stray_words(best[1], best[2])


def _without_stray_words(source: str, tree: ast.Module) -> str:
    """The source without leading and trailing expressions such as ``Answer``: prose that happens to parse."""
    body = list(tree.body)
    while body and _is_stray(body[0]):
        body.pop(0)
    while body and _is_stray(body[-1]):
        body.pop()
    if len(body) == len(tree.body) or not body:
        return source
    first = min([body[0].lineno, *(decorator.lineno for decorator in getattr(body[0], "decorator_list", []))])
    return "\n".join(source.split("\n")[first - 1 : body[-1].end_lineno]) + "\n"


def _is_stray(node: ast.stmt) -> bool:
    harmless = ast.Call | ast.Constant | ast.Await | ast.JoinedStr | ast.NamedExpr
    return isinstance(node, ast.Expr) and not isinstance(node.value, harmless)
