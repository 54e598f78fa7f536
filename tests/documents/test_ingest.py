"""Files and texts become documents; said again, only what changed is recorded."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from substrate.documents import plan
from substrate.documents.align import STEP
from substrate.documents.files import FileRead, Root
from substrate.documents.ingest import read_file
from substrate.documents.naming import chunk_name, chunk_prefix
from substrate.documents.request import Request
from substrate.errors import (
    Conflict,
    InputError,
    NameInvalid,
    NotFound,
    PathEscape,
    SchemaInvalid,
    SecretFound,
    TooLarge,
)
from substrate.limits import LIMITS
from substrate.log.copies.check import check_store
from substrate.memory import Memory, open_memory
from substrate.names import normalise
from substrate.policy import AGENTS
from substrate.save.checkpoint import checkpoint
from substrate.values.saved import Saved
from substrate.views.catalogue import VIEWS
from tests.credentials import samples
from tests.documents.test_chunk import prose

CREDENTIAL = next(samples("github_token", 1)).secret


def paragraphs(count: int, seed: str = "p") -> str:
    return "".join(f"{prose(60, f'{seed}{i}')}\n\n" for i in range(count))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    (docs / "deep" / "er").mkdir(parents=True)
    (docs / "index.md").write_text("# The handbook\n\nHow heads are signed.\n")
    (docs / "deep" / "long.txt").write_text(paragraphs(30))
    (docs / "deep" / "er" / "empty.md").write_text("")
    (docs / "photo.png").write_bytes(b"\x89PNG")
    (docs / ".hidden.md").write_text("no")
    return docs


def test_a_folder_becomes_documents_with_their_chunks(memory: Memory, folder: Path) -> None:
    ingested = memory.ingest(folder, domain="handbook")
    assert [(item.source, item.title, item.chunks, item.status) for item in ingested] == [
        ("docs/deep/er/empty.md", "empty.md", 0, "new"),
        ("docs/deep/long.txt", "long.txt", ingested[1].chunks, "new"),
        ("docs/index.md", "The handbook", 1, "new"),
    ]
    assert ingested[1].chunks > 5
    assert ingested.skipped == {"hidden": 1, "of no known format": 1}
    entities = len(memory.list("v1.entity.handbook.", limit=1000))
    assert ingested.recorded == 1 + 3 + ingested.added + entities  # the domain, documents, chunks, what they speak of
    assert memory.access("v1.domain.handbook").atom.origin is None
    atom = memory.access(ingested[1].name).atom
    assert (atom.origin, atom.source, atom.id) == ("ingested", "docs/deep/long.txt", ingested[1].id)
    assert atom.attrs["digest"] == ingested[1].digest
    chunk = memory.access(chunk_name(atom.name, STEP)).atom
    assert (chunk.parent, chunk.position, chunk.origin, chunk.source) == (atom.id, STEP, "ingested", atom.source)


def test_a_second_ingest_records_nothing(memory: Memory, folder: Path) -> None:
    first = memory.ingest(folder, domain="handbook")
    before = memory.head()
    (folder / "index.md").touch()
    second = memory.ingest(folder, domain="v1.domain.handbook")
    assert second.recorded == 0
    assert memory.head() == before
    assert (second.kept, second.added, second.changed, second.tombstoned) == (first.added, 0, 0, 0)
    assert [item.status for item in second] == ["kept"] * 3


def test_a_change_at_the_top_records_a_few_chunks(memory: Memory, folder: Path, store: Path, home: Path) -> None:
    first = memory.ingest(folder, domain="handbook")[1]
    path = folder / "deep" / "long.txt"
    path.write_text("A new beginning.\n\n" + path.read_text())
    second = memory.ingest(folder, domain="handbook")
    item = second[1]
    assert (item.status, item.name, item.id) == ("changed", first.name, first.id)
    assert item.kept >= first.chunks - 6
    assert second.recorded == item.added + item.changed + item.tombstoned + 1
    document = memory.document(item.name)
    assert (document.exact, document.text) == (True, path.read_text())
    memory.close()
    assert check_store(store, home=home, views=VIEWS).damage is None


def test_what_vanished_is_tombstoned_and_comes_back_as_the_same_atoms(memory: Memory, folder: Path) -> None:
    path = folder / "deep" / "long.txt"
    whole = path.read_text()
    first = memory.ingest(path, domain="d")[0]
    path.write_text(whole[: len(whole) // 2])
    second = memory.ingest(path, domain="d")[0]
    assert second.tombstoned == first.chunks - second.chunks > 3
    assert len(memory.list("v1.chunk.d.", limit=1000)) == second.chunks
    path.write_text(whole)
    third = memory.ingest(path, domain="d")[0]
    assert third.chunks == first.chunks
    assert memory.document(first.name).text == whole


def test_every_version_of_a_document_can_be_read(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    texts = [paragraphs(10), "Begin.\n\n" + paragraphs(10), paragraphs(3), "", paragraphs(12, "other")]
    seqs = []
    for text in texts:
        path.write_text(text)
        name = memory.ingest(path)[0].name
        seqs.append(memory.access(name).atom.seq)
    for seq, text in zip(seqs, texts, strict=True):
        document = memory.document(name, as_of=seq)
        assert (document.text, document.exact, document.seq) == (text, True, seq)
    with pytest.raises(NotFound):
        memory.document(name, as_of=0)


def test_a_text_is_a_document_named_by_all_of_it(memory: Memory) -> None:
    begin = "The same beginning. " * 200
    one, two = memory.ingest(begin + "One.")[0], memory.ingest(begin + "Two.")[0]
    assert one.name != two.name
    assert memory.document(one.id).text == begin + "One."
    assert memory.ingest(begin + "One.").recorded == 0
    assert one.title.startswith("The same beginning.")
    assert memory.access(one.name).atom.source is None


def test_a_text_that_is_the_path_of_something_is_refused_until_it_says_that_it_is_a_text(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v").mkdir()
    with pytest.raises(InputError, match=r"give pathlib\.Path\('v'\); to ingest these very words, give them a title"):
        memory.ingest("v")
    assert memory.ingest("v\n")[0].title == memory.ingest("v", title="v")[0].title == "v"
    assert memory.ingest("v", source="s").recorded
    assert memory.ingest("w")[0].title == "w"
    with memory.client("agent", policy=AGENTS) as agent:  # which is not told what is on this machine
        assert agent.ingest("v")[0].title == "v"


def test_what_a_text_speaks_of_is_listed_and_becomes_an_atom_with_the_second_text_that_does(memory: Memory) -> None:
    said = "We met Marta Ruiz in Lisbon. She works on PostgreSQL with Marta Ruiz."
    item = memory.ingest(said, domain="team", source="minutes")[0]
    chunk = memory.access(chunk_name(item.name, STEP)).atom
    assert {"Marta Ruiz", "PostgreSQL"} <= set(chunk.entities)
    assert item.entities == len(chunk.entities) == 3
    assert [hit.name for hit in memory.search("met", entities=["marta ruiz"], type="chunk")] == [chunk.name]
    again = memory.ingest(said + " Marta Ruiz left.", domain="team", source="minutes")[0]
    assert (again.entities, memory.list("v1.entity.team.").items) == (0, ()), "a chunk that is changed is no other text"
    other = memory.ingest("Then Marta Ruiz met Ada Lovelace.", domain="team", source="more")[0]
    (made,) = memory.list("v1.entity.team.")
    assert (made.value, made.origin, other.entities) == ("Marta Ruiz", "ingested", 1)


def test_a_name_of_two_documents_of_one_checkpoint_is_one_entity_and_new_once(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    for page in "abc":
        (tmp_path / "pages" / f"{page}.md").write_text(f"We met Marta Ruiz and {page.upper()}da Lovelace.")
    ingested = memory.ingest(tmp_path / "pages", domain="team")
    assert [item.entities for item in ingested] == [2, 1, 1]
    assert [atom.value for atom in memory.list("v1.entity.team.")] == ["Marta Ruiz"]


def test_names_that_were_not_looked_for_are_found_when_they_are_asked_for(memory: Memory) -> None:
    said = "# Minutes\n\nWe met Marta Ruiz in Lisbon.\n\n" + "nothing but words. " * 200
    name = memory.ingest(said, domain="team", source="minutes", entities=False)[0].name
    first, *_, last = memory.document(name).chunks
    memory.checkpoint([{"name": last.name, "value": "Marta Ruiz left.", "origin": "user"}])
    (item,) = memory.ingest(said, domain="team", source="minutes")
    assert (item.status, item.changed, item.entities) == ("changed", 1, 2)
    assert set(memory.access(first.name).atom.entities) == {"Marta Ruiz", "Lisbon"}
    assert memory.access(last.name).value == "Marta Ruiz left."
    assert memory.document(name).exact
    assert memory.ingest(said, domain="team", source="minutes").recorded == 0
    assert memory.ingest(said, domain="team", source="minutes", entities=False).recorded == 0


def test_a_passage_that_moves_keeps_its_names(memory: Memory) -> None:
    about, rest = "Marta Ruiz works in Lisbon.\n\n" + paragraphs(3, "a"), paragraphs(12, "b")
    name = memory.ingest(about + rest, source="page")[0].name
    memory.ingest(rest + about, source="page")
    listed = {entity for chunk in memory.document(name).chunks for entity in chunk.entities}
    assert {"Marta Ruiz", "Lisbon"} <= listed


def test_names_are_left_alone_if_that_is_asked_for(memory: Memory) -> None:
    name = memory.ingest("We met Marta Ruiz in Lisbon.", domain="team", entities=False)[0].name
    assert memory.access(chunk_name(name, STEP)).atom.entities == ()
    assert memory.list("v1.entity.").items == ()


def test_of_very_many_names_each_chunk_lists_a_hundred_and_the_rest_is_counted(memory: Memory) -> None:
    text = " ".join(f"`n{i}`" for i in range(5000))
    item = memory.ingest(text, domain="names")[0]
    assert item.unlisted > 0
    assert item.entities + item.unlisted == 5000
    assert all(len(atom.entities) <= 100 for atom in memory.list("v1.chunk.names.", limit=1000))
    assert memory.document(item.name).text == text


def test_a_text_with_a_source_is_one_document_over_time(memory: Memory) -> None:
    one = memory.ingest("# Minutes\n\nWe begin.", source="minutes", domain="team")[0]
    two = memory.ingest("# Minutes\n\nWe went on.", source="minutes", domain="team")[0]
    assert (one.name, one.title, two.status) == (two.name, "Minutes", "changed")
    assert memory.ingest("# Minutes\n\nWe went on.", source="minutes", domain="other")[0].name != one.name


def test_a_text_that_reads_like_a_path_is_not_taken_for_one(memory: Memory, folder: Path) -> None:
    for text in ("docs/", str(folder / "index.md"), "notes.MD"):
        with pytest.raises(InputError, match=r"pathlib\.Path"):
            memory.ingest(text)
    assert memory.document(memory.ingest("docs/", title="A word")[0].name).text == "docs/"
    assert memory.document(memory.ingest("see docs/")[0].name).text == "see docs/"


def test_a_dot_in_a_domain_mixes_it_with_no_other(memory: Memory) -> None:
    found = {memory.ingest("text", domain=domain, source="s")[0].name for domain in ("a.b", "a_b", "a", "a%2Eb", "A.b")}
    assert len(found) == 5
    assert {name.split(".")[2] for name in found} == {"a%2Eb", "a_b", "a", "a%252Eb", "A%2Eb"}


@pytest.mark.parametrize("domain", ["a.b", "a%2Eb", "a%252Eb", "50%", "e\u0301"])
def test_a_domain_finds_its_own_documents_and_no_others(memory: Memory, domain: str) -> None:
    for one in ("a.b", "a%2Eb", "a%252Eb", "a%25252Eb", "50%", "50%25", "\u00e9"):
        memory.ingest(f"text {one}", domain=one, source="s")
    wanted = {f"text {normalise(domain)}"}
    assert {hit.value for hit in memory.search("text", domain=domain)} == wanted
    assert {atom.value for atom in memory.recent(domain=domain, type="chunk")} == wanted


def test_a_file_of_a_time_that_no_calendar_has_is_taken() -> None:
    class Elsewhere(Root):
        def read(self, parts: tuple[str, ...]) -> FileRead:
            return FileRead(b"text", {"late.md": 1 << 90, "early.md": -(1 << 90)}[parts[-1]])

    root, request = Elsewhere("root", -1), Request.of(said={})
    assert read_file(root, ("late.md",), request).modified == "9999-12-31T23:59:59Z"
    assert read_file(root, ("early.md",), request).modified == "0001-01-01T00:00:00Z"


@pytest.mark.parametrize("path", ["a" * 5_000, "/".join(["a" * 200] * 50), "\ud800.md"])
def test_a_path_that_the_system_does_not_take_is_refused(memory: Memory, path: str) -> None:
    with pytest.raises(InputError):
        memory.ingest(Path(path))


@pytest.mark.parametrize("domain", ["...", ".", "", " ", "a{b}", "v1.fact.x", "x\0y"])
def test_a_domain_that_cannot_be_is_refused_with_nothing_written(memory: Memory, domain: str) -> None:
    before = memory.head()
    with pytest.raises((NameInvalid, SchemaInvalid, InputError)):
        memory.ingest("text", domain=domain)
    assert memory.head() == before


@pytest.mark.parametrize(
    "options",
    [{"title": " "}, {"title": 1}, {"source": ""}, {"media_type": "text/csv"}, {"title": "x" * 1001}, {"root": "x"}],
)
def test_options_that_cannot_be_are_refused(memory: Memory, options: dict[str, str]) -> None:
    with pytest.raises(InputError):
        memory.ingest("text", **options)  # type: ignore[arg-type]
    with pytest.raises(SchemaInvalid):
        memory.ingest(b"text")  # type: ignore[arg-type]


def test_what_cannot_be_taken_is_told_and_the_rest_is_saved(memory: Memory, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("secret of another folder")
    (folder / "a_link.md").symlink_to(outside)
    (folder / "b_folder").symlink_to(tmp_path)
    os.mkfifo(folder / "c_pipe.md")
    (folder / "d_nul.md").write_bytes(b"a\0b")
    (folder / "e_latin.md").write_bytes("größer".encode("latin-1"))
    (folder / "f_large.md").write_bytes(b"x" * (LIMITS["file_bytes"] + 1))
    (folder / "g_key.md").write_text(f"the key is {CREDENTIAL}")
    (folder / "h_cells.ipynb").write_text("{}")
    ingested = memory.ingest(folder, domain="handbook")
    assert [(Path(one.item).name, one.code) for one in ingested.failed] == [
        ("a_link.md", "denied"),
        ("b_folder", "denied"),
        ("c_pipe.md", "denied"),
        ("d_nul.md", "schema_invalid"),
        ("e_latin.md", "schema_invalid"),
        ("f_large.md", "too_large"),
        ("g_key.md", "secret"),
        ("h_cells.ipynb", "schema_invalid"),
    ]
    assert len(ingested) == 3
    assert memory.search("secret of another folder").items == ()


def test_a_file_of_just_the_limit_is_taken(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIMITS, "file_bytes", 150_000)
    path = tmp_path / "large.txt"
    path.write_bytes(b"word word word\n" * 10_000)
    assert memory.document(memory.ingest(path)[0].name).text.encode() == path.read_bytes()
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(TooLarge):
        memory.ingest(path)
    with pytest.raises(TooLarge):
        memory.ingest("x" * 150_001)


def test_a_single_file_that_cannot_be_read_is_an_error(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"\xfc")
    for path in (tmp_path / "nowhere.md", tmp_path / "no" / "where", tmp_path / "latin.txt", Path("a\0b")):
        with pytest.raises(InputError):
            memory.ingest(path)
    with pytest.raises(SecretFound):
        memory.ingest(f"token: {CREDENTIAL}")
    assert memory.list().items == ()


def test_a_credential_across_a_cut_is_found(memory: Memory) -> None:
    for before in range(1580, 1600):
        with pytest.raises(SecretFound):
            memory.ingest("x" * before + f" {CREDENTIAL} " + "y" * 2000)


def test_a_path_must_be_below_the_root(memory: Memory, folder: Path) -> None:
    for path in (Path("../outside.md"), folder.parent / "outside.md", Path("deep/../../x"), Path("/etc/passwd")):
        with pytest.raises(PathEscape):
            memory.ingest(path, root=folder)
    inside = memory.ingest(Path("deep/long.txt"), root=folder)
    assert inside[0].source == "docs/deep/long.txt"
    assert memory.ingest(folder / "deep", root=folder).recorded == 1  # the empty file's document
    assert memory.ingest(folder, source="manual")[0].source == "manual/deep/er/empty.md"


def test_files_that_are_gone_are_named_and_pruned_on_demand(memory: Memory, folder: Path) -> None:
    first = memory.ingest(folder, domain="handbook")
    memory.ingest("A note", source="docs/notes", domain="handbook")
    (folder / "index.md").unlink()
    second = memory.ingest(folder, domain="handbook")
    gone = first[2].name
    assert (set(second.missing), second.recorded) == ({gone}, 0)
    third = memory.ingest(folder / "deep", domain="handbook", root=folder, prune=True)
    assert third.recorded == 0
    memory.ingest(folder, domain="handbook", prune=True)
    with pytest.raises(NotFound):
        memory.document(gone)
    assert memory.document(gone, as_of=first.recorded).title == "The handbook"


def test_a_file_that_was_moved_inside_its_folder_is_found_once_at_its_new_place(memory: Memory, folder: Path) -> None:
    """The twin: one that was changed on the way is another file, and its old document is named as missing."""
    (folder / "pump.md").write_text("The pump of the fountain was repaired in May.\n")
    (folder / "lamp.md").write_text("The lamp of the yard is new.\n")
    first = {item.source: item.name for item in memory.ingest(folder)}
    (folder / "pump.md").rename(folder / "deep" / "pump.md")
    (folder / "lamp.md").unlink()
    (folder / "deep" / "lamp.md").write_text("The lamp of the yard is old.\n")
    assert memory.ingest(folder, dry_run=True).missing == (first["docs/lamp.md"],)
    second = memory.ingest(folder)
    assert second.missing == (first["docs/lamp.md"],)
    assert [item.name for item in second if item.status == "gone"] == [first["docs/pump.md"]]
    hits = memory.search("the pump of the fountain, repaired in May")
    found = [hit.atom.source for hit in hits if "pump of the fountain" in hit.value and hit.name.startswith("v1.chunk")]
    assert found == ["docs/deep/pump.md"]
    assert memory.ingest(folder).recorded == 0


def test_a_folder_that_is_suddenly_empty_prunes_nothing(memory: Memory, folder: Path) -> None:
    first = memory.ingest(folder, domain="handbook")
    folder.rename(folder.with_name("elsewhere"))
    folder.mkdir()
    second = memory.ingest(folder, domain="handbook", prune=True)
    assert (second.recorded, set(second.missing)) == (0, {item.name for item in first})
    assert "nothing was taken out of use" in second.note


def test_domains_are_counted_by_their_names(memory: Memory) -> None:
    memory.ingest("word", domain="web.api 50%", title="t")
    assert memory.stats().domains == {"web.api 50%": 2}


def test_what_is_shown_of_an_ingest_has_its_sums_and_what_was_not_taken(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(150):
        (folder / f"{number}.md").write_text(f"# Page {number}")
    (folder / "<odd>.md").write_bytes(b"\xff")
    shown = memory.ingest(folder, entities=False)._repr_html_()
    assert shown.count("many/") == 101  # a hundred, and the one that was not taken
    assert "50 more documents are in .items" in shown
    assert "150 documents, chunks: 150 added" in shown
    assert "not taken: many/&lt;odd&gt;.md" in shown
    again = memory.ingest(folder, entities=False)
    assert "150 kept" in again._repr_html_()
    assert "<table" not in again._repr_html_()
    assert "not taken: many/<odd>.md" in repr(again)


def test_a_file_whose_name_is_not_utf8_is_refused_and_the_others_are_saved(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "names"
    below = Path(os.fsdecode(bytes(folder / "in") + b"\xff"))
    below.mkdir(parents=True)
    for path in (folder / "good.md", below / "b.md", Path(os.fsdecode(bytes(folder / "v") + b"\xff.md"))):
        path.write_text("# Page")
    for status in ("new", "kept"):
        taken = memory.ingest(folder, entities=False, prune=True)
        assert [(item.source, item.status) for item in taken] == [("names/good.md", status)]
        assert [(one.item, one.reason) for one in taken.failed] == [
            (rf"names/{name}", "its name is not UTF-8: rename it") for name in (r"in\udcff/b.md", r"v\udcff.md")
        ]
    (told,) = islice(memory.follow(folder, domain="followed", every=60, entities=False), 1)
    assert (len(told), len(told.failed)) == (1, 2)
    refused = memory.ingest(below, entities=False)
    assert (len(refused), [one.item for one in refused.failed]) == (0, [r"in\udcff/b.md"])


def test_a_dry_run_writes_nothing(memory: Memory, folder: Path) -> None:
    before = memory.head()
    would = memory.ingest(folder, domain="handbook", dry_run=True)
    assert memory.head() == before
    done = memory.ingest(folder, domain="handbook")
    assert (would.added, would.dry_run) == (done.added, True)


def test_what_a_person_wrote_over_a_chunk_stays_while_the_source_says_the_same(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    path.write_text(paragraphs(20))
    name = memory.ingest(path)[0].name
    edited, dropped = chunk_name(name, 2 * STEP), chunk_name(name, 3 * STEP)
    memory.checkpoint([f"{edited} = corrected"], tombstones=[dropped])
    document = memory.document(name)
    assert (document.text, document.exact, document.edited) == (path.read_text(), True, (edited, dropped))
    path.write_text(path.read_text() + "An end.\n")
    assert memory.ingest(path)[0].changed == 1
    assert memory.access(edited).value == "corrected"
    with pytest.raises(NotFound):
        memory.access(dropped)
    assert memory.document(name).text == path.read_text()
    path.write_text("All is new.\n")
    memory.ingest(path)
    assert memory.document(name).text == "All is new.\n"


@pytest.mark.parametrize("digits", ["5", "1000", "000001000", "9" * 200])
def test_an_atom_that_is_named_almost_as_a_chunk_is_no_part_of_the_text(memory: Memory, digits: str) -> None:
    name = memory.ingest("one two three", source="s")[0].name
    planted = f"{chunk_prefix(name)}{digits}"
    memory.checkpoint([{"name": planted, "value": "planted", "origin": "ingested"}])
    assert not memory.ingest("one two three four", source="s").failed
    found = memory.document(name)
    assert (found.text, found.exact) == ("one two three four", True)
    assert memory.access(planted).value == "planted"


def test_a_document_of_which_a_chunk_was_forgotten_says_so(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    path.write_text(paragraphs(10))
    name = memory.ingest(path)[0].name
    memory.forget(chunk_name(name, STEP))
    document = memory.document(name)
    assert (document.exact, document.missing) == (False, 1)
    assert path.read_text().endswith(document.text)


def test_a_document_of_many_checkpoints_is_the_old_one_until_the_last(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "PART", 3)
    path = tmp_path / "page.txt"
    path.write_text(paragraphs(40))
    name = memory.ingest(path)[0].name
    old, heads = path.read_text(), memory.head().head.size
    assert len(memory.heads()) > 5
    path.write_text(paragraphs(25, "new"))
    memory.ingest(path)
    new, last = path.read_text(), memory.head().head.size - 1
    seen = [memory.document(name, as_of=seq) for seq in range(heads - 1, last + 1)]
    assert all(document.exact for document in seen)
    assert [document.text for document in seen] == [old] * (len(seen) - 1) + [new]
    assert memory.ingest(path).recorded == 0


def test_two_who_ingest_one_source_at_once_leave_a_whole_document(
    memory: Memory, reopen: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = reopen()
    texts = iter([paragraphs(8, "other")])

    def interrupted(*given: Any, **options: Any) -> Saved:
        for text in texts:
            other.ingest(text, source="page")
        return checkpoint(*given, **options)

    monkeypatch.setattr("substrate.documents.write.checkpoint", interrupted)
    name = memory.ingest(paragraphs(5), source="page")[0].name
    document = memory.document(name)
    assert (document.text, document.exact) == (paragraphs(5), True)


def test_a_document_that_others_change_all_the_time_is_told(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object, **__: object) -> None:
        raise Conflict("another was faster")

    memory.checkpoint(["v1.domain.main = main"])
    monkeypatch.setattr("substrate.documents.write.checkpoint", busy)
    assert [one.code for one in memory.ingest("text", source="page").failed] == ["conflict"]


def test_progress_counts_bytes(memory: Memory, folder: Path) -> None:
    told: list[tuple[int, int]] = []
    memory.ingest(folder, progress=lambda done, total: told.append((done, total)))
    total = sum(path.stat().st_size for path in (folder / "index.md", folder / "deep" / "long.txt"))
    assert told[-1] == (total, total)


def test_what_access_reads_is_not_a_document_by_its_type_alone(memory: Memory) -> None:
    memory.checkpoint(["v1.document.main.mine = My own", "v1.fact.x = y"])
    for name in ("v1.document.main.mine", "v1.fact.x"):
        with pytest.raises(NotFound, match="access"):
            memory.document(name)


def test_an_export_and_an_import_keep_documents_whole(memory: Memory, tmp_path: Path, home: Path) -> None:
    path = tmp_path / "page.txt"
    for text in (paragraphs(20), paragraphs(4, "b") + paragraphs(9), "short"):
        path.write_text(text)
        name = memory.ingest(path)[0].name
    memory.export(tmp_path / "plain.jsonl")
    with open_memory(tmp_path / "other", home=home) as other:
        other.import_lines(tmp_path / "plain.jsonl")
        document = other.document(name)
        assert (document.text, document.exact) == ("short", True)
        assert other.ingest(path).recorded == 0


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of one name: each has a readme and a licence, the first one also a page of its own."""
    folders = tmp_path / "a" / "docs", tmp_path / "b" / "docs"
    for folder, whose in zip(folders, "AB", strict=True):
        folder.mkdir(parents=True)
        (folder / "readme.md").write_text(f"# Readme of {whose}\n")
        (folder / "licence.md").write_text("# Licence\n")
    (folders[0] / "only.md").write_text("# Only in A\n")
    return folders


