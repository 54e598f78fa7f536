"""Views with versions: outdated ones are made anew in slices at the next open for writing, and read from a replay."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from substrate.codec import draft_put
from substrate.errors import Busy, Denied, FormatTooNew, StoreDamaged
from substrate.kv.api import WriteTransaction
from substrate.kv.open import open_store
from substrate.log import replay, upgrade
from substrate.log.copies.check import check_store
from substrate.log.copies.clone import clone, export_full, line_text
from substrate.log.copies.rebuild import rebuild_store
from substrate.log.copies.restore import restore
from substrate.log.log import Log, open_log
from substrate.log.replay import Logged, View
from substrate.log.tables import META, TABLES, seq_key
from tests.log.grown import VIEWS, Content, Count, Values, content, forget, grow
from tests.scale import PATIENCE_S


class Later(Values):
    """The next version of a view: other rows, in another table; the one that it had before is emptied."""

    version = 2
    tables = ("values", "lengths")

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        super().apply(transaction, entries)
        for entry in entries:
            key = seq_key(entry.seq)
            transaction.put("lengths", key, b"%d" % len(transaction.get("values", key) or b""))
        for key, row in list(transaction.scan("values")):
            if row == b"erased":
                transaction.put("lengths", key, b"6")


class Ended(Later):
    """A broken twin: it does not see what it is told to forget."""

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        for entry in entries:
            transaction.put("values", seq_key(entry.seq), entry.body or b"")


NEW: tuple[View, ...] = (Later(), Count())
TABLE_NAMES = ("values", "lengths", "count")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Written by the version before: one view at version 1, and a second one not there yet."""
    with open_log(tmp_path / "store", home=tmp_path / "home", views=VIEWS) as log:
        grow(log)
    return tmp_path / "store"


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices so small that there are many."""
    monkeypatch.setattr(replay, "BATCH", 7)
    monkeypatch.setattr(upgrade, "_DELETED", 20)


def opened(store: Path, **options: object) -> Log:
    return open_log(store, home=store.parent / "home", views=NEW, **options)  # type: ignore[arg-type]


def rows(log: Log) -> Content:
    with log.snapshot() as transaction:
        return {table: list(transaction.scan(table)) for table in TABLE_NAMES}


def rebuilt(store: Path) -> Content:
    """All rows, as a rebuild leaves them."""
    rebuild_store(store, home=store.parent / "home", views=NEW)
    return content(store, NEW)


def damage(store: Path) -> str | None:
    return check_store(store, home=store.parent / "home", views=NEW).damage


def meta(store: Path) -> dict[bytes, bytes]:
    return dict(content(store)[META])


def test_a_store_that_says_nothing_of_versions_is_at_version_one_and_stays_as_it_is(store: Path) -> None:
    assert sorted(meta(store)) == [b"applied:values", b"map_salt", b"origin"]
    before = content(store)
    told: list[tuple[int, int]] = []
    open_log(
        store, home=store.parent / "home", views=VIEWS, progress=lambda done, total: told.append((done, total))
    ).close()
    assert content(store) == before
    assert told == []


def test_outdated_views_are_made_anew_at_the_next_open_for_writing(store: Path) -> None:
    told: list[tuple[int, int]] = []
    with opened(store, progress=lambda done, total: told.append((done, total))) as log:
        assert meta(store)[b"applied:"] == b'{"values":2}'
        assert told == sorted(told)
        assert told[0] == (0, 2 * log.head().head.size)
        assert told[-1] == (2 * log.head().head.size,) * 2
    here = content(store, NEW)
    assert damage(store) is None
    assert here == rebuilt(store)
    with opened(store) as log:
        log.append([draft_put("v1.fact.after", "1")])
    assert damage(store) is None


def interrupted_after_a_slice(store: Path) -> bool:
    """Open the store for writing until one slice is done; whether that was all."""
    calls: list[int] = []

    def stop(done: int, total: int) -> None:
        calls.append(done)
        if len(calls) > 1 and done < total:
            raise KeyboardInterrupt

    try:
        opened(store, progress=stop).close()
    except KeyboardInterrupt:
        return False
    return True


@pytest.mark.usefixtures("_small")
def test_an_upgrade_that_ends_early_goes_on_where_it_stopped(store: Path) -> None:
    """After any slice: others read what they would read after it, fsck finds nothing, and the end is the same."""
    with opened(store, read_only=True) as reader:
        expected = rows(reader)
    states: list[dict[str, Any]] = []
    while not interrupted_after_a_slice(store):
        states.append(json.loads(meta(store)[b"applied:"]))
        assert damage(store) is None
        with opened(store, read_only=True) as reader:
            assert rows(reader) == expected
        with pytest.raises(FormatTooNew, match="Upgrade substrate"):
            open_log(store, home=store.parent / "home", views=VIEWS)
    assert states[0]["values"] == {"version": 2}  # being emptied
    places = [state["values"]["seq"] for state in states if "seq" in state["values"]]
    assert places == sorted(places)
    assert len(set(places)) > 5
    with opened(store) as log:
        assert rows(log) == expected
    assert content(store, NEW) == rebuilt(store)


KILLED = """
import os, signal, sys
from substrate.log import replay, upgrade
from tests.log.test_upgrade import opened
from pathlib import Path
replay.BATCH, upgrade._DELETED = 7, 20
calls = []
def tell(done, total):
    calls.append(done)
    if len(calls) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
