"""Whether a reply gives the reference away: code of any kind, or a long run of the reference's own tokens.

A person who cannot program does not dictate code, and a benchmark of asking measures nothing once the collaborator
does. Naming a field, a value or a short expression is what people do, and no leak.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from functools import lru_cache

from colbench.tasks.schema import Task

__all__ = ["LONGEST_RUN", "Leak", "find_leak", "without_code_lines"]

LONGEST_RUN = 10
"""A run of this many tokens of the reference's code is a leak."""

_FENCE = re.compile(r"```|~~~")
_DEF = re.compile(r"\b(?:async\s+)?def\s+\w+\s*\(|\blambda\b[^:\n]{0,60}:|^\s*(?:from\s+[\w.]+\s+)?import\s+\w+", re.M)
_SPAN = re.compile(r"`([^`\n]+)`")
_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9-]*(?:\s[^<>]*)?/?>|<!--|<!DOCTYPE", re.I)
_RULE = re.compile(r"[.#]?[\w-]+\s*\{[^{}]*:[^{}]*\}")
_TOKEN = re.compile(
    r"'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|\d+(?:\.\d+)?|[^\W\d]\w*|==|!=|<=|>=|//|\*\*|[^\w\s]",
    re.S,
)
_CLASSES = re.compile(r"""class\s*=\s*["']([^"']+)["']""")
_SHORTEST_SPAN = 7
_CLASS_RUN = 3
_CODE_STATEMENTS = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.For,
    ast.While,
    ast.If,
    ast.With,
    ast.Try,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
)
_COMPUTING = (ast.Call, ast.BinOp, ast.Compare, ast.BoolOp, ast.Subscript, ast.IfExp)
_PLAIN = frozenset({",", ".", ":", ";", "(", ")", "and", "or", "not", "is", "in", "if", "else", "for", "-"})


@dataclass(frozen=True)
class Leak:
    """What gave the reference away.

    Attributes:
        kind: ``fence``, ``definition``, ``statement``, ``expression``, ``run``, ``markup`` or ``classes``.
        text: the beginning of it; never written to a record, since it shows the reference.
    """

    kind: str
    text: str


def find_leak(task: Task, reply: str, longest_run: int = LONGEST_RUN) -> Leak | None:
    """The first leak in a reply, or None.

    Args:
        task: with its reference.
        reply: what the collaborator would say.
        longest_run: tokens of the reference in a row that make a leak.
    """
    fence = _FENCE.search(reply)
    if fence is not None:
        return Leak("fence", reply[fence.start() :][:80])
    if task.kind == "frontend":
        return _page_leak(task.ground_truth, reply)
    found = _DEF.search(reply)
    if found is not None:
        return Leak("definition", found[0].strip()[:80])
    for line in reply.splitlines():
        if _is_statement(line):
            return Leak("statement", line.strip()[:80])
    for span in _SPAN.findall(reply):
        if _is_long_expression(span):
            return Leak("expression", span[:80])
    run = _longest_common_run(_code_tokens(task.ground_truth), tuple(_TOKEN.findall(reply.replace("`", " "))))
    return Leak("run", " ".join(run)[:80]) if len(run) >= longest_run and _is_code(run) else None


def without_code_lines(reply: str) -> str:
    """What remains of a reply without fenced blocks, lines of code and markup; it may still leak."""
    text = re.sub(r"(?:```|~~~).*?(?:```|~~~|\Z)", " ", reply, flags=re.S)
    text = _TAG.sub(" ", _RULE.sub(" ", text))
    kept: list[str] = []
    inside = 0
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        # The indented lines under a definition belong to it.
        if _is_statement(line) or _DEF.search(line) or (inside and indent > inside - 1 and line.strip()):
            inside = inside or indent + 1
            continue
        inside = inside if not line.strip() else 0
        kept.append(line)
    return " ".join(" ".join(kept).split())


def _is_statement(line: str) -> bool:
    """Whether a line is a statement of Python rather than a sentence."""
    text = line.strip().lstrip("-*• ").strip("`").strip()
    if not text or len(text) > 500:
        return False
    if re.match(r"(?:if|elif|else|for|while|with|try|except|def|class)\b.*:$", text):
        # "for all of them:" ends in a colon too; a header of code parses once it has a body.
        header = re.sub(r"^elif\b", "if", text)
        if text.startswith(("else", "except")):
            return bool(re.match(r"(?:else|except(?:\s+\w+)?(?:\s+as\s+\w+)?)\s*:$", text))
        return _parses(f"{header} pass") is not None
    if re.match(r"return\b", text):
        parsed = _parses(f"def _():\n {text}")
        return parsed is not None and any(
            isinstance(node, ast.Call | ast.BinOp | ast.Compare | ast.Subscript | ast.IfExp)
            for node in ast.walk(parsed)
        )
    parsed = _parses(text)
    return parsed is not None and bool(parsed.body) and isinstance(parsed.body[0], _CODE_STATEMENTS)


def _is_long_expression(span: str) -> bool:
    parsed = _parses(span)
    if parsed is None or len(_TOKEN.findall(span)) < _SHORTEST_SPAN:
        return False
    return any(isinstance(node, _COMPUTING) for node in ast.walk(parsed))


def _parses(text: str) -> ast.Module | None:
    import warnings

    try:
        with warnings.catch_warnings():
            # A reply such as "5is enough" makes the parser warn.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=512)
def _code_tokens(source: str) -> tuple[str, ...]:
    """Tokens of the reference without comments, docstrings and line ends."""
    kept: list[str] = []
    statement_begins = True
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
                continue
            if token.type == tokenize.NEWLINE:
                statement_begins = True
                continue
            if token.type == tokenize.STRING and statement_begins:
                continue
            statement_begins = False
            kept.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        return tuple(_TOKEN.findall(source))
    return tuple(kept)


def _longest_common_run(reference: tuple[str, ...], reply: tuple[str, ...]) -> list[str]:
    """The longest contiguous run of tokens that both hold."""
    best, end = 0, 0
    before = [0] * (len(reply) + 1)
    # Quotation marks vary: "a" and 'a' are one token.
    said = [_same_quotes(token) for token in reply]
    for token in reference:
        wanted = _same_quotes(token)
        now = [0] * (len(reply) + 1)
        for j, other in enumerate(said):
            if other == wanted:
                now[j + 1] = before[j] + 1
                if now[j + 1] > best:
                    best, end = now[j + 1], j + 1
        before = now
    return list(reply[end - best : end])


def _same_quotes(token: str) -> str:
    return "'" + token[1:-1] + "'" if len(token) >= 2 and token[0] == token[-1] == '"' else token


def _is_code(run: list[str]) -> bool:
    """Whether a run is more than a list of values: "'a', 'b' and 'c'" is what a person says."""
    telling = [t for t in run if t not in _PLAIN and not t[0].isdigit() and t[0] not in "'\""]
    return len(telling) >= 3


def _page_leak(reference: str, reply: str) -> Leak | None:
    found = _TAG.search(reply) or _RULE.search(reply)
    if found is not None:
        return Leak("markup", found[0][:80])
    words = f" {' '.join(reply.replace('`', ' ').replace(',', ' ').split())} "
    for classes in _CLASSES.findall(reference):
        listed = classes.split()
        for i in range(len(listed) - _CLASS_RUN + 1):
            run = " ".join(listed[i : i + _CLASS_RUN])
            # Plain words such as "flex items center" would be said by nobody; classes carry hyphens or digits.
            if f" {run} " in words and any("-" in name for name in listed[i : i + _CLASS_RUN]):
                return Leak("classes", run[:80])
    return None
