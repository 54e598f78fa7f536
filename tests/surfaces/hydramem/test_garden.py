"""The gardener's three tools: a run, its status, and edges that look spurious."""

from __future__ import annotations

from pathlib import Path

import substrate
from substrate.garden.lease import lease
from tests.agents import Agent, in_memory

RUN = {
    *("project", "candidates_proposed", "relations_accepted", "relations_rejected", "sessions_considered"),
    *(
        "sessions_used",
        "session_entries_considered",
        "session_entries_used",
        "nodes_pruned",
        "edges_pruned",
        "last_run",
    ),
    "session_entries_filtered_repeat_threshold",
}
STATUS = {
    *("last_run", "total_runs", "relations_proposed", "relations_accepted", "is_running"),
    "session_entries_filtered_repeat_threshold",
}


def fill(hydra: Agent, project: str = "default") -> None:
    for text in (
        "HydraMem uses LanceDB. LanceDB stores Vector Files.",
        "We met HydraMem before, and LanceDB and Vector Files too.",
    ):
        hydra.ok("remember", text=text, project=project)


def test_a_run_states_what_texts_support_without_a_language_model_and_a_second_adds_nothing(hydra: Agent) -> None:
    fill(hydra)
    done = hydra.ok("run_night_gardener")
    assert done.keys() >= RUN
    assert (done["relations_accepted"], done["project"], done["run"]) == (2, "default", 1)
    path = hydra.ok("trace_path_tool", from_entity="hydramem", to_entity="Vector Files")
    assert path["path"] == ["HydraMem", "LanceDB", "Vector Files"]
    assert done["note"] == 'stated: "HydraMem" uses "LanceDB"; "LanceDB" stores "Vector Files"'
    again = hydra.ok("run_night_gardener")
    assert (again["relations_accepted"], "note" in again) == (0, False)
    status = hydra.ok("get_garden_status_tool")
    assert status.keys() >= STATUS
    assert (status["total_runs"], status["relations_accepted"], status["is_running"]) == (2, 2, False)


def test_a_run_names_the_first_relations_that_it_stated_in_a_note_of_bounded_length(hydra: Agent) -> None:
    kinds = [f"Kind{chr(ord('a') + at)}" for at in range(13)]
    for text in (*(f"HydraMem uses {kind}." for kind in kinds), f"We met HydraMem, {', '.join(kinds)}."):
        hydra.ok("remember", text=text)
    done = hydra.ok("run_night_gardener")
    assert done["relations_accepted"] == 13
    *told, last = done["note"].removeprefix("stated: ").split("; ")
    assert (len(told), last) == (10, "and 3 more")
    assert all(one.startswith('"HydraMem" uses "Kind') for one in told)


def test_who_may_not_read_is_not_told_which_relations_a_run_stated(store: Path) -> None:
    scopes = frozenset({"write", "train"})
    with in_memory(store, scopes=scopes, launch={"surfaces": ("hydramem",)}) as agent:
        fill(agent)
        done = agent.ok("run_night_gardener")
        assert (done["relations_accepted"], "note" in done) == (2, False)


def test_sessions_of_this_project_alone_are_considered(hydra: Agent) -> None:
    for project in ("default", "other"):
        fill(hydra, project)
        for session in ("a", "b"):
            for name in ("HydraMem", "Vector Files"):
                hydra.ok(
                    "query_entity_relations", entity_id=name, project=project, session_id=f"{session} of {project}"
                )
    done = hydra.ok("run_night_gardener")
    assert (done["sessions_considered"], done["sessions_used"], done["session_entries_used"]) == (2, 2, 4)


def test_the_status_of_a_project_nobody_tended_is_empty_and_a_lease_ends_with_its_holder(
    hydra: Agent, store: Path
) -> None:
    empty = hydra.ok("get_garden_status_tool", project="a.b")
    assert (empty["last_run"], empty["total_runs"], empty["is_running"]) == ("", 0, False)
    with lease(store):
        assert hydra.ok("get_garden_status_tool")["is_running"]
        assert hydra.error("run_night_gardener")["code"] == "busy"
    assert not hydra.ok("get_garden_status_tool")["is_running"]
    assert hydra.ok("run_night_gardener")["candidates_proposed"] == 0


def test_a_sparse_graph_is_not_suggested_whole_and_what_others_stated_is_kept(hydra: Agent, store: Path) -> None:
    fill(hydra)
    hydra.ok("run_night_gardener")
    said = hydra.ok("train_gnn_tool")
    assert (said["method"], said["suggested_edges"], said["scores"], said["edges_analysed"]) == ("heuristic", [], {}, 2)
    with substrate.open(store) as memory:
        ends = {"source": "v1.entity.default.one", "target": "v1.entity.default.other"}
        memory.checkpoint(
            ["v1.entity.default.one = One", "v1.entity.default.other = Other"],
            edges=[{**ends, "type": "uses", "confidence": 0.05}],
        )
    said = hydra.ok("train_gnn_tool", dry_run=False)
    ((first, second),) = said["suggested_edges"]
    assert said["scores"][f"{first}|{second}"] > 0.6
    assert said["pruning"] == {"removed": 0, "skipped_kept": 1, "dry_run": False}
    for threshold in (1.5, -1, "much"):
        assert hydra.call("train_gnn_tool", threshold=threshold).is_error


def test_to_read_is_not_enough_to_run_the_gardener_or_to_prune(store: Path) -> None:
    with in_memory(store, scopes=frozenset({"read"}), launch={"surfaces": ("hydramem",)}) as agent:
        assert agent.ok("train_gnn_tool")["pruning"]["dry_run"] is True
        assert agent.error("train_gnn_tool", dry_run=False)["code"] == "denied"
        assert "run_night_gardener" not in agent.tools
        hints = agent.tools["train_gnn_tool"].annotations
        assert hints is not None
        assert (hints.read_only_hint, hints.destructive_hint) == (False, True)
