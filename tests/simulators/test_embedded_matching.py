"""Reading questions: parts, words, topics."""

import pytest

from colbench.simulators.matching import analyse, content_words, split_questions, stem


def test_stems_bring_forms_of_a_word_together() -> None:
    assert stem("rounded") == stem("rounding") == stem("round")
    assert stem("categories") == stem("category")
    assert stem("missing") == stem("miss")
    assert stem("名前") == "名前"
    assert content_words("What should num_guests be?") == content_words("the number of guests")


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("Got it. What is the limit? Thanks.", ["What is the limit?"]),
        ("To clarify:\n1. What is the limit?\n2. Which keys?", ["What is the limit?", "Which keys?"]),
        ("- **Limit**: is it 0.5?\n- round to 2 decimals", ["Limit: is it 0.5?", "round to 2 decimals"]),
        ("I'll assume the limit is 5. Is that right?", ["I'll assume the limit is 5, Is that right?"]),
        (
            "What is the rate, and what should happen when it is empty?",
            ["What is the rate?", "what should happen when it is empty?"],
        ),
        ("Here you go.\n```python\nx = 'what?'\n```\nIs it fine?", ["Is it fine?"]),
        ("", []),
        ("hello", ["hello"]),
    ],
)
def test_messages_are_taken_apart_into_questions(message: str, parts: list[str]) -> None:
    assert split_questions(message) == parts


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Is there a cut-off?", "threshold"),
        ("What is the minimum?", "threshold"),
        ("Which fields are there?", "keys"),
        ("What are the columns called?", "keys"),
        ("What about missing or invalid values?", "edge"),
        ("Any edge cases?", "edge"),
        ("How precise, how many decimals?", "rounding"),
        ("What is the output format?", "result"),
        ("What type are the arguments?", "inputs"),
        ("Which weights do you use?", "factor"),
        ("Is it sorted?", "order"),
        ("Does lower case matter?", "text"),
    ],
)
def test_synonyms_lead_to_topics(question: str, topic: str) -> None:
    topics = analyse(question).topics
    assert topics.get(topic, 0.0) >= 1.0, topics


def test_numbers_quotes_and_kinds_of_questions() -> None:
    question = analyse("Should 'price' go up by 20%, i.e. at two of the 1,000 shops?")
    assert {20.0, 0.2, 1.2, 0.8, 2.0, 1000.0} <= question.numbers
    assert question.quoted == {"price"} and question.yes_no
    assert analyse("Tell me everything").everything
    assert analyse("Which database?").off_topic
    assert not analyse("Which database?", {"databas"}).off_topic
    assert not analyse("What is it?").yes_no and analyse("It is 5, right?").yes_no
