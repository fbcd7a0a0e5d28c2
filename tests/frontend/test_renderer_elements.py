"""What is measured on a page, field by field."""

from __future__ import annotations

from typing import Any, get_type_hints

import pytest
from rendering_support import renderer

from colbench.frontend import elements
from colbench.frontend.elements import Element
from colbench.frontend.renderer import Renderer, shared_renderer

__all__ = ["renderer"]

pytestmark = pytest.mark.browser


def measured(renderer: Renderer, body: str, style: str = "") -> list[dict[str, Any]]:
    html = f"<!doctype html><style>body{{margin:0;font:16px/20px serif}}{style}</style>{body}"
    page = renderer.render(html)
    assert page.png is not None
    return list(page.elements)


def one(renderer: Renderer, body: str, style: str = "") -> dict[str, Any]:
    return measured(renderer, body, style)[1]


def test_every_element_has_the_documented_fields(renderer: Renderer) -> None:
    fields = set(get_type_hints(Element))
    page = renderer.render("<h1>A</h1><form><input placeholder=x></form><img alt=y><table><tr><td>1</table>")
    assert len(page.elements) >= 6
    for element in page.elements:
        assert set(element) == fields
    for field in fields:
        assert f"{field}:" in (Element.__doc__ or "")


def test_order_parents_and_depth(renderer: Renderer) -> None:
    found = measured(renderer, "<main><section><h2>A</h2><p>B <b>C</b></p></section><div>D</div></main>")
    assert [element["tag"] for element in found] == ["body", "main", "section", "h2", "p", "b", "div"]
    assert [element["parent"] for element in found] == [-1, 0, 1, 2, 2, 4, 1]
    assert [element["depth"] for element in found] == [0, 1, 2, 3, 3, 4, 2]


@pytest.mark.parametrize(
    ("body", "role"),
    [
        ("<h3>x</h3>", "heading"),
        ("<p>x</p>", "text"),
        ("<a href='#'>x</a>", "link"),
        ("<button>x</button>", "button"),
        ("<input type=submit>", "button"),
        ("<div role=button>x</div>", "button"),
        ("<input type=email>", "input"),
        ("<textarea>x</textarea>", "input"),
        ("<select><option>x</select>", "input"),
        ("<input type=checkbox>", "checkbox"),
        ("<img src='https://picsum.photos/30' alt=x>", "image"),
        ("<svg width=9 height=9><rect width=5 height=5 /></svg>", "image"),
        ("<iframe></iframe>", "frame"),
        ("<ul><li>x</ul>", "list"),
        ("<table><tr><td>x</table>", "table"),
        ("<nav>x</nav>", "nav"),
        ("<header>x</header>", "header"),
        ("<footer>x</footer>", "footer"),
        ("<form>x</form>", "form"),
        ("<div><p>x</p></div>", "box"),
        ("<div>x</div>", "text"),
    ],
)
def test_roles(renderer: Renderer, body: str, role: str) -> None:
    assert one(renderer, body)["role"] == role


def test_places_and_sizes(renderer: Renderer) -> None:
    element = one(renderer, "<div style='margin:2000px 0 0 30px;width:200.5px;height:40px'>x</div>")
    assert [element[side] for side in "xywh"] == [30, 2000, 200.5, 40]


def test_texts(renderer: Renderer) -> None:
    found = measured(
        renderer,
        "<p>  Hello \n <b>big</b>\t world </p><p style='text-transform:uppercase'>shout</p><p>" + "long " * 500 + "</p>"
        "<input value=typed placeholder=Name><input type=password value=secret><input type=submit value=Go>"
        "<select><option>One<option selected>Two</select><textarea>area</textarea><button>Buy <i>now</i></button>",
    )
    texts = {index: element["text"] for index, element in enumerate(found)}
    assert texts[1] == "Hello world"
    assert found[1]["label"] == "Hello big world"
    assert texts[2] == "big"
    assert texts[3] == "SHOUT"
    assert len(texts[4]) == elements.MAX_TEXT
    inputs = [element for element in found if element["input_type"]]
    assert [(e["input_type"], e["text"]) for e in inputs] == [
        ("text", "typed"),
        ("password", ""),
        ("submit", "Go"),
        ("select", "Two"),
        ("textarea", "area"),
    ]
    assert inputs[0]["placeholder"] == "Name"
    button = next(element for element in found if element["tag"] == "button")
    assert (button["text"], button["label"]) == ("Buy", "Buy now")


