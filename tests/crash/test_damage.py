"""Row 7: bits and pages of the data file are damaged; fsck finds all that matters, and no proof lies.

Most of a damaged store is looked at in workers that may die of it; that is allowed, hanging is not.
To replay a failure: SUBSTRATE_SEED=<the seed it printed>.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import lmdb
import pytest

import substrate
from substrate.errors import ProofInvalid
from substrate.log.tables import ARRIVALS, CACHES, DOMAIN_KEYS, MODELS, PENDING, PLACES, TABLES, TRACES
from substrate.proof.hashes import map_key
from substrate.proof.verify import Verdict
from tests.crash.children import Died, Worker
from tests.crash.damage import damage
from tests.crash.specimen import Specimen, make_specimen
from tests.scale import SEED, rounds

PARTS = 2
UNSAID = (*TRACES, *CACHES, *PENDING, PLACES, ARRIVALS, MODELS, DOMAIN_KEYS)
"""Traces and caches are not compared, rows of places and arrivals say nothing but their keys. Of models, proposals and
encrypted domains the specimen has none; whether a domain's key is whole, its passphrase tells."""


@pytest.fixture(scope="module")
def specimen(tmp_path_factory: pytest.TempPathFactory) -> Specimen:
    return make_specimen(tmp_path_factory.mktemp("specimen"))


@dataclass
class Doctor:
    """Asks the workers about the specimen as it lies there. Dying of a question is an answer too."""

    specimen: Specimen
    worker: Worker

    def ask(self, do: str) -> dict[str, Any]:
        question = {"do": do, "store": str(self.specimen.store), "home": str(self.specimen.home)}
        try:
            return self.worker.ask({**question, "names": list(self.specimen.proofs)})
        except Died as died:
            return {"damage": str(died), "died": died.code}

    def judge(self) -> list[str]:
        """What is wrong with the proofs that the store hands out: each is refused, rejected or true."""
        answer = self.ask("prove")
        if "untyped" in answer:
            return [f"an untyped error escapes: {answer['untyped'][:200]}"]
        if "died" in answer:
            return []
        wrong = []
        for name, bundle in answer.items():
            try:
                said = None if bundle is None else self.verify(bundle)
            except ProofInvalid:
                continue
            truth = self.verify(self.specimen.proofs[name])
            # The head may have moved on since; what is true of these names has not changed.
            if said is not None and (said.claim, said.seq, said.body) != (truth.claim, truth.seq, truth.body):
                wrong.append(f"accepted: {name} is {said.claim} at size {said.head.size}; it is {truth.claim}")
        return wrong

    def verify(self, bundle: str) -> Verdict:
        return substrate.Verifier(key=self.specimen.key).verify(bundle)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """It opens the store anew for each question, so one does for all tests."""
    with Worker("tests.crash.doctor") as worker:
        yield worker


@pytest.fixture
def doctor(specimen: Specimen, worker: Worker) -> Iterator[Doctor]:
    """The store, and its high-water mark, are whole again after each test."""
    whole = {path: path.read_bytes() for path in (specimen.data, *specimen.home.glob("keys/*/high-water"))}
    yield Doctor(specimen, worker)
    for path, data in whole.items():
        path.write_bytes(data)


@dataclass
class Tally:
    """What became of many damages."""

    found: list[str] = field(default_factory=list)
    harmless: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    lies: list[str] = field(default_factory=list)


def tally(doctor: Doctor, count: int, seed: str) -> Tally:
    """Damage the whole store `count` times, each time in one way, and have it looked at."""
    data, rng, result = doctor.specimen.data, random.Random(seed), Tally()
    whole, rows = data.read_bytes(), doctor.ask("dump")
    for number in range(count):
        damaged, done = damage(whole, rng)
        data.write_bytes(damaged)
        if doctor.ask("check")["damage"] is not None:
            result.found.append(done)
        elif doctor.ask("dump") == rows:
            result.harmless.append(done)
        else:
            result.missed.append(done)
        result.lies += [f"{done}: {lie}" for lie in doctor.judge()]
        # What the worker says, the public function must say too, from its own child.
        if number % 25 == 0:
            report = substrate.fsck(doctor.specimen.store, home=doctor.specimen.home)
            assert report.ok == (done not in result.found), f"{done}: {report}"
    return result