def titles(memory: Memory) -> set[str]:
    return {atom.value for atom in memory.list("v1.document.")}


def test_a_folder_changes_no_document_of_another_of_the_same_name(memory: Memory, two: tuple[Path, Path]) -> None:
    memory.ingest(two[0])
    before = memory.head()
    second = memory.ingest(two[1], prune=True)
    assert [(item.source, item.status) for item in second] == [("docs/licence.md", "kept")]
    assert [(one.item, one.code) for one in second.failed] == [("docs/readme.md", "input")]
    assert 'another folder called "docs" was ingested here' in second.failed[0].reason
    assert (second.missing, memory.head()) == ((), before)
    with pytest.raises(InputError, match="another folder"):
        memory.ingest(two[1] / "readme.md")
    assert [item.status for item in memory.ingest(two[1], source="docs-b")] == ["new", "new"]
    assert titles(memory) == {"Readme of A", "Readme of B", "Licence", "Only in A"}


def test_what_another_folder_of_the_same_name_has_is_not_pruned(memory: Memory, two: tuple[Path, Path]) -> None:
    memory.ingest(two[0])
    (two[1] / "readme.md").unlink()
    (two[1] / "page.md").write_text("# Only in B\n")
    memory.ingest(two[1])
    (two[1] / "page.md").unlink()
    assert [item.status for item in memory.ingest(two[1], prune=True)] == ["kept", "gone"]
    assert titles(memory) == {"Readme of A", "Licence", "Only in A"}


