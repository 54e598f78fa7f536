"""A folder of notes: front matter as fields, links as edges, both as the files say them now."""

from __future__ import annotations

from pathlib import Path

import pytest

from substrate.documents import plan
from substrate.documents.naming import document_name
from substrate.documents.request import Request
from substrate.documents.watch import FolderWatch
from substrate.log.copies.check import check_store
from substrate.memory import Memory
from substrate.text.secrets import find_secrets
from substrate.views.catalogue import VIEWS
from tests.credentials import samples
from tests.documents.test_chunk import prose

DOMAIN = "v1.domain.v"
CREDENTIAL = next(samples("github_token", 1)).secret


def name(file: str, root: str = "vault") -> str:
    return document_name(DOMAIN, f"{root}/{file}")


def links(memory: Memory, file: str) -> set[str]:
    return {edge.target for edge in memory.edges(name(file), direction="out", type="links_to")}


def unresolved(memory: Memory, file: str) -> object:
    return memory.access(name(file)).atom.attrs.get("unresolved")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / "sub").mkdir(parents=True)
    (folder / "one.md").write_bytes(
        b"---\r\ntitle: The One\r\ntags: [ships, sea]\r\naliases: [Uno]\r\ndate: 2024-05-01\r\nstatus: draft\r\n---\r\n"
        b"# Head\r\n\r\nSee [[two]], [three](sub/three.md) and [[four]].\r\n"
    )
    (folder / "two.md").write_text("Back to [[one]], and `[[three]]`.\n")
    (folder / "sub" / "three.md").write_text("No links.\n")
    return folder


def test_fields_are_those_of_the_file_and_links_are_edges(memory: Memory, vault: Path, store: Path, home: Path) -> None:
    ingested = memory.ingest(vault, domain="v")
    one = memory.access(name("one.md")).atom
    assert (one.value, one.tags, one.attrs["aliases"]) == ("The One", ("ships", "sea"), ["Uno"])
    assert one.attrs["front_matter"] == {"status": "draft"}
    assert one.occurred_at is not None
    assert one.occurred_at.date().isoformat() == "2024-05-01"
    assert memory.document(one.name).text.encode() == (vault / "one.md").read_bytes()
    assert memory.which("Uno").name == one.name
    assert [hit.atom.parent for hit in memory.search("See", tags=["sea"], type="chunk")] == [one.id]
    assert links(memory, "one.md") == {name("two.md"), name("sub/three.md")}
    assert links(memory, "two.md") == {name("one.md")}
    assert unresolved(memory, "one.md") == ["four"]
    assert (ingested.linked, ingested.unresolved) == (3, 1)
    assert "3 stated, 1 lead to none" in repr(ingested)
    assert {edge.origin for edge in memory.edges(one.name)} == {"ingested"}
    assert memory.ingest(vault, domain="v").recorded == 0
    memory.close()
    assert check_store(store, home=home, views=VIEWS).damage is None


def test_a_file_that_comes_or_goes_changes_where_links_of_others_lead(memory: Memory, vault: Path) -> None:
    memory.ingest(vault, domain="v")
    (vault / "sub" / "four.md").write_text("Here.\n")
    came = memory.ingest(vault, domain="v")
    assert [(item.source, item.status) for item in came][:2] == [
        ("vault/one.md", "changed"),
        ("vault/sub/four.md", "new"),
    ]
    assert name("sub/four.md") in links(memory, "one.md")
    assert unresolved(memory, "one.md") is None
    (vault / "four.md").write_text("Nearer.\n")  # the same name on a shorter path
    memory.ingest(vault, domain="v")
    assert links(memory, "one.md") == {name("two.md"), name("sub/three.md"), name("four.md")}
    (vault / "four.md").unlink()
    (vault / "sub" / "four.md").unlink()
    memory.ingest(vault, domain="v", prune=True)
    assert links(memory, "one.md") == {name("two.md"), name("sub/three.md")}
    assert unresolved(memory, "one.md") == ["four"]
    assert memory.document(name("one.md")).exact
    (vault / "one.md").unlink()
    memory.ingest(vault, domain="v", prune=True)
    assert memory.edges(name("two.md"), direction="both").items == ()
    assert memory.ingest(vault, domain="v").recorded == 0


