"""Entities that only ingested texts speak of: `entities` and `which` list them, and a search finds the texts."""

from __future__ import annotations

from substrate.memory import Memory

PAGE = "Members of an archive are read by `zipfile.ZipFile`, which Ada Lovelace maintains."


def ingest(memory: Memory) -> None:
    """Two pages: what one alone speaks of is no entity yet."""
    memory.ingest(PAGE, domain="d", source="page.md")
    memory.ingest(PAGE, domain="d", source="copy.md")


def test_a_search_finds_the_page_and_not_the_bare_name_of_what_it_speaks_of(memory: Memory) -> None:
    ingest(memory)
    assert memory.list("v1.entity.d."), "the page speaks of nothing"
    assert {hit.atom.type for hit in memory.search("who maintains zipfile.ZipFile: Ada Lovelace?")} == {
        "chunk",
        "document",
    }
    assert {hit.atom.type for hit in memory.recent()} == {"chunk", "document", "domain"}


def test_who_asks_for_entities_finds_them(memory: Memory) -> None:
    ingest(memory)
    assert {hit.atom.value for hit in memory.search("Ada Lovelace", type="entity")} == {"Ada Lovelace"}
    assert memory.search("Ada Lovelace", prefix="v1.entity.d.")[0].atom.value == "Ada Lovelace"


def test_an_entity_of_which_a_person_says_something_is_found(memory: Memory) -> None:
    ingest(memory)
    (ada,) = (atom.name for atom in memory.list("v1.entity.d.") if atom.value == "Ada Lovelace")
    memory.checkpoint([{"name": ada, "value": "Ada Lovelace, who wrote the first program", "origin": "user"}])
    assert memory.search("who wrote the first program")[0].name == ada
