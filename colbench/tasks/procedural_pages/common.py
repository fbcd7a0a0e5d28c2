"""Decisions that several families share, in the same words."""

from __future__ import annotations

from colbench.tasks.procedural.family import decision
from colbench.tasks.schema import Decision

__all__ = ["button_shape", "header_style", "main_colour"]


def main_colour(*hues: str) -> Decision:
    """Which hue the page is built on."""
    return decision(
        "colour",
        "main colour",
        "Which main colour should it have?",
        **{hue: f"The main colour is {hue}." for hue in hues},
    )


def header_style() -> Decision:
    """How the bar on top looks."""
    return decision(
        "header",
        "bar at the top",
        "How should the bar at the top look?",
        dark="The bar at the top is almost black.",
        coloured="The bar at the top has the main colour.",
        white="The bar at the top is white with a thin line under it.",
    )


def button_shape() -> Decision:
    """Corners of the buttons."""
    return decision(
        "button",
        "shape of the buttons",
        "What shape do the buttons have?",
        square="The buttons have sharp corners.",
        rounded="The buttons have softly rounded corners.",
        pill="The buttons are shaped like pills.",
    )