def test_what_people_stated_and_took_back_stays(memory: Memory, vault: Path) -> None:
    memory.ingest(vault, domain="v")
    own = {"source": name("one.md"), "type": "links_to", "target": "v1.note.mine"}
    memory.checkpoint([], edges=[own], unedges=[{**own, "target": name("two.md")}])
    (vault / "one.md").write_text("See [[two]] now.\n")
    memory.ingest(vault, domain="v")
    assert links(memory, "one.md") == {"v1.note.mine"}
    (vault / "one.md").write_text("See [[two]], [[three]].\n")
    memory.ingest(vault, domain="v")
    assert links(memory, "one.md") == {"v1.note.mine", name("sub/three.md")}


def test_links_follow_the_files_again_after_an_undo_but_for_what_a_person_took_back(
    memory: Memory, vault: Path
) -> None:
    for _ in range(2):
        memory.ingest(vault, domain="v")
        assert links(memory, "one.md") == {name("two.md"), name("sub/three.md")}
        memory.undo()
        assert links(memory, "one.md") == set()
    memory.ingest(vault, domain="v")
    memory.checkpoint([], unedges=[{"source": name("one.md"), "type": "links_to", "target": name("two.md")}])
    memory.undo()
    memory.undo()
    memory.ingest(vault, domain="v")
    assert links(memory, "one.md") == {name("sub/three.md")}


def test_an_undo_tells_what_it_leaves_of_an_ingest_of_several_checkpoints(memory: Memory, vault: Path) -> None:
    """Of any size; also the domain, which it makes first. The twin: nothing is told of what is of no ingest."""
    memory.ingest(vault, domain="v")
    assert memory.undo(dry_run=True).ingested == range(1, 2)  # v1.domain.v
    (vault / "more.md").write_text("More.\n")
    memory.ingest(vault, domain="v")
    undone = memory.undo()
    assert undone.verb == "ingest"
    assert undone.ingested is not None
    assert undone.ingested.stop == undone.undone.start
    memory.checkpoint(["v1.fact.a = 1"])
    memory.ingest(vault, domain="v")
    assert memory.undo().ingested is None


def test_tags_that_change_change_those_of_all_chunks_but_what_people_wrote(memory: Memory, vault: Path) -> None:
    text = "".join(f"{prose(60, f'p{i}')}\n\n" for i in range(20))
    path = vault / "long.md"
    path.write_text(f"---\ntags: old\n---\n{text}")
    document = memory.document(memory.ingest(vault, domain="v")[0].name)
    assert len(document.chunks) > 3
    assert all(chunk.tags == ("old",) for chunk in document.chunks)
    edited = document.chunks[-1].name
    memory.checkpoint([{"name": edited, "value": "mine"}])
    path.write_text(f"---\ntags: [new, n2]\n---\n{text}")
    memory.ingest(vault, domain="v", entities=False)
    now = [memory.access(chunk.name).atom for chunk in document.chunks]
    assert [atom.tags for atom in now[:-1]] == [("new", "n2")] * (len(now) - 1)
    assert [atom.entities for atom in now[1:-1]] == [chunk.entities for chunk in document.chunks[1:-1]]
    assert now[-1].value == "mine"
    path.write_text(text)
    memory.ingest(vault, domain="v")
    assert all(memory.access(chunk.name).atom.tags == () for chunk in memory.document(document.name).chunks[:-1])
    assert memory.access(document.name).atom.tags == ()
    assert memory.document(document.name).text == text


def test_a_title_that_a_person_gave_stays_as_long_as_the_file_says_the_same(memory: Memory, vault: Path) -> None:
    memory.ingest(vault, domain="v")
    whole = memory.access(name("one.md")).atom
    memory.checkpoint([{"name": whole.name, "value": "Mine", "attrs": whole.attrs}])
    (vault / "four.md").write_text("Here.\n")
    for extra in ("", " More.", " Still more."):
        (vault / "one.md").write_bytes((vault / "one.md").read_bytes() + extra.encode())
        memory.ingest(vault, domain="v")
        assert memory.access(whole.name).atom.value == "Mine"
    (vault / "one.md").write_text("# Another\n")
    memory.ingest(vault, domain="v")
    assert memory.access(whole.name).atom.value == "Another"


