"""The built-in families, one module each."""

from __future__ import annotations

from colbench.tasks.procedural.families import parsing, pricing, scheduling
from colbench.tasks.procedural.family import Family

__all__ = ["BACKEND_FAMILIES"]

BACKEND_FAMILIES: tuple[Family, ...] = (
    pricing.FAMILY,
    scheduling.FAMILY,
    parsing.FAMILY,
)
