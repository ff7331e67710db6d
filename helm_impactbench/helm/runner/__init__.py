"""HELM's Runner with one number of calls in flight for all runs: helm_impactbench.ParallelRunner."""
