"""What runs under a limit of its own, in a process or a mount of its own: `python -m tests.kv.limited NAME PATH`."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from substrate.errors import Denied, DiskFull, Full, MapFull, SubstrateError
from substrate.kv.lmdb.environment import LmdbStore, open_store
from tests.kv.child import TABLES, append, put_large, tokens
from tests.scale import PATIENCE_S


def fill(store: LmdbStore, kind: type[Full]) -> list[str]:
    """Write until there is no room; what was acknowledged. Reading works all the while."""
    acknowledged: list[str] = []
    while True:
        token = f"t{len(acknowledged)}"
        try:
            with store.write() as transaction:
                transaction.put("data", token.encode(), os.urandom(50_000))
            append(store, token)
        except kind:
            assert tokens(store) == acknowledged
            return acknowledged
        acknowledged.append(token)
        assert len(acknowledged) < 10_000, "never full"


def refill(store: LmdbStore, acknowledged: list[str]) -> None:
    """Room came back: the store goes on."""
    with store.write() as transaction:
        transaction.put("data", b"new", b"value")
    append(store, "new")
    assert tokens(store) == [*acknowledged, "new"]


def full_disk(path: Path) -> None:
    ballast = path / "ballast"
    ballast.write_bytes(bytes(1_000_000))
    store = open_store(path / "store", TABLES)
    acknowledged = fill(store, DiskFull)
    assert len(acknowledged) > 10
    refused(store.compact)
    assert sorted(entry.name for entry in (path / "store").iterdir() if entry.name.startswith("env")) == ["env.0001"]
    assert tokens(store) == acknowledged
    store.close()
    store = open_store(path / "store", TABLES)
    assert tokens(store) == acknowledged
    refused(lambda: open_store(path / "other", TABLES))
    ballast.unlink()
    refill(store, acknowledged)


def refused(work: Callable[[], object]) -> None:
    try:
        work()
    except DiskFull:
        return
    raise AssertionError("not refused")


def full_disk_at_every_size(path: Path) -> None:
    """The same at fill points that differ by one page."""
    for spare in range(0, 40_000, 4096):
        (path / "spare").write_bytes(bytes(spare + 1))
        name = path / f"store{spare}"
        store = open_store(name, TABLES)
        acknowledged = fill(store, DiskFull)
        store.close()
        store = open_store(name, TABLES, read_only=True)
        assert tokens(store) == acknowledged
        store.close()
        subprocess.run(["rm", "-r", str(name)], check=True)


def file_size_limit(path: Path) -> None:
    """Where no small disk can be mounted: a limit on the size of files, which fails with EFBIG."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = open_store(path / "store", TABLES)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
    acknowledged = fill(store, DiskFull)
    assert len(acknowledged) > 5
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    refill(store, acknowledged)


def address_space_limit(path: Path) -> None:
    """A process that may not map 4 GiB gets less, and no more than it may; one that may hardly map anything is told."""
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (3 << 30), resource.RLIM_INFINITY))
    store = open_store(path / "store", TABLES)
    append(store, "token")
    environment = store._handle.shared()._environment
    assert environment is not None
    assert (environment.size, environment.grows) == (2 << 30, False)
    store.close()
    small = open_store(path / "small", TABLES, map_size=1 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (used + (60 << 20), resource.RLIM_INFINITY))
    rows = 0
    try:
        while rows < 100:
            with small.write() as transaction:
                put_large(transaction, f"t{rows}", 1_000_000)
            rows += 1
    except MapFull as error:
        assert "ulimit -v" in str(error)  # noqa: PT017
    assert 1 < rows < 60
    with small.read() as transaction:
        assert transaction.count("data") == rows
        assert transaction.get("data", b"t0") == b"t" * 1_000_000
    small.close()
    try:
        open_store(path / "store", TABLES)
    except Denied as error:
        assert "ulimit -v" in str(error)  # noqa: PT017
    else:
        raise AssertionError("not refused")
    assert tokens(open_store(path / "store", TABLES, map_size=1 << 20)) == ["token"]


def digest(path: Path) -> dict[str, tuple[str, int]]:
    """Name, content and time of every file and folder but LMDB's scratch file."""
    return {
        str(entry.relative_to(path)): (
            hashlib.sha256(entry.read_bytes()).hexdigest() if entry.is_file() else "",
            entry.stat().st_mtime_ns,
        )
        for entry in sorted(path.rglob("*"))
        if entry.name != "lock.mdb"
    }


def read_only_mount(path: Path) -> None:
    """`path/there` is a folder with a store, `path/here` the same folder, mounted read-only."""
    before = digest(path / "there")
    reader = open_store(path / "here", TABLES, read_only=True, wait_s=0.3)
    seen = tokens(reader)
    assert seen
    with reader.read() as outer, reader.read() as inner:
        assert outer.count("log") == inner.count("log")
    for create in (True, False):
        try:
            open_store(path / "here", TABLES, create=create)
        except SubstrateError as error:
            assert isinstance(error, Denied), error  # noqa: PT017
        else:
            raise AssertionError("opened for writing")
    assert digest(path / "there") == before
    # Without a slot of its own a reader keeps writers out, and they it: else pages would change under it.
    writer = subprocess.Popen(
        [sys.executable, "-m", "tests.kv.child", "hold", str(path / "there"), "write"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdin is not None
    assert writer.stdout is not None
    assert writer.stdout.readline() == "holding\n"
    try:
        tokens(reader)
    except SubstrateError as error:
        assert error.code == "busy"  # noqa: PT017
    else:
        raise AssertionError("read beside a writer without a slot")
    writer.communicate("\n", timeout=PATIENCE_S)
    with reader.read() as transaction:
        late = subprocess.run(
            [sys.executable, "-m", "tests.kv.child", "try-to-write", str(path / "there"), "0.3"],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        )
        assert late.stdout == "busy\n"
        assert transaction.count("log") == len(seen)
    assert tokens(reader) == seen


def read_only_mount_without_lock_files(path: Path) -> None:
    """As on a disc: nobody can write, so nobody needs a lock."""
    assert not list((path / "here").glob("*.lock"))
    before = digest(path / "here")
    reader = open_store(path / "here", TABLES, read_only=True)
    assert tokens(reader)
    assert digest(path / "here") == before


SCENARIOS: dict[str, Callable[[Path], None]] = {
    scenario.__name__: scenario
    for scenario in (
        full_disk,
        full_disk_at_every_size,
        file_size_limit,
        address_space_limit,
        read_only_mount,
        read_only_mount_without_lock_files,
    )
}

if __name__ == "__main__":
    SCENARIOS[sys.argv[1]](Path(sys.argv[2]))
