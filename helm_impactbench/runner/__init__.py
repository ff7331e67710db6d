"""`helm-run --runner-class-name helm_impactbench.runner.ParallelRunner`: all runs share one budget of concurrency."""

from helm_impactbench.runner.helm_runner import ParallelRunner

__all__ = ["ParallelRunner"]
