"""Cards, joins and counts: what is kept of edges and atoms when they are written is what can be counted afterwards."""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from substrate.atoms import supersedes
from substrate.atoms.supersedes import is_superseded, superseders
from substrate.clock import ManualClock
from substrate.codec import decode_body
from substrate.log.copies.check import check_store
from substrate.log.tables import BODIES, CARDS, COUNTS, JOINS, LINKS, STATEMENTS, read_seq
from substrate.memory import Memory
from substrate.names import domain_part, type_of
from substrate.proof.entry import SALT_BYTES, Kind
from substrate.values.times import from_microseconds
from substrate.views import atoms, cards, edges, joins
from substrate.views.atoms import names
from substrate.views.cards import NO_EDGES, Card, card_of, cards_of, edges_stated
from substrate.views.catalogue import VIEWS
from substrate.views.counts import counts_by_domain, counts_by_type
from substrate.views.edges import statements_of
from substrate.views.joins import ERASED, ROW, SEVERAL, WINDOW, type_number
from tests.scale import rounds

DAY = 86_400_000_000
NAMES = ("v1.fact.a", "v1.fact.b", "v1.state.c", "v1.chunk.shop.x", "v1.chunk.shop.y", "v1.document.shop.d")
FULL = Card(1, 1, 1, 1, 1, 1)
"""A card that never says that there is nothing to look for."""
TYPES = ("supersedes", "supersedes", "depends_on", "derived_from", "member_of", "references", "likes")


def a_step(memory: Memory, clock: ManualClock, chance: random.Random) -> None:
    """Something happens to a store."""
    said = {"actor": chance.choice((None, "ann"))}
    edge: dict[str, Any] = {
        "source": chance.choice(NAMES),
        "type": chance.choice(TYPES),
        "target": chance.choice((*NAMES, "v1.fact.not_there")),
    }
    now = from_microseconds(clock.now())
    live = [atom.name for atom in memory.list(superseded=True)]
    match chance.choice(("put", "put", "edge", "edge", "edge", "window", "unedge", "tombstone", "forget", "by actor")):
        case "put":
            parent = {"parent": chance.choice(NAMES)} if chance.random() < 0.3 else {}
            memory.checkpoint([{"name": chance.choice(NAMES), "value": "x" * chance.randrange(1, 9), **parent}], **said)
        case "edge":
            sure = {"confidence": chance.choice((0, 0.25, 1))} if chance.random() < 0.5 else {}
            memory.checkpoint(edges=[edge | sure], partial=True, **said)
        case "window":
            memory.checkpoint(edges=[{**edge, "valid_from": now}], partial=True, **said)
        case "unedge":
            memory.checkpoint(unedges=[edge], partial=True, **said)
        case "tombstone" if live:
            memory.checkpoint(tombstones=[chance.choice(live)], **said)
        case "forget" if live and chance.random() < 0.4:
            memory.forget(chance.choice(live))
        case "by actor" if chance.random() < 0.3:
            memory.checkpoint(["v1.fact.a = said by ann"], actor="ann")
            memory.forget(actor="ann")
        case _:
            clock.advance(DAY)


def counted(memory: Memory) -> None:
    """Every card and count, beside what the tables of edges and atoms say."""
    with memory._store.log.snapshot() as transaction:
        expected: dict[bytes, list[int]] = {}
        total = 0
        for key, row in transaction.scan(LINKS):
            if row[24] & 0x7F == Kind.EDGE:
                body = transaction.get(BODIES, row[16:24])
                assert body is not None
                assert bool(row[24] & 0x80) == (b'"windows"' in body)
                share = decode_body(body[SALT_BYTES:]).get("confidence")
                assert row[25:] == (b"" if share is None else struct.pack(">d", share))
                expected.setdefault(key[:16], [0] * 6)[1] += 1
                total += key[16:17] == edges.OUT
        stated = {key[:16] for key, _ in transaction.scan(STATEMENTS)}
        rows = {}
        for edge in stated:
            for link in statements_of(transaction, edge):
                rows[link.seq] = (link.edge, link.kind, link.type and type_number(link.type), link.source, link.target)
                if not link.type:
                    continue
                for atom, by_type in (
                    (link.source, {"depends_on": 3, "derived_from": 3, "member_of": 4}),
                    (link.target, {"supersedes": 2, "references": 5}),
                ):
                    card = expected.setdefault(atom, [0] * 6)
                    card[0] += 1
                    if link.kind is Kind.EDGE and link.type in by_type:
                        card[by_type[link.type]] += 1
        found = {key: Card(*cards._ROW.unpack(row)) for key, row in transaction.scan(CARDS) if key != b"*"}
        assert found == {atom: Card(*card) for atom, card in expected.items()}
        assert edges_stated(transaction) == total
        assert list(cards_of(transaction, list(found))) == list(found.values())
        assert card_of(transaction, bytes(16)) == NO_EDGES
        joined = [row for _, block in transaction.scan(JOINS) for row in ROW.iter_unpack(block)]
        assert [row[0] for row in joined] == sorted(row[0] for row in joined)
        of_edges = {row[0]: row for row in joined if row[5] != Kind.PUT}
        assert of_edges.keys() == rows.keys()
        for seq, (edge, kind, number, source, target) in rows.items():
            _, by, one, other, of_type, what, flags, *_ = of_edges[seq]
            assert (by, what, bool(flags & ERASED)) == (edge, kind, not number)
            assert not number or (of_type, one, other) == (number, source, target)
        live, domains = Counter[str](), Counter[tuple[str, str]]()
        for version in names(transaction, ""):
            assert version.name is not None
            if version.kind is Kind.PUT:
                live[type_of(version.name)] += 1
                if (part := domain_part(version.name)) is not None:
                    domains[part, type_of(version.name)] += 1
        assert {kind: count.live for kind, count in counts_by_type(transaction).items() if count.live} == live
        assert {(of, kind): c.live for of, kind, c in counts_by_domain(transaction) if c.live} == domains
        characters = sum(count.characters for count in counts_by_type(transaction).values())
    assert characters == sum(len(atom.value) for atom in memory.list(superseded=True))


