"""How a page gets into its tab: written into the empty document, or navigated to.

A navigation costs the browser as much as half of everything else, and most pages do not need one. A page may be
written only where nothing depends on the document having an address of its own: every file it names has a full web
address, and it holds nothing that navigates or embeds. The picture is the same either way (a test compares them).
"""

from __future__ import annotations

import re

__all__ = ["can_be_written"]

# A refresh, another base, other documents inside this one, media (see the policy in `answers`), a manifest.
_NEEDS_ADDRESS = re.compile(
    r"http-equiv|<\s*(?:base|i?frame|frameset|object|embed|portal|fencedframe|applet|video|audio|source|track)\b|srcdoc",
    re.I,
)
_WEB = r"\s*(?:https?://|data:|#)"
# The attributes and CSS functions through which a document loads files; plain links are not followed and may say
# whatever they like.
_OTHER_FILE = re.compile(
    rf"\b(?:src|srcset|imagesrcset|poster|background|xlink:href|manifest|icon)\s*=\s*(?![\"']?{_WEB})"
    rf"|<\s*(?:link|image|use|feimage|pattern|lineargradient|radialgradient|textpath|mpath|filter)\b(?=[^>]*\bhref\s*=)"
    rf"(?![^>]*\bhref\s*=\s*[\"']?{_WEB})"
    rf"|url\(\s*(?![\"']?{_WEB}|&quot;\s*https?://|&#39;\s*https?://)"
    rf"|@import\s+(?!url\(|[\"']{_WEB})"
    rf"|image-set\(",
    re.I,
)


def can_be_written(html: str) -> bool:
    """Whether the page looks the same without an address of its own; when in doubt, no."""
    return not _NEEDS_ADDRESS.search(html) and not _OTHER_FILE.search(html)
