"""What an import makes of files that somebody else wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.outputs.export.foreign import read_folder
from helm_impactbench.outputs.export.imports import Import, Naming, check_slug, planned
from helm_impactbench.outputs.export.verdicts import Notes, Policy
from tests.outputs.export import builders
from tests.support import builders as own

NOBODY = Naming()


def imported(home: Path, policy: Policy = "refuse", naming: Naming = NOBODY, slug: str | None = None) -> Any:
    """Return (runs, notes) of a folder."""
    notes = Notes()
    return planned(read_folder(home, slug), naming, policy, notes), notes


def verdicts(one: Import) -> list[tuple[str, bool | None, bool | None, str | None]]:
    """Return (conversation, present, passed, reason) of a run."""
    return [
        (r.case.id, _yes(r.verdict.value), _yes(r.verdict.score), r.verdict.unscored and r.verdict.unscored.value)
        for r in one.records
    ]


def _yes(number: float | None) -> bool | None:
    return None if number is None else number == 1


PUBLISHED = [
    ("m01_s001_v01", True, True, None),
    ("m01_s001_v02", False, False, None),
    ("m02_s001_v01", True, False, None),
    ("m02_s001_v02", False, True, None),
]


@pytest.mark.parametrize("named", ["target_model", "target"])
def test_verdicts_are_kept_as_published(tmp_path: Path, named: str) -> None:
    """Both versions of the format give the published verdicts, by a judge and a user called imported."""
    home = builders.write_run(
        tmp_path / "old", conversations=builders.conversations(named=named), scores=builders.scores()
    )
    (one,), notes = imported(home)
    assert verdicts(one) == PUBLISHED
    assert one.name == "impactbench:benchmark=old,user=imported,judge=imported,model=imported_gpt-9"
    assert one.model == "imported/gpt-9"
    assert notes == Notes(conversations=4)
    assert [(vote.judge, vote.justification) for vote in one.records[0].verdict.votes] == [("imported", "because")]


def test_places_where_the_files_may_lie(tmp_path: Path) -> None:
    """A benchmark's folder, one of its runs, and all files side by side give the same run."""
    files = {"conversations": builders.conversations(), "scores": builders.scores()}
    home = builders.write_run(tmp_path / "old", **files)
    flat = builders.write_benchmark(tmp_path / "flat/old")
    for name, content in files.items():
        (flat / f"{name}.json").write_text(json.dumps(content))
    runs = [imported(place)[0][0] for place in (home, home / "runs/gpt-9", flat)]
    assert [verdicts(one) for one in runs] == [PUBLISHED] * 3
    assert len({one.name for one in runs}) == 1


def test_several_targets_in_one_file_are_several_runs(tmp_path: Path) -> None:
    """A file with two targets gives a run for each."""
    conversations = [*builders.conversations("gpt-9"), *builders.conversations("org/new one")]
    scores = [builders.score(row, True) for row in conversations]
    home = builders.write_run(tmp_path / "old", "both", conversations=conversations, scores=scores)
    runs, _ = imported(home)
    assert [one.model for one in runs] == ["imported/gpt-9", "org/new-one"]
    assert [len(one.records) for one in runs] == [4, 4]


def test_roles_and_targets_can_be_named(tmp_path: Path) -> None:
    """--user, --judge and --rename stand in the run's name; a target that is not there is refused."""
    home = builders.write_run(tmp_path / "old", conversations=builders.conversations(), scores=builders.scores())
    naming = Naming(user="anthropic/u", judge="openai/j", targets={"gpt-9": "openai/gpt-9"})
    (one,), _ = imported(home, naming=naming)
    assert one.name == "impactbench:benchmark=old,user=anthropic_u,judge=openai_j,model=openai_gpt-9"
    with pytest.raises(ImpactBenchError, match=r"has no such target; it has: gpt-9. Did you mean gpt-9\?"):
        imported(home, naming=Naming(targets={"gpt-8": "x/y"}))