@pytest.mark.no_cover
@pytest.mark.soak
@pytest.mark.parametrize("part", range(PARTS))
def test_all_damage_to_rows_is_found_and_no_proof_lies(part: int, doctor: Doctor) -> None:
    result = tally(doctor, rounds(25, 600), f"damage {SEED} {part}")
    assert (result.missed, result.lies) == ([], []), f"SUBSTRATE_SEED={SEED}"
    assert result.found, "nothing was damaged"


def test_a_check_of_leaves_and_root_alone_would_miss_damage_that_fsck_finds(doctor: Doctor) -> None:
    rng = random.Random(f"glance {SEED}")
    whole, rows = doctor.specimen.data.read_bytes(), doctor.ask("dump")
    missed = []
    for _ in range(40):
        damaged, done = damage(whole, rng)
        doctor.specimen.data.write_bytes(damaged)
        if doctor.ask("glance")["damage"] is None and doctor.ask("dump") != rows:
            missed.append(done)
            assert doctor.ask("check")["damage"] is not None, f"SUBSTRATE_SEED={SEED}: fsck misses {done} too"
    assert missed, f"SUBSTRATE_SEED={SEED}"


def change_row(
    specimen: Specimen, table: str, change: Callable[[list[tuple[bytes, bytes]]], tuple[int, bytes]]
) -> None:
    """Replace the value of one row by LMDB itself: `change` is shown all rows, and says which one and by what."""
    with lmdb.open(str(specimen.data.parent), max_dbs=64, map_size=1 << 30) as env:
        db = env.open_db(table.encode(), create=False)
        with env.begin(db=db, write=True) as transaction:
            rows = list(transaction.cursor())
            which, value = change(rows)
            transaction.put(rows[which][0], value)


def flipped(value: bytes, at: int, mask: int) -> bytes:
    changed = bytearray(value)
    changed[at] ^= mask
    return bytes(changed)


