"""Calculations and cuts in words: ``a // 2`` is "a divided by 2 and rounded down", ``a[:3]`` "the first 3 of a"."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from colbench.simulators.facts.phrases import CLAUSE, PRODUCT, SUM, UNSAID, Phrase
from colbench.simulators.facts.scope import constant_of
from colbench.simulators.facts.words import number_text, ordinal

if TYPE_CHECKING:
    from colbench.simulators.facts.phrases import Speaker

__all__ = ["rounded_up", "say_arithmetic", "say_slice", "to_multiple"]


def rounded_up(speaker: Speaker, node: ast.UnaryOp) -> Phrase | None:
    """The words for ``-(-a // b)``, which rounds a division up; None for any other negative."""
    inner = node.operand
    if (
        isinstance(node.op, ast.USub)
        and isinstance(inner, ast.BinOp)
        and isinstance(inner.op, ast.FloorDiv)
        and isinstance(inner.left, ast.UnaryOp)
        and isinstance(inner.left.op, ast.USub)
    ):
        return Phrase(
            f"{speaker.operand(inner.left.operand)} divided by {speaker.operand(inner.right)} and rounded up", SUM
        )
    return None


def to_multiple(node: ast.BinOp) -> tuple[ast.expr, str] | None:
    """What ``round(x / 5) * 5`` rounds and how, with ``ceil``, ``floor`` and ``//`` alike; None for anything else."""
    for call, factor in ((node.left, node.right), (node.right, node.left)):
        step = constant_of(factor)
        if isinstance(step, bool) or not isinstance(step, int | float):
            continue
        name, inner = "", call
        if isinstance(call, ast.Call) and len(call.args) == 1:
            name = getattr(call.func, "id", "") or getattr(call.func, "attr", "")
            inner = call.args[0]
        elif isinstance(call, ast.BinOp) and isinstance(call.op, ast.FloorDiv):
            name = "floor"
        how = {"round": "rounded to the nearest", "ceil": "rounded up to the next", "floor": "rounded down to the last"}
        if name in how and isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div | ast.FloorDiv):
            if constant_of(inner.right) == step:
                return inner.left, f"{how[name]} {'multiple of ' if name != 'round' else ''}{number_text(step)}"
    return None


def say_arithmetic(speaker: Speaker, node: ast.BinOp) -> Phrase:
    """The words for a calculation with two operands."""
    left, right = node.left, node.right
    match node.op:
        case ast.Add():
            if speaker.is_text(left) or speaker.is_text(right):
                return Phrase(f"{speaker.operand(left, SUM)} followed by {speaker.operand(right, PRODUCT)}", SUM)
            if isinstance(left, ast.List) or isinstance(right, ast.List):
                return Phrase(f"{speaker.operand(left, SUM)} together with {speaker.operand(right)}", SUM)
            return Phrase(f"{speaker.operand(left, SUM)} plus {speaker.operand(right, PRODUCT)}", SUM)
        case ast.Sub() if speaker.is_set(left) or speaker.is_set(right):
            return Phrase(f"the entries of {speaker.operand(left)} that are not in {speaker.operand(right)}", SUM)
        case ast.Sub():
            return Phrase(f"{speaker.operand(left, SUM)} minus {speaker.operand(right, PRODUCT)}", SUM)
        case ast.Mult():
            multiple = to_multiple(node)
            if multiple is not None:
                return Phrase(f"{speaker.operand(multiple[0], SUM)}, {multiple[1]}", CLAUSE)
            if isinstance(left, ast.List) and len(left.elts) == 1:
                return Phrase(
                    f"a list that repeats {speaker.say(left.elts[0])} once for each of {speaker.operand(right)}"
                )
            if speaker.is_text(left):
                return Phrase(
                    f"{speaker.operand(left, PRODUCT)} repeated as often as {speaker.operand(right)}", PRODUCT
                )
            return Phrase(f"{speaker.operand(left, PRODUCT)} times {speaker.operand(right)}", PRODUCT)
        case ast.Div():
            return Phrase(f"{speaker.operand(left, PRODUCT)} divided by {speaker.operand(right)}", PRODUCT)
        case ast.FloorDiv():
            return Phrase(f"{speaker.operand(left)} divided by {speaker.operand(right)} and rounded down", SUM)
        case ast.Mod():
            if speaker.is_text(left):
                return Phrase(f"the text {speaker.say(left)} filled in with {speaker.say(right)}")
            return Phrase(f"the remainder of {speaker.operand(left)} divided by {speaker.operand(right)}", PRODUCT)
        case ast.Pow():
            power = constant_of(right)
            if power == 2:
                return Phrase(f"{speaker.operand(left)} squared")
            if power == 0.5:
                return Phrase(f"the square root of {speaker.operand(left)}")
            return Phrase(f"{speaker.operand(left)} to the power of {speaker.operand(right)}")
        case ast.RShift():
            return Phrase(f"{speaker.operand(left)} shifted right by {speaker.operand(right)} bits", PRODUCT)
        case ast.LShift():
            return Phrase(f"{speaker.operand(left)} shifted left by {speaker.operand(right)} bits", PRODUCT)
        case ast.BitAnd() | ast.BitOr() if isinstance(left, ast.Compare) and isinstance(right, ast.Compare):
            word = "and" if isinstance(node.op, ast.BitAnd) else "or"
            return Phrase(f"where {speaker.condition(left)} {word} {speaker.condition(right)}", CLAUSE)
        case ast.BitAnd():
            return Phrase(f"the entries that {speaker.operand(left)} and {speaker.operand(right)} have in common", SUM)
        case ast.BitOr():
            return Phrase(f"the entries of {speaker.operand(left)} and {speaker.operand(right)} taken together", SUM)
    return Phrase(UNSAID)


def say_slice(speaker: Speaker, owner: str, part: ast.Slice) -> str:
    """The words for a part cut out of a list or a text."""
    low, high, step = part.lower, part.upper, constant_of(part.step)
    if step == -1 and low is None and high is None:
        return f"{owner} in reverse order"
    start, stop = constant_of(low), constant_of(high)
    if low is None and high is not None:
        if isinstance(stop, int) and stop < 0:
            return f"{owner} without the last {'one' if stop == -1 else -stop}"
        if not isinstance(stop, int):
            return f"the first few of {owner} (as many as {speaker.say(high)})"
        return f"the first {speaker.say(high)} of {owner}"
    if high is None and low is not None:
        if isinstance(start, int) and start < 0:
            return f"the last {-start} of {owner}"
        return f"{owner} without the first {'one' if start == 1 else speaker.say(low)}"
    if isinstance(start, int) and isinstance(stop, int) and start > 0 and stop < 0:
        first, last = ("one" if start == 1 else start), ("one" if stop == -1 else -stop)
        return f"{owner} without the first {first} and the last {last}"
    if low is not None and high is not None:
        return f"the part of {owner} after the first {speaker.say(low)}, up to number {speaker.say(high)}"
    if isinstance(step, int) and step > 1:
        return f"every {ordinal(step - 1)} entry of {owner}"
    return owner
