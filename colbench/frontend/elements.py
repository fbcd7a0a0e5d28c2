"""What is measured on a rendered page, and the script that measures it.

The collaborator and the layout similarity speak about headings, buttons and colours, not about pixels. One script,
run once per page inside the browser, lists every visible element with its box and its computed style, so that
nothing has to be guessed from the picture. The same script brings the page to rest first (animations, marquees,
carets), so that picture and measurements show the same state and a page always looks the same.

The script reaches the document through prototypes only: a form field called ``children`` or ``id`` hides the
property of that name on its form, and such names are common.
"""

from __future__ import annotations

import json
from typing import Any, TypedDict

__all__ = ["MAX_ELEMENTS", "MAX_NODES", "MAX_TEXT", "SETTLE_AND_MEASURE", "Element", "Measurement", "parse"]

MAX_ELEMENTS = 3_000
"""More visible elements than this are not listed; the page's status is then ``truncated``."""

MAX_NODES = 20_000
"""The walk over the document stops after this many elements; the page's status is then ``truncated``."""

MAX_TEXT = 300
"""Characters kept of one element's text."""


class Element(TypedDict):
    """One visible element; positions in CSS pixels from the top left of the page.

    Attributes:
        tag: lower-case tag name.
        role: one of page, heading, text, link, button, input, checkbox, image, frame, list, item, table, row, cell,
            nav, header, footer, form, box. ``page`` is the body; ``text`` has text of its own and no better name;
            ``box`` is everything else.
        text: the element's own text (not that of its children), white space collapsed, `text-transform` applied. For
            inputs and submit buttons the value, for a select the chosen option.
        label: the text of the element with everything in it, for heading, text, link, button, item and cell; else "".
        x: left edge.
        y: top edge.
        w: width.
        h: height.
        color: of the text, ``[r, g, b, a]``, r, g and b from 0 to 255, a from 0 to 1.
        background: the element's own background colour, ``[r, g, b, a]``; of the body: what the whole page stands on.
        background_image: whether it has a gradient or a picture behind it.
        background_kind: "", "gradient" or "picture".
        font_size: in pixels.
        font_weight: 100 to 900.
        font_family: first name of the list.
        text_align: left, center, right or justify.
        border_radius: of the top left corner in pixels.
        border_width: widest visible side in pixels.
        border_sides: the sides that have a visible border, letters out of "trbl".
        border_color: colour of the widest side.
        shadow: whether it casts a visible shadow.
        display: computed `display`.
        flex_direction: computed, "" where the element is no flex container.
        justify: computed `justify-content` of a flex or grid container, else "".
        columns: number of grid columns, or of children standing side by side in the first row; 1 where there is no
            such thing.
        opacity: the product over the element and its ancestors.
        position: computed `position`.
        fixed: whether it is fixed or sticky.
        parent: index of the nearest listed ancestor in the list, -1 for the first.
        depth: number of listed ancestors.
        placeholder: of an input, else "".
        input_type: of an input, else "".
        alt: of an image, else "".
        src: address of an image, `data:` addresses cut to 40 characters, else "".
        natural_width: of a picture in pixels, 0 where it did not load.
        natural_height: of a picture in pixels, 0 where it did not load.
    """

    tag: str
    role: str
    text: str
    label: str
    x: float
    y: float
    w: float
    h: float
    color: list[float]
    background: list[float]
    background_image: bool
    background_kind: str
    font_size: float
    font_weight: int
    font_family: str
    text_align: str
    border_radius: float
    border_width: float
    border_sides: str
    border_color: list[float]
    shadow: bool
    display: str
    flex_direction: str
    justify: str
    columns: int
    opacity: float
    position: str
    fixed: bool
    parent: int
    depth: int
    placeholder: str
    input_type: str
    alt: str
    src: str
    natural_width: int
    natural_height: int


class Measurement(TypedDict):
    """What the script returns.

    Attributes:
        width: scrollable width of the page in pixels.
        height: scrollable height of the page in pixels.
        loading: whether a font or a picture is still on its way.
        capped: whether the list of elements is incomplete.
        nodes: how many elements were visited.
        elements: see :class:`Element`.
    """

    width: int
    height: int
    loading: bool
    capped: bool
    nodes: int
    elements: list[Element]


