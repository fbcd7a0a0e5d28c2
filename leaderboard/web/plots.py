"""Plots as inline SVG: no script, no style attributes (the site's policy forbids them), colours from the page's CSS."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from colbench.statistics import Interval

__all__ = ["Dot", "domain_plot", "scatter_plot"]

_W, _H = 560, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 14, 44
_CHAR = 6.6
_SERIES = 5


@dataclass(frozen=True)
class Dot:
    """One entry in a plot."""

    label: str
    x: float
    y: Interval
    kind: str = "a"


def _text(x: float, y: float, text: str, anchor: str = "start", name: str = "tick") -> str:
    shown = text if len(text) <= 26 or name == "axis" else text[:25] + "…"
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(_plain(shown))}</text>'


def _grid(x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line class="grid" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _plain(text: str) -> str:
    """Without what XML cannot hold or what turns the direction of the text after it."""
    return "".join(c if c.isprintable() else "\u00b7" for c in text)


def _ticks(low: float, high: float, most: int = 6) -> list[float]:
    span = high - low
    if span <= 0:
        return [low]
    step = 10 ** math.floor(math.log10(span / most))
    step *= next(k for k in (1, 2, 5, 10) if span / (step * k) <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 10) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _number(value: float) -> str:
    return f"{value:g}" if abs(value) < 10_000 else f"{value / 1000:g}k"


def scatter_plot(title: str, dots: Sequence[Dot], x_label: str, y_label: str) -> str:
    """Entries as dots with the interval of their height; as many names as have room.

    Args:
        title: read out in place of the picture.
        dots: the entries, best first; y within 0..1.
        x_label: name of the axis.
        y_label: name of the axis.
    """
    most = max((dot.x for dot in dots), default=1.0) or 1.0
    right = most * 1.08
    x_of = lambda v: _LEFT + (_W - _LEFT - _RIGHT) * v / right  # noqa: E731
    y_of = lambda v: _H - _BOTTOM - (_H - _TOP - _BOTTOM) * v  # noqa: E731
    parts = [_open(title, _W, _H)]
    for tick in _ticks(0, 1):
        parts.append(_grid(_LEFT, _W - _RIGHT, y_of(tick), y_of(tick)))
        parts.append(_text(_LEFT - 6, y_of(tick) + 4, _number(tick), "end"))
    for tick in _ticks(0, right):
        parts.append(_grid(x_of(tick), x_of(tick), _TOP, _H - _BOTTOM))
        parts.append(_text(x_of(tick), _H - _BOTTOM + 16, _number(tick), "middle"))
    parts.append(_text((_LEFT + _W - _RIGHT) / 2, _H - 8, x_label, "middle", "axis"))
    parts.append(f'<g transform="translate(13 {(_TOP + _H - _BOTTOM) / 2:.0f}) rotate(-90)">')
    parts.append(_text(0, 0, y_label, "middle", "axis") + "</g>")
    taken: list[tuple[float, float, float, float]] = []
    for dot in dots:
        x, y = x_of(dot.x), y_of(dot.y.estimate)
        low, high = y_of(max(0.0, dot.y.low)), y_of(min(1.0, dot.y.high))
        note = escape(_plain(f"{dot.label}: {dot.y.percent()}, {x_label} {dot.x:.4g}"))
        parts.append(f'<g class="dot {dot.kind}"><title>{note}</title>')
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/></g>')
        taken.append((x - 5, y - 5, x + 5, y + 5))
    for dot in dots:
        label = _place(x_of(dot.x), y_of(dot.y.estimate), dot.label, taken)
        if label is not None:
            parts.append(label)
    return "".join(parts) + "</svg>"


def _place(x: float, y: float, label: str, taken: list[tuple[float, float, float, float]]) -> str | None:
    """A name beside its dot where it covers nothing, or None."""
    width = _CHAR * min(len(label), 26)
    right = x + 8
    for left, base, anchor in (
        (right, y + 4, "start"),
        (x - 8 - width, y + 4, "end"),
        (right, y - 8, "start"),
        (right, y + 16, "start"),
    ):
        box = (left, base - 11, left + width, base + 3)
        inside = box[0] >= _LEFT and box[2] <= _W - 2 and box[1] >= 0 and box[3] <= _H - _BOTTOM
        if inside and not any(box[0] < t[2] and t[0] < box[2] and box[1] < t[3] and t[1] < box[3] for t in taken):
            taken.append(box)
            return _text(left if anchor == "start" else x - 8, base, label, anchor, "name")
    return None


def domain_plot(title: str, series: Sequence[tuple[str, Sequence[tuple[str, Interval]]]], x_label: str) -> str:
    """A line per domain with one mark per entry and its interval.

    Args:
        title: read out in place of the picture.
        series: up to five entries with their figures by domain.
        x_label: name of the figure.
    """
    series = series[:_SERIES]
    names = list(dict.fromkeys(name for _, found in series for name, _ in found))
    lane = 10 * max(1, len(series)) + 12
    top = 8 + (18 * len(series) if len(series) > 1 else 0)
    height = top + lane * len(names) + 44
    left = 150
    x_of = lambda v: left + (_W - left - _RIGHT) * v  # noqa: E731
    parts = [_open(title, _W, height)]
    if len(series) > 1:
        for k, (label, _) in enumerate(series):
            parts.append(f'<g class="dot s{k}"><circle cx="{left + 6}" cy="{12 + 18 * k}" r="4"/></g>')
            parts.append(_text(left + 18, 16 + 18 * k, label, "start", "name"))
    bottom = top + lane * len(names)
    for tick in _ticks(0, 1):
        parts.append(_grid(x_of(tick), x_of(tick), top, bottom))
        parts.append(_text(x_of(tick), bottom + 16, _number(tick), "middle"))
    parts.append(_text(x_of(0.5), height - 8, x_label, "middle", "axis"))
    for row, name in enumerate(names):
        middle = top + lane * row + lane / 2
        parts.append(_text(left - 8, middle + 4, name, "end"))
        for k, (label, found) in enumerate(series):
            interval = dict(found).get(name)
            if interval is None:
                continue
            y = middle + 10 * (k - (len(series) - 1) / 2)
            note = escape(_plain(f"{label}, {name}: {interval.percent()} of {interval.n}"))
            parts.append(f'<g class="dot s{k}"><title>{note}</title>')
            ends = f'x1="{x_of(max(0, interval.low)):.1f}" x2="{x_of(min(1, interval.high)):.1f}"'
            parts.append(f'<line {ends} y1="{y:.1f}" y2="{y:.1f}"/>')
            parts.append(f'<circle cx="{x_of(interval.estimate):.1f}" cy="{y:.1f}" r="4"/></g>')
    return "".join(parts) + "</svg>"


def _open(title: str, width: float, height: float) -> str:
    name = escape(_plain(title), {'"': "&quot;"})
    return f'<svg class="plot" role="img" aria-label="{name}" viewBox="0 0 {width:g} {height:g}">'
