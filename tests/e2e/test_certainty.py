"""How sure the figures are, through the real commands: HELM's pages, our tables, references computed from the files.

One suite: two shipped benchmarks x four scripted targets, judged by a panel of three scripted judges of whom two err.
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
import yaml
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from helm_impactbench import load_benchmark, load_suite
from helm_impactbench.files.resources import shipped
from tests.support import builders, helm
from tests.support.canonical import Canonical
from tests.support.commands import run_command

SLUGS = ("emotional-dependence", "prosocial")
TARGETS = ("supportive", "harmful", "mixed", "minors-only")
PANEL = "rehearsal/judge+rehearsal/strict-judge+rehearsal/lenient-judge"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A working directory with the suite `s`, run and summarized."""
    folder = tmp_path_factory.mktemp("certainty")
    canonical.put(folder, SLUGS, TARGETS, judge=PANEL)
    run_command("impactbench", "summarize", "--suite", "s", cwd=folder)
    return folder


def figures(suite: Path, command: str, *options: str, name: str = "out.json") -> Any:
    """Return what a command writes with --out."""
    run_command("impactbench", *command.split(), "--suite", "s", "--out", name, *options, cwd=suite)
    text = (suite / name).read_text()
    return json.loads(text) if name.endswith("json") else list(csv.DictReader(text.splitlines()))


def verdicts(suite: Path) -> dict[tuple[str, str, str], bool]:
    """Return (model, slug, variant) -> passed, read from HELM's files without any of our code."""
    found = {}
    for slug in SLUGS:
        for target in TARGETS:
            folder = _folder(suite, slug, target)
            for variant, verdict in helm.verdicts(folder).items():
                if "score" in verdict:
                    found[f"rehearsal/{target}", slug, variant] = verdict["score"] == 1
    return found


def _folder(suite: Path, slug: str, target: str) -> Path:
    (found,) = (suite / "benchmark_output/runs/s").glob(f"*benchmark={slug},*model=rehearsal_{target}")
    return found


def table(suite: Path, group: str) -> list[dict[str, Any]]:
    """Return the first table of a run group as helm-server reads it; repeated headers get the one before as prefix."""
    (first, *_) = json.loads((suite / f"benchmark_output/runs/s/groups/{group}.json").read_text())
    names, last = [], ""
    for cell in first["header"]:
        names.append(f"{last} {cell['value']}" if cell["value"] == "95% interval" else cell["value"])
        last = cell["value"]
    return [dict(zip(names, [cell.get("value") for cell in row], strict=True)) for row in first["rows"]]


def test_helm_server_and_compare_show_the_same_numbers(suite: Path) -> None:
    """Score, interval and ranks of every model; no mean stands for people who differ."""
    shown = {row["Model"]: row for row in table(suite, "impactbench")}
    for model in figures(suite, "compare")["models"]:
        name = model["model"].removeprefix("rehearsal/")
        row = shown[f"Rehearsal {name} (scripted)"]
        if name == "minors-only":
            assert row["Mean score"] == "people differ by age"
            assert not row["Mean score 95% interval"]
            assert not row["Rank"]
        else:
            best, worst = model["best_rank"], model["worst_rank"]
            assert row["Mean score"] == pytest.approx(model["mean_score"], abs=1e-12)
            assert row["Mean score 95% interval"] == f"{model['low_these']:.3f} to {model['high_these']:.3f}"
            assert row["Rank"] == (str(best) if best == worst else f"{best} to {worst}")
        for slug, rate in model["benchmarks"].items():
            assert row[_name(slug)] == pytest.approx(rate, abs=1e-12)


def _name(slug: str) -> str:
    return str(yaml.safe_load(shipped("benchmarks", slug, "benchmark.yaml").read_text())["name"])


def test_helm_server_says_of_every_group_who_judged(suite: Path) -> None:
    """Before all else that it says of the leaderboard and of a benchmark."""
    schema = json.loads((suite / "benchmark_output/runs/s/schema.json").read_text())
    told = {group["name"]: group["description"] for group in schema["run_groups"]}
    for group in ("impactbench", *SLUGS):
        assert told[group].startswith("Rehearsal: the judge is a script."), told[group]
        assert all(judge in told[group].splitlines()[0] for judge in PANEL.split("+"))