@pytest.mark.parametrize(
    ("table", "place", "named"),
    [
        pytest.param("entries", (17, 5, 1), "entry 17", id="an entry's subject"),
        pytest.param("entries", (17, 25, 1), "entry 17|entry 18", id="an entry's time"),
        pytest.param("entries", (200, 40, 1), "entry 200", id="an entry's commitment"),
        pytest.param("bodies", (30, 0, 1), "body of entry 30", id="a salt"),
        pytest.param("bodies", (30, -3, 1), "body of entry 30", id="a body"),
        pytest.param("bodies", (1, 30, 0x80), "body of entry 1", id="a body that is no text then"),
        pytest.param("bodies", (32, 5000, 1), "body of entry 32", id="a large body"),
        pytest.param("nodes", (40, 0, 1), "nodes at entry 40", id="a leaf"),
        pytest.param("nodes", (127, 100, 1), "nodes at entry 127", id="an inner node"),
        pytest.param("nodes", (255, -1, 1), "nodes at entry 255", id="the topmost node"),
        pytest.param("map", (3, 2, 1), "map", id="the masks of a map tile"),
        pytest.param("map", (0, 20, 1), "map", id="a hash in a map tile"),
        pytest.param("map", (9, -2, 1), "map", id="a record in a map tile"),
        pytest.param("heads", (5, 12, 1), "head at size", id="a head's text"),
        pytest.param("heads", (5, -10, 1), "head at size", id="a head's signature"),
        pytest.param("heads", (10, -150, 1), "head at size", id="the old key's signature under a rotation"),
        pytest.param("heads", (10, -19, 1), "head at size", id="the new key's signature under a rotation"),
        pytest.param("heads", (-1, 60, 1), "head at size", id="the latest head"),
        pytest.param("keys", (1, 60, 1), "keys", id="a key"),
        pytest.param("keys", (-1, 60, 0x80), "keys", id="the latest key, which is no text then"),
        pytest.param("meta", (-1, 3, 1), "meta|origin|another log", id="the origin"),
        pytest.param("meta", (-1, 3, 0x80), "meta|origin|another log", id="the origin, which is no text then"),
        pytest.param("meta", (-2, 3, 1), "meta|map", id="the map salt"),
        pytest.param("meta", (0, 7, 1), "how far the views have got", id="which versions the views have"),
        pytest.param("meta", (1, 7, 1), "applied", id="how far a view has got"),
        pytest.param("atoms", (3, 20, 1), "atoms", id="a name's latest version"),
        pytest.param("versions", (3, 0, 1), "versions", id="a version"),
        pytest.param("links", (3, 20, 1), "links", id="an edge from one end"),
        pytest.param("statements", (3, 20, 1), "statements", id="a statement"),
        pytest.param("cards", (1, 3, 1), "cards", id="how many edges an atom has"),
        pytest.param("joins", (0, 20, 1), "joins", id="what an edge joins"),
        pytest.param("counts", (0, 3, 1), "counts", id="how many atoms there are"),
        pytest.param("claims", (3, 7, 1), "claims", id="which version a claim is of"),
        pytest.param("claims", (3, -3, 1), "claims", id="a claim"),
        pytest.param("gaps", (0, 7, 1), "gaps", id="what was forgotten"),
        pytest.param("forgotten", (0, 20, 1), "forgotten", id="what was forgotten, by id"),
        pytest.param("arcs", (3, 40, 1), "arcs", id="a count of arcs"),
        pytest.param("arcs", (3, 10, 1), "arcs", id="the mass of a row of arcs"),
        pytest.param("episodes", (3, 20, 1), "episodes", id="an episode"),
        pytest.param("uses", (3, 3, 1), "uses", id="how often an atom was accessed"),
    ],
)
def test_fsck_names_the_row_that_was_changed(
    table: str, place: tuple[int, int, int], named: str, doctor: Doctor
) -> None:
    which, at, mask = place
    change_row(doctor.specimen, table, lambda rows: (which, flipped(rows[which][1], at, mask)))
    found = doctor.ask("check")["damage"]
    assert found is not None, "fsck does not see it"
    assert any(words in found for words in named.split("|")), found
    assert doctor.judge() == []


@pytest.mark.soak
def test_fsck_finds_any_changed_bit_of_any_row(doctor: Doctor) -> None:
    rng = random.Random(f"rows {SEED}")
    whole = doctor.specimen.data.read_bytes()
    missed, lies = [], []

    def change(rows: list[tuple[bytes, bytes]]) -> tuple[int, bytes]:
        which = rng.choice([i for i, (_, value) in enumerate(rows) if value])
        value = rows[which][1]
        return which, flipped(value, rng.randrange(len(value)), 1 << rng.randrange(8))

    for number in range(rounds(25, 1000)):
        table = rng.choice([table for table in TABLES if table not in UNSAID])
        doctor.specimen.data.write_bytes(whole)
        change_row(doctor.specimen, table, change)
        if doctor.ask("check")["damage"] is None:
            missed.append((number, table))
        lies += doctor.judge()
    assert (missed, lies) == ([], []), f"SUBSTRATE_SEED={SEED}"


@pytest.mark.parametrize("name", ["v1.fact.n0_0", "v1.fact.n2_7", "v1.fact.n4_0", "v1.fact.n6_20", "v1.fact.large3"])
def test_an_append_does_not_sign_a_map_that_was_changed(name: str, doctor: Doctor) -> None:
    """Else the head that it signs would prove the absence of a name whose record was damaged before."""
    entry = json.loads(doctor.specimen.proofs[name])
    key = map_key(base64.b64decode(entry["map"]["salt"]), name)

    def change(rows: list[tuple[bytes, bytes]]) -> tuple[int, bytes]:
        which = next(i for i, (_, value) in enumerate(rows) if key in value)
        value = rows[which][1]
        return which, flipped(value, value.index(key) + len(key) - 1, 1)

    change_row(doctor.specimen, "map", change)
    doctor.ask("append")  # refused, or done without harm
    assert doctor.judge() == []
