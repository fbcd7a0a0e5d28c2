"""What tokens cost, from a file that the user keeps: prices change more often than programs.

    currency = "USD"
    [models."gpt-4o-mini"]
    input = 0.15            # per million tokens
    output = 0.60
    cached_input = 0.075    # optional
    [models."my-finetune-*"]
    input = 1.0
    output = 2.0

A name is looked up exactly first, then among the patterns in the file's order. Without a price the cost is unknown,
which is not the same as nothing.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from colbench.errors import ConfigurationError

__all__ = ["PRICES_VARIABLE", "Price", "PriceList", "load_prices"]

PRICES_VARIABLE = "COLBENCH_PRICES"
_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Price of one model, per million tokens."""

    input: float
    output: float
    cached_input: float | None = None

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """Money for one call."""
        cached = min(cached_tokens, prompt_tokens)
        per_cached = self.input if self.cached_input is None else self.cached_input
        return (
            (prompt_tokens - cached) * self.input + cached * per_cached + completion_tokens * self.output
        ) / _MILLION


@dataclass(frozen=True)
class PriceList:
    """Prices by model name or pattern, and their currency."""

    models: dict[str, Price]
    currency: str = "USD"

    def of(self, model: str) -> Price | None:
        """The price of a model, or None."""
        exact = self.models.get(model)
        if exact is not None:
            return exact
        return next((price for pattern, price in self.models.items() if fnmatchcase(model, pattern)), None)


def load_prices(path: str | Path | None = None) -> PriceList:
    """Read a price file; without a path the one that ``COLBENCH_PRICES`` names, and without that no prices.

    Raises:
        ConfigurationError: naming the file and the entry that cannot be used.
    """
    place = path or os.environ.get(PRICES_VARIABLE)
    if not place:
        return PriceList({})
    try:
        data = tomllib.loads(Path(place).read_text())
    except OSError as problem:
        raise ConfigurationError(f"price file {place}: cannot be read ({problem.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ConfigurationError(f"price file {place}: not TOML: {problem}") from None
    models = {}
    for name, entry in _table(data.get("models", {}), f"{place}: models").items():
        where = f"price file {place}: model {name!r}"
        fields = _table(entry, where)
        wrong = sorted(set(fields) - {"input", "output", "cached_input"})
        if wrong:
            raise ConfigurationError(f"{where}: unknown field {wrong[0]!r}; give input, output and cached_input")
        for field in ("input", "output"):
            if field not in fields:
                raise ConfigurationError(f"{where}: {field!r} is missing (money per million tokens)")
        for field, value in fields.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
                raise ConfigurationError(f"{where}: {field} must be a number of at least 0, actually: {value!r}")
        models[name] = Price(**fields)
    return PriceList(models, str(data.get("currency", "USD")))


def _table(value: object, where: str) -> dict[str, object] | dict:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where}: expected a table, actually: {value!r}")
    return value