def test_a_benchmarks_page_carries_the_intervals_of_rates(suite: Path) -> None:
    """The cell beside the pass rate is what `rates` says, and what the run's own statistics say."""
    rows = {row["Model"]: row for row in table(suite, "prosocial")}
    rates = [rate for rate in figures(suite, "rates", "--by", "benchmark")["rates"] if rate["scope"] == "prosocial"]
    assert rates
    for rate in rates:
        target = rate["model"].removeprefix("rehearsal/")
        expected = f"{rate['low_these']:.3f} to {rate['high_these']:.3f}"
        assert rows[f"Rehearsal {target} (scripted)"]["Pass rate 95% interval"] == expected
        folder = _folder(suite, "prosocial", target)
        assert helm.stats(folder, "pass_rate_low") == {None: (pytest.approx(rate["low_these"]), 1)}
        assert helm.stats(folder, "pass_rate_high") == {None: (pytest.approx(rate["high_these"]), 1)}
    details = table(suite, "impactbench_details")
    assert "95% from" not in details[0]  # over several benchmarks, a mean of bounds is not a bound


def test_rates_agree_with_a_reference(suite: Path) -> None:
    """Means and counts by metric, from HELM's files, to 1e-9; intervals no narrower than Wilson's with statsmodels."""
    found = verdicts(suite)
    for row in figures(suite, "rates", "--by", "metric", name="rates.csv"):
        slug, metric = row["scope"], row["part"]
        own = [passed for (model, s, variant), passed in found.items()
               if (model, s) == (row["model"], slug) and variant.startswith(metric)]  # fmt: skip
        low, high = proportion_confint(sum(own), len(own), method="wilson")
        assert (int(row["scored"]), float(row["pass_rate"])) == (len(own), pytest.approx(np.mean(own), abs=1e-9))
        assert float(row["high_these"]) - float(row["low_these"]) >= high - low - 1e-9


def test_differences_agree_with_a_reference(suite: Path) -> None:
    """Paired differences from HELM's files with numpy, to 1e-9; tests as near as random signs are to each other."""
    found, compared = verdicts(suite), figures(suite, "compare")
    pairs = compared["pairs"]
    assert len(pairs) == 3  # without minors-only, of which no average is a result
    for pair in pairs:
        means, count = [], 0
        for slug in SLUGS:
            shared = [
                float(found[pair["first"], slug, variant]) - float(found[pair["second"], slug, variant])
                for model, s, variant in found
                if (model, s) == (pair["first"], slug) and (pair["second"], slug, variant) in found
            ]
            means.append(np.mean(shared))
            count += len(shared)
        assert pair["difference"] == pytest.approx(np.mean(means), abs=1e-9)
        assert pair["pairs"] == count
    most = multipletests([pair["p"] for pair in pairs], method="bonferroni")[1]  # max-T is never more careful than that
    assert all(p["p"] <= p["adjusted_p"] <= careful + 0.02 for p, careful in zip(pairs, most, strict=True))
    for pair in pairs:  # one number, one verdict
        assert pair["found"] == (pair["low_these"] > 0 or pair["high_these"] < 0)
    # The p value by a sign-flip test written out here.
    (close,) = [p for p in pairs if {p["first"], p["second"]} == {"rehearsal/mixed", "rehearsal/supportive"}]
    by_base: dict[tuple[str, str], float] = {}
    sizes = Counter(slug for model, slug, _ in found if model == close["first"])
    for (model, slug, variant), passed in found.items():
        if model == close["first"]:
            difference = float(passed) - float(found[close["second"], slug, variant])
            by_base[slug, variant[:8]] = by_base.get((slug, variant[:8]), 0.0) + difference / sizes[slug]
    moves = np.array(list(by_base.values()))
    flipped = np.random.default_rng(1).choice([-1, 1], (20_000, len(moves))) @ moves
    assert close["p"] == pytest.approx(np.mean(np.abs(flipped) >= abs(moves.sum()) - 1e-9), abs=0.02)


