"""A rebuild makes what follows from the log anew, as it was written live, and refuses a log that was changed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from substrate.codec import draft_put
from substrate.errors import Denied, FormatTooNew, NotFound, RolledBack, StoreDamaged
from substrate.kv.api import WriteTransaction
from substrate.kv.open import open_store
from substrate.log.copies import rebuild as rebuild_module
from substrate.log.copies.check import check_store
from substrate.log.copies.rebuild import rebuild_store
from substrate.log.log import Log, open_log
from substrate.log.map import TOP
from substrate.log.replay import Logged, View
from substrate.log.tables import BODIES, ENTRIES, HEADS, KEYS, MAP, META, NODES, TABLES, seq_key
from tests.log.grown import VIEWS, Count, Values, content, grow


@pytest.fixture
def store(tmp_path: Path, home: Path) -> Path:
    """A store with a view, closed."""
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        grow(log)
    return tmp_path / "store"


def damage(path: Path, work: Callable[[WriteTransaction], object]) -> None:
    store = open_store(path, [*TABLES, "values"])
    with store.write() as transaction:
        work(transaction)
    store.close()


def clear(table: str) -> Callable[[WriteTransaction], None]:
    def work(transaction: WriteTransaction) -> None:
        for key, _ in list(transaction.scan(table)):
            transaction.delete(table, key)

    return work


def scramble(table: str) -> Callable[[WriteTransaction], None]:
    def work(transaction: WriteTransaction) -> None:
        generator = random.Random(table)
        for key, value in list(transaction.scan(table)):
            transaction.put(table, key, generator.randbytes(len(value)))
        transaction.put(table, b"\xff\xff", b"stray")

    return work


DAMAGE: dict[str, Callable[[WriteTransaction], object]] = {
    "nothing": lambda _: None,
    "all nodes lost": clear(NODES),
    "all nodes wrong": scramble(NODES),
    "one leaf": lambda t: t.put(NODES, seq_key(3), bytes(32)),
    "the map lost": clear(MAP),
    "the map's top": lambda t: t.delete(MAP, TOP),
    "the whole map": scramble(MAP),
    "the keys lost": clear(KEYS),
    "the keys": scramble(KEYS),
    "a view lost": clear("values"),
    "a view": scramble("values"),
    "a view's row": lambda t: t.put("values", seq_key(3), b"other"),
    "a view behind": lambda t: t.put(META, b"applied:values", seq_key(3)),
    "a view ahead": lambda t: t.put(META, b"applied:values", seq_key(3000)),
    "a stranger in meta": lambda t: t.put(META, b"x", b"y"),
    "everything that follows": lambda t: [clear(table)(t) for table in (NODES, MAP, KEYS, "values")],
}
UNOPENABLE = {"all nodes lost", "all nodes wrong", "one leaf", "the keys lost", "the keys", "everything that follows"}


@pytest.mark.parametrize("what", DAMAGE)
def test_smashed_rows_of_views_are_made_anew_as_they_were(store: Path, home: Path, what: str) -> None:
    before = content(store)
    damage(store, DAMAGE[what])
    assert check_store(store, home=home, views=VIEWS).ok == (what == "nothing")
    if what in UNOPENABLE:
        with pytest.raises(StoreDamaged):
            open_log(store, home=home, views=VIEWS)
    told: list[tuple[int, int]] = []
    rebuild_store(store, home=home, views=VIEWS, progress=lambda done, total: told.append((done, total)))
    assert check_store(store, home=home, views=VIEWS).damage is None
    assert content(store) == before
    assert told[-1][0] == told[-1][1]
    assert told == sorted(told)
    with open_log(store, home=home, views=VIEWS) as log:
        log.append([draft_put("v1.fact.after", "1")])
    assert check_store(store, home=home, views=VIEWS).damage is None


def test_an_open_log_rebuilds_itself_under_its_readers(store: Path, home: Path) -> None:
    before = content(store)
    with (
        open_log(store, home=home, views=VIEWS) as log,
        open_log(store, home=home, views=VIEWS, read_only=True) as reader,
    ):
        damage(store, scramble("values"))
        head = log.head()
        log.rebuild()
        assert content(store) == before
        assert reader.head() == log.head() == head
        assert reader.get("v1.fact.n5").startswith("5")
        log.append([draft_put("v1.fact.after", "1")])
        assert reader.get("v1.fact.after") == "1"
        with pytest.raises(Denied, match="read-only"):
            reader.rebuild()


def test_it_takes_portions_of_any_size(store: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = content(store)
    for rows, size in ((1, 1), (7, 1 << 30), (1000, 300)):
        monkeypatch.setattr(rebuild_module, "_ROWS", rows)
        monkeypatch.setattr(rebuild_module, "_BYTES", size)
        monkeypatch.setattr(rebuild_module, "BATCH", rows)
        rebuild_store(store, home=home, views=VIEWS)
        assert content(store) == before


def flip(table: str, key: bytes, at: int) -> Callable[[WriteTransaction], None]:
    def work(transaction: WriteTransaction) -> None:
        data = bytearray(transaction.get(table, key) or b"")
        data[at] ^= 1
        transaction.put(table, key, bytes(data))

    return work


TAMPERING: dict[str, tuple[Callable[[WriteTransaction], object], str]] = {
    "an entry's id": (flip(ENTRIES, seq_key(5), 4), "another root"),
    "an entry's format": (flip(ENTRIES, seq_key(5), 0), "malformed"),
    "an entry lost": (lambda t: t.delete(ENTRIES, seq_key(5)), "entry 5 is missing"),
    "the last entries lost": (lambda t: t.delete(ENTRIES, seq_key(48)), "beyond the last entry"),
    "a body": (flip(BODIES, seq_key(5), -1), "body of entry 5"),
    "a body lost": (lambda t: t.delete(BODIES, seq_key(5)), "body of entry 5 is gone"),
    "no head": (clear(HEADS), "head at size 1 is missing"),
    "the latest head lost": (lambda t: t.delete(HEADS, seq_key(49)), "no head covers the last"),
    "the latest signature": (flip(HEADS, seq_key(49), -8), "signed by just the key|malformed"),
    "a rotation's signature": (flip(HEADS, seq_key(44), -8), "signed by just the key|malformed"),
    "a head that is no text": (lambda t: t.put(HEADS, seq_key(49), b"\xff"), "malformed"),
    "the map salt": (flip(META, b"map_salt", 0), "another map"),
    "the map salt lost": (lambda t: t.delete(META, b"map_salt"), "map salt"),
}


@pytest.mark.parametrize("what", TAMPERING)
def test_a_log_that_was_changed_is_refused_and_nothing_is_changed(store: Path, home: Path, what: str) -> None:
    work, message = TAMPERING[what]
    damage(store, work)
    before = content(store)
    with pytest.raises(StoreDamaged, match=message):
        rebuild_store(store, home=home, views=VIEWS)
    assert content(store) == before
    assert [path.name for path in store.glob("env.*")] == ["env.0001"]


def test_a_rebuild_that_does_not_compare_the_map_would_hide_a_changed_salt(
    store: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(store, flip(META, b"map_salt", 0))
    with open_log(store, home=home, read_only=True) as log:
        signed = log.head().head.map_root
    monkeypatch.setattr(rebuild_module, "map_root", lambda *_: signed)
    rebuild_store(store, home=home, views=VIEWS)
    assert "map root of the latest head" in str(check_store(store, home=home, views=VIEWS).damage)


def test_an_older_store_is_told_apart_by_its_mark_and_left_alone(store: Path, home: Path, tmp_path: Path) -> None:
    shutil.copytree(store, tmp_path / "old")
    with open_log(store, home=home, views=VIEWS) as log:
        log.append([draft_put("v1.fact.more", "1")])
    with pytest.raises(RolledBack):
        rebuild_store(tmp_path / "old", home=home, views=VIEWS)
    rebuild_store(tmp_path / "old", home=tmp_path / "elsewhere", views=VIEWS)


class Retired(Values):
    """A view that is no longer wanted: one version higher, without rows."""

    version = 2

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        pass


def test_a_new_view_is_filled_and_one_that_is_not_wanted_any_more_is_emptied(store: Path, home: Path) -> None:
    views: tuple[View, ...] = (Retired(), Count())
    rebuild_store(store, home=home, views=views)
    after = content(store, [Values(), Count()])
    assert after["values"] == []
    assert dict(after["count"])[b"KEY"] == seq_key(3)
    assert dict(after[META])[b"applied:"] == b'{"values":2}'
    assert check_store(store, home=home, views=views).ok
    with open_log(store, home=home, views=views) as log:
        log.append([draft_put("v1.fact.after", "1")])
    rebuild_store(store, home=home)
    assert check_store(store, home=home).ok
    with open_log(store, home=home) as log:
        log.append([draft_put("v1.fact.after", "2")])
    with open_log(store, home=home, views=VIEWS):
        assert check_store(store, home=home, views=VIEWS).ok


@pytest.mark.parametrize("views", [(Count(),), (Count(), Values())])
def test_a_store_of_a_later_version_is_left_alone(store: Path, home: Path, views: tuple[View, ...]) -> None:
    """It may have traces that this version does not know: they would be lost."""
    with open_log(store, home=home, views=[Retired()]):
        before = content(store)
    with pytest.raises(FormatTooNew, match="Upgrade substrate"):
        rebuild_store(store, home=home, views=views)
    assert content(store) == before


class Forgetful(Values):
    """A broken twin: a view whose rows depend on whether it met a body before that was erased."""

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        for entry in entries:
            transaction.put("values", seq_key(entry.seq), entry.body or b"")


def test_a_view_that_a_replay_makes_otherwise_is_found_out(tmp_path: Path, home: Path) -> None:
    with open_log(tmp_path / "store", home=home, views=[Forgetful()]) as log:
        grow(log)
    before = content(tmp_path / "store")
    rebuild_store(tmp_path / "store", home=home, views=[Forgetful()])
    assert content(tmp_path / "store") != before


def test_there_must_be_a_log(tmp_path: Path, home: Path) -> None:
    with pytest.raises(NotFound, match="no store"):
        rebuild_store(tmp_path / "nowhere", home=home)
    open_store(tmp_path / "empty", list(TABLES)).close()
    with pytest.raises(NotFound, match="no log"):
        rebuild_store(tmp_path / "empty", home=home)


def test_what_cannot_even_be_read_is_damage(log: Log, tmp_path: Path, home: Path) -> None:
    log.append([draft_put("v1.fact.a", "1")])
    log.close()
    (tmp_path / "store" / "ORIGIN").unlink()
    damage(tmp_path / "store", lambda t: t.put(META, b"origin", b"\xff\xfe"))
    with pytest.raises(StoreDamaged, match="malformed"):
        rebuild_store(tmp_path / "store", home=home)
