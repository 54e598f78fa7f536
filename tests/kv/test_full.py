"""No room: a typed error, nothing half written, reading works, and writing again when there is room."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from substrate.errors import MapFull
from substrate.kv.lmdb.environment import open_store
from tests.kv.child import TABLES, append, tokens
from tests.kv.limited import fill
from tests.kv.processes import ROOT


def run(scenario: str, path: Path, mount: str = "") -> None:
    """The scenario in a process of its own; with `mount`, a shell command, in a space of mounts of its own."""
    command = [sys.executable, "-m", "tests.kv.limited", scenario, str(path)]
    if mount:
        command = ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh", *command]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def may_mount() -> bool:
    try:
        return not subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode
    except FileNotFoundError:
        return False


needs_mount = pytest.mark.skipif(not may_mount(), reason="only root on Linux can mount")


def test_a_full_map_is_typed_and_leaves_the_store_usable(tmp_path: Path) -> None:
    store = open_store(tmp_path, TABLES, map_limit=2 << 20)
    acknowledged = fill(store, MapFull)
    assert len(acknowledged) > 5
    with store.write() as transaction:
        for token in acknowledged[:5]:
            transaction.delete("data", token.encode())
    append(store, "after")
    assert tokens(store) == [*acknowledged, "after"]
    store.close()


def test_a_store_at_its_limit_goes_on_where_the_limit_is_larger(tmp_path: Path) -> None:
    store = open_store(tmp_path, TABLES, map_limit=1 << 20)
    acknowledged = fill(store, MapFull)
    store.close()
    store = open_store(tmp_path, TABLES)
    with store.write() as transaction:
        transaction.put("data", b"large", bytes(5_000_000))
    append(store, "after")
    assert tokens(store) == [*acknowledged, "after"]
    store.close()


def test_a_transaction_that_met_a_full_map_cannot_commit(tmp_path: Path) -> None:
    store = open_store(tmp_path, TABLES, map_limit=1 << 20)
    with pytest.raises(MapFull), store.write() as transaction:  # noqa: PT012
        transaction.put("data", b"small", b"x")
        with pytest.raises(MapFull):
            transaction.put("data", b"large", bytes(5_000_000))
    with pytest.raises(MapFull), store.write() as transaction:
        transaction.put_many("data", [(b"%d" % number, bytes(100_000)) for number in range(100)])
    with pytest.raises(MapFull, match="no room to grow"), store.write() as transaction:  # noqa: PT012
        with pytest.raises(MapFull):
            transaction.put("data", b"large", bytes(5_000_000))
        assert not transaction.grow()
    with store.read() as transaction:
        assert transaction.count("data") == 0
    store.close()


@needs_mount
@pytest.mark.parametrize(("scenario", "size"), [("full_disk", "4m"), ("full_disk_at_every_size", "1500k")])
def test_a_full_disk(tmp_path: Path, scenario: str, size: str) -> None:
    run(scenario, tmp_path, f"mount -t tmpfs -o size={size} none {tmp_path}")


def test_a_limit_on_the_size_of_files_is_a_full_disk(tmp_path: Path) -> None:
    run("file_size_limit", tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="macOS does not enforce RLIMIT_AS")
def test_where_a_large_map_is_refused_a_smaller_one_is_used(tmp_path: Path) -> None:
    run("address_space_limit", tmp_path)
