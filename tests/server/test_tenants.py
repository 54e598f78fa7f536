"""A server for several tenants: by plain requests, as the document prints them, and by the SDK's client."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from mcp.types import ResourceTemplateReference

import substrate
from substrate.errors import NotFound
from substrate.server.http import serve
from substrate.server.http.serve import TENANTS_PATH
from substrate.server.http.tenant_tokens import TokenBook
from substrate.server.http.tenants import Tenants
from substrate.server.launch import Launch
from tests.agents import MCPError, home_for_a_module
from tests.server.hosting import Hosted, call, hosting, send
from tests.server.issuing import ISSUER, public_of, signed
from tests.server.over_http import WAIT_S, client, while_serving

CANARY = "the falcon lands at dawn"


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with home_for_a_module(tmp_path_factory.mktemp("home")) as folder:
        yield folder


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    with hosting(tmp_path_factory.mktemp("tenants")) as served:
        yield served


# -- plain requests ----------------------------------------------------------------------------------------------------


def test_a_plain_request_gets_the_bare_object_that_the_document_prints(hosted: Hosted) -> None:
    token = hosted.token("plain")
    made = call(hosted, token, "store_memory", title="Onboarding contacts", content="Anna Müller owns onboarding.")
    assert made.said.keys() == {"jsonrpc", "id", "result"}, made.said
    assert made.said["id"] == 7
    assert made.result["memory_id"] == "memory_onboarding_contacts"
    hits = call(hosted, token, "recall", query="Who is the onboarding contact?", k=5, hops=2).result["hits"]
    assert hits[0]["content"] == "Anna Müller owns onboarding."
    assert call(hosted, token, "health").result["status"] == "ok"
    assert call(hosted, token, "stats").result["memories"] == 1


def test_both_spellings_of_a_name_are_taken_and_tools_are_listed(hosted: Hosted) -> None:
    token = hosted.token("spelling", "read")
    underscored = {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "knowmind_stats"}}
    assert send(hosted.url, json.dumps(underscored).encode(), token).result["memories"] == 0
    listed = send(hosted.url, b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', token).result["tools"]
    assert {tool["name"] for tool in listed} == {
        *("knowmind.recall", "knowmind.recall_at_time", "knowmind.list_relations"),
        *("knowmind.health", "knowmind.stats"),
    }, "a token that reads is shown what it may call"


def test_each_error_code_of_the_document_appears(hosted: Hosted) -> None:
    writer, reader = hosted.token("codes"), hosted.token("codes", "read")
    call(hosted, writer, "store_memory", title="Here", content="Something is here.")
    assert call(hosted, None, "health").code == 401
    assert call(hosted, "kmt_of_another_server", "health").code == 401
    assert call(hosted, reader, "store_memory", content="x").code == 403
    assert call(hosted, reader, "list_relations", memory_id="memory_nobody").code == 404
    assert call(hosted, reader, "recall", query="").code == -32602
    assert call(hosted, reader, "recall_at_time", query="x", as_of="gestern").code == -32602
    assert call(hosted, writer, "upload_document", content="x" * 10_000_001).code == 413
    assert (
        call(hosted, writer, "link", from_id="memory_here", to_id="memory_here", rel_type="for client").code == -32602
    )
    (hosted.root / "broken").mkdir()
    (hosted.root / "broken" / "data.mdb").write_bytes(b"this is no store" * 4096)
    assert call(hosted, hosted.token("broken"), "health").code == 503
    assert call(hosted, reader, "health").result["status"] == "ok", "a damaged tenant does not touch the others"


def test_what_is_no_request_is_refused_with_what_to_send(hosted: Hosted) -> None:
    token = hosted.token("shapes")
    for body, code in (
        (b"{", -32700),
        (b"[]", -32600),
        (b'{"jsonrpc": "2.0", "method": "tools/call"}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "tools/call"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 5}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "arguments": []}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "knowmind.\\u00fc"}}', -32602),
    ):
        assert send(hosted.url, body, token).code == code, body
    long = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"x": "' + b"x" * (17 << 20)
    assert send(hosted.url, long, token).code == 413


def test_a_request_of_many_values_is_refused_before_it_is_read_and_a_text_of_many_braces_is_not(hosted: Hosted) -> None:
    token = hosted.token("many")
    begins = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "knowmind.stats", "arguments": '
    for many in (b"[" + b"{}," * 5_000_000 + b"{}]", b'{"a":' * 150_000, b"[" * 150_000):
        assert send(hosted.url, begins + many + b"}}", token).code == 413
        today = {"MCP_Protocol_Version": "2026-07-28", "Accept": "application/json, text/event-stream"}
        assert send(hosted.url, begins + many + b"}}", token, **today).code == 413
    text = '"{[, \\\\ ' * 40_000
    assert call(hosted, token, "store_memory", title="Braces", content=text).status == 200


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_a_request_in_another_encoding_is_refused_before_its_values_are_read(hosted: Hosted, encoding: str) -> None:
    token = hosted.token("encodings")
    said = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "knowmind.stats", "arguments": {}}}'
    today = {"MCP_Protocol_Version": "2026-07-28", "Accept": "application/json, text/event-stream"}
    for headers in ({}, today):
        assert send(hosted.url, said.encode(encoding), token, **headers).code == -32700
    ask = hosted.url.removesuffix(TENANTS_PATH) + "/page/ask"
    refused = send(ask, '{"offer": {}}'.encode(encoding), token)
    assert "UTF-8" in refused.said["error"]["message"]


def test_an_unknown_name_comes_back_with_nothing_hidden_in_it(hosted: Hosted) -> None:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x\\u202e"}}'
    refused = send(hosted.url, body, hosted.token("hidden"))
    assert refused.said["error"]["message"] == "Unknown tool: x\\u202e"


def test_the_sdks_client_is_served_at_the_same_address(hosted: Hosted) -> None:
    token = hosted.token("sdk")

    async def play(mode: str) -> Any:
        async with client(hosted.url, token, mode=mode) as connected:
            listed = await connected.list_tools()
            assert len(listed.tools) == 10
            return (await connected.call_tool("knowmind.stats", {})).structured_content

    assert anyio.run(play, "auto") == {"memories": 0, "edges": 0, "chunks": 0}
    assert anyio.run(play, "legacy") == {"memories": 0, "edges": 0, "chunks": 0}


# -- who is let in -----------------------------------------------------------------------------------------------------


def test_what_one_tenant_stores_no_other_sees(hosted: Hosted) -> None:
    acme, other = hosted.token("acme"), hosted.token("other")
    stored = call(hosted, acme, "store_memory", title="Secret plan", content=CANARY).result["memory_id"]
    for tool, asked in (
        ("recall", {"query": CANARY}),
        ("recall_at_time", {"query": CANARY}),
        ("list_relations", {"memory_id": stored}),
        ("stats", {}),
        ("health", {}),
    ):
        told = call(hosted, other, tool, **asked)
        assert CANARY not in json.dumps(told.said)
        assert str(hosted.root) not in json.dumps(told.said), "no path of the server is told"
    assert call(hosted, other, "stats").result["memories"] == 0
    assert call(hosted, acme, "recall", query=CANARY).result["hits"][0]["content"] == CANARY
    files = [file for file in (hosted.root / "other").rglob("*") if file.is_file()]
    assert not any(CANARY.encode() in file.read_bytes() for file in files)


def test_a_revoked_token_is_void_with_the_next_call(hosted: Hosted) -> None:
    token, kept = hosted.book.add("revoked", ("read",))
    assert call(hosted, token, "health").status == 200
    assert hosted.book.revoke(kept.id).tenant == "revoked"
    assert call(hosted, token, "health").code == 401
    with pytest.raises(NotFound):
        hosted.book.revoke(kept.id)


def test_an_expired_token_is_void(hosted: Hosted) -> None:
    over = datetime.now(UTC) - timedelta(seconds=1)
    assert call(hosted, hosted.token("late", expires=over), "health").code == 401
    soon = datetime.now(UTC) + timedelta(days=1)
    assert call(hosted, hosted.token("late", expires=soon), "health").status == 200


def test_the_call_after_the_last_of_a_minute_is_told_when_to_come_again(hosted: Hosted) -> None:
    token = hosted.token("hasty", rate=3)
    assert [call(hosted, token, "health").status for _ in range(3)] == [200, 200, 200]
    refused = call(hosted, token, "health")
    assert refused.code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 20
    assert call(hosted, hosted.token("hasty"), "health").status == 200, "each token has its own"


def test_a_full_tenant_is_told_402_and_nothing_is_written(hosted: Hosted) -> None:
    token = hosted.token("small", rate=100_000)
    call(hosted, token, "store_memory", title="One", content="The first of two.")
    with substrate.open(hosted.root / "small") as memory:
        memory.set_quota(2)
    answers = []

    def store(number: int) -> None:
        answers.append(call(hosted, token, "store_memory", title=f"Note {number}", content=f"Number {number}."))

    threads = [threading.Thread(target=store, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert sorted(answer.status for answer in answers) == [200, *[402] * 5], "decided under the write lock"
    assert call(hosted, token, "upload_document", content="One more.").code == 402
    assert call(hosted, token, "stats").result == {"memories": 2, "edges": 0, "chunks": 0}
    assert call(hosted, token, "store_memory", title="One", content="The first of two.").status == 200, "it is there"


def test_told_to_stop_the_server_ends_the_calls_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_GRACE_S", WAIT_S)  # or a busy machine would decide
    answers = []
    with hosting(tmp_path / "root") as served:
        token = served.token("acme")
        call(served, token, "store_memory", title="One", content="The first.")
        with substrate.open(served.root / "acme") as memory:
            store = threading.Thread(
                target=lambda: answers.append(call(served, token, "store_memory", title="Two", content="The second."))
            )
            with memory._store.log._store.write():
                store.start()
                while not served.tenants._held_open["acme"].calls:
                    store.join(0.01)
                served.runner.should_exit = True
            store.join(WAIT_S)
    assert [answer.status for answer in answers] == [200]
    with substrate.open(tmp_path / "root" / "acme", read_only=True) as memory:
        assert memory.stats().atoms == 2


# -- many tenants ------------------------------------------------------------------------------------------------------


def test_the_store_that_was_quiet_for_longest_is_closed_and_opens_again(tmp_path: Path) -> None:
    with hosting(tmp_path / "root", most=2) as served:
        tokens = {name: served.token(name) for name in ("a", "b", "c")}
        for name, token in tokens.items():
            call(served, token, "store_memory", title="Name", content=f"This is tenant {name}.")
        assert served.tenants.open_stores() == 2
        for name, token in tokens.items():
            assert call(served, token, "recall", query="tenant").result["hits"][0]["content"].endswith(f"{name}.")
        assert served.tenants.open_stores() == 2
    for name in tokens:
        with substrate.open(served.root / name) as memory:
            assert memory.stats().atoms == 1


def test_many_clients_of_two_tenants_lose_nothing_and_cross_nothing(tmp_path: Path) -> None:
    done: dict[str, list[str]] = {"a": [], "b": []}
    with hosting(tmp_path / "root", most=1) as served:
        tokens = {name: served.token(name, rate=100_000) for name in done}

        def work(name: str, who: int) -> None:
            for number in range(8):
                title = f"Note {who} {number}"
                made = call(served, tokens[name], "store_memory", title=title, content=f"{name} wrote {who} {number}")
                if made.status == 200:
                    done[name].append(f"{name} wrote {who} {number}")

        threads = [threading.Thread(target=work, args=(name, who)) for name in done for who in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_S)
    for name, said in done.items():
        assert said
        with substrate.open(served.root / name) as memory:
            kept = {atom.value for atom in memory.list(limit=1000)}
        assert set(said) <= kept, "what was acknowledged is there"
        assert all(value.startswith(f"{name} wrote") for value in kept), "nothing of the other"


# -- beside the protocol -----------------------------------------------------------------------------------------------


def test_health_and_metrics_tell_of_work_and_not_of_content(hosted: Hosted) -> None:
    call(hosted, hosted.token("metered"), "store_memory", title="Canary", content=CANARY)
    base = hosted.url.removesuffix(TENANTS_PATH)
    assert send(base + "/health", None, None, "GET").said["status"] == "ok"
    told = send(base + "/metrics", None, None, "GET")
    assert 'substrate_calls_total{tool="knowmind.store_memory"}' in told.said
    assert "falcon" not in told.said
    assert "metered" not in told.said, "nor of tenants"


def test_another_host_is_refused_unless_it_is_the_proxys(tmp_path: Path) -> None:
    with hosting(tmp_path / "root", public=("memory.example.org",)) as served:
        token = served.token("acme")
        body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "knowmind.health"}}'
        assert send(served.url, body, token, Host="evil.example").status == 421
        assert send(served.url, body, token, Host="memory.example.org").status == 200
        base = served.url.removesuffix(TENANTS_PATH)
        assert send(base + "/metrics", None, None, "GET", Host="memory.example.org").status == 404


# -- what an attacker found --------------------------------------------------------------------------------------------


def test_a_token_that_only_writes_reads_nothing_by_another_way(tmp_path: Path) -> None:
    with hosting(tmp_path / "root", surfaces=("atoms", "keeping")) as served:
        writer = served.token("acme", "write")
        with substrate.open(served.root / "acme") as memory:
            memory.checkpoint([f"v1.fact.secret = {CANARY}"])

        async def play() -> list[str]:
            async with client(served.url, writer) as connected:
                told = [str((await connected.call_tool("memory_access", {"key": "v1.fact.secret"})).content)]
                for address in ("memory://atom/v1.fact.secret", "memory://head"):
                    with pytest.raises(MCPError) as refused:
                        await connected.read_resource(address)
                    told.append(str(refused.value))
                reference = ResourceTemplateReference(type="ref/resource", uri="memory://atom/{key}")
                completed = await connected.complete(reference, {"name": "key", "value": "v1.fact.s"})
                return [*told, *completed.completion.values]

        assert "secret" not in str(
            [one for one in anyio.run(play) if "memory_access" not in one and "scope" not in one]
        )
        reader = served.token("acme", "read")

        async def read() -> Any:
            async with client(served.url, reader) as connected:
                return await connected.read_resource("memory://atom/v1.fact.secret")

        assert CANARY in str(anyio.run(read)), "who may read does: so the test would see it"


def test_a_path_that_only_looks_like_the_servers_is_not_there(hosted: Hosted) -> None:
    token = hosted.token("paths", rate=1)
    for path in ("%0A", "/", "%00", "?x=1#y"):
        answer = send(hosted.url + path, b"{}", token)
        assert answer.status in {404, 400, 429}, path
    assert send(hosted.url.removesuffix("v1") + "v2", b"{}", None).status == 404


def test_one_token_cannot_hold_all_connections(hosted: Hosted) -> None:
    greedy, other = hosted.token("greedy", rate=10_000), hosted.token("modest")
    split = urlsplit(hosted.url)
    held = []
    try:
        for _ in range(20):
            connection = HTTPConnection(split.hostname or "", split.port, timeout=WAIT_S)
            connection.putrequest("POST", split.path)
            connection.putheader("Authorization", f"Bearer {greedy}")
            connection.putheader("Content-Length", "10")
            connection.endheaders()
            held.append(connection)
        held[-1].send(b"0123456789")
        statuses = {call(hosted, greedy, "health").status for _ in range(3)}
        assert statuses == {429}
        assert call(hosted, other, "health").status == 200
    finally:
        for connection in held:
            connection.close()


def test_a_tenants_folder_that_was_put_back_is_served_again(tmp_path: Path) -> None:
    with hosting(tmp_path / "root") as served:
        token = served.token("acme")
        call(served, token, "store_memory", title="One", content="The first.")
        (served.root / "acme").rename(tmp_path / "away")
        gone = call(served, token, "stats")
        assert str(tmp_path) not in json.dumps(gone.said), "no path is told"
        shutil.rmtree(served.root / "acme", ignore_errors=True)
        (tmp_path / "away").rename(served.root / "acme")
        assert call(served, token, "stats").result["memories"] == 1


def test_a_page_of_another_server_cannot_call_by_a_plain_request(hosted: Hosted) -> None:
    token = hosted.token("origins")
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "knowmind.stats"}}'
    own = hosted.url.removesuffix(TENANTS_PATH)
    for origin in ("http://elsewhere.example", "null", own.replace("http:", "https:")):
        assert send(hosted.url, body, token, Origin=origin).code == 403
    assert send(hosted.url, body, token, Origin=own).result["memories"] == 0
    split = urlsplit(own)
    for path in (TENANTS_PATH, "/page/ask"):
        connection = HTTPConnection(split.hostname or "", split.port, timeout=WAIT_S)
        with closing(connection):
            connection.putrequest("POST", path)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                "Authorization": f"Bearer {token}",
            }.items():
                connection.putheader(name, value)
            for origin in (own, "http://elsewhere.example"):
                connection.putheader("Origin", origin)
            connection.endheaders(body)
            assert connection.getresponse().status == 403, f"the second of two origins at {path}"


def test_half_a_pair_is_refused(hosted: Hosted) -> None:
    token = hosted.token("scripts")
    for body in (
        b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "tools/call", "params": {"name": "knowmind.health"}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\\ud800"}}',
    ):
        assert send(hosted.url, body, token).code == -32700


def test_a_token_that_does_not_read_is_not_told_near_names(hosted: Hosted) -> None:
    call(hosted, hosted.token("near"), "store_memory", title="Falcon lands at dawn", content=CANARY)
    told = call(hosted, hosted.token("near", "write"), "link", from_id="falcon", to_id="falcon", rel_type="OWNS")
    assert told.code == 404
    assert "dawn" not in json.dumps(told.said)


def test_clients_can_discover_who_issues_tokens(tmp_path: Path) -> None:
    key = Ed25519PrivateKey.generate()
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({"keys": [public_of(key)]}))
    root = tmp_path / "root"
    ours = TokenBook(root).add("acme", ("read",))[0]

    def visit(url: str) -> None:
        base = url.removesuffix(TENANTS_PATH)
        refused = send(url, b"{}", None)
        assert refused.status == 401
        place = refused.headers["www-authenticate"].split('resource_metadata="')[1].rstrip('"')
        told = send(place, None, None, "GET").said
        assert told["resource"] == url
        assert [one.rstrip("/") for one in told["authorization_servers"]] == [ISSUER]
        body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "knowmind.stats"}}'
        assert send(url, body, signed(key, aud=url)).result["memories"] == 0
        assert send(url, body, ours).result["memories"] == 0
        assert send(url, body, signed(key, aud=base)).status == 401

    words = ("--tenants", str(root), "--surface", "knowmind", "--issuer", ISSUER, "--issuer-keys", str(keys))
    ended = while_serving(*words, do=visit)
    assert ended.code == 0, ended.err
    assert ours not in ended.err


def test_a_request_without_a_token_has_no_scope(tmp_path: Path) -> None:
    with Tenants(tmp_path, Launch(tmp_path, ("knowmind",), wait_s=0)) as tenants:
        assert tenants.launch.granted
        assert tenants.scopes_of() == frozenset()
