"""The sessions that the tools' document describes, played by an agent; `python -m tests.surfaces.transcripts` writes
down what was said, in golden/, for the tests to compare.

What differs from run to run is replaced by a word for it: ids, seqs, times, roots, and how many tokens a day takes.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import substrate
from substrate.server.launch import SCOPES
from tests.agents import BOOTSTRAP, Agent, User, in_memory, text_of

__all__ = ["CORRECTION", "NOTES", "SCENARIOS", "play", "written"]

GOLDEN = Path(__file__).parent / "golden"
Call = tuple[str, dict[str, Any]]

SAVE, TRAIN = "session_checkpoint", "memory_train"
CORRECTION = "v1.procedure.always_run_migrations"
SCENARIOS: Final[dict[str, list[Call]]] = {
    "checkpoint": [
        (
            SAVE,
            {
                "atoms": [
                    "v1.fact.payment_provider = Stripe",
                    "v1.state.current_sprint = Sprint 12 — subscription billing",
                ],
                "edges": [
                    {"source": "v1.state.current_sprint", "target": "v1.fact.payment_provider", "type": "depends_on"}
                ],
            },
        ),
        ("memory_access", {"key": "v1.fact.payment_provider"}),
        ("memory_search", {"query": "which payment provider do we use"}),
        ("memory_context", {"keys": ["v1.state.current_sprint"]}),
        ("memory_list_atoms", {}),
    ],
    "minimal_session": [
        (BOOTSTRAP, {"objective": "ship subscription billing", "maxTokens": 1200}),
        (
            SAVE,
            {
                "atoms": [
                    "v1.fact.payment_provider = Stripe",
                    "v1.state.current_sprint = Sprint 12 — subscription billing",
                    "v1.task.webhooks = Handle the webhooks of Stripe",
                ],
                "edges": [
                    {"source": "v1.task.webhooks", "target": "v1.fact.payment_provider", "type": "depends_on"},
                ],
            },
        ),
        (
            SAVE,
            {"atoms": ["v1.state.current_sprint = Sprint 12 — done, billing ships"], "tombstone": ["v1.task.webhooks"]},
        ),
        (TRAIN, {"atoms": ["v1.state.current_sprint", "v1.fact.payment_provider"], "passes": 2}),
        (BOOTSTRAP, {"objective": "what is left of subscription billing", "maxTokens": 1200}),
    ],
    "correction": [
        (
            SAVE,
            {"atoms": ["v1.procedure.deploy = Run make release on main", "v1.fact.region = Servers are in Frankfurt"]},
        ),
        (
            SAVE,
            {
                "atoms": [f"{CORRECTION} = Always run the migrations before you deploy"],
                "edges": [
                    {"source": CORRECTION, "target": "v1.procedure.deploy", "type": "constrains"},
                    {"source": CORRECTION, "target": "v1.hub.corrections", "type": "member_of"},
                ],
            },
        ),
        (TRAIN, {"atoms": [CORRECTION], "passes": 3}),
        (BOOTSTRAP, {"objective": "deploy the new version", "maxTokens": 1200}),
    ],
    "high_stakes": [
        (BOOTSTRAP, {"objective": "deploy to production", "highImpact": True, "evidenceThreshold": 0.75}),
        ("memory_access", {"key": "v1.procedure.deploy"}),
        ("memory_context", {"keys": ["v1.procedure.deploy"], "depth": 2}),
    ],
}
_AUTH, _DB = "v1.note.authentication_oauth_keycloak", "v1.note.architecture_hexagonal_postgresql"
_CONTACTS, _TRAINING = "memory_onboarding_contacts_q2_2026", "memory_qm_training_mandatory"
NOTES: Final[dict[str, list[Call]]] = {
    "cortexgraph": [
        ("save_memory", {"content": "Authentication is by OAuth with Keycloak", "tags": ["auth"]}),
        ("save_memory", {"content": "The architecture is hexagonal, with PostgreSQL", "strength": 1.5}),
        ("save_memory", {"content": "Authentication is by OAuth with Keycloak"}),
        ("search_memory", {"query": "authentication", "page": 1, "page_size": 10}),
        ("search_memory", {"query": "authentication", "preview_length": 0}),
        ("search_memory", {"query": "authentication", "preview_length": 500}),
        ("search_unified", {"query": "architecture", "page": 1, "page_size": 10}),
        ("search_unified", {"query": "architecture", "preview_length": 0}),
        ("touch_memory", {"memory_id": _AUTH, "boost_strength": True}),
        ("open_memories", {"memory_ids": [_AUTH, _DB, "v1.note.never"], "page": 1, "page_size": 10}),
        ("open_memories", {"memory_ids": [_AUTH, _DB, "v1.note.never"], "page": 2, "page_size": 10}),
        ("read_graph", {"status": "active", "page": 1, "page_size": 10}),
        ("read_graph", {"status": "active", "page": 2, "page_size": 10}),
        ("read_graph", {"status": "active", "page": 1, "page_size": 50}),
        ("gc", {"dry_run": True}),
        ("promote_memory", {"auto_detect": True, "dry_run": True}),
    ],
    "knowmind": [
        (
            "knowmind.store_memory",
            {
                "title": "Onboarding contacts Q2 2026",
                "content": "Anna Müller owns onboarding for new service staff, deputised by Tomasz Kowalski.",
                "source": "internal-handbook-v3",
            },
        ),
        ("knowmind.recall", {"query": "Who is the onboarding contact?", "k": 5, "hops": 2}),
        (
            "knowmind.store_memory",
            {
                "title": "QM training mandatory",
                "content": "All service staff complete the QM training annually.",
                "memory_type": "procedural",
                "tags": ["qm", "training"],
                "source": "internal-handbook",
            },
        ),
        (
            "knowmind.upload_document",
            {
                "title": "Onboarding Handbook v3",
                "content": "Chapter 1 — Onboarding flow …",
                "source": "internal-handbook-v3.md",
            },
        ),
        (
            "knowmind.update_fact",
            {
                "target_id": _CONTACTS,
                "new_title": "Onboarding contacts Q3 2026",
                "new_content": "Tomasz Kowalski owns onboarding for new service staff.",
                "update_reason": "Anna moved to sales",
            },
        ),
        ("knowmind.link", {"from_id": _TRAINING, "to_id": f"{_CONTACTS}_v2", "rel_type": "FOR_CLIENT"}),
        ("knowmind.list_relations", {"memory_id": f"{_CONTACTS}_v2"}),
        ("knowmind.unlink", {"from_id": _TRAINING, "to_id": f"{_CONTACTS}_v2", "rel_type": "FOR_CLIENT"}),
        ("knowmind.recall_at_time", {"query": "onboarding contact", "as_of": "2126-03-14T00:00:00Z", "k": 3}),
        ("knowmind.stats", {}),
        ("knowmind.health", {}),
    ],
    "hydramem": [
        (
            "ingest_prechunked",
            {
                "source": "docs/architecture.md",
                "chunks": [
                    {
                        "text": "HydraMem uses Grafeo for graph storage.",
                        "idx": 0,
                        "entities": [{"name": "HydraMem", "type": "tool"}, {"name": "Grafeo", "type": "tool"}],
                        "relations": [{"from": "HydraMem", "to": "Grafeo", "type": "USES", "confidence": 0.9}],
                    }
                ],
            },
        ),
        ("hydra_search_tool", {"query": "what does HydraMem use", "k": 5, "hops": 2, "traversal": "bfs"}),
        ("trace_path_tool", {"from_entity": "HydraMem", "to_entity": "Grafeo"}),
        ("get_entity_neighbors_tool", {"entity_id": "HydraMem", "hops": 2}),
        ("verify_relation_tool", {"from_entity": "HydraMem", "relation_type": "USES", "to_entity": "Grafeo"}),
        ("check_conflict_tool", {"text_a": "The port is 80.", "text_b": "The port is not 80."}),
        ("create_relation", {"from_entity": "Grafeo", "relation_type": "PART_OF", "to_entity": "HydraMem"}),
        ("query_entity_relations", {"entity_id": "HydraMem", "direction": "both"}),
        ("delete_relation", {"from_entity": "Grafeo", "relation_type": "PART_OF", "to_entity": "HydraMem"}),
        ("list_entities_tool", {"limit": 100}),
        ("run_night_gardener", {}),
        ("get_garden_status_tool", {}),
        ("train_gnn_tool", {"threshold": 0.6}),
    ],
    "graphnosis": [
        ("remember", {"text": "The API endpoint is /v1/search.", "label": "API"}),
        (
            "remember",
            {
                "text": "Decided to use PostgreSQL for the new service. SQLite was ruled out due to concurrent write "
                "requirements.",
                "target_engram": "Work decisions",
                "label": "DB choice",
                "kind": "clip",
            },
        ),
        ("recall", {"query": "API endpoint", "graphs": ["main"], "topK": 5}),
        (
            "correct",
            {
                "chunkId": "$chunkId",
                "proposal": "The endpoint changed from /v1/search to /v2/query in March 2025.",
            },
        ),
        ("apply", {"correctionId": "$correctionId"}),
        ("recall", {"query": "API endpoint"}),
        ("forget", {"sourceId": "$sourceId"}),
        ("stats", {}),
    ],
}
"""Of the surface of that name: what its document gives as examples. `$id` is the last one that was replied."""
GIVEN: Final[dict[str, list[dict[str, Any]]]] = {
    "high_stakes": [
        {
            "atoms": [
                {"name": "v1.procedure.deploy", "value": "Deploy to production with make release", "confidence": 1.0},
                {"name": "v1.constraint.freeze", "value": "No deploy to production on a Friday", "confidence": 1.0},
            ],
            "edges": [{"source": "v1.constraint.freeze", "target": "v1.procedure.deploy", "type": "constrains"}],
            "origin": "user",
            "source": "handbook",
        },
        {
            "atoms": [{"name": "v1.fact.rumour", "value": "Production may move to Rome", "confidence": 0.2}],
            "origin": "agent",
        },
    ]
}
"""What the user has stored before."""

_DIFFERS: Final = {
    "id": "<id>",
    "root": "<root>",
    "seq": "<seq>",
    "firstSeq": "<seq>",
    "size": "<size>",
    "tokens": "<tokens>",
    "memory_id": "<id>",
    "correctionId": "<id>",
    "cortexPath": "<path>",
    "cortexDbSizeBytes": "<bytes>",
    "opLogEventId": "<seq>",
    "created_at": "<time>",
    "last_used": "<time>",
    "age_days": "<days>",
    "elapsed_ms": "<ms>",
    "edge_id": "<id>",
    "inverse_edge_id": "<id>",
    "supersedes_edge": "<id>",
    "version": "<version>",
    "session_id": "<session>",
    "sessions_considered": "<count>",
    "session_entries_considered": "<count>",
    "session_entries_filtered_repeat_threshold": "<count>",
}
_TOKENS: Final = re.compile(r"(?<=^tokens )\d+")
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d(T[\d:.]+Z)?")


def play(name: str, store: Path, mode: str = "auto") -> list[dict[str, Any]]:
    """What is called and what is replied, call by call, on a store of its own."""
    if name in NOTES:
        user, last = User(content={"erase": True, "engram": "Work decisions", "create": True}), {}
        with in_memory(store, scopes=frozenset(SCOPES), launch={"surfaces": (name,)}, mode=mode, user=user) as agent:
            return [_rounded(_said(agent, tool, arguments, last)) for tool, arguments in NOTES[name]]
    with substrate.open(store) as memory:
        for given in GIVEN.get(name, []):
            memory.checkpoint(**given)
    with in_memory(store) as agent:
        return [_said(agent, tool, arguments) for tool, arguments in SCENARIOS[name]]


def _said(agent: Agent, tool: str, arguments: dict[str, Any], last: dict[str, Any] | None = None) -> dict[str, Any]:
    known = {} if last is None else last
    result = agent.checked(tool, **{word: known.get(str(said), said) for word, said in arguments.items()})
    known |= _ids_in(result.structured_content)
    said = {"tool": tool, "arguments": arguments, "reply": _settled(result.structured_content)}
    if tool == BOOTSTRAP:
        said["text"] = [_TOKENS.sub("<tokens>", line) for line in text_of(result).splitlines()]
    return said


def _ids_in(said: Any) -> dict[str, Any]:
    """What a later call may name by `$` and its word: the first of each."""
    match said:
        case dict():
            own = {f"${word}": value for word, value in said.items() if isinstance(value, str)}
            return {found: value for part in (*said.values(), own) for found, value in _ids_in_part(part).items()}
        case _:
            return {}


def _ids_in_part(part: Any) -> dict[str, Any]:
    return _ids_in(part[0]) if isinstance(part, list) and part else part if isinstance(part, dict) else {}


def _settled(said: Any, word: str = "") -> Any:
    """Without what differs from run to run."""
    match said:
        case dict():
            return {_UUID.sub("<id>", name): _settled(value, name) for name, value in said.items()}
        case list():
            return [_settled(value) for value in said]
        case _ if word in _DIFFERS:
            return _DIFFERS[word]
        case str():
            return _UUID.sub("<id>", _TIME.sub("<time>", said))
        case _:
            return said


def _rounded(said: Any) -> Any:
    """With two decimals: memories fade while a busy machine plays."""
    match said:
        case dict():
            return {name: _rounded(value) for name, value in said.items()}
        case list():
            return [_rounded(value) for value in said]
        case float():
            return round(said, 2)
        case _:
            return said


def written(name: str) -> Any:
    """The transcript as it was written down."""
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def _write() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUBSTRATE_HOME", str(Path(folder) / "home"))
        patch.setenv("SUBSTRATE_MODEL", "none")
        GOLDEN.mkdir(exist_ok=True)
        for name in (*SCENARIOS, *NOTES):
            path = GOLDEN / f"{name}.json"
            text = json.dumps(play(name, Path(folder) / name), ensure_ascii=False, indent=1)
            path.write_text(text + "\n", encoding="utf-8")
            yield path


if __name__ == "__main__":
    for path in _write():
        print(path)
