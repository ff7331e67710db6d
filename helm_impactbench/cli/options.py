"""The options that several commands have. Each is declared here once, so that a name means the same everywhere.

Names that helm-run has (--suite, --output-path, --num-threads, ...) mean what they mean to helm-run.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion
from helm_impactbench.cli.completion import USUAL_OUTPUT_PATH
from helm_impactbench.cli.finite import FiniteRange, WholeRange
from helm_impactbench.cli.mistakes import Choice

Command = Callable[..., Any]
Option = Callable[[Command], Command]

TABLE_FILES = (".csv", ".json", ".md")


if TYPE_CHECKING:
    _FileType = click.ParamType[Path]
    _WordType = click.ParamType[str]
else:  # not generic before click 8.3
    _FileType = _WordType = click.ParamType


class OutFile(_FileType):
    """A file to be written, in the format that its ending names."""

    name = "file"

    def __init__(self, endings: tuple[str, ...]) -> None:
        self.endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path. Raises ImpactBenchError for another ending, or a folder that is not there."""
        from helm_impactbench.files.atomic_write import check_parent
        from helm_impactbench.outputs.render.files import check_ending

        path = Path(value)
        check_ending(path, self.endings)
        check_parent(path)
        return path


class RowsBy(_WordType):
    """What has a row of its own: one of some words, or an axis or factor by name where these are allowed."""

    name = "what"

    def __init__(self, allowed: tuple[str, ...]) -> None:
        self.allowed = allowed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word. Raises ImpactBenchError for any other."""
        from helm_impactbench.errors import ImpactBenchError, did_you_mean

        text = str(value)
        if not any(text == word or (word.endswith(":NAME") and text.startswith(word[:-4])) for word in self.allowed):
            near = did_you_mean(text, self.allowed)
            raise ImpactBenchError(f"--by cannot be {text!r}. Choose one of: {', '.join(self.allowed)}.{near}")
        return text


def suite(*, needed: bool = True, several: bool = False, usual: str = "") -> Option:
    """Return --suite. usual: the suite that is meant without it."""
    return click.option(
        "--suite",
        "suites" if several else "suite",
        required=needed,
        multiple=several,
        metavar="SUITE",
        show_default=usual or None,
        shell_complete=completion.suites,
        help="Name of the suite, a folder of HELM runs.",
    )


def out(*endings: str) -> Option:
    """Return --out, which takes a file in one of some formats; those of tables if none is given."""
    kinds = endings or TABLE_FILES
    return click.option(
        "--out",
        type=OutFile(kinds),
        metavar=f"FILE{'|'.join(kinds)}",
        help="Write the result to this file.",
    )


def out_dir(*, needed: bool = False, usual: str = "") -> Option:
    """Return --out-dir. usual: where the files go without it."""
    return click.option(
        "--out-dir",
        type=click.Path(path_type=Path),
        metavar="DIR",
        required=needed,
        show_default=usual or None,
        help="Folder to write files into.",
    )


def by(*allowed: str) -> Option:
    """Return --by, which takes one of some words; the first is meant without it."""
    return click.option(
        "--by",
        type=RowsBy(allowed),
        default=allowed[0],
        show_default=True,
        metavar="|".join(allowed).replace("NAME", "X"),
        help="What each row is about.",
    )


def num_threads(usual: int | None = 20, shown: str = "") -> Option:
    """Return -n. usual: without it; None where the command itself decides, of which `shown` tells."""
    return click.option(
        "--num-threads",
        "-n",
        type=WholeRange(1),
        default=usual,
        show_default=shown or True,
        help="How many conversations or calls run at once.",
    )


def judge(*, needed: bool = False) -> Option:
    """Return --judge."""
    return click.option(
        "--judge",
        required=needed,
        metavar="DEPLOYMENT[+DEPLOYMENT...]",
        shell_complete=completion.models,
        help="The model, or panel of models, that judges.",
    )


def author(*, needed: bool = False) -> Option:
    """Return --author."""
    return click.option(
        "--author",
        required=needed,
        metavar="DEPLOYMENT",
        shell_complete=completion.models,
        help="The model that writes metrics and scenarios; rehearsal/author is scripted.",
    )


def conversations(usual: int | None = None, shown: str = "") -> Option:
    """Return --conversations. usual: without it; None for all."""
    return click.option(
        "--conversations",
        type=WholeRange(1),
        default=usual,
        show_default=shown or True,
        help="How many conversations to draw.",
    )


with_private = click.option("--with-private", is_flag=True, help="Include the conversations of private scenarios.")


output_path = click.option(
    "--output-path", "-o", default=USUAL_OUTPUT_PATH, show_default=True, help="HELM's output folder."
)
local_path = click.option(
    "--local-path",
    default="prod_env",
    show_default=True,
    help="Folder with API keys, deployments, limits and cache.",
)
benchmark = click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    metavar="SLUG",
    shell_complete=completion.benchmarks,
    help="Use only this benchmark; repeatable.",
)
model = click.option(
    "--model",
    "models",
    multiple=True,
    metavar="DEPLOYMENT",
    shell_complete=completion.targets,
    help="Use only this target; repeatable.",
)


def release(*, several: bool = True) -> Option:
    """Return --release."""
    return click.option(
        "--release",
        "releases" if several else "release",
        multiple=several,
        metavar="ID",
        help="Release of the targets, such as a commit; only answers of this release are used.",
    )


baseline_model = click.option(
    "--baseline-model",
    metavar="DEPLOYMENT",
    shell_complete=completion.targets,
    help="What the model is called in the baseline, if the names differ.",
)
metric = click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="SLUG/ID",
    shell_complete=completion.metrics,
    help="Use only this metric; repeatable.",
)
models = click.option(
    "--models",
    multiple=True,
    metavar="DEPLOYMENT...",
    shell_complete=completion.models,
    help="One or more models to test, for example litellm/openai/gpt-4o.",
)
user = click.option(
    "--user", metavar="DEPLOYMENT", shell_complete=completion.models, help="The model that plays the simulated user."
)
budget = click.option(
    "--budget",
    type=FiniteRange(0, min_open=True),
    metavar="USD",
    help="Limit in US dollars on the cost of the whole suite, or of all checks of a judge.",
)
anchor_set = click.option(
    "--anchor-set/--no-anchor-set",
    default=True,
    show_default=True,
    help="Have the judges read a few transcripts with known verdicts, so that a change in a judge is noticed.",
)
seed = click.option("--seed", default=0, show_default=True, help="Seed for random choices.")
dry_run = click.option("--dry-run", "-d", is_flag=True, help="Show what would be done, and change nothing.")
reference = click.option(
    "--reference",
    metavar="SUITE",
    shell_complete=completion.suites,
    help="Suite of other models; pass rates are estimated for all of its cases.",
)
population = click.option(
    "--population",
    type=Choice(["these", "like-these"]),
    default="these",
    show_default=True,
    help="What 95% intervals generalise to: other scenarios (these), or other benchmarks and metrics too (like-these).",
)
withhold_ungrounded = click.option(
    "--withhold-ungrounded", is_flag=True, help="Leave out votes whose quotes are not in the transcript."
)
withhold_marked = click.option(
    "--withhold-marked",
    is_flag=True,
    help="Leave out conversations in which a simulated user's message has a fault.",
)
where = click.option(
    "--where",
    metavar="AXIS=LEVEL",
    multiple=True,
    help="Use only conversations at this level of an axis, for example age=teenager; repeatable.",
)
wide = click.option("--wide", is_flag=True, help="Show all tables, columns and explanations.")
usd_each = click.option(
    "--usd-each",
    type=FiniteRange(0),
    metavar="USD",
    help="Price of a conversation in US dollars, as from `impactbench estimate`; by default, the suite's mean.",
)
