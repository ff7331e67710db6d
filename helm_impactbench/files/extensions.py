"""What other installed packages bring: they name it in an entry-point group of ours, `helm_impactbench.measures`.

Every process finds entry points by itself: worker processes, Slurm jobs and commands alike. A further kind of extension
is a group of another name.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from helm_impactbench.errors import SettingError


def extensions(kind: str) -> Iterator[tuple[str, Any]]:
    """Yield (name, object) of everything that installed packages bring in the group `helm_impactbench.<kind>`, by name.

    Raises SettingError for one that cannot be imported.
    """
    for point in sorted(entry_points(group=f"helm_impactbench.{kind}"), key=lambda point: point.name):
        yield point.name, _loaded(point)


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:  # importing somebody else's module may raise anything
        package = point.dist.name if point.dist else "an installed package"
        raise SettingError(
            f"The package {package} brings {point.name!r} in {point.group} as {point.value}, which cannot be imported: "
            f"{type(error).__name__}: {error}. Repair or uninstall {package}."
        ) from error
