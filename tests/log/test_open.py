"""Opening a log: what is made, what is needed, what is checked."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.codec import draft_forget, draft_put, draft_tombstone
from substrate.errors import (
    Denied,
    Forgotten,
    InputError,
    NotFound,
    ProofInvalid,
    RolledBack,
    SchemaInvalid,
    StoreDamaged,
)
from substrate.kv.open import open_store
from substrate.log import append as append_module
from substrate.log.copies.check import check_store
from substrate.log.log import Log, open_log
from substrate.log.tables import ENTRIES, HEADS, KEYS, META, NODES, TABLES, seq_key
from substrate.proof.note import generate_signer
from substrate.proof.verify import Verifier
from tests.scale import PATIENCE_S

A = "v1.fact.a"


def test_a_new_log_has_a_random_origin_or_the_given_one(tmp_path: Path) -> None:
    with open_log(tmp_path / "a", home=tmp_path / "h") as a, open_log(tmp_path / "b", home=tmp_path / "h") as b:
        assert a.head().head.origin != b.head().head.origin
    with open_log(tmp_path / "c", home=tmp_path / "h", origin="example.org/team") as c:
        assert c.head().head.origin == "example.org/team"
        c.append([draft_put(A, "1")])


def test_an_origin_that_could_not_be_signed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="origin: key_name"):
        open_log(tmp_path / "a", home=tmp_path / "h", origin="has space")
    assert not (tmp_path / "a").exists()


def test_an_origin_belongs_to_one_store_of_a_home(tmp_path: Path) -> None:
    with open_log(tmp_path / "a", home=tmp_path / "h", origin="mine") as log:
        with pytest.raises(InputError, match="another store has the origin mine"):
            open_log(tmp_path / "b", home=tmp_path / "h", origin="mine")
        log.append([draft_put(A, "1")])
        with pytest.raises(InputError, match="is of the origin mine, not yours"):
            open_log(tmp_path / "a", home=tmp_path / "h", origin="yours")


def test_a_mark_that_lags_is_brought_up_by_the_next_open(log: Log, reopen: Callable[..., Log], home: Path) -> None:
    mark = next(home.glob("keys/*/high-water"))
    early = mark.read_bytes()
    log.append([draft_put(A, "1")])
    late = mark.read_bytes()
    log.close()
    mark.write_bytes(early)
    reopen().close()
    assert mark.read_bytes() == late


def test_an_emptied_store_is_not_taken_for_a_new_one(log: Log, reopen: Callable[..., Log], tmp_path: Path) -> None:
    log.append([draft_put(A, "1")])
    log.close()
    open_store(tmp_path / "empty", list(TABLES)).close()
    shutil.copy(next((tmp_path / "empty").glob("env.*/data.mdb")), next((tmp_path / "store").glob("env.*/data.mdb")))
    for home in (None, tmp_path / "no_keys_here"):
        with pytest.raises(RolledBack, match="is empty, but was made for the log"):
            reopen() if home is None else open_log(tmp_path / "store", home=home)


def test_data_of_another_log_in_the_folder_is_noticed(tmp_path: Path) -> None:
    for name in ("a", "b"):
        open_log(tmp_path / name, home=tmp_path / "home").close()
    shutil.copy(next((tmp_path / "b").glob("env.*/data.mdb")), next((tmp_path / "a").glob("env.*/data.mdb")))
    with pytest.raises(StoreDamaged, match="the data in it is of"):
        open_log(tmp_path / "a", home=tmp_path / "home")


def test_a_creation_that_died_before_its_commit_is_finished_under_the_same_origin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(append_module.Appender, "_write", die)
        with pytest.raises(KeyboardInterrupt):
            open_log(tmp_path / "store", home=tmp_path / "home", origin="mine")
    with open_log(tmp_path / "store", home=tmp_path / "home") as log:
        assert log.head().head.origin == "mine"
        log.append([draft_put(A, "1")])


def test_many_who_create_the_same_store_at_once_get_one_log(tmp_path: Path) -> None:
    code = """
