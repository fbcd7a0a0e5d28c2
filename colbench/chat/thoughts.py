"""Hidden reasoning is removed before a reply is used, whether or not its block was closed.

A collaborator's thoughts may hold the reference, so nothing inside them may ever reach the agent; and a reply that is
cut to a limit must be cut after this, or the closing tag could be lost.
"""

from __future__ import annotations

import re

__all__ = ["without_thoughts"]

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)


def without_thoughts(text: str) -> tuple[str, bool]:
    """The text outside all think blocks, and whether there were any.

    A block without an end reaches to the end of the text. An end without a beginning closes a block that began in the
    prompt, so everything before it goes as well.

    Example:
        >>> without_thoughts("<think>a</think>Two lists.")
        ('Two lists.', True)
    """
    kept: list[str] = []
    depth, position, found = 0, 0, False
    for tag in _TAG.finditer(text):
        found = True
        if depth == 0:
            kept.append(text[position : tag.start()])
        if not tag[1]:
            depth += 1
        elif depth > 0:
            depth -= 1
        else:
            kept.clear()
        position = tag.end()
    if not found:
        return text, False
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept).strip(), True
