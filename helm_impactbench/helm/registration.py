"""Everything that a process needs to run something of ours, set up once: when a run of ours is asked for.

Asked for by a run entry in helm-run, by our own commands, and in a Slurm job, which loads no plug-ins, by the import of
our HELM scenario. A helm-run of somebody else's entries never comes here.
"""

from __future__ import annotations

from functools import cache

from helm_impactbench.helm import patches, slips
from helm_impactbench.helm.deployments import register_deployments
from helm_impactbench.helm.products import register_products
from helm_impactbench.helm.rehearsal_cast import register_cast
from helm_impactbench.llm.litellm_settings import prepare_litellm
from helm_impactbench.process.collector import spare_the_collector
from helm_impactbench.process.folder_checks import check_folders
from helm_impactbench.process.helm_run import Program, this_run
from helm_impactbench.process.shutdown import take_over
from helm_impactbench.process.stop import stop_on_error


@cache
def install() -> None:
    """Set this process up, or end it with one line where its settings or folders cannot be used."""
    run = this_run()
    spare_the_collector()
    stop_on_error(take_over, run)
    prepare_litellm()
    if run.program is Program.HELM_RUN:
        slips.explain()
        stop_on_error(check_folders, run)
    patches.install()
    register_deployments()
    register_cast()
    stop_on_error(register_products, run.local_path)
