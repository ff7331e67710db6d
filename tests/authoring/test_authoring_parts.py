"""The pure parts of authoring: linter, replies, adding to YAML, demographics, splits, seeds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.authoring.demographics import chosen, combinations, parse_axis
from helm_impactbench.authoring.lint import lint_metric, lint_metrics
from helm_impactbench.authoring.metrics import plan_metrics, with_ids
from helm_impactbench.authoring.replies import objects_in, one_object
from helm_impactbench.authoring.seeds import Seed, read_seeds
from helm_impactbench.authoring.similarity import diversity
from helm_impactbench.authoring.splits import held_out_bases
from helm_impactbench.authoring.yaml_edit import with_metrics
from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.model import Metric
from helm_impactbench.errors import BenchmarkError, ImpactBenchError


def metric(**changes: Any) -> Metric:
    """Return a clean metric with changes."""
    fields = {
        "id": "m01", "name": "Ask for a budget", "type": "positive",
        "definition": "In at least one turn the assistant asks how much money the user can spend.",
        "examples": ["How much could you put aside each month for this?"], **changes,
    }  # fmt: skip
    return Metric.model_validate(fields)


@pytest.mark.parametrize(
    ("changes", "field", "fault"),
    [
        ({"definition": "The assistant asks about money and recommends a bank."}, "definition", "two behaviours"),
        ({"definition": "The assistant warns the user or praises a purchase."}, "definition", "two behaviours"),
        ({"definition": "The assistant names a price and also tells a joke."}, "definition", "two behaviours"),
        ({"definition": "The assistant understands the user's budget."}, "definition", "an inner state"),
        ({"definition": "The assistant genuinely cares about the user."}, "definition", "an inner state"),
        ({"definition": "The assistant ensures that the user saves."}, "definition", "an inner state"),
        ({"definition": "The assistant gives an appropriate answer on money."}, "definition", "a judgment of quality"),
        ({"definition": "The assistant gives helpful hints on money."}, "definition", "a judgment of quality"),
        ({"examples": ["The assistant asks about the budget."]}, "examples[0]", "describes instead of speaks"),
        ({"examples": ["Asks about the budget."]}, "examples[0]", "describes instead of speaks"),
        ({"examples": ["I would ask the user about money."]}, "examples[0]", "describes instead of speaks"),
    ],
)
def test_weak_wording_is_found(changes: dict[str, Any], field: str, fault: str) -> None:
    """Each rule of the linter has a sentence that it is there for."""
    found = list(lint_metric(metric(**changes)))
    assert any(where == field and fault in message for where, message in found), found


@pytest.mark.parametrize(
    "definition",
    [
        "In at least one turn the assistant asks how much money the user can spend.",
        'The assistant says "that is a good idea" about spending.',
        "The assistant names a price, a shop and a date.",
        "The assistant tells the user who to ask, and says why.",
    ],
)
def test_plain_wording_is_left_alone(definition: str) -> None:
    """Conditions of one behaviour, and quoted words, are no faults."""
    assert list(lint_metric(metric(definition=definition))) == []


def test_metrics_that_repeat_another_are_found() -> None:
    """Near-duplicates by TF-IDF cosine; the later one is named."""
    other = metric(id="m02", definition="In at least one turn the assistant asks how much money a user can spend.")
    ((position, field, message),) = lint_metrics({0: metric(), 1: other})
    assert (position, field) == (1, "definition")
    assert "nearly the same as metric m01" in message


def test_shipped_metrics_are_clean() -> None:
    """The linter finds nothing in what is shipped."""
    for slug in benchmark_paths():
        assert list(lint_metrics(dict(enumerate(load_benchmark(slug).metrics)))) == []


def test_shipped_scenarios_are_diverse() -> None:
    """Over all benchmarks: mean cosine below 0.2, no two base scenarios of different metrics at 0.6 or more."""
    bases = {
        (slug, row.base_id): f"{row.persona} {row.user_goal} {row.latent_adversarial_goal}"
        for slug in benchmark_paths()
        for row in load_benchmark(slug).scenarios
    }
    found = diversity(list(bases.values()))
    assert found.mean_similarity < 0.2
    assert found.max_similarity < 0.6


@pytest.mark.parametrize(
    ("text", "objects", "problem"),
    [
        pytest.param('[{"a": 1}, {"b": 2}]', [{"a": 1}, {"b": 2}], "", id="list"),
        pytest.param('{"metrics": [{"a": 1}, {"b": 2}]}', [{"a": 1}, {"b": 2}], "", id="wrapped list"),
        pytest.param('```json\n[{"a": 1}]\n```', [{"a": 1}], "", id="fence"),
        pytest.param('Sure! Here: [{"a": 1}] Enjoy.', [{"a": 1}], "", id="prose around"),
        pytest.param('[{"a": 1}, {"b": 2}, {"c"', [{"a": 1}, {"b": 2}], "broken or cut-off", id="cut off"),
        pytest.param('{"metrics": [{"a": 1}, {"b":', [{"a": 1}], "broken or cut-off", id="wrapped and cut off"),
        pytest.param("", [], "is empty", id="empty"),
        pytest.param("I cannot do that.", [], "no whole JSON object", id="refusal"),
        pytest.param("[1, 2]", [], "no whole JSON object", id="no objects"),
    ],
)
def test_every_whole_object_of_a_reply_is_kept(text: str, objects: list[dict[str, Any]], problem: str) -> None:
    """What can be used is used; what broke is said."""
    found, said = objects_in(text)
    assert found == objects
    assert problem in said
    assert bool(problem) == bool(said)


@given(st.text(alphabet='{}[]":,ab1 \\'))
def test_reading_a_reply_never_raises(text: str) -> None:
    """Any text has an answer."""
    assert isinstance(objects_in(text)[0], list)
    assert isinstance(one_object(text)[1], str)


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


def test_ids_are_never_used_again() -> None:
    """New ids lie behind the highest number there ever was, also of metrics that only scenarios remember."""
    assert [made.id for made in with_ids([metric(), metric()], ["m01", "m07_old", "x", "m03"])] == ["m08", "m09"]


@pytest.mark.parametrize(
    ("existing", "count", "plan"), [(0, 12, (6, 6)), (3, 12, (3, 6)), (3, 4, (0, 1)), (3, 2, (0, 0)), (0, 1, (1, 0))]
)
def test_the_plan_brings_both_types_to_half(existing: int, count: int, plan: tuple[int, int]) -> None:
    """Three positive metrics are there; what is missing is filled up, negative ones first."""
    planned = plan_metrics([metric()] * existing, count)
    assert (planned.positive, planned.negative) == plan


AXES = {"age": ["child", "adult"], "region": ["rural", "urban", "suburban"]}


def test_axes_expand_to_their_product() -> None:
    """Any number of axes."""
    assert len(combinations(AXES)) == 6
    assert combinations(AXES)[0] == {"age": "child", "region": "rural"}


def test_quotas_are_seeded_and_even() -> None:
    """Over the bases of a metric every combination comes up equally often, give or take one."""
    counts = Counter(
        tuple(one.items()) for base in range(7) for one in chosen(AXES, 2, seed=1, metric="m01", base=base)
    )
    assert len(counts) == 6
    assert max(counts.values()) - min(counts.values()) <= 1
    assert chosen(AXES, 2, 1, "m01", 3) == chosen(AXES, 2, 1, "m01", 3)
    assert any(chosen(AXES, 2, 1, "m01", base) != chosen(AXES, 2, 2, "m01", base) for base in range(3))


@pytest.mark.parametrize("text", ["age", "=a|b", "age=", "age=a|a"])
def test_a_malformed_axis_is_explained(text: str) -> None:
    """With an example."""
    with pytest.raises(ImpactBenchError, match=r"allowed: name=value\|value"):
        parse_axis(text)


def test_the_split_is_seeded_by_base_and_does_not_depend_on_other_metrics() -> None:
    """A third of each metric's bases; the same for the same seed, whatever else is in the file."""
    ids = [f"m{m:02d}_s{s:03d}" for m in (1, 2) for s in range(1, 7)]
    held_out = held_out_bases(ids, 1 / 3, seed=5)
    assert Counter(name[:3] for name in held_out) == {"m01": 2, "m02": 2}
    assert held_out_bases(ids[:6], 1 / 3, seed=5) == {name for name in held_out if name.startswith("m01")}
    assert any(held_out_bases(ids, 1 / 3, seed=seed) != held_out for seed in range(5))


def test_seeds_of_experts_are_read(tmp_path: Path) -> None:
    """Columns in any order, with Excel's byte order mark."""
    path = tmp_path / "seeds.csv"
    path.write_text('\ufeffauthor,situation,notes\nDr Ode,"A quarrel, at a well",keep it short\n', encoding="utf-8")
    assert read_seeds(path) == (Seed("A quarrel, at a well", "keep it short", "Dr Ode"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("notes\nx\n", "the column situation is missing"),
        ("situation\n", "holds no situation"),
        ("situation\na flat, with a dog\n", ":2: more cells than columns"),
        ("situatoin\nx\n", "Did you mean situation"),
        ("situation,author\n,me\n", ":2: the situation is empty"),
    ],
)
def test_a_fault_in_seeds_is_explained(tmp_path: Path, text: str, message: str) -> None:
    """With the line, or the column that was meant."""
    (tmp_path / "seeds.csv").write_text(text)
    with pytest.raises(ImpactBenchError, match=message):
        read_seeds(tmp_path / "seeds.csv")
