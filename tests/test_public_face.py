"""What `import helm_impactbench` offers, held to the docs and to the commands."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pandas as pd
import pytest

import helm_impactbench
from helm_impactbench import ImpactBenchError, Suite
from helm_impactbench.cli import main
from helm_impactbench.suites.arguments import names
from helm_impactbench.suites.reading import Selection
from tests.support.commands import run_command

DOCS = (Path(__file__).parents[1] / "docs" / "data.md").read_text(encoding="utf-8")

METHODS = {"audit swap": "swap", "audit simulator": "simulated_people"}
"""Command -> the method that has another name."""
NO_METHOD = {"anchors", "annotate", "stress", "summarize", "view"}
"""Commands that read a suite and are no method, as docs/data.md says."""
NO_READERS = {"batch", "cases", "fetch", "import", "run", "watch"}
"""Commands with --suite that make or mend one."""
NO_ARGUMENT = {
    "explain": {"case"},
    "power": {"assume"},
    "rejudge": {"anchor_set"},
    "audit simulator": {"reviewer", "local_path", "num_threads"},
    "gate": {"lowest", "highest"},
}
"""Command -> what its method lacks, or calls otherwise, as docs/data.md says."""
OF_A_READING = {
    "suite", "suites", "output_path", "benchmarks", "metrics", "models", "releases", "where", "withhold_ungrounded",
    "withhold_marked", "population", "out", "wide",
}  # fmt: skip
"""Parameters of commands that load_suite has, or that are of files and screens."""


def _commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name} ")
        else:
            yield f"{before}{name}", command


def _columns(heading: str) -> set[str]:
    """Return the columns that the table under a heading of docs/data.md names."""
    section = re.split(rf"\n### `?{re.escape(heading)}", DOCS, maxsplit=1)[1].split("\n##", 1)[0]
    first_cells = (line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    return {name for cell in first_cells for name in re.findall(r"`([a-z_0-9]+)`", cell)}


def test_every_public_name_loads_and_is_documented() -> None:
    """`__all__`, the names that load and the table in docs/data.md are the same."""
    table = DOCS.split("| name | what it is |", 1)[1].split("```", 1)[0]
    documented = {
        name
        for line in table.splitlines()
        for name in re.findall(r"`(\w+)`", line.split("|")[1] if "|" in line else "")
    }
    assert documented == set(helm_impactbench.__all__)
    assert all(getattr(helm_impactbench, name) is not None for name in helm_impactbench.__all__)


def test_every_method_of_a_suite_is_documented_with_its_options() -> None:
    """The table of methods in docs/data.md is what Suite has, and each row names the method's parameters."""
    table = DOCS.split("| method of `Suite` | what it returns |", 1)[1].split("\n\n", 1)[0]
    documented = dict(re.findall(r"^\| `(\w+)\((.*?)\)`", table, re.MULTILINE))
    methods = {
        name: ", ".join([*inspect.signature(member).parameters][1:])
        for name, member in inspect.getmembers(Suite, inspect.isfunction)
        if not name.startswith("_")
    }
    assert documented == methods


def test_methods_have_the_options_of_their_commands() -> None:
    """But for those that docs/data.md names."""
    told = DOCS.split("Only commands: ", 1)[1].split("These methods", 1)[0]
    alone = set()
    for name, command in _commands(main):
        options = {parameter.name: parameter.opts[-1] for parameter in command.params if parameter.name}
        if not {"suite", "suites"} & {*options}:
            continue
        method = getattr(Suite, METHODS.get(name, name), None)
        if method is None:
            alone.add(name.split()[0])
            continue
        lacking = {*options} - OF_A_READING - {*inspect.signature(method).parameters}
        assert lacking == NO_ARGUMENT.get(name, set()), name
        assert all(options[one].upper() in told.upper() for one in lacking - {"local_path", "num_threads"}), name
    assert alone == NO_METHOD | NO_READERS
    assert all(f"`{name}`" in told for name in NO_METHOD)


