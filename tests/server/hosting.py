"""A server for several tenants, in a thread of this process, and plain requests to it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn

from substrate.server.http.admission import Admitted
from substrate.server.http.serve import TENANTS_PATH, compose_http, http_runner, listen, tenants_app
from substrate.server.http.tenant_tokens import TokenBook
from substrate.server.http.tenants import Tenants
from substrate.server.launch import Launch, http_url
from tests.server.over_http import WAIT_S

__all__ = ["ALL", "Hosted", "Reply", "call", "hosting", "send"]

ALL = ("read", "write", "train")


@dataclass(frozen=True)
class Hosted:
    url: str
    root: Path
    book: TokenBook
    tenants: Tenants
    runner: uvicorn.Server

    def token(self, tenant: str, *scopes: str, **more: Any) -> str:
        return self.book.add(tenant, scopes or ALL, **more)[0]


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    said: Any

    @property
    def result(self) -> Any:
        assert self.status == 200, self.said
        return self.said["result"]

    @property
    def code(self) -> int:
        assert "result" not in self.said, self.said
        return int(self.said["error"]["code"])


@contextmanager
def hosting(
    root: Path, most: int = 64, public: tuple[str, ...] = (), surfaces: tuple[str, ...] = ("knowmind",)
) -> Iterator[Hosted]:
    book = TokenBook(root)
    tenants = Tenants(root, Launch(root, surfaces, wait_s=0), most)
    listening = listen(0)
    port = listening.getsockname()[1]
    app = tenants_app(compose_http(tenants, port, Admitted()), tenants, port, book, public_hosts=public)
    runner = http_runner(app)
    thread = threading.Thread(target=runner.run, args=([listening],))
    thread.start()
    try:
        yield Hosted(http_url(port, TENANTS_PATH), root, book, tenants, runner)
    finally:
        runner.should_exit = True
        thread.join(WAIT_S)
        tenants.close()
        assert not thread.is_alive()


def send(url: str, body: bytes | None, token: str | None, method: str = "POST", **headers: str) -> Reply:
    split = urlsplit(url)
    connection = HTTPConnection(split.hostname or "", split.port, timeout=WAIT_S)
    sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): said for name, said in headers.items()}
    if token is not None:
        sent["Authorization"] = f"Bearer {token}"
    try:
        connection.request(method, split.path, body, sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        told = json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text
        return Reply(answer.status, dict(answer.headers.items()), told)
    finally:
        connection.close()


def call(served: Hosted, token: str | None, tool: str, **arguments: Any) -> Reply:
    params = {"name": f"knowmind.{tool}", "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
    return send(served.url, body.encode(), token)
