"""Names that texts mention become entities once; and which of them can go when a text is forgotten."""

from __future__ import annotations

import pytest

from substrate.entities.enter import Entered, enter
from substrate.entities.lookup import Lookup
from substrate.entities.naming import entity_name
from substrate.entities.orphans import Orphans, mentioned_by, unmentioned
from substrate.errors import SchemaInvalid
from substrate.memory import Memory
from substrate.text.extract import Entity, extract

WEB = "v1.domain.web"


def entered(memory: Memory, *texts: str | list[str]) -> Entered:
    found = [text if isinstance(text, list) else extract(text) for text in texts]
    with memory._store.read() as snapshot:
        return enter(snapshot.transaction, WEB, found)


def ingest(memory: Memory, *texts: str) -> list[str]:
    """The texts as chunks, with their entities, in one checkpoint; the names of those that are new."""
    given = entered(memory, *texts)
    there = len(memory.list("v1.chunk.web.doc."))
    chunks = [
        {"name": f"v1.chunk.web.doc.{there + at:08d}", "value": text, "entities": field, "origin": "ingested"}
        for at, (text, field) in enumerate(zip(texts, given.fields, strict=True))
    ]
    memory.checkpoint([*given.atoms, *chunks])
    return [str(atom["name"]) for atom in given.atoms]


def judged(memory: Memory, *chunks: int) -> tuple[set[str], dict[str, str]]:
    """Which entities of these chunks can go with them, by name, and why the others stay."""
    names = [f"v1.chunk.web.doc.{at:08d}" for at in chunks]
    with memory._store.read() as snapshot:
        ids = [bytes.fromhex(memory.access(name).atom.id.replace("-", "")) for name in names]
        mentioned = mentioned_by(snapshot.transaction, ids)
        orphans = unmentioned(snapshot.transaction, mentioned, ids)
    known = {bytes.fromhex(atom.id.replace("-", "")): atom.name for atom in memory.list("v1.entity.")}
    return {known[one] for one in orphans.unmentioned}, dict(orphans.kept)


def test_a_name_becomes_an_entity_once_however_often_it_is_spelt(memory: Memory) -> None:
    names = ingest(memory, "We met Ada Lovelace at NASA.", "I saw ada_x and Ada Lovelace", "Then Ada LOVELACE left")
    assert names == [entity_name(WEB, "Ada Lovelace")]
    (item,) = (item for item in memory.entities("web") if item.id)
    assert (item.name, item.type, item.mentions) == ("Ada Lovelace", "name", 3)
    assert memory.access(names[0]).atom.origin == "ingested"
    assert ingest(memory, "Again at NASA with Ada Lovelace") == [entity_name(WEB, "NASA")]
    assert ingest(memory, "Again at NASA with Ada Lovelace") == []


def test_a_name_that_one_text_alone_has_is_new_and_waits_for_a_second_text(memory: Memory) -> None:
    first = entered(memory, "We met Ada Lovelace.")
    assert (first.fields, first.atoms, first.names, first.new) == ((("Ada Lovelace",),), (), {"ada lovelace": False}, 1)
    with memory._store.read() as snapshot:
        second = enter(snapshot.transaction, WEB, [extract("Then Ada Lovelace left.")], waiting=first.names)
        third = enter(snapshot.transaction, WEB, [extract("Then Ada Lovelace left.")], waiting=second.names)
    assert ([atom["value"] for atom in second.atoms], second.names, second.new) == (
        ["Ada Lovelace"],
        {"ada lovelace": True},
        0,
    )
    assert third.atoms == ()


def test_what_an_earlier_version_of_the_same_text_says_is_no_second_text(memory: Memory) -> None:
    ingest(memory, "We met Ada Lovelace.")
    chunk = bytes.fromhex(memory.access("v1.chunk.web.doc.00000000").atom.id.replace("-", ""))
    with memory._store.read() as snapshot:
        said = [extract("Then Ada Lovelace left.")]
        assert enter(snapshot.transaction, WEB, said, besides={chunk}).atoms == ()
        assert len(enter(snapshot.transaction, WEB, said).atoms) == 1


def test_an_alias_is_the_entity_whose_alias_it_is_and_stands_under_its_name(memory: Memory) -> None:
    name = entity_name(WEB, "Ada Lovelace")
    memory.checkpoint([{"name": name, "value": "Ada Lovelace", "attrs": {"aliases": ["Countess of Lovelace"]}}])
    given = entered(memory, "we met the Countess of Lovelace and Ada Lovelace")
    assert given == Entered((("Ada Lovelace",),), ())


def test_an_alias_in_another_domain_is_another(memory: Memory) -> None:
    name = entity_name("v1.domain.other", "Ada Lovelace")
    memory.checkpoint([{"name": name, "value": "Ada Lovelace", "attrs": {"aliases": ["Countess"]}}])
    assert [atom["name"] for atom in entered(memory, ["Countess"]).atoms] == [entity_name(WEB, "Countess")]


