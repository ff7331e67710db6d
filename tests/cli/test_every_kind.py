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
    """Run a command in this process."""
    return CliRunner().invoke(main, command.split(), catch_exceptions=False)


NO_VERDICT = "has a verdict, so there is no rank"
NO_RATE = "a contrast has no pass rate"
COMMANDS = {
    # command: what is said of mixed, contrasts, panels, unjudged; "!" means exit code 2, "?" 1
    "rates": (NO_RATE, f"!{NO_RATE}", "panel_harm_bench", NO_VERDICT),
    "rates --by overall": ("safety", f"!{NO_RATE}", "safety", NO_VERDICT),
    "rates --by factor:size": ("kinds/large", f"!{NO_RATE}", "!has no factor 'size'", NO_VERDICT),
    "rates --by axis:teller": (
        "!No metric with a pass rate has axis:teller", f"!{NO_RATE}", "!has no axis", "!No metric with a pass rate",
    ),
    "rates --weigh severity": ("Weighed by severity", f"!{NO_RATE}", "!--weigh severity", "!--weigh severity"),
    "rates --reference mixed": ("As good as", f"!{NO_RATE}", "As good as", "2 of 2 rates cannot be estimated"),
    "compare": ("Models, nearest to 0 first (kinds)", "No mean scores", "(safety)", f"!{NO_VERDICT}"),
    "contrasts": ("Both sides affirmed", "Both sides affirmed", "nothing to contrast", f"!{NO_VERDICT}"),
    "contrasts --by factor:size --all-rows": (
        "teller: a minus b", "teller: a minus b", "!has no factor", f"!{NO_VERDICT}",
    ),
    "agreement": ("Mean distance", "Mean distance", "Mean distance", f"!{NO_VERDICT}"),
    "items": ("neither spread, nor item-rest", "neither spread, nor item-rest", "need attention", "never scored"),
    "gate --max contrast_gap_size=0.5": (
        "?in units of its own", "?in units of its own",
        "?the suite has no data for it",
        f"?{NO_VERDICT}",
    ),
    "gate --min pass_rate=0.5": ("?safety", "?the suite has no data for it", "?UNDECIDED", f"?{NO_VERDICT}"),
    "gate --min pass_rate=0.5 --reference mixed": (
        "?estimated from the drawn ones", "!No case of the suite is in the reference", "?estimated from the drawn ones",
        "?UNDECIDED",
    ),
    "gate --max not_applicable=0.9": ("?UNDECIDED", " met.", " met.", NO_VERDICT),
    "power --pair org/good org/bad": (
        "differences of scores, which a contrast does not have", "!which a contrast does not have", "safety:",
        f"!{NO_VERDICT}",
    ),
    "power": (
        "capability: too few conversations have a verdict", "gaps of contrast metrics",
        "Unknown, which is not 0: metric, because there is one metric", f"!{NO_VERDICT}",
    ),
    "power --gap org/bad teller a b": (
        "kinds, contrast metrics", "kinds, contrast metrics", "!No axis 'teller'", f"!{NO_VERDICT}",
    ),
    "power --gap org/bad name Anna Aisha --difference 1": (
        "!without a range", "!without a range", "!No axis 'name'", f"!{NO_VERDICT}",
    ),
    "annotate export --out-dir sheet --conversations 20": (
        "judged conversations (metrics: 7", "judged conversations (metrics: 2", "metrics: 1",
        "!has no judged conversation",
    ),
    "explain": (
        "no conversation fails by itself", "0 conversations of 60 failed", "failed or have no verdict",
        "failed or have no verdict",
    ),
    "rates --by check": ("!was checked",) * 4,
    "audit simulator --reviewer rehearsal/judge": ("!with fixed messages and no simulated user",) * 4,
}  # fmt: skip


@pytest.mark.parametrize("kind", ["mixed", "contrasts", "panels", "unjudged"])
@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_command_works_or_says_why_not(suites: Path, command: str, kind: str) -> None:
    """Exit code 2 only where nothing can take part, and never a traceback."""
    words = COMMANDS[command][["mixed", "contrasts", "panels", "unjudged"].index(kind)]
    code = {"!": 2, "?": 1}.get(words[0], 0)
    name, *options = command.split()
    sub = [options.pop(0)] if name in ("audit", "annotate") else []
    done = run(" ".join([name, *sub, "--suite", kind, *options]))
    assert words.lstrip("!?") in done.output
    assert done.exit_code == code, done.output


def test_rates_and_contrasts_of_a_mixed_suite_are_written_whole(suites: Path) -> None:
    """Nothing is dropped without a word: each benchmark is in one of the two, with all of its conversations."""
    assert run("rates --suite mixed --by metric --out rates.json").exit_code == 0
    assert run("contrasts --suite mixed --by metric --out contrasts.json").exit_code == 0
    rates, contrasts = (json.loads(Path(f"{name}.json").read_text()) for name in ("rates", "contrasts"))
    told = {(row["scope"], row["part"]) for row in [*rates, *contrasts] if row.get("figure") != "pass_rate_difference"}
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
    measures = {row["measure"] for row in flips["overall"]}
    kinds = {"presence", "scale", "mood", "quantity", "stance"}
    assert measures == {"contrasts": {"quantity", "stance"}, "panels": {"scale"}}.get(kind, kinds)
    if kind == "unjudged":
        assert "audit swap" not in done.output
        assert sum(row["newly_scored"] for row in flips["overall"]) > 0
        return
    swapped = run(f"audit swap --suite {kind} --suite again --out swap.json")
    assert swapped.exit_code == 0, swapped.output
    report = json.loads(Path("swap.json").read_text())["others"]["again"]
    assert {found["measure"] for found in report["agreement"]} == measures
    scopes = {"mixed": {"impact", "safety", "kinds"}, "contrasts": {"kinds"}, "panels": {"safety"}}[kind]
    assert {ranking["scope"] for ranking in report["rankings"]} == scopes