def test_importing_the_package_is_cheap() -> None:
    """Neither pandas nor HELM is loaded before a name that needs them is used."""
    code = "import sys, helm_impactbench; print(sorted({'pandas', 'helm', 'litellm'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_suite_as_data_frames(tmp_path: Path) -> None:
    """DataFrames have the documented columns, and the figures of the commands."""
    entries = (
        "impactbench:benchmark=emotional-dependence,part=0.2,user=rehearsal/user,judge=rehearsal/judge,"
        "model=rehearsal/mixed",
        "impactbench:benchmark=moral-sycophancy,pilot=2,metric=rent,judge=rehearsal/judge,model=rehearsal/both-sides",
    )
    run_command("helm-run", "--suite", "s", "-m", 1000, "--run-entries", *entries, cwd=tmp_path)
    suite = helm_impactbench.load_suite("s", tmp_path / "benchmark_output")
    outcomes, rates = suite.outcomes().frame(), suite.rates().frame()
    gaps = suite.contrasts().frame("contrasts")
    documented = {name for name in _columns("outcomes()") if not name.endswith("_")}
    assert documented <= set(outcomes.columns)
    assert {"axis_age", "axis_teller", "factor_a_view"} <= set(outcomes.columns)
    run_command("impactbench", "rates", "--suite", "s", "--out", "rates.json", cwd=tmp_path)
    written = pd.DataFrame(json.loads((tmp_path / "rates.json").read_text())["rates"])
    pd.testing.assert_frame_equal(written[["model", "pass_rate"]], rates[["model", "pass_rate"]])
    gap = gaps[(gaps.figure == "gap") & (gaps.second == "b")]
    assert gap["value"].tolist() == [1.0]


def test_a_benchmark_is_loaded_written_and_planned(tmp_path: Path) -> None:
    """A benchmark goes through a folder unchanged, and its cases can be planned without a call."""
    benchmark = helm_impactbench.load_benchmark("emotional-dependence")
    helm_impactbench.write_benchmark(benchmark, tmp_path / "emotional-dependence")
    assert helm_impactbench.load_benchmark(tmp_path / "emotional-dependence") == benchmark
    case = helm_impactbench.plan_case(benchmark, benchmark.scenarios[0], user="rehearsal/user")
    assert case.plan.turns == 6
    assert case.plan.persona == benchmark.scenarios[0].played_persona


