"""The command `impactbench`."""

from __future__ import annotations

from typing import Any

import click

from helm_impactbench._version import __version__
from helm_impactbench.cli.agreement import agreement
from helm_impactbench.cli.annotate import annotate
from helm_impactbench.cli.audit import audit
from helm_impactbench.cli.audit_cues import cues
from helm_impactbench.cli.audit_swap import drift, swap
from helm_impactbench.cli.authoring import gen_metrics, gen_scenarios, new
from helm_impactbench.cli.batch import batch
from helm_impactbench.cli.cases import cases
from helm_impactbench.cli.check_judge import anchors_command, check_judge_command, stress_command
from helm_impactbench.cli.checks import checks
from helm_impactbench.cli.cite import cite
from helm_impactbench.cli.combined import combined
from helm_impactbench.cli.compare import compare_command
from helm_impactbench.cli.components import components
from helm_impactbench.cli.contamination import contamination
from helm_impactbench.cli.content import check, list_benchmarks
from helm_impactbench.cli.contrasts import contrasts
from helm_impactbench.cli.costs import costs
from helm_impactbench.cli.estimate import estimate_command
from helm_impactbench.cli.explain import explain
from helm_impactbench.cli.export import export_command, import_command
from helm_impactbench.cli.fetch import fetch_command
from helm_impactbench.cli.folding import fold_output
from helm_impactbench.cli.gate import gate
from helm_impactbench.cli.items import items
from helm_impactbench.cli.label import label_command
from helm_impactbench.cli.mistakes import CommandGroup, OneLineError, one_line
from helm_impactbench.cli.power import power
from helm_impactbench.cli.rates import rates
from helm_impactbench.cli.rejudge import rejudge_command
from helm_impactbench.cli.report import report
from helm_impactbench.cli.robustness import robustness
from helm_impactbench.cli.run import run_command
from helm_impactbench.cli.start import start
from helm_impactbench.cli.summarize import summarize
from helm_impactbench.cli.target import target
from helm_impactbench.cli.view import view
from helm_impactbench.cli.waiting import told_when_slow
from helm_impactbench.cli.watch import watch
from helm_impactbench.errors import ImpactBenchError, StoppedError
from helm_impactbench.llm.litellm_settings import prepare_litellm
from helm_impactbench.process.collector import spare_the_collector

SECTIONS = {
    "Plan and run": ("start", "run", "watch", "list", "estimate", "batch", "target"),
    "Results": ("summarize", "combined", "report", "view", "label", "explain", "costs", "cite"),
    "Statistics": ("rates", "compare", "contrasts", "gate", "power", "components", "robustness"),
    "Validity": (
        "check-judge",
        "stress",
        "anchors",
        "agreement",
        "checks",
        "contamination",
        "audit",
        "drift",
        "annotate",
        "rejudge",
    ),
    "Write benchmarks": ("new", "gen-metrics", "gen-scenarios", "cases", "check", "items"),
    "Files of other tools": ("export", "import", "fetch"),
}
"""Heading of the help -> its commands, in order."""


class _Commands(CommandGroup):
    """Prints only the message of our own errors, and lists the commands by what they are for."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.commands))
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                limit = formatter.width - 6 - width
                formatter.write_dl(
                    [(name.ljust(width), self.commands[name].get_short_help_str(limit)) for name in names]
                )

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except StoppedError:  # by a signal, of which the user was told
            from helm_impactbench.process.shutdown import SHUTDOWN

            SHUTDOWN.end()
        except click.UsageError as error:
            raise one_line(error) from error
        except ImpactBenchError as error:
            raise OneLineError(str(error)) from error

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(context, args)
        except click.NoSuchOption as error:
            raise one_line(error) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="impactbench")
@click.pass_context
def main(context: click.Context) -> None:
    """Measure what AI models do to the people who talk to them.

    \b
      first run          impactbench run --models rehearsal/mixed \\
                             --user rehearsal/user --judge rehearsal/judge
                             (scripted models: offline and free)
      look at it         report --suite impact
      which is better    compare --suite impact
      are groups equal   contrasts --suite impact
      two releases, CI   gate --suite new --baseline old
      my own benchmark   new, gen-metrics, gen-scenarios, check
      is the judge right check-judge, stress, annotate

    HELM's own commands work too: helm-run, helm-summarize (`impactbench summarize` adds intervals) and helm-server.
    Your own benchmarks in ./benchmarks/<slug>/ take precedence over shipped ones with the same slug.
    """
    context.with_resource(told_when_slow(context.invoked_subcommand))
    spare_the_collector()
    fold_output()
    prepare_litellm()  # before whatever imports it


audit.add_command(cues)
audit.add_command(swap)
COMMANDS = (
    *(start, run_command, watch, list_benchmarks, estimate_command, batch, target),
    *(summarize, combined, report, view, label_command, explain, costs, cite),
    *(rates, compare_command, contrasts, gate, power, components, robustness),
    *(check_judge_command, stress_command, anchors_command, agreement, checks, contamination),
    *(audit, drift, annotate, rejudge_command),
    *(new, gen_metrics, gen_scenarios, cases, check, items),
    *(export_command, import_command, fetch_command),
)
for command in COMMANDS:
    main.add_command(command)


if __name__ == "__main__":
    main()
