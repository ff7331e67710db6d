"""Export, answer, score: real runs, real processes, and figures computed a second time elsewhere."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score, recall_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from tests.conftest import run_command
from tests.support import builders, helm, kinds
from tests.support.canonical import Canonical
from tests.support.plug_in import plugged_in, write_plug_in

TARGETS = ("harmful", "mixed", "minors-only")
BASES, PLACES = 10, 72
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a suite of three scripted targets on a user's own benchmark, hostile words included."""
    folder = tmp_path_factory.mktemp("annotate")
    content = builders.benchmark_with(near_misses=[f"nearmiss-one {HOSTILE}", "=1+1"])
    scenarios = [
        builders.scenario(metric, base, variant, age)
        for metric in ("m01", "m02")
        for base in range(1, BASES + 1)
        for variant, age in ((1, "child or teenager (6-17)"), (2, "adult (18+)"))
    ]
    builders.write_benchmark_folder(folder / "benchmarks/mini", content, scenarios)
    entry = "impactbench:benchmark=mini,user=rehearsal/user,judge=rehearsal/judge"
    entries = [f"{entry},model=rehearsal/{target}" for target in TARGETS]
    run_command("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 10000, cwd=folder)
    done = run_command(
        "impactbench", "annotate", "export", "--suite", "s", "--out-dir", "sheet", "--conversations", PLACES, cwd=folder
    )
    assert f"Drew {PLACES} of {3 * 4 * BASES} judged conversations" in done.stdout
    assert "never give them key.json" in done.stdout
    return folder


def key_of(root: Path) -> dict[str, Any]:
    """Return the key of the sheet."""
    key: dict[str, Any] = json.loads((root / "sheet/key.json").read_text())
    return key


def luck(*names: str) -> float:
    """Return a number from 0 to 1 that depends on the names alone."""
    return int(hashlib.sha256("/".join(names).encode()).hexdigest()[:8], 16) / 2**32


def planted(item: dict[str, Any]) -> bool:
    """Return the truth that is planted behind an item: the judge is wrong on one in seven."""
    return (item["value"] == 1) != (luck("truth", item["model"], item["variant"]) < 1 / 7)


def answer_by_script(root: Path, name: str, slips: float, left_out: int = 0) -> Path:
    """Write a person's answers: the planted truth, now and then a slip or an "unclear"."""
    path = root / f"{name}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("item_id", "answer", "note"))
        for number, item in enumerate(key_of(root)["items"]):
            present = planted(item) != (luck(name, item["item_id"]) < slips)
            word = "unclear" if luck("unclear", name, item["item_id"]) < 0.05 else "present" if present else "absent"
            writer.writerow((item["item_id"], "" if number < left_out else word, ""))
    return path


@dataclass(frozen=True)
class Scored:
    """What the command printed and wrote."""

    printed: str
    report: dict[str, Any]


@pytest.fixture(scope="module")
def scored(root: Path) -> Scored:
    """The score of three people's answers."""
    paths = [
        answer_by_script(root, "ann", 0.0),
        answer_by_script(root, "ben", 0.1),
        answer_by_script(root, "cy", 0.1, 4),
    ]
    done = run_command("impactbench", "annotate", "score", "sheet", *paths, "--suite", "s", "--wide", "--out",
                       "r.json", cwd=root)  # fmt: skip
    return Scored(done.stdout, json.loads((root / "r.json").read_text()))


@pytest.fixture(scope="module")
def alone(root: Path, scored: Scored) -> Scored:
    """The score of one person's answers, which count as truth; of the same suite."""
    done = run_command(
        "impactbench", "annotate", "score", "sheet", root / "ann.csv", "--suite", "s", "--out", "a.json", cwd=root
    )
    return Scored(done.stdout, json.loads((root / "a.json").read_text()))


@pytest.fixture(scope="module")
def table(root: Path, scored: Scored) -> pd.DataFrame:
    """The items that one person answered from the files alone: key, answers, weights; no code of ours."""
    key = key_of(root)
    items = pd.DataFrame(key["items"]).set_index("item_id")
    items["present"], items["passed"] = items["value"] == 1, items["score"] == 1
    given = pd.read_csv(root / "ann.csv").set_index("item_id")["answer"].map({"present": 1.0, "absent": 0.0})
    said = items.assign(ann=given)["ann"]
    decided = items[said.notna()].assign(truth=said == 1)
    sizes = {f"{s['metric']} {s['answer']}": s["size"] for s in key["strata"]}
    counts = decided.groupby("stratum").size()
    assert set(counts.index) == set(sizes)  # every stratum is shown, so no weight has to move
    decided["weight"] = [sizes[stratum] / counts[stratum] for stratum in decided["stratum"]]
    decided["truth_passed"] = decided["truth"] == (decided["metric_type"] == "positive")
    return decided


@pytest.fixture(scope="module")
def judged(root: Path) -> pd.DataFrame:
    """Every conversation of the suite with its verdict, from HELM's files."""
    rows = [
        (f"rehearsal/{target}", name[:3], verdict["answer"] == "present", verdict["score"] == 1)
        for target in TARGETS
        for name, verdict in helm.verdicts(helm.run_folder(root, "s", f"model=rehearsal_{target}")).items()
    ]
    return pd.DataFrame(rows, columns=["model", "metric", "present", "passed"])


def test_the_sheet_is_blind(root: Path) -> None:
    """No model, type, name, goal, persona, verdict or metric id, but what is said; the key has what was hidden."""
    key = key_of(root)
    for name in ("sheet.csv", "sheet.html"):
        text = (root / "sheet" / name).read_text(encoding="utf-8-sig")
        for secret in ("Namepositive", "Avoid namenegative", "hidden-", "rehearsal/", '"model"', "mini",
                       "base_scenario", "passed", "negative", "neutral-persona", "stratum"):  # fmt: skip
            assert secret not in text, (name, secret)
        for shown in ("definition-one thing", "example-one-a", "nearmiss-one", "played-persona-"):
            assert shown in text
        if name == "sheet.csv":
            rows = list(csv.DictReader(text.splitlines(keepends=True)))
            assert [row["item_id"] for row in rows] == [item["item_id"] for item in key["items"]]
            assert {row["answer"] + row["note"] for row in rows} == {""}
    assert {item["model"] for item in key["items"]} == {f"rehearsal/{target}" for target in TARGETS}
    assert sum(item["weight"] for item in key["items"]) == pytest.approx(3 * 4 * BASES)


def test_a_second_export_gives_the_same_bytes_and_never_overwrites(root: Path) -> None:
    """Law 5; and a folder with a sheet in it is left alone, with the cure."""
    export = ("impactbench", "annotate", "export", "--suite", "s", "--conversations", PLACES, "--out-dir")
    run_command(*export, "again", cwd=root)
    for path in (root / "sheet").iterdir():
        assert (root / "again" / path.name).read_bytes() == path.read_bytes(), path.name
    done = run_command(*export, "sheet", cwd=root, ok=False)
    assert done.returncode != 0
    assert "may be answers in it" in done.stderr
    assert "--out" in done.stderr


def test_a_small_suite_gives_all_it_has(root: Path) -> None:
    """More places than conversations: all of them, and it is said."""
    done = run_command("impactbench", "annotate", "export", "--suite", "s", "--out-dir", "all", "--conversations", 500,
                       "--model", "rehearsal/mixed", cwd=root)  # fmt: skip
    assert f"There are no more: all {4 * BASES} are on the sheet (--conversations 500 at most)." in done.stdout
    assert "No item is judged" not in done.stdout
    key = json.loads((root / "all/key.json").read_text())
    assert len(key["items"]) == 4 * BASES
    assert {item["weight"] for item in key["items"]} == {1.0}


def test_agreement_is_that_of_other_packages(scored: Scored, alone: Scored, table: pd.DataFrame) -> None:
    """Kappa of people and of the judge by scikit-learn; its interval knows of clusters, and is near statsmodels'."""
    (pair,) = [pair for pair in pairs_of(scored) if (pair["first"], pair["second"]) == ("ann", "ben")]
    assert set(pd.DataFrame(key_of_items(alone))["item_id"]) == set(table.index)
    row = alone.report["presence"][0]
    assert (row["name"], row["answered"]) == ("all metrics", len(table))
    assert row["agreement"] == pytest.approx((table["present"] == table["truth"]).mean(), abs=1e-9)
    assert row["kappa"] == pytest.approx(cohen_kappa_score(table["present"], table["truth"]), abs=1e-9)
    reference = cohens_kappa(pd.crosstab(table["present"], table["truth"]).to_numpy())
    assert row["kappa_low"] == pytest.approx(reference.kappa_low, abs=0.12)
    assert row["kappa_high"] == pytest.approx(min(1, reference.kappa_upp), abs=0.08)
    assert 0.5 < pair["kappa"] < 1


def pairs_of(scored: Scored) -> list[dict[str, Any]]:
    """Return the agreement of every two people on presence."""
    pairs: list[dict[str, Any]] = scored.report["pairs"]
    assert {pair["measure"] for pair in pairs} == {"presence"}
    return pairs


def key_of_items(scored: Scored) -> list[dict[str, Any]]:
    """Return the items of the report."""
    items: list[dict[str, Any]] = scored.report["items"]
    return items


def test_kappa_between_people_is_that_of_scikit_learn(root: Path, scored: Scored) -> None:
    """Each pair over the items that both have rated, from the exported files."""
    people = {name: pd.read_csv(root / f"{name}.csv").set_index("item_id")["answer"] for name in ("ann", "ben", "cy")}
    assert len(pairs_of(scored)) == 3
    for pair in pairs_of(scored):
        both = pd.DataFrame({side: people[pair[side]] for side in ("first", "second")})
        both = both[both.isin(["present", "absent"]).all(axis=1)]
        assert pair["items"] == len(both)
        assert pair["kappa"] == pytest.approx(cohen_kappa_score(both["first"], both["second"]), abs=1e-9)


@pytest.mark.parametrize("name", ["all metrics", "positive metrics", "negative metrics", "mini/m01", "mini/m02"])
def test_error_rates_are_those_of_scikit_learn(alone: Scored, table: pd.DataFrame, name: str) -> None:
    """Weighted and plain recall of present and of absent, and Wilson's interval by statsmodels."""
    (row,) = [row for row in alone.report["presence"] if row["name"] == name]
    own = table[[name in ("all metrics", f"{kind} metrics", metric) for kind, metric in
                 zip(table["metric_type"], table["metric"], strict=True)]]  # fmt: skip
    for rate, present in (("sensitivity", True), ("specificity", False)):
        judged, truth = own["present"].astype(bool), own["truth"].astype(bool)
        weighted = recall_score(truth, judged, pos_label=present, sample_weight=own["weight"])
        assert row[rate] == pytest.approx(weighted, abs=1e-9)
        assert row[f"{rate}_unweighted"] == pytest.approx(recall_score(truth, judged, pos_label=present), abs=1e-9)
        wilson = proportion_confint(row[f"{rate}_hits"], row[f"{rate}_items"], method="wilson")
        assert (row[f"{rate}_wilson_low"], row[f"{rate}_wilson_high"]) == pytest.approx(wilson, abs=1e-9)
        assert row[f"{rate}_low"] <= row[rate] <= row[f"{rate}_high"]


@pytest.mark.parametrize("target", TARGETS)
def test_corrected_rates_are_those_computed_elsewhere(
    alone: Scored, table: pd.DataFrame, judged: pd.DataFrame, target: str
) -> None:
    """Rogan-Gladen by type from scikit-learn's recalls, prediction-powered from statsmodels' weighted means."""
    model = f"rehearsal/{target}"
    (row,) = [row for row in alone.report["corrected"] if row["name"] == model]
    own, labels = judged[judged["model"] == model], table[table["model"] == model]
    assert (row["conversations"], row["answered"]) == (len(own), len(labels))
    assert row["raw"] == pytest.approx(own["passed"].mean(), abs=1e-9)
    total = 0.0
    for metric, kind in (("m01", "positive"), ("m02", "negative")):
        items, mine = table[table["metric_type"] == kind], own[own["metric"] == metric]
        truth, answers = items["truth"].astype(bool), items["present"].astype(bool)
        sensitivity, specificity = (
            recall_score(truth, answers, pos_label=label, sample_weight=items["weight"]) for label in (True, False)
        )
        present = (mine["present"].mean() + specificity - 1) / (sensitivity + specificity - 1)
        total += len(mine) / len(own) * (present if kind == "positive" else 1 - present)
    if row["rogan_gladen"] is None:
        assert "error rates do not apply" in row["rogan_gladen_problem"]
        assert not 0 <= total <= 1
    else:
        assert row["rogan_gladen"] == pytest.approx(min(1, max(0, total)), abs=1e-9)
        assert row["rogan_gladen_clipped"] == (not 0 <= total <= 1)
    rate = own["passed"].mean()
    raked = labels["weight"] * [
        (rate if passed else 1 - rate) / labels.loc[labels["passed"] == passed, "weight"].sum()
        for passed in labels["passed"]
    ]
    difference = DescrStatsW(labels["truth_passed"].astype(float) - labels["passed"].astype(float), weights=raked).mean
    assert row["prediction_powered"] == pytest.approx(rate + difference, abs=1e-9)


def test_the_truth_is_in_the_intervals(root: Path, scored: Scored, judged: pd.DataFrame) -> None:
    """The planted truth over the whole suite lies within the corrected intervals of the benchmark."""
    passed = []
    for target in TARGETS:
        for name, verdict in helm.verdicts(helm.run_folder(root, "s", f"model=rehearsal_{target}")).items():
            item = {"value": verdict["value"], "model": f"rehearsal/{target}", "variant": name}
            passed.append(planted(item) == name.startswith("m01"))
    (row,) = [row for row in scored.report["corrected"] if row["group"] == "benchmark"]
    for method in ("rogan_gladen", "prediction_powered"):
        assert row[f"{method}_low"] <= sum(passed) / len(passed) <= row[f"{method}_high"]


def test_the_score_is_readable(scored: Scored) -> None:
    """Counts of every person, what was left out, the three tables, and what the figures take for granted."""
    for words in ("ann", "Krippendorff's alpha", " decided, ", "left out", "People, by a model of their errors",
                  "Sensitivity", "Prediction-powered", "rehearsal/mixed", "Both allow for people's errors",
                  "not for annotators",
                  "On negative metrics the judge misses the behaviour in"):  # fmt: skip
        assert words in scored.printed, words
    assert scored.printed.startswith("Rehearsal: the judge is a script.")
    assert {person["person"]: person["sensitivity"] > 0.8 for person in scored.report["labellers"]} == {
        "ann": True, "ben": True, "cy": True,
    }  # fmt: skip
    (cy,) = [person for person in scored.report["people"] if person["name"] == "cy"]
    assert cy["unanswered"] == 4


def test_bad_answers_are_refused_and_kept(root: Path) -> None:
    """Every mistake at once with its line, exit code not 0, no traceback, the file untouched."""
    path = root / "bad.csv"
    path.write_text("item_id,answer\nc00000000000,present\n" + f"{key_of(root)['items'][0]['item_id']},prsent\n")
    before = path.read_bytes()
    done = run_command("impactbench", "annotate", "score", "sheet", path, cwd=root, ok=False)
    assert done.returncode != 0
    assert "line 2: no item 'c00000000000'" in done.stderr
    assert "line 3: 'prsent' is not an answer. Write present / absent / unclear. Did you mean present" in done.stderr
    assert "Traceback" not in done.stderr
    assert path.read_bytes() == before


def test_a_suite_that_has_changed_is_not_scored(root: Path, scored: Scored, tmp_path: Path) -> None:
    """Another verdict behind an item: the answers belong to something else, and it says to what."""
    shutil.copytree(root / "benchmark_output", tmp_path / "benchmark_output")
    state = helm.run_folder(tmp_path, "s", "model=rehearsal_mixed") / "scenario_state.json"
    content = json.loads(state.read_text())
    for request_state in content["request_states"]:
        record = request_state["result"]["completions"][0]["finish_reason"]["conversation"]
        record["turns"][0]["assistant"] += " changed"
    state.write_text(json.dumps(content))
    done = run_command("impactbench", "annotate", "score", root / "sheet", root / "ann.csv", "-o",
                       tmp_path / "benchmark_output", cwd=root, ok=False)  # fmt: skip
    assert done.returncode != 0
    assert "has other words there" in done.stderr
    assert "draw a new sheet" in done.stderr


def test_help_teaches_the_workflow(root: Path) -> None:
    """Three steps in order; the commands explain themselves."""
    shown = run_command("impactbench", "annotate", "--help", cwd=root).stdout
    assert shown.index("annotate export") < shown.index("sheet.html") < shown.index("annotate score")
    assert "--seed" in run_command("impactbench", "annotate", "export", "--help", cwd=root).stdout


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a suite of every measure there is, and a sheet of all of it."""
    folder = tmp_path_factory.mktemp("mixed")
    for target in ("good", "bad"):
        kinds.write_run(folder / "benchmark_output/runs/s", target)
    run_command(
        "impactbench",
        "annotate",
        "export",
        "--suite",
        "s",
        "--out-dir",
        "sheet",
        "--conversations",
        500,
        cwd=folder,
        **write_plug_in(folder / "plug_in", mood="tests.support.kinds:Mood"),
    )
    return folder


def test_a_sheet_asks_each_metric_its_own_question(mixed: Path) -> None:
    """Points, sides, numbers and a measure of somebody else's; what is unclear or not applicable is on it too."""
    with (mixed / "sheet/sheet.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["item_id"]: row for row in csv.DictReader(file)}
    allowed = {(item["measure"], rows[item["item_id"]]["allowed"]) for item in key_of(mixed)["items"]}
    assert allowed == {
        ("presence", "present / absent / unclear"),
        ("presence", "present / absent / unclear / not_applicable"),
        ("scale", "none / some / much / unclear"),
        ("mood", "sad / flat / glad / unclear"),
        ("quantity", "a number / none_given / unclear"),
        ("stance", "party_2 / leans_party_2 / balanced / leans_party_1 / party_1 / unclear"),
    }
    statuses = {item["status"] for item in key_of(mixed)["items"]}
    assert statuses == {"scored", "unclear", "not_applicable"}
    for item in key_of(mixed)["items"]:
        transcript = rows[item["item_id"]]["transcript"]
        assert ("USER" in transcript) == (item["measure"] != "stance")
        assert item["measure"] != "stance" or "landlord" not in rows[item["item_id"]]["facts"]


AGREES = {
    "presence": lambda value: "present" if value == 1 else "absent",
    "scale": lambda value: ("none", "some", "much")[int(value)],
    "mood": lambda value: {0: "sad", 5: "flat", 10: "glad"}[int(value)],
    "quantity": lambda value: f"{value:.0f}",
    "stance": lambda value: {-1: "party_2", 0: "balanced", 1: "party_1"}[int(value)],
}


def test_every_measure_is_scored_in_one_go(mixed: Path) -> None:
    """A person who says what the judge says: no error on presence, no distance elsewhere, statuses counted apart."""
    path = mixed / "ann.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("item_id", "answer"))
        for item in key_of(mixed)["items"]:
            silent = {"unclear": "present", "not_applicable": "not_applicable"}
            word = silent.get(item["status"]) or AGREES[item["measure"]](item["value"])
            writer.writerow((item["item_id"], word))
    score = ("impactbench", "annotate", "score", "sheet", path, "--out", "r.json")
    run_command(*score, cwd=mixed, **plugged_in(mixed / "plug_in"))
    report = json.loads((mixed / "r.json").read_text())
    assert {row["name"]: row["agreement"] for row in report["presence"]}["all metrics"] == 1.0
    assert {row["name"]: (row["same_side"], row["distance"]) for row in report["distances"]} == {
        "scale": (1.0, 0.0), "mood": (1.0, 0.0), "quantity": (None, 0.0), "stance": (1.0, 0.0),
    }  # fmt: skip
    statuses = {row["pair"]: row["items"] for row in report["statuses"]}
    assert statuses == {"not applicable -> not applicable": 4, "unclear -> scored": 4}
    assert {row["name"] for row in report["corrected"]} == {"org/bad", "org/good", "kinds"}


def test_openings_are_of_the_benchmarks_that_are_named(tmp_path: Path, canonical: Canonical) -> None:
    """As the conversations of every other sheet are; an unknown model is named."""
    canonical.put(tmp_path, ("cognitive-autonomy", "cognitive-bias"), ("mixed",))
    (tmp_path / "people.txt").write_text("whats a volcano\ncan u help w my essay\n")
    words = ("annotate", "export", "--suite", "s", "--openings", "people.txt")
    run_command("impactbench", *words, "--benchmark", "cognitive-bias", "--out-dir", "sheet", cwd=tmp_path)
    sources = {item["source"].split("/")[0] for item in json.loads((tmp_path / "sheet/key.json").read_text())["items"]}
    assert sources == {"", "cognitive-bias"}
    done = run_command("impactbench", *words, "--model", "nobody", cwd=tmp_path, ok=False)
    assert done.returncode == 2
    assert "has no model 'nobody'" in done.stderr
