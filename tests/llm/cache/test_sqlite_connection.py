"""How a cache file is opened: which journal on which file system."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.llm.cache.sqlite_connection import connected, journal_mode

MOUNTS = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:26 / /home rw shared:2 - nfs4 server:/home rw
31 30 8:2 / /home/me/local rw - xfs /dev/sdb1 rw
32 22 0:27 / /mnt/two\040words rw master:3 propagate_from:2 - fuse.sshfs me@server: rw
33 22 8:3 / /scratch rw - ext4 /dev/sdc1 rw
34 33 0:28 / /scratch rw - lustre mgs:/scratch rw
"""


@pytest.mark.parametrize(
    ("folder", "mode"),
    [
        ("/tmp/cache", "WAL"),
        ("/home/me/cache", "TRUNCATE"),
        ("/home/me/local/cache", "WAL"),
        ("/home/me/locality", "TRUNCATE"),
        ("/mnt/two words/cache", "TRUNCATE"),
        ("/scratch/cache", "TRUNCATE"),
    ],
    ids=["root", "nfs", "a disk below nfs", "a name that begins alike", "blank in the name", "hidden mount"],
)
def test_a_log_is_kept_on_disks_of_the_machine_alone(tmp_path: Path, folder: str, mode: str) -> None:
    """Where another machine may write, SQLite's rollback journal is used."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS.lstrip())
    assert journal_mode(Path(folder), mounts) == mode


def test_without_a_list_of_mounts_a_folder_is_the_machines_own(tmp_path: Path) -> None:
    """Systems other than Linux have no such list."""
    assert journal_mode(tmp_path, tmp_path / "missing") == "WAL"


def test_commits_wait_for_the_disk_where_a_power_cut_could_damage_the_file(tmp_path: Path) -> None:
    """synchronous is NORMAL (1): a damaged file after a power cut would lose every answer in it."""
    connection = connected(tmp_path / "a.sqlite")
    assert connection.execute("PRAGMA synchronous").fetchone() == (1,)
    connection.close()
