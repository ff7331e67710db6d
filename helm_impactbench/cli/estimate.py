"""The command `impactbench estimate`."""

from __future__ import annotations

from pathlib import Path

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.finite import WholeRange
from helm_impactbench.cli.reading import show
from helm_impactbench.cli.suite import quiet_helm


@click.command("estimate")
@click.argument("more", nargs=-1, metavar="[RUN_ENTRY|CONF]...")
@click.option("--run-entries", "-r", multiple=True, metavar="RUN_ENTRY...", help="One or more run entries.")
@click.option("--conf-paths", "-c", multiple=True, metavar="CONF...", help="One or more files of run entries.")
@click.option(
    "--models-to-run",
    "models",
    multiple=True,
    metavar="DEPLOYMENT...",
    shell_complete=completion.models,
    help="One or more targets, for run entries without model=.",
)
@click.option("--user-message", default=45, show_default=True, help="Assumed number of tokens in a user's message.")
@click.option(
    "--user-thought",
    default=30,
    show_default=True,
    help="Assumed number of tokens in a simulated user's thought before a message.",
)
@click.option("--target-reply", default=220, show_default=True, help="Assumed number of tokens in a target's reply.")
@click.option("--judge-answer", default=140, show_default=True, help="Assumed number of tokens in a judge's answer.")
@click.option(
    "--max-eval-instances",
    "-m",
    type=WholeRange(1),
    help="Maximum number of instances per run; by default 1,000 for a HELM suite and all conversations otherwise.",
)
@click.option(
    "--against",
    metavar="SUITE",
    shell_complete=completion.suites,
    help="Compare the estimate with what a finished suite used.",
)
@options.output_path
@options.local_path
@options.out()
def estimate_command(
    more: tuple[str, ...],
    run_entries: tuple[str, ...],
    conf_paths: tuple[str, ...],
    models: tuple[str, ...],
    user_message: int,
    user_thought: int,
    target_reply: int,
    judge_answer: int,
    max_eval_instances: int | None,
    against: str | None,
    output_path: str,
    local_path: str,
    out: Path | None,
) -> None:
    """Estimate what run entries will cost, without any call.

    The table shows calls, tokens and US dollars by role and model.

    \b
      CONF=$(impactbench list --path run_entries/quick.conf)
      impactbench estimate -c $CONF --models-to-run litellm/openai/gpt-4o

    --run-entries, --conf-paths, --models-to-run and -m are those of helm-run, so its command lines can be used
    unchanged. Run entries and files of them may also be given as plain arguments. Prompts are counted as they will be
    sent. The lengths of answers are assumptions that options can change. The estimate leaves out retries, requests
    repeated after unreadable answers, and savings from a provider's prompt cache. HELM's own suites (harm_bench, mmlu,
    panel_xstest, ...) are estimated from published sizes and rough lengths of texts, without their data.
    """
    entries = [*run_entries, *conf_paths, *more]
    if not entries:
        raise click.UsageError("Nothing to estimate: name run entries, or --conf-paths with files of them.")
    from helm_impactbench.analysis.costs.forecast import Assumptions, actual
    from helm_impactbench.helm.estimate import EstimateRequest, estimated
    from helm_impactbench.helm.session import know_deployments
    from helm_impactbench.results.files import suite_folder

    quiet_helm()
    know_deployments(Path(local_path))
    taken = actual(suite_folder(Path(output_path), against)) if against else None
    assumed = Assumptions(user_message, user_thought, target_reply, judge_answer)
    show(estimated(EstimateRequest(entries, models, max_eval_instances, assumed), taken, against or ""), out)
