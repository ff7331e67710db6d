"""Draw a sheet from a suite and write its folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.results.files import read_outcomes, run_folders
from helm_impactbench.validity.annotation.errors import LabellingError
from helm_impactbench.validity.annotation.key import KEY_FILE, Key, make_key
from helm_impactbench.validity.annotation.page import sheet_html
from helm_impactbench.validity.annotation.sampling import Sample, draw_sample
from helm_impactbench.validity.annotation.sheet import SPREADSHEET_LIMIT, sheet_csv, transcript_text
from helm_impactbench.validity.annotation.view import View, read_views

CSV_FILE, HTML_FILE, README_FILE = "sheet.csv", "sheet.html", "README.txt"
README = f"""\
Give labellers {HTML_FILE} (any browser, no network needed) or {CSV_FILE} (a spreadsheet), and nothing else.
{KEY_FILE} holds the model and the judge's verdict behind every item: NEVER give it to a labeller. Keep it: labels
without it are worth nothing. Two people who label the same sheet, each alone, show how far people agree.
Conversations may be about crises, self-harm or abuse; say so to labellers before they begin.
Then: impactbench labels score <this folder> labels-*.csv
"""


@dataclass(frozen=True)
class Sheet:
    """A sheet that is ready to be written."""

    key: Key
    sample: Sample
    items: tuple[tuple[str, View], ...]
    """(item id, view) pairs in the order of the sheet."""

    @property
    def too_long(self) -> int:
        """How many transcripts a spreadsheet would cut off."""
        return sum(len(transcript_text(view)) > SPREADSHEET_LIMIT for _, view in self.items)


def draw_sheet(folder: Path, places: int, seed: int, benchmarks: Sequence[str], models: Sequence[str]) -> Sheet:
    """Return a sheet drawn from a suite's folder, from the given benchmarks and models only where any are given.

    Raises ResultsError, and LabellingError when nothing is scored.
    """
    sample = draw_sample(read_outcomes(folder, benchmarks, models), places, seed)
    if not sample.outcomes:
        raise LabellingError(
            f"Suite {folder.name} has no scored conversation to label; impactbench leaderboard --suite {folder.name} "
            "shows what went wrong."
        )
    names = {(o.setup, o.model, o.variant_id, o.sample) for o in sample.outcomes}
    views = read_views(run_folders(folder), names)
    key = make_key(sample, views, folder.name, seed)
    return Sheet(key, sample, tuple((item.item_id, views[item.name]) for item in key.items))


def write_sheet(sheet: Sheet, folder: Path) -> None:
    """Write the four files of a sheet. Raises LabellingError when one is there already, or cannot be written."""
    contents = {
        KEY_FILE: sheet.key.model_dump_json(indent=1) + "\n",
        # With a byte order mark: without one, Excel reads UTF-8 as something else.
        CSV_FILE: "\ufeff" + sheet_csv(sheet.items),
        HTML_FILE: sheet_html(sheet.key.sheet, sheet.items),
        README_FILE: README,
    }
    there = [name for name in contents if (folder / name).exists()]
    if there:
        raise LabellingError(
            f"{folder} already holds {', '.join(there)}, and there may be labels in it. Nothing was written: give "
            "another folder with --out, or move that one away."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            with (folder / name).open("x", encoding="utf-8", newline="") as file:
                file.write(text)
    except OSError as error:
        raise LabellingError(
            f"{folder} cannot be written: {error.strerror}. Give another folder with --out."
        ) from error
