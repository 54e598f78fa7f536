"""Proposals wait beside the log: they survive a kill, expire, are accepted once, and go with their atom."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.clock import ManualClock
from substrate.errors import (
    Conflict,
    Forgotten,
    InputError,
    NotFound,
    SecretFound,
    StoreDamaged,
    SubstrateError,
    TooLarge,
)
from substrate.limits import LIMITS
from substrate.log.append import Decision
from substrate.log.tables import PROPOSALS
from substrate.memory import Memory, open_memory
from substrate.values.review.pending import Accepted, Proposal
from substrate.views.beside.proposals import check_proposals
from tests.leftovers import traces_of

FACT = "v1.fact.endpoint"
OLD, NEW = "The API endpoint is /v1/search.", "The API endpoint is /v2/query."
MINUTE = 60 * 1_000_000
CANARY = "zanzibar_cinnamon_canary"


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.checkpoint([f"{FACT} = {OLD}"])
    return memory


def rows(memory: Memory) -> int:
    with memory._store.log.snapshot() as transaction:
        check_proposals(transaction)
        return transaction.count(PROPOSALS)


def test_a_correction_waits_and_becomes_a_version_with_its_old_text_in_history(filled: Memory) -> None:
    before = filled.head()
    proposed = filled.propose(NEW, name=FACT, reason="moved in March")
    assert filled.head() == before  # nothing is in the log yet
    assert proposed.diff == f"- {OLD}\n+ {NEW}"
    assert filled.proposals().items == (proposed,)
    accepted = filled.accept(proposed.id)
    assert (accepted.name, accepted.seq) == (FACT, filled.access(FACT).atom.seq)
    assert [one.atom.value for one in filled.history(FACT) if one.atom] == [OLD, NEW]
    assert not filled.proposals().items
    assert filled.fsck().ok if hasattr(filled, "fsck") else True


def test_an_accepted_correction_keeps_every_field_also_a_zero(filled: Memory) -> None:
    part = {"name": "v1.fact.part", "value": "x", "confidence": 0.0, "parent": FACT, "position": 0, "tags": ["t"]}
    filled.checkpoint([part])
    filled.accept(filled.propose("y", name="v1.fact.part").id)
    atom = filled.access("v1.fact.part").atom
    assert (atom.value, atom.confidence, atom.position, atom.tags) == ("y", 0.0, 0, ("t",))


def test_ids_are_random_and_none_is_an_atoms(filled: Memory) -> None:
    ids = {filled.propose(f"{NEW} {i}", name=FACT).id for i in range(20)}
    assert len(ids) == 20
    assert all(len(one) == 34 and one.startswith("p_") for one in ids)


def test_it_is_gone_after_ten_minutes_and_its_text_leaves_the_store(
    filled: Memory, clock: ManualClock, store: Path
) -> None:
    proposed = filled.propose(f"{NEW} {CANARY}", name=FACT)
    clock.time += 10 * MINUTE - 1_000_000
    assert filled.proposals().items
    clock.time += 1_000_000
    assert not filled.proposals().items
    with pytest.raises(NotFound, match="expired"):
        filled.accept(proposed.id)
    filled.propose(NEW, name=FACT)  # sweeps what is over
    filled.compact()
    assert not traces_of(CANARY, store)
    clock.time += 25 * 60 * MINUTE
    filled.decline(filled.propose(NEW, name=FACT).id)
    assert rows(filled) == 1


def test_who_decides_second_is_told_what_became_of_it(filled: Memory) -> None:
    proposed = filled.propose(NEW, name=FACT)
    seq = filled.accept(proposed.id).seq
    with pytest.raises(Conflict, match=f"accepted already, by entry {seq}"):
        filled.accept(proposed.id)
    with pytest.raises(Conflict, match="accepted already"):
        filled.decline(proposed.id)
    other = filled.propose(OLD, name=FACT)
    filled.decline(other.id)
    with pytest.raises(Conflict, match="declined already"):
        filled.accept(other.id)


def test_of_many_acceptors_at_once_one_wins(filled: Memory) -> None:
    proposed = filled.propose(NEW, name=FACT)
    began, told = threading.Barrier(6), []

    def run() -> None:
        began.wait()
        try:
            told.append(filled.accept(proposed.id))
        except SubstrateError as error:
            told.append(error)

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(one, Accepted) for one in told) == 1
    assert sum(isinstance(one, Conflict) and "accepted already" in str(one) for one in told) == 5
    assert len(filled.history(FACT)) == 2


def test_of_two_acceptors_of_a_text_one_wins_and_there_is_one_document(memory: Memory) -> None:
    proposed = memory.propose("Keep this text.", domain="Book Notes")
    began, told = threading.Barrier(3), []

    def run() -> None:
        began.wait()
        try:
            told.append(memory.accept(proposed.id, create=True))
        except SubstrateError as error:
            told.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(one, Accepted) for one in told) == 1
    assert len(memory.list("v1.document.")) == 1


def test_it_is_bound_to_the_version_that_was_seen(filled: Memory) -> None:
    proposed = filled.propose(NEW, name=FACT)
    filled.checkpoint([f"{FACT} = The endpoint is /v9."])
    assert filled.proposals().items[0].changed
    with pytest.raises(Conflict, match=r"says now: .*/v9"):
        filled.accept(proposed.id)
    filled.checkpoint(tombstones=[FACT])
    with pytest.raises(Conflict, match="out of use"):
        filled.accept(proposed.id)
    with pytest.raises(NotFound, match="out of use"):
        filled.propose(NEW, name=FACT)


def test_a_proposal_survives_a_kill_of_its_process(store: Path, home: Path) -> None:
    script = (
        "import sys, time; from substrate.memory import open_memory\n"
        "memory = open_memory(sys.argv[1], home=sys.argv[2], background=False)\n"
        f"memory.checkpoint(['{FACT} = {OLD}'])\n"
        f"print(memory.propose('{NEW}', name='{FACT}').id, flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(store), str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    made = process.stdout.readline().strip()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with open_memory(store, home=home, background=False) as memory:
        assert [one.id for one in memory.proposals()] == [made]
        memory.accept(made)
        assert memory.access(FACT).value == NEW


def test_forgetting_the_atom_or_a_version_leaves_no_byte_of_it(filled: Memory, store: Path) -> None:
    proposed = filled.propose(f"{NEW} {CANARY}", name=FACT)
    filled.forget(FACT)
    assert not traces_of(CANARY, store)
    with pytest.raises(NotFound):
        filled.accept(proposed.id)
    with pytest.raises(Forgotten):
        filled.propose(NEW, name=FACT)
    filled.checkpoint(["v1.fact.other = one"], session="s1")
    filled.propose(f"two {CANARY}", name="v1.fact.other", session="s2")
    filled.forget(session="s1")
    assert rows(filled) == 0
    assert not traces_of(CANARY, store)


def test_forgetting_a_session_takes_the_texts_that_it_proposed(filled: Memory, store: Path) -> None:
    filled.checkpoint(["v1.fact.other = one"], session="s1")
    filled.propose(f"Keep {CANARY}", domain="Notes", session="s1")
    filled.forget(session="s1")
    assert not traces_of(CANARY, store)


def test_a_text_goes_where_a_person_says(memory: Memory) -> None:
    memory.ingest("An older note.", domain="book-notes", title="Older")
    proposed = memory.propose("Postgres it is.", domain="Bok Notes", title="DB choice")
    assert [(one.name, one.reason) for one in proposed.candidates] == [("v1.domain.book-notes", "close spelling")]
    with pytest.raises(NotFound, match="book-notes"):
        memory.accept(proposed.id)
    accepted = memory.accept(proposed.id, domain="Book Notes")
    assert (accepted.domain, accepted.created) == ("v1.domain.book-notes", False)
    assert memory.document(accepted.name).text == "Postgres it is."
    assert memory.document(accepted.name).title == "DB choice"


def test_a_person_may_create_the_domain(memory: Memory) -> None:
    proposed = memory.propose("Ein Text", domain="Straße & Öl")
    accepted = memory.accept(proposed.id, create=True)
    assert (accepted.domain, accepted.created) == ("v1.domain.strasse-öl", True)
    assert memory.which("STRASSE öl", kind="domain").name == accepted.domain


def test_statements_out_of_transcripts_stand_in_the_same_list(filled: Memory) -> None:
    filled.checkpoint([{"name": "v1.constraint.a", "value": "Never on Mondays.", "tags": ["proposed"]}])
    filled.checkpoint([{"name": "v1.constraint.b", "value": "Always on Mondays.", "tags": ["proposed"]}])
    made = filled.propose(NEW, name=FACT)
    listed = filled.proposals()
    assert [one.kind for one in listed] == ["correction", "statement", "statement"]
    assert len(filled.proposals(limit=2)) == 2
    assert filled.proposals(limit=2).more
    by_name = {one.name: one.id for one in listed}
    assert filled.accept(by_name["v1.constraint.a"]).kind == "statement"
    assert filled.decline("v1.constraint.b").name == "v1.constraint.b"
    assert [one.id for one in filled.proposals()] == [made.id]
    assert filled.access("v1.constraint.a").atom.tags == ()


def test_a_corrected_chunk_stays_a_part_of_its_document(memory: Memory) -> None:
    taken = memory.ingest(f"{OLD}\n\nMore of it.", domain="work", title="Notes")
    chunk = memory.document(taken.items[0].name).chunks[0]
    memory.accept(memory.propose(NEW, name=chunk.id).id)
    after = memory.access(chunk.id).atom
    assert (after.value, after.parent, after.position) == (NEW, chunk.parent, chunk.position)
    assert after.attrs == chunk.attrs
    assert memory.document(taken.items[0].name).edited == (chunk.name,)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"value": NEW}, InputError),
        ({"value": NEW, "name": FACT, "domain": "x"}, InputError),
        ({"value": " ", "name": FACT}, InputError),
        ({"value": OLD, "name": FACT}, InputError),
        ({"value": NEW, "name": FACT, "expect": 0}, Conflict),
        ({"value": NEW, "name": "v1.fact.absent"}, NotFound),
        ({"value": NEW, "domain": "!?"}, InputError),
        ({"value": "\ud800", "domain": "x"}, InputError),
        ({"value": NEW, "name": FACT, "minutes": -1}, InputError),
        ({"value": "x" * (LIMITS["value_bytes"] + 1), "name": FACT}, TooLarge),
        ({"value": "password: hunter2-Xk29!fjQ", "name": FACT}, SecretFound),
    ],
)
def test_bad_input_writes_nothing(filled: Memory, given: dict[str, object], error: type[SubstrateError]) -> None:
    with pytest.raises(error):
        filled.propose(**given)  # type: ignore[arg-type]
    assert rows(filled) == 0


@pytest.mark.parametrize("given", ["", "p_12", "p_" + "0" * 32, "v1.fact.absent", FACT])
def test_what_does_not_wait_cannot_be_decided(filled: Memory, given: str) -> None:
    for decide in (filled.accept, filled.decline):
        with pytest.raises((InputError, NotFound)):
            decide(given)


def test_there_is_an_end_to_what_can_wait(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIMITS, "proposals", 2)
    made = [filled.propose(f"{NEW} {i}", name=FACT) for i in range(2)]
    with pytest.raises(TooLarge, match="decide some first"):
        filled.propose(NEW, name=FACT)
    filled.decline(made[0].id)
    filled.propose(NEW, name=FACT)


def test_a_malformed_row_is_told_by_fsck_and_left_behind_by_a_rebuild(filled: Memory) -> None:
    for row in (b"{}", b'{"made":1,"ends":2,"said":{"value":1}}', b"\xff", b"[" * 100_000):
        filled._store.log.decide(lambda _, __, row=row: Decision((), [(PROPOSALS, b"k" * 32, row)]))
        with pytest.raises(StoreDamaged, match="proposals"):
            rows(filled)
    filled.rebuild()
    assert rows(filled) == 0


def test_a_reader_sees_what_waits_and_cannot_decide(filled: Memory, reopen: Callable[..., Memory]) -> None:
    proposed = filled.propose(NEW, name=FACT)
    reader = reopen(read_only=True)
    assert [one.id for one in reader.proposals()] == [proposed.id]
    with pytest.raises(SubstrateError):
        reader.accept(proposed.id)


def test_a_plain_export_holds_no_proposal(filled: Memory, tmp_path: Path) -> None:
    made: Proposal = filled.propose(f"{NEW} {CANARY}", name=FACT)
    for full in (False, True):
        filled.export(tmp_path / f"{full}.jsonl", full=full)
        assert CANARY not in (tmp_path / f"{full}.jsonl").read_text()
    assert made.value.endswith(CANARY)


def test_a_text_that_a_domain_refuses_waits_for_another_one(memory: Memory) -> None:
    memory.checkpoint(["v1.domain.vault = v", "v1.domain.work = w"])
    memory.encrypt("vault", "correct horse battery")
    proposed = memory.propose("A text that waits.", domain="Somewhere")
    with pytest.raises(InputError, match="encrypted"):
        memory.accept(proposed.id, domain="vault")
    assert memory.proposals().items == (proposed,)
    assert memory.accept(proposed.id, domain="work").domain == "v1.domain.work"


def test_a_proposal_for_a_renamed_atom_names_the_new_name(filled: Memory) -> None:
    waits = filled.propose(NEW, name=FACT)
    filled.rename(FACT, "v1.fact.address")
    with pytest.raises(Conflict, match=r"v1\.fact\.endpoint was renamed to v1\.fact\.address: propose"):
        filled.accept(waits.id)
    assert filled.access("v1.fact.address").atom.value == OLD


def test_zero_minutes_are_refused_and_not_taken_for_the_default(filled: Memory) -> None:
    with pytest.raises(SubstrateError, match="minutes is a whole number from 1"):
        filled.propose(NEW, name=FACT, minutes=0)
