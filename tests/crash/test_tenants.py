"""A server for two tenants that is killed while eight clients call it, and a token that is revoked meanwhile.

To replay a failure: SUBSTRATE_SEED=<the seed it printed>.
"""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any

import pytest

import substrate
from substrate.server.http.tenant_tokens import TokenBook
from tests.ready import Started, start
from tests.scale import PATIENCE_S, SEED, rounds
from tests.server.hosting import Reply, send

TENANTS = ("acme", "zenith")
CLIENTS = 8
RATE = 1_000_000


def canary(tenant: str) -> str:
    return f"canary-of-{tenant}"


class Team:
    """The server as the command starts it, in a process of its own. One that is killed is started again."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.url = ""
        self.said: list[str] = []
        self.cut = 0
        self._starts = 0
        self._changed = threading.Condition()
        self._process: Started | None = None
        self._log: IO[str] | None = None
        self._reading = threading.Thread()

    def start(self) -> None:
        words = (
            "mcp",
            "--http",
            "--port",
            "0",
            "--tenants",
            str(self.root),
            "--surface",
            "knowmind",
            "--wait",
            "0",
            "--log-format",
            "json",
        )
        ours, theirs = os.pipe()
        self._log = os.fdopen(ours, encoding="utf-8")
        with os.fdopen(theirs, "wb") as errors:
            process = start("substrate", *words, stderr=errors, listens=False)
        lines: Iterator[str] = iter(self._log)
        told = (str(json.loads(line).get("message")) for line in lines)
        url = next((said.split()[1] for said in told if said.startswith("serving ")), "")
        self._reading = threading.Thread(target=lambda: self.said.extend(lines))
        self._reading.start()
        with self._changed:
            self._process, self.url = process, url
            self._starts += 1
            self._changed.notify_all()

    def end(self, number: int) -> int:
        assert self._process is not None
        assert self._log is not None
        self._process.send_signal(number)
        code = self._process.wait(PATIENCE_S)
        self._reading.join(PATIENCE_S)
        self._process.stdout.close()
        self._log.close()
        return code

    def call(self, token: str, tool: str, **arguments: Any) -> Reply | None:
        """The answer; None if the server went away before it came. Then there is another server."""
        starts, url = self._starts, self.url
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        try:
            return send(url, json.dumps(body).encode(), token)
        except (OSError, HTTPException):
            with self._changed:
                self.cut += 1
                assert self._changed.wait_for(lambda: self._starts > starts, PATIENCE_S)
            return None


class Client(threading.Thread):
    """One of a tenant's clients: it writes, reads and joins, and remembers what was acknowledged."""

    def __init__(self, team: Team, tenant: str, token: str, number: int, calls: int) -> None:
        super().__init__()
        self.tenant, self.number = tenant, number
        self.acknowledged: list[str] = []
        self.crossed: list[str] = []
        self.failed: list[BaseException] = []
        self._team, self._token, self._calls = team, token, calls
        self._ids: list[str] = []
        self._rng = random.Random(f"{tenant} {number} {SEED}")

    def run(self) -> None:
        try:
            for turn in range(self._calls):
                self._once(turn)
        except BaseException as error:  # noqa: BLE001 - raised by the one who waits
            self.failed.append(error)

    def _once(self, turn: int) -> None:
        text = f"{canary(self.tenant)} {self.number} {turn} in words"
        what = self._rng.choice(["store", "store", "store", "recall", "update", "link", "document", "stats"])
        other = self._rng.choice(self._ids) if self._ids else ""
        if what == "store" or (what in {"update", "link"} and not other):
            told = self._call("store_memory", title=f"Note {self.number} {turn}", content=text)
            self._took(told, text, "memory_id")
        elif what == "update":
            told = self._call("update_fact", target_id=other, new_title=f"New {self.number} {turn}", new_content=text)
            self._took(told, text, "new_memory_id")
            self._ids.remove(other)  # it is superseded, or its fate is not known
        elif what == "document":
            self._took(self._call("upload_document", title=f"Text {self.number} {turn}", content=text), text, "")
        elif what == "link":
            self._call("link", from_id=other, to_id=self._ids[0], rel_type="RELATED_TO")
        elif what == "recall":
            self._call("recall", query=f"canary {' '.join(TENANTS)} in words", k=10)
        else:
            self._call("stats")

    def _call(self, tool: str, **arguments: Any) -> Any:
        reply = self._team.call(self._token, f"knowmind.{tool}", **arguments)
        if reply is None:
            return None
        said = json.dumps(reply.said)
        self.crossed += [said for tenant in TENANTS if tenant != self.tenant and canary(tenant) in said]
        return reply.said["result"] if reply.status == 200 else None

    def _took(self, told: Any, text: str, id: str) -> None:  # noqa: A002 - the word for it
        if told is not None:
            self.acknowledged.append(text)
            if id:
                self._ids.append(told[id])


