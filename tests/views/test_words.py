from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from struct import unpack_from
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import substrate.views.words as module
from substrate.client import Client
from substrate.codec import decode_body, draft_put
from substrate.log.copies.check import check_store
from substrate.log.log import open_log
from substrate.log.replay import Logged, View, replay
from substrate.log.tables import DOCUMENTS, PLACES, POSTINGS, read_seq
from substrate.memory import Memory
from substrate.proof.entry import Kind
from substrate.store import OpenStore
from substrate.text.terms import MAX_TERM, keyword
from substrate.views.catalogue import VIEWS
from substrate.views.turns import NO_TURN, turn_of
from substrate.views.words import ERASED, NONE, ROW, WordView, beside
from tests.scale import rounds
from tests.search.happenings import Happening, a_store, do, done, few, happenings
from tests.text.bags import document_terms

Posting = tuple[bytes, str, int, int]
"""Field, term, seq, how often."""


@pytest.fixture(params=[(8192, 32, 64), (4, 2, 3), (4, 32, 3)], ids=["as they are", "tiny blocks", "one join a block"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """So few entries fill no block; with tiny ones they fill several."""
    block, newest, rows = request.param
    monkeypatch.setattr(module, "BLOCK", block)
    monkeypatch.setattr(module, "NEWEST", newest)
    monkeypatch.setattr(module, "ROWS", rows)
    return request.param


def entries_of(memory: Memory) -> list[Logged]:
    with memory._store.log.snapshot() as transaction:
        return replay(transaction, 0, memory.head().head.size)


def shortened(term: str) -> str:
    data = term.encode()
    return term if len(data) <= MAX_TERM else "#" + blake2b(data, digest_size=16).hexdigest()


def expected_postings(entries: Sequence[Logged]) -> Iterator[Posting]:
    for entry in entries:
        if entry.kind is not Kind.PUT or entry.body is None:
            continue
        members: dict[str, Any] = decode_body(entry.body)
        tags, entities = members.get("tags", []), members.get("entities", [])
        for term, often in document_terms(members["name"], members["value"], tags, entities).counts.items():
            yield b"w", term, entry.seq, min(often, 255)
        parts = members["name"].split(".")
        keywords = [(b"n", ".".join(parts[:i])) for i in range(1, len(parts))]
        keywords += [(b"t", tag) for tag in {keyword(tag) for tag in tags}]
        keywords += [(b"e", entity) for entity in {keyword(entity) for entity in entities}]
        keywords += [(f[:1].encode(), members[f]) for f in ("source", "origin", "actor") if f in members]
        keywords += [(b"i", members["session"])] if "session" in members else []
        for field, text in keywords:
            yield field, shortened(text), entry.seq, 1


def stored_postings(memory: Memory) -> Iterator[Posting]:
    size = memory.head().head.size
    newest = size - size % module.BLOCK % module.NEWEST
    with memory._store.log.snapshot() as transaction:
        for key, row in transaction.scan(POSTINGS):
            assert row, "an empty row is no row"
            count, rest = divmod(len(row), 3)
            assert not rest
            offsets = unpack_from(f"<{count}H", row)
            assert list(offsets) == sorted(set(offsets))
            for offset, often in zip(offsets, row[2 * count :], strict=True):
                seq = module.block_of(key) * module.BLOCK + offset
                assert (seq >= newest) == (key >= b"\x80"), "the newest, and no others, have rows of their own"
                if key[4:5] != b"p":
                    yield key[4:5], key[5:].decode(), seq, often


def check_documents(memory: Memory, entries: Sequence[Logged]) -> None:
    rows: dict[int, tuple[Any, ...]] = {}
    with memory._store.log.snapshot() as transaction:
        for key, data in transaction.scan(DOCUMENTS):
            assert data[-ROW.size :] != bytes(ROW.size), "trailing rows that are absent are trimmed"
            for i, at in enumerate(range(0, len(data), ROW.size)):
                rows[read_seq(key) * module.ROWS + i] = ROW.unpack_from(data, at)
    rows = {seq: row for seq, row in rows.items() if row[1]}
    versions = [entry for entry in entries if entry.kind in (Kind.PUT, Kind.TOMBSTONE)]
    assert sorted(rows) == [entry.seq for entry in versions]
    for entry in versions:
        subject, kind, flags, speaker, length, time, *times, value = rows[entry.seq]
        assert (subject, kind, time) == (entry.subject, entry.kind, entry.time)
        if entry.body is None:
            assert (flags, speaker, length, times, value) == (ERASED, 0, 0, [NONE] * 3, bytes(8))
            continue
        members: dict[str, Any] = decode_body(entry.body)
        assert (flags, speaker) == (turn_of(members) if kind == Kind.PUT else NO_TURN)
        assert times == [members.get(field, NONE) for field in ("occurred_at", "valid_from", "valid_to")]
        if kind == Kind.PUT:
            fields = (members["name"], members["value"], members.get("tags", ()), members.get("entities", ()))
            assert length == document_terms(*fields).length
            assert value == blake2b(members["value"].encode(), digest_size=8).digest()


def check_places(memory: Memory, entries: Sequence[Logged]) -> None:
    expected: dict[bytes, list[tuple[int, int]]] = {}
    for entry in entries:
        members: dict[str, Any] = decode_body(entry.body) if entry.kind is Kind.PUT and entry.body else {}
        if {"parent", "position"} <= members.keys():
            expected.setdefault(bytes.fromhex(members["parent"]), []).append((members["position"], entry.seq))
    with memory._store.log.snapshot() as transaction:
        assert transaction.count(PLACES) == sum(map(len, expected.values()))
        for whole, places in expected.items():
            assert list(beside(transaction, whole, NONE, after=True)) == [seq for _, seq in sorted(places)]


def check(memory: Memory) -> None:
    """All rows, worked out anew in another way."""
    entries = entries_of(memory)
    stored = Counter(stored_postings(memory))
    assert stored == Counter(expected_postings(entries))
    assert set(stored.values()) <= {1}
    check_documents(memory, entries)
    check_places(memory, entries)


@pytest.mark.soak
@pytest.mark.usefixtures("blocks")
@few(rounds(14, 1000))
@given(happenings())
def test_all_rows_are_what_the_log_says_whatever_happened(happened: list[Happening]) -> None:
    for memory in done(happened):
        check(memory)


@pytest.mark.soak
@few(rounds(12, 500))
@given(happenings(least=8, most=20), st.integers(1, 7))
def test_a_replay_in_portions_of_any_size_ends_in_the_same_rows(happened: list[Happening], step: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", 5)
        patch.setattr(module, "NEWEST", 2)
        patch.setattr(module, "ROWS", 3)
        with a_store() as (memory, clock):
            for happening in happened:
                do(memory, clock, happening)
            size = memory.head().head.size
            with memory._store.log._store.write() as transaction:
                live = {table: list(transaction.scan(table)) for table in WordView.tables}
                for table, rows in live.items():
                    for key, _ in rows:
                        transaction.delete(table, key)
                for start in range(0, size, step):
                    WordView().apply(transaction, replay(transaction, start, min(start + step, size)))
                assert {table: list(transaction.scan(table)) for table in WordView.tables} == live


PLANTED: list[Happening] = [
    (
        "put",
        (
            [{"name": "v1.fact.a", "value": "secret words", "tags": ["mine"], "parent": "v1.fact.b", "position": 2}],
            "ann",
        ),
    ),
    ("put", ([{"name": "v1.fact.b", "value": "other words"}], None)),
    ("forget", "v1.fact.a"),
]


TWINS = {
    "postings that keep what was erased": ("_erase_postings", lambda *_: None),
    "documents that keep what was erased": ("_erase", lambda *_: None),
    "newest postings that stay where they are": ("_join_newest", lambda *_: None),
    "no places": ("_place", lambda _: None),
    "documents without their times": ("_time", lambda _: 0),
}


@pytest.mark.parametrize("how", TWINS)
def test_a_view_with_one_thing_wrong_is_found_out(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> None:
        for memory in done(PLANTED):
            check(memory)

    monkeypatch.setattr(module, "NEWEST", 2)
    run()
    monkeypatch.setattr(module, *TWINS[how])
    with pytest.raises(AssertionError):
        run()


@pytest.mark.parametrize("table", [POSTINGS, DOCUMENTS, PLACES])
def test_fsck_names_a_row_that_is_not_what_the_log_says(table: str, tmp_path: Path) -> None:
    with substrate_at(tmp_path) as memory:
        memory.checkpoint(PLANTED[0][1][0])
        with memory._store.log._store.write() as transaction:
            key, row = next(transaction.scan(table))
            transaction.put(table, key, row[:-1] + b"\x07" if row else b"\x07")
    assert table in (check_store(tmp_path / "store", views=VIEWS).damage or "")


def substrate_at(tmp_path: Path, views: Sequence[View] = VIEWS) -> Memory:
    """A store that is written with these views."""
    log = open_log(tmp_path / "store", home=tmp_path / "home", views=views)
    store = OpenStore(log, model="none", read_only=False, background=False)
    return Memory(store, Client(store, owner=True))


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": "red"},
        {"tags": [1, "red"], "entities": {"x": 1}},
        {"parent": "no id", "position": 1},
        {"parent": "ab" * 16, "position": 2**70},
        {"parent": "ab" * 15, "position": 0},
        {"parent": "ab" * 16, "position": "first"},
        {"occurred_at": 2**80, "valid_from": -(2**80), "valid_to": "never"},
        {"source": 7, "actor": None},
    ],
)
def test_the_view_takes_whatever_the_log_accepts(fields: dict[str, Any], tmp_path: Path) -> None:
    """The engine checks fields; the log does not. fsck says which entry does not fit, once all else was found sound."""
    with open_log(tmp_path / "store", home=tmp_path / "home", views=VIEWS) as log:
        log.append([draft_put("v1.fact.a", "value", fields)])
    said = check_store(tmp_path / "store", views=VIEWS).damage
    assert "entry 1" in str(said)
    assert "does not fit the schema" in str(said)


def test_a_store_from_before_this_view_gets_it_when_it_is_opened(tmp_path: Path) -> None:
    with substrate_at(tmp_path, VIEWS[:2]) as old:
        old.checkpoint(["v1.fact.a = some words", "v1.fact.b = others"])
        old.forget("v1.fact.b")
    with substrate_at(tmp_path) as memory:
        check(memory)


def test_many_versions_over_several_blocks_are_forgotten_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 16)
    monkeypatch.setattr(module, "NEWEST", 4)
    with a_store() as (memory, _):
        memory.checkpoint([f"v1.fact.n{i} = word{i % 7} all" for i in range(100)], source="book")
        memory.checkpoint([f"v1.fact.m{i} = word{i % 7} all" for i in range(50)])
        check(memory)
        assert memory.forget(source="book").atoms == 100
        check(memory)
        assert {seq for _, _, seq, _ in stored_postings(memory)} == {atom.seq for atom in memory.list()}
