"""Finds the parts of a page: bands first, then groups, then what stands inside of them."""

from __future__ import annotations

import statistics
from typing import Any

from colbench.frontend.differences.outline import (
    MAX_PARTS,
    Node,
    Part,
    Tree,
    band_facts,
    box_facts,
    corners,
    letters,
    page_tree,
    text_facts,
    thirds,
)
from colbench.frontend.differences.recognise import (
    are_alike,
    card_title,
    has_neighbour,
    is_cardlike,
    link_count,
    logo_of,
    spoken_nodes,
    stands_in_a_row,
    unwrapped,
    usual_gap,
)
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity.blocks import ink_box

__all__ = ["Parts", "find_parts"]

Parts = dict[str, list[Part]]
"""Parts by noun, each list in document order."""


def find_parts(page: RenderedPage) -> Parts:
    """Everything on a page that can be spoken of, by noun.

    Args:
        page: a rendered page; without measured elements there are no parts.
    """
    if not page.elements:
        return {}
    return _Finder(page_tree(page)).parts


_SPACED = ("main heading", "heading", "paragraph", "button", "image", "card", "form", "table")
_BANDS = ("navigation bar", "header", "hero", "footer", "list item")


def _holds(outer: tuple[float, float, float, float], inner: tuple[float, float, float, float]) -> bool:
    """Whether a box lies within another, a pixel more or less."""
    return (
        outer[0] <= inner[0] + 1
        and outer[1] <= inner[1] + 1
        and outer[0] + outer[2] >= inner[0] + inner[2] - 1
        and outer[1] + outer[3] >= inner[1] + inner[3] - 1
        and outer[3] > inner[3] + 1
    )


def _box(node: Node) -> tuple[float, float, float, float]:
    return node.x, node.y, node.w, node.h


