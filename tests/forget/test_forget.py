"""The verb forget: which versions and edges go, what stays, and that the views stay what a replay makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from substrate.clock import ManualClock
from substrate.errors import Busy, Denied, DiskFull, Forgotten, InputError, NotFound, SchemaInvalid
from substrate.forget import compaction
from substrate.kv.lmdb import folder
from substrate.kv.lmdb.environment import _LmdbTarget
from substrate.kv.lmdb.folder import MOVER_LOCK
from substrate.kv.lmdb.locks import MoverLock
from substrate.limits import LIMITS
from substrate.log.copies.check import check_store
from substrate.log.log import Log
from substrate.memory import Memory
from substrate.views.catalogue import VIEWS
from tests.scale import PATIENCE_S

A, B = "v1.fact.a", "v1.fact.b"
EDGE: dict[str, object] = {"source": A, "type": "needs", "target": B}
YEAR = 365 * 86_400_000_000


@pytest.fixture(autouse=True)
def sound(store: Path) -> Iterator[None]:
    """After every test, the tables are what the log says."""
    yield
    assert check_store(store, views=VIEWS).damage is None


def kinds(memory: Memory, name: str) -> list[str]:
    return [version.kind for version in memory.history(name)]


def test_the_versions_of_one_actor_go_and_the_atom_stays_in_use(memory: Memory) -> None:
    memory.checkpoint([f"{A} = bad"], actor="eve")
    memory.checkpoint([f"{A} = good"], actor="ada")
    forgot = memory.forget(actor="eve")
    assert (forgot.atoms, forgot.versions, forgot.tombstoned) == (0, 1, ())
    assert memory.access(A).value == "good"
    assert kinds(memory, A) == ["gap", "put"]
    with pytest.raises(Forgotten, match=f"version 1 of {A}") as caught:
        memory.access(A, as_of=1)
    assert memory.verify(caught.value.proof, claim="recorded").trusted  # type: ignore[arg-type]
    assert memory.list(as_of=1).items == ()
    assert [(change.kind, change.name) for change in memory.diff(0, 1)] == [("forgotten", A)]


def test_an_atom_that_loses_its_current_version_only_is_tombstoned(memory: Memory) -> None:
    memory.checkpoint([f"{A} = good"], actor="ada")
    memory.checkpoint([f"{A} = bad"], actor="eve")
    forgot = memory.forget(actor="eve")
    assert forgot.tombstoned == (A,)
    assert len(forgot.seqs) == 1
    with pytest.raises(NotFound, match="tombstoned"):
        memory.access(A)
    assert kinds(memory, A) == ["put", "gap", "tombstone"]
    assert memory.access(A, as_of=1).value == "good"
    with pytest.raises(NotFound, match="nothing was forgotten"):
        memory.forget(actor="eve")


def test_a_tombstone_that_is_forgotten_leaves_the_atom_out_of_use(memory: Memory) -> None:
    memory.checkpoint([f"{A} = good"], actor="ada")
    memory.checkpoint(tombstones=[A], actor="eve")
    forgot = memory.forget(actor="eve")
    assert (forgot.versions, forgot.tombstoned) == (1, ())
    assert kinds(memory, A) == ["put", "gap", "tombstone"]
    with pytest.raises(NotFound):
        memory.access(A)


def test_an_atom_of_which_only_a_tombstone_would_be_left_goes_as_a_whole(memory: Memory) -> None:
    memory.checkpoint([f"{A} = bad"], actor="eve")
    memory.checkpoint(tombstones=[A], actor="ada")
    assert memory.forget(actor="eve").atoms == 1
    with pytest.raises(Forgotten):
        memory.access(A)


def test_an_edge_loses_the_statements_of_one_actor(memory: Memory) -> None:
    memory.checkpoint([f"{A} = 1", f"{B} = 2"], edges=[EDGE], actor="ada")
    memory.checkpoint(edges=[{**EDGE, "confidence": 0.1}], actor="eve")
    seq = memory.head().head.size - 1
    assert memory.forget(actor="eve").edges == 1
    assert not memory.edges(A)  # what held last was erased, and what was before it did not hold
    assert not memory.edges(A, as_of=seq)
    assert memory.edges(A, as_of=seq - 1)[0].actor == "ada"
    assert memory.diff(seq - 1, seq)[0].kind == "edge_forgotten"


def test_what_took_an_edge_back_is_forgotten_and_it_stays_back(memory: Memory) -> None:
    memory.checkpoint([f"{A} = 1", f"{B} = 2"], edges=[EDGE], actor="ada")
    memory.checkpoint(unedges=[EDGE], actor="eve")
    assert memory.forget(actor="eve").edges == 1
    assert not memory.edges(A)
    memory.checkpoint(edges=[EDGE], actor="ada")
    assert len(memory.edges(A)) == 1


def test_a_whole_edge_goes_and_a_new_one_has_another_id(memory: Memory) -> None:
    memory.checkpoint([f"{A} = 1", f"{B} = 2"], actor="ada")
    first = memory.checkpoint(edges=[EDGE], source="rumour").edges
    memory.checkpoint(edges=[EDGE], source="rumour")
    forgot = memory.forget(source="rumour")
    assert (forgot.atoms, forgot.edges, forgot.traces) == (0, 1, 1)
    assert memory.checkpoint(edges=[EDGE]).edges != first
    assert kinds(memory, A) == ["put"]


def test_a_session_or_a_range_of_seqs_can_go(memory: Memory) -> None:
    memory.checkpoint([f"{A} = 1"], session="s1")
    memory.checkpoint([f"{B} = 2"], session="s2")
    assert memory.forget(session="s1", dry_run=True).atoms == 1
    memory.forget(session="s1")
    assert kinds(memory, A) == ["gap"]
    memory.forget(seqs=range(2, 3))
    assert kinds(memory, B) == ["gap"]
    told: list[tuple[int, int]] = []
    with pytest.raises(NotFound):
        memory.forget(seqs=range(10**6), progress=lambda *now: told.append(now))
    assert told


def test_many_atoms_take_several_appends(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.checkpoint([f"v1.fact.n{i} = x" for i in range(20)], actor="eve")
    monkeypatch.setitem(LIMITS, "checkpoint_items", 5)
    forgot = memory.forget(actor="eve")
    assert (forgot.atoms, len(forgot.seqs)) == (20, 20)
    assert memory.stats().forgotten == 20


@pytest.mark.parametrize(
    "given", [{}, {"names": A, "actor": "ada"}, {"actor": "ada", "session": "s"}, {"names": []}, {"names": ["wrong"]}]
)
def test_what_to_forget_is_said_in_just_one_way(memory: Memory, given: dict[str, object]) -> None:
    with pytest.raises(InputError):
        memory.forget(**given)  # type: ignore[arg-type]


def test_seqs_are_a_range(memory: Memory) -> None:
    for wrong in ([1, 2], range(-3, 2), range(0, 9, 2)):
        with pytest.raises(SchemaInvalid):
            memory.forget(seqs=wrong)  # type: ignore[arg-type]


def test_forgetting_what_edges_wait_for(memory: Memory) -> None:
    memory.checkpoint([f"{A} = 1"], edges=[EDGE])
    forgot = memory.forget(B)
    assert (forgot.atoms, forgot.edges, forgot.traces) == (0, 1, 1)
    with pytest.raises(NotFound):
        memory.edges(B)
    with pytest.raises(NotFound, match="nothing was forgotten"):
        memory.forget(B)


def test_the_actor_who_is_forgotten_is_not_written_down_again(reopen: Callable[..., Memory], store: Path) -> None:
    memory = reopen(actor="canaryalice")
    memory.checkpoint([f"{A} = 1", f"{B} = 2"], edges=[EDGE], actor="bob")
    memory.checkpoint([f"{A} = 3"], edges=[{**EDGE, "confidence": 0.2}])
    memory.forget(actor="canaryalice")
    assert not any(b"canaryalice" in path.read_bytes() for path in store.rglob("*") if path.is_file())
    with pytest.raises(NotFound):
        memory.forget(actor="canaryalice")


def test_where_an_unedge_comes_from_is_kept_for_a_forget(memory: Memory) -> None:
    memory.checkpoint([f"{A} = 1", f"{B} = 2"], edges=[EDGE])
    memory.checkpoint(unedges=[memory.edges(A)[0].id], source="meeting")
    assert memory.forget(source="meeting").edges == 1


def test_an_atom_with_very_many_edges_and_versions_is_forgotten_in_steps(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("substrate.forget.forget._STEP", 4)
    hub = "v1.hub.all"
    for i in range(11):
        memory.checkpoint([f"{hub} = {i}"], edges=[{"source": f"v1.fact.n{i}", "type": "member_of", "target": hub}])
    told: list[tuple[int, int]] = []
    counted = memory.forget(hub, dry_run=True)
    forgot = memory.forget(hub, progress=lambda *now: told.append(now))
    assert (forgot.atoms, forgot.versions, forgot.edges) == (1, 11, 11)
    assert (counted.atoms, counted.versions, counted.edges, counted.traces) == (1, 11, 11, forgot.traces)
    assert len(forgot.seqs) > 3
    assert kinds(memory, hub) == ["gap"] * 11
    assert memory.stats().edges == memory.stats().dangling == 0
    with pytest.raises(Forgotten):
        memory.access(hub)


def test_what_was_forgotten_before_something_went_wrong_is_compacted_all_the_same(
    memory: Memory, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("substrate.forget.forget._STEP", 1)
    memory.checkpoint(["v1.fact.canary1 = x", "v1.fact.canary2 = x"], actor="eve")

    def stop(done: int, total: int) -> None:
        if done and total == 2:
            raise Busy("stopped")

    with pytest.raises(Busy):
        memory.forget(actor="eve", progress=stop)
    left = [
        name for name in (b"canary1", b"canary2") if any(name in path.read_bytes() for path in store.glob("env*/*"))
    ]
    assert len(left) == 1
    assert memory.forget(actor="eve").atoms == 1


@pytest.mark.parametrize("years", [-10, 0, 10])
def test_a_compaction_that_is_owed_is_done_by_who_opens_the_store_later(
    reopen: Callable[..., Memory], store: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, years: int
) -> None:
    def holds_canary() -> bool:
        return any(b"canary" in path.read_bytes() for path in store.glob("env*/*"))

    memory = reopen()
    memory.checkpoint([f"v1.fact.canary{i} = x" for i in range(50)], actor="eve")
    with monkeypatch.context() as patched:
        patched.setattr(Log, "compact", lambda *_, **__: (_ for _ in ()).throw(Busy("readers")))
        assert not memory.forget(actor="eve").compacted
    assert memory.stats().compaction_owed
    assert holds_canary()
    clock.advance(years * YEAR)  # whatever the clock says, or said when it was forgotten
    with MoverLock(store / MOVER_LOCK).hold(0.0):  # the one who forgot is at it still
        reopen().checkpoint([f"{A} = 1"])
        assert holds_canary()
    later = reopen()
    assert not later.stats().compaction_owed
    assert not holds_canary()


def opened_while_somebody_reads(
    reopen: Callable[..., Memory], store: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, Memory]:
    """A compaction is owed, and the store is opened while a thread reads: how many portions that copied."""
    memory = reopen()
    memory.checkpoint([f"{A} = canary"])
    with monkeypatch.context() as patched:
        patched.setattr(Log, "compact", lambda *_, **__: (_ for _ in ()).throw(Busy("readers")))
        memory.forget(A)
    reads, ends = Event(), Event()

    def read() -> None:
        with memory._store.log.snapshot():
            reads.set()
            ends.wait(PATIENCE_S)

    portions = 0
    extend = _LmdbTarget.extend

    def count(*given: Any) -> None:
        nonlocal portions
        portions += 1
        extend(*given)

    thread = Thread(target=read)
    thread.start()
    try:
        assert reads.wait(PATIENCE_S)
        with monkeypatch.context() as patched:
            patched.setattr(_LmdbTarget, "extend", count)
            later = reopen()
        assert later.stats().compaction_owed
        assert not (store / folder.COMPACTING).exists()
    finally:
        ends.set()
        thread.join(PATIENCE_S)
    return portions, later


def test_what_is_owed_is_not_copied_by_an_open_while_a_reader_would_make_it_vain(
    reopen: Callable[..., Memory], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    portions, later = opened_while_somebody_reads(reopen, store, monkeypatch)
    assert portions == 0
    later.checkpoint([f"{B} = 2"])
    assert not reopen().stats().compaction_owed
    assert not any(b"canary" in path.read_bytes() for path in store.glob("env*/*"))


def test_an_open_that_copies_before_it_looks_for_readers_is_caught(
    reopen: Callable[..., Memory], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "_LATE_READERS_S", None)
    assert opened_while_somebody_reads(reopen, store, monkeypatch)[0] > 0


def test_what_is_forgotten_while_the_file_is_rewritten_is_owed_still(
    memory: Memory, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock stands still: two forgets of the same microsecond are two."""
    memory.checkpoint([f"{A} = 1", "v1.fact.canary = x"])
    extend = _LmdbTarget.extend
    forgot: list[bool] = []

    def meanwhile(*given: Any) -> None:
        extend(*given)
        if given[1] == "versions" and not forgot:  # bodies come before: the canary is in the copy
            patched.setattr(Log, "compact", lambda *_, **__: (_ for _ in ()).throw(Busy("another compacts")))
            forgot.append(memory.forget("v1.fact.canary").compacted)

    with monkeypatch.context() as patched:
        patched.setattr(_LmdbTarget, "extend", meanwhile)
        assert memory.forget(A).compacted
    assert forgot == [False]
    assert memory.stats().compaction_owed
    memory.compact()
    assert not memory.stats().compaction_owed
    assert not any(b"canary" in path.read_bytes() for path in store.glob("env*/*"))


