"""Keys come from the environment and go to the server, and nowhere else.

A key is held in an object that does not print itself, and every text that leaves the client (an error, a reply of a
server that echoes its request) passes :meth:`Key.scrub` first.
"""

from __future__ import annotations

import os
import re

from colbench.errors import ConfigurationError

__all__ = ["Key", "public_url"]

# Servers of one's own need no key, but the SDK wants one.
_NO_KEY = "none-needed"
_SHORTEST = 6
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


class Key:
    """An API key that cannot be printed or pickled by accident.

    Args:
        value: the key, or None for a server that needs none.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str | None) -> None:
        self._value = value

    @classmethod
    def from_environment(cls, variable: str, *, required: bool) -> Key:
        """Read a key.

        Raises:
            ConfigurationError: the variable is not set although a key is required, or holds something else.
        """
        value = os.environ.get(variable, "").strip() or None
        if value is None and required:
            raise ConfigurationError(
                f"the environment variable {variable} is not set. Set it to the API key, name another variable with "
                "api_key_env, or give base_url for a server that needs no key."
            )
        if value is not None and not (value.isascii() and value.isprintable() and " " not in value):
            raise ConfigurationError(f"{variable} holds blanks or characters that no key has; set it anew")
        return cls(value)

    def reveal(self) -> str:
        """The key itself, for the SDK."""
        return self._value or _NO_KEY

    def scrub(self, text: str) -> str:
        """The text with the key blotted out."""
        # A very short "key" is a placeholder such as "EMPTY" or "x"; blotting it out would spoil ordinary words.
        if self._value and len(self._value) >= _SHORTEST and self._value in text:
            text = text.replace(self._value, "***")
        return text

    def scrub_bytes(self, data: bytes) -> bytes:
        """The same for a body that was not decoded yet."""
        if self._value and len(self._value) >= _SHORTEST:
            data = data.replace(self._value.encode(), b"***")
        return data

    def __repr__(self) -> str:
        return "Key(***)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a key is not pickled; it is read from the environment where it is needed")


def public_url(url: str) -> str:
    """An address without credentials, query or fragment, fit for records."""
    return _CREDENTIALS.sub("", url.split("?")[0].split("#")[0])
