"""Procedural frontend tasks: unlimited, seeded pages whose design decisions are known."""

from colbench.tasks.procedural_pages.family import Content, PageFamily
from colbench.tasks.procedural_pages.generator import (
    page_families,
    page_family_named,
    page_from_id,
    procedural_pages,
)
from colbench.tasks.procedural_pages.identifiers import PAGE_GENERATOR_VERSION, PageIdentifier

__all__ = [
    "PAGE_GENERATOR_VERSION",
    "Content",
    "PageFamily",
    "PageIdentifier",
    "page_families",
    "page_family_named",
    "page_from_id",
    "procedural_pages",
]