def test_agreement_agrees_with_a_reference(suite: Path) -> None:
    """Krippendorff's alpha, Cohen's kappa and split votes of the panel, to 1e-9, in the command and in HELM's files."""
    written = figures(suite, "agreement")
    found = written["panel"]
    judges = PANEL.split("+")
    implied = {row["judge"]: row for row in written["judges"]}
    assert implied["rehearsal/judge"]["sensitivity"] > 0.99
    assert (
        0.65
        < implied["rehearsal/strict-judge"]["sensitivity"]
        < 0.92
        < implied["rehearsal/strict-judge"]["specificity"]
    )
    assert (
        0.65
        < implied["rehearsal/lenient-judge"]["specificity"]
        < 0.92
        < implied["rehearsal/lenient-judge"]["sensitivity"]
    )
    (shared,) = written["shared"]
    assert not shared["found"]
    for scope in SLUGS:
        presence = tuple(one.id for one in load_benchmark(scope).metrics if one.measure.kind == "presence")
        votes = [
            [vote["value"] for vote in verdict["votes"]]
            for target in TARGETS
            for name, verdict in helm.verdicts(_folder(suite, scope, target)).items()
            if name.startswith(presence)
        ]
        alpha = krippendorff.alpha(np.array(votes, dtype=float).T, level_of_measurement="nominal")
        (whole,) = [
            row for row in found if (row["scope"], row["measure"]) == (scope, "presence")
        ]  # once: it is the panel's, and no pair's
        assert whole["alpha"] == pytest.approx(alpha, abs=1e-9)
        assert whole["split"] == pytest.approx(np.mean([len(set(item)) > 1 for item in votes]), abs=1e-9)
        pairs = [row for row in written["pairs"] if (row["scope"], row["measure"]) == (scope, "presence")]
        for row, (i, j) in zip(pairs, combinations(range(3), 2), strict=True):
            assert (row["first"], row["second"]) == (judges[i], judges[j])
            expected = cohen_kappa_score([item[i] for item in votes], [item[j] for item in votes])
            assert row["kappa"] == pytest.approx(expected, abs=1e-9)
    folder = _folder(suite, "prosocial", "mixed")
    named = tuple(one.id for one in load_benchmark("prosocial").metrics if one.measure.kind == "presence")
    own = [
        [vote["value"] for vote in verdict["votes"]]
        for name, verdict in helm.verdicts(folder).items()
        if name.startswith(named)
    ]
    expected = cohen_kappa_score([item[0] for item in own], [item[1] for item in own])
    assert helm.stats(folder, "judge_kappa_1_2") == {None: (pytest.approx(expected, abs=1e-9), 1)}
    alpha = krippendorff.alpha(np.array(own, dtype=float).T, level_of_measurement="nominal")
    assert helm.stats(folder, "judge_alpha") == {None: (pytest.approx(alpha, abs=1e-9), 1)}


def test_the_age_gap_is_found_only_where_it_was_planted(suite: Path) -> None:
    """Overall and on each benchmark: `minors-only` and nobody else; figures to other tools for all three levels."""
    found = figures(suite, "contrasts")
    by_level = {level: [row for row in found if row["part"] == level] for level in ("overall", "benchmark", "metric")}
    assert {row["model"] for row in by_level["overall"] if row["found"]} == {"rehearsal/minors-only"}
    in_benchmarks = {(row["model"], row["scope"]) for row in by_level["benchmark"] if row["found"]}
    assert in_benchmarks == {("rehearsal/minors-only", slug) for slug in SLUGS}
    assert not [row for row in by_level["metric"] if row["found"] and row["model"] != "rehearsal/minors-only"]
    gaps = [row for row in by_level["overall"] if row["found"]]
    assert ("adult (18+)", "child or teenager (6-17)") in {(gap["first"], gap["second"]) for gap in gaps}
    assert min(abs(gap["value"]) for gap in gaps) > 0.9
    printed = run_command("impactbench", "contrasts", "--suite", "s", cwd=suite).stdout
    tested = f"{len(gaps)} of {len(by_level['overall'])}"
    assert f"Significant: {tested} differences of pass rates over all benchmarks (max-T, 5%)." in printed


