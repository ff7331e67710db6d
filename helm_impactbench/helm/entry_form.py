"""The form of a run entry, name:option=value,option=value: slips that HELM misreads in silence or with a traceback."""

from __future__ import annotations

from helm_impactbench.errors import RunEntryError
from helm_impactbench.files.safe_read import first_repeated


def check_form(entry: str) -> None:
    """Raise RunEntryError for a slip in the form of an entry of ours; its run spec function looks at the options."""
    name, _, options = entry.partition(":")
    parts = [part.partition("=") for part in options.split(",")] if options else []
    apart = next(("".join(part) for part in parts if any(word != word.strip() for word in part)), None)
    if apart is not None:
        raise RunEntryError(
            f"Run entry {name}: there is a space in {apart!r}. Write no spaces after commas, nor around =."
        )
    bare = next((option for option, sign, _ in parts if not sign), None)
    if bare is not None:
        raise RunEntryError(
            f"Run entry {name}: the part {bare!r} has no =. Write option=value, with commas between options."
        )
    twice = first_repeated(option for option, _, _ in parts)
    if twice is not None:
        raise RunEntryError(f"Run entry {name}: {twice}= is given twice. Give it once.")
