"""Another package that brings measures, as pip leaves it in a folder: what an installer writes beside its modules."""

from __future__ import annotations

from pathlib import Path

from tests.support.commands import QUICK_START

ROOT = Path(__file__).parents[2]


def write_plug_in(folder: Path, **measures: str) -> dict[str, str]:
    """Install a package in a folder and return the environment of a command that finds it there.

    measures: name of each entry point -> the object that it names, `module:Class`, of the tests or in `folder`.
    """
    about = folder / "own_measures-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-measures\nVersion: 1.0\n")
    lines = (f"{name} = {place}\n" for name, place in measures.items())
    (about / "entry_points.txt").write_text("".join(["[helm_impactbench.measures]\n", *lines]))
    return plugged_in(folder)


def plugged_in(folder: Path) -> dict[str, str]:
    """Return the environment of a command that finds what is installed in a folder."""
    return {"PYTHONPATH": f"{QUICK_START}:{folder}:{ROOT}"}