class _Finder:
    """One pass over one page; ``taken`` maps a node to the band or group it belongs to."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.parts: Parts = {}
        self.taken: dict[int, str] = {}
        self.card_nodes: set[int] = set()
        self.page()
        self.navigation()
        self.footer()
        self.sidebar()
        self.forms_and_tables()
        self.cards()
        self.hero()
        self.words()
        self.pictures()
        self.content()
        self.spaces()

    # ---- helpers ----

    def add(self, part: Part) -> None:
        listed = self.parts.setdefault(part.noun, [])
        if len(listed) < MAX_PARTS:
            listed.append(part)

    def take(self, node: Node, noun: str) -> None:
        for inner in node.walk():
            self.taken.setdefault(inner.index, noun)

    def free(self, node: Node) -> bool:
        return node.index not in self.taken

    def wide(self, node: Node) -> bool:
        return node.w >= 0.8 * self.tree.width

    # ---- bands ----

    def page(self) -> None:
        root = self.tree.root
        written = letters(self.tree.nodes)
        facts: dict[str, Any] = {"background": root.shown, "height": self.tree.height}
        if written:
            kinds: dict[str, float] = {}
            for amount, node in written:
                kind = text_facts(node)["font"]
                kinds[kind] = kinds.get(kind, 0.0) + amount
            facts["font"] = max(kinds, key=lambda kind: kinds[kind])
        self.add(Part("page", "", (0.0, 0.0, self.tree.width, self.tree.height), facts))

    def navigation(self) -> None:
        bands = [n for n in self.tree.of_role("nav", "header", "box", "list") if n.y < 160 and 0 < n.h <= 220]
        bands = [n for n in bands if self.wide(n) and link_count(n) >= 2]
        # The outermost of the smallest: a header that is hardly taller than the bar in it is the bar.
        named = [n for n in bands if n.role in ("nav", "header")] or [
            n for n in bands if n.h <= 120 and stands_in_a_row(n)
        ]
        if not named:
            return
        bar = named[0]
        for outer in bar.ancestors():
            if outer.role == "page" or outer.h > 1.3 * bar.h + 8 or outer.h > 220:
                break
            bar = outer
        facts = band_facts(bar)
        facts.pop("align", None)
        entries = spoken_nodes(bar)
        logo = logo_of(entries)
        rest = tuple(n.words for n in entries if n is not logo)
        if rest:
            facts["links"] = rest
            left = min(n.x for n in entries if n is not logo)
            right = max(n.x + n.w for n in entries if n is not logo)
            if right - left < 0.7 * bar.w:
                facts["align"] = thirds(left - bar.x, right - left, bar.w)
        self.add(Part("navigation bar", "", _box(bar), facts))
        if logo is not None:
            self.add(Part("logo", logo.words, _box(logo), {"text": logo.words, **text_facts(logo)}))
        self.take(bar, "navigation bar")

    def footer(self) -> None:
        found = [n for n in self.tree.of_role("footer") if self.free(n) and n.w >= 0.5 * self.tree.width]
        if not found:
            last = [n for n in self.tree.nodes if self.free(n) and n.painted and self.wide(n) and n.role == "box"]
            found = [
                n
                for n in last
                if n.y + n.h >= self.tree.height - 4
                and n.y > 0.5 * self.tree.height
                and n.h <= 320
                and letters(n.walk())
            ]
        if not found:
            return
        foot = found[-1] if found[-1].role == "footer" else found[0]
        facts = band_facts(foot)
        said = " ".join(n.words for n in spoken_nodes(foot))
        if said:
            facts["text"] = said
        self.add(Part("footer", "", _box(foot), facts))
        self.take(foot, "footer")

    def sidebar(self) -> None:
        width, height = self.tree.width, self.tree.height
        for node in self.tree.nodes[1:]:
            narrow = 0.08 * width <= node.w <= 0.38 * width
            beside = node.x <= 0.12 * width or node.x + node.w >= 0.88 * width
            tall = node.h >= (0.25 if node.element["tag"] == "aside" else 0.5) * height and node.h > node.w
            known = node.element["tag"] == "aside" or node.role == "nav" or node.painted
            if not (self.free(node) and narrow and beside and tall and known and node.parent is not None):
                continue
            others = [n for n in node.parent.children if n is not node and n.w > node.w and n.y < node.y + node.h]
            if not others and node.element["tag"] != "aside":
                continue
            facts = band_facts(node)
            facts.pop("align", None)
            facts |= {"width": node.w, "position": thirds(node.x, node.w, width)}
            self.add(Part("sidebar", "", _box(node), facts))
            # Headings and links in a sidebar are spoken of like any others.
            return

    def hero(self) -> None:
        for node in self.tree.nodes[1:]:
            high = 150 <= node.h <= max(900.0, 0.6 * self.tree.height)
            if node.index in self.card_nodes or not (self.free(node) and self.wide(node) and high and node.y <= 480):
                continue
            titled = any(n.role == "heading" for n in node.walk())
            picture = node.element["background_kind"] == "picture"
            if (node.painted and titled) or picture or (node.role == "header" and titled):
                self.add(Part("hero", "", _box(node), band_facts(node)))
                return
        for node in self.tree.of_role("header"):
            if self.free(node) and node.y <= 300 and self.wide(node) and letters(node.walk()):
                self.add(Part("header", "", _box(node), band_facts(node)))
                return

    # ---- groups ----

    def forms_and_tables(self) -> None:
        fields = [n for n in self.tree.of_role("input") if self.free(n)]
        forms = [n for n in self.tree.of_role("form") if any(f in n.walk() for f in fields)]
        for form in forms:
            self.add(
                Part("form", "", _box(form), {"width": form.w, "position": thirds(form.x, form.w, self.tree.width)})
            )
        for node in fields:
            label = str(node.element["placeholder"]) or self.label_before(node)
            facts = {
                "width": node.w,
                "height": node.h,
                "rounding": corners(float(node.element["border_radius"]), node.h),
            }
            self.add(Part("input field", label, _box(node), facts))
        for table in self.tree.of_role("table"):
            if not self.free(table):
                continue
            cells = [n for n in table.walk() if n.role == "cell"]
            rows = [n for n in table.walk() if n.role == "row"]
            facts = {"width": table.w, "height": table.h}
            if rows and cells:
                facts["columns"] = sum(1 for n in rows[0].walk() if n.role == "cell")
                facts["background"] = cells[0].shown
                facts["text"] = " ".join(n.words for n in rows[0].walk() if n.role == "cell")
            self.add(Part("table", "", _box(table), facts))
            self.take(table, "table")

    def label_before(self, field: Node) -> str:
        near = [
            n
            for n in self.tree.nodes[max(0, field.index - 6) : field.index]
            if n.text and n.role == "text" and n.y >= field.y - 60 and n.y <= field.y + field.h
        ]
        return near[-1].words if near else ""

    def cards(self) -> None:
        groups: list[list[Node]] = []
        for parent in self.tree.nodes:
            if not self.free(parent) and parent.role != "page":
                continue
            members = [n for n in parent.children if self.free(n) and is_cardlike(n)]
            # A card may stand alone in a column of its own: then its wrapper is the child.
            members = [unwrapped(n) for n in members]
            members = [n for n in members if n.marked or has_neighbour(n, members)]
            for member in members:
                group = next((g for g in groups if g[0].parent is member.parent or are_alike(g[0], member)), None)
                if group is None:
                    groups.append([member])
                elif member not in group and are_alike(group[0], member):
                    group.append(member)
        groups = [g for g in groups if len(g) >= 2 and not any(m in g for n in g for m in n.ancestors())]
        if not groups:
            return
        cards = max(groups, key=lambda g: sum(n.area for n in g))[:MAX_PARTS]
        self.card_nodes = {n.index for n in cards}
        across = sorted({round(n.x / 20) for n in cards})
        facts: dict[str, Any] = {
            "columns": len(across),
            "width": statistics.median(n.w for n in cards),
            "height": statistics.median(n.h for n in cards),
            **box_facts(cards[0]),
        }
        gap = usual_gap(cards)
        if gap is not None:
            facts["gap"] = gap
        written = letters(cards[0].walk())
        if written:
            facts["align"] = band_facts(cards[0])["align"]
        left, top = min(n.x for n in cards), min(n.y for n in cards)
        right, bottom = max(n.x + n.w for n in cards), max(n.y + n.h for n in cards)
        titles = "\n".join(card_title(n) for n in cards)
        self.add(Part("card", titles, (left, top, right - left, bottom - top), facts, len(cards)))

    # ---- single things ----

    def words(self) -> None:
        headings = [n for n in self.tree.of_role("heading") if self.taken.get(n.index) != "navigation bar" and n.words]
        biggest = max(headings, key=lambda n: (float(n.element["font_size"]), -n.index), default=None)
        # A first-rank heading that is hardly smaller than another is still the main one.
        for node in headings:
            if node.element["tag"] == "h1" and biggest is not None:
                if float(node.element["font_size"]) >= 0.75 * float(biggest.element["font_size"]):
                    biggest = node
                break
        for node in self.tree.nodes:
            if not self.free(node) or not node.words or node.role in ("input", "checkbox", "page"):
                continue
            if any(above.role in ("heading", "link", "button") for above in node.ancestors()):
                continue
            if node.role == "heading":
                noun = "main heading" if node is biggest else "heading"
            elif node.role == "button" or (node.role == "link" and node.marked and 16 <= node.h <= 100):
                noun = "button"
            elif node.role == "link":
                noun = "link"
            elif node.role == "item" and any(n.role in ("link", "button", "heading") for n in node.walk()):
                continue
            elif node.role == "item":
                noun = "list item"
            elif node.role in ("text", "cell") and node.text:
                noun = "paragraph"
            else:
                continue
            said = node.words if noun != "paragraph" else node.text
            left, _, width, _ = ink_box(node.element, said)
            facts = {"text": said, **text_facts(node)}
            if noun == "button":
                facts |= box_facts(node) | {"width": node.w, "height": node.h}
                del facts["shadow"]
                left, width = node.x, node.w
            if width < 0.6 * self.tree.width:
                facts["position"] = thirds(left, width, self.tree.width)
            facts.pop("font" if noun not in ("main heading",) else "", None)
            self.add(Part(noun, said, _box(node), facts))

    def pictures(self) -> None:
        for node in self.tree.nodes[1:]:
            picture = node.role in ("image", "frame") or node.element["background_kind"] == "picture"
            if not picture or not self.free(node) or min(node.w, node.h) < 24:
                continue
            if any(p.box == _box(node) for p in self.parts.get("hero", [])):
                continue
            facts = {
                "width": node.w,
                "height": node.h,
                "rounding": corners(float(node.element["border_radius"]), node.h),
                "position": thirds(node.x, node.w, self.tree.width),
            }
            self.add(Part("image", "", _box(node), facts))

    def content(self) -> None:
        skip = {id(p) for noun in ("page",) for p in self.parts.get(noun, [])}
        boxes = [
            part.box
            for noun in ("main heading", "heading", "paragraph", "card", "image", "form", "table")
            for part in self.parts.get(noun, [])
            if id(part) not in skip
        ]
        if len(boxes) < 2:
            return
        left = min(x for x, _, _, _ in boxes)
        right = max(x + w for x, _, w, _ in boxes)
        top, bottom = min(y for _, y, _, _ in boxes), max(y + h for _, y, _, h in boxes)
        self.add(Part("content", "", (left, top, right - left, bottom - top), {"width": right - left}))

    def spaces(self) -> None:
        """Free space over each part: up to the next part above, or to the edge of the band that holds it."""
        boxes = [(part.box, noun) for noun in (*_SPACED, *_BANDS) for part in self.parts.get(noun, [])]
        cards = [part.box for part in self.parts.get("card", [])]
        for noun in _SPACED:
            for part in self.parts.get(noun, []):
                left, top, width, _ = part.box
                if noun != "card" and any(_holds(card, part.box) for card in cards):
                    continue
                edge = (0.0, "page")
                for box, name in boxes:
                    x, y, w, h = box
                    if box == part.box or x + w <= left or x >= left + width:
                        continue
                    if _holds(box, part.box):
                        edge = max(edge, (y, name))
                    elif y + h <= top + 2:
                        edge = max(edge, (y + h, name))
                part.facts["above"] = max(0.0, top - edge[0])
                part.facts["_edge"] = edge[1]
