"""The directory of entities: what it lists, whom it counts, how it is paged; and aliases, where entities are named."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from substrate.entities.naming import entity_name, read_name
from substrate.errors import ItemsRefused, NameInvalid, SchemaInvalid, TooLarge
from substrate.memory import Memory, open_memory
from substrate.search.directory.rows import EntityRows
from substrate.text.canonical import canonical
from substrate.text.terms import keyword
from substrate.values.entities import EntityEntry

WEB = "v1.domain.web"
ADA = entity_name(WEB, "Ada Lovelace")


def entity(name: str, *aliases: str, domain: str = WEB, **fields: object) -> dict[str, object]:
    attrs = {"type": "person", **({"aliases": list(aliases)} if aliases else {})}
    return {"name": entity_name(domain, name), "value": name, "attrs": attrs, **fields}


def note(name: str, *entities: str) -> dict[str, object]:
    return {"name": f"v1.fact.{name}", "value": f"what {name} says", "entities": list(entities)}


def counts(memory: Memory, **asked: object) -> dict[str, int]:
    return {item.name: item.mentions for item in memory.entities(**asked)}  # type: ignore[arg-type]


def found(memory: Memory, entities: str | list[str], **asked: object) -> set[str]:
    return {hit.atom.name for hit in memory.recent(entities=entities, **asked)}  # type: ignore[arg-type]


def test_an_entity_is_listed_with_its_type_its_aliases_and_its_mentions(memory: Memory) -> None:
    memory.checkpoint([entity("Ada Lovelace", "Countess of Lovelace"), note("a", "ADA lovelace")])
    (item,) = memory.entities("web")
    assert item == EntityEntry("Ada Lovelace", ADA, item.id, "web", "person", ("Countess of Lovelace",), mentions=1)
    assert item.id == memory.access(ADA).atom.id


def test_an_atom_that_names_an_entity_twice_mentions_it_once(memory: Memory) -> None:
    memory.checkpoint(
        [entity("Ada Lovelace", "Countess"), note("a", "Ada Lovelace", "countess"), note("b", "COUNTESS")]
    )
    assert counts(memory) == {"Ada Lovelace": 2}


def test_only_atoms_in_use_mention_and_only_by_what_they_say_now(memory: Memory) -> None:
    memory.checkpoint([entity("Ada"), note("a", "Ada"), note("b", "Ada"), note("c", "Ada")])
    memory.checkpoint([{"name": "v1.fact.a", "value": "another", "entities": ["Bob"]}], tombstones=["v1.fact.b"])
    assert counts(memory) == {"Ada": 1}
    memory.forget("v1.fact.c")
    assert counts(memory) == {"Ada": 0}


def test_what_was_listed_then_is_listed_as_of_then(memory: Memory) -> None:
    first = memory.checkpoint([entity("Ada"), note("a", "Ada")])
    memory.checkpoint([entity("Ada", "Countess"), entity("Bob"), note("b", "countess")], tombstones=["v1.fact.a"])
    assert counts(memory) == {"Ada": 1, "Bob": 0}
    assert counts(memory, as_of=first.seqs[-1]) == {"Ada": 1}
    assert memory.entities(as_of=first.seqs[-1])[0].aliases == ()


def test_entities_out_of_use_superseded_or_forgotten_are_not_listed(memory: Memory) -> None:
    memory.checkpoint([entity(name) for name in ("Ada", "Bob", "Carl", "Dora")])
    memory.checkpoint(
        tombstones=[entity_name(WEB, "Ada")],
        edges=[{"source": entity_name(WEB, "Bob"), "type": "supersedes", "target": entity_name(WEB, "Carl")}],
    )
    memory.entities()
    memory.forget(entity_name(WEB, "Dora"))
    assert list(counts(memory)) == ["Bob"]


def test_each_domain_has_a_directory_of_its_own_whatever_its_name(memory: Memory) -> None:
    domains = ["a", "a.b", "a%2Eb", "Größe", "b c"]
    memory.checkpoint([entity("X", domain=f"v1.domain.{domain}") for domain in domains])
    assert {item.domain for item in memory.entities()} == set(domains)
    for domain in domains:
        (item,) = memory.entities(domain)
        assert item.domain == domain
        assert read_name(item.atom) == (domain, "x")
    assert len(memory.entities("none.such")) == 0


def test_a_directory_is_paged_and_narrowed_by_the_beginning_of_a_name(memory: Memory) -> None:
    names = ["Ada", "ADB", "Łódź", "łoś", "C", "C++", "C#", "Node.js", "new york", "New Zealand", "50% off"]
    memory.checkpoint([entity(name, domain=f"v1.domain.{domain}") for domain in "ab" for name in names])
    pages, after = [], None
    while True:
        page = memory.entities(limit=4, after=after)
        pages += [item.atom for item in page]
        if (after := page.next) is None:
            break
    assert pages == [item.atom for item in memory.entities()] == sorted(pages, key=str.encode)
    assert len(pages) == 2 * len(names)
    assert [item.atom for item in memory.entities(limit=5, offset=3)] == pages[3:8]
    for prefix, count in {"AD": 2, "ł": 2, "c": 3, "C+": 1, "c#": 1, "NEW ": 2, "node.": 1, "50%": 1, "zz": 0}.items():
        assert len(memory.entities("a", prefix=prefix)) == count, prefix
        assert len(memory.entities(prefix=prefix)) == 2 * count, prefix


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"domain": ""}, SchemaInvalid),
        ({"domain": "..."}, NameInvalid),
        ({"prefix": "..."}, SchemaInvalid),
        ({"prefix": 3}, SchemaInvalid),
        ({"limit": 1001}, TooLarge),
    ],
)
def test_what_cannot_be_asked_is_refused(memory: Memory, asked: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        memory.entities(**asked)  # type: ignore[arg-type]


# -- aliases -----------------------------------------------------------------------------------------------------------


def test_a_search_for_one_name_of_an_entity_finds_what_mentions_it_by_another(memory: Memory) -> None:
    memory.checkpoint([entity("Ada Lovelace", "Countess", "A. L."), note("a", "Countess"), note("b", "ada lovelace")])
    everything = {ADA, "v1.fact.a", "v1.fact.b"}
    for name in ("Ada Lovelace", "ADA LOVELACE", "countess", "A. L."):
        assert found(memory, name) == everything
    assert found(memory, "Babbage") == set()
    assert found(memory, ["Countess", "Babbage"]) == set()


def test_an_alias_that_was_taken_back_finds_nothing_more_and_did_then(memory: Memory) -> None:
    first = memory.checkpoint([entity("Ada", "Countess"), note("a", "Ada")])
    memory.checkpoint([entity("Ada")])
    assert memory.access(entity_name(WEB, "Ada")).atom.entities == ()
    assert found(memory, "Countess") == set()
    assert found(memory, "Countess", as_of=first.seqs[-1]) == {"v1.fact.a", entity_name(WEB, "Ada")}


def test_an_entity_said_again_without_its_attrs_keeps_its_aliases(memory: Memory) -> None:
    memory.checkpoint([entity("Ada", "Countess")])
    name = entity_name(WEB, "Ada")
    assert memory.checkpoint([f"{name} = Ada"]).confirmed == (name,)
    memory.checkpoint([{"name": name, "value": "Ada", "tags": ["x"]}])
    assert memory.entities()[0].aliases == ("Countess",)
    assert set(memory.access(name).atom.entities) == {"Ada", "Countess"}


def test_an_entity_that_is_shown_under_another_name_is_found_by_both(memory: Memory) -> None:
    name = entity_name(WEB, "postgres")
    memory.checkpoint([{"name": name, "value": "PostgreSQL"}, note("a", "postgres"), note("b", "PostgreSQL")])
    assert counts(memory) == {"PostgreSQL": 2}
    assert found(memory, "Postgres") == {name, "v1.fact.a", "v1.fact.b"}


def test_what_an_entity_lists_beside_its_names_stays(memory: Memory) -> None:
    memory.checkpoint([entity("Ada", "Countess", entities=["Babbage"])])
    memory.checkpoint([entity("Ada", "Lady")])
    atom = memory.access(entity_name(WEB, "Ada")).atom
    assert set(atom.entities) == {"Babbage", "Ada", "Lady"}


@pytest.mark.parametrize("aliases", ["Countess", [3], ["..."], [""], ["x" * 401], [f"n{i}" for i in range(100)]])
def test_aliases_that_are_no_names_are_refused(memory: Memory, aliases: object) -> None:
    with pytest.raises(ItemsRefused):
        memory.checkpoint([{"name": ADA, "value": "Ada Lovelace", "attrs": {"aliases": aliases}}])


def test_other_types_may_call_anything_aliases(memory: Memory) -> None:
    memory.checkpoint([{"name": "v1.fact.a", "value": "x", "attrs": {"aliases": "whatever"}}])
    assert memory.access("v1.fact.a").atom.entities == ()


# -- counts, beside brute force ----------------------------------------------------------------------------------------

NAMES = ["Ada", "Bob", "Carl"]
ALIASES = ["Countess", "Bobby", "ada"]
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("note"), st.integers(0, 4), st.lists(st.sampled_from([*NAMES, *ALIASES, "Dora"]), max_size=3)
        ),
        st.tuples(st.just("entity"), st.sampled_from(NAMES), st.lists(st.sampled_from(ALIASES), max_size=2)),
        st.tuples(st.just("tombstone"), st.integers(0, 4), st.just([])),
        st.tuples(st.just("forget"), st.integers(0, 4), st.just([])),
    ),
    max_size=12,
)


def brute_force(memory: Memory) -> dict[str, int]:
    atoms = list(memory.list(limit=1000))
    listed = {}
    for one in atoms:
        if read_name(one.name) is None:
            continue
        aliases = one.attrs.get("aliases", [])
        assert isinstance(aliases, list)
        terms = {keyword(name) for name in (one.value, canonical(one.value), *map(str, aliases))}
        others = (atom for atom in atoms if atom.name != one.name)
        listed[one.value] = sum(not terms.isdisjoint(map(keyword, atom.entities)) for atom in others)
    return listed


def apply(memory: Memory, kind: str, what: int | str, names: list[str]) -> None:
    name = f"v1.fact.n{what}"
    if kind == "note":
        memory.checkpoint([{"name": name, "value": f"v {names}", "entities": names}])
    elif kind == "entity":
        memory.checkpoint([entity(str(what), *names)])
    elif name in {atom.name for atom in memory.list("v1.fact.")}:
        if kind == "forget":
            memory.forget(name)
        else:
            memory.checkpoint(tombstones=[name])


@settings(max_examples=25)
@given(STEPS)
def test_after_every_step_mentions_are_what_brute_force_counts(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int | str, list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("store")
    with open_memory(folder / "store", home=folder / "home") as memory:
        for step in steps:
            apply(memory, *step)
            assert counts(memory) == brute_force(memory)


def test_a_count_that_forgets_to_leave_out_what_is_not_in_use_would_be_caught(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken twin."""
    memory.checkpoint([entity("Ada"), note("a", "Ada")])
    memory.checkpoint(tombstones=["v1.fact.a"])
    assert counts(memory) == brute_force(memory)
    count = EntityRows.count

    def broken(self: EntityRows, transaction, documents, in_use, rows):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return count(self, transaction, documents, np.ones_like(in_use), rows)

    monkeypatch.setattr(EntityRows, "count", broken)
    assert counts(memory) != brute_force(memory)


