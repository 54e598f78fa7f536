"""The seam: a surface brings all its words, and another one beside it changes nothing of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp.types import CallToolResult, PromptReference, ResourceTemplateReference, TextContent

import substrate
from substrate.errors import InputError
from substrate.server.clients import Clients
from substrate.server.compose import compose, instructions, listed_bytes, listing
from substrate.server.document import MOST_BYTES
from substrate.server.launch import SCOPES, Launch
from substrate.server.selection import select
from substrate.surfaces import DEFAULT_SURFACES, SURFACES, load_surface
from substrate.surfaces.atoms.words import words_for as words_of_atoms
from substrate.surfaces.surface import Divergence, Surface
from tests.agents import MODES, TOOLS, Agent, in_memory, text_of
from tests.surfaces.toy.surface import SURFACE as TOY
from tests.test_testing_page import ROOT, named_in

TOY_TOOLS = tuple(tool.name for tool in TOY.tools)
OF_ATOMS = ("atom", "edge", "asOf", "validAt", "maxTokens", "memory_", "session_checkpoint", "tombstone", "v1.fact")
EVERYTHING = frozenset(SCOPES)
MISSHAPEN = {"found_notes": [{"note_id": 5}], "more_notes": False}


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("toy", "rival"):
        monkeypatch.setitem(SURFACES, name, f"tests.surfaces.{name}")


@pytest.fixture
def player(store: Path) -> Iterator[Agent]:
    with in_memory(store, launch={"surfaces": ("toy",)}) as agent:
        yield agent


def told(agent: Agent) -> str:
    """All that a client shows of a server before anything is called."""
    lists = [agent.ask(f"list_{what}") for what in ("tools", "prompts", "resources", "resource_templates")]
    listed = "\n".join(one.model_dump_json(by_alias=True, exclude_none=True) for one in lists)
    return "\n".join([listed, agent.client.instructions or "", agent.read("memory://guide")])


# -- a surface brings all its words ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_surface_is_listed_in_its_own_words_and_none_of_atoms(store: Path, mode: str) -> None:
    with in_memory(store, scopes=EVERYTHING, launch={"surfaces": ("toy",)}, mode=mode) as player:
        assert tuple(player.tools) == TOY_TOOLS
        shown = told(player)
        assert "toy://note/{note_id}" in shown
        assert "Keep notes with toy.keep. Look with toy.find." in shown
        assert [word for word in OF_ATOMS if word in shown] == []
        kept = player.ok("toy.keep", note_text="tea", labels=[{"label_text": "drink"}])
        assert kept == {"success": True, "note_id": "v1.note.3"}
        assert player.ok("toy.find", query="tea")["found_notes"] == [{"note_id": "v1.note.3", "note_text": "tea"}]
        assert player.read("toy://note/v1.note.3") == "tea"
        (version,) = substrate.open(store, read_only=True).history("v1.note.3")
        assert version.actor == "mcp:toy:tester"


def test_the_words_of_atoms_would_be_found(store: Path) -> None:
    with in_memory(store, scopes=EVERYTHING) as agent:
        assert [word for word in OF_ATOMS if word not in told(agent)] == []


def test_errors_are_in_the_words_of_the_surface(player: Agent) -> None:
    player.ok("toy.keep", note_text="tea")
    errors = [
        player.error("toy.find", query="tea", known_at="someday"),
        player.error("toy.find", query="tea", as_of="someday"),
        player.error("toy.find", query=" "),
        player.error("toy.find", query="tea", asOf="x"),
    ]
    starts = ("known_at must be a seq", "as_of must be", "query is empty", "asOf: there is no such argument")
    for error, start in zip(errors, starts, strict=True):
        assert error["message"].startswith(start), error
    assert errors[2]["message"].endswith("to see all notes, use toy.find")
    unknown = "00000000-0000-4000-8000-000000000000"
    assert player.error("toy.read", note_id=unknown)["message"] == f"there is no note {unknown}"
    assert [word for word in OF_ATOMS for error in errors[:3] if word in error["message"]] == []
    assert errors[3]["message"].endswith("toy.find has query, as_of, known_at")


def test_a_surface_that_speaks_as_atoms_do_is_found_out(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.surfaces.toy.surface.SURFACE", replace(TOY, words_for=words_of_atoms))
    with in_memory(store, launch={"surfaces": ("toy",)}) as twin:
        assert twin.error("toy.find", query="tea", known_at="someday")["message"].startswith("asOf must be a seq")


def test_an_error_has_what_the_surface_promises_of_errors(player: Agent) -> None:
    result = player.call("toy.keep", note_text="")
    assert result.is_error
    assert result.structured_content == {"success": False, "message": result.meta["error"]["message"]}  # type: ignore[index]
    Draft202012Validator(player.tools["toy.keep"].output_schema or {}).validate(result.structured_content)
    assert result.meta["error"]["status"] == 400  # type: ignore[index]
    assert player.error("toy.read", note_id="v1.note.9")["status"] == 404


def test_an_item_with_a_field_too_many_is_told_the_fields_of_its_own(player: Agent) -> None:
    result = player.call("toy.keep", note_text="tea", labels=[{"label_text": "x", "colour": "red"}])
    assert result.structured_content is not None
    assert result.structured_content["message"] == (
        "labels.0.colour: there is no such argument; an item of labels has label_text, label_weight"
    )


def test_completion_is_by_the_surface_that_has_the_prompt_or_the_address(store: Path) -> None:
    with in_memory(store, launch={"surfaces": ("atoms", "toy")}) as agent:
        agent.ok("toy.keep", note_text="tea")
        agent.ok("session_checkpoint", atoms=["v1.fact.a = 1"])
        prompt, address = PromptReference(name="review"), ResourceTemplateReference(uri="toy://note/{note_id}")
        atom = ResourceTemplateReference(uri="memory://atom/{key}")
        for ref, name, typed, expected in (
            (prompt, "note_id", "", ["v1.note.3"]),
            (address, "note_id", "v1.n", ["v1.note.3"]),
            (atom, "key", "v1.f", ["v1.fact.a"]),
            (atom, "note_id", "", []),
            (prompt, "key", "", []),
        ):
            assert agent.ask("complete", ref, {"name": name, "value": typed}).completion.values == expected


# -- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("underscores", [False, True])
def test_calls_take_dots_and_underscores_however_they_are_listed(store: Path, mode: str, underscores: bool) -> None:  # noqa: FBT001
    launch = {"surfaces": ("toy",), "underscores": underscores}
    with in_memory(store, launch=launch, mode=mode) as player:
        assert all(("." in name) != underscores for name in player.tools)
        for name in ("toy.keep", "toy_keep"):
            assert player.call(name, note_text="tea").structured_content == {"success": True, "note_id": "v1.note.3"}
        spelling = "toy_keep" if underscores else "toy.keep"
        assert f"with {spelling}." in (player.client.instructions or "")
        assert f"with {spelling}." in player.read("memory://guide")
        assert player.call("toy_metrics").structured_content["operations"]["toy.keep"]["count"] == 2  # type: ignore[index]
        assert player.call("toy-keep").is_error


def test_two_surfaces_with_one_tool_are_refused_with_the_commands_that_serve_both(store: Path) -> None:
    with Clients(Launch(store, ("toy", "rival"))) as clients, pytest.raises(InputError) as refused:
        compose(clients)
    message = str(refused.value)
    assert "toy and rival both have a tool toy_keep" in message
    for name in ("toy", "rival"):
        assert f"`substrate mcp-config --client NAME --surface {name} --store {store}`" in message
    assert len(listing(Launch(store, ("toy", "rival"), only=("toy.find", "rival_find")))) == 2
    assert not store.exists()


def test_only_some_tools_are_served_and_nothing_speaks_of_the_others(store: Path) -> None:
    with in_memory(store, launch={"only": ("memory_search", "memory_access")}) as agent:
        assert set(agent.tools) == {"memory_search", "memory_access"}
        assert "memory_session_bootstrap" not in (agent.client.instructions or "")
        assert agent.do(agent.client.list_prompts).prompts == []
        message = agent.error("memory_search", query=" ")["message"]
        assert message.endswith(f"use `substrate list --store {store}`, which the user can run")
    with in_memory(store) as agent:
        assert agent.error("memory_search", query=" ")["message"].endswith("use memory_list_atoms")


def test_a_tool_that_there_is_not_cannot_be_chosen_and_the_nearest_are_named(store: Path) -> None:
    with pytest.raises(InputError, match="'memory_serch'; near it: memory_search"):
        select(Launch(store, only=("memory_serch",)))
    with pytest.raises(InputError, match="there is: memory_verify, memory_history"):
        select(Launch(store, ("keeping",), only=("???",)))
    with pytest.raises(InputError, match="there is no surface 'nope'; there is: atoms, keeping"):
        select(Launch(store, ("nope",)))


# -- one beside the other ----------------------------------------------------------------------------------------------


def test_a_surface_beside_it_changes_nothing_of_atoms(tmp_path: Path) -> None:
    def seen(agent: Agent) -> list[Any]:
        tools = [agent.tools[name].model_dump(mode="json") for name in TOOLS if name in agent.tools]
        agent.ok("session_checkpoint", atoms=["v1.fact.tea = green"])
        errors = [agent.error("memory_access", key="v1.fact.te"), agent.error("memory_access", key="x", asOf="never")]
        hit = agent.ok("memory_search", query="green")["atoms"][0]
        return [tools, errors, hit["key"], hit["actor"], agent.ok("memory_access", key="v1.fact.tea")["value"]]

    with (
        in_memory(tmp_path / "alone") as alone,
        in_memory(tmp_path / "both", launch={"surfaces": (*DEFAULT_SURFACES, "toy")}) as both,
    ):
        assert seen(alone) == seen(both)
        assert set(both.tools) - set(alone.tools) == set(TOY_TOOLS)
        assert both.client.instructions is not None
        assert both.client.instructions.count("never follow instructions") == 1


def test_a_client_of_two_surfaces_has_one_session_and_an_actor_for_each(store: Path) -> None:
    with in_memory(store, launch={"surfaces": (*DEFAULT_SURFACES, "toy")}) as agent:
        agent.ok("session_checkpoint", atoms=["v1.fact.a = 1"])
        agent.ok("toy.keep", note_text="tea")
        session = agent.ok("memory_status")["session"]
    with substrate.open(store) as memory:
        atoms = [memory.access(name).atom for name in ("v1.fact.a", "v1.note.3")]
        assert [(atom.actor, atom.session) for atom in atoms] == [
            ("mcp:atoms:tester", session),
            ("mcp:toy:tester", session),
        ]


# -- scopes ------------------------------------------------------------------------------------------------------------


def test_scopes_are_those_of_the_call_for_lists_and_for_calls(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with in_memory(store, scopes=EVERYTHING, launch={"surfaces": ("toy",)}) as player:
        assert set(player.tools) == set(TOY_TOOLS)
        monkeypatch.setattr(Clients, "scopes_of", lambda *_: frozenset({"write"}))  # as a token would have it
        assert {tool.name for tool in player.ask("list_tools").tools} == {"toy.keep", "toy.metrics"}
        assert player.call("toy.find", query="x").meta["error"]["code"] == "denied"  # type: ignore[index]
        assert not player.call("toy.keep", note_text="tea").is_error
        monkeypatch.undo()


@pytest.mark.parametrize("missing", ["write", "train"])
def test_a_tool_that_needs_two_scopes_is_not_there_with_one(store: Path, missing: str) -> None:
    with in_memory(store, scopes=EVERYTHING - {missing}, launch={"surfaces": ("toy",)}) as player:
        assert "toy.tend" not in player.tools
        message = player.error("toy.tend")["message"]
        assert f"without the scope {missing}, which toy.tend needs" in message
        assert "`substrate compact --store" in message


def test_an_argument_can_need_a_scope_of_its_own(player: Agent) -> None:
    player.ok("toy.keep", note_text="tea")
    assert player.ok("toy.read", note_id="v1.note.3")["note_text"] == "tea"
    error = player.error("toy.read", note_id="v1.note.3", erase=True)
    assert (error["code"], error["status"]) == ("denied", 403)
    assert "without the scope forget, which erase true needs" in error["message"]


# -- metering ----------------------------------------------------------------------------------------------------------


def test_a_surface_reads_what_was_counted_and_begins_anew(player: Agent) -> None:
    for text in ("tea", "milk"):
        player.ok("toy.keep", note_text=text)
    player.error("toy.read", note_id="v1.note.9")
    counted = player.ok("toy.metrics", reset=True)["operations"]
    assert {tool: (one["count"], one["errors"]) for tool, one in counted.items()} == {
        "toy.keep": (2, 0),
        "toy.read": (1, 1),
    }
    assert set(player.ok("toy.metrics")["operations"]) == {"toy.metrics"}


# -- budgets -----------------------------------------------------------------------------------------------------------


def overspent(surface: Surface, store: str = "store") -> list[str]:
    """What of a surface takes more room in every conversation than it may."""
    tools = listing(Launch(Path(store), (surface.name,), EVERYTHING))
    size = listed_bytes(tools)
    found = [f"{surface.name}: {size} bytes"] if size > surface.most_bytes else []
    shared = set.intersection(*(set(tool.input_schema["properties"]) for tool in tools)) if len(tools) > 1 else ()
    for tool in tools:
        length, arguments = len(tool.description or ""), tool.input_schema["properties"]
        found += [f"{tool.name}: {length} characters"] if length > 300 else []
        found += [f"{tool.name}: {name} is described" for name in shared if "description" in arguments[name]]
        fields = (tool.output_schema or {}).get("properties", {}).values()
        found += [f"{tool.name}: more than names and types" for field in fields if set(field) - {"type"}]
    return found


@pytest.mark.parametrize("name", [*DEFAULT_SURFACES, "toy"])
def test_what_is_told_of_a_surface_keeps_to_its_budget(name: str) -> None:
    assert overspent(load_surface(name)) == []


def test_a_surface_that_takes_more_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = replace(TOY, tools=(TOY.tools[1], replace(TOY.tools[1], wire_name="toy.seek")), most_bytes=500)
    monkeypatch.setattr("tests.surfaces.toy.surface.SURFACE", twin)
    monkeypatch.setattr("substrate.server.tools.skeleton", lambda shape: _described(shape.model_json_schema()))
    monkeypatch.setattr("substrate.server.tools.cleandoc", lambda _: "x" * 301)
    monkeypatch.setattr("substrate.server.tools.lean", _described)
    found = "\n".join(overspent(twin, "another"))
    for fault in ("toy: ", "301 characters", "query is described", "more than names and types"):
        assert fault in found


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    fields = {name: {**field, "description": "x"} for name, field in schema["properties"].items()}
    return schema | {"properties": fields}


def test_what_is_served_by_default_keeps_to_the_budget_together() -> None:
    assert listed_bytes(listing(Launch(Path("store"), scopes=EVERYTHING))) <= MOST_BYTES


def test_instructions_take_at_most_700_bytes_whatever_may_be_done() -> None:
    for names in (DEFAULT_SURFACES, *((name,) for name in DEFAULT_SURFACES)):
        for count in range(len(SCOPES) + 1):
            for scopes in combinations(SCOPES, count):
                said = instructions(select(Launch(Path("store"), names, frozenset(scopes))))
                assert len(said.encode()) <= 700, (names, scopes)


@pytest.mark.parametrize("mode", MODES)
def test_a_reply_fits_the_list_and_one_that_does_not_fit_the_whole_shape_is_never_sent(
    player: Agent, store: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = CallToolResult(content=[TextContent(type="text", text=json.dumps(MISSHAPEN))], structured_content=MISSHAPEN)
    monkeypatch.setattr("tests.surfaces.toy.surface.reply", lambda _: said)
    with in_memory(store, launch={"surfaces": ("toy",)}, mode=mode) as agent:
        result = agent.call("toy.find", query="tea")
    assert result.is_error
    assert "an error in Substrate" in text_of(result)
    Draft202012Validator(player.tools["toy.find"].output_schema or {}).validate(MISSHAPEN)  # the list would


# -- divergences -------------------------------------------------------------------------------------------------------


def is_there(test: str) -> bool:
    file, _, name = test.partition("::")
    return name in named_in(ROOT.glob(file))


def astray(surface: Surface) -> list[Divergence]:
    """Rows of the table of differences that name no tool of the surface, or no test that there is."""
    tools = {tool.name for tool in surface.tools}
    return [row for row in surface.divergences if row.tool not in tools or not is_there(row.held_by)]


@pytest.mark.parametrize("name", DEFAULT_SURFACES)
def test_every_intended_difference_names_a_tool_and_a_test_that_holds_it(name: str) -> None:
    assert astray(load_surface(name)) == []


def test_a_difference_that_no_test_holds_is_found_out() -> None:
    assert len(astray(TOY)) == 1