def test_names_that_a_caller_gives_are_taken_as_they_are(memory: Memory) -> None:
    given = entered(memory, ["the  cat", "THE CAT", "50% {off}"])
    assert given.fields == (("the cat", "50% {off}"),)
    memory.checkpoint(list(given.atoms))
    assert {item.name for item in memory.entities("web")} == {"the cat", "50% {off}"}
    with pytest.raises(SchemaInvalid):
        entered(memory, ["..."])


def test_an_entity_that_somebody_took_out_of_use_does_not_come_back_but_one_that_an_ingest_did_does(
    memory: Memory,
) -> None:
    ingest(memory, "we saw NASA and ESA", "NASA and ESA again")
    memory.checkpoint(tombstones=[entity_name(WEB, "NASA"), {"name": entity_name(WEB, "ESA"), "origin": "ingested"}])
    given = entered(memory, "once more NASA and ESA")
    assert given.fields == (("ESA",),)
    assert [atom["value"] for atom in given.atoms] == ["ESA"]


def test_of_five_thousand_names_a_hundred_are_entered_and_the_rest_are_counted(memory: Memory) -> None:
    given = entered(memory, [f"Name {number}" for number in range(5000)])
    assert (len(given.fields[0]), len(given.atoms), given.more) == (100, 100, 4900)
    memory.checkpoint([*given.atoms, {"name": "v1.chunk.web.doc.0", "value": "x", "entities": given.fields[0]}])
    assert len(memory.entities("web")) == 100


def test_a_name_too_long_for_an_atom_is_listed_all_the_same(memory: Memory) -> None:
    long = Entity("語" * 150, "title")
    with memory._store.read() as snapshot:
        given = enter(snapshot.transaction, WEB, [[long], [long]])
    assert (given.fields, given.atoms) == (((long.name,), (long.name,)), ())


# -- who can go --------------------------------------------------------------------------------------------------------


def test_an_entity_that_only_a_chunk_mentions_can_go_with_it(memory: Memory) -> None:
    ingest(memory, "we saw NASA and ESA", "NASA again", "only ESA")
    esa, nasa = entity_name(WEB, "ESA"), entity_name(WEB, "NASA")
    assert judged(memory, 0, 1) == ({nasa}, {esa: "other atoms mention it"})
    assert judged(memory, 0, 1, 2) == ({nasa, esa}, {})


@pytest.mark.parametrize(
    ("kept_by", "reason"),
    [
        ({"atoms": [{"name": "v1.fact.a", "value": "x", "entities": ["nasa"]}]}, "other atoms mention it"),
        ({"atoms": [{"name": entity_name(WEB, "NASA"), "value": "NASA!"}]}, "a person or an agent recorded it"),
        (
            {"atoms": [{"name": entity_name(WEB, "NASA"), "value": "NASA", "origin": "user", "tags": ["x"]}]},
            "a person or an agent recorded it",
        ),
        (
            {"edges": [{"source": "v1.fact.b", "type": "about", "target": entity_name(WEB, "NASA")}]},
            "edges join it to other atoms",
        ),
    ],
)
def test_an_entity_stays_if_somebody_else_needs_it_and_says_why(
    memory: Memory, kept_by: dict[str, list[dict[str, object]]], reason: str
) -> None:
    ingest(memory, "we saw NASA", "NASA again")
    memory.checkpoint(["v1.fact.b = there"])
    memory.checkpoint(**kept_by)  # type: ignore[arg-type]
    assert judged(memory, 0, 1) == (set(), {entity_name(WEB, "NASA"): reason})


def test_an_entity_that_an_earlier_version_of_another_mentions_stays(memory: Memory) -> None:
    ingest(memory, "we saw NASA", "NASA again")
    memory.checkpoint([{"name": "v1.fact.a", "value": "x", "entities": ["NASA"]}])
    memory.checkpoint([{"name": "v1.fact.a", "value": "y"}])
    assert judged(memory, 0, 1)[0] == set()
    memory.forget("v1.fact.a")
    assert judged(memory, 0, 1)[0] == {entity_name(WEB, "NASA")}


def test_what_is_no_entity_is_not_judged(memory: Memory) -> None:
    ingest(memory, "we saw NASA", "NASA again")
    chunk = bytes.fromhex(memory.access("v1.chunk.web.doc.00000000").atom.id.replace("-", ""))
    with memory._store.read() as snapshot:
        assert unmentioned(snapshot.transaction, [chunk, bytes(16)], []) == Orphans()


def test_without_a_domain_no_entity_has_a_name_of_its_own(memory: Memory) -> None:
    with memory._store.read() as snapshot, pytest.raises(ValueError, match="without a domain"):
        Lookup(snapshot.transaction, None).named(["x"])
