"""The store folder: what is created, what is refused, what is never touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import lmdb
import pytest

from substrate.errors import FormatTooNew, InputError, NotFound, SchemaInvalid, StoreDamaged
from substrate.kv.lmdb import folder
from substrate.kv.lmdb.environment import open_store
from tests.kv.processes import ROOT
from tests.scale import PATIENCE_S


def snapshot(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_a_new_store_is_private_and_complete(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "store"
    open_store(path, ["a"]).close()
    names = sorted(entry.name for entry in path.iterdir())
    assert names == ["CURRENT", "env.0001", "gate.lock", "queue.lock", "turn.lock", "writer.lock"]
    assert (path / "CURRENT").read_bytes() == b"substrate 1 env.0001\n"
    for file in (path, *path.rglob("*")):
        assert file.stat().st_mode & 0o077 == 0, file


def test_an_empty_folder_becomes_a_store_and_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    open_store(tmp_path, ["a"]).close()
    assert tmp_path.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("options", [{"create": False}, {"read_only": True}, {"read_only": True, "create": False}])
def test_a_missing_store_is_not_created_unasked(tmp_path: Path, options: dict[str, bool]) -> None:
    for path in (tmp_path / "store", tmp_path):
        with pytest.raises(NotFound, match=r"no store at .*check the path"):
            open_store(path, ["a"], create=options.get("create", True), read_only=options.get("read_only", False))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("dear")
    with pytest.raises(InputError, match=r"neither empty nor a store \(it has 'thesis.txt'\)"):
        open_store(tmp_path, ["a"])
    assert snapshot(tmp_path) == {"thesis.txt": b"dear"}


def test_a_file_is_no_store(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("dear")
    for path in (file, file / "below"):
        with pytest.raises(InputError, match="is a file"):
            open_store(path, ["a"])
    assert file.read_text() == "dear"


def test_environments_without_current_are_left_alone(tmp_path: Path) -> None:
    open_store(tmp_path, ["a"]).close()
    (tmp_path / "CURRENT").unlink()
    before = snapshot(tmp_path)
    with pytest.raises(StoreDamaged, match="no CURRENT to say which is live"):
        open_store(tmp_path, ["a"])
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    "text",
    [b"substrate 2 env.0001\n", b"substrate 2 something new: {}\n", b"substrate 10 env.0001\nmore\n"],
)
def test_a_later_format_is_refused_before_lmdb_sees_a_file(tmp_path: Path, text: bytes) -> None:
    open_store(tmp_path, ["a"]).close()
    (tmp_path / "CURRENT").write_bytes(text)
    before = snapshot(tmp_path)
    for read_only in (True, False):
        with pytest.raises(FormatTooNew, match="upgrade"):
            open_store(tmp_path, ["a"], read_only=read_only)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"substrate 1 env.0001",
        b"substrate 1 env.0001 \n",
        b"substrate 1 ../env.0001\n",
        b"substrate 1 env.1\n",
        b"substrate 0 env.0001\n",
        b"substrate -1 env.0001\n",
        b"Substrate 1 env.0001\n",
        b"substrate 1 env.0001\n\n",
        b"\xff\xfe\x00",
        b"x" * 10_000,
    ],
)
def test_a_current_that_names_nothing_is_damage(tmp_path: Path, text: bytes) -> None:
    open_store(tmp_path, ["a"]).close()
    (tmp_path / "CURRENT").write_bytes(text)
    before = snapshot(tmp_path)
    with pytest.raises(StoreDamaged, match="backup") as caught:
        open_store(tmp_path, ["a"])
    assert not isinstance(caught.value, FormatTooNew)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("damage", ["no folder", "no file", "empty file"])
def test_a_lost_data_file_is_never_created_anew(tmp_path: Path, damage: str) -> None:
    open_store(tmp_path, ["a"]).close()
    data = tmp_path / "env.0001" / "data.mdb"
    if damage == "empty file":
        data.write_bytes(b"")
    else:
        data.unlink()
    if damage == "no folder":
        (tmp_path / "env.0001" / "lock.mdb").unlink()
        (tmp_path / "env.0001").rmdir()
    for read_only in (True, False):
        with pytest.raises(StoreDamaged, match="missing or cut off; restore"):
            open_store(tmp_path, ["a"], read_only=read_only)
    assert not data.exists() or data.stat().st_size == 0


@pytest.mark.parametrize("step", ["_write", "discard", "begin_environment", "seal"])
def test_a_creation_that_was_cut_off_is_taken_up_again(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = getattr(folder, step)

    def cut_off(*arguments: object) -> None:
        right(*arguments)
        raise ZeroDivisionError

    monkeypatch.setattr(folder, step, cut_off)
    with pytest.raises(ZeroDivisionError):
        open_store(tmp_path, ["a"])
    monkeypatch.undo()
    with pytest.raises(NotFound):
        open_store(tmp_path, ["a"], read_only=True)
    store = open_store(tmp_path, ["a"])
    with store.write() as transaction:
        transaction.put("a", b"k", b"v")
    store.close()
    assert not (tmp_path / "CREATING").exists()


def test_debris_is_removed_by_a_writable_open_only(tmp_path: Path) -> None:
    open_store(tmp_path, ["a"]).close()
    for name in ("env.0002", "env.0000"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "data.mdb").write_bytes(b"half")
    (tmp_path / "CURRENT.new").write_bytes(b"substrate 1 env.0002\n")
    open_store(tmp_path, ["a"], read_only=True).close()
    assert (tmp_path / "env.0002" / "data.mdb").exists()
    open_store(tmp_path, ["a"]).close()
    names = sorted(entry.name for entry in tmp_path.iterdir() if not entry.name.endswith(".lock"))
    assert names == ["CURRENT", "env.0001"]


def test_the_engine_of_the_file_does_not_depend_on_the_surroundings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        f"from substrate.kv.lmdb.environment import open_store; open_store({str(tmp_path / 'store')!r}, ['a']).close()"
    )
    monkeypatch.setenv("LMDB_DEFAULT_LIB_VERSION", "1")
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, timeout=PATIENCE_S)
    monkeypatch.delenv("LMDB_DEFAULT_LIB_VERSION")
    with lmdb.open(str(tmp_path / "store" / "env.0001"), create=False, readonly=True, max_dbs=1) as environment:
        assert environment.lib_version()[:2] == (0, 9)


def test_a_folder_replaced_under_an_open_store_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, ["a"])
    path.rename(tmp_path / "moved")
    with pytest.raises(NotFound), store.write() as transaction:
        transaction.put("a", b"k", b"v")
    other = open_store(path, ["a"])
    with pytest.raises(NotFound, match="another folder is now at"), store.write() as transaction:
        transaction.put("a", b"k", b"v")
    with other.read() as transaction:
        assert transaction.count("a") == 0
    other.close()
    store.close()


def test_a_current_rewritten_with_the_same_words_is_followed(tmp_path: Path) -> None:
    store = open_store(tmp_path, ["a"])
    folder.flip(tmp_path, "env.0001")
    with store.write() as transaction:
        transaction.put("a", b"k", b"v")
    os.link(tmp_path / "CURRENT", tmp_path / "CURRENT.backup")
    with store.read() as transaction:
        assert transaction.get("a", b"k") == b"v"
    store.close()


@pytest.mark.parametrize("tables", [[], [""], [f"t{number}" for number in range(65)]])
def test_tables_are_named_and_not_too_many(tmp_path: Path, tables: list[str]) -> None:
    with pytest.raises(SchemaInvalid, match="give 1 to 64 names"):
        open_store(tmp_path / "store", tables)
    assert not (tmp_path / "store").exists()


def test_sixty_four_tables_fit(tmp_path: Path) -> None:
    names = [f"t{number}" for number in range(64)]
    store = open_store(tmp_path, names)
    with store.write() as transaction:
        for name in names:
            transaction.put(name, b"k", name.encode())
    store.compact()
    with store.read() as transaction:
        assert [transaction.get(name, b"k") for name in names] == [name.encode() for name in names]
    store.close()


def test_every_folder_that_creation_made_is_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[Path] = []
    right, right_descriptor = folder.flush, folder.flush_descriptor

    def flush(path: Path) -> None:
        flushed.append(path)
        right(path)

    def flush_descriptor(descriptor: int) -> None:
        flushed.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        right_descriptor(descriptor)

    monkeypatch.setattr(folder, "flush", flush)
    monkeypatch.setattr(folder, "flush_descriptor", flush_descriptor)
    path = tmp_path / "new" / "deep" / "store"
    open_store(path, ["a"]).close()
    created = flushed.index(path / "CREATING")
    renamed = len(flushed) - 1 - flushed[::-1].index(path)
    assert {path / "env.0001", path / "env.0001" / "data.mdb"} <= set(flushed[created:renamed])
    assert {path.parent, path.parent.parent, tmp_path} <= set(flushed[renamed:])
