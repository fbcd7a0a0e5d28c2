"""Prompts as files, with placeholders that are filled by literal replacement in one pass.

A request may hold ``{name: n}`` and an agent's message ``f"{len(a)}"``; inserted text is therefore never looked at
again, and braces that are no placeholder stay as they are. Every result carries the hash of the prompts it was made
with.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any

from colbench.errors import ConfigurationError

__all__ = ["PLACEHOLDERS", "Prompt", "load_prompt"]

PLACEHOLDERS = {
    "problem_description": "the request, which is the collaborator's first message",
    "hidden_information": "the reference artifact (collaborators only)",
    "ground_truth": "the same under its other name (collaborators only)",
    "dialogue_history": "the dialogue so far as text, one message after the other",
    "agent_message": "the agent's last message (collaborators only)",
    "pictures": "what is attached, or the page's source for a model without eyes (frontend collaborators only)",
    "max_chars": "most characters of a reply (collaborators only)",
    "max_turns": "number of messages the agent may send in all",
    "turns_left": "number of messages the agent may still send, this one included (agents only)",
}
_HIDDEN = frozenset({"hidden_information", "ground_truth", "pictures"})
_BRACED = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_VERSION = re.compile(r"_v(\d+)$")


@dataclass(frozen=True)
class Prompt:
    """A prompt's text and where it came from.

    Attributes:
        name: of the built-in prompt, or of the user's file.
        version: of a built-in prompt; 0 for a file.
        text: with placeholders.
        names: the placeholders in it.
    """

    name: str
    version: int
    text: str = field(repr=False)
    names: frozenset[str] = field(repr=False)

    @property
    def hash(self) -> str:
        """First 16 hex digits of the SHA-256 of the text."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def fill(self, values: Mapping[str, Any]) -> str:
        """The text with its placeholders replaced, in one pass.

        Args:
            values: text for every placeholder that occurs.
        """
        return _BRACED.sub(lambda m: str(values[m[1]]) if m[1] in self.names else m[0], self.text)

    def describe(self) -> dict[str, Any]:
        """Name, version and hash, for records."""
        return {"name": self.name, "version": self.version, "hash": self.hash}


def load_prompt(path: str | Path | None, default: str, *, hidden: bool = False) -> Prompt:
    """Read a user's prompt file, or the newest version of a built-in prompt.

    Args:
        path: a UTF-8 text file, or None.
        default: name of the built-in prompt, for example ``"agent_backend"``.
        hidden: whether the prompt may show the reference.

    Raises:
        ConfigurationError: the file cannot be read, is empty, holds a misspelt placeholder, or shows an agent the
            reference.
    """
    if path is None:
        name, version, text = _built_in(default)
        return Prompt(name, version, text, _placeholders(text))
    try:
        text = Path(path).read_text(encoding="utf-8-sig").strip("\n")
    except OSError as problem:
        raise ConfigurationError(f"prompt file {path}: cannot be read ({problem.strerror})") from None
    except UnicodeDecodeError as problem:
        raise ConfigurationError(f"prompt file {path}: not UTF-8 at byte {problem.start}") from None
    if not text.strip():
        raise ConfigurationError(f"prompt file {path} is empty")
    names = _placeholders(text)
    if not hidden and names & _HIDDEN:
        wrong = sorted(names & _HIDDEN)[0]
        raise ConfigurationError(f"prompt file {path}: {{{wrong}}} would show the agent the reference; remove it")
    for found in _BRACED.finditer(text):
        near = get_close_matches(found[1], PLACEHOLDERS, n=1, cutoff=0.8)
        if found[1] not in PLACEHOLDERS and near:
            line = text.count("\n", 0, found.start()) + 1
            raise ConfigurationError(
                f"prompt file {path}:{line}: no placeholder is called {found[1]!r}. Did you mean {near[0]!r}? "
                f"There are {', '.join(PLACEHOLDERS)}."
            )
    return Prompt(Path(path).name, 0, text, names)


def _built_in(name: str) -> tuple[str, int, str]:
    folder = resources.files("colbench.prompts")
    versions = {
        int(_VERSION.search(stem)[1]): entry  # type: ignore[index]
        for entry in folder.iterdir()
        if (stem := entry.name.removesuffix(".txt")) != entry.name and _VERSION.sub("", stem) == name
    }
    if not versions:
        raise ConfigurationError(f"there is no built-in prompt {name!r}")
    newest = max(versions)
    return name, newest, versions[newest].read_text(encoding="utf-8").strip("\n")


def _placeholders(text: str) -> frozenset[str]:
    return frozenset(name for name in _BRACED.findall(text) if name in PLACEHOLDERS)
