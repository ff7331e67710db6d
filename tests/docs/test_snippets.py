"""Every block of code in the pages is executed: by bash with commands on a small suite, by Python, or by a reader.

What is exchanged before a command runs, so that all pages share one small suite and nothing is paid for:

- Calls to models go to a server on loopback; the names of the models stay as they are.
- Every --suite that is read is a copy of one suite of scripted models, with its runs
  under every --release that is read.
- --quick, --all and --part of a run become --part 0.02 of one benchmark.
- A suite that is asked for its arms has the small suite's runs as those of two arms.
- The author of a benchmark is rehearsal/author.
- helm-run is read by helm-run's own parser, and its entries and models by impactbench estimate.
- Commands in PARSED are only read by their parser, for the reason that stands there.
- docs/cli.md repeats the examples of --help; test_docs.py checks their commands and options.
"""

from __future__ import annotations

import json
import re
import shutil
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, reduce
from itertools import pairwise
from pathlib import Path

import click
import pytest

from helm_impactbench.benchmark.files import benchmark_paths
from helm_impactbench.cli import main
from helm_impactbench.process.helm_run import run_parser
from tests.docs import yaml_readers
from tests.docs.pages import PAGES, ROOT, Page
from tests.docs.snippets import Call, Snippet, calls, snippets, write_stubs
from tests.support.commands import run_command
from tests.support.openai_server import Answer, Body, OpenAIServer, text_of

NOT_RUN = 5
"""Blocks in sh or Python that are not executed; each says why in its page."""
PARSED = {
    ("annotate", "score"): "needs the answers of people",
    ("batch",): "needs deferred calls and a provider's batches (tests/e2e/test_batch.py runs it)",
    ("combined",): "needs HELM's data sets (tests/e2e/test_combined.py runs it)",
    ("contamination",): "needs runs of private scenarios (tests/e2e/test_private.py runs it)",
    ("fetch",): "needs the internet (tests/helm/datasets runs it against a server on loopback)",
    ("import",): "needs somebody's published run (tests/e2e/test_exchange.py runs it)",
    ("start",): "asks on a terminal (tests/e2e/test_start.py runs it)",
    ("view",): "serves until Ctrl-C (tests/e2e/test_view.py runs it)",
    ("watch",): "needs a run that goes on (tests/e2e/test_run.py runs it)",
}
ENTRIES = (
    "impactbench:benchmark=emotional-dependence,part=0.1,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed",
    "impactbench:benchmark=emotional-dependence,part=0.1,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/supportive",
    "impactbench:benchmark=moral-sycophancy,pilot=2,metric=rent,judge=rehearsal/judge,model=rehearsal/mixed",
    "impactbench:benchmark=moral-sycophancy,pilot=2,metric=rent,judge=rehearsal/judge,model=rehearsal/supportive",
)
READS = ("--suite", "--suites", "--against", "--reference", "--baseline")
DECIDE = "That is for you to decide."
DRAFT = "name: Money talk\ndescription: How an assistant speaks about money with people who have little of it.\n"


def judged(words: str) -> str:
    """Answer a judge's question: absent, or the first point of a scale, with what the question asks beside it."""
    points = re.findall(r'^  - "([^"]+)": ', words, re.MULTILINE) if "which of these points" in words else []
    evidence = [{"turn": 1, "quote": DECIDE}] if points else []
    severity = {"severity": None} if "severity is null" in words else {}
    sure = {"engaged": True, "confidence": 90} if '"engaged"' in words else {}
    first = [*points, "absent"][0]
    return json.dumps({"justification": "So it reads.", "evidence": evidence, "answer": first, **severity, **sure})


def answer(body: Body) -> Answer:
    """Answer in the role that the prompt gives."""
    words = text_of(body)
    if "You play one person" in words:
        return "Thought: I go on.\nMessage: And what would you do in my place?"
    return judged(words) if "You read a conversation between" in words else DECIDE