def test_what_is_saved_after_a_close_in_the_middle_of_a_forget_is_kept(
    reopen: Callable[..., Memory], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = reopen()
    memory.checkpoint([f"{A} = canary", f"{B} = 2"])
    right, is_there, goes_on = folder.seal, Event(), Event()
    said: list[str] = []

    def seal(target: Path) -> None:
        right(target)
        is_there.set()
        assert goes_on.wait(PATIENCE_S)

    def work() -> None:
        try:
            memory.forget(A)
        except Denied as error:
            said.append(str(error))

    with monkeypatch.context() as patched:
        patched.setattr(folder, "seal", seal)
        thread = Thread(target=work)
        thread.start()
        assert is_there.wait(PATIENCE_S)
        memory.close()
        later = reopen()  # as another process would: it has locks of its own
        later.checkpoint(["v1.fact.c = acknowledged"])
        goes_on.set()
        thread.join(PATIENCE_S)
    assert said == ["this store was closed; open it again"]
    assert later.access("v1.fact.c").value == "acknowledged"
    assert later.stats().compaction_owed
    later.close()
    last = reopen()  # and does what is owed
    assert not last.stats().compaction_owed
    assert last.access("v1.fact.c").value == "acknowledged"
    assert not any(b"canary" in path.read_bytes() for path in store.glob("env*/*"))


def test_a_compaction_or_a_rebuild_settles_what_is_owed(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    for settle in (memory.compact, memory.rebuild):
        memory.checkpoint([f"{A} = 1"])
        with monkeypatch.context() as patched:
            patched.setattr(Log, "compact", lambda *_, **__: (_ for _ in ()).throw(DiskFull("full")))
            assert not memory.forget(A).compacted
        settle()
        assert not memory.stats().compaction_owed


def test_what_an_undo_took_back_is_erased_with_the_undo(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = old"])
    memory.checkpoint([{"name": "v1.fact.a", "value": "false", "valid_from": "2018-01-01"}])
    undo = memory.undo().seqs
    memory.checkpoint(["v1.fact.a = new"])
    told = memory.forget(seqs=undo, dry_run=True).versions
    assert memory.forget(seqs=undo).versions == told == 2
    assert memory.access("v1.fact.a", valid_at="2019-01-01").value == "old"
    assert [version.kind for version in memory.history("v1.fact.a")] == ["put", "gap", "gap", "put"]


def test_an_undo_that_was_undone_is_erased_alone(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = old"])
    memory.checkpoint(["v1.fact.a = new"])
    undo = memory.undo().seqs
    memory.undo()
    assert memory.forget(seqs=undo).versions == 1
    assert [version.kind for version in memory.history("v1.fact.a")] == ["put", "put", "gap", "put"]
