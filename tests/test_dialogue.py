"""The protocol, rule by rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colbench.dialogue import ANSWER_MARKER, THOUGHT_MARKER, Dialogue, parse_message


@pytest.mark.parametrize(
    ("text", "raw", "visible", "answer"),
    [
        ("What unit?", "What unit?", "What unit?", None),
        ("hm OUTPUT: What unit?", "hm OUTPUT: What unit?", " What unit?", None),
        ("a OUTPUT:b OUTPUT: c", "a OUTPUT:b ", "b ", None),
        ("I WANT TO ANSWER: x", "I WANT TO ANSWER: x", "I WANT TO ANSWER: x", " x"),
        ("I WANT TO ANSWER:a I WANT TO ANSWER:b", None, None, "a "),
        # An announced answer inside private thought is not an answer.
        ("I WANT TO ANSWER: x OUTPUT: What unit?", None, " What unit?", None),
        ("t OUTPUT: I WANT TO ANSWER: y OUTPUT: z", "t OUTPUT: I WANT TO ANSWER: y ", None, " y "),
        ("", "", "", None),
        ("OUTPUT:", "OUTPUT:", "", None),
        ("I WANT TO ANSWER:", None, None, ""),
    ],
)
def test_message_parts(text, raw, visible, answer):
    parsed = parse_message(text)
    assert parsed.answer == answer
    if raw is not None:
        assert parsed.raw == raw
    if visible is not None:
        assert parsed.visible == visible


@given(st.text(), st.text(), st.text())
def test_only_the_shown_part_is_seen(thought, shown, after):
    parts = [part.replace(THOUGHT_MARKER, "").replace(ANSWER_MARKER, "") for part in (thought, shown, after)]
    # Removing a marker may join its surroundings to a new one; such texts say nothing about the rule.
    text = THOUGHT_MARKER.join(parts)
    if text.count(THOUGHT_MARKER) != 2 or ANSWER_MARKER in text:
        return
    parsed = parse_message(text)
    assert parsed.visible == parts[1]
    assert parsed.raw == THOUGHT_MARKER.join(parts[:2])


def test_answer_ends_the_episode():
    dialogue = Dialogue("Please. The signature of the function is: def f(x)")
    assert dialogue.turns_left == 10
    dialogue.say("private OUTPUT: What is x?")
    assert dialogue.awaits_reply
    assert dialogue.hear("A number.") == ("A number.", False)
    assert [m["content"] for m in dialogue.messages[1:]] == [" What is x?", "A number."]
    assert dialogue.turns_left == 9
    dialogue.say("I WANT TO ANSWER: def f(x): return x")
    assert dialogue.ended_by == "answer"
    assert dialogue.answer == " def f(x): return x"
    assert dialogue.turns_left == 0
    with pytest.raises(ValueError, match="has ended"):
        dialogue.say("more")


def test_tenth_message_is_the_answer_marker_or_not():
    dialogue = Dialogue("Please.")
    for turn in range(9):
        dialogue.say(f"question {turn}")
        dialogue.hear("Yes.")
        assert dialogue.turns_left == 9 - turn
    dialogue.say("thought OUTPUT: def f(): return 1")
    assert dialogue.ended_by == "turn_limit"
    assert dialogue.answer == " def f(): return 1"
    with pytest.raises(ValueError, match="no message of the agent awaits a reply"):
        dialogue.hear("late")


def test_tenth_message_with_a_marker_counts_as_answer():
    dialogue = Dialogue("Please.", max_turns=1)
    dialogue.say("I WANT TO ANSWER: a")
    assert dialogue.ended_by == "answer"


def test_an_empty_last_reply_does_not_hinder_the_answer():
    dialogue = Dialogue("Please.")
    for reply in ("It is a list.", "Yes.", ""):
        dialogue.say("?")
        dialogue.hear(reply)
    dialogue.say("I WANT TO ANSWER: 1")
    assert dialogue.answer == " 1"


def test_replies_are_cut_by_characters():
    dialogue = Dialogue("Please.", reply_chars=4)
    dialogue.say("?")
    assert dialogue.hear("🙂🙂🙂🙂🙂") == ("🙂🙂🙂🙂", True)


def test_messages_out_of_turn_are_refused():
    dialogue = Dialogue("Please.")
    dialogue.say("?")
    with pytest.raises(ValueError, match="has not answered"):
        dialogue.say("again")
    with pytest.raises(ValueError, match="max_turns must be at least 1, actually: 0"):
        Dialogue("Please.", max_turns=0)
