"""Small stores of earlier versions: each opens, is whole, answers, and can be written to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate.clock import ManualClock
from substrate.log import replay, upgrade
from tests.before.asking import NOW, unpack
from tests.before.make import START
from tests.before.make_small import (
    CHANGES,
    CLAIMS,
    FACTS,
    ODD_NAMES,
    WALKED,
    small_answers,
    walked_answers,
    word_answers,
)

STORES = Path(__file__).parent / "stores"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return unpack(tmp_path, STORES / "free_names.tar.xz")


@pytest.fixture
def home(store: Path) -> Path:
    return store.parent / "home"


def test_a_store_of_odd_names_is_whole_and_answers(store: Path, home: Path) -> None:
    report = substrate.fsck(store, home=home)
    assert (report.ok, report.entries) == (True, 26), report.damage
    with substrate.open(store, home=home, read_only=True, model="none", clock=ManualClock(NOW)) as memory:
        assert {hit.name for hit in memory.search("value of name", domain="odd")} == set(ODD_NAMES)
        for at, name in enumerate(ODD_NAMES):
            assert memory.access(name, predictions=0).value == f"The second value of name {at}"
            assert len(memory.history(name)) == 2
            assert name in {hit.name for hit in memory.search(f"the second value of name {at}")}
        opened = memory.bootstrap("read odd names", domain="odd", begin=False)
        assert {item.name for item in opened} & set(ODD_NAMES)


def test_what_was_proved_of_an_odd_name_still_holds_and_is_proved_again(store: Path, home: Path) -> None:
    pin = (store.parent / "pin.txt").read_text(encoding="utf-8")
    proof = (store.parent / "proof.json").read_text(encoding="utf-8")
    verdict = substrate.Verifier(pin=pin).verify(proof, name=ODD_NAMES[0])
    assert (verdict.claim, verdict.trusted) == ("current", True)
    with substrate.open(store, home=home, model="none", background=False) as memory:
        memory.check_pin(pin)
        for name in ODD_NAMES:
            now = memory.prove(name, since=pin)
            assert substrate.Verifier(pin=pin).verify(now.to_json(), name=name).claim == "current"


def test_an_odd_name_keeps_its_place_gets_new_versions_and_is_forgotten(store: Path, home: Path) -> None:
    with substrate.open(store, home=home, model="none", background=False) as memory:
        before = {name: memory.access(name).atom.id for name in ODD_NAMES}
        saved = memory.checkpoint([{"name": name, "value": "A third value"} for name in ODD_NAMES])
        assert set(saved.recorded) == set(ODD_NAMES)
        assert {name: memory.access(name).atom.id for name in ODD_NAMES} == before
        memory.checkpoint(tombstones=[ODD_NAMES[1]])
        memory.checkpoint([{"name": ODD_NAMES[1], "value": "It is back"}])
        assert memory.access(ODD_NAMES[1]).atom.id == before[ODD_NAMES[1]]
        memory.forget(ODD_NAMES[0])
    assert substrate.fsck(store, home=home).ok


# -- of the last version without cards, columns of edges, and counts ---------------------------------------------------


@pytest.fixture
def no_cards(tmp_path: Path) -> Path:
    return unpack(tmp_path, STORES / "no_cards.tar.xz")


def answers_of(store: Path, **how: Any) -> dict[str, Any]:
    clock = ManualClock(START + 1_000_000)
    memory = substrate.open(store, model="none", clock=clock, background=False, **how)
    with memory, memory.session(observe=False):
        return small_answers(memory)


def test_a_store_without_cards_answers_the_same_before_and_after_it_is_upgraded(
    no_cards: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = json.loads((no_cards.parent / "answers.json").read_text(encoding="utf-8"))
    home, keyless = no_cards.parent / "home", no_cards.parent / "nobody"
    before = sorted(path.read_bytes() for path in no_cards.rglob("data.mdb"))
    answered = answers_of(no_cards, read_only=True, home=keyless)
    recorded["bootstrap"] = answered["bootstrap"]  # `Fact number 4` and `Fact number 5` contradicted each other then
    for asked in [asked for asked in recorded if asked.startswith("search ")]:
        # Of `Fact number 4` to `6` the newest comes first now, and takes the best score of them.
        assert sorted(name for name, _ in answered[asked]) == sorted(name for name, _ in recorded[asked])
        recorded[asked] = answered[asked]
    assert answered == recorded
    assert sorted(path.read_bytes() for path in no_cards.rglob("data.mdb")) == before
    assert substrate.fsck(no_cards, home=home).ok
    slices: list[Any] = []
    monkeypatch.setattr(replay, "BATCH", 5)
    monkeypatch.setattr(upgrade, "_advance", spied(upgrade._advance, slices))
    assert answers_of(no_cards, home=home) == recorded
    assert len(slices) > 5
    monkeypatch.undo()
    assert substrate.fsck(no_cards, home=home).ok
    assert answers_of(no_cards, read_only=True, home=keyless) == recorded
    with substrate.open(no_cards, home=home, model="none", background=False) as memory:
        assert memory.stats().domains == {"manual": 3}
        assert len(memory.search("shop", domain="manual")) == 2
        memory.checkpoint(edges=[{"source": FACTS[6], "type": "supersedes", "target": FACTS[4]}])
        assert memory.access(FACTS[4]).atom.superseded_by == (FACTS[6],)
    assert substrate.fsck(no_cards, home=home).ok


def spied(done: Any, calls: list[Any]) -> Any:
    """The function, and what it was called with."""

    def call(*args: Any) -> Any:
        calls.append(args)
        return done(*args)

    return call


# -- of the last version with the first view of claims -----------------------------------------------------------------


@pytest.mark.parametrize("read_only", [True, False])
def test_conflicts_of_an_earlier_reader_of_claims_are_judged_anew(tmp_path: Path, *, read_only: bool) -> None:
    store = unpack(tmp_path, STORES / "claims.tar.xz")
    home, clock = store.parent / "home", ManualClock(NOW)
    one, other = "v1.fact.payment_provider", "v1.decision.payments"
    with substrate.open(store, home=home, read_only=read_only, model="none", background=False, clock=clock) as memory:
        assert {atom.name: atom.value for atom in memory.list(limit=100)} == CLAIMS
        assert [(item.first.name, item.second.name) for item in memory.conflicts()] == [(one, other)]
        if not read_only:
            said = {"name": "v1.fact.n2", "value": "Priya is a citizen of Chile"}
            assert [(told.first, told.second) for told in memory.checkpoint([said]).conflicts] == [
                ("v1.fact.n1", "v1.fact.n2")
            ]
    assert substrate.fsck(store, home=home).ok


@pytest.mark.parametrize("read_only", [True, False])
def test_what_tells_a_change_is_read_in_a_store_from_before_it_was(tmp_path: Path, *, read_only: bool) -> None:
    store = unpack(tmp_path, STORES / "changes.tar.xz")
    home, clock = store.parent / "home", ManualClock(NOW)
    with substrate.open(store, home=home, read_only=read_only, model="none", background=False, clock=clock) as memory:
        assert {atom.name: atom.value for atom in memory.list(limit=100)} == CHANGES
        assert [(item.first.name, item.second.name) for item in memory.conflicts()] == [("v1.fact.n3", "v1.fact.n4")]
        first, second = memory.search("what is the API timeout")[:2]
        assert (first.name, second.name, second.newer) == ("v1.fact.n2", "v1.fact.n1", "v1.fact.n2")
        if not read_only:
            said = {"name": "v1.fact.n2", "value": "We raised the API timeout to 90 seconds"}
            assert [told.first for told in memory.checkpoint([said]).conflicts] == ["v1.fact.n1"]
    assert substrate.fsck(store, home=home).ok


# -- of the last version with the postings of the newest entries in their block ----------------------------------------


def test_a_store_of_whole_blocks_answers_the_same_before_and_after_it_is_upgraded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = unpack(tmp_path, STORES / "whole_blocks.tar.xz")
    home, keyless = store.parent / "home", store.parent / "nobody"
    recorded = json.loads((store.parent / "answers.json").read_text(encoding="utf-8"))
    before = sorted(path.read_bytes() for path in store.rglob("data.mdb"))
    clock = ManualClock(START + 61_000_000)

    def answers(**how: Any) -> dict[str, Any]:
        memory = substrate.open(store, model="none", clock=clock, background=False, **how)
        with memory, memory.session(observe=False):
            return word_answers(memory)

    assert answers(read_only=True, home=keyless) == recorded
    assert sorted(path.read_bytes() for path in store.rglob("data.mdb")) == before
    assert substrate.fsck(store, home=home).ok
    slices: list[Any] = []
    monkeypatch.setattr(replay, "BATCH", 7)
    monkeypatch.setattr(upgrade, "_advance", spied(upgrade._advance, slices))
    assert answers(home=home) == recorded
    assert len(slices) > 20
    monkeypatch.undo()
    assert substrate.fsck(store, home=home).ok
    with substrate.open(store, home=home, model="none", background=False) as memory:
        memory.ingest("The Amber Engine is purple since ticket 999.", source="late.md", domain="handbook")
        assert "purple" in memory.search("purple")[0].value
        memory.forget(source="late.md")
        assert not memory.search("purple")
    assert substrate.fsck(store, home=home).ok


# -- of the last version whose links did not say how sure an edge is ---------------------------------------------------


def walks_of(store: Path, **how: Any) -> dict[str, Any]:
    clock = ManualClock(START + 1_000_000)
    memory = substrate.open(store, model="none", clock=clock, background=False, **how)
    with memory, memory.session(observe=False):
        return walked_answers(memory)


def test_walks_and_paths_are_the_same_before_and_after_links_say_how_sure_an_edge_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = unpack(tmp_path, STORES / "bare_links.tar.xz")
    recorded = json.loads((store.parent / "answers.json").read_text(encoding="utf-8"))
    home, keyless = store.parent / "home", store.parent / "nobody"
    before = sorted(path.read_bytes() for path in store.rglob("data.mdb"))
    assert walks_of(store, read_only=True, home=keyless) == recorded
    assert sorted(path.read_bytes() for path in store.rglob("data.mdb")) == before
    assert substrate.fsck(store, home=home).ok
    slices: list[Any] = []
    monkeypatch.setattr(replay, "BATCH", 5)
    monkeypatch.setattr(upgrade, "_advance", spied(upgrade._advance, slices))
    assert walks_of(store, home=home) == recorded
    assert len(slices) > 3
    monkeypatch.undo()
    assert substrate.fsck(store, home=home).ok
    assert walks_of(store, read_only=True, home=keyless) == recorded
    with substrate.open(store, home=home, model="none", background=False) as memory:
        memory.checkpoint(edges=[{"source": WALKED[7], "type": "causes", "target": WALKED[9], "confidence": 0.4}])
        assert memory.path(WALKED[5], WALKED[9]).atoms == (WALKED[5], WALKED[6], WALKED[7], WALKED[9])
    assert substrate.fsck(store, home=home).ok
