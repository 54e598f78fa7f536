"""Filters come before ranking: a filtered search is a search in a store that holds nothing else."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.errors import InputError, NotFound, SchemaInvalid, TooLarge
from substrate.memory import Memory
from substrate.text.terms import keyword, query_terms
from substrate.values.atoms import Atom
from substrate.values.times import from_microseconds
from tests.scale import rounds
from tests.search.happenings import Happening, a_store, do, few, happenings, times
from tests.text.bags import document_terms

QUERY = "red fish café open 東京 two x fact"
"""Every text that happens has one of these words."""


def when(atom: Atom) -> object:
    return atom.occurred_at or atom.valid_from or atom.recorded_at


FILTERS: dict[str, Callable[[Any], Callable[[Atom], bool]]] = {
    "type": lambda wanted: lambda atom: atom.type in ([wanted] if isinstance(wanted, str) else wanted),
    "prefix": lambda wanted: lambda atom: atom.name.startswith(wanted),
    "tags": lambda wanted: lambda atom: {keyword(tag) for tag in wanted} <= {keyword(tag) for tag in atom.tags},
    "any_tags": lambda wanted: (
        lambda atom: bool({keyword(tag) for tag in wanted} & {keyword(tag) for tag in atom.tags})
    ),
    "without_tags": lambda wanted: lambda atom: not {keyword(t) for t in wanted} & {keyword(tag) for tag in atom.tags},
    "entities": lambda wanted: lambda atom: {keyword(e) for e in wanted} <= {keyword(e) for e in atom.entities},
    "source": lambda wanted: lambda atom: atom.source == wanted,
    "actor": lambda wanted: lambda atom: atom.actor == wanted,
    "since": lambda wanted: lambda atom: when(atom) >= wanted,
    "until": lambda wanted: lambda atom: when(atom) < wanted,
}

chosen = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["fact", "state", ["fact", "state"], ["state", "event"]]),
        "prefix": st.sampled_from(
            ["v1.", "v1.fact.", "v1.fact.a", "v1.fact.a.", "v1.st", "v1.state.paymentProvider", "v2"]
        ),
        "tags": st.sampled_from([["red"], ["RED", "Blue"], ["green"]]),
        "any_tags": st.sampled_from([["red"], ["green", "BLUE"], "blue"]).map(
            lambda tags: tags if isinstance(tags, list) else [tags]
        ),
        "without_tags": st.sampled_from([["red"], ["Blue", "green"]]),
        "entities": st.just(["ada lovelace"]),
        "source": st.sampled_from(["book", "s" * 300, "nowhere"]),
        "actor": st.sampled_from(["ann", "bob"]),
        "since": times.map(from_microseconds),
        "until": times.map(from_microseconds),
    },
)


def brute(memory: Memory, filters: dict[str, Any], moments: dict[str, Any]) -> list[Atom]:
    """All that passes, by looking at every atom."""
    atoms = memory.list(limit=1000, **moments).items
    return [atom for atom in atoms if all(FILTERS[field](wanted)(atom) for field, wanted in filters.items())]


def bm25_shares(atoms: list[Atom]) -> dict[str, float]:
    """BM25 by the book, over just these atoms, as a share of what the words of the query are worth."""
    bags = [document_terms(atom.name, atom.value, atom.tags, atom.entities) for atom in atoms]
    mean = sum(bag.length for bag in bags) / len(bags)
    terms = [term.term for term in query_terms(QUERY)]
    having = Counter(term for bag in bags for term in terms if term in bag.counts)
    worth = {term: math.log(1 + (len(bags) - having[term] + 0.5) / (having[term] + 0.5)) for term in terms}
    shares = {}
    for atom, bag in zip(atoms, bags, strict=True):
        score = 0.0
        for term in terms:
            often = min(bag.counts.get(term, 0), 255)
            score += worth[term] * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * bag.length / mean))
        shares[atom.name] = score / sum(worth.values())
    return shares


@pytest.mark.no_cover
@given(happenings(4, 16), chosen, st.none() | times.map(from_microseconds), st.none() | st.integers(1, 12))
@few(rounds(24, 1200))
def test_a_filtered_search_finds_what_passes_and_counts_nothing_else(
    happened: list[Happening], filters: dict[str, Any], valid_at: object, as_of: int | None
) -> None:
    with a_store() as (memory, clock):
        for happening in happened:
            do(memory, clock, happening)
        size = memory.head().head.size
        moments: dict[str, Any] = {"valid_at": valid_at, "as_of": None if as_of is None else min(as_of, size - 1)}
        wanted = brute(memory, filters, moments)
        found = memory.search(QUERY, limit=100, **filters, **moments)
        assert sorted(hit.name for hit in found) == sorted(atom.name for atom in wanted)
        assert not found.more
        assert {hit.atom.name: hit.atom for hit in found} == {atom.name: atom for atom in wanted}
        # What supersedes takes out of the list is counted still: it is current. Without such, the shares are exact.
        everything = memory.list(limit=1000, superseded=True, **moments).items
        if wanted and len(everything) == len(memory.list(limit=1000, **moments).items):
            shares = bm25_shares(wanted)
            for hit in found:
                assert hit.parts.get("words", 0) == pytest.approx(shares[hit.name], abs=1e-3)


# -- single filters ----------------------------------------------------------------------------------------------------


def names(memory: Memory, query: str, **filters: Any) -> set[str]:
    return {hit.name for hit in memory.search(query, limit=100, **filters)}


def test_a_domain_restricts_to_its_members_by_two_steps_and_no_more(memory: Memory) -> None:
    memory.checkpoint(
        ["v1.domain.pay = payments", "v1.fact.a = red", "v1.fact.b = red", "v1.fact.c = red", "v1.fact.d = red"],
        edges=[
            {"source": "v1.fact.a", "type": "member_of", "target": "v1.domain.pay"},
            {"source": "v1.fact.b", "type": "member_of", "target": "v1.fact.a"},
            {"source": "v1.fact.c", "type": "member_of", "target": "v1.fact.b"},
        ],
    )
    assert names(memory, "red", domain="v1.domain.pay") == {"v1.fact.a", "v1.fact.b"}
    assert names(memory, "red", domain="pay") == {"v1.fact.a", "v1.fact.b"}
    memory.checkpoint(unedges=[{"source": "v1.fact.a", "type": "member_of", "target": "v1.domain.pay"}])
    assert names(memory, "red", domain="pay") == set()
    assert names(memory, "red", domain="pay", as_of=8) == {"v1.fact.a", "v1.fact.b"}


def test_of_several_domains_one_must_hold_and_of_those_to_leave_out_none(memory: Memory) -> None:
    memory.checkpoint(
        ["v1.domain.pay = payments", "v1.domain.ship = shipping", *(f"v1.fact.{letter} = red" for letter in "abcd")],
        edges=[
            {"source": f"v1.fact.{letter}", "type": "member_of", "target": f"v1.domain.{domain}"}
            for letter, domain in (("a", "pay"), ("b", "ship"), ("c", "pay"), ("c", "ship"))
        ],
    )

    def found(**filters: object) -> str:
        hits = names(memory, "red", **filters)
        assert hits == {hit.name for hit in memory.recent(limit=100, **filters) if hit.atom.value == "red"}  # type: ignore[arg-type]
        return "".join(sorted(name[-1] for name in hits))

    assert found(domain=["pay", "v1.domain.ship"]) == "abc"
    assert found(domain=["pay"], without_domains="ship") == "a"
    assert found(without_domains=["pay", "ship"]) == "d"
    assert found(domain="pay", type=["fact", "state"]) == "ac"
    for filters in ({"domain": ["pay", "nowhere"]}, {"without_domains": "nowhere"}):
        with pytest.raises(NotFound, match="nowhere"):
            found(**filters)
    for filters in ({"domain": []}, {"type": []}):  # taken for any, it would show more than was meant
        with pytest.raises(SchemaInvalid, match="at least one"):
            found(**filters)
    for filters in ({"any_tags": [3]}, {"without_tags": 3}, {"without_domains": ["\ud800"]}):
        with pytest.raises(SchemaInvalid, match="must be a text or a list of texts"):
            found(**filters)


def test_an_unknown_domain_is_said_to_be_unknown(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = red"])
    with pytest.raises(NotFound, match=r"there is no domain v1\.domain\.nowhere"):
        memory.search("red", domain="nowhere")


def test_a_prefix_of_many_names_is_exact(memory: Memory) -> None:
    memory.checkpoint([f"v1.fact.topic{i % 3}.item{i} = red {i}" for i in range(3000)])
    found = memory.search("red 7", prefix="v1.fact.topic1", limit=100)
    assert all(hit.name.startswith("v1.fact.topic1.") for hit in found)
    assert found.more
    assert names(memory, "red 7", prefix="v1.fact.topic1.item7") == {
        name
        for name in (f"v1.fact.topic{i % 3}.item{i}" for i in range(3000))
        if name.startswith("v1.fact.topic1.item7")
    }


def test_pages_follow_each_other_without_gap_or_overlap(memory: Memory) -> None:
    memory.checkpoint([f"v1.fact.item{i} = red {'fish ' * (i % 7)}" for i in range(50)])
    whole = [hit.name for hit in memory.search("red fish", limit=50)]
    pages = [hit.name for start in range(0, 50, 7) for hit in memory.search("red fish", limit=7, offset=start)]
    assert len(whole) == 50
    assert pages == whole


def test_min_score_leaves_out_what_is_weaker(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = red fish", "v1.fact.b = red", "v1.fact.c = fish"])
    all_hits = memory.search("red fish")
    floor = all_hits.items[0].score
    assert [hit.name for hit in memory.search("red fish", min_score=floor)] == ["v1.fact.a"]


def test_min_score_holds_for_what_only_its_time_brings(memory: Memory) -> None:
    memory.checkpoint(
        [
            {"name": "v1.note.a", "value": "the session limit was raised", "occurred_at": "2026-03-03T00:00:00Z"},
            {"name": "v1.note.b", "value": "herons breed in colonies", "occurred_at": "2026-03-04T00:00:00Z"},
        ]
    )
    found = memory.search("session limit in March 2026", meaning=False)
    assert [hit.name for hit in found] == ["v1.note.a", "v1.note.b"]
    kept = memory.search("session limit in March 2026", min_score=found[1].score + 0.01, meaning=False)
    assert [hit.name for hit in kept] == ["v1.note.a"]


def test_min_score_loses_none_that_scores_as_much_as_the_first(memory: Memory) -> None:
    memory.checkpoint([f"v1.note.n{number} = herons" for number in range(150)])
    found = memory.search("herons", limit=100, min_score=0.01, meaning=False)
    assert (len(found), found.more) == (100, True)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"limit": 0}, InputError),
        ({"limit": 101}, TooLarge),
        ({"offset": -1}, InputError),
        ({"min_score": "high"}, SchemaInvalid),
        ({"type": 3}, SchemaInvalid),
        ({"tags": [3]}, SchemaInvalid),
        ({"origin": "martian"}, SchemaInvalid),
        ({"since": "soon"}, SchemaInvalid),
        ({"as_of": 10_000}, InputError),
    ],
)
def test_what_is_no_filter_is_refused_by_name(memory: Memory, options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        memory.search("red", **options)


@pytest.mark.parametrize("query", ["", "  ", "\n"])
def test_an_empty_query_is_refused(memory: Memory, query: str) -> None:
    with pytest.raises(InputError, match="query is empty"):
        memory.search(query)


def test_a_query_may_be_long_but_not_longer(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = red"])
    assert memory.search("red " * 12_500).items[0].name == "v1.fact.a"
    with pytest.raises(TooLarge):
        memory.search("x" * 50_001)


def test_a_query_without_a_word_finds_nothing_by_words(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = red"])
    assert memory.search("?!").items == ()
