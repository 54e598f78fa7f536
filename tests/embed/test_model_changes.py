"""Vectors follow the log through other models, forgetting and damage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import substrate
from substrate.codec import draft_other
from substrate.embed import backfill as embedding
from substrate.embed import pending as windows
from substrate.embed.embedder import Embedder
from substrate.embed.load import load
from substrate.log.append import Decision
from substrate.log.copies.check import check_store
from substrate.log.tables import BODIES, EMBEDDED, VECTORS, seq_key
from substrate.memory import Memory
from substrate.proof.entry import Kind
from substrate.views import vectors as vector_tables
from substrate.views.catalogue import CACHE_CHECKS, CHECKS, VIEWS
from substrate.views.vectors import embedded_upto, vectors_between
from tests.embed.embedded import ATOMS, Reopen, fill, rows_of, searched, spaces_of, vector_of


@pytest.fixture
def tiny(made: Path, cache: Path) -> Path:
    """A small model, in force for the settings."""
    assert cache.exists()
    return made / "models" / "tiny-mean"


@pytest.fixture
def memory(reopen: Reopen, tiny: Path) -> Memory:
    """A store that embeds with the tiny model, when it is told to."""
    return reopen(model=tiny, background=False)


# -- another model ---------------------------------------------------------------------------------------------------


def test_until_another_model_is_done_the_old_space_is_searched_and_then_erased(  # noqa: PLR0913, PLR0917
    memory: Memory, made: Path, tiny: Path, store: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "WINDOW", 4)
    monkeypatch.setattr(embedding, "_PORTION", 3)
    fill(memory, 10)
    memory.index()
    old, new = load(tiny).space, load(made / "models" / "tiny-max").space
    upto = spaces_of(memory)[old]
    told = memory.use_model(made / "models" / "tiny-max")
    assert (told.model, told.waiting, told.searched) == ("tiny-max", 10, "tiny-mean")
    assert searched(memory) == (old, upto)
    seen: list[tuple[bytes, int]] = []

    def look(*_: int) -> None:
        now = searched(memory)
        assert now is not None
        seen.append(now)
        query = vector_of(memory, "the value of 3")
        assert query.vector is not None
        assert (query.space, len(query.vector)) == (now[0], 32 if now[0] == old else 16)

    done = memory.index(look)
    assert (done.embedded, done.model) == (10, "tiny-max")
    assert [space for space, _ in seen] == [old, old, new]
    assert {space for _, space in rows_of(memory)} == {new}
    assert list(spaces_of(memory)) == [new]
    assert memory.model().searched == ""
    assert substrate.fsck(store, home=home).ok


def test_a_search_goes_by_the_model_that_is_searched_now_whatever_the_last_one_went_by(
    memory: Memory, reopen: Reopen, made: Path
) -> None:
    fill(memory, 10)
    memory.index()
    assert memory.search("the value of 3", wait=60).meaning == ""
    memory.use_model(made / "models" / "tiny-max")
    memory.index()
    found = memory.search("the value of 3", wait=60)
    memory.close()
    again = reopen(model=made / "models" / "tiny-max", background=False).search("the value of 3", wait=60)
    assert found.meaning == again.meaning == ""
    assert [(hit.name, hit.likeness) for hit in found] == [(hit.name, hit.likeness) for hit in again]
    assert max(hit.likeness for hit in found) > 0


def test_the_same_model_again_changes_nothing(memory: Memory, tiny: Path) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    size = memory.head().head.size
    memory.use_model(tiny)
    assert memory.head().head.size == size


def test_a_switch_that_was_cut_off_goes_on_and_one_can_go_back(
    memory: Memory, reopen: Reopen, made: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "WINDOW", 4)
    fill(memory, 10)
    memory.index()
    before = rows_of(memory)
    old = load(tiny).space
    memory.use_model(made / "models" / "tiny-max")

    def cut_off(done: int, _: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.index(cut_off)
    assert len(rows_of(memory)) == 14
    memory.use_model(tiny)
    assert searched(memory) == (old, spaces_of(memory)[old])
    memory.index()
    assert rows_of(memory) == before, "what was begun of the other is erased"
    memory.use_model(made / "models" / "tiny-max")
    assert reopen(model=tiny, background=False).index().embedded == 10


def test_erasing_an_old_space_stops_if_it_is_chosen_again(
    memory: Memory, made: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_PORTION", 3)
    fill(memory, 10)
    memory.index()
    old = load(tiny).space
    memory.use_model(made / "models" / "tiny-max")
    follower = memory._store.follower
    with monkeypatch.context() as patch:
        patch.setattr(follower, "_clean", lambda: None)
        memory.index()
    after = follower._clean_some(old, b"")
    assert after is not None
    assert spaces_of(memory)[old] == 0, "from the first portion on it is known to be incomplete"
    memory.use_model(tiny)
    assert follower._clean_some(old, after) is None
    assert len([space for _, space in rows_of(memory) if space == old]) > 0
    memory.index()
    assert {space for _, space in rows_of(memory)} == {old}
    assert len(rows_of(memory)) == 10


def test_a_switch_is_completed_also_if_nothing_is_left_to_embed(memory: Memory, made: Path) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    memory.forget(["v1.fact.payment_provider", "v1.fact.pet", "v1.goal.launch"])
    memory.use_model(made / "models" / "tiny-max")
    memory.index()
    assert memory.model().searched == ""
    assert len(spaces_of(memory)) == 1


# -- forgetting ------------------------------------------------------------------------------------------------------


def test_vectors_of_what_is_forgotten_go_with_it(memory: Memory, store: Path, home: Path) -> None:
    memory.checkpoint(ATOMS)
    memory.checkpoint(["v1.fact.pet = a cat"])
    memory.index()
    bytes_of_it = [row for (seq, _), row in rows_of(memory).items() if seq in {2, 4}]
    memory.forget("v1.fact.pet")
    assert [seq for seq, _ in rows_of(memory)] == [1, 3]
    for path in store.rglob("data.mdb"):
        data = path.read_bytes()
        assert not any(row in data for row in bytes_of_it)
    assert memory.model().waiting == 0
    assert memory.index().embedded == 0
    assert substrate.fsck(store, home=home).ok


def test_forgetting_by_source_takes_the_vectors_of_those_versions(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.pet = a dog"], source="letter")
    memory.checkpoint(["v1.fact.pet = a cat"])
    memory.index()
    memory.forget(source="letter")
    assert [seq for seq, _ in rows_of(memory)] == [2]


def forget_while_embedding(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Embedder.embed_pieces

    def meanwhile(embedder: Embedder, texts: list[str], *more: object) -> object:
        made = real(embedder, texts, *more)  # type: ignore[arg-type]
        memory.forget("v1.fact.pet")
        return made

    monkeypatch.setattr(Embedder, "embed_pieces", meanwhile)
    memory.index()


def test_what_is_forgotten_while_it_is_embedded_gets_no_vectors(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, store: Path, home: Path
) -> None:
    memory.checkpoint(ATOMS)
    forget_while_embedding(memory, monkeypatch)
    assert [seq for seq, _ in rows_of(memory)] == [1, 3]
    assert substrate.fsck(store, home=home).ok


def test_the_twin_that_does_not_look_again_is_noticed(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, store: Path, home: Path
) -> None:
    def trusting(_: object, space: bytes, vectors: dict[int, bytes], upto: int) -> list[vector_tables.CacheRow]:
        rows: list[vector_tables.CacheRow] = [(VECTORS, seq_key(seq) + space, vectors[seq]) for seq in vectors]
        return [*rows, (EMBEDDED, space, seq_key(upto))]

    monkeypatch.setattr(embedding, "keep_vectors", trusting)
    memory.checkpoint(ATOMS)
    forget_while_embedding(memory, monkeypatch)
    assert [seq for seq, _ in rows_of(memory)] == [1, 2, 3]
    report = substrate.fsck(store, home=home)
    assert "has vectors of entry 2, which says nothing (any more)" in (report.damage or "")
    memory.rebuild()
    assert substrate.fsck(store, home=home).ok
    assert rows_of(memory) == {}


# -- damage ----------------------------------------------------------------------------------------------------------

Harm = Callable[[dict[tuple[int, bytes], bytes], bytes], list[tuple[str, bytes, bytes | None]]]
HARMS: dict[str, tuple[Harm, str]] = {
    "cut off": (lambda rows, space: [(VECTORS, seq_key(1) + space, rows[1, space][:-1])], "a wrong size"),
    "empty": (lambda _, space: [(VECTORS, seq_key(1) + space, b"")], "a wrong size"),
    "no vector": (
        lambda rows, space: [(VECTORS, seq_key(1) + space, b"\xff" * len(rows[1, space]))],
        "not of length 1",
    ),
    "of nobody": (lambda rows, space: [(VECTORS, seq_key(99) + space, rows[1, space])], "entry 99, which says nothing"),
    "of a key": (lambda rows, space: [(VECTORS, seq_key(0) + space, rows[1, space])], "entry 0, which says nothing"),
    "of no space": (lambda rows, space: [(VECTORS, seq_key(1) + b"x" * 8, rows[1, space])], "unknown space"),
    "missing": (lambda _, space: [(VECTORS, seq_key(2) + space, None)], "lacks those of entry 2"),
    "too far": (lambda _, space: [(EMBEDDED, space, seq_key(1000))], "a model or a seq that the log does not have"),
    "a strange space": (lambda _, __: [(EMBEDDED, b"y" * 8, seq_key(1))], "a model or a seq"),
    "no seq": (lambda _, space: [(EMBEDDED, space, b"12")], "a model or a seq"),
}


def checked(store: Path, home: Path) -> str | None:
    """What fsck finds, in this process: a child of its own for each look would take ten times as long."""
    return check_store(store, home=home, views=VIEWS, checks=(*CHECKS, *CACHE_CHECKS)).damage


@pytest.mark.parametrize("harm", HARMS)
def test_damage_is_told_with_the_remedy_which_works(memory: Memory, store: Path, home: Path, harm: str) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    (space,) = spaces_of(memory)
    before = rows_of(memory)
    damage, word = HARMS[harm]
    memory._store.log.decide(lambda _, __: Decision((), damage(before, space)))
    found = checked(store, home) or ""
    assert word in found
    assert "substrate rebuild" in found
    memory.rebuild()
    assert rows_of(memory) == {}
    assert checked(store, home) is None
    assert memory.index().embedded == 3
    assert rows_of(memory) == before


def test_versions_that_get_no_vector_are_no_damage_and_are_not_waited_for(
    memory: Memory, store: Path, home: Path
) -> None:
    memory.checkpoint(
        [
            *ATOMS,
            {"name": "v1.entity.d.ada", "value": "Ada", "origin": "ingested"},
            {"name": "v1.note.d", "value": "of v1.entity.d.ada", "origin": "ingested"},
        ]
    )
    told: list[tuple[int, int]] = []
    assert memory.model().waiting == len(ATOMS) + 1
    assert memory.index(progress=lambda *at: told.append(at)).embedded == len(ATOMS) + 1
    assert told[-1] == (len(ATOMS) + 1, len(ATOMS) + 1)
    assert checked(store, home) is None
    assert memory.model().waiting == 0


def test_a_rebuild_keeps_sound_vectors_and_a_restore_does_not_care(
    memory: Memory, tmp_path: Path, home: Path, store: Path
) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    before = rows_of(memory)
    memory.rebuild()
    assert rows_of(memory) == before
    memory._store.log.decide(lambda _, __: Decision((), [(VECTORS, seq_key(1) + b"x" * 8, b"x")]))
    memory.backup(tmp_path / "backup")
    substrate.restore(tmp_path / "backup", tmp_path / "restored", home=home)
    substrate.rebuild(tmp_path / "restored", home=home)
    assert substrate.fsck(tmp_path / "restored", home=home).ok
    assert not substrate.fsck(store, home=home).ok


def test_a_log_that_says_nonsense_about_its_model_is_not_believed(memory: Memory) -> None:
    memory.checkpoint(ATOMS)
    for said in ({"model": 3}, {"model": "x", "digest": "..", "dimensions": 3, "space": "zz" * 8}):
        memory._store.log.append([draft_other(Kind.MODEL, said)])  # type: ignore[arg-type]
    assert memory.index().embedded == 3


def test_the_bodies_that_vectors_are_of_are_there(memory: Memory) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    with memory._store.log.snapshot() as transaction:
        (space,) = [at for at, _ in transaction.scan(EMBEDDED)]
        seqs = [seq for seq, _ in vectors_between(transaction, space)]
        assert all(transaction.get(BODIES, seq_key(seq)) is not None for seq in seqs)
        assert embedded_upto(transaction, space) == 4
