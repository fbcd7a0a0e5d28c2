"""Every family keeps to the rules that known credit, the collaborator and the scripted agents rely on."""

from __future__ import annotations

import ast
import copy
import keyword
import random
import re

import pytest

from colbench.errors import ConfigurationError, TaskDataError
from colbench.tasks.procedural import (
    Family,
    Limits,
    Template,
    backend_families,
    decision,
    facts_in,
    family_named,
    family_of,
    generate_task,
    register,
    template_family,
)

FAMILIES = backend_families()
every_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)

_STOP = frozenset(
    "a about an and are as at be by can do does for from have how i if in into is it may much many my no of on or "
    "that the there they this to up want we what when which with you your".split()
)


def _content(text: str) -> set[str]:
    return {re.sub(r"(ing|ed|s)$", "", w) for w in re.findall(r"[a-z]+", text.lower()) if w not in _STOP}


def _compiled(source: str, name: str):
    # In a local scope, as the published scorer does it: a helper or an import at the top would not be found.
    local: dict = {}
    exec(source, {}, local)
    return local[name]


def test_there_are_ten_families_with_names_and_functions_of_their_own():
    assert len(FAMILIES) >= 10
    assert len({f.name for f in FAMILIES}) == len({f.function_name for f in FAMILIES}) == len(FAMILIES)


@every_family
def test_decisions(family: Family):
    assert 6 <= len(family.decisions) <= 9
    assert len({d.name for d in family.decisions}) == len(family.decisions)
    assert all(2 <= size <= 4 for size in family.sizes)
    assert family.count <= 4096


@every_family
def test_facts_are_sentences_without_code_and_cannot_be_mixed_up(family: Family):
    facts = [option.fact for d in family.decisions for option in d.options]
    for fact in facts:
        assert fact[0].isupper() and fact.endswith(".") and 10 <= len(fact) <= 150
        assert "`" not in fact and "==" not in fact and "(" not in fact
        assert "_" not in re.sub(r"'[^']*'", "", fact)
        assert facts_in(f"Well. {fact} Sorry!", family.decisions).keys() == {
            d.name for d in family.decisions if any(o.fact == fact for o in d.options)
        }
        assert [other for other in facts if fact in other] == [fact]


@every_family
def test_each_question_points_at_its_own_topic(family: Family):
    for asked in family.decisions:
        words = _content(asked.question)
        shared = {d.name: len(words & _content(d.topic)) for d in family.decisions}
        own = shared.pop(asked.name)
        assert own > max(shared.values()), (asked.name, shared)
        assert asked.question.endswith("?")
        assert not any(option.fact in asked.question for option in asked.options)


@every_family
def test_wordings_are_vague(family: Family):
    assert len(family.openings) >= 3 and len(family.inputs) >= 2
    for text in (*family.openings, *family.inputs):
        assert not facts_in(text, family.decisions)
        numbers = set(re.findall(r"\d+", text))
        for d in family.decisions:  # a number that only one option has would give it away (dates and hours aside)
            for option in d.options:
                own = set(re.findall(r"\d+", option.fact)) - {
                    n for other in d.options if other is not option for n in re.findall(r"\d+", other.fact)
                }
                assert not own & numbers - {"0", "23", "2024", "05", "09"}, (d.name, text)
    parameters = family.signature[family.signature.index("(") + 1 : -1].split(", ")
    assert all(p.isidentifier() and not keyword.iskeyword(p) for p in parameters)


@every_family
def test_rendered_sources_are_readable_plain_functions(family: Family):
    rng = random.Random(1)
    for combination in rng.sample(sorted(family.combinations()), 60):
        source = family.source(combination)
        lines = source.splitlines()
        assert 8 <= len(lines) <= 40
        assert max(map(len, lines)) <= 130
        assert not re.search(r"«|»|%%|\b_\w", source)
        tree = ast.parse(source)
        assert [type(node) for node in tree.body] == [ast.FunctionDef]
        assert sum(isinstance(node, ast.FunctionDef) for node in ast.walk(tree)) == 1
        assert lines[0] == f"def {family.signature}:"
        modules = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert modules <= {"datetime"} and not any(isinstance(n, ast.Import) for n in ast.walk(tree))


@every_family
def test_the_fast_function_is_the_rendered_source(family: Family):
    rng = random.Random(2)
    calls = [family.arguments(rng) for _ in range(25)]
    before = copy.deepcopy(calls)
    base = tuple(rng.randrange(size) for size in family.sizes)
    combinations = [base, *(flip for _, flip in family.flips(base))]  # every option of every decision
    combinations += [tuple(rng.randrange(size) for size in family.sizes) for _ in range(40)]
    for combination in combinations:
        fast = family.function(combination)
        rendered = _compiled(family.source(combination), family.function_name)
        for arguments in calls:
            value = rendered(*arguments)
            assert value is not None
            assert fast(*arguments) == value and type(fast(*arguments)) is type(value)
    assert calls == before, "a function changed its arguments"


