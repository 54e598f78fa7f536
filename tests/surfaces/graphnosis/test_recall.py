"""recall and stats: what an agent finds, and within which caps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import substrate
from substrate.surfaces import load_surface
from tests.agents import Agent

pytestmark = pytest.mark.usefixtures("engrams")
Connect = Callable[..., Agent]


def test_the_documents_requests_get_the_documents_keys(connect: Connect) -> None:
    agent = connect()
    said = agent.ok("recall", query="deployment pipeline", graphs=["work"], topK=5)
    assert said.keys() - {"remarks"} == {"results", "totalTokens", "truncated"}  # no model: that is said
    (hit,) = said["results"]
    assert hit.keys() == {"chunkId", "sourceId", "graph", "text", "score", "sourceName", "updatedAt"}
    assert (hit["graph"], hit["sourceName"], said["truncated"]) == ("work", "deployment-notes.md", False)
    assert said["totalTokens"] > 0
    told = agent.ok("stats")
    assert told.keys() == {
        *("cortexPath", "graphs", "totalSources", "totalChunks", "embeddingModel", "embeddingDimensions"),
        "cortexDbSizeBytes",
    }
    work = next(one for one in told["graphs"] if one["name"] == "work")
    assert work.keys() == {"name", "tier", "sources", "chunks", "estimatedTokens"}
    assert (work["tier"], work["sources"], work["chunks"]) == ("personal", 1, 1)
    assert (told["totalSources"], told["totalChunks"]) == (2, 2)


def test_there_are_six_tools_in_six_kilobytes(connect: Connect) -> None:
    agent = connect()
    assert list(agent.tools) == ["recall", "remember", "correct", "apply", "forget", "stats"]
    assert load_surface("graphnosis").most_bytes <= 6000


def test_a_graph_that_is_not_exact_is_an_error_with_the_close_ones(connect: Connect) -> None:
    agent = connect()
    assert agent.ok("recall", query="sand", graphs=["Book Notes"])["results"][0]["graph"] == "book-notes"
    error = agent.error("recall", query="sand", graphs=["Bok Notes"])
    assert (error["code"], "book-notes" in error["message"], "close spelling" in error["message"]) == (
        "not_found",
        True,
        True,
    )


def test_a_hit_by_words_alone_reaches_the_least_score(connect: Connect) -> None:
    found = connect().ok("recall", query="spice", minScore=0.3)["results"]
    assert [one["text"] for one in found] == ["Dune is about sand and spice."]
    assert found[0]["score"] >= 0.3


def test_a_cap_drops_lower_hits_and_cuts_the_first(connect: Connect, store: Path) -> None:
    with substrate.open(store) as memory:
        memory.ingest("spice " * 300, domain="book-notes", title="long")
        memory.set_tier("book-notes", "personal", max_tokens=20)
    said = connect().ok("recall", query="spice", minScore=0)
    assert said["truncated"]
    assert 0 < said["totalTokens"] <= 20
    assert said["results"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": ""},
        {"query": "  "},
        {"query": "x", "topK": 33},
        {"query": "x", "topK": 0},
        {"query": "x", "minScore": 1.1},
        {"query": "x", "graphs": [f"g{i}" for i in range(33)]},
        {"query": "x", "graphs": ["!?"]},
        {"query": "x", "unknown": 1},
    ],
)
def test_bad_input_is_refused(connect: Connect, arguments: dict[str, object]) -> None:
    assert connect().error("recall", **arguments)["code"] in {"arguments", "input"}


def test_no_graphs_are_all_graphs(connect: Connect) -> None:
    found = connect().ok("recall", query="deployment sand", graphs=[], minScore=0)["results"]
    assert {one["graph"] for one in found} == {"work", "book-notes"}


def test_the_main_engram_may_be_asked_for_before_it_is_there(connect: Connect) -> None:
    agent = connect()
    assert agent.ok("recall", query="spice", graphs=["main"])["results"] == []
    assert len(agent.ok("recall", query="spice", graphs=["main", "book-notes"])["results"]) == 1


def test_atoms_of_others_are_found_too(connect: Connect, store: Path) -> None:
    with substrate.open(store) as memory:
        memory.checkpoint(["v1.fact.provider = The payment provider is Stripe"])
    (hit,) = connect().ok("recall", query="payment provider")["results"]
    assert (hit["graph"], hit["sourceName"], hit["chunkId"]) == (None, "v1.fact.provider", hit["sourceId"])


def test_what_is_in_no_engram_is_found_where_all_are_searched(connect: Connect, store: Path) -> None:
    with substrate.open(store) as memory:
        memory.checkpoint(["v1.fact.provider = The payment provider is Stripe"])
        memory.ingest("The payment office is in Graz.", domain="main", title="Office")
    agent = connect()
    found = {one["graph"] for one in agent.ok("recall", query="payment provider office", minScore=0)["results"]}
    assert found >= {None, "main"}
    (hit,) = agent.ok("recall", query="payment provider office", minScore=0, graphs=["main"])["results"]
    assert hit["sourceName"] == "Office"
    (main,) = [one for one in agent.ok("stats")["graphs"] if one["name"] == "main"]
    assert (main["sources"], main["chunks"]) == (1, 1)


@pytest.mark.parametrize("graphs", [[], ["open"], ["priv"], ["open", "priv"]])
def test_the_strictest_engram_of_a_chunk_caps_it_whichever_is_asked_for(
    connect: Connect, store: Path, graphs: list[str]
) -> None:
    with substrate.open(store) as memory:
        both = ("v1.domain.open", "v1.domain.priv")
        memory.checkpoint(
            [*(f"{one} = engram" for one in both), {"name": "v1.note.big", "value": "gamma delta word " * 200}],
            edges=[{"source": "v1.note.big", "type": "member_of", "target": one} for one in both],
        )
        memory.set_tier("priv", "personal", max_tokens=50)
    said = connect().ok("recall", query="gamma delta", graphs=graphs)
    assert (said["truncated"], 0 < said["totalTokens"] <= 50) == (True, True)
    assert said["results"][0]["graph"] == (graphs or ["open"])[0]


def test_a_text_that_was_just_saved_is_found_by_one_of_its_words(connect: Connect) -> None:
    agent = connect()
    agent.ok("remember", text="Ada prefers espresso with a little sugar in the afternoon", graphId="work")
    found = agent.ok("recall", query="what does Ada drink when she is tired of meetings", minScore=0.9)["results"]
    assert [one["text"] for one in found] == ["Ada prefers espresso with a little sugar in the afternoon"]
