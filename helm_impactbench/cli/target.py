"""The commands `impactbench target check` and `impactbench target new`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.finite import FiniteRange
from helm_impactbench.cli.reading import show
from helm_impactbench.errors import SettingError


@click.group("target")
def target() -> None:
    """Describe a product and check whether it can be tested.

    A product is what people use, with its own memory, sessions and system prompt. To test a product, give the path of
    its product.yaml where --models takes a model's name.
    """


@target.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--patience",
    type=FiniteRange(0.1, 600),
    metavar="SECONDS",
    help="Longest time that a turn may take, in seconds; 20 by default.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@options.out()
def check_command(file: Path, patience: float | None, yes: bool, out: Path | None) -> None:
    """Send a product a few messages. The replies show whether it answers, remembers and keeps conversations apart.

    \b
      impactbench target check product.yaml

    At most 14 messages are sent, in 8 sessions. The exit code is 1 if something has to be corrected.
    """
    from helm_impactbench.targets.check import MESSAGES, PATIENCE, check_target
    from helm_impactbench.targets.description import read_product

    product = read_product(file)
    where = product.url or product.function
    question = (
        f"{product.name} ({where}) will get up to {MESSAGES} messages. A live product may alert its staff, send mail "
        "or keep what it is told. Is this a test environment?"
    )
    if not yes and not (sys.stdin.isatty() and click.confirm(question, err=True)):
        raise SettingError(f"Nothing was sent to {product.name}. Where it is a test environment, add --yes.")
    show(check_target(product, patience or PATIENCE, str(file)), out)


@target.command("new")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--curl", "command", metavar="COMMAND", help="The curl command; read from standard input when left out.")
@click.option("--name", metavar="MAKER/PRODUCT", show_default="made from the address", help="The name to show.")
@click.option(
    "--answer",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A JSON file with an answer of the product, to find where the reply is.",
)
def new_command(file: Path, command: str | None, name: str | None, answer: Path | None) -> None:
    """Write a product.yaml from a curl command. The file names environment variables in place of keys.

    \b
      impactbench target new product.yaml < curl.txt

    Browsers can copy a request as a curl command. The output says which environment variables to set.
    """
    from helm_impactbench.files.atomic_write import write_whole
    from helm_impactbench.files.safe_read import IntakeError, decoded, parsed_json, read_bytes
    from helm_impactbench.targets.curl import product_from_curl, product_text
    from helm_impactbench.targets.description import checked_product

    if not file.parent.is_dir():
        raise SettingError(f"There is no folder {file.parent} to write {file.name} into; create it first.")
    if file.exists():
        raise SettingError(f"{file} exists already. Name another file, or delete it.")
    try:
        answered = parsed_json(decoded(read_bytes(answer))) if answer else None
    except IntakeError as error:
        raise SettingError(f"{answer} {error}.") from None
    made = product_from_curl(command or sys.stdin.read(), name, answered)
    checked_product(made.data, str(file))
    write_whole(file, product_text(made.data))
    click.echo(f"Wrote {file}")
    for note in made.notes:
        click.echo(note)
    for variable in made.variables:
        click.echo(f"Set {variable} in the environment or in .env to the key of the command.")
    click.echo(f"Next: impactbench target check {file}")
