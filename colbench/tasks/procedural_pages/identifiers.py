"""Page ids that say everything needed to make the page again, such as ``page-v1/landing/test/s2/000123``."""

from __future__ import annotations

from colbench.tasks.procedural.identifiers import ProceduralIdentifier

__all__ = ["PAGE_GENERATOR_VERSION", "PageIdentifier"]

PAGE_GENERATOR_VERSION = 1
"""Changes whenever a given id would lead to another page."""


class PageIdentifier(ProceduralIdentifier):
    """The id of a procedural page."""

    prefix = "page"
    noun = "page"
    example = "landing"
    version = PAGE_GENERATOR_VERSION
