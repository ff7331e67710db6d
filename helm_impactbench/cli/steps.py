"""How far a command is that asks a model many times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from helm_impactbench.errors import counted


@contextmanager
def steps(total: int, noun: str) -> Iterator[Callable[[], None]]:
    """Yield what is called after every step; shows a bar on a terminal, and ten lines anywhere else."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    done = 0
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(f"{noun}s", total=total)

        def step() -> None:
            nonlocal done
            done += 1
            progress.update(task, advance=1)
            if not console.is_terminal and (done == total or done % -(-total // 10) == 0):
                click.echo(f"{done} of {counted(total, noun)}", err=True)

        yield step
