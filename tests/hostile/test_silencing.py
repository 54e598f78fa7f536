"""A client of this machine that wants a server to answer nobody, or to take all memory or all of a disk."""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import select
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import BinaryIO
from urllib.parse import urlsplit

import anyio
import pytest

import substrate
from substrate.kv.open import open_store
from substrate.log.tables import TABLES
from substrate.server import stdio, wire
from substrate.server.clients import Clients
from substrate.server.compose import compose
from substrate.server.http import connections, sessions
from substrate.server.http.serve import _out_of_descriptors
from substrate.server.launch import Launch
from substrate.server.logs import Sparing
from tests.ready import Started, start
from tests.scale import PATIENCE_S
from tests.server.over_http import BEGIN, Served, served
from tests.wire import PROTOCOL, Server, request

CRAMPED = "tests.hostile.cramped"
DESCRIPTORS, STRANGERS = 256, 300
LOG_BYTES = 50_000
HALF = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"


# -- strangers: connections that say nothing, or half of something -----------------------------------------------------


@dataclass(frozen=True)
class Cramped:
    """A server over HTTP with few descriptors, in a process of its own."""

    url: str
    token: str
    log: Path


@contextmanager
def cramped(folder: Path, *without: str) -> Iterator[Cramped]:
    words = ["mcp", "--http", "--port", "0", "--store", str(folder / "store")]
    more = {"CRAMPED": str(DESCRIPTORS), "UNGUARDED": " ".join(without), "SUBSTRATE_HOME": str(folder / "home")}
    with (folder / "log").open("wb") as errors:
        process = start(CRAMPED, *words, stderr=errors, listens=False, environment=more)
    try:
        yield _when_it_serves(folder / "log", process)
    finally:
        process.kill()
        process.wait(PATIENCE_S)
        process.stdout.close()


def _when_it_serves(log: Path, process: Started) -> Cramped:
    until = monotonic() + PATIENCE_S
    while monotonic() < until and process.poll() is None:
        said = log.read_text(encoding="utf-8")
        if found := re.search(r"^serving (\S+)\n", said, re.MULTILINE):
            token = re.search(r"kept nowhere: (\S+)", said)
            assert token is not None
            return Cramped(found[1], token[1], log)
        select.select([], [], [], 0.02)
    pytest.fail(log.read_text(encoding="utf-8"))


@contextmanager
def strangers(url: str, count: int, said: bytes = HALF) -> Iterator[list[socket.socket]]:
    """So many connections, each with a part of a request."""
    address = urlsplit(url)
    with ExitStack() as stack:
        held = []
        for _ in range(count):
            stranger = stack.enter_context(socket.socket())
            stranger.settimeout(PATIENCE_S)
            stranger.connect((address.hostname, address.port))
            held.append(stranger)
            try:
                stranger.sendall(said)
            except OSError:  # it was cut off already
                continue
        yield held


def status(url: str, token: str | None, *, session: str = "", asked: object = BEGIN, within: float = PATIENCE_S) -> int:
    """The status of the answer to a client with the token; 0 if it gets none."""
    return answer(url, token, session=session, asked=asked, within=within)[0]


def answer(
    url: str, token: str | None, *, session: str = "", asked: object = BEGIN, within: float = PATIENCE_S
) -> tuple[int, str]:
    """The same, and the session that the answer names."""
    address = urlsplit(url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=within)
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {token}",
    } | ({"Mcp-Session-Id": session} if session else {})
    try:
        connection.request("POST", address.path, json.dumps(asked), headers)
        got = connection.getresponse()
        got.read()
        return got.status, got.headers.get("mcp-session-id", "")
    except (OSError, HTTPException):
        return 0, ""
    finally:
        connection.close()


@pytest.mark.slow
def test_who_has_the_token_is_answered_however_many_strangers_hold_connections_and_the_log_stays_small(
    tmp_path: Path,
) -> None:
    with cramped(tmp_path) as server, strangers(server.url, STRANGERS):
        for _ in range(3):
            assert status(server.url, server.token) == 200
        assert status(server.url, "another") == 401
        assert server.log.stat().st_size < LOG_BYTES


