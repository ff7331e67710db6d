"""25 mistakes that people make with the command line: each ends in one message that says what to do, and in no call."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from helm_impactbench.cli import main
from tests.cli.builders import write_suites
from tests.support import builders

ROLES = "--user rehearsal/user --judge rehearsal/judge --yes"
MIXED = f"run --models rehearsal/mixed {ROLES}"
MISTAKES = (
    # A word that is not quite one.
    ("raets", "No such command raets. Did you mean rates? Help: impactbench --help"),
    ("rates --sute mixed", "No such option --sute. Did you mean --suite"),
    ("rates", "Missing option '--suite'. Help: impactbench rates --help"),
    ("rates --suite mixed --suite kinds", "--suite is given 2 times, and takes one value here."),
    ("rates --suite mixed --by benchmrk", "Did you mean benchmark?"),
    ("rates --suite nosuch", "impactbench run --suite nosuch makes one"),
    ("rates --suite mixed --out rates.xls", "rates.xls must end in .csv or .json or .md"),
    ("list prosocail", "No benchmark 'prosocail' in benchmarks or"),
    ("fetch mmul", "Did you mean mmlu?"),
    ("new Grief~and~AI", "Use grief-and-ai."),
    # What is to be tested.
    ("run", "--models is missing; for example --models litellm/openai/gpt-4o"),
    ("run nothing.yaml", "No file nothing.yaml"),
    ("run typo.yaml", "Did you mean judge or budget_usd?"),
    ("run broken.yaml", "broken.yaml, line 3: it is not valid YAML"),
    (f"{MIXED} --benchmarks flattery", "impactbench list shows them."),
    (f"{MIXED} --benchmarks prosocial, humane-tech", "Separate names by spaces, without commas: prosocial"),
    (f"{MIXED} --area phsical", "Did you mean physical"),
    (f"{MIXED} --quick --all", "Give one of the two."),
    (f"{MIXED} --part 25", "25% is 0.25."),
    (f"{MIXED} --benchmarks mini --suite a/b", "the suite cannot be 'a/b'"),
    # Models, keys and money.
    (f"run --models gpt-4o {ROLES}", "which is not a model deployment. litellm reaches it as litellm/openai/gpt-4o."),
    ("check-judge prosocial --judge gpt-4o", "The judge is 'gpt-4o', which is not a model deployment. litellm rea"),
    (f"run --models litellm/google/gemini-x {ROLES}", "'google' is not a provider of litellm"),
    ("run --models rehearsal/mixed --benchmarks mini --user litellm/openai/gpt-4o --judge rehearsal/judge",
     "The user litellm/openai/gpt-4o needs a key that is not set. Set OPENAI_API_KEY in the environment or in .env"),
    (f"run --models litellm/openai/my-own --benchmarks mini --budget 2 {ROLES}",
     "Add --price litellm/openai/my-own=IN,OUT"),
)  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with suites, a benchmark of one's own and two study files with mistakes."""
    folder = tmp_path_factory.mktemp("mistakes")
    write_suites(folder)
    builders.write_benchmark_folder(folder / "benchmarks/mini")
    (folder / "typo.yaml").write_text("models: [rehearsal/mixed]\njudges: [rehearsal/judge]\n")
    (folder / "broken.yaml").write_text("models: [rehearsal/mixed]\njudge: [rehearsal/judge\nuser: rehearsal/user\n")
    return folder


def files(place: Path) -> list[Path]:
    """Return what is there, but for the empty cache of a command that gets ready to call a model."""
    return sorted(path for path in place.rglob("*") if "prod_env" not in path.parts)


@pytest.mark.parametrize(("words", "cure"), MISTAKES, ids=[words for words, _ in MISTAKES])
def test_a_mistake_ends_in_one_message_with_its_cure(
    place: Path, monkeypatch: pytest.MonkeyPatch, words: str, cure: str
) -> None:
    """Exit code 2, one line of error at the end, nothing run and nothing left behind."""
    monkeypatch.chdir(place)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    before = files(place)
    done = CliRunner().invoke(main, [word.replace("~", " ") for word in words.split()], prog_name="impactbench")
    assert done.exit_code == 2, done.output
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("Error: "))
    assert cure in line
    assert done.stderr.splitlines()[-1] == line
    assert done.stdout == ""
    assert files(place) == before


def test_they_are_25() -> None:
    """Each another one."""
    assert len({words for words, _ in MISTAKES}) == len({cure for _, cure in MISTAKES}) == 25
