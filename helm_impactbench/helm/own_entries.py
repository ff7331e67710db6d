"""Has this helm-run an entry of ours? Asked in every helm-run, so it reads no more than it has to."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from helm_impactbench.files.resources import shipped
from helm_impactbench.helm.own_names import REHEARSAL_PREFIX, RUN_SPECS
from helm_impactbench.process.helm_run import OUR_RUNNERS, HelmRun

_NEAR = 0.85
"""How like one of ours a name has to be: HELM has hundreds of names of its own."""
_FIELDS = {"entries": "a list", "description": "a text", "priority": "a whole number", "groups": "a list of texts"}
"""Field of HELM's run entries -> what it must be."""
WHAT_A_CONF_HAS = 'It should contain entries: [{description: "impactbench:...", priority: 1}]'


def invites_us(run: HelmRun) -> bool:
    """Return whether a helm-run has an entry of ours, or takes our runner."""
    return (run.runner or "").startswith(OUR_RUNNERS) or any(True for _ in own_entries(run))


def nearly_invites_us(run: HelmRun) -> bool:
    """Return whether an entry's name is nearly one of ours, or a conf file that HELM cannot read may be meant for us.

    That is one of a name that we ship, where it is missing, and one with a name of ours in it, where it is faulty. Any
    such file is meant for us where a scripted model of ours is to be run.
    """
    if any(model.startswith(REHEARSAL_PREFIX) for model in run.models_to_run) and any(
        parse_fault(path) or not path.exists() for path in run.conf_paths
    ):
        return True
    names = (entry.partition(":")[0] for entry in run.run_entries)
    return any(get_close_matches(name, RUN_SPECS, n=1, cutoff=_NEAR) for name in names) or any(
        fault_in(path) if path.exists() else is_shipped_conf(path) for path in run.conf_paths
    )


def fault_in(path: Path) -> str:
    """Return what keeps HELM from reading a conf file that names one of ours, in one line; empty where nothing does."""
    return parse_fault(path) if _may_be_ours(path) else ""


def parse_fault(path: Path) -> str:
    """Return what keeps HELM from reading a conf file, in one line; empty where nothing does. A pipe is left alone."""
    if not path.is_file():
        return ""
    from dacite import MissingValueError, WrongTypeError, from_dict
    from helm.benchmark.presentation.run_entry import RunEntries
    from helm.common.general import parse_hocon

    try:
        with path.open() as file:  # as HELM opens it
            from_dict(RunEntries, parse_hocon(file.read()))
    except UnicodeDecodeError:
        return "it is no text in UTF-8"
    except MissingValueError as error:
        return f"{error.field_path} is missing"
    except WrongTypeError as error:
        return f"{error.field_path} must be {_FIELDS.get(str(error.field_path).rpartition('.')[2], 'something else')}"
    except Exception as error:  # HOCON's parser raises kinds of its own
        said, line = " ".join(str(error).split())[:200], getattr(error, "lineno", None)
        return f"line {line}: {said.partition(' (at char')[0]}" if line else said
    return ""


def is_shipped_conf(path: Path) -> bool:
    """Return whether a conf file of this name is shipped with the package."""
    return path.suffix == ".conf" and shipped("run_entries", path.name).is_file()


def own_entries(run: HelmRun) -> Iterator[str]:
    """Yield the entries of ours, of the command line and of its conf files."""
    yield from filter(is_own, run.run_entries)
    for path in run.conf_paths:
        yield from filter(is_own, _descriptions(path))


def is_own(entry: str) -> bool:
    """Return whether a run entry is ours, by the name that it begins with."""
    return entry.partition(":")[0] in RUN_SPECS


def _descriptions(path: Path) -> list[str]:
    """Return the entries of a conf file that may hold one of ours; HELM says what is wrong with a file.

    A pipe is left alone: it can be read once, and that is HELM's. Our run specs set everything up when they are called.
    """
    if not _may_be_ours(path):
        return []
    from helm.common.general import parse_hocon

    try:
        text = path.read_text(encoding="utf-8", errors="replace")
        return [str(entry["description"]) for entry in parse_hocon(text)["entries"]]
    except Exception:  # HOCON's parser raises kinds of its own
        return []


def _may_be_ours(path: Path) -> bool:
    """Return whether a conf file, which is no pipe, has a name of ours in it."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError:
        return False
    return any(name in text for name in RUN_SPECS)
