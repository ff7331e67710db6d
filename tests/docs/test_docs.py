"""Documentation is held to the code: links, commands, options, modules, statistics and words that it names exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import click
import yaml

from bench.summaries import commands as bench_commands
from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.cli import main
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.helm import stat_names
from helm_impactbench.process.helm_run import run_parser
from tests.docs.pages import CONFS, PACKAGE, PAGES, ROOT, Page
from tests.support.looped import looped
from tests.test_layers import LAYERS
from tools import column_tables, option_table

CHANGELOG = Page(ROOT / "CHANGELOG.md")
OTHERS_OPTIONS = {
    *("--array", "--cpus-per-task", "--mem", "--time", "--output", "--user", "--nonblock", "--log-dir"),
    *("--override", "--torch-backend", "--tag", "--volume", "--env"),
}
"""Options of programs that are neither ours nor HELM's: Slurm's, flock's, Inspect AI's, uv's, docker's."""
OPTION = re.compile(r'"(--?[a-z][a-z-]*)"')
EDITORIAL_OPTIONS = set(OPTION.findall((ROOT / "tools" / "editorial" / "__main__.py").read_text(encoding="utf-8")))
BENCH_OPTIONS = {
    option
    for name in ("summaries", "big_suite")
    for option in OPTION.findall((ROOT / "bench" / f"{name}.py").read_text(encoding="utf-8"))
}
page = looped("page", PAGES, ids=lambda page: page.name)
page_or_conf = looped("page", [*PAGES, *CONFS], ids=lambda page: page.name)


@looped("page", [*PAGES, CHANGELOG], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Page) -> None:
    """Every link to a file of ours has a file at its end, and every # a heading."""
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", page.text):
        if re.match(r"https?:|mailto:", target):
            continue
        path = (page.path.parent / target).resolve() if target else page.path
        assert path.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in Page(path).anchors, f"{page.name} links to {target}#{anchor}"


