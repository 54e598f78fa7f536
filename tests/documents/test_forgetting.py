"""A whole is forgotten with all its parts: nothing of them is in any file."""

from __future__ import annotations

from pathlib import Path

import pytest

from substrate.documents import forgetting
from substrate.documents.align import STEP
from substrate.documents.naming import chunk_name
from substrate.errors import Forgotten, InputError, NotFound
from substrate.kv.api import ReadTransaction
from substrate.log.copies.check import check_store
from substrate.memory import Memory
from substrate.views.catalogue import VIEWS
from tests.documents.test_ingest import paragraphs
from tests.leftovers import traces_of

CANARY = "qwzxcanaryvk"


def planted(memory: Memory, folder: Path) -> str:
    """A document with a canary in its first version, in its last one, and in a correction by a person."""
    path = folder / "page.txt"
    path.write_text(f"{CANARY} was here.\n\n" + paragraphs(12))
    memory.ingest(path, domain="d")
    path.write_text(paragraphs(8, "b"))
    memory.ingest(path, domain="d")
    path.write_text(paragraphs(12) + f"And {CANARY} again.\n")
    name = memory.ingest(path, domain="d")[0].name
    memory.checkpoint([f"{chunk_name(name, STEP)} = {CANARY} corrected", "v1.fact.other = stays"])
    path.unlink()
    return name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "files"
    made.mkdir()
    return made


@pytest.mark.parametrize("by", ["name", "id"])
def test_nothing_is_left_of_a_document_that_was_forgotten(
    memory: Memory, tmp_path: Path, folder: Path, home: Path, by: str
) -> None:
    name = planted(memory, folder)
    key = name if by == "name" else memory.access(name).atom.id
    assert traces_of(CANARY, tmp_path)
    counted = memory.forget(whole=key, dry_run=True)
    assert memory.document(name).exact
    forgot = memory.forget(whole=key)
    assert (forgot.atoms, forgot.versions, forgot.compacted) == (counted.atoms, counted.versions, True)
    assert traces_of(CANARY, tmp_path) == []
    assert [atom.name for atom in memory.list(tombstoned=True)] == ["v1.domain.d", "v1.fact.other"]
    with pytest.raises(Forgotten):
        memory.document(name)
    with pytest.raises(NotFound):
        memory.forget(whole=key)
    memory.rebuild()
    assert traces_of(CANARY, tmp_path) == []
    memory.close()
    assert check_store(tmp_path / "store", home=home, views=VIEWS).damage is None


@pytest.mark.parametrize(("prune", "state"), [(True, "out of use"), (False, "in use")])
def test_other_documents_with_the_same_text_are_named(memory: Memory, folder: Path, prune: bool, state: str) -> None:  # noqa: FBT001
    (folder / "empty.txt").touch()
    (folder / "page.txt").write_text(CANARY)
    first = next(one.name for one in memory.ingest(folder, domain="d") if str(one.source).endswith("page.txt"))
    if prune:
        (folder / "page.txt").rename(folder / "moved.txt")
    else:
        (folder / "copy.txt").write_text(CANARY)
    (folder / "nothing.txt").touch()
    again = memory.ingest(folder, domain="d", prune=prune)
    (second,) = (one.name for one in again if one.bytes and one.status == "new")
    for dry_run in (True, False):
        assert memory.forget(whole=second, dry_run=dry_run).kept == {
            first: f"it has the same text, and is {state}: forget it too, if the text is to go"
        }
    assert memory.forget(whole=first).kept == {}


