"""The requests of knowmind's document, sent by curl as they are printed; and each of its error codes, by a command."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import substrate
from tests.agents import home_for_a_module
from tests.scale import PATIENCE_S
from tests.server.hosting import Hosted, hosting

EXAMPLES = json.loads(Path(__file__).with_name("knowmind_examples.json").read_text(encoding="utf-8"))
OTHERWISE = {
    *("score", "elapsed_ms", "created_at", "version", "memories", "edges", "chunks", "status"),
    *("memory_id", "document_id", "new_memory_id", "supersedes_edge", "edge_id", "inverse_edge_id"),
}
"""Ids that are made, times, scores and counts: of these only the kind is as printed."""
ADDED = {"created_at", "remarks", "newer"}
"""What we say beside it: see the divergences of the surface."""
TABLE = '{"types": {"forbidden": {"from": ["person"], "to": ["company"]}}}'


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    if shutil.which("curl") is None:
        pytest.skip("curl is missing")
    folder = tmp_path_factory.mktemp("document")
    with home_for_a_module(folder / "home"), hosting(folder / "root") as found:
        with substrate.open(found.root / "acme", model="none") as memory:
            memory.checkpoint(
                [
                    _said("fact.onboarding_2026_03", EXAMPLES[0]["reply"]["result"]["hits"][0]),
                    _said("fact.mueller_plan_v2", EXAMPLES[1]["reply"]["result"]["hits"][0]),
                    "v1.fact.mueller_address_v1 = Müller GmbH, Hauptstraße 1, 32756 Detmold.",
                    "v1.event.workshop_2026_03_12 = A workshop with many people",
                    "v1.event.workshop_2026_03_19 = The workshop again, a week later",
                    "v1.fact.mueller_client = A client",
                    "v1.reference.qm_handbook = The handbook",
                    {"name": "v1.schema.edges", "value": TABLE},
                ],
                edges=[
                    {"source": f"v1.{source}", "type": kind, "target": f"v1.{target}"}
                    for source, kind, target in (
                        ("event.workshop_2026_03_12", "FOR_CLIENT", "fact.mueller_client"),
                        ("event.workshop_2026_03_12", "REFERENCES", "reference.qm_handbook"),
                        ("event.workshop_2026_03_19", "SUPERSEDES", "event.workshop_2026_03_12"),
                    )
                ],
            )
        yield found


def _said(name: str, hit: dict[str, Any]) -> dict[str, Any]:
    given = {"name": f"v1.{name}", "value": hit["content"], "attrs": {"title": hit["title"]}}
    return given | {word: hit[word] for word in ("source", "valid_from", "valid_to") if word in hit}


def curl(served: Hosted, token: str | None, body: dict[str, Any]) -> tuple[int, Any]:
    """Status and reply, by the command."""
    who = [] if token is None else ["-H", f"Authorization: Bearer {token}"]
    command = [
        "curl",
        "-s",
        "-w",
        "\n%{http_code}",
        served.url,
        *who,
        "-H",
        "Content-Type: application/json",
        "-d",
        "@-",
    ]
    ran = subprocess.run(
        command, input=json.dumps(body), capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    said, _, status = ran.stdout.rpartition("\n")
    return int(status), json.loads(said)


def unlike(printed: Any, said: Any, at: str = "") -> list[str]:
    """Where a reply is not as it is printed."""
    if at.rpartition(".")[2] in OTHERWISE:
        return [] if type(said) is type(printed) or at.endswith("score") else [f"{at}: {said!r}"]
    if isinstance(printed, dict) and isinstance(said, dict):
        keys = printed.keys() ^ (said.keys() - ADDED | printed.keys() & said.keys())
        found = [f"{at}.{key}: only in one" for key in keys]
        return found + [
            fault for key in printed.keys() & said.keys() for fault in unlike(printed[key], said[key], f"{at}.{key}")
        ]
    if isinstance(printed, list) and isinstance(said, list):
        if at.endswith(("outgoing", "incoming")):
            said = sorted(said, key=lambda one: str(one["rel_type"]))
        pairs = zip(printed, said[: len(printed)], strict=len(printed) == len(said))
        return [fault for one, other in pairs for fault in unlike(one, other, at)]
    same = printed == said or (isinstance(said, str) and said.replace("+00:00", "Z") == printed)
    return [] if same else [f"{at}: {said!r}, not {printed!r}"]


def test_the_documents_ten_requests_by_curl_get_the_printed_replies(served: Hosted) -> None:
    token = served.token("acme")
    for example in EXAMPLES:
        status, said = curl(served, token, example["request"])
        name = example["request"]["params"]["name"]
        assert status == 200, (name, said)
        assert unlike(example["reply"], said) == [], name


def test_a_reply_that_is_not_as_printed_is_noticed() -> None:
    printed = EXAMPLES[0]["reply"]
    assert unlike(printed, printed) == []
    for old, new in (('"id": 1', '"id": 2'), ('"hits"', '"found"'), ("Anna", "Anne"), ('"score": 0.93, ', "")):
        assert unlike(printed, json.loads(json.dumps(printed).replace(old, new))), old


def test_each_error_code_of_the_document_appears_by_curl(served: Hosted) -> None:
    writer, reader = served.token("acme"), served.token("acme", "read")
    with substrate.open(served.root / "small", model="none") as memory:
        memory.checkpoint(["v1.fact.one = The only one"])
        memory.set_quota(1)
    (served.root / "broken").mkdir()
    (served.root / "broken" / "data.mdb").write_bytes(b"this is no store" * 4096)

    def code(token: str | None, tool: str, **arguments: Any) -> int:
        params = {"name": f"knowmind.{tool}", "arguments": arguments}
        status, said = curl(served, token, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        found = int(said["error"]["code"])
        assert status == (found if found > 0 else 400), said
        return found

    def updated(target: str) -> dict[str, str]:
        return {"target_id": target, "new_title": "New", "new_content": "Something new."}

    ends = {"from_id": "memory_mueller_client", "to_id": "memory_qm_handbook"}
    assert code(None, "stats") == 401
    assert code(served.token("small"), "store_memory", content="One more.") == 402
    assert code(reader, "store_memory", content="One more.") == 403
    assert code(reader, "list_relations", memory_id="memory_nobody") == 404
    assert code(writer, "link", **ends, rel_type="FORBIDDEN") == 400
    assert code(writer, "link", **ends, rel_type="for client") == -32602
    assert code(reader, "recall_at_time", query="x", as_of="gestern") == -32602
    assert code(writer, "upload_document", content="x" * 10_000_001) == 413
    assert code(writer, "update_fact", **updated("memory_workshop_2026_03_12")) == 409, "it was superseded"
    assert code(served.token("broken"), "stats") == 503
    hasty = served.token("acme", "read", rate=1)
    curl(served, hasty, EXAMPLES[3]["request"])
    assert code(hasty, "stats") == 429
