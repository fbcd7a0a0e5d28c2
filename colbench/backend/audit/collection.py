"""The attack collection: every attack, in the order of the report."""

from __future__ import annotations

from colbench.backend.audit import channel, clock, crash, escape, insider, reach, texts, values
from colbench.backend.audit.attack import Attack
from colbench.errors import ConfigurationError
from colbench.plugins import near_match

__all__ = ["ATTACKS", "attacks_named"]

ATTACKS: tuple[Attack, ...] = (
    *values.ATTACKS,
    *reach.ATTACKS,
    *channel.ATTACKS,
    *clock.ATTACKS,
    *crash.ATTACKS,
    *escape.ATTACKS,
    *insider.ATTACKS,
    *texts.ATTACKS,
)


def attacks_named(names: list[str] | tuple[str, ...]) -> list[Attack]:
    """The attacks whose name or kind is in the list, in the collection's order.

    Raises:
        ConfigurationError: no attack or kind has that name; the message says the nearest.
    """
    kinds = sorted({attack.kind for attack in ATTACKS})
    known = {*kinds, *(attack.name for attack in ATTACKS)}
    for name in names:
        if name not in known:
            raise ConfigurationError(
                f"no attack or kind is called {name!r}.{near_match(name, known)} The kinds are {', '.join(kinds)}."
            )
    return [attack for attack in ATTACKS if attack.name in names or attack.kind in names]