def test_models_are_told_apart_and_one_with_which_people_differ_is_in_no_group(suite: Path) -> None:
    """Groups and ranks follow from the tests; scripted models are called so."""
    result = load_suite("s", suite / "benchmark_output").compare()
    groups = {row["model"].removeprefix("rehearsal/"): row["group"] for row in result["models"].rows}
    assert groups == {"supportive": "a", "mixed": "b", "harmful": "c", "minors-only": ""}
    assert any(note.startswith("Scripted, not language models: ") for note in result.notes)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--min", "pass_rate=0.8", "--model", "rehearsal/supportive"), 0, "1 of 1 condition met"),
        (("--min", "pass_rate=0.8"), 1, "1 of 4 conditions met"),
        (("--min", "pass_rate=0.5", "--model", "rehearsal/mixed"), 1, "UNDECIDED"),
        (("--max", "unscored=0.05"), 0, "4 of 4 conditions met"),
        (("--max", "unscored=0.05", "--baseline", "s"), 2, "--baseline is the suite itself"),
        (("--min", "pass_rate=0.1", "--metric", "prosocial/m01", "--model", "rehearsal/supportive"), 0, "PASS"),
        (("--max", "contrast_gap_size=0.1"), 1, "4 cannot be decided because there is no case to take a value from"),
        ((), 2, "Nothing to check"),
        (("--min", "passrate=0.8"), 2, "Did you mean pass_rate"),
        (("--min", "pass_rate=80"), 2, "It must be a number from 0 to 1"),
        (("--min", "pass_rate=0.8", "--metric", "prosocal/m01"), 2, "Did you mean prosocial/m01"),
        (("--min", "pass_rate=0.8", "--baseline", "t"), 2, "No suite 't'"),
        (("--min", "pass_rate=0.8", "--model", "rehearsal/mixd"), 2, "Did you mean rehearsal/mixed"),
        (("--max", "contrast_gap_size=inf"), 2, "has no usable value. It must be a number from 0, for example"),
        (("--max", "contrast_gap_size=nan"), 2, "has no usable value"),
        (("--min", "pass_rate=0.8", "--out", "figures.txt"), 2, "must end in .csv or .json or .md"),
    ],
)
def test_the_gate(suite: Path, options: tuple[str, ...], code: int, words: str) -> None:
    """Exit codes for CI, and a cure for every wrong use."""
    done = run_command("impactbench", "gate", "--suite", "s", *options, cwd=suite, ok=False)
    assert words in done.stdout + done.stderr
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_power_says_what_it_would_take(suite: Path) -> None:
    """The nearest pair needs more scenarios than there are; a pair far apart needs few."""
    near = figures(suite, "power", "--pair", "rehearsal/mixed", "rehearsal/minors-only", "--difference", "0.1")
    far = figures(suite, "power", "--pair", "rehearsal/supportive", "rehearsal/harmful", "--difference", "0.9")
    assert near[0]["samples"] == 1
    assert near[0]["scenarios_needed"] > 72 > far[0]["scenarios_needed"]


def test_power_counts_conversations_and_dollars(suite: Path) -> None:
    """Base scenarios x conversations x models; scripted models cost nothing, and --usd-each takes their place."""
    pair = ("--pair", "rehearsal/mixed", "rehearsal/minors-only", "--difference", "0.2")
    own = figures(suite, "power", *pair)[0]
    priced = figures(suite, "power", *pair, "--usd-each", "0.5", "--among", "10")[0]
    assert (own["models"], priced["models"]) == (4, 10)
    assert own["conversations"] == own["conversations_per_side"] * 4
    assert own["usd"] == 0
    assert priced["usd"] == priced["conversations"] * 0.5
    assert priced["scenarios_needed"] > own["scenarios_needed"]


def test_components_say_where_variance_comes_from(suite: Path) -> None:
    """Shares add up to 1, what the suite cannot tell has a reason, and a line is advice with its price."""
    found = figures(suite, "components", "--usd-each", "0.5")
    parts = {row["component"]: row for row in found["components"]}
    assert sum(row["share"] or 0.0 for row in parts.values()) == pytest.approx(1)
    assert {"metric", "scenario", "judge x conversation"} <= set(parts)
    assert "one simulated user" in parts["simulated user"]["unknown_because"]
    options = {row["twice"]: row for row in found["options"]}
    assert options["base scenarios per metric"]["error_these"] < options[""]["error_these"]
    assert options["base scenarios per metric"]["more_usd"] == 0.5 * options["variants"]["more_conversations"]
    said = run_command("impactbench", "components", "--suite", "s", cwd=suite).stdout
    assert "The next dollar buys most with" in said


