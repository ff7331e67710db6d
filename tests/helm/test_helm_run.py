"""The options of helm-run that we read are those that the installed HELM has."""

from __future__ import annotations

import argparse
from typing import Any

from helm.benchmark.run import build_parser
from helm.proxy.services.service import CACHE_DIR

from helm_impactbench.process.folder_checks import CACHE_FOLDER
from helm_impactbench.process.helm_run import run_parser


def options(parser: argparse.ArgumentParser) -> dict[tuple[str, ...], tuple[Any, ...]]:
    """Return spelling -> (destination, number of values, kind of action) of a parser's options."""
    return {
        tuple(action.option_strings): (action.dest, action.nargs, type(action))
        for action in parser._actions
        if action.dest != "help"
    }


def test_the_options_are_helms() -> None:
    """Upstream adds, drops or renames one: mend process/helm_run.py, or a shortened option means something else."""
    assert options(run_parser()) == options(build_parser())


def test_the_defaults_are_helms() -> None:
    """Of the options that are read without being given."""
    helm, ours = build_parser(), run_parser()
    for name in ("suite", "output_path", "local_path", "dry_run", "runner_class_name"):
        assert ours.get_default(name) == helm.get_default(name)


def test_the_cache_is_where_helm_keeps_it() -> None:
    """Its folder is checked before the first call."""
    assert CACHE_FOLDER == CACHE_DIR
