"""Arguments: the names and defaults of the document that agents know, the limits, and what is said of wrong ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from substrate.limits import LIMITS
from tests.agents import ALL_SCOPES, TOOLS, Agent, User, in_memory, text_of

REQUIRED = object()
DOCUMENTED: dict[str, dict[str, object]] = {
    "memory_session_bootstrap": {"objective": "", "maxTokens": 1200, "highImpact": False, "domain": ""},
    "session_checkpoint": {"atoms": [], "edges": [], "tombstone": [], "taskContext": ""},
    "memory_search": {"query": REQUIRED, "limit": 10, "domain": ""},
    "memory_access": {"key": REQUIRED, "includeProof": False},
    "memory_train": {"atoms": REQUIRED, "passes": 1},
    "memory_context": {"keys": REQUIRED, "depth": 1},
    "memory_associate": {"atoms": REQUIRED, "domain": "", "allDomains": []},
    "memory_list_atoms": {"prefix": "", "limit": 100, "offset": 0},
}
"""What agents know these tools by, with the defaults."""
OURS: dict[str, dict[str, object]] = {
    "memory_session_bootstrap": {"evidenceThreshold": None},
    "session_checkpoint": {"source": "", "confidence": None, "unedge": [], "expect": {}, "includeRoot": False},
    "memory_search": {"asOf": "", "validAt": "", "hops": 0},
    "memory_access": {"asOf": "", "validAt": "", "predictions": 0, "offset": 0, "maxChars": 20_000},
    "memory_context": {"asOf": "", "validAt": ""},
    "memory_verify": {"bundle": "", "verifierKey": "", "pin": ""},
    "memory_history": {"key": REQUIRED, "asOf": "", "validAt": "", "limit": 20},
    "memory_forget": {"keys": REQUIRED},
}
KEY = "v1.fact.a"
LONG_KEY = "v1.fact." + "k" * LIMITS["name_bytes"]


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    store = tmp_path_factory.mktemp("store") / "store"
    with in_memory(store, scopes=ALL_SCOPES, user=User(erase=False)) as agent:
        agent.ok("session_checkpoint", atoms=[f"{KEY} = 1"])
        yield agent


@pytest.mark.parametrize("tool", TOOLS)
def test_arguments_have_the_names_and_defaults_that_agents_know_and_ours_come_after(caller: Agent, tool: str) -> None:
    schema = caller.tools[tool].input_schema
    shown = {
        name: REQUIRED if name in schema.get("required", []) else field.get("default")
        for name, field in schema["properties"].items()
    }
    expected = {**DOCUMENTED.get(tool, {}), **OURS.get(tool, {})}
    assert list(shown.items()) == list(expected.items())
    assert all(field.get("description") for field in schema["properties"].values())
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("tool", TOOLS)
def test_what_is_published_of_the_arguments_has_no_titles_and_no_nulls_but_where_null_is_a_value(
    caller: Agent, tool: str
) -> None:
    schema = caller.tools[tool].input_schema
    Draft202012Validator.check_schema(schema)
    assert '"title"' not in json.dumps(schema)
    assert ("null" in json.dumps(schema).replace("or null for absent", "")) == (tool == "session_checkpoint")
    assert '"title": ' not in json.dumps(caller.tools[tool].output_schema)
    assert '"null"' not in json.dumps(caller.tools[tool].output_schema)


def test_what_is_published_lets_pass_what_the_tools_take(caller: Agent) -> None:
    edge = {"source": KEY, "target": KEY, "type": "references"}
    for tool, arguments in (
        ("session_checkpoint", {"atoms": [f"{KEY} = 1"], "expect": {KEY: None, "v1.fact.b": 5}}),
        ("session_checkpoint", {"edges": [edge | {"confidence": 1}], "unedge": [edge], "source": "x", "confidence": 0}),
        ("memory_verify", {"bundle": {"format": 1}}),
        ("memory_verify", {"bundle": "{}"}),
        ("memory_associate", {"atoms": [KEY], "domain": "", "allDomains": []}),
    ):
        Draft202012Validator(caller.tools[tool].input_schema).validate(arguments)


NEEDED: dict[str, dict[str, Any]] = {
    "session_checkpoint": {"atoms": [f"{KEY} = 1"]},
    "memory_search": {"query": "1"},
    "memory_access": {"key": KEY},
    "memory_train": {"atoms": [KEY]},
    "memory_context": {"keys": [KEY]},
    "memory_associate": {"atoms": [KEY]},
    "memory_verify": {"pin": "no pin"},
    "memory_history": {"key": KEY},
    "memory_forget": {"keys": [KEY]},
}


@pytest.mark.parametrize("tool", TOOLS)
def test_an_argument_that_is_null_counts_as_left_out(caller: Agent, tool: str) -> None:
    given = NEEDED.get(tool, {})
    others = dict.fromkeys(caller.tools[tool].input_schema["properties"].keys() - given.keys())
    first, second = caller.call(tool, **given), caller.call(tool, **given, **others)
    assert text_of(first).startswith("arguments:") is False
    if tool == "memory_train":  # each is an entry of its own
        assert (first.is_error, second.is_error) == (False, False)
    else:
        assert text_of(second) == text_of(first)


def test_a_required_argument_that_is_null_is_missing(caller: Agent) -> None:
    assert caller.error("memory_access", key=None)["message"] == "key: Field required"


@pytest.mark.parametrize("tool", TOOLS)
def test_an_argument_that_there_is_not_is_named_with_those_that_there_are(caller: Agent, tool: str) -> None:
    needed = {"query": "x", "key": KEY, "keys": [KEY], "atoms": [f"{KEY} = 1"] if "check" in tool else [KEY]}
    properties = caller.tools[tool].input_schema["properties"]
    given = {name: value for name, value in needed.items() if name in properties}
    error = caller.error(tool, **given, maxTokenz=5)
    assert error["code"] == "arguments"
    assert "maxTokenz" in error["message"]
    assert all(name in error["message"] for name in properties)


def test_the_arguments_that_there_are_are_listed_once(caller: Agent) -> None:
    said = caller.error("memory_access", key=KEY, keyz=1, prof=2)["message"]
    assert said.startswith("keyz, prof: there are no such arguments; memory_access has key, ")
    assert said.count("memory_access") == 1


def test_an_atom_may_be_an_object_of_its_key_or_name_and_its_value(caller: Agent) -> None:
    caller.ok("session_checkpoint", atoms=[{"name": "v1.fact.by_name", "value": "1"}, {"key": KEY, "value": "1"}])
    assert caller.ok("memory_access", key="v1.fact.by_name")["value"] == "1"
    said = caller.error("session_checkpoint", atoms=[{"name": KEY, "value": "1", "tags": []}])["message"]
    assert said == 'atoms.0: an atom is a text, "key = value", or an object of texts key and value'
    own = {"key": KEY, "value": "1", "confidence": 0.9, "source": "a meeting"}
    said = caller.error("session_checkpoint", atoms=[own])["message"]
    assert said.endswith("; give source and confidence beside atoms, for all of them")


def test_an_edge_that_is_no_object_is_refused_with_the_fields_of_one(caller: Agent) -> None:
    said = caller.error("session_checkpoint", edges=[[KEY, "depends_on", KEY]])["message"]
    assert said == "edges.0: give an object with source, target, type, confidence"


@pytest.mark.parametrize(
    ("tool", "name"),
    [(tool, name) for tool in TOOLS for name, default in {**DOCUMENTED.get(tool, {}), **OURS.get(tool, {})}.items()
     if default is REQUIRED],
)  # fmt: skip
def test_an_argument_that_is_missing_is_named(caller: Agent, tool: str, name: str) -> None:
    error = caller.error(tool)
    assert (error["code"], error["message"]) == ("arguments", f"{name}: Field required")


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("memory_search", {"query": 5}, "query"),
        ("memory_search", {"query": "x", "limit": "many"}, "limit"),
        ("memory_access", {"key": [KEY]}, "key"),
        ("memory_access", {"key": KEY, "includeProof": "perhaps"}, "includeProof"),
        ("memory_train", {"atoms": "v1.fact.a"}, "atoms"),
        ("memory_context", {"keys": [KEY, 5]}, "keys.1"),
        ("memory_access", {"key": KEY, "asOf": True}, "asOf"),
        ("memory_access", {"key": KEY, "asOf": [1]}, "asOf"),
        ("session_checkpoint", {"edges": [{"source": KEY, "type": "x"}]}, "edges.0.target"),
        ("session_checkpoint", {"edges": [{"source": KEY, "target": KEY, "type": "x", "colour": 1}]}, "edges.0.colour"),
        ("session_checkpoint", {"atoms": [f"{KEY} = 1"], "expect": {KEY: "last"}}, "expect"),
    ],
)
def test_an_argument_of_the_wrong_type_is_named_without_its_value(
    caller: Agent, tool: str, arguments: dict[str, Any], named: str
) -> None:
    error = caller.error(tool, **arguments)
    assert error["code"] == "arguments"
    assert error["message"].startswith(named)


LIMITED: list[tuple[str, dict[str, Any], str]] = [
    ("memory_session_bootstrap", {"maxTokens": 49}, "50"),
    ("memory_session_bootstrap", {"maxTokens": 1_000_001}, "1000000"),
    ("memory_session_bootstrap", {"objective": "x" * 10_001}, "10000"),
    ("memory_session_bootstrap", {"evidenceThreshold": 1.01}, "1"),
    ("memory_session_bootstrap", {"evidenceThreshold": -0.1}, "0"),
    ("memory_session_bootstrap", {"domain": "d" * 401}, "400"),
    ("memory_search", {"query": ""}, "1"),
    ("memory_search", {"query": "x" * 50_001}, "50000"),
    ("memory_search", {"query": "x", "limit": 101}, "100"),
    ("memory_search", {"query": "x", "limit": 0}, "1"),
    ("memory_search", {"query": "x", "domain": "d" * 401}, "400"),
    ("memory_access", {"key": ""}, "1"),
    ("memory_access", {"key": LONG_KEY}, "400"),
    ("memory_access", {"key": KEY, "predictions": 21}, "20"),
    ("memory_access", {"key": KEY, "offset": -1}, "0"),
    ("memory_access", {"key": KEY, "maxChars": 0}, "1"),
    ("memory_access", {"key": KEY, "validAt": "2" * 65}, "64"),
    ("memory_train", {"atoms": []}, "1"),
    ("memory_train", {"atoms": [KEY] * 101}, "100"),
    ("memory_train", {"atoms": [KEY], "passes": 0}, "1"),
    ("memory_train", {"atoms": [KEY], "passes": 101}, "100"),
    ("memory_context", {"keys": []}, "1"),
    ("memory_context", {"keys": [KEY] * 101}, "100"),
    ("memory_context", {"keys": [KEY], "depth": 4}, "3"),
    ("memory_context", {"keys": [KEY], "depth": 0}, "1"),
    ("memory_context", {"keys": [LONG_KEY]}, "400"),
    ("memory_associate", {"atoms": [KEY] * 101}, "100"),
    ("memory_associate", {"atoms": [KEY], "allDomains": [KEY] * 101}, "100"),
    ("memory_list_atoms", {"limit": 1001}, "1000"),
    ("memory_list_atoms", {"limit": 0}, "1"),
    ("memory_list_atoms", {"offset": -1}, "0"),
    ("memory_list_atoms", {"prefix": "p" * 401}, "400"),
    ("memory_history", {"key": KEY, "limit": 1001}, "1000"),
    ("memory_history", {"key": LONG_KEY}, "400"),
    ("memory_forget", {"keys": [KEY] * 21}, "20"),
    ("memory_forget", {"keys": [LONG_KEY]}, "400"),
    ("session_checkpoint", {"atoms": [f"v1.fact.n{i} = x" for i in range(1001)]}, "1000"),
    ("session_checkpoint", {"edges": [{"source": KEY, "target": KEY, "type": "x"}] * 1001}, "1000"),
    ("session_checkpoint", {"tombstone": [KEY] * 1001}, "1000"),
    ("session_checkpoint", {"tombstone": [LONG_KEY]}, "400"),
    ("session_checkpoint", {"unedge": [{"source": KEY, "target": KEY, "type": "x"}] * 1001}, "1000"),
    ("session_checkpoint", {"atoms": [f"{KEY} = 2"], "source": "s" * 1001}, "1000"),
    ("session_checkpoint", {"atoms": [f"{KEY} = 2"], "confidence": 1.1}, "1"),
    ("session_checkpoint", {"atoms": [f"{KEY} = 2"], "confidence": -0.1}, "0"),
    ("memory_access", {"key": KEY, "asOf": "2" * 4001}, "4000"),
    ("session_checkpoint", {"taskContext": LONG_KEY, "atoms": [f"{KEY} = 2"]}, "400"),
    (
        "session_checkpoint",
        {"atoms": [f"v1.fact.n{i} = x" for i in range(600)], "tombstone": [f"v1.fact.m{i}" for i in range(401)]},
        "1,000",
    ),
    ("session_checkpoint", {"atoms": [f"v1.fact.n{i} = {'x' * 1_000_000}" for i in range(5)]}, "4,194,304"),
    ("session_checkpoint", {"atoms": [f"v1.fact.n = {'x' * (LIMITS['value_bytes'] + 1)}"]}, "1,048,576"),
    ("session_checkpoint", {"atoms": [f"{LONG_KEY} = x"]}, "400"),
    ("session_checkpoint", {"edges": [{"source": KEY, "target": LONG_KEY, "type": "x"}]}, "400"),
    ("session_checkpoint", {"edges": [{"source": KEY, "target": KEY, "type": "x" * 101}]}, "100"),
    ("session_checkpoint", {"edges": [{"source": KEY, "target": KEY, "type": "x", "confidence": 2}]}, "1"),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "limit"), LIMITED, ids=[f"{tool}-{'-'.join(given)}-{n}" for tool, given, n in LIMITED]
)
def test_what_passes_a_limit_is_told_the_limit_and_writes_nothing(
    caller: Agent, tool: str, arguments: dict[str, Any], limit: str
) -> None:
    before = caller.ok("memory_status")["size"]
    error = caller.error(tool, **arguments)
    assert error["code"] in {"arguments", "too_large", "items_refused", "input"}
    assert limit in error["message"]
    assert len(str(error)) < 5000
    assert caller.ok("memory_status")["size"] == before


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_session_bootstrap", {"maxTokens": 50, "objective": "x" * 10_000, "evidenceThreshold": 1}),
        ("memory_search", {"query": "x " * 25_000, "limit": 100}),
        ("memory_access", {"key": KEY, "predictions": 20, "maxChars": LIMITS["value_bytes"]}),
        ("memory_train", {"atoms": [KEY] * 100, "passes": 100}),
        ("memory_context", {"keys": [KEY] * 100, "depth": 3}),
        ("memory_associate", {"atoms": [KEY] * 100}),
        ("memory_list_atoms", {"limit": 1000, "prefix": "v1.fact." + "p" * 392}),
        ("memory_history", {"key": KEY, "limit": 1000}),
    ],
)
def test_what_is_just_within_the_limits_is_taken(caller: Agent, tool: str, arguments: dict[str, Any]) -> None:
    caller.ok(tool, **arguments)


def test_a_checkpoint_just_within_the_limits_is_taken(agent: Agent) -> None:
    saved = agent.ok("session_checkpoint", atoms=[f"v1.fact.n{i} = x" for i in range(1000)])
    assert (len(saved["recorded"]), saved["recordedTotal"]) == (100, 1000)
    name = "v1.fact." + "k" * (LIMITS["name_bytes"] - len("v1.fact."))
    assert agent.ok("session_checkpoint", atoms=[f"{name} = {'x' * LIMITS['value_bytes']}"])["recorded"] == [name]


def test_a_limit_in_bytes_counts_bytes(store: Path) -> None:
    with in_memory(store) as agent:
        error = agent.error("session_checkpoint", atoms=["v1.fact." + "ä" * 200 + " = x"])
        assert error["items"][0]["code"] == "too_large"
        assert "408" in error["message"]
