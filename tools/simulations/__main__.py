"""Simulations behind the tables of docs/decisions/evidence.md, with seeds: `make simulations` prints them."""

from __future__ import annotations

import argparse
from itertools import chain

from tools.simulations.gaps import gap_lines
from tools.simulations.grades import grade_lines
from tools.simulations.looks import look_lines, saving_lines
from tools.simulations.losses import loss_lines, partly_lines, power_lines
from tools.simulations.metrics import metric_lines
from tools.simulations.pilots import pilot_lines


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200, help="Data sets of each cell of the last table.")
    sets = parser.parse_args().sets
    tables = (
        loss_lines(10 * sets), partly_lines(10 * sets), power_lines(10 * sets), metric_lines(10 * sets),
        grade_lines(5 * sets), look_lines(10 * sets), saving_lines(5 * sets), pilot_lines(sets // 2),
        gap_lines(sets),
    )  # fmt: skip
    for line in chain.from_iterable([*table, ""] for table in tables):
        print(line, flush=True)


if __name__ == "__main__":
    main()