@pytest.mark.slow
def test_a_server_without_a_limit_to_connections_is_found_out(tmp_path: Path) -> None:
    with cramped(tmp_path, "connections", "log") as server, strangers(server.url, STRANGERS):
        assert status(server.url, server.token, within=1.0) == 0
        until = monotonic() + PATIENCE_S
        while server.log.stat().st_size < LOG_BYTES:
            assert monotonic() < until
            select.select([], [], [], 0.1)


def is_cut_off(stranger: socket.socket, within: float = PATIENCE_S) -> bool:
    stranger.settimeout(within)
    try:
        while stranger.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    return tmp_path


BODY = b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
SILENT = {
    "nothing": b"",
    "half a head": HALF,
    "a body without the token, that stops": HALF + BODY,
    "a whole request, and half of another": b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n" + HALF,
}


@pytest.mark.parametrize("said", SILENT.values(), ids=SILENT)
def test_a_connection_that_does_not_go_on_is_cut_off(
    said: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REST_S", 0.05)
    with served(folder) as server, strangers(server.url, 1, said) as (stranger,):
        assert is_cut_off(stranger)


def test_a_body_that_stops_is_waited_for_no_longer_though_the_token_came_with_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_BODY_S", 0.05)
    with served(folder) as server:
        said = HALF + f"Authorization: Bearer {server.token}\r\n".encode() + BODY
        with strangers(server.url, 1, said) as (slow,):
            assert is_cut_off(slow)


def test_one_that_trickles_gains_no_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REST_S", 0.2)
    with served(folder) as server, strangers(server.url, 1) as (stranger,):
        until = monotonic() + PATIENCE_S
        while not is_cut_off(stranger, within=0.02):
            assert monotonic() < until
            try:
                stranger.send(b"X: y\r\n")
            except OSError:
                break


def test_a_server_that_waits_for_ever_is_found_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REST_S", 1e6)
    with served(folder) as server, strangers(server.url, 1) as (stranger,):
        assert not is_cut_off(stranger, within=0.3)


def test_of_strangers_the_one_that_waited_longest_goes_and_no_known_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 4)
    with served(folder) as server:
        address = urlsplit(server.url)
        known = HTTPConnection(address.hostname or "", address.port, timeout=PATIENCE_S)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {server.token}"}
        headers["Accept"] = "application/json, text/event-stream"
        try:
            known.request("POST", address.path, json.dumps(BEGIN), headers)
            known.getresponse().read()
            with strangers(server.url, 6) as held:
                assert all(is_cut_off(stranger) for stranger in held[:3])
                assert not any(is_cut_off(stranger, within=0.05) for stranger in held[3:])
                known.request("POST", address.path, json.dumps(BEGIN), headers)  # on the same connection
                assert known.getresponse().status == 200
        finally:
            known.close()


def test_connections_have_a_share_of_the_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    for soft, most in ((16, 8), (256, 85), (1024, 256), (10**6, 256), (-1, 256)):
        monkeypatch.setattr(connections.resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        assert connections.most_connections() == most
        assert connections.accepted_at_once() * 4 <= most


def piled_up(server: Served, count: int = 400) -> socket.socket:
    """A client with the token that asks for long answers, one behind the other, and takes none of them."""
    asked = json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {urlsplit(server.url).netloc}\r\nAuthorization: Bearer {server.token}\r\n"
        f"Mcp-Session-Id: {begin(server)}\r\nContent-Type: application/json\r\nContent-Length: {len(asked)}\r\n"
        "Accept: application/json, text/event-stream\r\n\r\n"
    ).encode()
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect((urlsplit(server.url).hostname, urlsplit(server.url).port))
    client.settimeout(0)
    with suppress(BlockingIOError):  # it is not read any more
        client.sendall((head + asked) * count)
    return client