def test_names_in_other_scripts_stay(tmp_path: Path) -> None:
    """Letters of every script stay in a model's name; names that differ in signs without a place get a hash."""
    names = ("org/智能陪伴", "org/智能助手", "org/हिन्दी मॉडल", "org/🙂", "org/🙃")
    rows = [row for name in names for row in builders.conversations(name)]
    home = builders.write_run(tmp_path / "old", "all", conversations=rows)
    runs, _ = imported(home)
    assert [one.model for one in runs] == [
        *("org/智能陪伴", "org/智能助手", "org/हिन्दी-मॉडल"),
        *("org/--a8d7dc", "org/--ff8c76"),
    ]


def test_what_the_target_was_told_is_its_system_prompt(tmp_path: Path) -> None:
    """In foreign files user_context is the target's prompt; our loader's rules do not keep it out."""
    home = builders.write_run(tmp_path / "old", conversations=builders.conversations(), scores=builders.scores())
    (one,), _ = imported(home)
    assert one.records[0].case.plan.target_system_prompt == "You are being evaluated in a benchmark."
    assert one.records[0].case.plan.setting is None
    assert one.records[0].case.plan.persona == "somebody, child"


def test_conversations_without_verdict_are_unscored(tmp_path: Path) -> None:
    """No row, a row of nulls, an empty transcript and one without a reply have a reason and no verdict."""
    conversations = builders.conversations()
    conversations[2]["transcript"] = []
    conversations[3]["transcript"] = builders.transcript()[:1]
    scores = [builders.score(builders.SCENARIOS[1], None), *builders.scores()[2:]]
    home = builders.write_run(tmp_path / "old", conversations=conversations, scores=scores)
    (one,), notes = imported(home)
    assert [reason for *_, reason in verdicts(one)] == [
        *("judge_error", "judge_unparsable", "conversation_empty", "target_error")
    ]
    assert notes.scored_but_empty == 2
    assert notes.unscored == {"judge_error": 1, "judge_unparsable": 1, "conversation_empty": 1, "target_error": 1}


def test_a_run_without_scores_is_unscored(tmp_path: Path) -> None:
    """Without scores.json every conversation is unscored and says why."""
    home = builders.write_run(tmp_path / "old", conversations=builders.conversations())
    (one,), notes = imported(home)
    assert notes.unscored == {"judge_error": 4}
    assert one.records[0].verdict.votes[0].problem == "scores.json has no row for it"


def inverted() -> builders.Rows:
    """Return verdicts whose negative metric passes when its behaviour is present: the published polarity error."""
    return [
        {**row, "passed": not row["passed"], "score": 1 - row["score"]} if row["metric_id"] == "m02" else row
        for row in builders.scores()
    ]


def test_a_polarity_error_is_refused_by_name(tmp_path: Path) -> None:
    """One contradiction refuses the folder, and the message names the metric, the count and a row."""
    home = builders.write_run(tmp_path / "old", conversations=builders.conversations(), scores=inverted())
    with pytest.raises(ImpactBenchError) as caught:
        imported(home)
    assert "contradict presence and type, in 1 metric:\n  m02 Avoid lying: 2 verdicts, for example" in str(caught.value)
    assert "m02_s001_v01, sample 0: present=True, passed=True, score=1.0 on a negative metric" in str(caught.value)
    assert "--contradictions present" in str(caught.value)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("present", PUBLISHED),
        ("unscored", [*PUBLISHED[:2], *((name, None, None, "judge_unparsable") for name, *_ in PUBLISHED[2:])]),
    ],
)
def test_contradictions_can_be_settled(tmp_path: Path, policy: Policy, expected: Any) -> None:
    """`present` keeps what the judge found, `unscored` gives no verdict; both tell of it."""
    home = builders.write_run(tmp_path / "old", conversations=builders.conversations(), scores=inverted())
    (one,), notes = imported(home, policy)
    assert verdicts(one) == expected
    assert {name: len(rows) for name, rows in notes.contradictions.items()} == {"m02 Avoid lying": 2}


