"""Answers of an unusual shape are read where there are words in them."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from helm_impactbench.llm.chat_body import MOST_WORDS, UnreadableAnswerError, is_complete, sound_chat

USAGE = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}


def chat(message: Any, **more: Any) -> bytes:
    """Return an answer with one choice."""
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": USAGE, **more}).encode()


def message_of(body: bytes) -> dict[str, Any]:
    """Return the message of an answer as litellm gets it; its usage must be there."""
    answer = json.loads(sound_chat(body))
    assert answer["usage"] == USAGE
    message: dict[str, Any] = answer["choices"][0]["message"]
    return message


THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param("words", "words", id="text"),
        pytest.param(None, None, id="null"),
        pytest.param("", "", id="empty"),
        pytest.param([{"type": "text", "text": "wor"}, {"type": "text", "text": "ds"}], "words", id="parts"),
        pytest.param([THINKING, {"type": "text", "text": "words"}], "words", id="reasoning and words"),
        pytest.param(["wor", "ds"], "words", id="texts"),
        pytest.param([{"type": "text", "text": {"value": "words"}}], "words", id="a text of an assistant"),
        pytest.param([{"type": "image_url", "image_url": {"url": "x"}}], "", id="an image alone"),
        pytest.param([None, 3, {"type": 4}], "", id="odd parts"),
        pytest.param([], "", id="no parts"),
        pytest.param({"type": "text", "text": "words"}, "words", id="one part"),
        pytest.param(42, "42", id="a number"),
    ],
)
def test_the_words_of_a_message_are_read(content: Any, words: str | None) -> None:
    """Texts, lists of parts, and what else servers send."""
    assert message_of(chat({"role": "assistant", "content": content}))["content"] == words


def test_reasoning_is_kept_apart() -> None:
    """In a part of its own, as text or as a list."""
    parts = [THINKING, {"type": "text", "text": "words"}]
    for message in (
        {"content": parts},
        {"content": "words", "reasoning_content": "hm"},
        {"content": "words", "reasoning": [{"type": "text", "text": "hm"}]},
        {"content": "words", "reasoning_content": [], "reasoning": "hm"},
    ):
        assert message_of(chat(message)) == {"role": "assistant", "content": "words", "reasoning_content": "hm"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("role", 7),
        ("reasoning_content", [1, [2]]),
        ("refusal", {"a": 1}),
        ("tool_calls", []),
        ("function_call", ""),
        ("audio", "noise"),
        ("annotations", 3),
    ],
)
def test_odd_fields_of_a_message_do_not_hide_its_words(name: str, value: Any) -> None:
    """They are left out."""
    message = {"role": "assistant", "content": "words", name: value}
    assert message_of(chat(message)) == {"role": "assistant", "content": "words"}


@pytest.mark.parametrize("calls", ["search", [1], [{"function": 3}], {"a": 1}, [{"function": {"name": 5}}]])
def test_a_call_of_a_tool_is_known_as_one_whatever_its_shape(calls: Any) -> None:
    """An answer without words has a reason then."""
    call = {"id": "call_1", "type": "function", "function": {"name": "unknown", "arguments": "{}"}}
    assert message_of(chat({"content": None, "tool_calls": calls})) == {
        "role": "assistant", "content": None, "tool_calls": [call],
    }  # fmt: skip


def test_odd_fields_of_the_answer_are_left_out() -> None:
    """Only what is known and sound goes to litellm."""
    odd = {"id": 3, "created": 1e999, "model": ["m"], "object": None, "system_fingerprint": {}, "x": [{}], "error": {}}
    assert json.loads(sound_chat(chat({"content": "words"}, **odd))) == {
        "id": "", "object": "chat.completion", "created": 0, "usage": USAGE,
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "words"}, "finish_reason": "stop"},
        ],
    }  # fmt: skip


@pytest.mark.parametrize("reason", [None, {"type": "stop"}, 3, ["stop"]])
def test_a_reason_to_end_that_is_no_text_is_none(reason: Any) -> None:
    """The words count."""
    body = json.dumps({"choices": [{"message": {"content": "words"}, "finish_reason": reason}]}).encode()
    assert json.loads(sound_chat(body))["choices"][0]["finish_reason"] is None


def test_a_completion_of_the_old_kind_is_read() -> None:
    """Its text stands in the choice."""
    assert message_of(json.dumps({"choices": [{"text": "words"}], "usage": USAGE}).encode())["content"] == "words"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param('{"choices": []}', "it holds no choice", id="no choice"),
        pytest.param('{"choices": null}', "it holds no choice", id="null choices"),
        pytest.param('{"choices": ["a"]}', "it holds no choice", id="a text for a choice"),
        pytest.param('{"choices": [null]}', "it holds no choice", id="a null choice"),
        pytest.param('{"choices": {"0": {}}}', "it holds no choice", id="an object of choices"),
        pytest.param('{"choices": [{}]}', "its choice holds no message", id="no message"),
        pytest.param('{"choices": [{"message": null}]}', "its choice holds no message", id="a null message"),
        pytest.param('{"choices": [{"message": {"content": {"a": 1}}}]}', "its content is an object", id="object"),
        pytest.param('{"choices": [{"message": {"content": true}}]}', "its content is a truth value", id="true"),
        pytest.param('{"error": {"message": "slow down"}}', "it holds an error: slow down", id="an error"),
        pytest.param('{"error": "broken", "choices": []}', "it holds an error: broken", id="an error in words"),
        pytest.param("[1]", "it is a list where a chat completion is expected", id="list"),
        pytest.param("null", "it is null where a chat completion is expected", id="null"),
        pytest.param('"a"', "it is a text where a chat completion is expected", id="text"),
        pytest.param("<html>", "it is not JSON that can be read (Expecting value", id="html"),
        pytest.param('{"choices": [', "it is not JSON that can be read (no value at character 13)", id="cut off"),
        pytest.param("", "it is not JSON that can be read (no value at character 0): ''", id="empty"),
        pytest.param("{}{}", "it is not JSON that can be read (more follows", id="two answers"),
    ],
)
def test_an_answer_without_words_says_what_it_is(body: str, why: str) -> None:
    """In words for the user."""
    with pytest.raises(UnreadableAnswerError) as error:
        sound_chat(body.encode())
    assert str(error.value).startswith(why)


def test_other_encodings_of_unicode_are_read() -> None:
    """UTF-16, a byte order mark, bytes that are no UTF-8."""
    text = chat({"content": "w\u00f6rds"}).decode()
    for body in (text.encode("utf-16"), b"\xef\xbb\xbf" + text.encode(), text.encode("utf-32-le")):
        assert message_of(body)["content"] == "w\u00f6rds"
    assert message_of(chat({"content": "words"}).replace(b"words", b"w\xffrds"))["content"] == "w\ufffdrds"
    assert message_of(chat({"content": "half \ud83d"}))["content"] == "half \ud83d"


def flood(kind: str) -> bytes:
    """Return an answer of 6 to 8 MB with three lines that matter."""
    floods = {
        "keys": ",".join(f'"key{i}": {i}' for i in range(400_000)),
        "nested keys": '"x": {' + ",".join(f'"key{i}": "v"' for i in range(400_000)) + "}",
        "numbers": '"x": [' + ",".join(["1"] * 3_900_000) + "]",
        "objects": '"x": [' + ",".join(['{"a": "b"}'] * 700_000) + "]",
        "depth": '"x": ' + "[" * 100_000 + "]" * 100_000,
        "text": '"x": "' + "\\n" * 3_900_000 + '"',
    }
    return (
        f'{{"usage": {json.dumps(USAGE)}, {floods[kind]}, "choices": [{{"message": {{"content": "words"}}}}]}}'.encode()
    )


@pytest.mark.parametrize("kind", ["keys", "nested keys", "numbers", "objects", "depth", "text"])
def test_a_flood_of_unused_fields_costs_little_and_is_not_kept(kind: str) -> None:
    """400,000 keys, 4 million numbers or 100,000 levels: the words arrive, and three lines are left."""
    body = flood(kind)
    begun = time.thread_time()
    sound = sound_chat(body)
    seconds = time.thread_time() - begun
    assert json.loads(sound)["choices"][0]["message"]["content"] == "words"
    assert len(sound) < 500
    assert seconds < 2, "CPU of this thread; litellm takes more than 3 s"


def test_a_flood_of_words_is_cut_off_as_at_a_limit_of_tokens() -> None:
    """More than any model writes is not kept."""
    choice = json.loads(sound_chat(chat({"content": "a" * 3 * MOST_WORDS})))["choices"][0]
    assert (len(choice["message"]["content"]), choice["finish_reason"]) == (MOST_WORDS, "length")


def test_a_whole_object_is_told_from_the_beginning_of_one() -> None:
    """Nothing can follow a JSON object that would make it another one."""
    body = chat({"content": "words"})
    assert is_complete(body)
    assert is_complete(body + b"\r\n")
    assert not any(is_complete(body[:end]) for end in range(len(body)))
    assert not is_complete(b"[1]")
