"""The client of the benchmarks, on servers of a few lines that behave, and that do not."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from benchmarks.stdio_client import ServerFailed, StdioServer, texts_of

ANSWERING = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"] + 1000, "result": {"not": "asked for"}}))
    if asked["method"] == "tools/list":
        result = {"tools": [{"name": "echo"}]}
    elif asked["method"] == "tools/call":
        given = asked["params"]["arguments"]
        result = {"content": [{"type": "text", "text": given["say"]}], "isError": given["say"] == "wrong"}
    else:
        result = {}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def server(program: str, folder: Path, patience: float = 30.0) -> StdioServer:
    return StdioServer([sys.executable, "-c", program], environment=dict(os.environ), folder=folder, patience=patience)


def test_the_answer_to_the_question_is_taken_whatever_else_is_said(tmp_path: Path) -> None:
    with server(ANSWERING, tmp_path) as echo:
        assert echo.ready() == ["echo"]
        assert texts_of(echo.call("echo", {"say": "well"})) == ["well"]


def test_an_answer_longer_than_a_pipe_holds_arrives_whole(tmp_path: Path) -> None:
    said = "word " * 100_000
    with server(ANSWERING, tmp_path) as echo:
        assert texts_of(echo.call("echo", {"say": said})) == [said]


def test_a_tool_that_says_it_is_an_error_is_one_and_the_server_goes_on(tmp_path: Path) -> None:
    with server(ANSWERING, tmp_path) as echo:
        with pytest.raises(ServerFailed, match="echo: wrong"):
            echo.call("echo", {"say": "wrong"})
        assert echo.alive
        assert texts_of(echo.call("echo", {"say": "well"})) == ["well"]


def test_a_server_that_ends_is_reported_with_its_last_word(tmp_path: Path) -> None:
    with (
        server("import sys; sys.exit('no such model')", tmp_path) as gone,
        pytest.raises(ServerFailed, match="no such model"),
    ):
        gone.ready()


def test_a_server_that_says_nothing_is_not_waited_for_without_end(tmp_path: Path) -> None:
    with (
        server("import sys; sys.stdin.read()", tmp_path, patience=0.2) as mute,
        pytest.raises(ServerFailed, match="no answer"),
    ):
        mute.ready()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's figures on another process")
def test_its_cpu_is_that_of_the_child_and_not_ours(tmp_path: Path) -> None:
    busy = "import sys, time\nwhile time.process_time() < 0.3: pass\n" + ANSWERING
    before = time.process_time()
    with server(busy, tmp_path) as echo:
        echo.ready()
        ours = time.process_time() - before
        assert echo.cpu_ns / 1e9 >= 0.3
        assert ours < 0.3
        assert 0 < echo.residence().anonymous <= echo.residence().resident