opened(Path(sys.argv[1]), progress=tell)
"""


@pytest.mark.parametrize("slices", [2, 6])
def test_a_killed_upgrade_is_finished_by_the_next_open(store: Path, slices: int) -> None:
    command = [sys.executable, "-c", KILLED, str(store), str(slices)]
    root = Path(__file__).parents[2]
    child = subprocess.run(command, cwd=root, env=os.environ, timeout=PATIENCE_S, check=False)
    assert child.returncode == -signal.SIGKILL
    assert json.loads(meta(store)[b"applied:"])["values"]["version"] == 2
    opened(store).close()
    assert content(store, NEW) == rebuilt(store)


@pytest.mark.usefixtures("_small")
def test_all_who_open_a_store_at_once_share_the_work(store: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        for log in pool.map(lambda _: opened(store), range(3)):
            log.close()
    assert content(store, NEW) == rebuilt(store)


def test_whoever_waits_for_an_upgrade_that_does_not_get_on_is_told_that_it_is_busy(store: Path) -> None:
    tables = [*TABLES, *TABLE_NAMES]
    mine, theirs = open_store(store, tables), open_store(store, tables, wait_s=0.05)
    try:
        with ThreadPoolExecutor(1) as pool, mine.write(), pytest.raises(Busy):
            pool.submit(upgrade.upgrade, theirs, NEW).result()
    finally:
        mine.close()
        theirs.close()


def test_a_read_only_store_answers_by_a_replay_and_writes_nothing(store: Path) -> None:
    before = content(store)
    with opened(store, read_only=True) as reader:
        found = rows(reader)
    assert content(store) == before
    with opened(store) as log:
        assert rows(log) == found
    assert found["lengths"]


def test_a_reader_follows_a_store_that_grows_and_lets_go_of_its_replay_when_it_is_upgraded(store: Path) -> None:
    home = store.parent / "home"
    with opened(store, read_only=True) as reader:
        rows(reader)
        with open_log(store, home=home, views=VIEWS) as log:
            log.append([draft_put("v1.fact.more", "1"), draft_put("v1.fact.secret", "a secret")])
            with reader.snapshot() as early:
                assert early.get("values", seq_key(log.head().head.size - 1)) is not None
                with ThreadPoolExecutor(1) as pool:
                    pool.submit(forget, log, "v1.fact.secret").result()
                    pool.submit(rows, reader).result()
                # As of its snapshot.
                assert b"a secret" in (early.get("values", seq_key(log.head().head.size - 2)) or b"")
            later = rows(reader)
        assert not any(b"a secret" in row for _, row in later["values"])
        assert reader._overlay._replayed is not None
        with opened(store) as log:
            assert rows(log) == later == rows(reader)
            assert reader._overlay._replayed is None
            log.append([draft_put("v1.fact.after", "1")])
            assert rows(log) == rows(reader)


class Interrupted(Later):
    """It is stopped once, in the middle of a replay."""

    calls = 0

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        self.calls += 1
        if self.calls == 3:
            raise KeyboardInterrupt
        super().apply(transaction, entries)


@pytest.mark.usefixtures("_small")
def test_a_replay_that_was_interrupted_starts_anew(store: Path) -> None:
    with opened(store, read_only=True) as reader:
        expected = rows(reader)
    with open_log(store, home=store.parent / "home", views=[Interrupted(), Count()], read_only=True) as reader:
        with pytest.raises(KeyboardInterrupt):
            rows(reader)
        assert rows(reader) == expected


def test_a_forked_process_begins_its_own_replay(store: Path) -> None:
    with opened(store, read_only=True) as reader:
        before, overlay = rows(reader), reader._overlay
        replayed = overlay._replayed
        assert replayed is not None
        with overlay._lock, replayed._store.write():  # as a thread of the parent, that is not in the child
            overlay._process = -1
            assert rows(reader) == before
        assert overlay._replayed is not replayed


def test_a_view_that_keeps_what_was_forgotten_would_be_told_from_the_replay(store: Path) -> None:
    with open_log(store, home=store.parent / "home", views=[Ended(), Count()], read_only=True) as reader:
        wrong = rows(reader)
    with opened(store, read_only=True) as reader:
        assert rows(reader) != wrong


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("views", [VIEWS, (Values(), Count()), (Later(),)])
def test_an_older_program_gets_format_too_new(store: Path, views: Sequence[View], read_only: bool) -> None:  # noqa: FBT001
    opened(store).close()
    before = content(store, NEW)
    with pytest.raises(FormatTooNew, match="Upgrade substrate to open it"):
        open_log(store, home=store.parent / "home", views=views, read_only=read_only)
    with pytest.raises(FormatTooNew):
        check_store(store, views=views)
    assert content(store, NEW) == before


def test_an_older_program_that_had_the_store_open_neither_reads_nor_writes_any_more(store: Path) -> None:
    with open_log(store, home=store.parent / "home", views=VIEWS) as old:
        with old.snapshot() as transaction:
            assert transaction.count("values")
        opened(store).close()
        with pytest.raises(FormatTooNew), old.snapshot():
            pass
        with pytest.raises(FormatTooNew):
            old.append([draft_put("v1.fact.after", "1")])
        assert old.get("v1.fact.n5").startswith("5")  # the log itself has no versions


def test_a_program_whose_views_an_older_one_has_made_anew_reads_on_and_writes_after_the_next_open(store: Path) -> None:
    with opened(store) as log:
        expected = rows(log)
        set_back(store, {"values": 0})
        assert rows(log) == expected
        with pytest.raises(Denied, match="open it again for writing"):
            log.append([draft_put("v1.fact.after", "1")])
    with opened(store) as log:
        log.append([draft_put("v1.fact.after", "1")])
    assert damage(store) is None


def set_back(store: Path, versions: object) -> None:
    handle = open_store(store, [*TABLES, *TABLE_NAMES])
    with handle.write() as transaction:
        transaction.put(META, b"applied:", json.dumps(versions).encode())
        for key, _ in list(transaction.scan("values")):
            transaction.delete("values", key)
    handle.close()


@pytest.mark.parametrize("versions", [[], "x", {"values": "x"}, {"values": {}}, {"values": {"version": 2, "trace": 7}}])
def test_versions_that_cannot_be_read_are_damage_that_a_rebuild_repairs(store: Path, versions: object) -> None:
    opened(store).close()
    set_back(store, versions)
    assert "how far the views have got" in str(damage(store))
    with pytest.raises(StoreDamaged, match="run rebuild"):
        opened(store)
    rebuild_store(store, home=store.parent / "home", views=NEW)
    assert damage(store) is None


def test_a_view_that_was_finished_and_is_behind_its_log_is_damage(store: Path) -> None:
    opened(store).close()
    handle = open_store(store, [*TABLES, *TABLE_NAMES])
    with handle.write() as transaction:
        transaction.put(META, b"applied:values", seq_key(3))
    handle.close()
    assert "has not applied just the entries" in str(damage(store))
    opened(store).close()
    assert damage(store) is None


def test_clones_and_restored_backups_have_the_versions_of_the_program_that_makes_them(
    store: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with open_log(store, home=home, views=VIEWS) as log:
        log.backup(tmp_path / "backup")
        lines: list[str] = []
        with log.snapshot() as transaction:
            export_full(transaction, lambda line: lines.append(line_text(line)))
    clone(lines, tmp_path / "clone", home=tmp_path / "elsewhere", views=NEW)
    restore(tmp_path / "backup", tmp_path / "restored", home=home, views=NEW)
    for copy in (tmp_path / "clone", tmp_path / "restored"):
        assert meta(copy)[b"applied:"] == b'{"values":2}'
        assert check_store(copy, views=NEW).damage is None


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Callable[[], Log]]:
    logs: list[Log] = []

    def make() -> Log:
        logs.append(open_log(tmp_path / "fresh", home=tmp_path / "home", views=NEW))
        return logs[-1]

    yield make
    for log in logs:
        log.close()


def test_a_new_store_has_the_versions_of_the_program_that_makes_it(fresh: Callable[[], Log]) -> None:
    log = fresh()
    grow(log)
    assert meta(log.path)[b"applied:"] == b'{"values":2}'
    assert damage(log.path) is None
