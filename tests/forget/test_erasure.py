"""Row 19: what was forgotten is in no file any more, in no spelling; other proofs hold, as does that of the erasure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate.errors import Forgotten, NotFound
from substrate.kv.lmdb.environment import LmdbStore
from substrate.kv.lmdb.transactions import Writing
from substrate.log.copies.check import check_store
from substrate.log.tables import ATOMS, BODIES, CARDS, COUNTS, EXPECTED, JOINS, POSTINGS, VERSIONS
from substrate.memory import Memory, open_memory
from substrate.proof.verify import Verifier
from substrate.views import words
from substrate.views.catalogue import VIEWS
from tests.forget.canary import OTHERS, Planted, edge, made_up, plant
from tests.leftovers import spellings, traces_of
from tests.proof import script
from tests.scale import rounds

standalone = script.load()


def exported(memory: Memory, folder: Path, number: int) -> None:
    memory.export(folder / f"plain{number}.jsonl")
    memory.export(folder / f"full{number}.jsonl", full=True)


def check_others(memory: Memory, planted: Planted, key: str, pin: str) -> None:
    """Proofs of the others, made before and after, hold; by our verifier and by the script alone."""
    verifier = Verifier(key=key)
    for other in OTHERS:
        assert verifier.verify(planted.proofs[other].to_json(), name=other, claim="current").trusted
        assert verifier.verify(planted.recorded[other].to_json(), claim="recorded").trusted
        for bundle, claim in (
            (memory.prove(other, since=pin), "current"),
            (memory.prove_entry(planted.seqs[other], since=pin), "recorded"),
        ):
            assert Verifier(pin=pin).verify(bundle.to_json(), claim=claim).trusted
            for trust in ({"key": key}, {"pin_text": pin}):
                result = standalone.verify(bundle.to_json(), **trust)
                assert (result.claim, bool(result.trust)) == (claim, True)
    assert {name: memory.access(name).atom.seq for name in OTHERS} == planted.seqs


@pytest.mark.no_cover
@pytest.mark.soak
@pytest.mark.parametrize("seed", range(rounds(4, 200)))
def test_nothing_is_left_of_what_was_forgotten_by_name(tmp_path: Path, seed: int) -> None:
    store, home, out = tmp_path / "store", tmp_path / "home", tmp_path / "out"
    out.mkdir()
    with open_memory(store, home=home) as memory:
        planted = plant(memory, seed)
        key, pin = str(memory.key()), str(memory.pin())
        assert traces_of(planted.sought, tmp_path) != []
        erased = [version.seq for version in memory.history(planted.name)]
        forgot = memory.forget(planted.name)
        assert (forgot.atoms, forgot.compacted) == (1, True)
        assert forgot.versions >= len(erased)
        if waiting := memory.stats().dangling:
            pytest.fail(f"{waiting} names are still waited for, by edges that were forgotten")
        assert traces_of(planted.sought, tmp_path) == []
        check_others(memory, planted, key, pin)
        with pytest.raises(Forgotten) as raised:
            memory.access(planted.name)
        proof: Any = raised.value.proof
        assert Verifier(key=key).verify(proof.to_json(), name=planted.name, claim="forgotten").trusted
        assert standalone.verify(proof.to_json(), key=key).claim == "forgotten"
        history = memory.history(planted.name)
        assert [(version.kind, version.seq) for version in history] == [("gap", seq) for seq in erased]
        assert {version.forgotten_by for version in history} <= set(forgot.seqs)
        for seq in erased:
            with pytest.raises(Forgotten):
                memory.prove_entry(seq)
            with pytest.raises(Forgotten):
                memory.access(planted.name, as_of=seq)
        for other in OTHERS:
            assert not [e for e in memory.edges(other) if planted.canary in repr(e)]
        exported(memory, out, 1)
        memory.rebuild()
        exported(memory, out, 2)
        memory.backup(out / "backup")
        assert traces_of(planted.sought, tmp_path) == []
    assert check_store(store, home=home, views=VIEWS).damage is None


SELECTIONS: dict[str, Callable[[Memory, Planted], dict[str, Any]]] = {
    "id": lambda memory, planted: {"names": history_id(memory, planted)},
    "names": lambda _, planted: {"names": [planted.name]},
}


def history_id(memory: Memory, planted: Planted) -> str:
    return next(v.atom.id for v in memory.history(planted.name) if v.atom is not None)


@pytest.mark.parametrize("how", SELECTIONS)
def test_an_atom_can_be_forgotten_by_its_id_and_in_a_list(memory: Memory, tmp_path: Path, how: str) -> None:
    planted = plant(memory, 1)
    assert memory.forget(**SELECTIONS[how](memory, planted)).atoms == 1
    assert traces_of(planted.sought, tmp_path) == []


@pytest.mark.parametrize("field", ["actor", "session", "source"])
def test_what_one_actor_session_or_source_said_goes_and_the_rest_stays(
    memory: Memory, tmp_path: Path, store: Path, home: Path, field: str
) -> None:
    canary = made_up(7)
    memory.checkpoint(["v1.fact.kept = mine"])
    said: dict[str, Any] = {field: canary}
    other = {"source": "v1.fact.kept", "type": "likes", "target": "v1.fact.x", "attrs": {"of": canary}}
    memory.checkpoint([f"v1.fact.{canary} = a", "v1.fact.kept = theirs"], edges=[other], **said)
    memory.checkpoint(["v1.fact.later = mine"])
    counted = memory.forget(dry_run=True, **said)
    forgot = memory.forget(**said)
    assert (forgot.atoms, forgot.versions, forgot.edges) == (1, 2, 1)
    assert (counted.atoms, counted.versions, counted.edges, counted.seqs) == (1, 2, 1, ())
    assert forgot.tombstoned == ("v1.fact.kept",)
    assert traces_of(canary, tmp_path) == []
    assert [version.kind for version in memory.history("v1.fact.kept")] == ["put", "gap", "tombstone"]
    assert [atom.name for atom in memory.list()] == ["v1.fact.later"]
    with pytest.raises(NotFound):
        memory.forget(**said)
    memory.close()
    assert check_store(store, home=home, views=VIEWS).damage is None


def test_a_range_of_seqs_can_be_forgotten(memory: Memory, tmp_path: Path) -> None:
    canary = made_up(8)
    memory.checkpoint(["v1.fact.kept = before"])
    saved = memory.checkpoint([f"v1.fact.{canary} = a", f"v1.fact.kept = {canary}"])
    memory.checkpoint(["v1.fact.kept = after"])
    forgot = memory.forget(seqs=saved.seqs)
    assert (forgot.atoms, forgot.versions, forgot.tombstoned) == (1, 2, ())
    assert traces_of(canary, tmp_path) == []
    assert [version.kind for version in memory.history("v1.fact.kept")] == ["put", "gap", "put"]
    assert memory.access("v1.fact.kept").value == "after"


def test_a_name_that_edges_wait_for_can_be_forgotten_before_it_is_there(memory: Memory, tmp_path: Path) -> None:
    canary = made_up(9)
    memory.checkpoint(["v1.fact.a = x"], edges=[edge("v1.fact.a", "likes", f"v1.fact.{canary}")])
    assert traces_of(canary, tmp_path) != []
    assert memory.forget(f"v1.fact.{canary}").edges == 1
    assert traces_of(canary, tmp_path) == []
    assert len(memory.edges("v1.fact.a")) == 0
    assert memory.stats().dangling == 0


def test_a_name_recorded_again_after_it_was_forgotten_is_another_atom(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = x", "v1.fact.b = y"], edges=[edge("v1.fact.b", "likes", "v1.fact.a")])
    first = memory.access("v1.fact.a").atom
    (forgotten_by,) = memory.forget("v1.fact.a").seqs
    memory.checkpoint(["v1.fact.a = x"])
    second = memory.access("v1.fact.a").atom
    assert second.id != first.id
    assert len(memory.edges("v1.fact.b")) == 0
    assert [(v.kind, v.seq, v.forgotten_by) for v in memory.history("v1.fact.a")] == [
        ("gap", first.seq, forgotten_by),
        ("put", second.seq, None),
    ]
    with pytest.raises(Forgotten):
        memory.access("v1.fact.a", as_of=first.seq)
    with pytest.raises(NotFound):
        memory.access(first.id)
    assert memory.list(as_of=first.seq).forgotten == 1


def test_a_dry_run_writes_nothing_at_all(memory: Memory, store: Path) -> None:
    planted = plant(memory, 3)
    before = [path.read_bytes() for path in sorted(store.rglob("data.mdb"))]
    counted = memory.forget(planted.name, dry_run=True)
    assert (counted.dry_run, counted.atoms, counted.compacted, counted.seqs) == (True, 1, False, ())
    assert [path.read_bytes() for path in sorted(store.rglob("data.mdb"))] == before
    assert memory.forget(planted.name).versions == counted.versions


@pytest.mark.parametrize("given", [{}, {"names": ()}, {"names": "v1.fact.a", "actor": "x"}])
def test_what_is_to_be_forgotten_must_be_said_in_one_way(memory: Memory, given: dict[str, Any]) -> None:
    memory.checkpoint(["v1.fact.a = x"])
    with pytest.raises(substrate.errors.InputError):
        memory.forget(**given)
    assert memory.access("v1.fact.a").value == "x"


def test_another_handle_reads_on_after_a_forget(reopen: Callable[..., Memory], tmp_path: Path) -> None:
    one, two = reopen(), reopen()
    planted = plant(one, 5)
    assert two.access(OTHERS[0]).value == "0"
    assert one.forget(planted.name).compacted
    with pytest.raises(Forgotten):
        two.access(planted.name)
    assert two.access(OTHERS[0]).value == "0"
    assert traces_of(planted.sought, tmp_path) == []


# -- broken twins: the search through the files finds what a careless forget would leave ---------------------------


def a_secret_domain(memory: Memory) -> tuple[str, tuple[str, str]]:
    """A document of a domain that is told of nowhere else, joined to others; its domain, and its id."""
    canary = made_up(13)[:20]
    name = f"v1.document.{canary}.d"
    memory.checkpoint([f"{name} = x", {"name": "v1.fact.part", "value": "y", "parent": name}])
    memory.checkpoint(edges=[edge("v1.fact.part", "member_of", name), edge("v1.fact.other", canary, name)])
    return name, (canary, memory.access(name).atom.id.replace("-", ""))


def rows_with(memory: Memory, table: str, sought: bytes) -> int:
    with memory._store.log.snapshot() as transaction:
        return sum(sought in key or sought in row for key, row in transaction.scan(table))


@pytest.mark.parametrize("table", [CARDS, JOINS, COUNTS])
def test_cards_joins_and_counts_tell_nothing_of_what_was_forgotten(memory: Memory, tmp_path: Path, table: str) -> None:
    name, (canary, subject) = a_secret_domain(memory)
    sought = {CARDS: bytes.fromhex(subject), JOINS: bytes.fromhex(subject), COUNTS: canary.encode()}[table]
    assert rows_with(memory, table, sought)
    memory.forget(["v1.fact.part", name])
    assert not rows_with(memory, table, sought)
    assert traces_of([canary], tmp_path) == []


@pytest.mark.parametrize("table", [CARDS, JOINS, COUNTS])
def test_a_forget_that_skips_cards_joins_or_counts_is_caught(
    memory: Memory, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, (canary, subject) = a_secret_domain(memory)
    for change in ("delete", "put", "put_many"):
        skip_table(monkeypatch, change, table)
    memory.forget(["v1.fact.part", name])
    sought = {CARDS: bytes.fromhex(subject), JOINS: bytes.fromhex(subject), COUNTS: canary.encode()}[table]
    assert rows_with(memory, table, sought)


def skip_table(patch: pytest.MonkeyPatch, change: str, table: str) -> None:
    done = getattr(Writing, change)
    patch.setattr(Writing, change, lambda self, where, *said: None if where == table else done(self, where, *said))


@pytest.mark.parametrize("table", [ATOMS, VERSIONS, EXPECTED, BODIES, POSTINGS])
def test_a_forget_that_skips_one_table_is_caught(
    memory: Memory, tmp_path: Path, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = plant(memory, 11)
    delete = Writing.delete

    def careless(self: Writing, where: str, key: bytes) -> object:
        return None if where == table else delete(self, where, key)

    monkeypatch.setattr(Writing, "delete", careless)
    memory.forget(planted.name)
    assert traces_of(planted.sought, tmp_path) != []


def test_a_forget_that_does_not_compact_is_caught(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = plant(memory, 12)
    monkeypatch.setattr(LmdbStore, "compact", lambda *_, **__: None)
    memory.forget(planted.name)
    assert traces_of(planted.sought, tmp_path) != []


SENTENCE = "Confidentially, Zanzibárian negotiations were happening; 秘密計画 was agreed"
STEMS = ["confidenti", "zanzibárian", "zanzibarian", "negoti", "happen", "密計", "計画"]


def stored_terms(memory: Memory) -> list[str]:
    with memory._store.log.snapshot() as transaction:
        return [key[5:].decode(errors="replace") for key, _ in transaction.scan(POSTINGS)]


def forget_a_sentence(memory: Memory) -> set[str]:
    """Which of its stems are left in postings, after just one of an atom's versions was forgotten."""
    memory.checkpoint(["v1.fact.kept = agreed before"])
    saved = memory.checkpoint([{"name": "v1.fact.kept", "value": SENTENCE, "tags": ["Zanzibárian"]}])
    memory.checkpoint(["v1.fact.kept = agreed after"])
    assert set(STEMS) <= set(stored_terms(memory))
    memory.forget(seqs=saved.seqs)
    assert "agre" in stored_terms(memory)  # others say it too
    return set(STEMS) & set(stored_terms(memory))


def test_no_stem_of_a_forgotten_text_is_left_in_postings(memory: Memory, tmp_path: Path) -> None:
    assert forget_a_sentence(memory) == set()
    assert traces_of([stem for stem in STEMS if len(stem) > 5], tmp_path) == []


def test_a_view_that_forgets_versions_and_keeps_their_words_is_caught(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "_erase_postings", lambda *_: None)
    assert forget_a_sentence(memory) == set(STEMS)
    assert traces_of("zanzibarian", tmp_path) != []


@pytest.mark.parametrize("how", spellings(made_up(0)))
def test_every_spelling_would_be_found_in_a_file(tmp_path: Path, how: str) -> None:
    canary = made_up(0)
    (tmp_path / "file").write_bytes(b"before" + spellings(canary)[how] + b"after")
    assert any(found.endswith(how) for found in traces_of(canary, tmp_path))