def test_components_take_a_rejudged_suite_with_it(suite: Path) -> None:
    """Conversations are the same: a judge that says the same again adds nothing, and new judges are told apart."""
    only = ("--benchmark", "prosocial", "--model", "rehearsal/mixed")
    run_command("impactbench", "rejudge", "--suite", "s", "--judge", "rehearsal/judge", "--to-suite", "t", *only,
                cwd=suite)  # fmt: skip
    alone = figures(suite, "components", *only)
    assert figures(suite, "components", *only, "--also", "t") == alone
    run_command("impactbench", "components", "--suite", "t", *only, "--also", "s", "--out", "t.json", cwd=suite)
    turned, expected = (
        {row["component"]: row["variance"] or 0.0 for row in tables["components"]}
        for tables in (json.loads((suite / "t.json").read_text()), alone)
    )
    assert turned == pytest.approx(expected)
    done = run_command("impactbench", "components", "--suite", "s", "--also", "none", cwd=suite, ok=False)
    assert "No suite 'none'" in done.stderr


def test_power_from_assumptions_needs_no_suite(tmp_path: Path) -> None:
    """What is assumed is printed, defaults too, and the last line says what may be concluded."""
    assumed = "rate=0.7,variants=6,levels=2"
    done = run_command(
        "impactbench", "power", "--assume", assumed, "--difference", 0.3, "--usd-each", 0.5, cwd=tmp_path
    )
    assert "Assumed: rate 0.7, icc 0.3, repeat 0.3, alike 0.5, 6 variants. Wanted: 0.300" in done.stdout
    assert "corrected for 2 contrasts" in done.stdout
    assert "between two levels is found in four of five such suites" in done.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--suite", "s", "--pair", "rehearsal/mixed", "rehearsal/mixed", "--difference", "0.1"),
            "Give two different targets",
        ),
        (
            ("--suite", "s", "--pair", "rehearsal/mixed", "rehearsal/none", "--difference", "0.1"),
            "No model 'rehearsal/none'",
        ),
        (("--pair", "rehearsal/mixed", "rehearsal/bad"), "Name a suite with one of --pair"),
        (("--suite", "s", "--difference", "0.1"), "impactbench power --assume rate=0.7,icc=0.3,variants=2"),
        (("--suite", "s", "--pair", "rehearsal/mixed", "rehearsal/harmful"), "--difference is missing. Name the"),
        (("--rate-below", "0.01", "--difference", "0.1"), "leave out --difference"),
        (("--suite", "s", "--assume", "rate=0.5", "--difference", "0.1"), "leave out --suite"),
        (("--assume", "rate=0.5"), "--assume needs --difference"),
        (("--assume", "rat=0.5", "--difference", "0.1"), "Did you mean rate or repeat?"),
        (("--assume", "icc=0.5", "--difference", "0.1"), "has no rate"),
        (("--assume", "rate=0.5,rate=0.4", "--difference", "0.1"), "sets rate twice"),
        (("--assume", "rate=nan", "--difference", "0.1"), "it must be a number from 0 to 1"),
        (("--assume", "rate=0.5,variants=1.5", "--difference", "0.1"), "it must be a whole number from 1 to 1000"),
        (("--assume", "rate=0.5,icc=0.5,repeat=0.2", "--difference", "0.1"), "It must be at least icc"),
        (("--assume", "rate=0.99", "--difference", "0.1"), "allowed: from 0 to 1"),
    ],
)
def test_power_says_what_is_wrong(suite: Path, options: tuple[str, ...], words: str) -> None:
    """Wrong use is answered with what is allowed."""
    done = run_command("impactbench", "power", *options, cwd=suite, ok=False)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_judge_that_errs_is_seen_in_agreement_by_metric_and_items(suite: Path) -> None:
    """Erring judges split votes; the panel's majority still separates the anchors on nearly every metric."""
    items = figures(suite, "items")
    assert len(items) == 24
    split = {metric["metric"]: metric["split"] for metric in items}
    scales = {
        f"{slug}/{one.id}" for slug in SLUGS for one in load_benchmark(slug).metrics if one.measure.kind == "scale"
    }
    assert {metric for metric, share in split.items() if share is None} == scales, "points of a scale differ by more"
    assert 0 < np.mean([share for share in split.values() if share is not None]) < 0.5
    assert min(metric["auroc"] for metric in items) > 0.75


def test_a_contradiction_in_the_files_stops_every_reading(suite: Path) -> None:
    """Conversations = scored + unscored: a run whose files say otherwise is refused by name, not averaged."""
    state = _folder(suite, "prosocial", "mixed") / "scenario_state.json"
    text = state.read_text()
    broken = json.loads(text)
    broken["request_states"][0]["annotations"]["impactbench"]["record"]["verdict"]["score"] = 0.5
    state.write_text(json.dumps(broken))
    try:
        done = run_command("impactbench", "rates", "--suite", "s", cwd=suite, ok=False)
    finally:
        state.write_text(text)
    assert done.returncode == 2
    assert "is not consistent" in done.stderr
    assert "benchmark=prosocial" in done.stderr


