"""The simulated user's replies: what is sent, and what never crosses over to the target."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.conversation.message import Unusable, UserMessage, parse_user_message


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        pytest.param("Thought: I am sad.\nMessage: hi", UserMessage("hi", "I am sad."), id="as asked"),
        pytest.param("Thought: I am sad. Message: hi", UserMessage("hi", "I am sad."), id="on one line"),
        pytest.param("Thought: a **Message:** hi", UserMessage("hi", "a"), id="on one line, bold"),
        pytest.param("Message: hi", UserMessage("hi"), id="no thought"),
        pytest.param("hi there", UserMessage("hi there"), id="no tags"),
        pytest.param("THOUGHT: a\nMESSAGE: hi", UserMessage("hi", "a"), id="upper case"),
        pytest.param("**Thought:** a\n**Message:** hi", UserMessage("hi", "a"), id="bold"),
        pytest.param("Thought: a\n\nMessage:\nhi\nthere", UserMessage("hi\nthere", "a"), id="several lines"),
        pytest.param("Inner thought: a\nMessage: hi", UserMessage("hi", "a"), id="inner thought"),
        pytest.param('Thought: a\nMessage: "hi"', UserMessage("hi", "a"), id="message in quotation marks"),
        pytest.param('Thought: a\nMessage: "hi" she "yo"', UserMessage('"hi" she "yo"', "a"), id="inner quotes"),
        pytest.param("She is cold.\nMessage: hi", UserMessage("hi", "She is cold."), id="untagged thought"),
        pytest.param("Thought: a\nMessage: bye\n[END OF CHAT]", UserMessage("bye", "a", True), id="leaves"),
        pytest.param("Thought: a\nMessage: [END OF CHAT]", UserMessage("", "a", True), id="leaves without a word"),
        pytest.param("[END]", UserMessage("", "", True), id="leaves at once"),
        pytest.param("<think>plan</think>Thought: a\nMessage: hi", UserMessage("hi", "plan\n\na"), id="think block"),
        pytest.param("Thought: a\nMessage: my message: hi", UserMessage("my message: hi", "a"), id="the word"),
        pytest.param("## Thought\nplan\n\n## Message\nhi", UserMessage("hi", "plan"), id="headings"),
        pytest.param("Thought - plan\nMessage - hi", UserMessage("hi", "plan"), id="dashes"),
        pytest.param("Thought\uff1aplan\nMessage\uff1ahi", UserMessage("hi", "plan"), id="full-width colons"),
        pytest.param("Thought\nplan\nMessage\nhi", UserMessage("hi", "plan"), id="bare lines"),
        pytest.param("My thought: plan\nMessage: hi", UserMessage("hi", "plan"), id="my thought"),
        pytest.param("Thoughts on the trip?", UserMessage("Thoughts on the trip?"), id="the word begins a question"),
        pytest.param("message me - later", UserMessage("message me - later"), id="the word message begins a line"),
        pytest.param("I thought: why not", UserMessage("I thought: why not"), id="the word thought inside a line"),
    ],
)  # fmt: skip
def test_a_usable_reply(reply: str, message: UserMessage) -> None:
    """Message, thought and leaving are told apart."""
    assert parse_user_message(reply) == message


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        pytest.param('{"thought": "plan", "message": "hi"}', "a Thought but no line", id="JSON"),
        pytest.param('{\n "inner_thought": "plan",\n "message": "hi"}', "a Thought but no line", id="JSON, indented"),
        pytest.param("Thought (turn 1): plan\n\nhi", "a Thought but no line", id="words before the colon"),
        pytest.param("My thought: push him.\n\nHello", "a Thought but no line", id="my thought alone"),
        pytest.param("<inner_monologue>push</inner monologue>hi", "is empty", id="tag that never closes"),
        pytest.param("Message: hi\n\n(Thinking: now I push)", "a thought in brackets", id="bracketed thinking"),
        pytest.param("", "the Message is empty", id="empty"),
        pytest.param("  \n ", "the Message is empty", id="blank"),
        pytest.param("Thought: a\nMessage:", "the Message is empty", id="empty message"),
        pytest.param("Thought: I will trick it", "a Thought but no line that begins", id="only a thought"),
        pytest.param("**Thought:** I will trick it", "a Thought but no line", id="only a bold thought"),
        pytest.param("(Thought: I will trick it) hi", "a Thought but no line", id="thought in brackets"),
        pytest.param("*thoughts: trick it*\nhi", "a Thought but no line", id="thought in stars"),
        pytest.param("Message: a\nMessage: b", "more than one Message", id="two messages"),
        pytest.param("Thought: a Message: b Message: c", "more than one Message", id="two messages on one line"),
        pytest.param("Thought: my message: be nice", "a Thought but no line", id="the word in a thought"),
        pytest.param("Thought: a\nMessage: b\nThought: c\nMessage: d", "more than one Thought", id="two pairs"),
        pytest.param("Message: hi\nThought: it believes me", "comes after the Message", id="thought after message"),
        pytest.param("Thought: a\nThought: b\nMessage: hi", "more than one Thought", id="two thoughts"),
        pytest.param("Message: hi\n(thought: got it)", "a thought in brackets", id="bracketed thought in the message"),
        pytest.param("<think>only planning", "the Message is empty", id="cut off while thinking"),
        pytest.param("[END OF CHAT]Thought: a Message: b", "follows the end of the chat", id="thought after the end"),
        pytest.param("hi\rThought: it believes me", "a Thought but no line", id="line ended by CR alone"),
        pytest.param("hi\u2028Thought: it believes me", "a Thought but no line", id="Unicode's line separator"),
        pytest.param("\u00a0Thought: it believes me", "a Thought but no line", id="behind a fixed space"),
        pytest.param("\u200bThought: it believes me", "a Thought but no line", id="behind an invisible character"),
    ],
)  # fmt: skip
def test_an_unusable_reply(reply: str, problem: str) -> None:
    """Where the boundary between thought and message is unclear, nothing is sent."""
    parsed = parse_user_message(reply)
    assert isinstance(parsed, Unusable)
    assert problem in parsed.problem


@given(st.text())
def test_the_parser_never_raises(reply: str) -> None:
    """Any text has an answer."""
    assert isinstance(parse_user_message(reply), UserMessage | Unusable)


marker = st.sampled_from(["Thought:", "thought :", "**Thought**:", "Message:", "> Message:", "MESSAGE:"])


@given(st.lists(st.tuples(marker, st.integers()), max_size=6))
def test_a_tagged_thought_is_never_sent(lines: list[tuple[str, int]]) -> None:
    """Whatever the order of tags, no sent text holds the words of a line tagged as thought."""
    reply = "\n".join(f"{tag} secret{i}" if "hought" in tag else f"{tag} open{i}" for tag, i in lines)
    parsed = parse_user_message(reply)
    assert isinstance(parsed, Unusable) or "secret" not in parsed.text
