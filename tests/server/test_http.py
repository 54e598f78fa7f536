"""Streamable HTTP on this machine: who is let in, what is refused, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import substrate
from substrate.cli import main
from substrate.cli.exits import Exit
from substrate.limits import LIMITS
from substrate.server.http.serve import listen
from substrate.server.launch import HTTP_PORT
from tests.server.hosting import send
from tests.server.over_http import BEGIN, WAIT_S, Served, begin, client, post, served, while_serving

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[2]
TOOLS = {"memory_session_bootstrap", "session_checkpoint", "memory_search", "memory_access", "memory_train"}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests that leave it as it was."""
    folder = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUBSTRATE_MODEL", "none")
        patch.setenv("SUBSTRATE_HOME", str(folder / "home"))
        with served(folder) as found:
            yield found


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, a home and a store of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SUBSTRATE_STORE", raising=False)
    return tmp_path


def bearer(server: Served) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.token}"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_sdk_client_lists_and_calls_tools(server: Served, mode: str) -> None:
    key = f"v1.fact.said_in_{mode}"
    async with client(server.url, server.token, mode=mode) as agent:
        assert {tool.name for tool in (await agent.list_tools()).tools} >= TOOLS
        saved = await agent.call_tool("session_checkpoint", {"atoms": [f"{key} = yes"]})
        assert not saved.is_error
        found = await agent.call_tool("memory_access", {"key": key})
        assert found.structured_content is not None
        assert found.structured_content["value"] == "yes"
        refused = await agent.call_tool("memory_access", {"key": "v1.fact.nothing"})
        assert refused.is_error
        assert refused.structured_content is None, "clients would check it against the output schema, and drop it all"
        assert refused.meta is not None
        assert refused.meta["error"]["code"] == "not_found"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_clients_with_different_names_have_sessions_and_actors_of_their_own(server: Served, mode: str) -> None:
    for name in ("ada", "bob"):
        async with client(server.url, server.token, name=f"{name} {mode}", mode=mode) as agent:
            await agent.call_tool("session_checkpoint", {"atoms": [f"v1.fact.of_{name}_{mode} = yes"]})
    ada, bob = (server.clients.named(f"{name} {mode}", "atoms") for name in ("ada", "bob"))
    assert ada.session != bob.session
    assert ada.memory.access(f"v1.fact.of_ada_{mode}").atom.actor == f"mcp:atoms:ada {mode}"
    assert ada.memory.access(f"v1.fact.of_bob_{mode}").atom.actor == f"mcp:atoms:bob {mode}"


async def test_two_connections_of_one_client_have_sessions_of_their_own_where_the_protocol_has_connections(
    server: Served,
) -> None:
    sessions = []
    for _ in range(2):
        async with client(server.url, server.token, name="editor", mode="legacy") as agent:
            first, again = [await agent.call_tool("memory_status", {}) for _ in range(2)]
        assert first.structured_content is not None
        assert again.structured_content is not None
        assert again.structured_content["session"] == first.structured_content["session"]
        sessions.append(first.structured_content["session"])
    assert sessions[0] != sessions[1]
    assert all(session.startswith("mcp:atoms:editor:") for session in sessions)


def test_the_right_token_is_let_in_and_no_other(server: Served) -> None:
    assert begin(server.url, server.token) == 200
    for wrong in (None, "", "wrong", f"{server.token}x", str(server.token)[:-1], "\u00e9"):
        assert begin(server.url, wrong) == 401
    assert post(server.url, Authorization=f"Basic {server.token}")[0] == 401
    assert post(f"{server.url}?token={server.token}")[0] == 401


def test_who_is_not_let_in_is_told_what_to_do(server: Served) -> None:
    status, said = post(server.url)
    assert status == 401
    assert "--new-token --store PATH" in said, "the path itself is not for strangers"
    assert "Authorization: Bearer" in said


@pytest.mark.parametrize("host", ["evil.example", "evil.example:7827", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil:80"])
def test_a_foreign_host_is_refused(server: Served, host: str) -> None:
    assert post(server.url, Host=host, **bearer(server))[0] == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "https://127.0.0.1", "http://localhost:1", "null"])
def test_a_foreign_origin_is_refused(server: Served, origin: str) -> None:
    assert post(server.url, Origin=origin, **bearer(server))[0] == 403


def test_our_own_host_by_either_name_is_let_in(server: Served) -> None:
    port = server.url.split(":")[2].split("/")[0]
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        assert post(server.url, Host=host, Origin=f"http://{host}", **bearer(server))[0] == 200


def test_a_request_may_have_16_mib_and_no_more(server: Served) -> None:
    limit = LIMITS["line_bytes"]
    body = json.dumps(BEGIN).encode()
    assert post(server.url, body.ljust(limit), **bearer(server))[0] == 200
    assert post(server.url, b"", length=limit + 1, **bearer(server))[0] == 413
    assert post(server.url, b"", length=limit + 1)[0] == 401, "nothing is read of who is not let in"


