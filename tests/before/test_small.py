"""Small stores of earlier versions: each opens, is whole, answers, and can be written to."""

from __future__ import annotations

from pathlib import Path

import pytest

import substrate
from substrate.clock import ManualClock
from tests.before.asking import NOW, unpack
from tests.before.make_small import ODD_NAMES

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
