"""Masks of domains: carried along with the log and the clock, they are what the rule says of every atom."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from substrate.atoms.domains import Domains, find_domain
from substrate.atoms.resolve import find_subject
from substrate.clock import ManualClock
from substrate.errors import NotFound
from substrate.memory import Memory
from substrate.names import escape_part
from substrate.search.columns import members
from substrate.search.columns.documents import Columns
from substrate.search.columns.members import DomainMasks
from substrate.snapshot import Snapshot
from substrate.values.edges import Window
from substrate.values.times import from_microseconds
from tests.scale import rounds

DAY = 86_400_000_000
DOMAINS = ("v1.domain.shop", "v1.domain.all", "v1.domain.web.api", "v1.domain.nobody_saved_it")
HUBS = ("v1.hub.h1", "v1.hub.h2")
NAMED = (
    "v1.document.shop.d1",
    "v1.chunk.shop.d1.1",
    "v1.entity.web%2Eapi.e",
    "v1.document.nobody_saved_it.d",
    "v1.chunk.other.c",
    "v1.document.shop",
)
FACTS = tuple(f"v1.fact.f{number}" for number in range(5))
WHOLES = (*NAMED, *HUBS, *FACTS)
ATOMS = (*DOMAINS[:3], *HUBS, *NAMED, *FACTS)


def a_step(memory: Memory, clock: ManualClock, chance: random.Random) -> None:
    """Something happens to a store."""
    now = from_microseconds(clock.now())
    match chance.choice(("put", "put", "edge", "edge", "edge", "unedge", "tombstone", "forget", "time", "several")):
        case "put":
            atom: dict[str, Any] = {"name": chance.choice(ATOMS), "value": str(chance.randrange(3))}
            if chance.random() < 0.5:
                atom["parent"] = chance.choice(WHOLES)
            if chance.random() < 0.2:
                atom["valid_from"] = now + timedelta(days=chance.randrange(-2, 3))
            memory.checkpoint([atom], actor=chance.choice([None, "ann"]))
        case "edge" | "several" as how:
            spans = [Window(now + timedelta(days=d), now + timedelta(days=d + 1)) for d in (-3, -1, 1, 3)]
            windows = spans[:: chance.choice((2, 3))] if how == "several" else chance.choice(([], [], spans[1:2]))
            memory.checkpoint(edges=[{**ends(chance), "windows": windows}] if windows else [ends(chance)])
        case "unedge":
            there = [edge for name in (*FACTS, *HUBS) for edge in edges_of(memory, name)]
            if there:
                edge = chance.choice(there)
                memory.checkpoint(unedges=[{"source": edge.source, "type": edge.type, "target": edge.target}])
        case "tombstone":
            listed = list(memory.list(superseded=True))
            if listed:
                memory.checkpoint(tombstones=[chance.choice(listed).name])
        case "forget" if chance.random() < 0.3:
            listed = list(memory.list(superseded=True))
            if listed:
                memory.forget(chance.choice(listed).name)
        case _:
            clock.advance(chance.choice((1, DAY // 2, DAY)))


def ends(chance: random.Random) -> dict[str, Any]:
    source, target = chance.choice((*FACTS, *HUBS, *NAMED, *DOMAINS[:2])), chance.choice((*DOMAINS, *HUBS, *NAMED[:2]))
    return {"source": source, "type": chance.choice(("member_of", "member_of", "likes")), "target": target}


def edges_of(memory: Memory, name: str) -> list[Any]:
    try:
        return list(memory.edges(name, direction="out"))
    except NotFound:
        return []


def belonging(snapshot: Snapshot, domain: str) -> set[str]:
    """One by one, by the rule."""
    rule, of = Domains(snapshot), find_domain(snapshot, domain).subject
    return {name for name in ATOMS if rule.belongs(find_subject(snapshot.transaction, name), of)}


def masked(snapshot: Snapshot, columns: Columns, masks: DomainMasks, domain: str) -> set[str]:
    documents = columns.at(snapshot.transaction)
    mask = masks.mask(snapshot, documents, find_domain(snapshot, domain))
    found = set(documents.subjects(np.flatnonzero(mask)))
    return {name for name in ATOMS if find_subject(snapshot.transaction, name) in found}


def current(snapshot: Snapshot, columns: Columns) -> set[str]:
    documents = columns.at(snapshot.transaction)
    seqs = np.flatnonzero(documents.current(snapshot.upto, snapshot.valid_at))
    found = set(documents.subjects(seqs))
    return {name for name in ATOMS if find_subject(snapshot.transaction, name) in found}


def check(memory: Memory, columns: Columns, masks: DomainMasks, **moment: Any) -> int:
    """The masks that were carried along, fresh ones, and the rule agree on all that answers; how many belong."""
    count = 0
    with memory._store.read(**moment) as snapshot:
        shown = current(snapshot, columns)
        for domain in (*DOMAINS, HUBS[0]):
            try:
                expected = belonging(snapshot, domain) & shown
            except NotFound:
                continue
            assert masked(snapshot, columns, masks, domain) & shown == expected, (domain, moment)
            assert masked(snapshot, columns, DomainMasks(), domain) & shown == expected, (domain, moment)
            count += len(expected)
    return count


def run(memory: Memory, clock: ManualClock, seed: int, steps: int = 40) -> int:
    chance = random.Random(seed)
    columns, masks, count = Columns(), DomainMasks(), 0
    memory.checkpoint([f"{name} = begun" for name in (*DOMAINS[:2], *HUBS)])
    for _ in range(steps):
        a_step(memory, clock, chance)
        count += check(memory, columns, masks)
        size = memory.head().head.size
        upto = chance.choice([None, chance.randrange(size)])
        at = from_microseconds(clock.now() + chance.randrange(-3, 4) * DAY)
        check(memory, columns, masks, as_of=upto, valid_at=chance.choice([None, at]))
    return count


@pytest.mark.soak
@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(rounds(2, 200)))
def test_masks_that_follow_the_log_are_what_the_rule_says_at_any_moment(
    memory: Memory, clock: ManualClock, seed: int
) -> None:
    assert run(memory, clock, seed) > 0


def whatever_leans_on_it(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(members, "_leaning_on", lambda *_: ())


def windows_that_turn(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(members, "_turned", lambda *_: np.zeros(0, np.int64))


def parts_of_wholes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(members._Work, "with_parts", lambda _, mask, __: mask)


def names_of_domains_inside(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(members._Work, "domains_in", lambda *_: iter(()))


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "forget_about", [whatever_leans_on_it, windows_that_turn, parts_of_wholes, names_of_domains_inside]
)
def test_a_mask_that_leaves_something_out_is_caught(
    memory: Memory, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, forget_about: Callable[[Any], None]
) -> None:
    forget_about(monkeypatch)
    with pytest.raises(AssertionError):
        run(memory, clock, 0)


def test_after_a_write_a_mask_is_carried_along_and_not_made_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.checkpoint(["v1.domain.shop = x", "v1.fact.a = word", "v1.chunk.shop.c = word"])
    memory.checkpoint(edges=[{"source": "v1.fact.a", "type": "member_of", "target": "v1.domain.shop"}])
    assert {hit.name for hit in memory.search("word", domain="shop")} == {"v1.fact.a", "v1.chunk.shop.c"}
    monkeypatch.setattr(members, "_all_at_once", None)
    edge = {"source": "v1.fact.b", "type": "member_of", "target": "v1.domain.shop"}
    memory.checkpoint(["v1.fact.b = word", "v1.chunk.shop.d = word"], edges=[edge])
    memory.checkpoint(unedges=[{"source": "v1.fact.a", "type": "member_of", "target": "v1.domain.shop"}])
    found = {hit.name for hit in memory.search("word", domain="shop")}
    assert found == {"v1.fact.b", "v1.chunk.shop.c", "v1.chunk.shop.d"}


def test_a_part_leaves_the_domain_when_its_whole_is_forgotten(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.checkpoint(["v1.document.shop.whole = x"])
    memory.checkpoint([{"name": "v1.fact.part", "value": "word", "parent": "v1.document.shop.whole"}])
    memory.checkpoint(["v1.document.shop.other = word"])
    assert {hit.name for hit in memory.search("word", domain="shop")} == {"v1.fact.part", "v1.document.shop.other"}
    monkeypatch.setattr(members, "_all_at_once", None)
    memory.forget("v1.document.shop.whole")
    assert [hit.name for hit in memory.search("word", domain="shop")] == ["v1.document.shop.other"]


@pytest.mark.parametrize("domain", ["50%", "a%2Eb", "a.b%", "Füße & Co"])
def test_a_domain_whose_name_is_escaped_in_others_has_what_they_name(memory: Memory, domain: str) -> None:
    memory.checkpoint([f"v1.chunk.{escape_part(domain)}.c = word", "v1.chunk.a.c = word"])
    assert [hit.name for hit in memory.search("word", domain=domain)] == [f"v1.chunk.{escape_part(domain)}.c"]
    memory.checkpoint([f"v1.domain.{domain} = x", f"v1.chunk.{escape_part(domain)}.d = word"])
    assert len(memory.search("word", domain=domain)) == 2


def test_a_name_that_spells_a_domain_otherwise_belongs_to_none(memory: Memory) -> None:
    memory.checkpoint(
        ["v1.domain.A = x", "v1.chunk.%41.c = word", "v1.chunk.%ED%A0%80.c = word", "v1.chunk.A.c = word"]
    )
    assert [hit.name for hit in memory.search("word", domain="A")] == ["v1.chunk.A.c"]
    with memory._store.read() as snapshot:
        rule = Domains(snapshot)
        groups = [
            rule.groups_of(find_subject(snapshot.transaction, f"v1.chunk.{part}.c")) for part in ("%41", "%ED%A0%80")
        ]
    assert groups == [frozenset(), frozenset()]


def test_a_domain_is_there_as_soon_as_a_name_says_so(memory: Memory) -> None:
    memory.checkpoint(["v1.document.handbook.start = how to begin"])
    assert [hit.name for hit in memory.search("begin", domain="handbook")] == ["v1.document.handbook.start"]
    with pytest.raises(NotFound):
        memory.search("begin", domain="handbook", as_of=0)
    with pytest.raises(NotFound, match=r"there is no domain v1\.domain\.hand;"):
        memory.search("begin", domain="hand")


def test_masks_of_many_domains_and_of_snapshots_from_before_are_right(memory: Memory) -> None:
    masks, columns = DomainMasks(), Columns()
    names = [f"v1.domain.d{number}" for number in range(members._KEPT + 3)]
    memory.checkpoint([f"{name} = x" for name in names])
    memory.checkpoint([f"v1.chunk.d{number}.c = x" for number in range(len(names))])
    with memory._store.read() as older:
        for number, name in enumerate(names):
            documents = columns.at(older.transaction)
            seqs = np.flatnonzero(masks.mask(older, documents, find_domain(older, name)))
            assert seqs.tolist() == [1 + len(names) + number]
    memory.checkpoint(["v1.chunk.d1.more = x"])
    assert len(memory.search("d1", domain="d1")) == 2
