"""Appending: what is promised on return, and that a refusal leaves the head where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, replace
from types import SimpleNamespace
from uuid import UUID

import pytest

from substrate.clock import ManualClock
from substrate.codec import decode_body, draft_forget, draft_key, draft_other, draft_put, draft_tombstone
from substrate.errors import (
    Busy,
    Conflict,
    Denied,
    DiskFull,
    HeadMoved,
    InputError,
    NameInvalid,
    NotFound,
    ProofInvalid,
    SchemaInvalid,
    StoreDamaged,
    SubstrateError,
    TooLarge,
)
from substrate.kv.api import WriteTransaction
from substrate.limits import LIMITS
from substrate.log.append import Decision
from substrate.log.expect import Expect
from substrate.log.log import Log
from substrate.log.map import TOP
from substrate.log.replay import Logged
from substrate.log.tables import BODIES, HEADS, MAP, NODES, seq_key
from substrate.proof.entry import Kind
from substrate.proof.hashes import map_key
from substrate.proof.head import SignedHead
from substrate.proof.note import generate_signer
from substrate.proof.record import State, encode_record
from substrate.proof.verify import Verifier

A, B, C = "v1.fact.a", "v1.fact.b", "v1.fact.c"


@contextmanager
def refused(log: Log, error: type[SubstrateError], match: str) -> Iterator[None]:
    before = str(log.head())
    with pytest.raises(error, match=match):
        yield
    assert str(log.head()) == before


def test_an_append_returns_contiguous_seqs_under_one_signed_head(log: Log) -> None:
    first = log.append([draft_put(A, "1"), draft_put(B, "2")])
    second = log.append([draft_put(C, "3")])
    assert (list(first.seqs), list(second.seqs)) == ([1, 2], [3])
    assert second.head.head.size == 4
    assert log.head() == second.head
    assert second.head.signed_by(log.key())


def test_the_first_entry_of_a_log_is_its_key(log: Log) -> None:
    stored = log.entry(0)
    assert stored.entry.kind is Kind.KEY
    assert stored.opening is not None
    assert decode_body(stored.opening.body) == {"vkey": str(log.key())}


def test_an_atom_keeps_its_id_over_versions_and_revival(log: Log) -> None:
    first = log.append([draft_put(A, "1")]).subjects[0]
    assert UUID(bytes=first).version == 4
    assert log.append([draft_put(A, "2")]).subjects == (first,)
    assert log.append([draft_tombstone(A)]).subjects == (first,)
    assert log.append([draft_put(A, "3")]).subjects == (first,)
    record = log.record(A)
    assert record is not None
    assert (record.subject, record.seq, record.state) == (first, 4, State.LIVE)


def test_two_versions_of_a_name_in_one_append_are_both_entries_and_the_last_is_current(log: Log) -> None:
    done = log.append([draft_put(A, "1"), draft_put(A, "2")])
    assert done.subjects[0] == done.subjects[1]
    record = log.record(A)
    assert record is not None
    assert record.seq == 2


def test_a_given_id_is_taken_for_a_new_name_and_refused_for_one_that_has_another(log: Log) -> None:
    given = bytes(range(16))
    assert log.append([draft_put(A, "1", subject=given)]).subjects == (given,)
    with refused(log, Conflict, "another atom id"):
        log.append([draft_put(A, "2", subject=bytes(16))])


def test_times_never_step_back_along_the_log(log: Log, clock: ManualClock) -> None:
    clock.advance(1_000_000)
    log.append([draft_put(A, "1")])
    before = log.entry(1).entry.time
    clock.advance(-10 * 365 * 86_400 * 1_000_000)
    log.append([draft_put(A, "2")])
    assert log.entry(2).entry.time == before


def test_expect_lets_through_what_still_holds(log: Log) -> None:
    log.append([draft_put(A, "1")], expect=Expect(size=1, versions={A: None, B: None}))
    log.append([draft_put(A, "2")], expect=Expect(versions={A: 1}))
    log.append([draft_tombstone(A)], expect=Expect(versions={A: 2}))
    log.append([draft_put(A, "3")], expect=Expect(versions={A: None}))


def test_expect_means_a_name_whatever_way_it_is_typed(log: Log) -> None:
    log.append([draft_put("v1.fact.\u00e4", "1")])
    with refused(log, Conflict, "at version 1, not absent"):
        log.append([draft_put("v1.fact.\u00e4", "2")], expect=Expect(versions={"v1.fact.a\u0308": None}))
    with pytest.raises(SchemaInvalid, match="whole numbers"):
        Expect(size="1")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expect", "error", "match"),
    [
        (Expect(size=1), HeadMoved, "at size 2, not 1"),
        (Expect(versions={A: None}), Conflict, "at version 1, not absent"),
        (Expect(versions={A: 0}), Conflict, "at version 1, not at version 0"),
        (Expect(versions={B: 1}), Conflict, "absent, not at version 1"),
    ],
)
def test_expect_refuses_a_lost_update(log: Log, expect: Expect, error: type[SubstrateError], match: str) -> None:
    log.append([draft_put(A, "1")])
    with refused(log, error, match):
        log.append([draft_put(B, "2")], expect=expect)


def test_a_tombstone_of_what_is_not_there_is_refused(log: Log) -> None:
    with refused(log, NotFound, "no such atom to tombstone"):
        log.append([draft_tombstone(A)])
    log.append([draft_put(A, "1")])
    log.append([draft_tombstone(A)])
    with refused(log, NotFound, "tombstoned already"):
        log.append([draft_tombstone(A)])


def forget(log: Log, name: str) -> bytes:
    record = log.record(name)
    assert record is not None
    done = log.append([draft_forget(record.subject, [record.seq], record.key)])
    return done.subjects[0]


def test_a_forget_erases_bodies_and_leaves_every_other_proof_valid(log: Log) -> None:
    log.append([draft_put(A, "a secret"), draft_put(B, "2")])
    before = log.prove_entry(2)
    forget(log, A)
    assert log.entry(1).opening is None
    verifier = Verifier(str(log.key()))
    assert verifier.verify_bundle(before).claim == "recorded"
    assert verifier.verify_bundle(log.prove(B)).claim == "current"
    assert verifier.verify_bundle(log.prove(A)).claim == "forgotten"


def test_a_name_used_again_after_a_forget_is_a_new_atom(log: Log) -> None:
    log.append([draft_put(A, "1")])
    old = forget(log, A)
    with refused(log, NotFound, "no such atom to tombstone"):
        log.append([draft_tombstone(A)])
    with refused(log, NotFound, "the name: there is no such atom to forget"):
        log.append([draft_forget(old, [], map_key(b"", A))])
    assert log.append([draft_put(A, "2")]).subjects != (old,)


def test_a_forget_of_single_versions_leaves_the_name_alone(log: Log) -> None:
    subject = log.append([draft_put(A, "1")]).subjects[0]
    log.append([draft_put(A, "2")])
    log.append([draft_forget(subject, [1])])
    assert log.prove(A).claim == "current"
    assert log.entry(1).opening is None


@pytest.mark.parametrize(
    ("seqs", "error", "match"),
    [
        ([0], InputError, "needed to check the log"),
        ([1, 2], NotFound, "entry 2 has no body"),
        ([99], NotFound, "entry 99 has no body"),
        ([5], InputError, "needed to check the log"),
        ([4], InputError, "entry 4 is the current version of its name"),
    ],
)
def test_what_cannot_be_erased_is_refused(
    log: Log, seqs: Sequence[int], error: type[SubstrateError], match: str
) -> None:
    subject = log.append([draft_put(A, "1"), draft_put(B, "2")]).subjects[1]
    log.append([draft_put(A, "3"), draft_put(B, "4")])
    log.append([draft_forget(subject, [2])])
    with refused(log, error, match):
        log.append([draft_forget(subject, seqs)])


def test_a_forget_must_erase_the_current_version_and_come_alone(log: Log) -> None:
    log.append([draft_put(A, "1")])
    record = log.record(A)
    assert record is not None
    with refused(log, InputError, "must be erased with it"):
        log.append([draft_forget(record.subject, [], record.key)])
    with refused(log, InputError, "changed and forgotten in one append"):
        log.append([draft_put(A, "2"), draft_forget(record.subject, [1], record.key)])


def test_a_version_can_be_erased_when_the_same_append_puts_another_in_its_place(log: Log) -> None:
    subject = log.append([draft_put(A, "wrong")]).subjects[0]
    log.append([draft_put(A, "right"), draft_forget(subject, [1])])
    assert log.prove(A).claim == "current"
    assert log.entry(1).opening is None


def test_entries_that_are_about_no_name_get_an_id_of_their_own(log: Log) -> None:
    done = log.append([draft_other(Kind.EDGE, {"type": "member_of"}), draft_other(Kind.TRAIN, {"atoms": []})])
    assert len(set(done.subjects)) == 2
    assert log.append([draft_other(Kind.UNEDGE, {}, subject=done.subjects[0])]).subjects == (done.subjects[0],)


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (list, InputError, "nothing to append"),
        (lambda: [draft_put(A, "")] * (LIMITS["checkpoint_items"] + 1), TooLarge, "10,001 items; the limit is 10,000"),
        (lambda: [draft_put(A, "x" * 1_000_000)] * 68, TooLarge, "checkpoint has .* bytes; the limit is 67,108,864"),
        (lambda: [draft_put(A, "x" * (LIMITS["value_bytes"] + 1))], TooLarge, "value has 1,048,577 bytes"),
        (lambda: [draft_put(A, "\ud800")], SchemaInvalid, "value contains a lone surrogate"),
        (lambda: [draft_put(A, 5)], SchemaInvalid, "value must be a string, not int"),
        (lambda: [draft_put("v1.fact." + "ä" * 200, "1")], TooLarge, "name has 408 bytes; the limit is 400"),
        (lambda: [draft_put("payment", "1")], NameInvalid, "Use v1.note.payment"),
        (lambda: [draft_put("v1.fact.a\nb", "1")], NameInvalid, "control character"),
        (lambda: [draft_put(5, "1")], NameInvalid, "must be a string, not int"),
        (lambda: [draft_put(A, "1", {"confidence": float("nan")})], SchemaInvalid, "fields must be JSON"),
        (lambda: [draft_put(A, "1", {"name": A})], SchemaInvalid, "fields must not hold name"),
        (lambda: [draft_put(A, "1", subject=b"short")], SchemaInvalid, "an id is 16 bytes"),
        (lambda: [draft_other(Kind.PUT, {})], SchemaInvalid, "only edge, unedge, train and model"),
        (lambda: [draft_other(Kind.EDGE, [1])], SchemaInvalid, "fields must be JSON"),
        (lambda: [draft_put(A, "1", {5: "x"})], SchemaInvalid, "string keys"),
        (lambda: [draft_put(A, "1", {"x": [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]})], SchemaInvalid, "16 levels deep"),
        (lambda: [draft_put(A, "1", {"x": "\x01" * 2_000_000})], TooLarge, "body has .* the limit is 7,340,032"),
        (lambda: [draft_tombstone(A, {"name": B})], SchemaInvalid, "fields must not hold name"),
        (lambda: [draft_forget(None, [1])], SchemaInvalid, "names the id"),
        (lambda: [draft_forget(bytes(16), [-1])], SchemaInvalid, "erase must hold seqs"),
        (lambda: [draft_forget(bytes(16), [1], b"short")], SchemaInvalid, "map key has 32 bytes"),
        (lambda: ["v1.fact.a = 1"], SchemaInvalid, "an append takes drafts"),
        (lambda: [draft_key(generate_signer("x").key)], InputError, "put in force by a rotation"),
    ],
)
def test_bad_input_gets_a_typed_error_and_leaves_the_head(
    log: Log, make: Callable[[], list], error: type[SubstrateError], match: str
) -> None:
    with refused(log, error, match):
        log.append(make())


def test_the_largest_value_and_the_longest_name_are_taken(log: Log) -> None:
    name = "v1.fact." + "ä" * 196
    log.append([draft_put(name, "x" * LIMITS["value_bytes"])])
    assert log.prove(name).claim == "current"


class Counting:
    """A view that keeps what it is given."""

    name = "counting"
    version = 1
    tables = ("counts",)

    def __init__(self) -> None:
        self.seen: list[Logged] = []

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        self.seen += entries
        for entry in entries:
            transaction.put("counts", seq_key(entry.seq), entry.body or b"")


class Failing(Counting):
    name = "failing"

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        super().apply(transaction, entries)
        if entries[0].seq > 0:
            raise RuntimeError("a view's fault")


def test_views_see_every_entry_once_in_order_inside_the_transaction(reopen: Callable[..., Log]) -> None:
    view = Counting()
    log = reopen(views=[view])
    log.append([draft_put(A, "1"), draft_put(B, "2")])
    assert [(entry.seq, entry.kind) for entry in view.seen] == [(0, Kind.KEY), (1, Kind.PUT), (2, Kind.PUT)]
    assert view.seen[1].body == b'{"name":"v1.fact.a","value":"1"}'
    with log._store.read() as transaction:
        assert transaction.count("counts") == 3


def test_a_view_added_later_catches_up_and_none_may_be_left_out(reopen: Callable[..., Log]) -> None:
    log = reopen()
    log.append([draft_put(A, "1"), draft_put(B, "2")])
    log.close()
    view = Counting()
    log = reopen(views=[view])
    assert [entry.seq for entry in view.seen] == [0, 1, 2]
    log.append([draft_put(C, "3")])
    assert [entry.seq for entry in view.seen] == [0, 1, 2, 3]
    log.close()
    with refused(reopen(), Denied, "has the views"):
        reopen().append([draft_put(A, "4")])


def test_a_view_that_fails_takes_the_whole_append_with_it(reopen: Callable[..., Log]) -> None:
    log = reopen(views=[Failing()])
    before = str(log.head())
    with pytest.raises(RuntimeError):
        log.append([draft_put(A, "1")])
    assert str(log.head()) == before
    with log._store.read() as transaction:
        assert transaction.count("counts") == 1
        assert transaction.count(BODIES) == 1


def test_a_rotation_that_cannot_be_settled_at_once_is_done_all_the_same(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, begun = log._store, []

    def busy_the_second_time() -> object:
        begun.append(True)
        if len(begun) > 1:
            raise Busy("someone else")
        return type(store).write(store)

    appender = replace(log._appender, store=SimpleNamespace(write=busy_the_second_time))
    fresh = generate_signer(log.key().name)
    appender.rotate(fresh)
    assert log.key() == fresh.key
    monkeypatch.undo()
    log.append([draft_put(A, "1")])


def test_a_mark_that_cannot_be_raised_is_told_and_nothing_more_is_written_until_it_can(
    log: Log, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(type(log._keyring.high_water), "_raise_to", fail)
        log.append([draft_put(A, "1")])
        assert "could not be raised: no room on the disk" in caplog.text
        assert log.prove(A).claim == "current"
        with refused(log, DiskFull, "nothing was written, since the high-water mark cannot be"):
            log.append([draft_put(A, "2")])
    log.append([draft_put(A, "2")])
    assert log.get(A) == "2"


def test_a_store_without_a_head_cannot_be_appended_to(log: Log) -> None:
    with log._store.write() as transaction:
        for at, _ in list(transaction.scan(HEADS)):
            transaction.delete(HEADS, at)
    with pytest.raises(StoreDamaged, match="no head"):
        log.append([draft_put(A, "1")])


@pytest.mark.parametrize(("table", "key"), [(NODES, seq_key(1)), (MAP, TOP)])
def test_the_signer_refuses_a_tree_or_map_that_its_latest_head_does_not_cover(log: Log, table: str, key: bytes) -> None:
    log.append([draft_put(A, "1")])
    with log._store.write() as transaction:
        row = transaction.get(table, key) or b""
        transaction.put(table, key, row[:-1] + bytes([row[-1] ^ 1]))
    with refused(log, StoreDamaged, "run fsck"):
        log.append([draft_put(B, "2")])


def test_the_signer_refuses_a_record_changed_deep_in_the_map(log: Log) -> None:
    log.append([draft_put(f"v1.fact.n{i}", "old") for i in range(200)])
    log.append([draft_put("v1.fact.n7", "new")])
    record = log.record("v1.fact.n7")
    assert record is not None
    stale = encode_record(record.key, record.subject, 8, State.LIVE)
    with log._store.write() as transaction:
        rows = [(at, row) for at, row in transaction.scan(MAP) if encode_record(*astuple(record)) in row]
        ((at, row),) = rows
        transaction.put(MAP, at, row.replace(encode_record(*astuple(record)), stale))
    assert at != TOP
    with refused(log, StoreDamaged, "not what its records say|not what the tile above"):
        log.append([draft_put("v1.fact.n7", "newer")])
    with pytest.raises(ProofInvalid):
        Verifier(str(log.key())).verify_bundle(log.prove("v1.fact.n7"))


def test_the_signer_refuses_to_go_on_from_a_head_that_the_key_in_force_did_not_sign(log: Log) -> None:
    log.append([draft_put(A, "1")])
    with log._store.write() as transaction:
        note = transaction.get(HEADS, seq_key(2)) or b""
        text = SignedHead.parse(note.decode())
        changed = SignedHead(replace(text.head, map_root=b"\x01" * 32), text.note)
        forged = changed.head.text() + note.decode().partition("\n\n")[1][1:] + note.decode().partition("\n\n")[2]
        transaction.put(HEADS, seq_key(2), forged.encode())
    with refused(log, StoreDamaged, "not signed by the key in force"):
        log.append([draft_put(B, "2")])


def test_creating_a_log_where_there_is_one_changes_nothing(log: Log) -> None:
    before = str(log.head())
    log._appender.create("another")
    assert str(log.head()) == before


def test_a_plan_cannot_change_what_follows_from_the_log(log: Log) -> None:
    for table in (BODIES, MAP, "atoms"):
        with refused(log, SchemaInvalid, "neither traces nor a cache"):
            log.decide(lambda _, __, table=table: Decision([draft_put(A, "1")], [(table, b"key", b"value")]))  # type: ignore[misc]
