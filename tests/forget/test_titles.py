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


def ingested(memory: Memory, path: Path, text: str, **options: Any) -> str:
    """The name of the document of a file that says this."""
    path.write_text(text)
    return memory.ingest(path, domain="d", entities=False, **options)[0].name


def chunk_with(memory: Memory, word: str) -> str:
    return next(atom.name for atom in memory.list(prefix=CHUNK) if word in atom.value)


SPELLED = {
    "tags": f"---\ntags: [{CANARY}]\n---\nText.\n",
    "an escaped title": f'---\ntitle: "The {CANARY[:-1]}\\u006b plan"\nx: "{CANARY[:-1]}\\x6b"\n---\nText.\n',
    "a folded title": f"---\ntitle: >\n  The\n  {CANARY}\n  plan\n---\nText.\n",
    "an escaped name of a field": f'---\n"t\\u0069tle": {CANARY} plan\n---\n# Text\n',
    "the name of a field": f"---\n{CANARY}: 5\n---\nText.\n",
    "several chunks": f"---\nlist: [{'one, ' * 700} two]\nalias: {CANARY}\ntitle: The {CANARY}\n---\nText.\n",
}


@pytest.mark.parametrize("how", SPELLED)
def test_all_that_was_read_from_front_matter_goes_with_its_chunk(memory: Memory, tmp_path: Path, how: str) -> None:
    path = tmp_path / "page.md"
    name = ingested(memory, path, SPELLED[how])
    path.unlink()
    assert traces_of(CANARY, tmp_path) != []
    memory.forget([atom.name for atom in memory.list(prefix=CHUNK)])
    assert traces_of(CANARY, tmp_path) == []
    atom = memory.access(name).atom
    assert (atom.value, atom.attrs["front_matter"], atom.tags) == ("page.md", {}, ())


def test_of_a_long_front_matter_the_last_chunk_is_enough(memory: Memory, tmp_path: Path) -> None:
    name = ingested(memory, tmp_path / "page.md", SPELLED["several chunks"])
    memory.forget(chunk_with(memory, CANARY))
    assert (memory.access(name).value, memory.access(name).atom.attrs["front_matter"]) == ("page.md", {})


@pytest.mark.parametrize(
    "text", [f"A {CANARY}\nhere.", f"{'One two three. ' * 4}{CANARY}\n is a long note. {'More. ' * 9}"]
)
def test_a_title_made_of_the_first_characters_of_a_note_goes(memory: Memory, tmp_path: Path, text: str) -> None:
    for cut in (79, 80):
        title = " ".join(text.split())[:cut]
        memory.ingest(text, title=title, source=f"note {cut}", domain="d", entities=False)
    memory.forget([atom.name for atom in memory.list(prefix=CHUNK)])
    assert traces_of(CANARY, tmp_path) == []


@pytest.mark.parametrize(
    ("title", "said"), [("Notes", "my notes say"), ("Kit", "the kitchen"), ("Draft", "a draft of")]
)
def test_a_title_that_a_caller_gave_stays(memory: Memory, title: str, said: str) -> None:
    text = f"{paragraphs(12)}\n\nAt last {said} {CANARY}.\n"
    name = memory.ingest(text, title=title, source="x.md", domain="d", entities=False)[0].name
    assert memory.forget(chunk_with(memory, CANARY)).versions == 1
    assert memory.access(name).value == title


