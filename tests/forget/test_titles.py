"""What a document says of itself in the words of a chunk goes when that chunk is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from substrate.documents.naming import CHUNK
from substrate.forget.titles import Titles
from substrate.log.copies.check import check_store
from substrate.memory import Memory
from substrate.views.catalogue import VIEWS
from tests.documents.test_ingest import paragraphs
from tests.leftovers import traces_of

CANARY = "qwzxtitlevk"
FRONT = f"---\naliases: [The {CANARY}]\nowner: {CANARY}\n---\n# About **{CANARY}**\n\nSee [it]({CANARY}.md).\n\n"


def planted(memory: Memory, tmp_path: Path, text: str = FRONT, **options: Any) -> tuple[str, str]:
    """The names of a document, ingested twice, and of its first chunk; the file is gone."""
    path = tmp_path / "page.md"
    for end in ("One.\n", "Two.\n"):
        path.write_text(text + paragraphs(12) + end)
        name = memory.ingest(path, domain="d", entities=False, **options)[0].name
    path.unlink()
    return name, min(atom.name for atom in memory.list(prefix=CHUNK))


FORGETS: dict[str, Callable[[Memory, str], Any]] = {
    "name": lambda memory, chunk: memory.forget(chunk),
    "id": lambda memory, chunk: memory.forget(memory.access(chunk).atom.id),
    "seqs": lambda memory, chunk: [memory.forget(seqs=range(v.seq, v.seq + 1)) for v in memory.history(chunk)],
}


@pytest.mark.parametrize("how", FORGETS)
def test_the_title_of_a_document_goes_with_the_chunk_that_has_its_words(
    memory: Memory, tmp_path: Path, store: Path, home: Path, how: str
) -> None:
    name, chunk = planted(memory, tmp_path)
    assert memory.access(name).value == f"About **{CANARY}**"
    others = [atom.value for atom in memory.list(prefix=CHUNK) if atom.name != chunk]
    FORGETS[how](memory, chunk)
    assert traces_of(CANARY, tmp_path) == []
    assert memory.access(name).value == "page.md"
    assert [atom.value for atom in memory.list(prefix=CHUNK) if atom.name != chunk] == others
    memory.rebuild()
    assert memory.access(name).value == "page.md"
    memory.close()
    assert check_store(store, home=home, views=VIEWS).damage is None


def test_twin_a_forget_that_leaves_titles_is_found_out(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, chunk = planted(memory, tmp_path)
    monkeypatch.setattr(Titles, "lose", lambda *_: None)
    memory.forget(chunk)
    assert traces_of(CANARY, tmp_path) != []


def test_a_dry_run_counts_the_versions_of_the_document_too(memory: Memory, tmp_path: Path) -> None:
    _, chunk = planted(memory, tmp_path)
    counted = memory.forget(chunk, dry_run=True)
    assert memory.forget(chunk).versions == counted.versions == 1 + 2


def test_a_title_that_the_chunk_does_not_say_stays(memory: Memory, tmp_path: Path) -> None:
    name, chunk = planted(memory, tmp_path, text=f"A page about {CANARY}.\n\n", title="Handbook")
    assert memory.forget(chunk).versions == 1
    assert (memory.access(name).value, traces_of(CANARY, tmp_path)) == ("Handbook", [])


def test_a_document_out_of_use_loses_its_title_and_stays_out_of_use(memory: Memory, tmp_path: Path) -> None:
    name, chunk = planted(memory, tmp_path)
    memory.checkpoint(tombstones=[name])
    memory.forget(chunk)
    assert traces_of(CANARY, tmp_path) == []
    assert memory.history(name)[-1].kind == "tombstone"
    assert name not in [atom.name for atom in memory.list()]
