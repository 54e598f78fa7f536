"""LmdbStore does what the dict-based twin does, for any sequence of calls."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from substrate.errors import Denied, StoreDamaged, SubstrateError
from substrate.kv.api import MAX_KEY, FolderStore, ReadTransaction, Store, WriteTransaction, folder_of
from substrate.kv.lmdb import transactions
from substrate.kv.lmdb.environment import open_store
from tests.kv.memory import MemoryStore
from tests.scale import rounds

TABLES = ("a", "b")
# Few and close keys, so that they meet; some at the limits.
NEAR = st.binary(min_size=1, max_size=2).map(lambda raw: bytes(byte % 3 for byte in raw))
ODD = st.one_of(
    st.sampled_from([b"", b"\xff", b"\x01\x02\x00"]),
    st.sampled_from([MAX_KEY, MAX_KEY + 1]).map(lambda size: b"\xff" * size),
)
KEYS = st.one_of(NEAR, NEAR, NEAR, ODD)
BOUNDS = st.one_of(NEAR, NEAR, NEAR, ODD, st.just(1000).map(lambda size: b"\x01" * size))
VALUES = st.one_of(st.binary(max_size=8), st.sampled_from([0, 5000]).map(lambda size: b"v" * size))
NAMES = st.sampled_from([*TABLES * 3, "undeclared"])
LIMITS = st.sampled_from([None, None, 0, 1, 2])
ITEMS = st.lists(st.tuples(KEYS, VALUES), max_size=5)
READS = st.one_of(
    st.tuples(st.just("get"), NAMES, KEYS),
    st.tuples(st.just("get_many"), NAMES, st.lists(KEYS, max_size=4)),
    st.tuples(st.just("scan"), NAMES, BOUNDS, st.one_of(st.none(), BOUNDS), st.booleans(), LIMITS),
    st.tuples(st.just("count"), NAMES),
    st.tuples(st.just("any"), NAMES),
)
WRITES = st.one_of(
    st.tuples(st.just("put"), NAMES, KEYS, VALUES),
    st.tuples(st.just("put_many"), NAMES, ITEMS),
    st.tuples(st.just("extend"), NAMES, ITEMS.map(sorted)),
    st.tuples(st.just("extend"), NAMES, ITEMS),
    st.tuples(st.just("delete"), NAMES, KEYS),
    st.tuples(st.just("grow")),
)
Call = tuple[Any, ...]

MEMORY = Path("/dev/shm")  # noqa: S108 (a file system that flushes at once: nothing is killed here)


def outcome(work: Callable[[], object]) -> object:
    """What a call returned, or which of our errors it raised. Any other exception is a failure of the test."""
    try:
        return work()
    except SubstrateError as error:
        return error.code


def perform(transaction: ReadTransaction, call: Call) -> object:
    name, *rest = call
    if name == "scan":
        table, start, stop, reverse, limit = rest
        return outcome(lambda: list(transaction.scan(table, start, stop, reverse=reverse, limit=limit)))
    return outcome(lambda: getattr(transaction, name)(*rest))


class CallerError(Exception):
    """What the caller's own code raises inside a block."""


def write(store: Store, calls: list[Call], *, fail: bool) -> list[object]:
    """The outcomes of the calls in one transaction, and of its end."""
    seen: list[object] = []

    def run() -> None:
        with store.write() as transaction:
            for call in calls:
                seen.append(perform(transaction, call))
                if seen[-1] == StoreDamaged.code:  # what a spoilt transaction shows is not promised
                    break
            if fail:
                raise CallerError

    try:
        seen.append(outcome(run))
    except CallerError:
        seen.append("caller")
    return seen


def everything(store: Store) -> dict[str, list[tuple[bytes, bytes]]]:
    with store.read() as transaction:
        return {table: list(transaction.scan(table)) for table in TABLES}


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
        self.twin: Store = MemoryStore(TABLES)
        self.store: FolderStore = open_store(self.folder / "store", TABLES)

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    @rule(calls=st.lists(READS, max_size=5))
    def read(self, calls: list[Call]) -> None:
        with self.store.read() as mine, self.twin.read() as theirs:
            for call in calls:
                assert perform(mine, call) == perform(theirs, call)

    @rule(calls=st.lists(st.one_of(WRITES, READS), max_size=8), fail=st.sampled_from([False, False, False, True]))
    def write(self, calls: list[Call], fail: bool) -> None:  # noqa: FBT001
        assert write(self.store, calls, fail=fail) == write(self.twin, calls, fail=fail)

    @rule(compact=st.booleans())
    def settle(self, compact: bool) -> None:  # noqa: FBT001
        if compact:
            self.store.compact()
        else:
            self.store.close()
            self.store = open_store(self.folder / "store", TABLES)

    @invariant()
    def holds_the_same(self) -> None:
        assert everything(self.store) == everything(self.twin)


# Without shrinking, which takes minutes here: a failure prints its calls and the blob that repeats them.
SETTINGS = settings(max_examples=rounds(20, 2000), stateful_step_count=15, phases=[Phase.generate])

# The broken twins are always found: the first example that fails ends it.
FIXED = settings(SETTINGS, derandomize=True, max_examples=1000)


@pytest.mark.soak
def test_lmdb_store_equals_the_twin() -> None:
    run_state_machine_as_test(Machine, settings=SETTINGS)


def test_a_store_that_goes_on_after_a_refused_extend_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgiving(transactions.Writing):
        __slots__ = ()

        def extend(self, table: str, items: Any) -> None:
            self.put_many(table, items)

    monkeypatch.setattr("substrate.kv.lmdb.environment.Writing", Forgiving)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Machine, settings=FIXED)


def test_a_scan_that_includes_its_stop_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = transactions.Reading.scan

    def scan(self: Any, table: str, start: bytes = b"", stop: bytes | None = None, **options: Any) -> Any:
        return right(self, table, start, stop and stop + b"\x00", **options)

    monkeypatch.setattr(transactions.Reading, "scan", scan)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Machine, settings=FIXED)


def test_a_scan_that_forgets_its_limit_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = transactions.Reading.scan

    def scan(self: Any, *given: Any, limit: int | None = None, **options: Any) -> Any:
        return right(self, *given, limit=limit and limit + 1, **options)

    monkeypatch.setattr(transactions.Reading, "scan", scan)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Machine, settings=FIXED)


def test_a_table_that_is_never_empty_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions.Reading, "any", lambda self, table: self.count(table) >= 0)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Machine, settings=FIXED)


def test_the_store_has_the_types_of_the_seam(tmp_path: Path) -> None:
    store: FolderStore = open_store(tmp_path / "store", TABLES)  # mypy holds this line
    with store.write() as transaction:
        written: WriteTransaction = transaction
        written.put("a", b"k", b"v")
    with store.read() as transaction:
        read: ReadTransaction = transaction
        assert read.get("a", b"k") == b"v"
    assert folder_of(store) is store
    store.close()


def test_a_store_that_is_no_folder_is_refused_by_who_needs_one() -> None:
    store: Store = MemoryStore(TABLES)
    with pytest.raises(Denied, match="not a folder on this machine"):
        folder_of(store)


def test_the_cache_of_a_store_is_its_folder_however_its_path_is_spelled(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    for path in (tmp_path / "store", tmp_path / "link" / "store"):
        store = open_store(path, TABLES)
        assert store.cache == (tmp_path / "store").resolve()
        store.close()
