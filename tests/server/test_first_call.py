"""The first call of an agent: it waits a moment for the model, without being in anyone's way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

import substrate
from substrate.embed import load
from substrate.errors import Busy
from substrate.server.clients import Clients
from substrate.server.launch import Launch
from tests.agents import Agent, in_memory
from tests.scale import PATIENCE_S

WORDS_ONLY = "searched by words only: "


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("embedded") / "store"


@pytest.fixture
def embedded(folder: Path, cache: Path) -> Path:
    """A store of which every version has its vector."""
    assert cache.exists()
    if not folder.exists():
        with substrate.open(folder, background=False) as memory:
            memory.checkpoint(["v1.fact.limiter = forty requests in a minute", "v1.fact.pet = a dog called Rex"])
            memory.index()
    return folder


@contextmanager
def loading_takes_long() -> Iterator[None]:
    """In the block no model gets loaded: another thread is at it."""
    with load._lock:
        yield


def remarks(found: Any) -> list[str]:
    return list(found.get("remarks", []))


def said_by_words(agent: Agent, query: str) -> list[str]:
    found = remarks(agent.ok("memory_search", query=query))
    assert found, "it was searched by meaning"
    return found


def test_the_first_search_of_a_server_answers_by_meaning(embedded: Path) -> None:
    with in_memory(embedded, launch={"wait_s": PATIENCE_S}) as agent:
        found = agent.ok("memory_search", query="throttle")
    assert remarks(found) == []
    assert found["atoms"][0]["key"] == "v1.fact.limiter"


def test_the_first_opening_of_a_server_is_by_meaning(embedded: Path) -> None:
    with in_memory(embedded, launch={"wait_s": PATIENCE_S}) as agent:
        opening = agent.ok("memory_session_bootstrap", objective="slow callers down")
        assert "words" not in opening.get("matched", ""), "weakly, perhaps, but not by words only"


def test_after_the_bound_words_answer_and_offer_words_that_are_spelt_alike(embedded: Path) -> None:
    with loading_takes_long(), in_memory(embedded, launch={"wait_s": 0}) as agent:
        assert said_by_words(agent, "limitter") == [
            WORDS_ONLY + "the model is not loaded yet",
            "words here that are spelt like yours: limiter",
        ]


def test_a_model_that_cannot_be_had_is_not_waited_for(
    store: Path, made: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.exists()
    with substrate.open(store, background=False, model=made / "models" / "tiny-mean") as memory:
        memory.checkpoint(["v1.fact.limiter = forty requests in a minute"])
        memory.index()
    monkeypatch.setenv("SUBSTRATE_CACHE", str(tmp_path / "empty"))
    with in_memory(store, launch={"wait_s": 10 * PATIENCE_S}) as agent:  # far longer than a test may take
        assert said_by_words(agent, "throttle")[0].startswith(WORDS_ONLY + "there is no model: ")


def test_how_many_versions_are_to_come_is_said(store: Path, cache: Path) -> None:
    assert cache.exists()
    with substrate.open(store, background=False) as memory:
        memory.checkpoint(["v1.fact.a = one", "v1.fact.b = two"])
    with in_memory(store, read_only=True) as agent:
        assert "nothing is embedded yet (2 to come)" in said_by_words(agent, "throttle")[0]


def test_a_search_right_after_the_first_save_of_a_store_answers_by_meaning(tmp_path: Path, cache: Path) -> None:
    assert cache.exists()
    with in_memory(tmp_path / "new", launch={"surfaces": ("knowmind",), "wait_s": PATIENCE_S}) as agent:
        agent.ok("knowmind.store_memory", content="forty requests in a minute")
        found = agent.ok("knowmind.recall", query="throttle")
    assert remarks(found) == []
    assert [hit["content"] for hit in found["hits"]] == ["forty requests in a minute"]


def test_while_a_search_waits_other_calls_are_answered(embedded: Path) -> None:
    async def both(agent: Agent) -> tuple[list[str], Any]:
        order: list[str] = []
        found: Any = None

        async def search() -> None:
            nonlocal found
            found = await agent.client.call_tool("memory_search", {"query": "throttle"})
            order.append("search")

        async with anyio.create_task_group() as group:
            with loading_takes_long():
                group.start_soon(search)
                await agent.client.call_tool("memory_list_atoms", {})
                order.append("list")
        return order, found

    with in_memory(embedded, launch={"wait_s": PATIENCE_S}) as agent:
        order, found = agent.do(both, agent)
    assert order == ["list", "search"]
    assert remarks(found.structured_content) == []


def test_who_is_cancelled_waits_no_longer(embedded: Path) -> None:
    async def given_up(clients: Clients) -> bool:
        with anyio.move_on_after(0.05) as scope:
            await clients.until_warm()
        return scope.cancelled_caught

    with Clients(Launch(embedded, wait_s=10 * PATIENCE_S)) as clients, loading_takes_long():
        assert anyio.run(given_up, clients)


def test_an_error_while_a_search_waits_has_its_code_and_the_look_is_not_on_the_event_loop(
    embedded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loops: list[object] = []

    def busy(_: substrate.Memory) -> bool:
        loops.append(asyncio._get_running_loop())
        raise Busy("too many readers")

    with in_memory(embedded, launch={"wait_s": PATIENCE_S}) as agent:
        agent.ok("memory_list_atoms")
        monkeypatch.setattr(substrate.Memory, "first_vectors_due", busy)
        refused = agent.error("memory_search", query="throttle")
    assert refused["code"] == "busy"
    assert loops == [None]