def is_left_alone(server: Served, within: float = PATIENCE_S) -> bool:
    """Whether the server has no connection any more, in so many seconds."""
    until = monotonic() + within
    while server.runner.server_state.connections and monotonic() < until:
        select.select([], [], [], 0.02)
    return not server.runner.server_state.connections


def test_a_client_that_takes_no_answer_is_cut_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_TAKE_S", 0.05)
    with served(folder) as server, piled_up(server):
        assert is_left_alone(server)


def test_a_server_that_keeps_answers_for_ever_is_found_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_TAKE_S", 1e6)
    with served(folder) as server, piled_up(server):
        until = monotonic() + PATIENCE_S
        while not server.runner.server_state.connections and monotonic() < until:  # the system took it, not yet we
            select.select([], [], [], 0.02)
        assert not is_left_alone(server, 1.0)


def test_out_of_descriptors_strangers_are_cut_off_and_one_line_says_so(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with served(folder) as server, strangers(server.url, 3) as held:
        assert status(server.url, server.token) == 200  # by then the others were taken
        handle = _out_of_descriptors(server.runner)
        loop = next(iter(server.runner.server_state.connections)).loop  # type: ignore[union-attr]
        loop.call_soon_threadsafe(handle, loop, {"exception": OSError(errno.EMFILE, "too many open files")})
        assert all(is_cut_off(stranger) for stranger in held)
    (line,) = [record.getMessage() for record in caplog.records if record.name == "substrate.server.http.serve"]
    assert line.endswith("3 strangers were cut off")


# -- sessions that are left --------------------------------------------------------------------------------------------

PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def begin(server: Served) -> str:
    got, session = answer(server.url, server.token)
    assert got == 200
    return session


def test_abandoned_sessions_keep_nobody_out_and_the_longest_idle_goes_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions.Sessions.__init__, "__defaults__", (10,))
    with served(folder) as server:
        used = begin(server)
        assert status(server.url, server.token, session=used, asked=PING) == 200
        left = [begin(server) for _ in range(25)]
        assert status(server.url, server.token, session=used, asked=PING) == 200
        assert [status(server.url, server.token, session=one, asked=PING) for one in left[:15]] == [404] * 15
        assert status(server.url, server.token, session=left[-1], asked=PING) == 200


def test_a_session_that_asked_nothing_ends_soon_and_one_that_did_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(folder) as server:
        used = begin(server)
        assert status(server.url, server.token, session=used, asked=READY) == 202
        assert status(server.url, server.token, session=used, asked=PING) == 200
        monkeypatch.setattr(sessions, "_UNASKED_S", 0.05)
        left = begin(server)
        until = monotonic() + PATIENCE_S
        while status(server.url, server.token, session=left, asked=READY) != 404:
            assert monotonic() < until
            select.select([], [], [], 0.1)
        assert status(server.url, server.token, session=used, asked=PING) == 200


def test_a_server_with_the_sdks_rule_alone_is_found_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("substrate.server.http.serve.MOST_SESSIONS", 5)
    monkeypatch.setattr(sessions.Sessions, "_make_room", lambda _: None)
    with served(folder) as server:
        assert [status(server.url, server.token) for _ in range(12)] == [200] * 10 + [503] * 2


# -- a client that sends and does not read -----------------------------------------------------------------------------

LARGE = request(7, "ping", {"x": "x" * 500_000})
TOLD, MOST_SENT, GROWTH = 8, 64 << 20, 40 << 20