@every_family
def test_call_expressions_say_the_arguments(family: Family):
    arguments = family.arguments(random.Random(3))
    seen = []
    eval(family.call(arguments), {family.function_name: lambda *given: seen.append(given)})
    assert seen == [arguments]


@every_family
def test_no_two_combinations_have_the_same_source(family: Family):
    assert len({family.source(c) for c in family.combinations()}) == family.count


@every_family
def test_one_combination_in_five_is_for_the_test_split(family: Family):
    share = sum(family.split_of(c) == "test" for c in family.combinations()) / family.count
    assert 0.15 < share < 0.25


def test_a_request_leads_to_its_family():
    family = family_named("pricing")
    assert family_of("Total please. The signature of the function is: def order_total(items, member)") is family
    assert family_of("First def quiz_score(a, b), but in the end: def order_total(items, member)") is family
    assert family_of("The signature of the function is: def something_else(x)") is None
    assert family_of("No signature at all") is None


def test_unknown_and_clashing_families_are_refused():
    with pytest.raises(ConfigurationError, match="did you mean 'pricing'"):
        family_named("prising")
    twin = Family("twin", "x", "order_total(items)", (), (), (), FAMILIES[0].code, FAMILIES[0].arguments)
    with pytest.raises(ConfigurationError, match="clashes with 'pricing'"):
        register(twin)


def test_template_keeps_blocks_and_fills_nested_slots():
    text = """
def f(x):
%% a yes
    if x > «b: 1 | «a: 20 | 30»»:
%% b low
        x += 100
%%
        x += 1
%%
    return x
"""
    template = Template(text, {"a": ["yes", "no"], "b": ["low", "high"]})
    assert template.source((0, 1)) == "def f(x):\n    if x > 20:\n        x += 1\n    return x\n"
    assert template.source((1, 0)) == "def f(x):\n    return x\n"
    assert [template.function(c)(25) for c in ((0, 0), (0, 1), (1, 0), (1, 1))] == [126, 26, 25, 25]


def test_a_template_with_a_wrong_name_is_refused():
    with pytest.raises(TaskDataError, match="no such decision or option"):
        Template("def f(x):\n%% a maybe\n    x = 1\n%%\n    return x\n", {"a": ["yes", "no"]})
    with pytest.raises(TaskDataError, match="needs the alternatives"):
        Template("def f(x):\n    return «a: 1 | 2 | 3»\n", {"a": ["yes", "no"]})


def test_declared_decisions_have_their_options_in_order():
    made = decision("name", "the topic", "A question?", first="One.", second="Two.")
    assert [o.key for o in made.options] == ["first", "second"] and not made.stated


class _Terse(Family):
    """A family that speaks another language, as a trainer with few tokens would want."""

    def write_request(self, rng, decisions):
        said = " ".join(f"{d.name} {d.options[d.chosen].key} ." for d in decisions if d.stated)
        return f"go {said} def {self.signature}"

    def read_request(self, request):
        return {d.name: i for d in self.decisions for i, o in enumerate(d.options) if f" {d.name} {o.key} ." in request}


def test_a_family_may_bring_its_own_language_and_limits():
    decisions = [decision(c, c, f"{c} ?", one=f"{c} 1", two=f"{c} 2", six=f"{c} 6") for c in "abcd"]
    plain = template_family(
        "terse_base",
        domain="x",
        decisions=decisions,
        openings=[],
        inputs=[],
        template="""
def terse(x):
    return x * «a: 1 | 2 | 6» + «b: 1 | 2 | 6» * 100 + «c: 1 | 2 | 6» * 10000 + x * x * «d: 1 | 2 | 6» * 1000000
""",
        arguments=lambda rng: (rng.randint(1, 99),),
    )
    limits = Limits(min_hidden=2, max_hidden=3, min_consistent=9, max_chance=0.12, calls=4)
    family = _Terse("terse", "x", plain.signature, plain.decisions, (), (), plain.code, plain.arguments, limits)
    register(family)
    task = generate_task("terse", 1)
    assert len(task.calls) == 4 and 2 <= len(task.procedural.hidden) <= 3
    assert family_of(task.problem_description) is family
    assert family.read_request(task.problem_description) == {
        d.name: d.chosen for d in task.procedural.decisions if d.stated
    }