@pytest.mark.slow
def test_mentions_are_counted_over_several_blocks_of_postings(reopen: Callable[..., Memory]) -> None:
    """A block has 8,192 entries. What is kept of full ones is asked about before and after they fill."""
    memory = reopen()
    memory.checkpoint([entity("Ada", "Countess"), entity("Bob")])
    asked = []
    for start in range(0, 9000, 3000):
        said = [["Ada"], ["Countess", "Ada"], ["Bob"]]
        memory.checkpoint(
            [{"name": f"v1.fact.n{i}", "value": "x", "entities": said[i % 3]} for i in range(start, start + 3000)]
        )
        asked.append(counts(memory))
    assert asked == [{"Ada": 2000 * i, "Bob": 1000 * i} for i in (1, 2, 3)]
    memory.checkpoint(tombstones=["v1.fact.n0", "v1.fact.n8999"])
    assert counts(memory) == {"Ada": 5999, "Bob": 2999}
    memory.forget("v1.fact.n1")
    assert counts(memory) == {"Ada": 5998, "Bob": 2999} == counts(reopen())


# -- names without an atom ---------------------------------------------------------------------------------------------


def names_in(memory: Memory, **asked: object) -> list[tuple[str, str, int, bool]]:
    found = memory.entities(**asked)  # type: ignore[arg-type]
    return [(item.domain, item.name, item.mentions, item.id is not None) for item in found]


