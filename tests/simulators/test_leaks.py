"""What gives the reference away and what is only a precise answer; and how a leaking collaborator is asked again."""

import pytest

from colbench.errors import ConfigurationError
from colbench.simulators import Reply
from colbench.simulators.base import CollaboratorContext
from colbench.simulators.guard import GuardedCollaborator
from colbench.simulators.leaks import find_leak, without_code_lines
from colbench.tasks.schema import BackendTask, FrontendTask
from colbench.usage import Usage

REFERENCE = '''
def shipping(items, zone, express=False):
    """Postage in cents."""
    total = sum(item['grams'] for item in items if item['grams'] > 0)
    rates = {"home": 120, "union": 240, "world": 480}
    if zone not in rates or total == 0:
        return None
    price = rates[zone] * -(-total // 1000)
    return price * 2 if express else price
'''
TASK = BackendTask(
    task_id="t",
    problem_description="Postage please. The signature of the function is: def shipping(items, zone, express=False)",
    ground_truth=REFERENCE,
    test_cases={"a": "shipping([], 'home')"},
)
PAGE = FrontendTask(
    task_id="p",
    problem_description="A shop page.",
    ground_truth='<div class="flex items-center bg-blue-600 p-4"><h1>Fresh bread every day</h1></div>',
)

LEAKS = {
    "```python\nx\n```": "fence",
    "Use this: def shipping(items, zone): return 1": "definition",
    "key=lambda item: item['grams']": "definition",
    "import math": "definition",
    "It works like this:\ntotal = sum(item['grams'] for item in items)": "statement",
    "if zone not in rates or total == 0:\n    return None": "statement",
    "for item in items:": "statement",
    "return price * 2": "statement",
    "price *= 2": "statement",
    "It is `sum(item['grams'] for item in items)`": "expression",
    "I take the sum(item['grams'] for item in items if item['grams'] > 0) of it": "run",
    "price * 2 if express else price, and rates[zone] * -(-total // 1000) before": "run",
    "The rates[zone] * - ( - total // 1000 ) decides": "run",
}
FINE = [
    "It is a list of dictionaries with 'grams' and 'name'.",
    "The zones are 'home', 'union' and 'world', at 120, 240 and 480 cents.",
    "'home': 120, 'union': 240, 'world': 480",
    "Return None if the zone is unknown or the total is 0.",
    "For all of them:",
    "If it is express, the price doubles.",
    "Return True for years from 870 to 930, inclusive.",
    "The `total` is in grams; compute `total / 1000` exactly.",
    "return None",
    "No, that is all I know.",
    "Yes.",
    "- Items that weigh nothing are left out.\n- Express doubles the price.",
    "5is enough",
    "",
]


@pytest.mark.parametrize("reply, kind", LEAKS.items())
def test_leaks(reply, kind):
    leak = find_leak(TASK, reply)
    assert leak is not None and leak.kind == kind, leak


@pytest.mark.parametrize("reply", FINE)
def test_precise_answers_are_no_leaks(reply):
    assert find_leak(TASK, reply) is None


@pytest.mark.parametrize(
    "reply, kind",
    [
        ("Put it into a <div> please", "markup"),
        ("Use bg-blue-600 p-4 flex", None),
        ("It has flex items-center bg-blue-600 on it", "classes"),
        ("h1 { color: red }", "markup"),
        (
            "The heading says 'Fresh bread every day', white on blue (#1c64f2), 4px < 8px.",
            None,
        ),
    ],
)
def test_leaks_of_pages(reply, kind):
    leak = find_leak(PAGE, reply)
    assert (leak and leak.kind) == kind


def test_code_is_taken_out():
    reply = (
        "It doubles.\n```python\nreturn price * 2\n```\nprice *= 2\ndef f(x):\n    y = 1\n    return y\nThat is all."
    )
    assert without_code_lines(reply) == "It doubles. That is all."
    assert without_code_lines("Put <b>bread</b> left. h1 { color: red }") == "Put bread left."


def context(task=TASK, max_chars=400):
    messages = ({"role": "user", "content": "x"}, {"role": "assistant", "content": "How?"})
    return CollaboratorContext(task=task, messages=messages, seed=7, turn=0, max_chars=max_chars)


class Talks:
    name = "talks"

    def __init__(self, *texts):
        self.texts = list(texts)
        self.asked = []

    async def reply(self, context):
        self.asked.append(context.seed)
        return Reply(self.texts.pop(0), usage=Usage(1, 10, 5, cost=0.5), meta={"k": 1})

    def describe(self):
        return {"name": self.name}


class Listens(Talks):
    async def ask(self, context, note, attempt):
        self.asked.append((note, attempt))
        return Reply(self.texts.pop(0))


async def test_a_leaking_reply_is_asked_for_again():
    inner = Talks("def f(): pass", "It doubles.")
    reply = await GuardedCollaborator(inner).reply(context())
    assert (reply.text, reply.leak, reply.attempts) == ("It doubles.", True, 2)
    assert reply.meta == {"k": 1, "leaks": 1} and reply.usage == Usage(2, 20, 10, cost=1.0)
    assert len(set(inner.asked)) == 2 and inner.asked[0] == 7
    inner = Listens("def f(): pass", "It doubles.")
    await GuardedCollaborator(inner).reply(context())
    assert inner.asked[0] == (None, 0) and inner.asked[1][1] == 1 and "plain words" in inner.asked[1][0]


async def test_when_every_attempt_leaks_no_code_is_kept():
    code = "price = rates[zone] * 2"
    guard = GuardedCollaborator(Talks(code, code, f"It doubles for express.\n{code}"))
    reply = await guard.reply(context())
    assert (reply.text, reply.leak, reply.attempts) == ("It doubles for express.", True, 3)
    assert reply.meta == {"k": 1, "leaks": 3, "code_removed": True}
    reply = await GuardedCollaborator(Talks(code), attempts=1).reply(context())
    assert "rates" not in reply.text and reply.text


async def test_a_good_reply_costs_one_attempt_and_what_is_cut_off_does_not_count():
    reply = await GuardedCollaborator(Talks("It doubles.")).reply(context())
    assert (reply.leak, reply.attempts, reply.meta) == (False, 1, {"k": 1})
    late = "It doubles for express parcels, always. " * 2 + "def f(): pass"
    assert not (await GuardedCollaborator(Talks(late)).reply(context(max_chars=60))).leak


def test_guard_options():
    with pytest.raises(ConfigurationError, match="attempts must be a whole number of at least 1, actually: 0"):
        GuardedCollaborator(Talks(), attempts=0)
    assert GuardedCollaborator(Talks()).describe() == {"name": "talks", "leak_attempts": 3, "leak_run": 10}


async def test_embedded_replies_never_leak():
    from colbench.simulators import load_collaborator
    from colbench.tasks import load_tasks

    embedded = load_collaborator()
    for task in [*load_tasks("bundled", split="test")[:15], *load_tasks("procedural:n=15", split="test")]:
        for question in ("What are the inputs?", "What is returned?", "Tell me everything.", "What about edge cases?"):
            messages = ({"role": "user", "content": "x"}, {"role": "assistant", "content": question})
            ctx = CollaboratorContext(task=task, messages=messages, seed=1, turn=0, max_chars=400)
            text = (await embedded.reply(ctx)).text
            assert find_leak(task, text) is None, text
