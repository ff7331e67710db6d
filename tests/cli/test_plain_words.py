"""What a mistake ends in has no words of the libraries that read options and files, and says what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from helm_impactbench.cli import main
from tests.cli.builders import write_panel, write_suites

JARGON = (
    "Input should be",
    "Invalid value for",
    "is not in the range",
    "integer range",
    "NoneType",
    "ctx",
    "[key]",
    "WrongType",
    "MissingValue",
    "ParseSyntax",
    "codec",
)
OPTIONS = (
    ("power --assume rate=0.7 --among 0", "--among: 0 must be at least 1 and at most 1,000."),
    ("view --suite panels --port abc", "--port: 'abc' is not a whole number."),
    ("run --samples 1.5", "--samples: '1.5' is not a whole number."),
    ("check-judge --judge rehearsal/judge -n 0", "0 must be at least 1."),
    ("compare --suite panels --equal-within 5", "--equal-within: 5 is more than 1. 5% is 0.05."),
    ("power --suite panels --gap age=child", "--gap needs 4 values: MODEL AXIS FIRST SECOND."),
    ("power --suite panels --pair org/good --difference 0.1",
     "--pair needs 2 values: FIRST SECOND. --difference is another option."),
    ("rates --suite", "--suite needs a value: SUITE."),
    ("fetch mmlu --mirror ftp://a", "--mirror cannot be 'ftp://a': an address begins with http:// or https://."),
    ("target new b.yaml --curl curl~https://a --answer no.json", "no.json cannot be read: No such file or directory."),
    ("rates --wide=yes --suite panels", "--wide takes no value."),
)  # fmt: skip

STUDY = "models: [rehearsal/mixed]\nuser: rehearsal/user\njudge: [rehearsal/judge]\n"
PRODUCT = 'name: acme/chat\nurl: http://127.0.0.1:9/\nsend: {message: "{message}"}\nreply: $.answer\n'
ENTRY = 'entries: [{description: "impactbench:benchmark=prosocial,user=u,model=m/n", priority: 1}]'
FILES = (
    ("run", "study.yaml", STUDY + "part: 0.25\n", "there is no setting 'part'. ", "options: {part: ...}"),
    ("run", "study.yaml", STUDY + "until_decided: 0.8\n", "'until_decided'. ", "options: {until_decided: ...}"),
    ("run", "study.yaml", STUDY + "quick: true\n", "there is no setting 'quick'. ", "Write benchmarks: quick"),
    ("run", "study.yaml", STUDY.replace("[rehearsal/mixed]", ""), "study.yaml: models is empty.", "for example"),
    ("run", "study.yaml", STUDY + "benchmarks: mini prosocial\n", "benchmarks cannot be", "a list: [mini, prosocial]."),
    ("run", "study.yaml", STUDY.replace("[rehearsal/judge]", "a + b"), "The judge is 'a', which", "litellm/<provider>"),
    ("run", "study.yaml", STUDY + "benchmarks:\n", "benchmarks cannot be None", "it is empty"),
    ("run", "study.yaml", STUDY + "prices: {a/b: cheap}\n", "prices.a/b cannot be 'cheap'", "it must be [IN, OUT]"),
    ("run", "study.yaml", STUDY.replace("rehearsal/mixed", "4"), "models.0 cannot be 4", "the name of a model"),
    ("run", "study.yaml", "models:\n\t- a\n", "study.yaml, line 2", "there is a tab; indent with spaces."),
    ("target check", "product.yaml", PRODUCT + "price: 0.01\n", "price must be free, {per_call: 0.01}", "per million"),
    ("target check", "product.yaml", PRODUCT + "price: free\ncookie: maybe\n", "cookie: it must be true or", "false."),
    ("target check", "product.yaml", PRODUCT + "method: FETCH\n", "method: it must be 'GET', 'POST'", "or 'DELETE'."),
    ("target check", "product.yaml", "", "product.yaml is empty. It must describe a product", "name, url"),
    ("gate --suite panels --profile", "profile.yaml", "", "profile.yaml is empty. It must contain", "conditions."),
    ("gate --suite panels --profile", "profile.yaml", "<html>", "profile.yaml is a text.", "signs and conditions."),
    ("rates --suite panels --by framework --frameworks", "my.yaml", "a: b\n", "it must be a list of frameworks.", "my"),
    ("estimate", "a.conf", "entries:\n  - description: a\n", "is not a file of run entries", "It should contain"),
    ("estimate", "a.conf", "entri: []", "(entries is missing)", "It should contain"),
    ("estimate", "a.conf", 'entries: [{description: "a", priority: "x"}]', "(entries.priority must be a whole", "conf"),
    ("estimate", "a.conf", "entries: [{", "(line 1: Expected '}'", "It should contain"),
    ("estimate", "a.conf", ENTRY.replace(",user", ", user"), "there is a space in ' user=u'", "no spaces after commas"),
    ("estimate", "a.conf", ENTRY.replace(",user", ",user=v,user"), "user= is given twice", "Give it once."),
    ("run", "study.yaml", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is no text file", "write it as text"),
    ("estimate", "a.conf", 'entries: [{description: "impactbnch:user=a", priority: 1}]', "impactbnch", "impactbench?"),
)  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with suites."""
    folder = tmp_path_factory.mktemp("words")
    write_suites(folder)
    return folder


