"""Files beside the database: whole or not there, their owner's only, on a disk that has locks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.kernel.errors import Unsupported
from holdfast.storage import files
from holdfast.storage.sqlite.connection import check_place

LOCAL = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
23 22 0:21 / /proc rw,nosuid - proc proc rw
"""


def mounted(place: str, kind: str, *, before: str = LOCAL) -> str:
    return before + f"99 22 0:99 / {place} rw,relatime shared:9 - {kind} host:/export rw\n"


class Recorded(files.RealFiles):
    """Says what was done, in order."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def create(self, path: str, content: bytes) -> None:
        self.done.append("create " + Path(path).suffix)
        super().create(path, content)

    def rename(self, old: str, new: str) -> None:
        self.done.append("rename to " + Path(new).name)
        super().rename(old, new)

    def sync_folder(self, path: str) -> None:
        self.done.append("sync " + Path(path).name)
        super().sync_folder(path)


def test_a_file_is_replaced_by_a_synced_draft(tmp_path: Path) -> None:
    recorded = Recorded()
    files.replace(str(tmp_path / "f"), b"old", recorded)
    files.replace(str(tmp_path / "f"), b"new", recorded)
    assert (tmp_path / "f").read_bytes() == b"new"
    assert ["create .new", "rename to f", f"sync {tmp_path.name}"] * 2 == recorded.done
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_draft_left_by_a_crash_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / f"f.{os.getpid()}.new").write_bytes(b"half")
    files.replace(str(tmp_path / "f"), b"whole")
    assert (tmp_path / "f").read_bytes() == b"whole"


def test_a_new_file_is_for_its_owner_only_and_never_an_old_one(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        files.RealFiles().create(str(tmp_path / "f"), b"x" * 100_000)
        files.make_folder(str(tmp_path / "folder"))
    finally:
        os.umask(old)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "f").read_bytes() == b"x" * 100_000
    with pytest.raises(FileExistsError):
        files.RealFiles().create(str(tmp_path / "f"), b"")


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "ceph"])
def test_a_ledger_on_a_network_file_system_is_refused(kind: str) -> None:
    with pytest.raises(Unsupported, match=kind):
        check_place("/mnt/share/project/ledger.db", mounts=mounted("/mnt/share", kind))


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "apfs"])
def test_a_ledger_on_a_local_file_system_is_accepted(kind: str) -> None:
    check_place("/mnt/share/project/ledger.db", mounts=mounted("/mnt/share", kind))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/mnt/share", "nfs4"),
        ("/mnt/share/a", "nfs4"),
        ("/mnt/shared", "ext4"),
        ("/mnt", "ext4"),
        ("/", "ext4"),
        ("/proc/1", "proc"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(path: str, kind: str) -> None:
    assert kind == files.file_system(path, mounted("/mnt/share", "nfs4"))


def test_a_local_disk_inside_a_network_mount_is_local_and_the_other_way_round() -> None:
    inside = mounted("/net/disk", "ext4", before=mounted("/net", "nfs4"))
    assert files.file_system("/net/disk/a", inside) == "ext4"
    assert files.file_system("/net/other", inside) == "nfs4"
    outside = mounted("/net", "nfs4", before=mounted("/net/disk", "ext4"))
    assert files.file_system("/net/disk/a", outside) == "ext4"


def test_of_two_mounts_at_one_place_the_later_counts() -> None:
    twice = mounted("/mnt", "cifs", before=mounted("/mnt", "ext4"))
    assert files.file_system("/mnt/a", twice) == "cifs"


@pytest.mark.parametrize(
    ("written", "place"),
    [
        (r"/mnt/my\040share", "/mnt/my share"),
        (r"/mnt/tab\011and\134slash", "/mnt/tab\tand\\slash"),
        ("/mnt/dépôt", "/mnt/dépôt"),
        (r"/mnt/dé\040pôt", "/mnt/dé pôt"),
    ],
)
def test_blanks_and_foreign_letters_in_a_mount_are_read(written: str, place: str) -> None:
    assert files.file_system(f"{place}/x", mounted(written, "nfs4")) == "nfs4"


def test_the_file_system_of_this_machine_is_known_or_not_but_never_an_error(tmp_path: Path) -> None:
    assert files.file_system(str(tmp_path)) not in files.NETWORK_FILE_SYSTEMS


def test_a_link_into_a_network_file_system_is_followed(tmp_path: Path) -> None:
    (tmp_path / "share").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "share")
    mounts = mounted(str(tmp_path.resolve() / "share"), "nfs4")
    assert files.file_system(str(tmp_path / "link" / "ledger.db"), mounts) == "nfs4"
