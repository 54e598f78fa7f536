"""Tables in memory do what the dict-based twin does, for any sequence of calls; their snapshots do not change."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from substrate.kv import memory
from substrate.kv.api import Store
from substrate.kv.memory import MemoryStore
from tests.kv.memory import MemoryStore as Twin
from tests.kv.test_contract import FIXED, SETTINGS, TABLES, Machine


class InMemory(Machine):
    def __init__(self) -> None:
        RuleBasedStateMachine.__init__(self)
        self.twin = Twin(TABLES)
        self.store = cast("Store", MemoryStore(TABLES))

    def teardown(self) -> None:
        pass

    def settle(self) -> None:  # type: ignore[override]
        """No rule: there is nothing to compact, and it cannot be opened again."""


def test_tables_in_memory_equal_the_twin() -> None:
    run_state_machine_as_test(InMemory, settings=SETTINGS)


def test_keys_that_are_left_unsorted_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "insort", list.append)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(InMemory, settings=FIXED)


def test_a_snapshot_stays_as_it_is_and_a_failed_write_leaves_nothing() -> None:
    store = MemoryStore(TABLES)
    with store.write() as transaction:
        transaction.put_many("a", [(b"%d" % i, b"1") for i in range(100)])
    with store.read() as before:
        with store.write() as transaction:
            transaction.delete("a", b"5")
            transaction.put("a", b"new", b"2")
        with pytest.raises(ZeroDivisionError), store.write() as transaction:
            transaction.put("b", b"k", bytes(1 // 0))
        assert before.count("a") == 100
        assert before.get("a", b"new") is None
    with store.read() as after:
        assert after.get("a", b"5") is None
        assert next(after.scan("a", reverse=True)) == (b"new", b"2")
        assert not after.any("b")
