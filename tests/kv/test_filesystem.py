"""Network file systems are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from substrate.errors import Denied
from substrate.kv.lmdb import filesystem
from substrate.kv.lmdb.environment import open_store

MOUNTINFO = r"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 27 0:40 / /home/ann rw,relatime shared:2 master:1 - nfs4 server:/home rw,vers=4.2
41 40 0:41 / /home/ann/local\040disk rw - xfs /dev/sdb rw
42 27 0:42 / /mnt/share rw - cifs //server/share rw
43 27 0:43 / /mnt/ssh rw,nosuid - fuse.sshfs ann@host: rw
44 27 0:44 / /mnt/over rw - ext4 /dev/sdc rw
45 44 0:45 / /mnt/over rw - 9p hidden rw
46 27 0:46 / /mnt/new rw - brandnewfs none rw
short line
"""

MOUNT = """/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
//ann@server/My%20Share on /Volumes/My Share (smbfs, nodev, nosuid, mounted by ann)
server:/export on /Volumes/export (nfs)
https://dav.example.org/x on /Volumes/dav (webdav, nodev, noexec)
/dev/disk5s1 on /Volumes/Stick (1) (exfat, local, nodev)
nonsense
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/home/bob", "ext4"),
        ("/home/ann", "nfs4"),
        ("/home/anna", "ext4"),
        ("/home/ann/store", "nfs4"),
        ("/home/ann/local disk/store", "xfs"),
        ("/mnt/share/a/b", "cifs"),
        ("/mnt/ssh/store", "fuse.sshfs"),
        ("/mnt/over/store", "9p"),
        ("/mnt/new/store", "brandnewfs"),
    ],
)
def test_linux_mounts_are_told_by_the_longest_mount_point(
    path: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: MOUNTINFO)
    monkeypatch.setattr("sys.platform", "linux")
    assert filesystem.file_system_type(Path(path)) == kind


def test_macos_mounts_are_parsed() -> None:
    mounts = filesystem.parse_mount_output(MOUNT)
    assert mounts == [
        (Path("/"), "apfs"),
        (Path("/dev"), "devfs"),
        (Path("/Volumes/My Share"), "smbfs"),
        (Path("/Volumes/export"), "nfs"),
        (Path("/Volumes/dav"), "webdav"),
        (Path("/Volumes/Stick (1)"), "exfat"),
    ]


def test_macos_asks_mount(monkeypatch: pytest.MonkeyPatch) -> None:
    class Done:
        stdout = MOUNT

    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: Done)
    assert filesystem.file_system_type(Path("/Volumes/My Share/store")) == "smbfs"


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "fuse.sshfs"]
)
def test_a_network_file_system_is_refused_before_anything_is_created(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filesystem, "file_system_type", lambda _: kind)
    with pytest.raises(Denied, match=rf"network file system \({kind}\).*local disk"):
        open_store(tmp_path / "store", ["a"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "kind", ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "apfs", "fuseblk", "brandnewfs", None]
)
def test_a_local_or_unknown_file_system_is_allowed(kind: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem, "file_system_type", lambda _: kind)
    filesystem.refuse_network(Path("/anywhere"))


def test_where_mounts_cannot_be_read_the_type_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*_: object, **__: object) -> str:
        raise PermissionError

    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(Path, "read_text", unreadable)
    assert filesystem.file_system_type(Path("/")) is None
