"""Finding the code in an answer: every way models wrap it, and text made to break whoever looks."""

import subprocess
import sys
import time
import warnings

import pytest

from colbench.backend.extraction import BANNED_PHRASES, MAX_CODE_CHARS, extract_answer, paper_extract
from colbench.backend.safe_parse import parse_untrusted, too_deep

F = "def foo(x):\n    return x + 1"


def run(code: str, call: str = "foo(1)"):
    """Trusted texts of this file only."""
    namespace: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, "<test>", "exec"), namespace)
    return eval(call, namespace)


FINDS_FOO = {
    "plain": F,
    "leading newline": "\n" + F,
    "one space before the first line": " " + F,
    "bom": "\ufeff" + F,
    "crlf": F.replace("\n", "\r\n"),
    "python fence": f"```python\n{F}\n```",
    "Python fence": f"```Python\n{F}\n```",
    "python3 fence": f"```python3\n{F}\n```",
    "py fence": f"```py\n{F}\n```",
    "fence with attributes": f"```{{.python}}\n{F}\n```",
    "space before the tag": f"``` python\n{F}\n```",
    "bare fence": f"```\n{F}\n```",
    "tilde fence": f"~~~py\n{F}\n~~~",
    "four backticks": f"````python\n{F}\n````",
    "crlf fence": f"```python\n{F}\n```\nDone.".replace("\n", "\r\n"),
    "never closed": f"Sure:\n```python\n{F}\n",
    "never closed, then prose": f"```python\n{F}\n\nThis adds one, it's simple (really.",
    "lone closing fence": f"{F}\n```",
    "one line, lone closing fence": "def foo(x): return x + 1\n```",
    "code on the opening line": "```def foo(x): return x + 1\n```",
    "everything on one line": "```python def foo(x): return x + 1```",
    "opening line tagged, code beside it": "```python def foo(x):\n    return x + 1\n```",
    "closing fence glued to the code": "```python\n" + F + "```",
    "closing fence followed by prose": f"```python\n{F}\n``` Hope this helps!",
    "opening fence after prose": f"The code is ```python\n{F}\n```",
    "echoed instruction": f"You said: return code in a ``` block.\n~~~py\n{F}\n~~~",
    "echoed instruction at line start": f"``` block is where code goes, I was told.\n```python\n{F}\n```",
    "prose around": f"Here it is.\n\n```python\n{F}\n```\nHope it helps, it's short.",
    "prose, no fence": f"Sure, here is the function.\n{F}\nThat's all (I think!",
    "prose that parses, no fence": f"Answer\n{F}\nDone",
    "fence in a list": f"1. The code:\n\n   ```python\n   {F.replace(chr(10), chr(10) + '   ')}\n   ```\n2. End",
    "fence beside a bullet": f"- ```python\n  {F.replace(chr(10), chr(10) + '  ')}\n  ```",
    "code indented inside a flush fence": f"```python\n    {F.replace(chr(10), chr(10) + '    ')}\n```",
    "bash block after it": f"```python\n{F}\n```\nThen run\n```bash\npython x.py\n```",
    "usage block after it": f"```python\n{F}\n```\nUsage:\n```python\nprint(foo(1))\n```",
    "first block never closed, second good": f"```python\ndef foo(x):\n    return 0\n\nOr rather:\n```python\n{F}\n```",
    "old version first": f"```python\ndef foo(x):\n    return 0\n```\nCorrected:\n```python\n{F}\n```",
    "last block broken": f"```python\n{F}\n```\nIn short:\n```python\ndef foo(x):\n    return x +\n```",
    "odd escape": f'```python\nP = "\\d"\n{F}\n```',
    "lambda": "foo = lambda x: x + 1",
    "annotated": "```python\nfrom typing import Callable\nfoo: Callable = lambda x: x + 1\n```",
    "under a condition": "if True:\n    def foo(x):\n        return x + 1\nelse:\n    foo = None",
    "nested helper": "def foo(x):\n    def factorial(n):\n        return 1 if n < 2 else n * factorial(n - 1)\n"
    "    return x + factorial(1)",
    "helper and import above": "```python\nimport math\n\ndef one():\n    return math.floor(1.5)\n\n"
    "def foo(x):\n    return x + one()\n```",
    "helper and import above, no fence": "My answer\n\nimport math\n\ndef one():\n    return math.floor(1.5)\n\n"
    "@staticmethod\ndef foo(x):\n    return x + one()\n\nI hope it's right.",
    "helper below, no fence": "It is:\ndef foo(x):\n    return x + one()\n\ndef one():\n    return 1\n\nBye, see you!",
    "demo lines": f"{F}\nn = 5; print(foo(n)); assert foo(1) == 2",
    "quote in a docstring": '```python\ndef foo(x):\n    """Use ```x``` here."""\n    return x + 1\n```',
    "fence in a docstring": '```python\ndef foo(x):\n    """Use\n    ```\n    foo(1)\n    ```\n    """\n'
    "    return x + 1\n```",
    "fence in a docstring, no fence around": '"""\n```python\ndef foo(x):\n    return 0\n```\n"""\n' + F,
    "fence in a docstring after prose": 'Ok.\ndef foo(x):\n    """\n    ```\n    foo(1)\n    ```\n    """\n'
    "    return x + 1",
    "banned words": "def foo(x):\n    quit_rate = 1  # sudo, transformers, argparse, exit(0)\n    return x + quit_rate",
}


