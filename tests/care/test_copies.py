"""Care for a whole store, by its public names: backup and restore, full export and clone, rebuild."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import substrate
from substrate.errors import InputError, RolledBack, StoreDamaged
from substrate.kv.open import open_store
from substrate.log.tables import ATOMS, LINKS, NODES, TABLES, VERSIONS, Sureness
from substrate.memory import Memory
from tests.log.grown import content


@pytest.fixture
def grown(memory: Memory) -> Memory:
    """Atoms and edges in every state, with a dangling edge, a confirmation and forgotten atoms."""
    memory.checkpoint([f"v1.fact.n{i} = {i}" for i in range(30)], actor="ada")
    memory.checkpoint(
        ["v1.fact.n1 = new"],
        edges=[{"source": f"v1.fact.n{i}", "type": "needs", "target": f"v1.fact.n{i + 1}"} for i in range(0, 20, 2)],
    )
    memory.checkpoint(edges=[{"source": "v1.fact.n3", "type": "needs", "target": "v1.fact.not_yet"}])
    memory.checkpoint(["v1.fact.n5 = 5"])
    memory.checkpoint(tombstones=["v1.fact.n7", "v1.fact.n9"])
    memory.checkpoint(
        ["v1.fact.n9 = again"], unedges=[{"source": "v1.fact.n0", "type": "needs", "target": "v1.fact.n1"}]
    )
    memory.forget("v1.fact.n4")
    memory.forget(["v1.fact.n7", "v1.fact.n10"])
    memory.checkpoint(["v1.fact.n4 = another", "v1.fact.not_yet = here"])
    memory.forget(seqs=range(5, 8))
    memory.rotate_key()
    return memory


def rows(path: Path) -> object:
    return content(path, ())


def test_a_rebuild_makes_the_rows_that_were_written_live(grown: Memory, store: Path, home: Path) -> None:
    before = rows(store)
    grown.rebuild()
    assert rows(store) == before
    assert substrate.fsck(store, home=home).damage is None


def test_a_store_that_does_not_open_is_rebuilt(grown: Memory, store: Path, home: Path) -> None:
    grown.close()
    before = rows(store)
    kv = open_store(store, list(TABLES))
    with kv.write() as transaction:
        for table in (ATOMS, VERSIONS, LINKS, NODES):
            assert TABLES[table] is Sureness.VIEW
            for key, _ in list(transaction.scan(table)):
                transaction.delete(table, key)
    kv.close()
    with pytest.raises(StoreDamaged):
        substrate.open(store, home=home)
    substrate.rebuild(store, home=home)
    assert rows(store) == before
    with substrate.open(store, home=home) as memory:
        assert memory.access("v1.fact.n9").atom.value == "again"


def test_a_backup_comes_back_as_what_it_was(grown: Memory, store: Path, home: Path, tmp_path: Path) -> None:
    pin = grown.backup(tmp_path / "backup")
    before = rows(store)
    grown.close()
    shutil.rmtree(store)
    restored = substrate.restore(tmp_path / "backup", store, home=home)
    assert (restored.origin, restored.abandoned) == (pin.head.origin, None)
    assert rows(store) == before
    assert substrate.fsck(store, home=home).damage is None


def test_going_back_is_shown(grown: Memory, store: Path, home: Path, tmp_path: Path) -> None:
    pin = grown.backup(tmp_path / "backup")
    grown.checkpoint(["v1.fact.later = 1"])
    grown.close()
    with pytest.raises(InputError, match="move that one away"):
        substrate.restore(tmp_path / "backup", store, home=home)
    store.rename(tmp_path / "away")
    restored = substrate.restore(tmp_path / "backup", store, home=home)
    assert restored.to_dict() == {
        "origin": restored.origin,
        "key": str(restored.key),
        "before": pin.head.origin,
        "abandoned": {
            "origin": pin.head.origin,
            "size": pin.head.size + 1,
            "root": restored.abandoned and restored.abandoned.root.hex(),
        },
    }
    assert substrate.fsck(store, home=home).damage is None
    with substrate.open(store, home=home) as memory:
        memory.checkpoint(["v1.fact.later = 2"])
        assert memory.verify(memory.prove("v1.fact.later")).trusted
        with pytest.raises(RolledBack, match="restored under a new origin"):
            memory.check_pin(pin)


def test_a_full_export_becomes_the_same_store(grown: Memory, store: Path, home: Path, tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    assert grown.export(path, full=True) == len(path.read_text(encoding="utf-8").split("\n")) - 1
    pin = substrate.clone(path, tmp_path / "clone", home=home)
    assert str(pin) == str(grown.pin())
    assert rows(tmp_path / "clone") == rows(store)
    assert substrate.fsck(tmp_path / "clone", home=home).damage is None
    with path.open(encoding="utf-8") as file:
        substrate.clone(file, tmp_path / "again", home=home)
    grown.export(tmp_path / "plain.jsonl")
    with pytest.raises(InputError, match="a plain one is imported"):
        substrate.clone(tmp_path / "plain.jsonl", tmp_path / "other", home=home)


def test_a_forgotten_value_is_in_no_byte_of_store_backup_and_export(
    memory: Memory, store: Path, tmp_path: Path
) -> None:
    memory.checkpoint([f"v1.fact.n{i} = {i}" for i in range(100)])
    memory.checkpoint(["v1.fact.secret = canary-canary"])
    memory.forget("v1.fact.secret")
    memory.backup(tmp_path / "backup")
    memory.export(tmp_path / "export.jsonl", full=True)
    for path in [*store.rglob("*"), *(tmp_path / "backup").rglob("*"), tmp_path / "export.jsonl"]:
        if path.is_file() and path.name != "lock.mdb":
            assert b"canary" not in path.read_bytes(), path