def test_colours(renderer: Renderer) -> None:
    element = one(renderer, "<p style='color:#102030;background:rgba(255,0,0,.5)'>x</p>")
    assert element["color"] == [16, 32, 48, 1]
    assert element["background"] == [255, 0, 0, 0.5]
    modern = one(renderer, "<p style='color:oklch(0 0 0);background:color(srgb 1 0.5 0 / 0.5)'>x</p>")
    assert modern["color"] == [0, 0, 0, 1]
    assert modern["background"][0] == 255 and abs(modern["background"][1] - 128) <= 2
    assert modern["background"][3] == pytest.approx(0.5, abs=0.01)
    assert one(renderer, "<p>x</p>")["background"] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("style", "background"),
    [("", [255, 255, 255, 1]), ("body{background:red}", [255, 0, 0, 1]), ("html{background:blue}", [0, 0, 255, 1])],
)
def test_the_body_has_the_colour_of_the_page(renderer: Renderer, style: str, background: list[float]) -> None:
    assert measured(renderer, "<p>x</p>", style)[0]["background"] == background


def test_background_images(renderer: Renderer) -> None:
    gradient = one(renderer, "<p style='background:linear-gradient(red,blue)'>x</p>")
    assert (gradient["background_image"], gradient["background_kind"]) == (True, "gradient")
    photo = one(renderer, "<p style='background:url(https://picsum.photos/30)'>x</p>")
    assert (photo["background_image"], photo["background_kind"]) == (True, "picture")


def test_type_and_alignment(renderer: Renderer) -> None:
    element = one(renderer, "<p style='font:italic bold 24px \"My Font\",serif;text-align:center'>x</p>")
    assert (element["font_size"], element["font_weight"], element["font_family"]) == (24, 700, "My Font")
    assert element["text_align"] == "center"
    assert one(renderer, "<p>x</p>")["text_align"] == "left"
    assert one(renderer, "<p dir=rtl>x</p>")["text_align"] == "right"


def test_borders_and_shadows(renderer: Renderer) -> None:
    element = one(renderer, "<p style='border-bottom:3px solid lime;border-top:1px solid red;border-radius:8px'>x</p>")
    assert (element["border_width"], element["border_sides"], element["border_radius"]) == (3, "tb", 8)
    assert element["border_color"] == [0, 255, 0, 1]
    assert one(renderer, "<p style='border:2px solid transparent'>x</p>")["border_sides"] == ""
    assert one(renderer, "<p style='box-shadow:0 1px 3px rgba(0,0,0,.1)'>x</p>")["shadow"]
    assert not one(renderer, "<p style='box-shadow:0 0 #0000,0 0 #0000'>x</p>")["shadow"]


@pytest.mark.parametrize(
    ("style", "columns"),
    [
        ("display:grid;grid-template-columns:1fr 1fr 1fr", 3),
        ("display:grid;grid-template-columns:repeat(2,[a] 100px)", 2),
        ("display:flex", 4),
        ("display:flex;flex-direction:column", 1),
        ("display:flex;flex-wrap:wrap;width:250px", 2),
        ("", 1),
    ],
)
def test_columns(renderer: Renderer, style: str, columns: int) -> None:
    body = f"<div style='{style}'>" + "<div style='width:100px;height:20px'>x</div>" * 4 + "</div>"
    element = one(renderer, body)
    assert element["columns"] == columns
    assert element["flex_direction"] == ("" if "flex" not in style else "column" if "column" in style else "row")