def test_a_name_that_one_text_mentions_is_listed_without_an_atom_of_its_own(memory: Memory) -> None:
    first = memory.ingest("We met Ada Lovelace at NASA.", domain="web", source="a").recorded
    assert names_in(memory) == [("web", "Ada Lovelace", 1, False), ("web", "NASA", 1, False)]
    assert memory.entities()[0].atom == ADA
    memory.ingest("Then Ada Lovelace left.", domain="web", source="b")
    memory.ingest("We met Bob Dylan.", domain="a.b", source="c")
    everything = [
        ("a.b", "Bob Dylan", 1, False),
        ("web", "Ada Lovelace", 2, True),
        ("web", "NASA", 1, False),
    ]
    assert names_in(memory) == everything
    assert names_in(memory, as_of=first - 1) == [("web", "Ada Lovelace", 1, False), ("web", "NASA", 1, False)]
    assert names_in(memory, domain="web") == everything[1:]
    assert names_in(memory, prefix="na") == everything[2:]
    assert names_in(memory, limit=1, offset=1) == everything[1:2]
    pages, after = [], None
    while True:
        page = memory.entities(limit=1, after=after)
        pages += [item.name for item in page]
        if (after := page.next) is None:
            break
    assert pages == [name for _, name, _, _ in everything]


