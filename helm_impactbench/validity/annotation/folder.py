"""Draw a sheet from a suite and write its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.errors import ResultsError
from helm_impactbench.results.files import run_folders
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.annotation.errors import AnnotationError
from helm_impactbench.validity.annotation.key import KEY_FILE, Key, make_key
from helm_impactbench.validity.annotation.page import sheet_html
from helm_impactbench.validity.annotation.sampling import Sample, draw_sample, name_of
from helm_impactbench.validity.annotation.sheet import SPREADSHEET_LIMIT, sheet_csv, transcript_text
from helm_impactbench.validity.annotation.view import View, read_records, view_of

CSV_FILE, HTML_FILE, README_FILE = "sheet.csv", "sheet.html", "README.txt"
README = f"""\
Give annotators {HTML_FILE} (any browser, no network needed) or {CSV_FILE} (a spreadsheet), and nothing else.
{KEY_FILE} holds the model and the judge's verdict behind every item: NEVER give it to an annotator. Keep it: answers
without it are worth nothing. Two people who answer the same sheet, each alone, show how far people agree.
Conversations may be about crises, self-harm or abuse; say so to annotators before they begin.
Then: impactbench annotate score <this folder> annotations-*.csv
"""


@dataclass(frozen=True)
class AnnotationSheet:
    """A sheet that is ready to be written."""

    key: Key
    sample: Sample
    items: tuple[tuple[str, View], ...]
    """(item id, view) pairs in the order of the sheet."""

    @property
    def too_long(self) -> int:
        """How many transcripts a spreadsheet would cut off."""
        return sum(len(transcript_text(view)) > SPREADSHEET_LIMIT for _, view in self.items)


def draw_sheet(folder: Path, outcomes: Sequence[Outcome], places: int, seed: int) -> AnnotationSheet:
    """Return a sheet drawn from outcomes of the suite in `folder`.

    Raises ResultsError, and AnnotationError when nothing is judged.
    """
    sample = draw_sample(outcomes, places, seed)
    if not sample.outcomes:
        raise AnnotationError(
            f"Suite {folder.name} has no judged conversation to annotate; impactbench rates --suite {folder.name} "
            "shows what went wrong."
        )
    names = set(map(name_of, sample.outcomes))
    views = {name: view_of(record) for name, record in read_records(run_folders(folder), names).items()}
    if missing := names - set(views):
        setup, model, *_ = sorted(missing)[0]
        raise ResultsError(f"Suite {folder.name} has no conversations of {setup} with {model} that can be shown.")
    key = make_key(sample, views, folder.name, seed)
    return AnnotationSheet(key, sample, tuple((item.item_id, views[item.name]) for item in key.items))


def write_sheet(sheet: AnnotationSheet, folder: Path) -> None:
    """Write the four files of a sheet. Raises AnnotationError when one is there already, or cannot be written."""
    contents = {
        KEY_FILE: sheet.key.model_dump_json(indent=1) + "\n",
        # With a byte order mark: without one, Excel reads UTF-8 as something else.
        CSV_FILE: "\ufeff" + sheet_csv(sheet.items),
        HTML_FILE: sheet_html(sheet.key.sheet, sheet.items),
        README_FILE: README,
    }
    write_new(folder, contents)


def write_new(folder: Path, contents: Mapping[str, str]) -> None:
    """Write files (name -> text). Raises AnnotationError if one is there already, or cannot be written."""
    there = [name for name in contents if (folder / name).exists()]
    if there:
        raise AnnotationError(
            f"{folder} already contains {', '.join(there)}, and there may be answers in it. Nothing was written: give "
            "another folder with --out-dir, or move that one away."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            with (folder / name).open("x", encoding="utf-8", newline="") as file:
                file.write(text)
    except OSError as error:
        raise AnnotationError(
            f"{folder} cannot be written: {error.strerror}. Give another folder with --out-dir."
        ) from error
