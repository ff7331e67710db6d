"""Simulations behind the tables of docs/figures-measured.md, with seeds: `make simulations` prints them."""

from __future__ import annotations

import argparse
from itertools import chain

from tools.simulations.gaps import gap_lines
from tools.simulations.grades import grade_lines
from tools.simulations.losses import loss_lines, power_lines
from tools.simulations.metrics import metric_lines


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200, help="Data sets of each cell of the last table.")
    sets = parser.parse_args().sets
    quick = (loss_lines(10 * sets), power_lines(10 * sets), metric_lines(10 * sets), grade_lines(5 * sets))
    for line in chain(*((*table, "") for table in quick), gap_lines(sets)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