def test_twin_a_forget_that_skips_parts_is_found_out(
    memory: Memory, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_parts(_: ReadTransaction, __: bytes, ___: str | None) -> forgetting.Parts:
        return forgetting.Parts((), {})

    name = planted(memory, folder)
    monkeypatch.setattr(forgetting, "parts_of", no_parts)
    memory.forget(whole=name)
    assert traces_of(CANARY, tmp_path)


def test_what_is_stated_to_be_a_part_and_was_more_than_that_stays_and_is_named(memory: Memory) -> None:
    ours, others = (memory.ingest(f"the text of {name}", domain="d", source=name)[0].name for name in "AB")
    memory.checkpoint(
        ["v1.note.mine = precious", {"name": "v1.turn.one", "value": "hello", "parent": ours, "position": 9}]
    )
    stated = [
        {"name": "v1.note.mine", "value": "precious, too", "parent": ours, "position": 1},
        {"name": others, "value": "B", "parent": ours, "position": 2},
    ]
    memory.checkpoint(stated)
    forgot = memory.forget(whole=ours)
    assert forgot.kept == {"v1.note.mine": "it was recorded by itself, too", others: "it is a document by itself"}
    assert memory.access("v1.note.mine").value == "precious, too"
    assert [atom.value for atom in memory.list("v1.chunk.")] == ["the text of B"]
    with pytest.raises(Forgotten):
        memory.access("v1.turn.one")


SPOKEN_OF = f"We met Dr. Qwzx{CANARY.title()} and Marta Ruiz in `Lisbon_Office`, and John Doe of `Acme_Corp`."


def spoken_of(memory: Memory) -> str:
    """A document about five; four of them matter to others: a text, an edge, a person, an alias's owner."""
    name = memory.ingest(f"{SPOKEN_OF}\n\n{'word ' * 400}\n\n{SPOKEN_OF}", domain="d", source="page")[0].name
    found = {atom.value: atom.name for atom in memory.list("v1.entity.d.")}
    assert len(found) >= 5, found
    memory.checkpoint([{"name": "v1.fact.lead", "value": "She leads", "entities": ["marta ruiz"]}])
    memory.checkpoint(
        [{"name": found["John Doe"], "value": "John Doe", "origin": "user", "attrs": {"type": "person"}}],
        edges=[{"source": "v1.fact.lead", "type": "works_at", "target": found["Lisbon_Office"]}],
    )
    return name


def test_entities_that_nothing_else_speaks_of_go_and_the_others_are_named(memory: Memory, tmp_path: Path) -> None:
    name = spoken_of(memory)
    assert memory.forget(whole=name, dry_run=True).kept
    forgot = memory.forget(whole=name)
    assert traces_of(f"Qwzx{CANARY.title()}", tmp_path) == []
    assert traces_of("Acme_Corp", tmp_path) == []
    reasons = {memory.access(key).value: reason for key, reason in forgot.kept.items()}
    assert set(reasons) == {"Marta Ruiz", "John Doe", "Lisbon_Office"}
    assert (reasons["Lisbon_Office"], reasons["Marta Ruiz"]) == (
        "edges join it to other atoms",
        "other atoms mention it",
    )
    assert {atom.value for atom in memory.list("v1.entity.")} == set(reasons)


def test_twin_a_forget_that_skips_entities_is_found_out(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "mentioned_by", lambda *_: ())
    memory.forget(whole=spoken_of(memory))
    assert traces_of("Acme_Corp", tmp_path)


def test_any_whole_goes_with_its_parts_and_their_parts(memory: Memory) -> None:
    turns = [
        {"name": f"v1.event.turn{i}", "value": f"said {i}", "parent": "v1.event.talk", "position": i} for i in range(3)
    ]
    aside = {"name": "v1.event.aside", "value": "aside", "parent": "v1.event.turn1", "position": 0}
    memory.checkpoint(["v1.event.talk = a talk", *turns, aside, "v1.event.other = stays"])
    assert memory.forget(whole="v1.event.talk").atoms == 5
    assert [atom.name for atom in memory.list()] == ["v1.event.other"]


def test_what_an_interrupted_forget_left_can_be_forgotten_after(memory: Memory, folder: Path) -> None:
    name = planted(memory, folder)
    memory.forget(name)
    assert len(memory.list("v1.chunk.")) > 1
    assert memory.forget(whole=name).atoms > 1
    assert memory.list("v1.chunk.", tombstoned=True).items == ()


def test_chunks_that_are_recorded_meanwhile_go_too(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = planted(memory, folder)
    erase, late = forgetting.forget, iter([1])

    def interrupted(*given: object, **options: object) -> object:
        done = erase(*given, **options)  # type: ignore[arg-type]
        for _ in late:
            memory.checkpoint([f"{chunk_name(name, 99 * STEP)} = {CANARY} late"])
        return done

    monkeypatch.setattr(forgetting, "forget", interrupted)
    assert memory.forget(whole=name).atoms > 3
    assert memory.list("v1.chunk.").items == ()


def test_a_whole_is_one_way_to_say_what_goes(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.x = y"])
    with pytest.raises(InputError, match="one way"):
        memory.forget("v1.fact.x", whole="v1.fact.x")
    with pytest.raises(NotFound, match="nothing was forgotten"):
        memory.forget(whole="v1.document.main.none")
    assert memory.forget(whole="v1.fact.x").atoms == 1