def test_a_title_that_a_person_gave_stays_when_the_one_of_the_text_goes(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    name = ingested(memory, path, f"# About {CANARY}\n\nKitchen\n\n{paragraphs(12)}")
    memory.checkpoint([{"name": name, "value": "Kitchen"}])
    ingested(memory, path, f"# About {CANARY}\n\nKitchen\n\n{paragraphs(12)} More.")
    path.unlink()
    assert memory.access(name).value == "Kitchen"
    memory.forget(chunk_with(memory, CANARY))
    assert (memory.access(name).value, traces_of(CANARY, tmp_path)) == ("Kitchen", [])


def test_a_person_who_changes_the_tags_keeps_theirs_and_not_the_title_of_the_text(
    memory: Memory, tmp_path: Path
) -> None:
    path = tmp_path / "page.md"
    name = ingested(memory, path, f"---\ntags: [{CANARY}]\n---\n# About {CANARY}\n")
    memory.checkpoint([{"name": name, "tags": [CANARY, "mine"], "value": f"About {CANARY}"}])
    path.unlink()
    memory.forget([atom.name for atom in memory.list(prefix=CHUNK)])
    assert (memory.access(name).value, memory.access(name).atom.tags) == ("page.md", ("mine",))
    assert traces_of(CANARY, tmp_path) == []


def test_fields_and_entries_go_alone_and_names_of_fields_are_not_compared(memory: Memory, tmp_path: Path) -> None:
    front = "author: Ann Smith\nstatus: draft\nplace: Zanzibar\nseen: [Zanzibar, Oslo]\nsize: 7\nempty:\n"
    front += "aliases: [The Zanzibar, Other]\ntags: [zanzibar, trip]"
    text = f"---\n{front}\n---\n# Handbook\n\n{paragraphs(12)}\n\nThe status, the author and the Zanzibar: {CANARY}.\n"
    name = ingested(memory, tmp_path / "page.md", text)
    memory.forget(chunk_with(memory, CANARY))
    atom = memory.access(name).atom
    left = {"author": "Ann Smith", "status": "draft", "seen": ["Oslo"], "size": 7, "empty": None}
    assert (atom.value, atom.attrs["front_matter"], atom.tags) == ("Handbook", left, ("trip",))
    assert "aliases" in atom.attrs  # `The Zanzibar` is in the chunk as well
    assert atom.attrs["aliases"] == ["Other"]


def test_front_matter_of_another_version_of_the_chunk_stays(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    name = ingested(memory, path, f"---\ntags: [same]\nowner: {CANARY}\n---\n# Handbook\n")
    first = memory.history(chunk_with(memory, CANARY))[0].seq
    ingested(memory, path, "---\ntags: [same]\nowner: Ann\n---\n# Handbook\n")
    memory.forget(seqs=range(first, first + 1))
    atom = memory.access(name).atom
    assert (atom.value, atom.tags, atom.attrs["front_matter"]) == ("Handbook", ("same",), {"owner": "Ann"})
    assert traces_of(CANARY, tmp_path) == []
    assert len(memory.history(name)) == 2


def test_a_chunk_that_a_person_took_out_of_use_takes_the_title_of_later_versions_with_it(
    memory: Memory, tmp_path: Path
) -> None:
    path = tmp_path / "page.md"
    text = FRONT + paragraphs(12)
    name = ingested(memory, path, text)
    chunk = chunk_with(memory, CANARY)
    memory.checkpoint(tombstones=[chunk])
    ingested(memory, path, text + "More.\n")
    path.unlink()
    assert memory.access(name).value == f"About **{CANARY}**"
    memory.forget(chunk)
    assert (memory.access(name).value, traces_of(CANARY, tmp_path)) == ("page.md", [])


def test_the_same_file_brings_nothing_back_and_a_changed_one_gives_its_title_again(
    memory: Memory, tmp_path: Path
) -> None:
    path = tmp_path / "page.md"
    text = f"---\nowner: {CANARY}\n---\n# About **{CANARY}**\n\n{paragraphs(12)}"
    name = ingested(memory, path, text)
    memory.forget(chunk_with(memory, CANARY))
    again = memory.ingest(path, domain="d", entities=False)[0]
    assert (again.status, memory.access(name).value, list(memory.search(CANARY))) == ("kept", "page.md", [])
    ingested(memory, path, text + "More.\n")
    atom = memory.access(name).atom
    assert (atom.value, atom.attrs["front_matter"]) == (f"About **{CANARY}**", {"owner": CANARY})
    assert memory.document(name).text == text + "More.\n"


def test_a_title_that_an_undo_took_back_holds_no_more_once_the_undo_is_erased(memory: Memory, tmp_path: Path) -> None:
    name, chunk = planted(memory, tmp_path)
    memory.checkpoint([{"name": name, "value": "False", "valid_from": "2018-01-01"}])
    memory.undo()
    memory.forget(chunk)
    assert memory.access(name).value == "page.md"
    assert "False" not in [version.row().get("value") for version in memory.history(name)]
