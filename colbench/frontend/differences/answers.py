"""What a person says about the page they want when there is no page to compare it with: facts on the topic asked.

A fact is a remark without a present value ("The navigation bar should have a dark blue background."), so whoever can
act on remarks can act on answers too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from colbench.errors import CollaboratorError
from colbench.frontend.comparison import said_value
from colbench.frontend.differences.missing import exists_remark, label_of
from colbench.frontend.differences.outline import Part
from colbench.frontend.differences.parts import Parts, find_parts
from colbench.frontend.differences.remarks import quotable
from colbench.frontend.differences.vocabulary import NOUNS, Remark, Target, plural
from colbench.frontend.page import RenderedPage

__all__ = ["answer_facts", "topics_of"]

_SYNONYMS: dict[str, tuple[str, ...]] = {
    "page": ("page background", "whole page", "overall background", "background of the page"),
    "navigation bar": ("navigation", "navbar", "nav bar", "nav", "menu", "top bar"),
    "logo": ("logo", "brand", "company name", "name of the company", "business name", "company called", "site name"),
    "header": ("header", "banner"),
    "hero": ("hero", "banner", "intro section", "jumbotron"),
    "sidebar": ("sidebar", "side bar", "side menu", "side panel", "left panel", "right panel"),
    "content": ("content", "container"),
    "main heading": ("main heading", "title", "headline", "headings", "heading"),
    "heading": ("headings", "subheading", "section title", "sections", "section"),
    "paragraph": ("paragraph", "body text", "copy", "description", "text"),
    "list item": ("list", "bullet", "items"),
    "link": ("link", "links"),
    "button": ("button", "buttons", "call to action", "cta"),
    "card": ("card", "cards", "columns", "column", "grid", "tiles", "boxes", "products", "features"),
    "image": ("image", "images", "picture", "pictures", "photo", "photos", "gallery"),
    "form": ("form", "forms", "sign up", "contact form"),
    "input field": ("input", "field", "fields", "form", "text box"),
    "table": ("table", "rows"),
    "footer": ("footer", "bottom of the page", "bottom"),
}
_PROPERTY_WORDS: dict[str, tuple[str, ...]] = {
    "background": ("colour", "color", "colours", "colors", "background", "palette", "theme", "scheme"),
    "color": ("colour", "color", "colours", "colors", "palette", "text color", "text colour"),
    "text": ("text", "say", "says", "wording", "words", "written", "read", "called", "name", "label", "title"),
    "links": ("links", "entries", "items", "menu", "pages"),
    "height": ("tall", "height", "high", "size", "big", "large"),
    "width": ("wide", "width", "size", "big", "large", "narrow"),
    "font_size": ("font size", "text size", "big", "size", "large"),
    "font": ("font", "typeface", "serif", "typography"),
    "weight": ("bold", "font weight", "typography"),
    "align": ("aligned", "alignment", "align", "centered", "centred", "center", "centre"),
    "position": ("where", "position", "placed", "located", "side", "left", "right"),
    "columns": ("columns", "column", "grid", "how many", "per row"),
    "above": ("space above", "spacing", "distance", "margin"),
    "gap": ("gap", "spacing", "space between"),
    "rounding": ("rounded", "corners", "round", "rounding", "shape"),
    "border": ("border", "borders", "outline"),
    "shadow": ("shadow", "shadows"),
    "picture": ("background image", "background picture"),
}
_COUNT_WORDS = ("how many", "number of", "count", "are there", "is there", "should there be")
_OVERVIEW = ("navigation bar", "header", "hero", "sidebar", "main heading", "card", "form", "table", "image", "footer")
_FEW = 4


def _mentions(question: str, words: Iterable[str]) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", question) for word in words)


def topics_of(question: str) -> tuple[set[str], set[str]]:
    """Parts and properties that a message asks about.

    Returns:
        nouns and properties of the vocabulary.
    """
    text = " ".join(question.lower().split())
    nouns = {
        noun
        for noun, words in _SYNONYMS.items()
        if _mentions(text, (*words, noun, plural(noun)) if noun != "page" else words)
    }
    properties = {name for name, words in _PROPERTY_WORDS.items() if _mentions(text, words)}
    if _mentions(text, _COUNT_WORDS):
        properties.add("count")
    return nouns, properties


def answer_facts(question: str, reference_page: RenderedPage, limit: int = _FEW) -> list[Remark]:
    """Facts of the wanted page on the topic of a message; how it is built up as a whole where there is no topic.

    Args:
        question: the agent's message.
        reference_page: as rendered.
        limit: most facts.

    Returns:
        remarks without a present value, what matters most first; empty where the page has none of what is asked for.

    Raises:
        CollaboratorError: if the reference was not measured.
    """
    if not reference_page.elements:
        raise CollaboratorError(
            f"the reference page was not measured (status {reference_page.status}): render it again"
        )
    parts = find_parts(reference_page)
    nouns, properties = topics_of(question)
    if "logo" in nouns and "logo" not in parts:
        # Whoever asks for the company's name is helped by the title where there is no logo.
        nouns = (nouns - {"logo"}) | {"main heading"}
    if not nouns and not properties:
        return _overview(parts)[:limit]
    wanted = nouns or {noun for noun in NOUNS if noun in parts}
    facts: list[tuple[float, int, Remark]] = []
    for noun in NOUNS:
        for part in parts.get(noun, []) if noun in wanted else []:
            for rank, remark in enumerate(_facts_of(part, parts, properties, bool(nouns))):
                facts.append((-NOUNS[noun] + 0.2 * rank, len(facts), remark))
    if not facts and not nouns:
        return _overview(parts)[:limit]
    ordered = dict.fromkeys(remark for _, _, remark in sorted(facts, key=lambda fact: fact[:2]))
    return list(ordered)[:limit]


def _facts_of(part: Part, parts: Parts, properties: set[str], named: bool) -> list[Remark]:
    """Facts of one part: those asked for; of a part asked for as such, that it is there and what it looks like."""
    number = part.count if part.noun == "card" else len(parts[part.noun])
    target = Target("card", count=part.count) if part.noun == "card" else label_of(part, number)
    asked = [name for name in part.facts if name in properties]
    general = not asked and named
    remarks = []
    if "count" in properties or general:
        if number > 1:
            texts = part.words.split("\n") if part.noun == "card" else [p.words for p in parts[part.noun]]
            said = tuple(quotable(text, 40) for text in texts[:8] if text)
            remarks.append(Remark("count", Target(part.noun), number, texts=said))
        elif part.noun not in ("page", "content"):
            remarks.append(exists_remark(part, (), None, None))
    for name in part.facts if general else asked:
        if name.startswith("_"):
            continue
        if general and name not in ("background", "text", "links", "columns", "position"):
            continue
        if name == "border" and part.facts[name] is None and not asked:
            continue
        remarks.append(Remark(name, target, said_value(name, part.facts[name])))
    return remarks


def _overview(parts: Parts) -> list[Remark]:
    """The page from top to bottom, band by band."""
    ground = parts["page"][0].facts["background"]
    found: list[tuple[float, Remark]] = []
    for noun in _OVERVIEW:
        listed = parts.get(noun, [])
        if not listed:
            continue
        first = listed[0]
        if noun == "card" or (noun == "image" and len(listed) > 1):
            number = first.count if noun == "card" else len(listed)
            texts = tuple(quotable(t, 40) for t in first.words.split("\n")[:8] if t) if noun == "card" else ()
            found.append((first.box[1], Remark("count", Target(noun), number, texts=texts)))
        elif noun != "image" or first.box[2] * first.box[3] > 40_000:
            texts = tuple(quotable(t, 40) for t in first.facts.get("links", ())[:8])
            found.append((first.box[1], exists_remark(first, texts, None, ground)))
    remarks = [remark for _, remark in sorted(found, key=lambda item: item[0])]
    return remarks or [Remark("background", Target("page"), said_value("background", ground))]