def test_a_moved_folder_goes_on_once_its_name_is_given(memory: Memory, two: tuple[Path, Path]) -> None:
    first = memory.ingest(two[0])
    moved = two[0].parent.with_name("c") / "docs"
    moved.parent.mkdir()
    two[0].rename(moved)
    assert memory.ingest(moved).recorded == 0
    (moved / "readme.md").write_text("# Readme, edited\n")
    assert len(memory.ingest(moved).failed) == 1
    taken = memory.ingest(moved, source="docs")
    assert [(item.name, item.id) for item in taken] == [(item.name, item.id) for item in first]
    assert (taken.failed, taken.added, taken.changed, taken.recorded) == ((), 0, 1, 4)  # a chunk, and three marks
    (moved / "readme.md").write_text("# Readme, edited again\n")
    (moved / "only.md").unlink()
    again = memory.ingest(moved, prune=True)
    assert {item.source: item.status for item in again} == {
        "docs/licence.md": "kept",
        "docs/only.md": "gone",
        "docs/readme.md": "changed",
    }


def test_a_document_says_nothing_of_where_its_folder_lies(memory: Memory, two: tuple[Path, Path]) -> None:
    marks = {memory.access(item.name).atom.attrs["root"] for item in memory.ingest(two[0])}
    other = {memory.access(item.name).atom.attrs["root"] for item in memory.ingest(two[1], source="b")}
    assert (len(marks), len(other), marks & other) == (1, 1, set())
    assert {len(str(mark)) for mark in marks} == {16}
    assert str(two[0].parent) not in str([atom.to_dict() for atom in memory.list("v1.")])


