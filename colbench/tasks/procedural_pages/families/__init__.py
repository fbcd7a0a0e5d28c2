"""The families of pages, in the order in which pages are drawn from them."""

from colbench.tasks.procedural_pages.families import article, dashboard, landing, pricing, profile, shop, signup
from colbench.tasks.procedural_pages.family import PageFamily

__all__ = ["PAGE_FAMILIES"]

PAGE_FAMILIES: tuple[PageFamily, ...] = (
    landing.FAMILY,
    pricing.FAMILY,
    dashboard.FAMILY,
    article.FAMILY,
    profile.FAMILY,
    shop.FAMILY,
    signup.FAMILY,
)