def test_there_is_nothing_beside_the_one_path(server: Served) -> None:
    root = server.url.removesuffix("/mcp")
    for path in ("/", "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"):
        assert post(root + path, **bearer(server))[0] == 404


def test_the_page_of_one_store_asks_for_its_token_and_for_no_other_name(server: Served) -> None:
    root = server.url.removesuffix("/mcp")
    page = send(f"{root}/", None, None, "GET")
    assert page.status == 200
    assert 'data-asks="token"' in page.said
    assert send(f"{root}/", None, None, "GET", Host="evil.example").status == 421
    ask = f"{root}/page/ask"
    assert send(ask, b'{"offer": {}}', None).status == 401
    assert send(ask, b'{"offer": {}}', "another").status == 401
    assert send(ask, b'{"offer": {}}', server.token, Host="evil.example").status == 421
    assert send(ask, b'{"offer": {}}', server.token, Origin="http://evil.example").status == 403
    told = send(ask, b'{"offer": {}}', server.token)
    assert told.status == 200
    assert told.said["offer"]["store"] == "store"
    for odd in (b'{"find": {"query": "\\ud800"}}', b'{"find": {"offset": -1}}', b'{"find": {"offset": 1e30}}'):
        assert send(ask, odd, server.token).status == 400
    assert send(ask, b'{"find": {"offset": 1%s}}' % (b"0" * 30), server.token).status == 400


def test_only_this_machine_is_listened_on() -> None:
    with listen(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, Exit.OK), (signal.SIGHUP, Exit.OK), (signal.SIGINT, 130)]
)
@pytest.mark.usefixtures("alone")
def test_it_ends_when_it_is_told_to(number: int, code: int) -> None:
    before = [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]
    ended = while_serving(do=lambda url: begin(url, None), number=number)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.splitlines()[-1].startswith("serving http://127.0.0.1:"), "nothing is logged"
    assert [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)] == before


@pytest.mark.usefixtures("alone")
def test_without_a_token_everyone_is_let_in_and_it_says_so() -> None:
    statuses: list[int] = []

    def visit(url: str) -> None:
        statuses.append(begin(url, None))
        statuses.append(post(url, Host="evil.example")[0])
        statuses.append(post(url, Origin="http://evil.example")[0])

    ended = while_serving("--insecure-no-token", "--scopes", "read,forget", "--quiet", do=visit)
    assert statuses == [200, 421, 403]
    assert "every program of every user of this machine can call these tools (read, forget)" in ended.err
    assert not Path("home").exists(), "no token is made that is not asked for"


@pytest.mark.usefixtures("alone")
def test_a_port_that_is_taken_is_said_and_burns_no_token(capfd: pytest.CaptureFixture[str]) -> None:
    with listen(0) as taken:
        port = str(taken.getsockname()[1])
        assert main(["mcp", "--http", "--port", port]) == Exit.BUSY
    said = capfd.readouterr()
    assert said.out == ""
    assert f"port {port} is not available" in said.err
    assert "--port" in said.err
    assert not Path("home").exists()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--port", "1"], "need --http"),
        (["--new-token"], "need --http"),
        (["--insecure-no-token"], "need --http"),
        (["--log-format", "json"], "need --http"),
        (["--http", "--port", "65536"], "at most 65535"),
        (["--http", "--port", "-1"], "--port"),
        (["--http", "--new-token", "--insecure-no-token"], "give one of them"),
        (["--http", "--host", "::"], "no option --host"),
    ],
)
@pytest.mark.usefixtures("alone")
def test_wrong_usage_says_what_is_right(words: list[str], hint: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", *words]) == Exit.USAGE
    assert hint in capfd.readouterr().err


def test_the_port_without_a_word_is_told_by_the_help(capfd: pytest.CaptureFixture[str]) -> None:
    main(["mcp", "--help"])
    assert f"default {HTTP_PORT}" in capfd.readouterr().out


@pytest.fixture
def program(alone: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The real program in a process of its own, and its address."""
    words = ["mcp", "--http", "--port", "0", "--insecure-no-token", "--store", str(alone / "substrate-store")]
    command = [sys.executable, "-m", "substrate", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stderr is not None
        line = next((line for line in process.stderr if line.startswith("serving ")), "")
        yield process, line.removeprefix("serving ").strip()
        process.kill()


async def test_a_process_ends_cleanly_while_a_client_listens(
    program: tuple[subprocess.Popen[str], str], alone: Path
) -> None:
    """What a client saved is there afterwards, and the stream that it keeps open does not keep the server."""
    process, url = program
    async with client(url, None, mode="legacy") as agent:
        saved = await agent.call_tool("session_checkpoint", {"atoms": ["v1.fact.kept = yes"]})
        assert not saved.is_error
        process.terminate()
        assert process.communicate(timeout=WAIT_S) == ("", "")
    assert process.returncode == Exit.OK
    with substrate.open(alone / "substrate-store", read_only=True) as memory:
        assert memory.access("v1.fact.kept").atom.actor == "mcp:atoms:tester"
