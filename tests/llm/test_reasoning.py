"""Reasoning is taken out of what a model says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.llm.reasoning import split_reasoning
from tests.support.looped import looped


@looped(
    ("text", "answer", "reasoning"),
    [
        pytest.param("hi", "hi", "", id="none"),
        pytest.param("<think>a</think>hi", "hi", "a", id="block"),
        pytest.param("<THINK>\na\n</THINK>\n\nhi", "hi", "a", id="upper case"),
        pytest.param("<thinking>a</thinking>hi<thinking>b</thinking>", "hi", "a\n\nb", id="two blocks"),
        pytest.param("<think>a", "", "a", id="cut off while thinking"),
        pytest.param("hi\n<think>a", "hi", "a", id="cut off in a later block"),
        pytest.param("a</think>hi", "hi", "a", id="opened by the chat template"),
        pytest.param("<reasoning effort='low'>a</reasoning>hi", "hi", "a", id="with attributes"),
        pytest.param("<think></think>hi", "hi", "", id="empty block"),
        pytest.param("I think <b>so</b>", "I think <b>so</b>", "", id="other tags stay"),
        pytest.param("[THINK]a[/THINK]hi", "hi", "a", id="square brackets"),
        pytest.param("\u25c1think\u25b7a\u25c1/think\u25b7hi", "hi", "a", id="triangles"),
        pytest.param("Use <think> in prompts. Then ask.", "Use <think> in prompts. Then ask.", "", id="tag in a line"),
        pytest.param("Write `</think>` last.", "Write `</think>` last.", "", id="tag in code marks"),
        pytest.param("<think>a<think>b</think>c</think>hi", "hi", "a<think>b\n\nc", id="nested"),
    ],
)
def test_reasoning_is_split_off(text: str, answer: str, reasoning: str) -> None:
    """What a model thought does not reach the other side."""
    assert split_reasoning(text) == (answer, reasoning)


tags = st.sampled_from(["<think>", "</think>", "<thinking>", "</thinking>", "x ", "y\n"])


@given(st.lists(tags, max_size=12))
def test_no_think_tag_is_left(parts: list[str]) -> None:
    """However the tags are mixed up."""
    answer, _ = split_reasoning("".join(parts))
    assert "</think" not in answer
    assert not any(line.lstrip().startswith("<think") for line in answer.splitlines())
