"""Restoring: nothing given up, and the log goes on; something given up, and it goes on as another, which says so."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.codec import decode_body, draft_key, draft_put, draft_restore
from substrate.errors import Denied, InputError, NotFound, ProofInvalid, RolledBack, StoreDamaged
from substrate.kv.open import open_store
from substrate.log.copies import restore as restore_module
from substrate.log.copies.check import check_store
from substrate.log.copies.restore import Abandoned, Restored, restore
from substrate.log.keys.keyring import Keyring
from substrate.log.log import Log, open_log
from substrate.log.tables import BODIES, META, TABLES, seq_key
from substrate.proof.entry import Kind
from substrate.proof.head import Pin
from substrate.proof.note import generate_signer
from substrate.proof.verify import Verifier
from tests.log.grown import VIEWS, Count, content, grow
from tests.proof.script import SCRIPT

NAME = "v1.fact.n5"


def run_script(*arguments: object) -> int:
    """The exit code of the standalone verifier."""
    command = [sys.executable, "-I", str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False).returncode


def backed_up(tmp_path: Path, home: Path) -> Pin:
    """A store with a backup, behind which it has gone on."""
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        grow(log)
        return log.backup(tmp_path / "backup")


def go_on(tmp_path: Path, home: Path, label: str = "later") -> Pin:
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        log.append([draft_put(f"v1.fact.{label}_{i}", label) for i in range(3)])
        return log.pin()


def lose(tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "store")


def test_after_a_loss_the_log_goes_on_as_if_nothing_had_been(tmp_path: Path, home: Path) -> None:
    pin = backed_up(tmp_path, home)
    before = content(tmp_path / "store")
    lose(tmp_path)
    restored = restore(tmp_path / "backup", tmp_path / "store", home=home, views=VIEWS)
    assert restored == Restored(pin.head.origin, pin.key, None)
    assert content(tmp_path / "store") == before
    assert not (tmp_path / "store" / "BACKUP").exists()
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        assert log.head() == pin.signed
        log.append([draft_put("v1.fact.after", "1")])
        log.check_pin(pin)
        assert Verifier(pin=pin).verify(log.prove(NAME, since=pin).to_json()).trusted
    assert check_store(tmp_path / "store", home=home, views=VIEWS).damage is None


def test_going_back_gives_a_new_origin_and_says_what_was_given_up(tmp_path: Path, home: Path) -> None:
    pin = backed_up(tmp_path, home)
    newest = go_on(tmp_path, home).head
    lose(tmp_path)
    restored = restore(tmp_path / "backup", tmp_path / "store", home=home, views=VIEWS)
    assert restored.abandoned == Abandoned(pin.head.origin, newest.size, newest.root)
    assert restored.origin == restored.key.name != pin.head.origin
    assert restored.origin.startswith("substrate-")
    assert (tmp_path / "store" / "ORIGIN").read_text(encoding="ascii").strip() == restored.origin
    assert check_store(tmp_path / "store", home=home, views=VIEWS).damage is None
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        head = log.head()
        assert (head.head.origin, head.head.size) == (restored.origin, pin.head.size + 1)
        assert log.key() == restored.key
        assert head.signed_by(restored.key)
        assert len(head.note.signatures) == 1, "the old key must never sign a second history"
        entry = log.entry(pin.head.size)
        assert entry.entry.kind is Kind.KEY
        assert entry.opening is not None
        assert decode_body(entry.opening.body) == {
            "vkey": str(restored.key),
            "restored_from": {"origin": pin.head.origin, "size": pin.head.size, "root": pin.head.root.hex()},
            "abandoned": {"size": newest.size, "root": newest.root.hex()},
        }
        log.append([draft_put("v1.fact.after", "1")])
        later = log.pin()
        log.rotate_key()
        log.append([draft_put("v1.fact.after", "2")])
        log.check_pin(later)
    report = check_store(tmp_path / "store", home=home, views=VIEWS)
    assert report.damage is None


def going_back(tmp_path: Path, home: Path) -> tuple[Pin, Restored]:
    pin = backed_up(tmp_path, home)
    go_on(tmp_path, home)
    lose(tmp_path)
    return pin, restore(tmp_path / "backup", tmp_path / "store", home=home, views=VIEWS)


def test_proofs_of_a_restored_store_hold_under_its_new_key_for_both_verifiers(tmp_path: Path, home: Path) -> None:
    pin, restored = going_back(tmp_path, home)
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        since = log.pin()
        log.append([draft_put("v1.fact.after", "1")])
        log.rotate_key()
        bundles = {
            "old": log.prove(NAME, trusting=restored.key).to_json(),
            "absent": log.prove("v1.fact.later_1", trusting=restored.key).to_json(),
            "restore": log.prove_entry(pin.head.size, trusting=restored.key).to_json(),
        }
        pinned = log.prove(NAME, since=since).to_json()
        extended = log.prove_extended(since).to_json()
    (tmp_path / "since.pin").write_text(str(since), encoding="utf-8")
    for name, bundle in bundles.items():
        assert Verifier(key=restored.key).verify(bundle).trusted
        (tmp_path / name).write_text(bundle, encoding="utf-8")
        assert run_script(tmp_path / name, "--key", str(restored.key)) == 0
        for known in (Verifier(key=pin.key), Verifier(pin=pin)):
            with pytest.raises(ProofInvalid):
                known.verify(bundle)
    for bundle in (pinned, extended):
        assert Verifier(pin=since).verify(bundle).trusted
        (tmp_path / "bundle").write_text(bundle, encoding="utf-8")
        assert run_script(tmp_path / "bundle", "--pin", str(tmp_path / "since.pin")) == 0


def test_what_is_of_the_old_origin_is_refused_in_words_that_name_the_restore(tmp_path: Path, home: Path) -> None:
    pin, restored = going_back(tmp_path, home)
    words = rf"{pin.head.origin}, which was restored under a new origin, {restored.origin}, by entry {pin.head.size}"
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        log.rotate_key()
        asked: list[Callable[[], object]] = [
            lambda: log.check_pin(pin),
            lambda: log.prove_extended(pin),
            lambda: log.prove(NAME, since=pin),
            lambda: log.prove_entry(1, since=str(pin)),
            lambda: log.prove(NAME, trusting=pin.key),
            lambda: log.prove(NAME, trusting=first_key(log)),
        ]
        for ask in asked:
            with pytest.raises((InputError, RolledBack), match=words):
                ask()
        with pytest.raises(NotFound, match="never signed this log"):
            log.prove(NAME, trusting=generate_signer("stranger").key)


def first_key(log: Log) -> str:
    opening = log.entry(0).opening
    assert opening is not None
    return str(decode_body(opening.body)["vkey"])


def test_a_restored_store_can_be_backed_up_and_restored_again(tmp_path: Path, home: Path) -> None:
    pin, first = going_back(tmp_path, home)
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        log.append([draft_put("v1.fact.second", "1")])
        log.backup(tmp_path / "second")
        middle = log.pin()
    newest = go_on(tmp_path, home)
    lose(tmp_path)
    again = restore(tmp_path / "second", tmp_path / "store", home=home, views=VIEWS)
    assert again.abandoned == Abandoned(first.origin, newest.head.size, newest.head.root)
    assert len({pin.head.origin, first.origin, again.origin}) == 3
    assert check_store(tmp_path / "store", home=home, views=VIEWS).damage is None
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        for old in (pin, middle):
            with pytest.raises(RolledBack, match=f"{old.head.origin}, which was restored under a new origin"):
                log.check_pin(old)
        log.rebuild()
    assert check_store(tmp_path / "store", home=home, views=VIEWS).damage is None


def test_a_fork_is_refused_as_it_is_and_goes_on_under_a_new_origin(tmp_path: Path, home: Path) -> None:
    backed_up(tmp_path, home)
    shutil.copytree(home, tmp_path / "other home")
    shutil.copytree(tmp_path / "store", tmp_path / "other" / "store")
    with open_log(tmp_path / "other" / "store", home=tmp_path / "other home", views=VIEWS) as log:
        log.append([draft_put(f"v1.fact.fork_{i}", "1") for i in range(9)])
        fork = log.pin()
    newest = go_on(tmp_path, home).head
    assert fork.head.size > newest.size
    with open_log(tmp_path / "other" / "store", home=home, views=VIEWS) as log, pytest.raises(RolledBack, match="fork"):
        log.append([draft_put("v1.fact.more", "1")])
    restored = restore(tmp_path / "other" / "store", tmp_path / "new", home=home, views=VIEWS)
    assert restored.abandoned == Abandoned(newest.origin, newest.size, newest.root)
    assert restored.origin != newest.origin
    assert check_store(tmp_path / "new", home=home, views=VIEWS).damage is None
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:  # the other one goes on, as what it was
        log.append([draft_put("v1.fact.after", "1")])


def test_without_its_key_a_log_goes_on_under_a_new_one(tmp_path: Path, home: Path) -> None:
    pin = backed_up(tmp_path, home)
    elsewhere = tmp_path / "elsewhere"
    restored = restore(tmp_path / "backup", tmp_path / "new", home=elsewhere, views=VIEWS)
    assert restored.abandoned is None
    assert restored.origin != pin.head.origin
    with open_log(tmp_path / "new", home=elsewhere, views=VIEWS) as log:
        opening = log.entry(pin.head.size).opening
        assert opening is not None
        assert decode_body(opening.body)["abandoned"] is None
        log.append([draft_put("v1.fact.after", "1")])
    assert check_store(tmp_path / "new", home=elsewhere, views=VIEWS).damage is None


def test_a_key_from_before_a_rotation_does_not_count_and_one_that_others_can_read_is_told(
    tmp_path: Path, home: Path
) -> None:
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        log.append([draft_put("v1.fact.a", "1")])
        shutil.copytree(home, tmp_path / "old home")
        log.rotate_key()
        pin = log.backup(tmp_path / "backup")
    restored = restore(tmp_path / "backup", tmp_path / "new", home=tmp_path / "old home", views=VIEWS)
    assert restored.origin != pin.head.origin
    next(home.glob("keys/*/signing.key")).chmod(0o644)
    with pytest.raises(Denied, match="can be read by others"):
        restore(tmp_path / "backup", tmp_path / "other", home=home, views=VIEWS)
    assert not (tmp_path / "other").exists()


def test_a_restore_that_keeps_the_origin_when_something_was_given_up_is_found_out(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken twin."""
    pin = backed_up(tmp_path, home)
    go_on(tmp_path, home)
    lose(tmp_path)
    monkeypatch.setattr(restore_module, "_abandoned", lambda *_: None)
    monkeypatch.setattr(Keyring, "holds", lambda *_: True)
    assert restore(tmp_path / "backup", tmp_path / "store", home=home, views=VIEWS).origin == pin.head.origin
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log, pytest.raises(RolledBack):
        log.append([draft_put("v1.fact.after", "1")])
    mark = next(home.glob("keys/*/high-water"))
    aside = mark.rename(tmp_path / "aside")
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        aside.replace(mark)
        with pytest.raises(RolledBack):
            log.append([draft_put("v1.fact.after", "1")])