def test_a_document_from_before_front_matter_was_read_gets_its_fields(memory: Memory, vault: Path) -> None:
    memory.ingest(vault, domain="v")
    atom = memory.access(name("one.md")).atom
    attrs = {key: said for key, said in atom.attrs.items() if key not in {"front_matter", "aliases"}}
    memory.checkpoint([{"name": atom.name, "value": atom.value, "attrs": attrs, "tags": []}], origin="ingested")
    assert memory.access(atom.name).atom.tags == ()
    memory.ingest(vault, domain="v")
    assert memory.access(atom.name).atom.tags == ("ships", "sea")
    assert memory.ingest(vault, domain="v").recorded == 0


def test_one_file_and_a_part_of_a_folder_link_to_what_was_ingested_of_it(memory: Memory, vault: Path) -> None:
    memory.ingest(vault, domain="v")
    (vault / "sub" / "three.md").write_text("See [[two]] and [one](../one.md).\n")
    memory.ingest(vault / "sub" / "three.md", domain="v", source="vault/sub")
    assert links(memory, "sub/three.md") == {name("two.md"), name("one.md")}
    (vault / "sub" / "three.md").write_text("See [[two]].\n")
    memory.ingest(Path("sub"), domain="v", root=vault)
    assert links(memory, "sub/three.md") == {name("two.md")}
    assert links(memory, "one.md") == {name("two.md"), name("sub/three.md")}


def test_a_forgotten_document_takes_its_edges_along_and_gets_them_again(memory: Memory, vault: Path) -> None:
    memory.ingest(vault, domain="v")
    memory.forget(whole=name("two.md"))
    assert links(memory, "one.md") == {name("sub/three.md")}
    memory.ingest(vault, domain="v")
    assert links(memory, "one.md") == {name("two.md"), name("sub/three.md")}
    assert links(memory, "two.md") == {name("one.md")}


def test_a_table_of_edge_types_that_allows_no_links_keeps_no_document_out(memory: Memory, vault: Path) -> None:
    memory.checkpoint(['v1.schema.edges = {"strict": true}'])
    ingested = memory.ingest(vault, domain="v")
    assert (len(ingested), ingested.failed, ingested.linked) == (3, (), 0)
    memory.checkpoint(['v1.schema.edges = {"strict": true, "types": {"links_to": {"inverse": "linked_from"}}}'])
    assert memory.ingest(vault, domain="v").linked == 3
    assert memory.ingest(vault, domain="v").recorded == 0


def test_a_document_of_several_checkpoints_has_its_edges_with_the_last(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "PART", 3)
    text = "".join(f"{prose(60, f'p{i}')} [[two]]\n\n" for i in range(20))
    (vault / "long.md").write_text(text)
    memory.ingest(vault, domain="v")
    document = memory.access(name("long.md")).atom
    (edge,) = memory.edges(document.name, direction="out")
    assert (edge.target, edge.seq > document.seq) == (name("two.md"), True)
    assert memory.document(document.name).text == text


def test_following_a_folder_sees_that_a_link_leads_somewhere_now(memory: Memory, vault: Path) -> None:
    watch = FolderWatch(memory._store.log, vault, Request.of(domain="v", said={}))
    watch.look()
    (vault / "four.md").write_text("Here.\n")
    ingested = watch.look()
    assert ingested is not None
    assert {(item.source, item.status) for item in ingested} == {("vault/four.md", "new"), ("vault/one.md", "changed")}
    assert name("four.md") in links(memory, "one.md")