def test_a_study_is_run_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options, a mapping and a file mean the same study, and a second call finds its results finished."""
    monkeypatch.chdir(tmp_path)
    settings = {"models": ["rehearsal/mixed"], "user": "rehearsal/user", "judge": ["rehearsal/judge"], "references": 0}
    (tmp_path / "mine.yaml").write_text(json.dumps({**settings, "benchmarks": ["prosocial"]}))
    suite = helm_impactbench.run(**settings, benchmarks="prosocial", part=0.05, suite="mine", progress=False)
    again = helm_impactbench.run("mine.yaml", part=0.05, progress=False)
    assert again.folder == suite.folder
    assert again.rates().frame().equals(suite.rates().frame())
    files = suite.export("csv", "tables")
    assert {"conversations.csv", "votes.csv"} <= {path.name for path in files}
    assert suite.report(conversation_pages="none").is_file()
    assert set(suite.label(audience="parents").frame().model) == {"rehearsal/mixed"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "run: models is missing."),
        ({"models": "rehearsal/mixed", "judges": "a"}, "there is no setting 'judges'"),
        ({"models": "rehearsal/mixd"}, "Did you mean rehearsal/mixed"),
        ({"models": "rehearsal/mixed", "samples": 0}, "samples"),
    ],
)
def test_a_mistake_is_told_before_the_first_call(
    options: dict[str, object], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an ImpactBenchError, and nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    roles = {"user": "rehearsal/user", "judge": "rehearsal/judge", "benchmarks": "prosocial"}
    with pytest.raises(ImpactBenchError, match=re.escape(words)):
        helm_impactbench.run({**roles}, **options)
    assert not list(tmp_path.glob("benchmark_output/runs/*"))


def test_what_is_narrowed_has_no_report(tmp_path: Path) -> None:
    """A report, a label and an export are of whole conversations; they say so before they read anything."""
    suite = Suite(tmp_path, Selection(where=("age=child",)))
    for method in (suite.report, suite.label, lambda: suite.export("csv", tmp_path / "tables")):
        with pytest.raises(ImpactBenchError, match="cannot be narrowed by where"):
            method()


def test_what_cannot_be_narrowed_says_by_what_it_can(tmp_path: Path) -> None:
    """Costs, a drift and the writing of simulated users are of whole runs."""
    chosen = Suite(tmp_path, Selection(metrics=("m01",)))
    for method in (chosen.costs, chosen.simulated_people, lambda: chosen.drift(Suite(tmp_path / "other"))):
        with pytest.raises(ImpactBenchError, match=r"cannot be narrowed by metrics, only by .*releases"):
            method()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda _: Selection(withhold=("maked",)), "withhold is 'maked'. Write one of ungrounded, marked. Did you"),
        (lambda _: Selection(population="x"), "population is 'x'. Write one of these, like-these."),
        (lambda _: helm_impactbench.load_suite("s", models=None), "models is None. Give a name, or a list"),
        (lambda _: helm_impactbench.load_suite(""), "suite is ''. Give a suite's name."),
        (lambda suite: suite.rates(weigh="foo"), "weigh is 'foo'. Write severity."),
        (lambda suite: suite.rates(None), "by is None. Give what to break down by"),
        (lambda suite: suite.gate(unscored="leave_out"), "unscored is 'leave_out'. Write one of fail, leave-out. Did"),
        (lambda suite: suite.gate(max_drop=5), "max_drop is 5. Give a number of at least 0 and at most 1."),
        (lambda suite: suite.compare(equal_within=5), "equal_within is 5. Give a number above 0 and at most 1."),
        (lambda suite: suite.compare(["s"]), "suite is ['s']. Give a suite's name."),
        (lambda suite: suite.components(usd_each=-1), "usd_each is -1. Give a number of at least 0."),
        (lambda suite: suite.power(difference=-1), "difference is -1."),
        (lambda suite: suite.power(rate_below=2), "rate_below is 2. Give a number above 0 and below 1."),
        (lambda suite: suite.power(rate_below=float("nan")), "rate_below is nan."),
        (lambda suite: suite.power(scenarios=1.5), "scenarios is 1.5. Give a whole number of at least 2 and at most 1"),
        (lambda suite: suite.power("a/b"), "pair is 'a/b'. Give 2 names: two targets."),
        (lambda suite: suite.items(by="foo"), "by is 'foo'. Write one of metric, scenario."),
        (lambda suite: suite.label(formats="jpeg"), "formats is 'jpeg'. Write one of html, svg"),
        (lambda suite: suite.report(conversation_pages="foo"), "conversation_pages is 'foo'."),
        (lambda suite: suite.rejudge("a", "b", num_threads=0), "num_threads is 0."),
        (lambda suite: suite.simulated_people(conversations=0), "conversations is 0."),
        (lambda suite: suite.costs(reconcile="no.csv"), "no.csv is neither CSV"),
        (lambda _: helm_impactbench.estimate("e", max_eval_instances=0), "max_eval_instances is 0."),
        (lambda _: helm_impactbench.check_judge("a", budget=-1), "budget is -1."),
    ],
)
def test_a_value_that_cannot_be_is_refused(asked: Callable[[Suite], object], words: str, tmp_path: Path) -> None:
    """Before anything is read, with the argument's name and what is allowed; as the command line does."""
    with pytest.raises(ImpactBenchError, match=re.escape(words)):
        asked(Suite(tmp_path))


def test_one_name_is_a_list_of_one() -> None:
    """Its letters are no names."""
    assert names("models", "acme/chat") == ("acme/chat",)
    assert names("models", iter(["a", "b"])) == ("a", "b")