def test_nothing_is_overwritten(tmp_path: Path, home: Path) -> None:
    backed_up(tmp_path, home)
    before = content(tmp_path / "store")
    with pytest.raises(InputError, match="holds a store; nothing is overwritten"):
        restore(tmp_path / "backup", tmp_path / "store", home=home, views=VIEWS)
    assert content(tmp_path / "store") == before
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_bytes(b"x")
    with pytest.raises(InputError, match="not empty"):
        restore(tmp_path / "backup", tmp_path / "full", home=home, views=VIEWS)
    with pytest.raises(NotFound):
        restore(tmp_path / "nowhere", tmp_path / "new", home=home, views=VIEWS)
    (tmp_path / "half" / "unfinished").mkdir(parents=True)
    with pytest.raises(InputError, match="not finished"):
        restore(tmp_path / "half", tmp_path / "new", home=home, views=VIEWS)
    open_store(tmp_path / "empty", list(TABLES)).close()
    with pytest.raises(StoreDamaged):
        restore(tmp_path / "empty", tmp_path / "new", home=home)
    assert not (tmp_path / "new").exists()


def test_a_damaged_backup_is_not_restored(tmp_path: Path, home: Path) -> None:
    backed_up(tmp_path, home)
    store = open_store(tmp_path / "backup", list(TABLES))
    with store.write() as transaction:
        transaction.put(BODIES, seq_key(5), b"x" * 30)
    store.close()
    with pytest.raises(StoreDamaged, match="was not restored: the body of entry 5"):
        restore(tmp_path / "backup", tmp_path / "new", home=home, views=VIEWS)
    assert not (tmp_path / "new").exists()


