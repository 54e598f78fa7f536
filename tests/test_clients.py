"""Several clients of one open memory: what is in memory is shared, whose access it was is not mixed up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from substrate.clock import ManualClock
from substrate.errors import Denied, NotFound, SchemaInvalid, SecretFound
from substrate.memory import Memory
from substrate.views.learned.sessions import Heard, all_sessions
from tests.scale import PATIENCE_S
from tests.stories import NAMES

A, B, C, D, X, Y = NAMES
MINUTE = 60 * 1_000_000


@pytest.fixture
def lettered(reopen: Callable[..., Memory]) -> Memory:
    memory = reopen(background=False)
    memory.checkpoint([f"{name} = {name}" for name in NAMES])
    return memory


def heard(memory: Memory) -> list[Heard]:
    with memory._store.log.snapshot() as transaction:
        return [row for _, row in all_sessions(transaction)]


def written(memory: Memory) -> list[tuple[str | None, str | None, list[str]]]:
    """Who accessed what, in which session, by name."""
    names = {atom.id.replace("-", ""): atom.name for atom in memory.list(limit=1000)}
    rows = [(row.actor, row.session, [names[item.hex()] for item in row.items]) for row in heard(memory)]
    return sorted(rows, key=str)


def check_apart(one: Memory, other: Memory) -> None:
    """Each goes on from what it has read itself."""
    for first, second in ((A, X), (B, Y)):
        one.access(first)
        other.access(second)
    assert one.predict().context == (A, B)
    assert other.predict().context == (X, Y)


def test_what_one_client_reads_is_no_context_of_another(lettered: Memory) -> None:
    check_apart(lettered.client("ann"), lettered.client("bob"))


def test_nor_of_the_memory_that_was_opened(lettered: Memory) -> None:
    check_apart(lettered, lettered.client("bob"))
    assert lettered.client("cid").predict().context == ()


def test_clients_that_share_a_recorder_are_caught(lettered: Memory) -> None:
    """The broken twin: another actor, and the same sessions."""
    assert lettered._client.recorder
    mixed = Memory(lettered._store, replace(lettered._client, actor="bob"))
    with pytest.raises(AssertionError):
        check_apart(lettered, mixed)


def test_a_session_of_one_client_is_not_entered_by_another(lettered: Memory) -> None:
    ann, bob = lettered.client("ann"), lettered.client("bob")
    with ann.session("fix the login"):
        ann.access(A)
        bob.access(X)
        assert ann.predict().context == (A,)
        assert bob.predict().context == (X,)


def test_a_bootstrap_begins_a_session_of_its_own_client_only(lettered: Memory) -> None:
    ann, bob = lettered.client("ann"), lettered.client("bob")
    ann.access(A)
    bob.access(X)
    ann.bootstrap("fix the login page")
    assert ann._client.recorder.current().objective == "fix the login page"
    assert ann.predict().context == ()
    assert bob._client.recorder.current().objective == ""
    assert bob.predict().context == (X,)


def test_half_an_hour_of_silence_ends_the_session_of_who_was_silent(lettered: Memory, clock: ManualClock) -> None:
    ann, bob = lettered.client("ann"), lettered.client("bob")
    ann.access(A)
    clock.advance(20 * MINUTE)
    bob.access(X)
    clock.advance(20 * MINUTE)
    assert ann.predict().context == ()
    assert bob.predict().context == (X,)


def test_traces_and_checkpoints_say_whose_they_are(lettered: Memory, clock: ManualClock) -> None:
    ann, bob = lettered.client("ann", "morning"), lettered.client("bob")
    ann.access(A)
    ann.access(B)
    clock.advance(31 * MINUTE)
    ann.access(C)
    bob.access(X)
    with ann.session("fix the login", name="login"):
        ann.access(D)
    with ann.session("fix the logout"):
        ann.access(Y)
    ann.checkpoint(["v1.fact.by_ann = yes"])
    ann.checkpoint(["v1.fact.of_evening = yes"], session="evening")
    bob.checkpoint(["v1.fact.by_bob = yes"])
    ann.close()
    bob.close()
    assert written(lettered) == [
        ("ann", "login", [D]),
        ("ann", "morning", [A, B]),
        ("ann", "morning", [C]),
        ("ann", "morning", [Y]),
        ("bob", None, [X]),
    ]
    saved = [lettered.access(f"v1.fact.{name}").atom for name in ("by_ann", "of_evening", "by_bob")]
    assert [(atom.actor, atom.session) for atom in saved] == [("ann", "morning"), ("ann", "evening"), ("bob", None)]


def test_forgetting_a_session_erases_what_its_client_read_and_saved(lettered: Memory) -> None:
    ann, bob = lettered.client("ann", "morning"), lettered.client("bob", "evening")
    for client, name in ((ann, A), (bob, X)):
        client.access(name)
        client.checkpoint([f"v1.fact.by_{client._client.actor} = yes"])
        client.train([name, B])
    # What waits with another client is written down first, so that it is found too.
    forgot = lettered.forget(session="morning")
    assert forgot.atoms == 1
    lettered._store.write_down()
    assert written(lettered) == [("bob", "evening", [X])]
    with pytest.raises(NotFound):
        lettered.access("v1.fact.by_ann")
    with pytest.raises(NotFound):
        bob.forget(session="morning")
    assert lettered.access("v1.fact.by_bob").atom.session == "evening"


def test_an_import_keeps_who_wrote_a_line(lettered: Memory, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("export") / "atoms.jsonl"
    lettered.export(file)
    saved = lettered.client("ann", "morning")
    saved.import_lines(file)
    assert lettered.access(A).atom.session is None


def test_what_finds_is_made_once_by_whoever_needs_it_first(lettered: Memory) -> None:
    ann, bob = lettered.client("ann"), lettered.client("bob")
    searchers: list[object] = []
    start = threading.Barrier(6, timeout=PATIENCE_S)

    def look(memory: Memory) -> None:
        start.wait()
        searchers.append(memory._store.index)

    threads = [threading.Thread(target=look, args=(memory,)) for memory in (ann, bob, lettered) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(searchers) == 6
    assert len(set(map(id, searchers))) == 1
    assert lettered.client("cid")._store.index is searchers[0]
    assert ann._store.associator is bob._store.associator
    assert ann._store.associator._columns is ann._store.index._columns


def test_a_client_that_is_closed_leaves_the_store_open(lettered: Memory) -> None:
    ann = lettered.client("ann")
    with ann:
        ann.access(A)
    assert written(lettered) == [("ann", None, [A])]
    ann.access(B)  # it still answers, and nothing of it is written down
    ann.checkpoint(["v1.fact.late = yes"])
    assert lettered.access("v1.fact.late").atom.actor == "ann"
    ann.close()
    lettered._store.write_down()
    assert ("ann", None, [B]) not in written(lettered)


def test_so_does_one_that_is_closed_before_it_read_anything(lettered: Memory) -> None:
    ann = lettered.client("ann")
    ann.close()
    ann.access(A)
    lettered._store.write_down()
    assert written(lettered) == []


def test_closing_the_store_first_writes_down_what_its_clients_read(
    lettered: Memory, reopen: Callable[..., Memory]
) -> None:
    ann = lettered.client("ann", "morning")
    bob = ann.client("bob")  # a client of a client is one of the store
    ann.access(A)
    bob.access(X)
    lettered.access(C)
    lettered.close()
    with pytest.raises(Denied, match="closed"):
        ann.access(A)
    with pytest.raises(Denied, match="closed"):
        bob.checkpoint(["v1.fact.late = yes"])
    ann.close()
    assert written(reopen()) == [("ann", "morning", [A]), ("bob", None, [X]), (None, None, [C])]


def test_a_client_of_a_store_that_is_only_read_reads(lettered: Memory, reopen: Callable[..., Memory]) -> None:
    reading = reopen(read_only=True)
    ann = reading.client("ann", "morning")
    ann.access(A)
    assert ann.predict().context == (A,)
    assert reading.predict().context == ()
    ann.close()
    reading.close()
    assert written(lettered) == []


@pytest.mark.parametrize(
    ("actor", "session", "error"),
    [("", None, SchemaInvalid), ("ann", "", SchemaInvalid), (3, None, SchemaInvalid), ("ann", "AKIA" + "Q7" * 8, None)],
)
def test_names_of_clients_and_sessions_are_checked(
    lettered: Memory, actor: str, session: str | None, error: type[Exception] | None
) -> None:
    with pytest.raises(error or SecretFound):
        lettered.client(actor, session)