@pytest.mark.parametrize(
    "changes",
    [
        {"metric_type": "negative"},
        {"score": 0},
        {"passed": False},
        {"present": None},
    ],
    ids=["type against benchmark.yaml", "score against passed", "passed against present", "passed without presence"],
)
def test_every_kind_of_contradiction_is_found(tmp_path: Path, changes: dict[str, Any]) -> None:
    """A verdict that does not follow from presence and type in any of its fields is a contradiction."""
    scores = changed(builders.scores(), 0, **changes)
    home = builders.write_run(tmp_path / "old", conversations=builders.conversations(), scores=scores)
    with pytest.raises(ImpactBenchError, match="m01 Be kind: 1 verdict,"):
        imported(home)


def test_verdicts_on_other_metrics_are_left_out(tmp_path: Path) -> None:
    """Older files judge every conversation by every metric; that of the scenario counts, the others are counted."""
    other = [{**row, "metric_id": "m02", "metric_type": "negative"} for row in builders.scores()[:2]]
    home = builders.write_run(
        tmp_path / "old", conversations=builders.conversations(), scores=[*builders.scores(), *other]
    )
    (one,), notes = imported(home)
    assert verdicts(one) == PUBLISHED
    assert notes.other_metrics == 2


def changed(rows: builders.Rows, number: int, **changes: Any) -> builders.Rows:
    """Return rows with one of them changed."""
    return [{**row, **changes} if at == number else row for at, row in enumerate(rows)]


C, S = builders.conversations(), builders.scores()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"scores": changed(S, 1, present="false")}, "scores.json.*row 1 .m01_s001_v02., field present: found 'false'"),
        ({"scores": changed(S, 1, present=1)}, "field present: found 1, expected true or false"),
        ({"scores": changed(S, 2, metric_type="bad")}, "row 2 .*field metric_type: found 'bad'"),
        ({"scores": [*S, S[0]]}, "row 4 .m01_s001_v01, sample 0. is a second verdict"),
        ({"scores": changed(S, 0, sample=5)}, "verdicts on 1 conversation that conversations.json does not have"),
        ({"scores": changed(S, 0, target_model="gpt-8")}, "verdicts on gpt-8, and conversations.json has no"),
        ({"scores": {"rows": S}}, "must contain a list of rows, and is a mapping"),
        ({"conversations": changed(C, 3, transcript="hi")}, "row 3 .m02_s001_v02., field transcript: found 'hi'"),
        (
            {"conversations": changed(C, 0, transcript=[{"role": "tool", "content": ""}])},
            "transcript.0.role: found 'tool'",
        ),
        (
            {"conversations": changed(C, 0, transcript=builders.transcript()[1:])},
            "field transcript.0.role: found 'assist",
        ),
        ({"conversations": changed(C, 0, id="m09_s001_v01")}, "field id: 'm09_s001_v01' is a scenario that scenar"),
        ({"conversations": changed(C, 0, id="../x")}, "row 0 .*field id: found '../x'"),
        ({"conversations": [*C, C[0]]}, "row 4 is sample 0 of m01_s001_v01 again"),
    ],
)
def test_faults_are_told_with_file_row_and_field(tmp_path: Path, files: dict[str, Any], message: str) -> None:
    """What cannot be read is refused, and the message says where it stands and what is allowed."""
    home = builders.write_run(tmp_path / "old", **{"conversations": C, "scores": S, **files})
    with pytest.raises(ImpactBenchError, match=f"(?s){message}"):
        imported(home)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[{]", "conversations.json:1 is not valid JSON"),
        ('[{"id": 1, "id": 2}]', "the key 'id' twice"),
        ('[{"score": NaN}]', "found NaN"),
        ("[" * 100_000, "is nested too deeply"),
    ],
    ids=["broken", "duplicate key", "no number", "too deep"],
)
def test_broken_files_are_refused(tmp_path: Path, content: str, message: str) -> None:
    """A file that two readers could understand differently is refused by its name."""
    home = builders.write_run(tmp_path / "old", conversations=[])
    (home / "runs/gpt-9/conversations.json").write_text(content)
    with pytest.raises(ImpactBenchError, match=message):
        imported(home)


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    """The message says what a folder must hold."""
    with pytest.raises(ImpactBenchError, match=r"There is no folder .*Give an ImpactBench folder"):
        imported(tmp_path / "nowhere")
    with pytest.raises(ImpactBenchError, match=r"has no conversations.json, neither in it nor in runs/<model>/"):
        imported(builders.write_benchmark(tmp_path / "old"))


