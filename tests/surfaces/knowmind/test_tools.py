"""The ten tools of knowmind, called by a client as their document says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate.result import iso
from substrate.surfaces import load_surface
from tests.agents import Agent, in_memory

SURFACES = {"surfaces": ("knowmind",)}


@pytest.fixture
def team(store: Path) -> Iterator[Agent]:
    with in_memory(store, launch=SURFACES) as agent:
        yield agent


def stored(team: Agent, title: str, content: str, **more: Any) -> str:
    said: str = team.ok("knowmind.store_memory", title=title, content=content, **more)["memory_id"]
    return said


def hits(team: Agent, query: str, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = team.ok("knowmind.recall", query=query, **more)["hits"]
    return found


def test_the_documents_ten_requests_get_the_documents_replies(team: Agent) -> None:
    contact = stored(
        team,
        "Onboarding contacts Q2 2026",
        "Anna Müller owns onboarding for new service staff, deputised by Tomasz Kowalski.",
        source="internal-handbook-v3",
    )
    assert contact == "memory_onboarding_contacts_q2_2026"
    said = team.ok("knowmind.recall", query="Who is the onboarding contact?", k=5, hops=2)
    assert said.keys() >= {"hits", "elapsed_ms"}
    assert (
        said["hits"][0].items()
        >= {
            "memory_id": contact,
            "title": "Onboarding contacts Q2 2026",
            "content": "Anna Müller owns onboarding for new service staff, deputised by Tomasz Kowalski.",
            "source": "internal-handbook-v3",
        }.items()
    )
    then = team.ok("knowmind.recall_at_time", query="onboarding contact", k=3)["hits"][0]
    assert then.keys() >= {"memory_id", "title", "content", "valid_from", "score"}
    assert team.ok("knowmind.health").items() >= {"status": "ok", "service": "memory"}.items()

    made = team.ok(
        "knowmind.store_memory",
        title="QM training mandatory",
        content="All service staff complete the QM training annually.",
        memory_type="procedural",
        tags=["qm", "training"],
        source="internal-handbook",
    )
    assert made["memory_id"] == "memory_qm_training_mandatory"
    assert made["created_at"].endswith("Z")

    document = team.ok(
        "knowmind.upload_document",
        title="Onboarding Handbook v3",
        content="# Chapter 1 — Onboarding flow\n\nA mentor is named in the first week.\n",
        source="internal-handbook-v3.md",
    )
    assert document["document_id"].startswith("doc_")
    assert document["chunks"] >= 1
    assert document["status"] in {"indexed", "stored"}

    updated = team.ok(
        "knowmind.update_fact",
        target_id=contact,
        new_title="Onboarding contacts Q3 2026",
        new_content="Tomasz Kowalski owns onboarding for new service staff.",
        update_reason="Anna moved to sales",
    )
    assert updated["old_memory_id"] == contact
    assert updated["new_memory_id"] == f"{contact}_v2"
    assert updated["supersedes_edge"].startswith("edge_")

    linked = team.ok("knowmind.link", from_id=made["memory_id"], to_id=contact + "_v2", rel_type="FOR_CLIENT")
    assert linked["edge_id"].startswith("edge_")
    relations = team.ok("knowmind.list_relations", memory_id=contact + "_v2")
    assert [(one["rel_type"], one["to"]) for one in relations["outgoing"]] == [("SUPERSEDES", contact)]
    assert [(one["rel_type"], one["from"]) for one in relations["incoming"]] == [("FOR_CLIENT", made["memory_id"])]
    assert all(one["created_at"] for one in (*relations["outgoing"], *relations["incoming"]))
    ends = {"from_id": made["memory_id"], "to_id": contact + "_v2", "rel_type": "FOR_CLIENT"}
    assert team.ok("knowmind.unlink", **ends) == {"deleted": True}
    assert team.error("knowmind.unlink", **ends)["status"] == 404

    counted = team.ok("knowmind.stats")
    assert counted == {"memories": 4, "edges": 1, "chunks": document["chunks"]}


def test_a_document_is_recalled_by_its_sections_and_linked_by_its_id(team: Agent) -> None:
    made = team.ok("knowmind.upload_document", title="Handbook", content="Badges are issued on the third floor.\n")
    assert hits(team, "where are badges issued")[0]["content"].startswith("Badges are issued")
    note = stored(team, "Badge desk", "The badge desk opens at nine.")
    team.ok("knowmind.link", from_id=note, to_id=made["document_id"], rel_type="REFERENCES")
    assert team.ok("knowmind.list_relations", memory_id=note)["outgoing"][0]["to"] == made["document_id"]


def test_a_hit_names_a_newer_memory_that_says_otherwise(team: Agent) -> None:
    stored(team, "Payment provider", "The payment provider is Stripe.")
    newer = stored(team, "Payment provider since May", "The payment provider is Adyen.")
    found = {hit["title"]: hit for hit in hits(team, "which payment provider do we use")}
    assert found["Payment provider"]["newer"] == newer
    assert "newer" not in found["Payment provider since May"]


def test_what_held_and_what_was_known_are_two_questions(team: Agent, store: Path) -> None:
    with substrate.open(store) as memory:
        memory.checkpoint(
            [
                {
                    "name": "v1.fact.mueller_plan_v1",
                    "value": "Müller GmbH is on Starter.",
                    "valid_from": "2026-01-01T00:00:00Z",
                    "valid_to": "2026-02-01T00:00:00Z",
                },
                {
                    "name": "v1.fact.mueller_plan_v2",
                    "value": "Müller GmbH is on Business with five seats.",
                    "valid_from": "2026-02-01T00:00:00Z",
                    "valid_to": "2026-04-01T00:00:00Z",
                },
            ]
        )
    said = team.ok("knowmind.recall_at_time", query="Müller GmbH plan", as_of="2026-03-14T00:00:00Z", k=3)["hits"]
    assert [hit["memory_id"] for hit in said] == ["memory_mueller_plan_v2"]
    assert said[0]["valid_from"] == "2026-02-01T00:00:00Z"
    assert said[0]["valid_to"] == "2026-04-01T00:00:00Z"
    ask = {"query": "Müller GmbH plan", "as_of": "2026-03-14", "known_at": "2026-03-14"}
    assert team.ok("knowmind.recall_at_time", **ask)["hits"] == []


def test_what_was_stored_without_a_date_did_not_hold_before(team: Agent) -> None:
    stored(team, "Plan", "Müller GmbH is on Business.")
    assert team.ok("knowmind.recall_at_time", query="Müller GmbH plan", as_of="2020-03-14")["hits"] == []
    (now,) = team.ok("knowmind.recall_at_time", query="Müller GmbH plan")["hits"]
    assert now["valid_to"] is None, "the key is there, also when it is not set"
    assert 0 <= now["score"] <= 1


def test_a_fact_that_was_replaced_is_recalled_at_a_time_before_that(team: Agent) -> None:
    made = team.ok("knowmind.store_memory", title="VAT", content="Our VAT is 19 percent.")
    between = datetime.now(UTC).isoformat()
    update = {"target_id": made["memory_id"], "new_title": "VAT", "new_content": "Our VAT is 21 percent."}
    team.ok("knowmind.update_fact", **update)
    (then,) = team.ok("knowmind.recall_at_time", query="VAT", as_of=between)["hits"]
    assert (then["content"], then["valid_from"]) == ("Our VAT is 19 percent.", made["created_at"])
    assert then["valid_to"] is not None
    (now,) = team.ok("knowmind.recall_at_time", query="VAT")["hits"]
    assert now["content"] == "Our VAT is 21 percent."


@pytest.mark.parametrize("change", [{"atoms": ["v1.fact.vat = 21 percent"]}, {"tombstones": ["v1.fact.vat"]}])
def test_a_fact_is_recalled_at_a_time_before_an_undo(team: Agent, store: Path, change: dict[str, Any]) -> None:
    with substrate.open(store) as memory:
        memory.checkpoint(["v1.fact.vat = 19 percent"])
        recorded = memory.access("v1.fact.vat", predictions=0).atom.recorded_at
        between = datetime.now(UTC).isoformat()
        memory.checkpoint(**change)
        memory.undo()
    (then,) = team.ok("knowmind.recall_at_time", query="VAT", as_of=between)["hits"]
    assert (then["content"], then["valid_from"]) == ("19 percent", iso(recorded))


def test_a_document_is_joined_to_its_sections_by_has_chunk(team: Agent) -> None:
    made = team.ok("knowmind.upload_document", title="Handbook", content="# One\n\nBadges.\n\n# Two\n\nDesks.\n")
    relations = team.ok("knowmind.list_relations", memory_id=made["document_id"])
    assert [one["rel_type"] for one in relations["outgoing"]] == ["HAS_CHUNK"] * made["chunks"]
    section = relations["outgoing"][0]["to"]
    (back,) = team.ok("knowmind.list_relations", memory_id=section)["incoming"]
    assert (back["rel_type"], back["from"]) == ("HAS_CHUNK", made["document_id"])
    for part in (made["document_id"], section):
        change = {"target_id": part, "new_title": "x", "new_content": "y"}
        assert team.error("knowmind.update_fact", **change)["status"] == -32602
    assert team.error("knowmind.upload_document", content=" \n ")["status"] == -32602


def test_an_update_keeps_what_it_does_not_say(team: Agent) -> None:
    old = stored(team, "Desk", "The desk of Anna Müller is on floor 3.", source="plan.md", tags=["rooms"])
    change = {"target_id": old, "new_title": "Desk", "new_content": "The desk of Anna Müller is on floor 4."}
    team.ok("knowmind.update_fact", **change)
    assert hits(team, "desk of Anna Müller")[0]["source"] == "plan.md"


def test_the_same_memory_stored_again_is_the_same(team: Agent) -> None:
    first = team.ok("knowmind.store_memory", title="Rule", content="Deploy on Tuesdays.")
    assert team.ok("knowmind.store_memory", title="Rule", content="Deploy on Tuesdays.") == first
    other = stored(team, "Rule", "Deploy on Thursdays.")
    assert other != first["memory_id"]
    assert team.ok("knowmind.stats")["memories"] == 2


def test_two_memories_of_one_title_and_two_types_are_told_apart(team: Agent) -> None:
    first = stored(team, "Release", "The release is version 3.")
    second = stored(team, "Release", "We shipped in May.", memory_type="episodic")
    assert first == "memory_release"
    assert second != first
    team.ok("knowmind.link", from_id=second, to_id=second.removeprefix("memory_"), rel_type="SAME_AS")
    said = team.error("knowmind.list_relations", memory_id="memory_release")
    assert said["status"] == 404
    assert second in said["message"]


def test_a_credential_is_refused_and_not_repeated(team: Agent) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    for tool in ("knowmind.store_memory", "knowmind.upload_document"):
        said = team.error(tool, content=f"the token is {secret}")
        assert said["status"] == -32602
        assert secret not in str(said)
    assert team.ok("knowmind.stats")["memories"] == 0


def test_a_memory_that_was_replaced_cannot_be_replaced_again(team: Agent) -> None:
    old = stored(team, "Address", "Müller GmbH, Hauptstraße 1.")
    change = {"target_id": old, "new_title": "Address", "new_content": "Müller GmbH, Industriestraße 7."}
    team.ok("knowmind.update_fact", **change)
    said = team.error("knowmind.update_fact", **change)
    assert said["code"] == "conflict"
    assert said["status"] == 409
    then = team.ok("knowmind.recall", query="Müller GmbH address")["hits"]
    assert [hit["content"] for hit in then] == ["Müller GmbH, Industriestraße 7."]


@pytest.mark.parametrize("kind", ["constraint", "schema"])
def test_a_rule_of_the_store_is_replaced_by_no_token(team: Agent, store: Path, kind: str) -> None:
    mine, rule = stored(team, "No such rule", "Card data may be stored."), f"v1.{kind}.rule"
    with substrate.open(store) as memory:
        memory.checkpoint([f"{rule} = No card data is stored"])
    for tool, asked in (
        ("link", {"from_id": mine, "to_id": rule, "rel_type": "SUPERSEDES"}),
        ("link", {"from_id": rule, "to_id": mine, "rel_type": "SUPERSEDED_BY"}),
        ("update_fact", {"target_id": rule, "new_title": "Rule", "new_content": "Card data may be stored."}),
    ):
        assert team.error(f"knowmind.{tool}", **asked)["status"] == 403, tool
    with substrate.open(store, read_only=True) as memory:
        assert memory.access(rule).atom.superseded_by == ()
    assert team.ok("knowmind.link", from_id=mine, to_id=rule, rel_type="RELATED_TO"), "it may be spoken of"
    other = stored(team, "Another note", "Something else.")
    assert team.ok("knowmind.link", from_id=mine, to_id=other, rel_type="SUPERSEDES"), "a memory may be replaced"


def test_a_relation_is_one_edge_with_two_names(team: Agent) -> None:
    anna, firm = stored(team, "Anna", "Anna is a person."), stored(team, "Acme", "Acme is a company.")
    first = team.ok("knowmind.link", from_id=firm, to_id=anna, rel_type="OWNS")
    assert first["edge_id"] == first["inverse_edge_id"]
    assert team.ok("knowmind.link", from_id=firm, to_id=anna, rel_type="OWNS") == first
    assert team.ok("knowmind.stats")["edges"] == 1
    assert team.error("knowmind.unlink", from_id=anna, to_id=firm, rel_type="OWNS")["status"] == 404, "the other way"
    assert team.ok("knowmind.unlink", from_id=anna, to_id=firm, rel_type="OWNED_BY") == {"deleted": True}
    assert team.ok("knowmind.list_relations", memory_id=anna) == {"outgoing": [], "incoming": []}


@pytest.mark.parametrize(
    ("tool", "given", "status"),
    [
        ("recall", {"query": ""}, -32602),
        ("recall", {"query": "x", "k": 0}, -32602),
        ("recall", {"query": "x", "k": 26}, -32602),
        ("recall", {"query": "x", "hops": 4}, -32602),
        ("recall", {"query": "x", "depth": 1}, -32602),
        ("recall_at_time", {"query": "x", "as_of": "gestern"}, -32602),
        ("recall_at_time", {"query": "x", "as_of": "yesterday"}, -32602),
        ("list_relations", {"memory_id": "memory_nobody"}, 404),
        ("store_memory", {}, -32602),
        ("store_memory", {"content": "x", "memory_type": "dream"}, -32602),
        ("update_fact", {"target_id": "memory_nobody", "new_title": "x", "new_content": "y"}, 404),
        ("update_fact", {"target_id": "memory_nobody", "new_content": "y"}, -32602),
        ("link", {"from_id": "memory_here", "to_id": "memory_here", "rel_type": "for client"}, -32602),
        ("link", {"from_id": "memory_here", "to_id": "memory_nobody", "rel_type": "OWNS"}, 404),
        ("link", {"from_id": "memory_here", "to_id": "memory_here", "rel_type": "FORBIDDEN"}, 400),
        ("unlink", {"from_id": "memory_here", "to_id": "memory_here", "rel_type": "OWNS"}, 404),
    ],
)
def test_bad_input_gets_the_documents_code(
    team: Agent, store: Path, tool: str, given: dict[str, Any], status: int
) -> None:
    stored(team, "Here", "Something that is here.")
    if given.get("rel_type") == "FORBIDDEN":
        table = '{"types": {"forbidden": {"from": ["person"], "to": ["company"]}}}'
        with substrate.open(store) as memory:
            memory.checkpoint([{"name": "v1.schema.edges", "value": table}])
    assert team.error(f"knowmind.{tool}", **given)["status"] == status


def test_a_document_over_ten_megabytes_is_refused(team: Agent) -> None:
    said = team.error("knowmind.upload_document", content="word " * 2_000_001)
    assert said["status"] == 413


def test_a_token_that_reads_cannot_write(store: Path) -> None:
    with in_memory(store, scopes=frozenset({"read"}), launch=SURFACES) as reader:
        assert reader.error("knowmind.store_memory", content="x")["status"] == 403
    with in_memory(store, scopes=frozenset(), launch=SURFACES) as nobody:
        assert nobody.ok("knowmind.health")["status"] == "ok"
        assert nobody.error("knowmind.stats")["status"] == 403


def test_no_line_of_the_table_names_a_tool_that_is_not_there() -> None:
    surface = load_surface("knowmind")
    assert {one.tool for one in surface.divergences} <= {tool.name for tool in surface.tools}
    assert len(surface.tools) == 10