def test_a_backup_that_is_not_what_its_pin_says_is_not_restored(tmp_path: Path, home: Path) -> None:
    backed_up(tmp_path, home)
    newer = go_on(tmp_path, home)
    (tmp_path / "backup" / "BACKUP").write_text(str(newer), encoding="utf-8")
    with pytest.raises(RolledBack, match="the pin remembers"):
        restore(tmp_path / "backup", tmp_path / "new", home=home, views=VIEWS)
    assert not (tmp_path / "new").exists()


def test_views_that_are_new_are_filled_and_a_view_that_is_not_known_is_refused(tmp_path: Path, home: Path) -> None:
    backed_up(tmp_path, home)
    go_on(tmp_path, home)
    with pytest.raises(Denied, match="values"):
        restore(tmp_path / "backup", tmp_path / "new", home=home)
    assert not (tmp_path / "new").exists()
    restore(tmp_path / "backup", tmp_path / "new", home=home, views=[*VIEWS, Count()])
    assert check_store(tmp_path / "new", home=home, views=[*VIEWS, Count()]).damage is None


def test_a_key_of_another_origin_that_is_no_restore_is_damage(tmp_path: Path, home: Path) -> None:
    signer = generate_signer("another")
    for number, draft in enumerate(
        [
            draft_key(signer.key),
            draft_restore(signer.key, "another log", 2, bytes(32), None),
            draft_restore(signer.key, "mine", 3, bytes(32), None),
            draft_restore(signer.key, "mine", 2, bytes(32), None),
        ]
    ):
        path = tmp_path / str(number)
        with open_log(path, home=home / str(number), origin="mine") as log:
            log.append([draft_put("v1.fact.a", "1")])
            log._appender.restore(draft, signer)
        (path / "ORIGIN").unlink()
        assert "another origin, another, and is not a restore" in str(check_store(path).damage)


