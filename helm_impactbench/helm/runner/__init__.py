"""`--runner-class-name helm_impactbench.helm.runner.ParallelRunner`: all runs share one budget of concurrency."""

from helm_impactbench.helm.runner.parallel_runner import ParallelRunner

__all__ = ["ParallelRunner"]
