"""train: learnt on someone's word, logged, as one weighted session; the rest of the model stays as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.clock import ManualClock
from substrate.errors import Denied, InputError, NotFound, SchemaInvalid, SecretFound, TooLarge
from substrate.memory import Memory
from substrate.proof.entry import Kind
from substrate.proof.verify import Verifier
from tests.stories import NAMES, rows_of
from tests.test_many_at_once import ask, workers

A, B, C, D, E, F = NAMES


@pytest.fixture
def lettered(memory: Memory) -> Memory:
    memory.checkpoint([*(f"{name} = {name}" for name in NAMES), "v1.domain.shop = all of it"])
    return memory


def probability(memory: Memory, context: str | list[str], target: str) -> float:
    return next((one.probability for one in memory.predict(context, k=50, floor=0) if one.name == target), 0.0)


def test_what_was_trained_is_said_and_predicted(lettered: Memory) -> None:
    trained = lettered.train([A, B, C], 2)
    assert (trained.learnt, trained.passes, trained.skipped, trained.clamped_from) == ((A, B, C), 2, (), None)
    assert [one.name for one in lettered.predict(A, k=2)] == [B, C]


@pytest.mark.parametrize("passes", [4, 100])
def test_more_than_three_passes_are_taken_as_three_and_that_is_said(lettered: Memory, passes: int) -> None:
    trained = lettered.train([A, B], passes)
    assert (trained.passes, trained.clamped_from) == (3, passes)
    assert str(passes) in repr(trained)
    assert "3 is the most" in repr(trained)


def test_what_is_not_in_use_is_skipped_and_told_and_the_rest_is_learnt(lettered: Memory) -> None:
    forgotten = lettered.list(D)[0].id
    lettered.checkpoint(tombstones=[C])
    lettered.forget(D)
    trained = lettered.train([A, "v1.fact.unheard_of", C, D, forgotten, B])
    assert trained.learnt == (A, B)
    assert [(one.item, one.code) for one in trained.skipped] == [
        ("atoms[1]", "not_found"),
        ("atoms[2]", "not_found"),
        ("atoms[3]", "forgotten"),
        ("atoms[4]", "forgotten"),
    ]
    assert "tombstoned" in trained.skipped[1].reason
    assert [one.name for one in lettered.predict(A)] == [B]
    assert "4 skipped" in repr(trained)


def test_if_all_is_skipped_nothing_is_written(lettered: Memory) -> None:
    before = lettered.head()
    trained = lettered.train(["v1.fact.unheard_of"])
    assert (trained.seq, trained.learnt, len(trained.skipped)) == (-1, (), 1)
    assert lettered.head() == before


@pytest.mark.parametrize(
    ("atoms", "options", "refused"),
    [
        ([], {}, InputError),
        (A, {}, SchemaInvalid),
        (None, {}, SchemaInvalid),
        (["no name"], {}, InputError),
        ([A], {"passes": 0}, InputError),
        ([A], {"passes": True}, InputError),
        ([A], {"passes": 1.5}, InputError),
        ([A] * 10_001, {}, TooLarge),
        ([A], {"objective": "use AKIAIOSFODNN7EXAMPLQ for it"}, SecretFound),
        ([A], {"domain": "nowhere"}, NotFound),
    ],
)
def test_what_cannot_be_trained_is_refused_with_nothing_written(
    lettered: Memory, atoms: list[str], options: dict[str, object], refused: type[Exception]
) -> None:
    before = lettered.head()
    with pytest.raises(refused):
        lettered.train(atoms, **options)  # type: ignore[arg-type]
    assert lettered.head() == before


def test_a_training_is_an_entry_that_can_be_proven(lettered: Memory) -> None:
    before = lettered.head().head.size
    with lettered.session("sell more", domain="shop", name="monday") as session:
        trained = session.train([A, B], 3)
    assert (trained.seq, trained.objective, trained.domain) == (before, "sell more", "v1.domain.shop")
    stored = next(iter(lettered._store.log.entries(trained.seq)))
    assert stored.entry.kind is Kind.TRAIN
    verdict = Verifier(key=str(lettered.key())).verify(lettered.prove_entry(trained.seq).to_json(), claim="recorded")
    assert verdict.trusted
    said = json.loads(verdict.body or b"")
    ids = {name: lettered.list(name)[0].id.replace("-", "") for name in (A, B, "v1.domain.shop")}
    assert said == {
        "atoms": [ids[A], ids[B]],
        "domain": ids["v1.domain.shop"],
        "objective": "sell more",
        "session": "monday",
        "weight": 3,
    }


def test_what_a_call_says_itself_holds_rather_than_its_session(lettered: Memory) -> None:
    lettered.checkpoint(["v1.domain.home = here"])
    with lettered.session("sell more", domain="shop") as session:
        trained = session.train([A], objective="rest", domain="home")
        assert (trained.objective, trained.domain) == ("rest", "v1.domain.home")
        assert lettered.train([A], objective="").objective is None


def test_trained_with_an_objective_it_is_what_that_objective_needs(lettered: Memory) -> None:
    lettered.observe([{"items": [E, F], "objective": "wash the dishes"}] * 4)
    lettered.train([A, B], objective="repair the bicycle")
    said = [one.name for one in lettered.predict(objective="the bicycle is to be repaired", k=3)]
    assert set(said[:2]) == {A, B}
    assert "goals" in lettered.predict(objective="repair the bicycle")[0].parts


# -- one key alone -----------------------------------------------------------------------------------------------------


def test_one_atom_alone_also_gets_an_arc_from_the_one_accessed_last(lettered: Memory) -> None:
    with lettered.session() as session:
        session.access(A)
        session.access(B)
        session.train([C])
    one = lettered.predict(B, k=1)[0]
    assert one.name == C
    assert "next" in one.parts
    assert probability(lettered, A, C) < one.probability


def test_but_none_from_itself_and_none_if_there_are_several(lettered: Memory) -> None:
    with lettered.session(observe=False) as session:
        session.access(C)
        session.train([C])
        assert all("next" not in one.parts for one in lettered.predict(C, floor=0, again=True))
        session.access(A)
        session.train([D, E])
    assert all("next" not in one.parts for one in lettered.predict(A, floor=0))


# -- what it changes, and what not -------------------------------------------------------------------------------------


def test_predictions_grow_with_passes(lettered: Memory) -> None:
    lettered.observe([{"items": [A, C]}] * 3)
    said = [probability(lettered, A, B)]
    for _ in range(3):
        lettered.train([A, B])
        said.append(probability(lettered, A, B))
    assert said == sorted(set(said))


@pytest.mark.parametrize("context", [[A], [A, B]])
def test_one_training_of_more_passes_weighs_more(reopen: Callable[..., Memory], context: list[str]) -> None:
    memory = reopen()
    memory.checkpoint([f"{name} = {name}" for name in NAMES])
    memory.observe([{"items": [A, B, D]}] * 3)
    said = [probability(memory, context, C)]
    for passes in (1, 2, 3):
        seq = memory.train([A, B, C], passes).seq
        said.append(probability(memory, context, C))
        memory.forget(seqs=range(seq, seq + 1))
        assert probability(memory, context, C) == pytest.approx(said[0], abs=1e-9)
    assert said == sorted(set(said))


def test_three_passes_weigh_as_much_as_three_sessions_in_every_row(lettered: Memory) -> None:
    trained = lettered.train([A, B, C], 3)
    once = rows_of(lettered)["arcs"]
    lettered.forget(seqs=range(trained.seq, trained.seq + 1))
    for _ in range(3):
        lettered.train([A, B, C])
    thrice = rows_of(lettered)["arcs"]
    # The cells are the same; how often a source was met is not.
    assert {key: row[14:] for key, row in once if key[:1] == b"a"} == {
        key: row[14:] for key, row in thrice if key[:1] == b"a"
    }


def test_other_sessions_are_predicted_as_before(lettered: Memory) -> None:
    others = [f"v1.fact.other_{i}" for i in range(40)]
    lettered.checkpoint([f"{name} = {name}" for name in others])
    ways = [others[i : i + 4] for i in range(0, 40, 4)]
    lettered.observe([{"items": way} for way in ways * 3])
    before = [lettered.predict(way[:2], k=10, floor=0).to_dict()["items"] for way in ways]
    lettered.train([A, B, C], 3, objective="something else")
    for way, said in zip(ways, before, strict=True):
        now = {one.name: one.probability for one in lettered.predict(way[:2], k=20, floor=0)}
        for one in said:  # type: ignore[attr-defined]
            assert now[one["name"]] == pytest.approx(one["probability"], abs=0.01)
        assert max(now, key=now.__getitem__) == way[2]


def test_training_does_not_move_the_weights_of_the_parts(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B, C]}] * 2)
    before = rows_of(lettered, ("mixing",))
    lettered.train([A, B, C], 3)
    assert rows_of(lettered, ("mixing",)) == before


# -- elsewhere, and later ----------------------------------------------------------------------------------------------


def test_it_is_there_after_a_restart_and_a_rebuild_and_in_another_process(
    lettered: Memory, reopen: Callable[..., Memory], store: Path, home: Path
) -> None:
    lettered.train([A, B], 3)
    said = [[one.name, one.probability] for one in lettered.predict([A])]
    assert said[0][0] == B
    with workers(1, store, home) as (child,):
        assert [name for name, _ in ask(child, "predict", A)] == [B]  # type: ignore[attr-defined]
        ask(child, "train", B, C)
    assert [one.name for one in lettered.predict(B, k=1)] == [C]
    lettered.rebuild()
    lettered.close()
    again = reopen()
    assert [one.name for one in again.predict(A, k=1)] == [B]


def test_a_store_that_is_not_observed_can_be_trained_all_the_same(
    lettered: Memory, reopen: Callable[..., Memory]
) -> None:
    lettered.watch(on=False)
    assert reopen(observe=False).train([A, B]).learnt == (A, B)
    with pytest.raises(Denied):
        reopen(read_only=True).train([A, B])


def test_who_trained_can_be_forgotten_with_all_it_taught(
    lettered: Memory, reopen: Callable[..., Memory], clock: ManualClock
) -> None:
    before = rows_of(lettered)
    clock.advance(1)
    reopen(actor="ann").train([A, B], objective="of ann alone")
    assert rows_of(lettered) != before
    assert lettered.forget(actor="ann").trainings == 1
    assert rows_of(lettered) == before
    assert len(lettered.predict(A)) == 0