def commands(command: click.Command = main, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Yield every command with its options, groups included."""
    options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    yield path, {option for option in options if option.startswith("-")} | {"-h", "--help"}
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from commands(inner, (*path, name))


def option_types(
    command: click.Command = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str, click.ParamType]]:
    """Yield every option of every command with its type."""
    for parameter in command.params:
        for option in parameter.opts:
            yield path, option, parameter.type
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from option_types(inner, (*path, name))


COMMANDS = dict(commands())
OPTION_TYPES = {(*path, option): kind for path, option, kind in option_types()}
PASSED_ON = {("summarize",)}
"""Commands that hand the options that they do not know on to HELM's."""


@page_or_conf
def test_commands_exist(page: Page) -> None:
    """Every impactbench command that is shown exists, with every option that is shown with it."""
    for arguments in page.commands("impactbench"):
        words = [word.rstrip(".,:") for word in arguments]
        if not words or not re.fullmatch(r"[a-z][a-z-]*", words[0]):
            continue
        path = tuple(words[:2]) if tuple(words[:2]) in COMMANDS else (words[0],)
        assert path in COMMANDS, f"{page.name} names impactbench {words[0]}"
        named = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        unknown = named - COMMANDS[path] - (helms_options() if path in PASSED_ON else set())
        assert not unknown, f"{page.name} names impactbench {' '.join(path)} {' '.join(sorted(unknown))}"
        for option, value in pairwise(words):
            is_number = isinstance(
                OPTION_TYPES.get((*path, option)), click.types.IntParamType | click.types.FloatParamType
            )
            assert not is_number or value.isupper() or float(value) >= 0, f"{page.name}: {option} {value}"


def helms_options() -> set[str]:
    """Return the options of helm-run, helm-summarize and helm-server."""
    found = {option for action in run_parser()._actions for option in action.option_strings}
    for module in ("helm.benchmark.presentation.summarize", "helm.benchmark.server"):
        spec = find_spec(module)
        assert spec
        assert spec.origin
        found |= set(OPTION.findall(Path(spec.origin).read_text(encoding="utf-8")))
    return found


def test_the_bench_measures_commands_that_exist() -> None:
    """Every impactbench command that `make bench-summaries` runs exists, with every option that it gives."""
    for name, (program, *words) in bench_commands(Path("out"), Path("schema.yaml"), judges=3).items():
        if program == "impactbench":
            path = tuple(words[:2]) if tuple(words[:2]) in COMMANDS else (words[0],)
            assert path in COMMANDS, name
            assert {word for word in words if word.startswith("--")} <= COMMANDS[path], name


@page
def test_options_exist(page: Page) -> None:
    """Every option that the text names belongs to a command of ours or to one of HELM's."""
    known = helms_options() | OTHERS_OPTIONS | EDITORIAL_OPTIONS | BENCH_OPTIONS | set().union(*COMMANDS.values())
    named = {
        word.split("=")[0].strip("[].,'")
        for span in page.spans
        for word in span.split()
        if re.match(r"\[?--[a-z]", word)
    }
    assert not named - known, f"{page.name} names {', '.join(sorted(named - known))}"


OPTIONS = {*RunOptions.table()} | {"model"}


def test_columns_of_results_are_those_of_the_code() -> None:
    """docs/data.md has the tables that are made of the rows' types."""
    assert column_tables.PAGE.read_text(encoding="utf-8") == column_tables.page()


def test_options_of_a_run_entry_are_in_the_table() -> None:
    """The table of a run entry's options is the one that is made of the options, and no page has another."""
    assert option_table.PAGE.read_text(encoding="utf-8") == option_table.page()
    (table,) = (table for page in PAGES for table in page.tables() if table[0][0] == "option of the run entry")
    named = {option for row in table[1:] for option in re.findall(r"`(\w+)=", row[0])}
    assert named == OPTIONS


@page_or_conf
def test_run_entries_have_options_that_exist(page: Page) -> None:
    """Every run entry that is shown has options that a run entry has, and a benchmark that is shipped or made up."""
    for entry in re.findall(r"impactbench:(benchmark=[^\s\"'`]+)", page.text):
        options = dict(part.split("=", 1) for part in entry.rstrip(".,:)").split(",") if "=" in part)
        assert set(options) <= OPTIONS, f"{page.name}: impactbench:{entry}"
        slug = options["benchmark"]
        assert slug in (*benchmark_paths(), "money-talk", "...", "<slug>"), f"{page.name}: impactbench:{entry}"


@page_or_conf
def test_modules_import(page: Page) -> None:
    """Every dotted path of ours leads to a module, or to a name in one."""
    for path in re.findall(r"\bhelm_impactbench(?:\.\w+)+", page.text):
        assert path in ENTRY_POINT_GROUPS or exists(path), f"{page.name} names {path}"


ENTRY_POINT_GROUPS = {"helm_impactbench.measures"}
"""Names that other packages use in their metadata; no module has them."""


def exists(path: str) -> bool:
    """Return whether a dotted path leads to something."""
    place, names = import_module("helm_impactbench"), path.split(".")[1:]
    for number, name in enumerate(names, start=1):
        if hasattr(place, name):
            place = getattr(place, name)
            continue
        try:
            place = import_module(".".join(["helm_impactbench", *names[:number]]))
        except ModuleNotFoundError:
            return False
    return True


@page
def test_paths_exist(page: Page) -> None:
    """Every path of the code or of a test that the text names exists."""
    for span in page.spans:
        if re.fullmatch(r"(?:helm_impactbench|tests|tools|bench|prompts|run_entries)/[\w./-]*", span) or re.fullmatch(
            r"[\w/]+\.py", span
        ):
            assert any((place / span).exists() for place in (ROOT, PACKAGE)), f"{page.name} names {span}"


def test_the_table_of_layers_is_the_layering_tests() -> None:
    """The table in docs/architecture.md has every layer, lowest first, as the layering test does."""
    (table,) = (t for page in PAGES for t in page.tables() if t[0][0].startswith("layer"))
    assert [row[0].strip("`/") for row in table[1:]] == [*LAYERS]


@page
def test_variables_are_read_somewhere(page: Page) -> None:
    """Every environment variable of ours that is named is read by the code, or by a test."""
    for name in set(re.findall(r"\bIMPACTBENCH_[A-Z_]+\b", page.text)):
        assert f'"{name}"' in _code(), f"{page.name} names {name}"


@cache
def _code() -> str:
    """Return the text of every module and test."""
    return "\n".join(
        path.read_text(encoding="utf-8") for top in (PACKAGE, ROOT / "tests") for path in top.rglob("*.py")
    )


@page
def test_make_targets_exist(page: Page) -> None:
    """Every target of make that is named is in the Makefile."""
    targets = set(
        re.findall(r"^([a-z-]+)(?: [a-z-]+)*:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    targets |= {"test-newest"}  # the second of two before one colon
    for arguments in page.commands("make"):
        words = [word.rstrip(",.") for word in arguments if re.fullmatch(r"[a-z][a-z-]*[,.]?", word)]
        assert set(words[:1]) <= targets, f"{page.name} names make {words[:1]}"


def test_statistics_exist() -> None:
    """Every statistic in a table of docs/measurement.md is one that a run has."""
    known = {stat.name for stat in stat_names.STATS}
    known |= {stat.name for slug in benchmark_paths() for stat in stat_names.metric_stats(load_benchmark(slug))}
    (measurement,) = (page for page in PAGES if page.name == "docs/measurement.md")
    tables = [table for table in measurement.tables() if table[0][0] == "statistic"]
    assert tables
    for name in (name for table in tables for row in table[1:] for name in re.findall(r"`([^`]+)`", row[0])):
        pattern = re.escape(name).replace("<role>", "(?:user|target|judge)")
        pattern = re.sub(r"<\w+>", r"[\\w-]+", pattern)
        assert any(re.fullmatch(pattern, stat) for stat in known), name


def glossary() -> list[list[str]]:
    """Return the rows of the glossary: word, meaning, place in the code."""
    (table,) = next(page for page in PAGES if page.path.name == "glossary.md").tables()
    return table[1:]


@page
def test_numbered_lists_are_whole(page: Page) -> None:
    """Nothing but indented lines stands between two items: on the site, the second would begin a list at 1."""
    text = re.sub(r"^```[\s\S]*?^```$", "", page.text, flags=re.MULTILINE)
    blocks = re.findall(r"^\d+\. [\s\S]*?(?=^\d+\. |\Z)", text, re.MULTILINE)
    numbers = [int(block.partition(".")[0]) for block in blocks]
    for block, number, following in zip(blocks, numbers, numbers[1:], strict=False):
        assert following != number + 1 or not re.search(r"\n\n(?=[^ \n])", block.rstrip()), block


def test_the_glossary_is_in_order() -> None:
    """Words stand in alphabetical order, each once."""
    words = [row[0].lower() for row in glossary()]
    assert words == sorted(set(words))


@looped("row", glossary(), ids=lambda row: row[0])
def test_words_of_the_glossary_are_in_the_code(row: list[str]) -> None:
    """Where a word has a place in the code, that place exists."""
    for path in re.findall(r"`([^`]+)`", row[2]):
        assert exists(f"helm_impactbench.{path}"), path


RETIRED = {
    r"tellings?": "framing, or version",
    r"stage directions?": "landmark",
    r"ledger": "spend log",
    r"beyond luck": "a difference that can be told from chance",
    r"noted calls?": "deferred call",
    r"judgements? of the panel": "verdict",
}
"""Words that the glossary replaces -> what to write."""


@page
def test_words_are_the_glossarys(page: Page) -> None:
    """No page uses a word that the glossary has replaced."""
    for word, better in RETIRED.items():
        assert not re.search(rf"\b{word}\b", page.text, re.IGNORECASE), f"{page.name}: {word}; write: {better}"


def test_messages_name_commands_that_exist() -> None:
    """Every impactbench command that the code names, in a message or a docstring, exists."""
    named = re.compile(r"(?<!of )\bimpactbench ([a-z][a-z-]+)(?: ([a-z]+))?(?=`| --| <| \{| [A-Z])")
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.jinja"), ROOT / "Makefile"]:
        for first, second in named.findall(path.read_text(encoding="utf-8")):
            assert (first,) in COMMANDS, f"{path.relative_to(ROOT)} names impactbench {first}"
            is_group = any(len(command) == 2 and command[0] == first for command in COMMANDS)
            assert not is_group or not second or (first, second) in COMMANDS, f"{path}: impactbench {first} {second}"


def test_the_example_of_an_env_file_has_names_that_are_read_and_no_values() -> None:
    """A copy of .env.example works once it is filled in."""
    lines = [line for line in (ROOT / ".env.example").read_text().splitlines() if line and not line.startswith("#")]
    keys = (ROOT / "docs/running.md").read_text()
    assert lines
    assert all(line.endswith("=") and f"`{line.removesuffix('=')}`" in keys for line in lines)


def test_the_citation_can_be_read() -> None:
    """CITATION.cff is YAML with what the format requires."""
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(found)
    assert found["license"] == "Apache-2.0"
