"""What the scripted agents say and write when the request comes from no procedural family.

They cannot understand such a request; they ask what one would ask about any function and then hand in a simple
function of the right signature. It is valid Python and mostly wrong, as an honest floor should be.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Sequence

__all__ = ["GENERIC_QUESTIONS", "IRRELEVANT_QUESTIONS", "best_effort"]

GENERIC_QUESTIONS = (
    "What do the inputs look like, and what are their types?",
    "Which keys or fields of the input do you use, and what for?",
    "Are there thresholds, limits or fixed numbers I should know?",
    "How should edge cases such as empty or missing input be handled?",
    "How should the result be rounded?",
    "What exactly should be returned, and in what form?",
    "In which order are the steps carried out?",
)

IRRELEVANT_QUESTIONS = (
    "Who will maintain this after me?",
    "Which colour should the logo have?",
    "When is the meeting with your boss?",
    "What is the weather like today?",
    "Will this be deployed in the cloud?",
)

_SIGNATURE = re.compile(r"\bdef\s+([A-Za-z_]\w*)\s*(\(.*)?", re.DOTALL)
_NAME = re.compile(r"(?:^|,)\s*([A-Za-z_]\w*)")

# The first rule with a word in the request or the replies decides; {0} is the first parameter.
_RULES = (
    (("average", "mean"), "sum({0}) / len({0})"),
    (("sort", "rank", "order"), "sorted({0})"),
    (("largest", "maximum", "highest", "best"), "max({0})"),
    (("smallest", "minimum", "lowest"), "min({0})"),
    (("total", "sum", "add"), "sum({0})"),
    (("count", "how many", "number of"), "len({0})"),
    (("reverse",), "{0}[::-1]"),
    (("valid", "whether", "check"), "bool({0})"),
)


def best_effort(request: str, replies: Sequence[str]) -> str:
    """Source of a simple function with the signature that a request asks for.

    Args:
        request: the collaborator's first message; a damaged or missing signature is mended.
        replies: what the collaborator answered.

    Returns:
        Source that always compiles.
    """
    name, parameters, names = _signature(request)
    heard = " ".join([request, *replies]).lower()
    first = names[0] if names else "0"
    rule = next((rule for words, rule in _RULES if any(word in heard for word in words)), "{0}")
    return (
        f"def {name}({parameters}):\n"
        "    try:\n"
        f"        return {rule.format(first)}\n"
        "    except (ArithmeticError, LookupError, TypeError, ValueError):\n"
        f"        return {first}\n"
    )


def _signature(request: str) -> tuple[str, str, list[str]]:
    """Function name, parameter list as text, and parameter names; always usable."""
    found = list(_SIGNATURE.finditer(request))
    start = request.rfind("def ")
    last = _SIGNATURE.match(request, start) if start >= 0 else None
    if last is None:
        last = found[-1] if found else None
    if last is None or keyword.iskeyword(last.group(1)) or not last.group(1).isidentifier():
        return "solution", "*inputs", []
    name, rest = last.group(1), (last.group(2) or "").strip()
    for end in range(len(rest), 0, -1):
        if rest[end - 1] == ")":
            try:
                definition = ast.parse(f"def {name}{rest[:end]}:\n    pass").body[0]
            except (SyntaxError, ValueError, MemoryError, RecursionError):
                continue
            assert isinstance(definition, ast.FunctionDef)
            arguments = definition.args
            return name, rest[1 : end - 1], [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    # The signature is cut off or damaged: keep the parameter names, and let every one be left out.
    listed = re.sub(r"=[^,]*|:[^,=]*|\{.*|\[.*", "", rest[1:])
    # What a pattern calls a word may hold characters (a fraction, say) that no name may.
    names = list(dict.fromkeys(n for n in _NAME.findall(listed) if n.isidentifier() and not keyword.iskeyword(n)))
    return name, ", ".join(f"{n}=None" for n in names) or "*inputs", names
