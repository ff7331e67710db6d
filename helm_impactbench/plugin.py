"""HELM's entry point: importing this module makes ImpactBench known to helm-run."""

from helm_impactbench import registration, run_specs

registration.register()

__all__ = ["run_specs"]