import sys
from substrate.log.log import open_log
sys.stdin.readline()
with open_log(sys.argv[1], home=sys.argv[2]) as log:
    print(log.head().head.origin)
"""
    command = [sys.executable, "-c", code, str(tmp_path / "store"), str(tmp_path / "home")]
    children = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    origins = {child.communicate(timeout=PATIENCE_S)[0] for child in children}
    assert len(origins) == 1
    assert [child.returncode for child in children] == [0] * 4
    assert check_store(tmp_path / "store", home=tmp_path / "home").damage is None


def test_the_home_is_found_again_after_a_change_of_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_log("store", home="home") as log:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        log.append([draft_put(A, "1")])


def test_the_home_comes_from_the_environment_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "elsewhere"))
    with open_log(tmp_path / "store") as log:
        assert [path.name for path in (tmp_path / "elsewhere" / "keys").iterdir()] == [f"{log.key().name}.keys"]


def test_keys_inside_the_store_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must not lie inside"):
        open_log(tmp_path / "store", home=tmp_path / "store" / "home")


def test_without_the_key_a_store_can_be_read_and_checked_but_not_written(log: Log, tmp_path: Path) -> None:
    log.append([draft_put(A, "1")])
    with open_log(tmp_path / "store", home=tmp_path / "another") as visitor:
        assert Verifier(key=str(visitor.key())).verify_bundle(visitor.prove(A)).claim == "current"
        with pytest.raises(Denied, match="no signing key"):
            visitor.append([draft_put(A, "2")])


def test_a_read_only_log_writes_nothing_and_needs_no_key(log: Log, tmp_path: Path) -> None:
    log.append([draft_put(A, "1")])
    log.close()
    before = digests(tmp_path)
    with open_log(tmp_path / "store", home=tmp_path / "another", read_only=True) as visitor:
        assert visitor.prove(A).claim == "current"
        assert len(visitor.entries()) == 2
        visitor.check_pin(visitor.pin())
        with pytest.raises(Denied):
            visitor.append([draft_put(A, "2")])
        with pytest.raises(Denied):
            visitor.compact()
        with pytest.raises(Denied):
            visitor.rotate_key()
    assert digests(tmp_path) == before


def digests(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "lock.mdb"]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() + str(path.stat().st_mtime_ns) for path in files}


def test_a_store_that_is_not_there_is_not_made_by_a_reader(tmp_path: Path) -> None:
    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(NotFound, match="no store"):
            open_log(tmp_path / "store", home=tmp_path / "home", **options)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_died_before_its_first_entry_is_finished_by_the_next_writer(tmp_path: Path) -> None:
    open_store(tmp_path / "store", list(TABLES)).close()
    with pytest.raises(NotFound, match="holds no log yet"):
        open_log(tmp_path / "store", home=tmp_path / "home", read_only=True)
    with open_log(tmp_path / "store", home=tmp_path / "home") as log:
        assert log.head().head.size == 1


@pytest.mark.parametrize(
    ("table", "key", "message"),
    [
        (HEADS, seq_key(2), "head"),
        (NODES, seq_key(1), "missing|lacks nodes|does not lead"),
        (ENTRIES, seq_key(1), "entry 1 is missing or"),
        (KEYS, seq_key(0), "no verifier key"),
    ],
)
def test_a_log_whose_tail_is_damaged_does_not_open(
    log: Log, reopen: Callable[..., Log], table: str, key: bytes, message: str
) -> None:
    log.append([draft_put(A, "1")])
    with log._store.write() as transaction:
        transaction.delete(table, key)
        if table == HEADS:
            transaction.put(table, key, b"no head at all")
    with pytest.raises(StoreDamaged, match=message):
        reopen()


def test_a_head_under_a_foreign_signature_does_not_open(log: Log, reopen: Callable[..., Log]) -> None:
    with log._store.write() as transaction:
        transaction.put(KEYS, seq_key(0), str(generate_signer(log.key().name).key).encode())
    with pytest.raises(StoreDamaged, match="not signed by the key in force"):
        reopen()


def test_a_lost_map_salt_is_damage_not_absence(log: Log) -> None:
    with log._store.write() as transaction:
        transaction.delete(META, b"map_salt")
    with pytest.raises(StoreDamaged, match="map salt"):
        log.prove(A)


def test_entries_are_read_one_by_one_or_in_pages(log: Log) -> None:
    log.append([draft_put(f"v1.fact.n{i}", str(i)) for i in range(5)])
    assert [stored.seq for stored in log.entries(2, 3)] == [2, 3, 4]
    assert log.entries(99) == []
    assert log.entry(5).seq == 5
    for start, limit in ((-1, 5), (0, -1)):
        with pytest.raises(InputError):
            log.entries(start, limit)
    assert log.entries(2**70) == []
    for seq in (6, -1, 2**70):
        with pytest.raises(NotFound):
            log.entry(seq)
        with pytest.raises(NotFound):
            log.prove_entry(seq)


def test_a_name_is_read_by_its_current_value(log: Log) -> None:
    log.append([draft_put(A, "1"), draft_put("v1.fact.b", "2")])
    log.append([draft_put(A, "3")])
    assert log.get(A) == "3"
    with pytest.raises(NotFound, match=r"there is no v1\.fact\.nope$"):
        log.get("v1.fact.nope")
    log.append([draft_tombstone("v1.fact.b")])
    with pytest.raises(NotFound, match="it was tombstoned"):
        log.get("v1.fact.b")
    record = log.record(A)
    assert record is not None
    log.append([draft_forget(record.subject, [1, 3], record.key)])
    with pytest.raises(Forgotten, match="forgotten by entry 5"):
        log.get(A)


def test_a_value_whose_body_is_lost_is_damage(log: Log) -> None:
    log.append([draft_put(A, "1")])
    with log._store.write() as transaction:
        transaction.delete("bodies", seq_key(1))
    with pytest.raises(StoreDamaged, match="holds no value"):
        log.get(A)


def test_what_is_handed_in_wrong_gets_an_error_that_says_what_is_right(log: Log, tmp_path: Path) -> None:
    with pytest.raises(SchemaInvalid, match="into brackets"):
        log.append(draft_put(A, "1"))  # type: ignore[arg-type]
    with pytest.raises(SchemaInvalid, match="expect must be an Expect"):
        log.append([draft_put(A, "1")], expect=3)  # type: ignore[arg-type]
    with pytest.raises(SchemaInvalid, match="use get or record"):
        log.entry(A)  # type: ignore[arg-type]
    (tmp_path / "file").write_text("", encoding="ascii")
    for read_only in (False, True):
        with pytest.raises(InputError, match="is a file; a store is a folder"):
            open_log(tmp_path / "file", home=tmp_path / "home", read_only=read_only)
    with pytest.raises(Denied, match="set SUBSTRATE_HOME to a folder you can write to"):
        open_log(tmp_path / "other", home=tmp_path / "file")


def test_pins_and_keys_may_be_handed_in_as_text(log: Log) -> None:
    pin, key = log.pin(), log.key()
    log.rotate_key()
    log.append([draft_put(A, "1")])
    log.check_pin(str(pin))
    for bundle in (log.prove(A, since=str(pin)), log.prove_extended(str(pin))):
        assert Verifier(pin=pin).verify_bundle(bundle).trusted
    assert Verifier(key=key).verify_bundle(log.prove_entry(0, trusting=str(key))).trusted


@pytest.mark.parametrize("left", [20_000, 0.5, -1])
def test_a_data_file_that_was_cut_off_is_refused_and_does_not_end_the_process(
    log: Log, reopen: Callable[..., Log], tmp_path: Path, left: float
) -> None:
    for i in range(30):
        log.append([draft_put(f"v1.fact.n{i}", "x" * 3000)])
    log.close()
    data = next((tmp_path / "store").glob("env.*/data.mdb"))
    size = data.stat().st_size
    os.truncate(data, int(left if left > 1 else size * left if left > 0 else size - 4096))
    for options in ({}, {"read_only": True}):
        with pytest.raises(StoreDamaged, match="cut off"):
            reopen(**options)
    assert "cut off" in str(check_store(tmp_path / "store").damage)


def test_an_erased_entry_has_no_proof_of_its_content(log: Log) -> None:
    subject = log.append([draft_put(A, "1")]).subjects[0]
    log.append([draft_put(A, "2"), draft_forget(subject, [1])])
    with pytest.raises(Forgotten, match="erased"):
        log.prove_entry(1)


def test_compaction_keeps_the_head_and_removes_erased_bytes(log: Log, tmp_path: Path) -> None:
    canary = "a canary that must sing no more"
    log.append([draft_put(A, canary * 20), draft_put("v1.fact.b", "2")])
    record = log.record(A)
    assert record is not None
    log.append([draft_forget(record.subject, [record.seq], record.key)])
    before = str(log.head())
    log.compact()
    assert str(log.head()) == before
    assert log.prove("v1.fact.b").claim == "current"
    for path in (tmp_path / "store").rglob("*"):
        assert not path.is_file() or canary.encode() not in path.read_bytes()
    log.append([draft_put("v1.fact.c", "3")])


def test_a_rotation_gives_a_chain_of_trust_from_the_old_key_and_from_an_old_pin(log: Log) -> None:
    log.append([draft_put(A, "1")])
    old, pin = log.key(), log.pin()
    before = log.prove(A).to_json()
    for _ in range(3):
        new = log.rotate_key()
    assert log.key() == new
    log.append([draft_put(A, "2")])
    assert Verifier(key=str(old)).verify(before).trusted
    with pytest.raises(ProofInvalid, match="signature"):
        Verifier(key=str(old)).verify(log.prove(A).to_json())
    assert Verifier(key=str(old)).verify(log.prove(A, trusting=old).to_json()).trusted
    assert Verifier(key=str(new)).verify(log.prove(A).to_json()).trusted
    assert Verifier(pin=str(pin)).verify(log.prove(A, since=pin).to_json()).trusted
    assert Verifier(pin=str(pin)).verify(log.prove_extended(pin).to_json()).claim == "extended"
    assert Verifier(key=str(old)).verify(log.prove_entry(1, trusting=old).to_json()).seq == 1
    with pytest.raises(NotFound, match="never signed this log"):
        log.prove(A, trusting=generate_signer(old.name).key)


def test_a_true_bundle_about_something_else_is_not_what_was_asked_for(log: Log) -> None:
    log.append([draft_put(A, "1"), draft_put("v1.fact.b", "2")])
    verifier = Verifier(key=str(log.key()))
    bundle = log.prove("v1.fact.b").to_json()
    assert verifier.verify(bundle, claim="current", name="v1.fact.b").trusted
    for asked in ({"name": A}, {"claim": "absent"}, {"claim": "absent", "name": "v1.fact.b"}):
        with pytest.raises(ProofInvalid, match="not_asked"):
            verifier.verify(bundle, **asked)


def test_the_old_key_is_destroyed_by_a_rotation(log: Log, home: Path) -> None:
    secret = next(home.glob("keys/*/signing.key")).read_bytes()
    log.rotate_key()
    assert all(secret not in path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_a_key_rotated_by_another_copy_of_the_home_is_not_overwritten(log: Log, tmp_path: Path, home: Path) -> None:
    shutil.copytree(home, tmp_path / "copy")
    log.rotate_key()
    with (
        open_log(tmp_path / "store", home=tmp_path / "copy") as visitor,
        pytest.raises(Denied, match="rotated elsewhere"),
    ):
        visitor.append([draft_put(A, "1")])
