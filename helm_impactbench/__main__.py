"""`python -m helm_impactbench` is the command `impactbench`."""

from helm_impactbench.cli import main

main(prog_name="impactbench")