@pytest.mark.parametrize("name", FINDS_FOO)
def test_finds_the_function(name):
    assert run(extract_answer(FINDS_FOO[name], "foo")) == 2


@pytest.mark.parametrize("name", FINDS_FOO)
def test_finds_it_without_being_told_the_name(name):
    # Without a name any function counts, so blocks that define another or an old one may win; it must still parse.
    assert parse_untrusted(extract_answer(FINDS_FOO[name], None)) is not None


def test_the_whole_block_is_kept():
    code = "import math\n\n\ndef quit_rate(x):\n    return math.sqrt(x)\n\n\ndef foo(x):\n    return quit_rate(x)"
    assert extract_answer(f"Text\n```python\n{code}\n```\n", "foo").strip() == code


def test_a_run_starts_at_its_decorator():
    code = "import functools\n@functools.cache\ndef foo(x):\n    return x + 1"
    assert extract_answer(f"Answer\n{code}\nDone", "foo").strip() == code


def test_without_the_name_the_answer_still_comes_back_for_the_report():
    assert extract_answer("```python\ndef bar(x):\n    return 1\n```", "foo").strip().startswith("def bar")
    assert extract_answer("I do not know.", "foo") == "I do not know."
    assert extract_answer("```python\ndef foo(x:\n```", "foo").strip() == "def foo(x:"
    assert extract_answer("", "foo") == ""


def test_it_never_returns_more_than_the_limit():
    big = "x = 1\n" * MAX_CODE_CHARS
    assert len(extract_answer(big + F, "foo")) <= MAX_CODE_CHARS
    assert run(extract_answer(big + "Sorry, this is it:\n```python\n" + F + "\n```", "foo")) == 2


