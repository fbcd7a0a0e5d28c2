"""Which part of a message is the page."""

from __future__ import annotations

import time

import pytest

from colbench.frontend.extraction import extract_html

PAGE = "<html><body><h1>Title</h1><p>One<br/>Two</p></body></html>"

WHOLE = {
    "upper case": "<HTML><BODY>Hi</BODY></HTML>",
    "mixed case": "<Html><bOdY class=x>Hi</BODY></htmL>",
    "fragment": "<div class=p-4>Hi</div>",
    "no end": "<html><body>Hi",
    "no html end": "<html><body><p>Hi</p></body>",
    "doctype": "<!DOCTYPE html>\n<html><head><title>T</title></head><body>Hi</body></html>",
    "doctype only": "<!doctype html><title>T</title><p>Hi</p>",
    "one line": "<html><body>One<br/>Two<br/>Three</body></html>",
    "styles and script with tags in them": (
        "<!DOCTYPE html>\n<html><head><style>a > b { color: red }</style></head>"
        "<body><script>if (a<b) x = '</div>'</script><p>Hi</p></body></html>"
    ),
    "link before body": "<link rel=stylesheet href='x.css'>\n\n<body class='p'>\n\n<p>Hi</p>\n\n</body>",
    "elements without end": "<h1>T</h1><p>Hello there",
    "cut off": "<div class='a'><p>cut off in the mid",
    "page in a page": "<iframe srcdoc='<html><body>in</body></html>'></iframe><p>x</p>",
    "loose text": "<h1>T</h1><br/>loose text<br/><p>p</p>",
    "greater sign in an attribute": "<div title='a > b'>Hi</div>",
    "comment first": "<!-- version 2 --><div class='p-4'>Hi</div>",
    "any language": "<div class='ü'>Grüße 你好 🙂</div>",
}


@pytest.mark.parametrize("page", WHOLE.values(), ids=WHOLE.keys())
@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "```html\n{}\n```",
        "```HTML\n{}\n```\n",
        "Here is a first version:\n```\n{}\n```\nWhat do you think?",
        "\n\n  {}\n",
    ],
    ids=["bare", "fence", "fence in capitals", "plain fence in a letter", "white space"],
)
def test_page_is_kept_to_the_letter(page: str, frame: str) -> None:
    assert extract_html(frame.format(page)) == page


@pytest.mark.parametrize(
    "page", [page for name, page in WHOLE.items() if name not in ("no end", "elements without end", "cut off")]
)
def test_words_around_a_bare_page_are_removed(page: str) -> None:
    assert extract_html(f"Sure, here it is:\n\n{page}\n\nIs the header large enough?") == page


def test_words_on_the_same_line_are_removed() -> None:
    assert extract_html("Here: <div class=p-4>Hi</div> What do you think?") == "<div class=p-4>Hi</div>"


def test_everything_on_one_line_loses_nothing() -> None:
    assert extract_html(f"Look: {PAGE} Good?") == PAGE


@pytest.mark.parametrize(
    "message",
    [
        "",
        "   \n ",
        "What is the company name?",
        "use <b> here?",
        "I want <b>bold</b> text and <i>italics</i>, is that ok?",
        "if a < b and c > d then",
        "a<b && c>d",
        "List<Button> x = new List<Button>();",
        "Should I use `<div>` or `<p>`?",
        "Should I use <div> or <p>?",
        "The <header> should be blue, and the <nav> too?",
        "It starts with <html> and ends with </html>.",
        "I'd wrap it in <div>...</div>, ok?",
        "Line one<br/>line two<br/>",
        "```python\nprint('<div>x</div>')\n```",
        "```css\na > b { color: red }\n```",
        "```js\nconst x = `<html><body>${a}</body></html>`\n```",
        "```\nplain words\n```",
        "I like 3 <3 <- arrows -> and <<shift>>",
    ],
)
def test_no_page(message: str) -> None:
    assert extract_html(message) is None


def test_the_last_page_counts() -> None:
    fences = "```html\n<div>A</div>\n```\nor\n```html\n<div>B</div>\n```"
    assert extract_html(fences) == "<div>B</div>"
    assert extract_html("First:\n\n<html><body><p>1</p></body></html>\n\nthen\n\n" + PAGE + "\nok?") == PAGE
    assert extract_html("v1\n\n<div>A</div>\n\nv2\n\n<div>B</div>") == "<div>B</div>"
    assert extract_html(f"{PAGE}\n\n```html\n<div>B</div>\n```") == "<div>B</div>"
    assert extract_html(f"```html\n<div>B</div>\n```\n\nor rather\n\n{PAGE}") == PAGE


def test_a_fence_of_another_language_after_the_page_does_not_hide_it() -> None:
    assert extract_html(f"```html\n{PAGE}\n```\nStart it with\n```bash\nnpm run <env>\n```") == PAGE


def test_a_fence_inside_a_page_is_part_of_it() -> None:
    page = "<html><body><pre>```\ncode\n```</pre><p>Hi</p></body></html>"
    assert extract_html(f"Here:\n{page}\nOk?") == page


def test_a_fence_that_was_cut_off() -> None:
    assert extract_html("```html\n<html><body><h1>Hi") == "<html><body><h1>Hi"


@pytest.mark.parametrize(
    "unit",
    [
        "<div",
        "<div>",
        "<script>",
        "<title>",
        '<p "',
        "<!--",
        "`",
        "```",
        "<html>",
        "</html>",
        "<!doctype html>",
        "<p>x</p>\n\nw\n\n",
    ],
)
def test_hostile_messages_take_no_time(unit: str) -> None:
    message = unit * (60_000 // len(unit))
    began = time.process_time()
    extract_html(message)
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    "message",
    [
        "<!doctype html" * 18_724,
        "<html><p></p></html>" * 6_553 + "```\n```" * 18_724,
        "<html>" * 43_690,
        "<" + "a" * 262_000,
        "`" * 130_000 + "x" + "`" * 129_999,
        "x" + "<p>" * 87_000 + "</q>",
    ],
    ids=["doctypes without end", "fences after pages", "bare pages", "long name", "long fence", "long line"],
)
def test_the_longest_messages_take_no_time(message: str) -> None:
    began = time.process_time()
    extract_html(message)
    assert time.process_time() - began < 2.0
