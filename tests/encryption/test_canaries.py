"""No word of an encrypted domain is in any file: store, caches, backup, export. A plain twin is caught."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from substrate.log.tables import VECTORS
from substrate.memory import Memory, open_memory
from tests.encryption.canaries import ATOM, CANARIES, MEMBER, PASSPHRASE, found_in
from tests.scale import PATIENCE_S

ROOT = Path(__file__).parents[2]


def use(memory: Memory) -> None:
    """What makes caches, views and traces."""
    assert all(memory.search(CANARIES[place]) for place in ("name", "value", "tag", "entity"))
    assert memory.search("doctor", source=CANARIES["source"])
    memory.access(str(ATOM["name"]))
    with memory.session():
        memory.access(str(ATOM["name"]))
        memory.access("v1.domain.health")
    memory.checkpoint([{**ATOM, "value": f"{ATOM['value']}, again"}])
    memory.bootstrap("what the doctor said")


@pytest.mark.parametrize("encrypted", [True, False])
def test_no_file_holds_a_word_of_an_encrypted_domain(tmp_path: Path, encrypted: bool) -> None:  # noqa: FBT001
    store, home = tmp_path / "store", tmp_path / "home"
    with open_memory(store, home=home) as memory:
        memory.checkpoint(["v1.domain.health = my body"])
        if encrypted:
            memory.encrypt("health", PASSPHRASE)
        said = {"actor": CANARIES["actor"], "session": CANARIES["session"], "source": CANARIES["source"]}
        memory.checkpoint([ATOM], edges=[MEMBER], **said)
        use(memory)
        memory.rebuild()
        memory.backup(tmp_path / "unlocked")
        memory.export(tmp_path / "unlocked.jsonl")
        if encrypted:
            memory.lock()
        memory.backup(tmp_path / "locked")
        memory.export(tmp_path / "full.jsonl", full=True)
    expected = set() if encrypted else set(CANARIES.values())
    assert found_in(tmp_path) == expected
    for name in ("store", "unlocked", "locked", "full.jsonl", "unlocked.jsonl"):
        assert found_in(tmp_path / name) == expected


CRASH = """
import os, signal, sys
from pathlib import Path
from substrate.memory import open_memory
from tests.encryption.canaries import ATOM, MEMBER, PASSPHRASE

memory = open_memory(Path(sys.argv[1]) / "store", home=Path(sys.argv[1]) / "home", model="none")
memory.checkpoint(["v1.domain.health = my body"])
memory.encrypt("health", PASSPHRASE)
memory.checkpoint([ATOM], edges=[MEMBER])
assert memory.search("doctor")
memory.access(ATOM["name"])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_while_a_domain_is_unlocked_leaves_no_word(tmp_path: Path) -> None:
    run = [sys.executable, "-c", CRASH, str(tmp_path)]
    child = subprocess.run(run, cwd=ROOT, env=os.environ, timeout=PATIENCE_S, check=False)
    assert child.returncode == -9
    assert found_in(tmp_path) == set()
    with open_memory(tmp_path / "store", home=tmp_path / "home") as memory:
        memory.unlock("health", PASSPHRASE)
        assert memory.access(str(ATOM["name"])).value == ATOM["value"]


def test_embedding_and_index_files_leave_encrypted_atoms_out(tmp_path: Path, cache: Path) -> None:
    del cache
    with open_memory(tmp_path / "store", home=tmp_path / "home", background=False) as memory:
        memory.checkpoint(["v1.domain.health = my body", "v1.note.open = a note on the weather"])
        memory.encrypt("health", PASSPHRASE)
        memory.checkpoint([ATOM], edges=[MEMBER])
        memory.index()
        assert memory.search("the doctor told me")[0].name == ATOM["name"]
        seqs = {memory.access(name).atom.seq for name in ("v1.domain.health", "v1.note.open")}
        with memory._store.log.snapshot() as transaction:
            assert {int.from_bytes(key[:8], "big") for key, _ in transaction.scan(VECTORS)} == seqs
    assert found_in(tmp_path) == set()