def test_a_rotation_that_says_it_is_a_restore_is_damage(tmp_path: Path, home: Path) -> None:
    with open_log(tmp_path / "store", home=home, origin="mine") as log:
        head = log.head().head
        fresh = generate_signer("mine")
        log._appender.restore(draft_restore(fresh.key, "mine", head.size, head.root, None), fresh)
    assert "brings no new origin" in str(check_store(tmp_path / "store").damage)


def test_a_restore_entry_that_says_nothing_useful_is_damage(tmp_path: Path, home: Path) -> None:
    with open_log(tmp_path / "store", home=home, origin="mine") as log:
        fresh = generate_signer("new")
        body = draft_key(fresh.key).body[:-1] + b',"restored_from":{"origin":"mine","root":"xy","size":1}}'
        log._appender.restore(draft_key(fresh.key)._replace(body=body), fresh)
    (tmp_path / "store" / "ORIGIN").unlink()
    assert "does not say what it was restored from" in str(check_store(tmp_path / "store").damage)


def test_a_store_that_says_it_is_another_than_its_heads_is_damage(tmp_path: Path, home: Path) -> None:
    _, restored = going_back(tmp_path, home)
    store = open_store(tmp_path / "store", list(TABLES))
    with store.write() as transaction:
        transaction.put(META, b"origin", b"another")
    store.close()
    (tmp_path / "store" / "ORIGIN").unlink()
    assert f"says that it is another, its keys and heads are of {restored.origin}" in str(
        check_store(tmp_path / "store").damage
    )


def test_the_new_key_cannot_lie_inside_the_store(tmp_path: Path, home: Path) -> None:
    backed_up(tmp_path, home)
    with pytest.raises(InputError, match="must not lie inside"):
        restore(tmp_path / "backup", tmp_path / "new", home=tmp_path / "new" / "home", views=VIEWS)
    assert not (tmp_path / "new").exists()


def test_the_mark_of_a_restored_store_is_there_at_once(tmp_path: Path, home: Path) -> None:
    _, restored = going_back(tmp_path, home)
    mark = Keyring(home, restored.origin).high_water.read()
    assert mark is not None
    shutil.copytree(tmp_path / "store", tmp_path / "copy")
    go_on(tmp_path, home)
    with open_log(tmp_path / "copy", home=home, views=VIEWS) as log:
        assert log.behind() is not None


def test_beside_a_store_that_lives_a_restored_backup_is_another_store(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_log(tmp_path / "store", home=home) as log:
        log.append([draft_put("v1.fact.a", "x")])
        log.backup(tmp_path / "backup")
        restored = restore(tmp_path / "backup", tmp_path / "beside", home=home)
        assert restored.origin != log.head().head.origin
        assert restored.abandoned is None
        with open_log(tmp_path / "beside", home=home) as beside:
            beside.append([draft_put("v1.fact.a", "there")])
        log.append([draft_put("v1.fact.a", "here")])
    shutil.rmtree(tmp_path / "store")
    again = restore(tmp_path / "backup", tmp_path / "store", home=home)
    assert again.abandoned is not None  # what was written here after the backup


def test_in_the_place_of_a_store_that_is_gone_it_goes_on_as_what_it_was(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_log(tmp_path / "store", home=home) as log:
        log.append([draft_put("v1.fact.a", "x")])
        pin = log.backup(tmp_path / "backup")
    shutil.rmtree(tmp_path / "store")
    assert restore(tmp_path / "backup", tmp_path / "elsewhere", home=home).origin == pin.head.origin
