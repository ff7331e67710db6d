"""Write the table of a run's options into docs/running.md: `make reference`; `make check` says when it is old."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from helm_impactbench.conversation.option import written
from helm_impactbench.conversation.run_options import RunOptions

PAGE = Path(__file__).parent.parent / "docs" / "running.md"
BEGIN = "<!-- The options of a run, by `make reference`: change conversation/run_options.py, not this table. -->\n"
END = "<!-- End of the options. -->\n"


def option_table(options: type[RunOptions] = RunOptions) -> str:
    """Return the table: a row for each field, with its example or default, its line, and what it changes."""
    rows = ["| option of the run entry | meaning | changes |", "|---|---|---|", *_rows(options)]
    return "\n".join(rows) + "\n"


def _rows(options: type[RunOptions]) -> Iterator[str]:
    for name, option in options.table().items():
        field = options.model_fields[name]
        value = option.example or written(field.default)
        line = " ".join((field.description or "").split()).removesuffix(".")
        yield f"| `{name}={value}` | {line[:1].lower()}{line[1:]} | {option.effect.value} |"
        if name == "judge":
            yield "| `model=<target>` | the model deployment under test; or `--models-to-run` | the target |"


def page() -> str:
    """Return the page with the table as it has to be."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{option_table()}{END}{after}"


def _main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") != text:
            print(f"{PAGE.name} is out of date: make reference", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(_main())