def told(words: str) -> str:
    """Return the one line of error that a command ends in, with exit code 2."""
    done = CliRunner().invoke(main, [word.replace("~", " ") for word in words.split()], prog_name="impactbench")
    assert done.exit_code == 2, done.output
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("Error: "))
    assert not [word for word in JARGON if word in line], line
    return line


@pytest.mark.parametrize(("words", "cure"), OPTIONS, ids=[words for words, _ in OPTIONS])
def test_an_option_is_refused_in_plain_words(
    place: Path, monkeypatch: pytest.MonkeyPatch, words: str, cure: str
) -> None:
    """With its range, or with what it is to be given."""
    monkeypatch.chdir(place)
    assert cure in told(words)


@pytest.mark.parametrize(("words", "name", "text", "said", "cure"), FILES)
def test_a_file_is_refused_in_plain_words(
    place: Path, monkeypatch: pytest.MonkeyPatch, words: str, name: str, text: str, said: str, cure: str
) -> None:
    """With the field, and with what it must be or where it belongs."""
    monkeypatch.chdir(place)
    (place / name).write_text(text)
    line = told(f"{words} {name}")
    assert said in line
    assert cure in line
    assert "<generator" not in line


def test_a_price_is_of_a_model(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The field of a study, which the command line does not have, is not named."""
    monkeypatch.chdir(place)
    assert "--price cannot be '1,2'; it must be MODEL=IN,OUT" in told("run --models rehearsal/mixed --price 1,2")


def test_a_product_is_written_into_a_folder_that_exists(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As --out is."""
    monkeypatch.chdir(place)
    assert "There is no folder nowhere to write a.yaml into" in told("target new nowhere/a.yaml --curl curl~https://a")


def test_a_suite_of_spaces_is_no_name(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody could tell its folder from one without a name."""
    monkeypatch.chdir(place)
    assert "the suite cannot be '  '" in told("run --models rehearsal/mixed --judge rehearsal/judge --suite ~~")


def test_what_only_wide_shows_is_not_said_with_wide(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor where there is nothing more, as with one model."""
    monkeypatch.chdir(place)
    said = {}
    for words in ("", " --wide", " --model org/good"):
        said[words] = CliRunner().invoke(main, f"compare --suite panels{words}".split()).stdout
    assert ["--wide shows every pair." in text for text in said.values()] == [True, False, False]


def test_a_column_of_one_answer_is_none(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of significant differences does not say of each that it is; with --wide all differences are shown."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "250")
    narrow, wide = (
        CliRunner().invoke(main, ["contrasts", "--suite", "contrasts", *more]).stdout for more in ([], ["--wide"])
    )
    assert "Contrast metrics: significant differences" in narrow
    assert ("  Significant \n" in narrow, "  Significant " in wide) == (False, True)


def test_a_benchmark_that_has_no_name_is_not_advised(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a space is none, so to write its name again does not help; an empty file is said to be one."""
    monkeypatch.chdir(place)
    for name in ("my bench", "empty"):
        (place / "benchmarks" / name).mkdir(parents=True)
        (place / "benchmarks" / name / "benchmark.yaml").write_text("")
    assert "Did you mean my bench" not in told("check my~bench")
    said = CliRunner().invoke(main, ["check", "empty"]).output
    assert "benchmark.yaml: error: found nothing, expected a mapping, name: value" in said


def test_the_plan_of_a_dry_run_is_said_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the answer, and is announced before calls alone."""
    monkeypatch.chdir(place)
    done = CliRunner().invoke(main, ["check-judge", "prosocial", "--judge", "rehearsal/judge", "--dry-run"])
    assert done.stdout.count("transcripts, 1 judge") == 1
    assert done.stderr == ""


def test_what_wide_shows_of_many_models_is_not_said_with_wide(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The title says what the table has, with --wide as without."""
    monkeypatch.chdir(place)
    for name in "abcdef":
        write_panel(place / "benchmark_output/runs/many", name)
    narrow, wide = (CliRunner().invoke(main, ["rates", "--suite", "many", *more]).stdout for more in ([], ["--wide"]))
    assert "Mean scores on" in wide
    assert ["--wide shows each benchmark" in text for text in (narrow, wide)] == [True, False]


@pytest.mark.parametrize(
    ("more", "said"),
    [("", [True, False]), (" --quick", [True, True]), (" --quick --part 0.5", [True, False])],
)
def test_quick_says_what_it_takes_of_benchmarks_that_are_named(
    place: Path, monkeypatch: pytest.MonkeyPatch, more: str, said: list[bool]
) -> None:
    """A share of these, and no other ones; --part says the share itself."""
    monkeypatch.chdir(place)
    words = f"run --models rehearsal/mixed --judge rehearsal/judge --benchmarks prosocial --dry-run{more}".split()
    monkeypatch.setattr("helm_impactbench.helm.study_run.run_study", lambda study, *_, **__: study)
    done = CliRunner().invoke(main, words)
    assert [done.exit_code == 0, "--quick takes 6% of the scenarios of each benchmark" in done.stderr] == said


def test_help_says_when_the_exit_code_is_1() -> None:
    """Where something was asked for and is not there."""
    for command in ("run", "gen-metrics", "gen-scenarios"):
        words = CliRunner().invoke(main, [command, "--help"]).stdout.split()
        assert "The exit code is 1 if" in " ".join(words), command