def asked(memory: Memory, chance: random.Random, clock: ManualClock) -> list[object]:
    """What is superseded by what, at a moment drawn; and what a list of that moment shows."""
    upto = chance.choice((None, chance.randrange(memory.head().head.size)))
    valid_at = chance.choice((None, from_microseconds(clock.now() + chance.randrange(-3, 3) * DAY)))
    with memory._store.read(upto, valid_at) as snapshot:
        subjects = [row.subject for row in names(snapshot.transaction, "")]
        by = [(superseders(snapshot, one), is_superseded(snapshot, one)) for one in subjects]
    listed = memory.list(as_of=upto, valid_at=valid_at, count=True)
    return [*by, listed.to_dict(), memory.list(as_of=upto, tombstoned=True, superseded=True).to_dict()]


def story(memory: Memory, clock: ManualClock, seed: int, steps: int = 40) -> None:
    chance = random.Random(seed)
    for _ in range(steps):
        a_step(memory, clock, chance)
        counted(memory)


@pytest.mark.soak
@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(rounds(2, 200)))
def test_cards_joins_and_counts_are_what_the_tables_say_after_every_step(
    memory: Memory, clock: ManualClock, store: Path, home: Path, seed: int
) -> None:
    story(memory, clock, seed)
    memory.close()
    assert check_store(store, home=home, views=VIEWS).damage is None


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(rounds(2, 50)))
def test_whoever_reads_cards_answers_as_who_reads_all_edges(
    memory: Memory, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    for _ in range(30):
        a_step(memory, clock, chance)
        moment = chance.random()
        by_cards = asked(memory, random.Random(moment), clock)
        with monkeypatch.context() as patch:
            patch.setattr(supersedes, "card_of", lambda *_: FULL)
            patch.setattr("substrate.atoms.list.cards_of", lambda _, atoms: [FULL] * len(atoms))
            assert asked(memory, random.Random(moment), clock) == by_cards


# -- broken twins: fsck finds a view that leaves something out ---------------------------------------------------------


def skip_what_is_taken_back(patch: pytest.MonkeyPatch) -> None:
    live = cards.CardChanges.live
    patch.setattr(
        cards.CardChanges, "live", lambda self, one, other, times: live(self, one, other, times) if times > 0 else None
    )


def skip_supersedes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(cards, "_TO", {})


def skip_windows(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(joins, "_window", lambda _: (0, joins.FROM_EVER, joins.FOR_GOOD))


def skip_parts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(edges, "_whole", lambda _: None)


def skip_erased_joins(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(edges, "drop_joins", lambda *_: None)


def skip_what_was_there_before(patch: pytest.MonkeyPatch) -> None:
    count = atoms._count
    patch.setattr(atoms, "_count", lambda *said, times=1: count(*said) if times > 0 else None)


TWINS = {
    skip_what_is_taken_back: CARDS,
    skip_supersedes: CARDS,
    skip_windows: JOINS,
    skip_parts: JOINS,
    skip_erased_joins: JOINS,
    skip_what_was_there_before: COUNTS,
}


@pytest.mark.parametrize(("skip", "table"), TWINS.items())
def test_a_view_that_leaves_something_out_is_found_by_fsck(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, skip: Callable[[Any], None], table: str
) -> None:
    edge = {"source": "v1.fact.b", "type": "supersedes", "target": "v1.fact.a"}
    with monkeypatch.context() as patch:
        skip(patch)
        memory.checkpoint(["v1.fact.a = x", {"name": "v1.fact.b", "value": "y", "parent": "v1.fact.a"}])
        memory.checkpoint(edges=[edge, {**edge, "type": "likes", "valid_from": "2025-01-01"}])
        memory.checkpoint(["v1.fact.a = xyz", "v1.fact.c = z"], unedges=[edge])
        memory.checkpoint(edges=[{**edge, "source": "v1.fact.c"}])
        memory.forget("v1.fact.c")
        memory.close()
    damage = check_store(tmp_path / "store", home=tmp_path / "home", views=VIEWS).damage
    assert damage is not None
    assert table in damage


def test_a_row_tells_one_window_and_that_there_are_several(memory: Memory) -> None:
    edge = {"source": "v1.fact.a", "type": "likes", "target": "v1.fact.b"}
    memory.checkpoint(["v1.fact.a = x", "v1.fact.b = y"], edges=[{**edge, "valid_from": "1970-01-01T00:00:01Z"}])
    memory.checkpoint(edges=[{**edge, "windows": [{"end": "2020-01-01"}, {"start": "2021-01-01"}]}])
    with memory._store.log.snapshot() as transaction:
        (block,) = [rows for _, rows in transaction.scan(JOINS)]
        assert [read_seq(key) for key, _ in transaction.scan(JOINS)] == [0]
    said = [(row[6], row[7], row[8]) for row in ROW.iter_unpack(block)]
    assert said == [(WINDOW, 1_000_000, joins.FOR_GOOD), (WINDOW | SEVERAL, joins.FROM_EVER, joins.FOR_GOOD)]
