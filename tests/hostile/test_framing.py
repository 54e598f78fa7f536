"""Row 15: whatever is written into the server's input, it lives on or ends cleanly, and nothing but JSON-RPC comes out.

To replay a failure: SUBSTRATE_SEED=<the seed it printed>.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.hostile.frames import LIMIT, Frames, Sent
from tests.scale import SEED, rounds
from tests.wire import Server, faults_of, request


def serve(folder: Path, *options: str, **others: object) -> Server:
    return Server(folder / "store", folder / "home", *options, **others)  # type: ignore[arg-type]


def play(server: Server, sent: Sent) -> None:
    """Send it, and see that what must be answered is, and that the server still takes requests."""
    for piece in sent.pieces:
        server.send(piece)
    server.answers((*sent.answered, server.begin("ping")))


def faults(lines: list[bytes]) -> list[str]:
    return [fault for line in lines for fault in faults_of(line)]


@pytest.mark.soak
def test_a_server_lives_on_whatever_is_written_into_it(tmp_path: Path) -> None:
    rng = random.Random(f"frames {SEED}")
    kinds = set()
    with serve(tmp_path) as server:
        server.greet()
        for number, sent in enumerate(Frames(rng).some(rounds(200, 20_000), huge=rounds(2, 40))):
            kinds.add(sent.kind)
            try:
                play(server, sent)
            except Exception as error:
                error.add_note(f"SUBSTRATE_SEED={SEED}, number {number}, {sent.kind}: {ascii(sent.pieces)[:1000]}")
                raise
        tools = server.ask("tools/list")["result"]["tools"]
        server.send('{"jsonrpc":"2.0","id":5,"method":"é'.encode()[:-1])  # and the end comes early
        assert server.close() == 0, server.log()
        assert not faults(server.lines)
        assert "Traceback" not in server.log()
    assert len(tools) == 11
    assert len(kinds) == 16


def test_a_line_over_the_limit_is_answered_by_its_id_and_takes_no_memory(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        server.greet()
        before = server.peak_bytes()
        text = b'"method":"ping","params":{"x":"' + b"x" * (6 * LIMIT) + b'"}'
        server.send(b'{"id":77,%s}\n{%s,"id":78}\n' % (text, text))
        for answer in server.answers((77, 78)).values():
            assert "16,777,216" in answer["error"]["message"]
        assert server.peak_bytes() - before < 5 * LIMIT
        server.send(b'{"id":79,' + text)  # and without an end
        assert server.close() == 0, server.log()
        assert not faults(server.lines)


def test_a_server_whose_client_goes_away_while_calls_are_under_way_ends_cleanly(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        server.greet()
        for number in range(5):
            saved = {"name": "session_checkpoint", "arguments": {"atoms": [f"v1.fact.n{number} = x"]}}
            server.begin("tools/call", saved)
        assert server.close() == 0, server.log()
        assert not faults(server.lines)
        assert "Traceback" not in server.log()


def test_a_server_whose_client_stops_listening_ends_cleanly(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        server.greet()
        server.stop_listening()
        server.send(request(1, "ping") + request(2, "ping"))
        assert server.close() == 0, server.log()
        assert "Traceback" not in server.log()


NOISY = "tests.hostile.noisy"


def test_nothing_that_is_printed_reaches_the_wire(tmp_path: Path) -> None:
    with serve(tmp_path, program=NOISY, fresh=True) as server:
        server.greet()
        for _ in range(3):
            assert "structuredContent" in server.call("memory_list_atoms")
        assert server.close() == 0, server.log()
        assert not faults(server.lines)
        log = server.log()
    assert log.count("stray words") > 3 * 5  # it was printed, and went to the log
    assert "stray words mcp.server" in log


def test_a_server_that_leaves_the_descriptors_to_everyone_is_found_out(tmp_path: Path) -> None:
    with serve(tmp_path, program=NOISY, fresh=True, environment={"NOISY": "unclaimed"}) as server:
        server.greet()
        server.begin("tools/call", {"name": "memory_list_atoms", "arguments": {}})
        server.close()
        assert any("stray words" in fault for fault in faults(server.lines))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"stray words", "no JSON"),
        (b'"stray words"', "no JSON-RPC"),
        (b'{"jsonrpc":"1.0","id":1,"result":{}}', "no JSON-RPC"),
        (b'{"jsonrpc":"2.0","result":{}}', "neither"),
        (b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', "neither"),
        (json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}}).encode()[:-1], "no JSON"),
        (b"\xff", "no JSON"),
    ],
)  # fmt: skip
def test_what_is_no_line_of_json_rpc_is_noticed(line: bytes, fault: str) -> None:
    assert fault in faults_of(line)[0]
    assert not faults_of(b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}')
