"""The command `impactbench start`: a few questions, a study.yaml, its price, and its run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.finite import FiniteRange
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.study.starting import HAVE, SCRIPTED_JUDGE, SCRIPTED_USER, SCRIPTS, WANT, Answers, Have, Want

if TYPE_CHECKING:
    from helm_impactbench.errors import ImpactBenchError
    from helm_impactbench.study.model import Study

LOGS = (
    "A benchmark asks the model itself, so replies that were given elsewhere are not scored. What people wrote can "
    "become cases:\n"
    "  impactbench new my-cases                            a benchmark of your own\n"
    "  impactbench cases read my-cases prompts.csv         their messages as its cases\n"
    "Conversations in ImpactBench's own format: impactbench import FOLDER"
)


@click.command("start")
@click.argument("more", nargs=-1, metavar="[FILE]")
@click.option("--have", type=Choice([*HAVE]), help="What you have: models, a product, logs, or nothing yet.")
@click.option(
    "--want",
    type=Choice([*WANT]),
    help="Your question: a score, the better model, equal treatment, a new release or the better prompt.",
)
@options.models
@options.user
@options.judge()
@options.budget
@options.output_path
@options.local_path
@click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
def start(
    have: Have | None,
    want: Want | None,
    models: tuple[str, ...],
    user: str | None,
    judge: str | None,
    budget: float | None,
    more: tuple[str, ...],
    output_path: str,
    local_path: str,
    yes: bool,
) -> None:
    """Answer a few questions and get a study.yaml.

    \b
      impactbench start
      impactbench start --have nothing --want better --yes

    On a terminal, the command asks for whatever the options leave open. FILE is study.yaml by default; an existing file
    is not overwritten. --yes runs the study at once, but not while system prompts to compare have yet to be written.
    """
    from helm_impactbench.errors import SettingError
    from helm_impactbench.study.settings import complete_study, file_settings

    there = sys.stdin.isatty() and sys.stdout.isatty()
    out, models = _file_and_models(more, models)
    have = have or _chosen("What do you have?", HAVE, "--have", there)
    if have == "logs":
        click.echo(LOGS)
        return
    want = want or _chosen("What do you want to know?", WANT, "--want", there)
    _check_free(out)
    if have == "product" and want == "prompt":
        raise SettingError("A product has a system prompt of its own. Compare two releases of it: --want release.")
    answers = _answers(have, want, models, user, judge, budget, there)
    is_ready = _write(answers, out)
    with _naming(out):
        if have == "product" and (missing := [file for file in answers.models if not Path(file).is_file()]):
            raise SettingError(f"{missing[0]} is not there yet. impactbench target new {missing[0]} writes it.")
        settings, _ = file_settings(out)
        study = complete_study(settings, str(out))
        _run(
            study,
            answers,
            out,
            Path(output_path),
            Path(local_path),
            asks=there and not yes,
            is_ready=is_ready,
            runs=is_ready and (there or yes),
        )


def _file_and_models(words: Sequence[str], models: Sequence[str]) -> tuple[Path, tuple[str, ...]]:
    """Return the study file and the models; words after --models that have a slash are further ones.

    Raises SettingError.
    """
    from helm_impactbench.errors import SettingError
    from helm_impactbench.study.settings import is_study_file

    files = [word for word in words if is_study_file(word)]
    others = [word for word in words if word not in files]
    if wrong := [word for word in others if not models or "/" not in word]:
        hint = " Models have a slash: --models litellm/openai/gpt-4o." if models else ""
        raise SettingError(f"{wrong[0]!r} is not the name of a study file, which ends in .yaml.{hint}")
    if len(files) > 1:
        raise SettingError(f"{len(files)} study files are too many: {', '.join(files)}. Give one.")
    return Path(files[0] if files else "study.yaml"), (*models, *others)


def _check_free(out: Path) -> None:
    """Raise ImpactBenchError where a file cannot be written, or is there."""
    from helm_impactbench.errors import SettingError
    from helm_impactbench.files.atomic_write import check_parent

    try:
        check_parent(out)
        is_there = out.exists()
    except OSError as error:
        raise _unwritable(error) from error
    if is_there:
        raise SettingError(f"{out} is there already and is kept. Name another one: impactbench start other.yaml")


def _unwritable(error: OSError) -> ImpactBenchError:
    from helm_impactbench.errors import SettingError

    return SettingError(f"{error.filename} cannot be written ({error.strerror}). Name another file.")


def _answers(
    have: Have,
    want: Want,
    models: tuple[str, ...],
    user: str | None,
    judge: str | None,
    budget: float | None,
    there: bool,
) -> Answers:
    from helm_impactbench.conversation.usual_roles import usual_judge, usual_user

    if have == "nothing":
        return Answers(have, want, models or SCRIPTS, SCRIPTED_USER, (SCRIPTED_JUDGE,), None)
    if have == "product":
        asked = "File of the product (impactbench target new writes it)"
        named = [*models] or [_asked(asked, "product.yaml", "--models", there)]
    else:
        asked = "Models, separated by spaces (such as litellm/openai/gpt-4o)"
        named = [*models] or _asked(asked, None, "--models", there).split()
    player = user or _asked("Model that plays the person", usual_user(), None, there)
    judged = judge or _asked("Model that judges", usual_judge(), None, there)
    if budget is None and not there:
        raise click.UsageError("Nobody is there to ask. Give --budget.")
    most = budget or click.prompt("Most that it may cost, in US$", default=25.0, type=FiniteRange(0, min_open=True))
    return Answers(have, want, named, player, judged.split("+"), most)


def _chosen(question: str, choices: dict[Any, str], option: str, there: bool) -> Any:
    """Return the choice that is made on the terminal, by its number or its name."""
    if not there:
        raise click.UsageError(f"Nobody is there to ask. Say it with {option}: {', '.join(choices)}.")
    click.echo(question)
    names = [*choices]
    for number, (name, words) in enumerate(choices.items(), start=1):
        click.echo(f"  {number}  {name.ljust(9)}{words}")
    numbers = [str(number) for number in range(1, len(names) + 1)]
    given = click.prompt("Number", type=Choice([*numbers, *names]), show_choices=False)
    return names[int(given) - 1] if given in numbers else given


def _asked(question: str, usual: str | None, option: str | None, there: bool) -> str:
    """Return what is said on the terminal; without one the usual answer, if no option has to give it."""
    if there:
        return str(click.prompt(question, default=usual))
    if option is not None or usual is None:
        raise click.UsageError(f"Nobody is there to ask. Give {option}.")
    return usual


def _write(answers: Answers, out: Path) -> bool:
    """Write the file, and the prompts of its arms where they are missing; return whether none was missing."""
    from helm_impactbench.study.starting import PROMPTS, study_text

    files = map(Path, PROMPTS.values() if answers.want == "prompt" else ())
    missing = [path for path in files if not path.exists()]
    try:
        out.write_text(study_text(answers, str(out)), encoding="utf-8")
        click.echo(f"Wrote {out}", err=True)
        for path in missing:
            path.write_text("You are a helpful assistant.\n", encoding="utf-8")
            click.echo(f"Wrote {path}: put the system prompt there.", err=True)
    except OSError as error:
        raise _unwritable(error) from error
    return not missing


@contextmanager
def _naming(out: Path) -> Iterator[None]:
    """Say after a refusal, a stop or a no that the file is there, and the command that takes it from there."""
    from helm_impactbench.errors import ImpactBenchError, StoppedError

    after = f"Your answers are kept in {out}. Then: impactbench run {out}"
    try:
        yield
    except (click.Abort, KeyboardInterrupt, SystemExit, StoppedError):
        click.echo(after, err=True)
        raise
    except ImpactBenchError as error:
        raise ImpactBenchError(f"{error}\n{after}") from error


def _run(
    study: Study,
    answers: Answers,
    out: Path,
    output_path: Path,
    local_path: Path,
    *,
    asks: bool,
    is_ready: bool,
    runs: bool,
) -> None:
    """Show the plan and its price; run it where somebody agrees."""
    from helm_impactbench.cli.run_console import AnchorConsole, Console
    from helm_impactbench.cli.run_result import conclude
    from helm_impactbench.errors import HelmRunError
    from helm_impactbench.helm.study_run import StudyPlace, run_study
    from helm_impactbench.study.starting import PROMPTS, next_commands, run_command

    place = StudyPlace(output_path, local_path)
    after = next_commands(answers, str(out), study.suite)
    if not runs:
        run_study(study.model_copy(update={"dry_run": True}), place, Console(asks=False))
        first = [] if is_ready else [f"Write {' and '.join(PROMPTS.values())}."]  # equal ones would compare nothing
        commands = [*first, run_command(answers, str(out)), *after]
        click.echo("\n".join(["Next:", *(f"  {line}" for line in commands)]))
        return
    try:
        study = run_study(study, place, Console(asks=asks), anchors=AnchorConsole())
    except HelmRunError as error:
        click.echo(error.ending, err=True)
        sys.exit(error.exit_code)
    conclude(study, str(output_path), True)
    click.echo("\n".join(["Next:", *(f"  {line}" for line in after)]))
