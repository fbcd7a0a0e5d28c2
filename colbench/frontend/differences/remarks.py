"""A remark as an English sentence: the grammar of everything the embedded collaborator says about a page.

:mod:`colbench.frontend.differences.reading` is the inverse: ``parse_remark(remark_sentence(r)) == r`` for every remark
whose strings went through :func:`quotable`. The grammar (words in braces are placeholders):

    exists      There should be {a noun} ["{label}"] [{where} | below {the target}] [, in {colour}] [, with {texts}].
    absent      {The target} should not be there.
    count       There should be {number} {nouns}[, not {number}][, with {texts}].
    text        {The target} should say "{to}"[, not "{was}"].
    links       {The target} should have the links {texts}[, not {texts}].
    background  {The target} should have a {to} background[, not {was}].
                The background of {the target} should be {to}[, not {was}].
    color       The text of {the target} should be {to}[, not {was}].
                {The target} should have {to} text[, not {was}].
    height      {The target} should be about {to} pixels tall[, not {was}].
                {The target} should be taller|shorter: about {to} pixels, not {was}.
    width       {The target} should be about {to} pixels wide[, not {was}].
                {The target} should be wider|narrower: about {to} pixels, not {was}.
    font_size   The text of {the target} should be about {to} pixels high[, not {was}].
                The text of {the target} should be bigger|smaller: about {to} pixels, not {was}.
    above       There should be about {to} pixels of space above {the target}[, not {was}].
                There should be more|less space above {the target}: about {to} pixels, not {was}.
    gap         There should be about {to} pixels between {the target}[, not {was}].
    columns     {The target} should be in {number} column(s)[, not {number}].
    align       The text of {the target} should be on the left|centred|on the right|justified[, not ...].
    position    {The target} should be on the left|in the middle|on the right[, not ...].
    font        The text of {the target} should be in a {to} font[, not {was}].
    weight      The text of {the target} should [not] be bold.
    rounding    The corners of {the target} should be {to}[, not {was}].
    shadow      {The target} should have a|no shadow.
    picture     {The target} should have a|no picture behind it.
    border      {The target} should have a {colour} border | no border[, not a {colour} one | not none].

A target is ``the {noun}``, ``the {noun} "{label}"`` or ``the {number} {nouns}``. Without label and number it is the
only one of its kind, or the first. A label is what is written on it on the page that was shown, or in exists on the
page that is wanted; a long one is cut and ends with an ellipsis.
"""

from __future__ import annotations

from collections.abc import Callable

from colbench.frontend.differences.vocabulary import ALIGNMENTS, PLACES, POSITIONS, Remark, Target, number_word, plural

__all__ = ["COMPARED", "quotable", "remark_sentence"]


def quotable(text: str, limit: int = 100) -> str:
    """A text from a page as it can stand in quotes: one line, no double quote, cut at ``limit`` letters."""
    flat = " ".join(text.replace('"', "'").replace("\u201c", "'").replace("\u201d", "'").split())
    if len(flat) <= limit:
        return flat
    cut = flat[: limit - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).rstrip(" .,;:") + "\u2026"


def _the(target: Target) -> str:
    if target.count > 1:
        return f"the {number_word(target.count)} {plural(target.noun)}"
    return f"the {target.noun}" + (f' "{target.label}"' if target.label is not None else "")


def _article(words: str) -> str:
    return f"{'an' if words[:1] in 'aeio' else 'a'} {words}"


def _quoted(texts: tuple[str, ...]) -> str:
    quoted = [f'"{text}"' for text in texts]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " and " + quoted[-1]


def _not(remark: Remark, say: Callable[[object], str] = str) -> str:
    return "" if remark.was is None else f", not {say(remark.was)}"


def _exists(remark: Remark) -> str:
    target = remark.target
    text = _article(target.noun) + (f' "{target.label}"' if target.label is not None else "")
    if remark.below is not None:
        text += f" below {_the(remark.below)}"
    elif remark.where is not None:
        text += f" {PLACES[remark.where]}"
    text += f", in {remark.colour}" if remark.colour is not None else ""
    text += f", with {_quoted(remark.texts)}" if remark.texts else ""
    return f"There should be {text}."


COMPARED = {
    "height": ("taller", "shorter", "tall"),
    "width": ("wider", "narrower", "wide"),
    "font_size": ("bigger", "smaller", "high"),
}


