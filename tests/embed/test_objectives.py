"""What past objectives mean: embedded behind the sessions and trainings, found by meaning, erased with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.errors import StoreDamaged
from substrate.forget import forget as module
from substrate.log.copies.check import check_store
from substrate.log.tables import OBJECTIVES
from substrate.memory import Memory
from substrate.views.catalogue import CACHE_CHECKS, CHECKS, VIEWS
from substrate.views.learned.objectives import check_objectives, pending_objectives
from tests.embed.embedded import Reopen
from tests.scale import PATIENCE_S
from tests.stories import NAMES

A, B, C, D, *_ = NAMES
PAINT, SAIL = "paint the fence", "sail around the harbour"


@pytest.fixture
def tiny(made: Path, cache: Path) -> Path:
    assert cache.exists()
    return made / "models" / "tiny-mean"


@pytest.fixture
def noted(reopen: Reopen, tiny: Path) -> Memory:
    memory = reopen(model=tiny, background=False, actor="ann")
    memory.checkpoint([f"{name} = {name}" for name in NAMES])
    memory.index()
    return memory


def vectors(memory: Memory) -> list[bytes]:
    with memory._store.log.snapshot() as transaction:
        return [row for key, row in transaction.scan(OBJECTIVES) if key != b"upto"]


def near(memory: Memory, objective: str) -> list[float]:
    match = memory._store.search.match(objective, memory._store.log, wait_s=60)
    with memory._store.log.snapshot() as transaction:
        return sorted((match.alike(transaction) or {}).values())


def observed(memory: Memory) -> None:
    memory.observe([A, B], objective=PAINT, session="secret")


def trained(memory: Memory) -> None:
    with memory.session(PAINT, name="secret", observe=False) as session:
        session.train([A, B], 3)


def test_each_objective_of_a_session_or_training_gets_a_vector_and_is_found_by_it(noted: Memory) -> None:
    observed(noted)
    trained(noted)
    noted.observe([C, D])
    assert vectors(noted) == []
    noted.index()
    assert len(vectors(noted)) == 2
    assert near(noted, PAINT)[-1] == pytest.approx(1, abs=0.01)
    noted.index()
    with noted._store.log.snapshot() as transaction:
        assert pending_objectives(transaction, vectors(noted)[0][:8], 10) is None
        check_objectives(transaction)


@pytest.mark.parametrize("way", [observed, trained])
@pytest.mark.parametrize("by", [{"session": "secret"}, {"actor": "ann"}])
def test_the_vector_of_an_objective_goes_with_its_session_or_training(
    noted: Memory, tmp_path: Path, way: Callable[[Memory], None], by: dict[str, str]
) -> None:
    way(noted)
    noted.index()
    (row,) = vectors(noted)
    assert near(noted, PAINT)
    noted.forget(**by)
    assert vectors(noted) == []
    assert near(noted, PAINT) == []
    noted.close()
    assert not any(row[8:] in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert check_store(tmp_path / "store", home=tmp_path / "home", views=VIEWS, checks=(*CHECKS, *CACHE_CHECKS))


def test_a_session_that_takes_the_key_of_a_forgotten_one_has_its_own_vector(noted: Memory) -> None:
    observed(noted)
    noted.index()
    assert near(noted, PAINT)[-1] == pytest.approx(1, abs=0.01)
    (before,) = vectors(noted)
    noted.forget(session="secret")
    noted.observe([A, B], objective=SAIL, session="harmless")
    noted.index()
    (after,) = vectors(noted)
    assert after != before
    assert near(noted, SAIL)[-1] == pytest.approx(1, abs=0.01)


def test_what_is_forgotten_while_it_is_embedded_gets_no_vector(noted: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    observed(noted)
    embedder = noted._store.models.of(None).wait(PATIENCE_S)
    assert embedder is not None
    kind = type(embedder)
    embed = kind.embed_query

    def slowly(self: object, text: str) -> object:
        if text == PAINT:
            noted.forget(session="secret")
        return embed(self, text)  # type: ignore[arg-type]

    monkeypatch.setattr(kind, "embed_query", slowly)
    noted.index()
    assert vectors(noted) == []


# -- broken twins ------------------------------------------------------------------------------------------------------


def test_a_forget_that_leaves_the_vector_of_an_objective_is_caught(
    noted: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    observed(noted)
    noted.index()
    monkeypatch.setattr(module, "erase_objectives", lambda *_: [])
    noted.forget(session="secret")
    with noted._store.log.snapshot() as transaction, pytest.raises(StoreDamaged, match="a text that is gone"):
        check_objectives(transaction)
