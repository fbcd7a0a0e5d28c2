"""How much of a reference the embedded collaborator conveys to nine generic questions, and whether it keeps its limits.

Run ``python -m benchmarks.bench_collaborator [FILE.jsonl ...]``; without a file the bundled backend tasks are used.
Procedural tasks answer by decisions and are measured in the tests, so they are left out here.

What counts as conveyed. *Keys*: texts of the reference that are keys of a dictionary, read by a key, or compared with
something (also through a named list); each counts once a task and is conveyed when it stands in quotes in a reply.
*Numbers*: numeric literals of the reference, 0, 1 and -1 aside; each counts once a task and is conveyed when it stands
as a number of its own in a reply, or as its percentage ("10%" for 0.1). A second figure also counts what English says
by a word: positions ("third" for index 2), "squared", "square root", "even"/"odd", number words. *Option results* (the
texts that are returned) are shown for information.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from colbench.simulators.base import CollaboratorContext
from colbench.simulators.embedded import EmbeddedCollaborator
from colbench.simulators.facts.gaps import literals_of
from colbench.simulators.facts.results import returned
from colbench.simulators.facts.scope import FunctionNode, constant_of
from colbench.simulators.facts.words import ordinal
from colbench.simulators.wordings import is_dont_know
from colbench.tasks.schema import BackendTask

QUESTIONS = (
    "What do the inputs look like, and what type is each parameter?",
    "Which keys or fields does each record have?",
    "Which categories or option words are there, and what does each one lead to?",
    "Are there any thresholds or limits?",
    "Which weights, rates or other numbers go into the calculation?",
    "What should happen in edge cases such as empty input, zero or unknown values?",
    "What exactly should be returned, and in which format?",
    "Is there any rounding, sorting or default value?",
    "Is there anything else I should know?",
)
IRRELEVANT = (
    "What is your favourite colour?",
    "Which database should store the results?",
    "Where will this be deployed?",
    "Do you want a graphical user interface for it?",
    "How should I handle security and authentication?",
    "Should I write unit tests as well?",
    "Which programming language do you prefer?",
    "What is the weather like today?",
    "Who is going to maintain the code?",
    "Should the output be logged to a file?",
    "Do you need documentation or a README?",
    "What licence should I use?",
    "Which Python version do you run?",
    "Should I add type hints?",
    "What is your name?",
    "How old are you?",
    "Do you prefer tabs or spaces for indentation?",
    "Should it run on Windows, macOS or Linux?",
    "Which cloud provider do you use?",
    "Is there a deadline for this project?",
    "Should this be an asynchronous function?",
    "Do you want a REST API around it?",
    "How important is performance to you?",
    "Should I use pandas for this?",
    "Do you have a GitHub repository I can push to?",
    "What do you want for dinner?",
    "Shall I send you an email when I am done?",
    "Should I use classes and inheritance?",
    "Will it be used on mobile phones?",
    "What theme should the dashboard have?",
    "Do you want me to add comments to the code?",
    "Which framework should I choose, Django or Flask?",
    "How many people work in your team?",
    "Should results be cached between runs?",
    "Is GDPR compliance a concern?",
    "Can you tell me a joke?",
    "What is the capital of France?",
    "Should the code follow PEP8?",
    "Do you need a Docker image?",
    "Should I plot the results in a chart?",
)
MAX_CHARS = 400
_CODE = re.compile(
    r"`|==|!=|\bdef \w|\blambda\b|\w\[['\"\w]|\bfor \w+ in \w+:|\breturn \w+[(\[]|\w\(\w+\)\.|\w+ = \w|\+=|->"
)
_QUOTED = re.compile(r"'(?:[^'\n]|(?<=\w)'(?=\w))*'|\"[^\"\n]*\"")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?%?(?![\w]|\.\d)")
_WORDS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "half": 0.5,
}


def load(paths: Sequence[Path]) -> list[BackendTask]:
    """Backend tasks of JSONL files in the published format."""
    tasks: list[BackendTask] = []
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
            if not line.strip():
                continue
            record = json.loads(line)
            task = BackendTask(
                task_id=str(record.get("task_id", f"{path.stem}-{number}")),
                problem_description=record["problem_description"],
                ground_truth=record["ground_truth"],
                test_cases=record.get("test_cases") or {},
            )
            tasks.append(task)
    return tasks


def sentences(text: str) -> int:
    """How many sentences a reply has; full stops inside quotes do not end one."""
    bare = _QUOTED.sub("X", text)
    return len([s for s in re.split(r"(?<=[.!?])\s+", bare) if s.strip()])


def code_lines(task: BackendTask, text: str) -> list[str]:
    """Lines of the reference that stand in a reply (short ones, literals and the signature aside), and code marks."""
    squeezed = " ".join(text.split())
    found = []
    for line in task.ground_truth.splitlines():
        line = " ".join(line.split()).rstrip(",")
        # A line of one word ("continue") gives nothing away.
        if len(line) >= 8 and " " in line and not line.startswith(("def ", "'", '"', "#")) and line in squeezed:
            found.append(line)
    # Quoted texts may hold anything: they are values, not code.
    mark = _CODE.search(_QUOTED.sub("X", text))
    return found + ([mark.group()] if mark else [])


def numbers_said(texts: Iterable[str]) -> tuple[set[float], set[float]]:
    """Numbers that stand as tokens, and those said by words as well."""
    tokens: set[float] = set()
    words: set[float] = set()
    for text in texts:
        for found in _NUMBER.findall(text):
            value = float(found.rstrip("%"))
            tokens.add(value)
            if found.endswith("%"):
                tokens.add(round(value / 100, 12))
        low = text.lower()
        words |= {float(v) for w, v in _WORDS.items() if re.search(rf"\b{w}\b", low)}
        words |= {float(i) for i in range(2, 10) if re.search(rf"\b{ordinal(i)}\b", low)}
        words |= {2.0} if re.search(r"\b(?:squared|even|odd)\b", low) else set()
        words |= {0.5} if "square root" in low else set()
        words |= {2.0} if "second-to-last" in low else set()
    return tokens, tokens | words


def keys_said(texts: Iterable[str]) -> set[str]:
    """Everything said in quotes, in lower case, spaces squeezed."""
    found: set[str] = set()
    for text in texts:
        for quoted in _QUOTED.findall(text):
            found.add(" ".join(quoted[1:-1].replace("’", "'").lower().split()))
    return found


def play(collaborator: EmbeddedCollaborator, task: BackendTask, questions: Sequence[str]) -> list[tuple[str, float]]:
    """One dialogue; replies with the seconds each took."""
    messages = [{"role": "user", "content": task.problem_description}]
    replies: list[tuple[str, float]] = []
    for turn, question in enumerate(questions):
        messages.append({"role": "assistant", "content": question})
        context = CollaboratorContext(task=task, messages=tuple(messages), seed=turn, turn=turn, max_chars=MAX_CHARS)
        start = time.perf_counter()
        reply = _now(collaborator, context)
        replies.append((reply, time.perf_counter() - start))
        messages.append({"role": "user", "content": reply})
    return replies


def _now(collaborator: EmbeddedCollaborator, context: CollaboratorContext) -> str:
    """Run the coroutine without an event loop: it never waits, and a loop would be most of the time measured."""
    coroutine = collaborator.reply(context)
    try:
        coroutine.send(None)
    except StopIteration as done:
        return str(done.value.text)
    raise RuntimeError("the embedded collaborator is not meant to wait")


def measure(tasks: Sequence[BackendTask], verbose: bool = False) -> dict[str, float]:
    """All figures over a set of tasks."""
    collaborator = EmbeddedCollaborator()
    totals = dict.fromkeys(("keys", "keys_said", "numbers", "numbers_said", "numbers_worded", "texts", "texts_said"), 0)
    first: list[float] = []
    later: list[float] = []
    bad_code = too_long = too_many = replies_seen = 0
    for task in tasks:
        played = play(collaborator, task, QUESTIONS)
        texts = [text for text, _ in played]
        first.append(played[0][1])
        later += [seconds for _, seconds in played[1:]]
        replies_seen += len(texts)
        for text in texts:
            code = code_lines(task, text)
            bad_code += bool(code)
            too_long += len(text) > MAX_CHARS
            too_many += sentences(text) > 2
            if verbose and (code or len(text) > MAX_CHARS or sentences(text) > 2):
                print(f"  {task.task_id}: {code} {sentences(text)} sentences, {len(text)} characters: {text}")
        try:
            tree = ast.parse(task.ground_truth)
        except SyntaxError:
            continue
        keys, numbers = literals_of(tree)
        keys = [" ".join(k.lower().split()) for k in keys]
        numbers = [n for n in numbers if n not in (0.0, 1.0, -1.0)]
        results = {
            " ".join(str(v).lower().split())
            for f in tree.body
            if isinstance(f, FunctionNode)
            for v in map(constant_of, returned(f))
            if isinstance(v, str) and v.strip()
        }
        said, (tokens, worded) = keys_said(texts), numbers_said(texts)
        missing_keys = [k for k in keys if k not in said]
        missing = [n for n in numbers if n not in tokens and -n not in tokens]
        totals["keys"] += len(keys)
        totals["keys_said"] += len(keys) - len(missing_keys)
        totals["numbers"] += len(numbers)
        totals["numbers_said"] += len(numbers) - len(missing)
        totals["numbers_worded"] += sum(n in worded or -n in worded for n in numbers)
        totals["texts"] += len(results)
        totals["texts_said"] += len(results & said)
        if verbose and (missing_keys or any(n not in worded for n in missing)):
            print(f"  {task.task_id}: keys not conveyed {missing_keys}, numbers not conveyed {missing}")
    unknown = 0
    for task in tasks:
        for question in IRRELEVANT:
            reply = play(collaborator, task, [question])[0][0]
            unknown += is_dont_know(reply)
            if verbose and not is_dont_know(reply):
                print(f"  {task.task_id}: {question} -> {reply}")
    later.sort()
    return {
        "tasks": len(tasks),
        "replies": replies_seen,
        "keys": totals["keys"],
        "share of keys conveyed": totals["keys_said"] / max(totals["keys"], 1),
        "numbers": totals["numbers"],
        "share of numbers conveyed": totals["numbers_said"] / max(totals["numbers"], 1),
        "share of numbers conveyed, words included": totals["numbers_worded"] / max(totals["numbers"], 1),
        "result texts": totals["texts"],
        "share of result texts conveyed": totals["texts_said"] / max(totals["texts"], 1),
        "replies with code": bad_code,
        "replies over 400 characters": too_long,
        "replies over 2 sentences": too_many,
        "don't know to irrelevant questions": unknown / max(len(tasks) * len(IRRELEVANT), 1),
        "ms per first reply, median": 1000 * statistics.median(first),
        "ms per later reply, median": 1000 * statistics.median(later),
        "ms per later reply, p99": 1000 * later[min(len(later) - 1, int(0.99 * len(later)))],
    }


def bundled() -> list[Path]:
    """The bundled backend task files that are present."""
    import colbench

    folder = Path(colbench.__file__).parent / "tasks" / "data"
    return sorted(p for p in folder.glob("backend_*.jsonl") if p.stat().st_size)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures of each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="task files in the published format")
    parser.add_argument("--verbose", action="store_true", help="show what was not conveyed")
    options = parser.parse_args(arguments)
    paths = options.files or bundled()
    if not paths:
        print("no task file given and no bundled tasks found", file=sys.stderr)
        return 2
    for path in paths:
        print(path)
        for name, value in measure(load([path]), options.verbose).items():
            print(f"  {name:45s} {value if isinstance(value, int) else round(value, 4)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