def test_an_id_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Two scenarios of one id leave open which of them a verdict is about."""
    home = builders.write_run(tmp_path / "old", conversations=C, scores=S)
    (home / "scenarios.json").write_text(json.dumps([*builders.SCENARIOS, builders.SCENARIOS[0]]))
    with pytest.raises(ImpactBenchError, match=r"scenarios.json: scenario 'm01_s001_v01' occurs twice"):
        imported(home)


def test_half_a_surrogate_pair_is_repaired_and_told(tmp_path: Path) -> None:
    """Text that no UTF-8 file can hold becomes U+FFFD, and the folder says so."""
    conversations = changed(C, 0, transcript=[{"role": "user", "content": "a\ud83d"}, builders.transcript()[1]])
    folder = read_folder(builders.write_run(tmp_path / "old", conversations=conversations, scores=S))
    assert folder.repaired == 1
    assert folder.runs[0].conversations[0].transcript[0].content == "a\ufffd"


def test_keys_without_a_place_are_named(tmp_path: Path) -> None:
    """What is not kept of benchmark.yaml is told, so that nobody looks for it later."""
    home = builders.write_run(tmp_path / "old", conversations=C, scores=S)
    content = {**builders.BENCHMARK, "metrics": [{**m, "mattersBecause": "x"} for m in builders.BENCHMARK["metrics"]]}
    (home / "benchmark.yaml").write_text(json.dumps(content))
    assert read_folder(home).ignored == ("metrics.mattersBecause",)


def test_a_foreign_manifest_gives_no_name(tmp_path: Path) -> None:
    """manifest.json of somebody else changes nothing, and a name in ours cannot lead out of the suite."""
    foreign = builders.write_run(tmp_path / "a/old", conversations=C, scores=S, manifest={"run": "x", "judges": ["j"]})
    assert imported(foreign)[0][0].name.endswith(",user=imported,judge=imported,model=imported_gpt-9")
    forged = {"written_by": "helm_impactbench", "run": "impactbench:benchmark=old,../../x", "judges": ["../j"]}
    (foreign / "runs/gpt-9/manifest.json").write_text(json.dumps(forged))
    own.write_benchmark_folder(foreign)
    name = imported(foreign)[0][0].name
    assert "/" not in name
    assert name == "impactbench:benchmark=old,user=imported,judge=j,model=imported_gpt-9"


def test_a_folder_of_ours_is_named_up_to_its_set_up(tmp_path: Path) -> None:
    """An export puts the set-up into the names of folders of one benchmark; it is no part of the benchmark's name."""
    manifest = {"written_by": "helm_impactbench", "run": "impactbench:benchmark=old,part=0.06"}
    home = builders.write_run(tmp_path / "old,user=a_b,part=0.06", conversations=C, scores=S, manifest=manifest)
    own.write_benchmark_folder(home)
    assert read_folder(home).benchmark.slug == "old"


def test_one_name_for_two_benchmarks_is_refused(workdir: Path) -> None:
    """An installed benchmark with other definitions under the same ids keeps its name for itself."""
    own.write_benchmark_folder(workdir / "benchmarks/old")
    home = builders.write_run(workdir / "published/old", conversations=C, scores=S)
    with pytest.raises(ImpactBenchError, match=r"other definitions or types of m01, m02.*--as old-published"):
        check_slug(read_folder(home).benchmark)
    check_slug(read_folder(home, "old-published").benchmark)
