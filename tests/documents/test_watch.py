"""A folder is followed: what changes is ingested, what is deleted is taken out of use, and a broken folder is told."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from substrate.documents import watch as watching
from substrate.documents.request import Request
from substrate.documents.watch import FolderWatch
from substrate.documents.write import Writer
from substrate.errors import InputError, NotFound, PathEscape, SchemaInvalid
from substrate.memory import Memory
from substrate.values.documents import Ingested

LONG_AGO = (1_600_000_000, 1_600_000_000)


def write(path: Path, text: str, age: int = 0) -> None:
    path.write_text(text)
    os.utime(path, (LONG_AGO[0] + age, LONG_AGO[1] + age))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    write(docs / "a.md", "# A\n\nOne.\n")
    write(docs / "b.md", "# B\n\nTwo.\n")
    return docs


def watch_of(memory: Memory, folder: Path, **options: object) -> FolderWatch:
    return FolderWatch(memory._store.log, folder, Request.of(domain="d", said={}, **options))  # type: ignore[arg-type]


def statuses(ingested: Ingested | None) -> dict[str, str]:
    assert ingested is not None
    return {str(item.source): item.status for item in ingested}


def test_what_changes_is_ingested_and_what_is_deleted_is_taken_out(memory: Memory, folder: Path) -> None:
    watch = watch_of(memory, folder)
    assert statuses(watch.look()) == {"docs/a.md": "new", "docs/b.md": "new"}
    before = memory.head()
    assert watch.look() is None
    assert memory.head() == before
    write(folder / "a.md", "# A\n\nOther.\n", 1)
    write(folder / "c.md", "# C\n")
    (folder / "b.md").unlink()
    assert statuses(watch.look()) == {"docs/a.md": "changed", "docs/b.md": "gone", "docs/c.md": "new"}
    assert {atom.value for atom in memory.list("v1.document.")} == {"A", "C"}
    assert [atom.value for atom in memory.list("v1.chunk.")] == ["# A\n\nOther.\n", "# C\n"]
    write(folder / "b.md", "# B\n\nTwo.\n")
    assert statuses(watch.look()) == {"docs/b.md": "new"}
    assert watch.look() is None


def test_a_file_that_was_changed_just_now_is_compared_by_its_digest(memory: Memory, folder: Path) -> None:
    watch = watch_of(memory, folder)
    write(folder / "a.md", "same size 1")
    now = folder.stat().st_mtime_ns + 10**12
    os.utime(folder / "a.md", ns=(now, now))
    watch.look()
    write(folder / "a.md", "same size 2")
    os.utime(folder / "a.md", ns=(now, now))
    assert statuses(watch.look()) == {"docs/a.md": "changed"}


def test_twin_a_watch_that_believes_times_misses_that(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_FRESH_NS", -(10**18))
    with pytest.raises(AssertionError):
        test_a_file_that_was_changed_just_now_is_compared_by_its_digest(memory, folder)


def break_missing(folder: Path) -> None:
    folder.rename(folder.with_name("moved"))


def break_empty(folder: Path) -> None:
    shutil.move(folder, folder.with_name("moved"))
    folder.mkdir()


def break_replaced(folder: Path) -> None:
    shutil.move(folder, folder.with_name("moved"))
    folder.write_text("a file")


@pytest.mark.parametrize("harm", [break_missing, break_empty, break_replaced])
def test_a_broken_root_takes_nothing_out_of_use_and_is_told_once(memory: Memory, folder: Path, harm: object) -> None:
    watch = watch_of(memory, folder)
    watch.look()
    before = memory.head()
    harm(folder)  # type: ignore[operator]
    told = watch.look()
    assert told is not None
    assert "nothing was taken out of use" in told.note
    assert watch.look() is None
    assert watch_of(memory, folder).look() is not None  # one that begins now says so too
    assert memory.head() == before
    shutil.rmtree(folder) if folder.is_dir() else folder.unlink(missing_ok=True)
    folder.with_name("moved").rename(folder)
    assert watch.look() is None
    assert memory.head() == before


def test_a_root_that_cannot_be_read_takes_nothing_out(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = watch_of(memory, folder)
    watch.look()
    before = memory.head()

    def refused(_: int) -> Iterator[os.DirEntry[str]]:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:  # whoever runs as root can read all
        patch.setattr(os, "scandir", refused)
        told = watch.look()
    assert told is not None
    assert "Permission denied" in told.note
    assert memory.head() == before


def test_a_file_that_cannot_be_read_is_not_gone(memory: Memory, folder: Path, tmp_path: Path) -> None:
    watch = watch_of(memory, folder)
    watch.look()
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(tmp_path / "elsewhere.md")
    told = watch.look()
    assert told is not None
    assert [(one.item, one.code) for one in told.failed] == [("docs/a.md", "denied")]
    assert watch.look() is None
    assert len(memory.list("v1.document.")) == 2


def test_follow_yields_what_each_look_came_to(memory: Memory, folder: Path) -> None:
    (first,) = islice(memory.follow(folder, domain="d", every=60), 1)
    assert statuses(first) == {"docs/a.md": "new", "docs/b.md": "new"}
    for every in (0, -1, float("inf"), True, "2"):
        with pytest.raises(SchemaInvalid):
            next(memory.follow(folder, every=every))  # type: ignore[arg-type]
    with pytest.raises(SchemaInvalid):
        next(memory.follow("docs"))  # type: ignore[arg-type]
    with pytest.raises(PathEscape):
        next(memory.follow(Path("../docs"), root=folder))
    with pytest.raises(InputError):
        watch_of(memory, folder, title="one")
    with pytest.raises(NotFound):
        memory.document("v1.document.d.none")


def test_a_watch_leaves_the_documents_of_another_folder_of_the_same_name(memory: Memory, folder: Path) -> None:
    memory.ingest(folder, domain="d")
    other = folder.parent / "elsewhere" / "docs"
    other.mkdir(parents=True)
    write(other / "a.md", "# Another A\n")
    write(other / "c.md", "# C\n")
    watch = watch_of(memory, other)
    first = watch.look()
    assert first is not None
    assert (statuses(first), [one.item for one in first.failed]) == ({"docs/c.md": "new"}, ["docs/a.md"])
    assert watch.look() is None
    (other / "c.md").unlink()
    assert statuses(watch.look()) == {"docs/c.md": "gone"}
    assert {atom.value for atom in memory.list("v1.document.")} == {"A", "B"}


def test_files_that_are_deleted_make_room_in_a_store_that_is_full(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("substrate.documents.write._TOGETHER", 1)  # each in a checkpoint of its own
    memory.set_quota(5)  # a document and its chunk are two atoms, and the domain is one
    watch = watch_of(memory, folder, entities=False)
    assert statuses(watch.look()) == {"docs/a.md": "new", "docs/b.md": "new"}
    (folder / "a.md").unlink()
    (folder / "b.md").unlink()
    write(folder / "c.md", "# C\n\nThree.\n")
    write(folder / "d.md", "# D\n\nFour.\n")
    looked = watch.look()
    assert statuses(looked) == {"docs/a.md": "gone", "docs/b.md": "gone", "docs/c.md": "new", "docs/d.md": "new"}


def test_a_document_that_was_forgotten_stays_out_until_the_folder_is_ingested_once(
    memory: Memory, folder: Path
) -> None:
    watch = watch_of(memory, folder)
    found = watch.look()
    assert found is not None
    memory.forget(whole=found[0].name)
    write(folder / "a.md", "# A\n\nChanged.\n", 1)
    told = watch.look()
    assert told is not None
    assert [(one.item, "was forgotten" in str(one.reason)) for one in told.failed] == [("docs/a.md", True)]
    assert watch.look() is None, "it is told once"
    later = watch_of(memory, folder).look()
    assert later is not None
    assert [one.item for one in later.failed] == ["docs/a.md"]
    assert [atom.value for atom in memory.list("v1.document.")] == ["B"]
    again = memory.ingest(folder, domain="d", dry_run=True)
    assert "forgotten before, would be taken in again: docs/a.md" in again.remarks
    again = memory.ingest(folder, domain="d")
    assert "forgotten before, is taken in again: docs/a.md" in again.remarks
    assert [item.was_forgotten for item in again] == [True, False]
    write(folder / "a.md", "# A\n\nMore.\n", 2)
    assert statuses(watch.look()) == {"docs/a.md": "changed"}
    assert not memory.ingest(folder, domain="d")[0].was_forgotten


def test_a_document_that_was_taken_out_of_use_comes_back(memory: Memory, folder: Path) -> None:
    """The twin: nothing of it was erased."""
    watch = watch_of(memory, folder)
    watch.look()
    text = (folder / "a.md").read_text()
    (folder / "a.md").unlink()
    watch.look()
    write(folder / "a.md", text)
    back = watch.look()
    assert statuses(back) == {"docs/a.md": "new"}
    assert back is not None
    assert not back[0].was_forgotten


@pytest.mark.parametrize("step", ["_prepare", "_write"])
@pytest.mark.parametrize("changed", [("a.md",), ("a.md", "b.md")])
@pytest.mark.parametrize("parts", [1, 30_000], ids=["short", "long"])
def test_a_document_that_is_forgotten_while_its_change_is_taken_in_stays_out(  # noqa: PLR0913, PLR0917
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch, step: str, changed: tuple[str, ...], parts: int
) -> None:
    watch = watch_of(memory, folder)
    watch.look()
    name = next(atom.name for atom in memory.list("v1.document.") if atom.source == "docs/a.md")
    right = getattr(Writer, step)

    def after_forget(*given: object) -> object:
        if any(atom.name == name for atom in memory.list("v1.document.")):
            memory.forget(whole=name)
        return right(*given)

    for file in changed:
        write(folder / file, "# A\n\n" + "secret " * parts, 1)
    with monkeypatch.context() as patched:
        patched.setattr(Writer, step, after_forget)
        told = watch.look()
    assert told is not None
    assert [(one.item, "was forgotten" in str(one.reason)) for one in told.failed] == [("docs/a.md", True)]
    assert statuses(told) == {f"docs/{file}": "changed" for file in changed if file != "a.md"}
    assert [atom.source for atom in memory.list("v1.document.")] == ["docs/b.md"]
    assert {atom.source for atom in memory.list("v1.chunk.")} == {"docs/b.md"}