def test_hostile_notes_are_taken_as_texts_and_lead_nowhere(
    memory: Memory, tmp_path: Path, store: Path, home: Path
) -> None:
    (tmp_path / "secret.md").write_text("outside")
    folder = tmp_path / "vault"
    folder.mkdir()
    bomb = "a: &a [x]\n" + "".join(f"{b}: &{b} [*{a},*{a},*{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    notes = {
        "large": f"---\ntitle: {'x' * 100_000}\n---\n",
        "deep": f"---\na: {'[' * 1000}{']' * 1000}\n---\n",
        "bomb": f"---\n{bomb}---\n",
        "tags": "---\ntags: [" + ", ".join(f"t{i}" for i in range(10_000)) + "]\n---\n",
        "title": '---\ntitle: "\\x1b[2J\\u202e evil"\n---\n',
        "links": "[a](../secret.md) [[../secret]] [[/etc/passwd]] [b](..%2f..%2fsecret.md) [c](javascript:x.md)"
        f" [[links]] [[{'x' * 100_000}]] [[a\nb]]"
        " [d](a%00.md) [e](%ff.md) [f](a%0Ab.md) [[deep]]\n```\n[[bomb]]\n```\n",
    }
    for file, text in notes.items():
        (folder / f"{file}.md").write_text(text)
    ingested = memory.ingest(folder, domain="v")
    assert (len(ingested), ingested.failed) == (len(notes), ())
    assert links(memory, "links.md") == {name("deep.md")}
    assert not memory.search("outside", type="chunk").items
    for file, text in notes.items():
        assert memory.document(name(f"{file}.md")).text == text
    assert memory.access(name("title.md")).atom.value == "[2J\u202e evil"
    assert memory.access(name("bomb.md")).atom.attrs.get("front_matter") is None
    assert memory.ingest(folder, domain="v").recorded == 0
    memory.close()
    assert check_store(store, home=home, views=VIEWS).damage is None


def test_fields_and_links_of_any_size_leave_room_in_the_attrs(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    wide = "\U0001f6a2" * 200
    front = f"nested: {'{a: ' * 6}1{'}' * 6}\naliases: [{', '.join(f'{i}{wide}' for i in range(50))}]\n"
    front += "".join(f"f{i}: {wide}\n" for i in range(20))
    (folder / "one.md").write_text(f"---\n{front}---\n" + " ".join(f"[[{i}{wide}]]" for i in range(1100)))
    ingested = memory.ingest(folder, domain="v")
    assert ingested.failed == ()
    assert ingested[0].dropped[0] == "aliases"
    assert ingested[0].unresolved == 1100
    assert memory.access(name("one.md")).atom.attrs["front_matter"]["nested"] == {
        "a": {"a": {"a": {"a": {"a": {"a": 1}}}}}
    }


def test_a_credential_that_yaml_spells_in_another_way_is_refused(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    hidden = "".join(f"\\x{ord(sign):02x}" for sign in CREDENTIAL)
    assert not find_secrets(hidden)
    (folder / "one.md").write_text(f'---\ntags: ["{hidden}"]\n---\nText\n')
    ((refused,), recorded) = memory.ingest(folder, domain="v").failed, memory.list("v1.document.")
    assert (refused.code, len(recorded)) == ("secret", 0)


def test_an_alias_finds_its_document_among_many(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    for number in range(300):
        (folder / f"n{number}.md").write_text(f"---\naliases: [Quux{number}, second name {number}]\n---\nText.\n")
    memory.ingest(folder, domain="v", entities=False)
    for text in ("quux217", "Second name 217"):
        assert memory.which(text).name == memory.which(text, kind="document").name == name("n217.md")


def test_the_report_says_how_many_documents_link_to_a_file_that_was_refused(memory: Memory, vault: Path) -> None:
    (vault / "two.md").write_text(f"token = {CREDENTIAL}\n")
    (vault / "sub" / "three.md").write_text("See [[two]].\n")
    for _ in range(2):
        (refused,) = memory.ingest(vault, domain="v").failed
        assert refused.item == "vault/two.md"
        assert refused.reason.endswith("; 2 documents link to it")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---\ntitle: a\nb: [1\n---\nText.\n", "line 4 is not valid YAML"),
        ("---\ntitle: a: b\n---\nText.\n", "line 2 is not valid YAML"),
        ("---\ntitle: a\n\nText.\n", "no line --- ends it within 65,536 characters"),
        (
            "---\ntitle: &x a\n---\nText.\n",
            "it has anchors, aliases or keys that are not read, or is nested too deeply",
        ),
        ("---\ntitle: a\n---\nText.\n", ""),
        ("---\nA line between two others.\n\n---\n", ""),
        ("Text.\n", ""),
    ],
)
def test_the_report_says_that_front_matter_cannot_be_read(
    memory: Memory, tmp_path: Path, text: str, reason: str
) -> None:
    (tmp_path / "note.md").write_text(text)
    done = memory.ingest(tmp_path / "note.md", domain="v")
    assert done[0].unread == reason
    told = [remark for remark in done.remarks if remark.startswith("front matter")]
    assert told == ([f"front matter of {done[0].source} is not read: {reason}"] if reason else [])