def test_a_document_without_a_mark_is_pruned_only_after_it_was_ingested_again(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:  # as it was before there were marks
        before.setattr(plan, "ROOT", "another")
        first = memory.ingest(folder)
    kept = folder / "index.md"
    text = kept.read_text()
    kept.unlink()
    second = memory.ingest(folder, prune=True)
    assert (second.recorded, second.tombstoned, second.missing) == (2, 0, ())  # two others get their marks
    kept.write_text(text)
    assert memory.ingest(folder).recorded == 1
    assert memory.ingest(folder).recorded == 0
    kept.unlink()
    assert memory.ingest(folder).missing == (first[2].name,)


def test_two_folders_of_one_name_that_are_ingested_at_once_leave_one_of_them(
    memory: Memory, two: tuple[Path, Path], store: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = open_memory(store, home=home)

    def slow(*given: Any, **options: Any) -> Saved:
        monkeypatch.undo()
        other.ingest(two[0])
        return checkpoint(*given, **options)

    memory.ingest("so that the domain is there", title="t")
    monkeypatch.setattr("substrate.documents.write.checkpoint", slow)
    second = memory.ingest(two[1])
    other.close()
    assert [(one.item, one.code) for one in second.failed] == [("docs/readme.md", "input")]
    assert titles(memory) == {"t", "Readme of A", "Licence", "Only in A"}


def test_one_file_that_is_taken_in_again_stays_a_document_of_its_folder(memory: Memory, folder: Path) -> None:
    memory.ingest(folder)
    path = folder / "deep" / "long.txt"
    for text in ("one", "two"):
        path.write_text(text)
        assert [item.status for item in memory.ingest(path, source="docs/deep")] == ["changed"]
        path.write_text(f"{text} more")
        assert not memory.ingest(folder).failed
    new = folder / "deep" / "new.txt"
    new.write_text("new")
    assert [item.status for item in memory.ingest(new, source="docs/deep")] == ["new"]
    new.write_text("newer")
    assert not memory.ingest(folder).failed
    new.unlink()
    assert len(memory.ingest(folder).missing) == 1


def test_a_document_that_a_person_gives_another_title_is_the_same_document(memory: Memory, folder: Path) -> None:
    item = memory.ingest(folder / "index.md", domain="handbook")[0]
    before = memory.document(item.name)
    memory.checkpoint([{"name": item.name, "value": "Our own title", "origin": "user"}])
    after = memory.document(item.name)
    assert (after.title, after.text, after.digest, after.source) == (
        "Our own title",
        before.text,
        before.digest,
        before.source,
    )
    assert after.exact
    assert memory.ingest(folder / "index.md", domain="handbook").recorded == 0
    (folder / "index.md").write_text(before.text + "\nMore.\n")
    (changed,) = memory.ingest(folder / "index.md", domain="handbook")
    assert (changed.title, changed.status, changed.changed) == ("Our own title", "changed", 1)
    (folder / "index.md").write_text("# Another\n\nMore.\n")
    assert memory.ingest(folder / "index.md", domain="handbook")[0].title == "Another"


CHUNKS = [
    {"text": "Kafka uses ZooKeeper.", "entities": [{"name": "Kafka", "type": "tool"}, "ZooKeeper"]},
    {"text": "Kafka runs on Linux.", "relations": [{"source": "Kafka", "type": "uses", "target": "ZooKeeper"}]},
]


def test_chunks_bring_entities_and_relations_which_are_saved_with_the_document_or_not_at_all(memory: Memory) -> None:
    tried = memory.ingest(CHUNKS, source="a.md", dry_run=True)
    assert tried.related is not None
    assert (len(tried.related.stated), tried.related.recorded) == (1, 0)
    assert memory.list() == memory.list("v1.nothing.")
    taken = memory.ingest(CHUNKS, source="a.md", attrs={"by": "hand"})
    assert taken.related is not None
    assert (taken.related.entities, taken.related.recorded) == (("Kafka", "ZooKeeper"), 3)
    (edge,) = memory.edges("v1.entity.main.kafka")
    assert (edge.target, edge.attrs["by"], edge.origin) == ("v1.entity.main.zookeeper", "hand", "user")
    assert memory.access("v1.entity.main.kafka").atom.attrs == {"type": "tool"}
    assert memory.ingest(CHUNKS, source="a.md").recorded == 0
    for bad in (["uses"], {"source": "Kafka"}, [{"source": "Kafka"}]):
        with pytest.raises(SchemaInvalid):
            memory.ingest([{"text": "x", "relations": bad}], source="b.md")
    spelled: tuple[dict[str, Any], ...] = (
        {"entities": [{"name": CREDENTIAL}]},
        {"entities": [{"name": "Kafka 2", "type": CREDENTIAL}]},
        {"relations": [{"source": "Kafka", "type": CREDENTIAL, "target": "Linux"}]},
    )
    for secret in spelled:
        text = {"text": f"Kafka {CREDENTIAL} Linux."} if "relations" in secret else {"text": "x"}
        with pytest.raises(SecretFound):
            memory.ingest([text | secret], source="b.md")
    assert memory.ingest([{"text": "x", "entities": []}], source="c.md").related is None
