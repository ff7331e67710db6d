"""The commands `impactbench audit ...`: is what was measured what was meant?"""

from __future__ import annotations

from pathlib import Path

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.asking import asking
from helm_impactbench.cli.mistakes import CommandGroup
from helm_impactbench.cli.reading import show


@click.group("audit", cls=CommandGroup)
def audit() -> None:
    """Test the simulated user and the judges."""


@audit.command("simulator")
@options.suite()
@click.option(
    "--human",
    type=click.Path(path_type=Path),
    metavar="FILE.jsonl|.csv|.tsv|.parquet",
    help="Conversations of real people, to compare the simulated ones with.",
)
@click.option(
    "--reviewer", metavar="DEPLOYMENT", shell_complete=completion.models, help="The model that reviews simulated users."
)
@options.conversations(shown="all; 2000 without --reviewer")
@options.seed
@options.benchmark
@options.model
@options.release()
@options.output_path
@options.local_path
@options.num_threads()
@options.out()
@options.wide
def simulator(
    suite: str,
    human: Path | None,
    reviewer: str | None,
    conversations: int | None,
    seed: int,
    benchmarks: tuple[str, ...],
    models: tuple[str, ...],
    releases: tuple[str, ...],
    output_path: str,
    local_path: str,
    num_threads: int,
    out: Path | None,
    wide: bool,
) -> None:
    """Have simulated users reviewed, or compare them with people.

    \b
      impactbench audit simulator --suite impact --human chats.jsonl
      impactbench audit simulator --suite impact --conversations 200 \\
          --reviewer litellm/openai/gpt-5.4-mini

    Without --reviewer, no model is called. The command measures length, questions, politeness, typing, vocabulary and
    more in what simulated users wrote. The counts are split by the personas' age and by what personas say about how
    they write. With --human, the same counts for real people's conversations are shown beside them. --human takes a
    table (columns conversation, role, content), or JSONL with lines of {"messages": [{"role": ..., "content": ...}]}.
    The result is kept in the suite and shown in its report.

    With --reviewer, a model gets the simulated user's instructions and looks for these faults: broke_persona,
    spoke_as_assistant, revealed_test, gave_up_early, invented_facts. A fault counts only if the reviewer's quote is in
    the simulated user's message. A review that fails is reported as failed, not as free of faults. Pass rates are also
    shown without the conversations that have faults. Repeating the command costs nothing: the answers are in the cache.
    """
    from helm_impactbench.api import load_suite

    opened = load_suite(suite, output_path, benchmarks=benchmarks, models=models, releases=releases)
    if human or not reviewer:
        people = opened.simulated_people(human, conversations=conversations, seed=seed)
        show(people, None if reviewer else out, wide=wide)
    if reviewer:
        from helm_impactbench.helm.reviews import review

        ask = asking(local_path, num_threads)
        show(review(opened.folder, reviewer, ask, benchmarks, models, conversations, seed, releases), out, wide=wide)