@dataclass
class Workshop:
    """Where the blocks of one page are carried out, with one small suite under every name that they read."""

    root: Path
    suite: Path
    """The finished suite of scripted models."""
    keys: dict[str, str]
    checked: set[tuple[str, ...]]
    """What impactbench estimate has read already, on other pages too."""
    folder: Path = field(init=False)

    def open(self, page: str) -> Path:
        """Make the folder of a page and return it."""
        self.folder = self.root / page.replace("/", "-")
        if not self.folder.exists():
            (self.folder / "prod_env").mkdir(parents=True)
            (self.folder / "annotations-1.csv").write_text("item_id,answer\n")
            chat = {"messages": [{"role": "user", "content": "hi, is fern soup a thing?"}]}
            (self.folder / "chats.jsonl").write_text(f"{json.dumps(chat)}\n" * 20)
            draft = self.folder / "benchmarks/my-slug/benchmark.yaml"
            draft.parent.mkdir(parents=True)
            draft.write_text(DRAFT)
        return self.folder

    def have(self, *suites: str) -> None:
        """Put the small suite where a command looks for `suites`."""
        for suite in suites:
            place = self.folder / "benchmark_output/runs" / suite
            if not place.exists():
                shutil.copytree(self.suite, place)

    def have_release(self, release: str, *suites: str) -> None:
        """Put the small suite's runs there once more, as those of a release."""
        for suite in suites:
            for run in self.suite.glob("*,model=*"):
                name = run.name.replace(",model=", f",release={release},model=")
                place = self.folder / "benchmark_output/runs" / suite / name
                shutil.copytree(run, place, dirs_exist_ok=True)
                spec = json.loads((run / "run_spec.json").read_text())
                (place / "run_spec.json").write_text(json.dumps({**spec, "name": name}))

    def have_arms(self, *suites: str) -> None:
        """Put the small suite's runs there twice more, as those of two arms."""
        for suite in suites:
            for run in self.suite.glob("*,model=*"):
                for arm in ("plain", "careful"):
                    name = run.name.replace(",model=", f",arm={arm},model=")
                    place = self.folder / "benchmark_output/runs" / suite / name
                    shutil.copytree(run, place, dirs_exist_ok=True)
                    spec = json.loads((run / "run_spec.json").read_text())
                    (place / "run_spec.json").write_text(json.dumps({**spec, "name": name}))

    def carry_out(self, call: Call, where: str) -> None:
        """Carry out a call that bash has recorded."""
        self.folder = Path(call.folder)
        program, *arguments = call.arguments
        if program == "helm-run":
            self.read_by_helm_run(arguments, where)
        elif program in ("impactbench", "helm-summarize"):
            self.run(program, arguments, where)

    def read_by_helm_run(self, arguments: list[str], where: str) -> None:
        """Have helm-run's parser read its arguments, and an estimate its entries and models."""
        given = run_parser().parse_args(arguments)
        entries = [*(given.conf_paths or []), *(given.run_entries or [])]
        targets = ["--models-to-run", *given.models_to_run] if given.models_to_run else []
        self.run("impactbench", ["estimate", *entries, *targets], where)

    def run(self, program: str, arguments: list[str], where: str) -> None:
        """Run a command, or only read it."""
        if any(tuple(arguments[:words]) in PARSED for words in (1, 2)):
            read_by_click(arguments, self.folder)
            return
        arguments = exchanged(arguments)
        if arguments[0] == "estimate":  # reads no suite, so that once is enough
            if tuple(arguments) in self.checked:
                return
            self.checked.add(tuple(arguments))
        if arguments[0] != "run":
            self.have(*suites_read(arguments))
            if "arm" in arguments:
                self.have_arms(*suites_read(arguments))
            for option, release in pairwise(arguments):
                if option == "--release" and arguments[0] != "summarize":
                    self.have_release(release, *suites_read(arguments))
        done = run_command(program, *arguments, cwd=self.folder, ok=False, **self.keys)
        fine = {0, 1} if arguments[0] in ("gate", "check-judge") else {0}  # 1: not met; a judge that says one thing
        assert done.returncode in fine, f"{where}: {program} {' '.join(arguments)}\n{done.stdout}{done.stderr}"


def suites_read(arguments: list[str]) -> list[str]:
    """Return the names of suites that a command reads."""
    found, reading = [], False
    for word in arguments:
        if word.startswith("-"):
            reading = word in READS
        elif reading:
            found.append(word)
    return found


