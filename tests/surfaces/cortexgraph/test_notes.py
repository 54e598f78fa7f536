"""The tools of CortexGraph that save, find and read notes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate.clock import ManualClock
from substrate.memory import Memory
from substrate.server.compose import instructions, listed_bytes, listing
from substrate.server.launch import SCOPES, Launch
from substrate.server.selection import select
from substrate.surfaces.cortexgraph.ranking import rank, weighed
from tests.agents import MODES, Agent, in_memory
from tests.credentials import samples
from tests.surfaces.cortexgraph.calls import NOWHERE, SURFACE, refused

DAY = 24 * 3600 * 1_000_000


@pytest.fixture
def agent(store: Path) -> Iterator[Agent]:
    with in_memory(store, launch=SURFACE) as connected:
        yield connected


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """For tests that change nothing that another one looks at."""
    with in_memory(tmp_path_factory.mktemp("shared") / "store", launch=SURFACE) as connected:
        yield connected


def aged(store: Path, texts: dict[str, float]) -> dict[str, str]:
    """Notes that this surface saved so many days ago; their ids."""
    clock = ManualClock()
    ids = {}
    with substrate.open(store, actor="mcp:cortexgraph:tester", clock=clock) as memory:
        for text, days in sorted(texts.items(), key=lambda item: -item[1]):
            clock.time = time.time_ns() // 1000 - round(days * DAY)
            saved = memory.remember(text, "note", strength=1.0)
            ids[text] = saved.ids[saved.name]
    return ids


# -- the list ----------------------------------------------------------------------------------------------------------


def test_the_list_of_tools_and_the_instructions_keep_to_their_budgets() -> None:
    launch = Launch(Path("store"), ("cortexgraph",), frozenset(SCOPES))
    assert listed_bytes(listing(launch)) <= 16_000
    assert len(instructions(select(launch)).encode()) <= 700


# -- save_memory -------------------------------------------------------------------------------------------------------


def test_a_saved_memory_has_all_keys_of_the_document_and_names_are_found(agent: Agent) -> None:
    saved = agent.ok("save_memory", content="We moved from Stripe to Adyen", tags=["money"], meta={"by": ["Ann"]})
    assert set(saved) == {
        *("success", "memory_id", "message", "has_embedding", "enrichment_applied", "auto_entities"),
        "calculated_strength",
    }
    assert (saved["success"], saved["auto_entities"], saved["has_embedding"]) == (True, 2, False)
    (note,) = agent.ok("open_memories", memory_ids=saved["memory_id"])["memories"]
    assert note["entities"] == ["Stripe", "Adyen"]
    assert (note["tags"], note["meta"], note["strength"]) == (["money"], {"by": ["Ann"]}, saved["calculated_strength"])


def test_what_the_caller_says_of_entities_and_strength_holds(agent: Agent) -> None:
    saved = agent.ok("save_memory", content="We moved to Adyen", entities=[], strength=1.5, source="a", context="b")
    assert (saved["enrichment_applied"], saved["auto_entities"], saved["calculated_strength"]) == (False, 0, 1.5)
    (note,) = agent.ok("open_memories", memory_ids=saved["memory_id"])["memories"]
    assert (note["entities"], note["source"], note["context"]) == ([], "a", "b")


def test_important_words_names_and_length_make_a_memory_stronger(agent: Agent) -> None:
    plain = agent.ok("save_memory", content="tea is green")["calculated_strength"]
    marked = agent.ok("save_memory", content="This is critical: never deploy on a Friday")["calculated_strength"]
    assert 1 <= plain < marked <= 2


def test_the_same_content_again_keeps_its_id_and_is_no_second_memory(agent: Agent) -> None:
    first = agent.ok("save_memory", content="tea is green", tags=["tea"])
    again = agent.ok("save_memory", content=" tea is green ")
    assert (again["memory_id"], "known already" in again["message"]) == (first["memory_id"], True)
    assert agent.ok("read_graph")["stats"]["total_memories"] == 1


def test_the_same_content_with_other_tags_adds_them_and_keeps_strength_and_promotion(
    store: Path, tmp_path: Path
) -> None:
    with in_memory(store, scopes=frozenset(SCOPES), launch={**SURFACE, "vault": tmp_path}) as agent:
        one = agent.ok("save_memory", content="tea is green", tags=["tea"], strength=1.9, context="a")["memory_id"]
        agent.ok("promote_memory", memory_id=one, force=True)
        again = agent.ok("save_memory", content="tea is green", tags=["drink"], meta={"by": "Ann"})
        assert (again["memory_id"], again["calculated_strength"]) == (one, 1.9)
        (note,) = agent.ok("open_memories", memory_ids=one)["memories"]
        assert (note["status"], note["tags"], note["context"]) == ("promoted", ["tea", "drink"], "a")
        assert (note["meta"], bool(note["promoted_to"])) == ({"by": "Ann"}, True)
        assert agent.ok("save_memory", content="tea is green", tags=["x"], strength=1.2)["calculated_strength"] == 1.2


def test_a_credential_is_refused_and_not_repeated(shared: Agent) -> None:
    (sample,) = samples("npm_token", 1)
    error = refused(shared, "save_memory", content=sample.text)
    assert error["code"] == "secret"
    assert "atoms" not in error["message"]
    assert sample.secret not in error["message"]


def test_a_memory_that_contradicts_another_says_which(agent: Agent) -> None:
    first = agent.ok("save_memory", content="The port of the API is 8080")
    saved = agent.ok("save_memory", content="The port of the API is 9090")
    assert saved["conflicts"] == [first["memory_id"]]
    assert saved["message"] == (
        "the memory is saved, but it contradicts another memory (conflicts): ask the user which one holds"
    )
    assert first["message"] == "the memory is saved"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"content": ""}, "content"),
        ({"content": " "}, "empty"),
        ({"content": "x" * 50_001}, "content"),
        ({"content": "x", "strength": 0.99}, "strength"),
        ({"content": "x", "strength": 2.1}, "strength"),
        ({"content": "x", "tags": ["a"] * 51}, "tags"),
        ({"content": "x", "tags": ["a" * 101]}, "tags"),
        ({"content": "x", "tags": [""]}, "tags"),
        ({"content": "x", "tags": ["status:promoted"]}, "reserved"),
        ({"content": "x", "entities": ["e"] * 101}, "entities"),
        ({"content": "x", "source": "s" * 501}, "source"),
        ({"content": "x", "context": "c" * 1001}, "context"),
        ({"content": "x", "meta": {"m": "m" * 65_536}}, "attrs"),
        ({"content": "x", "importance": 1}, "importance: there is no such argument"),
        ({}, "content"),
    ],
)
def test_what_cannot_be_saved_is_refused_and_nothing_is_written(
    shared: Agent, arguments: dict[str, Any], told: str
) -> None:
    before = shared.ok("read_graph")["stats"]
    error = refused(shared, "save_memory", **arguments)
    assert told in error["message"]
    assert shared.ok("read_graph")["stats"] == before


@pytest.mark.parametrize(
    "arguments",
    [
        {"content": "x" * 50_000},
        {"content": "t" * 49_999, "tags": [f"t{i}" for i in range(50)]},
        {"content": "tag", "tags": ["a" * 100]},
        {"content": "least", "strength": 1.0},
        {"content": "most", "strength": 2.0},
        {"content": "entities", "entities": [f"e{i}" for i in range(100)]},
        {"content": "source", "source": "s" * 500, "context": "c" * 1000, "meta": {"m": "m" * 60_000}},
        {"content": "\u202e <script> ' OR 1=1 -- ../../ {{x}} \x00?".replace("\x00", "")},
    ],
)
def test_what_is_just_within_the_limits_is_saved_as_it_is(shared: Agent, arguments: dict[str, Any]) -> None:
    saved = shared.ok("save_memory", **arguments)
    (note,) = shared.ok("open_memories", memory_ids=[saved["memory_id"]])["memories"]
    assert note["content"] == arguments["content"].strip()


# -- search_memory -----------------------------------------------------------------------------------------------------

FOUND = {
    *("id", "content", "tags", "score", "similarity", "use_count", "last_used", "age_days", "review_priority", "status")
}
PAGES = {"page", "page_size", "total_count", "total_pages", "has_more", "has_previous"}


def test_an_old_memory_that_matches_is_found_among_many_new_ones(store: Path) -> None:
    """The original looks at the few that were used last: recall by own text is .14 at 300 notes."""
    old = aged(store, {f"ticket {i} is about pump number {i}": 50 for i in range(0, 300, 30)})
    with substrate.open(store, actor="mcp:cortexgraph:tester") as memory:
        memory.checkpoint([{"name": f"v1.note.n{i}", "value": f"gate {i} was painted"} for i in range(300)])
    with in_memory(store, launch=SURFACE) as agent:
        for text, one in old.items():
            found = agent.ok("search_memory", query=text)["results"]
            assert found[0]["id"] == one
            assert set(found[0]) == FOUND


def test_decay_re_ranks_by_a_factor_of_at_least_a_half(store: Path) -> None:
    ids = aged(store, {"the red pump is broken": 0, "the red pump is old": 60})
    with in_memory(store, launch=SURFACE) as agent:
        found = agent.ok("search_memory", query="red pump", use_embeddings=False)["results"]
    assert [one["id"] for one in found] == [ids["the red pump is broken"], ids["the red pump is old"]]
    assert found[0]["score"] == pytest.approx(found[0]["similarity"], abs=1e-3)
    assert 0.5 < found[1]["score"] / found[1]["similarity"] < 0.55


def test_what_has_nothing_to_do_with_the_query_is_left_out(shared: Agent) -> None:
    shared.ok("save_memory", content="quartz is a mineral")
    found = shared.ok("search_memory", query="zebra crossing", use_embeddings=False)
    assert (found["count"], found["results"]) == (0, [])
    assert list(found["pagination"].values()) == [1, 1, 0, 0, False, False]


def test_without_a_query_what_faded_least_comes_first(store: Path) -> None:
    ids = aged(store, {"a": 9, "b": 1, "c": 30})
    with in_memory(store, launch=SURFACE) as agent:
        found = agent.ok("search_memory")["results"]
        assert [one["id"] for one in found] == [ids["b"], ids["a"], ids["c"]]
        assert [one["id"] for one in agent.ok("search_memory", window_days=10)["results"]] == [ids["b"], ids["a"]]
        assert [one["id"] for one in agent.ok("search_memory", min_score=0.5)["results"]] == [ids["b"]]
        assert [one["id"] for one in agent.ok("search_memory", top_k=1)["results"]] == [ids["b"]]


def test_filters_by_use_hold_for_a_query_too(store: Path) -> None:
    ids = aged(store, {"pump one": 9, "pump two": 1, "pump three": 30})
    with in_memory(store, launch=SURFACE) as agent:
        for arguments, expected in (
            ({"window_days": 10}, {"pump one", "pump two"}),
            ({"min_score": 0.5}, {"pump two"}),
            ({"status": "promoted"}, set()),
            ({"status": ["archived"]}, set()),
        ):
            found = agent.ok("search_memory", query="pump", **arguments)["results"]
            assert {one["id"] for one in found} == {ids[text] for text in expected}


def test_any_of_the_tags_is_enough(agent: Agent) -> None:
    for tag in ("red", "blue", "green"):
        agent.ok("save_memory", content=f"the {tag} pump", tags=[tag])
    found = agent.ok("search_memory", query="pump", tags=["red", "blue"])["results"]
    assert {one["tags"][0] for one in found} == {"red", "blue"}


def test_what_is_due_takes_at_most_three_places_in_ten_from_the_second_on_and_none_twice(store: Path) -> None:
    aged(store, {f"pump {i} leaks": 0.0 for i in range(20)} | {f"pump {i} leaked": 9 for i in range(20, 40)})
    with in_memory(store, launch=SURFACE) as agent:
        found = agent.ok("search_memory", query="pump leaks", top_k=10)["results"]
        plain = agent.ok("search_memory", query="pump leaks", top_k=10, include_review_candidates=False)["results"]
    due = [place for place, one in enumerate(found) if one["review_priority"] > 0]
    assert len(found) == len(plain) == 10
    assert len({one["id"] for one in found}) == 10
    assert due == [1, 4, 7]
    assert [one.get("review_candidate") is True for one in found] == [place in due for place in range(10)]
    assert found[0]["id"] == plain[0]["id"]
    assert all(one["review_priority"] == 0 for one in plain)


def test_pages_lead_through_all_results_and_previews_are_cut(agent: Agent) -> None:
    for i in range(7):
        agent.ok("save_memory", content=f"pump {i} " + "x" * 400)
    pages = [agent.ok("search_memory", query="pump", page=page, page_size=3) for page in (1, 2, 3, 4)]
    assert [len(page["results"]) for page in pages] == [3, 3, 1, 0]
    assert len({one["id"] for page in pages for one in page["results"]}) == 7
    assert set(pages[0]["pagination"]) == PAGES
    assert (pages[0]["pagination"]["has_more"], pages[2]["pagination"]["has_more"]) == (True, False)
    for length, expected in ((None, 303), (0, 407), (1, 4), (5000, 407)):
        given = {} if length is None else {"preview_length": length}
        assert len(agent.ok("search_memory", query="pump", **given)["results"][0]["content"]) == expected


@pytest.mark.parametrize("tool", ["search_memory", "search_unified"])
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"query": "x" * 50_001}, "query"),
        ({"tags": ["a"] * 51}, "tags"),
        ({"window_days": 0}, "window_days"),
        ({"window_days": 3651}, "window_days"),
        ({"min_score": -0.01}, "min_score"),
        ({"min_score": 1.01}, "min_score"),
        ({"page": 0}, "page"),
        ({"page_size": 0}, "page_size"),
        ({"page_size": 101}, "page_size"),
        ({"preview_length": -1}, "preview_length"),
        ({"preview_length": 5001}, "preview_length"),
        ({"status": "old"}, "status"),
        ({"status": []}, "status"),
        ({"limit_": 1}, "there is no such argument"),
    ],
)
def test_what_cannot_be_searched_for_is_refused(shared: Agent, tool: str, arguments: dict[str, Any], told: str) -> None:
    assert told in refused(shared, tool, **arguments)["message"]


@pytest.mark.parametrize(("tool", "name"), [("search_memory", "top_k"), ("search_unified", "limit")])
def test_how_many_are_found_is_from_1_to_100(shared: Agent, tool: str, name: str) -> None:
    for wrong in (0, 101):
        assert name in refused(shared, tool, **{name: wrong})["message"]
    for right in (1, 100):
        shared.ok(tool, query="tea", **{name: right})


# -- search_unified ----------------------------------------------------------------------------------------------------


def test_both_memories_are_searched_and_one_text_comes_once(store: Path, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    with substrate.open(store) as memory:
        memory.ingest("# Heating\n\nThe boiler was replaced in May.", title="heating", source="house/heating.md")
        own = memory.client("mcp:cortexgraph:tester")
        own.remember("The boiler was replaced in June", "note")
        kept = own.remember("The boiler needs water", "note")
        own.promote(kept.name, vault=tmp_path / "vault", force=True)
    with in_memory(store, launch=SURFACE) as agent:
        found = agent.ok("search_unified", query="boiler")["results"]
        assert {(one["source"], one["path"]) for one in found} == {
            ("stm", ""),
            ("ltm", "promoted/The boiler needs water.md"),
            ("ltm", "house/heating.md"),
        }
        assert set(found[0]) == {
            *("content", "title", "source", "score", "path", "memory_id", "tags", "created_at", "last_used")
        }
        assert not any("May" in one["content"] for one in agent.ok("search_memory", query="boiler")["results"])
        heavy = agent.ok("search_unified", query="boiler", stm_weight=0.0, ltm_weight=2.0)["results"]
        assert heavy[0]["source"] == "ltm"
        assert heavy[-1]["score"] == 0
        for weight in ("stm_weight", "ltm_weight"):
            for wrong in (-0.1, 2.1):
                assert weight in refused(agent, "search_unified", query="x", **{weight: wrong})["message"]


# -- open_memories, read_graph -----------------------------------------------------------------------------------------


def test_memories_are_read_whole_with_their_relations_and_what_is_not_there_is_named(agent: Agent, store: Path) -> None:
    ids = [agent.ok("save_memory", content=f"memory {i}")["memory_id"] for i in range(3)]
    with substrate.open(store) as memory:
        memory.checkpoint(edges=[{"source": ids[0], "type": "related", "target": ids[1], "confidence": 0.5}])
        memory.forget(ids[2])
    opened = agent.ok("open_memories", memory_ids=[*ids, NOWHERE, "nonsense"])
    assert opened["not_found"] == [ids[2], NOWHERE, "nonsense"]
    first, second = opened["memories"]
    assert set(first) == {
        *("id", "content", "entities", "tags", "source", "context", "created_at", "last_used", "use_count", "strength"),
        *("status", "relations", "score", "age_days"),
    }
    assert first["relations"] == {"outgoing": [{"to": ids[1], "type": "related", "strength": 0.5}], "incoming": []}
    assert second["relations"]["incoming"] == [{"from": ids[0], "type": "related", "strength": 0.5}]
    bare = agent.ok("open_memories", memory_ids=ids[0], include_relations=False, include_scores=False)["memories"][0]
    assert not {"relations", "score", "age_days"} & set(bare)
    page = agent.ok("open_memories", memory_ids=ids[:2], page=2, page_size=1)
    assert ([one["id"] for one in page["memories"]], page["pagination"]["total_count"]) == ([ids[1]], 2)


@pytest.mark.parametrize("arguments", [{"memory_ids": []}, {"memory_ids": [NOWHERE] * 101}, {"memory_ids": 5}, {}])
def test_one_to_a_hundred_ids_can_be_read(shared: Agent, arguments: dict[str, Any]) -> None:
    assert "memory_ids" in refused(shared, "open_memories", **arguments)["message"]
    assert len(shared.ok("open_memories", memory_ids=[NOWHERE] * 100)["not_found"]) == 1


def test_the_graph_comes_page_by_page_with_the_relations_of_its_memories(store: Path) -> None:
    with in_memory(store, launch=SURFACE) as agent:
        ids = [agent.ok("save_memory", content=f"memory {i}")["memory_id"] for i in range(5)]
        with substrate.open(store) as memory:
            memory.checkpoint(edges=[{"source": ids[0], "type": "causes", "target": ids[1]}])
        agent.ok("touch_memory", memory_id=ids[0])
        page = agent.ok("read_graph", page=1, page_size=2)
        assert [one["id"] for one in page["memories"]] == ids[:2:-1]
        assert page["relations"] == []
        last = agent.ok("read_graph", page=2, page_size=3)
        assert [one["id"] for one in last["memories"]] == ids[1::-1]
        ((told),) = last["relations"]
        assert (told["from"], told["to"], told["type"], told["strength"]) == (ids[0], ids[1], "causes", 1.0)
        stats = last["stats"]
        assert stats.pop("avg_score") > 1
        assert list(stats.items()) == [
            *(("total_memories", 5), ("total_relations", 1), ("avg_use_count", 0.2), ("status_filter", "active"))
        ]
        whole = agent.ok("read_graph", limit=3, include_scores=False)
        assert (len(whole["memories"]), whole["pagination"]["total_count"]) == (3, 3)
        assert "score" not in whole["memories"][0]
        for arguments in ({"status": "old"}, {"limit": 0}, {"limit": 10_001}, {"page": 0}, {"page_size": 101}):
            assert next(iter(arguments)) in refused(agent, "read_graph", **arguments)["message"]
        assert agent.ok("read_graph", status="all", limit=10_000)["stats"]["total_memories"] == 5


def test_the_graph_without_a_page_is_its_first_hundred_and_says_that_there_are_more(store: Path) -> None:
    with substrate.open(store) as memory:
        memory.checkpoint([f"v1.note.n{number} = note {number}" for number in range(103)])
    with in_memory(store, launch=SURFACE) as agent:
        whole = agent.ok("read_graph")
        assert (len(whole["memories"]), whole["stats"]["total_memories"]) == (100, 103)
        assert whole["pagination"] == {
            "page": 1, "page_size": 100, "total_count": 103, "total_pages": 2, "has_more": True, "has_previous": False,
        }  # fmt: skip
        rest = agent.ok("read_graph", page=2, page_size=100)
        assert len({one["id"] for one in whole["memories"] + rest["memories"]}) == 103
        for limit, sent in ((99, 99), (102, 102), (10_000, 103)):
            said = agent.ok("read_graph", limit=limit)
            assert (len(said["memories"]), said["pagination"]["has_more"]) == (sent, False)


def test_what_another_surface_wrote_is_shown_with_honest_defaults(store: Path) -> None:
    with substrate.open(store) as memory:
        memory.checkpoint(["v1.fact.currency = The currency is EUR"])
    with in_memory(store, launch=SURFACE) as agent:
        (found,) = agent.ok("search_memory", query="currency")["results"]
        assert (found["use_count"], found["status"]) == (0, "active")
        (note,) = agent.ok("open_memories", memory_ids=found["id"])["memories"]
        assert (note["strength"], note["source"], note["context"]) == (1.0, "", "")


def test_as_many_as_are_asked_for_are_found_without_a_query(store: Path) -> None:
    aged(store, {f"the pump number {at} leaks": 1 for at in range(60)})
    with in_memory(store, launch=SURFACE) as agent:
        assert agent.ok("search_unified", limit=100)["count"] == 60
        assert agent.ok("search_unified", limit=7)["count"] == 7


def test_filters_by_use_look_beyond_the_first_hits(store: Path) -> None:
    ids = aged(store, {f"pump pump pump {at}": 90 for at in range(110)} | {"of the house on the hill, a pump": 0.1})
    with in_memory(store, launch=SURFACE) as agent:
        (found,) = agent.ok("search_unified", query="pump", window_days=30)["results"]
        assert found["memory_id"] == ids["of the house on the hill, a pump"]
        assert agent.ok("search_unified", window_days=30)["count"] == 1


def test_relevance_orders_also_what_scores_above_one(memory: Memory) -> None:
    memory.checkpoint(["v1.note.pump = the pump", "v1.note.valve = the pump of the house"])
    notes = memory.fading()
    ranked = rank(weighed([(notes[0], 1.5), (notes[1], 1.1)]))
    assert [one.relevance for one in ranked] == [1.0, 1.1 / 1.5]
    assert [one.relevance for one in weighed([(notes[0], 0.6), (notes[1], -0.1)])] == [0.6, 0.0]


def test_searches_are_no_uses_and_a_touch_is(agent: Agent) -> None:
    one = agent.ok("save_memory", content="the pump leaks")["memory_id"]
    for _ in range(3):
        agent.ok("search_memory", query="pump")
        agent.ok("open_memories", memory_ids=one)
    touched = agent.ok("touch_memory", memory_id=one)
    assert touched["use_count"] == 1


@pytest.mark.parametrize("mode", MODES)
def test_the_examples_of_the_document_work_in_both_eras(store: Path, mode: str) -> None:
    with in_memory(store, launch=SURFACE, mode=mode) as agent:
        one = agent.ok("save_memory", content="authentication is by OAuth, the architecture is hexagonal")["memory_id"]
        for arguments in ({"page": 1, "page_size": 10}, {"preview_length": 0}, {"preview_length": 500}):
            (found,) = agent.ok("search_memory", query="authentication", **arguments)["results"]
            assert found["id"] == one
        for arguments in ({"page": 1, "page_size": 10}, {"preview_length": 0}):
            (found,) = agent.ok("search_unified", query="architecture", **arguments)["results"]
            assert found["memory_id"] == one
        for page, expected in ((1, 1), (2, 0)):
            assert len(agent.ok("open_memories", memory_ids=[one], page=page, page_size=10)["memories"]) == expected
        for arguments in ({"page": 1, "page_size": 10}, {"page": 2, "page_size": 10}, {"page": 1, "page_size": 50}):
            assert agent.ok("read_graph", status="active", **arguments)["stats"]["total_memories"] == 1
