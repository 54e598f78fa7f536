"""A store that cannot be opened: the server starts, lists its tools, and each call says what to do."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.types import ResourceTemplateReference

import substrate
from substrate.memory import Memory
from tests.agents import TOOLS, Agent, error_of, in_memory

TEMPLATE = ResourceTemplateReference(type="ref/resource", uri="memory://atom/{key}")
CALLS: dict[str, dict[str, Any]] = {
    "memory_session_bootstrap": {"objective": "x"},
    "session_checkpoint": {"atoms": ["v1.fact.b = 2"]},
    "memory_search": {"query": "x"},
    "memory_access": {"key": "v1.fact.a"},
    "memory_train": {"atoms": ["v1.fact.a"]},
    "memory_context": {"keys": ["v1.fact.a"]},
    "memory_associate": {"atoms": ["v1.fact.a"]},
    "memory_list_atoms": {},
    "memory_verify": {"bundle": {}},
    "memory_history": {"key": "v1.fact.a"},
    "memory_status": {},
}


def make(path: Path) -> None:
    with substrate.open(path) as memory:
        memory.checkpoint(["v1.fact.a = 1"])


def a_file(path: Path) -> None:
    path.write_text("notes", encoding="utf-8")


def a_folder_of_something_else(path: Path) -> None:
    path.mkdir()
    (path / "notes.txt").write_text("notes", encoding="utf-8")


def no_database(path: Path) -> None:
    make(path)
    next(path.rglob("data.mdb")).write_bytes(b"not a database" * 1000)


def cut_off(path: Path) -> None:
    make(path)
    data = next(path.rglob("data.mdb"))
    data.write_bytes(data.read_bytes()[:4096])


TROUBLES: list[tuple[Callable[[Path], None], str, str]] = [
    (a_file, "input", "give another path"),
    (a_folder_of_something_else, "input", "give an empty or a new folder"),
    (no_database, "store_damaged", "restore a backup"),
    (cut_off, "store_damaged", "restore the store from a backup"),
]


@pytest.mark.parametrize(("break_it", "code", "advice"), TROUBLES, ids=[trouble[0].__name__ for trouble in TROUBLES])
def test_each_call_says_what_to_do_about_a_store_that_cannot_be_opened(
    store: Path, break_it: Callable[[Path], None], code: str, advice: str
) -> None:
    break_it(store)
    with in_memory(store) as agent:
        assert set(agent.tools) == set(CALLS) == set(TOOLS) - {"memory_forget"}
        assert agent.read("memory://guide")
        for tool, arguments in CALLS.items():
            error = agent.error(tool, **arguments)
            assert (error["code"], advice in error["message"]) == (code, True), error
        for uri in ("memory://head", "memory://atom/v1.fact.a"):
            with pytest.raises(MCPError, match=advice):
                agent.read(uri)
        offered = agent.do(agent.client.complete, TEMPLATE, {"name": "key", "value": "v1"}).completion
        assert offered.values == []


def test_a_store_that_was_repaired_is_opened_by_the_next_call(store: Path) -> None:
    a_file(store)
    with in_memory(store) as agent:
        agent.error("memory_status")
        store.unlink()
        make(store)
        assert agent.ok("memory_access", key="v1.fact.a")["value"] == "1"


def test_a_server_that_only_reads_says_that_there_is_nothing_to_read(store: Path) -> None:
    with in_memory(store, read_only=True) as agent:
        error = agent.error("memory_status")
        assert error["code"] == "not_found"
        assert "without --read-only" in error["message"]
        assert str(store) in error["message"]
        offered = agent.do(agent.client.complete, TEMPLATE, {"name": "key", "value": "v1"}).completion
        assert offered.values == []
        make(store)
        assert agent.ok("memory_access", key="v1.fact.a")["value"] == "1"


def test_to_list_what_there_is_makes_no_store_and_the_first_call_does(store: Path) -> None:
    with in_memory(store) as agent:
        assert agent.tools
        agent.do(agent.client.list_prompts)
        agent.do(agent.client.list_resources)
        assert agent.read("memory://guide")
        offered = agent.do(agent.client.complete, TEMPLATE, {"name": "key", "value": "v1"}).completion
        assert offered.values == []
        assert not [thread for thread in threading.enumerate() if thread.name == "substrate-warm"]
        assert not store.exists()
        agent.ok("memory_status")
        assert store.is_dir()


def test_without_its_key_a_store_is_read_and_a_write_says_what_is_missing(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(store)
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "another home"))
    with in_memory(store, scopes=frozenset({"read", "write"})) as agent:
        assert agent.ok("memory_list_atoms")["atoms"]
        error = agent.error("session_checkpoint", atoms=["v1.fact.b = 2"])
        assert error["code"] == "denied"
        assert "SUBSTRATE_HOME" in error["message"]


def test_an_error_of_ours_is_called_one_and_nothing_of_it_leaves_the_process(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("what was to be stored")

    monkeypatch.setattr(Memory, "history", fail)
    with caplog.at_level(logging.INFO):
        result = agent.call("memory_history", key="v1.fact.a")
    (line,) = [record.getMessage() for record in caplog.records if record.name == "substrate.server.logs"]
    assert re.match(
        r"the tool memory_history failed: ZeroDivisionError at .*tools\.py:\d+ > test_trouble\.py:\d+$", line
    )
    assert "to be stored" not in caplog.text
    assert error_of(result)["code"] == "bug"
    assert "to be stored" not in result.model_dump_json()
    assert "ZeroDivision" not in result.model_dump_json()
    monkeypatch.undo()
    agent.ok("memory_status")


@pytest.mark.parametrize("address", ["memory://atom/v1.fact.a", "memory://head"])
def test_nor_does_anything_of_it_if_a_resource_was_read(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, address: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("what was to be stored")

    for verb in ("access", "pin"):
        monkeypatch.setattr(Memory, verb, fail)
    with caplog.at_level(logging.INFO), pytest.raises(MCPError, match="an error in Substrate") as failed:
        agent.read(address)
    assert "a resource failed: ZeroDivisionError at " in caplog.text
    assert "to be stored" not in caplog.text + str(failed.value)
