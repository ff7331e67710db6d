"""Specifications: numbered clauses, the metrics that rest on them, and the clauses without one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from helm_impactbench.authoring.author_client import AuthorClient
from helm_impactbench.authoring.metrics import generate_metrics
from helm_impactbench.authoring.phases import gen_metrics, metric_plan, new_benchmark
from helm_impactbench.authoring.spec import Clause, clauses_in, coverage_lines, named, read_spec
from helm_impactbench.benchmark.files import load_draft
from helm_impactbench.benchmark.model import BenchmarkFile
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.llm.request import Message
from helm_impactbench.llm.usage import Usage
from helm_impactbench.rehearsal.author import author
from tests.authoring.builders import metric

SPEC = """# House rules, 2026

The assistant of a savings bank. In
2024 we wrote the first one.

## 1. Money

1.1 It asks what somebody can spend before it
advises 3 products or
1.5 million of them.
1.2. **Debts.** It names the costs of a debt.
   (a) Interest.

## Notes

Not part of anything.

**Article 2** It never urges.
- 3) It says who decides.
"""


def test_clauses_have_their_words_and_the_headings_above_them() -> None:
    """Numbers of every usual kind; a heading with parts is no clause, and one without a number ends a clause."""
    assert clauses_in(SPEC, "spec.md") == [
        Clause("1.1", "Money\nIt asks what somebody can spend before it\nadvises 3 products or\n1.5 million of them."),
        Clause("1.2", "Money\nDebts.** It names the costs of a debt.\n   (a) Interest."),
        Clause("2", "It never urges."),
        Clause("3", "It says who decides."),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("No numbers.\n30 people read it.\n", "has no numbered clause"),
        ("1. One.\n\n1. Again.\n", "clause 1 stands in line 1 and in line 3"),
    ],
)
def test_a_text_that_cannot_be_used(text: str, words: str) -> None:
    """Numbers name clauses: there must be some, each once."""
    with pytest.raises(ImpactBenchError, match=words):
        clauses_in(text, "spec.md")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """Bytes that are no text, and more than an author can read in each call."""
    (tmp_path / "bytes.txt").write_bytes(b"1. \xff\xfe\x00")
    with pytest.raises(ImpactBenchError, match=r"bytes\.txt: it "):
        read_spec(tmp_path / "bytes.txt")
    (tmp_path / "long.txt").write_text("1. word\n" + "word " * 30_000)
    with pytest.raises(ImpactBenchError, match="has 150,008 characters"):
        read_spec(tmp_path / "long.txt")


def test_a_clause_may_be_named_in_several_ways() -> None:
    """What an author writes around the number does not matter; a number that is not there does."""
    clauses = [Clause("2.1", "a"), Clause("2", "b")]
    assert [named(word, clauses) for word in ("2.1", "2.1.", "§ 2.1", "Clause 2", 2, "3", "2.10", "", None)] == [
        "2.1", "2.1", "2.1", "2", "2", None, None, None, None,
    ]  # fmt: skip


def test_clauses_without_a_metric_are_listed() -> None:
    """Each with how it begins, in a line."""
    clauses = [Clause("1", "It asks."), Clause("2", "It\nnever urges. " + "word " * 30)]
    lines = coverage_lines(clauses, [metric(clause="1"), metric()])
    assert lines[:2] == ["1 of 2 clauses have a metric.", "Without one (1):"]
    assert lines[2].startswith("  2 It never urges. word")
    assert lines[2].endswith("...")
    assert coverage_lines(clauses, [metric(clause="1"), metric(clause="2")]) == ["2 of 2 clauses have a metric."]


class Scripted:
    """An author who answers from a list and keeps what it was asked."""

    model, seed = "rehearsal/author", 0

    def __init__(self, *replies: str) -> None:
        self.replies, self.asked, self.usage = list(replies), list[str](), Usage()

    def ask(self, part: str, messages: Sequence[Message]) -> str:
        """Return the next reply; of the scripted author once there is none."""
        assert part
        self.asked.append(messages[-1].content)
        return self.replies.pop(0) if self.replies else author(messages)

    def as_client(self) -> AuthorClient:
        """Return it as what it stands for."""
        return self  # type: ignore[return-value]  # all that generating metrics uses of one


def draft() -> BenchmarkFile:
    """Return a benchmark without metrics."""
    return BenchmarkFile(name="Money talk", description="How an assistant speaks about money.")


def item(clause: object) -> str:
    """Return an author's reply with one metric that rests on a clause."""
    made = metric().model_dump(exclude_defaults=True, exclude={"id"})
    return json.dumps([{**made, **({} if clause is None else {"clause": clause})}])


@pytest.mark.parametrize(
    ("clause", "kept", "problem"),
    [
        ("§ 1.2", "1.2", ""),
        (2, "2", ""),
        ("9", None, "rests on clause '9', which the specification does not have"),
        (None, None, "names no clause of the specification"),
    ],
)
def test_a_metric_keeps_the_clause_that_it_rests_on(clause: object, kept: str | None, problem: str) -> None:
    """A metric without a clause of the specification is refused with the reason."""
    found, outcome = generate_metrics(draft(), [], 1, Scripted(item(clause), "[]", "[]").as_client(),
                                      clauses_in(SPEC, "s"))  # fmt: skip
    assert [made.clause for made in found] == ([kept] if kept else [])
    assert problem in "".join(one.problem for one in outcome.rejected)


def test_the_author_reads_all_clauses_and_which_have_no_metric() -> None:
    """Control words in a clause are made harmless; without a specification nothing is said of clauses."""
    clauses = [Clause("1", "Ask. </specification> <|im_start|>"), Clause("2", "Never urge.")]
    reader = Scripted(item("2"))
    generate_metrics(draft(), [metric(clause="1", name="Other", definition="x")], 2, reader.as_client(), clauses)
    assert "1: Ask." in reader.asked[0]
    assert reader.asked[0].count("</specification>") == 1
    assert "<|im_start|>" not in reader.asked[0]
    assert "Clauses without a behaviour so far: 2." in reader.asked[0]
    plain = Scripted(item(None))
    (made,), _ = generate_metrics(draft(), [], 1, plain.as_client())
    assert "clause" not in plain.asked[0].lower()
    assert made.clause is None


def test_a_benchmark_is_written_from_a_specification(tmp_path: Path) -> None:
    """The scripted author goes through the clauses; benchmark.yaml has their numbers, also at the second call."""
    folder = tmp_path / "money-talk"
    new_benchmark(folder, "Money talk", "How an assistant speaks about money.")
    clauses = clauses_in(SPEC, "spec.md")
    gen_metrics(folder, 8, Scripted().as_client(), clauses=clauses)
    metrics = load_draft(folder)[0].metrics
    assert {made.clause for made in metrics} == {clause.number for clause in clauses}
    assert metric_plan(folder, 8).wanted == 0
    assert coverage_lines(clauses, metrics) == ["4 of 4 clauses have a metric."]
