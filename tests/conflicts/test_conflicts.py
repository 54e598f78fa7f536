"""Conflicts: found when an atom is recorded, open as long as both versions are current and nothing settles them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from substrate import memory as facade
from substrate.atoms.moments import snapshot_of
from substrate.atoms.resolve import find_subject
from substrate.clock import ManualClock
from substrate.conflicts.detect import COMPARED, FOUND, Clash, conflicts_of
from substrate.errors import Conflict, InputError, NotFound, SchemaInvalid, TooLarge
from substrate.kv.lmdb.environment import LmdbStore
from substrate.log.copies.check import check_store
from substrate.log.tables import CLAIMS, CONFLICTS
from substrate.memory import Memory, open_memory
from substrate.values.actors import surface_actor
from substrate.views.catalogue import CHECKS, VIEWS
from substrate.views.claims import ClaimView
from tests.scale import rounds

A, B, C = "v1.fact.payment_provider", "v1.fact.payments.provider", "v1.decision.payments"
STRIPE, ADYEN, KLARNA = f"{A} = Stripe", f"{B} = Adyen", f"{C} = The payment provider is Klarna"
TIMEOUTS = ("v1.fact.api_timeout = 30 s", "v1.fact.api.timeout = 2 min")


def open_pairs(memory: Memory, name: str | None = None) -> set[tuple[str, str]]:
    return {
        (min(names), max(names)) for item in memory.conflicts(name) if (names := (item.first.name, item.second.name))
    }


def rows(memory: Memory, table: str) -> dict[bytes, bytes]:
    with memory._store.log.snapshot() as transaction:
        return dict(transaction.scan(table))


def damage(memory: Memory) -> str | None:
    return check_store(memory._store.log.path, views=VIEWS, checks=CHECKS).damage


def clashes(memory: Memory, name: str) -> list[Clash]:
    with memory._store.log.snapshot() as transaction:
        snapshot = snapshot_of(transaction, memory._store.log.clock)
        return conflicts_of(snapshot, find_subject(transaction, name))


@pytest.fixture
def clashing(memory: Memory) -> Memory:
    memory.checkpoint([STRIPE])
    memory.checkpoint([ADYEN])
    return memory


# -- found -------------------------------------------------------------------------------------------------------------


def test_the_checkpoint_that_brings_a_conflict_says_so(memory: Memory) -> None:
    assert memory.checkpoint([STRIPE]).conflicts == ()
    (told,) = memory.checkpoint([ADYEN, "v1.fact.db = PostgreSQL"]).conflicts
    assert (told.first, told.second, told.kind, told.reason) == (A, B, "value", "Stripe is not Adyen")
    (found,) = memory.conflicts()
    assert (found.first.value, found.second.value) == ("Stripe", "Adyen")
    assert (found.kind, found.reason, found.found_at) == (told.kind, told.reason, found.second.recorded_at)


def test_within_one_checkpoint_too(memory: Memory) -> None:
    (told,) = memory.checkpoint(TIMEOUTS).conflicts
    assert told.kind == "number"
    assert len(memory.conflicts()) == 1
    assert damage(memory) is None


def test_it_is_found_from_both_sides(clashing: Memory) -> None:
    assert open_pairs(clashing, A) == open_pairs(clashing, B) == {(A, B)}
    (clash,) = clashes(clashing, B)
    assert clash == clashes(clashing, A)[0]
    assert (clash.kind, clash.reason, clash.confirmed) == ("value", "Stripe is not Adyen", False)
    with pytest.raises(NotFound):
        clashing.conflicts("v1.fact.nobody")


def test_the_reason_follows_the_order_of_the_two_atoms_wherever_it_is_shown(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.b = The API timeout is 13 seconds"])
    (told,) = memory.checkpoint(["v1.fact.a = The API timeout is 6 seconds"]).conflicts
    (found,) = memory.conflicts()
    (shown,) = memory.bootstrap().conflicting_facts
    assert (found.first.name, found.second.name) == (told.first, told.second) == (shown.first, shown.second)
    assert {told.reason, found.reason, shown.reason} == {"13 seconds is not 6 seconds"}


LIVES = ("Lives in London", "Lives in Rome")
PROVIDERS = ("The payment provider is Stripe", "The payment provider is Adyen")


@pytest.mark.parametrize(
    ("values", "entities", "conflicts"),
    [
        (LIVES, (["Ada"], ["Bob"]), 0),
        (LIVES, (["Ada", "London"], ["Bob", "Rome"]), 0),
        (("30 s", "45 s"), (["Billing"], ["Search"]), 0),
        (LIVES, (["Ada"], ["Ada"]), 1),
        (LIVES, (["ada"], ["Ada Lovelace", "Rome"]), 1),
        (LIVES, (["Ada Lovelace", "London"], ["ada"]), 1),
        (LIVES, (["Ada", "Bob"], ["Bob"]), 1),
        (LIVES, (["Ada"], []), 1),
        (PROVIDERS, (["Stripe"], ["Adyen"]), 1),
        (PROVIDERS, (["Stripe Inc", "payment\n provider"], ["Adyen N.V.", "Shop"]), 1),
        (PROVIDERS, (["Payments"], ["Shop"]), 1),
        (("The database is Postgres", "The database is MySQL"), (["PostgreSQL"], ["Backend"]), 1),
    ],
)
def test_notes_that_are_stated_to_be_about_others_do_not_contradict_each_other(
    memory: Memory, values: Iterable[str], entities: Iterable[list[str]], conflicts: int
) -> None:
    names = ("v1.fact.timeout", "v1.note.timeout") if "30 s" in values else ("v1.fact.n1", "v1.fact.n2")
    for name, value, listed in zip(names, values, entities, strict=True):
        saved = memory.checkpoint([{"name": name, "value": value, "entities": listed}])
    assert len(saved.conflicts) == len(memory.conflicts()) == conflicts
    assert len(open_pairs(memory, names[0])) == conflicts
    assert {hit.newer is None for hit in memory.search("lives payment provider database timeout")} == (
        {True, False} if conflicts else {True}
    )


def test_ingested_text_gets_into_no_opening_by_contradicting_what_is_there(memory: Memory) -> None:
    memory.checkpoint([{"name": A, "value": "Stripe", "origin": "user"}])
    before = memory.bootstrap()
    saved = memory.checkpoint([{"name": B, "value": "Adyen", "origin": "ingested"}])
    assert (saved.conflicts, open_pairs(memory), open_pairs(memory, A)) == ((), set(), set())
    (asked,) = memory.conflicts(A, ingested=True)
    assert (asked.first.name, asked.second.name) == (A, B)
    after = memory.bootstrap()
    assert after.conflicting_facts == ()
    assert "Adyen" not in str(after.to_dict())
    assert [atom.evidence for atom in after.atoms] == [atom.evidence for atom in before.atoms]
    shown = memory.bootstrap(ingested=True)
    assert [(clash.first, clash.second) for clash in shown.conflicting_facts] == [(A, B)]
    evidence = {atom.name: atom.evidence for atom in shown.atoms}
    assert (evidence[A] or 1) < (before.atoms[0].evidence or 0)


def test_who_records_against_ingested_text_is_not_told_either(memory: Memory) -> None:
    memory.checkpoint([{"name": A, "value": "Stripe", "origin": "ingested"}])
    assert memory.checkpoint([ADYEN]).conflicts == ()
    assert [item.second.name for item in memory.conflicts(ingested=True)] == [B]
    assert memory.checkpoint([f"{C} = The payment provider is Klarna"]).conflicts[0].first == B


@pytest.mark.parametrize("turned", [False, True])
def test_a_conflict_counts_for_little_until_somebody_confirms_it(clashing: Memory, *, turned: bool) -> None:
    def evidence(name: str) -> float:
        (atom,) = clashing.weigh([name])
        assert atom.evidence is not None
        return atom.evidence

    suspected = evidence(A)
    assert 0.45 <= suspected < 0.5
    source, target = (B, A) if turned else (A, B)
    clashing.checkpoint(edges=[{"source": source, "type": "contradicts", "target": target}])
    assert [clash.confirmed for clash in clashes(clashing, A)] == [True]
    assert evidence(A) < 0.25
    assert open_pairs(clashing) == {(A, B)}
    clashing.checkpoint([f"{B} = Klarna"])  # another value: nobody confirmed that one
    assert [clash.confirmed for clash in clashes(clashing, A)] == [False]
    assert evidence(A) == pytest.approx(suspected, abs=0.01)
    clashing.resolve(A, B)
    assert evidence(A) > suspected


def test_what_an_earlier_release_took_for_a_contradiction_is_open_only_if_confirmed(clashing: Memory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("substrate.claims.contradiction", lambda *_: None)
        assert len(clashing.conflicts()) == 0
        clashing.checkpoint(edges=[{"source": A, "type": "contradicts", "target": B}])
        (found,) = clashing.conflicts()
        assert (found.reason, found.kind) == ("an edge says so", "value")
    assert len(clashing.conflicts()) == 1


def test_another_version_is_no_conflict_with_the_one_before(memory: Memory) -> None:
    memory.checkpoint([STRIPE])
    assert memory.checkpoint([f"{A} = Adyen"]).conflicts == ()
    assert memory.checkpoint([f"{A} = Klarna", f"{A} = Mollie"]).conflicts == ()
    assert len(memory.conflicts()) == 0


@pytest.mark.parametrize(
    ("until", "since", "conflicts"), [("2025-01-01", "2025-01-01", 0), ("2025-01-02", "2025-01-01", 1)]
)
def test_only_what_holds_at_the_same_time_contradicts(memory: Memory, until: str, since: str, conflicts: int) -> None:
    memory.checkpoint([{"name": A, "value": "Stripe", "valid_to": until}])
    saved = memory.checkpoint([{"name": B, "value": "Adyen", "valid_from": since}])
    assert len(saved.conflicts) == len(memory.conflicts()) == conflicts


def test_the_same_said_again_finds_nothing_new(clashing: Memory) -> None:
    before = rows(clashing, CONFLICTS)
    assert clashing.checkpoint([ADYEN]).conflicts == ()
    assert rows(clashing, CONFLICTS) == before


def test_pages(memory: Memory) -> None:
    memory.checkpoint([STRIPE, ADYEN, KLARNA])
    everything = memory.conflicts()
    assert len(everything) == 3
    assert not everything.more
    first, rest = memory.conflicts(limit=1), memory.conflicts(limit=5, offset=1)
    assert first.more
    assert (*first, *rest) == tuple(everything)
    for wrong in (-1, True, "3"):
        with pytest.raises(SchemaInvalid):
            memory.conflicts(limit=wrong)  # type: ignore[arg-type]
    with pytest.raises(TooLarge):
        memory.conflicts(limit=1001)


def test_as_many_are_compared_and_found_as_is_said(memory: Memory) -> None:
    def said(number: int) -> str:
        return f"v1.fact.note_{number} = The api timeout is {number + 1} s"

    saved = memory.checkpoint([said(number) for number in range(3 * COMPARED)])
    assert len(saved.conflicts) == sum(min(number, FOUND) for number in range(3 * COMPARED))
    (*_, last) = memory.checkpoint([said(1000)]).conflicts
    assert last.first == f"v1.fact.note_{3 * COMPARED - FOUND}", "the newest come first"


def test_what_lies_beyond_the_bound_is_not_compared(memory: Memory) -> None:
    """The bound is real: it is what keeps a checkpoint from costing more, the more a store holds."""
    memory.checkpoint(["v1.fact.first = The api timeout is 5 s"])
    memory.checkpoint([f"v1.fact.note_{number} = The api timeout is 7 s" for number in range(COMPARED)])
    assert memory.checkpoint(["v1.fact.other = The api timeout is 7 s"]).conflicts == ()


# -- and gone ----------------------------------------------------------------------------------------------------------


def test_another_value_ends_it_or_brings_another(clashing: Memory) -> None:
    clashing.checkpoint([f"{B} = stripe"])
    assert (len(clashing.conflicts()), rows(clashing, CONFLICTS)) == (0, {})
    (told,) = clashing.checkpoint([f"{B} = Klarna"]).conflicts
    assert told.reason == "Stripe is not Klarna"
    assert damage(clashing) is None


def test_a_tombstone_ends_it_and_a_revival_brings_it_back(clashing: Memory) -> None:
    clashing.checkpoint(tombstones=[A])
    assert (len(clashing.conflicts()), rows(clashing, CONFLICTS)) == (0, {})
    assert clashing.checkpoint(["v1.fact.db = MySQL"]).conflicts == ()
    assert len(clashing.checkpoint([STRIPE]).conflicts) == 1


def test_a_superseded_atom_is_in_no_conflict_until_that_is_taken_back(clashing: Memory) -> None:
    edge = {"source": B, "type": "supersedes", "target": A}
    clashing.checkpoint(edges=[edge])
    assert (open_pairs(clashing), clashes(clashing, A)) == (set(), [])
    clashing.checkpoint(unedges=[edge])
    assert open_pairs(clashing) == {(A, B)}


def test_a_person_who_brings_back_what_an_agent_superseded_is_told_what_contradicts_it(memory: Memory) -> None:
    """The twin: what the agent itself says there later stays superseded, and contradicts nothing."""
    memory.checkpoint([{"name": B, "value": "The API timeout is 6 seconds"}])
    agent = memory.client(surface_actor("atoms", "helper"))
    edge = {"source": A, "type": "supersedes", "target": B}
    agent.checkpoint([{"name": A, "value": "The API timeout is 13 seconds"}], edges=[edge])
    assert agent.checkpoint([{"name": B, "value": "The API timeout is 8 seconds"}]).conflicts == ()
    assert len(memory.checkpoint([{"name": B, "value": "The API timeout is 7 seconds"}]).conflicts) == 1
    assert len(memory.conflicts()) == 1


@pytest.mark.parametrize("kind", ["supersedes", "consistent_with"])
def test_what_is_settled_by_the_checkpoint_itself_is_not_told(memory: Memory, kind: str) -> None:
    memory.checkpoint([STRIPE])
    saved = memory.checkpoint([ADYEN], edges=[{"source": B, "type": kind, "target": A}])
    assert (saved.conflicts, len(memory.conflicts())) == ((), 0)


def test_of_a_forgotten_atom_nothing_is_left(clashing: Memory) -> None:
    with clashing._store.log.snapshot() as transaction:
        subject = find_subject(transaction, A)
    assert any(subject in key for table in (CLAIMS, CONFLICTS) for key in rows(clashing, table))
    assert clashing.forget(A).traces == 2
    assert not any(subject in key for table in (CLAIMS, CONFLICTS) for key in rows(clashing, table))
    assert len(clashing.conflicts()) == 0
    files = [path.read_bytes() for path in Path(clashing._store.log.path).rglob("*") if path.is_file()]
    assert not any(b"Stripe" in data or b"stripe" in data for data in files)


def test_who_loses_the_current_version_by_a_forget_loses_its_conflicts(memory: Memory) -> None:
    memory.checkpoint([STRIPE, f"{B} = Stripe"])
    memory.checkpoint([ADYEN], source="rumour")
    assert len(memory.conflicts()) == 1
    assert memory.forget(source="rumour").tombstoned == (B,)
    assert (len(memory.conflicts()), rows(memory, CONFLICTS), damage(memory)) == (0, {}, None)


# -- resolved ----------------------------------------------------------------------------------------------------------


def test_both_can_be_right(clashing: Memory) -> None:
    clashing.resolve(A, B, reason="cards and bank transfers", actor="ada")
    assert (len(clashing.conflicts()), clashes(clashing, A)) == (0, [])
    (edge,) = clashing.edges(A, type="consistent_with")
    assert (edge.target, edge.actor, edge.attrs["reason"]) == (B, "ada", "cards and bank transfers")
    assert edge.attrs["resolved"] == [clashing.access(A).atom.seq, clashing.access(B).atom.seq]


def test_one_can_be_right(clashing: Memory) -> None:
    clashing.resolve(A, B, keep=B)
    assert clashing.access(A).atom.superseded_by == (B,)
    assert len(clashing.conflicts()) == 0


def test_what_is_resolved_stays_so(clashing: Memory, reopen: Callable[..., Memory]) -> None:
    clashing.resolve(B, A)
    clashing.checkpoint([STRIPE, ADYEN])
    assert clashing.checkpoint([{"name": A, "value": "Stripe", "tags": ["money"]}]).conflicts == ()
    clashing.rebuild()
    assert len(clashing.conflicts()) == 0
    assert len(reopen(read_only=True).conflicts()) == 0


def test_another_value_is_another_conflict_and_can_be_resolved_again(clashing: Memory) -> None:
    clashing.resolve(A, B)
    assert len(clashing.checkpoint([f"{A} = Klarna"]).conflicts) == 1
    assert open_pairs(clashing) == {(A, B)}
    clashing.resolve(A, B)
    assert len(clashing.conflicts()) == 0


def test_what_was_resolved_can_be_opened_again(clashing: Memory) -> None:
    clashing.resolve(A, B)
    clashing.checkpoint(unedges=[{"source": A, "type": "consistent_with", "target": B}])
    assert open_pairs(clashing) == {(A, B)}


def test_what_is_no_conflict_cannot_be_resolved(clashing: Memory) -> None:
    clashing.checkpoint(["v1.fact.db = MySQL"])
    with pytest.raises(NotFound, match="no open conflict"):
        clashing.resolve(A, "v1.fact.db")
    with pytest.raises(NotFound):
        clashing.resolve(A, "v1.fact.nobody")
    with pytest.raises(InputError, match="one of the two"):
        clashing.resolve(A, B, keep="v1.fact.db")
    clashing.resolve(A, B)
    with pytest.raises(NotFound, match="no open conflict"):
        clashing.resolve(B, A)


def test_who_resolves_what_another_has_changed_is_told(clashing: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    save = facade.checkpoint

    def late(*given: object, **more: object) -> object:
        monkeypatch.setattr(facade, "checkpoint", save)
        clashing.checkpoint([f"{A} = Klarna"])
        return save(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(facade, "checkpoint", late)
    with pytest.raises(Conflict):
        clashing.resolve(A, B)


# -- whatever happens --------------------------------------------------------------------------------------------------

SAID = (STRIPE, ADYEN, KLARNA, *TIMEOUTS, "v1.constraint.api = The API timeout is 2 min", f"{C} = off")


@pytest.mark.parametrize("order", list(permutations(SAID[:4]))[::3])
def test_the_order_of_saving_does_not_matter(memory: Memory, order: Iterable[str]) -> None:
    for atom in order:
        memory.checkpoint([atom])
    assert open_pairs(memory) == {(A, B), (min(A, C), max(A, C)), (min(B, C), max(B, C))}


@pytest.mark.no_cover
@settings(max_examples=rounds(10, 400))
@given(st.lists(st.lists(st.sampled_from(SAID), min_size=1, max_size=4), min_size=1, max_size=6), st.randoms())
def test_a_rebuild_makes_the_same_rows_and_what_is_open_is_what_contradicts(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[str]], rng: random.Random
) -> None:
    folder = tmp_path_factory.mktemp("store")
    with open_memory(folder / "s", home=folder / "h", clock=ManualClock(), model="none", background=False) as memory:
        for batch in batches:
            memory.checkpoint(batch)
            names = [atom.name for atom in memory.list()]
            if rng.random() < 0.3:
                memory.checkpoint(tombstones=[rng.choice(names)])
            elif rng.random() < 0.3:
                memory.forget(rng.choice(names))
        live = {table: rows(memory, table) for table in (CLAIMS, CONFLICTS)}
        assert damage(memory) is None
        memory.rebuild()
        assert {table: rows(memory, table) for table in (CLAIMS, CONFLICTS)} == live
        now = open_pairs(memory)
        current = [f"{atom.name} = {atom.value}" for atom in memory.list()]
    with open_memory(folder / "anew", home=folder / "h", model="none", background=False) as anew:
        if current:
            anew.checkpoint(current)
        assert open_pairs(anew) == now


def test_a_store_from_before_is_caught_up_when_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = {"home": tmp_path / "home", "model": "none", "background": False}
    with monkeypatch.context() as before:
        old = tuple(view for view in VIEWS if not isinstance(view, ClaimView))
        before.setattr("substrate.store.VIEWS", old)
        before.setattr("substrate.claims.read_claim", lambda *_: None)
        with open_memory(tmp_path / "store", **place) as memory:  # type: ignore[arg-type]
            memory.checkpoint([STRIPE])
            memory.checkpoint(["v1.fact.db = MySQL", "v1.fact.other = gone"])
            memory.forget("v1.fact.other")
            assert rows(memory, CLAIMS) == {}
    with open_memory(tmp_path / "store", **place) as memory:  # type: ignore[arg-type]
        assert rows(memory, CLAIMS) != {}
        assert len(memory.checkpoint([ADYEN]).conflicts) == 1
        assert damage(memory) is None


# -- rows that cannot be ours ------------------------------------------------------------------------------------------


def forge(memory: Memory, change: Callable[[dict[bytes, bytes]], dict[bytes, bytes]]) -> None:
    store = memory._store.log._store
    assert isinstance(store, LmdbStore)
    before = rows(memory, CONFLICTS)
    with store.write() as transaction:
        for key in before:
            transaction.delete(CONFLICTS, key)
        for key, value in change(before).items():
            transaction.put(CONFLICTS, key, value)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda found: dict(list(found.items())[:1]), id="one side only"),
        pytest.param(lambda found: {key: row[:-1] for key, row in found.items()}, id="too short"),
        pytest.param(lambda found: {key[:20]: row for key, row in found.items()}, id="no two ids"),
        pytest.param(lambda found: {key: row[:16] + b"\x09" + row[17:] for key, row in found.items()}, id="no kind"),
        pytest.param(lambda found: {key: bytes(16) + row[16:] for key, row in found.items()}, id="no such version"),
        pytest.param(lambda found: {key: b"\xff" * 16 + row[16:] for key, row in found.items()}, id="beyond the log"),
    ],
)
def test_fsck_finds_rows_that_cannot_have_been_written(
    clashing: Memory, change: Callable[[dict[bytes, bytes]], dict[bytes, bytes]]
) -> None:
    assert damage(clashing) is None
    forge(clashing, change)
    assert "conflicts" in str(damage(clashing))


def test_a_full_export_takes_conflicts_along(clashing: Memory, tmp_path: Path) -> None:
    clashing.export(tmp_path / "full.jsonl", full=True)
    lines = [json.loads(line) for line in (tmp_path / "full.jsonl").read_text().splitlines()]
    assert any(CONFLICTS in json.dumps(line) for line in lines)


def test_parts_of_a_whole_claim_nothing(memory: Memory) -> None:
    memory.checkpoint(["v1.talk.monday = A talk"])
    for position, seconds in enumerate((30, 45)):
        turn = {"name": f"v1.turn.t{'ab'[position]}", "value": f"The API timeout is {seconds} seconds"}
        saved = memory.checkpoint([{**turn, "parent": "v1.talk.monday", "position": position}])
        assert not saved.conflicts


# -- judged by one who looked before -----------------------------------------------------------------------------------


def test_who_judged_versions_that_are_no_more_is_told_and_nothing_is_settled(clashing: Memory) -> None:
    (seen,) = clashing.conflicts()
    expect = {seen.first.name: seen.first.seq, seen.second.name: seen.second.seq}
    clashing.checkpoint([f"{A} = Klarna"])
    with pytest.raises(Conflict):
        clashing.resolve(A, B, keep=A, expect=expect)
    assert open_pairs(clashing) == {(A, B)}
    (seen,) = clashing.conflicts()
    clashing.resolve(A, B, keep=A, expect={seen.first.name: seen.first.seq, seen.second.name: seen.second.seq})
    assert not clashing.conflicts()


def test_windows_that_do_not_overlap_end_a_conflict_between_what_both_say(clashing: Memory) -> None:
    (seen,) = clashing.conflicts()
    windows = [
        {"name": A, "value": "Stripe", "valid_to": "2026-01-01"},
        {"name": B, "value": "Adyen", "valid_from": "2026-01-01"},
    ]
    saved = clashing.checkpoint(windows, expect={A: seen.first.seq, B: seen.second.seq})
    assert saved.recorded == (A, B)
    assert not saved.conflicts
    assert not clashing.conflicts()
    clashing.checkpoint([windows[0] | {"valid_to": "2026-02-01"}])
    assert open_pairs(clashing) == {(A, B)}


def test_the_two_sides_of_a_conflict_can_be_weighed(clashing: Memory) -> None:
    first, second = clashing.weigh([A, B])
    assert (first.name, second.name) == (A, B)
    assert first.grounds["conflict"] < 0
    assert first.evidence is not None
    assert first.evidence < 0.5
    clashing.resolve(A, B, keep=A)
    (kept,) = clashing.weigh([A, B])
    assert kept.name == A
    assert "conflict" not in kept.grounds
