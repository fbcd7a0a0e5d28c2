"""The built-in families, one module each."""

from __future__ import annotations

from colbench.tasks.procedural.families import (
    cleanup,
    dates,
    eligibility,
    fares,
    inventory,
    parsing,
    payroll,
    pricing,
    ranking,
    scheduling,
    scoring,
    shipping,
    usage,
)
from colbench.tasks.procedural.family import Family

__all__ = ["BACKEND_FAMILIES"]

# Their order is part of what a set of procedural tasks is: tasks are drawn from the families in turn.
BACKEND_FAMILIES: tuple[Family, ...] = (
    pricing.FAMILY,
    eligibility.FAMILY,
    scheduling.FAMILY,
    parsing.FAMILY,
    inventory.FAMILY,
    scoring.FAMILY,
    cleanup.FAMILY,
    fares.FAMILY,
    ranking.FAMILY,
    dates.FAMILY,
    usage.FAMILY,
    payroll.FAMILY,
    shipping.FAMILY,
)
