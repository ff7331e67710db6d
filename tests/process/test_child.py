"""A helm-run as a child process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from helm_impactbench.process import child
from helm_impactbench.process.child import Child

FULL = Path("/dev/full")
"""Takes nothing, as a full disk."""


@pytest.mark.skipif(sys.platform != "linux", reason="a device of Linux")
def test_a_full_disk_neither_stops_the_child_nor_hides_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than a pipe holds is read to the end, though the log takes none of it."""
    script = tmp_path / "run.py"
    script.write_text(
        "import sys\n"
        "for _ in range(4000): print('x' * 100, file=sys.stderr)\n"
        "print('impactbench: the disk is full', file=sys.stderr)\n"
        "sys.exit(2)\n"
    )
    monkeypatch.setattr(child, "HELM_RUN", script)
    said: list[str] = []
    with Child([], FULL, said.append) as run:
        run.release()
        ended = run.wait(30)
        run._process.kill()
    assert ended
    assert run.exit_code == 2
    assert said == ["impactbench: the disk is full"]