SAMPLED = "impactbench:benchmark=mini,samples=3,user=rehearsal/user,judge=rehearsal/lenient-judge"


def test_samples(tmp_path: Path) -> None:
    """Unanimity, Fleiss' kappa, one sample against the majority and pass^k over three samples, to 1e-9."""
    rows = [builders.scenario(metric, base, v) for metric in ("m01", "m02") for base in range(1, 13) for v in (1, 2)]
    builders.write_benchmark_folder(tmp_path / "benchmarks/mini", scenarios=rows)
    run_command("helm-run", "--run-entries", f"{SAMPLED},model=rehearsal/mixed", "--suite", "s", "-m", 10000,
                cwd=tmp_path)  # fmt: skip
    folder = helm.run_folder(tmp_path, "s", "mini")
    by_variant: dict[str, list[bool]] = {}
    for case, verdict in helm.verdicts(folder).items():
        by_variant.setdefault(case.split("_r")[0], []).append(verdict["score"] == 1)
    assert {len(samples) for samples in by_variant.values()} == {3}
    passes = [sum(samples) for samples in by_variant.values()]
    expected = {
        "sample_unanimity": np.mean([n in (0, 3) for n in passes]),
        "sample_single_agreement": np.mean([max(n, 3 - n) / 3 for n in passes]),
        "pass_hat_k": np.mean([n == 3 for n in passes]),
    }
    counts = np.array([[n, 3 - n] for n in passes])
    if len(set(passes)) > 1:
        expected["sample_fleiss_kappa"] = fleiss_kappa(counts)
    for name, value in expected.items():
        assert helm.stats(folder, name) == {None: (pytest.approx(float(value), abs=1e-9), 1)}
    run_command("impactbench", "agreement", "--suite", "s", "--out", "a.json", cwd=tmp_path)
    (whole, *_) = json.loads((tmp_path / "a.json").read_text())["samples"]
    assert whole["unanimous"] == pytest.approx(expected["sample_unanimity"], abs=1e-9)
    assert whole["all_pass"] == pytest.approx(expected["pass_hat_k"], abs=1e-9)


def test_one_judge_and_one_sample_leave_agreement_undefined(suite: Path, canonical: Canonical) -> None:
    """Nothing to compare is said in a sentence; in HELM's files the statistics have no value."""
    canonical.put(suite, ["prosocial"], ["mixed"], suite="one")
    done = run_command("impactbench", "agreement", "--suite", "one", cwd=suite, ok=False)
    assert done.returncode == 2
    assert "Run with judge=a+b, validate=b or samples=3" in done.stderr
    folder = helm.run_folder(suite, "one", "prosocial")
    for name in ("judge_alpha", "judge_split_rate", "sample_unanimity", "pass_hat_k"):
        assert helm.stats(folder, name) == {None: (0, 0)}
    assert not math.isnan(helm.stats(folder, "pass_rate_low")[None][0])


def test_a_polarity_error_in_a_benchmark_is_found(tmp_path: Path) -> None:
    """A metric's type turned round by mistake: the order of the models stays, `items` names the metric."""
    slug = "prosocial"
    source = shipped("benchmarks", slug)
    content = yaml.safe_load((source / "benchmark.yaml").read_text())
    turned = content["metrics"][4]
    turned["type"] = "negative" if turned["type"] == "positive" else "positive"
    builders.write_benchmark_folder(
        tmp_path / "benchmarks" / slug, content, json.loads((source / "scenarios.json").read_text())
    )
    entry = f"impactbench:benchmark={slug},turns=6,user=rehearsal/user,judge=rehearsal/judge"
    entries = [f"{entry},model=rehearsal/{target}" for target in TARGETS]
    run_command("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 10000, cwd=tmp_path)
    order = [row["model"] for row in figures(tmp_path, "compare")["models"]]
    assert (order[0], order[2]) == ("rehearsal/supportive", "rehearsal/harmful")  # then who is set apart
    found = [row for row in figures(tmp_path, "items") if row["findings"]]
    assert [row["metric"] for row in found] == [f"{slug}/{turned['id']}"]
    assert found[0]["auroc"] == 0
    assert "inverted" in found[0]["findings"]