def _length(remark: Remark, variant: int) -> str:
    more, less, plain = COMPARED[remark.property]
    subject = f"the text of {_the(remark.target)}" if remark.property == "font_size" else _the(remark.target)
    if variant % 2 and isinstance(remark.was, int) and isinstance(remark.to, int):
        how = more if remark.to > remark.was else less
        return f"{subject} should be {how}: about {remark.to} pixels, not {remark.was}."
    return f"{subject} should be about {remark.to} pixels {plain}{_not(remark)}."


def _number(number: object) -> str:
    return number_word(int(str(number)))


def _above(remark: Remark, variant: int) -> str:
    the = _the(remark.target)
    if variant % 2 and isinstance(remark.was, int) and isinstance(remark.to, int):
        how = "more" if remark.to > remark.was else "less"
        return f"There should be {how} space above {the}: about {remark.to} pixels, not {remark.was}."
    return f"There should be about {remark.to} pixels of space above {the}{_not(remark)}."


def _columns(number: object) -> str:
    return f"{_number(number)} column{'' if number == 1 else 's'}"


def _border(remark: Remark) -> str:
    wanted = "no border" if remark.to == "no" else f"{_article(str(remark.to))} border"
    had = "" if remark.was is None else ", not none" if remark.was == "no" else f", not {_article(str(remark.was))} one"
    return f"{_the(remark.target)} should have {wanted}{had}."


def _write(remark: Remark, variant: int) -> str:
    the, to, kind = _the(remark.target), remark.to, remark.property
    if kind == "exists":
        return _exists(remark)
    if kind == "count":
        nouns = plural(remark.target.noun) if to != 1 else remark.target.noun
        said = f", with {_quoted(remark.texts)}" if remark.texts else ""
        return f"There should be {_number(to)} {nouns}{_not(remark, _number)}{said}."
    if kind in COMPARED:
        return _length(remark, variant)
    if kind == "border":
        return _border(remark)
    if kind == "above":
        return _above(remark, variant)
    if kind in ("background", "color") and variant % 2:
        what = "the background" if kind == "background" else "the text"
        return f"{what} of {the} should be {to}{_not(remark)}."
    sentences: dict[str, Callable[[], str]] = {
        "absent": lambda: f"{the} should not be there.",
        "text": lambda: f'{the} should say "{to}"' + _not(remark, lambda w: f'"{w}"') + ".",
        "links": lambda: f"{the} should have the links {_quoted(_tuple(to))}" + _not(remark, _quoted_value) + ".",
        "background": lambda: f"{the} should have {_article(str(to))} background{_not(remark)}.",
        "color": lambda: f"{the} should have {to} text{_not(remark)}.",
        "gap": lambda: f"There should be about {to} pixels between {the}{_not(remark)}.",
        "columns": lambda: f"{the} should be in {_columns(to)}{_not(remark, _number)}.",
        "align": lambda: (
            f"the text of {the} should be {ALIGNMENTS[str(to)]}{_not(remark, lambda w: ALIGNMENTS[str(w)])}."
        ),
        "position": lambda: f"{the} should be {POSITIONS[str(to)]}{_not(remark, lambda w: POSITIONS[str(w)])}.",
        "font": lambda: f"the text of {the} should be in a {to} font{_not(remark)}.",
        "weight": lambda: f"the text of {the} should {'be' if to == 'bold' else 'not be'} bold.",
        "rounding": lambda: f"the corners of {the} should be {to}{_not(remark)}.",
        "picture": lambda: f"{the} should have {'a' if to == 'yes' else 'no'} picture behind it.",
        "shadow": lambda: f"{the} should have {'a' if to == 'yes' else 'no'} shadow.",
    }
    return sentences[kind]()


def _tuple(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (str(value),)


def _quoted_value(value: object) -> str:
    return _quoted(_tuple(value))


def remark_sentence(remark: Remark, variant: int = 0) -> str:
    """Say a remark.

    Args:
        remark: its strings must be :func:`quotable`.
        variant: where the grammar has two sentences for a property, even numbers take the first.

    Raises:
        KeyError: for a property or a value outside the vocabulary.
    """
    sentence = _write(remark, variant)
    return sentence[0].upper() + sentence[1:]