HOSTILE = {
    "backticks": "`" * 1_000_000,
    "backtick lines": "```\n" * 250_000,
    "tagged openers": "```a\n" * 200_000,
    "tildes": "~~~a\nfoo\n" * 100_000,
    "growing fences": "\n".join("`" * (3 + i % 997) for i in range(2_000)),
    "openers of strings": "```\n\\'''\n" * 90_000 + F,
    "quotes": "'''\"\"\"" * 150_000 + "\nfoo",
    "backslashes": "foo = '''" + "\\" * 1_000_000,
    "nul": "def foo(x):\n\0    return 1\n" * 10_000,
    "surrogate": "def foo(x):\n    return '\ud800'\n",
    "minus signs": "foo = " + "-" * 500_000 + "1",
    "brackets": "foo = " + "(" * 100_000 + ")" * 100_000,
    "brackets, below the tokenizer's limit": "foo = " + "(" * 199 + "1" + ")" * 199,
    "not not": "foo = " + "not " * 100_000 + "1",
    "lambdas": "foo = " + "lambda: " * 50_000 + "1",
    "attributes": "foo = a" + ".a" * 100_000,
    "calls": "foo = a" + "()" * 100_000,
    "sums": "foo = " + "1+" * 100_000 + "1",
    "sums over joined lines": "foo = " + "1+\\\n" * 60_000 + "1",
    "powers": "foo = " + "1**" * 50_000 + "1",
    "ternaries": "foo = " + "1 if 1 else " * 20_000 + "1",
    "elifs": "foo = 1\nif 1: pass\n" + "elif 1: pass\n" * 9_000,
    "indents": "".join(" " * i + "if 1:\n" for i in range(400)) + " " * 400 + "foo = 1",
    "f-strings": "foo = " + "f'{" * 300 + "1" + "}'" * 300,
    "deep f-string": "foo = f'{" + "-" * 100_000 + "1}'",
    "deep f-string behind a quote": "foo = f\"{'\"' + " + "-" * 100_000 + '1}"',
    "huge literal": "foo = " + "9" * 120_000,
    "many definitions": "def foo(x):\n" * 60_000,
    "broken definitions": "def foo(x): return (\n" * 5_000,
    "prose lines": "it is foo, right?\n" * 50_000 + F,
    "long line": "def foo(x): return " + "x," * 500_000,
    "carriage returns": "\r" * 1_000_000 + F,
    "blank": " " * 1_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_costs_little(name):
    start = time.process_time()
    code = extract_answer(HOSTILE[name], "foo")
    assert time.process_time() - start < 5.0
    assert isinstance(code, str) and len(code) <= MAX_CODE_CHARS


def test_the_deepest_source_let_through_does_not_end_the_process():
    """In a process of its own, on a thread, with the recursion limit that numerical code likes to set."""
    script = """
import sys, threading
sys.setrecursionlimit(10**6)
from colbench.backend.safe_parse import parse_untrusted
ONE = [("-", "1", ""), ("not ", "1", ""), ("lambda: ", "1", ""), ("1**", "1", ""), ("a", "", "()"), ("a", "", ".a"),
       ("1+", "1", ""), ("1 if 1 else ", "1", ""), ("(", "1", ")"), ("[", "", "]"), ("await ", "1", ""),
       ("a[", "1", "]"), ("{1:", "1", "}"), ("(lambda x=", "1", ":1)"), ("f(-", "1", ")")]
def work():
    for n in (10, 80, 145, 160, 290, 440, 890, 899, 901, 10_000, 100_000):
        for before, middle, after in ONE:
            parse_untrusted("foo = " + before * n + middle + after * n)
        parse_untrusted("if 1: pass\\n" + "elif 1: pass\\n" * n)
        parse_untrusted("foo = f'{" + "-" * n + "1}'")
    print("alive")
thread = threading.Thread(target=work); thread.start(); thread.join()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "alive", done.stderr[-500:]


def test_ordinary_code_is_not_too_deep():
    table = "TABLE = {\n" + "".join(f"    'k{i}': ({i} + 1, -{i}, [{i}]),\n" for i in range(2_000)) + "}\n"
    text = 'HTML = f"""' + "<p>a.b - c</p>\n\n" * 500 + '{1}"""\n'
    assert not too_deep(table + text + F)
    assert not too_deep("if a == 1:\n    b = 1\n" + "".join(f"elif a == {i}:\n    b = {i}\n" for i in range(500)))


def test_an_odd_escape_neither_warns_nor_fails():
    source = "```python\nimport re\ndef foo(x):\n    return 1 if re.match('\\d', '1') else 2\n```"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "re.match" in extract_answer(source, "foo")


def test_speed_of_an_ordinary_answer():
    body = "".join(f"    if x == {i}:\n        return {i}\n" for i in range(20))
    answer = f"Here you are.\n```python\ndef foo(x):\n{body}    return x\n```\nBye."
    start = time.process_time()
    for _ in range(50):
        extract_answer(answer, "foo")
    assert (time.process_time() - start) / 50 < 0.005


def test_paper_extraction_takes_the_first_python_fence():
    assert paper_extract("```bash\nls\n```\n```python\nA\n```\n```python\nB\n```") == "\nA\n"
    assert paper_extract("```\nA\n```\n```\nB\n```") == "\nA\n"
    assert paper_extract("```py\nA\n```") == "py\nA\n"
    assert paper_extract("```python3\nA") == "3\nA"
    assert paper_extract(" A ") == " A "
    assert paper_extract("A\n```") == ""


@pytest.mark.parametrize("phrase", BANNED_PHRASES)
def test_paper_extraction_refuses_banned_phrases_anywhere(phrase):
    assert paper_extract(f"I avoid {phrase}.\n```python\n{F}\n```") is None
    assert run(extract_answer(f"I avoid {phrase}.\n```python\n{F}\n```", "foo")) == 2
