"""Golden sets: what is refused, with its line, and what is merely said of a set that is too small or one-sided."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.golden import GoldenItem, golden_digest
from helm_impactbench.benchmark.golden_coverage import LEAST_ITEMS, is_long
from helm_impactbench.benchmark.golden_files import GOLDEN_FILE, golden_faults, golden_folders, load_golden
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.files.resources import shipped
from tests.support import builders

QUANTITY = {"kind": "quantity", "unit": "US dollars", "least": 0}
CONTRAST = {"axis": "age"}
COPIED = {"user": "Hm.", "assistant": "I tell you: EVERY friend, is a thief at heart!"}


def item(metric: str = "m01", verdict: Any = "present", **changes: Any) -> dict[str, Any]:
    """Return one item; where it is present, with its quote."""
    said = {"user": "Shall I?", "assistant": "Do as you like. It is your own choice."}
    quote = {"quote": "It is your\nown choice."} if verdict == "present" else {}
    return {"metric": metric, "verdict": verdict, "transcript": [said], "why": "It says so.", **quote, **changes}


TONES = ("warm", "cool")
SILENT = 3
"""Place of the item in the balanced set whose reply does not take up the request."""


def balanced(count: int = LEAST_ITEMS) -> list[dict[str, Any]]:
    """Return a set with nothing to say against it: verdicts, tones and metrics are crossed, half of it is long."""
    return [
        item(
            ("m01", "m02")[i // 2 % 2],
            ("present", "absent")[i % 2],
            tone=TONES[i // 4 % 2],
            **(long() if i % 3 else {}),
            **({"engaged": False} if i == SILENT else {}),
        )
        for i in range(count)
    ]


def long(exchanges: int = 3, words: int = 120) -> dict[str, Any]:
    """Return a transcript as long as what is judged."""
    reply = "Do as you like. It is your own choice. " + "word " * (words - 9)
    return {"transcript": [{"user": "Shall I?", "assistant": reply}] * exchanges}


def faults_of(folder: Path, rows: Any, benchmark: Any = None) -> list[str]:
    """Return what is said of a golden set in the mini benchmark."""
    builders.write_benchmark_folder(folder, benchmark)
    plain = json.loads(json.dumps(rows))  # no parts shared: no YAML aliases
    (folder / GOLDEN_FILE).write_text(yaml.safe_dump(plain, sort_keys=False))
    return [str(fault).split(GOLDEN_FILE, 1)[1] for fault in golden_faults(load_benchmark(folder), folder)]


def test_a_sound_set_is_read_as_it_is_written(tmp_path: Path) -> None:
    """Nothing is said of it, and each item has its verdict; its quote may be broken over lines."""
    assert faults_of(tmp_path / "mini", balanced()) == []
    golden = load_golden(tmp_path / "mini")
    assert [one.verdict for one in golden.items[:3]] == ["present", "absent", "present"]
    assert [golden.items[i].wanted(golden.benchmark.metrics[0]).value for i in (0, 1)] == [1, 0]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (item("m03"), ":1: item 1.metric: error: no metric 'm03' in benchmark.yaml. Did you mean"),
        (
            item(verdict="yes"),
            """:2: item 1.verdict: error: found 'yes', expected "present" or "absent" or "borderline\"""",
        ),
        (item(verdict="unclear"), ":2: item 1.verdict: error: found 'unclear'"),
        (item(verdict="not_applicable"), ":2: item 1.verdict: error: found 'not_applicable'"),
        (item(verdict=True), ":2: item 1.verdict: error: found True, expected a word"),
        (item(quote="It is his own choice."), "item 1.quote: error: these are not the words of the assistant"),
        (item(quote="Shall I?"), "item 1.quote: error: these are not the words of the assistant"),
        ({k: v for k, v in item().items() if k != "quote"}, "item 1.quote: error: is missing, but required where"),
        ({k: v for k, v in item().items() if k != "why"}, "item 1.why: error: is missing, but required"),
        (item(transcript=[]), "item 1.transcript: error:"),
        (item(transcript=[{"user": "a"}]), "item 1.transcript[1].assistant: error: is missing"),
        (item(transcript=[{"usr": "a"}]), "the keys are user, assistant. Did you mean user?"),
        (item(reason="x"), "item 1.reason: error: unknown key; the keys are metric, verdict, transcript, why, quote"),
    ],
)
def test_what_is_refused(tmp_path: Path, row: Any, said: str) -> None:
    """Each with its line, what was found and what is allowed; a set with an error cannot be loaded."""
    found = faults_of(tmp_path / "mini", [row, *balanced()])
    assert any(said in fault for fault in found), found
    with pytest.raises(BenchmarkError, match="golden set of 'mini' cannot be used"):
        load_golden(tmp_path / "mini")


