"""HydraMem's signed export and its sessions; a pickle is refused."""

from __future__ import annotations

import hmac
import json
import pickle
from hashlib import sha256
from pathlib import Path

import pytest

from substrate.errors import Denied, InputError
from substrate.memory import Memory
from substrate.moving.kind import kind_of

SECRET = "between alice and bob"  # noqa: S105 - of a test
PAYLOAD = {
    "entities": [
        {"id": "e1", "name": "HydraMem", "type": "tool", "project": "docs"},
        {"id": "e2", "name": "LanceDB", "type": "tool", "project": "docs"},
        {"id": "e3", "name": "...", "type": "tool", "project": "docs"},
    ],
    "chunks": [
        {
            "id": "c2",
            "text": "which is a store of vectors. It is fast.",
            "source": "a.md",
            "chunk_idx": 1,
            "doc_id": "d",
        },
        {
            "id": "c1",
            "text": "HydraMem uses LanceDB, which is a store of vectors.",
            "source": "a.md",
            "chunk_idx": 0,
            "doc_id": "d",
        },
        {"id": "c3", "text": "Another page.", "source": "b.md", "chunk_idx": 0, "doc_id": "f"},
    ],
    "relations": [
        {
            "from": "e1",
            "to": "e2",
            "relation_type": "USES",
            "confidence": 0.9,
            "verified": True,
            "qualifiers": {"valid_from": "2026-01-01", "valid_to": "2026-06-01", "verifier": "vog"},
        },
        {"from": "e1", "to": "e9", "relation_type": "USES"},
    ],
}


def signed(payload: object, secret: str = SECRET) -> dict[str, object]:
    said: dict[str, object] = {
        "format": "hydramem-export",
        "version": 1,
        "algo": "hmac-sha256",
        "project": "docs",
        "issuer": "alice",
        "created_at": "2026-05-08T10:00:00+00:00",
        "payload": payload,
    }
    body = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
    return {**said, "signature": hmac.new(secret.encode(), body, sha256).hexdigest()}


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "docs.json"
    path.write_text(json.dumps(signed(PAYLOAD), indent=2), encoding="utf-8")
    return path


def test_entities_documents_and_relations_come_over_and_what_cannot_is_told(memory: Memory, export: Path) -> None:
    assert kind_of(export) == "hydramem"
    imported = memory.import_file(export, secret=SECRET)
    assert (imported.kind, len(imported.edges)) == ("hydramem", 1)
    assert [(refused.item, refused.code) for refused in imported.refused] == [
        ("line 3", "schema_invalid"),
        ("line 10", "schema_invalid"),
    ]
    assert {entity.name: entity.mentions for entity in memory.entities("docs")} == {"HydraMem": 1, "LanceDB": 1}
    (edge,) = memory.edges("v1.entity.docs.hydramem", valid_at="2026-03-01")
    assert (edge.type, edge.confidence, edge.origin) == ("uses", 0.9, "ingested")
    assert not memory.edges("v1.entity.docs.hydramem", valid_at="2026-07-01")
    names = [atom.name for atom in memory.list("v1.document.docs.")]
    texts = {memory.document(name).title: memory.document(name) for name in names}
    assert texts["a.md"].text == "HydraMem uses LanceDB, which is a store of vectors. It is fast."
    assert texts["a.md"].exact
    assert memory.search("a store of vectors", domain="docs", origin="ingested")


def test_the_same_export_again_changes_nothing_and_another_domain_can_be_said(memory: Memory, export: Path) -> None:
    first = memory.import_file(export, secret=SECRET, domain="theirs")
    again = memory.import_file(export, unverified=True, domain="theirs")
    assert (again.recorded, again.edges) == ((), ())
    assert all(".theirs." in name for name in first.recorded)