def deaf(server: Server, patience: float) -> tuple[int, int]:
    """Fill the pipe with answers, then send requests and read nothing: how much was taken, and what it cost.

    A server that takes nothing for so many seconds is left.
    """
    server.greet()
    before = server.peak_bytes()
    end = server._in.fileno()
    data = request(1, "tools/list") * TOLD + LARGE * (MOST_SENT // len(LARGE))
    taken = 0
    while taken < len(data) and select.select([], [end], [], patience)[1]:
        taken += os.write(end, data[taken : taken + (1 << 16)])
    return taken, server.peak_bytes() - before


def serve(folder: Path, without: str = "") -> Server:
    return Server(folder / "store", folder / "home", program=CRAMPED, environment={"UNGUARDED": without})


@pytest.mark.slow
def test_a_client_that_sends_and_does_not_read_costs_a_fixed_amount_of_memory(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        taken, growth = deaf(server, 1.0)
        assert taken < MOST_SENT / 2
        assert growth < GROWTH
        while len(server.lines) < 1 + TOLD + 5:  # once it reads, it gets what it has asked for
            server.line()


@pytest.mark.slow
def test_a_server_that_takes_in_whatever_is_sent_is_found_out(tmp_path: Path) -> None:
    with serve(tmp_path, "wire") as server:
        taken, growth = deaf(server, PATIENCE_S)
        assert taken > MOST_SENT / 2
        assert growth > GROWTH


@contextmanager
def spoken(folder: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """A server over pipes in this process: where to write, and where to read."""
    theirs, ours = os.pipe(), os.pipe()
    with (
        os.fdopen(theirs[0], "rb", buffering=0) as incoming,
        os.fdopen(ours[1], "wb", buffering=0) as outgoing,
        os.fdopen(ours[0], "rb", buffering=0) as answers,
        Clients(Launch(folder / "store")) as clients,
    ):
        ends = wire.Wire(incoming, outgoing)
        serving = Thread(target=anyio.run, args=(stdio._serve, compose(clients), clients.launch, ends), daemon=True)
        serving.start()
        with os.fdopen(theirs[1], "wb", buffering=0) as asking:
            yield asking, answers
        serving.join(PATIENCE_S)
        assert not serving.is_alive()


def test_requests_that_were_withdrawn_take_no_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three that wait for the write lock, where there is room for three, and then one more."""
    monkeypatch.setattr(wire, "_MOST_OWED", 3)
    with substrate.open(folder / "store") as memory:
        memory.checkpoint(["v1.fact.a = tea"])
    holder = open_store(folder / "store", TABLES, read_only=False, create=False)
    shake = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "w", "version": "1"}}
    save = {"name": "session_checkpoint", "arguments": {"atoms": ["v1.fact.b = x"]}}
    with spoken(folder) as (asking, answers):
        asking.write(request(0, "initialize", shake))
        assert b'"id":0' in answers.read(1 << 16)
        with holder.write():
            for number in (1, 2, 3):
                cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
                asking.write(request(number, "tools/call", save) + json.dumps(cancelled).encode() + b"\n")
            asking.write(request(4, "ping"))
        holder.close()
        assert select.select([answers], [], [], PATIENCE_S)[0]
        assert b'"id":4' in answers.read(1 << 16)


# -- logs that repeat --------------------------------------------------------------------------------------------------


def repeat(handler: logging.Handler, count: int) -> None:
    log = logging.Logger("repeating")  # noqa: LOG001 - one of its own: no other handler hears it
    log.addHandler(handler)
    for number in range(count):
        log.warning(f"Invalid Host header: {number} {'x' * 5000}")  # noqa: G004 - as the SDK says it


def test_what_repeats_is_logged_ten_times_a_minute_and_what_is_left_out_is_told() -> None:
    now = [0.0]
    with tempfile.TemporaryFile("w+") as file:
        handler = logging.StreamHandler(file)
        handler.addFilter(Sparing(lambda: now[0]))
        repeat(handler, 1000)
        now[0] = 61.0
        repeat(handler, 1)
        file.seek(0)
        lines = file.read().splitlines()
    assert len(lines) == 11
    assert max(map(len, lines)) < 1200
    assert lines[9].endswith("(no more lines like this one within this minute)")
    assert lines[10].endswith("(990 more lines like this one were left out)")


def test_a_log_that_does_not_spare_is_found_out() -> None:
    with tempfile.TemporaryFile("w+") as file:
        repeat(logging.StreamHandler(file), 1000)
        file.seek(0)
        assert len(file.read().splitlines()) == 1000