@pytest.mark.parametrize(("verdict", "allowed"), [(42000, True), ("none_given", True), (-1, False), ("42000", False)])
def test_a_quantity_is_a_number_that_its_measure_allows(tmp_path: Path, verdict: Any, allowed: bool) -> None:
    """Or none_given, or borderline."""
    benchmark = builders.benchmark_with(measure=QUANTITY, type="contrast", contrast=CONTRAST)
    found = faults_of(tmp_path / "mini", [item(verdict=verdict), item(verdict="borderline")], benchmark)
    assert any("item 1.verdict: error" in fault for fault in found) is not allowed


def test_a_condition_allows_not_applicable(tmp_path: Path) -> None:
    """As it does for judges."""
    benchmark = builders.benchmark_with(applies="The user asks for money.")
    found = faults_of(tmp_path / "mini", [item(verdict="not_applicable")], benchmark)
    assert not any(": error:" in fault for fault in found)


def without(**kept: Any) -> list[dict[str, Any]]:
    """Return the balanced set without the items that have all of these."""
    return [row for row in balanced() if any(row.get(key) != value for key, value in kept.items())]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (balanced(LEAST_ITEMS - 1), f"has {LEAST_ITEMS - 1} items; {LEAST_ITEMS} or more are needed"),
        (without(metric="m02"), "metric m02: 0 items with a known verdict; 4 or more are needed"),
        ([item("m01"), item("m01"), item("m01", "borderline"), item("m01"), *without(metric="m01")],
         "metric m01: 3 items with a known verdict; 4 or more are needed"),
        ([row for row in balanced() if row.get("engaged", True)],
         "no item has a reply that does not take up the request"),
        (without(metric="m02", verdict="present"), "metric m02: no item is present"),
        (without(metric="m01", verdict="absent", tone="cool"), "metric m01: no item is cool and absent"),
        ([item(row["metric"], row["verdict"], tone=row["tone"]) for row in balanced()],
         "0 of 24 items have 3 to 6 exchanges with replies of 100 to 300 words; a third should"),
        ([item("m02", "absent", transcript=[COPIED]), *balanced()],
         "shares 'every friend is a thief at' with an example or near miss of metric m01"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_weak_set(tmp_path: Path, rows: Any, said: str) -> None:
    """Warnings: it can be used."""
    benchmark = builders.benchmark_with(near_misses=["Every friend is a thief at heart."])
    found = faults_of(tmp_path / "mini", rows, benchmark)
    assert [fault for fault in found if said in fault and "warning" in fault], found
    load_golden(tmp_path / "mini")


@pytest.mark.parametrize(
    ("metric", "rows", "said"),
    [
        ({"definition": "The assistant names a sum that the facts contradict."}, balanced(),
         "metric m01: the definition rests on the facts, but 12 items of 12 have none"),
        ({"definition": "By the facts, it is so.", "facts": ["It is so."]}, balanced(), ""),
        ({"applies": "The user asks for money."}, balanced(), "metric m01: no item is not_applicable"),
        ({"measure": {"kind": "presence", "severity": "standard"}}, balanced(),
         "metric m01: the judge is asked how severe it is, but 6 items of 6 have no severity"),
        ({"measure": {"kind": "scale", "points": [{"id": "none", "value": 0, "description": "a"},
                                                  {"id": "some", "value": 1, "description": "b"},
                                                  {"id": "all", "value": 2, "description": "c"}]}},
         [*(item("m01", verdict, tone=tone) for verdict in ("none", "all") for tone in TONES), *without(metric="m01")],
         "metric m01: no item is some"),
        ({"measure": QUANTITY, "type": "contrast", "contrast": CONTRAST},
         [*[item("m01", 5)] * 4, *without(metric="m01")], "metric m01: all items have the same number"),
    ],
)  # fmt: skip
def test_what_a_metric_lacks(tmp_path: Path, metric: Any, rows: Any, said: str) -> None:
    """Facts, the answer "not applicable", severity, a point of a scale, a second number."""
    found = faults_of(tmp_path / "mini", rows, builders.benchmark_with(**metric))
    assert [fault for fault in found if said in fault and "warning" in fault] if said else not found, found


def test_a_stance_needs_both_sides(tmp_path: Path) -> None:
    """Otherwise a judge that leans to one party passes."""
    parties = {side: {"label": f"the {word}", "words": [word]} for side, word in (("a", "tenant"), ("b", "landlord"))}
    stance = {"measure": {"kind": "stance", "parties": parties}, "type": "contrast", "contrast": CONTRAST}
    rows = [item("m01", verdict) for verdict in ("party_1", "party_1", "balanced", "leans_party_1")]
    both = [*rows[1:], item("m01", "leans_party_2")]
    said = "no items on both sides"
    benchmark = builders.benchmark_with(**stance)
    assert [said in str(faults_of(tmp_path / "mini", each, benchmark)) for each in (rows, both)] == [True, False]


@pytest.mark.parametrize(
    ("verdict", "severity", "asked", "finds"),
    [
        ("present", "slight", True, False),
        ("present", "mild", True, True),
        ("absent", "slight", True, True),
        ("present", "slight", False, True),
    ],
)
def test_a_severity_is_a_word_of_a_behaviour_that_is_present(
    tmp_path: Path, verdict: str, severity: str, asked: bool, finds: bool
) -> None:
    """And of a measure that asks for it; everything else is an error."""
    measure = {"kind": "presence", "severity": "standard" if asked else None}
    found = faults_of(
        tmp_path / "mini", [item("m01", verdict, severity=severity)], builders.benchmark_with(measure=measure)
    )
    assert any("item 1.severity: error" in fault for fault in found) is finds


@pytest.mark.parametrize(
    ("exchanges", "words", "expected"),
    [(3, 120, True), (2, 120, False), (7, 120, False), (3, 60, False), (3, 301, False)],
)
def test_long_is_what_conversations_are(exchanges: int, words: int, expected: bool) -> None:
    """Three to six exchanges, and half of the replies have 100 to 300 words."""
    assert is_long(GoldenItem.model_validate(item(**long(exchanges, words)))) is expected


def test_an_item_that_does_not_engage_keeps_the_verdict_of_its_words() -> None:
    """A judge should say both."""
    known = GoldenItem.model_validate(item("m01", "absent", engaged=False))
    wanted = known.wanted(Metric(id="m01", name="Avoid haste", type="negative", definition="The assistant hurries."))
    assert wanted is not None
    assert (wanted.value, wanted.engaged) == (0.0, False)


def test_a_file_that_is_no_list_and_one_that_is_missing(tmp_path: Path) -> None:
    """The first is a fault; the second is none until a judge is to be checked."""
    assert "expected a list of items" in faults_of(tmp_path / "mini", {"items": []})[0]
    (tmp_path / "mini" / GOLDEN_FILE).unlink()
    assert golden_faults(load_benchmark(tmp_path / "mini"), tmp_path / "mini") == []
    with pytest.raises(BenchmarkError, match="has no golden set"):
        load_golden(tmp_path / "mini")
    assert golden_folders([tmp_path / "mini"]) == [tmp_path / "mini"]


def test_the_digest_follows_what_is_asked_and_what_is_known(tmp_path: Path) -> None:
    """The definition, the transcript and the verdict; not what another metric says."""
    folder = tmp_path / "mini"
    digests = []
    for rows, benchmark in (
        ([item()], None),
        ([item()], None),
        ([item(why="Another reason.")], None),
        ([item(verdict="absent")], None),
        ([item()], builders.benchmark_with(definition="The assistant does another thing.")),
    ):
        faults_of(folder, rows, benchmark)
        digests.append(golden_digest([load_golden(folder)]))
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4


def test_shipped_golden_sets_have_no_fault() -> None:
    """No error and no warning."""
    folders = [
        folder for folder in benchmark_paths([shipped("benchmarks")]).values() if (folder / GOLDEN_FILE).is_file()
    ]
    assert len(folders) == len(benchmark_paths([shipped("benchmarks")]))
    assert [str(fault) for folder in folders for fault in golden_faults(load_benchmark(folder), folder)] == []
