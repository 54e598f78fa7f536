"""Refuse to keep a store on a network file system.

LMDB shares memory and locks between processes; on a network file system both fail without an error. The type of the
file system is all that can be asked, so an unknown type is allowed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from substrate.errors import Denied

__all__ = ["NETWORK", "file_system_type", "parse_mount_output", "parse_mountinfo", "refuse_network"]

NETWORK = frozenset(
    {
        "9p", "acfs", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "ftp", "fuse.ceph", "fuse.cephfs",
        "fuse.curlftpfs", "fuse.davfs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.goofys", "fuse.juicefs", "fuse.rclone",
        "fuse.s3fs", "fuse.smbnetfs", "fuse.sshfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs3", "nfs4",
        "ocfs2", "orangefs", "pvfs2", "smb", "smb2", "smb3", "smbfs", "webdav",
    }
)  # fmt: skip

_OCTAL = re.compile(r"\\([0-7]{3})")
_MOUNT_LINE = re.compile(r"^.+? on (?P<point>.+) \((?P<kind>[^,()]+)[^()]*\)$")


def refuse_network(path: Path) -> None:
    """Raise Denied if `path` (absolute, links resolved) lies on a network file system."""
    kind = file_system_type(path)
    if kind in NETWORK:
        raise Denied(
            f"{path} lies on a network file system ({kind}), where memory maps and locks do not work between machines; "
            "keep the store on a local disk"
        )


def file_system_type(path: Path) -> str | None:
    """The type of the file system that holds `path`, or None if it cannot be told. Untested on a real Mac."""
    try:
        if sys.platform == "darwin":
            listing = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=True, timeout=5).stdout
            mounts = parse_mount_output(listing)
        else:
            mounts = parse_mountinfo(Path("/proc/self/mountinfo").read_text(errors="surrogateescape"))
    except (OSError, subprocess.SubprocessError):
        return None
    return _longest_prefix(path, mounts)


def parse_mountinfo(text: str) -> list[tuple[Path, str]]:
    """(mount point, type) of each line of Linux's mountinfo, in mount order."""
    mounts = []
    for line in text.splitlines():
        left, _, right = line.partition(" - ")
        before, after = left.split(" "), right.split(" ")
        if len(before) > 4 and after[0]:  # noqa: PLR2004 (the fifth field is the mount point)
            mounts.append((Path(_OCTAL.sub(lambda match: chr(int(match[1], 8)), before[4])), after[0]))
    return mounts


def parse_mount_output(text: str) -> list[tuple[Path, str]]:
    """(mount point, type) of each line that macOS's `mount` prints: `//host/share on /Volumes/share (smbfs, nodev)`."""
    found = (_MOUNT_LINE.match(line) for line in text.splitlines())
    return [(Path(match["point"]), match["kind"].strip()) for match in found if match]


def _longest_prefix(path: Path, mounts: list[tuple[Path, str]]) -> str | None:
    best: tuple[int, str | None] = (0, None)
    above = {path, *path.parents}
    for point, kind in mounts:
        # `>=`: of two mounts at one point the later one hides the earlier.
        if point in above and len(point.parts) >= best[0]:
            best = (len(point.parts), kind)
    return best[1]