def test_a_signature_that_does_not_fit_is_refused_and_nothing_is_saved(memory: Memory, export: Path) -> None:
    with pytest.raises(Denied, match="is signed: give its secret, or unverified"):
        memory.import_file(export)
    with pytest.raises(Denied, match="is not made with this secret"):
        memory.import_file(export, secret="another")  # noqa: S106 - of a test
    said = signed(PAYLOAD) | {"project": "other"}
    export.write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(Denied, match="it was changed"):
        memory.import_file(export, secret=SECRET)
    export.write_text(json.dumps(signed(PAYLOAD) | {"version": 2}), encoding="utf-8")
    with pytest.raises(InputError, match="only version 1"):
        memory.import_file(export, unverified=True)
    assert not memory.list()


def test_a_signature_of_any_characters_is_merely_wrong(memory: Memory, export: Path) -> None:
    for signature in ("\u00e9", "\ud800", None, 1):
        export.write_text(json.dumps(signed(PAYLOAD) | {"signature": signature}), encoding="utf-8")
        with pytest.raises(Denied, match="it was changed"):
            memory.import_file(export, secret=SECRET)


def test_an_empty_secret_is_refused_and_one_for_a_file_that_is_not_signed_too(memory: Memory, export: Path) -> None:
    export.write_text(json.dumps(signed(PAYLOAD, "")), encoding="utf-8")
    for empty in ("", b""):
        with pytest.raises(InputError, match="is empty"):
            memory.import_file(export, secret=empty)
    sessions = [{"session_id": "s1", "project": "docs", "entries": [{"summary": "LanceDB holds the vectors"}]}]
    export.write_text(json.dumps(sessions), encoding="utf-8")
    with pytest.raises(Denied, match="are not signed"):
        memory.import_file(export, secret=SECRET)
    assert not memory.list()
    assert memory.import_file(export, secret=SECRET, unverified=True).recorded


def test_half_a_character_is_a_refusal_of_that_item_alone(memory: Memory, export: Path) -> None:
    half = "x\ud800"
    payload = {
        "entities": [{"id": "e1", "name": half}, {"id": half, "name": "LanceDB", "type": half}],
        "chunks": [
            {"id": "c1", "text": "One page.", "source": half},
            {"id": "c2", "text": half, "source": "a.md"},
            {"id": half, "text": "Text.", "source": "c.md", "doc_id": half},
            {"id": "c3", "text": "Another page.", "source": "b.md"},
        ],
        "relations": [{"from": half, "to": half, "relation_type": half}],
    }
    export.write_text(json.dumps(signed(payload)), encoding="utf-8")
    imported = memory.import_file(export, secret=SECRET)
    assert "b.md" in {memory.document(atom.name).title for atom in memory.list("v1.document.docs.")}
    assert any("source of a document" in refused.reason for refused in imported.refused)
    for refused in imported.refused:
        refused.reason.encode()


def test_what_sessions_observed_becomes_notes_with_their_times(memory: Memory, tmp_path: Path) -> None:
    entries = [
        {"summary": "LanceDB holds the vectors", "ts": "2026-05-07T03:00:12Z", "repeat_count": 2},
        {"summary": " "},
    ]
    path = tmp_path / "sessions.json"
    path.write_text(json.dumps([{"session_id": "s1", "project": "docs", "entries": entries}]), encoding="utf-8")
    imported = memory.import_file(path)
    (name,) = imported.recorded
    atom = memory.access(name).atom
    assert (atom.value, str(atom.occurred_at)[:10]) == ("LanceDB holds the vectors", "2026-05-07")
    assert atom.attrs["imported"] == {"from": "hydramem", "id": "s1", "repeat_count": 2}
    assert len(imported.refused) == 1


def test_a_pickle_is_refused_with_the_reason_whatever_it_is_called(memory: Memory, tmp_path: Path) -> None:
    for name in ("graph.pkl", "graph.json"):
        path = tmp_path / name
        path.write_bytes(pickle.dumps({"nodes": []}))
        for kind in (None, "hydramem"):
            with pytest.raises(InputError, match=r"is a pickle: to load one runs code.*hydramem export"):
                memory.import_file(path, kind)