def parse(text: str) -> Measurement:
    """Decode the script's result.

    Raises:
        ValueError: if it is not a measurement.
    """
    value: Any = json.loads(text)
    if not isinstance(value, dict) or not isinstance(value.get("elements"), list):
        raise ValueError("the page did not return a measurement")
    return value  # type: ignore[return-value]


SETTLE_AND_MEASURE = r"""
([measure, maxElements, maxNodes, maxText]) => {
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (object) => get.call(object);
  };
  const tagOf = getter(Element, "tagName");
  const childrenOf = getter(Element, "children");
  const textOf = getter(Node, "textContent"), rootOf = getter(Document, "documentElement");
  const nextOf = getter(Node, "nextSibling"), firstOf = getter(Node, "firstChild");
  const fonts = getter(Document, "fonts")(document), scrolling = getter(Document, "scrollingElement")(document);
  const attributeOf = (e, name) => Element.prototype.getAttribute.call(e, name) || "";
  const rectOf = (e) => Element.prototype.getBoundingClientRect.call(e);
  const all = (selector) => Document.prototype.querySelectorAll.call(document, selector);
  const create = (tag) => Document.prototype.createElement.call(document, tag);
  const root = rootOf(document);
  let body = null;
  for (const child of childrenOf(root)) if (child instanceof HTMLBodyElement && !body) body = child;

  // ---- bring the page to rest -------------------------------------------------------------------------------------
  for (const marquee of all("marquee")) {
    const still = create("div");
    for (const a of Array.from(getter(Element, "attributes")(marquee))) {
      try { Element.prototype.setAttribute.call(still, a.name, a.value); } catch { }
    }
    still.style.overflow = "hidden";
    while (firstOf(marquee)) Node.prototype.appendChild.call(still, firstOf(marquee));
    Element.prototype.replaceWith.call(marquee, still);
  }
  for (const animation of Document.prototype.getAnimations.call(document)) {
    try {
      const end = animation.effect ? animation.effect.getComputedTiming().endTime : Infinity;
      if (Number.isFinite(Number(end))) animation.finish(); else animation.cancel();
    } catch { try { animation.cancel(); } catch { } }
  }
  for (const svg of all("svg")) {
    if (svg.pauseAnimations) { svg.pauseAnimations(); svg.setCurrentTime(0); }
  }
  for (const bar of all("progress:indeterminate")) bar.value = 0;
  // Carets blink; a video that cannot load shows a turning wheel, where scripts are off even without its `controls`.
  const quiet = new CSSStyleSheet();
  quiet.replaceSync(
    "* { caret-color: transparent !important; } video::-webkit-media-controls { display: none !important; }");
  Object.getOwnPropertyDescriptor(Document.prototype, "adoptedStyleSheets").set.call(document, [quiet]);
  let loading = fonts.status === "loading";
  for (const image of all("img")) {
    if (attributeOf(image, "loading").toLowerCase() === "lazy") image.loading = "eager";
    image.decoding = "sync";
    if (!image.complete) loading = true;
  }

  const scroller = scrolling || root;
  const result = {
    width: Math.ceil(scroller.scrollWidth), height: Math.ceil(scroller.scrollHeight),
    loading, capped: false, nodes: 0, elements: [],
  };
  if (!measure || !body) return JSON.stringify(result);

  // ---- colours: computed values may be rgb(), oklch(), color() ... -------------------------------------------------
  const colors = new Map();
  let brush = null;
  const rgba = (text) => {
    let value = colors.get(text);
    if (value) return value;
    const m = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text);
    if (m) value = [Number(m[1]), Number(m[2]), Number(m[3]), m[4] === undefined ? 1 : Number(m[4])];
    else {
      if (!brush) {
        const canvas = create("canvas");
        canvas.width = canvas.height = 1;
        brush = canvas.getContext("2d", { willReadFrequently: true });
      }
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = "rgba(0,0,0,0)";
      brush.fillStyle = text;
      brush.fillRect(0, 0, 1, 1);
      const d = brush.getImageData(0, 0, 1, 1).data;
      value = [d[0], d[1], d[2], Math.round(d[3] / 2.55) / 100];
    }
    colors.set(text, value);
    return value;
  };

  // ---- words --------------------------------------------------------------------------------------------------------
  const collapse = (text) => text.replace(/\s+/g, " ").trim().slice(0, maxText).toWellFormed();
  const shown = (text, style) => {
    const way = style.textTransform;
    if (way === "uppercase") return text.toUpperCase();
    if (way === "lowercase") return text.toLowerCase();
    if (way === "capitalize") return text.replace(/(^|\s)(\S)/g, (_, a, b) => a + b.toUpperCase());
    return text;
  };
  const ownText = (e) => {
    let text = "";
    for (let n = firstOf(e); n; n = nextOf(n)) {
      if (n.nodeType === 3) text += n.nodeValue; else text += " ";
      if (text.length > 4 * maxText) break;
    }
    return collapse(text);
  };
  const ROLES = {
    A: "link", BUTTON: "button", SUMMARY: "button", TEXTAREA: "input", SELECT: "input", IMG: "image", SVG: "image",
    VIDEO: "image", CANVAS: "image", OBJECT: "image", EMBED: "image", IFRAME: "frame", UL: "list", OL: "list",
    DL: "list", LI: "item", DT: "item", DD: "item", TABLE: "table", TR: "row", TD: "cell", TH: "cell", NAV: "nav",
    HEADER: "header", FOOTER: "footer", FORM: "form", BODY: "page", H1: "heading", H2: "heading", H3: "heading",
    H4: "heading", H5: "heading", H6: "heading",
  };
  const NAMED = { button: "button", link: "link", img: "image", navigation: "nav", heading: "heading", list: "list",
    listitem: "item", table: "table", textbox: "input" };
  const roleOf = (e, tag, text) => {
    if (tag === "INPUT") {
      const type = attributeOf(e, "type").toLowerCase();
      if (["submit", "button", "reset"].includes(type)) return "button";
      if (["checkbox", "radio"].includes(type)) return "checkbox";
      return type === "image" ? "image" : "input";
    }
    return NAMED[attributeOf(e, "role").toLowerCase()] || ROLES[tag] || (text ? "text" : "box");
  };

  // ---- layout -------------------------------------------------------------------------------------------------------
  const sideBySide = (e) => {
    let first = null, count = 0, seen = 0;
    for (const child of childrenOf(e)) {
      if (++seen > 60) break;
      const r = rectOf(child);
      if (r.width < 2 || r.height < 2) continue;
      const s = getComputedStyle(child);
      if (s.display === "inline" || s.position === "absolute" || s.position === "fixed") continue;
      if (!first) { first = r; count = 1; continue; }
      if (r.top >= first.bottom - 1 || r.bottom <= first.top + 1) break;
      if (r.left > first.left + 1 || r.right < first.right - 1) count++;
    }
    return Math.max(1, count);
  };
  const columnsOf = (e, style) => {
    if (style.display.endsWith("grid")) {
      const tracks = style.gridTemplateColumns.replace(/\[[^\]]*\]/g, " ").trim();
      if (tracks && tracks !== "none" && !tracks.startsWith("subgrid")) return tracks.split(/\s+/).length;
    }
    return sideBySide(e);
  };
  const px = (text) => Math.round(parseFloat(text) * 100) / 100 || 0;
  const round = (number) => Math.round(number * 100) / 100;
  const hasShadow = (text) => {
    if (text === "none") return false;
    return text.split(/,(?![^(]*\))/).some((part) => {
      const color = /^\s*(\w+\([^)]*\)|#\w+)/.exec(part);
      return !color || (rgba(color[1])[3] > 0 && /[1-9]/.test(part.slice(color[0].length)));
    });
  };

  const SKIP = new Set(["SCRIPT", "STYLE", "LINK", "META", "TITLE", "HEAD", "TEMPLATE", "BR", "WBR", "OPTION",
    "OPTGROUP", "SOURCE", "TRACK", "PARAM", "AREA", "MAP", "BASE", "DATALIST", "COL", "COLGROUP"]);
  const LEAF = new Set(["SVG", "SELECT", "IFRAME", "VIDEO", "CANVAS", "OBJECT", "TEXTAREA", "IMG"]);
  const LABELLED = new Set(["heading", "text", "link", "button", "item", "cell"]);
  const pageWidth = innerWidth;
  const rootBackground = rgba(getComputedStyle(root).backgroundColor);
  // A stack instead of recursion: pages nest tens of thousands deep on purpose.
  const stack = [[body, -1, 0, 1]];
  while (stack.length) {
    const [e, parent, depth, above] = stack.pop();
    if (++result.nodes > maxNodes || result.elements.length >= maxElements) { result.capped = true; break; }
    const tag = tagOf(e).toUpperCase();
    if (SKIP.has(tag)) continue;
    const style = getComputedStyle(e);
    if (style.display === "none") continue;
    const opacity = above * Number(style.opacity);
    if (opacity < 0.01) continue;
    let self = parent, below = depth;
    const r = rectOf(e);
    const x = r.left + scrollX, y = r.top + scrollY;
    const big = r.width > 1.5 || r.height > 1.5;
    if (e === body || (style.visibility === "visible" && big && r.width > 0 && r.height > 0 &&
        x < pageWidth && x + r.width > 0 && y + r.height > 0)) {
      let text = shown(ownText(e), style);
      const role = roleOf(e, tag, text);
      if (tag === "INPUT") text = collapse(e.type === "password" || role === "checkbox" ? "" : String(e.value || ""));
      if (tag === "TEXTAREA") text = collapse(String(e.value || ""));
      if (tag === "SELECT") text = e.selectedOptions.length ? collapse(textOf(e.selectedOptions[0])) : "";
      if (tag === "INPUT" && role === "button" && !text) text = { reset: "Reset", submit: "Submit" }[e.type] || "";
      let background = rgba(style.backgroundColor);
      if (e === body) background = [rootBackground, background, [255, 255, 255, 1]].find((color) => color[3] > 0);
      const image = style.backgroundImage;
      let side = 0, width = 0, sides = "";
      const names = ["Top", "Right", "Bottom", "Left"];
      for (let i = 0; i < 4; i++) {
        const w = style["border" + names[i] + "Style"] === "none" ? 0 : px(style["border" + names[i] + "Width"]);
        if (w > 0 && rgba(style["border" + names[i] + "Color"])[3] > 0) {
          sides += "trbl"[i];
          if (w > width) { width = w; side = i; }
        }
      }
      const align = style.textAlign, flex = style.display.endsWith("flex");
      const rtl = style.direction === "rtl";
      const src = tag === "IMG" ? (e.currentSrc || attributeOf(e, "src")) : "";
      self = result.elements.length;
      below = depth + 1;
      result.elements.push({
        tag: tag.toLowerCase(), role, text,
        label: LABELLED.has(role) ? (childrenOf(e).length ? shown(collapse(textOf(e)), style) || text : text) : "",
        x: round(x), y: round(y), w: round(r.width), h: round(r.height),
        color: rgba(style.color), background,
        background_image: image !== "none",
        background_kind: image === "none" ? "" : image.includes("gradient(") ? "gradient" : "picture",
        font_size: px(style.fontSize), font_weight: Number(style.fontWeight) || 400,
        font_family: style.fontFamily.split(",")[0].replace(/["']/g, "").trim(),
        text_align: align === "start" || align === "-webkit-auto" ? (rtl ? "right" : "left")
          : align === "end" ? (rtl ? "left" : "right") : align.replace("-webkit-", ""),
        border_radius: px(style.borderTopLeftRadius), border_width: width, border_sides: sides,
        border_color: rgba(style["border" + names[side] + "Color"]),
        shadow: hasShadow(style.boxShadow), display: style.display,
        flex_direction: flex ? style.flexDirection : "",
        justify: flex || style.display.endsWith("grid") ? style.justifyContent : "",
        columns: childrenOf(e).length > 1 && !LEAF.has(tag) ? columnsOf(e, style) : 1,
        opacity: round(opacity), position: style.position,
        fixed: style.position === "fixed" || style.position === "sticky",
        parent, depth,
        placeholder: collapse(attributeOf(e, "placeholder")),
        input_type: tag === "INPUT" ? e.type : tag === "TEXTAREA" || tag === "SELECT" ? tag.toLowerCase() : "",
        alt: tag === "IMG" ? collapse(attributeOf(e, "alt")) : "",
        src: src.startsWith("data:") ? src.slice(0, 40) : src.slice(0, 500),
        natural_width: tag === "IMG" ? e.naturalWidth : 0, natural_height: tag === "IMG" ? e.naturalHeight : 0,
      });
    }
    if (LEAF.has(tag)) continue;
    const children = childrenOf(e);
    if (stack.length + children.length > 4 * maxNodes) { result.capped = true; continue; }
    for (let i = children.length - 1; i >= 0; i--) stack.push([children[i], self, below, opacity]);
  }
  return JSON.stringify(result);
}
"""
