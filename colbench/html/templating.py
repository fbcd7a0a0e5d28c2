"""The one place that loads templates: escaping is on for everything."""

from __future__ import annotations

from typing import Any

from colbench.errors import MissingExtraError

__all__ = ["render_template"]


def render_template(name: str, **values: Any) -> str:
    """Fill a template of this package; every value is escaped.

    Raises:
        MissingExtraError: without jinja2.
    """
    try:
        import jinja2
    except ImportError:
        raise MissingExtraError("an HTML view", "report") from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("colbench.html", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(name).render(**values)