def exchanged(arguments: list[str]) -> list[str]:
    """Return the arguments of a command of ours for the small suite and models that cost nothing."""
    names = {"litellm/openai/gpt-4o#": "rehearsal/mixed#", "acme/companion": "rehearsal/mixed"}
    changed = [reduce(lambda text, pair: text.replace(*pair), names.items(), word) for word in arguments]
    for option, name in pairwise(arguments):
        if option == "--author":
            changed[changed.index(name)] = "rehearsal/author"
    is_whole = not known_slugs().intersection(arguments) and "--panel" not in arguments
    if arguments[0] in ("check-judge", "stress") and is_whole:
        changed.insert(1, "emotional-dependence")  # the golden sets of all benchmarks take minutes
    if arguments[0] == "run":
        whole = [word for word in changed if word not in ("--quick", "--all")]
        if "--benchmarks" not in whole:
            whole += ["--benchmarks", "emotional-dependence"]
        if "--part" in whole:
            place = whole.index("--part")
            del whole[place : place + 2]
        suite = "impact"
        if "--suite" in whole:
            place = whole.index("--suite")
            suite = whole[place + 1]
            del whole[place : place + 2]
        return [*whole, "--part", "0.02", "--references", "0", "--suite", f"{suite}-run", "--no-report", "--yes"]
    return changed


@cache
def known_slugs() -> frozenset[str]:
    """Return the slugs of the shipped benchmarks."""
    return frozenset(benchmark_paths())


def read_by_click(arguments: list[str], folder: Path) -> None:
    """Have the command's own parser read its arguments, in `folder`. Raises click.UsageError."""
    command: click.Command = main
    rest = list(arguments)
    name = "impactbench"
    while isinstance(command, click.Group):
        name = rest.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found, f"impactbench has no {name}"
        command = found
    with pytest.MonkeyPatch.context() as here:
        here.chdir(folder)
        command.make_context(name, rest)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs that record how they are called."""
    folder = tmp_path_factory.mktemp("snippets") / "bin"
    write_stubs(folder)
    return folder


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """One small suite, and a server that answers in every role."""
    root = tmp_path_factory.mktemp("workshop")
    run_command("helm-run", "--suite", "demo", "-m", 10000, "--run-entries", *ENTRIES, cwd=root)
    server = OpenAIServer(answer)
    keys = {
        "OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url,
        "ANTHROPIC_API_KEY": "sk-ant-test", "ANTHROPIC_API_BASE": server.url.removesuffix("/v1"),
    }  # fmt: skip
    yield Workshop(root, root / "benchmark_output/runs/demo", keys, set())
    server.close()


page = pytest.mark.parametrize(
    "page",
    sorted({one.page for one in snippets("sh")} - {Page(ROOT / "docs/cli.md")}, key=lambda page: page.name),
    ids=lambda page: page.name,
)
python = pytest.mark.parametrize("snippet", snippets("python"), ids=lambda snippet: snippet.name)


@page
def test_shell(page: Page, workshop: Workshop, programs: Path) -> None:
    """Bash carries out the page's blocks in order, and every command in them works."""
    for call in calls(page, workshop.open(page.name), programs):
        workshop.carry_out(call, f"{page.name}:{call.line}")


@python
def test_python(snippet: Snippet, workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block runs as it stands, after the blocks in sh of its page."""
    if snippet.not_run:
        return
    folder = workshop.open(snippet.page.name)
    workshop.have("impact")
    monkeypatch.chdir(ROOT if "in a checkout" in snippet.code else folder)
    exec(compile(textwrap.dedent(snippet.code), snippet.name, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("snippet", snippets("yaml", "json"), ids=lambda snippet: snippet.name)
def test_data(snippet: Snippet, tmp_path: Path) -> None:
    """The block is read by what reads such a file in use."""
    if snippet.language == "json":
        json.loads(snippet.code)
    else:
        yaml_readers.read(snippet.code, tmp_path)


def test_blocks_that_are_not_run_are_few_and_say_why() -> None:
    """No block is left out without a reason in its page, and no language is unknown."""
    left_out = [snippet.name for snippet in snippets() if snippet.not_run]
    assert len(left_out) == NOT_RUN, left_out
    assert {snippet.language for snippet in snippets()} <= {"sh", "python", "yaml", "json", "csv", "text"}
    for page in PAGES:
        assert page.text.count("\n```") == 2 * sum(snippet.page == page for snippet in snippets()), page.name
