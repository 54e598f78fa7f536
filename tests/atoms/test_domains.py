"""Which atoms belong to which domain: asked for in every way that there is, the answer is the same."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from substrate.atoms.domains import Domains
from substrate.atoms.resolve import find_subject
from substrate.bootstrap import candidates
from substrate.bootstrap.candidates import Gatherer
from substrate.clock import ManualClock
from substrate.memory import Memory
from substrate.snapshot import Snapshot
from substrate.values.times import from_microseconds

DOMAINS = ("v1.domain.shop", "v1.domain.blog", "v1.domain.gone")
HUBS = tuple(f"v1.hub.h{number}" for number in range(4))
FACTS = tuple(f"v1.fact.f{number}" for number in range(10))
NAMES = (*DOMAINS, *HUBS, *FACTS)
MANY = candidates._AROUND + 5
"""More edges of an atom than an opening reads at once."""


def window(now: datetime, chance: random.Random) -> dict[str, str]:
    """Of an edge: none, or one that has ended, has not begun, or holds."""
    days = [None, (-2, -1), (1, 2), (-1, 1)][chance.randrange(4)]
    if days is None:
        return {}
    start, end = (now + timedelta(days=day) for day in days)
    return {"valid_from": start.isoformat(), "valid_to": end.isoformat()}


def members_of(memory: Memory, snapshot: Snapshot, domain: bytes) -> set[bytes]:
    """As a search sees it: the atoms of the versions under the mask."""
    documents = memory._store.search.columns.at(snapshot.transaction)
    mask = memory._store.search.domains.mask(snapshot, documents, Domains(snapshot).domain(domain))
    return set(documents.subjects(np.flatnonzero(mask)))


def check_agreed(memory: Memory, snapshot: Snapshot) -> int:
    """Every way to ask gives the same answer; how many atoms belong to a domain."""
    atoms = {name: find_subject(snapshot.transaction, name) for name in NAMES}
    count = 0
    for domain in DOMAINS:
        subject = atoms[domain]
        members = members_of(memory, snapshot, subject)
        direct = Domains(snapshot).direct(subject, atoms.values())
        gatherer = Gatherer(snapshot, domain=subject, threshold=0.0, ingested=True)
        for name, atom in atoms.items():
            belongs = Domains(snapshot).belongs(atom, subject)
            assert belongs == (atom in members), (name, domain)
            assert belongs == (subject in Domains(snapshot).of(atom)), (name, domain)
            assert belongs == gatherer.is_in_domain(atom), (name, domain)
            assert belongs or atom not in direct, (name, domain)
            count += belongs
    return count


@pytest.mark.parametrize("seed", range(4))
def test_every_way_to_ask_for_members_gives_the_same_answer(memory: Memory, clock: ManualClock, seed: int) -> None:
    chance = random.Random(seed)
    now = from_microseconds(clock.now()).astimezone(UTC)
    memory.checkpoint([f"{name} = {name}" for name in NAMES])
    pairs = {(chance.choice((*HUBS, *FACTS)), chance.choice((*DOMAINS, *HUBS))) for _ in range(40)}
    edges = [{"source": source, "type": "member_of", "target": to, **window(now, chance)} for source, to in pairs]
    memory.checkpoint(edges=edges, tombstones=["v1.domain.gone", HUBS[0]])
    with memory._store.read() as snapshot:
        assert check_agreed(memory, snapshot) > 0


def joined_to_many(memory: Memory) -> None:
    """An atom of more groups than an opening reads at once, each of them in one of the domains."""
    hubs = [f"v1.hub.many{number}" for number in range(MANY)]
    memory.checkpoint([*(f"{name} = {name}" for name in (*NAMES, *hubs))])
    memory.checkpoint(
        edges=[
            *({"source": FACTS[0], "type": "member_of", "target": hub} for hub in hubs),
            *({"source": FACTS[0], "type": "member_of", "target": domain} for domain in DOMAINS),
        ]
    )


def test_an_atom_of_many_groups_belongs_to_all_of_them(memory: Memory) -> None:
    joined_to_many(memory)
    with memory._store.read() as snapshot:
        assert check_agreed(memory, snapshot) == len(DOMAINS)


def test_groups_that_are_cut_off_would_be_told(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: an opening that looks at no more than some edges of an atom."""
    monkeypatch.setattr(Gatherer, "_links", lambda *_, **__: [])
    joined_to_many(memory)
    with memory._store.read() as snapshot, pytest.raises(AssertionError):
        check_agreed(memory, snapshot)


def test_a_part_belongs_where_its_whole_does_however_many_wholes_there_are(memory: Memory) -> None:
    count = 1_200
    parts = [{"name": f"v1.fact.p{at}", "value": "text", "parent": f"v1.fact.p{at - 1}"} for at in range(1, count)]
    edge = {"source": "v1.fact.p0", "type": "member_of", "target": "v1.domain.deep"}
    memory.checkpoint([*("v1.domain.deep = deep", "v1.fact.p0 = first"), *parts], edges=[edge])
    with memory._store.read() as snapshot:
        deep, last = (find_subject(snapshot.transaction, name) for name in ("v1.domain.deep", f"v1.fact.p{count - 1}"))
        assert Domains(snapshot).belongs(last, deep)
