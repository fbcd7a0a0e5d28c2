"""What no rule forbids and nobody would do: references pasted in, references read out, pages that are photographs.

These are flags, not verdicts. Each says what was seen, so that a person can look; an entry that was accepted all the
same carries them on its page.
"""

from __future__ import annotations

import builtins
import io
import keyword
import math
import re
import tokenize
from collections.abc import Sequence
from functools import lru_cache

from colbench.backend.extraction import extract_answer
from colbench.frontend.extraction import extract_html
from colbench.simulators.leaks import find_leak
from colbench.tasks.schema import BackendTask, FrontendTask, Task
from colbench.trajectory import Trajectory

__all__ = ["chance_of", "leaked_replies", "pasted_page", "pasted_reference"]

_WORD = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?")
_HTML_TOKEN = re.compile(r"</?[A-Za-z][\w-]*|[\w#.%-]+|[^\s\w]")
# What anybody calls a variable.
_COMMON = frozenset(
    "a b c d e f g h i j k l m n o p q r s t u v w x y z acc amount answer args base best char chars cost "
    "count counts cur current data days default diff end entry entries extra found group groups idx index item "
    "items key keys kind kwargs last left length limit line lines low high max_value min_value mid name names "
    "new num number numbers ok old out output pair part parts prev price rate rates ratio remaining res rest "
    "result results right row rows score seen self size start step sum_ temp text tmp top total totals units "
    "val value values weight word words".split()
)
_ORDINARY = frozenset({"0", "1", "2", "3", "10", "100", "0.0", "1.0", "0.5", "60", "24", "7", "12", "1000"})
_KNOWN = frozenset(dir(builtins)) | frozenset(keyword.kwlist) | frozenset(keyword.softkwlist)
_KEYWORDS = frozenset(keyword.kwlist)
_SHINGLE = 6
_LEAST_TOKENS = 30
_METHODS = frozenset(
    name for kind in (str, list, dict, set, tuple, int, float) for name in dir(kind) if not name.startswith("_")
) | {"math", "ceil", "floor", "datetime", "date", "timedelta", "collections", "defaultdict", "Counter", "re", "Decimal"}


def leaked_replies(task: Task, trajectory: Trajectory) -> list[tuple[int, str]]:
    """Turns (from 1) whose reply gives the reference away, and how."""
    lines = _telling_lines(task.ground_truth) if isinstance(task, BackendTask) else ()
    found = []
    for number, turn in enumerate(trajectory.turns, 1):
        if turn.reply is None:
            continue
        leak = find_leak(task, turn.reply.text)
        if leak is not None:
            found.append((number, leak.kind))
        elif any(line in turn.reply.text for line in lines):
            found.append((number, "line"))
    return found


@lru_cache(maxsize=512)
def _telling_lines(source: str) -> tuple[str, ...]:
    """Lines of a reference that nobody says by chance: code, and more than a word of it."""
    lines = {line.strip() for line in source.splitlines()}
    return tuple(sorted(line for line in lines if len(line) >= 12 and re.search(r"[=()\[\]]", line)))


def pasted_reference(task: Task, trajectory: Trajectory) -> str | None:
    """Why an answer looks like the reference with no dialogue that could have led to it; None where it does not.

    On procedural tasks names and wording are public with the generator, so they prove nothing; see :func:`chance_of`.
    """
    if task.procedural is not None:
        return None
    if isinstance(task, FrontendTask):
        return _pasted_html(task, trajectory)
    code = extract_answer(trajectory.answer or "", task.entry_point)
    reference, answer = _python_tokens(task.ground_truth), _python_tokens(code)
    if len(reference) < _LEAST_TOKENS or not answer:
        return None
    alike = _containment(reference, answer)
    heard = " ".join([trajectory.request, *(t.reply.text for t in trajectory.turns if t.reply is not None)])
    # A number that the agent asked about may have been confirmed with a yes.
    asked = " ".join(t.visible for t in trajectory.turns[:-1])
    seen, numbers = _words(heard), _words(heard + " " + asked)
    private = [
        token
        for token in dict.fromkeys(reference)
        if _is_private(token) and not _was_said(token.lower(), numbers if token[0].isdigit() else seen)
    ]
    shared = [token for token in private if token in set(answer)]
    names = [token for token in shared if not token[0].isdigit()]
    exact = alike >= 0.95 and len(shared) >= 2
    if exact or (alike >= 0.6 and len(names) >= 3 and len(shared) >= 0.6 * len(private)):
        listed = ", ".join(shared[:6])
        return (
            f"the answer repeats {alike:.0%} of the reference and {len(shared)} of its {len(private)} names and "
            f"numbers that nobody said in the dialogue (such as {listed})"
        )
    return None


