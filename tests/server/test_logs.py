"""The log of a server as JSON: one object a line, with what happened and nothing of what is stored."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from mcp.server.auth.provider import AccessToken

from substrate.server import logs
from substrate.server.logs import JsonLines, Sparing, log_call, log_event, log_fault

HELD = "sbt_secret"
CANARY = "the falcon lands at dawn"


class Log:
    def __init__(self) -> None:
        self.text = io.StringIO()

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.getvalue().splitlines()]


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    kept = Log()
    handler = logging.StreamHandler(kept.text)
    handler.setFormatter(JsonLines())
    handler.addFilter(Sparing())
    monkeypatch.setattr(logs._events, "level", logging.INFO)
    logs._events.manager._clear_cache()  # type: ignore[attr-defined]
    root = logging.getLogger()
    root.addHandler(handler)
    yield kept
    root.removeHandler(handler)
    logs._events.manager._clear_cache()  # type: ignore[attr-defined]


def test_a_call_is_told_by_tool_tenant_token_id_and_time(log: Log) -> None:
    caller = AccessToken(token=HELD, client_id="0123456789abcdef" * 4, scopes=[], subject="acme")
    for _ in range(30):
        log_call("knowmind.recall", 4_181_400, "", caller)
    log_call("knowmind.link", 1_000, "not_found", None)
    told = log.lines()
    assert len(told) == 31, "calls are all told"
    assert told[0].pop("time").endswith("Z")
    assert told[0] == {
        "level": "info",
        "event": "call",
        "tool": "knowmind.recall",
        "tenant": "acme",
        "token": "0123456789ab",
        "ok": True,
        "ms": 4.181,
    }
    assert told[-1]["code"] == "not_found"
    assert HELD not in log.text.getvalue()


def test_what_is_refused_is_counted_and_does_not_flood_the_log(log: Log) -> None:
    for _ in range(1000):
        log_event("refused", status=401)
    assert len(log.lines()) == 10


def test_an_error_is_told_by_its_kind_and_its_place_on_one_line(log: Log) -> None:
    try:
        int(CANARY)
    except ValueError as error:
        log_fault("the tool", error)
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application\n")
    told = log.lines()
    assert len(told) == 2
    assert "ValueError at test_logs.py" in told[0]["message"]
    assert told[1]["error"] == "ValueError"
    assert told[1]["at"].startswith("test_logs.py")
    assert CANARY not in log.text.getvalue()
