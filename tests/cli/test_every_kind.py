"""Every command that reads a suite, on every kind of suite: it works, or says in one line why a part takes no part."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helm_impactbench.cli import main
from tests.cli.builders import write_suites


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a suite of each kind."""
    folder = tmp_path_factory.mktemp("kinds")
    write_suites(folder)
    return folder


@pytest.fixture
def suites(made: Path, workdir: Path) -> Path:
    """A copy of it, to work in."""
    shutil.copytree(made, workdir, dirs_exist_ok=True)
    return workdir


def run(command: str) -> Result:
    """Run a command in this process; its tables are as wide as they need."""
    return CliRunner().invoke(main, command.split(), catch_exceptions=False, env={"COLUMNS": ""})


NO_VERDICT = "has a verdict, so there is no rank"
NO_RATE = "a contrast has no pass rate"
KINDS = ("mixed", "contrasts", "panels", "unjudged", "quantities", "levels")
NO_COMMON_UNIT = "kinds/pays is in units of its own"
NOT_IN_REFERENCE = "!No case of the suite is in the reference"
COMMANDS = {
    # command: what is said of each of KINDS; "!" means exit code 2, "?" 1
    "rates": (NO_RATE, f"!{NO_RATE}", "panel_harm_bench", NO_VERDICT, f"!{NO_RATE}", f"!{NO_RATE}"),
    "rates --by overall": ("safety", f"!{NO_RATE}", "safety", NO_VERDICT, f"!{NO_RATE}", f"!{NO_RATE}"),
    "rates --by factor:size": (
        "large", f"!{NO_RATE}", "!has no factor 'size'", NO_VERDICT, f"!{NO_RATE}", f"!{NO_RATE}",
    ),
    "rates --by axis:teller": (
        "!No metric with a pass rate has axis:teller; see impactbench contrasts --by metric.", f"!{NO_RATE}",
        "!has no axis", "!No metric with a pass rate", f"!{NO_RATE}", f"!{NO_RATE}",
    ),
    "rates --weigh severity": (
        "Weighed by severity", f"!{NO_RATE}", "!--weigh severity", "!--weigh severity", f"!{NO_RATE}", f"!{NO_RATE}",
    ),
    "rates --reference mixed": (
        "!--reference is the suite itself", f"!{NO_RATE}", "With reference", "2 of 2 rates cannot be estimated",
        f"!{NO_RATE}", f"!{NO_RATE}",
    ),
    "compare": (
        "Models on impact benchmarks, best first", "No mean scores", "Models on safety benchmarks", f"!{NO_VERDICT}",
        "Typical gap between groups", "Typical gap between groups",
    ),
    "contrasts": (
        "Significant: 3 of 6 differences", "a minus neutral", "nothing to contrast", f"!{NO_VERDICT}",
        "Aisha minus Anna    -10,000 (unknown)", "b minus neutral",
    ),
    "contrasts --by factor:size --wide": (
        "both sides affirmed", "agrees with the person", "!has no factor", f"!{NO_VERDICT}", "-10,000",
        "b minus neutral",
    ),
    "contrasts --by axis:name": (
        "Not broken down by axis:name: kinds/pays.", "Not broken down by axis:name: kinds/pays.", "!has no axis",
        f"!{NO_VERDICT}", "Not broken down by axis:name: kinds/pays.", "!has no axis",
    ),
    "agreement": (
        "Mean distance", "Mean distance", "Mean distance", f"!{NO_VERDICT}", "Mean distance", "Mean distance",
    ),
    "items": (
        "neither spread, nor item-rest", "neither spread, nor item-rest", "need attention", "never scored",
        "neither spread, nor item-rest", "neither spread, nor item-rest",
    ),
    "gate --max contrast_gap_size=0.5": (
        "?in units of its own", "?in units of its own", "?No data for this condition", f"?{NO_VERDICT}",
        "?UNDECIDED", "?UNDECIDED",
    ),
    "gate --min pass_rate=0.5": (
        "?safety", "?No data for this condition", "?UNDECIDED", f"?{NO_VERDICT}", "?No data for this condition",
        "?No data for this condition",
    ),
    "gate --min pass_rate=0.5 --reference mixed": (
        "!--reference is the suite itself", NOT_IN_REFERENCE, "?estimated from the drawn ones", "?UNDECIDED",
        NOT_IN_REFERENCE, NOT_IN_REFERENCE,
    ),
    "gate --max not_applicable=0.9": ("?UNDECIDED", " met.", " met.", NO_VERDICT, " met.", " met."),
    "power --pair org/good org/bad --difference 0.2": (
        "differences of scores, which a contrast does not have", "!which a contrast does not have", "safety:",
        f"!{NO_VERDICT}", "!which a contrast does not have", "!which a contrast does not have",
    ),
    "components": (
        "capability: too few conversations have a verdict to say where the variance of scores",
        "gaps of contrast metrics",
        "Unknown, which is not 0: metric", f"!{NO_VERDICT}",
        "!impact: nothing is said of the gaps of kinds/pays: the measure has no range",
        "!impact: nothing is said of the gaps of kinds/sides: more than two levels are compared",
    ),
    "power --gap org/bad teller a b --difference 0.2": (
        "kinds, contrast metrics", "kinds, contrast metrics", "!No axis 'teller'", f"!{NO_VERDICT}",
        "!No axis 'teller'", "kinds, contrast metrics",
    ),
    "power --gap org/bad name Anna Aisha --difference 1": (
        "!without a range", "!without a range", "!No axis 'name'", f"!{NO_VERDICT}", "!without a range",
        "!No axis 'name'",
    ),
    "annotate export --out-dir sheet --conversations 20": (
        "judged conversations (metrics: 7", "judged conversations (metrics: 2", "metrics: 1",
        "!has no judged conversation", "metrics: 1", "metrics: 1",
    ),
    "explain": (
        "no conversation fails by itself", "0 conversations of 60 failed", " failed; ",
        " failed; ", "no conversation fails by itself", "no conversation fails by itself",
    ),
    "cite": (
        "judged each conversation", "judged each conversation", "We ran 1 benchmark (panel_harm_bench)",
        "We ran 1 benchmark", "judged each conversation", "judged each conversation",
    ),
    "label": (
        "Left out, because a label is about human impact", "faulty or not installed here", "!no run on a benchmark",
        "faulty or not installed here", "faulty or not installed here", "faulty or not installed here",
    ),
    "audit swap --suite contrasts": (
        NO_COMMON_UNIT, "!is given twice", "!No model has a result", "!No model has a result",
        "distance from 0", "distance from 0",
    ),
    "drift --suite contrasts": (
        "changed could not be tested", "!is given twice", "Nothing could be tested",
        "changed could not be tested", "changed could not be tested", "changed could not be tested",
    ),
    "checks": ("!was checked",) * 6,
    "contamination": ("!both published and private",) * 6,
    "audit simulator --reviewer rehearsal/judge": ("!with fixed messages and no simulated user",) * 6,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_command_works_or_says_why_not(suites: Path, command: str, kind: str) -> None:
    """Exit code 2 only where nothing can take part, and never a traceback."""
    words = COMMANDS[command][KINDS.index(kind)]
    code = {"!": 2, "?": 1}.get(words[0], 0)
    name, *options = command.split()
    sub = [options.pop(0)] if name in ("audit", "annotate") else []
    done = run(" ".join([name, *sub, "--suite", kind, *options]))
    assert words.lstrip("!?") in done.output
    assert done.exit_code == code, done.output


@pytest.mark.parametrize("kind", ["mixed", "contrasts", "quantities", "levels"])
@pytest.mark.parametrize(
    "command",
    ["compare", "contrasts", "contrasts --by metric --wide", "gate --max contrast_gap_size=0.5", "components",
     "audit swap --suite other"],
)  # fmt: skip
def test_a_contrast_metric_that_no_figure_counts_is_named(suites: Path, command: str, kind: str) -> None:
    """Law: a figure of the whole benchmark counts the metric with a range, or the only one; all others are named."""
    runs = suites / "benchmark_output/runs"
    shutil.copytree(runs / kind, runs / "other")
    name, *options = command.split()
    sub = [options.pop(0)] if name == "audit" else []
    done = run(" ".join([name, *sub, "--suite", kind, *options]))
    metrics = {"quantities": {"pays"}, "levels": {"sides"}}.get(kind, {"pays", "sides"})
    counted = {"sides"} if len(metrics) > 1 else metrics
    if command == "contrasts --by metric --wide" or (name == "components" and len(metrics) == 1):
        counted = set()
    for metric in metrics - counted:
        assert f"kinds/{metric}" in done.output, done.output


def test_rates_and_contrasts_of_a_mixed_suite_are_written_whole(suites: Path) -> None:
    """Nothing is dropped without a word: each benchmark is in one of the two, with all of its conversations."""
    assert run("rates --suite mixed --by metric --out rates.json").exit_code == 0
    assert run("contrasts --suite mixed --by metric --out contrasts.json").exit_code == 0
    rates, contrasts = (json.loads(Path(f"{name}.json").read_text()) for name in ("rates", "contrasts"))
    contrasts = contrasts["contrasts"]
    told = {(row["scope"], row["part"]) for row in [*rates, *contrasts]}
    assert told == {
        ("gsm", "final_number_exact_match"), ("panel_harm_bench", "refuses"),
        *(("kinds", metric) for metric in ("helps", "harms", "blames", "sounds", "pays", "sides")),
    }  # fmt: skip
    (helps,) = [row for row in rates if (row["model"], row["part"]) == ("org/good", "helps")]
    assert (helps["conversations"], helps["scored"], helps["not_applicable"]) == (12, 10, 2)
    (sides,) = [
        row
        for row in contrasts
        if (row["model"], row["part"], row["figure"]) == ("org/bad", "sides", "both_sides_rate")
    ]
    assert (sides["value"], sides["scored"], sides["conversations"]) == (1.0, 18, 18)


def test_severity_weighs_what_is_present(suites: Path) -> None:
    """A severe behaviour costs all, a slight one a third; without weights each costs all."""
    for name, options in (("plain", ""), ("weighed", "--weigh severity")):
        assert run(f"rates --suite mixed --by metric {options} --out {name}.json").exit_code == 0
    plain, weighed = (
        {(row["model"], row["part"]): row["pass_rate"] for row in json.loads(Path(f"{name}.json").read_text())}
        for name in ("plain", "weighed")
    )
    assert plain["org/bad", "harms"] == 0
    assert 0 < weighed["org/bad", "harms"] < 1
    assert {key for key in plain if plain[key] != weighed[key]} == {("org/bad", "harms")}


@pytest.mark.parametrize("kind", ["mixed", "contrasts", "panels", "unjudged"])
def test_every_kind_is_rejudged_and_compared_with_what_it_was(suites: Path, kind: str) -> None:
    """HELM's own runs have no conversations, and a line says so; all others get verdicts of the new judge."""
    own = f"--local-path {suites / 'prod_env'}"  # this process keeps a caller for each
    done = run(f"rejudge --suite {kind} --judge rehearsal/judge --to-suite again --out flips.json {own}")
    assert done.exit_code == 0, done.output
    left = "2 runs left out: HELM's own runs have scores, but no conversations" in done.output
    assert left == (kind == "mixed")
    flips = json.loads(Path("flips.json").read_text())
    overall = [row for row in flips["changes"] if row["over"] == "all"]
    measures = {row["measure"] for row in overall}
    kinds = {"presence", "scale", "mood", "quantity", "stance"}
    assert measures == {"contrasts": {"quantity", "stance"}, "panels": {"scale"}}.get(kind, kinds)
    if kind == "unjudged":
        assert "audit swap" not in done.output
        assert sum(row["newly_scored"] for row in overall) > 0
        return
    swapped = run(f"audit swap --suite {kind} --suite again --out swap.json")
    assert swapped.exit_code == 0, swapped.output
    report = json.loads(Path("swap.json").read_text())
    assert {found["measure"] for found in report["agreement"]} == measures
    scopes = {"mixed": {"impact", "safety", "kinds"}, "contrasts": {"kinds"}, "panels": {"safety"}}[kind]
    assert {ranking["scope"] for ranking in report["rankings"]} == scopes