def stored(store: Path) -> set[str]:
    """All values that it holds, those that others have replaced too."""
    with substrate.open(store, read_only=True) as memory:
        found: set[str] = set()
        after: str | None = None
        while True:
            page = memory.list(limit=1000, after=after, superseded=True)
            found |= {atom.value for atom in page}
            if page.next is None:
                return found
            after = page.next


def faults(folder: Path, tenant: str, clients: list[Client]) -> list[str]:
    """What is wrong with a tenant's store after all of it."""
    store, own = folder / "tenants" / tenant, [client for client in clients if client.tenant == tenant]
    lost = {text for client in own for text in client.acknowledged} - stored(store)
    found = [f"lost: {text}" for text in sorted(lost)]
    found += [f"crossed: {said}" for client in own for said in client.crossed]
    for file in store.rglob("*"):
        data = file.read_bytes() if file.is_file() else b""
        found += [f"crossed: {file}" for other in TENANTS if other != tenant and canary(other).encode() in data]
    report = substrate.fsck(store, home=folder / "home")
    return found if report.ok else [*found, f"fsck: {report.damage}"]


@pytest.mark.slow
@pytest.mark.soak
def test_two_tenants_of_a_server_that_is_killed_lose_nothing_and_cross_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    root, calls, kills = tmp_path / "tenants", rounds(160, 1_000), rounds(1, 10)
    book = TokenBook(root)
    tokens = {tenant: book.add(tenant, ("read", "write"), rate=RATE)[0] for tenant in TENANTS}
    doomed, kept = book.add("acme", ("read",), rate=RATE)
    team = Team(root)
    team.start()
    clients = [
        Client(team, TENANTS[number % 2], tokens[TENANTS[number % 2]], number, calls // CLIENTS)
        for number in range(CLIENTS)
    ]
    tried: list[tuple[float, int]] = []
    over = threading.Event()

    def insist() -> None:
        while not over.is_set():
            began = time.monotonic()
            reply = team.call(doomed, "knowmind.stats")
            if reply is not None:
                tried.append((began, reply.status))

    def done() -> int:
        return sum(len(client.acknowledged) for client in clients)

    insisting = threading.Thread(target=insist)
    for thread in (*clients, insisting):
        thread.start()
    revoked = float("inf")
    for kill in range(kills):
        least = (kill + 1) * calls // (3 * (kills + 1))
        while done() < least and any(client.is_alive() for client in clients):
            clients[0].join(0.01)
        if kill == kills // 2:
            book.revoke(kept.id)
            revoked = time.monotonic()
        assert team.end(signal.SIGKILL) == -signal.SIGKILL
        team.start()
    for client in clients:
        client.join(PATIENCE_S)
    over.set()
    insisting.join(PATIENCE_S)
    assert team.end(signal.SIGTERM) == 0
    assert [error for client in clients for error in client.failed] == []
    assert team.cut, "no call was cut off"
    assert done() > calls // 4
    assert {status for began, status in tried if began < revoked} >= {200}
    assert {status for began, status in tried if began > revoked} == {401}, "revoked, and from then on void"
    found = [fault for tenant in TENANTS for fault in faults(tmp_path, tenant, clients)]
    assert not found, f"SUBSTRATE_SEED={SEED}: {found[:5]}"
    log = "".join(team.said)
    assert "canary" not in log
    assert not any(token in log for token in (*tokens.values(), doomed))
    events = [json.loads(line) for line in team.said]
    assert {(event["tenant"], event["token"]) for event in events if event["event"] == "call"} >= {
        (token.tenant, token.id) for token in book.tokens()
    }
    assert {event["status"] for event in events if event["event"] == "refused"} == {401}
    assert events[-1]["event"] == "stop"


def test_what_is_lost_and_what_has_crossed_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    client = Client(Team(tmp_path), "acme", "", 0, 0)
    with substrate.open(tmp_path / "tenants" / "acme") as memory:
        memory.checkpoint([f"v1.fact.one = {canary('acme')}"])
    client.acknowledged.append(canary("acme"))
    assert faults(tmp_path, "acme", [client]) == []
    client.acknowledged.append("what was never stored")
    with substrate.open(tmp_path / "tenants" / "acme") as memory:
        memory.checkpoint([f"v1.fact.two = {canary('zenith')}"])
    assert [fault.split(":")[0] for fault in faults(tmp_path, "acme", [client])][:2] == ["lost", "crossed"]
