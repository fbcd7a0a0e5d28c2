"""The one place that loads templates: escaping is on for everything."""

from __future__ import annotations

import re
from typing import Any

from colbench.errors import MissingExtraError

__all__ = ["render_template"]

# JSON can hold half of a surrogate pair, UTF-8 cannot.
_SURROGATE = re.compile("[\ud800-\udfff]")


def render_template(name: str, **values: Any) -> str:
    """Fill a template of this package; every value is escaped, and half of a surrogate pair becomes U+FFFD.

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
    return _SURROGATE.sub("\ufffd", environment.get_template(name).render(**values))