def test_a_name_without_an_atom_is_not_listed_once_no_text_has_it_or_somebody_says_what_it_is(memory: Memory) -> None:
    name = memory.ingest("We met Ada Lovelace at NASA and `C++`.", domain="web", source="a")[0].name
    assert [item.name for item in memory.entities("web")] == ["Ada Lovelace", "C++", "NASA"]
    memory.checkpoint([entity("Augusta", "Ada Lovelace"), note("n", "Babbage")])
    assert counts(memory) == {"Augusta": 1, "C++": 1, "NASA": 1}
    memory.checkpoint([entity("NASA")])
    memory.checkpoint(tombstones=[entity_name(WEB, "NASA")])
    assert counts(memory) == {"Augusta": 1, "C++": 1}
    memory.forget(whole=name)
    assert counts(memory) == {"Augusta": 0}
    kept = memory._store.index.entities
    assert kept._spelt == kept._told == {}, "what was forgotten is kept in memory"


def counted_both_ways(memory: Memory) -> bool:
    """A name with an atom and one without: both are told with what is in use now."""
    memory.ingest("We met Ada Lovelace at NASA.", domain="web", source="a")
    memory.ingest("Then Ada Lovelace left.", domain="web", source="b")
    told = [counts(memory)]
    memory.checkpoint([note("n", "nasa", "ada lovelace"), note("m", "NASA")])
    told.append(counts(memory))
    memory.checkpoint(tombstones=["v1.fact.m"])
    told.append(counts(memory))
    return told == [{"Ada Lovelace": 2, "NASA": 1}, {"Ada Lovelace": 3, "NASA": 3}, {"Ada Lovelace": 3, "NASA": 2}]


def test_names_with_and_without_an_atom_are_counted_anew_after_every_write(memory: Memory) -> None:
    assert counted_both_ways(memory)


def test_an_entry_that_is_told_again_though_the_count_is_another_would_be_caught(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken twin."""
    mentioned = EntityRows.mentioned

    def broken(self: EntityRows, transaction, listed):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return mentioned(self, transaction, [one._replace(versions=1) for one in listed])

    monkeypatch.setattr(EntityRows, "mentioned", broken)
    assert not counted_both_ways(memory)


@pytest.fixture(params=["all texts are read", "no text is read"])
def two_domains(request: pytest.FixtureRequest, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A domain whose names stand behind very many of another."""
    memory.ingest(" ".join(f"`name_{i:03d}`" for i in range(60)), domain="web")
    memory.ingest(" ".join(f"`other_{i:03d}`" for i in range(60)), domain="other")
    memory.ingest("We met `other_000` and `another`", domain="other")
    monkeypatch.setattr("substrate.search.directory.unrecorded._LOOKED_AT", 25)
    if request.param == "no text is read":
        monkeypatch.setattr("substrate.search.directory.unrecorded._TEXTS", 0)
    return memory


OTHERS = ["another", *(f"other_{i:03d}" for i in range(60))]


@pytest.mark.parametrize("limit", [7, 61, 1000])
def test_a_domain_is_listed_whole_though_the_names_of_another_stand_before_its_own(
    two_domains: Memory, limit: int
) -> None:
    found, after = [], None
    while True:
        page = two_domains.entities("other", limit=limit, after=after)
        found += [item.name for item in page]
        if (after := page.next) is None:
            break
        assert len(page) == limit
    assert found == OTHERS
    pages = [two_domains.entities("other", limit=limit, offset=offset) for offset in range(0, len(OTHERS), limit)]
    assert [item.name for page in pages for item in page] == OTHERS
    assert [page.next is None for page in pages] == [False] * (len(pages) - 1) + [True]
    assert [item.name for item in two_domains.entities("other", prefix="other_05")] == OTHERS[51:]
    assert [(item.name, item.mentions) for item in two_domains.entities("other", limit=2)] == [
        ("another", 1),
        ("other_000", 2),
    ]
    assert len(two_domains.entities(limit=1000)) == 61 + 60