def _is_private(token: str) -> bool:
    if token[0].isdigit():
        return token not in _ORDINARY
    if not (token[0].isalpha() or token[0] == "_"):
        return False
    return len(token) > 2 and token.lower() not in _COMMON and token not in _KNOWN and token not in _METHODS


def _was_said(token: str, words: frozenset[str]) -> bool:
    """Whether a name was said, as it stands or word by word."""
    return token in words or all(part in words for part in token.split("_") if part)


def _words(text: str) -> frozenset[str]:
    """Words of a text, also the parts of those with underscores."""
    plain = [word.lower() for word in _WORD.findall(text)]
    return frozenset([*plain, *(part for word in plain for part in word.split("_") if part)])


@lru_cache(maxsize=2048)
def _python_tokens(source: str) -> tuple[str, ...]:
    """Tokens without layout, comments and docstrings."""
    kept: list[str] = []
    begins = True
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
                continue
            if token.type == tokenize.NEWLINE:
                begins = True
            elif not (token.type == tokenize.STRING and begins):
                begins = False
                text = token.string
                kept.append("'" + text[1:-1] + "'" if text[0] == text[-1] == '"' else text)
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        return tuple(_WORD.findall(source))
    return tuple(kept)


def _containment(reference: Sequence[str], answer: Sequence[str]) -> float:
    """Share of the reference's runs of six tokens that the answer holds too."""
    wanted = {tuple(reference[i : i + _SHINGLE]) for i in range(len(reference) - _SHINGLE + 1)}
    given = {tuple(answer[i : i + _SHINGLE]) for i in range(len(answer) - _SHINGLE + 1)}
    return len(wanted & given) / len(wanted) if wanted else 0.0


def _pasted_html(task: FrontendTask, trajectory: Trajectory) -> str | None:
    html = next((found for t in reversed(trajectory.turns) if (found := extract_html(t.visible)) is not None), None)
    if html is None:
        return None
    reference, answer = _HTML_TOKEN.findall(task.ground_truth), _HTML_TOKEN.findall(html)
    if len(reference) < 2 * _LEAST_TOKENS:
        return None
    alike = _containment(reference, answer)
    if alike < 0.8:
        return None
    return f"the source of the page repeats {alike:.0%} of the reference's source, which no dialogue shows"


def pasted_page(reference: object, page: object) -> str | None:
    """Why a rendered page looks like a photograph of the reference; None where it does not.

    Args:
        reference: the rendered reference (:class:`colbench.frontend.page.RenderedPage`).
        page: the agent's rendered page.
    """
    ours, theirs = getattr(page, "elements", ()), getattr(reference, "elements", ())
    if page is None or not theirs:
        return None
    wanted, shown = _page_words(theirs), _page_words(ours)
    if len(wanted) < 8 or len(wanted & shown) >= 0.5 * len(wanted):
        return None
    covered, usual = _picture_share(page), _picture_share(reference)
    if covered >= 0.4 and covered > usual + 0.2:
        return (
            f"pictures cover {covered:.0%} of the page ({usual:.0%} of the reference) and it holds "
            f"{len(wanted & shown)} of the reference's {len(wanted)} words as text"
        )
    return None


def _page_words(elements: Sequence[dict[str, object]]) -> set[str]:
    return {word.lower() for e in elements for word in re.findall(r"\w{3,}", str(e.get("text", "")))}


def _picture_share(page: object) -> float:
    """Share of the page that pictures and painted boxes cover; the largest counts, they mostly lie on one another."""
    area = max(1, getattr(page, "width", 0) * getattr(page, "height", 0))
    largest, total = 0.0, 0.0
    for e in getattr(page, "elements", ()):
        picture = e.get("role") in ("image", "frame") or e.get("tag") in ("img", "svg", "canvas", "video", "object")
        if picture or e.get("background_kind") == "picture":
            size = max(0.0, float(e.get("w", 0))) * max(0.0, float(e.get("h", 0))) / area
            largest, total = max(largest, size), total + size
    return min(1.0, max(largest, total))


def chance_of(potentials: Sequence[float], successes: int) -> float:
    """Chance of at least so many successes when each episode succeeds with its own chance.

    Args:
        potentials: of each procedural episode, the chance that whoever knows what was settled and guesses the rest
            succeeds.
        successes: how many did.
    """
    if not potentials or successes <= 0:
        return 1.0
    # The exact distribution of a sum of unequal coins, one coin at a time.
    mass = [1.0]
    for p in potentials:
        grown = [0.0] * (len(mass) + 1)
        for k, weight in enumerate(mass):
            grown[k] += weight * (1 - p)
            grown[k + 1] += weight * p
        mass = grown
    return min(1.0, math.fsum(mass[successes:]))
