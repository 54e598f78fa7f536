"""An append that does not fit into the store makes it grow, and is written as it was decided."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from substrate.codec import Draft, draft_put
from substrate.errors import MapFull
from substrate.kv.api import ReadTransaction
from substrate.kv.lmdb.transactions import Writing
from substrate.kv.open import open_store
from substrate.log import log as log_module
from substrate.log.append import Decision
from substrate.log.copies.check import check_store
from substrate.log.log import Log
from substrate.log.tables import SESSIONS

SMALL = 1 << 20
NAMES = [f"v1.fact.a{number}" for number in range(300)]


def drafts() -> list[Draft]:
    return [draft_put(name, name * 1000) for name in NAMES]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores have a map of 1 MiB at first."""
    monkeypatch.setattr(log_module, "open_store", partial(open_store, map_size=SMALL))


@pytest.mark.usefixtures("small")
def test_what_does_not_fit_is_decided_once_and_written_whole(
    reopen: Callable[..., Log], tmp_path: Path, home: Path
) -> None:
    log = reopen()
    asked = []

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        asked.append(transaction.count(SESSIONS))
        return Decision(drafts(), [(SESSIONS, b"row", str(time).encode())])

    appended = log.decide(plan)
    assert asked == [0]
    assert list(appended.seqs) == list(range(1, len(NAMES) + 1))
    assert log.head() == appended.head
    with log.snapshot() as transaction:
        assert transaction.count(SESSIONS) == 1
    assert log.get(NAMES[-1]) == NAMES[-1] * 1000
    log.close()
    assert reopen().get(NAMES[0]) == NAMES[0] * 1000
    assert check_store(tmp_path / "store", home=home).damage is None


def test_where_the_store_may_not_grow_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch, reopen: Callable[..., Log]
) -> None:
    monkeypatch.setattr(log_module, "open_store", partial(open_store, map_limit=SMALL))
    log = reopen()
    before = log.head()
    with pytest.raises(MapFull):
        log.append(drafts())
    assert log.head() == before
    assert log.append(drafts()[:1]).head.head.size == before.head.size + 1


@pytest.mark.usefixtures("small")
def test_a_transaction_that_never_grows_is_caught(monkeypatch: pytest.MonkeyPatch, reopen: Callable[..., Log]) -> None:
    monkeypatch.setattr(Writing, "grow", lambda _: False)
    with pytest.raises(MapFull):
        reopen().append(drafts())


@pytest.mark.usefixtures("small")
def test_a_rotation_that_does_not_fit_leaves_one_key_in_force(
    monkeypatch: pytest.MonkeyPatch, reopen: Callable[..., Log]
) -> None:
    log = reopen()
    right, struck = Writing.extend, []

    def extend(self: Writing, table: str, items: object) -> None:
        if not struck:  # as if the map ended here
            struck.append(table)
            self._spoilt = MapFull("no room")
            raise self._spoilt
        right(self, table, items)  # type: ignore[arg-type]

    monkeypatch.setattr(Writing, "extend", extend)
    key = log.rotate_key()
    assert struck
    assert log.key() == key
    log.append(drafts()[:1])
    assert reopen().key() == key
