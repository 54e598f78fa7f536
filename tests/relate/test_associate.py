"""The verb associate: what is found across domains, what is not suggested, and what accepts it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.associations import fill, recall
from substrate.errors import Forgotten, NotFound, SchemaInvalid, TooLarge
from substrate.memory import Memory
from substrate.values.relations import Associations

Reopen = Callable[..., Memory]


def edge(source: str, target: str, kind: str = "references") -> dict[str, object]:
    return {"source": source, "type": kind, "target": target}


def save(memory: Memory, domain: str, **values: str) -> None:
    memory.checkpoint(
        [f"v1.domain.{domain} = about {domain}", *(f"v1.fact.{name} = {value}" for name, value in values.items())],
        edges=[edge(f"v1.fact.{name}", f"v1.domain.{domain}", "member_of") for name in values],
    )


def targets(found: Associations) -> list[str]:
    return [item.target.name for item in found]


@pytest.fixture
def two(memory: Memory) -> Memory:
    """Two domains with a name in common, and many notes so that a name is rare."""
    save(memory, "clinic", nurse="The monitors run on Zelkova", **{f"c{i}": f"bed {i} is made" for i in range(150)})
    save(memory, "dome", star="Zelkova crashed at night", **{f"d{i}": f"frame {i} is dark" for i in range(150)})
    return memory


def test_a_rare_name_joins_two_domains_and_the_reason_says_so(two: Memory) -> None:
    (found,) = two.associate("v1.fact.nurse")
    assert (found.source.name, found.target.name) == ("v1.fact.nurse", "v1.fact.star")
    assert found.reason == "both have Zelkova; no edge joins them"
    assert (found.source_domains, found.target_domains) == (("v1.domain.clinic",), ("v1.domain.dome",))
    assert found.parts.keys() == {"words"}
    assert 0 < found.score <= 1
    assert "Zelkova" in repr(found)
    assert targets(two.associate("v1.fact.star")) == ["v1.fact.nurse"]


def test_without_a_model_it_says_so(two: Memory) -> None:
    found = two.associate("v1.fact.nurse")
    assert "semantic search is off" in found.meaning
    assert "semantic search is off" in repr(found)


def test_what_accepts_it_is_an_edge_and_then_it_is_not_suggested_again(two: Memory) -> None:
    (found,) = two.associate("v1.fact.nurse")
    saved = two.checkpoint(edges=[found.edge])
    (stated,) = two.edges("v1.fact.nurse", type="references")
    assert (stated.target, stated.confidence) == ("v1.fact.star", round(found.score, 2))
    assert stated.attrs["suggested_by"] == "associate"
    assert targets(two.associate("v1.fact.nurse")) == []
    two.checkpoint(unedges=list(saved.edges))  # refused: nor is it suggested any more
    assert targets(two.associate("v1.fact.nurse")) == []
    assert targets(two.associate("v1.fact.star")) == []


def test_atoms_of_the_same_domain_are_not_suggested(two: Memory) -> None:
    two.checkpoint(edges=[edge("v1.fact.star", "v1.hub.all", "member_of")])
    two.checkpoint(["v1.hub.all = everything"], edges=[edge("v1.hub.all", "v1.domain.clinic", "member_of")])
    assert targets(two.associate("v1.fact.nurse")) == []  # by two steps it belongs to the clinic too


def test_the_domain_given_counts_as_the_atoms_own(two: Memory) -> None:
    assert targets(two.associate("v1.fact.nurse", domain="dome")) == []
    assert targets(two.associate("v1.fact.nurse", domain="v1.domain.clinic")) == ["v1.fact.star"]


def test_all_domains_say_where_to_look(two: Memory) -> None:
    save(two, "yard", ship="The Zelkova needs paint")
    assert set(targets(two.associate("v1.fact.nurse"))) == {"v1.fact.star", "v1.fact.ship"}
    assert targets(two.associate("v1.fact.nurse", all_domains=["yard", "clinic"])) == ["v1.fact.ship"]
    assert targets(two.associate("v1.fact.nurse", all_domains="v1.domain.dome")) == ["v1.fact.star"]
    assert targets(two.associate("v1.fact.nurse", all_domains=[])) == []


def test_atoms_without_a_domain_are_as_a_domain_of_their_own(two: Memory) -> None:
    two.checkpoint(["v1.fact.loose = Zelkova is a tree", "v1.fact.loose_too = A Zelkova was planted"])
    assert set(targets(two.associate("v1.fact.nurse"))) == {"v1.fact.star", "v1.fact.loose", "v1.fact.loose_too"}
    assert set(targets(two.associate("v1.fact.loose"))) == {"v1.fact.nurse", "v1.fact.star"}


def test_what_is_out_of_use_superseded_or_forgotten_is_not_suggested(two: Memory) -> None:
    save(two, "yard", one="Zelkova one", two="Zelkova two", three="Zelkova three", four="newer")
    two.checkpoint(tombstones=["v1.fact.one"], edges=[edge("v1.fact.four", "v1.fact.two", "supersedes")])
    two.forget("v1.fact.three")
    assert targets(two.associate("v1.fact.nurse")) == ["v1.fact.star"]


def test_arcs_count(two: Memory) -> None:
    after = ("d1",) * 6 + ("c2",) * 3 + ("d2",)
    two.observe([{"items": ["v1.fact.c1", f"v1.fact.{other}"]} for other in after])
    two.checkpoint(tombstones=["v1.fact.d2"])
    (found,) = two.associate("v1.fact.c1")
    assert found.target.name == "v1.fact.d1"
    assert found.parts == {"arcs": 0.6667}, "six of nine: what is out of use does not count"
    assert found.reason == "it came next 67% of the time; no edge joins them"


def test_shared_neighbours_count_and_hubs_say_little(two: Memory) -> None:
    two.checkpoint(["v1.entity.acme = a firm", "v1.entity.globex = another"])
    two.checkpoint(
        edges=[edge(f"v1.fact.{name}", f"v1.entity.{to}") for name in ("c1", "d1") for to in ("acme", "globex")]
    )
    (found,) = two.associate("v1.fact.c1")
    assert found.target.name == "v1.fact.d1"
    assert found.reason.startswith("both are joined to v1.entity.acme, v1.entity.globex")
    two.checkpoint(edges=[edge(f"v1.fact.d{number}", "v1.entity.acme") for number in range(2, 30)])
    two.checkpoint(edges=[edge("v1.fact.c9", "v1.entity.acme")])
    assert targets(two.associate("v1.fact.c9")) == []


def test_a_chain_of_edges_takes_away_and_a_name_that_both_are_joined_to_says_nothing_new(two: Memory) -> None:
    (before,) = two.associate("v1.fact.nurse")
    two.checkpoint(
        ["v1.fact.middle = m"], edges=[edge("v1.fact.nurse", "v1.fact.middle"), edge("v1.fact.middle", "v1.fact.star")]
    )
    (after,) = two.associate("v1.fact.nurse") or (None,)
    assert after is None or after.score < before.score
    two.checkpoint(
        ["v1.entity.zelkova = an operating system"],
        edges=[edge("v1.fact.nurse", "v1.entity.zelkova"), edge("v1.fact.star", "v1.entity.zelkova")],
    )
    assert all("words" not in item.parts for item in two.associate("v1.fact.nurse"))


def test_parts_of_one_whole_are_no_news(two: Memory) -> None:
    two.checkpoint(["v1.document.log = a log"])
    for name, position in (("nurse", 0), ("star", 1)):
        value = two.access(f"v1.fact.{name}").value
        two.checkpoint([{"name": f"v1.fact.{name}", "value": value, "parent": "v1.document.log", "position": position}])
    assert targets(two.associate("v1.fact.nurse")) == []


def test_several_atoms_are_asked_about_at_once_and_each_pair_comes_once(two: Memory) -> None:
    found = two.associate(["v1.fact.nurse", "v1.fact.star", "v1.fact.never"])
    assert len(found) == 1
    ((name, reason),) = [(gone.name, gone.reason) for gone in found.missing]
    assert name == "v1.fact.never"
    assert "there is no v1.fact.never" in reason
    assert found.to_dict()["missing"] == [{"name": name, "reason": reason}]


def test_odd_input_is_refused(two: Memory) -> None:
    with pytest.raises(NotFound):
        two.associate("v1.fact.never")
    with pytest.raises(NotFound, match="no domain"):
        two.associate("v1.fact.nurse", domain="nowhere")
    with pytest.raises(NotFound, match="no domain"):
        two.associate("v1.fact.nurse", all_domains=["nowhere"])
    with pytest.raises(TooLarge):
        two.associate("v1.fact.nurse", limit=1000)
    for options in ({"domain": 7}, {"all_domains": [7]}):
        with pytest.raises(SchemaInvalid):
            two.associate("v1.fact.nurse", **options)  # type: ignore[arg-type]
    two.forget("v1.fact.star")
    with pytest.raises(Forgotten):
        two.associate("v1.fact.star")


# -- with meaning ------------------------------------------------------------------------------------------------------


@pytest.fixture
def meaning(reopen: Reopen, cache: Path) -> Memory:
    assert cache.exists()
    return reopen(background=False)


def test_what_is_said_in_other_words_is_found_by_meaning(meaning: Memory) -> None:
    save(meaning, "yard", due="Payment is due thirty days after delivery")
    save(meaning, "shop", month="Customers have one month to settle their invoice", cake="Plum cakes sell best")
    assert "nothing is embedded yet" in meaning.associate("v1.fact.due").meaning
    meaning.index()
    (found,) = meaning.associate("v1.fact.due")
    assert found.target.name == "v1.fact.month"
    assert found.reason.startswith("close in meaning")
    save(meaning, "yard", new="The bill must be paid within a month")
    after = meaning.associate(["v1.fact.new", "v1.fact.due"])
    assert "not embedded yet, and compared by words: v1.fact.new" in after.meaning
    meaning.index()
    assert targets(meaning.associate("v1.fact.new")) == ["v1.fact.month"]


def test_planted_links_are_found(meaning: Memory) -> None:
    """A smaller one of benchmarks/associations.py, which has 1,000 atoms in each domain."""
    fill(meaning, 100)
    meaning.index()
    found = recall(meaning)
    assert min(found["meaning"], found["entity"]) >= 0.8, found


def test_without_vectors_rewordings_are_not_found(memory: Memory) -> None:
    """The broken twin: it is meaning that finds them, and not their names or where they stand."""
    fill(memory, 100)
    found = recall(memory)
    assert found["meaning"] < 0.3
    assert found["entity"] >= 0.8
