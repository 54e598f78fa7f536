"""A quota refuses a checkpoint as a whole. What saves in several checkpoints says what was saved before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from substrate.documents import plan, write
from substrate.documents.files import Root
from substrate.documents.request import Request
from substrate.documents.watch import FolderWatch
from substrate.errors import QuotaReached
from substrate.memory import Memory
from substrate.values.documents import Ingested
from substrate.values.saved import Imported


def notes(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        (folder / f"n{number}.md").write_text(f"note number {number}\n", encoding="utf-8")
    return folder


def test_an_import_above_the_quota_says_up_to_which_line_it_saved_and_has_the_report(
    memory: Memory, tmp_path: Path
) -> None:
    memory.set_quota(1000)
    rows = tmp_path / "rows.csv"
    rows.write_text("name,value\n" + "".join(f"v1.note.n{i},text {i}\n" for i in range(1001)), encoding="utf-8")
    with pytest.raises(QuotaReached, match=r"1,000 atoms, and has 1,000: lines up to 1,001 are saved") as full:
        memory.import_file(rows)
    assert isinstance(full.value.report, Imported)
    assert len(full.value.report.recorded) == memory.stats().atoms == 1000


def test_an_import_of_which_nothing_has_room_says_so(memory: Memory, tmp_path: Path) -> None:
    memory.set_quota(1)
    rows = tmp_path / "rows.csv"
    rows.write_text("name,value\nv1.note.a,text a\nv1.note.b,text b\n", encoding="utf-8")
    with pytest.raises(QuotaReached, match="nothing was saved") as full:
        memory.import_file(rows)
    assert (full.value.report, memory.stats().atoms) == (None, 0)


def test_an_ingest_above_the_quota_says_how_many_documents_it_saved_and_has_the_report(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "_TOGETHER", 4)
    memory.set_quota(10)
    folder = notes(tmp_path / "vault", 9)
    with pytest.raises(QuotaReached) as full:
        memory.ingest(folder, entities=False)
    report = full.value.report
    assert isinstance(report, Ingested)
    saved = memory.stats().types["document"]
    assert saved == len(report.items) > 0
    assert f"{saved} documents are saved, the rest is not" in str(full.value)
    memory.set_quota(None)
    assert memory.ingest(folder, entities=False).kept == saved  # again: what was saved stays, the rest comes


@pytest.mark.parametrize("room", [4, 6, 9])
def test_a_document_of_several_checkpoints_without_room_leaves_none_of_its_chunks(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr(plan, "PART", 3)
    text = "".join(f"## Part {number}\n\n{'word ' * 240}\n\n" for number in range(8))
    memory.checkpoint(["v1.domain.d = d"])
    memory.set_quota(room)
    with pytest.raises(QuotaReached, match=f"may have {room} atoms, and has 1: nothing was saved"):
        memory.ingest(text, source="big.md", domain="d", entities=False)
    assert memory.stats().atoms == 1
    memory.set_quota(10)  # the domain, the document and eight chunks
    assert memory.ingest(text, source="big.md", domain="d", entities=False).added == 8
    assert memory.stats().atoms == 10
    memory.ingest(text.replace("word", "term"), source="big.md", domain="d", entities=False)  # what adds nothing
    assert memory.stats().atoms == 10


def test_a_followed_folder_above_the_quota_tells_what_was_saved_and_why_the_rest_was_not(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "_TOGETHER", 4)
    memory.set_quota(10)
    request = Request.of(said={}, entities=False)
    watched = FolderWatch(memory._store.log, notes(tmp_path / "vault", 9), request)
    first = watched.look()
    assert first is not None
    assert len(first.items) == memory.stats().types["document"] > 0
    assert "may have 10 atoms" in first.note
    assert "cannot be read" not in first.note


def test_a_followed_folder_above_the_quota_reads_only_what_had_no_room_again(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "_TOGETHER", 4)
    memory.set_quota(10)
    folder = notes(tmp_path / "vault", 9)
    for note in folder.iterdir():
        os.utime(note, (1_600_000_000, 1_600_000_000))
    watched = FolderWatch(memory._store.log, folder, Request.of(said={}, entities=False))
    first = watched.look()
    assert first is not None
    read: list[str] = []
    real = Root.read
    monkeypatch.setattr(Root, "read", lambda root, parts: (read.append(parts[-1]), real(root, parts))[1])
    watched.look()
    saved = {str(item.source).rpartition("/")[2] for item in first}
    assert set(read) == {f"n{number}.md" for number in range(9)} - saved
    memory.set_quota(None)
    rest = watched.look()
    assert rest is not None
    assert len(first.items) + len(rest.items) == 9


@pytest.mark.parametrize("room", [0, 1, 2])
def test_a_text_without_room_is_accepted_with_its_new_domain_or_not_at_all(memory: Memory, room: int) -> None:
    waits = memory.propose("some text of mine", domain="Project X")
    memory.set_quota(room)
    with pytest.raises(QuotaReached, match="nothing was saved"):
        memory.accept(waits.id, create=True)
    assert memory.stats().atoms == 0
    memory.set_quota(None)
    assert memory.accept(waits.id, domain="Project Z", create=True).domain == "v1.domain.project-z"
    assert [atom.name for atom in memory.list("v1.domain")] == ["v1.domain.project-z"]
    assert memory.access("v1.domain.project-z").atom.origin == "user"
