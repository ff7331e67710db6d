"""The names under which HELM meets us lead to what they promise."""

from __future__ import annotations

import inspect
from importlib.metadata import entry_points

import pytest
from helm.benchmark.adaptation.adapters.adapter import Adapter
from helm.benchmark.run_spec import _REGISTERED_RUN_SPEC_FUNCTIONS
from helm.clients.client import Client
from helm.common.object_spec import get_class_by_name

from helm_impactbench.helm.own_names import ADAPTERS, RUN_SPECS, TARGET_CLIENTS
from helm_impactbench.suites.panels.table import BY_SLUG


def test_helm_finds_the_plug_in_and_its_run_specs() -> None:
    """HELM turns an import error in a plug-in into a warning, so this loads it as HELM does."""
    (found,) = [point for point in entry_points(group="helm") if point.name == "impactbench"]
    found.load()
    assert set(RUN_SPECS) <= set(_REGISTERED_RUN_SPEC_FUNCTIONS)


@pytest.mark.parametrize("path", sorted(set(RUN_SPECS.values())))
def test_a_run_spec_is_made_from_its_name_and_options(path: str) -> None:
    """The function is there."""
    assert list(inspect.signature(get_class_by_name(path)).parameters)[1] == "options"


def test_every_panel_has_a_run_spec() -> None:
    """The plain list of names is that of the suites."""
    assert {name for name in RUN_SPECS if name.startswith("panel_")} == set(BY_SLUG)


def test_adapters_and_clients_are_helms() -> None:
    """Each path leads to a class of the kind that HELM makes of it."""
    assert all(issubclass(get_class_by_name(path), Adapter) for path in ADAPTERS.values())
    assert all(issubclass(get_class_by_name(path), Client) for path, _ in TARGET_CLIENTS.values())