def test_floats_and_inline_blocks_stand_side_by_side(renderer: Renderer) -> None:
    floats = "<div>" + "<div style='float:left;width:100px'>x</div>" * 3 + "</div>"
    assert one(renderer, f"<div style='overflow:hidden'>{floats}</div>")["columns"] == 1
    blocks = "<div>" + "<div style='display:inline-block;width:100px'>x</div>" * 3 + "</div>"
    assert one(renderer, blocks)["columns"] == 3
    assert one(renderer, "<p>a <b>b</b> <b>c</b></p>")["columns"] == 1  # words are no columns


def test_what_cannot_be_seen_is_not_listed(renderer: Renderer) -> None:
    hidden = (
        "<p hidden>x</p><p style='display:none'>x</p><p style='visibility:hidden'>x</p>"
        "<div style='opacity:0'><p>x</p></div>"
        "<p style='position:absolute;left:-9999px'>x</p><p style='width:1px;height:1px;overflow:hidden'>x</p>"
        "<input type=hidden><script>1</script><template><p>x</p></template><title>t</title>"
    )
    found = measured(
        renderer, hidden + "<p>Seen</p><div style='visibility:hidden'><p style='visibility:visible'>Too</p></div>"
    )
    assert [element["text"] for element in found[1:]] == ["Seen", "Too"]


def test_opacity_is_that_of_the_ancestors_too(renderer: Renderer) -> None:
    found = measured(renderer, "<div style='opacity:.5'><p style='opacity:.5'>x</p></div>")
    assert [element["opacity"] for element in found] == [1, 0.5, 0.25]


def test_fixed_and_sticky(renderer: Renderer) -> None:
    found = measured(renderer, "<p style='position:fixed'>a</p><p style='position:sticky;top:0'>b</p><p>c</p>")
    assert [element["fixed"] for element in found[1:]] == [True, True, False]


def test_pictures(renderer: Renderer) -> None:
    element = one(renderer, "<img src='https://picsum.photos/60/40' alt='A  boat' width=30>")
    assert element["alt"] == "A boat"
    assert element["src"] == "https://picsum.photos/60/40"
    assert (element["natural_width"], element["natural_height"], element["w"], element["h"]) == (60, 40, 30, 20)
    assert one(renderer, "<img alt=broken src='https://evil.example/x.png'>")["natural_width"] == 0


def test_names_in_a_form_do_not_hide_anything(renderer: Renderer) -> None:
    names = (
        "children id style parentNode getAttribute firstChild nextSibling tagName attributes textContent hasChildNodes"
    )
    inputs = "".join(f"<input name={name} value={name}>" for name in names.split())
    hidden = "body fonts getAnimations querySelectorAll documentElement scrollingElement adoptedStyleSheets"
    pictures = "".join(f"<img name={name} alt={name}>" for name in hidden.split())
    found = measured(renderer, f"<form name=createElement>{inputs}<p>Words</p></form>{pictures}")
    assert [element["text"] for element in found if element["tag"] == "input"] == names.split()
    assert "Words" in [element["text"] for element in found]
    assert sum(element["tag"] == "img" for element in found) == 7


def test_half_a_character_does_not_break_the_result(renderer: Renderer) -> None:
    assert one(renderer, "<p>" + "🙂" * 400 + "</p>")["text"].startswith("🙂🙂")
    assert one(renderer, "<p>a" + "🙂" * 400 + "</p>")["text"].encode("utf-8")
    assert renderer.render("<p>lone \ud83d half</p>").status == "ok"


def test_without_measuring_there_are_no_elements() -> None:
    page = shared_renderer(workers=1, measure=False).render("<h1>Hi</h1>")
    assert page.status == "ok"
    assert page.elements == ()


def test_parse_refuses_what_is_no_measurement() -> None:
    with pytest.raises(ValueError):
        elements.parse("[]")
