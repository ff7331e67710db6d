"""Metrics are added to a hand-written file, which keeps every line."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.authoring.yaml_edit import with_metrics
from helm_impactbench.errors import BenchmarkError
from tests.authoring.builders import metric

NEW = [metric(id="m04").model_dump(exclude_defaults=True), metric(id="m05", name="N" * 200).model_dump()]
HAND_WRITTEN = """# head
name: Mine   # kept
description: >-
  Folded
  text.
metrics:   # three of mine
  # before the first
  - id: m01
    name: "One"   # a note
    type: positive
    definition: |
      Literal text
      # not a comment
  - {id: m02, name: Two, type: positive, definition: In flow style}   # flow
  - id: m03
    name: Three
    type: positive
    definition: Folded
      over lines   # and a comment
# after the metrics
scenario:
  turns: 4   # last
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HAND_WRITTEN, id="comments everywhere"),
        pytest.param(HAND_WRITTEN.replace("\n  - ", "\n- ").replace("\n    ", "\n  "), id="no indent"),
        pytest.param(HAND_WRITTEN.split("# after")[0], id="metrics last"),
        pytest.param(HAND_WRITTEN.split("# after")[0].rstrip("\n"), id="no newline at the end"),
        pytest.param(HAND_WRITTEN.replace("\n", "\r\n"), id="windows line ends"),
        pytest.param("name: a\ndescription: b\n# end\n", id="no metrics yet"),
        pytest.param("name: a\nmetrics: []   # none\nareas: [physical]\n", id="empty list"),
        pytest.param("name: a\nmetrics:\nareas: [physical]\n", id="nothing"),
    ],
)
def test_metrics_are_added_without_touching_what_is_there(text: str) -> None:
    """Every line that was there is there, in order; the data are the old ones and the new ones."""
    edited = with_metrics(text, NEW)
    before, after = yaml.safe_load(text), yaml.safe_load(edited)
    assert after == {**before, "metrics": [*(before.get("metrics") or []), *NEW]}
    remaining = iter(edited.replace("\r\n", "\n").splitlines())
    kept = text.replace("\r\n", "\n").replace("metrics: []   # none", "metrics:   # none")
    assert [line for line in kept.splitlines() if line not in remaining] == []
    assert ("\r\n" in edited) == ("\r\n" in text)


def test_metrics_in_one_flow_list_are_refused_with_the_cure() -> None:
    """Rather no edit than a broken file."""
    with pytest.raises(BenchmarkError, match="on a line of its own"):
        with_metrics("metrics: [{id: a}]\n", NEW)


lines = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=30)
comments = st.lists(lines.map(lambda text: f"# {text}"), max_size=2)


@given(
    st.lists(st.tuples(lines, comments, st.sampled_from([">-", "|", '"', "'"])), max_size=4), comments, st.booleans()
)
def test_any_hand_written_file_survives(
    written: list[tuple[str, list[str], str]], tail: list[str], key_after: bool
) -> None:
    """Law: for any texts, comments and styles, the old bytes are a subsequence and the old data a prefix."""
    out = ["name: x", "metrics:"]
    for i, (text, notes, style) in enumerate(written):
        out += [f"  {note}" for note in notes]
        value = yaml.safe_dump(text, default_style=style[0], allow_unicode=True, width=10_000).rstrip("\n")
        indented = value.replace("\n", "\n      ")
        out += [f"  - id: h{i}", f"    definition: {indented}"]
    source = "\n".join([*out, *tail, *(["areas: [physical]"] if key_after else [])]) + "\n"
    before = yaml.safe_load(source)
    after = yaml.safe_load(with_metrics(source, NEW))
    assert after == {**before, "metrics": [*(before["metrics"] or []), *NEW]}
    remaining = iter(with_metrics(source, NEW).splitlines())
    assert all(line in remaining for line in source.splitlines())
